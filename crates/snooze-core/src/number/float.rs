//! Decimal to double, correctly rounded: Clinger's exact cases, then Eisel-Lemire, then `exact`.
//!
//! Separate from the grammar because it is arithmetic only: its callers, `read` and `short`, pass
//! the first nineteen digits as an integer, and a power of ten. Sources: Clinger, "How to read
//! floating point numbers accurately" (1990); Lemire, "Number parsing at a gigabyte per second"
//! (2021). Invariant: the result is the double nearest to the decimal, ties to even, or infinity
//! beyond the range.

use super::exact;
use super::exact::{EXPONENT_BIAS, INFINITE_EXPONENT, MANTISSA_BITS};
use super::power_of_five::{MAX_FINITE_EXPONENT, MIN_EXPONENT, POWERS};
use crate::arch::generic::decimal::{MAX_INTEGER_DIGITS, TOTAL_DIGITS};

/// The powers of ten that a double holds exactly.
const EXACT_POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
];

/// The double nearest to `digits * 10^exponent`. If `truncated`, further digits follow those in
/// `digits`. `text` is the whole number without its sign.
#[inline(always)]
pub(super) fn nearest(digits: u64, exponent: i32, truncated: bool, text: &[u8]) -> f64 {
    if digits < 1 << 53 && !truncated && (-22..=22).contains(&exponent) {
        // Both operands are exact, so a single operation rounds correctly (Clinger).
        let power = EXACT_POWERS[exponent.unsigned_abs() as usize];
        let value = digits as f64;
        return if exponent < 0 { value / power } else { value * power };
    }
    eisel_lemire_or_exact(digits, exponent, truncated, text)
}

/// The factor for the digits of a
/// [`ScannedDecimal`](crate::arch::generic::decimal::ScannedDecimal).
#[derive(Clone, Copy)]
struct Scale {
    /// A power of five: its low and its high half.
    power: (u64, u64),
    /// The biased exponent of the product, minus one, before normalisation.
    biased: u64,
}

/// The factors, indexed by the number of digits before the point.
static SCALES: [Scale; MAX_INTEGER_DIGITS as usize + 1] = {
    let mut scales = [Scale { power: (0, 0), biased: 0 }; MAX_INTEGER_DIGITS as usize + 1];
    let mut integer_digits = 0;
    while integer_digits < scales.len() {
        let exponent = integer_digits as i32 - TOTAL_DIGITS as i32;
        let biased = ((exponent * 217_706) >> 16) + 63 + EXPONENT_BIAS - 1;
        scales[integer_digits] =
            Scale { power: POWERS[(exponent - MIN_EXPONENT) as usize], biased: biased as u64 };
        integer_digits += 1;
    }
    scales
};

/// The double nearest to `digits * 10^(integer_digits - TOTAL_DIGITS)`.
///
/// This is Eisel-Lemire without its exits: these exponents are far from overflow and underflow, and
/// from those for which a decimal can lie exactly between two doubles.
#[inline(always)]
pub(super) fn nearest_scanned(digits: u64, integer_digits: u32) -> f64 {
    let Scale { power: (power_low, power_high), biased } =
        SCALES[(integer_digits & 15) as usize % 15];
    let zeros = digits.leading_zeros();
    let shifted = digits << (zeros & 63);
    let first = u128::from(shifted) * u128::from(power_high);
    let second = (u128::from(shifted) * u128::from(power_low)) >> 64;
    let high = ((first + second) >> 64) as u64;
    let top_bit = high >> 63;
    let mantissa = high >> (top_bit + 64 - u64::from(MANTISSA_BITS) - 3);
    let mantissa = (mantissa + (mantissa & 1)) >> 1;
    // The addition carries the mantissa's top bit, and a carry from rounding, into the exponent.
    let biased = biased + top_bit - u64::from(zeros);
    let bits = (biased << MANTISSA_BITS).wrapping_add(mantissa);
    f64::from_bits(if digits == 0 { 0 } else { bits })
}

/// [`nearest`] without Clinger's cases.
///
/// PERF: a call. Inlined into the walk, it costs 12 % on github.json, which has no double at all
/// (2026-11-21).
#[inline(never)]
fn eisel_lemire_or_exact(digits: u64, exponent: i32, truncated: bool, text: &[u8]) -> f64 {
    if truncated {
        return nearest_truncated(digits, exponent, text);
    }
    match eisel_lemire(digits, exponent) {
        Some(value) => value,
        None => exact::nearest(text, exponent + digits.ilog10() as i32 + 1),
    }
}

/// The nearest double after truncation: the decimal lies between `digits` and `digits + 1`, which
/// usually round to the same double.
#[inline(never)]
fn nearest_truncated(digits: u64, exponent: i32, text: &[u8]) -> f64 {
    match (eisel_lemire(digits, exponent), eisel_lemire(digits + 1, exponent)) {
        (Some(low), Some(high)) if low == high => low,
        _ => exact::nearest(text, exponent + digits.ilog10() as i32 + 1),
    }
}

/// The double nearest to `digits * 10^exponent`, or `None` where 128 bits do not decide it.
#[inline(always)]
fn eisel_lemire(digits: u64, exponent: i32) -> Option<f64> {
    if digits == 0 || exponent < MIN_EXPONENT {
        return Some(0.0);
    }
    if exponent > MAX_FINITE_EXPONENT {
        return Some(f64::INFINITY);
    }
    let zeros = digits.leading_zeros();
    let digits = digits << zeros;
    let (low, high) = product(digits, exponent);
    if low == u64::MAX && !(-27..=55).contains(&exponent) {
        return None;
    }
    let top_bit = (high >> 63) as u32;
    let shift = top_bit + 64 - MANTISSA_BITS - 3;
    let mut mantissa = high >> shift;
    // floor(exponent * log2(10)) + 63, exact in this range.
    let power = ((exponent * 217_706) >> 16) + 63;
    let mut biased = power + top_bit as i32 - zeros as i32 + EXPONENT_BIAS;
    if biased <= 0 {
        // A subnormal double, or zero.
        if -biased + 1 >= 64 {
            return Some(0.0);
        }
        mantissa >>= -biased + 1;
        mantissa += mantissa & 1;
        mantissa >>= 1;
        // Rounding up may yield the smallest normal double.
        let biased = u64::from(mantissa >= 1 << MANTISSA_BITS);
        return Some(from_parts(mantissa, biased));
    }
    // Exactly between two doubles, possible only for these exponents: round to even.
    if low <= 1 && (-4..=23).contains(&exponent) && mantissa & 3 == 1 && mantissa << shift == high {
        mantissa &= !1;
    }
    mantissa += mantissa & 1;
    mantissa >>= 1;
    if mantissa >= 2 << MANTISSA_BITS {
        mantissa = 1 << MANTISSA_BITS;
        biased += 1;
    }
    if biased >= INFINITE_EXPONENT {
        return Some(f64::INFINITY);
    }
    Some(from_parts(mantissa, biased as u64))
}

/// Assembles a double; the mantissa may have its implicit bit.
fn from_parts(mantissa: u64, biased: u64) -> f64 {
    f64::from_bits(mantissa & !(1 << MANTISSA_BITS) | biased << MANTISSA_BITS)
}

/// The top 128 bits of `digits * 5^exponent`, as low and high half. The low half is computed only
/// as far as the rounding needs it.
fn product(digits: u64, exponent: i32) -> (u64, u64) {
    const UNDECIDED: u64 = u64::MAX >> (MANTISSA_BITS + 3);
    let (power_low, power_high) = POWERS[(exponent - MIN_EXPONENT) as usize];
    let first = u128::from(digits) * u128::from(power_high);
    let (mut low, mut high) = (first as u64, (first >> 64) as u64);
    if high & UNDECIDED == UNDECIDED {
        let second = (u128::from(digits) * u128::from(power_low)) >> 64;
        let (sum, carry) = low.overflowing_add(second as u64);
        low = sum;
        high += u64::from(carry);
    }
    (low, high)
}
