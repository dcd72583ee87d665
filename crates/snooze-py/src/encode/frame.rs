//! The open containers of a walk, and what to do with an object next.
//!
//! The stack owns what it walks: user code may take a container out of its parent meanwhile.
//! Positions are numbers; every step asks the container anew (see `py::dict::Cursor`).

use snooze_core::text::Stamp;

use super::record::{Record, Source};
use crate::py::array::Array;
use crate::py::dict::Cursor;
use crate::py::shared::Shared;
use crate::py::{Owned, Raised, error};

/// Containers that may be open at once; also how deep `default` and enums may lead on.
pub(crate) const MAX_DEPTH: usize = 254;

/// Results of `default` that may themselves need `default`, along one path.
pub(crate) const MAX_DEFAULTS: usize = 255;

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
    Entries,
    /// The fields of a dataclass by attribute.
    Record,
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
pub(crate) struct Place {
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
/// Invariant: `places` and `owners` have one element for each frame; `entries` and `fields` one
/// for each frame of that kind.
#[derive(Debug, Default)]
pub(crate) struct Stack {
    pub(crate) places: Vec<Place>,
    pub(crate) owners: Vec<Owned>,
    pub(crate) entries: Vec<Entries>,
    pub(crate) fields: Vec<Fields>,
}

/// A dataclass being written by attribute.
#[derive(Debug)]
pub(crate) struct Fields {
    pub(crate) record: Shared<Record>,
    /// Where the values are.
    pub(crate) source: Source,
    /// The value being written, kept alive.
    pub(crate) value: Option<Owned>,
}

/// A container to be opened.
#[derive(Debug)]
pub(crate) struct Opening {
    pub(crate) kind: FrameKind,
    pub(crate) owner: Owned,
    pub(crate) more: More,
}

/// What only some kinds of frames need.
#[derive(Debug)]
pub(crate) enum More {
    Nothing,
    Entries(Entries),
}

impl Opening {
    /// A container that needs nothing more.
    pub(crate) fn new(kind: FrameKind, owner: Owned) -> Self {
        Self { kind, owner, more: More::Nothing }
    }

    /// The byte that opens it.
    pub(crate) fn bracket(&self) -> u8 {
        if matches!(self.kind, FrameKind::List | FrameKind::Tuple) { b'[' } else { b'{' }
    }
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
        self.resume(Place { kind, wrote: false, index: 0, cursor }, owner)
    }

    /// Puts a frame on the stack that goes on from a place.
    #[inline(always)]
    pub(crate) fn resume(&mut self, place: Place, owner: Owned) -> Result<(), Raised> {
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
        match opening.more {
            More::Nothing => {}
            More::Entries(entries) => {
                self.entries.try_reserve(1).map_err(|_| error::no_memory())?;
                self.entries.push(entries);
            }
        }
        self.push(opening.kind, opening.owner)
    }

    /// Puts a dataclass on the stack that goes on with the field at `index`.
    #[inline(always)]
    pub(crate) fn open_record(
        &mut self,
        record: Shared<Record>,
        source: Source,
        owner: Owned,
        index: usize,
    ) -> Result<(), Raised> {
        if self.fields.len() == self.fields.capacity() {
            self.fields.try_reserve(8).map_err(|_| error::no_memory())?;
        }
        self.fields.push(Fields { record, source, value: None });
        let cursor = Cursor::default();
        let place = Place { kind: FrameKind::Record, wrote: false, index, cursor };
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
            Some(FrameKind::Entries) => drop(self.entries.pop()),
            Some(FrameKind::Record) => drop(self.fields.pop()),
            _ => {}
        }
        self.owners.pop();
    }

    /// Takes all frames away.
    #[inline(always)]
    pub(crate) fn clear(&mut self) {
        if !(self.places.is_empty() && self.entries.is_empty() && self.fields.is_empty()) {
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
        self.entries.clear();
        self.fields.clear();
    }
}

/// Members whose keys have been turned into text.
#[derive(Debug, Default)]
pub(crate) struct Entries {
    /// The keys' texts, one after the other.
    text: Vec<u8>,
    members: Vec<Member>,
    next: usize,
    /// Members have been written before these.
    pub(crate) continued: bool,
    /// A key that is no string follows the members, which are written first all the same.
    pub(crate) refused: bool,
}

#[derive(Debug)]
struct Member {
    start: usize,
    end: usize,
    value: Owned,
}

impl Entries {
    /// Adds a member; `write` appends its key's text.
    pub(crate) fn push(
        &mut self,
        value: Owned,
        write: impl FnOnce(&mut Vec<u8>) -> Result<(), Raised>,
    ) -> Result<(), Raised> {
        let start = self.text.len();
        write(&mut self.text)?;
        self.members.try_reserve(1).map_err(|_| error::no_memory())?;
        self.members.push(Member { start, end: self.text.len(), value });
        Ok(())
    }

    /// Sorts the members by their keys' UTF-8, which is the order of code points.
    pub(crate) fn sort(&mut self) {
        let text = &self.text;
        self.members.sort_unstable_by(|left, right| {
            text[left.start..left.end].cmp(&text[right.start..right.end])
        });
    }

    /// The frame, or the empty object that needs none.
    pub(crate) fn into_next(self, owner: &Owned) -> Next {
        if self.members.is_empty() && !self.refused {
            return Next::Empty(b'{');
        }
        self.into_frame(owner)
    }

    /// The frame, even of no members.
    pub(crate) fn into_frame(self, owner: &Owned) -> Next {
        let more = More::Entries(self);
        Next::Open(Opening { kind: FrameKind::Entries, owner: owner.clone(), more })
    }

    /// Whether a member has been taken to be written.
    #[inline(always)]
    pub(crate) fn has_written(&self) -> bool {
        self.continued || self.next > 0
    }

    /// The key that was taken last.
    pub(crate) fn current(&self) -> Option<&[u8]> {
        let member = self.members.get(self.next.checked_sub(1)?)?;
        self.text.get(member.start..member.end)
    }

    /// The next key and value.
    #[inline(always)]
    pub(crate) fn advance(&mut self) -> Option<(&[u8], &Owned)> {
        let member = self.members.get(self.next)?;
        self.next += 1;
        Some((&self.text[member.start..member.end], &member.value))
    }
}

/// What the walk does with an object that is none of the common kinds.
#[derive(Debug)]
pub(crate) enum Next {
    /// Writes it as a string: an instance of a subclass of `str`.
    Str,
    /// Writes it as an integer: an instance of a subclass of `int`.
    Int,
    /// Writes a string that needs no escapes.
    Plain(Stamp),
    /// Writes a UUID.
    Uuid([u8; 36]),
    /// Copies bytes as they are.
    Raw(Owned),
    Null,
    Bool(bool),
    Signed(i64),
    Unsigned(u64),
    Float(f64),
    Float32(f32),
    /// Writes an array of numpy.
    Array(Array),
    /// Writes an empty container.
    Empty(u8),
    /// Opens a container with at least one element.
    Open(Opening),
    /// Opens a dataclass with at least one field to be written.
    Record(Shared<Record>, Source),
    /// Goes on with another object in its place.
    Value {
        object: Owned,
        is_default: bool,
    },
}
