//! `bytearray`: its length, writing into one, and making one.
//!
//! Separate because it is the only mutable buffer that is written here. Invariant: a failed write
//! leaves the contents unchanged. Called by `Encoder.encode_into` and typed decoding.

use pyo3_ffi::*;

use crate::py::dict::locked;
use crate::py::error::{buffer_error, no_memory, value_error};
use crate::py::{Attached, Obj, Owned, Raised};

/// Writes bytes into an exact `bytearray` from `offset` on, growing it if needed; returns the
/// offset behind them.
///
/// Raises `BufferError` if the bytearray has exported buffers and `ValueError` if `offset` is
/// beyond its end.
pub(crate) fn write_into(
    _py: &Attached,
    target: Obj<'_>,
    offset: usize,
    bytes: &[u8],
) -> Result<usize, Raised> {
    locked(target, || {
        // SAFETY: a live exact `bytearray`, because the caller passes one; unchanged meanwhile,
        // because its lock is held and no Python code runs. The bytes fit, because `end` is at most
        // its length after resizing; its memory is read after that.
        unsafe {
            let array = target.as_ptr().cast::<PyByteArrayObject>();
            let length = PyByteArray_Size(target.as_ptr()) as usize;
            if offset > length {
                let message = c"offset is after the end of the bytearray";
                return Err(value_error(message));
            }
            if (*array).ob_exports > 0 {
                let message = c"Existing exports of data: object cannot be re-sized";
                return Err(buffer_error(message));
            }
            let end = offset.checked_add(bytes.len()).filter(|&end| end <= isize::MAX as usize);
            let end = end.ok_or_else(no_memory)?;
            if end > length && PyByteArray_Resize(target.as_ptr(), end as Py_ssize_t) != 0 {
                return Err(Raised);
            }
            let start = PyByteArray_AsString(target.as_ptr()).cast::<u8>();
            start.add(offset).copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
            Ok(end)
        }
    })
}

/// The length of an exact `bytearray`; `None` for any other object.
pub(crate) fn len(object: Obj<'_>) -> Option<usize> {
    // SAFETY: a live object, because an `Obj` borrows it; a `bytearray`, because its type is
    // compared first.
    unsafe {
        (object.type_ptr() == &raw mut PyByteArray_Type)
            .then(|| PyByteArray_Size(object.as_ptr()) as usize)
    }
}

/// Makes a `bytearray`.
pub(crate) fn new(_py: &Attached, contents: &[u8]) -> Result<Owned, Raised> {
    let (start, length) = (contents.as_ptr().cast(), contents.len() as Py_ssize_t);
    // SAFETY: attached, because there is a witness; the start and length of a slice; the result is
    // checked.
    unsafe { Owned::take(PyByteArray_FromStringAndSize(start, length)) }
}
