//! The frames of an `Encoder`: the kinds of open containers, and the position of the walk in each.
//!
//! Separate from `walk` because `classify` and `action` make frames and `path` reads them.
//! Invariant: a position is plain data; `plan_index` is valid in the plan `plan_id`.

use crate::encode::stack::{self, SideEntry};
use crate::encode::text_members::TextMembers;
use crate::py::dict::{self, Cursor, Dict};
use crate::py::{Attached, Owned, Raised, list, tuple};

/// What kind of container a frame walks; its `plan_index` refers to a part of the plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FrameKind {
    /// A frozen list; `plan_index` is the node of its items.
    List,
    /// A tuple; `plan_index` is the node of its items.
    Tuple,
    /// A tuple with one node per item; `plan_index` is an index into `fixed_tuples`.
    FixedTuple,
    /// A dict in its own order; `plan_index` is an index into `dicts`.
    Dict,
    /// Members whose keys are text already; `plan_index` is an index into `dicts`.
    TextMembers,
    /// The fields of a record; `plan_index` is an index into `records`.
    Fields,
    /// The result of a conversion, kept alive while it is written.
    Converted,
}

/// The position of the walk in a container.
#[derive(Clone, Copy, Debug)]
pub(super) struct Position {
    pub(super) kind: FrameKind,
    /// The members belong to the enclosing object: no brackets.
    pub(super) is_unbracketed: bool,
    /// The plan that `plan_index` belongs to.
    pub(super) plan_id: u32,
    pub(super) plan_index: u32,
    /// The index of the next item or field.
    pub(super) index: usize,
    pub(super) cursor: Cursor,
}

/// The stack of an `Encoder`; the payload of a dict is the key of the member being written, if
/// known.
pub(super) type Stack = stack::Stack<Position, Option<Owned>>;

/// A frame that is not on the stack yet.
pub(super) type NewFrame = stack::NewFrame<Position>;

impl stack::Position for Position {
    #[inline(always)]
    fn side_entry(&self) -> SideEntry {
        match self.kind {
            FrameKind::TextMembers => SideEntry::Members,
            FrameKind::Dict => SideEntry::Payload,
            _ => SideEntry::None,
        }
    }
}

impl NewFrame {
    /// A frame before the first element.
    pub(super) fn new(kind: FrameKind, container: Owned, plan_id: u32, plan_index: u32) -> Self {
        let cursor = match kind {
            FrameKind::Dict => Dict::any(container.get()).map_or_else(Cursor::default, Cursor::new),
            _ => Cursor::default(),
        };
        let position =
            Position { kind, is_unbracketed: false, plan_id, plan_index, index: 0, cursor };
        Self { position, container, members: None }
    }

    /// A frame for an object with these members.
    pub(super) fn with_members(
        members: TextMembers,
        container: Owned,
        plan_id: u32,
        plan_index: u32,
    ) -> Self {
        let frame = Self::new(FrameKind::TextMembers, container, plan_id, plan_index);
        Self { members: Some(members), ..frame }
    }

    /// Pushes the frame onto the stack.
    pub(super) fn push_onto(self, stack: &mut Stack) -> Result<(), Raised> {
        match self.position.kind {
            FrameKind::Dict => stack.push_with_payload(self.position, self.container, None),
            _ => stack.push_frame(self),
        }
    }

    /// Whether the container has no elements.
    pub(super) fn is_empty(&self, py: &Attached) -> bool {
        let container = self.container.get();
        match self.position.kind {
            FrameKind::List => list::items_of(container, py).is_empty(),
            FrameKind::Tuple | FrameKind::FixedTuple => tuple::items_of(container, py).is_empty(),
            FrameKind::Dict => Dict::any(container).is_none_or(|dict| dict::size(dict) == 0),
            FrameKind::TextMembers | FrameKind::Fields | FrameKind::Converted => false,
        }
    }

    /// The opening bracket.
    pub(super) fn bracket(&self) -> u8 {
        let is_array = matches!(
            self.position.kind,
            FrameKind::List | FrameKind::Tuple | FrameKind::FixedTuple
        );
        if is_array { b'[' } else { b'{' }
    }
}
