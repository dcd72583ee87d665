//! From the description of a type to the plan of its decoder.
//!
//! Separate from `plan` because it is all about reading the description, and runs once for each
//! decoder. Invariant: every number that the plan has for a node, a record or an entry of a table
//! is checked here; what is not understood is an error.

use snooze_core::names::{Names, NamesError};

use super::kinds::{Kinds, Want};
use super::numbers::Element;
use super::plan::*;
use crate::py::fill::Filled;
use crate::py::new_time::Uuids;
use crate::py::{Attached, Obj, Owned, Raised, error, make, text, types};
use crate::typed::ir::{self, Row};

/// Reads `(version, nodes, records, root, options, fail)`; `fills` says whether instances may be
/// made with their attributes where the interpreter keeps them.
pub(super) fn plan(py: &mut Attached, fills: bool, description: &Owned) -> Result<Plan, Raised> {
    let parts = Parts::new(py, description)?;
    let mut compiler = Compiler {
        node_count: parts.nodes.len(),
        record_count: parts.records.len(),
        tables: Tables::default(),
        uuid_classes: Vec::new(),
        runs_code: false,
        fills,
        calls: 0,
    };
    add(&mut compiler.tables.lens, Lens { least: 0, most: usize::MAX })?;
    let mut nodes = ir::with_room(parts.nodes.len())?;
    for node in &parts.nodes {
        nodes.push(compiler.node(py, node.get())?);
    }
    let mut records = ir::with_room(parts.records.len())?;
    for record in &parts.records {
        records.push(compiler.record(py, record, &nodes)?);
    }
    for class in core::mem::take(&mut compiler.uuid_classes) {
        let uuids = Uuids::new(py, &class)?;
        add(&mut compiler.tables.uuids, uuids)?;
    }
    if parts.root >= nodes.len() {
        return Err(error::system_error(c"the description of a plan has no root"));
    }
    let is_plain = |dict: &DictRule| {
        nodes.get(dict.key as usize).is_some_and(|key: &Node| key.string == Rule::Str)
    };
    for index in 0..compiler.tables.dicts.len() {
        let dict = &mut compiler.tables.dicts[index];
        dict.plain_keys = is_plain(dict);
    }
    let any = Node::of(text::decode_utf8(b"any")?, Rule::Any);
    let no_record = Record {
        name: any.label.clone(),
        make: Make::Dict,
        fields: Vec::new(),
        names: Names::new(&[]).map_err(|_| error::no_memory())?,
        places: Vec::new(),
        aliases: Vec::new(),
        unknown: Unknown::Ignore,
        tag: None,
        is_special: false,
        passes_unknown: true,
        hidden: false,
        dense: None,
        filled: None,
    };
    let Parts { root, options, fail, .. } = parts;
    let Compiler { tables, runs_code, .. } = compiler;
    Ok(Plan { nodes, records, root, options, tables, any, no_record, fail, runs_code })
}

/// The parts of a description, owned: reading records looks up attributes of classes.
struct Parts {
    nodes: Vec<Owned>,
    records: Vec<Owned>,
    root: usize,
    options: Options,
    fail: Owned,
}

impl Parts {
    fn new(py: &Attached, description: &Owned) -> Result<Self, Raised> {
        let row = Row::new(py, description.get())?;
        if ir::integer(row.get(0)?)? != ir::VERSION || row.len() != 6 {
            return Err(error::system_error(c"the description of a plan is of another version"));
        }
        let owned = |object: Obj<'_>| -> Result<Vec<Owned>, Raised> {
            let items = Row::new(py, object)?;
            let mut all = ir::with_room(items.len())?;
            all.extend(items.items().map(Obj::to_owned));
            Ok(all)
        };
        let options = Row::new(py, row.get(4)?)?;
        let at = match options.optional(3)? {
            Some(tokens) => {
                let tokens = Row::new(py, tokens)?;
                let mut all = ir::with_room(tokens.len())?;
                for token in tokens.items() {
                    all.push(ir::utf8(py, token)?);
                }
                Some(all)
            }
            None => None,
        };
        Ok(Self {
            nodes: owned(row.get(1)?)?,
            records: owned(row.get(2)?)?,
            root: ir::size(row.get(3)?)?,
            options: Options {
                strict: ir::boolean(options.get(0)?)?,
                all_errors: ir::boolean(options.get(1)?)?,
                fast_skip: ir::boolean(options.get(2)?)?,
                at,
            },
            fail: row.get(5)?.to_owned(),
        })
    }
}

struct Compiler {
    node_count: usize,
    record_count: usize,
    tables: Tables,
    uuid_classes: Vec<Owned>,
    runs_code: bool,
    /// Whether the layout of instances has been verified.
    fills: bool,
    /// The calls around the rule that is read now.
    calls: usize,
}

/// Calls that a value may go through, which are nested: they are read, and made, by recursion.
const MOST_CALLS: usize = 100;

/// Adds an entry to a table and returns its number.
fn add<T>(table: &mut Vec<T>, entry: T) -> Result<u32, Raised> {
    table.try_reserve(1).map_err(|_| error::no_memory())?;
    table.push(entry);
    Ok(table.len() as u32 - 1)
}

/// A number below a count.
fn below(object: Obj<'_>, count: usize) -> Result<u32, Raised> {
    let number = ir::size(object)?;
    if number < count && number < u32::MAX as usize {
        return Ok(number as u32);
    }
    Err(ir::unexpected(c"the number of a node or record", object))
}

impl Compiler {
    fn node(&mut self, py: &Attached, object: Obj<'_>) -> Result<Node, Raised> {
        let row = Row::new(py, object)?;
        let label = row.get(0)?;
        if !types::is_exact_str(label) {
            return Err(ir::unexpected(c"a label", label));
        }
        let mut node = Node::of(label.to_owned(), Rule::No);
        let mut by_default = [false; 7];
        for rule in Row::new(py, row.get(1)?)?.items() {
            let (kinds, rule) = self.rule(py, rule)?;
            let places = [
                &mut node.null,
                &mut node.boolean,
                &mut node.int,
                &mut node.float,
                &mut node.string,
                &mut node.array,
                &mut node.object,
            ];
            for ((place, wanted), by_default) in
                places.into_iter().zip(kinds.0).zip(&mut by_default)
            {
                let is_free = *place == Rule::No;
                match wanted {
                    Want::No => {}
                    Want::Must if is_free || *by_default => {
                        (*place, *by_default) = (rule, false);
                    }
                    Want::Must => {
                        return Err(error::system_error(c"two rules for one kind of JSON value"));
                    }
                    Want::May if is_free => (*place, *by_default) = (rule, true),
                    Want::May => {}
                }
            }
        }
        Ok(node)
    }

    /// A rule, and the kinds of values that it is for.
    fn rule(&mut self, py: &Attached, object: Obj<'_>) -> Result<(Kinds, Rule), Raised> {
        let (name, row) = Row::tagged(py, object)?;
        let tables = &mut self.tables;
        Ok(match name {
            b"any" => (Kinds::ALL, Rule::Any),
            b"raw" => (Kinds::ALL, Rule::Raw(add(&mut tables.classes, row.get(1)?.to_owned())?)),
            b"null" => (Kinds::NULL, Rule::Null),
            b"bool" => match row.optional(1)? {
                None => (Kinds::BOOL, Rule::Bool),
                Some(only) => (Kinds::BOOL, Rule::Only(ir::boolean(only)?)),
            },
            b"int" => match row.optional(1)? {
                None => (Kinds::INT, Rule::Int),
                Some(bounds) => {
                    let bounds = int_bounds(py, bounds)?;
                    (Kinds::INT, Rule::IntWithin(add(&mut tables.ints, bounds)?))
                }
            },
            b"float" => match row.optional(1)? {
                None => (Kinds::FLOAT, Rule::Float),
                Some(bounds) => {
                    let bounds = float_bounds(py, bounds)?;
                    (Kinds::FLOAT, Rule::FloatWithin(add(&mut tables.floats, bounds)?))
                }
            },
            b"decimal" => {
                (Kinds::DECIMAL, Rule::Decimal(add(&mut tables.classes, row.get(1)?.to_owned())?))
            }
            b"str" => match row.optional(1)? {
                None => (Kinds::STRING, Rule::Str),
                Some(bounds) => {
                    let row = Row::new(py, bounds)?;
                    let search = row.optional(2)?.map(Obj::to_owned);
                    let bounds = TextBounds { lens: lens(row)?, search };
                    self.runs_code |= bounds.search.is_some();
                    (Kinds::STRING, Rule::StrWithin(add(&mut tables.texts, bounds)?))
                }
            },
            b"bytes" => (Kinds::STRING, Rule::Bytes(self.lens(py, row.get(1)?)?)),
            b"bytearray" => (Kinds::STRING, Rule::ByteArray(self.lens(py, row.get(1)?)?)),
            b"datetime" => (Kinds::STRING, Rule::DateTime(zone(row.optional(1)?)?)),
            b"date" => (Kinds::STRING, Rule::Date),
            b"time" => (Kinds::STRING, Rule::Time(zone(row.optional(1)?)?)),
            b"timedelta" => (Kinds::STRING, Rule::Delta),
            b"uuid" => {
                let class = row.get(1)?.to_owned();
                self.uuid_classes.try_reserve(1).map_err(|_| error::no_memory())?;
                self.uuid_classes.push(class);
                (Kinds::STRING, Rule::Uuid(self.uuid_classes.len() as u32 - 1))
            }
            b"strings" => (Kinds::STRING, Rule::Choice(self.choice(row.get(1)?)?)),
            b"ints" => (Kinds::INT, Rule::Choice(self.choice(row.get(1)?)?)),
            b"floats" => (Kinds::FLOAT_ONLY, Rule::Choice(self.choice(row.get(1)?)?)),
            b"list" => {
                let (node, lens) = self.items(py, row)?;
                (Kinds::ARRAY, Rule::List(node, lens))
            }
            b"set" | b"frozenset" => {
                self.runs_code = true;
                let make = if name == b"set" { Rule::Set } else { Rule::FrozenSet };
                let (node, lens) = self.items(py, row)?;
                (Kinds::ARRAY, make(node, lens))
            }
            b"tuple" => {
                let (node, lens) = self.items(py, row)?;
                (Kinds::ARRAY, Rule::Tuple(node, lens))
            }
            b"fixed" => {
                let items = Row::new(py, row.get(1)?)?;
                let mut nodes = ir::with_room(items.len())?;
                for item in items.items() {
                    nodes.push(below(item, self.node_count)?);
                }
                (Kinds::ARRAY, Rule::Fixed(add(&mut self.tables.fixed, nodes)?))
            }
            b"ndarray" => {
                self.runs_code = true;
                let make = row.get(1)?.to_owned();
                (Kinds::ARRAY, Rule::NdArray(add(&mut self.tables.classes, make)?))
            }
            b"numbers" => {
                self.runs_code = true;
                let code = row.get(1)?;
                let Some(element) = Element::from_code(ir::name(code)?) else {
                    return Err(ir::unexpected(c"the code of a type of numbers", code));
                };
                let numbers = (element, row.get(2)?.to_owned());
                (Kinds::ARRAY, Rule::Numbers(add(&mut self.tables.numbers, numbers)?))
            }
            b"array_record" => {
                (Kinds::ARRAY, Rule::ArrayRecord(below(row.get(1)?, self.record_count)?))
            }
            b"dict" => {
                let dict = DictRule {
                    key: below(row.get(1)?, self.node_count)?,
                    value: below(row.get(2)?, self.node_count)?,
                    lens: self.lens(py, row.get(3)?)?,
                    plain_keys: false,
                };
                (Kinds::OBJECT, Rule::Dict(add(&mut self.tables.dicts, dict)?))
            }
            b"record" => (Kinds::OBJECT, Rule::Record(below(row.get(1)?, self.record_count)?)),
            b"tagged" => {
                let union = Union {
                    tag: Some(ir::utf8(py, row.get(1)?)?),
                    records: self.choices_of_records(row.get(2)?)?,
                };
                (Kinds::OBJECT, Rule::Union(add(&mut self.tables.unions, union)?))
            }
            b"keyed" => {
                let union = Union { tag: None, records: self.choices_of_records(row.get(1)?)? };
                (Kinds::OBJECT, Rule::Union(add(&mut self.tables.unions, union)?))
            }
            b"via" => {
                self.runs_code = true;
                if self.calls == MOST_CALLS {
                    return Err(error::value_error(c"a type has more than 100 checks"));
                }
                self.calls += 1;
                let (kinds, rule) = self.rule(py, row.get(1)?)?;
                self.calls -= 1;
                let via = Via { rule, call: row.get(2)?.to_owned() };
                (kinds, Rule::Via(add(&mut self.tables.vias, via)?))
            }
            _ => return Err(ir::unexpected(c"the name of a rule", row.get(0)?)),
        })
    }

    /// The node of the items, and their number.
    fn items(&mut self, py: &Attached, row: Row<'_>) -> Result<(u32, u32), Raised> {
        Ok((below(row.get(1)?, self.node_count)?, self.lens(py, row.get(2)?)?))
    }

    fn lens(&mut self, py: &Attached, object: Obj<'_>) -> Result<u32, Raised> {
        if types::is_none(object) {
            return Ok(Lens::ANY);
        }
        add(&mut self.tables.lens, lens(Row::new(py, object)?)?)
    }

    fn choice(&mut self, object: Obj<'_>) -> Result<u32, Raised> {
        if !types::is_exact_dict(object) {
            return Err(ir::unexpected(c"a dict", object));
        }
        add(&mut self.tables.choices, object.to_owned())
    }

    /// A dict of the numbers of records, which `Walk` checks as it reads them.
    fn choices_of_records(&self, object: Obj<'_>) -> Result<Owned, Raised> {
        if !types::is_exact_dict(object) {
            return Err(ir::unexpected(c"a dict", object));
        }
        Ok(object.to_owned())
    }

    fn record(
        &mut self,
        py: &mut Attached,
        record: &Owned,
        nodes: &[Node],
    ) -> Result<Record, Raised> {
        let make = self.make(py, record)?;
        let class = match &make {
            Make::Plain { class, .. } => Some(class),
            _ => None,
        };
        let (mut fields, names, aliases) = self.fields(py, record, nodes)?;
        if let Some(class) = class {
            for field in &mut fields {
                field.slot = class.slot(py, &field.attribute)?;
            }
        }
        let filled = match &make {
            Make::Plain { class, .. }
                if self.fills && fields.iter().all(|field| field.slot.is_none()) =>
            {
                let mut attributes = ir::with_room(fields.len())?;
                attributes.extend(fields.iter().map(|field| &field.attribute));
                Filled::new(py, class, &attributes)?
            }
            _ => None,
        };
        let row = Row::new(py, record.get())?;
        let unknown = self.unknown(py, row.get(3)?, fields.len())?;
        if matches!(unknown, Unknown::Collect { field: None, .. }) && !matches!(make, Make::Dict) {
            return Err(error::system_error(c"only a dict can have members that are no fields"));
        }
        let tag = match row.optional(4)? {
            None => None,
            Some(tag) => {
                let tag = Row::new(py, tag)?;
                Some(Tag {
                    name: ir::utf8(py, tag.get(0)?)?,
                    value: tag.get(1)?.to_owned(),
                    required: tag.len() > 2 && ir::boolean(tag.get(2)?)?,
                    label: error::representation(tag.get(1)?)?,
                })
            }
        };
        let mut places = ir::with_room(fields.len())?;
        for (index, field) in Row::new(py, row.get(2)?)?.items().enumerate() {
            if Row::new(py, Row::new(py, field)?.get(1)?)?.len() > 0 {
                places.push(index as u16);
            }
        }
        let is_special = tag.as_ref().is_some_and(|tag| tag.required)
            || matches!(unknown, Unknown::Collect { field: Some(_), .. });
        let hidden = ir::boolean(row.get(6)?)?;
        let mut slots = ir::with_room(fields.len())?;
        slots.extend(fields.iter().map(|field| field.slot));
        let dense = match &make {
            Make::Plain { class, after: None } => make::Dense::new(class, &slots, hidden)?,
            _ => None,
        };
        let passes_unknown = unknown == Unknown::Ignore && tag.is_none();
        let name = row.get(0)?;
        if !types::is_exact_str(name) {
            return Err(ir::unexpected(c"the name of a class", name));
        }
        let name = name.to_owned();
        Ok(Record {
            name,
            make,
            fields,
            names,
            places,
            aliases,
            unknown,
            tag,
            is_special,
            passes_unknown,
            hidden,
            dense,
            filled,
        })
    }

    fn make(&mut self, py: &Attached, record: &Owned) -> Result<Make, Raised> {
        let row = Row::new(py, record.get())?;
        let (name, make) = Row::tagged(py, row.get(1)?)?;
        Ok(match name {
            b"dict" => Make::Dict,
            b"call" => {
                self.runs_code = true;
                Make::Call(make.get(1)?.to_owned())
            }
            b"positional" => {
                self.runs_code = true;
                Make::Positional(make.get(1)?.to_owned())
            }
            b"tuple" => match make::TupleClass::new(&make.get(1)?.to_owned()) {
                Some(class) => Make::Tuple(class),
                None => {
                    self.runs_code = true;
                    Make::Positional(make.get(1)?.to_owned())
                }
            },
            b"slots" | b"attributes" => {
                let after = make.optional(2)?.map(Obj::to_owned);
                self.runs_code |= after.is_some();
                match make::Class::new(&make.get(1)?.to_owned()) {
                    Some(class) => Make::Plain { class, after },
                    None => {
                        self.runs_code = true;
                        Make::Call(make.get(1)?.to_owned())
                    }
                }
            }
            _ => return Err(ir::unexpected(c"a way to make an instance", make.get(0)?)),
        })
    }

    fn fields(
        &mut self,
        py: &Attached,
        record: &Owned,
        nodes: &[Node],
    ) -> Result<(Vec<Field>, Names, Vec<u16>), Raised> {
        let rows = Row::new(py, Row::new(py, record.get())?.get(2)?)?;
        let mut fields = ir::with_room(rows.len())?;
        let mut names = ir::with_room(rows.len())?;
        let mut others = Vec::new();
        for (index, field) in rows.items().enumerate() {
            let row = Row::new(py, field)?;
            let attribute = row.get(0)?;
            if !types::is_exact_str(attribute) {
                return Err(ir::unexpected(c"the name of an attribute", attribute));
            }
            let given = Row::new(py, row.get(1)?)?;
            let absent = match ir::name(row.get(3)?)? {
                b"required" => Absent::Problem,
                b"default" => Absent::Share(row.get(4)?.to_owned()),
                b"factory" => {
                    self.runs_code = true;
                    Absent::Call(row.get(4)?.to_owned())
                }
                b"absent" => Absent::Leave,
                _ => return Err(ir::unexpected(c"what to do without a field", row.get(3)?)),
            };
            // A field without a name has one that no document can have.
            let name = match given.items().next() {
                Some(name) => ir::utf8(py, name)?,
                None => crate::py::bytes::new_bytes(py, &nameless(index))?,
            };
            let missing = match given.items().next() {
                Some(name) => name.to_owned(),
                None => attribute.to_owned(),
            };
            names.push(name);
            for other in given.items().skip(1) {
                add(&mut others, (ir::utf8(py, other)?, index as u16))?;
            }
            fields.push(Field {
                attribute: text::interned(attribute)?,
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
        let mut slices = ir::with_room(names.len() + others.len())?;
        slices.extend(all.map(|name| crate::py::bytes::contents(name.get())));
        let names = Names::new(&slices).map_err(|fault| match fault {
            NamesError::NoMemory => error::no_memory(),
            _ => error::system_error(c"two fields of a class have one name"),
        })?;
        let mut aliases = ir::with_room(others.len())?;
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
            return match ir::name(object)? {
                b"ignore" => Ok(Unknown::Ignore),
                b"forbid" => Ok(Unknown::Forbid),
                _ => Err(ir::unexpected(c"what to do with unknown members", object)),
            };
        }
        let (name, row) = Row::tagged(py, object)?;
        let place = ir::integer(row.get(1)?)?;
        let field = match usize::try_from(place) {
            Ok(place) if place < field_count => Some(place as u16),
            Err(_) => None,
            Ok(_) => return Err(ir::unexpected(c"the number of a field", object)),
        };
        if name != b"rest" {
            return Err(ir::unexpected(c"what to do with unknown members", object));
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

fn lens(row: Row<'_>) -> Result<Lens, Raised> {
    let most = row.optional(1)?.map(ir::size).transpose()?;
    Ok(Lens { least: ir::size(row.get(0)?)?, most: most.unwrap_or(usize::MAX) })
}

fn zone(object: Option<Obj<'_>>) -> Result<Zone, Raised> {
    let Some(object) = object else { return Ok(Zone::Any) };
    match ir::name(object)? {
        b"aware" => Ok(Zone::Aware),
        b"naive" => Ok(Zone::Naive),
        _ => Err(ir::unexpected(c"\"aware\" or \"naive\"", object)),
    }
}

fn int_bounds(py: &Attached, object: Obj<'_>) -> Result<IntBounds, Raised> {
    let row = Row::new(py, object)?;
    let bound = |place| row.optional(place)?.map(ir::integer).transpose();
    Ok(IntBounds { least: bound(0)?, most: bound(1)?, multiple: bound(2)?.filter(|&one| one > 0) })
}

fn float_bounds(py: &Attached, object: Obj<'_>) -> Result<FloatBounds, Raised> {
    let row = Row::new(py, object)?;
    let bound = |place| row.optional(place)?.map(ir::float).transpose();
    Ok(FloatBounds {
        above: bound(0)?,
        least: bound(1)?,
        below: bound(2)?,
        most: bound(3)?,
        multiple: bound(4)?,
    })
}
