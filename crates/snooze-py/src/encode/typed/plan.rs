//! The plan of an encoder: nodes, records, and what some nodes need.
//!
//! Separate from `compile`, which makes it, because the walks only read it. The plan is an arena:
//! each part is in a vector, and parts refer to each other by index. Invariants: every index is
//! valid (`compile` has checked it), and a plan never changes, except for the field layout of a
//! record, which is found when its first instance is written.

use snooze_core::out::{Buffer, NoMemory, Out, WhiteSpace};

use crate::description::TupleNodes;
use crate::encode::rendered::Rendered;
use crate::encode::typed::policies::Policies;
use crate::options::EncodeFlags;
use crate::py::dict::OwnedDict;
use crate::py::gil_cell::GilCell;
use crate::py::instance::{Attributes, FieldOffset, InstanceMemory, Layout};
use crate::py::tuple::Tuple;
use crate::py::types::Exact;
use crate::py::{Attached, Obj, Owned, Raised, error};
use crate::text_layout::TextLayout;

/// A plan.
#[derive(Debug)]
pub(crate) struct EncodePlan {
    pub(super) nodes: Vec<Node>,
    pub(super) records: Vec<Record>,
    pub(super) fixed_tuples: Vec<TupleNodes>,
    /// The key and value nodes of each kind of dict.
    pub(super) dicts: Vec<DictNodes>,
    pub(super) enums: Vec<EnumMembers>,
    pub(super) root: u32,
    pub(super) resolve: Option<Owned>,
    pub(super) hook: Option<Owned>,
    pub(super) decimal_number: bool,
    /// Infinities and NaN are refused, not written as null.
    pub(super) finite: bool,
    /// What is written for values without a form, or with several.
    pub(super) policies: Policies,
    pub(super) flags: EncodeFlags,
    /// What is done to the text after it is written: it is laid out, or only made ASCII.
    pub(super) layout: Option<TextLayout>,
    /// Whether a line feed follows what is not laid out.
    pub(super) newline: bool,
    /// The white space that the walk writes, if it is not compact.
    pub(super) white_space: WhiteSpace,
    pub(super) plain_array: Option<Owned>,
    /// What stays an object, for `to_builtins`.
    pub(super) keep: Option<Keep>,
}

/// What an encoder keeps.
#[derive(Debug)]
pub(crate) struct Keep {
    /// A tuple of classes.
    pub(super) classes: Owned,
    /// Whether keys that are numbers, `bool` or `None` are kept.
    pub(super) keys: bool,
    /// A function that returns the floats of a numpy array in lists.
    pub(super) floats: Owned,
}

impl Keep {
    /// Whether instances of an exact type are kept.
    pub(super) fn has_type(&self, py: &mut Attached, exact: Exact) -> Result<bool, Raised> {
        exact.is_subclass(py, &self.classes)
    }
}

/// The key and value nodes of a dict.
#[derive(Clone, Copy, Debug)]
pub(super) struct DictNodes {
    pub(super) key: u32,
    pub(super) value: u32,
}

/// Which values are allowed, and how they are encoded.
#[derive(Debug)]
pub(super) struct Node {
    /// What messages say was expected.
    pub(super) expected: Owned,
    /// The kinds of scalars that are allowed, as bits (see `scalar`).
    pub(super) mask: u8,
    /// Values of every type are allowed.
    pub(super) allows_any: bool,
    /// The encodings of exact types. The first has its own field and is compared before the others.
    pub(super) first: Option<(Exact, Encoding)>,
    pub(super) exact: Vec<(Exact, Encoding)>,
    /// The class and the record, if only instances of that class are allowed.
    pub(super) only_record: Option<(Exact, u32)>,
    /// What is allowed for all other types; the first rule that accepts a value wins.
    pub(super) rules: Vec<TypeRule>,
}

impl Node {
    /// Returns the encoding of instances of exactly this type.
    #[inline(always)]
    pub(super) fn encoding(&self, class: Exact) -> Option<Encoding> {
        if let Some((first, encoding)) = self.first
            && first == class
        {
            return Some(encoding);
        }
        self.exact.iter().find(|entry| entry.0 == class).map(|entry| entry.1)
    }
}

/// How values of an exact type are encoded; the numbers are indices into the plan.
#[derive(Clone, Copy, Debug)]
pub(super) enum Encoding {
    /// A list as an array; the node of its items.
    List(u32),
    /// A tuple as an array; the node of its items.
    Tuple(u32),
    /// A tuple as an array with one node per item.
    FixedTuple(u32),
    /// A dict as an object.
    Dict(u32),
    /// An instance of a record's class, or a dict that is a record.
    Record(u32),
    /// A member of an enum.
    EnumMember(u32),
    /// A time or a UUID, as `dumps` writes it.
    TimeOrUuid,
    /// An instance of a class derived from `bytes` that is JSON already.
    RawJson,
    /// What a function for this class has returned, which does not go there again.
    Plain,
    /// Bytes as base64; by the rule with this index in the node where Python code may run.
    Base64(u32),
    /// A `timedelta` as a duration; by the rule with this index in the node where Python code may
    /// run.
    Duration(u32),
    /// By the rule with this index in the node.
    ByRule(u32),
}

/// A type that a node allows, including its subclasses; the numbers are indices into the plan.
#[derive(Debug)]
pub(super) enum TypeRule {
    None,
    Bool,
    Int,
    Float,
    Str,
    Bytes,
    /// An instance of this class, written as a number or a string.
    Decimal(Owned),
    DateTime,
    Date,
    Time,
    TimeDelta,
    Uuid(Owned),
    List(u32),
    Tuple(u32),
    FixedTuple(u32),
    /// An instance of this abstract class, written as an array with this item node.
    Iterable(Owned, u32),
    Dict(u32),
    /// An instance of this abstract class, written as an object with these key and value nodes.
    Mapping(Owned, u32),
    Record(u32),
    EnumMember(u32),
    /// An instance of this class: call this callable with it and write the result by this node.
    Convert(Owned, Owned, u32),
    /// A dict: this callable returns the index of the node that writes it, or None. The names of
    /// the nodes are for messages.
    SelectDict(Owned, Vec<u32>, Owned),
    /// The same for a value of any type; the callable may also return its JSON as bytes.
    SelectAny(Owned, Vec<u32>, Owned),
    RawJson(Owned),
    /// A numpy array; a callable that returns None, or what was found if the array does not fit.
    NumpyArray(Option<Owned>),
}

/// The members of an enum and their JSON.
#[derive(Debug)]
pub(super) struct EnumMembers {
    pub(super) class: Owned,
    /// Members and their JSON, from the description.
    pub(super) dict: OwnedDict,
    /// The same as a hash table by the address of the member; its size is a power of two.
    pub(super) table: Vec<Option<(Owned, Rendered)>>,
}

impl EnumMembers {
    /// Returns the slot where the search for a member begins.
    #[inline(always)]
    pub(super) fn first_slot(object: Obj<'_>) -> usize {
        let address = object.as_ptr() as usize;
        address >> 4 ^ address >> 12
    }

    /// Returns the JSON of a member, followed by a comma.
    #[inline(always)]
    pub(super) fn rendered(&self, object: Obj<'_>) -> Option<&Rendered> {
        let mut slot = Self::first_slot(object);
        loop {
            // The table always has a free slot, which ends the search.
            let (member, rendered) = self.table.get(slot & (self.table.len() - 1))?.as_ref()?;
            if member.get() == object {
                return Some(rendered);
            }
            slot += 1;
        }
    }
}

/// A class with fields.
#[derive(Debug)]
pub(super) struct Record {
    pub(super) class: Owned,
    pub(super) kind: RecordKind,
    /// Instances are written as arrays.
    pub(super) is_array: bool,
    pub(super) fields: Vec<FieldPlan>,
    /// The attribute names of the fields, interned; for a tuple the indices of its items.
    pub(super) attribute_names: Vec<Owned>,
    /// The bracket and what comes before the first field; empty if the prefix of the first field
    /// includes it.
    pub(super) opening: Rendered,
    /// All fields may be omitted, and nothing comes before them.
    pub(super) may_be_empty: bool,
    /// The rendered tag: the members before the first field, without brackets.
    pub(super) tag: Option<Vec<u8>>,
    /// The rendered members before the first field, if they are on a line of their own.
    pub(super) leading_members: Rendered,
    pub(super) extra_members: Option<ExtraMembers>,
    /// The offsets of the fields: for a class as it last was, for a dict or tuple fixed.
    pub(super) field_layout: GilCell<FieldLayout>,
    /// The minimum number of items of a tuple.
    pub(super) min_items: usize,
}

/// Members that are not fields.
#[derive(Debug)]
pub(super) struct ExtraMembers {
    /// The attribute that holds them.
    pub(super) attribute: Owned,
    /// They are in the record itself, which is a dict.
    pub(super) is_in_record: bool,
    /// The index of their key and value nodes.
    pub(super) nodes: u32,
    /// Names that these members must not have, in the order of their bytes.
    pub(super) reserved: Vec<Vec<u8>>,
    /// They are sorted together with the fields.
    pub(super) is_sorted: bool,
}

/// Where a record keeps the values of its fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RecordKind {
    Attributes,
    Dict,
    Tuple,
}

/// What the hot loop needs of a field, together in one struct, so that one pointer reaches it.
#[derive(Debug)]
#[repr(align(32))]
pub(super) struct Field {
    /// The prefix if it is short enough, padded with zeros; empty in an array.
    short: [u8; 32],
    len: u32,
    pub(super) node: u32,
    pub(super) offset: FieldOffset,
    /// The scalars that the node allows.
    pub(super) mask: u8,
    /// The field is at a primary offset, never omitted, and its prefix is in `short`.
    pub(super) is_plain: bool,
}

impl Field {
    /// A field at this offset.
    pub(super) fn new(plan: &FieldPlan, offset: FieldOffset) -> Self {
        let short = plan.prefix.short();
        let is_plain = short.is_some() && offset.is_primary() && !plan.may_be_omitted();
        let (short, len) = short.unwrap_or_default();
        Self { short, len: len as u32, node: plan.node, offset, mask: plan.mask, is_plain }
    }

    /// Writes the prefix of a plain field.
    #[inline(always)]
    pub(super) fn write_prefix<B: Buffer>(&self, out: &mut Out<'_, B>) -> Result<(), NoMemory> {
        out.padded(&self.short, self.len as usize)
    }
}

/// The fields of a record, at their offsets in instances of the class as it was last seen.
#[derive(Debug, Default)]
pub(super) struct FieldLayout {
    pub(super) layout: Layout,
    pub(super) fields: Vec<Field>,
}

impl FieldLayout {
    /// The layout with one offset per field.
    pub(super) fn new(
        layout: Layout,
        fields: &[FieldPlan],
        offsets: &[FieldOffset],
    ) -> Result<Self, Raised> {
        let mut field_layout = Vec::new();
        field_layout.try_reserve_exact(offsets.len()).map_err(|_| error::no_memory())?;
        field_layout
            .extend(fields.iter().zip(offsets).map(|(field, &offset)| Field::new(field, offset)));
        Ok(Self { layout, fields: field_layout })
    }
}

/// What the plan knows of a field.
#[derive(Debug)]
pub(super) struct FieldPlan {
    /// `"name":`, after the opening of the record if the field is the first; empty in an array.
    pub(super) prefix: Rendered,
    /// The UTF-8 name, for messages.
    pub(super) name: Vec<u8>,
    pub(super) node: u32,
    pub(super) mask: u8,
    pub(super) omit: Omit,
    /// The object `UNSET`, if it may be the value, which is then omitted.
    pub(super) unset: Option<Owned>,
}

impl FieldPlan {
    /// Whether the field may be left out.
    pub(super) fn may_be_omitted(&self) -> bool {
        self.unset.is_some() || !matches!(self.omit, Omit::Never)
    }
}

/// When a field is omitted.
#[derive(Debug)]
pub(super) enum Omit {
    Never,
    IfNone,
    IfEqual(Owned),
    /// If equal to the default, or None.
    IfEqualOrNone(Owned),
    IfAbsent,
    /// If absent, or None.
    IfAbsentOrNone,
}

impl Record {
    /// Returns the memory of an instance of exactly this class and the fields with their offsets;
    /// `None` if reading the values needs Python code or the instance is a dict.
    #[inline(always)]
    pub(super) fn memory<'a>(
        &'a self,
        object: Obj<'a>,
        py: &'a Attached,
    ) -> Option<(InstanceMemory<'a>, &'a [Field])> {
        let field_layout = self.field_layout.get(py);
        let memory = match self.kind {
            RecordKind::Attributes => field_layout.layout.memory(object, py)?,
            RecordKind::Tuple => InstanceMemory::of_tuple(Tuple::any(object)?, self.min_items, py)?,
            RecordKind::Dict => return None,
        };
        Some((memory, &field_layout.fields))
    }

    /// Returns the attributes of an instance of exactly this class that keeps them in a dict, and
    /// the fields.
    pub(super) fn attributes<'a>(
        &'a self,
        object: Obj<'a>,
        py: &'a Attached,
    ) -> Option<(Attributes<'a>, &'a [Field])> {
        if self.kind != RecordKind::Attributes {
            return None;
        }
        let field_layout = self.field_layout.get(py);
        Some((field_layout.layout.attributes(object, py)?, &field_layout.fields))
    }

    /// Whether the fields are sorted together with extra members. The borrowed walk leaves such a
    /// record to the owning one.
    pub(super) fn sorts_members(&self) -> bool {
        self.extra_members.as_ref().is_some_and(|extra| extra.is_sorted)
    }

    /// The closing bracket.
    #[inline(always)]
    pub(super) fn bracket(&self) -> u8 {
        if self.is_array { b']' } else { b'}' }
    }
}

impl EncodePlan {
    /// Calls `visitor` with every object that the plan owns.
    pub(super) fn visit_objects(&self, visitor: &mut dyn FnMut(&Owned)) {
        let hooks = self.resolve.iter().chain(&self.hook).chain(&self.plain_array);
        let hooks = hooks.chain(&self.policies.key_hook).chain(&self.policies.floats);
        let hooks = hooks.chain(self.keep.iter().flat_map(|keep| [&keep.classes, &keep.floats]));
        hooks.for_each(&mut *visitor);
        for node in &self.nodes {
            visitor(&node.expected);
            for rule in &node.rules {
                match rule {
                    TypeRule::Decimal(class) | TypeRule::Uuid(class) | TypeRule::RawJson(class) => {
                        visitor(class)
                    }
                    TypeRule::Iterable(class, _) | TypeRule::Mapping(class, _) => visitor(class),
                    TypeRule::NumpyArray(Some(check)) => visitor(check),
                    TypeRule::SelectDict(select, _, names)
                    | TypeRule::SelectAny(select, _, names) => {
                        visitor(select);
                        visitor(names);
                    }
                    TypeRule::Convert(class, callable, _) => {
                        visitor(class);
                        visitor(callable);
                    }
                    _ => {}
                }
            }
        }
        for record in &self.records {
            visitor(&record.class);
            record.attribute_names.iter().for_each(&mut *visitor);
            for field in &record.fields {
                if let Omit::IfEqual(default) | Omit::IfEqualOrNone(default) = &field.omit {
                    visitor(default);
                }
                field.unset.iter().for_each(&mut *visitor);
            }
        }
        for members in &self.enums {
            visitor(&members.class);
            visitor(members.dict.as_owned());
            members.table.iter().flatten().for_each(|class| visitor(&class.0));
        }
    }
}
