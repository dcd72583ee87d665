//! The text of `datetime`, `date` and `time` objects, with the offset of their zone.
//!
//! Separate from `classify` because `keys` shares it. Invariant: [`stamp_borrowed`] runs no Python
//! code; [`stamp`] and [`write`] may run the code of the zone.

use snooze_core::out::{Room, Written};
use snooze_core::text::{Offset, Stamp};

use crate::encode::context::Context;
use crate::encode::utc_offset::{
    FixedZone, naive_offset, offset_from_seconds, with_wanted_microseconds,
};
use crate::options::EncodeFlags;
use crate::py::datetime::{DateTime, TimeKind};
use crate::py::{Attached, Owned, Raised, call, datetime, error};

/// orjson's message for a zone that gives no usable offset.
const UNSUPPORTED_ZONE: &core::ffi::CStr = c"datetime's timezone library is not supported: \
    use datetime.timezone.utc, pendulum, pytz, or dateutil";

/// A day, in seconds.
const DAY: i64 = 86_400;
/// The message for an offset that rounds to a day, which RFC 3339 has no text for.
const ROUNDS_TO_A_DAY: &core::ffi::CStr = c"expected a UTC offset of less than 24 hours in whole \
    minutes, found one that rounds to 24:00: convert the time first, as in \
    value.astimezone(datetime.timezone.utc)";

/// Why a date, a time or a duration cannot be written where [`Times::is_unreadable`].
///
/// [`Times::is_unreadable`]: crate::py::datetime::Times::is_unreadable
pub(crate) const UNREADABLE: &str = " (in a subinterpreter with its own GIL, CPython 3.12 has no C datetime that snooze could read)";

/// Returns the text if no code of a zone has to run.
#[inline(always)]
pub(crate) fn stamp_borrowed(cx: &Context<'_>, object: TimeKind<'_>) -> Option<Stamp> {
    match object {
        TimeKind::Date(date) => Some(Stamp::date(datetime::date(date))),
        TimeKind::Time(time) if datetime::time_has_zone(time) => None,
        TimeKind::Time(time) => {
            Some(Stamp::time(with_wanted_microseconds(cx.flags, datetime::time(time))))
        }
        TimeKind::DateTime(object) => {
            let offset = match datetime::datetime_zone(object) {
                None => naive_offset(cx.flags),
                Some(zone) => Some(cx.fixed_zone.offset(&cx.runtime.times, cx.flags, zone)?),
            };
            Some(date_time(cx, object, offset))
        }
    }
}

/// Returns the text. May run the code of the zone.
#[inline(never)]
pub(crate) fn stamp(
    cx: &mut Context<'_>,
    py: &mut Attached,
    object: TimeKind<'_>,
) -> Result<Stamp, Raised> {
    text_of(cx, py, object)
}

/// Writes the text of an object; false, and nothing, if it is no time, or times are not written.
///
/// PERF: separate from [`stamp`], whose result is stored in words and loaded in vectors, which
/// waits for the stores: with a `ZoneInfo` that was a tenth of the time (2026-11-28).
#[inline(never)]
pub(crate) fn write<'r>(
    room: &'r mut Room,
    cx: &mut Context<'_>,
    py: &mut Attached,
    object: &Owned,
) -> (Written<'r>, Result<bool, Raised>) {
    let passes = cx.flags.has(EncodeFlags::PASSTHROUGH_DATETIME);
    let Some(kind) = cx.runtime.times.kind(object.get()).filter(|_| !passes) else {
        return (Written::NOTHING, Ok(false));
    };
    match text_of(cx, py, kind) {
        Ok(stamp) => (room.string(stamp.words(), stamp.len(), b','), Ok(true)),
        Err(Raised) => (Written::NOTHING, Err(Raised)),
    }
}

#[inline(always)]
fn text_of(cx: &mut Context<'_>, py: &mut Attached, object: TimeKind<'_>) -> Result<Stamp, Raised> {
    cx.zone_needs_python = false;
    cx.offset_has_seconds = false;
    if let Some(stamp) = stamp_borrowed(cx, object) {
        return Ok(stamp);
    }
    let TimeKind::DateTime(datetime) = object else {
        return Err(error::type_error(c"datetime.time must not have tzinfo set"));
    };
    let offset = offset(cx, py, datetime)?;
    Ok(date_time(cx, datetime, offset))
}

/// Returns the text of a `datetime` with an offset.
#[inline(always)]
fn date_time(cx: &Context<'_>, object: DateTime<'_>, offset: Option<Offset>) -> Stamp {
    let time = with_wanted_microseconds(cx.flags, datetime::time_of_datetime(object));
    Stamp::date_time(datetime::date_of_datetime(object), time, offset)
}

/// Returns the offset to write after a `datetime`, if any.
fn offset(
    cx: &mut Context<'_>,
    py: &mut Attached,
    datetime: DateTime<'_>,
) -> Result<Option<Offset>, Raised> {
    let Some(zone) = datetime::datetime_zone(datetime).map(|zone| zone.to_owned()) else {
        return Ok(naive_offset(cx.flags));
    };
    let (seconds, is_whole) = match offset_seconds(cx, py, &datetime.obj().to_owned(), &zone) {
        Ok(Some((seconds, is_whole))) => (Some(seconds), is_whole),
        Ok(None) => (None, true),
        Err(Raised) if error::must_propagate(py) => return Err(Raised),
        Err(Raised) => return Err(error::chain(py, || error::type_error(UNSUPPORTED_ZONE))),
    };
    cx.zone_needs_python = !cx.runtime.times.is_fixed(zone.get());
    let is_exact = cx.flags.has(EncodeFlags::EXACT_OFFSETS);
    if is_exact && !is_whole {
        cx.offset_has_seconds = true;
        return Err(error::type_error(UNSUPPORTED_ZONE));
    }
    if let Some(seconds) = seconds
        && !cx.zone_needs_python
    {
        cx.fixed_zone = FixedZone(Some((zone, seconds)));
    }
    cx.offset_has_seconds = is_exact && seconds.is_some_and(|seconds| seconds % 60 != 0);
    match seconds.and_then(|seconds| offset_from_seconds(cx.flags, seconds)) {
        Some(offset) => Ok(Some(offset)),
        None if seconds.is_some_and(|seconds| seconds.abs() <= DAY) && !is_exact => {
            Err(error::type_error(ROUNDS_TO_A_DAY))
        }
        None => Err(error::type_error(UNSUPPORTED_ZONE)),
    }
}

/// Returns the offset in seconds and whether it has no microseconds, or `None` if the zone has no
/// offset. Runs the code of the zone.
fn offset_seconds(
    cx: &mut Context<'_>,
    py: &mut Attached,
    object: &Owned,
    zone: &Owned,
) -> Result<Option<(i64, bool)>, Raised> {
    let names = &cx.runtime.names;
    let methods = cx.zone(py, zone)?;
    if !methods.has_dst {
        return Ok(None);
    }
    if let Some(method) = &methods.method {
        let delta = call::call_two(py, method, zone, object)?;
        // Values that `datetime` would refuse fall through to its own method, which raises the
        // error.
        if let Some((seconds, is_whole)) = seconds_of(cx, &delta)
            && (-86_399..=86_399).contains(&seconds)
        {
            return Ok(Some((seconds, is_whole)));
        }
    }
    let delta = if methods.normalizes {
        // pytz: the attached offset may belong to another time of the year.
        let normal = call::call_method_one(py, zone, &names.normalize, object)?;
        call::call_method(py, &normal, &names.utcoffset)?
    } else {
        call::call_method(py, object, &names.utcoffset)?
    };
    Ok(seconds_of(cx, &delta))
}

/// Returns the length of a `timedelta` in seconds, without microseconds, and whether it has none;
/// `None` for any other object.
fn seconds_of(cx: &Context<'_>, object: &Owned) -> Option<(i64, bool)> {
    let delta = cx.runtime.times.delta_of(object.get())?;
    let (_, _, microseconds) = datetime::delta_parts(delta);
    Some((datetime::delta_seconds(delta), microseconds == 0))
}
