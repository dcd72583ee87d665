//! Values that a column holds as numbers and JSON as text: dates, instants, exact decimals.
//!
//! Separate because each is a pure function from text to number, tested alone. Invariant: `None`
//! wherever a digit would be lost; nothing is rounded. Called by `value` and `store`.

use super::schema::Unit;
use crate::text::{Date, read_date, read_datetime};

/// Days from 1970-01-01 to a date (proleptic Gregorian calendar).
fn days(date: Date) -> i64 {
    // Years begin in March, so that the leap day is the last one.
    let (month, day) = (i64::from(date.month), i64::from(date.day));
    let year = i64::from(date.year) - i64::from(month <= 2);
    let month = (month + 9) % 12;
    let day_of_year = (153 * month + 2) / 5 + day - 1;
    let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    365 * year + leap_days + day_of_year - 719_468
}

/// Reads `YYYY-MM-DD` as days since 1970-01-01.
pub(super) fn date_of(text: &[u8]) -> Option<i32> {
    read_date(text).map(|date| days(date) as i32)
}

/// Reads a date and a time (RFC 3339) as units since 1970-01-01T00:00:00, of UTC if the text must
/// have an offset.
pub(super) fn timestamp_of(text: &[u8], unit: Unit, with_offset: bool) -> Option<i64> {
    let read = read_datetime(text)?;
    if read.offset.is_some() != with_offset {
        return None;
    }
    let clock = read.time;
    let seconds = days(read.date) * 86_400
        + i64::from(clock.hour) * 3600
        + i64::from(clock.minute) * 60
        + i64::from(clock.second)
        - i64::from(read.offset.unwrap_or(0));
    // `read_datetime` checks the fraction, but keeps only six digits of it.
    let fraction = match text.get(19..) {
        Some([b'.', rest @ ..]) => {
            let count = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
            &rest[..count]
        }
        _ => &[],
    };
    let (mut units, mut place) = (0, unit.per_second());
    for digit in fraction.iter().map(|byte| i64::from(byte - b'0')) {
        if place == 1 {
            if digit != 0 {
                return None;
            }
            continue;
        }
        place /= 10;
        units += digit * place;
    }
    // The first second of the range begins before it.
    let found = i128::from(seconds) * i128::from(unit.per_second()) + i128::from(units);
    i64::try_from(found).ok()
}

/// Reads a JSON number as a whole number of 10^-scale, with at most `precision` digits.
pub(super) fn decimal_of(text: &[u8], precision: u8, scale: u8) -> Option<i128> {
    let (negative, rest) = match text {
        [b'-', rest @ ..] => (true, rest),
        _ => (false, text),
    };
    let mantissa_end = rest.iter().position(|byte| byte | 0x20 == b'e').unwrap_or(rest.len());
    let (mantissa, exponent) = rest.split_at(mantissa_end);
    let point = mantissa.iter().position(|&byte| byte == b'.').unwrap_or(mantissa.len());
    let (whole, fraction) = (&mantissa[..point], mantissa.get(point + 1..).unwrap_or(&[]));
    let exponent = match exponent.get(1..) {
        Some(digits) if !digits.is_empty() => exponent_of(digits)?,
        Some(_) => return None,
        None => 0,
    };
    let has_digits = !whole.is_empty() && (point == mantissa.len()) == fraction.is_empty();
    if !has_digits || (whole.len() > 1 && whole[0] == b'0') {
        return None;
    }
    let digits = || whole.iter().chain(fraction);
    if !digits().all(u8::is_ascii_digit) {
        return None;
    }
    // The value is an integer of these digits times 10^shift; trailing zeros count nothing.
    let zeros = digits().rev().take_while(|&&byte| byte == b'0').count();
    let count = whole.len() + fraction.len() - zeros;
    let mut shift = exponent - fraction.len() as i64 + zeros as i64 + i64::from(scale);
    let mut value: i128 = 0;
    for &digit in digits().take(count) {
        value = value.checked_mul(10)?.checked_add(i128::from(digit - b'0'))?;
    }
    if value == 0 {
        return Some(0);
    }
    if shift < 0 {
        return None;
    }
    while shift > 0 {
        value = value.checked_mul(10)?;
        shift -= 1;
    }
    (value < 10_i128.pow(precision.min(38).into())).then_some(if negative { -value } else { value })
}

/// Reads an exponent; one that no decimal has becomes a large number.
fn exponent_of(text: &[u8]) -> Option<i64> {
    let (negative, digits) = match text {
        [b'-', digits @ ..] => (true, digits),
        [b'+', digits @ ..] => (false, digits),
        _ => (false, text),
    };
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let value =
        digits.iter().fold(0_i64, |value, byte| (10 * value + i64::from(byte - b'0')).min(1 << 40));
    Some(if negative { -value } else { value })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_count_from_1970() {
        for (text, expected) in [
            ("1970-01-01", 0),
            ("1969-12-31", -1),
            ("2000-02-29", 11_016),
            ("2026-11-23", 20_780),
            ("0001-01-01", -719_162),
            ("9999-12-31", 2_932_896),
        ] {
            assert_eq!(date_of(text.as_bytes()), Some(expected), "{text}");
        }
        for day in -719_162..2_932_896 {
            let date = Date::from_unix_days(day).unwrap();
            assert_eq!(days(date), day);
        }
    }

    #[test]
    fn instants() {
        let cases: [(&str, Unit, bool, Option<i64>); 15] = [
            ("1677-09-21T00:12:43.145224193Z", Unit::Nano, true, Some(i64::MIN + 1)),
            ("1677-09-21T00:12:43.145224191Z", Unit::Nano, true, None),
            ("2262-04-11T23:47:16.854775808Z", Unit::Nano, true, None),
            ("1970-01-01T00:00:01Z", Unit::Second, true, Some(1)),
            ("1970-01-01T01:00:01+01:00", Unit::Second, true, Some(1)),
            ("1969-12-31T23:59:59.5Z", Unit::Milli, true, Some(-500)),
            ("1969-12-31T23:59:59.500Z", Unit::Second, true, None),
            ("1970-01-01T00:00:01.000Z", Unit::Second, true, Some(1)),
            ("1970-01-01T00:00:00.000001Z", Unit::Micro, true, Some(1)),
            ("1970-01-01T00:00:00.0000010Z", Unit::Micro, true, Some(1)),
            ("1970-01-01T00:00:00.0000012Z", Unit::Micro, true, None),
            ("1970-01-01T00:00:00.000000123Z", Unit::Nano, true, Some(123)),
            ("1970-01-01T00:00:00Z", Unit::Micro, false, None),
            ("1970-01-01T00:00:00", Unit::Micro, true, None),
            ("9999-01-01T00:00:00Z", Unit::Nano, true, None),
        ];
        for (text, unit, with_offset, expected) in cases {
            assert_eq!(timestamp_of(text.as_bytes(), unit, with_offset), expected, "{text}");
        }
    }

    #[test]
    fn decimals_are_exact() {
        let cases: [(&str, u8, u8, Option<i128>); 20] = [
            ("0", 1, 0, Some(0)),
            ("-0.00", 1, 0, Some(0)),
            ("1.25", 5, 2, Some(125)),
            ("-1.25", 5, 2, Some(-125)),
            ("1.250", 3, 2, Some(125)),
            ("1.251", 5, 2, None),
            ("999.99", 5, 2, Some(99_999)),
            ("1000", 5, 2, None),
            ("1.25e2", 5, 2, Some(12_500)),
            ("125e-2", 5, 2, Some(125)),
            ("125E-3", 5, 2, None),
            ("1e37", 38, 0, Some(10_i128.pow(37))),
            ("1e38", 38, 0, None),
            ("0e99999999999999999999", 3, 0, Some(0)),
            ("99999999999999999999999999999999999999", 38, 0, Some(10_i128.pow(38) - 1)),
            ("01", 5, 0, None),
            ("1.", 5, 0, None),
            (".5", 5, 1, None),
            ("1e", 5, 0, None),
            ("x", 5, 0, None),
        ];
        for (text, precision, scale, expected) in cases {
            assert_eq!(decimal_of(text.as_bytes(), precision, scale), expected, "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read_or_refused(text: Vec<u8>, precision in 1u8..39, scale in 0u8..39) {
            decimal_of(&text, precision, scale);
            timestamp_of(&text, Unit::Nano, true);
        }

        #[test]
        fn integers_are_themselves(value: i64) {
            let text = value.to_string();
            proptest::prop_assert_eq!(decimal_of(text.as_bytes(), 38, 0), Some(value.into()));
        }
    }
}
