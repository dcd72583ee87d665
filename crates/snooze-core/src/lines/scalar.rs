//! Instants, dates, times, durations and decimals as text.
//!
//! Separate from `write` because these are rare and long: they run out of line and write into a
//! small array. Invariant: no digit is lost; what the form of text cannot hold is an error that
//! says so.

use super::column::Values;
use super::fault::{OUTSIDE, Reason};
use super::shape::{Decimals, Unit, Zone};
use crate::text::{Date, Offset, Stamp, Time};

/// The room for one text.
pub(super) const ROOM: usize = 256;
/// Decimals with more digits after the point, or more zeros before it, are refused.
pub const MAX_SCALE: i32 = 100;

/// A short text that grows.
#[derive(Debug)]
pub(super) struct Text {
    bytes: [u8; ROOM],
    len: usize,
}

const YEAR: Reason = "a date whose year is not 0 to 9999, which RFC 3339 cannot write";

impl Text {
    pub(super) fn new() -> Self {
        Self { bytes: [0; ROOM], len: 0 }
    }

    /// The text.
    #[inline(always)]
    pub(super) fn as_bytes(&self) -> &[u8] {
        self.bytes.get(..self.len).unwrap_or(&[])
    }

    /// Appends bytes; what has no room is left out, which no caller reaches.
    fn put(&mut self, bytes: &[u8]) {
        let end = self.len + bytes.len();
        debug_assert!(end <= ROOM);
        if let Some(target) = self.bytes.get_mut(self.len..end) {
            target.copy_from_slice(bytes);
            self.len = end;
        }
    }

    /// Appends a number with at least `least` digits.
    fn digits(&mut self, mut value: u128, least: usize) {
        let mut digits = [b'0'; 40];
        let mut at = digits.len();
        while value > 0 || digits.len() - at < least.min(40) {
            at -= 1;
            digits[at] = b'0' + (value % 10) as u8;
            value /= 10;
        }
        self.put(&digits[at..]);
    }

    fn stamp(&mut self, stamp: Stamp) {
        stamp.with_bytes(|bytes| self.put(bytes));
    }

    /// A date from days since 1970-01-01.
    pub(super) fn date(&mut self, days: i64) -> Result<(), Reason> {
        self.len = 0;
        self.stamp(Stamp::date(Date::from_unix_days(days).ok_or(YEAR)?));
        Ok(())
    }

    /// A date from milliseconds since 1970-01-01.
    pub(super) fn date_of_millis(&mut self, millis: i64) -> Result<(), Reason> {
        const DAY: i64 = 86_400_000;
        if millis.rem_euclid(DAY) != 0 {
            return Err("a date64 that is not the start of a day");
        }
        self.date(millis.div_euclid(DAY))
    }

    /// A time of day.
    pub(super) fn time(&mut self, value: i64, unit: Unit) -> Result<(), Reason> {
        self.len = 0;
        let seconds = value.div_euclid(unit.per_second());
        if !(0..86_400).contains(&seconds) {
            return Err("a time that is not within a day");
        }
        let nanos = nanos_of(value, unit);
        self.stamp(Stamp::time(clock(seconds, nanos)));
        self.nanos(nanos);
        Ok(())
    }

    /// A date and time.
    pub(super) fn timestamp(&mut self, value: i64, unit: Unit, zone: Zone) -> Result<(), Reason> {
        self.len = 0;
        let (minutes, offset) = match zone {
            Zone::Naive => (0, None),
            Zone::Offset(minutes) => (minutes, Some(Offset::Minutes(minutes))),
        };
        let seconds = value.div_euclid(unit.per_second());
        let local = seconds.checked_add(i64::from(minutes) * 60).ok_or(YEAR)?;
        let date = Date::from_unix_days(local.div_euclid(86_400)).ok_or(YEAR)?;
        let nanos = nanos_of(value, unit);
        let time = clock(local.rem_euclid(86_400), nanos);
        if nanos.is_multiple_of(1000) {
            self.stamp(Stamp::date_time(date, time, offset));
            return Ok(());
        }
        self.stamp(Stamp::date_time(date, time, None));
        self.nanos(nanos);
        // The offset is what is longer with one.
        let bare = Stamp::date_time(date, Time { microsecond: 0, ..time }, None).len();
        Stamp::date_time(date, Time { microsecond: 0, ..time }, offset)
            .with_bytes(|bytes| self.put(bytes.get(bare..).unwrap_or(&[])));
        Ok(())
    }

    /// Adds the digits of the nanoseconds to a text with microseconds, if they are not zero.
    fn nanos(&mut self, nanos: u32) {
        if nanos.is_multiple_of(1000) {
            return;
        }
        if nanos < 1000 {
            // Zero microseconds are not written.
            self.put(b".000000");
        }
        self.digits((nanos % 1000).into(), 3);
    }

    /// A duration as `P3DT4H5M6.789S`, without parts that are zero; `-P…` if negative.
    pub(super) fn duration(&mut self, value: i64, unit: Unit) {
        self.len = 0;
        self.put(if value < 0 { b"-P" } else { b"P" });
        let (whole, per_second) = (value.unsigned_abs(), unit.per_second().unsigned_abs());
        let (seconds, parts) = (whole / per_second, whole % per_second);
        let (days, rest) = (seconds / 86_400, seconds % 86_400);
        if days > 0 {
            self.digits(days.into(), 1);
            self.put(b"D");
        }
        if rest > 0 || parts > 0 || days == 0 {
            self.put(b"T");
        }
        for (value, letter) in [(rest / 3600, b"H"), (rest / 60 % 60, b"M")] {
            if value > 0 {
                self.digits(value.into(), 1);
                self.put(letter);
            }
        }
        if rest % 60 > 0 || parts > 0 || whole == 0 {
            self.digits((rest % 60).into(), 1);
            if parts > 0 {
                self.put(b".");
                let width = per_second.ilog10() as usize;
                self.digits(parts.into(), width);
                while self.as_bytes().ends_with(b"0") {
                    self.len -= 1;
                }
            }
            self.put(b"S");
        }
    }

    /// The decimal at an index, with all its digits.
    pub(super) fn decimal(
        &mut self,
        width: Decimals,
        scale: i32,
        bytes: &[u8],
        index: usize,
    ) -> Option<()> {
        self.len = 0;
        let size = width.size();
        let start = index.checked_mul(size)?;
        let bytes = bytes.get(start..start.checked_add(size)?)?;
        let is_negative = match cfg!(target_endian = "little") {
            true => bytes.last()?,
            false => bytes.first()?,
        } & 0x80
            != 0;
        let mut words = [if is_negative { u64::MAX } else { 0 }; 4];
        if let Ok(half) = <[u8; 4]>::try_from(bytes) {
            words[0] = i64::from(i32::from_ne_bytes(half)) as u64;
        }
        for (target, word) in words.iter_mut().zip(bytes.as_chunks::<8>().0) {
            *target = u64::from_ne_bytes(*word);
        }
        if cfg!(target_endian = "big") {
            words[..(size / 8).max(1)].reverse();
        }
        if is_negative {
            negate(&mut words);
            self.put(b"-");
        }
        let mut digits = [b'0'; 80];
        let mut at = digits.len();
        while words != [0; 4] {
            at -= 1;
            digits[at] = b'0' + divide_by_ten(&mut words);
        }
        let digits = &digits[at..];
        if scale <= 0 {
            self.put(if digits.is_empty() { b"0" } else { digits });
            if !digits.is_empty() {
                for _ in scale..0 {
                    self.put(b"0");
                }
            }
            return Some(());
        }
        let scale = scale as usize;
        let (whole, fraction) = digits.split_at(digits.len().saturating_sub(scale));
        self.put(if whole.is_empty() { b"0" } else { whole });
        self.put(b".");
        for _ in fraction.len()..scale {
            self.put(b"0");
        }
        self.put(fraction);
        Some(())
    }
}

impl Decimals {
    /// The bytes of one.
    pub fn size(self) -> usize {
        match self {
            Decimals::Bits32 => 4,
            Decimals::Bits64 => 8,
            Decimals::Bits128 => 16,
            Decimals::Bits256 => 32,
        }
    }
}

/// The nanoseconds after the second.
fn nanos_of(value: i64, unit: Unit) -> u32 {
    let parts = value.rem_euclid(unit.per_second());
    (parts * (1_000_000_000 / unit.per_second())) as u32
}

/// A time of day from its seconds.
fn clock(seconds: i64, nanos: u32) -> Time {
    Time {
        hour: (seconds / 3600) as u8,
        minute: (seconds / 60 % 60) as u8,
        second: (seconds % 60) as u8,
        microsecond: nanos / 1000,
    }
}

/// Changes the sign of a number in two's complement, the lowest word first.
fn negate(words: &mut [u64; 4]) {
    let mut carry = true;
    for word in words {
        (*word, carry) = (!*word).overflowing_add(carry.into());
    }
}

/// Divides by ten and returns the remainder.
fn divide_by_ten(words: &mut [u64; 4]) -> u8 {
    let mut rest = 0;
    for word in words.iter_mut().rev() {
        let value = u128::from(rest) << 64 | u128::from(*word);
        (*word, rest) = ((value / 10) as u64, (value % 10) as u64);
    }
    rest as u8
}

/// The value of a float of 16 bits.
pub(super) fn half(bits: u16) -> f32 {
    let sign = u32::from(bits >> 15) << 31;
    let (exponent, fraction) = (u32::from(bits >> 10 & 31), u32::from(bits & 0x3ff));
    match exponent {
        // Below 2^-14 the fraction counts units of 2^-24, which f32 holds exactly.
        0 => {
            let value = fraction as f32 / 16_777_216.0;
            if sign == 0 { value } else { -value }
        }
        31 => f32::from_bits(sign | 0x7f80_0000 | fraction << 13),
        _ => f32::from_bits(sign | (exponent + 112) << 23 | fraction << 13),
    }
}

/// Writes the text of a date, a time, an instant or a duration.
#[inline(never)]
pub(super) fn stamp(text: &mut Text, values: &Values<'_>, row: usize) -> Result<(), Reason> {
    let short = |words: &[[u8; 4]]| -> Result<i64, Reason> {
        words.get(row).map(|word| i32::from_ne_bytes(*word).into()).ok_or(OUTSIDE)
    };
    let long = |words: &[[u8; 8]]| -> Result<i64, Reason> {
        words.get(row).map(|word| i64::from_ne_bytes(*word)).ok_or(OUTSIDE)
    };
    match values {
        Values::Date32(words) => text.date(short(words)?),
        Values::Date64(words) => text.date_of_millis(long(words)?),
        Values::Time32(unit, words) => text.time(short(words)?, *unit),
        Values::Time64(unit, words) => text.time(long(words)?, *unit),
        Values::Timestamp(unit, zone, words) => text.timestamp(long(words)?, *unit, *zone),
        Values::Duration(unit, words) => {
            text.duration(long(words)?, *unit);
            Ok(())
        }
        _ => Err(OUTSIDE),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(make: impl FnOnce(&mut Text)) -> String {
        let mut text = Text::new();
        make(&mut text);
        String::from_utf8(text.as_bytes().to_vec()).unwrap()
    }

    #[test]
    fn instants() {
        let cases = [
            (0, Unit::Second, Zone::Naive, "1970-01-01T00:00:00"),
            (-1, Unit::Milli, Zone::Offset(0), "1969-12-31T23:59:59.999000+00:00"),
            (1, Unit::Nano, Zone::Offset(0), "1970-01-01T00:00:00.000000001+00:00"),
            (1_234_567_890, Unit::Nano, Zone::Naive, "1970-01-01T00:00:01.234567890"),
            (1_000, Unit::Nano, Zone::Offset(90), "1970-01-01T01:30:00.000001+01:30"),
            (1_001, Unit::Nano, Zone::Offset(-90), "1969-12-31T22:30:00.000001001-01:30"),
            (253_402_300_799, Unit::Second, Zone::Naive, "9999-12-31T23:59:59"),
        ];
        for (value, unit, zone, expected) in cases {
            assert_eq!(text(|text| text.timestamp(value, unit, zone).unwrap()), expected);
        }
        let mut room = Text::new();
        for value in [253_402_300_800, i64::MAX, i64::MIN] {
            assert!(room.timestamp(value, Unit::Second, Zone::Offset(60)).is_err());
        }
        assert!(room.date_of_millis(1).is_err());
        assert!(room.time(86_400, Unit::Second).is_err());
        assert!(room.time(-1, Unit::Nano).is_err());
        assert_eq!(text(|text| text.time(1, Unit::Nano).unwrap()), "00:00:00.000000001");
        assert_eq!(text(|text| text.time(86_399_999, Unit::Milli).unwrap()), "23:59:59.999000");
    }

    #[test]
    fn durations() {
        let cases = [
            (0, Unit::Nano, "PT0S"),
            (-1_500, Unit::Milli, "-PT1.5S"),
            (90_061, Unit::Second, "P1DT1H1M1S"),
            (86_400, Unit::Second, "P1D"),
            (86_400_000_000_001, Unit::Nano, "P1DT0.000000001S"),
            (i64::MIN, Unit::Second, "-P106751991167300DT15H30M8S"),
        ];
        for (value, unit, expected) in cases {
            assert_eq!(text(|text| text.duration(value, unit)), expected);
        }
    }

    #[test]
    fn decimals() {
        let cases: [(i128, i32, &str); 9] = [
            (0, 0, "0"),
            (0, 2, "0.00"),
            (0, -3, "0"),
            (-5, 1, "-0.5"),
            (5, 3, "0.005"),
            (12345, 2, "123.45"),
            (12, -3, "12000"),
            (i128::MIN, 38, "-1.70141183460469231731687303715884105728"),
            (i128::MAX, 0, "170141183460469231731687303715884105727"),
        ];
        for (value, scale, expected) in cases {
            let bytes = value.to_ne_bytes();
            let found = text(|text| {
                text.decimal(Decimals::Bits128, scale, &bytes, 0).unwrap();
            });
            assert_eq!(found, expected);
        }
        let bytes = (-7i32).to_ne_bytes();
        assert_eq!(text(|text| text.decimal(Decimals::Bits32, 1, &bytes, 0).unwrap()), "-0.7");
        let mut least = [0; 32];
        least[if cfg!(target_endian = "little") { 31 } else { 0 }] = 0x80;
        let found = text(|text| text.decimal(Decimals::Bits256, MAX_SCALE, &least, 0).unwrap());
        assert_eq!(found.len(), 103);
        assert!(found.ends_with(
            "57896044618658097711785492504343953926634992332820282019728792003956564819968"
        ));
        assert_eq!(Text::new().decimal(Decimals::Bits64, 0, &[0; 15], 1), None);
    }

    #[test]
    fn halves() {
        assert_eq!(half(0x3c00), 1.0);
        assert_eq!(half(0xc000), -2.0);
        assert_eq!(half(0x0001), 1.0 / 16_777_216.0);
        assert_eq!(half(0x7bff), 65504.0);
        assert!(half(0x7c00).is_infinite());
        assert!(half(0x7e00).is_nan());
        assert!(half(0x8000).is_sign_negative());
    }
}
