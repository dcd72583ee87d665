//! The shortest decimals of four floats at once, with the 32-bit products of AVX2.
//!
//! The algorithm of `number::shortest`, which has its reasons, with two differences. A power of ten
//! has 96 bits instead of 128, and the fraction of a candidate has 60 bits instead of 64. So a
//! float is left undecided where a comparison is closer than [`MARGIN`] units of 2^-60, by chance
//! about once in 2^34 values. Separate from `shortest_512`, which has wider products and masks.
//! Called through `Vector::shortest_decimals` by `number::shortest`.

use core::arch::x86_64::*;

use super::super::generic::shortest::{
    FIRST_SHIFTED_POWER, FLOATS, ShiftedPowers, ShortestDecimals,
};

/// More than the error of the fraction, in units of 2^-60: below 2^20 for the bits of the power
/// that are dropped, because its factor has 56 bits; below 4 for the bits of the product and of
/// half a step.
const MARGIN: i64 = 1 << 21;

/// The bits of the fraction.
const FRACTION: i64 = (1 << 60) - 1;

const LANES: usize = 4;

/// `Vector::shortest_decimals` for `avx2`. A float has `MANTISSA` bits of fraction, 52 or 23.
///
/// # Safety
/// The processor has AVX2.
#[inline(always)]
pub(super) unsafe fn shortest_256<const MANTISSA: u32>(
    bits: &[u64; FLOATS],
    count: usize,
    powers: &ShiftedPowers,
    decimals: &mut ShortestDecimals,
) {
    decimals.undecided = 0;
    for at in (0..count.min(FLOATS)).step_by(LANES) {
        // SAFETY: the processor has AVX2, because the caller guarantees it; loads and stores are in
        // bounds, because four lanes follow `at` in each array of sixteen.
        unsafe {
            let four = four::<MANTISSA>(_mm256_loadu_si256(bits.as_ptr().add(at).cast()), powers);
            let store = |target: *mut __m256i, lanes| _mm256_storeu_si256(target, lanes);
            store(decimals.digits.as_mut_ptr().add(at).cast(), four.digits);
            store(decimals.last.as_mut_ptr().add(at).cast(), four.last);
            store(decimals.exponent.as_mut_ptr().add(at).cast(), four.exponent);
            decimals.undecided |= four.undecided << at;
        }
    }
}

/// The low and the high halves of four powers.
///
/// PERF: loads instead of gathers, which are slow on processors of several makers, and slower still
/// since their microcode protects data in the registers that a gather shares.
///
/// # Safety
/// The processor has AVX2, and each index is below the number of powers.
#[inline(always)]
pub(super) unsafe fn four_powers(indices: [u64; 4], powers: &ShiftedPowers) -> (__m256i, __m256i) {
    // SAFETY: the processor has AVX2 and the loads are in bounds, because the caller guarantees it.
    unsafe {
        let power =
            |index: u64| _mm_loadu_si128(powers.as_ptr().add(index as usize).cast::<__m128i>());
        let [first, second, third, fourth] = indices.map(power);
        let even = _mm256_set_m128i(third, first);
        let odd = _mm256_set_m128i(fourth, second);
        (_mm256_unpacklo_epi64(even, odd), _mm256_unpackhi_epi64(even, odd))
    }
}

/// The lanes of [`ShortestDecimals`].
struct Four {
    digits: __m256i,
    last: __m256i,
    exponent: __m256i,
    undecided: u32,
}

/// # Safety
/// The processor has AVX2.
#[inline(always)]
unsafe fn four<const MANTISSA: u32>(bits: __m256i, powers: &ShiftedPowers) -> Four {
    const { assert!(MANTISSA == 52 || MANTISSA == 23) };
    let is_double = MANTISSA == 52;
    let max = if is_double { 0x7ff } else { 0xff };
    // The exponent bias for a mantissa that is read as an integer.
    let bias = max / 2 + i64::from(MANTISSA);
    // SAFETY: the processor has AVX2, because the caller guarantees it. The indices have an entry,
    // because every biased exponent from 1 to `max - 1` has one, as a test of `number::shortest`
    // shows for doubles, whose exponents include those of floats of 32 bits; other lanes take the
    // exponent of one.
    unsafe {
        let all = |value: i64| _mm256_set1_epi64x(value);
        let zero = _mm256_setzero_si256();
        let low_32 = all(0xffff_ffff);
        let biased = if is_double {
            _mm256_and_si256(_mm256_srli_epi64::<52>(bits), all(max))
        } else {
            _mm256_and_si256(_mm256_srli_epi64::<23>(bits), all(max))
        };
        let special =
            _mm256_or_si256(_mm256_cmpeq_epi64(biased, zero), _mm256_cmpeq_epi64(biased, all(max)));
        let biased = _mm256_blendv_epi8(biased, all(max / 2), special);
        let fraction = _mm256_and_si256(bits, all((1 << MANTISSA) - 1));
        let q = _mm256_sub_epi64(biased, all(bias));
        // Shifting right rounds down only what is not negative, so 2^40 is added before.
        let k = _mm256_add_epi64(_mm256_mul_epi32(q, all(315_653)), all(1 << 40));
        // The smallest k with 2^q < 10^k, and floor(-k * log2(10)).
        let k = _mm256_sub_epi64(_mm256_srli_epi64::<20>(k), all((1 << 20) - 1));
        let minus_k = _mm256_sub_epi64(zero, k);
        let binary = _mm256_add_epi64(_mm256_mul_epi32(minus_k, all(217_706)), all(1 << 40));
        let binary = _mm256_sub_epi64(_mm256_srli_epi64::<16>(binary), all(1 << 24));
        let shift = _mm256_add_epi64(_mm256_add_epi64(q, binary), all(4));
        let mut indices = [0; LANES];
        let entry = _mm256_sub_epi64(minus_k, all(FIRST_SHIFTED_POWER.into()));
        _mm256_storeu_si256(indices.as_mut_ptr().cast(), entry);
        let (power_low, power_high) = four_powers(indices, powers);
        // The product of 56 bits and of 96 bits of the power, in columns of 32 bits.
        let c = _mm256_sllv_epi64(_mm256_or_si256(fraction, all(1 << MANTISSA)), shift);
        let c1 = _mm256_srli_epi64::<32>(c);
        let p0 = _mm256_srli_epi64::<32>(power_low);
        let p1 = power_high;
        let p2 = _mm256_srli_epi64::<32>(power_high);
        let low_of = |value: __m256i| _mm256_and_si256(value, low_32);
        let high_of = |value: __m256i| _mm256_srli_epi64::<32>(value);
        let times = |a: __m256i, b: __m256i| _mm256_mul_epu32(a, b);
        let first = _mm256_add_epi64(times(c, p1), high_of(times(c, p0)));
        let second = _mm256_add_epi64(times(c1, p0), low_of(first));
        let third = _mm256_add_epi64(times(c, p2), high_of(first));
        let third = _mm256_add_epi64(third, high_of(second));
        let fourth = _mm256_add_epi64(times(c1, p1), low_of(third));
        // The value in units of 10^k: its integer part, and its fraction in units of 2^-60.
        let whole = _mm256_add_epi64(times(c1, p2), high_of(third));
        let whole = _mm256_add_epi64(whole, high_of(fourth));
        let part = _mm256_or_si256(
            _mm256_slli_epi64::<28>(low_of(fourth)),
            _mm256_srli_epi64::<4>(low_of(second)),
        );
        // Half the distance to the next float; below a power of two the distance is half as long.
        let above = _mm256_srli_epi64::<5>(_mm256_sllv_epi64(power_high, shift));
        let is_power_of_two = _mm256_cmpeq_epi64(fraction, zero);
        let below = _mm256_blendv_epi8(above, _mm256_srli_epi64::<1>(above), is_power_of_two);
        let end = _mm256_add_epi64(part, above);
        let above_reads_back = _mm256_cmpgt_epi64(end, all(FRACTION));
        let reads_back = _mm256_or_si256(_mm256_cmpgt_epi64(below, part), above_reads_back);
        // The further digit, rounded.
        let ten_times = |value: __m256i| {
            _mm256_add_epi64(_mm256_slli_epi64::<3>(value), _mm256_slli_epi64::<1>(value))
        };
        let tenths = ten_times(part);
        let rest = _mm256_and_si256(tenths, all(FRACTION));
        let digit = _mm256_srli_epi64::<60>(tenths);
        let digit = _mm256_add_epi64(digit, _mm256_srli_epi64::<59>(rest));
        let is_near = |a: __m256i, b: __m256i, margin: i64| {
            let distance = _mm256_sub_epi64(a, b);
            _mm256_andnot_si256(
                _mm256_cmpgt_epi64(distance, all(margin - 1)),
                _mm256_cmpgt_epi64(distance, all(-margin - 1)),
            )
        };
        let undecided = _mm256_or_si256(special, is_near(part, below, MARGIN));
        let undecided = _mm256_or_si256(undecided, is_near(end, all(1 << 60), MARGIN));
        let undecided = _mm256_or_si256(undecided, is_near(rest, all(1 << 59), 10 * MARGIN));
        let undecided =
            _mm256_or_si256(undecided, _mm256_andnot_si256(reads_back, is_power_of_two));
        let undecided = _mm256_movemask_pd(_mm256_castsi256_pd(undecided)) as u32;
        let digit = _mm256_andnot_si256(reads_back, digit);
        // A mask is -1.
        let whole = _mm256_sub_epi64(whole, above_reads_back);
        let longer = _mm256_add_epi64(ten_times(whole), digit);
        if is_double {
            // Sixteen digits, and perhaps a seventeenth.
            let is_narrow = _mm256_cmpgt_epi64(all(1_000_000_000_000_000), whole);
            let digits = _mm256_blendv_epi8(whole, longer, is_narrow);
            let last = _mm256_andnot_si256(is_narrow, digit);
            let exponent = _mm256_add_epi64(_mm256_add_epi64(k, all(15)), is_narrow);
            return Four { digits, last, exponent, undecided };
        }
        // Seven to nine digits, padded to sixteen.
        let is_nine = _mm256_cmpgt_epi64(longer, all(99_999_999));
        let is_seven = _mm256_cmpgt_epi64(all(10_000_000), longer);
        let scale = _mm256_blendv_epi8(all(100_000_000), all(10_000_000), is_nine);
        let scale = _mm256_blendv_epi8(scale, all(1_000_000_000), is_seven);
        let digits = _mm256_mul_epu32(longer, scale);
        let exponent = _mm256_sub_epi64(_mm256_add_epi64(k, all(6)), is_nine);
        Four { digits, last: zero, exponent: _mm256_add_epi64(exponent, is_seven), undecided }
    }
}
