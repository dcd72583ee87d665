//! `bytearray`: its handle, writing into one, and making one.
//!
//! Separate because it is the only mutable buffer that is written here. Invariant: a failed write
//! leaves the contents unchanged. Called by `Encoder.encode_into` and typed decoding.

use pyo3_ffi::*;

use crate::py::error::{buffer_error, no_memory};
use crate::py::handle::{Builtin, Handle};
use crate::py::lock::locked;
use crate::py::message::Message;
use crate::py::{Attached, Obj, Owned, Raised, int};

/// The type `bytearray`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ByteArrayType {}

/// A `bytearray` or an instance of a subclass.
pub(crate) type ByteArray<'a> = Handle<'a, ByteArrayType>;

// SAFETY: every instance begins with a `PyByteArrayObject`, because subclasses extend the layout of
// `bytearray`.
unsafe impl Builtin for ByteArrayType {
    #[inline(always)]
    fn type_object() -> *mut PyTypeObject {
        &raw mut PyByteArray_Type
    }

    #[inline(always)]
    fn has_instance(object: Obj<'_>) -> bool {
        // SAFETY: a live object, because an `Obj` borrows it.
        unsafe { PyByteArray_Check(object.as_ptr()) != 0 }
    }
}

/// Writes bytes into a `bytearray` from `offset` on, growing it if needed; returns the
/// offset behind them as an `int`.
///
/// Raises `BufferError` if the bytearray has exported buffers and `ValueError` if `offset` is
/// beyond its end.
pub(crate) fn write_into(
    py: &Attached,
    target: ByteArray<'_>,
    offset: usize,
    bytes: &[u8],
) -> Result<Owned, Raised> {
    locked(target.obj(), || {
        // SAFETY: a live `bytearray`, because of its type; unchanged meanwhile, because its lock is
        // held and no Python code runs. The bytes fit, because `end` is at most its length after
        // resizing; its memory is read after that.
        unsafe {
            let array = target.as_ptr().cast::<PyByteArrayObject>();
            let length = PyByteArray_Size(target.as_ptr()) as usize;
            if offset > length {
                return Err(Message::raise_value_error(|message| {
                    let message = message.text("offset: expected at most ")?.count(length)?;
                    message.text(", the length of the bytearray, found ")?.count(offset)
                }));
            }
            if (*array).ob_exports > 0 {
                let message = c"Existing exports of data: object cannot be re-sized";
                return Err(buffer_error(message));
            }
            let end = offset.checked_add(bytes.len()).filter(|&end| end <= isize::MAX as usize);
            let end = end.ok_or_else(no_memory)?;
            // Made first, because nothing may fail once the contents are changed.
            let result = int::new(py, end as i64)?;
            if end > length && PyByteArray_Resize(target.as_ptr(), end as Py_ssize_t) != 0 {
                return Err(Raised);
            }
            let start = PyByteArray_AsString(target.as_ptr()).cast::<u8>();
            start.add(offset).copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
            Ok(result)
        }
    })
}

/// Makes a `bytearray`.
pub(crate) fn new(_py: &Attached, contents: &[u8]) -> Result<Owned, Raised> {
    let (start, length) = (contents.as_ptr().cast(), contents.len() as Py_ssize_t);
    // SAFETY: attached, because there is a witness; the start and length of a slice; the result is
    // checked.
    unsafe { Owned::take(PyByteArray_FromStringAndSize(start, length)) }
}
