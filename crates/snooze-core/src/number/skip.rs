//! Finds the end of a number without computing its value.
//!
//! Separate from `read`, which reports faults and numbers that are too large: this finds the end of
//! a number that is certainly valid and finite, and calls `read` for any other. Invariant: the same
//! end and the same fault as `read`, except that a number beyond the range of a double is no fault:
//! RFC 8259 has no such limit. Called by `Reader::skip` and `read::valid_container`.

use super::digits::{byte_at, digit_at, digit_values, non_digits};
use super::read::{Fault, number_end, read};
use crate::error::ErrorKind;

/// With at most this many digits before the point, and [`FINITE_EXPONENT_DIGITS`] of the exponent,
/// no number overflows a double.
const FINITE_INTEGER_DIGITS: usize = 200;
/// See [`FINITE_INTEGER_DIGITS`].
const FINITE_EXPONENT_DIGITS: usize = 2;

/// The offset after the number at `start`, which begins with a digit, a sign or a point.
#[inline(always)]
pub fn skip(bytes: &[u8], start: usize) -> Result<usize, Fault> {
    finite_end(bytes, start).map_or_else(|| read_end(bytes, start), Ok)
}

/// Whether a text is a JSON number and nothing else.
pub fn is_number(text: &[u8]) -> bool {
    skip(text, 0) == Ok(text.len())
}

/// [`skip`], for which a number beyond the range of a double is a fault, unless it is an integer:
/// as for readers that keep integers exact.
#[inline(always)]
pub fn skip_finite(bytes: &[u8], start: usize) -> Result<usize, Fault> {
    finite_end(bytes, start).map_or_else(|| integer_or_finite_end(bytes, start), Ok)
}

#[cold]
#[inline(never)]
fn integer_or_finite_end(bytes: &[u8], start: usize) -> Result<usize, Fault> {
    let fault = match read(bytes, start) {
        Ok((_, end)) => return Ok(end),
        Err(fault) => fault,
    };
    let end = if fault.0 == ErrorKind::Infinity { number_end(bytes, start) } else { start };
    let text = bytes.get(start..end).unwrap_or(&[]);
    let is_decimal = text.is_empty() || text.iter().any(|byte| b".eE".contains(byte));
    if is_decimal { Err(fault) } else { Ok(end) }
}

/// The end of any number, by reading it.
#[cold]
#[inline(never)]
fn read_end(bytes: &[u8], start: usize) -> Result<usize, Fault> {
    match read(bytes, start) {
        Ok((_, end)) => Ok(end),
        Err((ErrorKind::Infinity, _)) => Ok(number_end(bytes, start)),
        Err(fault) => Err(fault),
    }
}

/// The end of a number that is certainly valid and finite.
#[inline(always)]
fn finite_end(bytes: &[u8], start: usize) -> Option<usize> {
    let first = start + usize::from(byte_at(bytes, start) == b'-');
    let mut at = digits_end(bytes, first);
    let digits = at - first;
    if digits == 0
        || digits > FINITE_INTEGER_DIGITS
        || (digits > 1 && byte_at(bytes, first) == b'0')
    {
        return None;
    }
    if byte_at(bytes, at) == b'.' {
        let point = at;
        at = digits_end(bytes, at + 1);
        if at == point + 1 {
            return None;
        }
    }
    if byte_at(bytes, at) | 0x20 == b'e' {
        let sign = matches!(byte_at(bytes, at + 1), b'-' | b'+');
        let exponent = at + 1 + usize::from(sign);
        at = digits_end(bytes, exponent);
        if !(1..=FINITE_EXPONENT_DIGITS).contains(&(at - exponent)) {
            return None;
        }
    }
    Some(at)
}

/// The offset after the digits at `at`.
#[inline(always)]
fn digits_end(bytes: &[u8], mut at: usize) -> usize {
    while let Some(text) = bytes.get(at..).and_then(|rest| rest.first_chunk()) {
        let others = non_digits(digit_values(*text));
        if others != 0 {
            return at + others.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    // Fewer than eight bytes of the document are left.
    while digit_at(bytes, at).is_some() {
        at += 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str) {
        for tail in ["", ",", "]", " 12345678", "x", "}}}}}}}}}}}}"] {
            let text = text.to_owned() + tail;
            let expected = match read(text.as_bytes(), 0) {
                Err((ErrorKind::Infinity, _)) => Ok(number_end(text.as_bytes(), 0)),
                other => other.map(|(_, end)| end),
            };
            assert_eq!(skip(text.as_bytes(), 0), expected, "{text}");
            let digits = text.trim_start_matches(['-', '+']);
            let end = digits.bytes().take_while(u8::is_ascii_digit).count();
            let is_integer = !matches!(digits.as_bytes().get(end), Some(b'.' | b'e' | b'E'));
            let expected = match read(text.as_bytes(), 0) {
                Err((ErrorKind::Infinity, _)) if is_integer => expected,
                other => other.map(|(_, end)| end),
            };
            assert_eq!(skip_finite(text.as_bytes(), 0), expected, "{text}");
        }
    }

    #[test]
    fn numbers_of_every_length() {
        for count in (1..40).chain([199, 200, 201, 308, 309, 310, 400]) {
            for digit in ["0", "1", "9"] {
                for tail in
                    ["", ".", ".0", ".5e", "e9", "E+99", "e-99", "e107", "e+0000001", "e308"]
                {
                    for sign in ["", "-", "+", "--"] {
                        check(&format!("{sign}{}{tail}", digit.repeat(count)));
                    }
                }
            }
        }
    }

    #[test]
    fn a_number_and_nothing_else() {
        for text in ["0", "-0", "12", "1.5", "-1.5e-7", "1E400", "1e+5", &"9".repeat(500)] {
            assert!(is_number(text.as_bytes()), "{text}");
        }
        for text in ["", "-", "+1", "01", "1.", ".5", "1e", "1 ", " 1", "1,", "x", "NaN", "\u{e9}"]
        {
            assert!(!is_number(text.as_bytes()), "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn ends_where_read_ends(text in "[-+0-9.eE]{1,24}|-?[0-9]{1,20}(\\.[0-9]{0,20})?([eE][-+]?[0-9]{0,4})?") {
            check(&text);
        }
    }
}
