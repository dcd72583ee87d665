//! What a walk does with an object that is none of the common kinds: decided by `classify`.

use snooze_core::text::Stamp;

use crate::encode::dataclass::{Dataclass, ValueSource};
use crate::encode::frame::Opening;
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
    Dataclass(Rc<Dataclass>, ValueSource),
    /// Goes on with another object in its place.
    Value {
        object: Owned,
        is_default: bool,
    },
}

impl Action {
    /// Opens an object of these members, or writes the empty object that needs no frame.
    pub(crate) fn of_members(members: TextMembers, owner: &Owned) -> Self {
        if members.is_empty() {
            return Self::Empty(b'{');
        }
        Self::open_members(members, owner)
    }

    /// Opens an object of these members, even of none.
    pub(crate) fn open_members(members: TextMembers, owner: &Owned) -> Self {
        Self::Open(Opening::of_members(members, owner.clone()))
    }
}
