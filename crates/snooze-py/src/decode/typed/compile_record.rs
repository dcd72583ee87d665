//! Compiling the records of a plan: classes with fields.
//!
//! Separate from `compile` because reading classes is long, and looks up attributes of classes.
//! Invariant: no two JSON names of a record are equal; a slot or a faster construction is set only
//! if it was found in the class. Called by `compile`.

use snooze_core::names::{Names, NamesError};

use crate::decode::typed::compile::{Compiler, checked_index, push_entry};
use crate::decode::typed::plan::{
    Construction, Field, FieldDefault, Node, Record, Tag, UnknownMembers,
};
use crate::description::{self, Row};
use crate::py::instance::InlineValues;
use crate::py::unicode::Str;
use crate::py::{Attached, Obj, Owned, Raised, bytes, error, instance, tuple, unicode};

impl Compiler {
    /// Reads `(name, construction, fields, unknown, tag, order, untracked)`.
    pub(super) fn record(
        &mut self,
        py: &mut Attached,
        record: &Owned,
        nodes: &[Node],
    ) -> Result<Record, Raised> {
        let [name, construction, fields, unknown, tag, order, untracked] =
            Row::exact(py, record.get())?;
        if Str::exact(name).is_none() {
            return Err(description::unexpected(c"the name of a class", name));
        }
        let name = name.to_owned();
        let construction = self.construction(py, construction)?;
        let Fields { mut fields, names, aliases, array_fields } = self.fields(py, fields, nodes)?;
        let (unknown, skipped_names) = self.unknown(py, unknown, fields.len())?;
        if matches!(unknown, UnknownMembers::Collect { field: None, .. })
            && !matches!(construction, Construction::Dict)
        {
            return Err(error::system_error(c"only a dict can have members that are not fields"));
        }
        let (tag, tag_item) = match description::optional(tag) {
            Some(tag) => {
                let (tag, item) = self.tag(py, tag)?;
                (Some(tag), item)
            }
            None => (None, None),
        };
        check_order(py, order, fields.len())?;
        let untracked = description::boolean(untracked)?;
        let (mut slots_only, mut inline_values) = (None, None);
        if let Construction::WithoutInit { class, post_init } = &construction {
            for index in 0..fields.len() {
                let slot = class.slot(py, &fields[index].attribute)?;
                // User code may have changed the class since it was analysed, so that two fields
                // have one slot. Each slot is stored once, so the second field is set by its name.
                let is_taken = fields[..index].iter().any(|field| field.slot == slot);
                fields[index].slot = slot.filter(|_| !is_taken);
            }
            if self.stores_attributes && fields.iter().all(|field| field.slot.is_none()) {
                let mut attributes = description::with_room(fields.len())?;
                attributes.extend(fields.iter().map(|field| &field.attribute));
                inline_values = InlineValues::new(py, class, &attributes)?;
            }
            if post_init.is_none() {
                let mut slots = description::with_room(fields.len())?;
                slots.extend(fields.iter().map(|field| field.slot));
                slots_only = instance::SlotsOnly::new(class, &slots, untracked)?;
            }
        }
        let collects_into_field = matches!(unknown, UnknownMembers::Collect { field: Some(_), .. });
        let skips_unknown = unknown == UnknownMembers::Ignore;
        Ok(Record {
            name,
            construction,
            fields,
            names,
            aliases,
            array_fields,
            unknown,
            skipped_names,
            tag,
            tag_item,
            first_place: 0,
            collects_into_field,
            skips_unknown,
            untracked,
            slots_only,
            inline_values,
        })
    }

    /// Reads `(name, value)`, or for an array `(name, value, node)`.
    fn tag(&self, py: &Attached, object: Obj<'_>) -> Result<(Tag, Option<u32>), Raised> {
        let row = Row::new(py, object)?;
        let item = match row.len() {
            3 => Some(checked_index(row.get(2)?, self.node_count)?),
            2 => None,
            _ => return Err(description::unexpected(c"a tag", object)),
        };
        let (name, value) = (description::utf8(py, row.get(0)?)?, row.get(1)?);
        let expected = error::representation(value)?;
        Ok((Tag { name, value: value.to_owned(), expected }, item))
    }

    /// Reads how instances are made: a name, and what it needs.
    fn construction(&mut self, py: &Attached, object: Obj<'_>) -> Result<Construction, Raised> {
        let (name, row) = Row::tagged(py, object)?;
        Ok(match name {
            b"dict" => {
                let [_] = row.exactly()?;
                Construction::Dict
            }
            b"call" => {
                let [_, class] = row.exactly()?;
                self.runs_python = true;
                Construction::Keywords(class.to_owned())
            }
            b"positional" => {
                let [_, class] = row.exactly()?;
                self.runs_python = true;
                Construction::Positional(class.to_owned())
            }
            b"tuple" => {
                let [_, class] = row.exactly()?;
                let class = class.to_owned();
                match tuple::TupleClass::new(&class) {
                    Some(class) => Construction::NamedTuple(class),
                    None => {
                        self.runs_python = true;
                        Construction::Positional(class)
                    }
                }
            }
            b"slots" | b"attributes" => {
                let [_, class, post_init] = row.exactly()?;
                let class = class.to_owned();
                let post_init = description::optional(post_init).map(Obj::to_owned);
                self.runs_python |= post_init.is_some();
                match instance::Class::new(&class) {
                    Some(class) => {
                        // A member that occurs twice drops an instance during the call.
                        self.runs_python |= class.is_finalized();
                        Construction::WithoutInit { class, post_init }
                    }
                    None => {
                        self.runs_python = true;
                        Construction::Keywords(class)
                    }
                }
            }
            _ => {
                return Err(description::unexpected(c"a way to make an instance", row.get(0)?));
            }
        })
    }

    /// Reads the fields: each is `(attribute, names, node, presence, default)`.
    fn fields(&mut self, py: &Attached, object: Obj<'_>, nodes: &[Node]) -> Result<Fields, Raised> {
        let rows = Row::new(py, object)?;
        let mut fields = description::with_room(rows.len())?;
        let mut names = description::with_room(rows.len())?;
        let mut further_names = Vec::new();
        let mut array_fields = description::with_room(rows.len())?;
        if rows.len() >= usize::from(u16::MAX) {
            return Err(error::system_error(c"a class has too many fields"));
        }
        for (index, field) in rows.items().enumerate() {
            let [attribute, json_names, node, presence, default] = Row::exact(py, field)?;
            let attribute = Str::exact(attribute)
                .ok_or_else(|| description::unexpected(c"the name of an attribute", attribute))?;
            let json_names = Row::new(py, json_names)?;
            let default = match description::name(presence)? {
                b"required" => FieldDefault::Required,
                b"default" => FieldDefault::Value(default.to_owned()),
                b"factory" => {
                    self.runs_python = true;
                    FieldDefault::Factory(default.to_owned())
                }
                b"absent" => FieldDefault::Unset,
                _ => {
                    return Err(description::unexpected(c"what to do without a field", presence));
                }
            };
            let (name, message_name) = match json_names.items().next() {
                Some(name) => {
                    array_fields.push(index as u16);
                    (description::utf8(py, name)?, name)
                }
                None => (bytes::new(py, &unmatchable_name(index))?, attribute.obj()),
            };
            names.push(name);
            for name in json_names.items().skip(1) {
                push_entry(&mut further_names, (description::utf8(py, name)?, index as u16))?;
            }
            fields.push(Field {
                attribute: unicode::interned(attribute),
                message_name: message_name.to_owned(),
                // A copy, so that the walk finds it in the memory of the field.
                node: nodes[checked_index(node, nodes.len())? as usize].clone(),
                default,
                slot: None,
            });
        }
        let all_names = names.iter().chain(further_names.iter().map(|(name, _)| name));
        let mut slices = description::with_room(names.len() + further_names.len())?;
        slices.extend(all_names.map(|name| bytes::contents(name.get())));
        let names = Names::new(&slices).map_err(|error_kind| match error_kind {
            NamesError::NoMemory => error::no_memory(),
            NamesError::TooMany => {
                error::value_error(c"a class has more than 65535 names of members, with aliases")
            }
            NamesError::Duplicate(_) => {
                error::system_error(c"two fields of a class have the same name")
            }
        })?;
        let mut aliases = description::with_room(further_names.len())?;
        aliases.extend(further_names.iter().map(|&(_, field)| field));
        Ok(Fields { fields, names, aliases, array_fields })
    }

    /// Reads what happens to unknown members: `"ignore"`, `"forbid"`, `("forbid", skipped)`,
    /// `("rest", field, node)` or `("rest", field, node, skipped)`. The field -1 is the record
    /// itself; members with the names in `skipped` are skipped.
    fn unknown(
        &self,
        py: &Attached,
        object: Obj<'_>,
        field_count: usize,
    ) -> Result<(UnknownMembers, Vec<Vec<u8>>), Raised> {
        let (unknown, names) = self.unknown_and_names(py, object, field_count)?;
        let mut skipped = Vec::new();
        if let Some(names) = names {
            for name in Row::new(py, names)?.items() {
                let name = description::utf8(py, name)?;
                let name = description::copied(bytes::contents(name.get()))?;
                skipped.try_reserve(1).map_err(|_| error::no_memory())?;
                skipped.push(name);
            }
        }
        Ok((unknown, skipped))
    }

    fn unknown_and_names<'d>(
        &self,
        py: &'d Attached,
        object: Obj<'d>,
        field_count: usize,
    ) -> Result<(UnknownMembers, Option<Obj<'d>>), Raised> {
        if Str::exact(object).is_some() {
            return match description::name(object)? {
                b"ignore" => Ok((UnknownMembers::Ignore, None)),
                b"forbid" => Ok((UnknownMembers::Forbid, None)),
                _ => Err(description::unexpected(c"what to do with unknown members", object)),
            };
        }
        let (name, row) = Row::tagged(py, object)?;
        let (field, node, names) = match (name, row.len()) {
            (b"forbid", 2) => return Ok((UnknownMembers::Forbid, Some(row.get(1)?))),
            (b"rest", 3) => (row.get(1)?, row.get(2)?, None),
            (b"rest", 4) => (row.get(1)?, row.get(2)?, Some(row.get(3)?)),
            _ => return Err(description::unexpected(c"what to do with unknown members", object)),
        };
        let field = match description::integer(field)? {
            -1 => None,
            _ => Some(checked_index(field, field_count)? as u16),
        };
        let node = checked_index(node, self.node_count)?;
        Ok((UnknownMembers::Collect { field, node }, names))
    }
}

/// The parts of a [`Record`] that are made of its fields.
struct Fields {
    fields: Vec<Field>,
    names: Names,
    aliases: Vec<u16>,
    array_fields: Vec<u16>,
}

/// Checks the order of the fields: the index of each, which is `0, 1, 2, …`.
fn check_order(py: &Attached, object: Obj<'_>, field_count: usize) -> Result<(), Raised> {
    let order = Row::new(py, object)?;
    let mut is_ascending = order.len() == field_count;
    for (expected, index) in order.items().enumerate() {
        is_ascending &= description::size(index)? == expected;
    }
    if is_ascending {
        return Ok(());
    }
    Err(description::unexpected(c"the indices of the fields in order", object))
}

/// The name of a field without a JSON name. No member can have it, because it is not UTF-8.
fn unmatchable_name(index: usize) -> [u8; 9] {
    let mut name = [0xff; 9];
    name[1..].copy_from_slice(&(index as u64).to_le_bytes());
    name
}
