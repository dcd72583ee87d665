//! `str`: reading its characters, and making one.
//!
//! Separate because both directions share it. Invariant: reading does not change a `str`, and only
//! [`keep_utf8`] makes one cache its UTF-8; a `str` made here is complete before it is returned.
//! Called by both walks, the caches of keys and strings, and `message`.

use core::mem::offset_of;
use core::slice;
use core::sync::atomic::{AtomicU32, Ordering};

use pyo3_ffi::*;
use snooze_core::out::{HEADER, Headed};

use crate::py::bytes::OwnedBytes;
use crate::py::compat::FREE_THREADED;
use crate::py::handle::{Builtin, Handle, Strong, type_flags};
use crate::py::{Attached, Obj, Owned, Raised, compat, error};

/// The type `str`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StrType {}

/// A `str` or an instance of a subclass.
pub(crate) type Str<'a> = Handle<'a, StrType>;
/// A strong reference to a `str` or to an instance of a subclass.
pub(crate) type OwnedStr = Strong<StrType>;

// SAFETY: every instance begins with a `PyASCIIObject`, because subclasses extend the layout of
// `str`; the flag says which types are subclasses.
unsafe impl Builtin for StrType {
    #[inline(always)]
    fn type_object() -> *mut PyTypeObject {
        &raw mut PyUnicode_Type
    }

    #[inline(always)]
    fn has_instance(object: Obj<'_>) -> bool {
        type_flags(object) & Py_TPFLAGS_UNICODE_SUBCLASS != 0
    }
}

/// The position of the kind in `PyASCIIObject.state`: behind `interned`, which has two bits, or a
/// whole byte on free-threaded builds.
const KIND_SHIFT: u32 = if cfg!(Py_GIL_DISABLED) { 8 } else { 2 };
const COMPACT: u32 = 1 << (KIND_SHIFT + 3);
const ASCII: u32 = 1 << (KIND_SHIFT + 4);
/// The bits of the state that the interpreter sets; it leaves the others as they were in memory.
pub(super) const STATE_BITS: u32 = (1 << (KIND_SHIFT + 6)) - 1;
/// The state word of a new compact ASCII `str`. Up to 3.11, a bit says that it is ready.
pub(super) const FRESH_ASCII: u32 =
    1 << KIND_SHIFT | COMPACT | ASCII | (compat::STR_HAS_READY_BIT as u32) << (KIND_SHIFT + 5);

/// The state word of a `str`: its kind, and whether it is compact and ASCII.
pub(super) struct TextState(u32);

impl TextState {
    /// Reads the state of a `str`.
    #[inline(always)]
    pub(super) fn of(text: Str<'_>) -> Self {
        let state = text.as_ptr().wrapping_byte_add(offset_of!(PyASCIIObject, state));
        // SAFETY: inside the object, because every `str` begins with a `PyASCIIObject`. The read is
        // atomic because another thread may intern the string on free-threaded builds, which
        // changes other bits of the word.
        Self(unsafe { AtomicU32::from_ptr(state.cast()).load(Ordering::Relaxed) })
    }

    #[inline(always)]
    pub(super) fn is_compact_ascii(&self) -> bool {
        self.0 & (COMPACT | ASCII) == COMPACT | ASCII
    }

    #[inline(always)]
    pub(super) fn is_ascii(&self) -> bool {
        self.0 & ASCII != 0
    }

    #[inline(always)]
    pub(super) fn is_compact(&self) -> bool {
        self.0 & COMPACT != 0
    }

    #[inline(always)]
    pub(super) fn kind(&self) -> u32 {
        self.0 >> KIND_SHIFT & 7
    }
}

/// The offset of the characters of a compact ASCII string.
pub(super) const ASCII_DATA: usize = size_of::<PyASCIIObject>();
/// The offset of the characters of any other compact string.
pub(super) const COMPACT_DATA: usize = size_of::<PyCompactUnicodeObject>();

/// The characters of a `str`, in the width in which it stores them.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Chars<'a> {
    Ascii(&'a [u8]),
    Latin1(&'a [u8]),
    Ucs2(&'a [u16]),
    Ucs4(&'a [u32]),
}

impl Chars<'_> {
    /// Whether there is a code point from U+D800 to U+DFFF, the only ones that UTF-8 cannot encode.
    #[inline(always)]
    pub(crate) fn has_surrogates(self) -> bool {
        match self {
            Self::Ascii(_) | Self::Latin1(_) => false,
            Self::Ucs2(units) => units.iter().any(|unit| (0xd800..0xe000).contains(unit)),
            Self::Ucs4(units) => units.iter().any(|unit| (0xd800..0xe000).contains(unit)),
        }
    }
}

/// The characters of a `str`, without a copy.
#[inline(always)]
pub(crate) fn chars<const DIRECT: bool>(text: Str<'_>) -> Result<Chars<'_>, Raised> {
    if DIRECT {
        let state = TextState::of(text);
        if state.is_compact_ascii() {
            // SAFETY: `length` bytes at ASCII_DATA, because `verify` compared the layout of compact
            // ASCII strings with the C-API; unchanged for the lifetime, because a `str` is
            // immutable.
            return Ok(Chars::Ascii(unsafe {
                let length = (*text.as_ptr().cast::<PyASCIIObject>()).length;
                let data = text.as_ptr().byte_add(ASCII_DATA).cast();
                slice::from_raw_parts(data, length as usize)
            }));
        }
        if state.is_compact() {
            // SAFETY: as above; a compact string has `length` units of its kind at COMPACT_DATA.
            return Ok(unsafe {
                let length = (*text.as_ptr().cast::<PyASCIIObject>()).length as usize;
                let data = text.as_ptr().byte_add(COMPACT_DATA);
                of_kind(state.kind(), data.cast(), length)
            });
        }
    }
    chars_elsewhere::<DIRECT>(text)
}

/// The characters of a compact `str` with the header before them.
#[derive(Clone, Copy, Debug)]
pub(crate) enum HeadedChars<'a> {
    Ascii(Headed<'a, u8>),
    Latin1(Headed<'a, u8>),
    Ucs2(Headed<'a, u16>),
    Ucs4(Headed<'a, u32>),
}

/// The characters of a compact `str` with the header before them; `None` for any other.
///
/// Only where private layouts may be used.
#[inline(always)]
pub(crate) fn headed_chars(text: Str<'_>) -> Option<HeadedChars<'_>> {
    const { assert!(ASCII_DATA >= HEADER && COMPACT_DATA >= HEADER) };
    let state = TextState::of(text);
    // On free-threaded builds another thread may write the hash, which is in the header.
    if FREE_THREADED {
        return None;
    }
    // SAFETY: `length` units of the kind behind the header, for the reasons in `chars`. The header
    // is part of the object. Other threads of this interpreter do not write it meanwhile, because
    // this one has the GIL; whatever its bytes are, the kernels shift them out.
    unsafe {
        let length = (*text.as_ptr().cast::<PyASCIIObject>()).length as usize;
        if state.is_compact_ascii() {
            let data = text.as_ptr().byte_add(ASCII_DATA);
            return Some(HeadedChars::Ascii(Headed::new(data.cast(), length)));
        }
        if !state.is_compact() {
            return None;
        }
        let data = text.as_ptr().byte_add(COMPACT_DATA);
        Some(match state.kind() {
            1 => HeadedChars::Latin1(Headed::new(data.cast(), length)),
            2 => HeadedChars::Ucs2(Headed::new(data.cast(), length)),
            _ => HeadedChars::Ucs4(Headed::new(data.cast(), length)),
        })
    }
}

/// The UTF-8 that a `str` which is not ASCII has cached, because other code requested it before.
///
/// Only where private layouts may be used. PERF: copying is faster than any transcoding: 2.4 times
/// as fast for Latin-1 text (2026-11-21).
#[inline(always)]
pub(crate) fn kept_utf8(text: Str<'_>) -> Option<&[u8]> {
    let state = TextState::of(text);
    if FREE_THREADED || !state.is_compact() {
        return None;
    }
    // The callers, `py::input` and `encode::scalar`, have taken other ways for ASCII. PERF: to look
    // again took 2 % more instructions for `dumps` of words.
    debug_assert!(!state.is_compact_ascii());
    // SAFETY: a PyCompactUnicodeObject, because a compact `str` that is not ASCII is one; the slice
    // is valid, because `verify` compared both fields with the C-API, and lives as long as the
    // `str`, because the interpreter neither changes nor frees the cached UTF-8 before.
    unsafe {
        let object = text.as_ptr().cast::<PyCompactUnicodeObject>();
        let start = (*object).utf8.cast::<u8>();
        (!start.is_null()).then(|| slice::from_raw_parts(start, (*object).utf8_length as usize))
    }
}

/// Makes a `str` that is not ASCII cache its UTF-8, so that [`kept_utf8`] finds it.
///
/// The `str` has been encoded before, so only memory can be missing. Then `MemoryError` is raised,
/// which may run Python code: the caller must return the error at once.
#[cold]
#[inline(never)]
pub(crate) fn keep_utf8(text: Str<'_>) -> Result<(), Raised> {
    // Interpreters may share the strings of one character, which have their UTF-8 from the start.
    if length(text) < 2 {
        return Ok(());
    }
    // SAFETY: attached, because only calls from the interpreter read strings; a live `str`, because
    // of its type; the result is checked and not used.
    let utf8 = unsafe { PyUnicode_AsUTF8AndSize(text.as_ptr(), core::ptr::null_mut()) };
    if utf8.is_null() { Err(Raised) } else { Ok(()) }
}

/// The characters of a `str` that keeps them apart from its header: an instance of a subclass, or
/// up to 3.11 a string that old functions of the C-API made. `None` for a compact `str`, and for
/// one of those old strings that is not ready. Only where private layouts may be used.
#[inline(always)]
pub(crate) fn separate_chars(text: Str<'_>) -> Option<Chars<'_>> {
    let state = TextState::of(text);
    if state.is_compact() || state.kind() == 0 {
        return None;
    }
    // SAFETY: a `str` that is not compact is a `PyUnicodeObject`: the pointer to its characters
    // lies behind the `PyCompactUnicodeObject`, as `verify` compared with the C-API. They are
    // `length` units of its kind, because it is ready; unchanged for the lifetime, because a `str`
    // is immutable.
    unsafe {
        let length = (*text.as_ptr().cast::<PyASCIIObject>()).length as usize;
        let data = text.as_ptr().byte_add(COMPACT_DATA).cast::<*const u8>().read();
        Some(match of_kind(state.kind(), data, length) {
            // PERF: the state says whether bytes are ASCII; scanning them took half of the time for
            // short strings (2026-11-21).
            Chars::Latin1(bytes) if state.is_ascii() => Chars::Ascii(bytes),
            chars => chars,
        })
    }
}

/// The characters of a `str` that is not compact, or of any by the C-API.
#[inline(never)]
fn chars_elsewhere<const DIRECT: bool>(text: Str<'_>) -> Result<Chars<'_>, Raised> {
    if DIRECT && let Some(chars) = separate_chars(text) {
        return Ok(chars);
    }
    // SAFETY: a live `str`, because of its type; ready, because PyUnicode_READY makes it
    // so up to 3.11, and all are ready since; units of that kind and number, by the C-API.
    unsafe {
        #[allow(deprecated, reason = "needed by CPython 3.11, does nothing since")]
        if PyUnicode_READY(text.as_ptr()) != 0 {
            return Err(Raised);
        }
        let length = PyUnicode_GET_LENGTH(text.as_ptr()) as usize;
        let kind = PyUnicode_KIND(text.as_ptr()) as u32;
        let data = PyUnicode_DATA(text.as_ptr());
        Ok(match of_kind(kind, data.cast(), length) {
            // Strings of one byte a character may be ASCII.
            Chars::Latin1(bytes) if bytes.is_ascii() => Chars::Ascii(bytes),
            chars => chars,
        })
    }
}

/// The units of a string as a slice.
///
/// # Safety
/// `data` has `length` units of `kind`'s width, which live for `'a`.
#[inline(always)]
unsafe fn of_kind<'a>(kind: u32, data: *const u8, length: usize) -> Chars<'a> {
    // SAFETY: `length` units that live for `'a`, because the caller says so.
    unsafe {
        match kind {
            1 => Chars::Latin1(slice::from_raw_parts(data, length)),
            2 => Chars::Ucs2(slice::from_raw_parts(data.cast(), length)),
            _ => Chars::Ucs4(slice::from_raw_parts(data.cast(), length)),
        }
    }
}

/// Whether a `str` has no characters.
pub(crate) fn is_empty(text: Str<'_>) -> bool {
    // SAFETY: a live `str`, because of its type.
    unsafe { PyUnicode_GetLength(text.as_ptr()) == 0 }
}

/// Makes a `str` compute and cache its hash.
///
/// The text is exact, so this runs no Python code.
pub(crate) fn prime_hash(text: &OwnedStr) {
    // SAFETY: a live object, because it is owned; hashing cannot fail, because it is a `str`.
    unsafe { PyObject_Hash(text.get().as_ptr()) };
}

/// Makes a `bytes` of a `str`'s UTF-8, which the `str` does not cache.
pub(crate) fn encode_utf8(_py: &Attached, text: Str<'_>) -> Result<OwnedBytes, Raised> {
    // SAFETY: attached, because there is a witness; a live `str`, because of its type; the result
    // is checked, and is a `bytes`, because the call makes one.
    unsafe { Ok(OwnedBytes::assume(Owned::take(PyUnicode_AsUTF8String(text.as_ptr()))?)) }
}

/// Makes a `str` of text.
pub(crate) fn of_text(text: &str) -> Result<OwnedStr, Raised> {
    let (start, length) = (text.as_ptr().cast(), text.len() as Py_ssize_t);
    // SAFETY: attached, because only calls from the interpreter make strings; the start and length
    // of one `&str`; the result is checked, and is a `str`, because the call makes one.
    unsafe { Ok(OwnedStr::assume(Owned::take(PyUnicode_FromStringAndSize(start, length))?)) }
}

/// Makes a `str` of UTF-8; raises `UnicodeDecodeError` if it is invalid.
pub(crate) fn decode_utf8(bytes: &[u8]) -> Result<Owned, Raised> {
    // SAFETY: attached, because only calls from the interpreter make strings; the start and length
    // of a slice; the result is checked.
    unsafe {
        let length = bytes.len() as Py_ssize_t;
        Owned::take(PyUnicode_DecodeUTF8(bytes.as_ptr().cast(), length, core::ptr::null()))
    }
}

/// Makes a `str` of UTF-8 that may have surrogates, each as three bytes. The text is otherwise
/// valid: the reader has checked it.
///
/// Not by the error handler `surrogatepass`, which a program may replace by Python code.
#[cold]
pub(crate) fn decode_wtf8(bytes: &[u8]) -> Result<Owned, Raised> {
    let mut points: Vec<Py_UCS4> = Vec::new();
    points.try_reserve_exact(bytes.len()).map_err(|_| error::no_memory())?;
    for &byte in bytes {
        match (byte, points.last_mut()) {
            (0x80..=0xbf, Some(point)) => *point = *point << 6 | Py_UCS4::from(byte & 0x3f),
            (0xc0..=0xdf, _) => points.push((byte & 0x1f).into()),
            (0xe0..=0xef, _) => points.push((byte & 0x0f).into()),
            (0xf0.., _) => points.push((byte & 0x07).into()),
            _ => points.push(byte.into()),
        }
    }
    let (kind, start) = (PyUnicode_4BYTE_KIND as _, points.as_ptr().cast());
    // SAFETY: attached, because only calls from the interpreter make strings; as many code points
    // as the vector has; the result is checked.
    unsafe { Owned::take(PyUnicode_FromKindAndData(kind, start, points.len() as Py_ssize_t)) }
}

/// Makes a `str` of UTF-8, with U+FFFD in place of invalid bytes.
#[cold]
pub(crate) fn decode_utf8_lossy(bytes: &[u8]) -> Result<Owned, Raised> {
    let (start, length) = (bytes.as_ptr().cast(), bytes.len() as Py_ssize_t);
    // SAFETY: attached, because only calls from the interpreter make strings; the start and length
    // of a slice; terminated, because a `CStr` is; the result is checked. The decoder knows this
    // error handler and does not look it up, so that no Python code runs.
    unsafe { Owned::take(PyUnicode_DecodeUTF8(start, length, c"replace".as_ptr())) }
}

/// The interned `str` that equals a `str`; an instance of a subclass itself, which is never
/// interned.
pub(crate) fn interned(text: Str<'_>) -> Owned {
    let mut object = text.obj().to_owned().into_ptr();
    // SAFETY: attached and a live `str`, because of its type; the call takes over a strong
    // reference and returns another, which is never null.
    unsafe {
        PyUnicode_InternInPlace(&mut object);
        Owned::take(object).unwrap_unchecked()
    }
}

/// The first characters of a `str`, at most `count`: a new `str`.
pub(crate) fn start(_py: &Attached, text: Str<'_>, count: usize) -> Result<Owned, Raised> {
    // SAFETY: attached, because there is a witness; a live `str`, because of its type; the call
    // takes an end after that of the text for the end of the text; the result is checked.
    unsafe { Owned::take(PyUnicode_Substring(text.as_ptr(), 0, count as Py_ssize_t)) }
}

/// Whether a `str` equals a text in UTF-8.
pub(crate) fn is_utf8_of(text: Str<'_>, bytes: &[u8]) -> bool {
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

/// The address of a `str`, to recognise it by.
#[inline(always)]
pub(crate) fn address(text: Str<'_>) -> usize {
    text.as_ptr().addr()
}

/// The number of code points of a `str`.
#[inline(always)]
pub(crate) fn length(text: Str<'_>) -> usize {
    // SAFETY: a live `str`, because of its type; the field is inside every `str`, and has its
    // length once it is ready, as all that are made here.
    unsafe { (*text.as_ptr().cast::<PyASCIIObject>()).length as usize }
}
