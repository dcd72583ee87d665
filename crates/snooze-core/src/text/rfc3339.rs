//! Writes dates and times as RFC 3339 text.
//!
//! Separate from `rfc3339_read` because this only formats, into a small array. Invariant: the
//! caller guarantees that the fields are valid (`datetime` objects and [`Date::from_unix_days`]
//! do). Called by the encoders of snooze-py, for `datetime` objects and for dates of numpy.

/// A calendar date.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Date {
    /// 0 to 9999.
    pub year: u16,
    /// 1 to 12.
    pub month: u8,
    /// 1 to 31.
    pub day: u8,
}

impl Date {
    /// The date `days` after 1970-01-01, if its year has four digits.
    ///
    /// Source: Neri and Schneider, "Euclidean affine functions and their application to calendar
    /// algorithms" (2022), with the year beginning in March.
    #[inline(always)]
    pub fn from_unix_days(days: i64) -> Option<Date> {
        /// 0000-01-01 and 9999-12-31.
        const FIRST: i64 = -719_528;
        const LAST: i64 = 2_932_896;
        if !(FIRST..=LAST).contains(&days) {
            return None;
        }
        // Days since -0400-03-01: positive, and small enough for products of 32 bits.
        let days = (days + 719_468 + 146_097) as u32;
        let quarters = 4 * days + 3;
        let century = quarters / 146_097;
        // From the day of the century, in quarters of a day, one product yields the year in its
        // upper half and the day of the year in its lower half.
        let product = 2_939_745 * u64::from((quarters % 146_097) | 3);
        let year_of_century = (product >> 32) as u32;
        let day_of_year = product as u32 / 2_939_745 / 4;
        let march = 2141 * day_of_year + 197_913;
        let (month, day) = (march >> 16, (march & 0xffff) / 2141);
        let next_year = u32::from(day_of_year >= 306);
        let year = 100 * century + year_of_century + next_year - 400;
        let month = if day_of_year >= 306 { month - 12 } else { month };
        Some(Date { year: year as u16, month: month as u8, day: day as u8 + 1 })
    }
}

/// A time of day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Time {
    /// 0 to 23.
    pub hour: u8,
    /// 0 to 59.
    pub minute: u8,
    /// 0 to 59.
    pub second: u8,
    /// 0 to 999,999. Zero is not written.
    pub microsecond: u32,
}

/// An offset from UTC, as RFC 3339 can write it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Offset {
    /// `Z`.
    Zulu,
    /// `+hh:mm` or `-hh:mm`: -1439 to 1439 minutes.
    Minutes(i16),
}

impl Offset {
    /// The offset nearest to `seconds`, where half a minute rounds away from zero; `None` for a day
    /// or more.
    pub fn from_seconds(seconds: i64) -> Option<Offset> {
        let minutes = (seconds.checked_abs()?.checked_add(30)? / 60) * seconds.signum();
        (-1439..=1439).contains(&minutes).then_some(Offset::Minutes(minutes as i16))
    }
}

/// A finished text of at most 32 characters: `2000-01-01T00:00:00.000000+00:00`.
///
/// PERF: four words of eight characters, because the parts of a date and time fall on word
/// boundaries: everything stays in registers until it is stored in the output (naive datetimes 2.2x
/// as fast as orjson, 2026-11-21).
#[derive(Clone, Copy, Debug, Default)]
pub struct Stamp {
    words: [u64; 4],
    len: usize,
}

impl Stamp {
    /// The characters; only the first [`Stamp::len`] are part of the text.
    #[inline(always)]
    pub fn words(&self) -> [u64; 4] {
        self.words
    }

    /// The number of characters.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether the text is empty, which only a default stamp is.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The text of the first `len` bytes.
    pub(super) fn from_bytes(bytes: [u8; 32], len: usize) -> Self {
        let (words, _) = bytes.as_chunks();
        Self { words: [0, 1, 2, 3].map(|at| u64::from_le_bytes(words[at])), len }
    }

    /// Calls `use_bytes` with the text and returns its result.
    pub fn with_bytes<R>(&self, use_bytes: impl FnOnce(&[u8]) -> R) -> R {
        let mut bytes = [0; 32];
        for (target, word) in bytes.as_chunks_mut().0.iter_mut().zip(self.words) {
            *target = word.to_le_bytes();
        }
        use_bytes(&bytes[..self.len])
    }

    /// A date and time, or a time, with this many digits of its fraction of a second, at most six:
    /// it is cut, or zeros follow. Other texts stay as they are.
    pub fn with_fraction(&self, digits: usize) -> Self {
        let digits = digits.min(6);
        let mut bytes = [0; 32];
        let len = self.with_bytes(|text| {
            // The characters of `hh:mm:ss`, after those of the date.
            let clock = match (text.get(10), text.get(2)) {
                (Some(b'T'), _) => 19,
                (_, Some(b':')) => 8,
                _ => return None,
            };
            let (before, rest) = text.split_at_checked(clock)?;
            let (fraction, zone) = match rest.split_first() {
                Some((b'.', after)) => {
                    after.split_at(after.iter().take_while(|byte| byte.is_ascii_digit()).count())
                }
                _ => (&[][..], rest),
            };
            let point = (digits > 0).then_some(&b'.');
            let padded = fraction.iter().chain(core::iter::repeat(&b'0')).take(digits);
            let mut len = 0;
            for &byte in before.iter().chain(point).chain(padded).chain(zone) {
                *bytes.get_mut(len)? = byte;
                len += 1;
            }
            Some(len)
        });
        len.map_or(*self, |len| Self::from_bytes(bytes, len))
    }

    /// `YYYY-MM-DD`.
    #[inline(always)]
    pub fn date(date: Date) -> Self {
        Self { words: [year_month(date), two_digits(date.day.into()), 0, 0], len: 10 }
    }

    /// `hh:mm:ss`, with six digits of microseconds if they are not zero.
    #[inline(always)]
    pub fn time(time: Time) -> Self {
        let Time { hour, minute, second, microsecond } = time;
        let clock = two_digits(hour.into())
            | char_at(2, b':')
            | two_digits(minute.into()) << 24
            | char_at(5, b':')
            | two_digits(second.into()) << 48;
        let (fraction, len) = fraction(microsecond);
        Self { words: [clock, fraction, 0, 0], len: 8 + len }
    }

    /// A date, `T`, a time, and the offset if there is one.
    #[inline(always)]
    pub fn date_time(date: Date, time: Time, offset: Option<Offset>) -> Self {
        let Time { hour, minute, second, microsecond } = time;
        let day_to_minute = two_digits(date.day.into())
            | char_at(2, b'T')
            | two_digits(hour.into()) << 24
            | char_at(5, b':')
            | two_digits(minute.into()) << 48;
        let (offset, offset_len) = offset.map_or((0, 0), Offset::text);
        let (fraction, fraction_len) = fraction(microsecond);
        let end = u128::from(fraction) | u128::from(offset) << (8 * fraction_len);
        let rest = u128::from(char_at(0, b':') | two_digits(second.into()) << 8) | end << 24;
        let words = [year_month(date), day_to_minute, rest as u64, (rest >> 64) as u64];
        Self { words, len: 19 + fraction_len + offset_len }
    }
}

/// A word with one character, at the given index.
const fn char_at(index: u32, character: u8) -> u64 {
    (character as u64) << (8 * index)
}

/// `YYYY-MM-`.
#[inline(always)]
fn year_month(date: Date) -> u64 {
    two_digits((date.year / 100).into())
        | two_digits((date.year % 100).into()) << 16
        | char_at(4, b'-')
        | two_digits(date.month.into()) << 40
        | char_at(7, b'-')
}

/// `.ffffff` and its length; both are zero if there are no microseconds.
#[inline(always)]
fn fraction(microsecond: u32) -> (u64, usize) {
    if microsecond == 0 {
        return (0, 0);
    }
    let text = char_at(0, b'.')
        | two_digits((microsecond / 10_000).into()) << 8
        | two_digits((microsecond / 100 % 100).into()) << 24
        | two_digits((microsecond % 100).into()) << 40;
    (text, 7)
}

impl Offset {
    /// The text of the offset, and its length.
    #[inline(always)]
    fn text(self) -> (u64, usize) {
        match self {
            Offset::Zulu => (char_at(0, b'Z'), 1),
            // PERF: UTC is the usual offset.
            Offset::Minutes(0) => (u64::from_le_bytes(*b"+00:00\0\0"), 6),
            Offset::Minutes(minutes) => {
                let sign = if minutes < 0 { b'-' } else { b'+' };
                let minutes = u64::from(minutes.unsigned_abs());
                let clock = two_digits(minutes / 60) << 8
                    | char_at(3, b':')
                    | two_digits(minutes % 60) << 32;
                (char_at(0, sign) | clock, 6)
            }
        }
    }
}

/// The last two digits of a number, the first of them in the lowest byte.
#[inline(always)]
fn two_digits(value: u64) -> u64 {
    const PAIRS: [u16; 128] = {
        let mut pairs = [0; 128];
        let mut value = 0;
        while value < 128 {
            let (tens, ones) = (value as u8 / 10 % 10, value as u8 % 10);
            pairs[value] = u16::from_le_bytes([b'0' + tens, b'0' + ones]);
            value += 1;
        }
        pairs
    };
    PAIRS[(value & 127) as usize].into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(stamp: Stamp) -> String {
        stamp.with_bytes(|bytes| String::from_utf8(bytes.to_vec()).unwrap())
    }

    #[test]
    fn fields_are_zero_padded() {
        let date = Date { year: 7, month: 3, day: 9 };
        let time = Time { hour: 1, minute: 2, second: 3, microsecond: 40 };
        let whole = Time { microsecond: 0, ..time };
        let offset = Offset::from_seconds(-19_800);
        assert_eq!(text(Stamp::date(date)), "0007-03-09");
        assert_eq!(text(Stamp::time(time)), "01:02:03.000040");
        assert_eq!(text(Stamp::time(whole)), "01:02:03");
        let cases = [
            (time, offset, "0007-03-09T01:02:03.000040-05:30"),
            (time, Some(Offset::Zulu), "0007-03-09T01:02:03.000040Z"),
            (time, None, "0007-03-09T01:02:03.000040"),
            (whole, offset, "0007-03-09T01:02:03-05:30"),
            (whole, Some(Offset::Zulu), "0007-03-09T01:02:03Z"),
            (whole, None, "0007-03-09T01:02:03"),
        ];
        for (time, offset, expected) in cases {
            assert_eq!(text(Stamp::date_time(date, time, offset)), expected);
        }
    }

    #[test]
    fn fields_that_no_date_has_are_written_as_digits() {
        for (large, small) in [(u8::MAX, 0), (0, u8::MAX), (100, 99), (99, 128), (200, 200)] {
            let date = Date { year: 256 * u16::from(large) + 255, month: small, day: large };
            let microsecond = u32::from(small) << 16 | 0xffff;
            let time = Time { hour: large, minute: small, second: large, microsecond };
            let shape: String = text(Stamp::date_time(date, time, Some(Offset::Minutes(1439))))
                .chars()
                .map(|char| if char.is_ascii_digit() { '0' } else { char })
                .collect();
            assert_eq!(shape, "0000-00-00T00:00:00.000000+00:00");
        }
    }

    #[test]
    fn fractions_are_cut_or_extended() {
        let date = Date { year: 7, month: 3, day: 9 };
        let time = Time { hour: 1, minute: 2, second: 3, microsecond: 456_789 };
        let whole = Time { microsecond: 0, ..time };
        for (digits, expected) in [(0, ""), (1, ".4"), (3, ".456"), (6, ".456789"), (9, ".456789")]
        {
            let dated = Stamp::date_time(date, time, Some(Offset::Minutes(-330)));
            let dated = text(dated.with_fraction(digits));
            assert_eq!(dated, format!("0007-03-09T01:02:03{expected}-05:30"));
            let alone = text(Stamp::time(time).with_fraction(digits));
            assert_eq!(alone, format!("01:02:03{expected}"));
        }
        let extended = Stamp::date_time(date, whole, Some(Offset::Zulu)).with_fraction(3);
        assert_eq!(text(extended), "0007-03-09T01:02:03.000Z");
        assert_eq!(text(Stamp::date(date).with_fraction(3)), "0007-03-09");
    }

    #[test]
    fn offsets_are_rounded_to_minutes() {
        let cases =
            [(0, "+00:00"), (29, "+00:00"), (30, "+00:01"), (-29, "+00:00"), (-30, "-00:01")];
        for (seconds, expected) in cases {
            let offset = Offset::from_seconds(seconds).unwrap();
            let date = Date { year: 2000, month: 1, day: 1 };
            let time = Time { hour: 0, minute: 0, second: 0, microsecond: 0 };
            let whole = text(Stamp::date_time(date, time, Some(offset)));
            assert_eq!(&whole[19..], expected);
        }
        assert_eq!(Offset::from_seconds(86_369), Some(Offset::Minutes(1439)));
        for seconds in [86_370, -86_370, i64::MAX, i64::MIN] {
            assert_eq!(Offset::from_seconds(seconds), None);
        }
    }

    #[test]
    fn days_cover_every_year() {
        let mut days = -719_528;
        for year in 0..=9999u16 {
            let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
            let lengths = [31, 28 + u8::from(leap), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
            for (month, length) in (1..).zip(lengths) {
                for day in 1..=length {
                    assert_eq!(Date::from_unix_days(days), Some(Date { year, month, day }));
                    days += 1;
                }
            }
        }
        assert_eq!(Date::from_unix_days(days), None);
        assert_eq!(Date::from_unix_days(-719_529), None);
        for extreme in [i64::MIN, i64::MAX] {
            assert_eq!(Date::from_unix_days(extreme), None);
        }
    }
}
