//! Passing a number without reading it.
//!
//! Separate from `read`, which says what is wrong with a number and what too large a one is: this
//! only knows where a plain one ends, and leaves all others to that. Invariant: same end, same
//! fault. Called by `Reader::skip`.

use super::read::{Fault, byte, digit, read};
use super::short::{ZEROS, not_digits};

/// Digits before the point, and digits of an exponent, with which no double is infinite.
const SAFE: usize = 200;
const SAFE_EXPONENT: usize = 2;

/// The offset after the number at `start`, whose first byte is a digit, a sign or a point.
#[inline(always)]
pub fn skip(bytes: &[u8], start: usize) -> Result<usize, Fault> {
    plain_end(bytes, start).map_or_else(|| other_end(bytes, start), Ok)
}

#[cold]
#[inline(never)]
fn other_end(bytes: &[u8], start: usize) -> Result<usize, Fault> {
    read(bytes, start).map(|(_, end)| end)
}

#[inline(always)]
fn plain_end(bytes: &[u8], start: usize) -> Option<usize> {
    let first = start + usize::from(byte(bytes, start) == b'-');
    let mut at = digits_end(bytes, first);
    let digits = at - first;
    if digits == 0 || digits > SAFE || (digits > 1 && byte(bytes, first) == b'0') {
        return None;
    }
    if byte(bytes, at) == b'.' {
        let point = at;
        at = digits_end(bytes, at + 1);
        if at == point + 1 {
            return None;
        }
    }
    if byte(bytes, at) | 0x20 == b'e' {
        let sign = matches!(byte(bytes, at + 1), b'-' | b'+');
        let exponent = at + 1 + usize::from(sign);
        at = digits_end(bytes, exponent);
        if !(1..=SAFE_EXPONENT).contains(&(at - exponent)) {
            return None;
        }
    }
    Some(at)
}

/// Where the digits from `at` on end.
#[inline(always)]
fn digits_end(bytes: &[u8], mut at: usize) -> usize {
    while let Some(text) = bytes.get(at..).and_then(|rest| rest.first_chunk()) {
        let others = not_digits(u64::from_le_bytes(*text) ^ ZEROS);
        if others != 0 {
            return at + others.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    // Less than eight bytes are left of the document.
    while digit(bytes, at).is_some() {
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
            let expected = read(text.as_bytes(), 0).map(|(_, end)| end);
            assert_eq!(skip(text.as_bytes(), 0), expected, "{text}");
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

    proptest::proptest! {
        #[test]
        fn as_it_is_read(text in "[-+0-9.eE]{1,24}|-?[0-9]{1,20}(\\.[0-9]{0,20})?([eE][-+]?[0-9]{0,4})?") {
            check(&text);
        }
    }
}
