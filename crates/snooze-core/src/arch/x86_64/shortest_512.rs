//! The shortest decimals of eight floats at once, with the 52-bit products of IFMA.
//!
//! The algorithm of `number::shortest`, which has its reasons, with two differences. A power of ten
//! has 104 bits instead of 128, and the fraction of a candidate has 52 bits instead of 64. So a
//! float is left undecided where a comparison is closer than [`MARGIN`] units of 2^-52, by chance
//! about once in 2^42 values. Separate from `digits`, which writes the decimals. Called through
//! `Vector::shortest_decimals` by `number::shortest`.

use core::arch::x86_64::*;

use super::super::generic::shortest::{
    FIRST_SHIFTED_POWER, FLOATS, ShiftedPowers, ShortestDecimals,
};
use super::shortest_256::four_powers;

/// More than the error of the fraction, in units of 2^-52: below 8 for the bits of the product that
/// are dropped, and below 16 for those of the power, where the caller shifts by three bits; below 5
/// for half a step.
const MARGIN: i64 = 32;

const LANES: usize = 8;

/// `Vector::shortest_decimals` for `avx512`. A float has `MANTISSA` bits of fraction, 52 or 23.
///
/// # Safety
/// The processor has AVX-512 with DQ and IFMA.
#[inline(always)]
pub(super) unsafe fn shortest_512<const MANTISSA: u32>(
    bits: &[u64; FLOATS],
    powers: &ShiftedPowers,
    decimals: &mut ShortestDecimals,
) {
    decimals.undecided = 0;
    // PERF: all, because a loop of known length takes less time.
    for at in (0..FLOATS).step_by(LANES) {
        // SAFETY: the processor has the features, because the caller guarantees it; loads and
        // stores are in bounds, because eight lanes follow `at` in each array of sixteen.
        unsafe {
            let eight = eight::<MANTISSA>(_mm512_loadu_si512(bits.as_ptr().add(at).cast()), powers);
            _mm512_storeu_si512(decimals.digits.as_mut_ptr().add(at).cast(), eight.digits);
            _mm512_storeu_si512(decimals.last.as_mut_ptr().add(at).cast(), eight.last);
            _mm512_storeu_si512(decimals.exponent.as_mut_ptr().add(at).cast(), eight.exponent);
            decimals.undecided |= u32::from(eight.undecided) << at;
        }
    }
}

/// The lanes of [`ShortestDecimals`].
struct Eight {
    digits: __m512i,
    last: __m512i,
    exponent: __m512i,
    undecided: __mmask8,
}

/// # Safety
/// The processor has AVX-512 with DQ and IFMA.
#[inline(always)]
unsafe fn eight<const MANTISSA: u32>(bits: __m512i, powers: &ShiftedPowers) -> Eight {
    const { assert!(MANTISSA == 52 || MANTISSA == 23) };
    let is_double = MANTISSA == 52;
    let max = if is_double { 0x7ff } else { 0xff };
    // The exponent bias for a mantissa that is read as an integer.
    let bias = max / 2 + i64::from(MANTISSA);
    // SAFETY: the processor has the features, because the caller guarantees it. The indices have an
    // entry, because every biased exponent from 1 to `max - 1` has one, as a test of
    // `number::shortest` shows for doubles, whose exponents include those of floats of 32 bits;
    // other lanes take the exponent of one.
    unsafe {
        let all = |value: i64| _mm512_set1_epi64(value);
        let low_52 = all((1 << 52) - 1);
        let biased = if is_double {
            _mm512_and_si512(_mm512_srli_epi64::<52>(bits), all(max))
        } else {
            _mm512_and_si512(_mm512_srli_epi64::<23>(bits), all(max))
        };
        let special = _mm512_cmpge_epu64_mask(_mm512_sub_epi64(biased, all(1)), all(max - 1));
        let biased = _mm512_mask_mov_epi64(biased, special, all(max / 2));
        let fraction = _mm512_and_si512(bits, all((1 << MANTISSA) - 1));
        let q = _mm512_sub_epi64(biased, all(bias));
        // The smallest k with 2^q < 10^k, and floor(-k * log2(10)).
        let k = _mm512_srai_epi64::<20>(_mm512_mul_epi32(q, all(315_653)));
        let k = _mm512_add_epi64(k, all(1));
        let minus_k = _mm512_sub_epi64(_mm512_setzero_si512(), k);
        let binary = _mm512_srai_epi64::<16>(_mm512_mul_epi32(minus_k, all(217_706)));
        let shift = _mm512_add_epi64(_mm512_add_epi64(q, binary), all(4));
        let entry = _mm512_sub_epi64(minus_k, all(FIRST_SHIFTED_POWER.into()));
        let mut indices = [0; LANES];
        _mm512_storeu_si512(indices.as_mut_ptr().cast(), entry);
        let [i0, i1, i2, i3, i4, i5, i6, i7] = indices;
        let (low_0, high_0) = four_powers([i0, i1, i2, i3], powers);
        let (low_1, high_1) = four_powers([i4, i5, i6, i7], powers);
        let join = |first: __m256i, second: __m256i| {
            _mm512_inserti64x4::<1>(_mm512_castsi256_si512(first), second)
        };
        let (power_low, power_high) = (join(low_0, low_1), join(high_0, high_1));
        // 104 bits of the power, in two parts of 52.
        let h = _mm512_srli_epi64::<12>(power_high);
        let l = _mm512_or_si512(
            _mm512_and_si512(_mm512_slli_epi64::<40>(power_high), low_52),
            _mm512_srli_epi64::<24>(power_low),
        );
        // The product, without its lowest 52 bits. A double's leading one is not in its fraction,
        // so the power itself is added.
        let (c, add_low, add_high) = if is_double {
            (fraction, l, h)
        } else {
            let zero = _mm512_setzero_si512();
            (_mm512_or_si512(fraction, all(1 << 23)), zero, zero)
        };
        let middle = _mm512_madd52hi_epu64(_mm512_madd52lo_epu64(add_low, c, h), c, l);
        let top = _mm512_madd52hi_epu64(add_high, c, h);
        let top = _mm512_add_epi64(top, _mm512_srli_epi64::<52>(middle));
        let middle = _mm512_and_si512(middle, low_52);
        // The value in units of 10^k: its integer part, and its fraction in units of 2^-52.
        let shifted = _mm512_sllv_epi64(middle, shift);
        let whole =
            _mm512_add_epi64(_mm512_sllv_epi64(top, shift), _mm512_srli_epi64::<52>(shifted));
        let part = _mm512_and_si512(shifted, low_52);
        // Half the distance to the next float; below a power of two the distance is half as long.
        let above = _mm512_srli_epi64::<1>(_mm512_sllv_epi64(h, shift));
        let is_power_of_two = _mm512_testn_epi64_mask(fraction, fraction);
        let below = _mm512_mask_srli_epi64::<1>(above, is_power_of_two, above);
        let end = _mm512_add_epi64(part, above);
        let below_reads_back = _mm512_cmplt_epi64_mask(part, below);
        let above_reads_back = _mm512_cmpgt_epi64_mask(end, low_52);
        let reads_back = below_reads_back | above_reads_back;
        // The further digit, rounded.
        let zero = _mm512_setzero_si512();
        let ten = all(10);
        let rest = _mm512_madd52lo_epu64(zero, part, ten);
        let digit = _mm512_madd52hi_epu64(_mm512_srli_epi64::<51>(rest), part, ten);
        let is_near = |a: __m512i, b: __m512i, margin: i64| {
            let distance = _mm512_add_epi64(_mm512_sub_epi64(a, b), all(margin));
            _mm512_cmplt_epu64_mask(distance, all(2 * margin))
        };
        let undecided = special
            | is_near(part, below, MARGIN)
            | is_near(end, all(1 << 52), MARGIN)
            | is_near(rest, all(1 << 51), 10 * MARGIN)
            | (is_power_of_two & !reads_back);
        let digit = _mm512_maskz_mov_epi64(!reads_back, digit);
        let whole = _mm512_mask_add_epi64(whole, above_reads_back, whole, all(1));
        let ten_times = |value: __m512i| {
            _mm512_add_epi64(_mm512_slli_epi64::<3>(value), _mm512_slli_epi64::<1>(value))
        };
        let longer = _mm512_add_epi64(ten_times(whole), digit);
        if is_double {
            // Sixteen digits, and perhaps a seventeenth.
            let is_narrow = _mm512_cmplt_epu64_mask(whole, all(1_000_000_000_000_000));
            let digits = _mm512_mask_mov_epi64(whole, is_narrow, longer);
            let last = _mm512_maskz_mov_epi64(!is_narrow, digit);
            let exponent = _mm512_add_epi64(k, all(15));
            let exponent = _mm512_mask_sub_epi64(exponent, is_narrow, exponent, all(1));
            return Eight { digits, last, exponent, undecided };
        }
        // Seven to nine digits, padded to sixteen.
        let is_nine = _mm512_cmpge_epu64_mask(longer, all(100_000_000));
        let is_seven = _mm512_cmplt_epu64_mask(longer, all(10_000_000));
        let scale = _mm512_mask_mov_epi64(all(100_000_000), is_nine, all(10_000_000));
        let scale = _mm512_mask_mov_epi64(scale, is_seven, all(1_000_000_000));
        let digits = _mm512_mul_epu32(longer, scale);
        let exponent = _mm512_add_epi64(k, all(6));
        let exponent = _mm512_mask_add_epi64(exponent, is_nine, exponent, all(1));
        let exponent = _mm512_mask_sub_epi64(exponent, is_seven, exponent, all(1));
        Eight { digits, last: zero, exponent, undecided }
    }
}
