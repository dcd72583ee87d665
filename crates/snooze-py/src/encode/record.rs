//! Dataclasses: which fields one has, and where an instance keeps them.
//!
//! Two layouts, as orjson tells them apart. An instance with a `__dict__` whose class has no
//! `__slots__` of its own is written from that dict, in its order, with whatever else is in it;
//! but if a field is missing there (a default that was never set, a slot of a base class), all
//! fields are written in the order of the class, by attribute, and then what else is in the dict.
//! Any other instance is written field by field. Names that begin with an underscore are left out.

use super::frame::{Entries, Fields, FrameKind, More, Next, Opening};
use super::keys;
use crate::py::compat::FREE_THREADED;
use crate::py::dict::Cursor;
use crate::py::{Attached, Owned, Raised, call, dict, error, types};
use crate::state::State;

/// A dataclass, ready to be written.
#[derive(Debug)]
pub(crate) struct Record {
    /// The public fields, in the order of the class.
    pub(crate) fields: Vec<Field>,
    /// The class has `__slots__` of its own.
    own_slots: bool,
}

/// A field of a dataclass.
#[derive(Debug)]
pub(crate) struct Field {
    /// The attribute.
    pub(crate) name: Owned,
    /// Its name as UTF-8.
    pub(crate) text: Vec<u8>,
}

impl Record {
    /// Reads `__dataclass_fields__` and the class's dict.
    pub(super) fn new(
        state: &State,
        py: &mut Attached,
        members: &Owned,
        declared: &Owned,
    ) -> Result<Self, Raised> {
        let names = &state.names;
        let own_slots = dict::get(py, members, &names.slots)?.is_some();
        let marker = match call::imported_module(py, &names.dataclasses)? {
            Some(module) => call::optional_attribute(py, &module, &names.field)?,
            None => None,
        };
        let mut fields = Vec::new();
        for (name, field) in dict::entries(py, declared.get())? {
            if !types::is_exact_str(name.get()) || keys::is_private::<false>(name.get())? {
                continue;
            }
            // ClassVar and InitVar have other markers.
            let kind = call::optional_attribute(py, &field, &names.field_type)?;
            let is_field = match (&kind, &marker) {
                (Some(kind), Some(marker)) => kind.as_ptr() == marker.as_ptr(),
                _ => true,
            };
            if is_field {
                let mut text = Vec::new();
                keys::append_text(name.get(), &mut text)?;
                fields.try_reserve(1).map_err(|_| error::no_memory())?;
                fields.push(Field { name, text });
            }
        }
        Ok(Self { fields, own_slots })
    }
}

/// How an instance is to be written.
pub(super) fn begin(
    state: &State,
    py: &mut Attached,
    object: &Owned,
    record: std::rc::Rc<Record>,
) -> Result<Next, Raised> {
    if !record.own_slots
        && let Some(attributes) = call::optional_attribute(py, object, &state.names.dict)?
        && types::is_exact_dict(attributes.get())
    {
        if !has_every_field(py, &attributes, &record)? {
            return by_attribute_then_rest(py, object, &record, &attributes);
        }
        if dict::size(attributes.get()) == 0 {
            return Ok(Next::Empty(b'{'));
        }
        return keys::begin_public(py, attributes);
    }
    if record.fields.is_empty() {
        return Ok(Next::Empty(b'{'));
    }
    let more = More::Fields(Fields { record, value: None });
    Ok(Next::Open(Opening { kind: FrameKind::Record, owner: object.clone(), more }))
}

/// Whether the instance's dict has all public fields; in order, as the constructor left them, or
/// in any other.
fn has_every_field(py: &mut Attached, attributes: &Owned, record: &Record) -> Result<bool, Raised> {
    let mut cursor = Cursor::new(attributes.get());
    let mut expected = record.fields.iter();
    let mut next = expected.next();
    // Another thread may change the dict during a walk without its lock.
    while !FREE_THREADED
        && let Some(field) = next
        && let Some((key, _)) = cursor.next::<false>(attributes, py)?
    {
        if key.as_ptr() == field.name.as_ptr() {
            next = expected.next();
        }
    }
    if next.is_none() {
        return Ok(true);
    }
    for field in &record.fields {
        if dict::get(py, attributes, &field.name)?.is_none() {
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
) -> Result<Next, Raised> {
    let mut entries = Entries::default();
    for field in &record.fields {
        let value = call::attribute(py, object, &field.name)?;
        entries.push(value, |text| keys::append(text, &field.text))?;
    }
    for (name, value) in dict::entries(py, attributes.get())? {
        let name = keys::exact_str(&name)?;
        let is_field = record.fields.iter().any(|field| keys::is_same_text(name, field.name.get()));
        if !is_field && !keys::is_private::<false>(name)? {
            entries.push(value, |text| keys::append_text(name, text))?;
        }
    }
    Ok(entries.into_next(object))
}
