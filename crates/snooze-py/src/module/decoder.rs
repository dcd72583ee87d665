//! `DecoderBase`: its methods, and its plan as `codec` wants it.

use core::ptr::null_mut;

use pyo3_ffi::*;

use crate::decode::typed;
use crate::decode::typed::DecodePlan;
use crate::docstrings;
use crate::module::codec;
use crate::module::codec::{Methods, Plan, returned};
use crate::py::codec::{Codec, CodecType};
use crate::py::{Attached, Obj, Owned, Raised};
use crate::runtime::Runtime;

impl Plan for DecodePlan {
    fn compile(py: &mut Attached, runtime: &Runtime, description: &Owned) -> Result<Self, Raised> {
        typed::compile(py, runtime, description)
    }

    fn visit(&self, see: &mut dyn FnMut(&Owned)) {
        self.visit_objects(see);
    }
}

/// `decode(buf)`.
unsafe extern "C" fn decode(this: *mut PyObject, document: *mut PyObject) -> *mut PyObject {
    // SAFETY: called by the interpreter with an instance of ours and an argument, both borrowed
    // for the whole call.
    let (mut py, document) = unsafe { (Attached::assume(), Obj::from_ptr(document)) };
    let Some(document) = document else {
        return null_mut();
    };
    // SAFETY: as above.
    returned(unsafe { decoded(&mut py, this, document) })
}

/// # Safety
/// `this` is an instance of our type.
#[inline(always)]
unsafe fn decoded(
    py: &mut Attached,
    this: *mut PyObject,
    document: Obj<'_>,
) -> Result<Owned, Raised> {
    // SAFETY: by the caller.
    let (plan, codec, state) = unsafe {
        let plan = Codec::<DecodePlan>::plan(py, this)?;
        (plan, Codec::<DecodePlan>::of(this), codec::state_of::<DecodePlan>(this))
    };
    let _in_use = codec.in_use();
    typed::decode(&state.runtime, &state.decode_pool, py, plan, document)
}

static METHODS: Methods<3> = Methods([
    codec::method(c"decode", decode, docstrings::DECODE),
    codec::method(c"_compile", codec::compile::<DecodePlan>, codec::COMPILE_DOC),
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
