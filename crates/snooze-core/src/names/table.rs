//! A perfect hash of a set of names: maps a name to the only member of the set that it can equal.
//!
//! Separate from `set` because this only yields a candidate: the caller compares the bytes.
//! Building a set tries hashes, the cheapest first: the length; one byte and the length; the first
//! and last eight bytes; all bytes; all bytes with a displacement for each bucket (hash and
//! displace, Pagh 1999). The last one is for sets that are too large for the others. If every seed
//! fails, a binary search replaces the hash. Invariant: each name of the set has its index in its
//! slot. Called by [`Names`](super::Names).

use core::cmp::{Ordering, Reverse};

use super::error::NamesError;

/// The content of a free slot. No name has this index.
const FREE: u16 = u16::MAX;
/// [`Hash::Byte`] tries this many bytes at the start of the names.
const MAX_BYTE_OFFSETS: usize = 32;
/// The number of multipliers and seeds to try.
const TRIES: u64 = 64;
/// The largest set that may get a table without displacements.
const MAX_DIRECT: usize = 512;
/// The most slots for each name without displacements.
const SPARSE: usize = 16;
/// The slots for each name with displacements.
const DENSE: usize = 2;

/// An odd number without a pattern (the golden ratio).
const MIX: u64 = 0x9e37_79b9_7f4a_7c15;

/// The function from a name to a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Hash {
    /// The length.
    Length,
    /// One byte, and the length.
    Byte { at: usize, factor: u64 },
    /// The first and the last eight bytes.
    Ends(u64),
    /// All bytes.
    All(u64),
    /// All bytes, and the displacement of the bucket.
    Displaced(u64),
    /// No hash: a binary search.
    Sorted,
}

/// The hash and its slots.
#[derive(Debug)]
pub(super) struct Table {
    hash: Hash,
    /// The index of a name in each slot. Their number is a power of two; for [`Hash::Sorted`],
    /// there is one for each name, in the order of the names.
    slots: Vec<u16>,
    /// The shift from a hash to a slot.
    shift: u32,
    /// One for each bucket. Their number is a power of two, or zero.
    displacements: Vec<u16>,
}

/// Sorts the indices of names. One function for all orders: each copy of the sort takes 15 kB.
fn sort(order: &mut [u16], compare: &dyn Fn(u16, u16) -> Ordering) {
    order.sort_unstable_by(|&left, &right| compare(left, right));
}

impl Table {
    /// A table for these names, of which there are at most `FREE`.
    pub(super) fn new(names: &[&[u8]]) -> Result<Table, NamesError> {
        // Sorted, equal names are neighbours. Report the later one.
        let mut order = Vec::new();
        order.try_reserve_exact(names.len()).map_err(|_| NamesError::NoMemory)?;
        order.extend(0..names.len() as u16);
        sort(&mut order, &|left, right| {
            let name = |index: u16| (names[usize::from(index)], index);
            name(left).cmp(&name(right))
        });
        let equal = |pair: &&[u16]| names[usize::from(pair[0])] == names[usize::from(pair[1])];
        if let Some(later) = order.windows(2).filter(equal).map(|pair| pair[1]).min() {
            return Err(NamesError::Duplicate(later));
        }
        let mut table =
            Table { hash: Hash::Length, slots: Vec::new(), shift: 0, displacements: Vec::new() };
        if table.try_direct(names)? || table.try_displaced(names, &mut order)? {
            return Ok(table);
        }
        table.sort(names, order);
        Ok(table)
    }

    /// Tries the hashes without displacements.
    fn try_direct(&mut self, names: &[&[u8]]) -> Result<bool, NamesError> {
        if names.len() > MAX_DIRECT {
            return Ok(false);
        }
        let tightest = names.len().next_power_of_two().max(2);
        let longest = names.iter().map(|name| name.len()).max().unwrap_or(0);
        let factors = |tries| (1..=tries).map(|number| MIX.wrapping_mul(2 * number + 1));
        let bytes = (0..longest.min(MAX_BYTE_OFFSETS))
            .flat_map(|at| factors(8).map(move |factor| Hash::Byte { at, factor }));
        let hashes = core::iter::once(Hash::Length)
            .chain(bytes)
            .chain(factors(TRIES).map(Hash::Ends))
            .chain(factors(TRIES).map(Hash::All));
        for hash in hashes {
            for slots in [tightest, 4 * tightest, SPARSE * tightest] {
                self.clear(hash, slots)?;
                if self.fill(names) {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// Tries displacements, for the buckets with most names first, while most slots are free.
    fn try_displaced(&mut self, names: &[&[u8]], order: &mut [u16]) -> Result<bool, NamesError> {
        let slots = (DENSE * names.len()).next_power_of_two().max(4);
        let buckets = slots / 4;
        let mut counts: Vec<u16> = Vec::new();
        counts.try_reserve_exact(buckets).map_err(|_| NamesError::NoMemory)?;
        self.displacements.try_reserve_exact(buckets).map_err(|_| NamesError::NoMemory)?;
        for seed in (1..=TRIES).map(|number| MIX.wrapping_mul(number)) {
            self.clear(Hash::Displaced(seed), slots)?;
            self.displacements.clear();
            self.displacements.resize(buckets, 0);
            counts.clear();
            counts.resize(buckets, 0);
            let bucket =
                |index: u16| hash_all(names[usize::from(index)], seed) as usize & (buckets - 1);
            for &index in &*order {
                // No overflow: there are at most `FREE` names.
                counts[bucket(index)] += 1;
            }
            sort(order, &|left, right| {
                let size = |index| (Reverse(counts[bucket(index)]), bucket(index));
                size(left).cmp(&size(right))
            });
            let mut groups = order.chunk_by(|&left, &right| bucket(left) == bucket(right));
            if groups.all(|group| self.displace(names, group, bucket(group[0]))) {
                return Ok(true);
            }
        }
        self.displacements = Vec::new();
        Ok(false)
    }

    /// Finds a displacement that puts all names of one bucket into free slots.
    fn displace(&mut self, names: &[&[u8]], group: &[u16], bucket: usize) -> bool {
        (0..=u16::MAX).any(|displacement| {
            self.displacements[bucket] = displacement;
            let mut placed = 0;
            for &index in group {
                let slot = self.slot(names[usize::from(index)]);
                if self.slots[slot] != FREE {
                    break;
                }
                self.slots[slot] = index;
                placed += 1;
            }
            if placed < group.len() {
                for &index in &group[..placed] {
                    let slot = self.slot(names[usize::from(index)]);
                    self.slots[slot] = FREE;
                }
            }
            placed == group.len()
        })
    }

    /// Starts again with `slots` free slots, a power of two and at least two.
    fn clear(&mut self, hash: Hash, slots: usize) -> Result<(), NamesError> {
        self.hash = hash;
        self.shift = u64::BITS - slots.trailing_zeros();
        self.slots.clear();
        self.slots.try_reserve_exact(slots).map_err(|_| NamesError::NoMemory)?;
        self.slots.resize(slots, FREE);
        Ok(())
    }

    /// Puts each name into its slot; false if two names share one.
    fn fill(&mut self, names: &[&[u8]]) -> bool {
        (0..).zip(names).all(|(index, name)| {
            let slot = self.slot(name);
            core::mem::replace(&mut self.slots[slot], index) == FREE
        })
    }

    /// Falls back to binary search.
    #[cold]
    fn sort(&mut self, names: &[&[u8]], mut order: Vec<u16>) {
        sort(&mut order, &|left, right| names[usize::from(left)].cmp(names[usize::from(right)]));
        self.hash = Hash::Sorted;
        self.slots = order;
    }

    /// The slot of a name, below the number of slots.
    #[inline(always)]
    fn slot(&self, name: &[u8]) -> usize {
        let hash = match self.hash {
            Hash::Length => return name.len() & (self.slots.len() - 1),
            Hash::Byte { at, factor } => {
                let byte = name.get(at).copied().unwrap_or(0);
                ((name.len() as u64) << 8 | u64::from(byte)).wrapping_mul(factor)
            }
            Hash::Ends(seed) => hash_ends(name, seed),
            Hash::All(seed) => hash_all(name, seed),
            Hash::Displaced(seed) => {
                let hash = hash_all(name, seed);
                let bucket = hash as usize & self.displacements.len().wrapping_sub(1);
                let displacement = self.displacements.get(bucket).copied().unwrap_or(0);
                fold(hash ^ u64::from(displacement), MIX)
            }
            Hash::Sorted => return 0,
        };
        (hash >> (self.shift & 63)) as usize
    }

    /// The index of the only name that can equal `name`, or `FREE`; `None` if there is no hash.
    #[inline(always)]
    pub(super) fn candidate(&self, name: &[u8]) -> Option<u16> {
        if self.hash == Hash::Sorted {
            return None;
        }
        Some(self.slots.get(self.slot(name)).copied().unwrap_or(FREE))
    }

    /// [`Table::candidate`] by binary search.
    #[cold]
    #[inline(never)]
    pub(super) fn search<'a>(&self, name: &[u8], name_of: impl Fn(u16) -> &'a [u8]) -> u16 {
        let found = self.slots.binary_search_by_key(&name, |&index| name_of(index));
        found.ok().and_then(|at| self.slots.get(at).copied()).unwrap_or(FREE)
    }
}

/// Combines both halves of a product.
#[inline(always)]
fn fold(left: u64, right: u64) -> u64 {
    let product = u128::from(left) * u128::from(right);
    product as u64 ^ (product >> 64) as u64
}

/// The first and the last eight bytes, or four, or all bytes of a shorter name.
#[inline(always)]
fn ends(name: &[u8]) -> (u64, u64) {
    if let (Some(first), Some(last)) = (name.first_chunk(), name.last_chunk()) {
        return (u64::from_le_bytes(*first), u64::from_le_bytes(*last));
    }
    if let (Some(first), Some(last)) = (name.first_chunk(), name.last_chunk()) {
        return (u32::from_le_bytes(*first).into(), u32::from_le_bytes(*last).into());
    }
    (name.iter().fold(0, |word, &byte| word << 8 | u64::from(byte)), 0)
}

/// A hash of the first and the last eight bytes, and the length.
#[inline(always)]
fn hash_ends(name: &[u8], seed: u64) -> u64 {
    let (first, last) = ends(name);
    fold(first ^ seed, last.rotate_left(32) ^ name.len() as u64 ^ MIX)
}

/// A hash of all bytes. Names that collide with one seed do not with most others.
#[inline(always)]
fn hash_all(name: &[u8], seed: u64) -> u64 {
    let mut hash = seed ^ name.len() as u64;
    for word in name.as_chunks().0 {
        hash = fold(hash ^ u64::from_le_bytes(*word), MIX);
    }
    let (first, last) = ends(name);
    // Of a name of eight bytes or more, only the bytes after the last whole word are missing.
    let rest = if name.len() < 8 { first ^ last.rotate_left(32) } else { last };
    fold(hash ^ rest, MIX ^ seed.rotate_left(32))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hash_of(names: &[&[u8]]) -> Hash {
        Table::new(names).unwrap().hash
    }

    #[test]
    fn the_cheapest_hash_is_chosen() {
        assert_eq!(hash_of(&[b"id", b"name", b"email"]), Hash::Length);
        assert!(matches!(hash_of(&[b"ax", b"ay", b"az"]), Hash::Byte { at: 1, .. }));
        assert!(matches!(hash_of(&[b"aaxaa", b"aayab", b"aaxab"]), Hash::Ends(_)));
        let long = [1, 2, 3].map(|at| [&[b'a'; 20][..], &[at], &[b'a'; 20]].concat());
        let long = [&long[0][..], &long[1], &long[2]].map(|name| [b"0123456789ab", name].concat());
        assert!(matches!(hash_of(&[&long[0], &long[1], &long[2]]), Hash::All(_)));
        let many: Vec<_> = (0..600).map(|at| format!("{at}")).collect();
        let many: Vec<_> = many.iter().map(|name| name.as_bytes()).collect();
        assert!(matches!(hash_of(&many), Hash::Displaced(_)));
    }

    #[test]
    fn binary_search_finds_names_without_a_hash() {
        let names: [&[u8]; 5] = [b"d", b"", b"c", b"aa", b"b"];
        let mut table = Table::new(&names).unwrap();
        table.sort(&names, (0..5).collect());
        let name_of = |index: u16| names[usize::from(index)];
        for (index, name) in (0..).zip(names) {
            assert_eq!((table.candidate(name), table.search(name, name_of)), (None, index));
        }
        for other in [&b"a"[..], b"e", b"aaa", b"\xff"] {
            assert_eq!(table.search(other, name_of), FREE);
        }
    }

    proptest::proptest! {
        #[test]
        fn every_hash_stays_in_its_table(name: Vec<u8>, seed: u64, bits in 1u32..18, at in 0usize..40) {
            let hashes = [
                Hash::Length,
                Hash::Byte { at, factor: seed },
                Hash::Ends(seed),
                Hash::All(seed),
                Hash::Displaced(seed),
            ];
            for hash in hashes {
                let mut table = Table::new(&[]).unwrap();
                table.clear(hash, 1 << bits).unwrap();
                table.displacements = vec![u16::MAX; 1 << (bits / 2)];
                proptest::prop_assert!(table.slot(&name) < 1 << bits);
                proptest::prop_assert_eq!(table.candidate(&name), Some(FREE));
            }
        }
    }
}
