//! Which numbers the class `Decimal` takes.
//!
//! Separate because both `typed` and `policy` make Decimals. Invariant: `Decimal`
//! raises no exception for a text that is accepted here. Called by `typed` and `policy`.

use snooze_core::error::ErrorKind;
use snooze_core::number::number_end;

use crate::py::unicode::{Chars, Str, chars};

/// Whether a text is a JSON number that `Decimal` takes.
pub(crate) fn decimal_accepts(text: Str<'_>) -> bool {
    match chars::<false>(text) {
        Ok(Chars::Ascii(digits)) => digits_fit(digits),
        _ => false,
    }
}

/// [`decimal_accepts`] of ASCII.
pub(crate) fn digits_fit(digits: &[u8]) -> bool {
    if has_large_exponent(digits) {
        return false;
    }
    match snooze_core::number::read(digits, 0) {
        Ok((_, end)) => end == digits.len(),
        Err((ErrorKind::Infinity, _)) => number_end(digits, 0) == digits.len(),
        Err(_) => false,
    }
}

/// Whether the exponent of a number has more digits than the largest one of `Decimal`.
fn has_large_exponent(number: &[u8]) -> bool {
    const MAX_DIGITS: usize = if usize::BITS < 64 { 8 } else { 17 };
    let mut parts = number.split(|byte| matches!(byte, b'e' | b'E'));
    let exponent = parts.nth(1).unwrap_or(&[]);
    exponent.iter().skip_while(|byte| matches!(byte, b'+' | b'-' | b'0')).count() > MAX_DIGITS
}
