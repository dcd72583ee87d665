//! The frames of `dumps`: what one walks, and where it is.
//!
//! Separate from `untyped::walk`, because `classify` decides which frame an object needs.

use crate::encode::dataclass::{Dataclass, ValueSource};
use crate::encode::stack;
use crate::encode::stack::Keeps;
use crate::encode::text_members::TextMembers;
use crate::py::dict::Cursor;
use crate::py::rc::Rc;
use crate::py::{Obj, Owned};

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

impl Position {
    /// Before the first element of a container.
    #[inline(always)]
    pub(crate) fn first(kind: FrameKind, owner: Obj<'_>) -> Self {
        let is_dict = matches!(kind, FrameKind::Dict | FrameKind::Public);
        let cursor = if is_dict { Cursor::new(owner) } else { Cursor::default() };
        Self { kind, wrote: false, index: 0, cursor }
    }

    /// Before the field at an index.
    #[inline(always)]
    pub(crate) fn of_field(index: usize) -> Self {
        Self { kind: FrameKind::Dataclass, wrote: false, index, cursor: Cursor::default() }
    }
}

impl stack::Position for Position {
    #[inline(always)]
    fn keeps(&self) -> Keeps {
        match self.kind {
            FrameKind::TextMembers => Keeps::Members,
            FrameKind::Dataclass => Keeps::Extra,
            _ => Keeps::Nothing,
        }
    }
}

/// The stack of `dumps`.
pub(crate) type Stack = stack::Stack<Position, DataclassFrame>;

/// A container to be opened.
pub(crate) type Opening = stack::Opening<Position>;

/// A dataclass being written by attribute.
#[derive(Debug)]
pub(crate) struct DataclassFrame {
    pub(crate) dataclass: Rc<Dataclass>,
    /// Where the values are.
    pub(crate) source: ValueSource,
    /// The value being written, kept alive.
    pub(crate) value: Option<Owned>,
}

impl DataclassFrame {
    /// Before any value.
    #[inline(always)]
    pub(crate) fn new(dataclass: Rc<Dataclass>, source: ValueSource) -> Self {
        Self { dataclass, source, value: None }
    }
}

impl Opening {
    /// A container that needs nothing more.
    pub(crate) fn new(kind: FrameKind, owner: Owned) -> Self {
        Self { position: Position::first(kind, owner.get()), owner, members: None }
    }

    /// An object of these members.
    pub(crate) fn of_members(members: TextMembers, owner: Owned) -> Self {
        let position = Position::first(FrameKind::TextMembers, owner.get());
        Self { position, owner, members: Some(members) }
    }

    /// The byte that opens it.
    pub(crate) fn bracket(&self) -> u8 {
        let is_array = matches!(self.position.kind, FrameKind::List | FrameKind::Tuple);
        if is_array { b'[' } else { b'{' }
    }
}
