//! The cache of object keys: the `str` of a member name that was seen before.
//!
//! Documents repeat their names; making a `str` and hashing it costs more than looking it up.
//! Invariants: at most [`ENTRIES`] names of at most [`LONGEST`] bytes are kept; a name is only
//! taken if all its bytes are equal; a name that collides replaces the one before it, so hostile
//! names can make the cache useless but neither slow nor large. One cache belongs to one
//! interpreter, and to one call at a time (see `state`).

use crate::py::text::{Chars, chars};
use crate::py::{Obj, Owned};

/// Names that a cache holds.
const ENTRIES: usize = 2048;
/// The longest name that is kept, in bytes.
pub(crate) const LONGEST: usize = 64;

/// Names, each in the place that its hash says.
#[derive(Debug, Default)]
pub(crate) struct KeyCache {
    entries: Vec<Entry>,
}

#[derive(Debug)]
struct Entry {
    hash: u64,
    key: Option<Owned>,
}

/// The place of a name in the cache.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    hash: u64,
}

impl KeyCache {
    /// The cached `str` of these UTF-8 bytes (at most [`LONGEST`]), or where to keep it.
    #[inline(always)]
    pub(crate) fn find<const DIRECT: bool>(&self, bytes: &[u8]) -> Result<Owned, Place> {
        let place = Place { hash: hash(bytes) };
        if let Some(Entry { hash, key: Some(key) }) = self.entries.get(place.index())
            && *hash == place.hash
            && is_text::<DIRECT>(key.get(), bytes)
        {
            return Ok(key.clone());
        }
        Err(place)
    }

    /// Keeps a `str` in its place. Without memory for the cache it is not kept.
    #[inline(always)]
    pub(crate) fn keep(&mut self, place: Place, key: &Owned) {
        if self.entries.is_empty() && !self.allocate() {
            return;
        }
        if let Some(entry) = self.entries.get_mut(place.index()) {
            *entry = Entry { hash: place.hash, key: Some(key.clone()) };
        }
    }

    #[cold]
    fn allocate(&mut self) -> bool {
        if self.entries.try_reserve_exact(ENTRIES).is_err() {
            return false;
        }
        self.entries.resize_with(ENTRIES, || Entry { hash: 0, key: None });
        true
    }
}

impl Place {
    #[inline(always)]
    fn index(self) -> usize {
        // The multiplication leaves the best bits at the top.
        (self.hash >> 53) as usize
    }
}

const _: () = assert!(ENTRIES == 1 << (64 - 53));

/// A hash of at most [`LONGEST`] bytes. Its quality only decides how often names collide.
#[inline(always)]
fn hash(bytes: &[u8]) -> u64 {
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
fn is_text<const DIRECT: bool>(text: Obj<'_>, bytes: &[u8]) -> bool {
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
