//! `DecoderBase`: its methods, and the plan of a decoder.
//!
//! Separate from `codec`, which has what decoders and encoders share. Invariants: a call keeps the
//! plan in use, so that the garbage collector does not drop it; a `JSONDecodeError` that leaves
//! here names its place. Called by CPython and by `init`.

use core::ptr::null_mut;

use pyo3_ffi::*;

use crate::decode::policy::Policies;
use crate::decode::typed::DecodePlan;
use crate::decode::{policy, typed};
use crate::description::{self, Row};
use crate::docstrings;
use crate::module::codec::{self, Methods, Plan, return_value};
use crate::module::state::State;
use crate::py::codec::{Codec, CodecType};
use crate::py::int::Int;
use crate::py::tuple::Tuple;
use crate::py::{Attached, Obj, Owned, Raised, call, error, singletons, tuple};
use crate::runtime::Runtime;

/// The plan of a decoder.
#[allow(clippy::large_enum_variant, reason = "a box would cost each call by a type a load")]
pub(super) enum Reading {
    /// By a type.
    Typed(DecodePlan),
    /// Without a type, by policies.
    Policies(Policies),
    /// By a Python function, which prepares the document for another decoder.
    Function(Owned),
}

impl Plan for Reading {
    /// Reads the description of a type, `("policies", ...)` or `("function", function)`.
    fn compile(py: &mut Attached, runtime: &Runtime, description: &Owned) -> Result<Self, Raised> {
        let row = Row::new(py, description.get())?;
        if Int::exact(row.get(0)?).is_some() {
            return Ok(Self::Typed(typed::compile(py, runtime, description)?));
        }
        match description::name(row.get(0)?)? {
            b"policies" => Ok(Self::Policies(Policies::new(py, row)?)),
            b"function" => {
                let [_, function] = row.exactly()?;
                Ok(Self::Function(function.to_owned()))
            }
            _ => Err(description::unexpected(c"a kind of plan", row.get(0)?)),
        }
    }

    fn visit(&self, see: &mut dyn FnMut(&Owned)) {
        match self {
            Self::Typed(plan) => plan.visit_objects(see),
            Self::Policies(policies) => policies.visit(see),
            Self::Function(function) => see(function),
        }
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
    // SAFETY: `this` is a `Codec<Reading>`, because the caller guarantees its type.
    let (plan, codec, state) = unsafe {
        let plan = Codec::<Reading>::plan(py, this)?;
        (plan, Codec::<Reading>::of(this), codec::codec_state::<Reading>(this))
    };
    let _in_use = codec.in_use();
    let result = match plan {
        Reading::Typed(plan) => {
            let wanted = (discards, kept);
            typed::decode(&state.runtime, &state.decode_pool, py, plan, document, wanted)
        }
        _ => decode_otherwise(py, state, plan, document, discards),
    };
    result.map_err(|Raised| state.runtime.decode_error.ask_for_place(py))
}

/// Decodes a document without a type.
#[inline(never)]
fn decode_otherwise(
    py: &mut Attached,
    state: &State,
    plan: &Reading,
    document: Obj<'_>,
    discards: bool,
) -> Result<Owned, Raised> {
    match plan {
        Reading::Policies(policies) => {
            policy::decode(&state.runtime, &state.policy_pool, py, policies, document)
        }
        Reading::Function(function) => {
            let discards = singletons::boolean(py, discards);
            call::call_two(py, function, &document.to_owned(), &discards)
        }
        Reading::Typed(_) => Err(error::system_error(c"a plan of a type needs its own walk")),
    }
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
    codec::method(c"_compile", codec::compile::<Reading>, docstrings::COMPILE),
    PyMethodDef::zeroed(),
]);

/// Makes the type `DecoderBase`.
pub(super) fn new_type(module: *mut PyObject, new: newfunc) -> Result<CodecType<Reading>, Raised> {
    let methods = (&raw const METHODS).cast_mut().cast();
    codec::new_type(module, c"snooze._snooze.DecoderBase", docstrings::DECODER, methods, new)
}
