//! `float`: its handles, reading its value, and making one.
//!
//! Separate because both directions share it. Invariant: a `float` built in place has the bytes
//! that the interpreter would give it; `verify` compares them. Called by both walks.

use pyo3_ffi::*;

use crate::py::error::no_memory;
use crate::py::handle::{Builtin, Handle};
use crate::py::{Attached, Obj, Owned, Raised, compat, refcount};

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

/// How many floats of an array are made by [`new`], and the rest by [`new_of_many`].
pub(crate) const FEW: usize = 16;

/// [`new`] where many are made.
///
/// PERF: the interpreter first looks among its free floats, which are a hundred at most. Lists of
/// thousands of floats take 0.93 of the time (loads, Emerald Rapids, 2026-12-01).
#[inline(always)]
pub(crate) fn new_of_many<const DIRECT: bool>(py: &Attached, value: f64) -> Result<Owned, Raised> {
    if !DIRECT || !compat::BUILDS_OBJECTS {
        return new(py, value);
    }
    // SAFETY: attached, because there is a witness; the result is checked. The fields written are
    // inside the allocation, because it has the size of the struct. The interpreter may use the
    // object, because PyObject_Malloc is its allocator of floats, and `verify` compared such an
    // object with one of the interpreter's.
    unsafe {
        let object = PyObject_Malloc(size_of::<PyFloatObject>()).cast::<PyFloatObject>();
        if object.is_null() {
            return Err(no_memory());
        }
        refcount::write_head(object.cast(), &raw mut PyFloat_Type);
        (&raw mut (*object).ob_fval).write(value);
        Owned::take(object.cast())
    }
}
