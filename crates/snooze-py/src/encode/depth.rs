//! The limits of nesting, and the errors of exceeding them.

use crate::py::{Raised, error};

/// Containers that `dumps` may have open, and steps that `default` and enums may lead on; orjson's.
pub(crate) const DUMPS_LIMIT: usize = 254;

/// Results of `default` that may themselves need `default`, along one path; orjson's.
pub(crate) const DEFAULT_LIMIT: usize = 255;

/// Containers that an `Encoder` may have open, and conversions along one path.
pub(crate) const ENCODER_LIMIT: usize = 1024;

/// The error of one container too many.
#[cold]
pub(crate) fn too_deep() -> Raised {
    error::type_error(c"Recursion limit reached")
}

/// Refuses one container more than the limit.
#[inline(always)]
pub(crate) fn check(depth: usize, limit: usize) -> Result<(), Raised> {
    if depth >= limit { Err(too_deep()) } else { Ok(()) }
}
