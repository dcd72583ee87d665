//! Frames: what an open container becomes, where its values are, and how far it has been read.
//!
//! Separate from `walk`, which reads. Invariant: a frame is plain data, copied to the stack of
//! frames when an inner container opens; the values of its container are on the stacks from its
//! start indices on. Made by `open`, used by all files of this folder.

use crate::decode::typed::plan::{DecodePlan, Node, Record, Rule};
use crate::decode::typed::unknown_names::Link;
use crate::py::Owned;

/// What an open container becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FrameKind {
    /// The document itself, around the outermost value.
    Document,
    /// An object that becomes an instance.
    Record,
    Dict,
    List,
    Set,
    FrozenSet,
    /// A tuple with one node for all items.
    Tuple,
    /// A tuple with a node for each item.
    FixedTuple,
    /// An array that becomes an instance.
    ArrayRecord,
}

/// An open container.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame<'p> {
    pub(super) kind: FrameKind,
    /// Whether a problem was found in it.
    pub(super) failed: bool,
    /// Whether the values of a dict include, or may include, containers.
    pub(super) has_containers: bool,
    /// Whether the keys of a dict are any `str`, so that member names need no check.
    pub(super) plain_keys: bool,
    /// Whether the finished container needs no check of its length and no call.
    pub(super) is_unchecked: bool,
    /// The node that expects the container.
    pub(super) node: &'p Node,
    /// The rule of that node for the container.
    pub(super) rule: Rule,
    /// The node of the items of an array, or of the values of a dict.
    pub(super) item_node: &'p Node,
    pub(super) record: &'p Record,
    /// The index of its first value on the stack of values.
    pub(super) values_start: usize,
    /// The index of its first field on the stack of fields.
    pub(super) fields_start: usize,
    /// The offset of its opening bracket.
    pub(super) open_offset: usize,
    /// The offset of the name of the current member.
    pub(super) name_offset: usize,
    /// The index of the field, or of the item, that is being read; [`COLLECTED`] for a member that
    /// is collected with its name.
    pub(super) current: usize,
    /// The index of the field, or of the item, that is expected next.
    pub(super) next: usize,
    /// The last unknown member since a field.
    pub(super) unknown: Link,
    /// The number of fields that have a value.
    pub(super) seen_fields: usize,
}

/// An index that no field has: the current member is collected with its name.
pub(super) const COLLECTED: usize = usize::MAX;

/// What an opening bracket leads to.
pub(super) enum Opened<'p> {
    /// A container to read.
    Container(Frame<'p>),
    /// A value that has been read already, and the offset after it.
    Value(Owned, usize),
}

impl<'p> Frame<'p> {
    /// The frame of the document itself.
    pub(super) fn document(plan: &'p DecodePlan) -> Self {
        Frame {
            kind: FrameKind::Document,
            failed: false,
            has_containers: false,
            plain_keys: false,
            is_unchecked: false,
            node: &plan.any_node,
            rule: Rule::Unexpected,
            item_node: &plan.any_node,
            record: &plan.empty_record,
            values_start: 0,
            fields_start: 0,
            open_offset: 0,
            name_offset: 0,
            current: 0,
            next: 0,
            unknown: Link::FIELD,
            seen_fields: 0,
        }
    }

    /// Whether all items of an array are expected by one node.
    #[inline(always)]
    pub(super) fn shares_item_node(&self) -> bool {
        !matches!(self.kind, FrameKind::FixedTuple | FrameKind::ArrayRecord)
    }

    /// Advances to the next item of an array whose items have a node each; returns its index.
    #[inline(always)]
    pub(super) fn advance(&mut self) -> usize {
        self.current = self.next;
        self.next += 1;
        self.current
    }
}
