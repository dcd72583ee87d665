//! `float`: the value of one, and making one.

use pyo3_ffi::*;

use crate::py::{Attached, Obj, Owned, Raised};

/// The value of an exact `float`.
#[inline(always)]
pub(crate) fn value(object: Obj<'_>) -> f64 {
    // SAFETY: a live exact `float`. Read as an integer, because the bits are what is looked at.
    unsafe {
        let value = &raw const (*object.as_ptr().cast::<PyFloatObject>()).ob_fval;
        f64::from_bits(value.cast::<u64>().read())
    }
}

/// A new `float`.
#[inline(always)]
pub(crate) fn new(_py: &Attached, value: f64) -> Result<Owned, Raised> {
    // SAFETY: attached; the result is checked.
    unsafe { Owned::take(PyFloat_FromDouble(value)) }
}

/// A `float` of what a `float` or an instance of a subclass holds.
pub(crate) fn plain(_py: &Attached, object: Obj<'_>) -> Result<Owned, Raised> {
    // SAFETY: a live `float`, or of a subclass; the result is checked.
    unsafe { Owned::take(PyFloat_FromDouble(PyFloat_AS_DOUBLE(object.as_ptr()))) }
}
