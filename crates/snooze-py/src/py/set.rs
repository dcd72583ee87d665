//! `set` and `frozenset`: making one, and what is in one.
//!
//! Separate because hashing the items may run Python code. Called by the typed codecs.

use pyo3_ffi::*;

use crate::py::types::Exact;
use crate::py::{Attached, Obj, Owned, Raised, call, list};

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

/// Whether the object is exactly a `set` or `frozenset`.
pub(crate) fn is_exact(object: Obj<'_>) -> bool {
    // SAFETY: a live object, because an `Obj` borrows it.
    unsafe { PyAnySet_CheckExact(object.as_ptr()) != 0 }
}

/// Whether the object is a `set`, a `frozenset` or an instance of a subclass.
pub(crate) fn is_any(object: Obj<'_>) -> bool {
    // SAFETY: a live object, because an `Obj` borrows it.
    unsafe { PyAnySet_Check(object.as_ptr()) != 0 }
}

/// Whether the object is a set without items.
pub(crate) fn is_empty(object: Obj<'_>) -> bool {
    // SAFETY: a live object, because an `Obj` borrows it; a set, because that is checked.
    unsafe { PyAnySet_Check(object.as_ptr()) != 0 && PySet_Size(object.as_ptr()) == 0 }
}

/// The class of all items of a set; `None` if there is none, or more than one.
pub(crate) fn class_of_items(py: &mut Attached, set: &Owned) -> Result<Option<Exact>, Raised> {
    let items = call::to_list(py, set)?;
    let items = list::freeze(items.get())?;
    let mut classes = list::items(items.get(), py).iter().flatten().map(|item| Exact::of(*item));
    let first = classes.next();
    Ok(first.filter(|first| classes.all(|class| class == *first)))
}
