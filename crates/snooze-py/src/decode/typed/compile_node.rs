//! Nodes of a plan: what may come in one place, from its description.

use crate::decode::typed::compile::{Compiler, add, below};
use crate::decode::typed::element::Element;
use crate::decode::typed::json_kinds::{Kinds, Want};
use crate::decode::typed::plan::{
    DictRule, FloatBounds, IntBounds, Lens, Node, Rule, TextBounds, Union, Via, Zone,
};
use crate::description::{self, Row};
use crate::py::{Attached, Obj, Owned, Raised, error, singletons, types};

impl Compiler {
    pub(super) fn node(&mut self, py: &Attached, object: Obj<'_>) -> Result<Node, Raised> {
        let row = Row::new(py, object)?;
        let label = row.get(0)?;
        if !types::is_exact_str(label) {
            return Err(description::unexpected(c"a label", label));
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
    pub(super) fn rule(&mut self, py: &Attached, object: Obj<'_>) -> Result<(Kinds, Rule), Raised> {
        let (name, row) = Row::tagged(py, object)?;
        let tables = &mut self.tables;
        Ok(match name {
            b"any" => (Kinds::ALL, Rule::Any),
            b"raw" => (Kinds::ALL, Rule::Raw(add(&mut tables.classes, row.get(1)?.to_owned())?)),
            b"null" => (Kinds::NULL, Rule::Null),
            b"bool" => match row.optional(1)? {
                None => (Kinds::BOOL, Rule::Bool),
                Some(only) => (Kinds::BOOL, Rule::Only(description::boolean(only)?)),
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
                let mut nodes = description::with_room(items.len())?;
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
                let Some(element) = Element::from_code(description::name(code)?) else {
                    return Err(description::unexpected(c"the code of a type of numbers", code));
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
                    tag: Some(description::utf8(py, row.get(1)?)?),
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
            _ => return Err(description::unexpected(c"the name of a rule", row.get(0)?)),
        })
    }

    /// The node of the items, and their number.
    fn items(&mut self, py: &Attached, row: Row<'_>) -> Result<(u32, u32), Raised> {
        Ok((below(row.get(1)?, self.node_count)?, self.lens(py, row.get(2)?)?))
    }

    fn lens(&mut self, py: &Attached, object: Obj<'_>) -> Result<u32, Raised> {
        if singletons::is_none(object) {
            return Ok(Lens::ANY);
        }
        add(&mut self.tables.lens, lens(Row::new(py, object)?)?)
    }

    fn choice(&mut self, object: Obj<'_>) -> Result<u32, Raised> {
        if !types::is_exact_dict(object) {
            return Err(description::unexpected(c"a dict", object));
        }
        add(&mut self.tables.choices, object.to_owned())
    }

    /// A dict of the numbers of records, which `Context` checks as it reads them.
    fn choices_of_records(&self, object: Obj<'_>) -> Result<Owned, Raised> {
        if !types::is_exact_dict(object) {
            return Err(description::unexpected(c"a dict", object));
        }
        Ok(object.to_owned())
    }
}

fn lens(row: Row<'_>) -> Result<Lens, Raised> {
    let most = row.optional(1)?.map(description::size).transpose()?;
    Ok(Lens { least: description::size(row.get(0)?)?, most: most.unwrap_or(usize::MAX) })
}

fn zone(object: Option<Obj<'_>>) -> Result<Zone, Raised> {
    let Some(object) = object else { return Ok(Zone::Any) };
    match description::name(object)? {
        b"aware" => Ok(Zone::Aware),
        b"naive" => Ok(Zone::Naive),
        _ => Err(description::unexpected(c"\"aware\" or \"naive\"", object)),
    }
}

fn int_bounds(py: &Attached, object: Obj<'_>) -> Result<IntBounds, Raised> {
    let row = Row::new(py, object)?;
    let bound = |place| row.optional(place)?.map(description::integer).transpose();
    Ok(IntBounds { least: bound(0)?, most: bound(1)?, multiple: bound(2)?.filter(|&one| one > 0) })
}

fn float_bounds(py: &Attached, object: Obj<'_>) -> Result<FloatBounds, Raised> {
    let row = Row::new(py, object)?;
    let bound = |place| row.optional(place)?.map(description::float).transpose();
    Ok(FloatBounds {
        above: bound(0)?,
        least: bound(1)?,
        below: bound(2)?,
        most: bound(3)?,
        multiple: bound(4)?,
    })
}

/// Calls that a value may go through, which are nested: they are read, and made, by recursion.
const MOST_CALLS: usize = 100;
