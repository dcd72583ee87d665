//! The plan of a decoder: what may stand where, and what is made of it.
//!
//! A plan is an arena: nodes and records refer to each other by number, so recursive types are
//! nothing special. A node has one rule for each kind of JSON value, so that a union costs what
//! its members cost. Invariant: `compile` has checked every number in here against the arena;
//! after that a plan never changes. Followed by `walk`.

use snooze_core::names::Names;

use crate::decode::typed::element::Element;
use crate::py::datetime::Uuids;
use crate::py::instance::{InlineValues, Slot};
use crate::py::{Owned, instance, tuple};

/// What a decoder does.
#[derive(Debug)]
pub(crate) struct DecodePlan {
    pub(super) nodes: Vec<Node>,
    pub(super) records: Vec<Record>,
    pub(super) root: usize,
    pub(super) options: Options,
    pub(super) tables: Tables,
    /// The node that anything fits.
    pub(super) any: Node,
    /// What stands where a frame has no record.
    pub(super) no_record: Record,
    /// Called with the document and the problems; raises.
    pub(super) fail: Owned,
    /// Whether the walk may run Python code.
    pub(super) runs_code: bool,
}

/// The options of a decoder.
#[derive(Debug)]
pub(super) struct Options {
    /// Whether a value of another kind is a problem, even if its meaning is plain.
    pub(super) strict: bool,
    /// Whether all problems are reported, or the first one.
    pub(super) all_errors: bool,
    /// Whether what is not needed is passed over without checking it.
    pub(super) fast_skip: bool,
    /// The way to the value that is wanted.
    pub(super) at: Option<Vec<Owned>>,
}

/// What rules refer to by number.
#[derive(Debug, Default)]
pub(super) struct Tables {
    pub(super) ints: Vec<IntBounds>,
    pub(super) floats: Vec<FloatBounds>,
    pub(super) texts: Vec<TextBounds>,
    /// Lengths, from and up to.
    pub(super) lengths: Vec<LengthBounds>,
    /// Members of an enum or a `Literal`, by value.
    pub(super) choices: Vec<Owned>,
    /// The nodes of a tuple, in order.
    pub(super) fixed: Vec<Vec<u32>>,
    pub(super) dicts: Vec<DictRule>,
    pub(super) unions: Vec<Union>,
    pub(super) vias: Vec<Via>,
    pub(super) classes: Vec<Owned>,
    pub(super) uuids: Vec<Uuids>,
    /// The type of numbers, and what makes an array of memory and shape.
    pub(super) ndarrays: Vec<(Element, Owned)>,
}

/// What is expected in one place.
#[derive(Clone, Debug)]
pub(super) struct Node {
    /// What messages call it.
    pub(super) expected: Owned,
    pub(super) null: Rule,
    pub(super) boolean: Rule,
    pub(super) int: Rule,
    pub(super) float: Rule,
    pub(super) string: Rule,
    pub(super) array: Rule,
    pub(super) object: Rule,
}

/// What is made of a value of one kind. Numbers refer to [`Tables`], nodes and records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rule {
    /// It is not expected.
    No,
    /// What `loads` makes, but integers of any size.
    Any,
    /// The text itself, by a class.
    Raw(u32),
    Null,
    Bool,
    /// One of the two.
    Only(bool),
    Int,
    IntWithin(u32),
    Float,
    FloatWithin(u32),
    Decimal(u32),
    Str,
    StrWithin(u32),
    Bytes(u32),
    ByteArray(u32),
    DateTime(Zone),
    Date,
    Time(Zone),
    Delta,
    Uuid(u32),
    /// One of a table of values.
    Choice(u32),
    List(u32, u32),
    Set(u32, u32),
    FrozenSet(u32, u32),
    Tuple(u32, u32),
    Fixed(u32),
    /// Fields by their place.
    ArrayRecord(u32),
    /// Nested arrays of anything, by a function.
    NdArray(u32),
    /// Nested arrays of numbers of one type.
    Numbers(u32),
    Dict(u32),
    Record(u32),
    /// One of several records.
    Union(u32),
    /// By another rule, then a call.
    Via(u32),
}

/// Whether a time must have a zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Zone {
    Any,
    Aware,
    Naive,
}

/// Bounds of an integer, inclusive.
#[derive(Clone, Copy, Debug)]
pub(super) struct IntBounds {
    pub(super) least: Option<i64>,
    pub(super) most: Option<i64>,
    pub(super) multiple: Option<i64>,
}

/// Bounds of a float.
#[derive(Clone, Copy, Debug)]
pub(super) struct FloatBounds {
    pub(super) above: Option<f64>,
    pub(super) least: Option<f64>,
    pub(super) below: Option<f64>,
    pub(super) most: Option<f64>,
    pub(super) multiple: Option<f64>,
}

/// Lengths of a text, in code points, and a pattern's `search`.
#[derive(Debug)]
pub(super) struct TextBounds {
    pub(super) lengths: LengthBounds,
    pub(super) search: Option<Owned>,
}

/// From so many, up to so many.
#[derive(Clone, Copy, Debug)]
pub(super) struct LengthBounds {
    pub(super) least: usize,
    pub(super) most: usize,
}

impl LengthBounds {
    /// The number of the entry that every length is within.
    pub(super) const ANY: u32 = 0;

    #[inline(always)]
    pub(super) fn allow(self, len: usize) -> bool {
        self.least <= len && len <= self.most
    }
}

/// Names and values of an object that becomes a dict.
#[derive(Clone, Copy, Debug)]
pub(super) struct DictRule {
    pub(super) key: u32,
    pub(super) value: u32,
    pub(super) lengths: u32,
    /// Whether any name is itself the key.
    pub(super) plain_keys: bool,
}

/// Records of which a member of the object chooses one.
#[derive(Debug)]
pub(super) struct Union {
    /// The member whose value chooses; or it is the name of a member that chooses.
    pub(super) tag: Option<Owned>,
    /// The choices, a dict to the numbers of records.
    pub(super) records: Owned,
}

/// A value by a rule, and what is called with it.
#[derive(Debug)]
pub(super) struct Via {
    pub(super) rule: Rule,
    pub(super) call: Owned,
}

/// A class with fields.
#[derive(Debug)]
pub(super) struct Record {
    /// What messages call it.
    pub(super) name: Owned,
    pub(super) construction: Construction,
    pub(super) fields: Vec<Field>,
    /// The names of the fields, in order, and then other names for them.
    pub(super) names: Names,
    /// The fields that have a name, in order: their places in an array.
    pub(super) places: Vec<u16>,
    /// The field of each name beyond those of the fields.
    pub(super) aliases: Vec<u16>,
    pub(super) unknown: Unknown,
    pub(super) tag: Option<Tag>,
    /// Whether more is to be done at its end than to give fields that did not come what they have.
    pub(super) is_special: bool,
    /// Whether members that are no fields are passed over without a look at them.
    pub(super) passes_unknown: bool,
    /// Whether instances are hidden from the cyclic collector.
    pub(super) hidden: bool,
    /// A shorter way, if there is one: instances are their fields and nothing else, or attributes.
    pub(super) slots_only: Option<instance::SlotsOnly>,
    pub(super) inline_values: Option<InlineValues>,
}

/// A field of a class.
#[derive(Debug)]
pub(super) struct Field {
    /// The attribute's name, interned.
    pub(super) attribute: Owned,
    /// What messages call a missing one.
    pub(super) missing: Owned,
    pub(super) node: Node,
    pub(super) absent: MissingField,
    pub(super) slot: Option<Slot>,
}

/// What is done if a field does not come.
#[derive(Debug)]
pub(super) enum MissingField {
    Problem,
    Share(Owned),
    Call(Owned),
    Leave,
}

/// What is done with a member that is no field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unknown {
    Ignore,
    Forbid,
    /// Collected into a dict that is this field, or the record itself.
    Collect {
        field: Option<u16>,
        node: u32,
    },
}

/// A member that says which class it is.
#[derive(Debug)]
pub(super) struct Tag {
    pub(super) name: Owned,
    pub(super) value: Owned,
    /// What messages expect.
    pub(super) expected: Owned,
}

/// How an instance is made of its fields.
#[derive(Debug)]
pub(super) enum Construction {
    /// Without its constructor; then perhaps a function is called with it.
    Plain { class: instance::Class, after: Option<Owned> },
    /// With the fields as keywords.
    Call(Owned),
    /// With the fields by position.
    Positional(Owned),
    /// A dict.
    Dict,
    /// A named tuple.
    Tuple(tuple::TupleClass),
}

impl DecodePlan {
    /// A node by its number, which `compile` has checked.
    #[inline(always)]
    pub(super) fn node(&self, number: u32) -> &Node {
        self.nodes.get(number as usize).unwrap_or(&self.any)
    }

    /// A record by its number, likewise.
    #[inline(always)]
    pub(super) fn record(&self, number: u32) -> &Record {
        self.records.get(number as usize).unwrap_or(&self.no_record)
    }

    /// The rule behind calls, and whether there are any.
    pub(super) fn bare(&self, mut rule: Rule) -> Rule {
        while let Rule::Via(number) = rule
            && let Some(via) = self.tables.vias.get(number as usize)
        {
            rule = via.rule;
        }
        rule
    }

    /// Lengths by their number.
    pub(super) fn lengths(&self, number: u32) -> LengthBounds {
        self.tables
            .lengths
            .get(number as usize)
            .copied()
            .unwrap_or(LengthBounds { least: 0, most: usize::MAX })
    }

    /// Shows every object that the plan owns.
    pub(crate) fn visit_objects(&self, see: &mut dyn FnMut(&Owned)) {
        see(&self.fail);
        for node in &self.nodes {
            see(&node.expected);
        }
        let tables = &self.tables;
        tables.texts.iter().filter_map(|text| text.search.as_ref()).for_each(&mut *see);
        tables.choices.iter().chain(&tables.classes).for_each(&mut *see);
        tables.ndarrays.iter().for_each(|(_, construction)| see(construction));
        tables.uuids.iter().flat_map(Uuids::objects).for_each(&mut *see);
        tables.unions.iter().for_each(|union| see(&union.records));
        tables.vias.iter().for_each(|via| see(&via.call));
        for record in &self.records {
            if let Construction::Plain { after: Some(after), .. } = &record.construction {
                see(after);
            }
            record.construction.class().into_iter().for_each(&mut *see);
            record.slots_only.iter().for_each(|slots_only| see(slots_only.class()));
            for field in &record.fields {
                see(&field.node.expected);
                if let MissingField::Share(object) | MissingField::Call(object) = &field.absent {
                    see(object);
                }
            }
        }
    }
}

impl Construction {
    /// The class, if it is not `dict`.
    pub(super) fn class(&self) -> Option<&Owned> {
        match self {
            Self::Plain { class, .. } => Some(class.get()),
            Self::Call(class) | Self::Positional(class) => Some(class),
            Self::Tuple(class) => Some(class.get()),
            Self::Dict => None,
        }
    }
}

impl Node {
    /// A node that has one rule for everything.
    pub(super) fn of(expected: Owned, rule: Rule) -> Self {
        Self {
            expected,
            null: rule,
            boolean: rule,
            int: rule,
            float: rule,
            string: rule,
            array: rule,
            object: rule,
        }
    }
}
