//! Lists of dict members in sorted order, or with keys that are not `str`, for the borrowed walks.
//!
//! Separate from [`keys`](crate::encode::keys), which converts keys of any type to text and holds
//! strong references: here no Python code runs while the lists are in use, so members are borrowed
//! and keys are written in place. Dicts that need more are left to `keys`. Invariant: the members
//! of all open dicts lie one after the other, those of the innermost dict last. Called by
//! [`borrowed`](crate::encode::untyped::borrowed), and by `sorted_members` of `typed`.
//!
//! PERF: dicts with the same keys in the same order are sorted twice; from the third time on, the
//! order is recognised by the addresses of the keys, which no other key can have meanwhile (with a
//! GIL).
//! twitter.json with sorted keys: 0.48 of orjson's speed with strong references, 1.5 with borrowed
//! members sorted each time, 1.7 this way (2026-11-21).

use crate::encode::key_text;
use crate::options::EncodeFlags;
use crate::py::compat::FREE_THREADED;
use crate::py::dict::{Dict, StrEntry};
use crate::py::lock::Lock;
use crate::py::unicode::{Chars, Str};
use crate::py::{Obj, Raised, dict, error, unicode};

/// Sets of shapes: dicts whose order is known.
const SETS: usize = 32;

/// Dicts sorted before any order is kept: small documents never have more.
const UNCACHED_SORTS: usize = 8;

/// Members of the largest dict whose order is kept.
const MAX_CACHED_SIZE: usize = 256;

/// How to walk a dict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// In its own order: all keys can be written.
    AsIs,
    /// By the members that [`MemberLists`] now has for it.
    Listed,
    /// Not in the borrowed walk.
    Unsupported,
}

/// The listed members of the open dicts, and the known shapes.
#[derive(Debug, Default)]
pub(super) struct MemberLists<'a> {
    members: Vec<StrEntry<'a>>,
    open: Vec<OpenDict>,
    /// The first bytes of each key, and its index in the dict.
    order: Vec<(u64, usize)>,
    shapes: Vec<ShapeSet<'a>>,
    /// The number of dicts sorted so far.
    sorted: usize,
    /// Members of a dict with CPython's general key table, before they are sorted.
    unsorted: Vec<StrEntry<'a>>,
}

/// An open dict: the number of its members, and how many remain to be written.
#[derive(Clone, Copy, Debug)]
struct OpenDict {
    size: usize,
    remaining: usize,
}

/// The first and the last key of a dict.
type Ends<'a> = [Obj<'a>; 2];

/// The shapes that share a hash. Two, so that two common ones are both kept, whatever the addresses
/// of their keys.
#[derive(Clone, Debug, Default)]
struct ShapeSet<'a> {
    shapes: [Shape<'a>; 2],
    /// The index of the shape that was used last; the other is replaced.
    last_used: usize,
    /// The last two dicts whose shape was not known, the newest first.
    seen: [Option<Ends<'a>>; 2],
}

/// The keys of a dict, and the indices of its entries in key order.
#[derive(Clone, Debug, Default)]
struct Shape<'a> {
    keys: Vec<Obj<'a>>,
    order: Vec<usize>,
}

impl<'a> ShapeSet<'a> {
    /// The order of the entries, which have no gaps, if their shape is known.
    #[inline(always)]
    fn find(&mut self, entries: &[StrEntry<'a>]) -> Option<&[usize]> {
        let has_keys = |shape: &Shape<'a>| {
            shape.keys.len() == entries.len()
                && entries.iter().zip(&shape.keys).all(|(entry, &key)| entry[0] == Some(key))
        };
        self.last_used = self.shapes.iter().position(has_keys)?;
        self.shapes.get(self.last_used).map(|shape| &*shape.order)
    }

    /// Notes a dict whose shape is not known; keeps its order if one like it was noted lately.
    fn note(
        &mut self,
        ends: Ends<'a>,
        entries: &[StrEntry<'a>],
        order: &[(u64, usize)],
    ) -> Result<(), Raised> {
        if !self.seen.contains(&Some(ends)) {
            self.seen = [Some(ends), self.seen[0]];
            return Ok(());
        }
        self.last_used ^= 1;
        let Some(shape) = self.shapes.get_mut(self.last_used) else { return Ok(()) };
        shape.keys.clear();
        shape.order.clear();
        shape.keys.try_reserve(entries.len()).map_err(|_| error::no_memory())?;
        shape.order.try_reserve(entries.len()).map_err(|_| error::no_memory())?;
        shape.keys.extend(entries.iter().filter_map(|entry| entry[0]));
        shape.order.extend(order.iter().map(|&(_, index)| index));
        Ok(())
    }
}

impl<'a> MemberLists<'a> {
    /// Returns the remaining members of the open dict that has `inner_dicts` open dicts inside it.
    #[inline(always)]
    pub(super) fn remaining_of(&self, inner_dicts: usize) -> &[StrEntry<'a>] {
        let mut dicts = self.open.iter().rev();
        let behind: usize = dicts.by_ref().take(inner_dicts).map(|dict| dict.size).sum();
        let end = self.members.len() - behind;
        let remaining = dicts.next().map_or(0, |dict| dict.remaining);
        self.members.get(end - remaining..end).unwrap_or(&[])
    }

    /// The same with the member before them, which is being written, and the number of those
    /// before.
    pub(super) fn current_and_remaining_of(&self, inner_dicts: usize) -> (&[StrEntry<'a>], usize) {
        let mut dicts = self.open.iter().rev();
        let behind: usize = dicts.by_ref().take(inner_dicts).map(|dict| dict.size).sum();
        let end = self.members.len() - behind;
        let Some(dict) = dicts.next() else { return (&[], 0) };
        let before = usize::from(dict.remaining < dict.size);
        (self.members.get(end - dict.remaining - before..end).unwrap_or(&[]), before)
    }

    /// Records how many members of the innermost dict remain.
    #[inline(always)]
    pub(super) fn set_remaining(&mut self, remaining: usize) {
        if let Some(dict) = self.open.last_mut() {
            dict.remaining = remaining;
        }
    }

    /// Closes the innermost dict.
    #[inline(always)]
    pub(super) fn close(&mut self) {
        if let Some(dict) = self.open.pop() {
            self.members.truncate(self.members.len() - dict.size);
        }
    }

    /// Decides how to walk a non-empty dict under these options, and lists its members if needed.
    #[inline(never)]
    pub(super) fn list_members(
        &mut self,
        dict: Dict<'a>,
        lock: &Lock<'a>,
        flags: EncodeFlags,
    ) -> Result<Order, Raised> {
        let size = dict::size(dict) as usize;
        self.open.try_reserve(1).map_err(|_| error::no_memory())?;
        if let Some(entries) = dict::locked_str_entries(dict, lock) {
            if flags.has(EncodeFlags::SORT_KEYS) {
                if !self.sort(entries, size)? {
                    return Ok(Order::Unsupported);
                }
                self.open.push(OpenDict { size, remaining: size });
                return Ok(Order::Listed);
            }
            // With keys of other types allowed, an invalid key is reported before any member.
            let mut keys = entries.iter().filter_map(|&[key, _]| key);
            let is_supported =
                !flags.has(EncodeFlags::NON_STR_KEYS) || keys.all(key_text::is_writable_scalar);
            return Ok(if is_supported { Order::AsIs } else { Order::Unsupported });
        }
        let Some(entries) = dict::locked_hashed_entries(dict, lock) else {
            return Ok(Order::Unsupported);
        };
        let mut keys = entries.iter().filter_map(|entry| entry.item[0]);
        let sorted = flags.has(EncodeFlags::SORT_KEYS);
        let is_supported = match flags.has(EncodeFlags::NON_STR_KEYS) && !sorted {
            true => keys.all(key_text::is_writable_scalar),
            false => keys.all(|key| Str::exact(key).is_some()),
        };
        if !is_supported {
            return Ok(Order::Unsupported);
        }
        let items = entries.iter().map(|entry| entry.item);
        let items = items.filter(|item| item[0].is_some()).take(size);
        if sorted {
            let mut unsorted = core::mem::take(&mut self.unsorted);
            unsorted.clear();
            unsorted.try_reserve(size).map_err(|_| error::no_memory())?;
            unsorted.extend(items);
            let is_sorted = self.sort(&unsorted, size);
            self.unsorted = unsorted;
            if !is_sorted? {
                return Ok(Order::Unsupported);
            }
        } else {
            self.members.try_reserve(size).map_err(|_| error::no_memory())?;
            self.members.extend(items);
        }
        self.open.push(OpenDict { size, remaining: size });
        Ok(Order::Listed)
    }

    /// Lists the members of a dict in the order of their keys' UTF-8, which is code point order.
    /// Returns `false` if a key is not an ASCII `str`.
    fn sort(&mut self, entries: &[StrEntry<'a>], size: usize) -> Result<bool, Raised> {
        self.members.try_reserve(size).map_err(|_| error::no_memory())?;
        let has_gaps = entries.len() != size;
        let ends = entries.first().zip(entries.last());
        let ends = ends.and_then(|(first, last)| Some([first[0]?, last[0]?]));
        self.sorted += 1;
        let is_eligible =
            self.sorted > UNCACHED_SORTS && !has_gaps && (2..=MAX_CACHED_SIZE).contains(&size);
        // On free-threaded builds the keys of a closed dict may be freed, and others get their
        // addresses.
        let ends = ends.filter(|_| is_eligible && !FREE_THREADED);
        if let Some(ends) = ends
            && let Some(set) = self.shapes.get_mut(set_index(ends, size))
            && let Some(order) = set.find(entries)
        {
            // One per entry, so the reserved room suffices.
            self.members.extend(order.iter().filter_map(|&index| entries.get(index)));
            return Ok(true);
        }
        self.order.clear();
        self.order.try_reserve(size).map_err(|_| error::no_memory())?;
        for (index, &[key, _]) in entries.iter().enumerate() {
            let Some(key) = key else { continue };
            let Some(bytes) = ascii(key) else { return Ok(false) };
            self.order.push((first_bytes(bytes), index));
        }
        if self.order.len() != size {
            return Ok(false);
        }
        let bytes = |index: usize| entries.get(index).and_then(|&[key, _]| ascii(key?));
        self.order.sort_unstable_by(|left, right| {
            left.0.cmp(&right.0).then_with(|| bytes(left.1).cmp(&bytes(right.1)))
        });
        self.members.extend(self.order.iter().filter_map(|&(_, index)| entries.get(index)));
        if let Some(ends) = ends {
            if self.shapes.is_empty() {
                self.shapes.try_reserve_exact(SETS).map_err(|_| error::no_memory())?;
                self.shapes.resize(SETS, ShapeSet::default());
            }
            if let Some(set) = self.shapes.get_mut(set_index(ends, size)) {
                set.note(ends, entries, &self.order)?;
            }
        }
        Ok(true)
    }
}

/// Returns the index of the set for a dict with these first and last keys.
fn set_index([first, last]: Ends<'_>, size: usize) -> usize {
    /// 2^64 divided by the golden ratio: spreads the differing bits of addresses over the top bits.
    const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;
    let mixed = (first.as_ptr() as u64).wrapping_mul(SPREAD) ^ last.as_ptr() as u64 ^ size as u64;
    (mixed.wrapping_mul(SPREAD) >> (64 - SETS.ilog2())) as usize
}

/// Returns the characters of an ASCII key.
#[inline(always)]
fn ascii<'a>(key: Obj<'a>) -> Option<&'a [u8]> {
    match unicode::chars::<true>(Str::exact(key)?) {
        Ok(Chars::Ascii(bytes)) => Some(bytes),
        _ => None,
    }
}

/// Returns the first eight bytes as a number that sorts like the text; shorter texts are padded
/// with zeros.
#[inline(always)]
fn first_bytes(text: &[u8]) -> u64 {
    if let Some(&first) = text.first_chunk() {
        return u64::from_be_bytes(first);
    }
    if let (Some(&first), Some(&last)) = (text.first_chunk(), text.last_chunk()) {
        // The two may overlap, where they hold the same bytes.
        let last = u64::from(u32::from_be_bytes(last)) << (64 - 8 * text.len());
        return u64::from(u32::from_be_bytes(first)) << 32 | last;
    }
    let shifts = [56, 48, 40];
    text.iter().zip(shifts).fold(0, |value, (&byte, shift)| value | u64::from(byte) << shift)
}
