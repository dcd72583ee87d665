//! The text of a `uuid.UUID`, from its attribute `int`.
//!
//! Separate because `classify` and `keys` share it. `classify::write_borrowed` reads the slot
//! itself if it can.

use snooze_core::text::hyphenated;

use crate::py::int::Int;
use crate::py::{Attached, Owned, Raised, call, error, int};
use crate::runtime::Runtime;

/// Returns the hyphenated text. May run Python code.
pub(crate) fn text(
    runtime: &Runtime,
    py: &mut Attached,
    object: &Owned,
) -> Result<[u8; 36], Raised> {
    let value = call::attribute(py, object, &runtime.names.int)?;
    if let Some(value) = Int::exact(value.get())
        && let Some(value) = int::value_128(py, value)?
    {
        return Ok(hyphenated(value));
    }
    Err(error::type_error(c"uuid.UUID.int must be an int of 128 bits"))
}
