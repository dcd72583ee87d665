//! The hash of a text, and whether a `str` is that text: what both caches of texts need.

use crate::py::Obj;
use crate::py::unicode::{Chars, chars};

/// A hash of at most 64 bytes. Its quality only decides how often names collide.
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

/// Whether a `str` is what these UTF-8 bytes say.
#[inline(always)]
pub(crate) fn is_text<const DIRECT: bool>(text: Obj<'_>, bytes: &[u8]) -> bool {
    match chars::<DIRECT>(text) {
        Ok(Chars::Ascii(ascii)) => is_equal(ascii, bytes),
        Ok(wide) => is_wide_text(wide, bytes),
        Err(_) => false,
    }
}

/// Equality without a call for the lengths that names have.
#[inline(always)]
fn is_equal(left: &[u8], right: &[u8]) -> bool {
    if left.len() != right.len() {
        return false;
    }
    match left.len() {
        8..=16 => {
            left.first_chunk::<8>() == right.first_chunk()
                && left.last_chunk::<8>() == right.last_chunk()
        }
        4..8 => {
            left.first_chunk::<4>() == right.first_chunk()
                && left.last_chunk::<4>() == right.last_chunk()
        }
        0..4 => left.iter().eq(right),
        _ => left == right,
    }
}

#[cold]
fn is_wide_text(text: Chars<'_>, bytes: &[u8]) -> bool {
    let Ok(bytes) = core::str::from_utf8(bytes) else {
        return false;
    };
    let codes = bytes.chars().map(u32::from);
    match text {
        Chars::Ascii(units) | Chars::Latin1(units) => codes.eq(units.iter().map(|&u| u.into())),
        Chars::Ucs2(units) => codes.eq(units.iter().map(|&u| u.into())),
        Chars::Ucs4(units) => codes.eq(units.iter().copied()),
    }
}
