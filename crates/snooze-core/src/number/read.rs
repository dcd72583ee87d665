//! The full grammar of a number (RFC 8259, section 6), and the choice between integer and double.
//!
//! Separate from `short`, which reads the common numbers faster: this reads the rest, the last
//! numbers of a document, and is the oracle of `short` in tests. Invariant: integers that fit 64
//! bits stay integers; all others become the nearest double, as programs written for orjson expect
//! (the typed decoder makes exact integers itself). Called by `short`, `skip`, `read` and the typed
//! decoder.

use super::digits::{POWERS_OF_TEN, byte_at, digit_at, digit_values, join_eight, non_digits};
use super::float::nearest;
use crate::error::ErrorKind;

/// The value of a number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// An integer from -2^63 to 2^63 - 1.
    Int(i64),
    /// An integer from 2^63 to 2^64 - 1.
    UInt(u64),
    /// A number with a point or an exponent, or an integer beyond 64 bits.
    Float(f64),
}

/// What is wrong with a number, and its offset in the document.
pub type Fault = (ErrorKind, usize);

/// Every number of this many digits fits a `u64`.
const SAFE_DIGITS: usize = 19;

/// Appends at most `limit` digits at `at` to `value`; returns the offset after the last of them.
///
/// PERF: the last one to seven digits are joined in one step, like eight; a loop over them costs an
/// unpredictable branch. 5 % fewer instructions on canada.json (callgrind, AVX2, 2026-11-21).
#[inline(always)]
fn read_digits(bytes: &[u8], mut at: usize, value: &mut u64, mut limit: usize) -> usize {
    while let Some(text) = bytes.get(at..).and_then(|rest| rest.first_chunk()) {
        let digits = digit_values(*text);
        let others = non_digits(digits);
        if others == 0 && limit >= 8 {
            *value = *value * 100_000_000 + join_eight(digits);
            at += 8;
            limit -= 8;
            continue;
        }
        let count = limit.min(others.trailing_zeros() as usize / 8);
        if count > 0 {
            // The shift fills the places before the first digit with zeros.
            let shifted = digits << (64 - 8 * count);
            *value = *value * POWERS_OF_TEN[count % 8] + join_eight(shifted);
        }
        return at + count;
    }
    // Fewer than eight bytes of the document are left.
    while limit > 0 {
        let Some(next) = digit_at(bytes, at) else { break };
        *value = *value * 10 + next;
        at += 1;
        limit -= 1;
    }
    at
}

/// The offset after the digits at `at`.
#[inline(always)]
fn skip_digits(bytes: &[u8], mut at: usize) -> usize {
    while digit_at(bytes, at).is_some() {
        at += 1;
    }
    at
}

/// The offset after the number at `start`.
///
/// [`read`] must have accepted it, or refused it only as [`ErrorKind::Infinity`].
pub fn number_end(bytes: &[u8], start: usize) -> usize {
    let mut at = skip_digits(bytes, start + usize::from(byte_at(bytes, start) == b'-'));
    if byte_at(bytes, at) == b'.' {
        at = skip_digits(bytes, at + 1);
    }
    if byte_at(bytes, at) | 0x20 == b'e' {
        at =
            skip_digits(bytes, at + 1 + usize::from(matches!(byte_at(bytes, at + 1), b'-' | b'+')));
    }
    at
}

/// Reads the number at `start`, which begins with a digit, a sign or a point. Returns it with the
/// offset after it.
#[inline(always)]
pub fn read(bytes: &[u8], start: usize) -> Result<(Number, usize), Fault> {
    let negative = byte_at(bytes, start) == b'-';
    let first_digit = start + usize::from(negative);
    let Some(leading) = digit_at(bytes, first_digit) else {
        return Err((ErrorKind::NoDigitAfterSign, first_digit));
    };
    let mut value = leading;
    let mut at = first_digit + 1;
    if leading == 0 {
        if digit_at(bytes, at).is_some() {
            return Err((ErrorKind::LeadingZero, first_digit));
        }
    } else if digit_at(bytes, at).is_some() {
        at = read_digits(bytes, at, &mut value, SAFE_DIGITS - 1);
    }
    match byte_at(bytes, at) {
        b'.' | b'e' | b'E' | b'0'..=b'9' => {
            read_fraction_and_exponent(bytes, start, first_digit, at, value)
        }
        _ if !negative => match i64::try_from(value) {
            Ok(value) => Ok((Number::Int(value), at)),
            Err(_) => Ok((Number::UInt(value), at)),
        },
        _ if value <= 1 << 63 => Ok((Number::Int((value as i64).wrapping_neg()), at)),
        _ => Ok((Number::Float(-(value as f64)), at)),
    }
}

/// Reads the rest of a number whose integer part begins at `first_digit`. `value` holds the digits
/// before `at`, nineteen at most.
#[inline(always)]
fn read_fraction_and_exponent(
    bytes: &[u8],
    start: usize,
    first_digit: usize,
    mut at: usize,
    mut value: u64,
) -> Result<(Number, usize), Fault> {
    // Each digit after the nineteenth only raises the exponent by one.
    let integer_end = skip_digits(bytes, at);
    let mut exponent = (integer_end - at) as i64;
    let mut truncated = integer_end > at;
    if truncated && !matches!(byte_at(bytes, integer_end), b'.' | b'e' | b'E') {
        return big_integer(bytes, start, first_digit, integer_end, value, exponent);
    }
    at = integer_end;
    if byte_at(bytes, at) == b'.' {
        let point = at;
        if digit_at(bytes, at + 1).is_none() {
            return Err((ErrorKind::NoDigitAfterPoint, at + 1));
        }
        at += 1;
        if !truncated {
            let mut limit = SAFE_DIGITS - (point - first_digit);
            if value == 0 {
                // Zeros before the first significant digit do not count.
                while byte_at(bytes, at) == b'0' {
                    at += 1;
                }
                limit = SAFE_DIGITS;
            }
            at = read_digits(bytes, at, &mut value, limit);
            exponent = -((at - point - 1) as i64);
        }
        let end = skip_digits(bytes, at);
        truncated |= end > at;
        at = end;
    }
    if byte_at(bytes, at) | 0x20 == b'e' {
        let (written, end) = read_exponent(bytes, at)?;
        exponent = exponent.saturating_add(written);
        at = end;
    }
    let text = bytes.get(first_digit..at).unwrap_or(&[]);
    to_float(bytes, start, at, value, exponent, truncated, text)
}

/// Reads the exponent whose `e` is at `at`. Returns it with the offset after it.
#[inline(always)]
fn read_exponent(bytes: &[u8], at: usize) -> Result<(i64, usize), Fault> {
    let sign = byte_at(bytes, at + 1);
    let mut at = at + 1 + usize::from(sign == b'-' || sign == b'+');
    let Some(mut magnitude) = digit_at(bytes, at).map(|digit| digit as i64) else {
        return Err((ErrorKind::NoDigitAfterExponent, at));
    };
    at += 1;
    while let Some(next) = digit_at(bytes, at) {
        // A larger exponent changes nothing: no document has that many digits to offset it.
        if magnitude < 1 << 40 {
            magnitude = magnitude * 10 + next as i64;
        }
        at += 1;
    }
    Ok((if sign == b'-' { -magnitude } else { magnitude }, at))
}

/// Reads an integer of twenty digits or more: `value`, then `dropped` digits.
#[cold]
#[inline(never)]
fn big_integer(
    bytes: &[u8],
    start: usize,
    first_digit: usize,
    end: usize,
    value: u64,
    dropped: i64,
) -> Result<(Number, usize), Fault> {
    let text = bytes.get(first_digit..end).unwrap_or(&[]);
    if dropped == 1 && start == first_digit {
        let last = digit_at(bytes, end - 1).unwrap_or(0);
        if let Some(value) = value.checked_mul(10).and_then(|value| value.checked_add(last)) {
            return Ok((Number::UInt(value), end));
        }
    }
    to_float(bytes, start, end, value, dropped, true, text)
}

/// The double nearest to `value * 10^exponent`, with the sign at `start`. If `truncated`, further
/// digits follow those in `value`; `text` is the whole number without its sign.
#[inline(always)]
fn to_float(
    bytes: &[u8],
    start: usize,
    end: usize,
    value: u64,
    exponent: i64,
    truncated: bool,
    text: &[u8],
) -> Result<(Number, usize), Fault> {
    let exponent = exponent.clamp(-100_000, 100_000) as i32;
    let float = if value == 0 { 0.0 } else { nearest(value, exponent, truncated, text) };
    if float.is_infinite() {
        return Err((ErrorKind::Infinity, start));
    }
    let float = if byte_at(bytes, start) == b'-' { -float } else { float };
    Ok((Number::Float(float), end))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Result<Number, Fault> {
        let (number, end) = read(text.as_bytes(), 0)?;
        assert_eq!(end, text.len(), "{text}");
        // The text after the number must not change the result.
        for tail in [",", "]", " ", "x", ",12345678901234567890"] {
            let longer = text.to_owned() + tail;
            assert_eq!(read(longer.as_bytes(), 0), Ok((number, end)), "{longer}");
        }
        Ok(number)
    }

    #[test]
    fn integers_beyond_64_bits_are_floats() {
        let cases = [
            ("0", Number::Int(0)),
            ("-0", Number::Int(0)),
            ("9223372036854775807", Number::Int(i64::MAX)),
            ("9223372036854775808", Number::UInt(1 << 63)),
            ("-9223372036854775808", Number::Int(i64::MIN)),
            ("-9223372036854775809", Number::Float(-9223372036854775809.0)),
            ("18446744073709551615", Number::UInt(u64::MAX)),
            ("18446744073709551616", Number::Float(18446744073709551616.0)),
            ("10000000000000000000", Number::UInt(10_000_000_000_000_000_000)),
            ("99999999999999999999", Number::Float(1e20)),
            ("123456789012345678901234567890", Number::Float(1.2345678901234568e29)),
        ];
        for (text, number) in cases {
            assert_eq!(parsed(text), Ok(number), "{text}");
        }
    }

    #[test]
    fn faults_are_reported_where_the_grammar_breaks() {
        use ErrorKind::*;
        let cases = [
            ("-", NoDigitAfterSign, 1),
            ("+1", NoDigitAfterSign, 0),
            (".5", NoDigitAfterSign, 0),
            ("--1", NoDigitAfterSign, 1),
            ("01", LeadingZero, 0),
            ("-01", LeadingZero, 1),
            ("1.", NoDigitAfterPoint, 2),
            ("1.e5", NoDigitAfterPoint, 2),
            ("1e", NoDigitAfterExponent, 2),
            ("1e+", NoDigitAfterExponent, 3),
            ("0e", NoDigitAfterExponent, 2),
            ("1e400", Infinity, 0),
            ("-1e400", Infinity, 0),
            ("12345678901234567890123.", NoDigitAfterPoint, 24),
        ];
        for (text, kind, at) in cases {
            assert_eq!(read(text.as_bytes(), 0), Err((kind, at)), "{text}");
        }
        assert_eq!(read("9".repeat(400).as_bytes(), 0), Err((Infinity, 0)));
    }

    /// Compares with the standard library, which rounds correctly.
    fn check_against_std(text: &str) {
        let expected: f64 = text.parse().unwrap();
        match parsed(text) {
            Ok(Number::Float(value)) => {
                assert_eq!(value.to_bits(), expected.to_bits(), "{text}");
            }
            Err((ErrorKind::Infinity, _)) => assert!(expected.is_infinite(), "{text}"),
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn hard_decimals_round_correctly() {
        for text in [
            "0.0",
            "-0.0",
            "-0e0",
            "0e99999999999999999999",
            "1e-99999999999999999999",
            "2.2250738585072011e-308",
            "2.2250738585072012e-308",
            "2.2250738585072014e-308",
            "4.9406564584124654e-324",
            "2.4703282292062327e-324",
            "2.4703282292062328e-324",
            "1.7976931348623157e308",
            "1.7976931348623158e308",
            "1.797693134862315807e308",
            "1.7976931348623159e308",
            "9007199254740993.0",
            "9007199254740992.5",
            "0.000000000000000000000000000000000000000000001",
            "123456789012345678e-30",
            "8.41284e-85",
            "1.00000000000000011102230246251565404e0",
            "7.2057594037927933e16",
            "0.1",
            "0.3",
            "2.5",
            "5e-324",
            "1E+2",
            "1e22",
            "1e23",
            "100000000000000000000000.0",
            "0.00000000000000000000000000000000000000123456789012345678901234567890",
            "1234567890123456789012345678901234567890e-20",
            "9999999999999999999.9",
            "179769313486231580793728971405301199e272",
            "6.631236846766476e-316",
        ] {
            check_against_std(text);
        }
        let long_zero = format!("0.{}1e310", "0".repeat(305));
        check_against_std(&long_zero);
        let halfway = format!("1.{}1", "0".repeat(800));
        check_against_std(&halfway);
    }

    #[test]
    fn exact_decimals_of_doubles() {
        // All digits of a double, and its first 25 characters.
        let mut bits = 0x3ff0_0000_0000_0001u64;
        for _ in 0..2000 {
            bits = bits.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let value = f64::from_bits(bits & !(1 << 63));
            if !value.is_finite() || !(1e-3..1e15).contains(&value) {
                continue;
            }
            let text = format!("{value:.1100}");
            check_against_std(&text);
            let (front, _) = text.split_at(25);
            if front.contains('.') && !front.ends_with('.') {
                check_against_std(front);
            }
        }
    }

    #[test]
    fn random_doubles_survive_a_round_trip() {
        let rounds = if cfg!(debug_assertions) { 200_000 } else { 5_000_000 };
        let mut bits = 1u64;
        for _ in 0..rounds {
            bits = bits.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let value = f64::from_bits(bits);
            if !value.is_finite() {
                continue;
            }
            let mut buffer = zmij::Buffer::new();
            let text = buffer.format_finite(value).as_bytes();
            let (number, end) = read(text, 0).unwrap();
            assert_eq!(end, text.len());
            let Number::Float(read) = number else { panic!("{value:e} became an integer") };
            assert_eq!(read.to_bits(), value.to_bits());
        }
    }

    proptest::proptest! {
        #[test]
        fn decimals_of_any_shape(text in "-?(0|[1-9][0-9]{0,30})\\.[0-9]{1,30}([eE][-+]?[0-9]{1,3})?") {
            check_against_std(&text);
        }

        #[test]
        fn exponents_without_a_point(text in "-?(0|[1-9][0-9]{0,30})[eE][-+]?[0-9]{1,3}") {
            check_against_std(&text);
        }

        #[test]
        fn integers(value: i64, unsigned: u64) {
            proptest::prop_assert_eq!(parsed(&value.to_string()), Ok(Number::Int(value)));
            let expected = match i64::try_from(unsigned) {
                Ok(value) => Number::Int(value),
                Err(_) => Number::UInt(unsigned),
            };
            proptest::prop_assert_eq!(parsed(&unsigned.to_string()), Ok(expected));
        }

        #[test]
        fn any_bytes_end_inside_the_slice(bytes: Vec<u8>) {
            if let Ok((_, end)) = read(&bytes, 0) {
                proptest::prop_assert!(end <= bytes.len());
            }
        }
    }
}
