//! `str`: the characters of one, and making one.

use core::mem::MaybeUninit;
use core::slice;

use pyo3_ffi::*;
use snooze_core::arch::Vector;
use snooze_core::arch::generic::utf8::{Measured, Target, Width, measure};
use snooze_core::read::Text;

use crate::py::compat::FREE_THREADED;
use crate::py::layout::{ASCII_DATA, COMPACT_DATA, TextState};
use crate::py::{Attached, Obj, Owned, Raised};

/// The characters of a `str` as it stores them.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Chars<'a> {
    Ascii(&'a [u8]),
    Latin1(&'a [u8]),
    Ucs2(&'a [u16]),
    Ucs4(&'a [u32]),
}

/// The characters of a `str` or of an instance of a subclass. Makes no copy and leaves none
/// behind.
#[inline(always)]
pub(crate) fn chars<const DIRECT: bool>(text: Obj<'_>) -> Result<Chars<'_>, Raised> {
    if DIRECT {
        let state = TextState::of(text);
        if state.is_compact_ascii() {
            // SAFETY: a compact ASCII string has `length` bytes at ASCII_DATA, both by the layout
            // that `verify::verify` compared with the C-API. A `str` never changes.
            return Ok(Chars::Ascii(unsafe {
                let length = (*text.as_ptr().cast::<PyASCIIObject>()).length;
                let data = text.as_ptr().byte_add(ASCII_DATA).cast();
                slice::from_raw_parts(data, length as usize)
            }));
        }
        if state.is_compact() {
            // SAFETY: as above, with `length` units of the kind's width at COMPACT_DATA.
            return Ok(unsafe {
                let length = (*text.as_ptr().cast::<PyASCIIObject>()).length as usize;
                let data = text.as_ptr().byte_add(COMPACT_DATA);
                of_kind(state.kind(), data.cast(), length)
            });
        }
    }
    chars_elsewhere::<DIRECT>(text)
}

/// The UTF-8 that a `str` which is not ASCII keeps, because somebody has asked for it before.
///
/// Only where private layouts may be used. PERF: a copy is faster than any transcoding: Latin-1
/// text 2.4 times as fast (2026-11-21).
#[inline(always)]
pub(crate) fn kept_utf8(text: Obj<'_>) -> Option<&[u8]> {
    if FREE_THREADED || !TextState::of(text).is_compact() {
        return None;
    }
    // SAFETY: a compact `str` that is not ASCII is a PyCompactUnicodeObject, whose two fields
    // `verify::verify` has compared with the C-API. What they show is neither changed nor freed as
    // long as the `str` lives.
    unsafe {
        let object = text.as_ptr().cast::<PyCompactUnicodeObject>();
        let start = (*object).utf8.cast::<u8>();
        (!start.is_null()).then(|| slice::from_raw_parts(start, (*object).utf8_length as usize))
    }
}

/// The characters of a `str` that does not have them behind its head: an instance of a subclass.
#[inline(never)]
fn chars_elsewhere<const DIRECT: bool>(text: Obj<'_>) -> Result<Chars<'_>, Raised> {
    // SAFETY: a live `str`. Up to 3.11 it may have to be made ready first, which can fail.
    unsafe {
        #[allow(deprecated, reason = "needed by CPython 3.11, does nothing since")]
        if PyUnicode_READY(text.as_ptr()) != 0 {
            return Err(Raised);
        }
        let length = PyUnicode_GET_LENGTH(text.as_ptr()) as usize;
        let kind = PyUnicode_KIND(text.as_ptr()) as u32;
        let data = PyUnicode_DATA(text.as_ptr());
        Ok(match of_kind(kind, data.cast(), length) {
            // The kind of one byte may be ASCII. PERF: looking at the bytes took half of the time
            // of short strings (2026-11-21).
            Chars::Latin1(bytes) if DIRECT && TextState::of(text).is_ascii() => Chars::Ascii(bytes),
            Chars::Latin1(bytes) if !DIRECT && bytes.is_ascii() => Chars::Ascii(bytes),
            chars => chars,
        })
    }
}

/// The slice of a string's units.
///
/// # Safety
/// `data` has `length` units of the width that `kind` means, and they live for `'a`.
#[inline(always)]
unsafe fn of_kind<'a>(kind: u32, data: *const u8, length: usize) -> Chars<'a> {
    // SAFETY: by the caller.
    unsafe {
        match kind {
            1 => Chars::Latin1(slice::from_raw_parts(data, length)),
            2 => Chars::Ucs2(slice::from_raw_parts(data.cast(), length)),
            _ => Chars::Ucs4(slice::from_raw_parts(data.cast(), length)),
        }
    }
}

/// Why a string could not be made.
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

/// A new `str` of the text of a document.
#[inline(always)]
pub(crate) fn new<V: Vector, const DIRECT: bool>(
    py: &Attached,
    text: Text<'_>,
) -> Result<Owned, StrError> {
    if text.ascii {
        return Ok(new_ascii::<DIRECT>(py, text.bytes)?);
    }
    V::enter(NewWide(text.bytes))
}

/// A new `str` of ASCII bytes.
#[inline(always)]
pub(crate) fn new_ascii<const DIRECT: bool>(_py: &Attached, bytes: &[u8]) -> Result<Owned, Raised> {
    // SAFETY: attached; every result is checked. A new string of more than one character is
    // ours alone until it is returned, compact, ASCII, and has room for its length.
    unsafe {
        if let &[byte] = bytes {
            // The interpreter keeps one object for each of these.
            return Owned::take(PyUnicode_FromOrdinal(byte.into()));
        }
        let object = Owned::take(PyUnicode_New(bytes.len() as Py_ssize_t, 0x7f))?;
        let data = if DIRECT {
            object.as_ptr().byte_add(ASCII_DATA).cast()
        } else {
            PyUnicode_DATA(object.as_ptr()).cast::<u8>()
        };
        copy(bytes, data);
        Ok(object)
    }
}

/// Copies without a call where the text is short, as most are.
///
/// # Safety
/// `target` is valid for writing `source.len()` bytes and overlaps nothing of it.
#[inline(always)]
unsafe fn copy(source: &[u8], target: *mut u8) {
    let (from, length) = (source.as_ptr(), source.len());
    // SAFETY: each arm reads and writes two overlapping pieces inside `length` bytes.
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

/// Copies the first and the last `N` of `length` bytes.
///
/// # Safety
/// `N <= length <= 2 * N`, and both pointers are valid for `length` bytes.
#[inline(always)]
unsafe fn pieces<const N: usize>(from: *const u8, target: *mut u8, length: usize) {
    // SAFETY: by the caller.
    unsafe {
        let first = from.cast::<[u8; N]>().read();
        let last = from.add(length - N).cast::<[u8; N]>().read();
        target.cast::<[u8; N]>().write(first);
        target.add(length - N).cast::<[u8; N]>().write(last);
    }
}

/// Makes a `str` that is not ASCII, outside the walk.
struct NewWide<'a>(&'a [u8]);

impl snooze_core::arch::Task for NewWide<'_> {
    type Output = Result<Owned, StrError>;

    #[inline(always)]
    fn run<V: Vector>(self) -> Self::Output {
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
) -> Result<Owned, StrError> {
    if measured.chars() == 0 {
        // Nothing but continuation bytes.
        return Err(StrError::NotUtf8);
    }
    // SAFETY: attached, as the walk that entered this task is. The result is checked; a new
    // string is ours alone, and has `chars` units of the width that `widest` asks for.
    unsafe {
        let object = Owned::take(PyUnicode_New(measured.chars() as Py_ssize_t, widest))?;
        let data = PyUnicode_DATA(object.as_ptr()).cast::<MaybeUninit<T>>();
        let units = slice::from_raw_parts_mut(data, measured.chars());
        if !measured.decode::<V, T>(units) {
            return Err(StrError::NotUtf8);
        }
        Ok(object)
    }
}

/// Whether a `str` has no characters.
pub(crate) fn is_empty(text: Obj<'_>) -> bool {
    // SAFETY: a live exact `str`.
    unsafe { PyUnicode_GetLength(text.as_ptr()) == 0 }
}

/// The hash of a `str`, which is kept in the object from then on.
pub(crate) fn prime_hash(text: &Owned) {
    // SAFETY: a live `str`, whose hash cannot fail.
    unsafe { PyObject_Hash(text.as_ptr()) };
}

/// The UTF-8 of a `str` as a new `bytes`; the `str` keeps no copy.
pub(crate) fn encode_utf8(_py: &Attached, text: Obj<'_>) -> Result<Owned, Raised> {
    // SAFETY: a live `str`; the result is checked.
    unsafe { Owned::take(PyUnicode_AsUTF8String(text.as_ptr())) }
}

/// A `str` of bytes that are known to be UTF-8, or the exception.
pub(crate) fn decode_utf8(bytes: &[u8]) -> Result<Owned, Raised> {
    // SAFETY: attached, because only walks call this; a slice is no longer than isize::MAX.
    unsafe {
        let length = bytes.len() as Py_ssize_t;
        Owned::take(PyUnicode_DecodeUTF8(bytes.as_ptr().cast(), length, core::ptr::null()))
    }
}

/// The interned `str` equal to a `str`.
pub(crate) fn interned(text: Obj<'_>) -> Result<Owned, Raised> {
    // SAFETY: a live `str`, of which the call takes one reference and gives back another, or the
    // same. An exact `str` is all that can be interned: the caller has seen to it.
    unsafe {
        let mut text = text.to_owned().into_ptr();
        PyUnicode_InternInPlace(&mut text);
        Owned::take(text)
    }
}

/// Whether a `str` has this UTF-8.
pub(crate) fn is_utf8_of(text: Obj<'_>, bytes: &[u8]) -> bool {
    let Ok(text) = chars::<false>(text) else { return false };
    let Ok(bytes) = core::str::from_utf8(bytes) else { return false };
    let points = bytes.chars().map(u32::from);
    match text {
        Chars::Ascii(units) | Chars::Latin1(units) => {
            points.eq(units.iter().map(|&unit| unit.into()))
        }
        Chars::Ucs2(units) => points.eq(units.iter().map(|&unit| unit.into())),
        Chars::Ucs4(units) => points.eq(units.iter().copied()),
    }
}

/// The number of a `str`'s code points.
#[inline(always)]
pub(crate) fn length(text: Obj<'_>) -> usize {
    // SAFETY: a live `str` that has been made here, so it is ready: its head has the length.
    unsafe { (*text.as_ptr().cast::<PyASCIIObject>()).length as usize }
}
