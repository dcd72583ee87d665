//! The frames of an `Encoder`: what one walks, and where it is.

use crate::encode::stack::{self, SideEntry};
use crate::encode::text_members::TextMembers;
use crate::py::dict::{self, Cursor};
use crate::py::{Attached, Owned, Raised, list, tuple};

/// What a frame walks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FrameKind {
    /// A frozen list; `at` is the node of its items.
    List,
    /// A tuple, likewise.
    Tuple,
    /// A tuple whose items have nodes of their own; `at` is the place in `fixed`.
    FixedTuple,
    /// A dict in its own order; `at` is the place of its nodes.
    Dict,
    /// Members whose keys are texts already, likewise.
    TextMembers,
    /// The fields of a record, whose place `at` is.
    Fields,
    /// What a conversion gave, kept alive while it is written.
    Converted,
}

/// Where the walk of a container is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Position {
    pub(super) kind: FrameKind,
    /// Members of the object around it: without brackets.
    pub(super) is_unbracketed: bool,
    /// The plan that `at` is an index in.
    pub(super) plan_id: u32,
    pub(super) plan_index: u32,
    /// The next item or field.
    pub(super) index: usize,
    pub(super) cursor: Cursor,
}

/// The stack of an `Encoder`; the extra of a dict is the key of the member being written, if it is known.
pub(super) type Stack = stack::Stack<Position, Option<Owned>>;

/// A container to be opened.
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
    /// A container from its first element on.
    pub(super) fn new(kind: FrameKind, container: Owned, plan_id: u32, plan_index: u32) -> Self {
        let cursor = match kind {
            FrameKind::Dict => Cursor::new(container.get()),
            _ => Cursor::default(),
        };
        let position =
            Position { kind, is_unbracketed: false, plan_id, plan_index, index: 0, cursor };
        Self { position, container, members: None }
    }

    /// An object of these members.
    pub(super) fn with_members(
        members: TextMembers,
        container: Owned,
        plan_id: u32,
        plan_index: u32,
    ) -> Self {
        let frame = Self::new(FrameKind::TextMembers, container, plan_id, plan_index);
        Self { members: Some(members), ..frame }
    }

    /// Adds its frame to the stack.
    pub(super) fn push_onto(self, stack: &mut Stack) -> Result<(), Raised> {
        match self.position.kind {
            FrameKind::Dict => stack.push_with_payload(self.position, self.container, None),
            _ => stack.push_frame(self),
        }
    }

    /// Whether it is a container without elements.
    pub(super) fn is_empty(&self, py: &Attached) -> bool {
        let container = self.container.get();
        match self.position.kind {
            FrameKind::List => list::frozen_len(container) == 0,
            FrameKind::Tuple | FrameKind::FixedTuple => tuple::items(container, py).is_empty(),
            FrameKind::Dict => dict::size(container) == 0,
            FrameKind::TextMembers | FrameKind::Fields | FrameKind::Converted => false,
        }
    }

    /// The bracket that opens it.
    pub(super) fn bracket(&self) -> u8 {
        let is_array = matches!(
            self.position.kind,
            FrameKind::List | FrameKind::Tuple | FrameKind::FixedTuple
        );
        if is_array { b'[' } else { b'{' }
    }
}
