//! The open containers of a walk, and what to do with an object next.
//!
//! The stack owns what it walks: user code may take a container out of its parent meanwhile.
//! Positions are numbers; every step asks the container anew (see `py::dict::Cursor`).

use crate::encode::dataclass::{Dataclass, ValueSource};
use crate::encode::text_members::TextMembers;
use crate::py::dict::Cursor;
use crate::py::rc::Rc;
use crate::py::{Owned, Raised, error};

/// What a frame walks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FrameKind {
    /// A list (frozen, see `py::list`).
    List,
    /// A tuple.
    Tuple,
    /// A dict in its own order whose keys are strings.
    Dict,
    /// The `__dict__` of a dataclass: as a dict, but private names are left out.
    Public,
    /// Members with texts as keys: sorted, or of keys that are no strings.
    TextMembers,
    /// The fields of a dataclass by attribute.
    Dataclass,
    /// The value of an enum, kept alive while what it led to is written.
    Hold,
    /// The result of `default`, likewise.
    DefaultHold,
}

/// Where the walk of a frame is.
///
/// Plain numbers, apart from the references: a structure that owns something is copied through
/// memory when it is pushed (PERF: 20 % of dumping canada.json, 2026-11-21).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Position {
    pub(crate) kind: FrameKind,
    /// Whether a member has been written ([`FrameKind::Public`]).
    pub(crate) wrote: bool,
    /// The next item of a sequence, or the next field.
    pub(crate) index: usize,
    /// The next entry of a dict.
    pub(crate) cursor: Cursor,
}

/// The stack of open containers and of objects kept alive.
///
/// Invariant: `places` and `owners` have one element for each frame; `members` and `fields` one
/// for each frame of that kind.
#[derive(Debug, Default)]
pub(crate) struct Stack {
    pub(crate) places: Vec<Position>,
    pub(crate) owners: Vec<Owned>,
    pub(crate) members: Vec<TextMembers>,
    pub(crate) fields: Vec<DataclassFrame>,
}

/// A dataclass being written by attribute.
#[derive(Debug)]
pub(crate) struct DataclassFrame {
    pub(crate) dataclass: Rc<Dataclass>,
    /// Where the values are.
    pub(crate) source: ValueSource,
    /// The value being written, kept alive.
    pub(crate) value: Option<Owned>,
}

impl Stack {
    /// Frames on the stack.
    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        self.places.len()
    }

    /// Puts a frame on the stack that begins with its first element.
    #[inline(always)]
    pub(crate) fn push(&mut self, kind: FrameKind, owner: Owned) -> Result<(), Raised> {
        let is_dict = matches!(kind, FrameKind::Dict | FrameKind::Public);
        let cursor = if is_dict { Cursor::new(owner.get()) } else { Cursor::default() };
        self.resume(Position { kind, wrote: false, index: 0, cursor }, owner)
    }

    /// Puts a frame on the stack that goes on from a place.
    #[inline(always)]
    pub(crate) fn resume(&mut self, place: Position, owner: Owned) -> Result<(), Raised> {
        if self.places.len() == self.places.capacity()
            || self.owners.len() == self.owners.capacity()
        {
            self.grow()?;
        }
        self.owners.push(owner);
        self.places.push(place);
        Ok(())
    }

    /// Puts a frame of any kind on the stack.
    #[inline(never)]
    pub(crate) fn open(&mut self, opening: Opening) -> Result<(), Raised> {
        if let Some(members) = opening.members {
            self.members.try_reserve(1).map_err(|_| error::no_memory())?;
            self.members.push(members);
        }
        self.push(opening.kind, opening.owner)
    }

    /// Puts a dataclass on the stack that goes on with the field at `index`.
    #[inline(always)]
    pub(crate) fn open_record(
        &mut self,
        dataclass: Rc<Dataclass>,
        source: ValueSource,
        owner: Owned,
        index: usize,
    ) -> Result<(), Raised> {
        if self.fields.len() == self.fields.capacity() {
            self.fields.try_reserve(8).map_err(|_| error::no_memory())?;
        }
        self.fields.push(DataclassFrame { dataclass, source, value: None });
        let cursor = Cursor::default();
        let place = Position { kind: FrameKind::Dataclass, wrote: false, index, cursor };
        self.resume(place, owner)
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self) -> Result<(), Raised> {
        let more = self.places.len().max(16);
        self.places.try_reserve(more).map_err(|_| error::no_memory())?;
        self.owners.try_reserve(more).map_err(|_| error::no_memory())
    }

    /// Takes the innermost frame away.
    #[inline(always)]
    pub(crate) fn pop(&mut self) {
        match self.places.pop().map(|place| place.kind) {
            Some(FrameKind::TextMembers) => drop(self.members.pop()),
            Some(FrameKind::Dataclass) => drop(self.fields.pop()),
            _ => {}
        }
        self.owners.pop();
    }

    /// Takes all frames away.
    #[inline(always)]
    pub(crate) fn clear(&mut self) {
        if !(self.places.is_empty() && self.members.is_empty() && self.fields.is_empty()) {
            self.unwind();
        }
    }

    /// The innermost frame first.
    #[cold]
    fn unwind(&mut self) {
        while !self.places.is_empty() {
            self.pop();
        }
        // A frame that could not be completed.
        self.members.clear();
        self.fields.clear();
    }
}

/// A container to be opened.
#[derive(Debug)]
pub(crate) struct Opening {
    pub(crate) kind: FrameKind,
    pub(crate) owner: Owned,
    /// The members, if the frame is of [`FrameKind::TextMembers`].
    pub(crate) members: Option<TextMembers>,
}

impl Opening {
    /// A container that needs nothing more.
    pub(crate) fn new(kind: FrameKind, owner: Owned) -> Self {
        Self { kind, owner, members: None }
    }

    /// The byte that opens it.
    pub(crate) fn bracket(&self) -> u8 {
        if matches!(self.kind, FrameKind::List | FrameKind::Tuple) { b'[' } else { b'{' }
    }
}
