//! Why a document gives no result, and raising the exception for it.
//!
//! Separate because all three walks, and `rewrite`, raise the same errors for input that is not
//! JSON. Invariant: messages and positions are orjson's. Called by `input`, `untyped`, `typed` and
//! `policy`.

use snooze_core::error::{Error, ErrorKind};

use crate::py::input::{Input, InputError};
use crate::py::str_build::StrError;
use crate::py::{Obj, Raised, error, unicode};
use crate::runtime::Runtime;

/// Why there is no result.
pub(crate) enum ReadFailure {
    /// The document is not JSON.
    Json(Error),
    /// A Python exception is set.
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
    fn from(error: StrError) -> Self {
        match error {
            StrError::NotUtf8 => Self::Json(Error::new(ErrorKind::InvalidUtf8, 0)),
            StrError::Raised => Self::Raised,
        }
    }
}

/// Raises `JSONDecodeError` with an empty document and position 0: the input was not read.
#[cold]
pub(super) fn raise_without_document(runtime: &Runtime, message: &str) -> Raised {
    match unicode::decode_utf8(b"") {
        Ok(document) => runtime.decode_error.raise(message, document, 0),
        Err(Raised) => Raised,
    }
}

/// Raises `JSONDecodeError` for a document that is not UTF-8; a note says how UTF-16 and UTF-32 are
/// read if it begins with their byte order mark.
#[cold]
pub(super) fn raise_not_utf8(runtime: &Runtime, document: &[u8]) -> Raised {
    let raised = raise_without_document(runtime, ErrorKind::InvalidUtf8.message());
    if matches!(document, [0xff, 0xfe, ..] | [0xfe, 0xff, ..] | [0, 0, 0xfe, 0xff, ..]) {
        return runtime.decode_error.ask_for_encoding();
    }
    raised
}

/// Raises the exception for an object that is no input.
#[cold]
pub(super) fn raise_input_error(runtime: &Runtime, input_error: InputError) -> Raised {
    match input_error {
        InputError::WrongType => {
            raise_without_document(runtime, "Input must be bytes, bytearray, memoryview, or str")
        }
        InputError::NotUtf8 => raise_without_document(runtime, ErrorKind::InvalidUtf8.message()),
        InputError::Raised => Raised,
    }
}

/// Raises the exception for a syntax error, with the document and the position.
#[cold]
#[inline(never)]
pub(crate) fn raise_json_error(
    runtime: &Runtime,
    object: Obj<'_>,
    input: Input<'_>,
    error: Error,
) -> Raised {
    raise_json_error_as(runtime, object, input, error, error.kind.message())
}

/// [`raise_json_error`] with another message.
#[cold]
#[inline(never)]
pub(crate) fn raise_json_error_as(
    runtime: &Runtime,
    object: Obj<'_>,
    input: Input<'_>,
    error: Error,
    message: &str,
) -> Raised {
    if error.kind == ErrorKind::NoMemory {
        return error::no_memory();
    }
    // The walks check strings only when they make them. A document that is not UTF-8 anywhere
    // raises that error, whatever other error comes before or after it.
    if !input.is_text && core::str::from_utf8(input.bytes()).is_err() {
        return raise_not_utf8(runtime, input.bytes());
    }
    let document =
        if input.is_text { Ok(object.to_owned()) } else { unicode::decode_utf8(input.bytes()) };
    let Ok(document) = document else {
        return Raised;
    };
    let position = error.char_offset(input.bytes());
    runtime.decode_error.raise(message, document, position)
}
