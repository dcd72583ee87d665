//! Runs of short integers in an array.
//!
//! Separate from `short`, which reads a number wherever it is, because here the comma is part of a
//! step. Invariant: an integer is returned only if [`read`](super::read) would return it, and a comma
//! or a bracket follows it. Called by `Reader`.
//!
//! PERF: the length of an integer decides where the next one is, so nothing but the length is in that
//! chain: the separator and the byte that follows are branches, which the processor predicts. Arrays
//! of integers of one to three digits 0.65 of the time in the general walk, of up to twelve 0.74,
//! indented ones 0.58 (loads, 3.11, Zen 4, 2026-11-29).

use super::digits::{POWERS_OF_TEN, digit_values, join_eight, non_digits};
use super::short::sixteen_digits_or_more;
use crate::arch::Vector;
use crate::arch::generic::scan::space_run;

/// The text between two elements: a comma and white space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Separator {
    text: u128,
    mask: u128,
    len: usize,
}

/// The most bytes of a [`Separator`].
const MAX_SEPARATOR: usize = 16;

impl Separator {
    /// The separator at `at`: a comma and the white space after it. A comma alone if another text is
    /// there, or too much white space.
    #[inline(always)]
    pub fn guess<V: Vector>(bytes: &[u8], at: usize) -> Self {
        let rest = bytes.get(at..).unwrap_or(&[]);
        let spaces = match rest.get(1) {
            Some(0..=b' ') => space_run::<V>(&rest[1..]),
            _ => 0,
        };
        let len = if spaces < MAX_SEPARATOR { 1 + spaces } else { 1 };
        let mask = u128::MAX >> (128 - 8 * len);
        match rest.first_chunk() {
            Some(&text) if text[0] == b',' => {
                Self { text: u128::from_le_bytes(text) & mask, mask, len }
            }
            _ => Self { text: b','.into(), mask: 0xff, len: 1 },
        }
    }
}

/// Reads the separator at `at` and the integer after it; returns the integer and the offset after
/// it. `None` if that is another text, for more than eighteen digits (fourteen with a sign), and near
/// the end of the document.
#[inline(always)]
pub fn next_integer(bytes: &[u8], at: usize, separator: Separator) -> Option<(i64, usize)> {
    let text: &[u8; MAX_SEPARATOR + 16] = bytes.get(at..)?.first_chunk()?;
    if u128::from_le_bytes(*text.first_chunk()?) & separator.mask != separator.text {
        return None;
    }
    let text: &[u8; 16] = text.get(separator.len..)?.first_chunk()?;
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
            // Fifteen digits with a sign are too few for `long_integer`.
            return if negative { None } else { long_integer(bytes, at + separator.len) };
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
    Some((value, at + separator.len + len as usize))
}

/// [`next_integer`] for sixteen digits or more.
#[inline(always)]
fn long_integer(bytes: &[u8], start: usize) -> Option<(i64, usize)> {
    let (value, end) = sixteen_digits_or_more(bytes, start);
    (end > 0 && matches!(bytes.get(end), Some(b',' | b']'))).then_some((value, end))
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
                let found = next_integer(document.as_bytes(), 2, separator);
                if let Some((value, end)) = found {
                    assert_eq!(Some((Number::Int(value), end)), expected, "{document:?}");
                    assert!(matches!(document.as_bytes()[end], b',' | b']'), "{document:?}");
                }
                if self.is_common && padding == 40 {
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
                    let most = [("", 18), ("-", 14)].iter().find(|(known, _)| *known == sign);
                    let is_common = count > 0 && most.is_some_and(|&(_, most)| count <= most);
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
                let separator = Separator::guess::<V>(&text, 2);
                if let Some((value, end)) = next_integer(&text, 2, separator) {
                    let start = 2 + separator.len;
                    assert!(text[3..start].iter().all(|byte| b" \t\r\n".contains(byte)));
                    assert_eq!(read(&text, start), Ok((Number::Int(value), end)));
                    assert_eq!(text[2], b',');
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
            let rest = " ".repeat(40);
            for text in ["[1 ,2,3", "[1;2,3", "[1]2,3", "[1", "[1,,2", "[1,                2,"] {
                let text = format!("{text}{rest}");
                let separator = Separator::guess::<V>(text.as_bytes(), 2);
                assert_eq!(next_integer(text.as_bytes(), 2, separator), None, "{text:?}");
            }
            let spaced = Separator::guess::<V>(format!("[1, 2{rest}").as_bytes(), 2);
            assert_eq!(spaced.len, 2);
            for text in ["[1,2,3", "[1,\n2,3", "[1,  2,3", "[1 ,2,3"] {
                let text = format!("{text}{rest}");
                assert_eq!(next_integer(text.as_bytes(), 2, spaced), None, "{text:?}");
            }
        }
    }

    #[test]
    fn other_separators() {
        for_each_tier(&OtherSeparators);
    }
}
