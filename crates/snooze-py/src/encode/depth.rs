//! The limits of nesting, and the errors for exceeding them.
//!
//! Separate because the walks, `classify`, `keys` and `numpy` all check them. The limits of `dumps`
//! are orjson's.

use crate::py::message::Message;
use crate::py::{Raised, error};

/// Containers that `dumps` may have open, and enum members that may lead to each other along one
/// path. orjson's limit.
pub(crate) const DUMPS_LIMIT: usize = 254;

/// Results of `default` that may be open along one path. orjson's limit.
pub(crate) const DEFAULT_LIMIT: usize = 255;

/// Containers that an `Encoder` may have open; also the limit of conversions along one path.
pub(crate) const ENCODER_LIMIT: usize = 1024;

/// The error for one container too many.
#[cold]
pub(crate) fn too_deep() -> Raised {
    error::type_error(c"Recursion limit reached")
}

/// Raises an error if `depth` has reached the limit.
#[inline(always)]
pub(crate) fn check(depth: usize, limit: usize) -> Result<(), Raised> {
    if depth >= limit { Err(too_deep()) } else { Ok(()) }
}

/// Raises an error that names the option of an `Encoder` if `depth` has reached `max_depth`.
#[inline(always)]
pub(crate) fn check_option(depth: usize, max_depth: usize) -> Result<(), Raised> {
    if depth >= max_depth { Err(deeper_than(max_depth)) } else { Ok(()) }
}

#[cold]
#[inline(never)]
fn deeper_than(max_depth: usize) -> Raised {
    Message::raise_type_error(|message| {
        message.text("Recursion limit reached: nested deeper than max_depth=")?.count(max_depth)
    })
}
