//! Decimal to double by exact arithmetic, for the few decimals that 128 bits do not decide.
//!
//! Separate from `float`, which asks for it, because it needs numbers of 2,600 bits. Invariant: the
//! work for a number is bounded by its length and a constant, and nothing is allocated: hostile
//! numbers cannot make reading slow. The standard library's parser, used before, took 14 µs for
//! twenty digits near a halfway point (2026-11-22). Called by `float`.

use super::natural::Natural;

/// Digits that are read; of the rest only whether one differs from zero. No decimal exactly between
/// two doubles has more than 767 significant digits, so further digits decide only ties.
const MAX_DIGITS: usize = 779;

/// 5^1102, the divisor for [`MAX_DIGITS`] digits in the smallest doubles, has 2,559 bits: 40 limbs.
/// A dividend has 63 bits more, and a product that is corrected can have a limb more.
const LIMBS: usize = 43;

/// Digits that are appended to the number in one step.
const CHUNK: usize = 19;

/// The format of a double (IEEE 754 binary64).
pub(super) const MANTISSA_BITS: u32 = 52;
pub(super) const EXPONENT_BIAS: i32 = 1023;
pub(super) const INFINITE_EXPONENT: i32 = 0x7ff;

/// The double nearest to the number in `text`, which has no sign; it is `0.d * 10^point`, where `d`
/// are its significant digits.
#[cold]
#[inline(never)]
pub(super) fn nearest(text: &[u8], point: i32) -> f64 {
    // Half of the smallest double is above 10^-324, and twice the largest is below 10^309.
    if point <= -324 {
        return 0.0;
    }
    if point > 309 {
        return f64::INFINITY;
    }
    let mantissa = text.iter().position(|byte| byte | 0x20 == b'e').unwrap_or(text.len());
    let digits = text[..mantissa].iter().filter(|&&byte| byte != b'.').map(|byte| byte - b'0');
    let mut digits = digits.skip_while(|&digit| digit == 0);
    let mut number = Natural::<LIMBS>::from_limb(0);
    let mut count = 0;
    while count < MAX_DIGITS {
        let (mut chunk, mut power) = (0, 1);
        for digit in digits.by_ref().take(CHUNK) {
            chunk = chunk * 10 + u64::from(digit);
            power *= 10;
            count += 1;
        }
        if power == 1 {
            break;
        }
        number.multiply_add(power, chunk);
    }
    let is_truncated = digits.any(|digit| digit != 0);
    let exponent = point - count as i32;
    match u32::try_from(exponent) {
        Ok(exponent) => multiplied(number, exponent, is_truncated),
        Err(_) => divided(number, exponent.unsigned_abs(), is_truncated),
    }
}

/// The double nearest to `number * 10^exponent`, or just above that if `is_truncated`.
fn multiplied(mut number: Natural<LIMBS>, exponent: u32, is_truncated: bool) -> f64 {
    number.multiply_by_power_of_five(exponent);
    let excess = number.bits().saturating_sub(64);
    let lost = number.shift_right(excess);
    round(number.low(), exponent as i32 + excess as i32, lost | is_truncated)
}

/// The double nearest to `number / 10^exponent`, or just above that if `is_truncated`.
fn divided(mut number: Natural<LIMBS>, exponent: u32, is_truncated: bool) -> f64 {
    let mut divisor = Natural::from_limb(1);
    divisor.multiply_by_power_of_five(exponent);
    let zeros = divisor.bits().next_multiple_of(64) - divisor.bits();
    divisor.shift_left(zeros);
    // With 63 bits more than the divisor, the quotient has 63 or 64.
    let shift = (divisor.bits() + 63) as i32 - number.bits() as i32;
    let mut lost = false;
    match usize::try_from(shift) {
        Ok(shift) => number.shift_left(shift),
        Err(_) => lost = number.shift_right(shift.unsigned_abs() as usize),
    }
    let (quotient, has_remainder) = number.divide(&divisor);
    let exponent = zeros as i32 - shift - exponent as i32;
    round(quotient, exponent, has_remainder | lost | is_truncated)
}

/// The double nearest to `number * 2^exponent`, ties to even; or to a value between that and the
/// next number, if `has_rest`. `number` is not zero.
fn round(number: u64, exponent: i32, has_rest: bool) -> f64 {
    let zeros = number.leading_zeros();
    let number = number << zeros;
    let biased = exponent - zeros as i32 + 63 + EXPONENT_BIAS;
    if biased >= INFINITE_EXPONENT {
        return f64::INFINITY;
    }
    // A subnormal double has fewer bits.
    let missing = (1 - biased).max(0) as u32;
    let shift = 63 - MANTISSA_BITS + missing;
    if shift > 64 {
        return 0.0;
    }
    let mantissa = number.checked_shr(shift).unwrap_or(0);
    let half = 1 << (shift - 1);
    let rest = number & (half | (half - 1));
    let rounds_up = rest > half || rest == half && (has_rest || mantissa & 1 == 1);
    // The addition carries the mantissa's top bit, and a carry from rounding, into the exponent.
    let exponent = (biased.max(1) - 1) as u64;
    f64::from_bits((exponent << MANTISSA_BITS) + mantissa + u64::from(rounds_up))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::number::{Number, read};

    /// The digits of `number * 2^exponent`, and the power of ten that they are multiplied by.
    fn decimal(number: u64, exponent: i32) -> (String, i32) {
        let mut digits: Vec<u8> =
            number.to_string().bytes().rev().map(|byte| byte - b'0').collect();
        let (factor, times) = if exponent < 0 { (5, -exponent) } else { (2, exponent) };
        for _ in 0..times {
            let mut carry = 0;
            for digit in &mut digits {
                let product = *digit * factor + carry;
                (*digit, carry) = (product % 10, product / 10);
            }
            if carry > 0 {
                digits.push(carry);
            }
        }
        let text = digits.iter().rev().map(|&digit| char::from(digit + b'0')).collect();
        (text, exponent.min(0))
    }

    /// Checks `digits * 10^exponent` in several spellings.
    fn check(digits: &str, exponent: i32) {
        let expected: f64 = format!("{digits}e{exponent}").parse().unwrap();
        let point = digits.len() as i32 + exponent;
        assert_eq!(nearest(digits.as_bytes(), point), expected, "{digits}e{exponent}");
        let spellings = [
            format!("{digits}e{exponent}"),
            format!("{digits}.000E{exponent}"),
            format!("{}.{}e{:+}", &digits[..1], &digits[1..], point - 1),
            format!("0.000{digits}e{}", point + 3),
            format!("{digits}00e{}", exponent - 2),
        ];
        for text in spellings {
            match read(text.as_bytes(), 0) {
                Ok((Number::Float(found), _)) => assert_eq!(found, expected, "{text}"),
                Err(_) => assert!(expected.is_infinite(), "{text}"),
                Ok(other) => panic!("{text}: {other:?}"),
            }
        }
    }

    /// Mantissas and exponents of doubles: the borders, and some between.
    fn doubles() -> impl Iterator<Item = (u64, i32)> {
        let mantissas = [1 << 52, (1 << 52) + 1, (1 << 53) - 1, 0x1a_bcde_f012_3456];
        let exponents = [-1074, -1073, -1022, -600, -200, -60, -53, -20, 0, 40, 100, 500, 970, 971];
        let normal = exponents.into_iter().flat_map(move |e| mantissas.map(move |m| (m, e)));
        let subnormal = [0, 1, 2, 3, 0x8_0000_0000_0001, (1 << 52) - 1].map(|m| (m, -1074));
        normal.chain(subnormal)
    }

    #[test]
    fn decimals_at_and_beside_each_halfway_point_are_rounded_like_the_standard_library() {
        for (mantissa, exponent) in doubles() {
            let (digits, power) = decimal(2 * mantissa + 1, exponent - 1);
            check(&digits, power);
            // Just above: one more digit at once, and far behind.
            check(&format!("{digits}1"), power - 1);
            check(&format!("{digits}{}1", "0".repeat(900)), power - 901);
            // Just below.
            let zeros = digits.bytes().rev().take_while(|&byte| byte == b'0').count();
            let (start, last) = digits.split_at(digits.len() - zeros);
            let mut below = start.to_owned();
            let unit = below.pop().unwrap();
            below.push(char::from(unit as u8 - 1));
            check(&format!("{below}{}", "9".repeat(last.len() + 900)), power - 900);
            // The first digits only, with which a document can be filled.
            for length in [20, 21, 25, 40, 100, 400] {
                if let Some(start) = digits.get(..length) {
                    check(start, power + (digits.len() - length) as i32);
                }
            }
        }
    }

    #[test]
    fn the_ends_of_the_range() {
        for (digits, exponent) in [
            ("17976931348623157", 292),
            (
                "179769313486231580793728971405303415079934132710037826936173778980444968292764750",
                228,
            ),
            ("17976931348623159", 292),
            ("24703282292062327208", -343),
            ("24703282292062328", -340),
            ("49406564584124654", -340),
            ("22250738585072011360574097967091319759348195463516456", -360),
            ("1", -100_000),
            ("1", 100_000),
        ] {
            let expected: f64 = format!("{digits}e{exponent}").parse().unwrap();
            let point = digits.len() as i32 + exponent;
            assert_eq!(nearest(digits.as_bytes(), point), expected, "{digits}e{exponent}");
        }
    }

    #[test]
    fn random_digits_are_rounded_like_the_standard_library() {
        let mut state = 7u64;
        let mut random = || {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            state >> 33
        };
        for _ in 0..20_000 {
            let length = 1 + random() as usize % 30;
            let digits: String =
                (0..length).map(|_| char::from(b'1' + (random() % 9) as u8)).collect();
            let exponent = random() as i32 % 340 - random() as i32 % 340 - length as i32;
            let expected: f64 = format!("{digits}e{exponent}").parse().unwrap();
            let point = length as i32 + exponent;
            assert_eq!(nearest(digits.as_bytes(), point), expected, "{digits}e{exponent}");
        }
    }
}
