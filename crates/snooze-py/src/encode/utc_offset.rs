//! The offset of a time, and its microseconds, as the options want them written.
//!
//! Separate from `datetime`, because these need no object but the zone: `context` keeps the last fixed
//! zone, and numpy's times have none.

use snooze_core::text::{Offset, Time};

use crate::options::Config;
use crate::py::datetime::Times;
use crate::py::{Obj, Owned};

/// The time without its microseconds, if they are not wanted.
#[inline(always)]
pub(crate) fn with_configured_microseconds(config: Config, time: Time) -> Time {
    let omits = config.has(Config::OMIT_MICROSECONDS);
    Time { microsecond: if omits { 0 } else { time.microsecond }, ..time }
}

/// The `datetime.timezone` asked last: such an object never changes its offset.
#[derive(Debug, Default)]
pub(crate) struct FixedZone(pub(crate) Option<(Owned, i64)>);

impl FixedZone {
    /// The offset that a zone is known to give.
    #[inline(always)]
    pub(crate) fn offset(&self, times: &Times, config: Config, zone: Obj<'_>) -> Option<Offset> {
        let seconds = if times.is_utc(zone) {
            0
        } else {
            let (known, seconds) = self.0.as_ref()?;
            if known.get() != zone {
                return None;
            }
            *seconds
        };
        offset_from_seconds(config, seconds)
    }
}

/// The offset as it is written; `None` if it cannot be.
#[inline(always)]
pub(crate) fn offset_from_seconds(config: Config, seconds: i64) -> Option<Offset> {
    if seconds == 0 && config.has(Config::UTC_Z) {
        return Some(Offset::Zulu);
    }
    Offset::from_seconds(seconds)
}

/// The offset of times without a zone.
pub(crate) fn naive_offset(config: Config) -> Option<Offset> {
    let zulu = config.has(Config::UTC_Z);
    let offset = if zulu { Offset::Zulu } else { Offset::Minutes(0) };
    config.has(Config::NAIVE_UTC).then_some(offset)
}
