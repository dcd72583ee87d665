//! The numbers of which documents have most, without a loop over their digits: integers of at
//! most eighteen digits, and decimals of at most nineteen without an exponent.
//!
//! Separate from the whole grammar in `read` because each function here either reads its kind of
//! number or says that it is none, and then nothing has been read. Invariant: what they read,
//! [`read`](super::read) would read, with the same result and end.
//!
//! PERF: numbers are told apart by where their digits end, and most branches depend on nothing
//! else, so that they are decided before the digits are. canada.json 1.41x, mesh.json 1.27x the speed
//! of the loops of `read` (loads, 3.11, AVX-512; much the same with AVX2; 2026-11-21).

use super::float::scaled;
use super::read::{Fault, Number, byte, digit, read};
use crate::arch::{Task, Vector};

/// ASCII zeros.
pub(super) const ZEROS: u64 = 0x3030_3030_3030_3030;

/// Powers of ten.
pub(super) const POWERS: [u64; 8] = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000];

/// Eight digits, one in each byte, the first one lowest, as a number.
#[inline(always)]
pub(super) fn join(digits: u64) -> u64 {
    // Pairs, fours, eight: each step joins neighbouring lanes.
    let pairs = digits.wrapping_mul(10).wrapping_add(digits >> 8);
    const LANES: u64 = 0x0000_00ff_0000_00ff;
    let high = (pairs & LANES).wrapping_mul(0x000f_4240_0000_0064);
    let low = (pairs >> 16 & LANES).wrapping_mul(0x0000_2710_0000_0001);
    high.wrapping_add(low) >> 32
}

/// The top bit of each byte that is no digit, after [`ZEROS`] were taken off.
#[inline(always)]
pub(super) fn not_digits(digits: u64) -> u64 {
    // No sum goes beyond its byte.
    let sums = (digits & 0x7f7f_7f7f_7f7f_7f7f) + 0x7676_7676_7676_7676;
    (sums | digits) & 0x8080_8080_8080_8080
}

/// Eight bytes from `at` on, without [`ZEROS`], and how many digits they start with.
#[inline(always)]
fn eight(text: &[u8; 32], at: usize) -> (u64, u32) {
    let digits = text[at % 24..].first_chunk().map_or(0, |&eight| u64::from_le_bytes(eight));
    let digits = digits ^ ZEROS;
    (digits, not_digits(digits).trailing_zeros() / 8)
}

/// Whether an integer ends before this byte, which is no digit.
#[inline(always)]
fn ends(next: u8) -> bool {
    !matches!(next, b'.' | b'e' | b'E')
}

#[inline(always)]
fn signed(magnitude: u64, negative: bool) -> i64 {
    if negative { -(magnitude as i64) } else { magnitude as i64 }
}

/// The integer at `start`, with the offset after it, if it has at most eighteen digits, or fifteen
/// where the document ends soon.
#[inline(always)]
pub fn short_integer(bytes: &[u8], start: usize) -> Option<(i64, usize)> {
    let Some(text) = bytes.get(start..).and_then(|rest| rest.first_chunk()) else {
        return last_integer(bytes, start);
    };
    let negative = text[0] == b'-';
    let first = usize::from(negative);
    let (digits, count) = eight(text, first);
    if count < 8 {
        let leading_zero = digits & 0xff == 0 && count > 1;
        if count == 0 || leading_zero || !ends(text[first + count as usize]) {
            return None;
        }
        // Zeros take the places before the first digit.
        let magnitude = join(digits << (64 - 8 * count));
        return Some((signed(magnitude, negative), start + first + count as usize));
    }
    let (low, more) = eight(text, first + 8);
    if more == 8 {
        // A call: with this in the walk, documents without such integers are 2 % slower.
        let (value, end) = long_integer(bytes, start);
        return (end > 0).then_some((value, end));
    }
    if digits & 0xff == 0 || !ends(text[first + 8 + more as usize]) {
        return None;
    }
    // In two steps, because it is by 64 bits if there are no more digits.
    let low = join(low << 1 << (63 - 8 * more));
    let magnitude = join(digits) * POWERS[more as usize] + low;
    Some((signed(magnitude, negative), start + first + 8 + more as usize))
}

/// As [`short_integer`], for sixteen digits or more; the offset is zero if there is none. (Two
/// numbers are returned in registers.)
#[inline(never)]
fn long_integer(bytes: &[u8], start: usize) -> (i64, usize) {
    const NONE: (i64, usize) = (0, 0);
    let Some(text) = bytes.get(start..).and_then(|rest| rest.first_chunk()) else {
        return NONE;
    };
    let negative = text[0] == b'-';
    let first = usize::from(negative);
    let [(high, _), (middle, _), (low, count)] = [0, 8, 16].map(|at| eight(text, first + at));
    let end = first + 16 + count as usize;
    if count > 2 || high & 0xff == 0 || !ends(text[end % 32]) {
        return NONE;
    }
    let low = join(low << 1 << (63 - 8 * count));
    let magnitude = join(high) * 100_000_000 + join(middle);
    let magnitude = magnitude * POWERS[count as usize] + low;
    (signed(magnitude, negative), start + end)
}

/// As [`short_integer`], where less than 32 bytes are left.
#[inline(never)]
fn last_integer(bytes: &[u8], start: usize) -> Option<(i64, usize)> {
    let negative = byte(bytes, start) == b'-';
    let first = start + usize::from(negative);
    let (mut at, mut magnitude) = (first, 0);
    while let Some(digit) = digit(bytes, at) {
        if at - first == 15 {
            return None;
        }
        magnitude = magnitude * 10 + digit;
        at += 1;
    }
    let leading_zero = byte(bytes, first) == b'0' && at - first > 1;
    if at == first || leading_zero || !ends(byte(bytes, at)) {
        return None;
    }
    Some((signed(magnitude, negative), at))
}

/// The number at `start`, with the offset after it, if it has a point, no exponent and at most
/// nineteen digits, few enough of them before the point, and less than the last 32 bytes are left:
/// as [`Vector::decimal`] says.
#[inline(always)]
pub fn short_decimal<V: Vector>(bytes: &[u8], start: usize) -> Option<(f64, usize)> {
    let decimal = V::decimal(bytes, start)?;
    let negative = byte(bytes, start) == b'-';
    let leading_zero = byte(bytes, start + usize::from(negative)) == b'0' && decimal.whole > 1;
    if leading_zero || !ends(decimal.next | 0x20) {
        return None;
    }
    let magnitude = scaled(decimal.digits, decimal.whole).to_bits();
    let value = f64::from_bits(magnitude | u64::from(negative) << 63);
    Some((value, start + decimal.len as usize))
}

/// A number that is no short integer, read outside the walk.
#[derive(Clone, Copy, Debug)]
pub struct Other<'a> {
    /// The document.
    pub bytes: &'a [u8],
    /// Where the number starts.
    pub start: usize,
}

impl Task for Other<'_> {
    type Output = Result<(Number, usize), Fault>;

    #[inline(always)]
    fn run<V: Vector>(self) -> Self::Output {
        let Self { bytes, start } = self;
        if let Some((value, end)) = short_decimal::<V>(bytes, start) {
            return Ok((Number::Float(value), end));
        }
        read(bytes, start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arch::testing::{TierTest, for_each_tier};

    /// A number and what follows it, read in every way that `loads` may.
    struct Same<'a>(&'a [u8]);

    impl TierTest for Same<'_> {
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
            let other = V::enter(Other { bytes: self.0, start: 0 });
            assert_eq!(other, expected, "{}", context());
            // In the middle of a document, and at its end.
            let longer = [b"[1,", self.0].concat();
            let other = V::enter(Other { bytes: &longer, start: 3 });
            let moved = expected.map(|(number, end)| (number, end + 3));
            assert_eq!(other, moved.map_err(|(kind, at)| (kind, at + 3)), "{}", context());
        }
    }

    fn same(number: &str) {
        for tail in ["", ",", "]", " ", "x", ".", "e", "E5", "-", "\u{e9}", "0", "/", ":"] {
            for padding in [0, 1, 20, 40] {
                let text = format!("{number}{tail}{}", " ".repeat(padding));
                for_each_tier(&Same(text.as_bytes()));
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
                    same(&format!("{sign}{}", &digits[..count]));
                    same(&format!("{sign}0{}", &digits[..count]));
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
                        same(&format!("{sign}{}.{}", &digits[..point], &digits[point..count]));
                    }
                }
            }
        }
        for odd in [
            "1..5", "1.5.5", ".", "-.", "1.-5", "0.0", "-0.0", "0.00000", "00.5", "1.5e3", "1.5E-3",
        ] {
            same(odd);
        }
    }

    #[test]
    fn every_byte_after_a_number() {
        for byte in 0..=255 {
            for number in ["1", "1234567", "12345678", "123456789012345", "1.5", "1234.56789"] {
                let mut text = number.as_bytes().to_vec();
                text.push(byte);
                text.extend([b' '; 40]);
                for_each_tier(&Same(&text));
                text.insert(1, byte);
                for_each_tier(&Same(&text));
            }
        }
    }

    struct Taken;

    impl TierTest for Taken {
        fn check<V: Vector>(&self) {
            let rest = " ".repeat(40);
            for integer in ["0", "-1", "12345678", "123456789012345"] {
                assert!(short_integer(integer.as_bytes(), 0).is_some());
                assert!(short_integer((integer.to_owned() + &rest).as_bytes(), 0).is_some());
            }
            for integer in ["1234567890123456", "-123456789012345678"] {
                assert!(short_integer((integer.to_owned() + &rest).as_bytes(), 0).is_some());
            }
            let most =
                ["-0.0", "1.5", "0.696468466152", "-65.613616999999977", "12345678901234.56789"];
            for decimal in most {
                let found = short_decimal::<V>((decimal.to_owned() + &rest).as_bytes(), 0);
                assert_eq!(found.is_some(), V::DECIMALS, "{decimal}");
            }
        }
    }

    #[test]
    fn the_usual_ones_are_taken() {
        for_each_tier(&Taken);
    }

    /// Decimals of so many digits at and beside the middle of two doubles.
    fn near_halfway(rounds: u32, mut check: impl FnMut(&str)) {
        let mut bits = 1u64;
        for round in 0..rounds {
            bits = bits.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            // From 2^-20 to 2^45.
            let exponent = 1003 + (round % 66) as u64;
            let value = f64::from_bits(exponent << 52 | bits >> 12);
            let half = f64::from_bits(value.to_bits() + 1) - value;
            let text = format!("{:.60}", value);
            // The text of the middle, by adding half a unit in the last place exactly.
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

    /// The sum of two decimals with the same number of places.
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
    fn decimals_near_the_middle_of_two_doubles() {
        let rounds = if cfg!(debug_assertions) { 20_000 } else { 500_000 };
        near_halfway(rounds, |text| for_each_tier(&Nearest(text)));
    }

    #[test]
    fn digits_are_scaled_to_the_nearest_double() {
        let rounds = if cfg!(debug_assertions) { 200_000 } else { 5_000_000 };
        let mut digits = 1u64;
        for round in 0..rounds {
            digits = digits.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            // All sizes, and ones that end with zeros, as most do.
            let short = (digits >> 8) % 10u64.pow(1 + round % 19);
            let long = short * 10u64.pow(18 - round % 19);
            for (digits, whole) in [(short, digits % 15), (long, digits % 15)] {
                let expected: f64 = format!("{digits}e{}", whole as i32 - 19).parse().unwrap();
                let scaled = scaled(digits, whole as u32);
                assert_eq!(scaled.to_bits(), expected.to_bits(), "{digits}e{}", whole as i32 - 19);
            }
        }
    }

    proptest::proptest! {
        #[test]
        fn anything_like_a_number(
            text in "-?[0-9]{0,22}(\\.[0-9]{0,22})?([eE][-+]?[0-9]{0,3})?[],} \n.eE0-9x-]{0,40}"
        ) {
            for_each_tier(&Same(text.as_bytes()));
        }

        #[test]
        fn any_bytes(bytes: Vec<u8>) {
            for_each_tier(&Same(&bytes));
        }
    }
}
