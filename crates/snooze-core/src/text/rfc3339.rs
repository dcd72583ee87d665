//! Dates and times as RFC 3339 text.
//!
//! Pure formatting into a small array; validity of the fields is the caller's (`datetime`
//! objects and the calendar computation of numpy's dates guarantee it).

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
    /// The date that lies `days` after 1970-01-01, if its year has four digits.
    ///
    /// Source: Neri and Schneider, "Euclidean affine functions and their application to calendar
    /// algorithms" (2022), with the year beginning in March.
    pub fn from_unix_days(days: i64) -> Option<Date> {
        // Days since 0000-03-01; the range of years 0 to 9999 is checked at the end.
        let days = days.checked_add(719_468)?;
        let era = days.div_euclid(146_097);
        let day_of_era = days.rem_euclid(146_097);
        let year_of_era =
            (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let march_month = (5 * day_of_year + 2) / 153;
        let day = day_of_year - (153 * march_month + 2) / 5 + 1;
        let month = if march_month < 10 { march_month + 3 } else { march_month - 9 };
        let year = year_of_era + era * 400 + i64::from(month <= 2);
        let year = u16::try_from(year).ok().filter(|&year| year <= 9999)?;
        Some(Date { year, month: month as u8, day: day as u8 })
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
    /// 0 to 999,999; written only if not zero.
    pub microsecond: u32,
}

/// An offset from UTC, as RFC 3339 can write it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Offset {
    /// `Z`.
    Zulu,
    /// `+hh:mm` or `-hh:mm`; less than a day to either side.
    Minutes(i16),
}

impl Offset {
    /// The offset nearest to a number of seconds, half a minute going away from UTC; `None` if
    /// that is a day or more.
    pub fn from_seconds(seconds: i64) -> Option<Offset> {
        let minutes = (seconds.checked_abs()?.checked_add(30)? / 60) * seconds.signum();
        (-1439..=1439).contains(&minutes).then_some(Offset::Minutes(minutes as i16))
    }
}

/// A text being put together: at most `2000-01-01T00:00:00.000000+00:00`.
#[derive(Clone, Copy, Debug)]
pub struct Stamp {
    bytes: [u8; 40],
    len: usize,
}

impl Default for Stamp {
    fn default() -> Self {
        Self { bytes: [0; 40], len: 0 }
    }
}

impl Stamp {
    /// The text so far.
    #[inline(always)]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.len]
    }

    #[inline(always)]
    fn put<const N: usize>(&mut self, bytes: [u8; N]) {
        self.bytes[self.len..self.len + N].copy_from_slice(&bytes);
        self.len += N;
    }

    /// A stamp of a text that is no time, such as a UUID.
    ///
    /// # Panics
    /// If the text has more than 40 bytes.
    pub fn of(text: &[u8]) -> Self {
        let mut stamp = Self::default();
        stamp.bytes[..text.len()].copy_from_slice(text);
        stamp.len = text.len();
        stamp
    }

    /// Appends `YYYY-MM-DD`.
    #[inline(always)]
    pub fn date(&mut self, date: Date) {
        let [a, b] = pair((date.year / 100) as u8);
        let [c, d] = pair((date.year % 100) as u8);
        let [e, f] = pair(date.month);
        let [g, h] = pair(date.day);
        self.put([a, b, c, d, b'-', e, f, b'-', g, h]);
    }

    /// Appends the `T` between date and time.
    #[inline(always)]
    pub fn separator(&mut self) {
        self.put([b'T']);
    }

    /// Appends `hh:mm:ss` and, if there are any, six digits of microseconds.
    #[inline(always)]
    pub fn time(&mut self, time: Time) {
        let [a, b] = pair(time.hour);
        let [c, d] = pair(time.minute);
        let [e, f] = pair(time.second);
        self.put([a, b, b':', c, d, b':', e, f]);
        if time.microsecond != 0 {
            let [a, b] = pair((time.microsecond / 10_000) as u8);
            let [c, d] = pair((time.microsecond / 100 % 100) as u8);
            let [e, f] = pair((time.microsecond % 100) as u8);
            self.put([b'.', a, b, c, d, e, f]);
        }
    }

    /// Appends the offset.
    #[inline(always)]
    pub fn offset(&mut self, offset: Offset) {
        match offset {
            Offset::Zulu => self.put([b'Z']),
            Offset::Minutes(minutes) => {
                let sign = if minutes < 0 { b'-' } else { b'+' };
                let minutes = minutes.unsigned_abs();
                let [a, b] = pair((minutes / 60) as u8);
                let [c, d] = pair((minutes % 60) as u8);
                self.put([sign, a, b, b':', c, d]);
            }
        }
    }
}

/// The two digits of a number below 100.
#[inline(always)]
fn pair(value: u8) -> [u8; 2] {
    [b'0' + value / 10, b'0' + value % 10]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(build: impl FnOnce(&mut Stamp)) -> String {
        let mut stamp = Stamp::default();
        build(&mut stamp);
        String::from_utf8(stamp.as_bytes().to_vec()).unwrap()
    }

    #[test]
    fn fields_are_zero_padded() {
        let date = Date { year: 7, month: 3, day: 9 };
        let time = Time { hour: 1, minute: 2, second: 3, microsecond: 40 };
        let stamp = text(|stamp| {
            stamp.date(date);
            stamp.separator();
            stamp.time(time);
            stamp.offset(Offset::from_seconds(-19_800).unwrap());
        });
        assert_eq!(stamp, "0007-03-09T01:02:03.000040-05:30");
        assert_eq!(text(|stamp| stamp.time(Time { microsecond: 0, ..time })), "01:02:03");
        assert_eq!(text(|stamp| stamp.offset(Offset::Zulu)), "Z");
    }

    #[test]
    fn offsets_are_rounded_to_minutes() {
        let cases =
            [(0, "+00:00"), (29, "+00:00"), (30, "+00:01"), (-29, "+00:00"), (-30, "-00:01")];
        for (seconds, expected) in cases {
            let offset = Offset::from_seconds(seconds).unwrap();
            assert_eq!(text(|stamp| stamp.offset(offset)), expected);
        }
        assert_eq!(Offset::from_seconds(86_369), Some(Offset::Minutes(1439)));
        for seconds in [86_370, -86_370, i64::MAX, i64::MIN] {
            assert_eq!(Offset::from_seconds(seconds), None);
        }
    }

    #[test]
    fn days_count_through_every_year() {
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
