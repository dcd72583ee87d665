//! The cache of member names: the `str` of a name that was seen before.
//!
//! Separate because documents repeat their member names, and making a `str` and hashing it costs
//! more than a lookup. Invariants: at most [`ENTRIES`] names of at most [`LONGEST`] bytes are kept;
//! a cached name is returned only if all its bytes are equal; a name has two possible entries, and
//! if both are taken, a new name replaces either in turn; while lookups mostly miss, only one name
//! in [`SAMPLE_INTERVAL`] is looked up. So hostile names can make the cache useless, but neither
//! slow nor large. A cache belongs to one interpreter, and to one call at a time (see `scratch`).
//! Used by `value`.

use crate::decode::text_match::{hash, str_equals_utf8};
use crate::py::unicode::OwnedStr;

/// The number of names that a cache can hold.
const ENTRIES: usize = 2048;
/// The length of the longest name that is kept, in bytes.
pub(crate) const LONGEST: usize = 64;
/// The number of bytes of the document that are compared with the predicted name.
pub(crate) const WINDOW: usize = 32;

/// The miss score from which on the cache is of little use.
const MAX_MISS_SCORE: u32 = 1024;
/// How much a hit lowers the miss score; a miss raises it by 1.
const HIT_CREDIT: u32 = 8;
/// While the cache is of little use, one name in this many is looked up.
const SAMPLE_INTERVAL: u32 = 16;

/// A cache of names. The hash of a name gives the index of its entry, which is that or its
/// neighbour.
#[derive(Debug, Default)]
pub(crate) struct KeyCache {
    entries: Vec<Entry>,
    /// The index of the name found last.
    last: usize,
    /// From 0 to [`MAX_MISS_SCORE`].
    miss_score: u32,
    /// Counts names modulo [`SAMPLE_INTERVAL`] while the cache is of little use.
    sample_turn: u32,
    /// Whether the last replacement took the second entry of a name.
    replaced_second: bool,
}

#[derive(Debug)]
struct Entry {
    hash: u64,
    key: Option<OwnedStr>,
    /// The index of the name that followed this one the last time.
    next: u16,
    /// The length of the name in a document, with its closing quote; zero if that does not fit into
    /// `source`, or if the name was written with escapes.
    source_len: u8,
    /// The name as it is in a document, with its closing quote, in words of eight bytes.
    source: [u64; WINDOW / 8],
}

impl Entry {
    /// Stores the name as it is in the document; `None` if it was written with escapes.
    fn set_source(&mut self, unescaped: Option<&[u8]>) {
        self.source_len = 0;
        if let Some(name) = unescaped
            && name.len() < WINDOW - 1
        {
            let (len, mut source) = (name.len(), [0; WINDOW]);
            source[..len].copy_from_slice(name);
            source[len] = b'"';
            self.source = core::array::from_fn(|index| word(&source, index));
            self.source_len = len as u8 + 1;
        }
    }
}

/// The eight bytes at an index of words, as a number.
#[inline(always)]
fn word(bytes: &[u8; WINDOW], index: usize) -> u64 {
    let (words, _) = bytes.as_chunks::<8>();
    u64::from_le_bytes(words[index % (WINDOW / 8)])
}

/// Where to insert a name that was not found.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InsertAt {
    hash: u64,
    index: usize,
}

impl KeyCache {
    /// Whether to make the next name without a lookup, because lookups mostly miss.
    ///
    /// PERF: keeping names that do not come again costs more than making them.
    #[inline(always)]
    pub(crate) fn skips_lookup(&mut self) -> bool {
        if self.miss_score < MAX_MISS_SCORE {
            return false;
        }
        self.sample_turn = (self.sample_turn + 1) % SAMPLE_INTERVAL;
        self.sample_turn != 0
    }

    /// Predicts the next name: the one that followed the name found last, the last time. Returns it
    /// with its length if the document has it ahead.
    ///
    /// PERF: objects of one kind repeat their names in order, so one comparison saves the search
    /// for the end of the name, its hash and the lookup. loads 1.11x on twitter, 1.15x on github,
    /// 1.10x on citm_catalog (3.11, 2026-11-21).
    #[inline(always)]
    pub(crate) fn predict(&mut self, ahead: &[u8; WINDOW]) -> Option<(OwnedStr, usize)> {
        let index = usize::from(self.entries.get(self.last)?.next);
        let entry = self.entries.get(index)?;
        let len = usize::from(entry.source_len);
        let whole_words = len / 8 % 4;
        for index in 0..whole_words {
            if word(ahead, index) != entry.source[index] {
                return None;
            }
        }
        let rest = (1 << (8 * (len % 8))) - 1;
        if (word(ahead, whole_words) ^ entry.source[whole_words]) & rest != 0 || len == 0 {
            return None;
        }
        let key = entry.key.clone()?;
        self.last = index;
        Some((key, len - 1))
    }

    /// Records that the name at an index was found after the one found last.
    #[inline(always)]
    fn set_last(&mut self, index: usize) {
        if let Some(last) = self.entries.get_mut(self.last) {
            last.next = index as u16;
        }
        self.last = index;
    }

    /// The cached `str` of UTF-8 bytes, at most [`LONGEST`], or where to insert it.
    #[inline(always)]
    pub(crate) fn find<const DIRECT: bool>(&mut self, bytes: &[u8]) -> Result<OwnedStr, InsertAt> {
        let hash = hash(bytes);
        // The high bits of the hash are the best mixed, because it ends with a multiplication.
        let first = (hash >> 53) as usize;
        // PERF: two entries for each name. With one, three pairs of names of twitter.json replaced
        // each other, and 94 names became 843 objects (2026-11-21).
        for index in [first, first ^ 1] {
            if let Some(entry) = self.entries.get(index)
                && let Some(key) = &entry.key
                && entry.hash == hash
                && str_equals_utf8::<DIRECT>(key.get(), bytes)
            {
                let key = key.clone();
                self.set_last(index);
                self.miss_score = self.miss_score.saturating_sub(HIT_CREDIT);
                return Ok(key);
            }
        }
        self.miss_score = (self.miss_score + 1).min(MAX_MISS_SCORE);
        // A free entry, or either of the two in turn.
        let is_free = |index: usize| self.entries.get(index).is_some_and(|e| e.key.is_none());
        let index = match (is_free(first), is_free(first ^ 1)) {
            (true, _) => first,
            (false, true) => first ^ 1,
            (false, false) => {
                self.replaced_second = !self.replaced_second;
                first ^ usize::from(self.replaced_second)
            }
        };
        self.set_last(index);
        Err(InsertAt { hash, index })
    }

    /// Inserts a `str`, unless there is no memory for the cache. `unescaped` is the name as it is
    /// in the document, if it was written without escapes.
    #[inline(always)]
    pub(crate) fn insert(&mut self, at: InsertAt, key: &OwnedStr, unescaped: Option<&[u8]>) {
        if self.entries.is_empty() && !self.allocate() {
            return;
        }
        if let Some(entry) = self.entries.get_mut(at.index) {
            entry.hash = at.hash;
            entry.key = Some(key.clone());
            entry.set_source(unescaped);
        }
    }

    /// Makes the entries; false if there is no memory.
    #[cold]
    fn allocate(&mut self) -> bool {
        if self.entries.try_reserve_exact(ENTRIES).is_err() {
            return false;
        }
        self.entries.resize_with(ENTRIES, || Entry {
            hash: 0,
            key: None,
            next: 0,
            source_len: 0,
            source: [0; WINDOW / 8],
        });
        true
    }
}

const _: () = assert!(ENTRIES == 1 << (64 - 53));
