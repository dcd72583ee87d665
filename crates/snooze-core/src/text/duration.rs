//! Reads and writes durations as ISO 8601 text.
//!
//! Separate from times of day because a duration has a sign and no calendar: years and months have
//! no fixed length and are refused. Invariant: a [`Duration`] that this returns is a valid
//! `timedelta` of Python, normalised in the same way.

use super::rfc3339::Stamp;
use super::rfc3339_read::micros;

/// A `timedelta`: only `days` may be negative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Duration {
    /// -999,999,999 to 999,999,999.
    pub days: i32,
    /// 0 to 86,399.
    pub seconds: i32,
    /// 0 to 999,999.
    pub microseconds: i32,
}

const SECOND: i128 = 1_000_000;
const DAY: i128 = 86_400 * SECOND;
/// The most days of a `timedelta`, in either direction.
const MAX_DAYS: i128 = 999_999_999;

/// The designators in order, with their microseconds.
const UNITS: [(u8, i128); 5] =
    [(b'W', 7 * DAY), (b'D', DAY), (b'H', 3600 * SECOND), (b'M', 60 * SECOND), (b'S', SECOND)];
/// The number of designators before `T`.
const DATE_UNITS: usize = 2;

impl Duration {
    /// The magnitude in whole days, and the microseconds beyond them.
    fn magnitude(self) -> (u32, u64) {
        let rest = self.seconds as u64 * SECOND as u64 + self.microseconds as u64;
        match self.days {
            0.. => (self.days as u32, rest),
            _ if rest == 0 => (self.days.unsigned_abs(), 0),
            _ => (self.days.unsigned_abs() - 1, DAY as u64 - rest),
        }
    }

    /// The duration of `total` microseconds, if a `timedelta` can hold it.
    fn from_total(total: i128) -> Option<Self> {
        // PERF: a division of 128 bits is a call.
        let (days, rest) = match i64::try_from(total) {
            Ok(total) => (total.div_euclid(DAY as i64).into(), total.rem_euclid(DAY as i64)),
            Err(_) => (total.div_euclid(DAY), total.rem_euclid(DAY) as i64),
        };
        (-MAX_DAYS..=MAX_DAYS).contains(&days).then_some(Self {
            days: days as i32,
            seconds: (rest / SECOND as i64) as i32,
            microseconds: (rest % SECOND as i64) as i32,
        })
    }
}

/// Reads `P1W2DT3H4M5.6S` with an optional sign: at least one of these parts, in this order. The
/// seconds may have a fraction after a point or a comma, which is truncated to microseconds.
pub fn read_duration(text: &[u8]) -> Option<Duration> {
    let (negative, text) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        rest => (false, rest),
    };
    let mut rest = text.strip_prefix(b"P")?;
    let (date, time) = UNITS.split_at(DATE_UNITS);
    let (mut units, mut in_time, mut is_incomplete, mut total) = (date, false, true, 0);
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix(b"T")
            && !in_time
        {
            (rest, units, in_time, is_incomplete) = (after, time, true, true);
            continue;
        }
        let (value, micros, after) = number(rest)?;
        let (&[designator], after) = after.split_first_chunk()?;
        let index = units.iter().position(|&(letter, _)| letter == designator)?;
        total += i128::from(value) * units[index].1;
        if let Some(micros) = micros {
            if designator != b'S' {
                return None;
            }
            total += i128::from(micros);
        }
        (rest, units, is_incomplete) = (after, &units[index + 1..], false);
    }
    // A part must follow `P`, and `T`.
    if is_incomplete {
        return None;
    }
    Duration::from_total(if negative { -total } else { total })
}

/// The number at the start of `text`, its fraction in millionths if there is one, and the rest.
fn number(text: &[u8]) -> Option<(u64, Option<u32>, &[u8])> {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (integer, rest) = text.split_at(digits);
    let mut value = 0u64;
    for digit in integer {
        // A value that overflows is beyond any duration.
        value = value.checked_mul(10)?.checked_add(u64::from(digit - b'0'))?;
    }
    if digits == 0 {
        return None;
    }
    let [b'.' | b',', fraction @ ..] = rest else { return Some((value, None, rest)) };
    let (micros, count) = micros(fraction);
    (count > 0).then(|| (value, Some(micros), &fraction[count..]))
}

impl Stamp {
    /// `P3DT4H5M6.789S`, without parts that are zero; `-P...` if negative.
    pub fn duration(duration: Duration) -> Self {
        let (days, rest) = duration.magnitude();
        let (mut text, mut at) = ([0; 32], 0);
        let mut put = |bytes: &[u8]| {
            // At most 29 bytes: `-P999999999DT23H59M59.999999S`.
            text[at..at + bytes.len()].copy_from_slice(bytes);
            at += bytes.len();
        };
        put(if duration.days < 0 { b"-P" } else { b"P" });
        let (seconds, micros) = (rest / 1_000_000, (rest % 1_000_000) as u32);
        if days > 0 {
            put(Digits::new(days, 1).as_bytes());
            put(b"D");
        }
        if rest > 0 || days == 0 {
            put(b"T");
        }
        for (value, letter) in [(seconds / 3600, b"H"), (seconds / 60 % 60, b"M")] {
            if value > 0 {
                put(Digits::new(value as u32, 1).as_bytes());
                put(letter);
            }
        }
        if seconds % 60 > 0 || micros > 0 || (days == 0 && rest == 0) {
            put(Digits::new((seconds % 60) as u32, 1).as_bytes());
            if micros > 0 {
                put(b".");
                let digits = Digits::new(micros, 6);
                let zeros = digits.as_bytes().iter().rev().take_while(|&&digit| digit == b'0');
                put(&digits.as_bytes()[..6 - zeros.count()]);
            }
            put(b"S");
        }
        Self::from_bytes(text, at)
    }
}

/// The decimal digits of a number.
struct Digits([u8; 10], usize);

impl Digits {
    /// At least `min_digits` digits, with leading zeros.
    fn new(mut value: u32, min_digits: usize) -> Self {
        let (mut text, mut start) = ([b'0'; 10], 10);
        while value > 0 {
            start -= 1;
            text[start] = b'0' + (value % 10) as u8;
            value /= 10;
        }
        Self(text, start.min(10 - min_digits))
    }

    fn as_bytes(&self) -> &[u8] {
        &self.0[self.1..]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(days: i32, seconds: i32, microseconds: i32) -> Duration {
        Duration { days, seconds, microseconds }
    }

    #[test]
    fn canonical_texts() {
        let cases = [
            ("PT0S", of(0, 0, 0)),
            ("P1D", of(1, 0, 0)),
            ("-P1D", of(-1, 0, 0)),
            ("PT1S", of(0, 1, 0)),
            ("-PT1S", of(-1, 86_399, 0)),
            ("PT0.000001S", of(0, 0, 1)),
            ("-PT0.000001S", of(-1, 86_399, 999_999)),
            ("PT0.1S", of(0, 0, 100_000)),
            ("PT59M59.5S", of(0, 3599, 500_000)),
            ("PT1H", of(0, 3600, 0)),
            ("PT1H1S", of(0, 3601, 0)),
            ("P3DT4H5M6.789S", of(3, 14_706, 789_000)),
            ("-P3DT4H5M6.789S", of(-4, 71_693, 211_000)),
            ("P10DT10M", of(10, 600, 0)),
            ("P999999999DT23H59M59.999999S", of(999_999_999, 86_399, 999_999)),
            ("-P999999999D", of(-999_999_999, 0, 0)),
        ];
        for (text, duration) in cases {
            assert_eq!(read_duration(text.as_bytes()), Some(duration), "{text}");
            Stamp::duration(duration).with_bytes(|bytes| assert_eq!(bytes, text.as_bytes()));
        }
    }

    #[test]
    fn texts_that_are_not_canonical() {
        let cases = [
            ("+PT0S", of(0, 0, 0)),
            ("-PT0S", of(0, 0, 0)),
            ("P0D", of(0, 0, 0)),
            ("P0W", of(0, 0, 0)),
            ("P2W", of(14, 0, 0)),
            ("P1W1DT1H1M1S", of(8, 3661, 0)),
            ("PT36H", of(1, 43_200, 0)),
            ("PT90M", of(0, 5400, 0)),
            ("PT86400S", of(1, 0, 0)),
            ("P0000000000000000000000000000000000001D", of(1, 0, 0)),
            ("PT1,5S", of(0, 1, 500_000)),
            ("PT1.0000019999S", of(0, 1, 1)),
            ("-PT0.0000009S", of(0, 0, 0)),
            ("PT86399999999999S", of(999_999_999, 86_399, 0)),
        ];
        for (text, duration) in cases {
            assert_eq!(read_duration(text.as_bytes()), Some(duration), "{text}");
        }
    }

    #[test]
    fn invalid_texts() {
        for text in [
            "",
            "P",
            "-P",
            "T",
            "PT",
            "P1",
            "P1DT",
            "PT1",
            "1D",
            "P1Y",
            "P1M",
            "P1Y2D",
            "PD",
            "PTS",
            "P1H",
            "P1S",
            "PT1D",
            "PT1W",
            "P1D1W",
            "P1D1D",
            "PT1S1M",
            "PT1M1H",
            "PT1HT1M",
            "PT1S1S",
            "P1.5D",
            "PT1.5H",
            "PT1.5M",
            "PT1.S",
            "PT.5S",
            "PT1.5",
            "PT1.5.5S",
            "P-1D",
            "--P1D",
            "+-P1D",
            "P1DT-1S",
            "p1d",
            "P1d",
            "P1D ",
            " P1D",
            "P 1D",
            "P1000000000D",
            "-P999999999DT1S",
            "-P999999999DT0.000001S",
            "PT86400000000000S",
            "P99999999999999999999W",
            "PT99999999999999999999999999999999999999999999S",
            "P18446744073709551615W",
            "P18446744073709551615WT18446744073709551615H",
        ] {
            assert_eq!(read_duration(text.as_bytes()), None, "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn round_trips(days in -999_999_999..=999_999_999i32, seconds in 0..86_400i32, micros in 0..1_000_000i32) {
            for duration in [of(days, seconds, micros), of(days % 3, seconds, 0), of(0, 0, micros), of(days, 0, 0)] {
                let again = Stamp::duration(duration).with_bytes(read_duration);
                proptest::prop_assert_eq!(again, Some(duration));
            }
        }

        #[test]
        fn arbitrary_texts(text in "[-+]?P?[0-9WDTHMS.,]{0,20}") {
            if let Some(duration) = read_duration(text.as_bytes()) {
                proptest::prop_assert_eq!(Stamp::duration(duration).with_bytes(read_duration), Some(duration));
            }
        }
    }
}
