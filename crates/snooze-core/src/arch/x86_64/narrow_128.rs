//! Reads UTF-8 of characters up to U+FFFF with 128-bit vectors, for the tiers `v128` and `avx2`:
//! sixteen bytes in one step.
//!
//! Every byte of a block is taken for the last one of a character, together with the two bytes
//! before it; then the lanes of bytes that end no character are removed by a shuffle from a table.
//! So a step does not wait for the length that the one before it found. Text of three-byte
//! characters alone, such as Chinese, is read eight characters in one step. What is ill formed is
//! collected, and judged at the end: continuation bytes must be exactly where lead bytes announce
//! them, and no character may be overlong, a surrogate, or too wide for the unit (RFC 3629).
//! Separate from `decode_128`, which reads characters of any width. Called through
//! `Vector::decode_utf8`.

use core::arch::x86_64::*;
use core::marker::PhantomData;

use super::super::generic::units::Target;
use super::super::{Lanes, Task, Vector};
use super::partial::partial_128;

/// The bytes of a block.
const BLOCK: usize = 16;

/// The shuffle that moves the lanes of two bytes to the front whose bits are set in the index.
static KEPT_WORDS: [[u8; 16]; 256] = {
    let mut table = [[0x80; 16]; 256];
    let mut index = 0;
    while index < 256 {
        let (mut lane, mut at) = (0, 0);
        while lane < 8 {
            if index >> lane & 1 == 1 {
                table[index][at] = 2 * lane;
                table[index][at + 1] = 2 * lane + 1;
                at += 2;
            }
            lane += 1;
        }
        index += 1;
    }
    table
};

/// The same for lanes of one byte.
static KEPT_BYTES: [[u8; 8]; 256] = {
    let mut table = [[0x80; 8]; 256];
    let mut index = 0;
    while index < 256 {
        let (mut lane, mut at) = (0, 0);
        while lane < 8 {
            if index >> lane & 1 == 1 {
                table[index][at] = lane;
                at += 1;
            }
            lane += 1;
        }
        index += 1;
    }
    table
};

/// The shuffles that move all bytes up or down: from offset `16 - n` on up by `n`, from `16 + n` on
/// down.
static MOVES: [u8; 48] = {
    let mut table = [0x80; 48];
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
pub(super) struct Wide<'a, H> {
    bytes: &'a [u8],
    target: *mut u16,
    room: usize,
    half: PhantomData<H>,
}

impl<'a, H: Lanes> Wide<'a, H> {
    /// Decodes `bytes` into `room` units.
    ///
    /// # Safety
    /// As for [`decode_utf8`], when the task runs.
    #[inline(always)]
    pub(super) unsafe fn new(bytes: &'a [u8], target: *mut u16, room: usize) -> Self {
        Self { bytes, target, room, half: PhantomData }
    }
}

impl<H: Lanes> Task for Wide<'_, H> {
    type Output = bool;

    #[inline(always)]
    fn with_vectors<V: Vector>(self) -> bool {
        // SAFETY: as whoever made the task guarantees.
        unsafe { decode_utf8::<H, _>(self.bytes, self.target, self.room) }
    }
}

/// `Vector::decode_utf8` for `v128` and `avx2`, of units of one and two bytes; `H` is the vector of
/// sixteen bytes.
///
/// # Safety
/// The processor has SSE4.2; `target` is valid for writing `room` units.
#[inline(always)]
pub(super) unsafe fn decode_utf8<H: Lanes, T: Target>(
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
    // SAFETY: the processor has SSE4.2, because the caller guarantees it. Blocks are read in bounds,
    // because `count` bytes are left. Units are written in bounds, because each place compares with
    // the room that is left.
    unsafe {
        let (mut before, mut bad) = (_mm_setzero_si128(), _mm_setzero_si128());
        while read < bytes.len() {
            let source = bytes.as_ptr().add(read);
            if is_wide && may_be_threes && bytes.len() - read >= THREES_FROM {
                let steps = threes(&bytes[read..], target.add(written).cast(), room - written);
                read += THREES_BYTES * steps;
                written += THREES_CHARS * steps;
                may_be_threes = false;
                continue;
            }
            let count = (bytes.len() - read).min(BLOCK);
            let block = if count == BLOCK {
                _mm_loadu_si128(source.cast())
            } else {
                partial_128(source, count)
            };
            let non_ascii = _mm_movemask_epi8(block) as u32;
            if non_ascii | announced == 0 && count == BLOCK && room - written >= BLOCK {
                T::widen::<H>(source, target.add(written));
                read += BLOCK;
                written += BLOCK;
                continue;
            }
            // As signed bytes, continuation bytes are those below -64.
            let is_tail = _mm_cmpgt_epi8(_mm_set1_epi8(-64), block);
            let tails = _mm_movemask_epi8(is_tail) as u32;
            let leads = non_ascii & !tails;
            // Lead bytes of three bytes have bit 5; it is shifted to the top.
            let threes = leads & _mm_movemask_epi8(_mm_slli_epi16::<2>(block)) as u32;
            let expected = announced | leads << 1 | threes << 2;
            misplaced |= (expected ^ tails) & 0xffff;
            let ends = !(expected >> 1) & (0xffff >> (BLOCK - count));
            let last = _mm_alignr_epi8::<15>(block, before);
            bad = _mm_or_si128(bad, ill_formed::<T>(block, last, is_tail));
            let two_before = _mm_alignr_epi8::<14>(block, before);
            let codes = codes::<T>(block, last, two_before, is_tail);
            let [low, high] = [ends & 0xff, ends >> 8].map(|ends| ends as usize);
            let (kept_low, kept_high) = keep::<T>(codes, low, high);
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
        misplaced | announced == 0 && _mm_testz_si128(bad, bad) == 1
    }
}

/// Decodes characters of three bytes at the start of `bytes`, eight in a step. Returns the number of
/// steps; all that they read was well formed.
///
/// # Safety
/// The processor has SSE4.2; `target` is valid for writing `room` units.
#[inline(always)]
unsafe fn threes(bytes: &[u8], target: *mut u16, room: usize) -> usize {
    // SAFETY: in bounds, because the loop compares with what is left of both; the caller guarantees
    // the rest.
    unsafe {
        let splat = |value: u16| _mm_set1_epi16(value as i16);
        let mut step = 0;
        while bytes.len() >= THREES_BYTES * (step + 1) && room >= THREES_CHARS * (step + 1) {
            let from = bytes.as_ptr().add(THREES_BYTES * step);
            let window = |at| _mm_loadu_si128(from.add(at).cast());
            let (low, high) = (window(0), window(8));
            let gather = |part: usize| {
                let shuffle = |at: usize| _mm_loadu_si128(THREES[at][part].as_ptr().cast());
                let from_low = _mm_shuffle_epi8(low, shuffle(0));
                _mm_or_si128(from_low, _mm_shuffle_epi8(high, shuffle(1)))
            };
            let (tails, leads) = (gather(0), gather(1));
            let of_tails = _mm_xor_si128(_mm_and_si128(tails, splat(0xc0c0)), splat(0x8080));
            let of_leads = _mm_xor_si128(_mm_and_si128(leads, splat(0xf000)), splat(0xe000));
            let low = _mm_and_si128(tails, splat(0x3f));
            let middle = _mm_and_si128(_mm_srli_epi16::<2>(tails), splat(0xfc0));
            let code = _mm_or_si128(_mm_or_si128(low, middle), _mm_slli_epi16::<4>(leads));
            let top = _mm_and_si128(code, splat(0xf800));
            let is_overlong = _mm_cmpeq_epi16(top, _mm_setzero_si128());
            let is_surrogate = _mm_cmpeq_epi16(top, splat(0xd800));
            let bad = _mm_or_si128(
                _mm_or_si128(of_tails, of_leads),
                _mm_or_si128(is_overlong, is_surrogate),
            );
            if _mm_testz_si128(bad, bad) == 0 {
                break;
            }
            _mm_storeu_si128(target.add(THREES_CHARS * step).cast(), code);
            step += 1;
        }
        step
    }
}

/// Not zero if the block has a character that is overlong, a surrogate, or too wide for the unit;
/// `last` are the bytes before those of the block.
///
/// # Safety
/// The processor has SSE4.2.
#[inline(always)]
unsafe fn ill_formed<T: Target>(block: __m128i, last: __m128i, is_tail: __m128i) -> __m128i {
    // SAFETY: the processor has SSE4.2, because the caller guarantees it.
    unsafe {
        let splat = |value: u8| _mm_set1_epi8(value as i8);
        let widest = if size_of::<T>() == 1 { 0xc3 } else { 0xef };
        let too_wide = _mm_subs_epu8(block, splat(widest));
        let short = _mm_cmpeq_epi8(_mm_and_si128(block, splat(0xfe)), splat(0xc0));
        let bad = _mm_or_si128(too_wide, short);
        if size_of::<T>() == 1 {
            return bad;
        }
        // E0 demands a second byte from A0 on, ED one below.
        let below = _mm_cmpgt_epi8(splat(0xa0), block);
        let overlong = _mm_and_si128(_mm_cmpeq_epi8(last, splat(0xe0)), below);
        let surrogate = _mm_andnot_si128(below, _mm_cmpeq_epi8(last, splat(0xed)));
        _mm_or_si128(bad, _mm_and_si128(is_tail, _mm_or_si128(overlong, surrogate)))
    }
}

/// The low and the high bytes of the characters that end with the bytes of the block, if they end
/// characters; there are high bytes for wide units only.
///
/// # Safety
/// The processor has SSE4.2.
#[inline(always)]
unsafe fn codes<T: Target>(
    block: __m128i,
    last: __m128i,
    two_before: __m128i,
    is_tail: __m128i,
) -> (__m128i, __m128i) {
    // SAFETY: the processor has SSE4.2, because the caller guarantees it.
    unsafe {
        let splat = |value: u8| _mm_set1_epi8(value as i8);
        let first = _mm_xor_si128(block, _mm_and_si128(is_tail, splat(0x80)));
        let second = _mm_and_si128(last, _mm_and_si128(is_tail, splat(0x3f)));
        // Shifts of lanes of two bytes: the masks remove what comes from the other byte.
        let low = _mm_and_si128(_mm_slli_epi16::<6>(second), splat(0xc0));
        let low = _mm_or_si128(first, low);
        if size_of::<T>() == 1 {
            return (low, low);
        }
        let is_third = _mm_and_si128(is_tail, _mm_cmpgt_epi8(_mm_set1_epi8(-64), last));
        let third = _mm_and_si128(two_before, _mm_and_si128(is_third, splat(0x0f)));
        let high = _mm_and_si128(_mm_srli_epi16::<2>(second), splat(0x0f));
        (low, _mm_or_si128(high, _mm_slli_epi16::<4>(third)))
    }
}

/// The characters whose bits are set in `low` and `high`, the halves of a block, each half at the
/// front of a vector with zeros above.
///
/// # Safety
/// The processor has SSE4.2; both indices are below 256.
#[inline(always)]
unsafe fn keep<T: Target>(
    codes: (__m128i, __m128i),
    low: usize,
    high: usize,
) -> (__m128i, __m128i) {
    // SAFETY: the processor has SSE4.2, because the caller guarantees it.
    unsafe {
        if size_of::<T>() == 1 {
            let kept = |index: usize| _mm_loadl_epi64(KEPT_BYTES[index].as_ptr().cast());
            // The upper half of each shuffle is zero, which takes the first byte; it is removed.
            let in_place = |bytes| _mm_move_epi64(bytes);
            let first = _mm_shuffle_epi8(codes.0, kept(low));
            let second = _mm_shuffle_epi8(_mm_srli_si128::<8>(codes.0), kept(high));
            (in_place(first), in_place(second))
        } else {
            let kept = |index: usize| _mm_loadu_si128(KEPT_WORDS[index].as_ptr().cast());
            let first = _mm_shuffle_epi8(_mm_unpacklo_epi8(codes.0, codes.1), kept(low));
            let second = _mm_shuffle_epi8(_mm_unpackhi_epi8(codes.0, codes.1), kept(high));
            (first, second)
        }
    }
}

/// Stores eight units.
///
/// # Safety
/// The processor has SSE4.2; eight units are writable at `target`.
#[inline(always)]
unsafe fn store_half<T: Target>(units: __m128i, target: *mut T) {
    // SAFETY: as the caller guarantees.
    unsafe {
        if size_of::<T>() == 1 {
            _mm_storel_epi64(target.cast(), units);
        } else {
            _mm_storeu_si128(target.cast(), units);
        }
    }
}

/// Stores `low` and then `high` units, at most eight each, and nothing after them.
///
/// PERF: from registers. A copy of stored units waits for both stores: lists of short Russian words in
/// 1.1 of the time (2026-11-28).
///
/// # Safety
/// The processor has SSE4.2; `low + high` units are writable at `target`; lanes above these units are
/// zero.
#[inline(always)]
unsafe fn store_exact<T: Target>(
    first: __m128i,
    low: usize,
    second: __m128i,
    high: usize,
    target: *mut T,
) {
    let (before, length) = (low * size_of::<T>(), (low + high) * size_of::<T>());
    let target = target.cast::<u8>();
    // SAFETY: in bounds, because each arm stores at most `length` bytes from the start and before the
    // end; the loads are inside the table, because no move is by more than 16.
    unsafe {
        let moved = |bytes, from: usize| {
            _mm_shuffle_epi8(bytes, _mm_loadu_si128(MOVES.as_ptr().add(from).cast()))
        };
        let start = _mm_or_si128(first, moved(second, 16 - before));
        if length > 16 {
            // The last sixteen bytes, from all 32.
            let rest = moved(second, 32 - before);
            let end = _mm_or_si128(moved(start, length), moved(rest, length - 16));
            _mm_storeu_si128(target.cast(), start);
            _mm_storeu_si128(target.add(length - 16).cast(), end);
        } else if length >= 8 {
            _mm_storel_epi64(target.cast(), start);
            _mm_storel_epi64(target.add(length - 8).cast(), moved(start, 16 + length - 8));
        } else if length >= 4 {
            let bytes = _mm_cvtsi128_si64(start) as u64;
            target.cast::<u32>().write_unaligned(bytes as u32);
            let end = (bytes >> (8 * (length - 4))) as u32;
            target.add(length - 4).cast::<u32>().write_unaligned(end);
        } else {
            let bytes = _mm_cvtsi128_si32(start) as u32;
            if length >= 2 {
                target.cast::<u16>().write_unaligned(bytes as u16);
            }
            if length % 2 == 1 {
                target.add(length - 1).write((bytes >> (8 * (length - 1))) as u8);
            }
        }
    }
}
