//! What a plan of an encoder consists of. `compile` makes it, the walks read it.
//!
//! An arena: nodes, records, and what only some nodes need, each in a vector; they name each other
//! by their places. Invariant: every place in a plan is one that exists (`compile` has checked it),
//! and nothing of a plan changes but where the instances of a class keep their values, which is
//! found out when the first one is written.

use snooze_core::out::{Buffer, NoMemory, Out};

use crate::encode::rendered::Rendered;
use crate::options::Config;
use crate::py::gil_cell::GilCell;
use crate::py::instance::{FieldOffset, InstanceMemory, Layout};
use crate::py::types::Exact;
use crate::py::{Attached, Obj, Owned, Raised, error};

/// A plan.
#[derive(Debug)]
pub(crate) struct EncodePlan {
    pub(super) nodes: Vec<Node>,
    pub(super) records: Vec<Record>,
    /// The nodes of the items of fixed tuples.
    pub(super) fixed_tuples: Vec<Vec<u32>>,
    /// The nodes of keys and values of dicts.
    pub(super) dicts: Vec<DictNodes>,
    pub(super) enums: Vec<EnumMembers>,
    pub(super) root: u32,
    pub(super) resolve: Option<Owned>,
    pub(super) hook: Option<Owned>,
    pub(super) decimal_number: bool,
    pub(super) config: Config,
}

/// The nodes of keys and values of a dict.
#[derive(Clone, Copy, Debug)]
pub(super) struct DictNodes {
    pub(super) key: u32,
    pub(super) value: u32,
}

/// What a value may be.
#[derive(Debug)]
pub(super) struct Node {
    /// For messages.
    pub(super) expected: Owned,
    /// The scalars that may be, by their exact types.
    pub(super) mask: u8,
    /// Everything may be.
    pub(super) allows_any: bool,
    /// How instances of exactly these types are written; the first one apart.
    pub(super) first: Option<(Exact, Encoding)>,
    pub(super) exact: Vec<(Exact, Encoding)>,
    /// A class and its record, if nothing may be but its instances.
    pub(super) only_record: Option<(Exact, u32)>,
    /// What may be, in order, for all other types.
    pub(super) rules: Vec<TypeRule>,
}

impl Node {
    /// How instances of a type are written.
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

/// How a value is written that is no scalar; the numbers are places in the plan.
#[derive(Clone, Copy, Debug)]
pub(super) enum Encoding {
    /// As an array of this node: a list.
    List(u32),
    /// The same: a tuple.
    Tuple(u32),
    /// As an array of these nodes: a tuple.
    FixedTuple(u32),
    /// As an object of these nodes: a dict.
    Dict(u32),
    Record(u32),
    EnumMember(u32),
    /// As `dumps` does: a time or a UUID.
    TimeOrUuid,
    /// As the JSON that it is: an instance of a class of `bytes`.
    RawJson,
    /// By the rule of that place.
    ByRule(u32),
}

/// What a value may be.
#[derive(Debug)]
pub(super) enum TypeRule {
    None,
    Bool,
    Int,
    Float,
    Str,
    Bytes,
    Decimal(Owned),
    DateTime,
    Date,
    Time,
    TimeDelta,
    Uuid(Owned),
    List(u32),
    Tuple(u32),
    FixedTuple(u32),
    Iterable(Owned, u32),
    Dict(u32),
    Mapping(Owned, u32),
    Record(u32),
    EnumMember(u32),
    Convert(Owned, Owned, u32),
    RawJson(Owned),
    NumpyArray,
}

/// The members of an enum and their JSON.
#[derive(Debug)]
pub(super) struct EnumMembers {
    pub(super) class: Owned,
    /// Members and their JSON as the description has them.
    pub(super) dict: Owned,
    /// The same, by the address of the member; a power of two of places.
    pub(super) table: Vec<Option<(Owned, Rendered)>>,
}

impl EnumMembers {
    /// Where the search for a member begins.
    #[inline(always)]
    pub(super) fn first_slot(object: Obj<'_>) -> usize {
        let address = object.as_ptr() as usize;
        address >> 4 ^ address >> 12
    }

    /// The JSON of a member and a comma.
    #[inline(always)]
    pub(super) fn rendered(&self, object: Obj<'_>) -> Option<&Rendered> {
        let mut slot = Self::first_slot(object);
        loop {
            // There is always a free place.
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
    /// Written as an array.
    pub(super) is_array: bool,
    pub(super) fields: Vec<FieldPlan>,
    /// The fields' attributes, interned; of a tuple none.
    pub(super) attribute_names: Vec<Owned>,
    /// What comes before the first field, with the bracket; nothing if that is in the first
    /// field's label.
    pub(super) opening: Rendered,
    /// All of its fields may be left out, and nothing comes before them.
    pub(super) may_be_empty: bool,
    /// What comes before the first field, if that is on a line of its own.
    pub(super) leading_members: Rendered,
    pub(super) extra_members: Option<ExtraMembers>,
    /// Of a class, as it was when it was looked at; of a dict or tuple, from the beginning.
    pub(super) field_layout: GilCell<FieldLayout>,
    /// How many items a tuple has at least.
    pub(super) min_items: usize,
}

/// Members that are no fields.
#[derive(Debug)]
pub(super) struct ExtraMembers {
    /// The attribute of a dict that has them.
    pub(super) attribute: Owned,
    /// They are in the record itself, which is a dict.
    pub(super) is_in_record: bool,
    /// The place of the nodes of their names and values.
    pub(super) nodes: u32,
}

/// How the values of a record are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RecordKind {
    Attributes,
    Dict,
    Tuple,
}

/// What is needed of each field to write it: together, for one pointer to lead to it.
#[derive(Debug)]
#[repr(align(32))]
pub(super) struct Field {
    /// `"name":`, if that is short enough; of an array nothing.
    short: [u8; 32],
    len: u32,
    pub(super) node: u32,
    pub(super) offset: FieldOffset,
    /// The node's scalars.
    pub(super) mask: u8,
    /// It is at a primary offset and never omitted, and its prefix is `short`.
    pub(super) is_plain: bool,
}

impl Field {
    /// The field at this offset.
    pub(super) fn new(plan: &FieldPlan, offset: FieldOffset) -> Self {
        let short = plan.prefix.short();
        let is_plain = short.is_some() && offset.is_primary() && matches!(plan.omit, Omit::Never);
        let (short, len) = short.unwrap_or_default();
        Self { short, len: len as u32, node: plan.node, offset, mask: plan.mask, is_plain }
    }

    /// Writes the prefix of a plain field.
    #[inline(always)]
    pub(super) fn write_prefix<B: Buffer>(&self, out: &mut Out<'_, B>) -> Result<(), NoMemory> {
        out.padded(&self.short, self.len as usize)
    }
}

/// The fields of a record where they are in instances of a class as it was when it was looked at.
#[derive(Debug, Default)]
pub(super) struct FieldLayout {
    pub(super) layout: Layout,
    pub(super) fields: Vec<Field>,
}

impl FieldLayout {
    /// With the seats of all fields.
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

/// What is known of a field.
#[derive(Debug)]
pub(super) struct FieldPlan {
    /// `"name":`, and what opens the record if it is the first; of an array nothing.
    pub(super) prefix: Rendered,
    /// The name as UTF-8, for messages.
    pub(super) name: Vec<u8>,
    pub(super) node: u32,
    pub(super) mask: u8,
    pub(super) omit: Omit,
}

/// When a field is left out.
#[derive(Debug)]
pub(super) enum Omit {
    Never,
    IfNone,
    IfEqual(Owned),
    /// And when it is None.
    IfEqualOrNone(Owned),
    IfAbsent,
    /// And when it is None.
    IfAbsentOrNone,
}

impl Record {
    /// The memory of an instance of exactly this class, and the seats in it; `None` if it has to be
    /// asked for its values, or is a dict.
    #[inline(always)]
    pub(super) fn memory<'a>(
        &'a self,
        object: Obj<'a>,
        py: &'a Attached,
    ) -> Option<(InstanceMemory<'a>, &'a [Field])> {
        let field_layout = self.field_layout.get(py);
        let memory = match self.kind {
            RecordKind::Attributes => field_layout.layout.memory(object, py)?,
            RecordKind::Tuple => InstanceMemory::of_tuple(object, self.min_items, py)?,
            RecordKind::Dict => return None,
        };
        Some((memory, &field_layout.fields))
    }

    /// The bracket at the end.
    #[inline(always)]
    pub(super) fn bracket(&self) -> u8 {
        if self.is_array { b']' } else { b'}' }
    }
}

impl EncodePlan {
    /// Shows every object that the plan owns.
    pub(super) fn visit_objects(&self, visitor: &mut dyn FnMut(&Owned)) {
        let hooks = self.resolve.iter().chain(&self.hook);
        hooks.for_each(&mut *visitor);
        for node in &self.nodes {
            visitor(&node.expected);
            for rule in &node.rules {
                match rule {
                    TypeRule::Decimal(class) | TypeRule::Uuid(class) | TypeRule::RawJson(class) => {
                        visitor(class)
                    }
                    TypeRule::Iterable(class, _) | TypeRule::Mapping(class, _) => visitor(class),
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
            }
        }
        for members in &self.enums {
            visitor(&members.class);
            visitor(&members.dict);
            members.table.iter().flatten().for_each(|class| visitor(&class.0));
        }
    }
}
