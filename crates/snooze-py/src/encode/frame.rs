//! The frames of `dumps`: what one walks, and where it is.
//!
//! Separate from `untyped::walk`, because `classify` decides which frame an object needs.

use crate::encode::dataclass::{Dataclass, ValueSource};
use crate::encode::stack;
use crate::encode::stack::SideEntry;
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
    PublicAttributes,
    /// Members with texts as keys: sorted, or of keys that are no strings.
    TextMembers,
    /// The fields of a dataclass by attribute.
    Dataclass,
    /// The value of an enum, kept alive while what it led to is written.
    EnumValue,
    /// The result of `default`, likewise.
    DefaultResult,
}

/// Where the walk of a frame is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Position {
    pub(crate) kind: FrameKind,
    /// Whether a member has been written ([`FrameKind::Public`]).
    pub(crate) has_written: bool,
    /// The next item of a sequence, or the next field.
    pub(crate) index: usize,
    /// The next entry of a dict.
    pub(crate) cursor: Cursor,
}

impl Position {
    /// Before the first element of a container.
    #[inline(always)]
    pub(crate) fn start_of(kind: FrameKind, container: Obj<'_>) -> Self {
        let is_dict = matches!(kind, FrameKind::Dict | FrameKind::PublicAttributes);
        let cursor = if is_dict { Cursor::new(container) } else { Cursor::default() };
        Self { kind, has_written: false, index: 0, cursor }
    }

    /// Before the field at an index.
    #[inline(always)]
    pub(crate) fn at_field(index: usize) -> Self {
        Self { kind: FrameKind::Dataclass, has_written: false, index, cursor: Cursor::default() }
    }
}

impl stack::Position for Position {
    #[inline(always)]
    fn side_entry(&self) -> SideEntry {
        match self.kind {
            FrameKind::TextMembers => SideEntry::Members,
            FrameKind::Dataclass => SideEntry::Payload,
            _ => SideEntry::None,
        }
    }
}

/// The stack of `dumps`.
pub(crate) type Stack = stack::Stack<Position, DataclassFrame>;

/// A container to be opened.
pub(crate) type NewFrame = stack::NewFrame<Position>;

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

impl NewFrame {
    /// A container that needs nothing more.
    pub(crate) fn new(kind: FrameKind, container: Owned) -> Self {
        Self { position: Position::start_of(kind, container.get()), container, members: None }
    }

    /// An object of these members.
    pub(crate) fn with_members(members: TextMembers, container: Owned) -> Self {
        let position = Position::start_of(FrameKind::TextMembers, container.get());
        Self { position, container, members: Some(members) }
    }

    /// The byte that opens it.
    pub(crate) fn bracket(&self) -> u8 {
        let is_array = matches!(self.position.kind, FrameKind::List | FrameKind::Tuple);
        if is_array { b'[' } else { b'{' }
    }
}
