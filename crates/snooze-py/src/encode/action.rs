//! What a walk does with an object that is none of the common kinds: decided by `classify`.

use snooze_core::text::Stamp;

use crate::encode::dataclass::{Dataclass, ValueSource};
use crate::encode::frame::NewFrame;
use crate::encode::text_members::TextMembers;
use crate::py::Owned;
use crate::py::numpy::Array;
use crate::py::rc::Rc;

/// What the walk does with an object that is none of the common kinds.
#[derive(Debug)]
pub(crate) enum Action {
    /// Writes it as a string: an instance of a subclass of `str`.
    Str,
    /// Writes it as an integer: an instance of a subclass of `int`.
    Int,
    /// Writes a string that needs no escapes.
    Stamp(Stamp),
    /// Writes a UUID.
    Uuid([u8; 36]),
    /// Copies bytes as they are.
    RawJson(Owned),
    Null,
    Bool(bool),
    Signed(i64),
    Unsigned(u64),
    Float(f64),
    Float32(f32),
    /// Writes an array of numpy.
    Array(Array),
    /// Writes an empty container.
    EmptyContainer(u8),
    /// Opens a container with at least one element.
    OpenContainer(NewFrame),
    /// Opens a dataclass with at least one field to be written.
    OpenDataclass(Rc<Dataclass>, ValueSource),
    /// Goes on with another object in its place.
    Replace {
        object: Owned,
        is_default: bool,
    },
}

impl Action {
    /// Opens an object of these members, or writes the empty object that needs no frame.
    pub(crate) fn object_of(members: TextMembers, container: &Owned) -> Self {
        if members.is_empty() {
            return Self::EmptyContainer(b'{');
        }
        Self::frame_of(members, container)
    }

    /// Opens an object of these members, even of none.
    pub(crate) fn frame_of(members: TextMembers, container: &Owned) -> Self {
        Self::OpenContainer(NewFrame::with_members(members, container.clone()))
    }
}
