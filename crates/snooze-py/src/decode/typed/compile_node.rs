//! Nodes of a plan: what may come in one place, from its description.

use crate::decode::typed::compile::{Compiler, add, below};
use crate::decode::typed::element::Element;
use crate::decode::typed::json_kinds::{Claim, JsonKinds};
use crate::decode::typed::plan::{
    DictRule, FloatBounds, IntBounds, LengthBounds, Node, Rule, TextBounds, Union, Via, Zone,
};
use crate::description::{self, Row};
use crate::py::{Attached, Obj, Owned, Raised, error, singletons, types};

impl Compiler {
    pub(super) fn node(&mut self, py: &Attached, object: Obj<'_>) -> Result<Node, Raised> {
        let row = Row::new(py, object)?;
        let expected = row.get(0)?;
        if !types::is_exact_str(expected) {
            return Err(description::unexpected(c"a label", expected));
        }
        let mut node = Node::of(expected.to_owned(), Rule::No);
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
                    Claim::No => {}
                    Claim::Must if is_free || *by_default => {
                        (*place, *by_default) = (rule, false);
                    }
                    Claim::Must => {
                        return Err(error::system_error(c"two rules for one kind of JSON value"));
                    }
                    Claim::May if is_free => (*place, *by_default) = (rule, true),
                    Claim::May => {}
                }
            }
        }
        Ok(node)
    }

    /// A rule, and the kinds of values that it is for.
    pub(super) fn rule(
        &mut self,
        py: &Attached,
        object: Obj<'_>,
    ) -> Result<(JsonKinds, Rule), Raised> {
        let (name, row) = Row::tagged(py, object)?;
        let tables = &mut self.tables;
        Ok(match name {
            b"any" => (JsonKinds::ALL, Rule::Any),
            b"raw" => {
                (JsonKinds::ALL, Rule::Raw(add(&mut tables.classes, row.get(1)?.to_owned())?))
            }
            b"null" => (JsonKinds::NULL, Rule::Null),
            b"bool" => match row.optional(1)? {
                None => (JsonKinds::BOOL, Rule::Bool),
                Some(only) => (JsonKinds::BOOL, Rule::Only(description::boolean(only)?)),
            },
            b"int" => match row.optional(1)? {
                None => (JsonKinds::INT, Rule::Int),
                Some(bounds) => {
                    let bounds = int_bounds(py, bounds)?;
                    (JsonKinds::INT, Rule::IntWithin(add(&mut tables.ints, bounds)?))
                }
            },
            b"float" => match row.optional(1)? {
                None => (JsonKinds::FLOAT, Rule::Float),
                Some(bounds) => {
                    let bounds = float_bounds(py, bounds)?;
                    (JsonKinds::FLOAT, Rule::FloatWithin(add(&mut tables.floats, bounds)?))
                }
            },
            b"decimal" => (
                JsonKinds::DECIMAL,
                Rule::Decimal(add(&mut tables.classes, row.get(1)?.to_owned())?),
            ),
            b"str" => match row.optional(1)? {
                None => (JsonKinds::STRING, Rule::Str),
                Some(bounds) => {
                    let row = Row::new(py, bounds)?;
                    let search = row.optional(2)?.map(Obj::to_owned);
                    let bounds = TextBounds { lengths: lengths(row)?, search };
                    self.runs_code |= bounds.search.is_some();
                    (JsonKinds::STRING, Rule::StrWithin(add(&mut tables.texts, bounds)?))
                }
            },
            b"bytes" => (JsonKinds::STRING, Rule::Bytes(self.lengths(py, row.get(1)?)?)),
            b"bytearray" => (JsonKinds::STRING, Rule::ByteArray(self.lengths(py, row.get(1)?)?)),
            b"datetime" => (JsonKinds::STRING, Rule::DateTime(zone(row.optional(1)?)?)),
            b"date" => (JsonKinds::STRING, Rule::Date),
            b"time" => (JsonKinds::STRING, Rule::Time(zone(row.optional(1)?)?)),
            b"timedelta" => (JsonKinds::STRING, Rule::Delta),
            b"uuid" => {
                let class = row.get(1)?.to_owned();
                self.uuid_classes.try_reserve(1).map_err(|_| error::no_memory())?;
                self.uuid_classes.push(class);
                (JsonKinds::STRING, Rule::Uuid(self.uuid_classes.len() as u32 - 1))
            }
            b"strings" => (JsonKinds::STRING, Rule::Choice(self.choice(row.get(1)?)?)),
            b"ints" => (JsonKinds::INT, Rule::Choice(self.choice(row.get(1)?)?)),
            b"floats" => (JsonKinds::FLOAT_ONLY, Rule::Choice(self.choice(row.get(1)?)?)),
            b"list" => {
                let (node, lengths) = self.items(py, row)?;
                (JsonKinds::ARRAY, Rule::List(node, lengths))
            }
            b"set" | b"frozenset" => {
                self.runs_code = true;
                let rule = if name == b"set" { Rule::Set } else { Rule::FrozenSet };
                let (node, lengths) = self.items(py, row)?;
                (JsonKinds::ARRAY, rule(node, lengths))
            }
            b"tuple" => {
                let (node, lengths) = self.items(py, row)?;
                (JsonKinds::ARRAY, Rule::Tuple(node, lengths))
            }
            b"fixed" => {
                let items = Row::new(py, row.get(1)?)?;
                let mut nodes = description::with_room(items.len())?;
                for item in items.items() {
                    nodes.push(below(item, self.node_count)?);
                }
                (JsonKinds::ARRAY, Rule::Fixed(add(&mut self.tables.fixed, nodes)?))
            }
            b"ndarray" => {
                self.runs_code = true;
                let factory = row.get(1)?.to_owned();
                (JsonKinds::ARRAY, Rule::NdArray(add(&mut self.tables.classes, factory)?))
            }
            b"numbers" => {
                self.runs_code = true;
                let code = row.get(1)?;
                let Some(element) = Element::from_code(description::name(code)?) else {
                    return Err(description::unexpected(c"the code of a type of numbers", code));
                };
                let ndarrays = (element, row.get(2)?.to_owned());
                (JsonKinds::ARRAY, Rule::Numbers(add(&mut self.tables.ndarrays, ndarrays)?))
            }
            b"array_record" => {
                (JsonKinds::ARRAY, Rule::ArrayRecord(below(row.get(1)?, self.record_count)?))
            }
            b"dict" => {
                let dict = DictRule {
                    key: below(row.get(1)?, self.node_count)?,
                    value: below(row.get(2)?, self.node_count)?,
                    lengths: self.lengths(py, row.get(3)?)?,
                    plain_keys: false,
                };
                (JsonKinds::OBJECT, Rule::Dict(add(&mut self.tables.dicts, dict)?))
            }
            b"record" => (JsonKinds::OBJECT, Rule::Record(below(row.get(1)?, self.record_count)?)),
            b"tagged" => {
                let union = Union {
                    tag: Some(description::utf8(py, row.get(1)?)?),
                    records: self.choices_of_records(row.get(2)?)?,
                };
                (JsonKinds::OBJECT, Rule::Union(add(&mut self.tables.unions, union)?))
            }
            b"keyed" => {
                let union = Union { tag: None, records: self.choices_of_records(row.get(1)?)? };
                (JsonKinds::OBJECT, Rule::Union(add(&mut self.tables.unions, union)?))
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
        Ok((below(row.get(1)?, self.node_count)?, self.lengths(py, row.get(2)?)?))
    }

    fn lengths(&mut self, py: &Attached, object: Obj<'_>) -> Result<u32, Raised> {
        if singletons::is_none(object) {
            return Ok(LengthBounds::ANY);
        }
        add(&mut self.tables.lengths, lengths(Row::new(py, object)?)?)
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

fn lengths(row: Row<'_>) -> Result<LengthBounds, Raised> {
    let most = row.optional(1)?.map(description::size).transpose()?;
    Ok(LengthBounds { least: description::size(row.get(0)?)?, most: most.unwrap_or(usize::MAX) })
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
