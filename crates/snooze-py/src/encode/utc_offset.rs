//! The offset and the microseconds of a time, as the options ask for them.
//!
//! Separate from `datetime` because nothing here reads a `datetime` object: `context` keeps the
//! last fixed zone, and `numpy_datetime` has no zones. Invariant: no Python code runs here.

use snooze_core::text::{Offset, Time};

use crate::options::EncodeFlags;
use crate::py::datetime::Times;
use crate::py::{Obj, Owned};

/// Returns the time, without its microseconds if the options omit them.
#[inline(always)]
pub(crate) fn with_wanted_microseconds(flags: EncodeFlags, time: Time) -> Time {
    let omits = flags.has(EncodeFlags::OMIT_MICROSECONDS);
    Time { microsecond: if omits { 0 } else { time.microsecond }, ..time }
}

/// The last `datetime.timezone` and its offset in seconds. Such an object never changes its offset.
#[derive(Debug, Default)]
pub(crate) struct FixedZone(pub(crate) Option<(Owned, i64)>);

impl FixedZone {
    /// Returns the offset of a zone, if it is UTC or the last fixed zone.
    #[inline(always)]
    pub(crate) fn offset(
        &self,
        times: &Times,
        flags: EncodeFlags,
        zone: Obj<'_>,
    ) -> Option<Offset> {
        let seconds = if times.is_utc(zone) {
            0
        } else {
            let (known, seconds) = self.0.as_ref()?;
            if known.get() != zone {
                return None;
            }
            *seconds
        };
        offset_from_seconds(flags, seconds)
    }
}

/// Returns the offset as it is written, or `None` if it has no JSON text.
#[inline(always)]
pub(crate) fn offset_from_seconds(flags: EncodeFlags, seconds: i64) -> Option<Offset> {
    if seconds == 0 {
        let zulu = flags.has(EncodeFlags::UTC_Z);
        return Some(if zulu { Offset::Zulu } else { Offset::Minutes(0) });
    }
    if seconds % 60 != 0 && flags.has(EncodeFlags::EXACT_OFFSETS) {
        return None;
    }
    Offset::from_seconds(seconds)
}

/// Returns the offset for times without a zone.
pub(crate) fn naive_offset(flags: EncodeFlags) -> Option<Offset> {
    let zulu = flags.has(EncodeFlags::UTC_Z);
    let offset = if zulu { Offset::Zulu } else { Offset::Minutes(0) };
    flags.has(EncodeFlags::NAIVE_UTC).then_some(offset)
}
