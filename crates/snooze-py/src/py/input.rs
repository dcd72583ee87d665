//! The bytes of a document, taken from `bytes`, `str`, `bytearray` or `memoryview`.
//!
//! Invariant: what an [`Input`] shows neither changes nor moves while it lives. Called by `decode`.

use core::slice;

use pyo3_ffi::*;

use crate::py::bytes::contents;
use crate::py::{Attached, Obj, Owned, Raised, error, types, unicode};

/// The bytes of a document, alive and unchanging as long as this.
pub(crate) struct Input<'a> {
    bytes: &'a [u8],
    /// The copy that `bytes` points into, if there is one.
    _copy: Option<Owned>,
    /// The buffer that `bytes` points into, if there is one.
    _view: Option<View>,
    /// Whether the bytes come from a `str`, and so are UTF-8.
    pub(crate) is_text: bool,
}

/// Why an object is no input.
#[derive(Clone, Copy, Debug)]
pub(crate) enum InputError {
    /// Of a type that is none.
    WrongType,
    /// A `str` with surrogates.
    NotUtf8,
    /// An exception is set.
    Raised,
}

impl From<Raised> for InputError {
    fn from(Raised: Raised) -> Self {
        Self::Raised
    }
}

impl<'a> Input<'a> {
    /// The document's bytes.
    #[inline(always)]
    pub(crate) fn bytes(&self) -> &[u8] {
        self.bytes
    }

    /// The input that an object of an exact type is.
    ///
    /// `bytes` and ASCII `str` are read in place, and so is a memoryview of a `bytes`. Everything
    /// that can change is copied first: parsing may run finalisers, and other threads.
    #[inline(always)]
    ///
    /// `base_name` is the attribute of a memoryview that has what it is of, `obj`.
    pub(crate) fn new<const DIRECT: bool>(
        py: &Attached,
        object: Obj<'a>,
        base_name: &Owned,
    ) -> Result<Self, InputError> {
        let tp = object.type_ptr();
        if tp == &raw mut PyBytes_Type {
            return Ok(Self { bytes: contents(object), _copy: None, _view: None, is_text: false });
        }
        if types::is_exact_str(object) {
            if let unicode::Chars::Ascii(bytes) = unicode::chars::<DIRECT>(object)? {
                return Ok(Self { bytes, _copy: None, _view: None, is_text: true });
            }
            return Self::of_wide_text(py, object);
        }
        Self::of_buffer(object, base_name)
    }

    #[inline(never)]
    fn of_wide_text(py: &Attached, object: Obj<'a>) -> Result<Self, InputError> {
        match unicode::encode_utf8(py, object) {
            Ok(copy) => Ok(Self::of_copy(copy, true)),
            Err(Raised) if error::is_unicode_error(py) => {
                // SAFETY: attached.
                unsafe { PyErr_Clear() };
                Err(InputError::NotUtf8)
            }
            Err(Raised) => Err(InputError::Raised),
        }
    }

    fn of_copy(copy: Owned, is_text: bool) -> Self {
        // SAFETY: the copy is kept beside the slice and never changes.
        let bytes = unsafe { extend(contents(copy.get())) };
        Self { bytes, _copy: Some(copy), _view: None, is_text }
    }

    #[inline(never)]
    fn of_buffer(object: Obj<'a>, base_name: &Owned) -> Result<Self, InputError> {
        let tp = object.type_ptr();
        let is_view = tp == &raw mut PyMemoryView_Type;
        if !is_view && tp != &raw mut PyByteArray_Type {
            return Err(InputError::WrongType);
        }
        let view = View::new(object)?;
        if is_view && is_of_bytes(object, base_name)? {
            // SAFETY: the view is kept beside the slice, and keeps the `bytes` that it is of.
            let bytes = unsafe { extend(view.contents()) };
            return Ok(Self { bytes, _copy: None, _view: Some(view), is_text: false });
        }
        let contents = view.contents();
        // SAFETY: attached; the contents are readable while the view is held. Another thread of a
        // free-threaded build may write them meanwhile, as with any reader of a shared buffer:
        // then it is undefined which bytes are copied, but what is parsed no longer changes.
        let copy = unsafe {
            let length = contents.len() as Py_ssize_t;
            Owned::take(PyBytes_FromStringAndSize(contents.as_ptr().cast(), length))?
        };
        Ok(Self::of_copy(copy, false))
    }
}

/// A slice for as long as the owner beside it lives.
///
/// # Safety
/// The owner is kept for `'a`.
unsafe fn extend<'a>(bytes: &[u8]) -> &'a [u8] {
    // SAFETY: by the caller.
    unsafe { slice::from_raw_parts(bytes.as_ptr(), bytes.len()) }
}

/// A buffer of an object, released when dropped.
struct View(Py_buffer);

impl View {
    fn new(object: Obj<'_>) -> Result<Self, InputError> {
        let mut buffer = Py_buffer::new();
        // SAFETY: a live object and a buffer to fill. Only a filled buffer becomes a view, which
        // releases it; of a view that has moved only the pointers are read.
        unsafe {
            if PyObject_GetBuffer(object.as_ptr(), &mut buffer, PyBUF_FULL_RO) != 0 {
                return Err(InputError::Raised);
            }
            let view = Self(buffer);
            if PyBuffer_IsContiguous(&view.0, b'C' as _) == 0 {
                return Err(InputError::WrongType);
            }
            Ok(view)
        }
    }

    fn contents(&self) -> &[u8] {
        if self.0.buf.is_null() || self.0.len <= 0 {
            return &[];
        }
        // SAFETY: a contiguous buffer of that many bytes, held by this view.
        unsafe { slice::from_raw_parts(self.0.buf.cast(), self.0.len as usize) }
    }
}

/// Whether a memoryview is of an exact `bytes`, which cannot change.
fn is_of_bytes(memoryview: Obj<'_>, base_name: &Owned) -> Result<bool, Raised> {
    // SAFETY: a live memoryview, whose getter runs no Python code; the result is checked.
    let base = unsafe { Owned::take(PyObject_GetAttr(memoryview.as_ptr(), base_name.as_ptr()))? };
    Ok(base.get().type_ptr() == &raw mut PyBytes_Type)
}

impl Drop for View {
    fn drop(&mut self) {
        // SAFETY: filled by PyObject_GetBuffer, and released once.
        unsafe { PyBuffer_Release(&mut self.0) }
    }
}
