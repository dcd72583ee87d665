//! The cache of object keys: the `str` of a member name that was seen before.
//!
//! Documents repeat their names; making a `str` and hashing it costs more than looking it up.
//! Invariants: at most [`ENTRIES`] names of at most [`LONGEST`] bytes are kept; a name is only
//! taken if all its bytes are equal; each has two places, and if both are taken it replaces the one
//! or the other in turn; while hardly any name is found, only every [`SAMPLE`]th is looked for. So
//! hostile names can make the cache useless but neither slow nor large. One cache belongs to one
//! interpreter, and to one call at a time (see `runtime`).

use crate::decode::text_match::{hash, is_text};
use crate::py::Owned;

/// Names that a cache holds.
const ENTRIES: usize = 2048;
/// The longest name that is kept, in bytes.
pub(crate) const LONGEST: usize = 64;
/// Bytes that are compared with the name that is expected.
pub(crate) const AHEAD: usize = 32;

/// Misses, less [`TRUST`] for each hit, from which on the cache is of little use.
const DOUBTFUL: u32 = 1024;
/// How many misses a hit makes good.
const TRUST: u32 = 8;
/// While the cache is of little use, one name of so many is looked for.
const SAMPLE: u32 = 16;

/// Names, each in the place that its hash says, or beside it.
#[derive(Debug, Default)]
pub(crate) struct KeyCache {
    entries: Vec<Entry>,
    /// The place of the name found last.
    last: usize,
    /// Misses against hits, at most [`DOUBTFUL`].
    doubt: u32,
    turn: u32,
    /// Whether the second place of a name was taken last.
    second: bool,
}

#[derive(Debug)]
struct Entry {
    hash: u64,
    key: Option<Owned>,
    /// The place of the name that was found after this one the last time.
    next: u16,
    /// The bytes of the name as a document has it, with its closing quote; zero if they are more
    /// than fit below, or if it may also be written otherwise.
    written_len: u8,
    written: [u64; AHEAD / 8],
}

impl Entry {
    /// Notes how a document has the name.
    fn write(&mut self, plain: Option<&[u8]>) {
        self.written_len = 0;
        if let Some(plain) = plain
            && plain.len() < AHEAD - 1
        {
            let (len, mut written) = (plain.len(), [0; AHEAD]);
            written[..len].copy_from_slice(plain);
            written[len] = b'"';
            self.written = core::array::from_fn(|word| word_of(&written, word));
            self.written_len = len as u8 + 1;
        }
    }
}

/// Eight bytes as a number.
#[inline(always)]
fn word_of(bytes: &[u8; AHEAD], word: usize) -> u64 {
    let (words, _) = bytes.as_chunks::<8>();
    u64::from_le_bytes(words[word % (AHEAD / 8)])
}

/// Where a name may be kept.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    hash: u64,
    index: usize,
}

impl KeyCache {
    /// Whether to make the next name without looking for it, because names are hardly ever there.
    ///
    /// PERF: of names that do not come again, keeping them costs more than making them.
    #[inline(always)]
    pub(crate) fn is_useless(&mut self) -> bool {
        if self.doubt < DOUBTFUL {
            return false;
        }
        self.turn = (self.turn + 1) % SAMPLE;
        self.turn != 0
    }

    /// The name that followed the one found last when that was last found, if it is what is ahead;
    /// with its length.
    ///
    /// PERF: objects of one kind repeat their names in order, so that one comparison saves looking
    /// for the end of the name, hashing it and finding it.
    /// loads 1.11x on twitter, 1.15x on github, 1.10x on citm_catalog (3.11, 2026-11-21).
    #[inline(always)]
    pub(crate) fn expected(&mut self, ahead: &[u8; AHEAD]) -> Option<(Owned, usize)> {
        let place = usize::from(self.entries.get(self.last)?.next);
        let entry = self.entries.get(place)?;
        let len = usize::from(entry.written_len);
        let whole = len / 8 % 4;
        for word in 0..whole {
            if word_of(ahead, word) != entry.written[word] {
                return None;
            }
        }
        let rest = (1 << (8 * (len % 8))) - 1;
        if (word_of(ahead, whole) ^ entry.written[whole]) & rest != 0 || len == 0 {
            return None;
        }
        let key = entry.key.clone()?;
        self.last = place;
        Some((key, len - 1))
    }

    /// Notes that the name in this place is the one found last, and that it follows the one before.
    #[inline(always)]
    fn follow(&mut self, index: usize) {
        if let Some(last) = self.entries.get_mut(self.last) {
            last.next = index as u16;
        }
        self.last = index;
    }

    /// The cached `str` of these UTF-8 bytes (at most [`LONGEST`]), or where to keep it.
    #[inline(always)]
    pub(crate) fn find<const DIRECT: bool>(&mut self, bytes: &[u8]) -> Result<Owned, Place> {
        let hash = hash(bytes);
        // The multiplication leaves the best bits at the top.
        let first = (hash >> 53) as usize;
        // PERF: two places for each name: on twitter.json three pairs of names threw each other out
        // of one, and 94 names became 843 objects (2026-11-21).
        for index in [first, first ^ 1] {
            if let Some(entry) = self.entries.get(index)
                && let Some(key) = &entry.key
                && entry.hash == hash
                && is_text::<DIRECT>(key.get(), bytes)
            {
                let key = key.clone();
                self.follow(index);
                self.doubt = self.doubt.saturating_sub(TRUST);
                return Ok(key);
            }
        }
        self.doubt = (self.doubt + 1).min(DOUBTFUL);
        // A free place, or each of the two in turn.
        let is_free = |index: usize| self.entries.get(index).is_some_and(|e| e.key.is_none());
        let index = match (is_free(first), is_free(first ^ 1)) {
            (true, _) => first,
            (false, true) => first ^ 1,
            (false, false) => {
                self.second = !self.second;
                first ^ usize::from(self.second)
            }
        };
        self.follow(index);
        Err(Place { hash, index })
    }

    /// Keeps a `str` in its place. Without memory for the cache it is not kept. `plain` is
    /// its text, if the document had it as it is.
    #[inline(always)]
    pub(crate) fn keep(&mut self, place: Place, key: &Owned, plain: Option<&[u8]>) {
        if self.entries.is_empty() && !self.allocate() {
            return;
        }
        if let Some(entry) = self.entries.get_mut(place.index) {
            entry.hash = place.hash;
            entry.key = Some(key.clone());
            entry.write(plain);
        }
    }

    #[cold]
    fn allocate(&mut self) -> bool {
        if self.entries.try_reserve_exact(ENTRIES).is_err() {
            return false;
        }
        self.entries.resize_with(ENTRIES, || Entry {
            hash: 0,
            key: None,
            next: 0,
            written_len: 0,
            written: [0; AHEAD / 8],
        });
        true
    }
}

const _: () = assert!(ENTRIES == 1 << (64 - 53));
