//! What the owning walk does with an object that is no scalar.
//!
//! Separate from `classify`, which decides it, because `keys`, `dataclass_instance`, `numpy` and
//! `fragment` also return actions. An action holds strong references only, so it stays valid
//! whatever Python code runs. Carried out by `untyped::walk`, `typed::walk` and `leaf`.

use snooze_core::text::Stamp;

use crate::encode::dataclass::{Dataclass, ValueSource};
use crate::encode::frame::NewFrame;
use crate::encode::text_members::TextMembers;
use crate::py::Owned;
use crate::py::bytes::OwnedBytes;
use crate::py::int::OwnedInt;
use crate::py::numpy::Array;
use crate::py::rc::Rc;
use crate::py::unicode::OwnedStr;

/// What the owning walk does with an object.
#[derive(Debug)]
pub(crate) enum Action {
    /// Write the object as a string: its type is a subclass of `str`.
    Str(OwnedStr),
    /// Write the object as an integer: its type is a subclass of `int`.
    Int(OwnedInt),
    /// Write a string that needs no escapes.
    Stamp(Stamp),
    /// Write the text of a UUID as a string.
    Uuid([u8; 36]),
    /// Copy bytes that are already JSON.
    RawJson(OwnedBytes),
    Null,
    Bool(bool),
    Signed(i64),
    Unsigned(u64),
    Float(f64),
    Float32(f32),
    /// Write a numpy array.
    Array(Array),
    /// Write an empty container, given its opening bracket.
    EmptyContainer(u8),
    /// Open a container, which has at least one element or needs the empty form that orjson gives
    /// it.
    OpenContainer(NewFrame),
    /// Open a dataclass instance with at least one public field.
    OpenDataclass(Rc<Dataclass>, ValueSource),
    /// Write another object instead: the value of an enum member or the result of `default`.
    Replace {
        object: Owned,
        is_default: bool,
    },
}

impl Action {
    /// Returns the action for an object with these members; an empty one needs no frame.
    pub(crate) fn object_of(members: TextMembers, container: &Owned) -> Self {
        if members.is_empty() {
            return Self::EmptyContainer(b'{');
        }
        Self::frame_of(members, container)
    }

    /// Returns the action that opens a frame for these members, even if there are none.
    pub(crate) fn frame_of(members: TextMembers, container: &Owned) -> Self {
        Self::OpenContainer(NewFrame::with_members(members, container.clone()))
    }
}
