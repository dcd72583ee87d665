//! The shortest decimal of a double, where 128 bits of a power of ten decide it.
//!
//! Separate from its callers, `out::float` and `out::float_arrays`, because it is arithmetic only.
//! Sources: Giulietti, "The Schubfach way to render doubles" (2020), for the choice of the power of
//! ten; the descriptions of xjb and zmij, for choosing among the candidates by one fraction.
//!
//! A double is c * 2^q with 53 bits in c. Let 10^(k-1) <= 2^q < 10^k. The interval of numbers that
//! read back as this double reaches half a step to either side. It holds at most one multiple of
//! 10^k, and at least one of 10^(k-1). So the shortest decimal is the multiple of 10^k, if there is
//! one; otherwise it is the nearest multiple of 10^(k-1), with one digit more.
//!
//! Invariant: a returned decimal is exact. The fraction is known to one unit of 2^-64; `None` means
//! that a comparison is closer than that, by chance about once in 2^56 values. The tiers that find
//! many decimals at once know fewer bits, and leave more undecided: see their kernels.

use core::hint::select_unpredictable;

use super::power_of_five::SHIFTED;
use crate::arch::Vector;
use crate::arch::generic::shortest::{FIRST_SHIFTED_POWER, FLOATS, ShortestDecimals};

/// A positive decimal: `digits * 10^(exponent - 15) + last * 10^(exponent - 16)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ShortestDecimal {
    /// Sixteen digits. The first is not zero; trailing digits may be.
    pub(crate) digits: u64,
    /// The seventeenth digit, which may be zero.
    pub(crate) last: u8,
    /// The power of ten of the first digit.
    pub(crate) exponent: i32,
}

/// Fractions closer than this, in units of 2^-64, count as undecided. The error is smaller.
const MARGIN: u64 = 8;

/// An IEEE 754 format, by the number of bits of its mantissa and of its exponent.
struct Binary<const MANTISSA: u32, const EXPONENT: u32>;

impl<const MANTISSA: u32, const EXPONENT: u32> Binary<MANTISSA, EXPONENT> {
    /// The exponent bias for a mantissa that is read as an integer.
    const BIAS: i32 = (1 << (EXPONENT - 1)) - 1 + MANTISSA as i32;

    /// The shortest decimal in units of 10^k: its integer part, one further digit (zero if the
    /// integer part alone reads back), and k. `None` as for [`shortest`].
    #[inline(always)]
    fn candidates(bits: u64) -> Option<(u64, u64, i32)> {
        let max = (1 << EXPONENT) - 1;
        let biased = (bits >> MANTISSA & max) as i32;
        if biased.wrapping_sub(1) as u32 >= max as u32 - 1 {
            return None;
        }
        let fraction = bits & ((1 << MANTISSA) - 1);
        let q = biased - Self::BIAS;
        let k = power_above(q);
        let [low, high] = SHIFTED[(-k - FIRST_SHIFTED_POWER) as usize];
        // The value in units of 10^k, times 2^128. The shift is 0 to 3.
        let shift = (q + binary_exponent(-k) + 4) as u32;
        let c = (fraction | 1 << MANTISSA) << shift;
        let product = u128::from(c) * u128::from(high) + ((u128::from(c) * u128::from(low)) >> 64);
        let (whole, part) = ((product >> 64) as u64, product as u64);
        // Half the distance to the next float, in units of 10^k times 2^64. Below a power of two
        // the distance is half as long.
        let above = (high << shift) >> 1;
        let is_power_of_two = fraction == 0;
        let below = above >> u32::from(is_power_of_two);
        // Whether the next multiple of 10^k below, or above, lies in the interval.
        let below_reads_back = part < below;
        let (end, above_reads_back) = part.overflowing_add(above);
        // The further digit, rounded.
        let tenths = u128::from(part) * 10;
        let (digit, rest) = ((tenths >> 64) as u64, tenths as u64);
        let digit = digit + (rest >> 63);
        let is_near =
            |a: u64, b: u64, margin: u64| a.wrapping_sub(b).wrapping_add(margin) < 2 * margin;
        let undecided = is_near(part, below, MARGIN)
            | is_near(end, 0, MARGIN)
            | is_near(rest, 1 << 63, 10 * MARGIN)
            | (is_power_of_two & !(below_reads_back | above_reads_back));
        if undecided {
            return None;
        }
        // PERF: no branch, because the number of digits of a float is unpredictable.
        let digit = select_unpredictable(below_reads_back | above_reads_back, 0, digit);
        Some((whole + u64::from(above_reads_back), digit, k))
    }
}

type Binary64 = Binary<52, 11>;
type Binary32 = Binary<23, 8>;

/// The shortest decimal that reads back as the absolute value of the double with these bits; of
/// several, the nearest. `None` for zero, subnormals, infinities, NaN, and undecided cases.
#[inline(always)]
pub(crate) fn shortest(bits: u64) -> Option<ShortestDecimal> {
    let (whole, digit, k) = Binary64::candidates(bits)?;
    let is_narrow = whole < 1_000_000_000_000_000;
    let digits = select_unpredictable(is_narrow, whole * 10 + digit, whole);
    let last = select_unpredictable(is_narrow, 0, digit);
    Some(ShortestDecimal { digits, last: last as u8, exponent: k + 15 - i32::from(is_narrow) })
}

/// [`shortest`] for a float of 32 bits.
#[inline(always)]
pub(crate) fn shortest_32(bits: u32) -> Option<ShortestDecimal> {
    let (whole, digit, k) = Binary32::candidates(bits.into())?;
    // Pad seven to nine digits to sixteen.
    let digits = whole * 10 + digit;
    let extra_digits = usize::from(digits >= 10_000_000) + usize::from(digits >= 100_000_000);
    let scale = [1_000_000_000, 100_000_000, 10_000_000][extra_digits];
    Some(ShortestDecimal { digits: digits * scale, last: 0, exponent: k + 5 + extra_digits as i32 })
}

impl ShortestDecimals {
    /// [`shortest`] of the first `count` doubles.
    #[inline(always)]
    pub(crate) fn of_doubles<V: Vector>(&mut self, values: &[f64; FLOATS], count: usize) {
        let bits = values.map(f64::to_bits);
        if !V::shortest_decimals::<52>(&bits, count, &SHIFTED, self) {
            self.fill(count, |index| shortest(bits[index]));
        }
    }

    /// [`shortest_32`] of the first `count` floats.
    #[inline(always)]
    pub(crate) fn of_floats<V: Vector>(&mut self, values: &[f32; FLOATS], count: usize) {
        let bits = values.map(|value| value.to_bits().into());
        if !V::shortest_decimals::<23>(&bits, count, &SHIFTED, self) {
            self.fill(count, |index| shortest_32(values[index].to_bits()));
        }
    }

    #[inline(always)]
    fn fill(&mut self, count: usize, decimal: impl Fn(usize) -> Option<ShortestDecimal>) {
        self.undecided = 0;
        for index in 0..count.min(FLOATS) {
            match decimal(index) {
                Some(decimal) => {
                    self.digits[index] = decimal.digits;
                    self.last[index] = decimal.last.into();
                    self.exponent[index] = decimal.exponent.into();
                }
                None => self.undecided |= 1 << index,
            }
        }
    }

    /// The decimal of the float at `index`, if it is decided.
    #[inline(always)]
    pub(crate) fn get(&self, index: usize) -> Option<ShortestDecimal> {
        let decided = self.undecided >> index & 1 == 0;
        decided.then(|| ShortestDecimal {
            digits: self.digits[index],
            last: self.last[index] as u8,
            exponent: self.exponent[index] as i32,
        })
    }
}

/// The smallest k with 2^q < 10^k: floor(q * log10(2)) + 1.
#[inline(always)]
const fn power_above(q: i32) -> i32 {
    ((q * 315_653) >> 20) + 1
}

/// floor(q * log2(10)).
#[inline(always)]
const fn binary_exponent(q: i32) -> i32 {
    (q * 217_706) >> 16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithms_are_floored_shifts_are_at_most_three_and_powers_are_in_the_table() {
        for q in 1 - Binary64::BIAS..=0x7fe - Binary64::BIAS {
            let k = power_above(q);
            assert_eq!(k, (f64::from(q) * 2f64.log10()).floor() as i32 + 1);
            assert_eq!(binary_exponent(-k), (f64::from(-k) * 10f64.log2()).floor() as i32);
            assert!((0..=3).contains(&(q + binary_exponent(-k) + 4)), "{q}");
            assert!(SHIFTED.get((-k - FIRST_SHIFTED_POWER) as usize).is_some(), "{q}");
        }
    }

    #[test]
    fn undecided_values() {
        for value in [0.0, -0.0, 5e-324, f64::MIN_POSITIVE.next_down(), f64::NAN, f64::INFINITY] {
            assert_eq!(shortest(value.to_bits()), None);
        }
        // A power of two with seventeen digits, where neither neighbour is certain to read back.
        assert_eq!(shortest(f64::MIN_POSITIVE.to_bits()), None);
    }

    #[test]
    fn known_decimals() {
        let cases = [
            (1.0, 1_000_000_000_000_000, 0, 0),
            (-123.456, 1_234_560_000_000_000, 0, 2),
            (0.1 + 0.2, 3_000_000_000_000_000, 4, -1),
            (f64::MAX, 1_797_693_134_862_315, 7, 308),
            (f64::MIN_POSITIVE.next_up(), 2_225_073_858_507_202, 0, -308),
        ];
        for (value, digits, last, exponent) in cases {
            let expected = ShortestDecimal { digits, last, exponent };
            assert_eq!(shortest(value.to_bits()), Some(expected), "{value}");
        }
    }
}
