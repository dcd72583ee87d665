//! `list`: walking one that user code may change, and making one.
//!
//! Separate from `tuple`, whose items never change. Invariant: items are borrowed only while no
//! Python code runs, and on free-threaded builds only from a copy. Called by both walks.

use pyo3_ffi::*;

use crate::py::error::no_memory;
use crate::py::tuple::slice_of;
use crate::py::{Attached, Obj, Owned, Raised, compat, tuple};

/// The list itself where the interpreter has a GIL; on free-threaded builds a tuple of its items,
/// which no other thread can change.
#[inline(always)]
pub(crate) fn freeze(list: Obj<'_>) -> Result<Owned, Raised> {
    if compat::FREE_THREADED {
        // SAFETY: a live list, because the caller passes one; the result is checked. The call
        // copies under the list's lock.
        return unsafe { Owned::take(PyList_AsTuple(list.as_ptr())) };
    }
    Ok(list.to_owned())
}

/// The number of items of a frozen list.
#[inline(always)]
pub(crate) fn frozen_len(frozen: Obj<'_>) -> usize {
    if compat::FREE_THREADED {
        return tuple::len(frozen);
    }
    // SAFETY: a live list, because `freeze` returns one here.
    unsafe { PyList_GET_SIZE(frozen.as_ptr()) as usize }
}

/// The current items of a frozen list, borrowed while no Python code runs.
#[inline(always)]
pub(crate) fn items<'a>(frozen: Obj<'a>, py: &'a Attached) -> &'a [Option<Obj<'a>>] {
    if compat::FREE_THREADED {
        return tuple::items(frozen, py);
    }
    // SAFETY: a live list, because `freeze` returns one here; its size counts the items. Unchanged
    // during `'a`, because the witness is borrowed, so that no Python code runs. An item may be
    // null in a list that other code is still building.
    unsafe {
        let list = frozen.as_ptr().cast::<PyListObject>();
        slice_of((*list).ob_item, PyList_GET_SIZE(frozen.as_ptr()))
    }
}

/// Makes an empty list.
#[inline(always)]
pub(crate) fn empty(_py: &Attached) -> Result<Owned, Raised> {
    // SAFETY: attached, because there is a witness; the result is checked.
    unsafe { Owned::take(PyList_New(0)) }
}

/// Makes a list of the values from `start` on and removes them from the stack.
#[inline(always)]
pub(crate) fn from_values<const DIRECT: bool>(
    _py: &Attached,
    values: &mut Vec<Owned>,
    start: usize,
) -> Result<Owned, Raised> {
    let count = values.len() - start;
    // SAFETY: attached, because there is a witness; every result is checked. The list may take over
    // the array, because it frees its items with PyMem_Free. The copies stay inside the arrays,
    // because both have `count` items. An `Owned` is one pointer (`repr(transparent)`), and the
    // list owns the references, because `set_len` removes them from the stack.
    unsafe {
        let source = values.as_ptr().add(start).cast::<*mut PyObject>();
        let list = if DIRECT && !compat::FREE_THREADED {
            let list = Owned::take(PyList_New(0))?;
            let items = PyMem_Malloc(count * size_of::<*mut PyObject>()).cast::<*mut PyObject>();
            if items.is_null() {
                return Err(no_memory());
            }
            items.copy_from_nonoverlapping(source, count);
            let object = list.as_ptr().cast::<PyListObject>();
            (*object).ob_item = items;
            (*object).allocated = count as Py_ssize_t;
            (*object).ob_base.ob_size = count as Py_ssize_t;
            list
        } else {
            let list = Owned::take(PyList_New(count as Py_ssize_t))?;
            let items = (*list.as_ptr().cast::<PyListObject>()).ob_item;
            items.copy_from_nonoverlapping(source, count);
            list
        };
        values.set_len(start);
        Ok(list)
    }
}
