//! The plan of a decoder: which values are expected, and what is made of them.
//!
//! Separate from `compile`, which makes plans, and from `walk`, which follows them. A plan is an
//! arena: nodes and records refer to each other by index, so recursive types need no special
//! treatment. A node has one rule for each kind of JSON value, so a union costs no more than its
//! members. Invariants: every index is within the plan, because `compile` has checked it; a plan
//! never changes.

use snooze_core::names::Names;

use crate::decode::typed::choices::Choices;
use crate::decode::typed::element::Element;
use crate::description::TupleNodes;
use crate::py::bytes::OwnedBytes;
use crate::py::datetime::Uuids;
use crate::py::dict::OwnedDict;
use crate::py::instance::{InlineValues, Slot};
use crate::py::{Owned, instance, tuple};

/// How to decode documents into one type.
#[derive(Debug)]
pub(crate) struct DecodePlan {
    /// A number that no other plan of this process has.
    pub(super) id: u64,
    pub(super) nodes: Vec<Node>,
    pub(super) records: Vec<Record>,
    /// The index of the node that expects the document.
    pub(super) root: usize,
    pub(super) options: Options,
    pub(super) tables: Tables,
    /// A node that takes any value.
    pub(super) any_node: Node,
    /// The number of places in all records: see [`Record::first_place`].
    pub(super) places: usize,
    /// The record of frames that have none.
    pub(super) empty_record: Record,
    /// A function that raises the problems: it is called with the document, a list of them, and how
    /// many more there are.
    pub(super) fail: Owned,
    /// Whether following the plan may run Python code.
    pub(super) runs_python: bool,
}

impl DecodePlan {
    /// Whether the plan makes of each whole document what `loads` makes, except that integers of any
    /// size stay integers.
    pub(crate) fn takes_any(&self) -> bool {
        self.options.pointer.is_none() && self.nodes.get(self.root).is_some_and(Node::takes_any)
    }
}

/// The options of a decoder.
#[derive(Debug)]
pub(super) struct Options {
    /// Whether a value must be of the JSON kind that its type names.
    pub(super) strict: bool,
    /// Whether all problems are reported, not only the first one.
    pub(super) all_errors: bool,
    /// How many problems are reported; more are counted.
    pub(super) max_errors: usize,
    /// Whether skipped values are not checked to be JSON.
    pub(super) fast_skip: bool,
    /// The tokens of the JSON Pointer to the value that is decoded, as UTF-8.
    pub(super) pointer: Option<Vec<OwnedBytes>>,
}

/// The parameters of rules, which refer to them by index.
#[derive(Debug, Default)]
pub(super) struct Tables {
    pub(super) int_bounds: Vec<IntBounds>,
    pub(super) float_bounds: Vec<FloatBounds>,
    pub(super) str_bounds: Vec<StrBounds>,
    /// The first entry is [`LengthBounds::ANY`].
    pub(super) lengths: Vec<LengthBounds>,
    /// For enums and `Literal`.
    pub(super) choices: Vec<Choices>,
    pub(super) fixed_tuples: Vec<TupleNodes>,
    pub(super) dicts: Vec<DictRule>,
    pub(super) unions: Vec<Union>,
    pub(super) vias: Vec<Via>,
    /// Classes and functions that are called with a value.
    pub(super) classes: Vec<Owned>,
    pub(super) uuids: Vec<Uuids>,
    /// The classes whose instances are kept where objects are converted.
    pub(super) instances: Vec<Vec<Instance>>,
    /// Element types, each with the function that makes an array of memory and shape.
    pub(super) ndarrays: Vec<(Element, Owned)>,
}

/// What is expected in one position: a rule for each kind of JSON value.
#[derive(Clone, Debug)]
pub(super) struct Node {
    /// The phrase for it in messages.
    pub(super) expected: Owned,
    pub(super) null: Rule,
    pub(super) boolean: Rule,
    pub(super) int: Rule,
    pub(super) float: Rule,
    pub(super) string: Rule,
    pub(super) array: Rule,
    pub(super) object: Rule,
    /// For objects that are no JSON values, where objects are converted.
    pub(super) other: Rule,
    /// For instances of the classes that the type names, where objects are converted.
    pub(super) kept: Rule,
    /// Whether arrays become what `loads` makes of them, except that integers of any size stay
    /// integers.
    pub(super) is_plain_array: bool,
    /// The same of objects.
    pub(super) is_plain_object: bool,
}

/// What is made of one kind of JSON value. Numbers are indices into [`Tables`], nodes or records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rule {
    /// Nothing: this kind of value is a problem.
    Unexpected,
    /// What `loads` makes, except that integers of any size stay integers.
    Any,
    /// An instance of the class with the bytes of the value.
    Raw(u32),
    Null,
    Bool,
    /// `True` only, or `False` only.
    BoolIs(bool),
    Int,
    IntWithin(u32),
    Float,
    FloatWithin(u32),
    Decimal(u32),
    Str,
    StrWithin(u32),
    /// `bytes` from base64, of a length.
    Bytes(u32),
    /// `bytearray` from base64, of a length.
    ByteArray(u32),
    DateTime(Timezone),
    Date,
    Time(Timezone),
    TimeDelta,
    Uuid(u32),
    /// One of the choices.
    Choice(u32),
    /// A `list`: the node of its items, and its length.
    List(u32, u32),
    /// A `set`: the node of its items, and its length.
    Set(u32, u32),
    /// A `frozenset`: the node of its items, and its length.
    FrozenSet(u32, u32),
    /// A `tuple` of one type of items: their node, and its length.
    Tuple(u32, u32),
    /// A `tuple` with a node for each item.
    FixedTuple(u32),
    /// An instance, from an array of its fields.
    ArrayRecord(u32),
    /// What a function makes of nested lists.
    NdArrayOfList(u32),
    /// What a function makes of numbers of one type, in memory.
    NdArrayOfNumbers(u32),
    Dict(u32),
    /// An instance, from an object.
    Record(u32),
    /// An instance of one of several classes, from an object.
    Union(u32),
    /// The same from an array, whose first item is the tag.
    ArrayUnion(u32),
    /// The result of another rule, passed to a function.
    Via(u32),
    /// The object itself, if it is an instance of one of several classes.
    Instances(u32),
}

/// Whether a time must have a UTC offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Timezone {
    Any,
    /// With an offset.
    Aware,
    /// Without an offset.
    Naive,
}

/// Bounds of an integer, inclusive.
#[derive(Clone, Copy, Debug)]
pub(super) struct IntBounds {
    pub(super) min: Option<i64>,
    pub(super) max: Option<i64>,
    /// Greater than zero.
    pub(super) multiple_of: Option<i64>,
}

impl IntBounds {
    #[inline(always)]
    pub(super) fn allows(self, value: i64) -> bool {
        self.min.is_none_or(|min| min <= value)
            && self.max.is_none_or(|max| value <= max)
            && self.multiple_of.is_none_or(|divisor| value % divisor == 0)
    }

    /// Whether the bounds allow an integer beyond 64 bits.
    pub(super) fn allows_beyond_i64(self, is_negative: bool) -> bool {
        if is_negative { self.min.is_none() } else { self.max.is_none() }
    }
}

/// Bounds of a float.
#[derive(Clone, Copy, Debug)]
pub(super) struct FloatBounds {
    pub(super) exclusive_min: Option<f64>,
    pub(super) min: Option<f64>,
    pub(super) exclusive_max: Option<f64>,
    pub(super) max: Option<f64>,
    pub(super) multiple_of: Option<f64>,
}

impl FloatBounds {
    #[inline(always)]
    pub(super) fn allows(self, value: f64) -> bool {
        self.exclusive_min.is_none_or(|bound| value > bound)
            && self.min.is_none_or(|bound| value >= bound)
            && self.exclusive_max.is_none_or(|bound| value < bound)
            && self.max.is_none_or(|bound| value <= bound)
            // The remainder is exact. A quotient is rounded, and a large one always whole.
            && self.multiple_of.is_none_or(|divisor| value % divisor == 0.0)
    }
}

/// Constraints of a `str`.
#[derive(Debug)]
pub(super) struct StrBounds {
    /// In code points.
    pub(super) lengths: LengthBounds,
    /// The `search` method of a regular expression.
    pub(super) search: Option<Owned>,
}

/// Bounds of a length, inclusive.
#[derive(Clone, Copy, Debug)]
pub(super) struct LengthBounds {
    pub(super) min: usize,
    pub(super) max: usize,
}

impl LengthBounds {
    /// The index of the entry that allows every length.
    pub(super) const ANY: u32 = 0;

    #[inline(always)]
    pub(super) fn allows(self, len: usize) -> bool {
        self.min <= len && len <= self.max
    }
}

/// What is made of an object that becomes a dict.
#[derive(Clone, Copy, Debug)]
pub(super) struct DictRule {
    /// The node of the keys.
    pub(super) key: u32,
    /// The node of the values.
    pub(super) value: u32,
    pub(super) lengths: u32,
    /// Whether the keys are any `str`.
    pub(super) plain_keys: bool,
}

/// Several records, one of which a member of the object selects.
#[derive(Debug)]
pub(super) struct Union {
    /// The name of the member whose value selects the record; `None` if the presence of a member
    /// does, or the first item of an array.
    pub(super) tag: Option<OwnedBytes>,
    /// A dict from those values, or from names of members, to the index of a record.
    pub(super) records: OwnedDict,
    /// The record of an object that none of these selects.
    pub(super) fallback: Option<u32>,
}

/// A rule, and the function that is called with its result.
#[derive(Debug)]
pub(super) struct Via {
    pub(super) rule: Rule,
    pub(super) function: Owned,
}

/// A class whose instances are kept where objects are converted.
#[derive(Debug)]
pub(super) struct Instance {
    /// A class, or a tuple of classes.
    pub(super) class: Owned,
    /// A class whose instances are no values of the type, although they are instances of `class`.
    pub(super) excluded: Option<Owned>,
    /// The function that checks, or converts, the instance.
    pub(super) function: Option<Owned>,
    /// Whether the class has a form in JSON, as which its instances are read if the type takes it.
    pub(super) is_builtin: bool,
}

/// A class with fields.
#[derive(Debug)]
pub(super) struct Record {
    /// The name of the class in messages.
    pub(super) name: Owned,
    pub(super) construction: Construction,
    pub(super) fields: Vec<Field>,
    /// The JSON names of the fields, in order, followed by their further names.
    pub(super) names: Names,
    /// The index of the field of each further name.
    pub(super) aliases: Vec<u16>,
    /// The indices of the fields that have a JSON name: the order of the items of an array.
    pub(super) array_fields: Vec<u16>,
    pub(super) unknown: UnknownMembers,
    /// Names of members that are skipped, whatever happens to other unknown members.
    pub(super) skipped_names: Vec<Vec<u8>>,
    pub(super) tag: Option<Tag>,
    /// The node of the tag, which is the first item of an array.
    pub(super) tag_item: Option<u32>,
    /// The place at the start of the record, which the places after its fields follow: numbers for
    /// `unknown_names`.
    pub(super) first_place: usize,
    /// Whether a field receives the unknown members.
    pub(super) collects_into_field: bool,
    /// Whether unknown members are skipped, except the tag.
    pub(super) skips_unknown: bool,
    /// Whether instances are hidden from the cyclic garbage collector.
    pub(super) untracked: bool,
    /// A faster construction, for instances that have slots only.
    pub(super) slots_only: Option<instance::SlotsOnly>,
    /// A faster construction, for instances that have inline values.
    pub(super) inline_values: Option<InlineValues>,
}

/// A field of a class.
#[derive(Debug)]
pub(super) struct Field {
    /// The name of the attribute, interned.
    pub(super) attribute: Owned,
    /// The name in the message that the member is missing.
    pub(super) message_name: Owned,
    pub(super) node: Node,
    pub(super) default: FieldDefault,
    /// The slot of the instance, if the attribute is one.
    pub(super) slot: Option<Slot>,
}

/// What a field gets if the document does not have it.
#[derive(Debug)]
pub(super) enum FieldDefault {
    /// The missing member is a problem.
    Required,
    /// This object.
    Value(Owned),
    /// The result of a call.
    Factory(Owned),
    /// Nothing: the attribute stays unset, or the constructor sets it.
    Unset,
}

/// What happens to a member that is not a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum UnknownMembers {
    /// It is skipped.
    Ignore,
    /// It is a problem.
    Forbid,
    /// It is added to the dict that is this field, or to the record itself, which is a dict.
    Collect { field: Option<u16>, node: u32 },
}

/// A member that tells the class of an object. It may be missing.
#[derive(Debug)]
pub(super) struct Tag {
    /// The name of the member, as UTF-8.
    pub(super) name: OwnedBytes,
    /// The value for this class.
    pub(super) value: Owned,
    /// The phrase for that value in messages.
    pub(super) expected: Owned,
}

/// How an instance is made of its fields.
#[derive(Debug)]
pub(super) enum Construction {
    /// The fields are stored without a call of the constructor; then `post_init` is called.
    WithoutInit { class: instance::Class, post_init: Option<Owned> },
    /// The class is called with the fields as keywords.
    Keywords(Owned),
    /// The class is called with the fields by position.
    Positional(Owned),
    /// A `dict` of the fields.
    Dict,
    /// The memory of a tuple is filled with the fields.
    NamedTuple(tuple::TupleClass),
}

impl DecodePlan {
    /// The node at an index, which `compile` has checked.
    #[inline(always)]
    pub(super) fn node(&self, index: u32) -> &Node {
        self.nodes.get(index as usize).unwrap_or(&self.any_node)
    }

    /// The record at an index, which `compile` has checked.
    #[inline(always)]
    pub(super) fn record(&self, index: u32) -> &Record {
        self.records.get(index as usize).unwrap_or(&self.empty_record)
    }

    /// The rule inside all calls: what a value becomes before functions are called with it.
    pub(super) fn without_calls(&self, mut rule: Rule) -> Rule {
        while let Rule::Via(index) = rule
            && let Some(via) = self.tables.vias.get(index as usize)
        {
            rule = via.rule;
        }
        rule
    }

    /// The length bounds at an index.
    pub(super) fn lengths(&self, index: u32) -> LengthBounds {
        self.tables
            .lengths
            .get(index as usize)
            .copied()
            .unwrap_or(LengthBounds { min: 0, max: usize::MAX })
    }

    /// Calls `see` for each object that the plan owns.
    pub(crate) fn visit_objects(&self, see: &mut dyn FnMut(&Owned)) {
        see(&self.fail);
        for node in &self.nodes {
            see(&node.expected);
        }
        let tables = &self.tables;
        tables.str_bounds.iter().filter_map(|bounds| bounds.search.as_ref()).for_each(&mut *see);
        tables.choices.iter().for_each(|choices| choices.visit_objects(see));
        tables.classes.iter().for_each(&mut *see);
        tables.ndarrays.iter().for_each(|(_, factory)| see(factory));
        for Instance { class, excluded, function, .. } in tables.instances.iter().flatten() {
            [Some(class), excluded.as_ref(), function.as_ref()]
                .into_iter()
                .flatten()
                .for_each(&mut *see);
        }
        tables.uuids.iter().flat_map(Uuids::objects).for_each(&mut *see);
        tables.unions.iter().for_each(|union| see(union.records.as_owned()));
        tables.vias.iter().for_each(|via| see(&via.function));
        for record in &self.records {
            if let Construction::WithoutInit { post_init: Some(post_init), .. } =
                &record.construction
            {
                see(post_init);
            }
            record.construction.class().into_iter().for_each(&mut *see);
            record.slots_only.iter().for_each(|slots_only| see(slots_only.class()));
            for field in &record.fields {
                see(&field.node.expected);
                if let FieldDefault::Value(object) | FieldDefault::Factory(object) = &field.default
                {
                    see(object);
                }
            }
        }
    }
}

impl Construction {
    /// The class; `None` for a dict.
    pub(super) fn class(&self) -> Option<&Owned> {
        match self {
            Self::WithoutInit { class, .. } => Some(class.get()),
            Self::Keywords(class) | Self::Positional(class) => Some(class),
            Self::NamedTuple(class) => Some(class.get()),
            Self::Dict => None,
        }
    }
}

impl Node {
    /// Whether all values become what `loads` makes of them, except that integers of any size stay
    /// integers.
    pub(super) fn takes_any(&self) -> bool {
        let Self { null, boolean, int, float, string, array, object, .. } = self;
        [null, boolean, int, float, string, array, object].iter().all(|&&rule| rule == Rule::Any)
    }

    /// Whether the hash of each value, as the key of a dict, runs no Python code: that of enums and
    /// UUIDs does, and classes of users may.
    pub(super) fn is_hashed_in_c(&self) -> bool {
        [self.null, self.boolean, self.int, self.float, self.string].iter().all(|rule| {
            use Rule::*;
            let is_number = matches!(rule, Int | IntWithin(_) | Float | FloatWithin(_));
            let is_text = matches!(rule, Str | StrWithin(_) | Bytes(_));
            let is_time = matches!(rule, DateTime(_) | Date | Time(_) | TimeDelta);
            let is_literal = matches!(rule, Unexpected | Null | Bool | BoolIs(_));
            is_number || is_text || is_time || is_literal
        })
    }

    /// A node with one rule for every kind of value.
    pub(super) fn with_rule(expected: Owned, rule: Rule) -> Self {
        Self {
            expected,
            null: rule,
            boolean: rule,
            int: rule,
            float: rule,
            string: rule,
            array: rule,
            object: rule,
            other: rule,
            kept: Rule::Unexpected,
            is_plain_array: rule == Rule::Any,
            is_plain_object: rule == Rule::Any,
        }
    }
}
