//! Writes sixteen decimal digits with vectors: `v128` and `avx2` with 128 bits, `avx512` with IFMA.
//!
//! Separate from the tiers because `v128` and `avx2` share a kernel. Called through
//! `Vector::write_digits` by `out::float`.

use core::arch::x86_64::*;

use super::super::generic::digits::DigitLayout;

const E8: u64 = 100_000_000;

/// `Vector::write_digits` for `v128` and `avx2`.
///
/// # Safety
/// The processor has SSE4.2; otherwise as for `Vector::write_digits`.
#[inline(always)]
pub(super) unsafe fn write_digits_128(
    digits: u64,
    min_digits: u32,
    layout: &DigitLayout,
    target: *mut u8,
) -> u32 {
    // SAFETY: the processor has SSE4.2 and `target` is large enough, because the caller guarantees
    // it; the loads are in bounds, because a layout has 32 bytes of pattern and 24 of shuffle.
    unsafe {
        // Two lanes of eight digits, then four of four, eight of two, sixteen of one. Each
        // multiplication divides all lanes by a constant that is exact for the range of a lane.
        let eights = _mm_set_epi64x((digits % E8) as i64, (digits / E8) as i64);
        let high = _mm_srli_epi64::<40>(_mm_mul_epu32(eights, _mm_set1_epi64x(109_951_163)));
        let low = _mm_sub_epi64(eights, _mm_mul_epu32(high, _mm_set1_epi64x(10_000)));
        let fours = _mm_or_si128(high, _mm_slli_epi64::<32>(low));
        let high = _mm_srli_epi16::<3>(_mm_mulhi_epu16(fours, _mm_set1_epi16(5243)));
        let low = _mm_sub_epi16(fours, _mm_mullo_epi16(high, _mm_set1_epi16(100)));
        let twos = _mm_or_si128(high, _mm_slli_epi32::<16>(low));
        let high = _mm_mulhi_epu16(twos, _mm_set1_epi16(6554));
        let low = _mm_sub_epi16(twos, _mm_mullo_epi16(high, _mm_set1_epi16(10)));
        let ones = _mm_or_si128(high, _mm_slli_epi16::<8>(low));

        let zeros = _mm_movemask_epi8(_mm_cmpeq_epi8(ones, _mm_setzero_si128())) as u32;
        let count = (32 - (!zeros & 0xffff).leading_zeros()).max(min_digits);
        let lane = _mm_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
        let kept = _mm_cmpgt_epi8(_mm_set1_epi8(count as i8), lane);
        let digits = _mm_or_si128(ones, _mm_set1_epi8(b'0' as i8));
        let text = _mm_blendv_epi8(_mm_set1_epi8(b',' as i8), digits, kept);
        // The shuffle leaves zero where no digit goes; the pattern fills these bytes.
        let store_at = |at: usize, shuffle: __m128i| {
            let pattern = _mm_loadu_si128(layout.pattern.as_ptr().add(at).cast());
            let text = _mm_or_si128(_mm_shuffle_epi8(text, shuffle), pattern);
            _mm_storeu_si128(target.add(at).cast(), text);
        };
        store_at(0, _mm_loadu_si128(layout.shuffle.as_ptr().cast()));
        let rest = _mm_loadl_epi64(layout.shuffle.as_ptr().add(16).cast());
        store_at(16, _mm_unpacklo_epi64(rest, _mm_set1_epi8(-1)));
        count
    }
}

/// `Vector::write_digits` for `avx512`.
///
/// # Safety
/// The processor has AVX-512 with VBMI2 and IFMA; otherwise as for `Vector::write_digits`.
#[inline(always)]
pub(super) unsafe fn write_digits_512(
    digits: u64,
    min_digits: u32,
    layout: &DigitLayout,
    target: *mut u8,
) -> u32 {
    /// 2^52 / 10^(8 - lane), rounded down in the first lane and up in the others.
    const RECIPROCALS: [i64; 8] = {
        let mut lanes = [0; 8];
        let mut lane = 0;
        while lane < 8 {
            lanes[lane] = (1 << 52) / 10i64.pow(8 - lane as u32) + (lane > 0) as i64;
            lane += 1;
        }
        lanes
    };
    /// The correction for rounding down in the first lane, for the largest number.
    const CORRECTION: i64 = (1 << 52) % 100_000_000;
    /// The index of the lowest byte of each of sixteen lanes.
    const LOWEST_BYTES: [u8; 16] = {
        let mut bytes = [0; 16];
        let mut lane = 0;
        while lane < 16 {
            bytes[lane] = 8 * lane as u8;
            lane += 1;
        }
        bytes
    };
    // SAFETY: the processor has the features and `target` is large enough, because the caller
    // guarantees it; the loads are in bounds, because a layout has 32 bytes of pattern.
    unsafe {
        let reciprocals = _mm512_loadu_si512(RECIPROCALS.as_ptr().cast());
        let correction = _mm512_zextsi128_si512(_mm_cvtsi64_si128(CORRECTION));
        // Each lane divides the number by its power of ten. The low half of the product is the
        // fraction; ten times the fraction has the digit of the lane before its point.
        let ones = |eight: u64| {
            let eight = _mm512_set1_epi64(eight as i64);
            let fractions = _mm512_madd52lo_epu64(correction, eight, reciprocals);
            let zero = _mm512_set1_epi64(i64::from(b'0'));
            _mm512_madd52hi_epu64(zero, fractions, _mm512_set1_epi64(10))
        };
        let (high, low) = (ones(digits / E8), ones(digits % E8));
        let bytes = _mm512_castsi128_si512(_mm_loadu_si128(LOWEST_BYTES.as_ptr().cast()));
        let text = _mm512_castsi512_si128(_mm512_permutex2var_epi8(high, bytes, low));
        let others = _mm_cmpneq_epi8_mask(text, _mm_set1_epi8(b'0' as i8));
        let count = (32 - u32::from(others).leading_zeros()).max(min_digits);
        let kept = _bzhi_u32(0xffff, count) as u16;
        let text = _mm_mask_blend_epi8(kept, _mm_set1_epi8(b',' as i8), text);
        let pattern = _mm256_loadu_si256(layout.pattern.as_ptr().cast());
        let text =
            _mm256_mask_expand_epi8(pattern, layout.digit_mask, _mm256_zextsi128_si256(text));
        _mm256_storeu_si256(target.cast(), text);
        count
    }
}
