//! `DecoderBase`: its methods, and `DecodePlan` as the plan of a codec.
//!
//! Separate from `codec`, which has what decoders and encoders share. Invariant: a call keeps the
//! plan in use, so that the garbage collector does not drop it. Called by CPython and by `init`.

use core::ptr::null_mut;

use pyo3_ffi::*;

use crate::decode::typed;
use crate::decode::typed::DecodePlan;
use crate::docstrings;
use crate::module::codec::{self, Methods, Plan, return_value};
use crate::py::codec::{Codec, CodecType};
use crate::py::tuple::Tuple;
use crate::py::{Attached, Obj, Owned, Raised, error, singletons, tuple};
use crate::runtime::Runtime;

impl Plan for DecodePlan {
    fn compile(py: &mut Attached, runtime: &Runtime, description: &Owned) -> Result<Self, Raised> {
        typed::compile(py, runtime, description)
    }

    fn visit(&self, see: &mut dyn FnMut(&Owned)) {
        self.visit_objects(see);
    }
}

/// `decode(buf, /)`.
unsafe extern "C" fn decode(this: *mut PyObject, document: *mut PyObject) -> *mut PyObject {
    // SAFETY: the thread is attached and the argument is borrowed for the whole call, because
    // CPython calls.
    let (mut py, document) = unsafe { (Attached::assume(), Obj::from_ptr(document)) };
    let Some(document) = document else {
        return null_mut();
    };
    // SAFETY: `this` is an instance of `DecoderBase`, because only that type has this method.
    return_value(unsafe { decode_document(&mut py, this, document, (false, None)) })
}

/// Decodes a document by the plan of a decoder.
///
/// # Safety
/// `this` is an instance of `DecoderBase`, borrowed for the whole call.
#[inline(always)]
unsafe fn decode_document(
    py: &mut Attached,
    this: *mut PyObject,
    document: Obj<'_>,
    (discards, kept): (bool, Option<Owned>),
) -> Result<Owned, Raised> {
    // SAFETY: `this` is a `Codec<DecodePlan>`, because the caller guarantees its type.
    let (plan, codec, state) = unsafe {
        let plan = Codec::<DecodePlan>::plan(py, this)?;
        (plan, Codec::<DecodePlan>::of(this), codec::codec_state::<DecodePlan>(this))
    };
    let _in_use = codec.in_use();
    typed::decode(&state.runtime, &state.decode_pool, py, plan, document, (discards, kept))
}

/// `validate_only(buf, /)`.
unsafe extern "C" fn validate_only(this: *mut PyObject, document: *mut PyObject) -> *mut PyObject {
    // SAFETY: the thread is attached and the argument is borrowed for the whole call, because
    // CPython calls.
    let (mut py, document) = unsafe { (Attached::assume(), Obj::from_ptr(document)) };
    let Some(document) = document else {
        return null_mut();
    };
    // SAFETY: `this` is an instance of `DecoderBase`, because only that type has this method.
    let read = unsafe { decode_document(&mut py, this, document, (true, None)) };
    return_value(read.map(|_| singletons::none(&py)))
}

/// `_decode_kept((text, objects), /)`.
unsafe extern "C" fn decode_kept(this: *mut PyObject, pair: *mut PyObject) -> *mut PyObject {
    // SAFETY: the thread is attached and the argument is borrowed for the whole call, because
    // CPython calls.
    let (mut py, pair) = unsafe { (Attached::assume(), Obj::from_ptr(pair)) };
    let parts = match pair.map(|pair| tuple::items_of(pair, &py)) {
        Some(&[Some(text), Some(objects)]) if Tuple::exact(objects).is_some() => {
            Some((text.to_owned(), objects.to_owned()))
        }
        _ => None,
    };
    let Some((text, objects)) = parts else {
        error::type_error(c"_decode_kept() takes a tuple of text and objects");
        return null_mut();
    };
    // SAFETY: `this` is an instance of `DecoderBase`, because only that type has this method.
    return_value(unsafe { decode_document(&mut py, this, text.get(), (false, Some(objects))) })
}

static METHODS: Methods<5> = Methods([
    codec::method(c"decode", decode, docstrings::DECODE),
    codec::method(c"validate_only", validate_only, docstrings::VALIDATE_ONLY),
    codec::method(c"_decode_kept", decode_kept, docstrings::DECODE_KEPT),
    codec::method(c"_compile", codec::compile::<DecodePlan>, docstrings::COMPILE),
    PyMethodDef::zeroed(),
]);

/// Makes the type `DecoderBase`.
pub(super) fn new_type(
    module: *mut PyObject,
    new: newfunc,
) -> Result<CodecType<DecodePlan>, Raised> {
    let methods = (&raw const METHODS).cast_mut().cast();
    codec::new_type(module, c"snooze._snooze.DecoderBase", docstrings::DECODER, methods, new)
}
