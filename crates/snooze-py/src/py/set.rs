//! `set` and `frozenset`: making one. Called by typed decoding.

use pyo3_ffi::*;

use crate::py::{Attached, Owned, Raised};

/// A new set, or frozen set, of the values from `start` on, which leave the stack.
pub(crate) fn new(
    _py: &mut Attached,
    values: &mut Vec<Owned>,
    start: usize,
    frozen: bool,
) -> Result<Owned, Raised> {
    // SAFETY: attached; every result is checked. A set that nobody has seen may be added to, frozen
    // or not. Hashing may run Python code: the value is kept alive by `value`, the rest by the
    // stack.
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
