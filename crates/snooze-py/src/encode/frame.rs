//! The frames of `dumps`: the kinds of open containers, and the position of the walk in each.
//!
//! Separate from `untyped::walk` because `classify`, `keys` and `action` decide which frame an
//! object needs. Invariant: a position is plain data, and its container is on the stack beside it
//! (see `stack`).

use crate::encode::dataclass::{Dataclass, ValueSource};
use crate::encode::stack;
use crate::encode::stack::SideEntry;
use crate::encode::text_members::TextMembers;
use crate::py::dict::{Cursor, Dict};
use crate::py::rc::Rc;
use crate::py::{Obj, Owned};

/// What kind of container a frame walks, or why it keeps an object alive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FrameKind {
    /// A list (frozen, see `py::list`).
    List,
    /// A tuple.
    Tuple,
    /// A dict in its own order; the walk refuses keys that are not `str`.
    Dict,
    /// The `__dict__` of a dataclass instance: private names are left out.
    PublicAttributes,
    /// Members whose keys are text already: sorted, or with keys that are not `str`.
    TextMembers,
    /// A dataclass instance, written field by field.
    Dataclass,
    /// The value of an enum member, kept alive while it is written.
    EnumValue,
    /// A result of `default`, kept alive while it is written. For `snooze.json`, the object
    /// instead.
    DefaultResult,
}

/// The position of the walk in a frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Position {
    pub(crate) kind: FrameKind,
    /// Whether a member has been written; used only by [`FrameKind::PublicAttributes`].
    pub(crate) has_written: bool,
    /// The index of the next item of a sequence or of the next field.
    pub(crate) index: usize,
    /// The next entry of a dict.
    pub(crate) cursor: Cursor,
}

impl Position {
    /// The position before the first element.
    #[inline(always)]
    pub(crate) fn start_of(kind: FrameKind, container: Obj<'_>) -> Self {
        let cursor = match kind {
            FrameKind::Dict | FrameKind::PublicAttributes => {
                Dict::any(container).map_or_else(Cursor::default, Cursor::new)
            }
            _ => Cursor::default(),
        };
        Self { kind, has_written: false, index: 0, cursor }
    }

    /// The position before the field at an index.
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

/// A frame that is not on the stack yet.
pub(crate) type NewFrame = stack::NewFrame<Position>;

/// The payload of a [`FrameKind::Dataclass`] frame.
#[derive(Debug)]
pub(crate) struct DataclassFrame {
    pub(crate) dataclass: Rc<Dataclass>,
    /// Where the instance keeps its values.
    pub(crate) source: ValueSource,
    /// The value being written, kept alive.
    pub(crate) value: Option<Owned>,
}

impl DataclassFrame {
    /// A payload before the first value.
    #[inline(always)]
    pub(crate) fn new(dataclass: Rc<Dataclass>, source: ValueSource) -> Self {
        Self { dataclass, source, value: None }
    }
}

impl NewFrame {
    /// A frame without members or payload.
    pub(crate) fn new(kind: FrameKind, container: Owned) -> Self {
        Self { position: Position::start_of(kind, container.get()), container, members: None }
    }

    /// A frame for an object with these members.
    pub(crate) fn with_members(members: TextMembers, container: Owned) -> Self {
        let position = Position::start_of(FrameKind::TextMembers, container.get());
        Self { position, container, members: Some(members) }
    }

    /// The opening bracket.
    pub(crate) fn bracket(&self) -> u8 {
        let is_array = matches!(self.position.kind, FrameKind::List | FrameKind::Tuple);
        if is_array { b'[' } else { b'{' }
    }
}
