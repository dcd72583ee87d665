//! Decimal to double, correctly rounded: Clinger's exact cases, then Eisel-Lemire, then the
//! standard library.
//!
//! Separate from the grammar in `read`, which hands over the first nineteen digits as an integer
//! and a power of ten. Sources: Clinger, "How to read floating point numbers accurately" (1990);
//! Lemire, "Number parsing at a gigabyte per second" (2021). Invariant: the result is the double
//! nearest to the decimal, ties to even; infinity where that is beyond the range.

use crate::arch::generic::decimal::{DIGITS, MOST_WHOLE};

use super::power_of_five::{LARGEST, POWERS, SMALLEST};

const MANTISSA_BITS: u32 = 52;
const EXPONENT_BIAS: i32 = 1023;
const INFINITE_EXPONENT: i32 = 0x7ff;

/// Powers of ten that are exact as doubles.
const EXACT_POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
];

/// The double nearest to `digits * 10^exponent`, of which `text` is the whole number without
/// its sign. With `cut`, more digits follow those in `digits`.
#[inline(always)]
pub(super) fn nearest(digits: u64, exponent: i32, cut: bool, text: &[u8]) -> f64 {
    if digits < 1 << 53 && !cut && (-22..=22).contains(&exponent) {
        // Both operands are exact, so the one operation rounds correctly (Clinger).
        let power = EXACT_POWERS[exponent.unsigned_abs() as usize];
        let value = digits as f64;
        return if exponent < 0 { value / power } else { value * power };
    }
    eisel_lemire_or_exact(digits, exponent, cut, text)
}

/// What multiplies the digits of a [`Decimal`](crate::arch::generic::decimal::Decimal).
#[derive(Clone, Copy)]
struct Scale {
    /// The power of five: low and high half.
    power: (u64, u64),
    /// The biased exponent of the product, less one, before it is shifted.
    biased: u64,
}

/// By the number of digits before the point.
static SCALES: [Scale; MOST_WHOLE as usize + 1] = {
    let mut scales = [Scale { power: (0, 0), biased: 0 }; MOST_WHOLE as usize + 1];
    let mut whole = 0;
    while whole < scales.len() {
        let exponent = whole as i32 - DIGITS as i32;
        let biased = ((exponent * 217_706) >> 16) + 63 + EXPONENT_BIAS - 1;
        scales[whole] =
            Scale { power: POWERS[(exponent - SMALLEST) as usize], biased: biased as u64 };
        whole += 1;
    }
    scales
};

/// The double nearest to `digits * 10^(whole - DIGITS)`.
///
/// This is Eisel-Lemire where it always decides: the exponents are far from both ends, and from
/// those for which a decimal can be exactly between two doubles.
#[inline(always)]
pub(super) fn scaled(digits: u64, whole: u32) -> f64 {
    let Scale { power: (power_low, power_high), biased } = SCALES[(whole & 15) as usize % 15];
    let zeros = digits.leading_zeros();
    let shifted = digits << (zeros & 63);
    let first = u128::from(shifted) * u128::from(power_high);
    let second = (u128::from(shifted) * u128::from(power_low)) >> 64;
    let high = ((first + second) >> 64) as u64;
    let upper = high >> 63;
    let mantissa = high >> (upper + 64 - u64::from(MANTISSA_BITS) - 3);
    let mantissa = (mantissa + (mantissa & 1)) >> 1;
    // The mantissa's top bit, and a carry of the rounding, go to the exponent.
    let biased = biased + upper - u64::from(zeros);
    let bits = (biased << MANTISSA_BITS).wrapping_add(mantissa);
    f64::from_bits(if digits == 0 { 0 } else { bits })
}

// PERF: a call, because the walk is slower with this in it: 12 % on github.json, which has no
// double at all (2026-11-21).
#[inline(never)]
fn eisel_lemire_or_exact(digits: u64, exponent: i32, cut: bool, text: &[u8]) -> f64 {
    if cut {
        return between(digits, exponent, text);
    }
    match eisel_lemire(digits, exponent) {
        Some(value) => value,
        None => exact(text),
    }
}

/// The nearest double where digits were cut off: the decimal lies between two that are known.
#[inline(never)]
fn between(digits: u64, exponent: i32, text: &[u8]) -> f64 {
    match (eisel_lemire(digits, exponent), eisel_lemire(digits + 1, exponent)) {
        (Some(low), Some(high)) if low == high => low,
        _ => exact(text),
    }
}

/// The nearest double by arbitrary precision, for the few decimals that need it.
#[cold]
fn exact(text: &[u8]) -> f64 {
    // A number that the grammar accepted is one for the standard library as well.
    core::str::from_utf8(text).ok().and_then(|text| text.parse().ok()).unwrap_or(f64::NAN)
}

/// The nearest double to `digits * 10^exponent`, or `None` where 128 bits cannot decide.
#[inline(always)]
fn eisel_lemire(digits: u64, exponent: i32) -> Option<f64> {
    if digits == 0 || exponent < SMALLEST {
        return Some(0.0);
    }
    if exponent > LARGEST {
        return Some(f64::INFINITY);
    }
    let zeros = digits.leading_zeros();
    let digits = digits << zeros;
    let (low, high) = product(digits, exponent);
    if low == u64::MAX && !(-27..=55).contains(&exponent) {
        return None;
    }
    let upper = (high >> 63) as u32;
    let shift = upper + 64 - MANTISSA_BITS - 3;
    let mut mantissa = high >> shift;
    // floor(exponent * log2(10)) + 63, exact in this range.
    let power = ((exponent * 217_706) >> 16) + 63;
    let mut biased = power + upper as i32 - zeros as i32 + EXPONENT_BIAS;
    if biased <= 0 {
        // A subnormal double, or zero.
        if -biased + 1 >= 64 {
            return Some(0.0);
        }
        mantissa >>= -biased + 1;
        mantissa += mantissa & 1;
        mantissa >>= 1;
        // Rounding up may have made it the smallest normal double.
        let biased = u64::from(mantissa >= 1 << MANTISSA_BITS);
        return Some(from_parts(mantissa, biased));
    }
    // Exactly between two doubles: possible only for these exponents; round to even.
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

fn from_parts(mantissa: u64, biased: u64) -> f64 {
    f64::from_bits(mantissa & !(1 << MANTISSA_BITS) | biased << MANTISSA_BITS)
}

/// `digits * 5^exponent` to as many bits as decide a double: low and high half.
fn product(digits: u64, exponent: i32) -> (u64, u64) {
    const UNDECIDED: u64 = u64::MAX >> (MANTISSA_BITS + 3);
    let (power_low, power_high) = POWERS[(exponent - SMALLEST) as usize];
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
