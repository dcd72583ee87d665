//! `list` and `tuple`: walking one that user code may change, and making a list.

use pyo3_ffi::*;

use crate::py::error::no_memory;
use crate::py::tuple::slice_of;
use crate::py::{Attached, Obj, Owned, Raised, compat, tuple};

/// The items that `list` has now and that nobody else will change: the list itself where the
/// interpreter has a GIL, a tuple of them where it has none.
#[inline(always)]
pub(crate) fn freeze(list: Obj<'_>) -> Result<Owned, Raised> {
    if compat::FREE_THREADED {
        // SAFETY: a live list; the result is checked. The copy is made under the list's lock.
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
    // SAFETY: a live list.
    unsafe { PyList_GET_SIZE(frozen.as_ptr()) as usize }
}

/// The items of a frozen list as they are now, for as long as no Python code runs.
#[inline(always)]
pub(crate) fn items<'a>(frozen: Obj<'a>, py: &'a Attached) -> &'a [Option<Obj<'a>>] {
    if compat::FREE_THREADED {
        return tuple::items(frozen, py);
    }
    // SAFETY: a live list with that many items at that address; an item is one pointer, which may
    // be null while a list is being built. Nobody changes the list while the witness is borrowed.
    unsafe {
        let list = frozen.as_ptr().cast::<PyListObject>();
        slice_of((*list).ob_item, PyList_GET_SIZE(frozen.as_ptr()))
    }
}

/// A new list of nothing.
#[inline(always)]
pub(crate) fn empty(_py: &Attached) -> Result<Owned, Raised> {
    // SAFETY: attached; the result is checked.
    unsafe { Owned::take(PyList_New(0)) }
}

/// A new list of the values from `start` on, which leave the stack.
#[inline(always)]
pub(crate) fn from_values<const DIRECT: bool>(
    _py: &Attached,
    values: &mut Vec<Owned>,
    start: usize,
) -> Result<Owned, Raised> {
    let count = values.len() - start;
    // SAFETY: attached; every result is checked. A list's items are memory of PyMem_Malloc that
    // it frees, or `count` empty places that PyList_New has made; an `Owned` is one pointer
    // (repr(transparent)), and those copied are no longer the stack's.
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
