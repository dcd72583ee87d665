//! The open containers of a borrowed walk: its frames, and where writing stopped.
//!
//! Separate from `borrowed` and `records`, which both keep them. Invariant: the rest of a container
//! is a slice of its own memory, so a frame is valid only while no Python code runs; `borrowed`
//! turns it into a [`Position`] before that. A frame of [`FrameKind::TextMembers`] is a sorted
//! dict, whose rest is in `lists`; those of the outermost dict are there first.

use arrayvec::ArrayVec;

use crate::encode::sorted::MemberLists;
use crate::encode::typed::frame::{FrameKind, Position};
use crate::py::dict::{Cursor, Dict};
use crate::py::{Attached, Obj, Owned, list, tuple};

/// Containers that a borrowed walk keeps open before it saves them as frames.
pub(super) const MAX_OPEN: usize = 32;
/// Levels of containers that are written by nested calls.
pub(super) const MAX_NESTED: usize = 16;
/// Room for both.
const MAX_SUSPENDED: usize = MAX_OPEN + MAX_NESTED + 2;

/// An open container, borrowed.
#[derive(Clone, Copy)]
pub(super) struct BorrowedFrame<'a> {
    pub(super) container: Obj<'a>,
    /// The rest of the container: items, or keys and values in turn.
    pub(super) remaining: &'a [Option<Obj<'a>>],
    pub(super) plan_id: u32,
    pub(super) plan_index: u32,
    /// The index of the next field.
    pub(super) index: u32,
    pub(super) kind: FrameKind,
}

impl<'a> BorrowedFrame<'a> {
    /// A frame for the rest of an array or object, at `plan_index` in the table for its kind.
    #[inline(always)]
    pub(super) fn of_rest(
        container: Obj<'a>,
        remaining: &'a [Option<Obj<'a>>],
        plan_id: u32,
        plan_index: u32,
        kind: FrameKind,
    ) -> Self {
        Self { container, remaining, plan_id, plan_index, index: 0, kind }
    }

    /// A frame for the fields of a record from `index` on.
    #[inline(always)]
    pub(super) fn of_fields(container: Obj<'a>, plan_id: u32, plan_index: u32, index: u32) -> Self {
        Self { index, ..Self::of_rest(container, &[], plan_id, plan_index, FrameKind::Fields) }
    }

    /// Returns a borrowed frame for the rest of a container whose position is on the stack.
    pub(super) fn of_position(
        position: &Position,
        container: Obj<'a>,
        py: &'a Attached,
    ) -> Option<Self> {
        let remaining = match position.kind {
            FrameKind::List => list::items_of(container, py).get(position.index..).unwrap_or(&[]),
            FrameKind::Tuple | FrameKind::FixedTuple => {
                tuple::items_of(container, py).get(position.index..).unwrap_or(&[])
            }
            FrameKind::Dict if !position.is_unbracketed => {
                position.cursor.str_entries::<true>(Dict::any(container)?, py)?.as_flattened()
            }
            FrameKind::Fields => &[],
            FrameKind::Dict | FrameKind::TextMembers | FrameKind::Converted => return None,
        };
        let (plan_id, plan_index, index) =
            (position.plan_id, position.plan_index, position.index as u32);
        Some(Self { container, remaining, plan_id, plan_index, index, kind: position.kind })
    }

    /// Returns the position, and for a dict the key of the last member written.
    pub(super) fn to_position(self, py: &Attached) -> (Position, Option<Owned>) {
        let container = self.container;
        let (kind, plan_id, plan_index) = (self.kind, self.plan_id, self.plan_index);
        let cursor = Cursor::default();
        let mut position =
            Position { kind, is_unbracketed: false, plan_id, plan_index, index: 0, cursor };
        let mut key = None;
        match self.kind {
            FrameKind::List => {
                position.index = list::items_of(container, py).len() - self.remaining.len()
            }
            FrameKind::Tuple | FrameKind::FixedTuple => {
                position.index = tuple::items_of(container, py).len() - self.remaining.len();
            }
            FrameKind::Dict => {
                if let Some(dict) = Dict::any(container) {
                    position.cursor = Cursor::before_last(dict, py, self.remaining.len() / 2);
                    key = position.cursor.last_key(dict, py).map(Obj::to_owned);
                }
            }
            _ => position.index = self.index as usize,
        }
        (position, key)
    }
}

/// The open containers where writing stopped.
pub(super) struct Suspended<'a> {
    /// Open containers; those of one call have the innermost first.
    pub(super) frames: ArrayVec<BorrowedFrame<'a>, MAX_SUSPENDED>,
    /// The value inside them that comes next, and its node.
    pub(super) value: Option<(Obj<'a>, u32)>,
    /// The members of the open dicts that are sorted.
    pub(super) lists: Option<MemberLists<'a>>,
}

impl<'a> Suspended<'a> {
    /// Adds a container that had to stop.
    #[inline(always)]
    pub(super) fn push(&mut self, frame: BorrowedFrame<'a>) {
        // There is room for all levels.
        let _ = self.frames.try_push(frame);
    }

    /// [`Suspended::push`] of [`BorrowedFrame::of_rest`].
    #[inline(always)]
    pub(super) fn push_rest(
        &mut self,
        container: Obj<'a>,
        remaining: &'a [Option<Obj<'a>>],
        plan_id: u32,
        plan_index: u32,
        kind: FrameKind,
    ) {
        self.push(BorrowedFrame::of_rest(container, remaining, plan_id, plan_index, kind));
    }
}
