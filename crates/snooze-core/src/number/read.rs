//! The grammar of a number, and the choice between integer and double.
//!
//! The numbers of which documents have most are read by `short`, and by what is here only near the
//! end of a document; this is what the others need, and the oracle of those.
//!
//! Integers that fit 64 bits stay integers; all others become the nearest double, as programs
//! written for orjson expect (an exact integer is the typed decoder's to give).

use super::float::nearest;
use super::short::{POWERS, ZEROS, join, not_digits};
use crate::error::ErrorKind;

/// A number of a document.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// An integer from -2^63 up.
    Int(i64),
    /// An integer above 2^63 - 1.
    UInt(u64),
    /// Anything with a point or an exponent, and integers beyond 64 bits.
    Float(f64),
}

/// What is wrong with a number, and at which offset.
pub type Fault = (ErrorKind, usize);

/// Digits that always fit an `u64`.
const SAFE_DIGITS: usize = 19;

#[inline(always)]
pub(super) fn byte(bytes: &[u8], at: usize) -> u8 {
    bytes.get(at).copied().unwrap_or(0)
}

#[inline(always)]
pub(super) fn digit(bytes: &[u8], at: usize) -> Option<u64> {
    let value = byte(bytes, at).wrapping_sub(b'0');
    (value < 10).then_some(u64::from(value))
}

/// Adds the digits at `at` to `value`, as long as at most `SAFE_DIGITS` of them count in all;
/// returns where the run stops or the room ends.
///
/// PERF: the last one to seven digits are taken at once, like eight: a loop over them costs an
/// unpredictable branch. -5 % instructions on canada (callgrind,
/// AVX2, 2026-11-21).
#[inline(always)]
fn read_digits(bytes: &[u8], mut at: usize, value: &mut u64, mut room: usize) -> usize {
    while let Some(text) = bytes.get(at..).and_then(|rest| rest.first_chunk()) {
        let digits = u64::from_le_bytes(*text) ^ ZEROS;
        let others = not_digits(digits);
        if others == 0 && room >= 8 {
            *value = *value * 100_000_000 + join(digits);
            at += 8;
            room -= 8;
            continue;
        }
        let count = room.min(others.trailing_zeros() as usize / 8);
        if count > 0 {
            // Zeros take the places before the first digit.
            let shifted = digits << (64 - 8 * count);
            *value = *value * POWERS[count % 8] + join(shifted);
        }
        return at + count;
    }
    // Less than eight bytes are left of the document.
    while room > 0 {
        let Some(next) = digit(bytes, at) else { break };
        *value = *value * 10 + next;
        at += 1;
        room -= 1;
    }
    at
}

#[inline(always)]
fn skip_digits(bytes: &[u8], mut at: usize) -> usize {
    while digit(bytes, at).is_some() {
        at += 1;
    }
    at
}

/// The offset behind the number at `start`, which [`read`] has found to be one, if only too large.
pub fn number_end(bytes: &[u8], start: usize) -> usize {
    let mut at = skip_digits(bytes, start + usize::from(byte(bytes, start) == b'-'));
    if byte(bytes, at) == b'.' {
        at = skip_digits(bytes, at + 1);
    }
    if byte(bytes, at) | 0x20 == b'e' {
        at = skip_digits(bytes, at + 1 + usize::from(matches!(byte(bytes, at + 1), b'-' | b'+')));
    }
    at
}

/// Reads the number at `start`, whose first byte is a digit, a sign or a point, and returns it
/// with the offset after it.
#[inline(always)]
pub fn read(bytes: &[u8], start: usize) -> Result<(Number, usize), Fault> {
    let negative = byte(bytes, start) == b'-';
    let first = start + usize::from(negative);
    let Some(leading) = digit(bytes, first) else {
        return Err((ErrorKind::NoDigitAfterSign, first));
    };
    let mut value = leading;
    let mut at = first + 1;
    if leading == 0 {
        if digit(bytes, at).is_some() {
            return Err((ErrorKind::LeadingZero, first));
        }
    } else if digit(bytes, at).is_some() {
        at = read_digits(bytes, at, &mut value, SAFE_DIGITS - 1);
    }
    match byte(bytes, at) {
        b'.' | b'e' | b'E' | b'0'..=b'9' => read_rest(bytes, start, first, at, value),
        _ if !negative => match i64::try_from(value) {
            Ok(value) => Ok((Number::Int(value), at)),
            Err(_) => Ok((Number::UInt(value), at)),
        },
        _ if value <= 1 << 63 => Ok((Number::Int((value as i64).wrapping_neg()), at)),
        _ => Ok((Number::Float(-(value as f64)), at)),
    }
}

/// Goes on after the integer part's first nineteen digits, which are `value`.
#[inline(always)]
fn read_rest(
    bytes: &[u8],
    start: usize,
    first: usize,
    mut at: usize,
    mut value: u64,
) -> Result<(Number, usize), Fault> {
    // Digits beyond the nineteenth only move the decimal point.
    let integer_end = skip_digits(bytes, at);
    let mut exponent = (integer_end - at) as i64;
    let mut cut = integer_end > at;
    if cut && !matches!(byte(bytes, integer_end), b'.' | b'e' | b'E') {
        return big_integer(bytes, start, first, integer_end, value, exponent);
    }
    at = integer_end;
    if byte(bytes, at) == b'.' {
        let point = at;
        if digit(bytes, at + 1).is_none() {
            return Err((ErrorKind::NoDigitAfterPoint, at + 1));
        }
        at += 1;
        if !cut {
            let mut room = SAFE_DIGITS - (point - first);
            if value == 0 {
                // Zeros before the first significant digit take no room.
                while byte(bytes, at) == b'0' {
                    at += 1;
                }
                room = SAFE_DIGITS;
            }
            at = read_digits(bytes, at, &mut value, room);
            exponent = -((at - point - 1) as i64);
        }
        let end = skip_digits(bytes, at);
        cut |= end > at;
        at = end;
    }
    if byte(bytes, at) | 0x20 == b'e' {
        let (literal, end) = read_exponent(bytes, at)?;
        exponent = exponent.saturating_add(literal);
        at = end;
    }
    let text = bytes.get(first..at).unwrap_or(&[]);
    finish(bytes, start, at, value, exponent, cut, text)
}

/// The exponent at `at`, where the `e` stands.
#[inline(always)]
fn read_exponent(bytes: &[u8], at: usize) -> Result<(i64, usize), Fault> {
    let sign = byte(bytes, at + 1);
    let mut at = at + 1 + usize::from(sign == b'-' || sign == b'+');
    let Some(mut literal) = digit(bytes, at).map(|digit| digit as i64) else {
        return Err((ErrorKind::NoDigitAfterExponent, at));
    };
    at += 1;
    while let Some(next) = digit(bytes, at) {
        // Far beyond any exponent that matters, even after a megabyte of zeros.
        if literal < 1 << 40 {
            literal = literal * 10 + next as i64;
        }
        at += 1;
    }
    Ok((if sign == b'-' { -literal } else { literal }, at))
}

/// An integer of twenty digits or more.
#[cold]
#[inline(never)]
fn big_integer(
    bytes: &[u8],
    start: usize,
    first: usize,
    end: usize,
    value: u64,
    more: i64,
) -> Result<(Number, usize), Fault> {
    let text = bytes.get(first..end).unwrap_or(&[]);
    if more == 1 && start == first {
        let last = digit(bytes, end - 1).unwrap_or(0);
        if let Some(value) = value.checked_mul(10).and_then(|value| value.checked_add(last)) {
            return Ok((Number::UInt(value), end));
        }
    }
    finish(bytes, start, end, value, more, true, text)
}

#[inline(always)]
fn finish(
    bytes: &[u8],
    start: usize,
    end: usize,
    value: u64,
    exponent: i64,
    cut: bool,
    text: &[u8],
) -> Result<(Number, usize), Fault> {
    let exponent = exponent.clamp(-100_000, 100_000) as i32;
    let float = if value == 0 { 0.0 } else { nearest(value, exponent, cut, text) };
    if float.is_infinite() {
        return Err((ErrorKind::Infinity, start));
    }
    let float = if byte(bytes, start) == b'-' { -float } else { float };
    Ok((Number::Float(float), end))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Result<Number, Fault> {
        let (number, end) = read(text.as_bytes(), 0)?;
        assert_eq!(end, text.len(), "{text}");
        // What follows must not matter, nor may it be read.
        for tail in [",", "]", " ", "x", ",12345678901234567890"] {
            let longer = text.to_owned() + tail;
            assert_eq!(read(longer.as_bytes(), 0), Ok((number, end)), "{longer}");
        }
        Ok(number)
    }

    #[test]
    fn integers_end_at_64_bits() {
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
    fn faults_stand_where_the_grammar_breaks() {
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

    /// The same text through the standard library, which rounds correctly.
    fn same_as_std(text: &str) {
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
            same_as_std(text);
        }
        let long_zero = format!("0.{}1e310", "0".repeat(305));
        same_as_std(&long_zero);
        let halfway = format!("1.{}1", "0".repeat(800));
        same_as_std(&halfway);
    }

    #[test]
    fn halfway_between_neighbours() {
        // The exact decimal of the midpoint of two doubles, and one digit to each side.
        let mut bits = 0x3ff0_0000_0000_0001u64;
        for _ in 0..2000 {
            bits = bits.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let value = f64::from_bits(bits & !(1 << 63));
            if !value.is_finite() || !(1e-3..1e15).contains(&value) {
                continue;
            }
            let text = format!("{value:.1100}");
            same_as_std(&text);
            let (front, _) = text.split_at(25);
            if front.contains('.') && !front.ends_with('.') {
                same_as_std(front);
            }
        }
    }

    #[test]
    fn random_bit_patterns_read_back() {
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
            let Number::Float(read) = number else { panic!("{value:e} was read as an integer") };
            assert_eq!(read.to_bits(), value.to_bits());
        }
    }

    proptest::proptest! {
        #[test]
        fn decimals_of_any_shape(text in "-?(0|[1-9][0-9]{0,30})\\.[0-9]{1,30}([eE][-+]?[0-9]{1,3})?") {
            same_as_std(&text);
        }

        #[test]
        fn exponents_without_a_point(text in "-?(0|[1-9][0-9]{0,30})[eE][-+]?[0-9]{1,3}") {
            same_as_std(&text);
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
        fn any_bytes_end_somewhere(bytes: Vec<u8>) {
            if let Ok((_, end)) = read(&bytes, 0) {
                proptest::prop_assert!(end <= bytes.len());
            }
        }
    }
}
