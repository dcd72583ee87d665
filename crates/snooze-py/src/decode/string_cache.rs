//! The cache of short strings: the `str` of a value that was seen before.
//!
//! Separate from `key_cache`, because most documents repeat their member names, but only some
//! repeat their values. Invariants: at most [`ENTRIES`] strings of at most [`LONGEST`] ASCII bytes
//! are kept; a cached string is returned only if all its bytes are equal; while lookups mostly
//! miss, only one string in [`SAMPLE_INTERVAL`] is looked up. A cache belongs to one interpreter,
//! and to one call at a time (see `scratch`). Used by `value`.

use crate::decode::text_match::{hash, str_equals_utf8};
use crate::py::unicode::OwnedStr;

/// The number of strings that a cache can hold.
const ENTRIES: usize = 1024;
/// The length of the longest string that is kept, in bytes.
pub(crate) const LONGEST: usize = 16;
/// While the cache is of little use, one string in this many is looked up.
const SAMPLE_INTERVAL: u8 = 16;
/// The bound of the score in both directions: this many misses in a row outweigh all earlier hits.
const MAX_SCORE: i16 = 128;

/// A cache of strings. The hash of a string gives the index of its entry.
#[derive(Debug, Default)]
pub(crate) struct StringCache {
    entries: Vec<Option<Entry>>,
    /// Raised by hits and lowered by misses; below zero the cache is of little use.
    score: i16,
    /// Counts strings modulo [`SAMPLE_INTERVAL`] while the cache is of little use.
    sample_turn: u8,
}

#[derive(Debug)]
struct Entry {
    hash: u64,
    str: OwnedStr,
}

/// The result of a lookup.
#[derive(Debug)]
pub(crate) enum Lookup {
    Found(OwnedStr),
    /// The string is not there: make it, and insert it with this hash.
    Missing(u64),
    /// There was no lookup: make the string.
    Skipped,
}

impl StringCache {
    /// Looks up the cached `str` of ASCII bytes, at most [`LONGEST`].
    #[inline(always)]
    pub(crate) fn find<const DIRECT: bool>(&mut self, bytes: &[u8]) -> Lookup {
        if self.score < 0 {
            self.sample_turn = (self.sample_turn + 1) % SAMPLE_INTERVAL;
            if self.sample_turn != 0 {
                return Lookup::Skipped;
            }
        }
        let hash = hash(bytes);
        if let Some(Some(entry)) = self.entries.get(index(hash))
            && entry.hash == hash
            && str_equals_utf8::<DIRECT>(entry.str.get(), bytes)
        {
            // PERF: a hit saves what a miss costs. With hits counted twice, lists of words of which
            // a third repeats took 1.07 to 1.17 times as long (3.11, 2026-11-23).
            self.score = (self.score + 1).min(MAX_SCORE);
            return Lookup::Found(entry.str.clone());
        }
        self.score = (self.score - 1).max(-MAX_SCORE);
        Lookup::Missing(hash)
    }

    /// Inserts a `str` with its hash, unless there is no memory for the cache.
    #[inline(always)]
    pub(crate) fn insert(&mut self, hash: u64, str: &OwnedStr) {
        if self.entries.is_empty() && !self.allocate() {
            return;
        }
        if let Some(entry) = self.entries.get_mut(index(hash)) {
            *entry = Some(Entry { hash, str: str.clone() });
        }
    }

    /// Makes the entries; false if there is no memory.
    #[cold]
    fn allocate(&mut self) -> bool {
        if self.entries.try_reserve_exact(ENTRIES).is_err() {
            return false;
        }
        self.entries.resize_with(ENTRIES, || None);
        true
    }
}

#[inline(always)]
fn index(hash: u64) -> usize {
    // The high bits of the hash are the best mixed, because it ends with a multiplication.
    (hash >> 54) as usize
}

const _: () = assert!(ENTRIES == 1 << (64 - 54));
