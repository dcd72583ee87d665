//! Records of a plan: classes with fields, from their description.

use snooze_core::names::{Names, NamesError};

use crate::decode::typed::compile::{Compiler, add, below};
use crate::decode::typed::plan::{Construction, Field, MissingField, Node, Record, Tag, Unknown};
use crate::description::{self, Row};
use crate::py::instance::InlineValues;
use crate::py::{Attached, Obj, Owned, Raised, error, instance, tuple, types, unicode};

impl Compiler {
    pub(super) fn record(
        &mut self,
        py: &mut Attached,
        record: &Owned,
        nodes: &[Node],
    ) -> Result<Record, Raised> {
        let construction = self.construction(py, record)?;
        let class = match &construction {
            Construction::Plain { class, .. } => Some(class),
            _ => None,
        };
        let (mut fields, names, aliases) = self.fields(py, record, nodes)?;
        if let Some(class) = class {
            for field in &mut fields {
                field.slot = class.slot(py, &field.attribute)?;
            }
        }
        let inline_values = match &construction {
            Construction::Plain { class, .. }
                if self.fills && fields.iter().all(|field| field.slot.is_none()) =>
            {
                let mut attributes = description::with_room(fields.len())?;
                attributes.extend(fields.iter().map(|field| &field.attribute));
                InlineValues::new(py, class, &attributes)?
            }
            _ => None,
        };
        let row = Row::new(py, record.get())?;
        let unknown = self.unknown(py, row.get(3)?, fields.len())?;
        if matches!(unknown, Unknown::Collect { field: None, .. })
            && !matches!(construction, Construction::Dict)
        {
            return Err(error::system_error(c"only a dict can have members that are no fields"));
        }
        let tag = match row.optional(4)? {
            None => None,
            Some(tag) => {
                let tag = Row::new(py, tag)?;
                Some(Tag {
                    name: description::utf8(py, tag.get(0)?)?,
                    value: tag.get(1)?.to_owned(),
                    required: tag.len() > 2 && description::boolean(tag.get(2)?)?,
                    expected: error::representation(tag.get(1)?)?,
                })
            }
        };
        let mut places = description::with_room(fields.len())?;
        for (index, field) in Row::new(py, row.get(2)?)?.items().enumerate() {
            if Row::new(py, Row::new(py, field)?.get(1)?)?.len() > 0 {
                places.push(index as u16);
            }
        }
        let is_special = tag.as_ref().is_some_and(|tag| tag.required)
            || matches!(unknown, Unknown::Collect { field: Some(_), .. });
        let hidden = description::boolean(row.get(6)?)?;
        let mut slots = description::with_room(fields.len())?;
        slots.extend(fields.iter().map(|field| field.slot));
        let slots_only = match &construction {
            Construction::Plain { class, after: None } => {
                instance::SlotsOnly::new(class, &slots, hidden)?
            }
            _ => None,
        };
        let passes_unknown = unknown == Unknown::Ignore && tag.is_none();
        let name = row.get(0)?;
        if !types::is_exact_str(name) {
            return Err(description::unexpected(c"the name of a class", name));
        }
        let name = name.to_owned();
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

    fn construction(&mut self, py: &Attached, record: &Owned) -> Result<Construction, Raised> {
        let row = Row::new(py, record.get())?;
        let (name, construction) = Row::tagged(py, row.get(1)?)?;
        Ok(match name {
            b"dict" => Construction::Dict,
            b"call" => {
                self.runs_code = true;
                Construction::Call(construction.get(1)?.to_owned())
            }
            b"positional" => {
                self.runs_code = true;
                Construction::Positional(construction.get(1)?.to_owned())
            }
            b"tuple" => match tuple::TupleClass::new(&construction.get(1)?.to_owned()) {
                Some(class) => Construction::Tuple(class),
                None => {
                    self.runs_code = true;
                    Construction::Positional(construction.get(1)?.to_owned())
                }
            },
            b"slots" | b"attributes" => {
                let after = construction.optional(2)?.map(Obj::to_owned);
                self.runs_code |= after.is_some();
                match instance::Class::new(&construction.get(1)?.to_owned()) {
                    Some(class) => Construction::Plain { class, after },
                    None => {
                        self.runs_code = true;
                        Construction::Call(construction.get(1)?.to_owned())
                    }
                }
            }
            _ => {
                return Err(description::unexpected(
                    c"a way to make an instance",
                    construction.get(0)?,
                ));
            }
        })
    }

    fn fields(
        &mut self,
        py: &Attached,
        record: &Owned,
        nodes: &[Node],
    ) -> Result<(Vec<Field>, Names, Vec<u16>), Raised> {
        let rows = Row::new(py, Row::new(py, record.get())?.get(2)?)?;
        let mut fields = description::with_room(rows.len())?;
        let mut names = description::with_room(rows.len())?;
        let mut others = Vec::new();
        for (index, field) in rows.items().enumerate() {
            let row = Row::new(py, field)?;
            let attribute = row.get(0)?;
            if !types::is_exact_str(attribute) {
                return Err(description::unexpected(c"the name of an attribute", attribute));
            }
            let given = Row::new(py, row.get(1)?)?;
            let absent = match description::name(row.get(3)?)? {
                b"required" => MissingField::Problem,
                b"default" => MissingField::Share(row.get(4)?.to_owned()),
                b"factory" => {
                    self.runs_code = true;
                    MissingField::Call(row.get(4)?.to_owned())
                }
                b"absent" => MissingField::Leave,
                _ => {
                    return Err(description::unexpected(
                        c"what to do without a field",
                        row.get(3)?,
                    ));
                }
            };
            // A field without a name has one that no document can have.
            let name = match given.items().next() {
                Some(name) => description::utf8(py, name)?,
                None => crate::py::bytes::new(py, &nameless(index))?,
            };
            let missing = match given.items().next() {
                Some(name) => name.to_owned(),
                None => attribute.to_owned(),
            };
            names.push(name);
            for other in given.items().skip(1) {
                add(&mut others, (description::utf8(py, other)?, index as u16))?;
            }
            fields.push(Field {
                attribute: unicode::interned(attribute)?,
                missing,
                // A copy, so that it is found with the field.
                node: nodes[below(row.get(2)?, nodes.len())? as usize].clone(),
                absent,
                slot: None,
            });
        }
        if fields.len() >= usize::from(u16::MAX) {
            return Err(error::system_error(c"a class has too many fields"));
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
        Ok((fields, names, aliases))
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
        let (name, row) = Row::tagged(py, object)?;
        let place = description::integer(row.get(1)?)?;
        let field = match usize::try_from(place) {
            Ok(place) if place < field_count => Some(place as u16),
            Err(_) => None,
            Ok(_) => return Err(description::unexpected(c"the number of a field", object)),
        };
        if name != b"rest" {
            return Err(description::unexpected(c"what to do with unknown members", object));
        }
        Ok(Unknown::Collect { field, node: below(row.get(2)?, self.node_count)? })
    }
}

/// What no member can be called: it is not UTF-8.
fn nameless(index: usize) -> [u8; 9] {
    let mut name = [0xff; 9];
    name[1..].copy_from_slice(&(index as u64).to_le_bytes());
    name
}
