//! Decides how to write a dict: in its own order, sorted, or with keys that are not `str`.
//!
//! Separate from `key_text`, which needs no Python code. Invariant: if keys are sorted or
//! converted, all of them become text before the first member is written, so an invalid key is
//! reported before any error in a value. Called by `classify`, `untyped::walk`,
//! `dataclass_instance` and `typed::keys`.

use crate::encode::action::Action;
use crate::encode::context::Context;
use crate::encode::depth::DUMPS_LIMIT;
use crate::encode::frame::{FrameKind, NewFrame};
use crate::encode::key_text::{append_int, append_scalar, check_str, is_private, not_a_str};
use crate::encode::text_members::TextMembers;
use crate::encode::utf8::{append, append_text};
use crate::encode::{datetime, uuid};
use crate::options::EncodeFlags;
use crate::py::compat::FREE_THREADED;
use crate::py::dict::{OrderedDict, OwnedDict};
use crate::py::int::Int;
use crate::py::message::Message;
use crate::py::types::Kind;
use crate::py::unicode::Str;
use crate::py::{Attached, Owned, Raised, call, dict, error, float, types};

/// orjson's message for a key of an unsupported type.
const UNSUPPORTED_KEY: &core::ffi::CStr =
    c"Dict key must a type serializable with OPT_NON_STR_KEYS";

/// Decides how to write a dict, an instance of a subclass, or a frozendict.
#[inline(never)]
pub(super) fn dict_action(
    cx: &mut Context<'_>,
    py: &mut Attached,
    dict: &Owned,
) -> Result<Action, Raised> {
    let container = dict::checked(dict.get())?;
    let ordered = OrderedDict::any(dict.get());
    let any_keys = cx.flags.has(EncodeFlags::NON_STR_KEYS);
    let sorted = cx.flags.has(EncodeFlags::SORT_KEYS);
    if !(ordered.is_some() || any_keys || sorted || cx.copies_members || FREE_THREADED) {
        if dict::size(container) == 0 {
            return Ok(Action::EmptyContainer(b'{'));
        }
        return Ok(Action::OpenContainer(NewFrame::new(FrameKind::Dict, dict.clone())));
    }
    let members = match ordered {
        Some(ordered) => dict::ordered_entries(py, ordered)?,
        None => dict::entries(py, container)?,
    };
    let mut text_members = TextMembers::default();
    for (key, value) in members {
        let added = if let Some(name) = Str::exact(key.get()) {
            text_members.push(value, |text| append_text(name, text))
        } else if any_keys {
            text_members.push(value, |text| append_key(cx, py, &key, text))
        } else if sorted {
            Err(not_a_str())
        } else {
            // This key is reported only after the members before it are written, as in a walk over
            // the dict itself.
            text_members.bad_key = Some(key);
            break;
        };
        if added.is_err() {
            return Err(cx.blame(key));
        }
    }
    if sorted {
        text_members.sort();
    }
    Ok(Action::object_of(text_members, dict))
}

/// Decides how to write the non-empty `__dict__` of a dataclass instance.
pub(super) fn attributes_action(
    cx: &mut Context<'_>,
    py: &mut Attached,
    attributes: OwnedDict,
) -> Result<Action, Raised> {
    if !FREE_THREADED {
        return Ok(Action::OpenContainer(NewFrame::new(
            FrameKind::PublicAttributes,
            attributes.into_owned(),
        )));
    }
    let mut text_members = TextMembers::default();
    for (key, value) in dict::entries(py, attributes.get())? {
        let added = check_str(key.get()).and_then(|name| match is_private::<false>(name)? {
            true => Ok(()),
            false => text_members.push(value, |text| append_text(name, text)),
        });
        if added.is_err() {
            return Err(cx.blame(key));
        }
    }
    Ok(Action::frame_of(text_members, attributes.as_owned()))
}

/// Appends the text of a key of any supported type.
fn append_key(
    cx: &mut Context<'_>,
    py: &mut Attached,
    key: &Owned,
    target: &mut Vec<u8>,
) -> Result<(), Raised> {
    match append_supported_key(cx, py, key, target)? {
        Appended::Text => Ok(()),
        // As orjson does.
        Appended::NotFinite(_) => append(target, b"null"),
        Appended::Nothing if cx.runtime.times.is_unreadable(py, key)? => {
            Err(Message::raise_type_error(|message| {
                message.utf8(UNSUPPORTED_KEY.to_bytes())?.text(datetime::UNREADABLE)
            }))
        }
        Appended::Nothing => Err(error::type_error(UNSUPPORTED_KEY)),
    }
}

/// What became of a key.
pub(crate) enum Appended {
    /// Its text was appended.
    Text,
    /// Nothing was appended, because its type is not supported.
    Nothing,
    /// Nothing was appended: it is NaN or an infinity, or an enum member with such a value.
    NotFinite(f64),
}

/// Appends the text of a key if it has one. An enum member stands for its value.
pub(crate) fn append_supported_key(
    cx: &mut Context<'_>,
    py: &mut Attached,
    key: &Owned,
    target: &mut Vec<u8>,
) -> Result<Appended, Raised> {
    let mut enum_value = None;
    for _ in 0..DUMPS_LIMIT {
        let key = enum_value.as_ref().unwrap_or(key);
        match types::kind(key.get()) {
            Kind::List(_) | Kind::Dict(_) | Kind::Tuple(_) => break,
            Kind::Other => {}
            Kind::Float(number) if !float::value(number).is_finite() => {
                return Ok(Appended::NotFinite(float::value(number)));
            }
            _ => return append_scalar(key.get(), target).map(|()| Appended::Text),
        }
        if let Some(kind) = cx.runtime.times.kind(key.get()) {
            let stamp = datetime::stamp(cx, py, kind)?;
            return stamp.with_bytes(|bytes| append(target, bytes)).map(|()| Appended::Text);
        }
        let class = cx.class(py, key)?;
        if class.is_uuid {
            return append(target, &uuid::text(cx.runtime, py, key)?).map(|()| Appended::Text);
        }
        if let Some(text) = Str::any(key.get()) {
            return append_text(text, target).map(|()| Appended::Text);
        }
        if let Some(number) = Int::any(key.get()).filter(|_| !class.is_enum) {
            return append_int(number, target).map(|()| Appended::Text);
        }
        if !class.is_enum {
            break;
        }
        enum_value = Some(call::attribute(py, key, &cx.runtime.names.value)?);
    }
    Ok(Appended::Nothing)
}
