//! The bytes of a document: from a `bytes`, `str`, `bytearray` or `memoryview`.
//!
//! Separate because it decides what is read in place and what is copied. Invariant: the bytes of an
//! [`Input`] neither change nor move while it lives. Called by `decode`.

use core::slice;

use pyo3_ffi::*;
use snooze_core::arch::Dispatch;
use snooze_core::arch::generic::to_utf8::{NoUtf8, ToUtf8};

use crate::py::bytes::{Bytes, OwnedBytes, contents};
use crate::py::unicode::{Chars, Str};
use crate::py::{Attached, Obj, Owned, Raised, bytes, error, unicode};

/// The bytes of a document, which do not change during its lifetime.
#[derive(Clone, Copy)]
pub(crate) struct Input<'a> {
    bytes: &'a [u8],
    /// Whether the bytes come from a `str` and therefore are valid UTF-8.
    pub(crate) is_text: bool,
}

/// What keeps the bytes of an [`Input`] alive, if they are not read in place.
///
/// PERF: apart from the input, which then stays in registers. Moving both together made small
/// documents wait for their own stores (`loads(b"null")`: 4 of 17 ns, Intel Xeon, 2026-11-24).
#[derive(Default)]
pub(crate) enum Holder {
    /// The caller's object holds them.
    #[default]
    Object,
    /// A copy.
    Copy(OwnedBytes),
    /// The UTF-8 of a `str`.
    Text(Vec<u8>),
    /// The buffer of a memoryview.
    View(View),
}

/// Why an object is not a document.
#[derive(Clone, Copy, Debug)]
pub(crate) enum InputError {
    /// Its type is not accepted, or its buffer is not contiguous.
    WrongType,
    /// It is a `str` with surrogates.
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
    pub(crate) fn bytes(self) -> &'a [u8] {
        self.bytes
    }

    /// A part of a document that is not known to be UTF-8.
    pub(crate) fn of_bytes(bytes: &'a [u8]) -> Self {
        Self { bytes, is_text: false }
    }

    /// The input of an object, by its exact type.
    ///
    /// `bytes`, ASCII `str` and a memoryview of a `bytes` are read in place. Mutable memory is
    /// copied first, because finalisers and other threads may run during parsing. What is not read
    /// in place is put into `holder`. `base_name` is `obj`, the attribute of a memoryview with the
    /// object that it views.
    #[inline(always)]
    pub(crate) fn new<const DIRECT: bool>(
        py: &Attached,
        object: Obj<'a>,
        holder: &'a mut Holder,
        base_name: &Owned,
        dispatch: &Dispatch,
    ) -> Result<Self, InputError> {
        if let Some(bytes) = Bytes::exact(object) {
            return Ok(Self { bytes: contents(bytes), is_text: false });
        }
        if let Some(text) = Str::exact(object) {
            let chars = unicode::chars::<DIRECT>(text)?;
            if let Chars::Ascii(bytes) = chars {
                return Ok(Self { bytes, is_text: true });
            }
            if DIRECT && let Some(bytes) = unicode::kept_utf8(text) {
                return Ok(Self { bytes, is_text: true });
            }
            return Self::of_wide_text(chars, holder, dispatch);
        }
        Self::of_buffer(py, object, holder, base_name)
    }

    #[inline(never)]
    fn of_wide_text(
        chars: Chars<'_>,
        holder: &'a mut Holder,
        dispatch: &Dispatch,
    ) -> Result<Self, InputError> {
        let mut utf8 = Vec::new();
        let out = &mut utf8;
        let encoded = match chars {
            Chars::Ascii(units) | Chars::Latin1(units) => dispatch.run(ToUtf8 { units, out }),
            Chars::Ucs2(units) => dispatch.run(ToUtf8 { units, out }),
            Chars::Ucs4(units) => dispatch.run(ToUtf8 { units, out }),
        };
        match encoded {
            Ok(()) => {
                *holder = Holder::Text(utf8);
                Ok(Self { bytes: holder.contents(), is_text: true })
            }
            Err(NoUtf8::NotUnicode) => Err(InputError::NotUtf8),
            Err(NoUtf8::NoMemory) => Err(error::no_memory().into()),
        }
    }

    #[inline(never)]
    fn of_buffer(
        py: &Attached,
        object: Obj<'_>,
        holder: &'a mut Holder,
        base_name: &Owned,
    ) -> Result<Self, InputError> {
        let tp = object.type_ptr();
        let is_view = tp == &raw mut PyMemoryView_Type;
        if !is_view && tp != &raw mut PyByteArray_Type {
            return Err(InputError::WrongType);
        }
        let view = View::new(object)?;
        // On free-threaded builds another thread may write a buffer while it is copied, as with any
        // reader of a shared buffer: the copy may mix old and new bytes, but it does not change
        // afterwards.
        *holder = if is_view && is_of_bytes(object, base_name)? {
            Holder::View(view)
        } else {
            Holder::Copy(bytes::new(py, view.contents())?)
        };
        Ok(Self { bytes: holder.contents(), is_text: false })
    }
}

impl Holder {
    /// The bytes that this holds.
    fn contents(&self) -> &[u8] {
        match self {
            Self::Object => &[],
            Self::Copy(copy) => contents(copy.get()),
            Self::Text(text) => text,
            Self::View(view) => view.contents(),
        }
    }
}

/// The buffer of an object, released when dropped.
pub(crate) struct View(Py_buffer);

impl View {
    fn new(object: Obj<'_>) -> Result<Self, InputError> {
        let mut buffer = Py_buffer::new();
        // SAFETY: a live object, because an `Obj` borrows it; the result is checked. The buffer is
        // released once, because only a filled one becomes a `View`. Its shape and strides may
        // point into it: they are read before it is moved, and never again.
        let (view, is_contiguous) = unsafe {
            if PyObject_GetBuffer(object.as_ptr(), &mut buffer, PyBUF_FULL_RO) != 0 {
                return Err(InputError::Raised);
            }
            let is_contiguous = PyBuffer_IsContiguous(&buffer, b'C' as _) != 0;
            (Self(buffer), is_contiguous)
        };
        if is_contiguous { Ok(view) } else { Err(InputError::WrongType) }
    }

    fn contents(&self) -> &[u8] {
        if self.0.buf.is_null() || self.0.len <= 0 {
            return &[];
        }
        // SAFETY: `len` bytes at `buf`, because `new` accepts only contiguous buffers; live,
        // because this view holds the buffer. They do not change meanwhile, because they are those
        // of a `bytes`, or are copied at once under the GIL. Without a GIL a program that writes to
        // the buffer from another thread has a data race: see `of_buffer`.
        unsafe { slice::from_raw_parts(self.0.buf.cast(), self.0.len as usize) }
    }
}

/// Whether a memoryview views an exact `bytes`, which is immutable.
fn is_of_bytes(memoryview: Obj<'_>, base_name: &Owned) -> Result<bool, Raised> {
    // SAFETY: live objects, because one is borrowed and one owned; the result is checked. The
    // getter of an exact memoryview runs no Python code.
    let base = unsafe { Owned::take(PyObject_GetAttr(memoryview.as_ptr(), base_name.as_ptr()))? };
    Ok(Bytes::exact(base.get()).is_some())
}

impl Drop for View {
    fn drop(&mut self) {
        // SAFETY: filled, because `new` makes views of filled buffers only; released once, because
        // a view is not copied.
        unsafe { PyBuffer_Release(&mut self.0) }
    }
}
