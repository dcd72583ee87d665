//! How an instance of a dataclass is to be written: in place, by attribute, or from its `__dict__`.
//!
//! Separate from `dataclass`, the model of the class, because it decides about one instance and may run
//! Python code. Called by `classify`.

use crate::encode::action::Action;
use crate::encode::dataclass::{Record, Source};
use crate::encode::text_members::TextMembers;
use crate::encode::{key_text, keys, utf8};
use crate::py::compat::FREE_THREADED;
use crate::py::dict::Cursor;
use crate::py::rc::Shared;
use crate::py::{Attached, Owned, Raised, call, dict, types};
use crate::runtime::Runtime;

/// How an instance is to be written.
pub(super) fn action(
    runtime: &Runtime,
    py: &mut Attached,
    object: &Owned,
    record: Shared<Record>,
) -> Result<Action, Raised> {
    let source = record.source_borrowed(object.get(), py);
    if source.is_none()
        && !record.own_slots
        && let Some(attributes) = call::optional_attribute(py, object, &runtime.names.dict)?
        && types::is_exact_dict(attributes.get())
    {
        if !has_every_field(py, &attributes, &record)? {
            return by_attribute_then_rest(py, object, &record, &attributes);
        }
        if dict::size(attributes.get()) == 0 {
            return Ok(Action::Empty(b'{'));
        }
        return keys::begin_public(py, attributes);
    }
    if record.public == 0 {
        // As orjson does: private fields leave an empty line if the object is indented.
        return Ok(match record.names.is_empty() {
            true => Action::Empty(b'{'),
            false => Action::open_members(TextMembers::default(), object),
        });
    }
    Ok(Action::Record(record, source.unwrap_or(Source::Attribute)))
}

/// Whether the instance's dict has all public fields; in order, as the constructor left them, or
/// in any other.
fn has_every_field(py: &mut Attached, attributes: &Owned, record: &Record) -> Result<bool, Raised> {
    let mut cursor = Cursor::new(attributes.get());
    let mut expected = record.public();
    let mut next = expected.next();
    // Another thread may change the dict during a walk without its lock.
    while !FREE_THREADED
        && let Some(field) = next
        && let Some((key, _)) = cursor.next::<false>(attributes, py)?
    {
        if key.as_ptr() == field.0.as_ptr() {
            next = expected.next();
        }
    }
    if next.is_none() {
        return Ok(true);
    }
    for (name, _) in record.public() {
        if dict::get(py, attributes, name)?.is_none() {
            return Ok(false);
        }
    }
    Ok(true)
}

fn by_attribute_then_rest(
    py: &mut Attached,
    object: &Owned,
    record: &Record,
    attributes: &Owned,
) -> Result<Action, Raised> {
    let mut entries = TextMembers::default();
    for (name, field) in record.public() {
        let value = call::attribute(py, object, name)?;
        entries.push(value, |text| utf8::append(text, &field.text))?;
    }
    for (name, value) in dict::entries(py, attributes.get())? {
        let name = key_text::exact_str(&name)?;
        let is_field = record.public().any(|field| key_text::is_same_text(name, field.0.get()));
        if !is_field && !key_text::is_private::<false>(name)? {
            entries.push(value, |text| utf8::append_text(name, text))?;
        }
    }
    Ok(Action::of_members(entries, object))
}
