//! Dates and times out, with the offset that their time zone gives.

use snooze_core::text::{Offset, Stamp, Time};

use super::Context;
use crate::config::Config;
use crate::py::time::TimeKind;
use crate::py::{Attached, Owned, Raised, call, error, time};

const UNSUPPORTED_ZONE: &core::ffi::CStr = c"datetime's timezone library is not supported: \
    use datetime.timezone.utc, pendulum, pytz, or dateutil";

/// The text of a `datetime`, `date` or `time`.
pub(super) fn stamp(
    cx: &mut Context<'_>,
    py: &mut Attached,
    object: &Owned,
    kind: TimeKind,
) -> Result<Stamp, Raised> {
    let mut stamp = Stamp::default();
    let shorten = |time: Time| {
        if cx.config.has(Config::OMIT_MICROSECONDS) {
            Time { microsecond: 0, ..time }
        } else {
            time
        }
    };
    match kind {
        TimeKind::Date => stamp.date(time::date(object.get())),
        TimeKind::Time => {
            if time::time_has_zone(object.get()) {
                return Err(error::type_error(c"datetime.time must not have tzinfo set"));
            }
            stamp.time(shorten(time::time(object.get())));
        }
        TimeKind::DateTime => {
            stamp.date(time::date(object.get()));
            stamp.separator();
            stamp.time(shorten(time::time_of_datetime(object.get())));
            if let Some(offset) = offset(cx, py, object)? {
                stamp.offset(offset);
            }
        }
    }
    Ok(stamp)
}

/// The offset to write behind a `datetime`, if any.
fn offset(
    cx: &mut Context<'_>,
    py: &mut Attached,
    object: &Owned,
) -> Result<Option<Offset>, Raised> {
    let Some(zone) = time::datetime_zone(object).map(|zone| zone.to_owned()) else {
        return Ok(utc(cx.config));
    };
    let seconds = match seconds_east(cx, py, object, &zone) {
        Ok(seconds) => seconds,
        Err(Raised) if error::must_propagate(py) => return Err(Raised),
        Err(Raised) => return Err(error::chain(py, || error::type_error(UNSUPPORTED_ZONE))),
    };
    if seconds == Some(0) && cx.config.has(Config::UTC_Z) {
        return Ok(Some(Offset::Zulu));
    }
    match seconds.and_then(Offset::from_seconds) {
        Some(offset) => Ok(Some(offset)),
        None => Err(error::type_error(UNSUPPORTED_ZONE)),
    }
}

/// The offset of times without a zone.
pub(super) fn utc(config: Config) -> Option<Offset> {
    let zulu = config.has(Config::UTC_Z);
    let offset = if zulu { Offset::Zulu } else { Offset::Minutes(0) };
    config.has(Config::NAIVE_UTC).then_some(offset)
}

/// The offset in seconds, or `None` if the zone gives none. Runs the zone's code.
fn seconds_east(
    cx: &mut Context<'_>,
    py: &mut Attached,
    object: &Owned,
    zone: &Owned,
) -> Result<Option<i64>, Raised> {
    let names = &cx.state.names;
    let how = cx.zone(py, zone)?;
    if !how.has_dst {
        return Ok(None);
    }
    let delta = if how.normalizes {
        // pytz: the offset that was attached may be that of another time of the year.
        let normal = call::call_method_one(py, zone, &names.normalize, object)?;
        call::call_method(py, &normal, &names.utcoffset)?
    } else {
        call::call_method(py, object, &names.utcoffset)?
    };
    Ok(cx.state.times.delta_seconds(delta.get()))
}
