//! `float`: its handles, reading its value, and making one.
//!
//! Separate because both directions share it. Called by both walks.

use pyo3_ffi::*;

use crate::py::handle::{Builtin, Handle};
use crate::py::{Attached, Obj, Owned, Raised};

/// The type `float`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FloatType {}

/// A `float` or an instance of a subclass.
pub(crate) type Float<'a> = Handle<'a, FloatType>;

// SAFETY: every instance begins with a `PyFloatObject`, because subclasses extend the layout of
// `float`.
unsafe impl Builtin for FloatType {
    #[inline(always)]
    fn type_object() -> *mut PyTypeObject {
        &raw mut PyFloat_Type
    }

    #[inline(always)]
    fn has_instance(object: Obj<'_>) -> bool {
        // SAFETY: a live object, because an `Obj` borrows it.
        unsafe { PyFloat_Check(object.as_ptr()) != 0 }
    }
}

/// The value of a `float`.
#[inline(always)]
pub(crate) fn value(object: Float<'_>) -> f64 {
    // SAFETY: a live `float`, because of its type. Read as an integer, because callers look at the
    // bits first.
    unsafe {
        let value = &raw const (*object.as_ptr().cast::<PyFloatObject>()).ob_fval;
        f64::from_bits(value.cast::<u64>().read())
    }
}

/// Makes a `float`.
#[inline(always)]
pub(crate) fn new(_py: &Attached, value: f64) -> Result<Owned, Raised> {
    // SAFETY: attached, because there is a witness; the result is checked.
    unsafe { Owned::take(PyFloat_FromDouble(value)) }
}
