//! Compiling the nodes of a plan: a rule for each kind of JSON value.
//!
//! Separate from `compile` because the list of rules is long. Invariant: each kind of value of a
//! node has at most one rule; a rule with an unknown name, or a tuple of another length, raises
//! `SystemError`. Called by `compile`.

use crate::decode::typed::choices::Choices;
use crate::decode::typed::compile::{Compiler, checked_index, push_entry};
use crate::decode::typed::element::Element;
use crate::decode::typed::json_kinds::{JsonKinds, Takes};
use crate::decode::typed::plan::{
    DictRule, FloatBounds, Instance, IntBounds, LengthBounds, Node, Rule, StrBounds, Timezone,
    Union, Via,
};
use crate::description::{self, Row, TupleNodes, with_room};
use crate::py::dict::{Dict, OwnedDict};
use crate::py::unicode::Str;
use crate::py::{Attached, Obj, Raised, error, singletons};

impl Compiler {
    /// Reads `(expected, rules)`.
    pub(super) fn node(&mut self, py: &Attached, object: Obj<'_>) -> Result<Node, Raised> {
        let [expected, rules] = Row::exact(py, object)?;
        if Str::exact(expected).is_none() {
            return Err(description::unexpected(c"a str", expected));
        }
        let mut node = Node::with_rule(expected.to_owned(), Rule::Unexpected);
        let mut replaceable = [false; 9];
        for rule in Row::new(py, rules)?.items() {
            let (kinds, rule) = self.rule(py, rule)?;
            let current = [
                &mut node.null,
                &mut node.boolean,
                &mut node.int,
                &mut node.float,
                &mut node.string,
                &mut node.array,
                &mut node.object,
                &mut node.other,
                &mut node.kept,
            ];
            for ((current, takes), replaceable) in
                current.into_iter().zip(kinds.0).zip(&mut replaceable)
            {
                let is_free = *current == Rule::Unexpected;
                match takes {
                    Takes::Never => {}
                    Takes::Always if is_free || *replaceable => {
                        (*current, *replaceable) = (rule, false);
                    }
                    Takes::Always => {
                        return Err(error::system_error(c"two rules for one kind of JSON value"));
                    }
                    Takes::IfFree if is_free => (*current, *replaceable) = (rule, true),
                    Takes::IfFree => {}
                }
            }
        }
        Ok(node)
    }

    /// Reads a rule, which begins with its name; returns also the kinds of values that it takes.
    pub(super) fn rule(
        &mut self,
        py: &Attached,
        object: Obj<'_>,
    ) -> Result<(JsonKinds, Rule), Raised> {
        let (name, row) = Row::tagged(py, object)?;
        let tables = &mut self.tables;
        Ok(match name {
            // Other objects only if no other rule takes them.
            b"any" => (masked_kinds(row, 1)?.and_if_free(7), Rule::Any),
            b"raw" => {
                let kinds = masked_kinds(row, 2)?;
                let class = row.get(1)?.to_owned();
                (kinds, Rule::Raw(push_entry(&mut tables.classes, class)?))
            }
            b"null" => {
                let [_] = row.exactly()?;
                (JsonKinds::NULL, Rule::Null)
            }
            b"bool" => {
                let [_, only] = row.exactly()?;
                let rule = match description::optional(only) {
                    None => Rule::Bool,
                    Some(only) => Rule::BoolIs(description::boolean(only)?),
                };
                (JsonKinds::BOOL, rule)
            }
            b"int" => {
                let [_, bounds] = row.exactly()?;
                let rule = match description::optional(bounds) {
                    None => Rule::Int,
                    Some(bounds) => Rule::IntWithin(push_entry(
                        &mut tables.int_bounds,
                        int_bounds(py, bounds)?,
                    )?),
                };
                (JsonKinds::INT, rule)
            }
            b"float" => {
                let [_, bounds] = row.exactly()?;
                let rule = match description::optional(bounds) {
                    None => Rule::Float,
                    Some(bounds) => Rule::FloatWithin(push_entry(
                        &mut tables.float_bounds,
                        float_bounds(py, bounds)?,
                    )?),
                };
                (JsonKinds::FLOAT, rule)
            }
            b"decimal" => {
                let [_, class] = row.exactly()?;
                (
                    JsonKinds::DECIMAL,
                    Rule::Decimal(push_entry(&mut tables.classes, class.to_owned())?),
                )
            }
            b"str" => {
                let [_, bounds] = row.exactly()?;
                let rule = match description::optional(bounds) {
                    None => Rule::Str,
                    Some(bounds) => {
                        let bounds = str_bounds(py, bounds)?;
                        self.runs_python |= bounds.search.is_some();
                        Rule::StrWithin(push_entry(&mut tables.str_bounds, bounds)?)
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
                (JsonKinds::STRING, Rule::DateTime(timezone(tz)?))
            }
            b"date" => {
                let [_] = row.exactly()?;
                (JsonKinds::STRING, Rule::Date)
            }
            b"time" => {
                let [_, tz] = row.exactly()?;
                (JsonKinds::STRING, Rule::Time(timezone(tz)?))
            }
            b"timedelta" => {
                let [_] = row.exactly()?;
                (JsonKinds::STRING, Rule::TimeDelta)
            }
            b"uuid" => {
                let [_, class] = row.exactly()?;
                (
                    JsonKinds::STRING,
                    Rule::Uuid(push_entry(&mut self.uuid_classes, class.to_owned())?),
                )
            }
            b"strings" => {
                let [_, values] = row.exactly()?;
                (JsonKinds::STRING, Rule::Choice(self.choice(py, values)?))
            }
            b"ints" => {
                let [_, values] = row.exactly()?;
                (JsonKinds::INT, Rule::Choice(self.choice(py, values)?))
            }
            b"floats" => {
                let [_, values] = row.exactly()?;
                (JsonKinds::FLOAT_ONLY, Rule::Choice(self.choice(py, values)?))
            }
            b"list" => {
                let (node, lengths) = self.items(py, row)?;
                (JsonKinds::ARRAY, Rule::List(node, lengths))
            }
            b"set" => {
                self.runs_python = true;
                let (node, lengths) = self.items(py, row)?;
                (JsonKinds::ARRAY, Rule::Set(node, lengths))
            }
            b"frozenset" => {
                self.runs_python = true;
                let (node, lengths) = self.items(py, row)?;
                (JsonKinds::ARRAY, Rule::FrozenSet(node, lengths))
            }
            b"tuple" => {
                let (node, lengths) = self.items(py, row)?;
                (JsonKinds::ARRAY, Rule::Tuple(node, lengths))
            }
            b"fixed" => {
                // With the node of all other items, if there may be any.
                let rest = match row.len() {
                    2 => None,
                    3 => Some(row.get(2)?),
                    _ => return Err(description::unexpected(c"a rule of another length", object)),
                };
                let (first, count) = (row.get(1)?, self.node_count);
                let nodes = TupleNodes::read(py, first, rest, |node| checked_index(node, count))?;
                (
                    JsonKinds::ARRAY,
                    Rule::FixedTuple(push_entry(&mut self.tables.fixed_tuples, nodes)?),
                )
            }
            b"ndarray" => {
                self.runs_python = true;
                let [_, factory] = row.exactly()?;
                (
                    JsonKinds::ARRAY,
                    Rule::NdArrayOfList(push_entry(&mut tables.classes, factory.to_owned())?),
                )
            }
            b"numbers" => {
                self.runs_python = true;
                let [_, code, factory] = row.exactly()?;
                let Some(element) = Element::from_code(description::name(code)?) else {
                    return Err(description::unexpected(c"the type code of numbers", code));
                };
                let ndarray = (element, factory.to_owned());
                (
                    JsonKinds::ARRAY,
                    Rule::NdArrayOfNumbers(push_entry(&mut tables.ndarrays, ndarray)?),
                )
            }
            b"array_record" => {
                let [_, record] = row.exactly()?;
                (JsonKinds::ARRAY, Rule::ArrayRecord(checked_index(record, self.record_count)?))
            }
            b"dict" => {
                let [_, key, value, lengths] = row.exactly()?;
                let dict = DictRule {
                    key: checked_index(key, self.node_count)?,
                    value: checked_index(value, self.node_count)?,
                    lengths: self.lengths(py, lengths)?,
                    plain_keys: false,
                };
                (JsonKinds::OBJECT, Rule::Dict(push_entry(&mut self.tables.dicts, dict)?))
            }
            b"record" => {
                let [_, record] = row.exactly()?;
                (JsonKinds::OBJECT, Rule::Record(checked_index(record, self.record_count)?))
            }
            b"tagged" => {
                let [_, tag, records, fallback] = row.exactly()?;
                let tag = Some(description::utf8(py, tag)?);
                let fallback = record_or_none(fallback, self.record_count)?;
                let union = Union { tag, records: exact_dict(records)?, fallback };
                (JsonKinds::OBJECT, Rule::Union(push_entry(&mut tables.unions, union)?))
            }
            b"tagged_arrays" => {
                let [_, records] = row.exactly()?;
                let union = Union { tag: None, records: exact_dict(records)?, fallback: None };
                (JsonKinds::ARRAY, Rule::ArrayUnion(push_entry(&mut tables.unions, union)?))
            }
            b"keyed" => {
                let [_, records, fallback] = row.exactly()?;
                let fallback = record_or_none(fallback, self.record_count)?;
                let union = Union { tag: None, records: exact_dict(records)?, fallback };
                (JsonKinds::OBJECT, Rule::Union(push_entry(&mut tables.unions, union)?))
            }
            b"instances" => {
                let [_, classes] = row.exactly()?;
                let rows = Row::new(py, classes)?;
                let mut instances = with_room(rows.items().count())?;
                for row in rows.items() {
                    let [class, excluded, function, is_builtin] = Row::exact(py, row)?;
                    let owned = |object| description::optional(object).map(Obj::to_owned);
                    let (excluded, function) = (owned(excluded), owned(function));
                    let (class, is_builtin) = (class.to_owned(), description::boolean(is_builtin)?);
                    instances.push(Instance { class, excluded, function, is_builtin });
                }
                (JsonKinds::KEPT, Rule::Instances(push_entry(&mut tables.instances, instances)?))
            }
            b"via" => {
                self.runs_python = true;
                let [_, inner, function] = row.exactly()?;
                if self.call_depth == MAX_CALLS {
                    return Err(error::value_error(c"a type has more than 100 checks"));
                }
                self.call_depth += 1;
                let (kinds, rule) = self.rule(py, inner)?;
                self.call_depth -= 1;
                let via = Via { rule, function: function.to_owned() };
                (kinds, Rule::Via(push_entry(&mut self.tables.vias, via)?))
            }
            _ => return Err(description::unexpected(c"the name of a rule", row.get(0)?)),
        })
    }

    /// Reads `(name, node, lengths)`: the node of the items, and the bounds of their number.
    fn items(&mut self, py: &Attached, row: Row<'_>) -> Result<(u32, u32), Raised> {
        let [_, node, lengths] = row.exactly()?;
        Ok((checked_index(node, self.node_count)?, self.lengths(py, lengths)?))
    }

    /// Reads `(min, max)` or `None`.
    fn lengths(&mut self, py: &Attached, object: Obj<'_>) -> Result<u32, Raised> {
        if singletons::is_none(object) {
            return Ok(LengthBounds::ANY);
        }
        let [min, max] = Row::exact(py, object)?;
        push_entry(&mut self.tables.lengths, length_bounds(min, max)?)
    }

    /// Reads a dict from JSON value to Python value.
    fn choice(&mut self, py: &Attached, values: Obj<'_>) -> Result<u32, Raised> {
        push_entry(&mut self.tables.choices, Choices::new(py, exact_dict(values)?.get())?)
    }
}

/// The kinds of a rule that takes any value: all, or with a mask at an index, those of the mask.
fn masked_kinds(row: Row<'_>, index: usize) -> Result<JsonKinds, Raised> {
    if row.len() == index {
        return Ok(JsonKinds::ALL);
    }
    let mask = row.get(index)?;
    let kinds =
        if row.len() > index + 1 { None } else { JsonKinds::of_mask(description::size(mask)?) };
    kinds.ok_or_else(|| description::unexpected(c"a mask of kinds", mask))
}

fn exact_dict(object: Obj<'_>) -> Result<OwnedDict, Raised> {
    let dict = Dict::exact(object).ok_or_else(|| description::unexpected(c"a dict", object))?;
    Ok(dict.to_owned())
}

fn length_bounds(min: Obj<'_>, max: Obj<'_>) -> Result<LengthBounds, Raised> {
    let max = description::optional(max).map(description::size).transpose()?;
    Ok(LengthBounds { min: description::size(min)?, max: max.unwrap_or(usize::MAX) })
}

/// Reads `(min, max, search)`.
fn str_bounds(py: &Attached, object: Obj<'_>) -> Result<StrBounds, Raised> {
    let [min, max, search] = Row::exact(py, object)?;
    let search = description::optional(search).map(Obj::to_owned);
    Ok(StrBounds { lengths: length_bounds(min, max)?, search })
}

fn timezone(object: Obj<'_>) -> Result<Timezone, Raised> {
    let Some(object) = description::optional(object) else { return Ok(Timezone::Any) };
    match description::name(object)? {
        b"aware" => Ok(Timezone::Aware),
        b"naive" => Ok(Timezone::Naive),
        _ => Err(description::unexpected(c"\"aware\" or \"naive\"", object)),
    }
}

/// Reads `(min, max, multiple_of)`.
fn int_bounds(py: &Attached, object: Obj<'_>) -> Result<IntBounds, Raised> {
    let [min, max, multiple_of] = Row::exact(py, object)?;
    let bound = |object| description::optional(object).map(description::integer).transpose();
    let multiple_of = bound(multiple_of)?;
    if multiple_of.is_some_and(|multiple_of| multiple_of <= 0) {
        return Err(error::value_error(c"MultipleOf needs a number greater than 0"));
    }
    Ok(IntBounds { min: bound(min)?, max: bound(max)?, multiple_of })
}

/// Reads `(exclusive_min, min, exclusive_max, max, multiple_of)`.
fn float_bounds(py: &Attached, object: Obj<'_>) -> Result<FloatBounds, Raised> {
    let [exclusive_min, min, exclusive_max, max, multiple_of] = Row::exact(py, object)?;
    let bound = |object| description::optional(object).map(description::float).transpose();
    Ok(FloatBounds {
        exclusive_min: bound(exclusive_min)?,
        min: bound(min)?,
        exclusive_max: bound(exclusive_max)?,
        max: bound(max)?,
        multiple_of: bound(multiple_of)?,
    })
}

/// The most calls that may be nested around a rule: they are compiled, and made, by recursion.
const MAX_CALLS: usize = 100;

/// Reads the index of a record, or `None`.
fn record_or_none(object: Obj<'_>, count: usize) -> Result<Option<u32>, Raised> {
    description::optional(object).map(|object| checked_index(object, count)).transpose()
}
