//! `bytes`: its handles, reading its contents, and making one.
//!
//! Separate from `output`, which makes a `bytes` in the memory that JSON was written into. Called
//! by both directions.

use core::mem::{MaybeUninit, offset_of};
use core::ptr::{copy_nonoverlapping, null};
use core::slice;

use pyo3_ffi::*;
use snooze_core::text::base64::decode_uninit;

use crate::py::handle::{Builtin, Handle, Strong, type_flags};
use crate::py::{Attached, Obj, Owned, Raised, error};

/// The offset of a `bytes` object's contents, which a zero byte follows.
pub(super) const HEAD: usize = offset_of!(PyBytesObject, ob_sval);

/// The type `bytes`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BytesType {}

/// A `bytes` or an instance of a subclass.
pub(crate) type Bytes<'a> = Handle<'a, BytesType>;
/// A strong reference to a `bytes` or to an instance of a subclass.
pub(crate) type OwnedBytes = Strong<BytesType>;

// SAFETY: every instance begins with a `PyBytesObject`, because subclasses extend the layout of
// `bytes`; the flag says which types are subclasses.
unsafe impl Builtin for BytesType {
    #[inline(always)]
    fn type_object() -> *mut PyTypeObject {
        &raw mut PyBytes_Type
    }

    #[inline(always)]
    fn has_instance(object: Obj<'_>) -> bool {
        type_flags(object) & Py_TPFLAGS_BYTES_SUBCLASS != 0
    }
}

/// The contents of a `bytes`.
#[inline(always)]
pub(crate) fn contents(bytes: Bytes<'_>) -> &[u8] {
    // SAFETY: a live `bytes`, because of its type; unchanged, because a `bytes` is immutable.
    unsafe {
        let size = Py_SIZE(bytes.as_ptr()) as usize;
        slice::from_raw_parts(bytes.as_ptr().byte_add(HEAD).cast(), size)
    }
}

/// Makes a `bytes`.
pub(crate) fn new(_py: &Attached, contents: &[u8]) -> Result<OwnedBytes, Raised> {
    let (start, length) = (contents.as_ptr().cast(), contents.len() as Py_ssize_t);
    // SAFETY: attached, because there is a witness; the start and length of a slice; the result is
    // checked, and is a `bytes`, because the call makes one.
    unsafe { Ok(OwnedBytes::assume(Owned::take(PyBytes_FromStringAndSize(start, length))?)) }
}

/// Makes a `bytes` of a text in base64, which decodes to `len` bytes; `None` if the text is wrong.
pub(crate) fn of_base64(
    _py: &Attached,
    text: &[u8],
    len: usize,
) -> Result<Option<OwnedBytes>, Raised> {
    // SAFETY: attached, because there is a witness; the result is checked, and is a `bytes` of that
    // length, because the call makes one. Nobody else has it yet, unless it is the empty one, of
    // which nothing is written. It is only returned if all of it is initialised, because then
    // `decode_uninit` returns `Some`.
    unsafe {
        let made = Owned::take(PyBytes_FromStringAndSize(null(), len as Py_ssize_t))?;
        let target = made.as_ptr().byte_add(HEAD).cast::<MaybeUninit<u8>>();
        let is_decoded = decode_uninit(text, slice::from_raw_parts_mut(target, len)).is_some();
        Ok(is_decoded.then(|| OwnedBytes::assume(made)))
    }
}

/// Marks a new `bytes` as not hashed yet.
///
/// # Safety
/// `block` is a `PyBytesObject`.
#[allow(deprecated, reason = "the field is only deprecated for reading")]
pub(super) unsafe fn set_unhashed(block: *mut u8) {
    // SAFETY: a `bytes`, because the caller says so.
    unsafe { (&raw mut (*block.cast::<PyBytesObject>()).ob_shash).write(-1) }
}

/// Makes an instance of a subclass of `bytes` without a call of the class, as `bytes.__new__` does;
/// raises `TypeError` for any other class.
pub(crate) fn of_class(_py: &Attached, class: Obj<'_>, contents: &[u8]) -> Result<Owned, Raised> {
    // SAFETY: attached, because there is a witness; a live type, because the object is one. The
    // memory begins as a `bytes` of that size and a zero byte, because the type is a subclass of
    // `bytes`. As in CPython's own constructor, until this returns other threads can find the
    // object through the collector only, if the subclass has its support.
    unsafe {
        let tp = class.as_ptr().cast::<PyTypeObject>();
        let is_bytes =
            PyType_Check(class.as_ptr()) != 0 && PyType_IsSubtype(tp, &raw mut PyBytes_Type) != 0;
        let Some(allocate) = is_bytes.then(|| (*tp).tp_alloc).flatten() else {
            return Err(error::type_error(c"expected a subclass of bytes"));
        };
        let made = Owned::take(allocate(tp, contents.len() as Py_ssize_t))?;
        let start = made.as_ptr().cast::<u8>();
        set_unhashed(start);
        let target = start.byte_add(HEAD);
        copy_nonoverlapping(contents.as_ptr(), target, contents.len());
        target.byte_add(contents.len()).write(0);
        Ok(made)
    }
}

/// Copies an instance of a subclass of `bytes` to a `bytes`; `None` for any other object.
#[inline(always)]
pub(crate) fn of_subclass(py: &Attached, object: Obj<'_>) -> Result<Option<OwnedBytes>, Raised> {
    if Bytes::exact(object).is_some() {
        return Ok(None);
    }
    Bytes::any(object).map(|bytes| new(py, contents(bytes))).transpose()
}
