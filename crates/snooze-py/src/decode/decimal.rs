//! Which numbers the class `Decimal` takes.
//!
//! Separate because both `typed` and `policy` make Decimals. Invariant: `Decimal`
//! raises no exception for a text that is accepted here. Called by `typed` and `policy`.

/// Whether `Decimal` takes a JSON number.
pub(crate) fn number_fits(number: &[u8]) -> bool {
    const SURELY_FITS: usize = 400;
    let has_exponent = || number.iter().any(|byte| matches!(byte, b'e' | b'E'));
    number.len() <= SURELY_FITS && !has_exponent() || !has_large_exponent(number)
}

/// Whether a number is beyond the range of `Decimal`: its largest power of ten is above `MAX_EMAX`,
/// or its smallest below `MIN_ETINY`. What is not a number may have any answer.
fn has_large_exponent(number: &[u8]) -> bool {
    // The constants of the module `decimal`, which differ on machines of 32 bits.
    const MAX_EMAX: i128 = if usize::BITS < 64 { 425_000_000 } else { 999_999_999_999_999_999 };
    const MIN_ETINY: i128 = 1 - 2 * MAX_EMAX;
    let mut parts = number.split(|byte| matches!(byte, b'e' | b'E'));
    let coefficient = parts.next().unwrap_or(&[]);
    let Some(exponent) = parts.next().map_or(Some(0), integer) else { return true };
    let decimals = coefficient.iter().rev().position(|&byte| byte == b'.').unwrap_or(0);
    let is_leading = |byte: &&u8| matches!(byte, b'-' | b'0' | b'.');
    let significant = coefficient.iter().skip_while(is_leading).filter(|&&byte| byte != b'.');
    let smallest = exponent - decimals as i128;
    let largest = smallest + (significant.count().max(1) - 1) as i128;
    smallest < MIN_ETINY || largest > MAX_EMAX
}

/// The value of an exponent; `None` beyond 30 digits.
fn integer(exponent: &[u8]) -> Option<i128> {
    let is_negative = exponent.first() == Some(&b'-');
    let digits = exponent.iter().skip_while(|byte| matches!(byte, b'+' | b'-' | b'0'));
    if digits.clone().count() > 30 {
        return None;
    }
    let value = digits.fold(0, |value, &byte| value * 10 + i128::from(byte.wrapping_sub(b'0')));
    Some(if is_negative { -value } else { value })
}
