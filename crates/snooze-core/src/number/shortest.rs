//! The shortest decimal of a double, as far as 128 bits of a power of ten decide it.
//!
//! Separate from where it is written (`out::float`), because it is arithmetic only. Sources:
//! Giulietti, "The Schubfach way to render doubles" (2020), for the choice of the power of ten;
//! that the candidates are told apart by one fraction is from the descriptions of xjb and zmij.
//!
//! A double is c * 2^q with 53 bits in c. With 10^(k-1) <= 2^q < 10^k, the numbers that read back
//! as it (the interval that ends half a step above and below) hold at most one multiple of 10^k,
//! and at least one of 10^(k-1). So the shortest decimal is that multiple of 10^k, if there is
//! one, and otherwise the nearest multiple of 10^(k-1), which has one digit more.
//!
//! Invariant: what is returned is exact. The fraction is known to one unit of 2^-64; where a
//! comparison is closer than that, which chance makes once in 2^59 times, `None` is returned.

use core::hint::select_unpredictable;

use super::power_of_five::{SHIFTED, SHIFTED_FROM};

/// A positive decimal: `digits * 10^(exponent - 15) + last * 10^(exponent - 16)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Decimal {
    /// Sixteen digits, of which the first one is not zero; those at the end may be.
    pub(crate) digits: u64,
    /// The seventeenth digit, which may be zero.
    pub(crate) last: u8,
    /// The power of ten of the first digit.
    pub(crate) exponent: i32,
}

/// How close two fractions may be, in units of 2^-64, and still be told apart; more than enough.
const MARGIN: u64 = 8;

/// A format of IEEE 754 by the bits of its mantissa and of its biased exponent.
struct Binary<const MANTISSA: u32, const EXPONENT: u32>;

impl<const MANTISSA: u32, const EXPONENT: u32> Binary<MANTISSA, EXPONENT> {
    /// What is subtracted from a biased exponent where the mantissa is an integer.
    const BIAS: i32 = (1 << (EXPONENT - 1)) - 1 + MANTISSA as i32;

    /// In units of 10^k: the candidate without a digit more, that digit (zero if the candidate
    /// reads back), and k; `None` as for [`shortest`].
    #[inline(always)]
    fn candidates(bits: u64) -> Option<(u64, u64, i32)> {
        let most = (1 << EXPONENT) - 1;
        let biased = (bits >> MANTISSA & most) as i32;
        if biased.wrapping_sub(1) as u32 >= most as u32 - 1 {
            return None;
        }
        let fraction = bits & ((1 << MANTISSA) - 1);
        let q = biased - Self::BIAS;
        let k = power_above(q);
        let (low, high) = SHIFTED[(-k - SHIFTED_FROM) as usize];
        // The number in units of 10^k, times 2^128: the shift is at least 0 and at most 3.
        let shift = (q + binary_exponent(-k) + 4) as u32;
        let c = (fraction | 1 << MANTISSA) << shift;
        let product = u128::from(c) * u128::from(high) + ((u128::from(c) * u128::from(low)) >> 64);
        let (whole, part) = ((product >> 64) as u64, product as u64);
        // Half of the way to the next float, in units of 10^k times 2^64; the way down from a
        // power of two is half as long.
        let above = (high << shift) >> 1;
        let is_power = fraction == 0;
        let below = above >> u32::from(is_power);
        // Is the multiple of 10^k below, or the one above, in the interval?
        let is_down = part < below;
        let (end, is_up) = part.overflowing_add(above);
        // The digit after it, rounded.
        let tenths = u128::from(part) * 10;
        let (digit, rest) = ((tenths >> 64) as u64, tenths as u64);
        let digit = digit + (rest >> 63);
        let is_near =
            |a: u64, b: u64, margin: u64| a.wrapping_sub(b).wrapping_add(margin) < 2 * margin;
        let undecided = is_near(part, below, MARGIN)
            | is_near(end, 0, MARGIN)
            | is_near(rest, 1 << 63, 10 * MARGIN)
            | (is_power & !(is_down | is_up));
        if undecided {
            return None;
        }
        // PERF: without a branch, because how many digits a float has is nothing to predict.
        let digit = select_unpredictable(is_down | is_up, 0, digit);
        Some((whole + u64::from(is_up), digit, k))
    }
}

type Binary64 = Binary<52, 11>;
type Binary32 = Binary<23, 8>;

/// The shortest decimal that reads back as the double with these bits, its sign apart, and the
/// nearest of these; `None` if it is undecided, zero, subnormal, infinite or not a number.
#[inline(always)]
pub(crate) fn shortest(bits: u64) -> Option<Decimal> {
    let (whole, digit, k) = Binary64::candidates(bits)?;
    let is_narrow = whole < 1_000_000_000_000_000;
    let digits = select_unpredictable(is_narrow, whole * 10 + digit, whole);
    let last = select_unpredictable(is_narrow, 0, digit);
    Some(Decimal { digits, last: last as u8, exponent: k + 15 - i32::from(is_narrow) })
}

/// As [`shortest`], for a float of 32 bits.
#[inline(always)]
pub(crate) fn shortest_32(bits: u32) -> Option<Decimal> {
    let (whole, digit, k) = Binary32::candidates(bits.into())?;
    // Seven to nine digits become sixteen.
    let digits = whole * 10 + digit;
    let more = usize::from(digits >= 10_000_000) + usize::from(digits >= 100_000_000);
    let scale = [1_000_000_000, 100_000_000, 10_000_000][more];
    Some(Decimal { digits: digits * scale, last: 0, exponent: k + 5 + more as i32 })
}

/// The smallest k with 2^q < 10^k: one more than q * log10(2), cut.
#[inline(always)]
const fn power_above(q: i32) -> i32 {
    ((q * 315_653) >> 20) + 1
}

/// q * log2(10), cut.
#[inline(always)]
const fn binary_exponent(q: i32) -> i32 {
    (q * 217_706) >> 16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithms_are_cut_right_and_shifts_are_small() {
        for q in 1 - Binary64::BIAS..=0x7fe - Binary64::BIAS {
            let k = power_above(q);
            assert_eq!(k, (f64::from(q) * 2f64.log10()).floor() as i32 + 1);
            assert_eq!(binary_exponent(-k), (f64::from(-k) * 10f64.log2()).floor() as i32);
            assert!((0..=3).contains(&(q + binary_exponent(-k) + 4)), "{q}");
        }
    }

    #[test]
    fn what_is_not_decided_here() {
        for value in [0.0, -0.0, 5e-324, f64::MIN_POSITIVE.next_down(), f64::NAN, f64::INFINITY] {
            assert_eq!(shortest(value.to_bits()), None);
        }
        // A power of two with seventeen digits, of which the two nearest may not read back.
        assert_eq!(shortest(f64::MIN_POSITIVE.to_bits()), None);
    }

    #[test]
    fn small_numbers() {
        let cases = [
            (1.0, 1_000_000_000_000_000, 0, 0),
            (-123.456, 1_234_560_000_000_000, 0, 2),
            (0.1 + 0.2, 3_000_000_000_000_000, 4, -1),
            (f64::MAX, 1_797_693_134_862_315, 7, 308),
            (f64::MIN_POSITIVE.next_up(), 2_225_073_858_507_202, 0, -308),
        ];
        for (value, digits, last, exponent) in cases {
            let expected = Decimal { digits, last, exponent };
            assert_eq!(shortest(value.to_bits()), Some(expected), "{value}");
        }
    }
}
