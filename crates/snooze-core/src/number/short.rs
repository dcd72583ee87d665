//! Fast paths for the most common numbers, without a loop over their digits: integers of at most
//! eighteen digits, and decimals of at most nineteen digits without an exponent.
//!
//! Separate from the full grammar in `read` because each function here reads only its own kind of
//! number, or returns `None` and consumes nothing. Invariant: [`read`](super::read) would return
//! the same value and the same end. Called by `Reader`.
//!
//! PERF: most branches depend only on where the digits end, so the processor resolves them before
//! it has the value. Against the loops of `read`: canada.json 1.41x, mesh.json 1.27x as fast
//! (loads, 3.11, AVX-512; AVX2 is similar; 2026-11-21).

use super::digits::{POWERS_OF_TEN, byte_at, digit_at, digit_values, join_eight, non_digits};
use super::float::nearest_scanned;
use super::read::{Number, read};
use crate::arch::generic::decimal::ScannedDecimal;
use crate::arch::{Task, Vector};

/// The [`digit_values`] of the eight bytes at `at`, and how many digits they begin with.
#[inline(always)]
fn eight_at(text: &[u8; 32], at: usize) -> (u64, u32) {
    let digits = text[at % 24..].first_chunk().map_or(0, |&eight| digit_values(eight));
    (digits, non_digits(digits).trailing_zeros() / 8)
}

/// Whether an integer ends before `next`, which is not a digit.
#[inline(always)]
fn ends_integer(next: u8) -> bool {
    !matches!(next, b'.' | b'e' | b'E')
}

#[inline(always)]
fn signed(magnitude: u64, negative: bool) -> i64 {
    if negative { -(magnitude as i64) } else { magnitude as i64 }
}

/// Reads the integer at `start` and returns it with the offset after it. `None` for any other
/// number, and for more than eighteen digits (fifteen within the last 32 bytes of the document).
#[inline(always)]
pub fn short_integer(bytes: &[u8], start: usize) -> Option<(i64, usize)> {
    let Some(text) = bytes.get(start..).and_then(|rest| rest.first_chunk()) else {
        return integer_near_end(bytes, start);
    };
    let negative = text[0] == b'-';
    let first = usize::from(negative);
    let (digits, count) = eight_at(text, first);
    if count < 8 {
        let leading_zero = digits & 0xff == 0 && count > 1;
        if count == 0 || leading_zero || !ends_integer(text[first + count as usize]) {
            return None;
        }
        // The shift fills the places before the first digit with zeros.
        let magnitude = join_eight(digits << (64 - 8 * count));
        return Some((signed(magnitude, negative), start + first + count as usize));
    }
    let (low, more_digits) = eight_at(text, first + 8);
    if more_digits == 8 {
        // PERF: a call. Inlined, it slows documents without such integers by 2 %.
        let (value, end) = sixteen_digits_or_more(bytes, start);
        return (end > 0).then_some((value, end));
    }
    if digits & 0xff == 0 || !ends_integer(text[first + 8 + more_digits as usize]) {
        return None;
    }
    // Two shifts, because without further digits one shift would be by 64 bits.
    let low = join_eight(low << 1 << (63 - 8 * more_digits));
    let magnitude = join_eight(digits) * POWERS_OF_TEN[more_digits as usize] + low;
    Some((signed(magnitude, negative), start + first + 8 + more_digits as usize))
}

/// [`short_integer`] for sixteen digits or more, of which the caller has seen sixteen after the
/// sign. Returns offset zero instead of `None`, so that the result fits two registers.
#[inline(never)]
pub(super) fn sixteen_digits_or_more(bytes: &[u8], start: usize) -> (i64, usize) {
    const NONE: (i64, usize) = (0, 0);
    let Some(text) = bytes.get(start..).and_then(|rest| rest.first_chunk()) else {
        return NONE;
    };
    let negative = text[0] == b'-';
    let first = usize::from(negative);
    let [(high, _), (middle, _), (low, count)] = [0, 8, 16].map(|at| eight_at(text, first + at));
    let end = first + 16 + count as usize;
    if count > 2 || high & 0xff == 0 || !ends_integer(text[end % 32]) {
        return NONE;
    }
    let low = join_eight(low << 1 << (63 - 8 * count));
    let magnitude = join_eight(high) * 100_000_000 + join_eight(middle);
    let magnitude = magnitude * POWERS_OF_TEN[count as usize] + low;
    (signed(magnitude, negative), start + end)
}

/// [`short_integer`] where fewer than 32 bytes are left.
#[inline(never)]
fn integer_near_end(bytes: &[u8], start: usize) -> Option<(i64, usize)> {
    let negative = byte_at(bytes, start) == b'-';
    let first = start + usize::from(negative);
    let (mut at, mut magnitude) = (first, 0);
    while let Some(digit) = digit_at(bytes, at) {
        if at - first == 15 {
            return None;
        }
        magnitude = magnitude * 10 + digit;
        at += 1;
    }
    let leading_zero = byte_at(bytes, first) == b'0' && at - first > 1;
    if at == first || leading_zero || !ends_integer(byte_at(bytes, at)) {
        return None;
    }
    Some((signed(magnitude, negative), at))
}

/// Reads the decimal at `start` and returns it with the offset after it. `None` for any other
/// number, and where [`Vector::scan_decimal`] gives up: no point, an exponent, more than nineteen
/// digits, too many of them before the point, or too close to the end of the document.
#[inline(always)]
pub fn short_decimal<V: Vector>(bytes: &[u8], start: usize) -> Option<(f64, usize)> {
    let decimal = V::scan_decimal(bytes, start)?;
    if decimal.has_leading_zero() || !ends_integer(decimal.next_byte | 0x20) {
        return None;
    }
    Some((rounded(decimal), start + decimal.len as usize))
}

/// [`short_decimal`] in an array. If a comma follows, the offset is that after the comma; also
/// returns whether it does.
#[inline(always)]
pub fn short_decimal_item<V: Vector>(bytes: &[u8], start: usize) -> Option<(f64, usize, bool)> {
    let decimal = V::scan_decimal(bytes, start)?;
    let has_comma = decimal.next_byte == b',';
    if decimal.has_leading_zero() || !(has_comma || ends_integer(decimal.next_byte | 0x20)) {
        return None;
    }
    Some((rounded(decimal), start + decimal.len as usize + usize::from(has_comma), has_comma))
}

#[inline(always)]
fn rounded(decimal: ScannedDecimal) -> f64 {
    let magnitude = nearest_scanned(decimal.digits, decimal.integer_digits).to_bits();
    f64::from_bits(magnitude | u64::from(decimal.negative) << 63)
}

/// A number and its length, in two registers.
///
/// PERF: as a `Result<(Number, usize), Fault>` it passed through memory, written in parts and read
/// as a whole, for which the processor waits. Lists of floats with a type took 1.3 to 1.5 times as
/// long, and records with floats 1.1 times (Emerald Rapids, 2026-12-01).
#[derive(Clone, Copy, Debug)]
pub struct PackedNumber {
    bits: u64,
    /// The length in bytes, shifted by two, and one of the kinds; zero instead of a fault.
    len_and_kind: usize,
}

impl PackedNumber {
    const FAULT: Self = Self { bits: 0, len_and_kind: 0 };
    const INT: usize = 0;
    const UINT: usize = 1;
    const FLOAT: usize = 2;

    /// The number, or a fault on machines of 32 bits if it has 2^30 digits.
    #[inline(always)]
    fn new(bits: u64, len: usize, kind: usize) -> Self {
        if usize::BITS < 64 && len > usize::MAX >> 2 {
            return Self::FAULT;
        }
        Self { bits, len_and_kind: len << 2 | kind }
    }

    /// The number and its length; `None` if it is wrong.
    #[inline(always)]
    pub fn unpack(self) -> Option<(Number, usize)> {
        let Self { bits, len_and_kind } = self;
        if len_and_kind == 0 {
            return None;
        }
        let number = match len_and_kind & 3 {
            Self::FLOAT => Number::Float(f64::from_bits(bits)),
            Self::INT => Number::Int(bits as i64),
            _ => Number::UInt(bits),
        };
        Some((number, len_and_kind >> 2))
    }
}

/// Reads a number that is not a short integer, as a task that the walk calls instead of inlining.
#[derive(Clone, Copy, Debug)]
pub struct ReadNumber<'a> {
    /// The document from the number on.
    pub rest: &'a [u8],
}

impl Task for ReadNumber<'_> {
    type Output = PackedNumber;

    #[inline(always)]
    fn with_vectors<V: Vector>(self) -> Self::Output {
        if let Some((value, len)) = short_decimal::<V>(self.rest, 0) {
            return PackedNumber::new(value.to_bits(), len, PackedNumber::FLOAT);
        }
        match read(self.rest, 0) {
            Ok((Number::Float(value), len)) => {
                PackedNumber::new(value.to_bits(), len, PackedNumber::FLOAT)
            }
            Ok((Number::Int(value), len)) => {
                PackedNumber::new(value as u64, len, PackedNumber::INT)
            }
            Ok((Number::UInt(value), len)) => PackedNumber::new(value, len, PackedNumber::UINT),
            Err(_) => PackedNumber::FAULT,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arch::testing::{TierTest, for_each_tier};

    /// A number and the text after it: all ways to read it must agree with `read`.
    struct AgreesWithRead<'a>(&'a [u8]);

    impl TierTest for AgreesWithRead<'_> {
        fn check<V: Vector>(&self) {
            let expected = read(self.0, 0);
            let context = || String::from_utf8_lossy(self.0).into_owned();
            if let Some((value, end)) = short_integer(self.0, 0) {
                assert_eq!(Ok((Number::Int(value), end)), expected, "{}", context());
            }
            if let Some((value, end)) = short_decimal::<V>(self.0, 0) {
                let bits = expected.map(|(number, end)| match number {
                    Number::Float(value) => (value.to_bits(), end),
                    other => panic!("{other:?}"),
                });
                assert_eq!(Ok((value.to_bits(), end)), bits, "{}", context());
            }
            let item = short_decimal_item::<V>(self.0, 0);
            let has_comma = |end: usize| self.0.get(end) == Some(&b',');
            let expected_item = short_decimal::<V>(self.0, 0)
                .map(|(value, end)| (value, end + usize::from(has_comma(end)), has_comma(end)));
            assert_eq!(item, expected_item, "{}", context());
            let packed = V::run_outlined(ReadNumber { rest: self.0 });
            assert_eq!(packed.unpack(), expected.ok(), "{}", context());
        }
    }

    fn check(number: &str) {
        for tail in ["", ",", "]", " ", "x", ".", "e", "E5", "-", "\u{e9}", "0", "/", ":"] {
            for padding in [0, 1, 20, 40] {
                let text = format!("{number}{tail}{}", " ".repeat(padding));
                for_each_tier(&AgreesWithRead(text.as_bytes()));
            }
        }
    }

    #[test]
    fn integers_of_every_length() {
        for sign in ["", "-"] {
            for digits in
                ["1234567890123456789012", "9999999999999999999999", "1000000000000000000000"]
            {
                for count in 0..=digits.len() {
                    check(&format!("{sign}{}", &digits[..count]));
                    check(&format!("{sign}0{}", &digits[..count]));
                }
            }
        }
    }

    #[test]
    fn decimals_with_the_point_everywhere() {
        for sign in ["", "-", "--"] {
            for digits in
                ["1234567890123456789012", "9999999999999999999999", "0000000000000000000001"]
            {
                for count in 0..=digits.len() {
                    for point in 0..=count {
                        check(&format!("{sign}{}.{}", &digits[..point], &digits[point..count]));
                    }
                }
            }
        }
        for odd in [
            "1..5", "1.5.5", ".", "-.", "1.-5", "0.0", "-0.0", "0.00000", "00.5", "1.5e3", "1.5E-3",
        ] {
            check(odd);
        }
    }

    #[test]
    fn every_byte_after_a_number() {
        for byte in 0..=255 {
            for number in ["1", "1234567", "12345678", "123456789012345", "1.5", "1234.56789"] {
                let mut text = number.as_bytes().to_vec();
                text.push(byte);
                text.extend([b' '; 40]);
                for_each_tier(&AgreesWithRead(&text));
                text.insert(1, byte);
                for_each_tier(&AgreesWithRead(&text));
            }
        }
    }

    struct CommonNumbers;

    impl TierTest for CommonNumbers {
        fn check<V: Vector>(&self) {
            let rest = " ".repeat(40);
            for integer in ["0", "-1", "12345678", "123456789012345"] {
                assert!(short_integer(integer.as_bytes(), 0).is_some());
                assert!(short_integer((integer.to_owned() + &rest).as_bytes(), 0).is_some());
            }
            for integer in ["1234567890123456", "-123456789012345678"] {
                assert!(short_integer((integer.to_owned() + &rest).as_bytes(), 0).is_some());
            }
            let decimals =
                ["-0.0", "1.5", "0.696468466152", "-65.613616999999977", "12345678901234.56789"];
            for decimal in decimals {
                let found = short_decimal::<V>((decimal.to_owned() + &rest).as_bytes(), 0);
                assert_eq!(found.is_some(), V::DECIMALS, "{decimal}");
            }
        }
    }

    #[test]
    fn the_fast_paths_take_common_numbers() {
        for_each_tier(&CommonNumbers);
    }

    /// Calls `check` with decimals of 17 to 19 digits at and beside the midpoint of two doubles.
    fn decimals_near_midpoints(rounds: u32, mut check: impl FnMut(&str)) {
        let mut bits = 1u64;
        for round in 0..rounds {
            bits = bits.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            // From 2^-20 to 2^45.
            let exponent = 1003 + (round % 66) as u64;
            let value = f64::from_bits(exponent << 52 | bits >> 12);
            let half = f64::from_bits(value.to_bits() + 1) - value;
            let text = format!("{:.60}", value);
            // The exact decimal of the midpoint: the double plus half a unit in the last place.
            let middle = add(&text, &format!("{:.60}", half / 2.0));
            for digits in [17, 18, 19] {
                let cut = &middle[..middle.len().min(digits + 1)];
                if !cut.contains('.') || cut.ends_with('.') {
                    continue;
                }
                check(cut);
                let mut up = cut.as_bytes().to_vec();
                if let Some(last) = up.last_mut().filter(|last| **last < b'9') {
                    *last += 1;
                    check(core::str::from_utf8(&up).unwrap());
                }
            }
        }
    }

    /// The sum of two decimals with equally many fraction digits.
    fn add(a: &str, b: &str) -> String {
        let width = a.len().max(b.len()) + 1;
        let (a, b) = (format!("{a:0>width$}"), format!("{b:0>width$}"));
        let mut carry = 0;
        let mut sum: Vec<u8> = a
            .bytes()
            .zip(b.bytes())
            .rev()
            .map(|(x, y)| {
                if x == b'.' {
                    return x;
                }
                let digit = (x - b'0') + (y - b'0') + carry;
                carry = digit / 10;
                b'0' + digit % 10
            })
            .collect();
        sum.reverse();
        let text = String::from_utf8(sum).unwrap();
        let text = text.trim_start_matches('0');
        if text.starts_with('.') { format!("0{text}") } else { text.to_owned() }
    }

    struct Nearest<'a>(&'a str);

    impl TierTest for Nearest<'_> {
        fn check<V: Vector>(&self) {
            let text = format!("{}{}", self.0, " ".repeat(40));
            if let Some((value, end)) = short_decimal::<V>(text.as_bytes(), 0) {
                let expected: f64 = self.0.parse().unwrap();
                assert_eq!(
                    (value.to_bits(), end),
                    (expected.to_bits(), self.0.len()),
                    "{}",
                    self.0
                );
            }
        }
    }

    #[test]
    fn decimals_near_the_midpoint_of_two_doubles() {
        let rounds = if cfg!(debug_assertions) { 20_000 } else { 500_000 };
        decimals_near_midpoints(rounds, |text| for_each_tier(&Nearest(text)));
    }

    #[test]
    fn scanned_decimals_round_to_the_nearest_double() {
        let rounds = if cfg!(debug_assertions) { 200_000 } else { 5_000_000 };
        let mut digits = 1u64;
        for round in 0..rounds {
            digits = digits.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            // All sizes; and, as in most documents, digits that end with zeros.
            let short = (digits >> 8) % 10u64.pow(1 + round % 19);
            let long = short * 10u64.pow(18 - round % 19);
            for (digits, whole) in [(short, digits % 15), (long, digits % 15)] {
                let expected: f64 = format!("{digits}e{}", whole as i32 - 19).parse().unwrap();
                let nearest = nearest_scanned(digits, whole as u32);
                assert_eq!(nearest.to_bits(), expected.to_bits(), "{digits}e{}", whole as i32 - 19);
            }
        }
    }

    proptest::proptest! {
        #[test]
        fn texts_that_look_like_numbers(
            text in "-?[0-9]{0,22}(\\.[0-9]{0,22})?([eE][-+]?[0-9]{0,3})?[],} \n.eE0-9x-]{0,40}"
        ) {
            for_each_tier(&AgreesWithRead(text.as_bytes()));
        }

        #[test]
        fn any_bytes(bytes: Vec<u8>) {
            for_each_tier(&AgreesWithRead(&bytes));
        }
    }
}
