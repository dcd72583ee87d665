//! `str`: making one of a document's text.
//!
//! Separate from `unicode`, which reads strings. Most strings of a document are short and ASCII,
//! and a call of the C-API takes longer than the copy, so these are built in place where the layout
//! is known. Invariant: a `str` built in place has the bytes that the interpreter would give it;
//! `verify` compares them. Called by decoding, and by `output`.

use core::mem::{MaybeUninit, offset_of};
use core::slice;

use pyo3_ffi::*;
use snooze_core::arch::generic::utf8::{Measured, Target, Width, measure};
use snooze_core::arch::{Dispatch, Task, Vector};
use snooze_core::read::Text;

use crate::py::error::no_memory;
use crate::py::unicode::{ASCII_DATA, FRESH_ASCII, OwnedStr, STATE_BITS};
use crate::py::{Attached, Owned, Raised, compat, refcount};

/// `PyASCIIObject`: the header of a compact ASCII `str`, up to its state.
#[repr(C)]
struct Header {
    base: PyObject,
    length: Py_ssize_t,
    hash: Py_hash_t,
    state: u32,
}

/// The bytes between that part of the header and the text: up to 3.11, a pointer to cached text of
/// wide characters.
const REST: usize = ASCII_DATA - size_of::<Header>();

/// The words of the header before the state.
const HEAD_WORDS: usize = offset_of!(Header, state) / size_of::<usize>();

const _: () = assert!(
    REST.is_multiple_of(align_of::<Header>())
        && offset_of!(Header, length) == offset_of!(PyASCIIObject, length)
        && offset_of!(Header, state) == offset_of!(PyASCIIObject, state)
);

/// Why a `str` could not be made.
#[derive(Clone, Copy, Debug)]
pub(crate) enum StrError {
    /// The bytes are not UTF-8.
    NotUtf8,
    /// An exception is set.
    Raised,
}

impl From<Raised> for StrError {
    fn from(Raised: Raised) -> Self {
        Self::Raised
    }
}

/// Makes a `str` of text from a document.
#[inline(always)]
pub(crate) fn new<V: Vector, const DIRECT: bool>(
    py: &Attached,
    text: Text<'_>,
) -> Result<OwnedStr, StrError> {
    if text.ascii {
        return Ok(new_ascii::<V, DIRECT>(py, text.bytes)?);
    }
    V::run_outlined(NewWide(text.bytes))
}

/// The task of making a `str` that is not ASCII, compiled apart from the walk.
struct NewWide<'a>(&'a [u8]);

impl Task for NewWide<'_> {
    type Output = Result<OwnedStr, StrError>;

    #[inline(always)]
    fn with_vectors<V: Vector>(self) -> Self::Output {
        let measured = measure::<V>(self.0);
        match measured.width() {
            Width::Latin1 => decode::<V, u8>(&measured, 0xff),
            Width::Ucs2 => decode::<V, u16>(&measured, 0xffff),
            Width::Ucs4 => decode::<V, u32>(&measured, 0x10_ffff),
        }
    }
}

#[inline(always)]
fn decode<V: Vector, T: Target>(
    measured: &Measured<'_>,
    widest: Py_UCS4,
) -> Result<OwnedStr, StrError> {
    if measured.chars() == 0 {
        // Only continuation bytes.
        return Err(StrError::NotUtf8);
    }
    // SAFETY: attached, because the walk that entered this task is; the result is checked. The
    // units may be written, because a new `str` has no other reference and `chars` units of the
    // width that `widest` needs.
    unsafe {
        let object = Owned::take(PyUnicode_New(measured.chars() as Py_ssize_t, widest))?;
        let data = PyUnicode_DATA(object.as_ptr()).cast::<MaybeUninit<T>>();
        let units = slice::from_raw_parts_mut(data, measured.chars());
        if !measured.decode::<V, T>(units) {
            return Err(StrError::NotUtf8);
        }
        Ok(OwnedStr::assume(object))
    }
}

/// Makes a `str` of ASCII bytes.
#[inline(always)]
pub(crate) fn new_ascii<V: Vector, const DIRECT: bool>(
    py: &Attached,
    bytes: &[u8],
) -> Result<OwnedStr, Raised> {
    if !DIRECT || !compat::BUILDS_OBJECTS || bytes.len() < 2 {
        return new_ascii_by_calls(py, bytes);
    }
    // SAFETY: attached, because there is a witness; the result is checked. All that is written is
    // inside the allocation, because it has the size of a header, the text and a zero byte. Layouts
    // are known, because `DIRECT` says so, and there are 2 bytes or more.
    unsafe {
        let object = PyObject_Malloc(ASCII_DATA + bytes.len() + 1);
        if object.is_null() {
            return Err(no_memory());
        }
        let data = object.cast::<u8>().add(ASCII_DATA);
        V::copy_exact(bytes, data);
        into_ascii(object.cast(), bytes.len())
    }
}

/// Makes a block that has `len` ASCII bytes at [`ASCII_DATA`] a `str`.
///
/// # Safety
/// Private layouts are known and the thread is attached. The block comes from the allocator of
/// objects (PyObject_Malloc, PyObject_Realloc), has room for a header, the text and a zero byte,
/// and becomes the object. `len` is 2 or more.
#[inline(always)]
pub(super) unsafe fn into_ascii(block: *mut u8, len: usize) -> Result<OwnedStr, Raised> {
    // SAFETY: inside the block, because the caller says so. The interpreter may use the object,
    // because it comes from its allocator of strings, and `verify` compared such an object with
    // one of the interpreter's.
    unsafe {
        let header = block.cast::<Header>();
        refcount::write_head(header.cast(), &raw mut PyUnicode_Type);
        (*header).length = len as Py_ssize_t;
        (*header).hash = -1;
        (*header).state = FRESH_ASCII;
        header.add(1).cast::<u8>().write_bytes(0, REST);
        block.add(ASCII_DATA + len).write(0);
        Ok(OwnedStr::assume(Owned::take(block.cast())?))
    }
}

/// Makes a `str` of ASCII bytes by the C-API.
#[inline(never)]
pub(crate) fn new_ascii_by_calls(_py: &Attached, bytes: &[u8]) -> Result<OwnedStr, Raised> {
    // SAFETY: attached, because there is a witness; every result is checked. The memory may be
    // written, because a new `str` of 0 or at least 2 characters is compact, ASCII, and has no
    // other reference.
    unsafe {
        if let &[byte] = bytes {
            // The interpreter has one shared object for each of these.
            return Ok(OwnedStr::assume(Owned::take(PyUnicode_FromOrdinal(byte.into()))?));
        }
        let object = Owned::take(PyUnicode_New(bytes.len() as Py_ssize_t, 0x7f))?;
        let data = PyUnicode_DATA(object.as_ptr()).cast::<u8>();
        data.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
        Ok(OwnedStr::assume(object))
    }
}

/// The task of [`new_ascii`] outside a walk.
struct NewAscii<'a> {
    py: &'a Attached,
    bytes: &'a [u8],
}

impl Task for NewAscii<'_> {
    type Output = Result<OwnedStr, Raised>;

    #[inline(always)]
    fn with_vectors<V: Vector>(self) -> Self::Output {
        new_ascii::<V, true>(self.py, self.bytes)
    }
}

/// Whether a `str` that [`new_ascii`] builds has the bytes of one of the interpreter's.
///
/// # Errors
/// If an exception is raised.
pub(super) fn builds_the_same(py: &Attached, bytes: &[u8]) -> Result<bool, Raised> {
    let ours = Dispatch::detect(None).run(NewAscii { py, bytes })?;
    let theirs = new_ascii_by_calls(py, bytes)?;
    // SAFETY: live objects, because both are owned. The fields are inside them, because every
    // compact ASCII `str` begins with a `PyASCIIObject` and is followed by its characters and a
    // zero byte.
    unsafe {
        let head = |str: &OwnedStr| str.get().as_ptr().cast::<[usize; HEAD_WORDS]>().read();
        let state = |str: &OwnedStr| {
            str.get().as_ptr().byte_add(offset_of!(Header, state)).cast::<u32>().read() & STATE_BITS
        };
        let byte = |str: &OwnedStr, at: usize| str.get().as_ptr().cast::<u8>().add(at).read();
        Ok(head(&ours) == head(&theirs)
            && state(&ours) == state(&theirs)
            && (size_of::<Header>()..=ASCII_DATA + bytes.len())
                .all(|at| byte(&ours, at) == byte(&theirs, at)))
    }
}
