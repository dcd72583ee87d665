//! Reads UTF-8 with 128-bit vectors, for the tiers `v128` and `avx2`: up to six characters of mixed
//! lengths in one step.
//!
//! Which of the next bytes begin a character is an index into a table, which has the lengths of the
//! characters and a shuffle that puts each into a lane: six characters of at most two bytes, or up
//! to four of any length. Then the lanes are checked: a lane must have the bits that its number of
//! bytes demands, and no code point may be overlong, a surrogate, or above U+10FFFF (RFC 3629).
//! Reads short text of units of two and four bytes; `generic::utf8_blocks` reads the rest. Separate
//! because both tiers share it. Called through `Vector::decode_utf8`. After Lemire and Muła,
//! "Transcoding billions of Unicode characters per second with SIMD instructions" (2022).

use core::arch::x86_64::*;

use super::super::generic::aligned::Aligned;
use super::super::generic::sixteen::Sixteen;
use super::super::generic::units::Target;
use super::super::generic::{utf8, utf8_blocks};
use super::super::{Lanes, Vector};
use super::partial::partial_128;

/// Text of units of two or four bytes is read in blocks from this length on.
///
/// PERF: short Chinese texts have fewer steps than blocks, and lists of them took 1.05 to 1.14 of
/// the time in blocks; with the code for blocks inline, 1.03 to 1.08 (2026-11-28). Not measured for
/// units of four bytes.
const BLOCKS_FROM: usize = 48;

/// How the characters at the start of a window are decoded.
#[derive(Clone, Copy)]
struct Step {
    /// The index of the shuffle: in [`PAIRS`] if there are six characters, otherwise in [`FOURS`].
    shuffle: u16,
    /// Bytes.
    len: u8,
    /// Characters, at most four if they are not six; none if the first one does not end among the
    /// first twelve bytes, or has more than four.
    chars: u8,
}

/// The characters in lanes of two bytes, and in lanes of four.
const PAIR_CHARS: usize = 6;
const FOUR_CHARS: usize = 4;

/// The bytes that begin a character, as bits, in a run of characters of three bytes, up to the one
/// after the fourth; and the index of the shuffle for four of them.
const THREES_LEADS: usize = 0b1_001_001_001_001;
const THREES: usize = 0b10_10_10_10;
/// The same for six characters of two bytes.
const TWOS_LEADS: usize = 0b1_01_01_01_01_01_01;
const TWOS: usize = 0b11_1111;

/// The shuffles for six characters of one byte, or of two if its bit of the index is set. A lane
/// has the bytes of its character in reverse order, then zeros.
static PAIRS: Aligned<[[u8; 16]; 64]> = {
    let mut table = [[0x80; 16]; 64];
    let mut index = 0;
    while index < 64 {
        let (mut lane, mut at) = (0, 0);
        while lane < PAIR_CHARS {
            let two = index >> lane & 1;
            table[index][2 * lane] = (at + two) as u8;
            if two == 1 {
                table[index][2 * lane + 1] = at as u8;
            }
            at += 1 + two;
            lane += 1;
        }
        index += 1;
    }
    Aligned(table)
};

/// The shuffles for four characters: two bits of the index for each are its length minus one.
/// Serves fewer characters too.
static FOURS: Aligned<[[u8; 16]; 256]> = {
    let mut table = [[0x80; 16]; 256];
    let mut index = 0;
    while index < 256 {
        let (mut lane, mut at) = (0, 0);
        while lane < FOUR_CHARS {
            let len = (index >> (2 * lane) & 3) + 1;
            let mut byte = 0;
            while byte < len {
                // At most 4 * 4 bytes, so every index is below 16.
                table[index][4 * lane + byte] = (at + len - 1 - byte) as u8;
                byte += 1;
            }
            at += len;
            lane += 1;
        }
        index += 1;
    }
    Aligned(table)
};

/// The steps: bit `n` of the index says that byte `n + 1` of the window is the first one after a
/// character.
static STEPS: Aligned<[Step; 4096]> = {
    let mut table = [Step { shuffle: 0, len: 0, chars: 0 }; 4096];
    let mut index = 0;
    while index < 4096 {
        table[index] = step_of(index);
        index += 1;
    }
    Aligned(table)
};

const fn step_of(ends: usize) -> Step {
    let (mut lens, mut chars, mut from, mut at) = ([0_usize; PAIR_CHARS], 0, 0, 0);
    while at < 12 && chars < PAIR_CHARS {
        at += 1;
        if ends >> (at - 1) & 1 == 1 {
            if at - from > 4 {
                break;
            }
            lens[chars] = at - from;
            chars += 1;
            from = at;
        }
    }
    let (mut pairs, mut are_pairs, mut lane) = (0, chars == PAIR_CHARS, 0);
    while lane < chars {
        are_pairs &= lens[lane] <= 2;
        pairs |= (lens[lane] / 2) << lane;
        lane += 1;
    }
    if are_pairs {
        return Step { shuffle: pairs as u16, len: from as u8, chars: PAIR_CHARS as u8 };
    }
    if chars > FOUR_CHARS {
        chars = FOUR_CHARS;
    }
    let (mut fours, mut len, mut lane) = (0, 0, 0);
    while lane < chars {
        fours |= (lens[lane] - 1) << (2 * lane);
        len += lens[lane];
        lane += 1;
    }
    Step { shuffle: fours as u16, len: len as u8, chars: chars as u8 }
}

/// `Vector::decode_utf8` for `v128` and `avx2`, the vectors `V`; `H` is the vector of sixteen
/// bytes.
///
/// # Safety
/// The processor has SSE4.2; otherwise as for `Vector::decode_utf8`.
#[inline(always)]
pub(super) unsafe fn decode_utf8<V: Vector, H: Vector + Sixteen, T: Target>(
    bytes: &[u8],
    target: *mut T,
    room: usize,
) -> bool {
    // SAFETY: as the caller guarantees.
    unsafe {
        if size_of::<T>() == 1 {
            utf8_blocks::decode_utf8::<H, T>(bytes, target, room)
        } else if bytes.len() >= BLOCKS_FROM {
            V::run_outlined(utf8_blocks::Wide::<H, T>::new(bytes, target, room))
        } else {
            utf8::decode::<H, T>(bytes, target, |rest, to| decode_some::<H, T>(rest, to))
        }
    }
}

/// Decodes characters at the start of `bytes`, as `utf8::decode` wants it, to units of two or four
/// bytes.
///
/// # Safety
/// The processor has SSE4.2; `target` is valid for writing one unit for each byte of `bytes` that
/// is not a continuation byte; a unit has two or four bytes.
#[inline(always)]
unsafe fn decode_some<H: Lanes, T: Target>(bytes: &[u8], target: *mut T) -> (usize, usize) {
    const { assert!(H::LANES == 16) };
    let (mut read, mut written) = (0, 0);
    // The caller decodes the last bytes faster, one by one.
    while bytes.len() - read > 3 {
        let rest = &bytes[read..];
        // SAFETY: the processor has SSE4.2, because the caller guarantees it. The loads are in
        // bounds, because the branch checks it or the partial load reads only the rest. All writes
        // are in bounds, because each writes as many units as lead bytes were read, of which ASCII
        // is a kind: `step_of` counts characters by their first bytes, of which the branch checks
        // the first one, and has no more than four for `decode_fours`.
        unsafe {
            let source = rest.as_ptr();
            let count = rest.len().min(16);
            let window = if count == 16 {
                _mm_loadu_si128(source.cast())
            } else {
                partial_128(source, count)
            };
            let to = target.add(written);
            if count == 16 && _mm_movemask_epi8(window) == 0 {
                T::widen::<H>(source, to);
                read += 16;
                written += 16;
                continue;
            }
            // As signed bytes, continuation bytes are those below -64. The end of the text ends a
            // character too.
            let leads = _mm_movemask_epi8(_mm_cmpgt_epi8(window, _mm_set1_epi8(-65))) as usize;
            let leads = leads & !(usize::MAX << count) | (1 << count & 0xffff);
            // PERF: texts in one script are runs of one length. With a branch for them, the next
            // load does not wait for a look-up: 0.5x on text in Chinese (2026-11-22).
            if leads & 0x1fff == THREES_LEADS {
                if !decode_fours(window, THREES, FOUR_CHARS, to) {
                    break;
                }
                read += 3 * FOUR_CHARS;
                written += FOUR_CHARS;
                continue;
            }
            if leads & 0x1fff == TWOS_LEADS {
                if !decode_pairs(window, TWOS, to) {
                    break;
                }
                read += 2 * PAIR_CHARS;
                written += PAIR_CHARS;
                continue;
            }
            let step = &STEPS[leads >> 1 & 0xfff];
            let is_decoded = leads & 1 == 1
                && if usize::from(step.chars) == PAIR_CHARS {
                    decode_pairs(window, usize::from(step.shuffle), to)
                } else {
                    decode_fours(window, usize::from(step.shuffle), step.chars.into(), to)
                };
            if !is_decoded {
                break;
            }
            read += usize::from(step.len);
            written += usize::from(step.chars);
        }
    }
    (read, written)
}

/// Decodes six characters of at most two bytes; whether they are well formed and fit the unit.
///
/// # Safety
/// The processor has SSE4.2; six units of two or four bytes are writable at `target`.
#[inline(always)]
unsafe fn decode_pairs<T: Target>(window: __m128i, shuffle: usize, target: *mut T) -> bool {
    // SAFETY: as the caller guarantees; the stores write six units.
    unsafe {
        let splat = |value: u16| _mm_set1_epi16(value as i16);
        let shuffle = _mm_loadu_si128(PAIRS[shuffle & 63].as_ptr().cast());
        let lanes = _mm_shuffle_epi8(window, shuffle);
        let low = _mm_and_si128(lanes, splat(0x7f));
        let code = _mm_or_si128(low, _mm_srli_epi16::<2>(_mm_and_si128(lanes, splat(0x1f00))));
        let is_one = _mm_cmpeq_epi16(low, lanes);
        let two = _mm_cmpeq_epi16(_mm_and_si128(lanes, splat(0xe0c0)), splat(0xc080));
        let is_two = _mm_and_si128(two, _mm_cmpgt_epi16(code, splat(0x7f)));
        let valid = _mm_or_si128(is_one, is_two);
        if _mm_movemask_epi8(valid) != 0xffff {
            return false;
        }
        if size_of::<T>() == 2 {
            _mm_storel_epi64(target.cast(), code);
            let rest = _mm_extract_epi32::<2>(code);
            target.add(4).cast::<i32>().write_unaligned(rest);
        } else {
            _mm_storeu_si128(target.cast(), _mm_cvtepu16_epi32(code));
            let rest = _mm_cvtepu16_epi32(_mm_srli_si128::<8>(code));
            _mm_storel_epi64(target.add(4).cast(), rest);
        }
        true
    }
}

/// Decodes at most four characters; whether there are any, and they are well formed and fit the
/// unit.
///
/// # Safety
/// The processor has SSE4.2; `chars <= 4` units of two or four bytes are writable at
/// `target`.
#[inline(always)]
unsafe fn decode_fours<T: Target>(
    window: __m128i,
    shuffle: usize,
    chars: usize,
    target: *mut T,
) -> bool {
    // SAFETY: as the caller guarantees; the stores write `chars` units.
    unsafe {
        let splat = |value: u32| _mm_set1_epi32(value as i32);
        let shuffle = _mm_loadu_si128(FOURS[shuffle & 255].as_ptr().cast());
        let lanes = _mm_shuffle_epi8(window, shuffle);
        // Whether the masked bits of each lane are these.
        let has =
            |mask: u32, bits: u32| _mm_cmpeq_epi32(_mm_and_si128(lanes, splat(mask)), splat(bits));
        let at_least = |code: __m128i, least: u32| _mm_cmpgt_epi32(code, splat(least - 1));
        let second = _mm_and_si128(_mm_srli_epi32::<2>(lanes), splat(0xfc0));
        let low = _mm_or_si128(_mm_and_si128(lanes, splat(0x7f)), second);
        let upper = _mm_srli_epi32::<4>(lanes);
        let mut code = _mm_or_si128(low, _mm_and_si128(upper, splat(0xf000)));
        let is_one = has(!0x7f, 0);
        let is_two = _mm_and_si128(has(0xffff_e0c0, 0xc080), at_least(code, 0x80));
        let is_surrogate = _mm_cmpeq_epi32(_mm_and_si128(code, splat(0xf800)), splat(0xd800));
        let is_three = _mm_and_si128(has(0xfff0_c0c0, 0x00e0_8080), at_least(code, 0x800));
        let is_three = _mm_andnot_si128(is_surrogate, is_three);
        let mut valid = _mm_or_si128(_mm_or_si128(is_one, is_two), is_three);
        if size_of::<T>() == 4 && _mm_movemask_ps(_mm_castsi128_ps(lanes)) != 0 {
            let lead = _mm_and_si128(_mm_srli_epi32::<6>(lanes), splat(0x1c_0000));
            let third = _mm_and_si128(upper, splat(0x3_f000));
            let four = _mm_or_si128(_mm_or_si128(low, third), lead);
            let is_four = _mm_and_si128(has(0xf8c0_c0c0, 0xf080_8080), at_least(four, 0x1_0000));
            let is_four = _mm_andnot_si128(at_least(four, 0x11_0000), is_four);
            valid = _mm_or_si128(valid, is_four);
            code = _mm_blendv_epi8(code, four, is_four);
        }
        let wanted = (1 << chars) - 1;
        if chars == 0 || _mm_movemask_ps(_mm_castsi128_ps(valid)) & wanted != wanted {
            return false;
        }
        if size_of::<T>() == 2 && chars == 4 {
            _mm_storel_epi64(target.cast(), _mm_packus_epi32(code, code));
        } else if size_of::<T>() == 4 && chars == 4 {
            _mm_storeu_si128(target.cast(), code);
        } else {
            let mut codes = [0_u32; 4];
            _mm_storeu_si128(codes.as_mut_ptr().cast(), code);
            for (index, &code) in codes.iter().enumerate().take(chars) {
                target.add(index).write(T::from_code(code));
            }
        }
        true
    }
}
