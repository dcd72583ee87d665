//! Why a value cannot be encoded by its node, and the messages for it.
//!
//! Separate because a failure has no path yet: `path` appends it when the walk ends. Called by
//! `classify`, `action`, `keys` and `walk`.

use crate::encode::datetime;
use crate::encode::place::name_of;
use crate::encode::typed::plan::Node;
use crate::py::message::Message;
use crate::py::{Attached, Obj, Owned, Raised, call, error, singletons};

/// Why a value was not encoded.
#[derive(Debug)]
pub(super) enum EncodeFailure {
    /// A Python exception is set.
    Raised,
    /// A message, still without its path.
    Message(Message),
    /// A message about this key of a dict that is not on the stack.
    Key(Message, Owned),
    /// The message of this exception, which may have a cause.
    Exception(Message, Owned),
    /// The message of this exception of a function of the user, which becomes the cause.
    Refusal(Message, Owned),
}

impl From<Raised> for EncodeFailure {
    fn from(Raised: Raised) -> Self {
        Self::Raised
    }
}

impl EncodeFailure {
    /// Raises `SystemError`: the plan and the state of the walk do not belong together, which only
    /// a bug of this crate can cause.
    #[cold]
    pub(super) fn broken_plan() -> Self {
        error::system_error(c"a plan does not fit the state of its walk").into()
    }

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

impl EncodeFailure {
    /// Makes a message of a `TypeError` that was raised without Python code, so that it gets a
    /// path; leaves any other exception.
    #[cold]
    pub(super) fn of_raised(py: &mut Attached) -> Self {
        match error::take_type_error(py, true) {
            Some(exception) => Self::of_exception(py, exception),
            None => Self::Raised,
        }
    }

    /// The same for a function of the user, which refuses an object with a `TypeError`, possibly
    /// without a text. The exception is the cause of the one that is raised. If the function itself
    /// encodes something, it has a place already.
    #[cold]
    pub(super) fn of_function(py: &mut Attached, object: &Owned) -> Self {
        let Some(exception) = error::take_type_error(py, false) else { return Self::Raised };
        match Self::of_exception(py, exception) {
            Self::Exception(message, exception) if message.is_empty() => {
                match not_serializable(object) {
                    Self::Message(message) => Self::Refusal(message, exception),
                    other => other,
                }
            }
            Self::Exception(message, exception) => Self::Refusal(message, exception),
            other => other,
        }
    }

    fn of_exception(py: &mut Attached, exception: Owned) -> Self {
        if error::has_place(&exception) {
            error::restore(py, exception);
            return Self::Raised;
        }
        let message = match call::text_of(py, &exception) {
            Ok(text) => Self::new(|message| message.str(text.get().obj())),
            Err(Raised) if error::must_propagate(py) => return Self::Raised,
            // Its `__str__` fails.
            Err(Raised) => {
                error::clear();
                Self::Message(Message::new())
            }
        };
        match message {
            Self::Message(message) => Self::Exception(message, exception),
            _ => Self::Raised,
        }
    }

    /// Says which key the message is about, if it is not on the stack.
    pub(super) fn at_key(self, key: &Owned) -> Self {
        match self {
            Self::Message(message) => Self::Key(message, key.clone()),
            other => other,
        }
    }
}

/// The failure for an object of a type that nothing describes.
#[cold]
pub(super) fn not_serializable(object: &Owned) -> EncodeFailure {
    EncodeFailure::new(|message| {
        message.text("Type is not JSON serializable: ")?.type_name(object.get())
    })
}

/// The failure `expected int, found str`.
#[cold]
pub(super) fn mismatch(node: &Node, object: &Owned) -> EncodeFailure {
    EncodeFailure::new(|message| {
        message.text("expected ")?.str(node.expected.get())?.text(", found ")?;
        kind_name(message, object.get())
    })
}

/// The failure for the further members of a record whose `items()` has raised: that they are not in
/// a dict, if there is no such method.
#[cold]
pub(super) fn no_items(py: &mut Attached, object: &Owned) -> EncodeFailure {
    if error::take_attribute_error(py).is_none() {
        return EncodeFailure::Raised;
    }
    EncodeFailure::new(|message| {
        let message = message.text("expected a dict of further members, found ")?;
        kind_name(message, object.get())
    })
}

/// The failure for a date, a time or a duration of Python code.
#[cold]
pub(super) fn unreadable(object: &Owned) -> EncodeFailure {
    EncodeFailure::new(|message| {
        let found = kind_name(message.text("Type is not JSON serializable: ")?, object.get())?;
        found.text(datetime::UNREADABLE)
    })
}

/// The failure `expected str as a key, found int`.
#[cold]
pub(super) fn wrong_key(node: &Node, key: &Owned) -> EncodeFailure {
    EncodeFailure::new(|message| {
        message.text("expected ")?.str(node.expected.get())?.text(" as a key, found ")?;
        kind_name(message, key.get())
    })
}

/// Appends the name of a value's type; of None, `None`.
pub(super) fn kind_name<'m>(
    message: &'m mut Message,
    object: Obj<'_>,
) -> Result<&'m mut Message, Raised> {
    match singletons::is_none(object) {
        true => message.text("None"),
        false => message.type_name(object),
    }
}

/// The failure for a string with surrogates.
#[cold]
pub(super) fn surrogates() -> EncodeFailure {
    EncodeFailure::new(|message| message.text("str is not valid UTF-8: surrogates not allowed"))
}

/// The failure for a key that no text can stand for.
#[cold]
pub(super) fn not_a_key(key: &Owned) -> EncodeFailure {
    EncodeFailure::new(|message| {
        message.text("expected a key that is a str, number, bool, None, time, UUID or enum ")?;
        message.text("member, found ")?;
        kind_name(message, key.get())
    })
}

/// The failure for a number that JSON does not have; `value` is infinite or NaN.
#[cold]
pub(super) fn not_finite(value: f64) -> EncodeFailure {
    EncodeFailure::new(|message| {
        message.text("expected a finite number, found ")?.text(name_of(value))
    })
}
