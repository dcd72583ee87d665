//! Open containers: what they become, where their values are, and how far they are read.
//!
//! Separate from `walk`, which does the reading. Invariant: a frame is plain data, copied when a
//! container inside is opened; its values are on the stacks from its marks on.

use crate::decode::typed::plan::{DecodePlan, Node, Record, Rule};
use crate::py::Owned;

/// What an open container becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Nothing: the document itself.
    Top,
    Record,
    Dict,
    List,
    Set,
    FrozenSet,
    Tuple,
    Fixed,
    ArrayRecord,
}

/// An open container.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame<'p> {
    pub(super) kind: Kind,
    /// Whether there was a problem inside.
    pub(super) failed: bool,
    /// Whether a container is, or may be, among the values of a dict.
    pub(super) nested: bool,
    /// Whether each member's name is itself the key.
    pub(super) plain_keys: bool,
    /// Whether nothing is to be checked or called when it is made.
    pub(super) is_done: bool,
    /// The node that expects the container.
    pub(super) node: &'p Node,
    pub(super) rule: Rule,
    /// The node of the items or of the values.
    pub(super) item: &'p Node,
    pub(super) record: &'p Record,
    /// Where its values begin on their stack, and its fields on theirs.
    pub(super) values: usize,
    pub(super) fields: usize,
    /// The offsets of its bracket and of the name of the current member.
    pub(super) open: usize,
    pub(super) member: usize,
    /// The field, or the name, that is read now, and the one that is expected next.
    pub(super) current: usize,
    pub(super) next: usize,
    /// The fields that have come.
    pub(super) seen_fields: usize,
}

/// A number that no field has: the value is collected with its name.
pub(super) const COLLECTED: usize = usize::MAX;

/// What a bracket opens.
pub(super) enum Opened<'p> {
    Container(Frame<'p>),
    /// It is a value all the same, which ends at an offset.
    Value(Owned, usize),
}

impl<'p> Frame<'p> {
    /// The frame around the document.
    pub(super) fn top(plan: &'p DecodePlan) -> Self {
        Frame {
            kind: Kind::Top,
            failed: false,
            nested: false,
            plain_keys: false,
            is_done: false,
            node: &plan.any,
            rule: Rule::No,
            item: &plan.any,
            record: &plan.no_record,
            values: 0,
            fields: 0,
            open: 0,
            member: 0,
            current: 0,
            next: 0,
            seen_fields: 0,
        }
    }

    /// Goes to the next place of a frame whose items have each their own node.
    #[inline(always)]
    pub(super) fn step(&mut self) -> usize {
        self.current = self.next;
        self.next += 1;
        self.current
    }
}
