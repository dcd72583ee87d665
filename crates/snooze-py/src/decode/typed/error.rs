//! Why typed decoding has no result.
//!
//! Separate from `decode::error`, because only typed decoding has values that are JSON but do not
//! fit. Invariant: a failure other than `Raised` becomes an exception only in `entry`, which knows
//! the input. Used by all files of this folder.

use snooze_core::error::{Error, ErrorKind};

use crate::decode::error::ReadFailure;
use crate::py::Raised;
use crate::py::str_build::StrError;

/// Why there is no result.
#[derive(Clone, Copy, Debug)]
pub(super) enum DecodeFailure {
    /// The document is not JSON.
    Json(Error),
    /// A Python exception is set.
    Raised,
    /// A value does not fit its type; `Context::problems` describes it.
    Problem,
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
    fn from(failure: ReadFailure) -> Self {
        match failure {
            ReadFailure::Json(error) => Self::Json(error),
            ReadFailure::Raised => Self::Raised,
        }
    }
}

impl From<StrError> for DecodeFailure {
    #[inline(always)]
    fn from(error: StrError) -> Self {
        match error {
            StrError::NotUtf8 => Self::Json(Error::new(ErrorKind::InvalidUtf8, 0)),
            StrError::Raised => Self::Raised,
        }
    }
}
