//! Records of a plan: classes with fields, from their description.

use snooze_core::names::{Names, NamesError};

use crate::decode::typed::compile::{Compiler, add, below};
use crate::decode::typed::plan::{Construction, Field, MissingField, Node, Record, Tag, Unknown};
use crate::description::{self, Row};
use crate::py::instance::InlineValues;
use crate::py::{Attached, Obj, Owned, Raised, error, instance, tuple, types, unicode};

impl Compiler {
    /// Reads `(name, construction, fields, unknown, tag, order, hidden)`.
    pub(super) fn record(
        &mut self,
        py: &mut Attached,
        record: &Owned,
        nodes: &[Node],
    ) -> Result<Record, Raised> {
        let [name, construction, fields, unknown, tag, order, hidden] =
            Row::exact(py, record.get())?;
        if !types::is_exact_str(name) {
            return Err(description::unexpected(c"the name of a class", name));
        }
        let name = name.to_owned();
        let construction = self.construction(py, construction)?;
        let Fields { mut fields, names, places, aliases } = self.fields(py, fields, nodes)?;
        let unknown = self.unknown(py, unknown, fields.len())?;
        if matches!(unknown, Unknown::Collect { field: None, .. })
            && !matches!(construction, Construction::Dict)
        {
            return Err(error::system_error(c"only a dict can have members that are no fields"));
        }
        let tag = description::optional(tag).map(|tag| read_tag(py, tag)).transpose()?;
        check_order(py, order, fields.len())?;
        let hidden = description::boolean(hidden)?;
        let (mut slots_only, mut inline_values) = (None, None);
        if let Construction::Plain { class, after } = &construction {
            for field in &mut fields {
                field.slot = class.slot(py, &field.attribute)?;
            }
            if self.fills && fields.iter().all(|field| field.slot.is_none()) {
                let mut attributes = description::with_room(fields.len())?;
                attributes.extend(fields.iter().map(|field| &field.attribute));
                inline_values = InlineValues::new(py, class, &attributes)?;
            }
            if after.is_none() {
                let mut slots = description::with_room(fields.len())?;
                slots.extend(fields.iter().map(|field| field.slot));
                slots_only = instance::SlotsOnly::new(class, &slots, hidden)?;
            }
        }
        let is_special = matches!(unknown, Unknown::Collect { field: Some(_), .. });
        let passes_unknown = unknown == Unknown::Ignore && tag.is_none();
        Ok(Record {
            name,
            construction,
            fields,
            names,
            places,
            aliases,
            unknown,
            tag,
            is_special,
            passes_unknown,
            hidden,
            slots_only,
            inline_values,
        })
    }

    fn construction(&mut self, py: &Attached, object: Obj<'_>) -> Result<Construction, Raised> {
        let (name, row) = Row::tagged(py, object)?;
        Ok(match name {
            b"dict" => {
                let [_] = row.exactly()?;
                Construction::Dict
            }
            b"call" => {
                let [_, class] = row.exactly()?;
                self.runs_code = true;
                Construction::Call(class.to_owned())
            }
            b"positional" => {
                let [_, class] = row.exactly()?;
                self.runs_code = true;
                Construction::Positional(class.to_owned())
            }
            b"tuple" => {
                let [_, class] = row.exactly()?;
                let class = class.to_owned();
                match tuple::TupleClass::new(&class) {
                    Some(class) => Construction::Tuple(class),
                    None => {
                        self.runs_code = true;
                        Construction::Positional(class)
                    }
                }
            }
            b"slots" | b"attributes" => {
                let [_, class, after] = row.exactly()?;
                let (class, after) = (class.to_owned(), description::optional(after));
                self.runs_code |= after.is_some();
                match instance::Class::new(&class) {
                    Some(class) => Construction::Plain { class, after: after.map(Obj::to_owned) },
                    None => {
                        self.runs_code = true;
                        Construction::Call(class)
                    }
                }
            }
            _ => {
                return Err(description::unexpected(c"a way to make an instance", row.get(0)?));
            }
        })
    }

    /// Reads the fields: `(attribute, names, node, presence, default)` each.
    fn fields(&mut self, py: &Attached, object: Obj<'_>, nodes: &[Node]) -> Result<Fields, Raised> {
        let rows = Row::new(py, object)?;
        let mut fields = description::with_room(rows.len())?;
        let mut places = description::with_room(rows.len())?;
        let mut names = description::with_room(rows.len())?;
        let mut others = Vec::new();
        if rows.len() >= usize::from(u16::MAX) {
            return Err(error::system_error(c"a class has too many fields"));
        }
        for (index, field) in rows.items().enumerate() {
            let [attribute, given, node, presence, default] = Row::exact(py, field)?;
            if !types::is_exact_str(attribute) {
                return Err(description::unexpected(c"the name of an attribute", attribute));
            }
            let given = Row::new(py, given)?;
            let absent = match description::name(presence)? {
                b"required" => MissingField::Problem,
                b"default" => MissingField::Share(default.to_owned()),
                b"factory" => {
                    self.runs_code = true;
                    MissingField::Call(default.to_owned())
                }
                b"absent" => MissingField::Leave,
                _ => {
                    return Err(description::unexpected(c"what to do without a field", presence));
                }
            };
            // A field without a name has one that no document can have.
            let (name, missing) = match given.items().next() {
                Some(name) => {
                    places.push(index as u16);
                    (description::utf8(py, name)?, name)
                }
                None => (crate::py::bytes::new(py, &nameless(index))?, attribute),
            };
            names.push(name);
            for other in given.items().skip(1) {
                add(&mut others, (description::utf8(py, other)?, index as u16))?;
            }
            fields.push(Field {
                attribute: unicode::interned(attribute)?,
                missing: missing.to_owned(),
                // A copy, so that it is found with the field.
                node: nodes[below(node, nodes.len())? as usize].clone(),
                absent,
                slot: None,
            });
        }
        let all = names.iter().chain(others.iter().map(|(name, _)| name));
        let mut slices = description::with_room(names.len() + others.len())?;
        slices.extend(all.map(|name| crate::py::bytes::contents(name.get())));
        let names = Names::new(&slices).map_err(|fault| match fault {
            NamesError::NoMemory => error::no_memory(),
            _ => error::system_error(c"two fields of a class have one name"),
        })?;
        let mut aliases = description::with_room(others.len())?;
        aliases.extend(others.iter().map(|&(_, field)| field));
        Ok(Fields { fields, names, places, aliases })
    }

    fn unknown(
        &self,
        py: &Attached,
        object: Obj<'_>,
        field_count: usize,
    ) -> Result<Unknown, Raised> {
        if types::is_exact_str(object) {
            return match description::name(object)? {
                b"ignore" => Ok(Unknown::Ignore),
                b"forbid" => Ok(Unknown::Forbid),
                _ => Err(description::unexpected(c"what to do with unknown members", object)),
            };
        }
        let [name, field, node] = Row::exact(py, object)?;
        if description::name(name)? != b"rest" {
            return Err(description::unexpected(c"what to do with unknown members", object));
        }
        let field = match description::integer(field)? {
            -1 => None,
            _ => Some(below(field, field_count)? as u16),
        };
        Ok(Unknown::Collect { field, node: below(node, self.node_count)? })
    }
}

/// The fields of a record, and how names lead to them.
struct Fields {
    fields: Vec<Field>,
    names: Names,
    places: Vec<u16>,
    aliases: Vec<u16>,
}

/// Reads `(name, value)`.
fn read_tag(py: &Attached, object: Obj<'_>) -> Result<Tag, Raised> {
    let [name, value] = Row::exact(py, object)?;
    Ok(Tag {
        name: description::utf8(py, name)?,
        value: value.to_owned(),
        expected: error::representation(value)?,
    })
}

/// Checks the order of the fields: each one's number, from zero on.
fn check_order(py: &Attached, object: Obj<'_>, field_count: usize) -> Result<(), Raised> {
    let order = Row::new(py, object)?;
    let mut is_plain = order.len() == field_count;
    for (index, number) in order.items().enumerate() {
        is_plain &= description::size(number)? == index;
    }
    if is_plain {
        return Ok(());
    }
    Err(description::unexpected(c"the numbers of the fields in order", object))
}

/// What no member can be called: it is not UTF-8.
fn nameless(index: usize) -> [u8; 9] {
    let mut name = [0xff; 9];
    name[1..].copy_from_slice(&(index as u64).to_le_bytes());
    name
}
