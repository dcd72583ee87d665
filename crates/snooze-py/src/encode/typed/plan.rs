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
    pub(super) fixed: Vec<Vec<u32>>,
    /// The nodes of keys and values of dicts.
    pub(super) dicts: Vec<DictNodes>,
    pub(super) members: Vec<Members>,
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
    pub(super) any: bool,
    /// How instances of exactly these types are written; the first one apart.
    pub(super) first: Option<(Exact, Op)>,
    pub(super) exact: Vec<(Exact, Op)>,
    /// A class and its record, if nothing may be but its instances.
    pub(super) row: Option<(Exact, u32)>,
    /// What may be, in order, for all other types.
    pub(super) rules: Vec<Rule>,
}

impl Node {
    /// How instances of a type are written.
    #[inline(always)]
    pub(super) fn op(&self, class: Exact) -> Option<Op> {
        if let Some((first, op)) = self.first
            && first == class
        {
            return Some(op);
        }
        self.exact.iter().find(|one| one.0 == class).map(|one| one.1)
    }
}

/// How a value is written that is no scalar; the numbers are places in the plan.
#[derive(Clone, Copy, Debug)]
pub(super) enum Op {
    /// As an array of this node: a list.
    List(u32),
    /// The same: a tuple.
    Tuple(u32),
    /// As an array of these nodes: a tuple.
    Fixed(u32),
    /// As an object of these nodes: a dict.
    Dict(u32),
    Record(u32),
    Members(u32),
    /// As `dumps` does: a time or a UUID.
    Stamp,
    /// As the JSON that it is: an instance of a class of `bytes`.
    Raw,
    /// By the rule of that place.
    Rule(u32),
}

/// What a value may be.
#[derive(Debug)]
pub(super) enum Rule {
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
    Delta,
    Uuid(Owned),
    List(u32),
    Tuple(u32),
    Fixed(u32),
    Iterable(Owned, u32),
    Dict(u32),
    Mapping(Owned, u32),
    Record(u32),
    Members(u32),
    Via(Owned, Owned, u32),
    Raw(Owned),
    Array,
}

/// The members of an enum and their JSON.
#[derive(Debug)]
pub(super) struct Members {
    pub(super) class: Owned,
    /// Members and their JSON as the description has them.
    pub(super) dict: Owned,
    /// The same, by the address of the member; a power of two of places.
    pub(super) table: Vec<Option<(Owned, Rendered)>>,
}

impl Members {
    /// Where the search for a member begins.
    #[inline(always)]
    pub(super) fn start(object: Obj<'_>) -> usize {
        let address = object.as_ptr() as usize;
        address >> 4 ^ address >> 12
    }

    /// The JSON of a member and a comma.
    #[inline(always)]
    pub(super) fn label(&self, object: Obj<'_>) -> Option<&Rendered> {
        let mut at = Self::start(object);
        loop {
            // There is always a free place.
            let (member, label) = self.table.get(at & (self.table.len() - 1))?.as_ref()?;
            if member.get() == object {
                return Some(label);
            }
            at += 1;
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
    pub(super) names: Vec<Owned>,
    /// What comes before the first field, with the bracket; nothing if that is in the first
    /// field's label.
    pub(super) opening: Rendered,
    /// All of its fields may be left out, and nothing comes before them.
    pub(super) may_be_empty: bool,
    /// What comes before the first field, if that is on a line of its own.
    pub(super) before: Rendered,
    pub(super) rest: Option<ExtraMembers>,
    /// Of a class, as it was when it was looked at; of a dict or tuple, from the beginning.
    pub(super) ready: GilCell<FieldLayout>,
    /// How many items a tuple has at least.
    pub(super) items: usize,
}

/// Members that are no fields.
#[derive(Debug)]
pub(super) struct ExtraMembers {
    /// The attribute of a dict that has them.
    pub(super) attribute: Owned,
    /// They are in the record itself, which is a dict.
    pub(super) is_own: bool,
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
    pub(super) fn write<B: Buffer>(&self, out: &mut Out<'_, B>) -> Result<(), NoMemory> {
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
        let mut ready = Vec::new();
        ready.try_reserve_exact(offsets.len()).map_err(|_| error::no_memory())?;
        ready.extend(fields.iter().zip(offsets).map(|(field, &offset)| Field::new(field, offset)));
        Ok(Self { layout, fields: ready })
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
        let ready = self.ready.get(py);
        let memory = match self.kind {
            RecordKind::Attributes => ready.layout.memory(object, py)?,
            RecordKind::Tuple => InstanceMemory::of_tuple(object, self.items, py)?,
            RecordKind::Dict => return None,
        };
        Some((memory, &ready.fields))
    }

    /// The bracket at the end.
    #[inline(always)]
    pub(super) fn bracket(&self) -> u8 {
        if self.is_array { b']' } else { b'}' }
    }
}

impl EncodePlan {
    /// Shows every object that the plan owns.
    pub(super) fn visit_objects(&self, see: &mut dyn FnMut(&Owned)) {
        let hooks = self.resolve.iter().chain(&self.hook);
        hooks.for_each(&mut *see);
        for node in &self.nodes {
            see(&node.expected);
            for rule in &node.rules {
                match rule {
                    Rule::Decimal(one) | Rule::Uuid(one) | Rule::Raw(one) => see(one),
                    Rule::Iterable(one, _) | Rule::Mapping(one, _) => see(one),
                    Rule::Via(class, callable, _) => {
                        see(class);
                        see(callable);
                    }
                    _ => {}
                }
            }
        }
        for record in &self.records {
            see(&record.class);
            record.names.iter().for_each(&mut *see);
            for field in &record.fields {
                if let Omit::IfEqual(default) | Omit::IfEqualOrNone(default) = &field.omit {
                    see(default);
                }
            }
        }
        for members in &self.members {
            see(&members.class);
            see(&members.dict);
            members.table.iter().flatten().for_each(|one| see(&one.0));
        }
    }
}
