//! Decimals in, all digits at once: for `avx2` and `avx512`.
//!
//! What is no digit among the next 32 bytes is a mask, whose first two bits are the point and the
//! end. The digits are moved together to the front, and joined in pairs, fours and eights. Called by
//! `number::short`.

use core::arch::x86_64::*;

use super::super::generic::decimal::{DIGITS, Decimal, MOST_WHOLE};

/// As `Vector::decimal`.
///
/// # Safety
/// The processor has AVX-512 with BW, VL and VBMI2, and BMI.
#[inline(always)]
pub(super) unsafe fn decimal_512(bytes: &[u8], at: usize) -> Option<Decimal> {
    let window = bytes.get(at..)?.first_chunk::<32>()?;
    // SAFETY: by the caller.
    unsafe {
        let sign = u32::from(window[0] == b'-');
        let text = _mm256_loadu_si256(window.as_ptr().cast());
        let values = _mm256_sub_epi8(text, _mm256_set1_epi8(b'0' as i8));
        let others = _mm256_cmpgt_epu8_mask(values, _mm256_set1_epi8(9));
        let points = _mm256_cmpeq_epi8_mask(text, _mm256_set1_epi8(b'.' as i8));
        let stops = others & !sign;
        let stop = stops.trailing_zeros();
        let len = _blsr_u32(stops).trailing_zeros();
        let whole = stop - sign;
        if points & _blsi_u32(stops) == 0
            || whole.wrapping_sub(1) >= MOST_WHOLE
            || len == stop + 1
            || len > DIGITS + 1 + sign
        {
            return None;
        }
        let kept = _bzhi_u32(!others, len);
        let ones = _mm256_maskz_compress_epi8(kept, values);
        let digits = join(ones);
        let next = window[len as usize & 31];
        Some(Decimal { digits, whole, len, next })
    }
}

/// As `Vector::decimal`.
///
/// # Safety
/// The processor has AVX2 and BMI.
#[inline(always)]
pub(super) unsafe fn decimal_256(bytes: &[u8], at: usize) -> Option<Decimal> {
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
    // SAFETY: by the caller; 34 bytes are two vectors one byte apart, after a sign.
    unsafe {
        let start = window.as_ptr().add(sign as usize);
        let zero = _mm256_set1_epi8(b'0' as i8);
        let text = _mm256_loadu_si256(start.cast());
        let values = _mm256_sub_epi8(text, zero);
        let digits = _mm256_cmpeq_epi8(_mm256_min_epu8(values, _mm256_set1_epi8(9)), values);
        let others = !_mm256_movemask_epi8(digits) as u32;
        let points = _mm256_cmpeq_epi8(text, _mm256_set1_epi8(b'.' as i8));
        let points = _mm256_movemask_epi8(points) as u32;
        let whole = others.trailing_zeros();
        let len = _blsr_u32(others).trailing_zeros();
        if points & _blsi_u32(others) == 0
            || whole.wrapping_sub(1) >= MOST_WHOLE
            || len == whole + 1
            || len > DIGITS + 1
        {
            return None;
        }
        let behind = _mm256_sub_epi8(_mm256_loadu_si256(start.add(1).cast()), zero);
        let lane = _mm256_loadu_si256(LANES.as_ptr().cast());
        let before = _mm256_cmpgt_epi8(_mm256_set1_epi8(whole as i8), lane);
        let kept = _mm256_cmpgt_epi8(_mm256_set1_epi8(len as i8 - 1), lane);
        let ones = _mm256_and_si256(_mm256_blendv_epi8(behind, values, before), kept);
        let digits = join(ones);
        let len = len + sign;
        let next = window[len as usize & 31];
        Some(Decimal { digits, whole, len, next })
    }
}

/// Nineteen digits as a number.
///
/// # Safety
/// The processor has AVX2.
#[inline(always)]
unsafe fn join(ones: __m256i) -> u64 {
    // The last three are joined with other weights, in the upper half.
    const TEN: i32 = 0x010a_010a;
    const LAST: i32 = 0x0001_010a;
    // SAFETY: by the caller.
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
