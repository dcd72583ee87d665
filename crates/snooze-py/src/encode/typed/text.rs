//! Texts of values that are no strings: durations, times, UUIDs, base64; and the pairs of a
//! mapping.
//!
//! Separate because `classify` and `action` use them for values and `keys` for keys.

use snooze_core::number;
use snooze_core::text::{Duration, Stamp};

use crate::encode::action::Action;
use crate::encode::typed::error::EncodeFailure;
use crate::encode::typed::stepper::Stepper;
use crate::encode::{classify, utf8};
use crate::options::EncodeFlags;
use crate::py::datetime::{Delta, TimeKind};
use crate::py::list::List;
use crate::py::tuple::Tuple;
use crate::py::unicode::{Chars, OwnedStr, Str};
use crate::py::{Attached, Owned, Raised, call, datetime, error, list, singletons, tuple, unicode};

/// The text of a duration.
pub(super) fn duration(delta: Delta<'_>) -> Stamp {
    let (days, seconds, microseconds) = datetime::delta_parts(delta);
    Stamp::duration(Duration { days, seconds, microseconds })
}

/// Returns the pairs in a list that `.items()` gave.
pub(super) fn pairs(py: &Attached, items: List<'_>) -> Result<Vec<(Owned, Owned)>, Raised> {
    let mut pairs = Vec::new();
    for item in list::items(list::freeze(items)?.get(), py) {
        let pair = item.and_then(Tuple::exact).map(|pair| tuple::items(pair, py));
        let Some(&[Some(key), Some(value)]) = pair else {
            return Err(error::type_error(c"items() of a mapping must give pairs"));
        };
        pairs.try_reserve(1).map_err(|_| error::no_memory())?;
        pairs.push((key.to_owned(), value.to_owned()));
    }
    Ok(pairs)
}

/// Returns the action for a time or a UUID that `dumps` can write. For others (an instance of a
/// subclass, a time with a zone), returns the text from `isoformat()` or `str()`.
pub(super) fn time_or_uuid(
    stepper: &mut Stepper<'_, '_>,
    object: &Owned,
) -> Result<Result<Action, OwnedStr>, EncodeFailure> {
    find_time_or_uuid(stepper, object).map_err(|Raised| EncodeFailure::of_raised(stepper.py))
}

fn find_time_or_uuid(
    stepper: &mut Stepper<'_, '_>,
    object: &Owned,
) -> Result<Result<Action, OwnedStr>, Raised> {
    let times = &stepper.cx.runtime.times;
    if let Some(kind) = times.kind(object.get()) {
        if !matches!(kind, TimeKind::Time(time) if datetime::time_has_zone(time)) {
            match classify::classify(stepper.cx, stepper.py, object) {
                Err(Raised)
                    if stepper.cx.offset_has_seconds && !error::must_propagate(stepper.py) =>
                {
                    error::clear();
                }
                found => return found.map(Ok),
            }
        }
    } else if !times.has_instance(object.get()) {
        let is_uuid = stepper.cx.runtime.uuid(stepper.py)?;
        if is_uuid.is_some_and(|uuid| uuid.get() == object.get().type_obj()) {
            return classify::classify(stepper.cx, stepper.py, object).map(Ok);
        }
        return Ok(Err(call::text_of(stepper.py, object)?));
    }
    let name = call::interned(c"isoformat")?;
    let text = call::call_method(stepper.py, object, &name)?;
    match OwnedStr::exact(text) {
        // pandas' NaT is an instance of a subclass of `datetime`; null, as numpy's.
        Some(text) if is_text(text.get(), b"NaT") => Ok(Ok(Action::Null)),
        Some(text) => zoned(stepper, object, text).map(Err),
        None => Err(error::type_error(c"isoformat() must return a str")),
    }
}

/// The text of a `datetime` that `isoformat()` wrote, with the zone that the options want; any
/// other text as it is.
fn zoned(
    stepper: &mut Stepper<'_, '_>,
    object: &Owned,
    text: OwnedStr,
) -> Result<OwnedStr, Raised> {
    let zulu = stepper.cx.flags.has(EncodeFlags::UTC_Z);
    let needs_zone = stepper.cx.flags.has(EncodeFlags::NAIVE_UTC);
    if !(zulu || needs_zone) || !stepper.cx.runtime.times.has_datetime(object.get()) {
        return Ok(text);
    }
    let mut zoned = Vec::new();
    utf8::append_text(text.get(), &mut zoned)?;
    let len = zoned.len();
    if zulu && zoned.ends_with(ZERO) {
        zoned.truncate(len - ZERO.len());
        utf8::append(&mut zoned, b"Z")?;
    } else if needs_zone && is_naive(&zoned) {
        let name = call::interned(c"utcoffset")?;
        if singletons::is_none(call::call_method(stepper.py, object, &name)?.get()) {
            utf8::append(&mut zoned, if zulu { b"Z" } else { ZERO })?;
        }
    }
    if zoned.len() == len {
        return Ok(text);
    }
    match core::str::from_utf8(&zoned) {
        Ok(zoned) => unicode::of_text(zoned),
        Err(_) => Ok(text),
    }
}

/// Whether a text is a date and a time without a zone, as `isoformat()` writes it.
fn is_naive(text: &[u8]) -> bool {
    let is_of_time = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b':' | b'.');
    matches!(text.get(10), Some(b'T' | b' '))
        && text.get(11..).is_some_and(|time| time.len() >= 2 && time.iter().all(is_of_time))
}

/// The offset of UTC, as `isoformat()` writes it.
const ZERO: &[u8] = b"+00:00";

/// Appends bytes as base64.
pub(super) fn base64(source: &[u8], target: &mut Vec<u8>) -> Result<(), Raised> {
    let mut buffer = snooze_core::out::VecBuffer::new();
    let mut out = snooze_core::out::Out::new(&mut buffer)?;
    out.base64(source, b',')?;
    let len = out.len();
    let text = buffer.into_vec(len);
    utf8::append(target, text.get(1..len - 2).unwrap_or(&[]))
}

/// Whether a `str` has these characters.
fn is_text(text: Str<'_>, expected: &[u8]) -> bool {
    matches!(unicode::chars::<false>(text), Ok(Chars::Ascii(bytes)) if bytes == expected)
}

/// The infinity or NaN that the text of a `Decimal` stands for.
pub(super) fn not_finite(text: Str<'_>) -> Option<f64> {
    let Ok(Chars::Ascii(text)) = unicode::chars::<false>(text) else { return None };
    let bytes = text.strip_prefix(b"-").unwrap_or(text);
    match bytes {
        b"Infinity" if bytes.len() == text.len() => Some(f64::INFINITY),
        b"Infinity" => Some(f64::NEG_INFINITY),
        _ => {
            let is_nan = bytes.strip_prefix(b"s").unwrap_or(bytes).starts_with(b"NaN");
            is_nan.then_some(f64::NAN)
        }
    }
}

/// Whether the text of a `str` is a JSON number (RFC 8259, section 6).
pub(super) fn is_number(text: Str<'_>) -> bool {
    matches!(unicode::chars::<false>(text), Ok(Chars::Ascii(bytes)) if number::is_number(bytes))
}
