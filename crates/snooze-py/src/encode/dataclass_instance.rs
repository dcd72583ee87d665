//! Decides how to write a dataclass instance: in place, by attribute, or from its `__dict__`.
//!
//! Separate from `dataclass`, which describes the class, because it examines one instance and may
//! run Python code. Called by `classify`. The three ways are orjson's: see `untyped::dataclass`.

use crate::encode::action::Action;
use crate::encode::context::Context;
use crate::encode::dataclass::{Dataclass, ValueSource};
use crate::encode::text_members::TextMembers;
use crate::encode::{key_text, keys, utf8};
use crate::py::compat::FREE_THREADED;
use crate::py::dict::{Cursor, Dict, OwnedDict};
use crate::py::rc::Rc;
use crate::py::unicode::Str;
use crate::py::{Attached, Owned, Raised, call, dict};

/// Decides how to write an instance.
pub(super) fn action(
    cx: &mut Context<'_>,
    py: &mut Attached,
    object: &Owned,
    dataclass: Rc<Dataclass>,
) -> Result<Action, Raised> {
    let source = dataclass.borrowed_source(object.get(), py);
    if source.is_none()
        && !dataclass.declares_slots
        && let Some(attributes) = call::optional_attribute(py, object, &cx.runtime.names.dict)?
        && let Some(attributes) = OwnedDict::exact(attributes)
    {
        if !has_every_field(py, attributes.get(), &dataclass)? {
            return fields_then_other_attributes(cx, py, object, &dataclass, attributes.get());
        }
        if dict::size(attributes.get()) == 0 {
            return Ok(Action::EmptyContainer(b'{'));
        }
        return keys::attributes_action(cx, py, attributes);
    }
    if dataclass.public_count == 0 {
        // Like orjson: in indented output, an instance with only private fields has an empty line.
        return Ok(match dataclass.names.is_empty() {
            true => Action::EmptyContainer(b'{'),
            false => Action::frame_of(TextMembers::default(), object),
        });
    }
    Ok(Action::OpenDataclass(dataclass, source.unwrap_or(ValueSource::SlotOrLookup)))
}

/// Whether the `__dict__` has all public fields, in any order. Tests the order of the constructor
/// first.
fn has_every_field(
    py: &mut Attached,
    attributes: Dict<'_>,
    dataclass: &Dataclass,
) -> Result<bool, Raised> {
    let mut cursor = Cursor::new(attributes);
    let mut remaining = dataclass.public_fields();
    let mut next = remaining.next();
    // In a free-threaded build, another thread may change the dict during this unlocked walk.
    while !FREE_THREADED
        && let Some(field) = next
        && let Some((key, _)) = cursor.next::<false>(attributes, py)?
    {
        if key.as_ptr() == field.0.as_ptr() {
            next = remaining.next();
        }
    }
    if next.is_none() {
        return Ok(true);
    }
    for (name, _) in dataclass.public_fields() {
        if dict::get(py, attributes, name)?.is_none() {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Returns the action for an instance whose `__dict__` lacks a field: first the public fields in
/// the order of the class, by attribute lookup, then the other public attributes.
fn fields_then_other_attributes(
    cx: &mut Context<'_>,
    py: &mut Attached,
    object: &Owned,
    dataclass: &Dataclass,
    attributes: Dict<'_>,
) -> Result<Action, Raised> {
    let mut text_members = TextMembers::default();
    for (name, field) in dataclass.public_fields() {
        let value = call::attribute(py, object, name)?;
        text_members.push(value, |text| utf8::append(text, &field.utf8_name))?;
    }
    for (key, value) in dict::entries(py, attributes)? {
        let added = key_text::check_str(key.get()).and_then(|name| {
            let is_name = |field: &Owned| {
                Str::exact(field.get()).is_some_and(|field| key_text::is_same_text(name, field))
            };
            if dataclass.public_fields().any(|(field, _)| is_name(field))
                || key_text::is_private::<false>(name)?
            {
                return Ok(());
            }
            text_members.push(value, |text| utf8::append_text(name, text))
        });
        if added.is_err() {
            return Err(cx.blame(key));
        }
    }
    Ok(Action::object_of(text_members, object))
}
