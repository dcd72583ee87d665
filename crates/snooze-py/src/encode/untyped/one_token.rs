//! The JSON of an object that is `None`, `True`, `False` or a digit.
//!
//! Separate from `walk`, because it needs neither the walk nor its memory. Invariant: the walk
//! would write the same. Called by `walk`.
//!
//! PERF: taking scratch memory and entering a tier takes longer than writing such a token.

use crate::py::int::{self, Int};
use crate::py::{Attached, Obj, Owned, Raised, bytes, singletons};
use crate::runtime::Runtime;

/// The JSON as new `bytes`; `None` for all other objects.
#[inline(always)]
pub(super) fn json_of(
    runtime: &Runtime,
    py: &Attached,
    object: Obj<'_>,
) -> Result<Option<Owned>, Raised> {
    let digit;
    let text: &[u8] = if singletons::is_none(object) {
        b"null"
    } else if singletons::is_bool(object) {
        if singletons::is_true(object) { b"true" } else { b"false" }
    } else {
        match Int::exact(object).filter(|_| runtime.direct).and_then(int::in_place) {
            Some(value @ 0..=9) => {
                digit = [b'0' + value as u8];
                &digit
            }
            _ => return Ok(None),
        }
    };
    Ok(Some(bytes::new(py, text)?.into_owned()))
}
