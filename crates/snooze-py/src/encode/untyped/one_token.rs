//! The JSON of an object that is `None`, `True`, `False` or a digit.
//!
//! Separate from `walk`, because it needs neither the walk nor its memory. Invariant: the walk would
//! write the same. Called by `walk`.
//!
//! PERF: taking scratch memory and entering a tier takes longer than all of such a call.

use crate::py::compat::FREE_THREADED;
use crate::py::int::{self, Int};
use crate::py::{Attached, Obj, Owned, singletons};
use crate::runtime::Runtime;

/// The JSON of the object as `bytes`; `None` for all other objects.
#[inline(always)]
pub(super) fn json_of(runtime: &Runtime, py: &Attached, object: Obj<'_>) -> Option<Owned> {
    // Without a GIL, threads would contend for the reference counts of the words.
    if !FREE_THREADED {
        if singletons::is_none(object) {
            return runtime.one_token.null(py);
        }
        if singletons::is_bool(object) {
            return runtime.one_token.boolean(py, singletons::is_true(object));
        }
    }
    if !runtime.direct {
        return None;
    }
    let value = int::in_place(Int::exact(object)?)?;
    runtime.one_token.digit(py, usize::try_from(value).ok()?)
}
