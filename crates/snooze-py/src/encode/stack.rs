//! The stack of open containers, shared by `dumps` and `Encoder`.
//!
//! Depth costs no C stack, and all kinds of containers count against one limit. The stack holds
//! strong references because user code may remove a container from its parent during the walk. A
//! position is only numbers: each step looks at the container again (see `py::dict::Cursor`).
//! Invariant: `positions` and `containers` have one element per frame; `members` and `payloads`
//! have one per frame whose position says so. Used by both walks and both `frame` modules.
//!
//! PERF: positions are plain numbers, kept apart from the references. A struct with a reference in
//! it is copied through memory on each push: 20 % of dumping canada.json (2026-11-21).

use crate::encode::text_members::TextMembers;
use crate::py::{Owned, Raised, error};

/// The position of a walk in a container.
pub(crate) trait Position: Copy {
    /// Returns what the frame keeps on a side stack.
    fn side_entry(&self) -> SideEntry;
}

/// What a frame keeps beside its position and its container.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SideEntry {
    None,
    /// One element of [`Stack::members`].
    Members,
    /// One element of [`Stack::payloads`].
    Payload,
}

/// Open containers, and objects kept alive.
#[derive(Debug)]
pub(crate) struct Stack<P, E> {
    pub(crate) positions: Vec<P>,
    pub(crate) containers: Vec<Owned>,
    pub(crate) members: Vec<TextMembers>,
    pub(crate) payloads: Vec<E>,
}

impl<P, E> Default for Stack<P, E> {
    fn default() -> Self {
        let (positions, containers) = (Vec::new(), Vec::new());
        Self { positions, containers, members: Vec::new(), payloads: Vec::new() }
    }
}

/// A frame that is not on the stack yet.
#[derive(Debug)]
pub(crate) struct NewFrame<P> {
    pub(crate) position: P,
    pub(crate) container: Owned,
    /// The members, if its position has [`SideEntry::Members`].
    pub(crate) members: Option<TextMembers>,
}

impl<P: Position, E> Stack<P, E> {
    /// The number of frames.
    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        self.positions.len()
    }

    /// Whether there are no frames.
    #[inline(always)]
    pub(crate) fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    /// Pushes a frame without members or payload.
    #[inline(always)]
    pub(crate) fn push(&mut self, position: P, container: Owned) -> Result<(), Raised> {
        if self.positions.len() == self.positions.capacity()
            || self.containers.len() == self.containers.capacity()
        {
            self.grow()?;
        }
        self.containers.push(container);
        self.positions.push(position);
        Ok(())
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self) -> Result<(), Raised> {
        let additional = self.positions.len().max(16);
        self.positions.try_reserve(additional).map_err(|_| error::no_memory())?;
        self.containers.try_reserve(additional).map_err(|_| error::no_memory())
    }

    /// Pushes a frame with a payload.
    #[inline(always)]
    pub(crate) fn push_with_payload(
        &mut self,
        position: P,
        container: Owned,
        payload: E,
    ) -> Result<(), Raised> {
        if self.payloads.len() == self.payloads.capacity() {
            self.payloads.try_reserve(8).map_err(|_| error::no_memory())?;
        }
        self.push(position, container)?;
        self.payloads.push(payload);
        Ok(())
    }

    /// Pushes a frame without payload; its members go to the side stack.
    #[inline(never)]
    pub(crate) fn push_frame(&mut self, frame: NewFrame<P>) -> Result<(), Raised> {
        let Some(members) = frame.members else {
            return self.push(frame.position, frame.container);
        };
        self.members.try_reserve(1).map_err(|_| error::no_memory())?;
        self.push(frame.position, frame.container)?;
        self.members.push(members);
        Ok(())
    }

    /// Pops the innermost frame.
    #[inline(always)]
    pub(crate) fn pop(&mut self) {
        match self.positions.pop().map(|position| position.side_entry()) {
            Some(SideEntry::Members) => drop(self.members.pop()),
            Some(SideEntry::Payload) => drop(self.payloads.pop()),
            _ => {}
        }
        self.containers.pop();
    }

    /// Pops all frames, the innermost first.
    #[inline(always)]
    pub(crate) fn clear(&mut self) {
        if !self.is_empty() {
            self.unwind();
        }
    }

    #[cold]
    fn unwind(&mut self) {
        while !self.is_empty() {
            self.pop();
        }
    }
}
