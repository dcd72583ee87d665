//! `None`, `True` and `False`: returning them and comparing with them.
//!
//! Separate because they need no types or layouts. Called by both walks.

use pyo3_ffi::*;

use crate::py::{Attached, Obj, Owned};

/// Returns a new strong reference to `None`.
#[inline(always)]
pub(crate) fn none(_py: &Attached) -> Owned {
    // SAFETY: attached, because there is a witness; never null and always live.
    unsafe { Obj::from_ptr(Py_None()).unwrap_unchecked() }.to_owned()
}

/// Returns a new strong reference to `True` or `False`.
#[inline(always)]
pub(crate) fn boolean(_py: &Attached, value: bool) -> Owned {
    // SAFETY: attached, because there is a witness; never null and always live.
    unsafe { Obj::from_ptr(if value { Py_True() } else { Py_False() }).unwrap_unchecked() }
        .to_owned()
}

/// Whether the object is `None`.
#[inline(always)]
pub(crate) fn is_none(object: Obj<'_>) -> bool {
    // SAFETY: attached, because there is a live `Obj`.
    object.as_ptr() == unsafe { Py_None() }
}

/// Whether the object is `True` or `False`, which have no subclass.
#[inline(always)]
pub(crate) fn is_bool(object: Obj<'_>) -> bool {
    object.type_ptr() == &raw mut PyBool_Type
}

/// Whether the object is `True`.
#[inline(always)]
pub(crate) fn is_true(object: Obj<'_>) -> bool {
    // SAFETY: attached, because there is a live `Obj`.
    object.as_ptr() == unsafe { Py_True() }
}
