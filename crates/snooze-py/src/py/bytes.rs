//! `bytes`: reading its contents, and making one.
//!
//! Separate from `output`, which makes a `bytes` in the memory that JSON was written into. Called
//! by both directions.

use core::mem::offset_of;
use core::slice;

use pyo3_ffi::*;

use crate::py::{Attached, Obj, Owned, Raised};

/// The offset of a `bytes` object's contents, which a zero byte follows.
pub(super) const HEAD: usize = offset_of!(PyBytesObject, ob_sval);

/// The contents of a `bytes`.
#[inline(always)]
pub(crate) fn contents(bytes: Obj<'_>) -> &[u8] {
    // SAFETY: a live `bytes`, because the caller passes one; unchanged, because a `bytes` is
    // immutable.
    unsafe {
        let size = Py_SIZE(bytes.as_ptr()) as usize;
        slice::from_raw_parts(bytes.as_ptr().byte_add(HEAD).cast(), size)
    }
}

/// The contents of an owned `bytes`.
pub(crate) fn owned_contents(bytes: &Owned) -> &[u8] {
    contents(bytes.get())
}

/// The contents of a `bytes` or of an instance of a subclass; `None` for any other object.
pub(crate) fn contents_of(object: Obj<'_>) -> Option<&[u8]> {
    // SAFETY: a live object, because an `Obj` borrows it. Subclasses have the layout of `bytes`.
    unsafe { PyBytes_Check(object.as_ptr()) != 0 }.then(|| contents(object))
}

/// Makes a `bytes`.
pub(crate) fn new(_py: &Attached, contents: &[u8]) -> Result<Owned, Raised> {
    // SAFETY: attached, because there is a witness; the start and length of a slice; the result is
    // checked.
    unsafe {
        let length = contents.len() as Py_ssize_t;
        Owned::take(PyBytes_FromStringAndSize(contents.as_ptr().cast(), length))
    }
}

/// Copies an instance of a subclass of `bytes` to a `bytes`; `None` for any other object.
#[inline(always)]
pub(crate) fn of_subclass(py: &Attached, object: Obj<'_>) -> Result<Option<Owned>, Raised> {
    // SAFETY: a live object, because an `Obj` borrows it.
    let is_subclass = unsafe {
        object.type_ptr() != &raw mut PyBytes_Type && PyBytes_Check(object.as_ptr()) != 0
    };
    if !is_subclass {
        return Ok(None);
    }
    // Subclasses have the layout of `bytes`.
    new(py, contents(object)).map(Some)
}

/// The contents of an exact `bytes`; `None` for any other object.
pub(crate) fn exact_contents(object: Obj<'_>) -> Option<&[u8]> {
    (object.type_ptr() == &raw mut PyBytes_Type).then(|| contents(object))
}
