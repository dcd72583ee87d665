//! Decides how `dumps` writes an object that is neither a scalar nor an exact container.
//!
//! The order of the checks is orjson's. Separate from the walks because it is not generic over
//! tiers and formats: it decides, the walks write. [`write_borrowed`] runs no Python code and is
//! called by `untyped::other` and `typed::records`. [`classify`] may run any and is called by
//! `untyped::walk`, and by `typed::text` for dates, times and UUIDs.

use snooze_core::out::{Room, Written};
use snooze_core::text::hyphenated;

use crate::encode::action::Action;
use crate::encode::context::Context;
use crate::encode::dataclass::Dataclass;
use crate::encode::depth::DEFAULT_LIMIT;
use crate::encode::frame::{FrameKind, NewFrame};
use crate::encode::type_cache::Class;
use crate::encode::{dataclass_instance, datetime, keys, numpy, uuid};
use crate::options::EncodeFlags;
use crate::py::bytes::Bytes;
use crate::py::dict::Dict;
use crate::py::fragment::Fragment;
use crate::py::instance::Attributes;
use crate::py::int::Int;
use crate::py::list::List;
use crate::py::message::Message;
use crate::py::rc::Rc;
use crate::py::unicode::Str;
use crate::py::{
    Attached, Obj, Owned, Raised, bytes, call, dict, error, instance, int, list, types,
};

/// What remains to be done for an object after [`write_borrowed`].
#[derive(Clone, Copy, Debug)]
pub(crate) enum Outcome<'a> {
    /// Nothing: it is written.
    Written,
    /// Write the contents of this `Fragment`.
    Fragment(Fragment<'a>),
    /// Walk it as an instance of this dataclass, whose values are at [`Dataclass::source`].
    Dataclass(&'a Rc<Dataclass>),
    /// Write this object instead: the value of an enum member.
    Value(Obj<'a>),
    /// Call [`classify`].
    NeedsPython,
}

/// Writes an object if that needs no Python code and no frame. Returns the bytes written and what
/// remains to be done.
///
/// PERF: separate from [`classify`], which needs a strong reference to the object. Takes and
/// returns no [`Out`](snooze_core::out::Out), which would be moved through memory: dates in UTC
/// take an eighth of the instructions (callgrind, AVX2, 2026-11-21).
#[inline(never)]
pub(crate) fn write_borrowed<'a, 'r>(
    room: &'r mut Room,
    cx: &'a Context<'_>,
    py: &'a Attached,
    object: Obj<'a>,
) -> (Written<'r>, Outcome<'a>) {
    if let Some(kind) = cx.runtime.times.kind(object) {
        if !cx.flags.has(EncodeFlags::PASSTHROUGH_DATETIME)
            && let Some(stamp) = datetime::stamp_borrowed(cx, kind)
        {
            return (room.string(stamp.words(), stamp.len(), b','), Outcome::Written);
        }
        return (Written::NOTHING, Outcome::NeedsPython);
    }
    if let Some(fragment) = cx.runtime.fragment.exact(object) {
        return (Written::NOTHING, Outcome::Fragment(fragment));
    }
    let Some(class) = cx.types.known(object) else {
        return (Written::NOTHING, Outcome::NeedsPython);
    };
    if class.has_readable_value
        && class.base.is_none()
        && let Some(value) = Attributes::of(object, py)
            .and_then(|attributes| attributes.named(cx.runtime.names.own_value.get()))
    {
        return (Written::NOTHING, Outcome::Value(value));
    }
    if let Some(slot) = class.uuid_number
        && cx.runtime.direct
        && let Some(number) = instance::in_slot(object, slot, py)
        && let Some(number) = Int::exact(number).and_then(int::in_place_128)
    {
        return (room.bytes(&hyphenated(number), b','), Outcome::Written);
    }
    if let Some(dataclass) = &class.dataclass
        && !(class.is_uuid || class.is_enum || cx.flags.has(EncodeFlags::PASSTHROUGH_DATACLASS))
        && dataclass.borrowed_source(object, py).is_some()
    {
        return (Written::NOTHING, Outcome::Dataclass(dataclass));
    }
    (Written::NOTHING, Outcome::NeedsPython)
}

/// Decides what to do with an object. May run Python code.
#[inline(never)]
pub(crate) fn classify(
    cx: &mut Context<'_>,
    py: &mut Attached,
    object: &Owned,
) -> Result<Action, Raised> {
    let passes_times = cx.flags.has(EncodeFlags::PASSTHROUGH_DATETIME);
    if let Some(kind) = cx.runtime.times.kind(object.get()).filter(|_| !passes_times) {
        return Ok(Action::Stamp(datetime::stamp(cx, py, kind)?));
    }
    if dict::is_frozen(object.get()) {
        return keys::dict_action(cx, py, object);
    }
    if let Some(fragment) = cx.runtime.fragment.exact(object.get()) {
        return super::fragment::action(py, fragment);
    }
    // PERF: tested first because it does not copy the cached entry.
    if is_known_as_unknown(cx, object.get()) {
        return unknown(cx, py, object);
    }
    let class = cx.class(py, object)?;
    if class.is_uuid {
        return Ok(Action::Uuid(uuid::text(cx.runtime, py, object)?));
    }
    if !cx.flags.has(EncodeFlags::PASSTHROUGH_SUBCLASS) {
        if let Some(text) = Str::any(object.get()) {
            return Ok(Action::Str(text.to_owned()));
        }
        if let Some(number) = Int::any(object.get()) {
            return Ok(Action::Int(number.to_owned()));
        }
        if let Some(list) = List::any(object.get()) {
            let list = list::freeze(list)?;
            if list::frozen_len(list.get()) == 0 {
                return Ok(Action::EmptyContainer(b'['));
            }
            return Ok(Action::OpenContainer(NewFrame::new(FrameKind::List, list.into_owned())));
        }
        if Dict::any(object.get()).is_some() {
            return keys::dict_action(cx, py, object);
        }
    }
    if class.is_enum {
        // PERF: `Enum.value` is Python code that returns `_value_`. Reading `_value_` raised enums
        // of `int` from 0.5 to 1.2 of orjson's speed (2026-11-21).
        let names = &cx.runtime.names;
        let name = if class.has_standard_value { &names.own_value } else { &names.value };
        let value = call::attribute(py, object, name)?;
        return Ok(Action::Replace { object: value, is_default: false });
    }
    if let Some(dataclass) = class.dataclass
        && !cx.flags.has(EncodeFlags::PASSTHROUGH_DATACLASS)
    {
        return dataclass_instance::action(cx, py, object, dataclass);
    }
    unknown(cx, py, object)
}

/// Whether the object's type, as it is now, was found to be of no special kind.
#[inline(always)]
pub(crate) fn is_known_as_unknown(cx: &Context<'_>, object: Obj<'_>) -> bool {
    cx.types.known(object).is_some_and(Class::is_unknown)
}

/// Handles objects of all other types: numpy, then `default`.
fn unknown(cx: &mut Context<'_>, py: &mut Attached, object: &Owned) -> Result<Action, Raised> {
    if cx.flags.has(EncodeFlags::SERIALIZE_NUMPY)
        && let Some(kind) = cx.runtime.numpy(py)?.and_then(|numpy| numpy.kind(object.get()))
        && let Some(action) = numpy::action(cx, py, object, kind)?
    {
        return Ok(action);
    }
    if let Some(text) = Bytes::any(object.get())
        && let Some(raw) = cx.runtime.raw(py)?
        && types::inherits(object.get(), raw.get())
    {
        return Ok(Action::RawJson(bytes::new(py, bytes::contents(text))?));
    }
    call_default(cx, py, object)
}

/// Calls `default`, or raises if there is none.
pub(crate) fn call_default(
    cx: &mut Context<'_>,
    py: &mut Attached,
    object: &Owned,
) -> Result<Action, Raised> {
    let refuse = |reason: &str| {
        Message::raise_type_error(|message| {
            let text = "Type is not JSON serializable: ";
            message.text(text)?.full_type_name(object.get())?.text(reason)
        })
    };
    let Some(default) = &cx.default else {
        let is_unreadable = cx.runtime.times.is_unreadable(py, object)?;
        return Err(refuse(if is_unreadable { datetime::UNREADABLE } else { "" }));
    };
    if cx.open_defaults >= DEFAULT_LIMIT {
        return Err(error::type_error(c"default serializer exceeds recursion limit"));
    }
    match call::call_one(py, default, object) {
        Ok(object) => Ok(Action::Replace { object, is_default: true }),
        Err(Raised) if error::must_propagate(py) => Err(Raised),
        Err(Raised) => Err(error::chain(py, || refuse(""))),
    }
}
