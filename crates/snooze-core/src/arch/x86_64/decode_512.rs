//! Reads UTF-8 with AVX-512: sixteen characters of mixed lengths in one step.
//!
//! In a window of 64 bytes, the offsets of the first sixteen lead bytes are compressed to the front
//! of a vector. Each offset becomes a lane that gathers its four bytes (VBMI). The lead byte
//! announces the length, which determines how the code point is assembled. Then the result is
//! checked: the continuation bytes must be exactly where the lead bytes announce them, and no code
//! point may be overlong, a surrogate, or above U+10FFFF (RFC 3629). Reads short text of two-byte
//! units, and all text with characters above U+FFFF; `narrow_512` reads the rest. Separate because
//! only `avx512` has these instructions. After Inoue, Komatsu and Nakatani (2008) and the AVX-512
//! decoders of Clausecker and Lemire ("Transcoding Unicode characters with AVX-512 instructions",
//! 2023).

use core::arch::x86_64::*;

use super::super::Vector;
use super::super::generic::units::Target;
use super::super::generic::utf8;
use super::narrow_512;

/// Text of units of two bytes is read in blocks from this length on.
///
/// PERF: in blocks, lists of short Russian words and Chinese texts took 1.03 to 1.09 of the time
/// (2026-11-28).
const BLOCKS_FROM: usize = 64;

/// The characters that one step decodes.
const STEP: usize = 16;

/// The index of each lane.
const LANES: [u8; 64] = {
    let mut lanes = [0; 64];
    let mut lane = 0;
    while lane < 64 {
        lanes[lane] = lane as u8;
        lane += 1;
    }
    lanes
};

/// `Vector::decode_utf8` for `avx512`, the vectors `V`.
///
/// # Safety
/// The processor has the tier; otherwise as for `Vector::decode_utf8`.
#[inline(always)]
pub(super) unsafe fn decode_utf8<V: Vector, T: Target>(
    bytes: &[u8],
    target: *mut T,
    room: usize,
) -> bool {
    // SAFETY: as the caller guarantees; the units are integers of their size (`Target`).
    unsafe {
        match size_of::<T>() {
            1 => narrow_512::decode_utf8::<V, u8>(bytes, target.cast(), room),
            2 if bytes.len() >= BLOCKS_FROM => {
                V::run_outlined(narrow_512::Wide::new(bytes, target.cast(), room))
            }
            _ => utf8::decode::<V, T>(bytes, target, |rest, to| decode_some(rest, to)),
        }
    }
}

/// Decodes characters at the start of `bytes`, as `utf8::decode` wants it, to units of two or four
/// bytes.
///
/// # Safety
/// The processor has the tier; `target` is valid for writing one unit for each byte of `bytes` that
/// is not a continuation byte; a unit has two or four bytes.
#[inline(always)]
unsafe fn decode_some<T: Target>(bytes: &[u8], target: *mut T) -> (usize, usize) {
    let (mut read, mut written) = (0, 0);
    while read < bytes.len() {
        let rest = &bytes[read..];
        let count = rest.len().min(64);
        // SAFETY: the processor has the tier, because the caller guarantees it. The load is in
        // bounds, because its mask covers only the first `count` bytes. `step` writes in bounds,
        // because it writes one unit for each lead byte that it reads.
        unsafe {
            let loaded = _bzhi_u64(u64::MAX, count as u32);
            let window = _mm512_maskz_loadu_epi8(loaded, rest.as_ptr().cast());
            if count == 64 && _mm512_movepi8_mask(window) == 0 {
                // All ASCII again, which the caller handles faster.
                break;
            }
            let Some((length, chars)) = step(window, count, target.add(written)) else { break };
            read += length;
            written += chars;
        }
    }
    (read, written)
}

/// Decodes at most sixteen characters at the start of a window. Returns the bytes read and the
/// units written, or `None` if these characters are ill formed or do not fit the unit.
///
/// # Safety
/// The processor has the tier; `target` is valid for writing one unit for each lead byte among the
/// first `count` bytes of the window, or for sixteen if there are more; a unit has two or four
/// bytes.
#[inline(always)]
unsafe fn step<T: Target>(window: __m512i, count: usize, target: *mut T) -> Option<(usize, usize)> {
    // SAFETY: the processor has the tier, because the caller guarantees it; the stores are in
    // bounds, because their mask covers only the `complete` units.
    unsafe {
        let splat = |value: i32| _mm512_set1_epi32(value);
        let valid = _bzhi_u64(u64::MAX, count as u32);
        let leads = _mm512_cmpgt_epi8_mask(window, _mm512_set1_epi8(-65)) & valid;
        if leads & 1 == 0 {
            return None;
        }
        // All characters that begin in the window, except the last one if it may end outside.
        let char_count = leads.count_ones() as usize;
        let offsets = _mm512_maskz_compress_epi8(leads, _mm512_loadu_si512(LANES.as_ptr().cast()));
        let complete =
            if count < 64 || char_count > STEP { char_count.min(STEP) } else { char_count - 1 };
        if complete == 0 {
            return None;
        }
        let length = if char_count > complete {
            // The offset of the lead byte after the last character taken.
            let after = _pdep_u64(1 << complete, leads);
            after.trailing_zeros() as usize
        } else {
            count
        };
        let lanes = (0xffff_u32 >> (STEP - complete)) as u16;
        // Four bytes from each lead byte on. An index beyond the window wraps around to other
        // bytes, which the character's length excludes.
        let offset = _mm512_cvtepu8_epi32(_mm512_castsi512_si128(offsets));
        let first_bytes = _mm512_set4_epi32(0x0c0c_0c0c, 0x0808_0808, 0x0404_0404, 0);
        let spread = _mm512_shuffle_epi8(offset, first_bytes);
        let indices = _mm512_add_epi8(spread, splat(0x0302_0100));
        let four = _mm512_permutexvar_epi8(indices, window);

        let lead = _mm512_and_si512(four, splat(0xff));
        let is_two = _mm512_cmpge_epu32_mask(lead, splat(0xc0)) & lanes;
        let is_three = _mm512_cmpge_epu32_mask(lead, splat(0xe0)) & lanes;
        let is_four = _mm512_cmpge_epu32_mask(lead, splat(0xf0)) & lanes;
        // The continuation bytes that the lead bytes announce, against those that are there.
        let head = _mm512_cmpge_epu8_mask(window, _mm512_set1_epi8(0xc0_u8 as i8));
        let head_three = _mm512_cmpge_epu8_mask(window, _mm512_set1_epi8(0xe0_u8 as i8));
        let head_four = _mm512_cmpge_epu8_mask(window, _mm512_set1_epi8(0xf0_u8 as i8));
        let announced = head << 1 | head_three << 2 | head_four << 3;
        let taken = _bzhi_u64(valid, length as u32);
        if (announced ^ !leads) & taken != 0 {
            return None;
        }
        // The last character must be complete.
        let last = 63 - (leads & taken).leading_zeros() as usize;
        let last_len = 1
            + (head >> last & 1) as usize
            + (head_three >> last & 1) as usize
            + (head_four >> last & 1) as usize;
        if last + last_len != length {
            return None;
        }

        let six = |shifted: __m512i| _mm512_and_si512(shifted, splat(0x3f));
        let second = six(_mm512_srli_epi32::<8>(four));
        let third = six(_mm512_srli_epi32::<16>(four));
        let fourth = six(_mm512_srli_epi32::<24>(four));
        let two =
            _mm512_or_si512(_mm512_slli_epi32::<6>(_mm512_and_si512(lead, splat(0x1f))), second);
        let three = _mm512_or_si512(
            _mm512_or_si512(
                _mm512_slli_epi32::<12>(_mm512_and_si512(lead, splat(0x0f))),
                _mm512_slli_epi32::<6>(second),
            ),
            third,
        );
        let code = _mm512_mask_blend_epi32(is_two, lead, two);
        let mut code = _mm512_mask_blend_epi32(is_three, code, three);
        let is_surrogate =
            _mm512_cmpeq_epi32_mask(_mm512_and_si512(code, splat(!0x7ff)), splat(0xd800));
        let mut invalid = _mm512_cmplt_epu32_mask(code, splat(0x80)) & is_two
            | _mm512_cmplt_epu32_mask(code, splat(0x800)) & is_three & !is_four
            | is_surrogate & is_three & !is_four;
        if is_four != 0 {
            let upper = _mm512_or_si512(
                _mm512_slli_epi32::<18>(_mm512_and_si512(lead, splat(0x07))),
                _mm512_slli_epi32::<12>(second),
            );
            let whole =
                _mm512_or_si512(upper, _mm512_or_si512(_mm512_slli_epi32::<6>(third), fourth));
            code = _mm512_mask_blend_epi32(is_four, code, whole);
            invalid = _mm512_cmplt_epu32_mask(code, splat(0x80)) & is_two
                | _mm512_cmplt_epu32_mask(code, splat(0x800)) & is_three
                | is_surrogate & is_three & !is_four
                | _mm512_cmplt_epu32_mask(code, splat(0x1_0000)) & is_four
                | _mm512_cmpgt_epu32_mask(code, splat(0x10_ffff)) & is_four
                | _mm512_cmpgt_epu32_mask(lead, splat(0xf4)) & is_four;
        }
        let beyond = _mm512_cmpgt_epu32_mask(code, splat(T::MAX as i32)) & lanes;
        if invalid & lanes != 0 || beyond != 0 {
            return None;
        }
        if size_of::<T>() == 2 {
            _mm512_mask_cvtepi32_storeu_epi16(target.cast(), lanes, code);
        } else {
            _mm512_mask_storeu_epi32(target.cast(), lanes, code);
        }
        Some((length, complete))
    }
}
