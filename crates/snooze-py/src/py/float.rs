//! `float`: reading its value, and making one.
//!
//! Separate because both directions share it. Called by both walks.

use pyo3_ffi::*;

use crate::py::{Attached, Obj, Owned, Raised};

/// The value of an exact `float`.
#[inline(always)]
pub(crate) fn value(object: Obj<'_>) -> f64 {
    // SAFETY: a live `float`, because the caller passes one. Read as an integer, because callers
    // look at the bits first.
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

/// Makes an exact `float` of the value of an instance of a subclass.
pub(crate) fn plain(_py: &Attached, object: Obj<'_>) -> Result<Owned, Raised> {
    // SAFETY: attached, because there is a witness; a live `float` or instance of a subclass,
    // because the caller passes one; the result is checked.
    unsafe { Owned::take(PyFloat_FromDouble(PyFloat_AS_DOUBLE(object.as_ptr()))) }
}
