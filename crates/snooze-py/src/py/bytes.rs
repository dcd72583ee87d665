//! `bytes`: the contents of one, and making one.

use core::mem::offset_of;
use core::slice;

use pyo3_ffi::*;

use crate::py::{Attached, Obj, Owned, Raised};

/// Bytes of a `bytes` object before its contents, and after them (a zero byte).
pub(super) const HEAD: usize = offset_of!(PyBytesObject, ob_sval);

/// The contents of a `bytes`.
#[inline(always)]
pub(crate) fn contents(bytes: Obj<'_>) -> &[u8] {
    // SAFETY: a live exact `bytes`, which never changes.
    unsafe {
        let size = Py_SIZE(bytes.as_ptr()) as usize;
        slice::from_raw_parts(bytes.as_ptr().byte_add(HEAD).cast(), size)
    }
}

/// The contents of a `bytes` that the caller owns.
pub(crate) fn owned_contents(bytes: &Owned) -> &[u8] {
    contents(bytes.get())
}

/// The contents of a `bytes` or an instance of a subclass, or `None` for any other object.
pub(crate) fn contents_of(object: Obj<'_>) -> Option<&[u8]> {
    // SAFETY: a live object; an instance of a subclass has its bytes where a `bytes` has them.
    unsafe { PyBytes_Check(object.as_ptr()) != 0 }.then(|| contents(object))
}

/// A new `bytes`.
pub(crate) fn new(_py: &Attached, contents: &[u8]) -> Result<Owned, Raised> {
    // SAFETY: attached; so many bytes; the result is checked.
    unsafe {
        let length = contents.len() as Py_ssize_t;
        Owned::take(PyBytes_FromStringAndSize(contents.as_ptr().cast(), length))
    }
}

/// A copy of an instance of a subclass of `bytes`, or `None` for any other object.
#[inline(always)]
pub(crate) fn of_subclass(py: &Attached, object: Obj<'_>) -> Result<Option<Owned>, Raised> {
    // SAFETY: a live object.
    let is_subclass = unsafe {
        object.type_ptr() != &raw mut PyBytes_Type && PyBytes_Check(object.as_ptr()) != 0
    };
    if !is_subclass {
        return Ok(None);
    }
    // A subclass keeps its contents where `bytes` does.
    new(py, contents(object)).map(Some)
}

/// The contents of an exact `bytes`, or `None` for any other object.
pub(crate) fn exact_contents(object: Obj<'_>) -> Option<&[u8]> {
    (object.type_ptr() == &raw mut PyBytes_Type).then(|| contents(object))
}
