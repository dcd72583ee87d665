//! Reads UTF-8 of characters up to U+FFFF with AVX-512: sixty-four bytes in one step.
//!
//! As in `generic::utf8_blocks`, every byte of a block is taken for the last one of a character,
//! and the lanes of bytes that end no character are removed, here by a compression (VBMI2). Text of
//! three-byte characters alone is read twenty-one characters in one step. Separate from
//! `decode_512`, which reads characters of any width, and short text of two-byte units. Called
//! through `Vector::decode_utf8`.

use core::arch::x86_64::*;

use super::super::generic::units::Target;
use super::super::{Lanes, Task, Vector};

/// The bytes of a block.
const BLOCK: usize = 64;

/// Text of fewer bytes is not tried as characters of three bytes.
const THREES_FROM: usize = 128;

/// The bytes that one step of [`threes`] reads, and the characters that these are.
const THREES_BYTES: usize = 63;
const THREES_CHARS: usize = 21;

/// The indices that gather characters of three bytes into lanes of two: the last byte and the one
/// before it; and the first byte, in the upper half of the lane.
const THREES: [[u8; 64]; 2] = {
    let mut indices = [[0; 64]; 2];
    let mut char = 0;
    while char < THREES_CHARS {
        indices[0][2 * char] = 3 * char as u8 + 2;
        indices[0][2 * char + 1] = 3 * char as u8 + 1;
        indices[1][2 * char + 1] = 3 * char as u8;
        char += 1;
    }
    indices
};

/// The indices of the byte before each byte of a block, and of the one before that; from 64 on
/// those of the block before.
const BEFORE: [[u8; 64]; 2] = {
    let mut indices = [[0; 64]; 2];
    let mut lane = 0;
    while lane < BLOCK {
        indices[0][lane] = (lane as u8).wrapping_sub(1) & 127;
        indices[1][lane] = (lane as u8).wrapping_sub(2) & 127;
        lane += 1;
    }
    indices
};

/// What a block leaves for the next one: the bytes that are to be second bytes, and third ones.
#[derive(Clone, Copy)]
struct Announced {
    seconds: u64,
    thirds: u64,
}

/// A block and what its bytes are, a bit each.
struct Block {
    bytes: __m512i,
    /// The bytes before those of the block, and those before these.
    last: __m512i,
    two_before: __m512i,
    /// Continuation bytes, and those that are third bytes.
    tails: u64,
    thirds: u64,
}

/// The task of decoding text to units of two bytes, compiled apart from that of short text.
pub(super) struct Wide<'a> {
    bytes: &'a [u8],
    target: *mut u16,
    room: usize,
}

impl<'a> Wide<'a> {
    /// Decodes `bytes` into `room` units.
    ///
    /// # Safety
    /// As for [`decode_utf8`], when the task runs.
    #[inline(always)]
    pub(super) unsafe fn new(bytes: &'a [u8], target: *mut u16, room: usize) -> Self {
        Self { bytes, target, room }
    }
}

impl Task for Wide<'_> {
    type Output = bool;

    #[inline(always)]
    fn with_vectors<V: Vector>(self) -> bool {
        // SAFETY: as whoever made the task guarantees.
        unsafe { decode_utf8::<V, _>(self.bytes, self.target, self.room) }
    }
}

/// `Vector::decode_utf8` for `avx512`, the vectors `V`, of units of one and two bytes.
///
/// # Safety
/// The processor has the tier; `target` is valid for writing `room` units.
#[inline(always)]
pub(super) unsafe fn decode_utf8<V: Lanes, T: Target>(
    bytes: &[u8],
    target: *mut T,
    room: usize,
) -> bool {
    const { assert!(V::LANES == BLOCK && size_of::<T>() <= 2) };
    let is_wide = size_of::<T>() == 2;
    let (mut read, mut written) = (0, 0);
    let mut announced = Announced { seconds: 0, thirds: 0 };
    let mut bad = 0;
    let mut may_be_threes = true;
    // SAFETY: the processor has the tier, because the caller guarantees it. The masks of the loads
    // cover only the `count` bytes that are left. Units are written in bounds, because each place
    // compares with the room left.
    unsafe {
        let mut before = _mm512_setzero_si512();
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
            let loaded = u64::MAX >> (BLOCK - count);
            let block = _mm512_maskz_loadu_epi8(loaded, source.cast());
            let non_ascii = _mm512_movepi8_mask(block);
            let is_announced = announced.seconds | announced.thirds != 0;
            if non_ascii == 0 && !is_announced && count == BLOCK && room - written >= BLOCK {
                T::widen::<V>(source, target.add(written));
                read += BLOCK;
                written += BLOCK;
                continue;
            }
            // As signed bytes, continuation bytes are those below -64.
            let tails = _mm512_cmplt_epi8_mask(block, _mm512_set1_epi8(-64));
            let leads = non_ascii & !tails;
            let threes = leads & _mm512_test_epi8_mask(block, _mm512_set1_epi8(0x20));
            let seconds = announced.seconds | leads << 1;
            let thirds = announced.thirds | threes << 2;
            bad |= (seconds | thirds) ^ tails;
            announced = Announced { seconds: leads >> 63, thirds: threes >> 62 };
            let next = announced.seconds | announced.thirds;
            let ends = !((seconds | thirds) >> 1 | next << 63) & loaded;

            let moved = |by: usize| {
                let indices = _mm512_loadu_si512(BEFORE[by - 1].as_ptr().cast());
                _mm512_permutex2var_epi8(block, indices, before)
            };
            let parts = Block { bytes: block, last: moved(1), two_before: moved(2), tails, thirds };
            bad |= ill_formed::<T>(&parts);
            let stored = ends.count_ones() as usize;
            if stored > room - written {
                // More characters than lead bytes.
                return false;
            }
            store(&parts, ends, target.add(written));
            written += stored;
            before = block;
            read += count;
            // Go back to the last lead byte, if its character is not complete: it was not written.
            let are_left = is_wide && bytes.len() - read >= THREES_FROM;
            if are_left && non_ascii == u64::MAX && threes == leads {
                may_be_threes = true;
                if next != 0 {
                    read -= leads.leading_zeros() as usize + 1;
                    announced = Announced { seconds: 0, thirds: 0 };
                }
            }
        }
    }
    bad | announced.seconds | announced.thirds == 0
}

/// Decodes characters of three bytes at the start of `bytes`, twenty-one in a step. Returns the
/// number of steps; all that they read was well formed.
///
/// # Safety
/// The processor has the tier; `target` is valid for writing `room` units.
#[inline(always)]
unsafe fn threes(bytes: &[u8], target: *mut u16, room: usize) -> usize {
    // SAFETY: in bounds, because the loop compares with what is left of both, and the masks cover
    // what a step reads and writes; the caller guarantees the rest.
    unsafe {
        let splat = |value: u16| _mm512_set1_epi16(value as i16);
        let indices = |part: usize| _mm512_loadu_si512(THREES[part].as_ptr().cast());
        let lanes = (1 << THREES_CHARS) - 1;
        let mut step = 0;
        while bytes.len() >= THREES_BYTES * (step + 1) && room >= THREES_CHARS * (step + 1) {
            let from = bytes.as_ptr().add(THREES_BYTES * step).cast();
            let window = _mm512_maskz_loadu_epi8(u64::MAX >> 1, from);
            let tails = _mm512_permutexvar_epi8(indices(0), window);
            let leads = _mm512_permutexvar_epi8(indices(1), window);
            let tops = _mm512_and_si512(tails, splat(0xc0c0));
            let of_tails = _mm512_cmpneq_epi16_mask(tops, splat(0x8080));
            let tops = _mm512_and_si512(leads, splat(0xf000));
            let of_leads = _mm512_cmpneq_epi16_mask(tops, splat(0xe000));
            let low = _mm512_and_si512(tails, splat(0x3f));
            let middle = _mm512_and_si512(_mm512_srli_epi16::<2>(tails), splat(0xfc0));
            let high = _mm512_slli_epi16::<4>(leads);
            let high = _mm512_and_si512(high, splat(0xf000));
            let code = _mm512_or_si512(_mm512_or_si512(low, middle), high);
            let top = _mm512_and_si512(code, splat(0xf800));
            let is_overlong = _mm512_testn_epi16_mask(top, top);
            let is_surrogate = _mm512_cmpeq_epi16_mask(top, splat(0xd800));
            if (of_tails | of_leads | is_overlong | is_surrogate) & lanes != 0 {
                break;
            }
            _mm512_mask_storeu_epi16(target.add(THREES_CHARS * step).cast(), lanes, code);
            step += 1;
        }
        step
    }
}

/// The bytes with which a character is overlong, a surrogate, or too wide for the unit.
///
/// # Safety
/// The processor has the tier.
#[inline(always)]
unsafe fn ill_formed<T: Target>(block: &Block) -> u64 {
    // SAFETY: the processor has the tier, because the caller guarantees it.
    unsafe {
        let splat = |value: u8| _mm512_set1_epi8(value as i8);
        let widest = if size_of::<T>() == 1 { 0xc3 } else { 0xef };
        let too_wide = _mm512_cmpgt_epu8_mask(block.bytes, splat(widest));
        let pairs = _mm512_and_si512(block.bytes, splat(0xfe));
        let bad = too_wide | _mm512_cmpeq_epi8_mask(pairs, splat(0xc0));
        if size_of::<T>() == 1 {
            return bad;
        }
        // E0 demands a second byte from A0 on, ED one below.
        let below = _mm512_cmplt_epi8_mask(block.bytes, splat(0xa0));
        let overlong = _mm512_cmpeq_epi8_mask(block.last, splat(0xe0)) & below;
        let surrogate = _mm512_cmpeq_epi8_mask(block.last, splat(0xed)) & !below;
        bad | block.tails & (overlong | surrogate)
    }
}

/// Stores the characters that end with the bytes whose bits are set in `ends`.
///
/// # Safety
/// The processor has the tier; a unit is writable at `target` for each bit.
#[inline(always)]
unsafe fn store<T: Target>(block: &Block, ends: u64, target: *mut T) {
    // SAFETY: in bounds, because the masks of the stores have as many bits as `ends`; the caller
    // guarantees the rest.
    unsafe {
        let splat = |value: u8| _mm512_set1_epi8(value as i8);
        let first = _mm512_mask_sub_epi8(block.bytes, block.tails, block.bytes, splat(0x80));
        let second = _mm512_and_si512(block.last, splat(0x3f));
        let second = _mm512_maskz_mov_epi8(block.tails, second);
        if size_of::<T>() == 1 {
            let shifted = _mm512_and_si512(_mm512_slli_epi16::<6>(second), splat(0xc0));
            let codes = _mm512_maskz_compress_epi8(ends, _mm512_or_si512(first, shifted));
            let lanes = _bzhi_u64(u64::MAX, ends.count_ones());
            _mm512_mask_storeu_epi8(target.cast(), lanes, codes);
            return;
        }
        let third = _mm512_and_si512(block.two_before, splat(0x0f));
        let third = _mm512_maskz_mov_epi8(block.thirds, third);
        let half = |parts: __m512i, half: usize| {
            if half == 0 {
                _mm512_cvtepu8_epi16(_mm512_castsi512_si256(parts))
            } else {
                _mm512_cvtepu8_epi16(_mm512_extracti64x4_epi64::<1>(parts))
            }
        };
        let mut written = 0;
        for part in 0..2 {
            let kept = (ends >> (32 * part)) as u32;
            if kept == 0 {
                continue;
            }
            let low = half(first, part);
            let middle = _mm512_slli_epi16::<6>(half(second, part));
            let high = _mm512_slli_epi16::<12>(half(third, part));
            let codes = _mm512_or_si512(_mm512_or_si512(low, middle), high);
            let codes = _mm512_maskz_compress_epi16(kept, codes);
            let lanes = _bzhi_u32(u32::MAX, kept.count_ones());
            _mm512_mask_storeu_epi16(target.add(written).cast(), lanes, codes);
            written += kept.count_ones() as usize;
        }
    }
}
