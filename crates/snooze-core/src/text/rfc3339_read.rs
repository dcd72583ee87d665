//! Reads dates and times from RFC 3339 text.
//!
//! Separate from `rfc3339`, which writes them, because reading is about what to refuse. Invariant:
//! accepts exactly the text of that RFC, except values that a `datetime` cannot hold (year 0, leap
//! seconds). A fraction is truncated to microseconds. Called by the typed decoder.

use super::rfc3339::{Date, Time};

/// A date and a time of day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DateTime {
    /// The date, in the years 1 to 9999.
    pub date: Date,
    /// The time of day.
    pub time: Time,
    /// Seconds east of UTC, if the text has an offset; less than a day in either direction.
    pub offset: Option<i32>,
}

/// Reads `YYYY-MM-DD`.
#[inline]
pub fn read_date(text: &[u8]) -> Option<Date> {
    date(text.try_into().ok()?)
}

/// Reads `hh:mm:ss` with an optional fraction and an optional offset; returns the offset in
/// seconds.
#[inline]
pub fn read_time(text: &[u8]) -> Option<(Time, Option<i32>)> {
    let (clock, rest) = text.split_first_chunk()?;
    let (hour, minute, second) = clock_fields(clock)?;
    let (microsecond, rest) = fraction(rest)?;
    let offset = if rest.is_empty() { None } else { Some(offset(rest)?) };
    Some((Time { hour, minute, second, microsecond }, offset))
}

/// Reads a date and a time with `T`, `t` or a space between them.
#[inline]
pub fn read_datetime(text: &[u8]) -> Option<DateTime> {
    let (day, rest) = text.split_first_chunk()?;
    let (&[b'T' | b't' | b' '], rest) = rest.split_first_chunk()? else { return None };
    let date = date(day)?;
    let (time, offset) = read_time(rest)?;
    Some(DateTime { date, time, offset })
}

/// The value of two digits; above 99 if one of them is not a digit.
#[inline(always)]
fn two_digits(tens: u8, ones: u8) -> u32 {
    let (tens, ones) = (tens.wrapping_sub(b'0'), ones.wrapping_sub(b'0'));
    if tens > 9 || ones > 9 {
        return 1000;
    }
    u32::from(10 * tens + ones)
}

/// Reads `YYYY-MM-DD`.
#[inline(always)]
fn date(text: &[u8; 10]) -> Option<Date> {
    let [y, e, a, r, b'-', m, o, b'-', d, i] = *text else { return None };
    let (century, rest) = (two_digits(y, e), two_digits(a, r));
    let (year, month, day) = (100 * century + rest, two_digits(m, o), two_digits(d, i));
    let valid = rest < 100
        && (1..=9999).contains(&year)
        && (1..=12).contains(&month)
        && day >= 1
        && day <= days_of(year, month);
    valid.then_some(Date { year: year as u16, month: month as u8, day: day as u8 })
}

/// The number of days of a month from 1 to 12.
#[inline(always)]
fn days_of(year: u32, month: u32) -> u32 {
    if month == 2 {
        let leap =
            year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
        return 28 + u32::from(leap);
    }
    // Long and short months alternate, except July and August.
    30 + (month + month / 8) % 2
}

/// Reads `hh:mm:ss`.
#[inline(always)]
fn clock_fields(text: &[u8; 8]) -> Option<(u8, u8, u8)> {
    let [h, o, b':', m, i, b':', s, e] = *text else { return None };
    let (hour, minute, second) = (two_digits(h, o), two_digits(m, i), two_digits(s, e));
    let valid = hour < 24 && minute < 60 && second < 60;
    valid.then_some((hour as u8, minute as u8, second as u8))
}

/// The fraction at the start of `text` as microseconds, zero if there is none, and the rest.
#[inline(always)]
fn fraction(text: &[u8]) -> Option<(u32, &[u8])> {
    let Some((b'.', digits)) = text.split_first() else { return Some((0, text)) };
    let (micros, count) = micros(digits);
    (count > 0).then(|| (micros, &digits[count..]))
}

/// The digits at the start of `text` as millionths, ignoring the seventh and later ones; and the
/// number of digits.
#[inline(always)]
pub(super) fn micros(text: &[u8]) -> (u32, usize) {
    let (mut value, mut unit, mut count) = (0, 100_000, 0);
    for digit in text.iter().map(|byte| byte.wrapping_sub(b'0')).take_while(|&digit| digit < 10) {
        value += u32::from(digit) * unit;
        unit /= 10;
        count += 1;
    }
    (value, count)
}

/// Reads `Z`, `+hh:mm` or `-hh:mm`, or the same with seconds, as Python writes the offsets of local
/// mean times (`+00:19:32`); returns seconds.
#[inline(always)]
fn offset(text: &[u8]) -> Option<i32> {
    match *text {
        [b'Z' | b'z'] => Some(0),
        [sign @ (b'+' | b'-'), h, o, b':', m, i] => {
            let (hours, minutes) = (two_digits(h, o), two_digits(m, i));
            let seconds = (3600 * hours + 60 * minutes) as i32;
            let seconds = if sign == b'-' { -seconds } else { seconds };
            (hours < 24 && minutes < 60).then_some(seconds)
        }
        [sign, h, o, b':', m, i, b':', s, e] => {
            let minutes = offset(&[sign, h, o, b':', m, i])?;
            let seconds = two_digits(s, e) as i32;
            (seconds < 60).then_some(if sign == b'-' {
                minutes - seconds
            } else {
                minutes + seconds
            })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Offset, Stamp};
    use super::*;

    fn naive_days(year: u16, month: u8) -> u8 {
        match month {
            4 | 6 | 9 | 11 => 30,
            2 if year.is_multiple_of(400) => 29,
            2 if year.is_multiple_of(100) => 28,
            2 if year.is_multiple_of(4) => 29,
            2 => 28,
            1..=12 => 31,
            _ => 0,
        }
    }

    #[test]
    fn exactly_the_days_of_the_calendar() {
        for year in 0..=9999 {
            for month in 0..=13 {
                for day in 0..=32 {
                    let text = format!("{year:04}-{month:02}-{day:02}");
                    let valid = year > 0 && day > 0 && day <= naive_days(year, month);
                    let expected = valid.then_some(Date { year, month, day });
                    assert_eq!(read_date(text.as_bytes()), expected, "{text}");
                }
            }
        }
    }

    #[test]
    fn exactly_the_seconds_of_a_day() {
        for hour in 0..=99 {
            for minute in 0..=99 {
                for second in 0..=99 {
                    let text = format!("{hour:02}:{minute:02}:{second:02}");
                    let valid = hour < 24 && minute < 60 && second < 60;
                    let expected =
                        valid.then_some((Time { hour, minute, second, microsecond: 0 }, None));
                    assert_eq!(read_time(text.as_bytes()), expected, "{text}");
                }
            }
        }
    }

    #[test]
    fn offsets_with_seconds() {
        for (text, expected) in [
            ("01:02:03+00:19:32", Some(1172)),
            ("01:02:03-00:44:30", Some(-2670)),
            ("01:02:03-23:59:59", Some(-86_399)),
            ("01:02:03+00:00:60", None),
            ("01:02:03+00:00:0", None),
            ("01:02:03+24:00:00", None),
            ("01:02:03 00:00:00", None),
        ] {
            let read = read_time(text.as_bytes()).and_then(|(_, offset)| offset);
            assert_eq!(read, expected, "{text}");
        }
    }

    #[test]
    fn exactly_the_offsets_below_a_day() {
        for hours in 0..=99 {
            for minutes in 0..=99 {
                for (sign, factor) in [('+', 60), ('-', -60)] {
                    let text = format!("01:02:03{sign}{hours:02}:{minutes:02}");
                    let valid = hours < 24 && minutes < 60;
                    let expected = valid.then_some(Some(factor * (60 * hours + minutes)));
                    assert_eq!(read_time(text.as_bytes()).map(|(_, offset)| offset), expected);
                }
            }
        }
    }

    #[test]
    fn fractions_are_truncated_to_microseconds() {
        let cases = [
            (".0", 0),
            (".5", 500_000),
            (".000001", 1),
            (".123456", 123_456),
            (".1234569", 123_456),
            (".00000099999999999999999999999999999999999", 0),
            (".999999999999999999999999999999999999999999999", 999_999),
        ];
        for (fraction, microsecond) in cases {
            for (after, offset) in [("", None), ("Z", Some(0)), ("-00:01", Some(-60))] {
                let text = format!("2020-02-29t23:59:59{fraction}{after}");
                let read = read_datetime(text.as_bytes()).unwrap();
                let time = Time { hour: 23, minute: 59, second: 59, microsecond };
                let date = Date { year: 2020, month: 2, day: 29 };
                assert_eq!(read, DateTime { date, time, offset }, "{text}");
            }
        }
    }

    #[test]
    fn invalid_texts() {
        for text in [
            "",
            "2020-01-01",
            "2020-01-01T",
            "2020-01-01T00:00",
            "2020-01-01T00:00Z",
            "2020-01-01T00:00:60",
            "2020-01-01T24:00:00",
            "2020-01-01T00:00:00.",
            "2020-01-01T00:00:00.Z",
            "2020-01-01T00:00:00,5",
            "2020-01-01T00:00:00 Z",
            "2020-01-01T00:00:00ZZ",
            "2020-01-01T00:00:00+0100",
            "2020-01-01T00:00:00+01",
            "2020-01-01T00:00:00+1:00",
            "2020-01-01T00:00:00+01:00 ",
            "2020-01-01_00:00:00",
            "2020-01-01  00:00:00",
            "20200101T000000",
            "0000-01-01T00:00:00",
            "10000-01-01T00:00:00",
            "+2020-01-01T00:00:00",
            "2020-1-01T00:00:00",
            "2020-01-01T0a:00:00",
            "2020-01-0:T00:00:00",
            "2020-01-0/T00:00:00",
            "2020\u{2212}01-01T00:00:00",
        ] {
            assert_eq!(read_datetime(text.as_bytes()), None, "{text}");
        }
        for text in ["", "00", "00:00", "00:00:0", "00:00:00:", "-0:00:00", "T00:00:00"] {
            assert_eq!(read_time(text.as_bytes()), None, "{text}");
        }
        for text in ["", "2020-01", "2020-01-01T", "2020-01-01 ", "2020/01/01", "99999-01-01"] {
            assert_eq!(read_date(text.as_bytes()), None, "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn round_trips(
            (year, month, day) in (1u16..=9999, 1u8..=12, 1u8..=31),
            (hour, minute, second) in (0u8..24, 0u8..60, 0u8..60),
            microsecond in 0u32..1_000_000,
            minutes: Option<i16>,
        ) {
            let date = Date { year, month, day: day.min(naive_days(year, month)) };
            let time = Time { hour, minute, second, microsecond };
            let minutes = minutes.map(|minutes| minutes % 1440);
            let offset = minutes.map(|minutes| 60 * i32::from(minutes));
            let read = |stamp: Stamp| stamp.with_bytes(read_datetime);
            let stamp = Stamp::date_time(date, time, minutes.map(Offset::Minutes));
            proptest::prop_assert_eq!(read(stamp), Some(DateTime { date, time, offset }));
            proptest::prop_assert_eq!(Stamp::date(date).with_bytes(read_date), Some(date));
            let alone = Stamp::time(time).with_bytes(read_time);
            proptest::prop_assert_eq!(alone, Some((time, None)));
        }

        #[test]
        fn accepted_texts_are_written_back_unchanged(at in 0usize..25, byte: u8) {
            let mut text = *b"2024-02-29T12:34:56+01:30";
            text[at] = byte;
            if let Some(read) = read_datetime(&text) {
                let minutes = read.offset.map(|seconds| Offset::Minutes((seconds / 60) as i16));
                let again = Stamp::date_time(read.date, read.time, minutes);
                again.with_bytes(|again| {
                    let same = |(&a, &b): (&u8, &u8)| a.eq_ignore_ascii_case(&b) || b == b' ';
                    assert!(again.len() == text.len() && again.iter().zip(&text).all(same));
                });
            }
        }

        #[test]
        fn arbitrary_bytes(text: Vec<u8>) {
            proptest::prop_assert_eq!(read_date(&text), None);
            read_datetime(&text);
            read_time(&text);
        }
    }
}
