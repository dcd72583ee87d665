//! `set` and `frozenset`: making one.
//!
//! Separate because hashing the items may run Python code. Called by typed decoding.

use pyo3_ffi::*;

use crate::py::{Attached, Owned, Raised};

/// Makes a `set` or `frozenset` of the values from `start` on and removes them from the stack.
pub(crate) fn new(
    _py: &mut Attached,
    values: &mut Vec<Owned>,
    start: usize,
    frozen: bool,
) -> Result<Owned, Raised> {
    // SAFETY: attached, because there is a witness; every result is checked. Even a frozenset may
    // be added to, because no other code has a reference to it. Hashing may run Python code:
    // `value` and the drained stack keep the items alive.
    unsafe {
        let null = core::ptr::null_mut();
        let set = Owned::take(if frozen { PyFrozenSet_New(null) } else { PySet_New(null) })?;
        for value in values.drain(start..) {
            if PySet_Add(set.as_ptr(), value.as_ptr()) != 0 {
                return Err(Raised);
            }
        }
        Ok(set)
    }
}
