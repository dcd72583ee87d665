//! The most significant 128 bits of every power of five that reading or writing a double needs.
//!
//! Separate because `float` and `shortest` share the table. The compiler computes it with exact
//! arithmetic, so no copied constants have to be trusted. Invariant: for q >= 0 an entry is 5^q
//! truncated to 128 bits; for q < 0 it is the reciprocal of 5^-q truncated to 128 bits, plus one
//! for -27 <= q, as Lemire's proof requires ("Number parsing at a gigabyte per second", 2021,
//! section 5).

use super::natural::Natural;
use crate::arch::generic::shortest::{FIRST_SHIFTED_POWER, ShiftedPowers};

/// The smallest exponent in the table.
pub(super) const MIN_EXPONENT: i32 = -342;
/// Above this exponent, `digits * 10^exponent` is infinite for any digits but zero.
pub(super) const MAX_FINITE_EXPONENT: i32 = 308;
/// The largest exponent in the table: writing the smallest normal doubles multiplies by this power.
const MAX_EXPONENT: i32 = 323;

const ENTRIES: usize = (MAX_EXPONENT - MIN_EXPONENT + 1) as usize;

/// 5^q for `MIN_EXPONENT <= q <= MAX_EXPONENT`: the low and the high half of its 128 bits.
pub(super) static POWERS: [(u64, u64); ENTRIES] = powers();

/// The powers that writing multiplies by, shifted right by three bits: the caller shifts its factor
/// left by up to three.
pub(super) static SHIFTED: ShiftedPowers = {
    let mut table = [[0; 2]; (MAX_EXPONENT - FIRST_SHIFTED_POWER + 1) as usize];
    let mut at = 0;
    while at < table.len() {
        let (low, high) = POWERS[at + (FIRST_SHIFTED_POWER - MIN_EXPONENT) as usize];
        table[at] = [high << 61 | low >> 3, high >> 3];
        at += 1;
    }
    table
};

/// 5^342 has 795 bits, which is 13 limbs; the shifted remainder of a division needs one more.
const LIMBS: usize = 14;

/// The 128 most significant bits of 1 / `divisor`, truncated, by long division.
const fn reciprocal(divisor: &Natural<LIMBS>) -> u128 {
    // The smallest power of two above the divisor, which is odd and greater than one.
    let mut remainder = Natural::power_of_two(divisor.bits());
    let (mut quotient, mut digits) = (0u128, 0);
    while digits < 128 {
        quotient <<= 1;
        if !remainder.is_below(divisor) {
            remainder.subtract(divisor);
            quotient |= 1;
        }
        remainder.multiply_add(2, 0);
        digits += 1;
    }
    quotient
}

#[allow(long_running_const_eval, reason = "a second of exact arithmetic for 315 divisions")]
const fn powers() -> [(u64, u64); ENTRIES] {
    let mut table = [(0, 0); ENTRIES];
    let mut power = Natural::from_limb(1);
    let mut exponent = 0;
    while exponent <= -MIN_EXPONENT {
        if exponent <= MAX_EXPONENT {
            let top = power.top();
            table[(exponent - MIN_EXPONENT) as usize] = (top as u64, (top >> 64) as u64);
        }
        if exponent > 0 {
            let round_up = (exponent <= 27) as u128;
            let top = reciprocal(&power) + round_up;
            table[(-exponent - MIN_EXPONENT) as usize] = (top as u64, (top >> 64) as u64);
        }
        power.multiply_add(5, 0);
        exponent += 1;
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(exponent: i32) -> u128 {
        let (low, high) = POWERS[(exponent - MIN_EXPONENT) as usize];
        u128::from(high) << 64 | u128::from(low)
    }

    #[test]
    fn small_powers_are_exact() {
        for exponent in 0..=55 {
            let power = 5u128.pow(exponent as u32);
            assert_eq!(entry(exponent), power << power.leading_zeros());
        }
    }

    #[test]
    fn reciprocals_are_rounded_up() {
        // 1/5 = 0.(1100) in binary.
        assert_eq!(entry(-1), 0xcccc_cccc_cccc_cccc_cccc_cccc_cccc_cccd);
        for exponent in 1..=27 {
            let power = 5u128.pow(exponent as u32);
            // entry = 2^k / power, rounded up, so entry * power is just above a power of two.
            let (high, low) = wide_product(entry(-exponent), power);
            assert!(high.is_power_of_two() && low < power, "{exponent}");
        }
    }

    #[test]
    fn every_entry_times_its_inverse_is_one() {
        for exponent in 1..=MAX_EXPONENT {
            let (high, _) = wide_product(entry(exponent), entry(-exponent));
            // Both are truncated (or one is rounded up): the product is 2^255 or just below it.
            let top = high >> 64;
            assert!(
                top == (1 << 63) || top == (1 << 63) - 1 || top == u64::MAX.into(),
                "{exponent}"
            );
        }
    }

    #[test]
    fn every_entry_is_five_times_the_one_before() {
        for exponent in MIN_EXPONENT..MAX_EXPONENT {
            let (high, low) = wide_product(entry(exponent), 5);
            let zeros = high.leading_zeros();
            let product = high << zeros | low >> (128 - zeros);
            // The truncation error grows by a factor of five and is shifted right by two bits or
            // more.
            let distance = entry(exponent + 1).abs_diff(product);
            assert!(distance <= 2, "{exponent}: {distance}");
        }
    }

    fn wide_product(a: u128, b: u128) -> (u128, u128) {
        let mask = u128::from(u64::MAX);
        let (a1, a0, b1, b0) = (a >> 64, a & mask, b >> 64, b & mask);
        let (p00, p01, p10, p11) = (a0 * b0, a0 * b1, a1 * b0, a1 * b1);
        let middle = (p00 >> 64) + (p01 & mask) + (p10 & mask);
        let low = middle << 64 | (p00 & mask);
        (p11 + (p01 >> 64) + (p10 >> 64) + (middle >> 64), low)
    }
}
