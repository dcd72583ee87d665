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
    fn keeps(&self) -> Keeps;
}

/// What a frame keeps beside its position and its container.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Keeps {
    Nothing,
    /// An element of [`Stack::members`].
    Members,
    /// An element of [`Stack::extras`].
    Extra,
}

/// Open containers, and objects kept alive.
#[derive(Debug)]
pub(crate) struct Stack<P, E> {
    pub(crate) positions: Vec<P>,
    pub(crate) owners: Vec<Owned>,
    pub(crate) members: Vec<TextMembers>,
    pub(crate) extras: Vec<E>,
}

impl<P, E> Default for Stack<P, E> {
    fn default() -> Self {
        let (positions, owners) = (Vec::new(), Vec::new());
        Self { positions, owners, members: Vec::new(), extras: Vec::new() }
    }
}

/// A container to be opened.
#[derive(Debug)]
pub(crate) struct Opening<P> {
    pub(crate) position: P,
    pub(crate) owner: Owned,
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
    pub(crate) fn push(&mut self, position: P, owner: Owned) -> Result<(), Raised> {
        if self.positions.len() == self.positions.capacity()
            || self.owners.len() == self.owners.capacity()
        {
            self.grow()?;
        }
        self.owners.push(owner);
        self.positions.push(position);
        Ok(())
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self) -> Result<(), Raised> {
        let more = self.positions.len().max(16);
        self.positions.try_reserve(more).map_err(|_| error::no_memory())?;
        self.owners.try_reserve(more).map_err(|_| error::no_memory())
    }

    /// Adds a frame that keeps an extra.
    #[inline(always)]
    pub(crate) fn push_with(&mut self, position: P, owner: Owned, extra: E) -> Result<(), Raised> {
        if self.extras.len() == self.extras.capacity() {
            self.extras.try_reserve(8).map_err(|_| error::no_memory())?;
        }
        self.push(position, owner)?;
        self.extras.push(extra);
        Ok(())
    }

    /// Adds the frame of a container that keeps nothing else, or members.
    #[inline(never)]
    pub(crate) fn open(&mut self, opening: Opening<P>) -> Result<(), Raised> {
        let Some(members) = opening.members else {
            return self.push(opening.position, opening.owner);
        };
        self.members.try_reserve(1).map_err(|_| error::no_memory())?;
        self.push(opening.position, opening.owner)?;
        self.members.push(members);
        Ok(())
    }

    /// Takes the innermost frame away.
    #[inline(always)]
    pub(crate) fn pop(&mut self) {
        match self.positions.pop().map(|position| position.keeps()) {
            Some(Keeps::Members) => drop(self.members.pop()),
            Some(Keeps::Extra) => drop(self.extras.pop()),
            _ => {}
        }
        self.owners.pop();
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
