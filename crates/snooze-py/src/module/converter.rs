//! `ConverterBase`: its methods, and `ConvertPlan` as the plan of a codec.
//!
//! Separate from `codec`, which has what all codecs share. Invariant: a call keeps the plan in use,
//! so that the garbage collector does not drop it. Called by CPython and by `init`.

use core::ptr::null_mut;

use pyo3_ffi::*;

use crate::decode::typed::objects::{self, ConvertPlan};
use crate::docstrings;
use crate::module::codec::{self, Methods, Plan, return_value};
use crate::py::codec::{Codec, CodecType};
use crate::py::{Attached, Obj, Owned, Raised};
use crate::runtime::Runtime;

impl Plan for ConvertPlan {
    fn compile(py: &mut Attached, runtime: &Runtime, description: &Owned) -> Result<Self, Raised> {
        objects::compile(py, runtime, description)
    }

    fn visit(&self, see: &mut dyn FnMut(&Owned)) {
        self.visit_objects(see);
    }
}

/// `convert(obj, /)`.
unsafe extern "C" fn convert(this: *mut PyObject, object: *mut PyObject) -> *mut PyObject {
    // SAFETY: the thread is attached and the argument is borrowed for the whole call, because
    // CPython calls.
    let (mut py, object) = unsafe { (Attached::assume(), Obj::from_ptr(object)) };
    let Some(object) = object else {
        return null_mut();
    };
    // SAFETY: `this` is an instance of `ConverterBase`, because only that type has this method.
    return_value(unsafe { convert_object(&mut py, this, object) })
}

/// Converts an object by the plan of a converter.
///
/// # Safety
/// `this` is an instance of `ConverterBase`, borrowed for the whole call.
unsafe fn convert_object(
    py: &mut Attached,
    this: *mut PyObject,
    object: Obj<'_>,
) -> Result<Owned, Raised> {
    // SAFETY: `this` is a `Codec<ConvertPlan>`, because the caller guarantees its type.
    let (plan, codec, state) = unsafe {
        let plan = Codec::<ConvertPlan>::plan(py, this)?;
        (plan, Codec::<ConvertPlan>::of(this), codec::codec_state::<ConvertPlan>(this))
    };
    let _in_use = codec.in_use();
    objects::convert(&state.runtime, &state.decode_pool, py, plan, object)
}

static METHODS: Methods<3> = Methods([
    codec::method(c"convert", convert, docstrings::CONVERT),
    codec::method(c"_compile", codec::compile::<ConvertPlan>, docstrings::COMPILE),
    PyMethodDef::zeroed(),
]);

/// Makes the type `ConverterBase`.
pub(super) fn new_type(
    module: *mut PyObject,
    new: newfunc,
) -> Result<CodecType<ConvertPlan>, Raised> {
    let methods = (&raw const METHODS).cast_mut().cast();
    codec::new_type(module, c"snooze._snooze.ConverterBase", docstrings::CONVERTER, methods, new)
}
