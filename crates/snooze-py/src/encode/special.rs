//! Everything that is none of the common kinds, in the order in which orjson looks.
//!
//! Not generic over tiers and formats: it only decides, and the walk writes.

use snooze_core::out::{Room, Written};
use snooze_core::text::hyphenated;

use super::cache::Class;
use super::frame::{FrameKind, MAX_DEFAULTS, Next, Opening};
use super::record::Record;
use super::{Context, keys, numpy, record, time};
use crate::config::Config;
use crate::py::instance::Attributes;
use crate::py::shared::Shared;
use crate::py::text::Chars;
use crate::py::types::{self, Base};
use crate::py::{Attached, Obj, Owned, Raised, attr, bytes, call, error, int, list, text};
use crate::state::State;

/// What is left to do for an object that [`at_once`] has looked at.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Rest<'a> {
    /// Nothing.
    Written,
    /// To write the bytes that it holds.
    Fragment,
    /// To walk it as this dataclass, whose values are at [`Record::source`].
    Record(&'a Shared<Record>),
    /// To write this in its place: the value of an enum.
    Value(Obj<'a>),
    /// To ask [`next`].
    All,
}

/// Writes an object of the kinds for which no Python code has to run, or says how it is to be
/// written; how much is written comes first.
///
/// PERF: separate from [`next`], which needs a reference of its own to the object. Takes and
/// returns no [`Out`](snooze_core::out::Out), which would be moved through memory: dates in
/// UTC take an eighth of the instructions (callgrind, AVX2, 2026-11-21).
#[inline(never)]
pub(crate) fn at_once<'a, 'r>(
    room: &'r mut Room,
    cx: &'a Context<'_>,
    py: &'a Attached,
    object: Obj<'a>,
) -> (Written<'r>, Rest<'a>) {
    if let Some(kind) = cx.state.times.kind(object) {
        if !cx.config.has(Config::PASSTHROUGH_DATETIME)
            && let Some(stamp) = time::stamp_at_once(cx, object, kind)
        {
            return (room.string(stamp.words(), stamp.len(), b','), Rest::Written);
        }
        return (Written::NOTHING, Rest::All);
    }
    if object.type_obj().as_ptr() == cx.state.fragment.as_ptr() {
        return (Written::NOTHING, Rest::Fragment);
    }
    let Some(class) = cx.types.known(object) else { return (Written::NOTHING, Rest::All) };
    if class.keeps_value
        && class.base.is_none()
        && let Some(value) = Attributes::of(object, py)
            .and_then(|attributes| attributes.named(cx.state.names.own_value.get()))
    {
        return (Written::NOTHING, Rest::Value(value));
    }
    if let Some(slot) = class.number
        && cx.state.direct
        && let Some(number) = attr::in_slot(object, slot, py)
        && let Some(number) = int::in_place_128(number)
    {
        return (room.bytes(&hyphenated(number), b','), Rest::Written);
    }
    if let Some(record) = &class.record
        && !(class.is_uuid || class.is_enum || cx.config.has(Config::PASSTHROUGH_DATACLASS))
        && record.source_at_once(object, py).is_some()
    {
        return (Written::NOTHING, Rest::Record(record));
    }
    (Written::NOTHING, Rest::All)
}

/// The bytes of a fragment that need no encoding.
#[inline(always)]
pub(super) fn fragment_at_once<'a>(py: &'a Attached, object: Obj<'a>) -> Option<&'a [u8]> {
    let contents = crate::module::fragment_contents(py, object);
    if types::is_exact_str(contents) {
        return match text::chars::<false>(contents) {
            Ok(Chars::Ascii(bytes)) => Some(bytes),
            _ => None,
        };
    }
    bytes::exact_contents(contents)
}

/// What to do with an object.
#[inline(never)]
pub(crate) fn next(
    cx: &mut Context<'_>,
    py: &mut Attached,
    object: &Owned,
) -> Result<Next, Raised> {
    let passes_times = cx.config.has(Config::PASSTHROUGH_DATETIME);
    if let Some(kind) = cx.state.times.kind(object.get()).filter(|_| !passes_times) {
        return Ok(Next::Plain(time::stamp(cx, py, object, kind)?));
    }
    if types::is_frozendict(object.get()) {
        return keys::begin(cx, py, object);
    }
    if object.get().type_obj().as_ptr() == cx.state.fragment.as_ptr() {
        return fragment(py, object);
    }
    // PERF: in this case without a copy of what is known.
    if cx.types.known(object.get()).is_some_and(Class::is_nothing) {
        return unknown(cx, py, object);
    }
    let class = cx.class(py, object)?;
    if class.is_uuid {
        return Ok(Next::Uuid(uuid(cx.state, py, object)?));
    }
    if let Some(base) = class.base
        && !cx.config.has(Config::PASSTHROUGH_SUBCLASS)
    {
        return match base {
            Base::Str => Ok(Next::Str),
            Base::Int => Ok(Next::Int),
            Base::List => {
                let list = list::freeze(object.get())?;
                if list::frozen_len(list.get()) == 0 {
                    return Ok(Next::Empty(b'['));
                }
                Ok(Next::Open(Opening::new(FrameKind::List, list)))
            }
            Base::Dict => keys::begin(cx, py, object),
        };
    }
    if class.is_enum {
        // PERF: `Enum.value` is Python code that returns `_value_` (enums of int 0.5 of orjson's
        // speed before, 1.2 now, 2026-11-21).
        let names = &cx.state.names;
        let name = if class.has_plain_value { &names.own_value } else { &names.value };
        let value = call::attribute(py, object, name)?;
        return Ok(Next::Value { object: value, is_default: false });
    }
    if let Some(record) = class.record
        && !cx.config.has(Config::PASSTHROUGH_DATACLASS)
    {
        return record::begin(cx.state, py, object, record);
    }
    unknown(cx, py, object)
}

/// What to do with an object that is none of the kinds above.
fn unknown(cx: &mut Context<'_>, py: &mut Attached, object: &Owned) -> Result<Next, Raised> {
    if cx.config.has(Config::SERIALIZE_NUMPY)
        && let Some(kind) = cx.state.numpy(py)?.and_then(|numpy| numpy.kind(object.get()))
        && let Some(next) = numpy::begin(cx, py, object, kind)?
    {
        return Ok(next);
    }
    by_default(cx, py, object)
}

/// Calls `default`, or refuses the object.
fn by_default(cx: &mut Context<'_>, py: &mut Attached, object: &Owned) -> Result<Next, Raised> {
    let refuse =
        || error::type_error_naming_type(c"Type is not JSON serializable: %s", object.get());
    let Some(default) = &cx.default else {
        return Err(refuse());
    };
    if cx.defaults >= MAX_DEFAULTS {
        return Err(error::type_error(c"default serializer exceeds recursion limit"));
    }
    match call::call_one(py, default, object) {
        Ok(object) => Ok(Next::Value { object, is_default: true }),
        Err(Raised) if error::must_propagate(py) => Err(Raised),
        Err(Raised) => Err(error::chain(py, refuse)),
    }
}

/// The text of a UUID.
pub(crate) fn uuid(state: &State, py: &mut Attached, object: &Owned) -> Result<[u8; 36], Raised> {
    let value = call::attribute(py, object, &state.names.int)?;
    if int::is_exact_int(value.get())
        && let Some(value) = int::value_128(py, value.get())?
    {
        return Ok(hyphenated(value));
    }
    Err(error::type_error(c"uuid.UUID.int must be an int of 128 bits"))
}

fn fragment(py: &mut Attached, object: &Owned) -> Result<Next, Raised> {
    let contents = crate::module::fragment_contents(py, object.get()).to_owned();
    if bytes::exact_contents(contents.get()).is_some() {
        return Ok(Next::Raw(contents));
    }
    if !types::is_exact_str(contents.get()) {
        return Err(error::type_error(c"snooze.Fragment's content is not of type bytes or str"));
    }
    // A surrogate is the only thing that cannot be encoded.
    match text::chars::<false>(contents.get())? {
        Chars::Ucs2(units) if units.iter().any(|unit| (0xd800..0xe000).contains(unit)) => {
            Err(keys::surrogate())
        }
        Chars::Ucs4(units) if units.iter().any(|unit| (0xd800..0xe000).contains(unit)) => {
            Err(keys::surrogate())
        }
        _ => Ok(Next::Raw(text::encode_utf8(py, contents.get())?)),
    }
}
