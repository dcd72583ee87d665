//! The hash of a short string, and its comparison with a `str`.
//!
//! Separate because both caches of strings need them. Invariant: a comparison is exact; only the
//! speed of a cache depends on the quality of the hash. Used by `key_cache` and `string_cache`.

use snooze_core::names::bytes_equal;

use crate::py::unicode::{Chars, Str, chars};

/// A hash of at most 64 bytes.
#[inline(always)]
pub(crate) fn hash(bytes: &[u8]) -> u64 {
    const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;
    let mix = |hash: u64, word: u64| (hash.rotate_left(23) ^ word).wrapping_mul(MULTIPLIER);
    let length = bytes.len() as u64;
    if let (Some(first), Some(last)) = (bytes.first_chunk::<8>(), bytes.last_chunk::<8>()) {
        let mut hash = mix(length, u64::from_le_bytes(*first));
        let mut middle = bytes;
        while middle.len() > 16 {
            middle = &middle[8..];
            if let Some(word) = middle.first_chunk::<8>() {
                hash = mix(hash, u64::from_le_bytes(*word));
            }
        }
        return mix(hash, u64::from_le_bytes(*last));
    }
    if let (Some(first), Some(last)) = (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
        let word = u64::from(u32::from_le_bytes(*first)) << 32;
        return mix(length, word | u64::from(u32::from_le_bytes(*last)));
    }
    let word = bytes.iter().fold(0, |word, &byte| word << 8 | u64::from(byte));
    mix(length, word)
}

/// Whether the characters of a `str` are these, in UTF-8.
#[inline(always)]
pub(crate) fn str_equals_utf8<const DIRECT: bool>(str: Str<'_>, bytes: &[u8]) -> bool {
    match chars::<DIRECT>(str) {
        Ok(Chars::Ascii(ascii)) => bytes_equal(ascii, bytes),
        Ok(wide) => wide_chars_equal_utf8(wide, bytes),
        Err(_) => false,
    }
}

/// Whether the characters of a `str` that is not ASCII are these, in UTF-8.
#[cold]
fn wide_chars_equal_utf8(chars: Chars<'_>, bytes: &[u8]) -> bool {
    let Ok(text) = core::str::from_utf8(bytes) else {
        return false;
    };
    let codes = text.chars().map(u32::from);
    match chars {
        Chars::Ascii(units) | Chars::Latin1(units) => codes.eq(units.iter().map(|&u| u.into())),
        Chars::Ucs2(units) => codes.eq(units.iter().map(|&u| u.into())),
        Chars::Ucs4(units) => codes.eq(units.iter().copied()),
    }
}
