//! Reads UTF-8 with vectors of sixteen bytes, a vector in one step.
//!
//! Every byte of a block is taken for the last one of a character, together with up to three bytes
//! before it; then the lanes of bytes that end no character are removed by a shuffle from a table.
//! So a step does not wait for the length that the one before it found. The planes of characters
//! beyond U+FFFF are computed apart, for units of four bytes only. Into units of two bytes, text of
//! three-byte characters alone, such as Chinese, is read eight characters in one step. What is ill
//! formed is collected, and judged at the end: continuation bytes must be exactly where lead bytes
//! announce them, and no character may be overlong, a surrogate, or too wide for the unit (RFC
//! 3629). Separate from `utf8`, which measures text, and reads what no kernel of a tier reads.
//! Called through `Vector::decode_utf8` by NEON, and by `decode_128` for units of one byte and for
//! longer text.

use core::marker::PhantomData;

use super::super::{Task, Vector};
use super::aligned::Aligned;
use super::sixteen::{BLOCK, Sixteen};
use super::unit_stores::{store_exact, store_half, store_wide};
use super::units::Target;

/// The shuffles that move the lanes of two bytes to the front whose bits are set in the index, and
/// set the lanes above to zero.
static KEPT_WORDS: Aligned<[[u8; 16]; 256]> = Aligned(kept(2));
/// The same for the lower eight lanes of one byte.
static KEPT_BYTES: Aligned<[[u8; 16]; 256]> = Aligned(kept(1));

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

/// Text of fewer bytes is not tried as characters of three bytes: an attempt that fails takes as
/// long as a block.
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

/// The task of decoding text to units of two or four bytes, compiled apart from that of short text.
pub(in super::super) struct Wide<'a, H, T> {
    bytes: &'a [u8],
    target: *mut T,
    room: usize,
    half: PhantomData<H>,
}

impl<'a, H: Sixteen, T: Target> Wide<'a, H, T> {
    /// Decodes `bytes` into `room` units.
    ///
    /// # Safety
    /// As for [`decode_utf8`], when the task runs.
    #[inline(always)]
    pub(in super::super) unsafe fn new(bytes: &'a [u8], target: *mut T, room: usize) -> Self {
        Self { bytes, target, room, half: PhantomData }
    }
}

impl<H: Sixteen, T: Target> Task for Wide<'_, H, T> {
    type Output = bool;

    #[inline(always)]
    fn with_vectors<V: Vector>(self) -> bool {
        // SAFETY: as whoever made the task guarantees.
        unsafe { decode_utf8::<H, _>(self.bytes, self.target, self.room) }
    }
}

/// `Vector::decode_utf8` in blocks.
///
/// # Safety
/// `target` is valid for writing `room` units.
#[inline(always)]
pub(in super::super) unsafe fn decode_utf8<H: Sixteen, T: Target>(
    bytes: &[u8],
    target: *mut T,
    room: usize,
) -> bool {
    const { assert!(H::LANES == BLOCK) };
    let may_have_threes = size_of::<T>() == 2;
    let may_have_fours = size_of::<T>() == 4;
    let (mut read, mut written) = (0, 0);
    // The continuation bytes that characters which began before this block still need.
    let mut announced = 0;
    let mut misplaced = 0;
    let mut may_be_threes = true;
    // SAFETY: blocks are read in bounds, because `count` bytes are left. Units are written in
    // bounds, because each place compares with the room that is left. The casts keep the size of
    // the units, which are integers (`Target`); only units of four bytes may have fours.
    unsafe {
        let (mut before, mut bad) = (H::splat(0), H::splat(0));
        while read < bytes.len() {
            let source = bytes.as_ptr().add(read);
            if may_have_threes && may_be_threes && bytes.len() - read >= THREES_FROM {
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
            let mut expected = announced | leads << 1 | threes << 2;
            if may_have_fours {
                // Bit 4.
                let fours = threes & block.shift_up::<3>().non_ascii() as u32;
                expected |= fours << 3;
            }
            misplaced |= (expected ^ tails) & 0xffff;
            let ends = !(expected >> 1) & (0xffff >> (BLOCK - count));
            let last = block.one_before(before);
            bad = bad.or(ill_formed::<H, T>(block, last, is_tail));
            let two_before = block.two_before(before);
            let codes = codes::<H, T>(block, last, two_before, is_tail);
            let halves = [ends & 0xff, ends >> 8].map(|ends| ends as usize);
            let kept = keep::<H, T>(codes, halves);
            let counts = halves.map(|half| half.count_ones() as usize);
            let (to, is_roomy) = (target.add(written), room - written >= BLOCK);
            if !is_roomy && counts[0] + counts[1] > room - written {
                // More characters than lead bytes.
                return false;
            }
            if may_have_fours {
                let three_before = two_before.one_before(before.two_before(before));
                let planes = planes(last, two_before, three_before, is_tail);
                store_wide(kept, keep_bytes(planes, halves), counts, to.cast(), is_roomy);
            } else if is_roomy {
                store_half(kept.0, to);
                store_half(kept.1, to.add(counts[0]));
            } else {
                store_exact(kept, counts, to);
            }
            written += counts[0] + counts[1];
            before = block;
            announced = expected >> 16;
            read += count;
            // Go back to the last lead byte, if its character is not complete: it was not written.
            let are_left = may_have_threes && bytes.len() - read >= THREES_FROM;
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

/// Decodes characters of three bytes at the start of `bytes`, eight in a step. Returns the number
/// of steps; all that they read was well formed.
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
    // The last lead byte of characters that fit units of one, two and four bytes.
    let widest = [0xc3, 0xef, 0xf4][size_of::<T>() / 2];
    let short = block.and(H::splat(0xfe)).same(H::splat(0xc0));
    let bad = block.above(H::splat(widest)).or(short);
    if size_of::<T>() == 1 {
        return bad;
    }
    // E0 demands a second byte from A0 on, ED one below.
    let is_below = block.is_less(H::splat(0xa0));
    let overlong = last.same(H::splat(0xe0)).and(is_below);
    let surrogate = last.same(H::splat(0xed)).without(is_below);
    let mut second = overlong.or(surrogate);
    if size_of::<T>() == 4 {
        // F0 demands a second byte from 90 on, F4 one below.
        let is_below = block.is_less(H::splat(0x90));
        second = second.or(last.same(H::splat(0xf0)).and(is_below));
        second = second.or(last.same(H::splat(0xf4)).without(is_below));
    }
    bad.or(second.and(is_tail))
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

/// The planes of the characters that end with the bytes of the block: the bits above the lower
/// sixteen.
#[inline(always)]
fn planes<H: Sixteen>(last: H, two_before: H, three_before: H, is_tail: H) -> H {
    let is_less = |bytes: H| bytes.is_less(H::splat(0xc0));
    let is_fourth = is_tail.and(is_less(last)).and(is_less(two_before));
    // Shifts of pairs of lanes, as above.
    let upper = three_before.and(H::splat(7)).shift_up::<2>();
    let lower = two_before.shift_down::<4>().and(H::splat(3));
    upper.or(lower).and(is_fourth)
}

/// The characters whose bits are set in the halves, which are those of a block, each half at the
/// front of a vector with zeros above. Both are below 256.
#[inline(always)]
fn keep<H: Sixteen, T: Target>(codes: (H, H), halves: [usize; 2]) -> (H, H) {
    if size_of::<T>() == 1 {
        return keep_bytes(codes.0, halves);
    }
    let (first, second) = codes.0.interleave(codes.1);
    // SAFETY: each shuffle has sixteen bytes.
    let kept = |index: usize| unsafe { H::load(KEPT_WORDS[index].as_ptr()) };
    (first.shuffle(kept(halves[0])), second.shuffle(kept(halves[1])))
}

/// [`keep`] of lanes of one byte.
#[inline(always)]
fn keep_bytes<H: Sixteen>(lanes: H, halves: [usize; 2]) -> (H, H) {
    let (first, second) = lanes.halves();
    // SAFETY: each shuffle has sixteen bytes.
    let kept = |index: usize| unsafe { H::load(KEPT_BYTES[index].as_ptr()) };
    (first.shuffle(kept(halves[0])), second.shuffle(kept(halves[1])))
}
