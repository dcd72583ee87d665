//! Why a value, or the document, gives no result.

use snooze_core::error::{Error, ErrorKind};

use crate::decode::error::ReadFailure;
use crate::py::Raised;
use crate::py::unicode::StrError;

/// Why there is no result.
#[derive(Clone, Copy, Debug)]
pub(super) enum DecodeFailure {
    Json(Error),
    Raised,
    /// A problem has been noted.
    Noted,
}

impl From<Error> for DecodeFailure {
    #[inline(always)]
    fn from(error: Error) -> Self {
        Self::Json(error)
    }
}

impl From<Raised> for DecodeFailure {
    #[inline(always)]
    fn from(Raised: Raised) -> Self {
        Self::Raised
    }
}

impl From<ReadFailure> for DecodeFailure {
    #[inline(always)]
    fn from(fault: ReadFailure) -> Self {
        match fault {
            ReadFailure::Json(error) => Self::Json(error),
            ReadFailure::Raised => Self::Raised,
        }
    }
}

impl From<StrError> for DecodeFailure {
    #[inline(always)]
    fn from(fault: StrError) -> Self {
        match fault {
            StrError::NotUtf8 => Self::Json(Error::new(ErrorKind::InvalidUtf8, 0)),
            StrError::Raised => Self::Raised,
        }
    }
}
