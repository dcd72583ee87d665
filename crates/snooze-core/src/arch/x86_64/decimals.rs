//! Reads all digits of a decimal in one step, for `avx2` and `avx512`.
//!
//! A mask marks the bytes among the next 32 that are not digits: its first two bits are the point
//! and the end. The digits move together to the front, and are joined in pairs, fours and eights.
//! Separate because both tiers share the joining. Called through `Vector::scan_decimal` by
//! `number::short`.

use core::arch::x86_64::*;

use super::super::generic::decimal::{MAX_INTEGER_DIGITS, ScannedDecimal, TOTAL_DIGITS};

/// `Vector::scan_decimal` for `avx512`.
///
/// # Safety
/// The processor has AVX-512 with BW, VL and VBMI2, and BMI.
#[inline(always)]
pub(super) unsafe fn scan_decimal_512(bytes: &[u8], at: usize) -> Option<ScannedDecimal> {
    let window = bytes.get(at..)?.first_chunk::<32>()?;
    // SAFETY: the processor has the features, because the caller guarantees it; all 32 bytes are
    // readable, because they are `window`.
    unsafe {
        let sign = u32::from(window[0] == b'-');
        let text = _mm256_loadu_si256(window.as_ptr().cast());
        let values = _mm256_sub_epi8(text, _mm256_set1_epi8(b'0' as i8));
        let others = _mm256_cmpgt_epu8_mask(values, _mm256_set1_epi8(9));
        let points = _mm256_cmpeq_epi8_mask(text, _mm256_set1_epi8(b'.' as i8));
        let stops = others & !sign;
        let stop = stops.trailing_zeros();
        let len = _blsr_u32(stops).trailing_zeros();
        let integer_digits = stop - sign;
        if points & _blsi_u32(stops) == 0
            || integer_digits.wrapping_sub(1) >= MAX_INTEGER_DIGITS
            || len == stop + 1
            || len > TOTAL_DIGITS + 1 + sign
        {
            return None;
        }
        let kept = _bzhi_u32(!others, len);
        let ones = _mm256_maskz_compress_epi8(kept, values);
        let digits = join(ones);
        let (first_digit, next_byte) = (window[sign as usize], window[len as usize & 31]);
        let negative = sign != 0;
        Some(ScannedDecimal { digits, negative, first_digit, integer_digits, len, next_byte })
    }
}

/// `Vector::scan_decimal` for `avx2`.
///
/// # Safety
/// The processor has AVX2 and BMI.
#[inline(always)]
pub(super) unsafe fn scan_decimal_256(bytes: &[u8], at: usize) -> Option<ScannedDecimal> {
    const LANES: [u8; 32] = {
        let mut lanes = [0; 32];
        let mut lane = 0;
        while lane < 32 {
            lanes[lane] = lane as u8;
            lane += 1;
        }
        lanes
    };
    let window = bytes.get(at..)?.first_chunk::<34>()?;
    let sign = u32::from(window[0] == b'-');
    // SAFETY: the processor has the features, because the caller guarantees it; all loads are
    // inside `window`, because its 34 bytes hold a sign and two vectors one byte apart.
    unsafe {
        let start = window.as_ptr().add(sign as usize);
        let zero = _mm256_set1_epi8(b'0' as i8);
        let text = _mm256_loadu_si256(start.cast());
        let values = _mm256_sub_epi8(text, zero);
        let digits = _mm256_cmpeq_epi8(_mm256_min_epu8(values, _mm256_set1_epi8(9)), values);
        let others = !_mm256_movemask_epi8(digits) as u32;
        let points = _mm256_cmpeq_epi8(text, _mm256_set1_epi8(b'.' as i8));
        let points = _mm256_movemask_epi8(points) as u32;
        let integer_digits = others.trailing_zeros();
        let len = _blsr_u32(others).trailing_zeros();
        if points & _blsi_u32(others) == 0
            || integer_digits.wrapping_sub(1) >= MAX_INTEGER_DIGITS
            || len == integer_digits + 1
            || len > TOTAL_DIGITS + 1
        {
            return None;
        }
        let after_point = _mm256_sub_epi8(_mm256_loadu_si256(start.add(1).cast()), zero);
        let lane = _mm256_loadu_si256(LANES.as_ptr().cast());
        let before = _mm256_cmpgt_epi8(_mm256_set1_epi8(integer_digits as i8), lane);
        let kept = _mm256_cmpgt_epi8(_mm256_set1_epi8(len as i8 - 1), lane);
        let ones = _mm256_and_si256(_mm256_blendv_epi8(after_point, values, before), kept);
        let digits = join(ones);
        let len = len + sign;
        let (first_digit, next_byte) = (window[sign as usize], window[len as usize & 31]);
        let negative = sign != 0;
        Some(ScannedDecimal { digits, negative, first_digit, integer_digits, len, next_byte })
    }
}

/// Joins nineteen digit values into one number.
///
/// # Safety
/// The processor has AVX2.
#[inline(always)]
unsafe fn join(ones: __m256i) -> u64 {
    // The last three digits, in the upper half, need other weights.
    const TEN: i32 = 0x010a_010a;
    const LAST: i32 = 0x0001_010a;
    // SAFETY: the processor has AVX2, because the caller guarantees it.
    unsafe {
        let twos = _mm256_maddubs_epi16(ones, _mm256_setr_epi32(TEN, TEN, TEN, TEN, LAST, 0, 0, 0));
        const HUNDRED: i32 = 0x0001_0064;
        const TEN_2: i32 = 0x0001_000a;
        let fours = _mm256_madd_epi16(
            twos,
            _mm256_setr_epi32(HUNDRED, HUNDRED, HUNDRED, HUNDRED, TEN_2, 0, 0, 0),
        );
        let fours = _mm256_packus_epi32(fours, fours);
        const MYRIAD: i32 = 0x0001_2710;
        let eights = _mm256_madd_epi16(fours, _mm256_setr_epi32(MYRIAD, MYRIAD, 0, 0, 1, 0, 0, 0));
        let high = _mm_cvtsi128_si64(_mm256_castsi256_si128(eights)) as u64;
        let last = _mm_cvtsi128_si32(_mm256_extracti128_si256::<1>(eights)) as u32;
        (high & 0xffff_ffff) * 100_000_000_000 + (high >> 32) * 1000 + u64::from(last)
    }
}
