//! The open containers of a walk, and what to do with an object next.
//!
//! A frame owns what it walks: user code may take the container out of its parent meanwhile.
//! Positions are numbers; every step asks the container anew (see `py::dict::Cursor`).

use std::rc::Rc;

use snooze_core::text::Stamp;

use super::record::Record;
use crate::py::array::Array;
use crate::py::dict::Cursor;
use crate::py::{Owned, Raised, error};

/// Containers that may be open at once; also how deep `default` and enums may lead on.
pub(crate) const MAX_DEPTH: usize = 254;

/// Results of `default` that may themselves need `default`, along one path.
pub(crate) const MAX_DEFAULTS: usize = 255;

/// Frames that can be open at once: containers, results of `default`, values of enums.
pub(super) const MAX_FRAMES: usize = MAX_DEPTH + MAX_DEFAULTS + MAX_DEPTH;

/// An open container, or something kept alive while what it led to is written.
#[derive(Debug)]
pub(super) enum Frame {
    /// A list (frozen, see `py::list`).
    List { list: Owned, index: usize },
    /// A tuple.
    Tuple { tuple: Owned, index: usize },
    /// A dict in its own order whose keys are strings.
    Dict { dict: Owned, cursor: Cursor },
    /// The `__dict__` of a dataclass: as a dict, but private names are left out.
    Public { dict: Owned, cursor: Cursor, wrote: bool },
    /// Members with texts as keys: sorted, or of keys that are no strings.
    Entries(Box<Entries>),
    /// The fields of a dataclass by attribute; the value being written is kept here.
    Record(Box<RecordFrame>),
    /// The result of `default` or the value of an enum.
    Hold { object: Owned, is_default: bool },
}

/// See [`Frame::Record`].
#[derive(Debug)]
pub(super) struct RecordFrame {
    pub(super) object: Owned,
    pub(super) record: Rc<Record>,
    pub(super) index: usize,
    pub(super) value: Option<Owned>,
}

impl Frame {
    pub(super) fn record(object: Owned, record: Rc<Record>) -> Self {
        Self::Record(Box::new(RecordFrame { object, record, index: 0, value: None }))
    }
}

/// Members whose keys have been turned into text.
#[derive(Debug, Default)]
pub(super) struct Entries {
    /// The keys' texts, one after the other.
    text: Vec<u8>,
    members: Vec<Member>,
    next: usize,
}

#[derive(Debug)]
struct Member {
    start: usize,
    end: usize,
    value: Owned,
}

impl Entries {
    /// Adds a member; `write` appends its key's text.
    pub(super) fn push(
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
    pub(super) fn sort(&mut self) {
        let text = &self.text;
        self.members.sort_unstable_by(|left, right| {
            text[left.start..left.end].cmp(&text[right.start..right.end])
        });
    }

    /// The frame, or the empty object that needs none.
    pub(super) fn into_next(self) -> Next {
        if self.members.is_empty() {
            return Next::Empty(b'{');
        }
        Next::Frame(Frame::Entries(Box::new(self)), b'{')
    }

    /// The next key and value.
    #[inline(always)]
    pub(super) fn advance(&mut self) -> Option<(&[u8], &Owned)> {
        let member = self.members.get(self.next)?;
        self.next += 1;
        Some((&self.text[member.start..member.end], &member.value))
    }
}

/// What the walk does with an object that is none of the common kinds.
#[derive(Debug)]
pub(super) enum Next {
    /// Writes it as a string: an instance of a subclass of `str`.
    Str,
    /// Writes it as an integer: an instance of a subclass of `int`.
    Int,
    /// Writes a string that needs no escapes.
    Plain(Stamp),
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
    /// Opens a container with this bracket.
    Frame(Frame, u8),
    /// Goes on with another object in its place.
    Value { object: Owned, is_default: bool },
}
