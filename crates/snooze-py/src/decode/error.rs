//! Why a document gives no result, and the exception that says so.

use snooze_core::error::{Error, ErrorKind};

use crate::py::input::{Input, InputError};
use crate::py::unicode::StrError;
use crate::py::{Obj, Raised, error, unicode};
use crate::runtime::Runtime;

/// Why there is no result.
pub(crate) enum ReadFailure {
    Json(Error),
    Raised,
}

impl From<Error> for ReadFailure {
    #[inline(always)]
    fn from(error: Error) -> Self {
        Self::Json(error)
    }
}

impl From<Raised> for ReadFailure {
    #[inline(always)]
    fn from(Raised: Raised) -> Self {
        Self::Raised
    }
}

impl From<StrError> for ReadFailure {
    #[inline(always)]
    fn from(fault: StrError) -> Self {
        match fault {
            StrError::NotUtf8 => Self::Json(Error::new(ErrorKind::InvalidUtf8, 0)),
            StrError::Raised => Self::Raised,
        }
    }
}

/// Raises a fault found before the document was read.
#[cold]
pub(super) fn refuse(runtime: &Runtime, message: &str) -> Raised {
    match unicode::decode_utf8(b"") {
        Ok(document) => error::decode_error(&runtime.decode_error, message, document, 0),
        Err(Raised) => Raised,
    }
}

#[cold]
pub(super) fn refuse_input(runtime: &Runtime, fault: InputError) -> Raised {
    match fault {
        InputError::WrongType => {
            refuse(runtime, "Input must be bytes, bytearray, memoryview, or str")
        }
        InputError::NotUtf8 => refuse(runtime, ErrorKind::InvalidUtf8.message()),
        InputError::Raised => Raised,
    }
}

/// Raises the fault of a document, with the document and the place.
#[cold]
#[inline(never)]
pub(crate) fn raise_error(
    runtime: &Runtime,
    object: Obj<'_>,
    input: &Input<'_>,
    error: Error,
) -> Raised {
    if error.kind == ErrorKind::NoMemory {
        return error::no_memory();
    }
    // Strings are validated as they are made; a document that is no UTF-8 anywhere is refused
    // for that, whatever else is wrong before or after it.
    if !input.is_text && core::str::from_utf8(input.bytes()).is_err() {
        return refuse(runtime, ErrorKind::InvalidUtf8.message());
    }
    let document =
        if input.is_text { Ok(object.to_owned()) } else { unicode::decode_utf8(input.bytes()) };
    let Ok(document) = document else {
        return Raised;
    };
    let position = error.char_offset(input.bytes());
    error::decode_error(&runtime.decode_error, error.kind.message(), document, position)
}
