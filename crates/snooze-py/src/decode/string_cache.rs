//! The cache of short values: the `str` of a text that was a value before.
//!
//! Separate from the cache of keys because most documents repeat their names, and only some their
//! values: this cache watches whether it is of use. Invariants: at most [`ENTRIES`] texts of at
//! most [`LONGEST`] ASCII bytes are kept; a text is only taken if all its bytes are equal; while
//! most texts are new, only every [`SAMPLE`]th is looked for. One cache belongs to one
//! interpreter, and to one call at a time (see `runtime`). Called by `decode`.

use crate::decode::text_match::{hash, is_text};
use crate::py::Owned;

/// Texts that a cache holds.
const ENTRIES: usize = 1024;
/// The longest text that is kept, in bytes.
pub(crate) const LONGEST: usize = 16;
/// While the cache is of little use, one text of so many is looked for.
const SAMPLE: u8 = 16;
/// How many texts in a row the cache must have missed, or found, until it changes its mind.
const PATIENCE: i16 = 128;

/// Texts, each in the place that its hash says.
#[derive(Debug, Default)]
pub(crate) struct StringCache {
    entries: Vec<Option<Entry>>,
    /// Hits against misses; below zero the cache is of little use.
    worth: i16,
    turn: u8,
}

#[derive(Debug)]
struct Entry {
    hash: u64,
    text: Owned,
}

/// What the cache says of a text.
#[derive(Debug)]
pub(crate) enum Answer {
    Found(Owned),
    /// Not there: make it, and keep it under this hash.
    New(u64),
    /// Not looked for: make it.
    Unknown,
}

impl StringCache {
    /// The cached `str` of these ASCII bytes (at most [`LONGEST`]), or what to do instead.
    #[inline(always)]
    pub(crate) fn find<const DIRECT: bool>(&mut self, bytes: &[u8]) -> Answer {
        if self.worth < 0 {
            self.turn = (self.turn + 1) % SAMPLE;
            if self.turn != 0 {
                return Answer::Unknown;
            }
        }
        let hash = hash(bytes);
        if let Some(Some(entry)) = self.entries.get(index(hash))
            && entry.hash == hash
            && is_text::<DIRECT>(entry.text.get(), bytes)
        {
            // One hit pays for two misses.
            self.worth = (self.worth + 2).min(PATIENCE);
            return Answer::Found(entry.text.clone());
        }
        self.worth = (self.worth - 1).max(-PATIENCE);
        Answer::New(hash)
    }

    /// Keeps a `str` under its hash. Without memory for the cache it is not kept.
    #[inline(always)]
    pub(crate) fn keep(&mut self, hash: u64, text: &Owned) {
        if self.entries.is_empty() && !self.allocate() {
            return;
        }
        if let Some(entry) = self.entries.get_mut(index(hash)) {
            *entry = Some(Entry { hash, text: text.clone() });
        }
    }

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
    // The multiplication leaves the best bits at the top.
    (hash >> 54) as usize
}

const _: () = assert!(ENTRIES == 1 << (64 - 54));
