//! Why a value cannot be encoded by its node, and the messages for it.
//!
//! Separate because a failure has no path yet: `path` appends it when the walk ends. Called by
//! `classify`, `action`, `keys` and `walk`.

use crate::encode::typed::plan::Node;
use crate::py::message::Message;
use crate::py::types::{self, Kind};
use crate::py::{Obj, Owned, Raised};

/// Why a value was not encoded.
#[derive(Debug)]
pub(super) enum EncodeFailure {
    /// A Python exception is set.
    Raised,
    /// A message, still without its path.
    Message(Message),
}

impl From<Raised> for EncodeFailure {
    fn from(Raised: Raised) -> Self {
        Self::Raised
    }
}

impl EncodeFailure {
    /// Builds a failure from the message that `write` appends, or from the exception that it
    /// raised.
    #[cold]
    pub(super) fn new(write: impl FnOnce(&mut Message) -> Result<&mut Message, Raised>) -> Self {
        let mut message = Message::new();
        match write(&mut message) {
            Ok(_) => Self::Message(message),
            Err(Raised) => Self::Raised,
        }
    }
}

/// The failure `expected int, found str`.
#[cold]
pub(super) fn mismatch(node: &Node, object: &Owned) -> EncodeFailure {
    EncodeFailure::new(|message| {
        message.text("expected ")?.str(node.expected.get())?.text(", found ")?;
        kind_name(message, object.get())
    })
}

/// Appends the JSON kind of a value, or the name of its type if it has none.
pub(super) fn kind_name<'m>(
    message: &'m mut Message,
    object: Obj<'_>,
) -> Result<&'m mut Message, Raised> {
    let word = match types::kind(object) {
        Kind::Str(_) => "str",
        Kind::Int(_) => "int",
        Kind::Bool => "bool",
        Kind::None => "null",
        Kind::Float(_) => "float",
        Kind::List(_) | Kind::Tuple(_) => "array",
        Kind::Dict(_) => "object",
        Kind::Other => return message.type_name(object),
    };
    message.text(word)
}

/// The failure for a string with surrogates.
#[cold]
pub(super) fn surrogates() -> EncodeFailure {
    EncodeFailure::new(|message| message.text("str is not valid UTF-8: surrogates not allowed"))
}

/// `expected a key, found array`.
#[cold]
pub(super) fn not_a_key(key: &Owned) -> EncodeFailure {
    EncodeFailure::new(|message| {
        message.text("expected a key, found ")?;
        kind_name(message, key.get())
    })
}
