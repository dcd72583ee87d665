//! The stack of open containers, of `dumps` and of `Encoder`s.
//!
//! The stack owns what it walks: user code may take a container out of its parent meanwhile. Positions are
//! numbers; every step asks the container anew (see `py::dict::Cursor`). Invariant: `positions` and
//! `owners` have one element for each frame; `members` and `extras` one for each frame whose position
//! says so.
//!
//! PERF: positions are plain numbers, apart from the references: a structure that owns something is copied
//! through memory when it is pushed: 20 % of dumping canada.json (2026-11-21).

use crate::encode::text_members::TextMembers;
use crate::py::{Owned, Raised, error};

/// Where the walk of a container is.
pub(crate) trait Position: Copy {
    /// What else the frame keeps on the stack.
    fn side_entry(&self) -> SideEntry;
}

/// What a frame keeps beside its position and its container.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SideEntry {
    None,
    /// An element of [`Stack::members`].
    Members,
    /// An element of [`Stack::extras`].
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

/// A container to be opened.
#[derive(Debug)]
pub(crate) struct NewFrame<P> {
    pub(crate) position: P,
    pub(crate) container: Owned,
    /// The members, if that is what the position keeps.
    pub(crate) members: Option<TextMembers>,
}

impl<P: Position, E> Stack<P, E> {
    /// Frames on the stack.
    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        self.positions.len()
    }

    /// Whether there is no frame.
    #[inline(always)]
    pub(crate) fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    /// Adds a frame that keeps nothing else.
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

    /// Adds a frame that keeps an extra.
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

    /// Adds the frame of a container that keeps nothing else, or members.
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

    /// Takes the innermost frame away.
    #[inline(always)]
    pub(crate) fn pop(&mut self) {
        match self.positions.pop().map(|position| position.side_entry()) {
            Some(SideEntry::Members) => drop(self.members.pop()),
            Some(SideEntry::Payload) => drop(self.payloads.pop()),
            _ => {}
        }
        self.containers.pop();
    }

    /// Takes all frames away, the innermost first.
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
