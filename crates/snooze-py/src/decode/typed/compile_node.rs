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
    /// Reads `(expected, rules)`.
    pub(super) fn node(&mut self, py: &Attached, object: Obj<'_>) -> Result<Node, Raised> {
        let [expected, rules] = Row::exact(py, object)?;
        if !types::is_exact_str(expected) {
            return Err(description::unexpected(c"a str", expected));
        }
        let mut node = Node::of(expected.to_owned(), Rule::No);
        let mut by_default = [false; 7];
        for rule in Row::new(py, rules)?.items() {
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
            b"any" => {
                let [_] = row.exactly()?;
                (JsonKinds::ALL, Rule::Any)
            }
            b"raw" => {
                let [_, class] = row.exactly()?;
                (JsonKinds::ALL, Rule::Raw(add(&mut tables.classes, class.to_owned())?))
            }
            b"null" => {
                let [_] = row.exactly()?;
                (JsonKinds::NULL, Rule::Null)
            }
            b"bool" => {
                let [_, only] = row.exactly()?;
                let rule = match description::optional(only) {
                    None => Rule::Bool,
                    Some(only) => Rule::Only(description::boolean(only)?),
                };
                (JsonKinds::BOOL, rule)
            }
            b"int" => {
                let [_, bounds] = row.exactly()?;
                let rule = match description::optional(bounds) {
                    None => Rule::Int,
                    Some(bounds) => {
                        Rule::IntWithin(add(&mut tables.ints, int_bounds(py, bounds)?)?)
                    }
                };
                (JsonKinds::INT, rule)
            }
            b"float" => {
                let [_, bounds] = row.exactly()?;
                let rule = match description::optional(bounds) {
                    None => Rule::Float,
                    Some(bounds) => {
                        Rule::FloatWithin(add(&mut tables.floats, float_bounds(py, bounds)?)?)
                    }
                };
                (JsonKinds::FLOAT, rule)
            }
            b"decimal" => {
                let [_, class] = row.exactly()?;
                (JsonKinds::DECIMAL, Rule::Decimal(add(&mut tables.classes, class.to_owned())?))
            }
            b"str" => {
                let [_, bounds] = row.exactly()?;
                let rule = match description::optional(bounds) {
                    None => Rule::Str,
                    Some(bounds) => {
                        let bounds = text_bounds(py, bounds)?;
                        self.runs_code |= bounds.search.is_some();
                        Rule::StrWithin(add(&mut tables.texts, bounds)?)
                    }
                };
                (JsonKinds::STRING, rule)
            }
            b"bytes" => {
                let [_, lengths] = row.exactly()?;
                (JsonKinds::STRING, Rule::Bytes(self.lengths(py, lengths)?))
            }
            b"bytearray" => {
                let [_, lengths] = row.exactly()?;
                (JsonKinds::STRING, Rule::ByteArray(self.lengths(py, lengths)?))
            }
            b"datetime" => {
                let [_, tz] = row.exactly()?;
                (JsonKinds::STRING, Rule::DateTime(zone(tz)?))
            }
            b"date" => {
                let [_] = row.exactly()?;
                (JsonKinds::STRING, Rule::Date)
            }
            b"time" => {
                let [_, tz] = row.exactly()?;
                (JsonKinds::STRING, Rule::Time(zone(tz)?))
            }
            b"timedelta" => {
                let [_] = row.exactly()?;
                (JsonKinds::STRING, Rule::Delta)
            }
            b"uuid" => {
                let [_, class] = row.exactly()?;
                (JsonKinds::STRING, Rule::Uuid(add(&mut self.uuid_classes, class.to_owned())?))
            }
            b"strings" => {
                let [_, values] = row.exactly()?;
                (JsonKinds::STRING, Rule::Choice(self.choice(values)?))
            }
            b"ints" => {
                let [_, values] = row.exactly()?;
                (JsonKinds::INT, Rule::Choice(self.choice(values)?))
            }
            b"floats" => {
                let [_, values] = row.exactly()?;
                (JsonKinds::FLOAT_ONLY, Rule::Choice(self.choice(values)?))
            }
            b"list" => {
                let (node, lengths) = self.items(py, row)?;
                (JsonKinds::ARRAY, Rule::List(node, lengths))
            }
            b"set" => {
                self.runs_code = true;
                let (node, lengths) = self.items(py, row)?;
                (JsonKinds::ARRAY, Rule::Set(node, lengths))
            }
            b"frozenset" => {
                self.runs_code = true;
                let (node, lengths) = self.items(py, row)?;
                (JsonKinds::ARRAY, Rule::FrozenSet(node, lengths))
            }
            b"tuple" => {
                let (node, lengths) = self.items(py, row)?;
                (JsonKinds::ARRAY, Rule::Tuple(node, lengths))
            }
            b"fixed" => {
                let [_, items] = row.exactly()?;
                let items = Row::new(py, items)?;
                let mut nodes = description::with_room(items.len())?;
                for item in items.items() {
                    nodes.push(below(item, self.node_count)?);
                }
                (JsonKinds::ARRAY, Rule::Fixed(add(&mut self.tables.fixed, nodes)?))
            }
            b"ndarray" => {
                self.runs_code = true;
                let [_, factory] = row.exactly()?;
                (JsonKinds::ARRAY, Rule::NdArray(add(&mut tables.classes, factory.to_owned())?))
            }
            b"numbers" => {
                self.runs_code = true;
                let [_, code, factory] = row.exactly()?;
                let Some(element) = Element::from_code(description::name(code)?) else {
                    return Err(description::unexpected(c"the code of a type of numbers", code));
                };
                let ndarrays = (element, factory.to_owned());
                (JsonKinds::ARRAY, Rule::Numbers(add(&mut tables.ndarrays, ndarrays)?))
            }
            b"array_record" => {
                let [_, record] = row.exactly()?;
                (JsonKinds::ARRAY, Rule::ArrayRecord(below(record, self.record_count)?))
            }
            b"dict" => {
                let [_, key, value, lengths] = row.exactly()?;
                let dict = DictRule {
                    key: below(key, self.node_count)?,
                    value: below(value, self.node_count)?,
                    lengths: self.lengths(py, lengths)?,
                    plain_keys: false,
                };
                (JsonKinds::OBJECT, Rule::Dict(add(&mut self.tables.dicts, dict)?))
            }
            b"record" => {
                let [_, record] = row.exactly()?;
                (JsonKinds::OBJECT, Rule::Record(below(record, self.record_count)?))
            }
            b"tagged" => {
                let [_, tag, records] = row.exactly()?;
                let tag = Some(description::utf8(py, tag)?);
                let union = Union { tag, records: exact_dict(records)? };
                (JsonKinds::OBJECT, Rule::Union(add(&mut tables.unions, union)?))
            }
            b"keyed" => {
                let [_, records] = row.exactly()?;
                let union = Union { tag: None, records: exact_dict(records)? };
                (JsonKinds::OBJECT, Rule::Union(add(&mut tables.unions, union)?))
            }
            b"via" => {
                self.runs_code = true;
                let [_, inner, function] = row.exactly()?;
                if self.calls == MOST_CALLS {
                    return Err(error::value_error(c"a type has more than 100 checks"));
                }
                self.calls += 1;
                let (kinds, rule) = self.rule(py, inner)?;
                self.calls -= 1;
                let via = Via { rule, call: function.to_owned() };
                (kinds, Rule::Via(add(&mut self.tables.vias, via)?))
            }
            _ => return Err(description::unexpected(c"the name of a rule", row.get(0)?)),
        })
    }

    /// Reads `(_, node, lengths)`: the node of the items, and their number.
    fn items(&mut self, py: &Attached, row: Row<'_>) -> Result<(u32, u32), Raised> {
        let [_, node, lengths] = row.exactly()?;
        Ok((below(node, self.node_count)?, self.lengths(py, lengths)?))
    }

    fn lengths(&mut self, py: &Attached, object: Obj<'_>) -> Result<u32, Raised> {
        if singletons::is_none(object) {
            return Ok(LengthBounds::ANY);
        }
        let [least, most] = Row::exact(py, object)?;
        add(&mut self.tables.lengths, length_bounds(least, most)?)
    }

    fn choice(&mut self, values: Obj<'_>) -> Result<u32, Raised> {
        add(&mut self.tables.choices, exact_dict(values)?)
    }
}

fn exact_dict(object: Obj<'_>) -> Result<Owned, Raised> {
    if !types::is_exact_dict(object) {
        return Err(description::unexpected(c"a dict", object));
    }
    Ok(object.to_owned())
}

fn length_bounds(least: Obj<'_>, most: Obj<'_>) -> Result<LengthBounds, Raised> {
    let most = description::optional(most).map(description::size).transpose()?;
    Ok(LengthBounds { least: description::size(least)?, most: most.unwrap_or(usize::MAX) })
}

/// Reads `(least, most, search)`.
fn text_bounds(py: &Attached, object: Obj<'_>) -> Result<TextBounds, Raised> {
    let [least, most, search] = Row::exact(py, object)?;
    let search = description::optional(search).map(Obj::to_owned);
    Ok(TextBounds { lengths: length_bounds(least, most)?, search })
}

fn zone(object: Obj<'_>) -> Result<Zone, Raised> {
    let Some(object) = description::optional(object) else { return Ok(Zone::Any) };
    match description::name(object)? {
        b"aware" => Ok(Zone::Aware),
        b"naive" => Ok(Zone::Naive),
        _ => Err(description::unexpected(c"\"aware\" or \"naive\"", object)),
    }
}

fn int_bounds(py: &Attached, object: Obj<'_>) -> Result<IntBounds, Raised> {
    let [least, most, multiple] = Row::exact(py, object)?;
    let bound = |object| description::optional(object).map(description::integer).transpose();
    let multiple = bound(multiple)?;
    if multiple.is_some_and(|multiple| multiple <= 0) {
        return Err(error::value_error(c"MultipleOf needs a number greater than 0"));
    }
    Ok(IntBounds { least: bound(least)?, most: bound(most)?, multiple })
}

fn float_bounds(py: &Attached, object: Obj<'_>) -> Result<FloatBounds, Raised> {
    let [above, least, below, most, multiple] = Row::exact(py, object)?;
    let bound = |object| description::optional(object).map(description::float).transpose();
    Ok(FloatBounds {
        above: bound(above)?,
        least: bound(least)?,
        below: bound(below)?,
        most: bound(most)?,
        multiple: bound(multiple)?,
    })
}

/// Calls that a value may go through, which are nested: they are read, and made, by recursion.
const MOST_CALLS: usize = 100;
