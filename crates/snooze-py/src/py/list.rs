//! `list` and `tuple`: walking one that user code may change, and making a list.

use pyo3_ffi::*;

use super::{Attached, Obj, Owned, Raised, compat};

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

/// The number of items of a list.
#[inline(always)]
pub(crate) fn len(list: Obj<'_>) -> usize {
    // SAFETY: a live list.
    unsafe { PyList_GET_SIZE(list.as_ptr()) as usize }
}

/// The number of items of a tuple.
#[inline(always)]
pub(crate) fn tuple_len(tuple: Obj<'_>) -> usize {
    // SAFETY: a live tuple.
    unsafe { PyTuple_GET_SIZE(tuple.as_ptr()) as usize }
}

/// The item of a frozen list, or `None` behind its end.
///
/// The length is read anew each time: user code may have changed the list since.
#[inline(always)]
pub(crate) fn item<'a>(frozen: &'a Owned, _py: &'a Attached, index: usize) -> Option<Obj<'a>> {
    if compat::FREE_THREADED {
        return tuple_item(frozen, _py, index);
    }
    // SAFETY: a live list, and an index below its length. The item lives as long as no Python
    // code runs, which the borrow of the witness ensures.
    unsafe {
        if index >= PyList_GET_SIZE(frozen.as_ptr()) as usize {
            return None;
        }
        Obj::from_ptr(PyList_GET_ITEM(frozen.as_ptr(), index as Py_ssize_t))
    }
}

/// The item of a tuple, or `None` behind its end.
#[inline(always)]
pub(crate) fn tuple_item<'a>(
    tuple: &'a Owned,
    _py: &'a Attached,
    index: usize,
) -> Option<Obj<'a>> {
    // SAFETY: a live tuple, and an index below its length; a tuple keeps its items.
    unsafe {
        if index >= PyTuple_GET_SIZE(tuple.as_ptr()) as usize {
            return None;
        }
        Obj::from_ptr(PyTuple_GET_ITEM(tuple.as_ptr(), index as Py_ssize_t))
    }
}

/// A new list of the values from `start` on, which leave the stack.
#[inline(always)]
pub(crate) fn from_values(
    _py: &Attached,
    values: &mut Vec<Owned>,
    start: usize,
) -> Result<Owned, Raised> {
    let count = values.len() - start;
    // SAFETY: attached; the result is checked. A new list has `count` empty places; an `Owned` is
    // one pointer (repr(transparent)), and those copied are no longer the stack's.
    unsafe {
        let list = Owned::take(PyList_New(count as Py_ssize_t))?;
        if count > 0 {
            let items = (*list.as_ptr().cast::<PyListObject>()).ob_item;
            let source = values.as_ptr().add(start).cast::<*mut PyObject>();
            items.copy_from_nonoverlapping(source, count);
            values.set_len(start);
        }
        Ok(list)
    }
}
