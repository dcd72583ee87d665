//! A number that is read byte by byte: its grammar, and whether a double holds it.
//!
//! Separate from `number`, which reads a number that is in memory: this may have any number of
//! digits and keeps at most [`KEPT`]. Invariant: the same faults as `number::skip_finite`. Used by
//! `cut`, for a number that touches the end of a block.

use crate::error::ErrorKind;
use crate::number;

/// The digits that are kept. The least number that is no double has 309 digits; what is after them
/// decides nothing.
const KEPT: usize = 320;
/// An exponent is not counted beyond this: no document has as many digits.
const LARGEST: i64 = 1 << 56;

/// What has been read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Start,
    Sign,
    Zero,
    Integer,
    Point,
    Fraction,
    Exponent,
    ExponentSign,
    ExponentDigits,
}

/// What the next byte is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// A part of the number.
    Part,
    /// Not a part of the number, which is complete.
    End,
    /// A fault at this byte.
    Fault(ErrorKind),
    /// The number is a zero before this digit; so many bytes after its start.
    LeadingZero(usize),
}

/// A number as far as it has been read.
#[derive(Debug)]
pub(super) struct Numeral {
    phase: Phase,
    /// The first significant digits.
    digits: [u8; KEPT],
    count: usize,
    /// The power of ten of the last digit, without the exponent.
    power: i64,
    exponent: i64,
    is_negative: bool,
    is_negative_exponent: bool,
}

impl Numeral {
    /// Nothing has been read.
    pub(super) fn new() -> Self {
        Self {
            phase: Phase::Start,
            digits: [0; KEPT],
            count: 0,
            power: 0,
            exponent: 0,
            is_negative: false,
            is_negative_exponent: false,
        }
    }

    /// Reads a byte.
    pub(super) fn step(&mut self, byte: u8) -> Step {
        let is_digit = byte.is_ascii_digit();
        self.phase = match (self.phase, byte) {
            (Phase::Start, b'-') => {
                self.is_negative = true;
                Phase::Sign
            }
            (Phase::Start | Phase::Sign, b'0') => Phase::Zero,
            (Phase::Start | Phase::Sign | Phase::Integer, _) if is_digit => {
                self.digit(byte, false);
                Phase::Integer
            }
            (Phase::Start | Phase::Sign, _) => return Step::Fault(ErrorKind::NoDigitAfterSign),
            (Phase::Zero, _) if is_digit => return Step::LeadingZero(self.is_negative.into()),
            (Phase::Zero | Phase::Integer, b'.') => Phase::Point,
            (Phase::Zero | Phase::Integer | Phase::Fraction, b'e' | b'E') => Phase::Exponent,
            (Phase::Point | Phase::Fraction, _) if is_digit => {
                self.digit(byte, true);
                Phase::Fraction
            }
            (Phase::Point, _) => return Step::Fault(ErrorKind::NoDigitAfterPoint),
            (Phase::Exponent, b'-' | b'+') => {
                self.is_negative_exponent = byte == b'-';
                Phase::ExponentSign
            }
            (Phase::Exponent | Phase::ExponentSign | Phase::ExponentDigits, _) if is_digit => {
                let longer = self.exponent.saturating_mul(10) + i64::from(byte - b'0');
                self.exponent = longer.min(LARGEST);
                Phase::ExponentDigits
            }
            (Phase::Exponent | Phase::ExponentSign, _) => {
                return Step::Fault(ErrorKind::NoDigitAfterExponent);
            }
            _ => return Step::End,
        };
        Step::Part
    }

    /// Whether it may end here.
    pub(super) fn is_complete(&self) -> bool {
        use Phase::{ExponentDigits, Fraction, Integer, Zero};
        matches!(self.phase, Zero | Integer | Fraction | ExponentDigits)
    }

    /// Whether it is beyond the range of a double. An integer is not: readers keep it.
    pub(super) fn is_infinite(&self) -> bool {
        if matches!(self.phase, Phase::Zero | Phase::Integer) {
            return false;
        }
        let exponent = if self.is_negative_exponent { -self.exponent } else { self.exponent };
        let power = self.power.saturating_add(exponent);
        if self.count == 0 || power < -(KEPT as i64) {
            return false;
        }
        // A longer exponent is beyond the range, too.
        let power = power.min(9999);
        let mut text = [0; KEPT + 8];
        for (target, digit) in text.iter_mut().zip(self.digits.iter().take(self.count)) {
            *target = *digit;
        }
        let mut at = self.count;
        let mut put = |byte: u8| {
            if let Some(target) = text.get_mut(at) {
                *target = byte;
            }
            at += 1;
        };
        put(b'e');
        if power < 0 {
            put(b'-');
        }
        for place in [1000, 100, 10, 1] {
            put(b'0' + (power.unsigned_abs() / place % 10) as u8);
        }
        number::read(text.get(..at).unwrap_or(&[]), 0).is_err()
    }

    /// Notes a digit before or after the point.
    fn digit(&mut self, digit: u8, is_fraction: bool) {
        if self.count == 0 && digit == b'0' {
            self.power -= i64::from(is_fraction);
            return;
        }
        match self.digits.get_mut(self.count) {
            Some(place) => {
                *place = digit;
                self.count += 1;
                self.power -= i64::from(is_fraction);
            }
            None => self.power += i64::from(!is_fraction),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The fault of the number at the start of a text, and its offset; or its end.
    fn read(text: &[u8]) -> Result<usize, (ErrorKind, usize)> {
        let mut numeral = Numeral::new();
        let mut at = 0;
        // The end of the text is no part of a number.
        for byte in text.iter().copied().chain([0]) {
            match numeral.step(byte) {
                Step::Part => at += 1,
                Step::Fault(kind) => return Err((kind, at)),
                Step::LeadingZero(sign) => return Err((ErrorKind::LeadingZero, sign)),
                Step::End if numeral.is_infinite() => return Err((ErrorKind::Infinity, 0)),
                Step::End => break,
            }
        }
        assert!(numeral.is_complete());
        Ok(at)
    }

    fn check(text: &str) {
        let expected = number::skip_finite(text.as_bytes(), 0);
        assert_eq!(read(text.as_bytes()), expected, "{text}");
    }

    #[test]
    fn the_range_of_doubles() {
        // Half a unit above the largest double, and just below.
        let limit = "17976931348623158079372897140530341507993413271003782693617377898044496829276475\
            09466490179775872070963302864166928879109465555478519404026306574886715058206819089020007\
            08383676273854845817711531764475730270069855571366959622842914819860834936475292719074168\
            444365510704342711559699508093042880";
        let below = limit.replace("880", "879");
        for digits in [limit, below.as_str()] {
            for zeros in [0, 1, 400, 5000] {
                check(digits);
                check(&format!("{digits}.{}", "0".repeat(zeros + 1)));
                check(&format!("{digits}.{}1", "0".repeat(zeros)));
                check(&format!("{digits}{}e-{zeros}", "0".repeat(zeros)));
                check(&format!("0.{}{digits}e{}", "0".repeat(zeros), 309 + zeros));
                check(&format!("{}.{}e308", &digits[..1], &digits[1..]));
            }
        }
        check(&format!("0.{}e{}", "0".repeat(5000), "9".repeat(5000)));
        check(&format!("1{}", "0".repeat(5000)));
        check(&format!("1{}e-5000", "0".repeat(5000)));
        check(&format!("1e{}", "9".repeat(5000)));
        check(&format!("1e-{}", "9".repeat(5000)));
    }

    proptest::proptest! {
        #[test]
        fn as_a_whole_number(
            text in "[-+.0-9][-+0-9.eE]{0,24}|-?[0-9]{1,400}(\\.[0-9]{0,400})?([eE][-+]?[0-9]{0,4})?",
        ) {
            check(&text);
        }
    }
}
