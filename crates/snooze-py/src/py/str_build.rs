//! `str`: making one of a document's text.
//!
//! Separate from `unicode`, which reads strings. Most strings of a document are short and ASCII, and
//! a call of the C-API takes longer than the copy, so these are built in place where the layout is
//! known. Invariant: a `str` built in place has the bytes that the interpreter would give it;
//! `verify` compares them. Called by decoding.

use core::mem::{MaybeUninit, offset_of};
use core::slice;

use pyo3_ffi::*;
use snooze_core::arch::Vector;
use snooze_core::arch::generic::utf8::{Measured, Target, Width, measure};
use snooze_core::read::Text;

use crate::py::error::no_memory;
use crate::py::unicode::{ASCII_DATA, FRESH_ASCII, OwnedStr, STATE_BITS};
use crate::py::{Attached, Owned, Raised, compat};

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
        return Ok(new_ascii::<DIRECT>(py, text.bytes)?);
    }
    V::run_outlined(NewWide(text.bytes))
}

/// The task of making a `str` that is not ASCII, compiled apart from the walk.
struct NewWide<'a>(&'a [u8]);

impl snooze_core::arch::Task for NewWide<'_> {
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
pub(crate) fn new_ascii<const DIRECT: bool>(
    py: &Attached,
    bytes: &[u8],
) -> Result<OwnedStr, Raised> {
    if !DIRECT || !compat::BUILDS_OBJECTS || bytes.len() < 2 {
        return by_calls(py, bytes);
    }
    // SAFETY: attached, because there is a witness; the result is checked. All that is written is
    // inside the allocation, because it has the size of a header, the text and a zero byte. The
    // interpreter may use the object, because PyObject_Malloc is its allocator of strings, and
    // `verify` compared such an object with one of the interpreter's.
    unsafe {
        let object = PyObject_Malloc(ASCII_DATA + bytes.len() + 1);
        if object.is_null() {
            return Err(no_memory());
        }
        let header = object.cast::<Header>();
        compat::write_head(header.cast(), &raw mut PyUnicode_Type);
        (*header).length = bytes.len() as Py_ssize_t;
        (*header).hash = -1;
        (*header).state = FRESH_ASCII;
        header.add(1).cast::<u8>().write_bytes(0, REST);
        let data = object.cast::<u8>().add(ASCII_DATA);
        copy(bytes, data);
        data.add(bytes.len()).write(0);
        Ok(OwnedStr::assume(Owned::take(object.cast())?))
    }
}

/// [`new_ascii`] by the C-API.
#[inline(never)]
fn by_calls(_py: &Attached, bytes: &[u8]) -> Result<OwnedStr, Raised> {
    // SAFETY: attached, because there is a witness; every result is checked. The memory may be
    // written, because a new `str` of 0 or at least 2 characters is compact, ASCII, and has no
    // other reference.
    unsafe {
        if let &[byte] = bytes {
            // The interpreter has one shared object for each of these.
            return Ok(OwnedStr::assume(Owned::take(PyUnicode_FromOrdinal(byte.into()))?));
        }
        let object = Owned::take(PyUnicode_New(bytes.len() as Py_ssize_t, 0x7f))?;
        copy(bytes, PyUnicode_DATA(object.as_ptr()).cast());
        Ok(OwnedStr::assume(object))
    }
}

/// Whether a `str` that [`new_ascii`] builds has the bytes of one of the interpreter's.
///
/// # Errors
/// If an exception is raised.
pub(super) fn builds_the_same(py: &Attached, bytes: &[u8]) -> Result<bool, Raised> {
    let (ours, theirs) = (new_ascii::<true>(py, bytes)?, by_calls(py, bytes)?);
    // SAFETY: live objects, because both are owned. The fields are inside them, because every
    // compact ASCII `str` begins with a `PyASCIIObject` and is followed by its characters and a zero
    // byte.
    unsafe {
        let head = |str: &OwnedStr| str.get().as_ptr().cast::<[usize; 4]>().read();
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

/// Copies bytes, without a call if they are few, as in most texts.
///
/// # Safety
/// `target` is valid for writing `source.len()` bytes and does not overlap `source`.
#[inline(always)]
unsafe fn copy(source: &[u8], target: *mut u8) {
    let (from, length) = (source.as_ptr(), source.len());
    // SAFETY: inside `length` bytes, because each arm's pieces are at most as long; both pointers
    // are valid for them, because the caller says so.
    unsafe {
        match length {
            0 => {}
            1 => target.write(from.read()),
            2..4 => pieces::<2>(from, target, length),
            4..8 => pieces::<4>(from, target, length),
            8..16 => pieces::<8>(from, target, length),
            16..=32 => pieces::<16>(from, target, length),
            _ => target.copy_from_nonoverlapping(from, length),
        }
    }
}

/// Copies the first and the last `N` of `length` bytes, which may overlap.
///
/// # Safety
/// `N <= length <= 2 * N`, and both pointers are valid for `length` bytes.
#[inline(always)]
unsafe fn pieces<const N: usize>(from: *const u8, target: *mut u8, length: usize) {
    // SAFETY: inside `length` bytes, because `N` is at most that; valid, because the caller says
    // so.
    unsafe {
        let first = from.cast::<[u8; N]>().read();
        let last = from.add(length - N).cast::<[u8; N]>().read();
        target.cast::<[u8; N]>().write(first);
        target.add(length - N).cast::<[u8; N]>().write(last);
    }
}
