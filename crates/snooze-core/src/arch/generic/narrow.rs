//! Reads UTF-8 of characters up to U+FFFF with vectors of sixteen bytes, a vector in one step.
//!
//! Every byte of a block is taken for the last one of a character, together with the two bytes
//! before it; then the lanes of bytes that end no character are removed by a shuffle from a table.
//! So a step does not wait for the length that the one before it found. Text of three-byte
//! characters alone, such as Chinese, is read eight characters in one step. What is ill formed is
//! collected, and judged at the end: continuation bytes must be exactly where lead bytes announce
//! them, and no character may be overlong, a surrogate, or too wide for the unit (RFC 3629).
//! Separate from `utf8`, which reads characters of any width. Called through `Vector::decode_utf8`
//! by the tiers `v128` (SSE4.2 and NEON) and `avx2`.

use core::marker::PhantomData;

use super::super::{Task, Vector};
use super::headed::MoveLanes;
use super::units::Target;

/// A vector of sixteen bytes whose lanes can be computed with.
///
/// # Safety
/// `LANES` is 16, and each operation does what it says. Unsafe code relies on it.
pub(in super::super) unsafe trait Sixteen: MoveLanes {
    /// A byte in all lanes.
    fn splat(byte: u8) -> Self;
    /// A pair of bytes, the lower one first, in all pairs of lanes.
    fn splat_pairs(pair: u16) -> Self;
    fn and(self, other: Self) -> Self;
    /// The bits of `self` that `other` does not have.
    fn without(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;
    fn xor(self, other: Self) -> Self;
    /// Ones in the lanes that are equal.
    fn same(self, other: Self) -> Self;
    /// Ones in the pairs of lanes that are equal.
    fn same_pairs(self, other: Self) -> Self;
    /// Ones in the lanes that are less than those of `other`, as signed bytes.
    fn is_less(self, other: Self) -> Self;
    /// Zero in the lanes that are at most those of `other`.
    fn above(self, other: Self) -> Self;
    /// Pairs of lanes, shifted as numbers of sixteen bits.
    fn shift_up<const BITS: i32>(self) -> Self;
    /// As [`Sixteen::shift_up`].
    fn shift_down<const BITS: i32>(self) -> Self;
    /// The lanes with these indices; zero for an index of 0x80.
    fn shuffle(self, indices: Self) -> Self;
    /// The lanes one before those of `self`, of which the first is the last one of `before`.
    fn one_before(self, before: Self) -> Self;
    /// The lanes two before those of `self`.
    fn two_before(self, before: Self) -> Self;
    /// The lower eight lanes alone, and the upper ones moved down; zeros above.
    fn halves(self) -> (Self, Self);
    /// The lanes of `self` and `upper` in turn: of the lower halves, and of the upper ones.
    fn interleave(self, upper: Self) -> (Self, Self);
    /// Whether all bits are zero.
    fn is_zero(self) -> bool;
    /// The lower eight lanes, the first one in the lowest byte.
    fn low_bytes(self) -> u64;
}

/// The bytes of a block.
const BLOCK: usize = 16;

/// The shuffles that move the lanes of two bytes to the front whose bits are set in the index, and set
/// the lanes above to zero.
static KEPT_WORDS: [[u8; 16]; 256] = kept(2);
/// The same for the lower eight lanes of one byte.
static KEPT_BYTES: [[u8; 16]; 256] = kept(1);

const fn kept(width: usize) -> [[u8; 16]; 256] {
    let mut table = [[0x80; 16]; 256];
    let mut index = 0;
    while index < 256 {
        let (mut byte, mut at) = (0, 0);
        while byte < 8 * width {
            if index >> (byte / width) & 1 == 1 {
                table[index][at] = byte as u8;
                at += 1;
            }
            byte += 1;
        }
        index += 1;
    }
    table
}

/// The shuffles that move all lanes up and set those below to zero: the one by `n` is at offset
/// `16 - n`.
static MOVE_UP: [u8; 32] = {
    let mut table = [0x80; 32];
    let mut lane = 0;
    while lane < 16 {
        table[16 + lane] = lane as u8;
        lane += 1;
    }
    table
};

/// Text of fewer bytes is not tried as characters of three bytes: an attempt that fails takes as long
/// as a block.
const THREES_FROM: usize = 48;

/// The bytes that one step of [`threes`] reads, and the characters that these are.
const THREES_BYTES: usize = 24;
const THREES_CHARS: usize = 8;

/// The shuffles that gather eight characters of three bytes from two windows, at bytes 0 and 8: the
/// last byte of each and the one before it as a lane, and the first byte above a zero.
const THREES: [[[u8; 16]; 2]; 2] = {
    let mut shuffles = [[[0x80; 16]; 2]; 2];
    let mut char = 0;
    while char < THREES_CHARS {
        let mut byte = 0;
        while byte < 3 {
            let (at, lane) = (3 * char + byte, [2 * char + 1, 2 * char + 1, 2 * char][byte]);
            let window = (at >= 16) as usize;
            shuffles[window][(byte == 0) as usize][lane] = (at - 8 * window) as u8;
            byte += 1;
        }
        char += 1;
    }
    shuffles
};

/// The task of decoding text to units of two bytes, compiled apart from that of short text.
pub(in super::super) struct Wide<'a, H> {
    bytes: &'a [u8],
    target: *mut u16,
    room: usize,
    half: PhantomData<H>,
}

impl<'a, H: Sixteen> Wide<'a, H> {
    /// Decodes `bytes` into `room` units.
    ///
    /// # Safety
    /// As for [`decode_utf8`], when the task runs.
    #[inline(always)]
    pub(in super::super) unsafe fn new(bytes: &'a [u8], target: *mut u16, room: usize) -> Self {
        Self { bytes, target, room, half: PhantomData }
    }
}

impl<H: Sixteen> Task for Wide<'_, H> {
    type Output = bool;

    #[inline(always)]
    fn with_vectors<V: Vector>(self) -> bool {
        // SAFETY: as whoever made the task guarantees.
        unsafe { decode_utf8::<H, _>(self.bytes, self.target, self.room) }
    }
}

/// `Vector::decode_utf8` of units of one and two bytes.
///
/// # Safety
/// `target` is valid for writing `room` units.
#[inline(always)]
pub(in super::super) unsafe fn decode_utf8<H: Sixteen, T: Target>(
    bytes: &[u8],
    target: *mut T,
    room: usize,
) -> bool {
    const { assert!(H::LANES == BLOCK && size_of::<T>() <= 2) };
    let is_wide = size_of::<T>() == 2;
    let (mut read, mut written) = (0, 0);
    // The continuation bytes that characters which began before this block still need.
    let mut announced = 0;
    let mut misplaced = 0;
    let mut may_be_threes = true;
    // SAFETY: blocks are read in bounds, because `count` bytes are left. Units are written in bounds,
    // because each place compares with the room that is left.
    unsafe {
        let (mut before, mut bad) = (H::splat(0), H::splat(0));
        while read < bytes.len() {
            let source = bytes.as_ptr().add(read);
            if is_wide && may_be_threes && bytes.len() - read >= THREES_FROM {
                let steps = threes::<H>(&bytes[read..], target.add(written).cast(), room - written);
                read += THREES_BYTES * steps;
                written += THREES_CHARS * steps;
                may_be_threes = false;
                continue;
            }
            let count = (bytes.len() - read).min(BLOCK);
            let block =
                if count == BLOCK { H::load(source) } else { H::load_partial(source, count) };
            let non_ascii = block.non_ascii() as u32;
            if non_ascii | announced == 0 && count == BLOCK && room - written >= BLOCK {
                T::widen::<H>(source, target.add(written));
                read += BLOCK;
                written += BLOCK;
                continue;
            }
            // As signed bytes, continuation bytes are those below -64.
            let is_tail = block.is_less(H::splat(0xc0));
            let tails = is_tail.non_ascii() as u32;
            let leads = non_ascii & !tails;
            // Lead bytes of three bytes have bit 5; it is shifted to the top.
            let threes = leads & block.shift_up::<2>().non_ascii() as u32;
            let expected = announced | leads << 1 | threes << 2;
            misplaced |= (expected ^ tails) & 0xffff;
            let ends = !(expected >> 1) & (0xffff >> (BLOCK - count));
            let last = block.one_before(before);
            bad = bad.or(ill_formed::<H, T>(block, last, is_tail));
            let codes = codes::<H, T>(block, last, block.two_before(before), is_tail);
            let [low, high] = [ends & 0xff, ends >> 8].map(|ends| ends as usize);
            let (kept_low, kept_high) = keep::<H, T>(codes, low, high);
            let (low, high) = (low.count_ones() as usize, high.count_ones() as usize);
            if room - written >= BLOCK {
                store_half(kept_low, target.add(written));
                store_half(kept_high, target.add(written + low));
            } else if low + high <= room - written {
                store_exact(kept_low, low, kept_high, high, target.add(written));
            } else {
                // More characters than lead bytes.
                return false;
            }
            written += low + high;
            before = block;
            announced = expected >> 16;
            read += count;
            // Go back to the last lead byte, if its character is not complete: it was not written.
            let are_left = is_wide && bytes.len() - read >= THREES_FROM;
            if are_left && non_ascii == 0xffff && threes == leads {
                may_be_threes = true;
                if announced != 0 {
                    read -= leads.leading_zeros() as usize - 15;
                    announced = 0;
                }
            }
        }
        misplaced | announced == 0 && bad.is_zero()
    }
}

/// Decodes characters of three bytes at the start of `bytes`, eight in a step. Returns the number of
/// steps; all that they read was well formed.
///
/// # Safety
/// `target` is valid for writing `room` units.
#[inline(always)]
unsafe fn threes<H: Sixteen>(bytes: &[u8], target: *mut u16, room: usize) -> usize {
    let splat = H::splat_pairs;
    let mut step = 0;
    while bytes.len() >= THREES_BYTES * (step + 1) && room >= THREES_CHARS * (step + 1) {
        // SAFETY: in bounds, because the loop compares with what is left of both; the shuffles have
        // sixteen bytes.
        unsafe {
            let from = bytes.as_ptr().add(THREES_BYTES * step);
            let (low, high) = (H::load(from), H::load(from.add(8)));
            let gather = |part: usize| {
                let shuffle = |at: usize| H::load(THREES[at][part].as_ptr());
                low.shuffle(shuffle(0)).or(high.shuffle(shuffle(1)))
            };
            let (tails, leads) = (gather(0), gather(1));
            let misplaced = tails.and(splat(0xc0c0)).xor(splat(0x8080));
            let misplaced = misplaced.or(leads.and(splat(0xf000)).xor(splat(0xe000)));
            let middle = tails.shift_down::<2>().and(splat(0xfc0));
            let code = tails.and(splat(0x3f)).or(middle).or(leads.shift_up::<4>());
            let top = code.and(splat(0xf800));
            let is_overlong = top.same_pairs(splat(0));
            let is_surrogate = top.same_pairs(splat(0xd800));
            if !misplaced.or(is_overlong).or(is_surrogate).is_zero() {
                break;
            }
            code.store(target.add(THREES_CHARS * step).cast());
        }
        step += 1;
    }
    step
}

/// Not zero if the block has a character that is overlong, a surrogate, or too wide for the unit;
/// `last` are the bytes before those of the block.
#[inline(always)]
fn ill_formed<H: Sixteen, T: Target>(block: H, last: H, is_tail: H) -> H {
    let widest = if size_of::<T>() == 1 { 0xc3 } else { 0xef };
    let short = block.and(H::splat(0xfe)).same(H::splat(0xc0));
    let bad = block.above(H::splat(widest)).or(short);
    if size_of::<T>() == 1 {
        return bad;
    }
    // E0 demands a second byte from A0 on, ED one below.
    let is_below = block.is_less(H::splat(0xa0));
    let overlong = last.same(H::splat(0xe0)).and(is_below);
    let surrogate = last.same(H::splat(0xed)).without(is_below);
    bad.or(overlong.or(surrogate).and(is_tail))
}

/// The low and the high bytes of the characters that end with the bytes of the block, if they end
/// characters; there are high bytes for wide units only.
#[inline(always)]
fn codes<H: Sixteen, T: Target>(block: H, last: H, two_before: H, is_tail: H) -> (H, H) {
    let first = block.xor(is_tail.and(H::splat(0x80)));
    let second = last.and(is_tail.and(H::splat(0x3f)));
    // Shifts of pairs of lanes: the masks remove what comes from the other lane.
    let low = first.or(second.shift_up::<6>().and(H::splat(0xc0)));
    if size_of::<T>() == 1 {
        return (low, low);
    }
    let is_third = is_tail.and(last.is_less(H::splat(0xc0)));
    let third = two_before.and(is_third.and(H::splat(0x0f)));
    let high = second.shift_down::<2>().and(H::splat(0x0f));
    (low, high.or(third.shift_up::<4>()))
}

/// The characters whose bits are set in `low` and `high`, the halves of a block, each half at the
/// front of a vector with zeros above. Both are below 256.
#[inline(always)]
fn keep<H: Sixteen, T: Target>(codes: (H, H), low: usize, high: usize) -> (H, H) {
    if size_of::<T>() == 1 {
        let (first, second) = codes.0.halves();
        // SAFETY: each shuffle has sixteen bytes.
        let kept = |index: usize| unsafe { H::load(KEPT_BYTES[index].as_ptr()) };
        (first.shuffle(kept(low)), second.shuffle(kept(high)))
    } else {
        let (first, second) = codes.0.interleave(codes.1);
        // SAFETY: each shuffle has sixteen bytes.
        let kept = |index: usize| unsafe { H::load(KEPT_WORDS[index].as_ptr()) };
        (first.shuffle(kept(low)), second.shuffle(kept(high)))
    }
}

/// Stores eight units.
///
/// # Safety
/// Eight units are writable at `target`.
#[inline(always)]
unsafe fn store_half<H: Sixteen, T: Target>(units: H, target: *mut T) {
    // SAFETY: as the caller guarantees.
    unsafe {
        if size_of::<T>() == 1 {
            target.cast::<u64>().write_unaligned(units.low_bytes().to_le());
        } else {
            units.store(target.cast());
        }
    }
}

/// Stores `low` and then `high` units, and nothing after them.
///
/// PERF: from registers. A copy of stored units waits for both stores: lists of short Russian words in
/// 1.1 of the time (2026-11-28).
///
/// # Safety
/// `low + high` units are writable at `target`, and both are at most eight. Lanes above these units
/// must be zero.
#[inline(always)]
unsafe fn store_exact<H: Sixteen, T: Target>(
    first: H,
    low: usize,
    second: H,
    high: usize,
    target: *mut T,
) {
    let (before, length) = (low * size_of::<T>(), (low + high) * size_of::<T>());
    let target = target.cast::<u8>();
    // SAFETY: in bounds, because each arm stores at most `length` bytes from the start and before the
    // end; the loads are inside the table, because no move is by more than 16.
    unsafe {
        let up = |bytes: H, by: usize| bytes.shuffle(H::load(MOVE_UP.as_ptr().add(16 - by)));
        let start = first.or(up(second, before));
        if length > 16 {
            // The last sixteen bytes, from all 32.
            let rest = second.move_down(16 - before);
            let end = start.move_down(length - 16).or(up(rest, 32 - length));
            start.store(target);
            end.store(target.add(length - 16));
        } else if length >= 8 {
            let end = start.move_down(length - 8).low_bytes();
            target.cast::<u64>().write_unaligned(start.low_bytes().to_le());
            target.add(length - 8).cast::<u64>().write_unaligned(end.to_le());
        } else if length >= 4 {
            let bytes = start.low_bytes();
            let end = (bytes >> (8 * (length - 4))) as u32;
            target.cast::<u32>().write_unaligned((bytes as u32).to_le());
            target.add(length - 4).cast::<u32>().write_unaligned(end.to_le());
        } else {
            let bytes = start.low_bytes();
            if length >= 2 {
                target.cast::<u16>().write_unaligned((bytes as u16).to_le());
            }
            if length % 2 == 1 {
                target.add(length - 1).write((bytes >> (8 * (length - 1))) as u8);
            }
        }
    }
}
