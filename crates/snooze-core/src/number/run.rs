//! Runs of short integers in an array.
//!
//! Separate from `short`, which reads a number wherever it is, because here the comma is part of a
//! step. Invariant: an integer is returned only if [`read`](super::read) would return it, and a
//! comma or a bracket follows it. Called by `Reader`.
//!
//! PERF: the length of an integer decides where the next one is. Each integer waits for the one
//! before, so nothing but the length is on that way: what the separator is and which byte follows
//! are branches, which the processor predicts. Arrays of integers take 0.64 to 0.88 of the time in
//! the general walk (loads, 3.11, Zen 4, 2026-11-29).
//!
//! All digits in one vector, as in decimals, so that no branch depends on their number: tried, and
//! arrays of short integers took 1.2 to 1.7 times as long (Emerald Rapids, 2026-12-01).

use super::digits::{POWERS_OF_TEN, byte_at, digit_values, join_eight, non_digits};
use super::short::{short_integer, sixteen_digits_or_more};
use crate::arch::Vector;
use crate::arch::generic::scan::{is_space_run, space_run};

/// The text between two elements: a comma and some white space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Separator {
    spaces: usize,
}

impl Separator {
    /// The comma and the white space at `at`. `None` if another text is there, or no integer after
    /// it, or so much white space that it fills a vector.
    #[inline(always)]
    pub fn guess<V: Vector>(bytes: &[u8], at: usize) -> Option<Self> {
        if byte_at(bytes, at) != b',' {
            return None;
        }
        let spaces = match byte_at(bytes, at + 1) {
            0..=b' ' => space_run::<V>(bytes.get(at + 1..).unwrap_or(&[])),
            _ => 0,
        };
        let is_integer = matches!(byte_at(bytes, at + 1 + spaces), b'-' | b'0'..=b'9');
        (is_integer && spaces < V::LANES).then_some(Self { spaces })
    }

    /// The number of bytes, if this separator is at `at`.
    #[inline(always)]
    fn len_at<V: Vector>(self, bytes: &[u8], at: usize) -> Option<usize> {
        let rest = bytes.get(at..)?;
        let &[comma, next] = rest.first_chunk()?;
        let matches = match self.spaces {
            0 => true,
            1 => matches!(next, b' ' | b'\n'),
            spaces => is_space_run::<V>(&rest[1..], spaces),
        };
        (comma == b',' && matches).then_some(1 + self.spaces)
    }
}

/// Reads the separator at `at` and the integer after it; returns the integer and the offset after
/// it. `None` if another text is there, or neither a comma nor a bracket after the integer, for
/// more than eighteen digits, and near the end of the document.
#[inline(always)]
pub fn next_integer<V: Vector>(
    bytes: &[u8],
    at: usize,
    separator: Separator,
) -> Option<(i64, usize)> {
    let start = at + separator.len_at::<V>(bytes, at)?;
    let text: &[u8; 16] = bytes.get(start..)?.first_chunk()?;
    let (&first, rest) = text.split_first_chunk::<8>()?;
    let negative = first[0] == b'-';
    let (sign_len, sign) = if negative { (1, 0xff) } else { (0, 0) };
    let values = digit_values(first) & !sign;
    let ends = non_digits(digit_values(first)) & !sign;
    let begins_with_zero = first[sign_len as usize] == b'0';
    let (magnitude, len, next);
    if ends != 0 {
        let bits = ends.trailing_zeros() & 0x38;
        len = bits / 8;
        if len == sign_len || (begins_with_zero && len > sign_len + 1) {
            return None;
        }
        // The shift fills the places before the first digit with zeros.
        magnitude = join_eight(values << (64 - bits));
        next = (u64::from_le_bytes(first) >> bits) as u8;
    } else {
        let rest = rest.first_chunk::<8>().copied()?;
        let more = digit_values(rest);
        let ends = non_digits(more);
        if ends == 0 {
            let (value, end) = if negative {
                long_negative(bytes, start)
            } else {
                sixteen_digits_or_more(bytes, start)
            };
            let is_element = end > 0 && matches!(byte_at(bytes, end), b',' | b']');
            return is_element.then_some((value, end));
        }
        if begins_with_zero {
            return None;
        }
        let bits = ends.trailing_zeros() & 0x38;
        len = 8 + bits / 8;
        // Two shifts, because without further digits one shift would be by 64 bits.
        let low = join_eight(more << 1 << (63 - bits));
        magnitude = join_eight(values) * POWERS_OF_TEN[bits as usize / 8] + low;
        next = (u64::from_le_bytes(rest) >> bits) as u8;
    }
    if next != b',' && next != b']' {
        return None;
    }
    let value = if negative { -(magnitude as i64) } else { magnitude as i64 };
    Some((value, start + len as usize))
}

/// A negative integer of fifteen digits or more. Returns offset zero instead of `None`, so that the
/// result fits two registers.
#[inline(never)]
fn long_negative(bytes: &[u8], start: usize) -> (i64, usize) {
    short_integer(bytes, start).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::super::read::{Number, read};
    use super::*;
    use crate::arch::testing::{TierTest, for_each_tier};

    /// A document with an array whose second element is a number between two texts.
    struct Second<'a> {
        space: &'a str,
        number: &'a str,
        tail: &'a str,
        /// Whether a fast path must find it.
        is_common: bool,
    }

    impl TierTest for Second<'_> {
        fn check<V: Vector>(&self) {
            let Self { space, number, tail, .. } = *self;
            for padding in [0, 7, 16, 40] {
                let document = format!("[1,{space}{number}{tail}{}", " ".repeat(padding));
                let start = 3 + space.len();
                let expected = read(document.as_bytes(), start).ok();
                let separator = Separator::guess::<V>(document.as_bytes(), 2);
                let found = separator
                    .and_then(|separator| next_integer::<V>(document.as_bytes(), 2, separator));
                if let Some((value, end)) = found {
                    assert_eq!(Some((Number::Int(value), end)), expected, "{document:?}");
                    assert!(matches!(document.as_bytes()[end], b',' | b']'), "{document:?}");
                }
                if self.is_common && padding == 40 && space.len() < V::LANES {
                    assert!(found.is_some(), "{document:?}");
                }
            }
        }
    }

    fn check(number: &str, is_common: bool) {
        for tail in [",", "]", "", " ", ".", "e", "x", "-", "0", ":", "\n", "\u{e9}"] {
            for space in ["", " ", "\n  ", "\r\n\t", "\n             "] {
                let is_common = is_common && matches!(tail, "," | "]");
                for_each_tier(&Second { space, number, tail, is_common });
            }
        }
    }

    #[test]
    fn integers_of_every_length() {
        for sign in ["", "-", "--", "+"] {
            for digits in ["12345678901234567890", "99999999999999999999", "10000000000000000000"] {
                for count in 0..=digits.len() {
                    let is_signed = matches!(sign, "" | "-");
                    let is_common = (1..=18).contains(&count) && is_signed;
                    check(&format!("{sign}{}", &digits[..count]), is_common);
                    check(&format!("{sign}0{}", &digits[..count]), false);
                }
            }
        }
        check("0", true);
        check("-0", true);
    }

    struct EveryByte<'a>(&'a str);

    impl TierTest for EveryByte<'_> {
        fn check<V: Vector>(&self) {
            for (byte, at) in (0..=255).flat_map(|byte| (0..22).map(move |at| (byte, at))) {
                let mut text = [b"[1,", self.0.as_bytes(), &[b' '; 30]].concat();
                text[2 + at] = byte;
                for spaces in [0, 1, 2] {
                    let separator = Separator { spaces };
                    if let Some((value, end)) = next_integer::<V>(&text, 2, separator) {
                        let start = 3 + spaces;
                        assert!(text[3..start].iter().all(|byte| b" \t\r\n".contains(byte)));
                        assert_eq!(read(&text, start), Ok((Number::Int(value), end)));
                        assert_eq!(text[2], b',');
                    }
                }
            }
        }
    }

    #[test]
    fn every_byte_at_every_place() {
        for text in ["1,234567890123456789012", " 12345678,01234567890", "\n -1234567]        "] {
            for_each_tier(&EveryByte(text));
        }
    }

    struct OtherSeparators;

    impl TierTest for OtherSeparators {
        fn check<V: Vector>(&self) {
            let rest = " ".repeat(80);
            let long = format!("[1,{rest}2,3");
            for text in ["[1 ,2,3", "[1;2,3", "[1]2,3", "[1", "[1,,2", "[1, x", &long] {
                let text = format!("{text}{rest}");
                assert_eq!(Separator::guess::<V>(text.as_bytes(), 2), None, "{text:?}");
            }
            let spaced = Separator::guess::<V>(b"[1, 2", 2).unwrap();
            for text in ["[1,2,3", "[1,\t2,3", "[1,  2,3", "[1 ,2,3"] {
                let text = format!("{text}{rest}");
                assert_eq!(next_integer::<V>(text.as_bytes(), 2, spaced), None, "{text:?}");
            }
        }
    }

    #[test]
    fn other_separators() {
        for_each_tier(&OtherSeparators);
    }
}
