//! Numbers: where they end, and their text in the form of JSON.
//!
//! Separate from `number`, which computes values: a caller that keeps every digit needs the text.
//! Invariant: the text of an integer or a decimal is a number of RFC 8259, section 6, whatever
//! form the document has.

use super::rules::Rules;
use super::text::append;
use crate::error::ErrorKind;
use crate::number;

/// A fault and its offset.
type Fault = (ErrorKind, usize);

/// The kind of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumeralKind {
    /// Without a point and an exponent.
    Integer,
    /// With a point or an exponent.
    Decimal,
    /// Hexadecimal digits, after a sign if negative.
    Hexadecimal,
    /// `NaN`.
    NotANumber,
    /// `Infinity`.
    Infinity,
    /// `-Infinity`.
    NegativeInfinity,
}

/// A number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Numeral<'s> {
    /// Its text; empty for the three that are no numbers of JSON.
    pub text: &'s [u8],
    /// Its kind.
    pub kind: NumeralKind,
}

/// Reads the number at `start`; returns it with the offset after it. Numbers that JSON does not
/// have are put together in `scratch`.
pub(super) fn read<'s>(
    bytes: &'s [u8],
    start: usize,
    rules: Rules,
    scratch: &'s mut Vec<u8>,
) -> Result<(Numeral<'s>, usize), Fault> {
    let signed = matches!(bytes.get(start), Some(b'-' | b'+'));
    let negative = bytes.get(start) == Some(&b'-');
    if signed && !negative && !rules.is_json5() {
        return Err((ErrorKind::NoDigitAfterSign, start));
    }
    let first = start + usize::from(signed);
    let rest = bytes.get(first..).unwrap_or(&[]);
    let constant = |kind, word: &[u8]| {
        if !rules.constants {
            return Err((ErrorKind::NotFinite, start));
        }
        Ok((Numeral { text: &[], kind }, first + word.len()))
    };
    if (rules.constants || rules.is_json5()) && rest.starts_with(b"Infinity") {
        let kind = if negative { NumeralKind::NegativeInfinity } else { NumeralKind::Infinity };
        return constant(kind, b"Infinity");
    }
    if (rules.is_json5() || rules.constants && !signed) && rest.starts_with(b"NaN") {
        return constant(NumeralKind::NotANumber, b"NaN");
    }
    if rules.is_json5() {
        return read_json5(bytes, first, negative, scratch);
    }
    let end = number::skip(bytes, start)?;
    let text = bytes.get(start..end).unwrap_or(&[]);
    Ok((Numeral { text, kind: kind_of(text) }, end))
}

/// Integer or decimal.
fn kind_of(text: &[u8]) -> NumeralKind {
    if text.iter().any(|byte| matches!(byte, b'.' | b'e' | b'E')) {
        NumeralKind::Decimal
    } else {
        NumeralKind::Integer
    }
}

/// The offset after the bytes from `at` on that `belong`.
fn run_end(bytes: &[u8], at: usize, belong: impl Fn(&u8) -> bool) -> usize {
    let rest = bytes.get(at..).unwrap_or(&[]);
    at + rest.iter().position(|byte| !belong(byte)).unwrap_or(rest.len())
}

/// Reads the number of JSON5 (spec.json5.org, section 6) whose first digit or point is at `first`.
fn read_json5<'s>(
    bytes: &'s [u8],
    first: usize,
    negative: bool,
    scratch: &'s mut Vec<u8>,
) -> Result<(Numeral<'s>, usize), Fault> {
    scratch.clear();
    let sign: &[u8] = if negative { b"-" } else { b"" };
    append(scratch, sign, first)?;
    if let Some([b'0', b'x' | b'X']) = bytes.get(first..first + 2) {
        let end = run_end(bytes, first + 2, u8::is_ascii_hexdigit);
        if end == first + 2 {
            return Err((ErrorKind::NoHexDigit, end));
        }
        append(scratch, bytes.get(first + 2..end).unwrap_or(&[]), first)?;
        return Ok((Numeral { text: scratch, kind: NumeralKind::Hexadecimal }, end));
    }
    let integer_end = run_end(bytes, first, u8::is_ascii_digit);
    let integer = bytes.get(first..integer_end).unwrap_or(&[]);
    if integer.len() > 1 && integer.starts_with(b"0") {
        return Err((ErrorKind::LeadingZero, first));
    }
    append(scratch, if integer.is_empty() { b"0" } else { integer }, first)?;
    let mut end = integer_end;
    if bytes.get(end) == Some(&b'.') {
        let fraction_end = run_end(bytes, end + 1, u8::is_ascii_digit);
        let fraction = bytes.get(end + 1..fraction_end).unwrap_or(&[]);
        if integer.is_empty() && fraction.is_empty() {
            return Err((ErrorKind::NoDigitAfterPoint, end + 1));
        }
        append(scratch, b".", end)?;
        append(scratch, if fraction.is_empty() { b"0" } else { fraction }, end)?;
        end = fraction_end;
    } else if integer.is_empty() {
        return Err((ErrorKind::NoDigitAfterSign, first));
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let digits = end + 1 + usize::from(matches!(bytes.get(end + 1), Some(b'-' | b'+')));
        let exponent_end = run_end(bytes, digits, u8::is_ascii_digit);
        if exponent_end == digits {
            return Err((ErrorKind::NoDigitAfterExponent, digits));
        }
        append(scratch, bytes.get(end..exponent_end).unwrap_or(&[]), end)?;
        end = exponent_end;
    }
    Ok((Numeral { text: scratch, kind: kind_of(scratch) }, end))
}
