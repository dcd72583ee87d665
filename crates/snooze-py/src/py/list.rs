//! `list`: its handles, walking one that user code may change, and making one.
//!
//! Separate from `tuple`, whose items never change. Invariant: items are borrowed only while no
//! Python code runs, and on free-threaded builds only under the list's lock or from a copy. Called
//! by both walks.

use core::sync::atomic::{AtomicIsize, AtomicPtr, Ordering};

use pyo3_ffi::*;
use snooze_core::arch::prefetch;

use crate::py::compat::LIST_ARRAY_HEAD;
use crate::py::error::{no_memory, runtime_error, system_error};
use crate::py::handle::{Builtin, Handle, Strong, type_flags};
use crate::py::lock::{Lock, locked};
use crate::py::tuple::{Tuple, TupleType, slice_of};
use crate::py::{Attached, Obj, Owned, Raised, compat, tuple};

/// The type `list`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ListType {}

/// A `list` or an instance of a subclass.
pub(crate) type List<'a> = Handle<'a, ListType>;
/// A strong reference to a `list` or to an instance of a subclass.
pub(crate) type OwnedList = Strong<ListType>;

// SAFETY: every instance begins with a `PyListObject`, because subclasses extend the layout of
// `list`; the flag says which types are subclasses.
unsafe impl Builtin for ListType {
    #[inline(always)]
    fn type_object() -> *mut PyTypeObject {
        &raw mut PyList_Type
    }

    #[inline(always)]
    fn has_instance(object: Obj<'_>) -> bool {
        type_flags(object) & Py_TPFLAGS_LIST_SUBCLASS != 0
    }
}

/// The type of frozen lists: `list` where the interpreter has a GIL, otherwise `tuple`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FrozenListType {}

/// A list that no other thread changes while the witness is borrowed; see [`freeze`].
pub(crate) type FrozenList<'a> = Handle<'a, FrozenListType>;
/// A strong reference to a frozen list.
pub(crate) type OwnedFrozenList = Strong<FrozenListType>;

// SAFETY: every instance begins as the type of this build says, for the reasons given for both.
unsafe impl Builtin for FrozenListType {
    #[inline(always)]
    fn type_object() -> *mut PyTypeObject {
        if compat::FREE_THREADED { TupleType::type_object() } else { ListType::type_object() }
    }

    #[inline(always)]
    fn has_instance(object: Obj<'_>) -> bool {
        match compat::FREE_THREADED {
            true => TupleType::has_instance(object),
            false => ListType::has_instance(object),
        }
    }
}

/// The list itself where the interpreter has a GIL; on free-threaded builds a tuple of its items,
/// which no other thread can change.
#[inline(always)]
pub(crate) fn freeze(list: List<'_>) -> Result<OwnedFrozenList, Raised> {
    // SAFETY: a live list, because of its type; the result is checked. PyList_AsTuple makes a
    // tuple, which is the type of a frozen list there, and copies under the list's lock.
    unsafe {
        Ok(OwnedFrozenList::assume(match compat::FREE_THREADED {
            true => Owned::take(PyList_AsTuple(list.as_ptr()))?,
            false => list.obj().to_owned(),
        }))
    }
}

/// The number of items of a frozen list.
#[inline(always)]
pub(crate) fn frozen_len(frozen: FrozenList<'_>) -> usize {
    if compat::FREE_THREADED {
        return Tuple::any(frozen.obj()).map_or(0, tuple::len);
    }
    // SAFETY: a live list, because that is the type of a frozen list here.
    unsafe { PyList_GET_SIZE(frozen.as_ptr()) as usize }
}

/// The current items of a frozen list, borrowed while no Python code runs.
#[inline(always)]
pub(crate) fn items<'a>(frozen: FrozenList<'a>, py: &'a Attached) -> &'a [Option<Obj<'a>>] {
    if compat::FREE_THREADED {
        return tuple::items_of(frozen.obj(), py);
    }
    // SAFETY: a live list, because that is the type of a frozen list here. Unchanged during `'a`,
    // because the witness is borrowed, so that no Python code runs.
    unsafe { items_in_place(frozen.as_ptr()) }
}

/// The items of a list whose lock is held, borrowed until it is released and while no Python code
/// runs.
#[inline(always)]
pub(crate) fn locked_items<'a>(list: List<'a>, _lock: &Lock<'a>) -> &'a [Option<Obj<'a>>] {
    // SAFETY: a live list, because of its type. Unchanged as long as the result is used, because
    // the lock and the witness that it borrows are held that long: see `lock`.
    unsafe { items_in_place(list.as_ptr()) }
}

/// Prefetches the first items of a list.
#[inline(always)]
pub(crate) fn prefetch_items(list: List<'_>) {
    // SAFETY: a live list, because of its type. Without a GIL other threads write the field
    // atomically, too.
    let items = unsafe {
        let items = &raw mut (*list.as_ptr().cast::<PyListObject>()).ob_item;
        AtomicPtr::from_ptr(items).load(Ordering::Relaxed)
    };
    prefetch(items);
}

/// Whether a list has no items.
#[inline(always)]
pub(crate) fn is_empty(list: List<'_>) -> bool {
    // SAFETY: a live list, because of its type. Without a GIL other threads write the field
    // atomically, too.
    unsafe {
        let size = &raw mut (*list.as_ptr().cast::<PyVarObject>()).ob_size;
        AtomicIsize::from_ptr(size).load(Ordering::Relaxed) == 0
    }
}

/// All items of a list of which `rest` is borrowed to its end, under its lock; otherwise `rest`.
pub(crate) fn whole<'a>(list: List<'a>, rest: &'a [Option<Obj<'a>>]) -> &'a [Option<Obj<'a>>] {
    // SAFETY: a live list, because of its type. Unchanged as long as the result is used, because
    // that is so of `rest`, and both end where the same array ends.
    let items = unsafe { items_in_place(list.as_ptr()) };
    if items.as_ptr_range().end == rest.as_ptr_range().end { items } else { rest }
}

/// # Safety
/// A live list that does not change during `'a`.
#[inline(always)]
unsafe fn items_in_place<'a>(list: *mut PyObject) -> &'a [Option<Obj<'a>>] {
    // SAFETY: the size of a list counts its items. An item may be null in a list that other code is
    // still building.
    unsafe { slice_of((*list.cast::<PyListObject>()).ob_item, PyList_GET_SIZE(list)) }
}

/// The current items of an object that is known to be a frozen list; none for any other object.
#[inline(always)]
pub(crate) fn items_of<'a>(object: Obj<'a>, py: &'a Attached) -> &'a [Option<Obj<'a>>] {
    FrozenList::any(object).map_or(&[], |frozen| items(frozen, py))
}

/// Whether the interpreter has the items of a list where [`attach_items`] puts them.
pub(crate) fn verify(py: &Attached) -> Result<bool, Raised> {
    let new_list = empty(py)?;
    for count in 1..=2 {
        // SAFETY: attached, because there is a witness; live objects; the result is checked.
        if unsafe { PyList_Append(new_list.as_ptr(), Py_None()) } != 0 {
            return Err(Raised);
        }
        // SAFETY: a live list, because it is owned. It has an array, because it has items. The word
        // before them is read only without a GIL, where an array never begins with its items: 3.14
        // is the only version that `BUILDS_OBJECTS` there.
        let is_known = unsafe {
            let list = new_list.as_ptr().cast::<PyListObject>();
            let (items, allocated) = ((*list).ob_item, (*list).allocated);
            let capacity = match LIST_ARRAY_HEAD {
                1 => items.sub(1).cast::<Py_ssize_t>().read(),
                _ => allocated,
            };
            PyList_GET_SIZE(new_list.as_ptr()) == count
                && capacity == allocated
                && allocated >= count
                && items.add(count as usize - 1).read() == Py_None()
        };
        if !is_known {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Appends an object to a list. Raises `SystemError` for any other object.
pub(crate) fn append(_py: &mut Attached, list: &Owned, object: &Owned) -> Result<(), Raised> {
    // SAFETY: attached, because there is a witness; live objects, because both are owned; the
    // result is checked.
    match unsafe { PyList_Append(list.as_ptr(), object.as_ptr()) } {
        0 => Ok(()),
        _ => Err(Raised),
    }
}

/// Makes an empty list.
#[inline(always)]
pub(crate) fn empty(_py: &Attached) -> Result<Owned, Raised> {
    // SAFETY: attached, because there is a witness; the result is checked.
    unsafe { Owned::take(PyList_New(0)) }
}

/// Moves the values from `start` on from the stack to the empty list before them, which stays.
/// Requires private layouts, and a GIL.
#[inline(always)]
pub(crate) fn fill(_py: &Attached, values: &mut Vec<Owned>, start: usize) -> Result<(), Raised> {
    let count = values.len() - start;
    let list = values.get(start.wrapping_sub(1)).and_then(|list| List::exact(list.get()));
    let Some(list) = list else { return Err(not_empty()) };
    // SAFETY: attached, because there is a witness. A live list, because of its type, without an
    // array, because that is checked. The list owns the references, because `set_len` removes them
    // from the stack.
    unsafe {
        let object = list.as_ptr().cast::<PyListObject>();
        if !(*object).ob_item.is_null() {
            return Err(not_empty());
        }
        attach_items(object, values.as_ptr().add(start), count)?;
        values.set_len(start);
    }
    Ok(())
}

/// Gives a list an array with copies of `count` references.
///
/// # Safety
/// The thread is attached. `list` is a live list without an array that no other thread uses;
/// `source` has `count` references, which the list takes over. Private layouts are known.
#[inline(always)]
unsafe fn attach_items(
    list: *mut PyListObject,
    source: *const Owned,
    count: usize,
) -> Result<(), Raised> {
    // SAFETY: a live list that may take over an array, because the caller says so and because it
    // frees its items with PyMem_Free, from the words before them on. The writes stay inside the
    // arrays, because `source` has `count` items and the new one has room for as many and for the
    // words before them, and an `Owned` is one pointer (`repr(transparent)`).
    unsafe {
        let words = LIST_ARRAY_HEAD + count;
        let array = PyMem_Malloc(words * size_of::<*mut PyObject>()).cast::<*mut PyObject>();
        if array.is_null() {
            return Err(no_memory());
        }
        if LIST_ARRAY_HEAD == 1 {
            array.cast::<Py_ssize_t>().write(count as Py_ssize_t);
        }
        let items = array.add(LIST_ARRAY_HEAD);
        items.copy_from_nonoverlapping(source.cast(), count);
        (*list).ob_item = items;
        (*list).allocated = count as Py_ssize_t;
        (*list).ob_base.ob_size = count as Py_ssize_t;
    }
    Ok(())
}

/// The error of an open container that other code has changed, which cannot happen while a document
/// is read.
#[cold]
fn not_empty() -> Raised {
    system_error(c"a list is not empty before its items are read")
}

/// Moves the items of a list to the end of a stack: the list is empty then. Raises `RuntimeError`
/// for a list that is still being made.
pub(crate) fn take_items(
    _py: &Attached,
    list: List<'_>,
    values: &mut Vec<Owned>,
) -> Result<(), Raised> {
    locked(list.obj(), || {
        // SAFETY: a live list, whose items do not change, because its lock is held and nothing runs
        // Python code. The stack has room for them, and gets the references of the list, which has
        // none from then on: an `Owned` and an item that is not null are one pointer. Without a GIL
        // other threads read the size atomically.
        unsafe {
            let items = items_in_place(list.as_ptr());
            if !items.iter().all(Option::is_some) {
                return Err(runtime_error(c"a list is still being made"));
            }
            values.try_reserve(items.len()).map_err(|_| no_memory())?;
            let (start, count) = (values.len(), items.len());
            values.as_mut_ptr().add(start).copy_from_nonoverlapping(items.as_ptr().cast(), count);
            let size = &raw mut (*list.as_ptr().cast::<PyVarObject>()).ob_size;
            AtomicIsize::from_ptr(size).store(0, Ordering::Relaxed);
            values.set_len(start + count);
        }
        Ok(())
    })
}

/// Makes a list of the values from `start` on and removes them from the stack.
#[inline(always)]
pub(crate) fn from_values<const DIRECT: bool>(
    _py: &Attached,
    values: &mut Vec<Owned>,
    start: usize,
) -> Result<Owned, Raised> {
    let count = values.len() - start;
    // SAFETY: attached, because there is a witness; every result is checked. A new list of no items
    // has no array; one of `count` items has room for the copies, and an `Owned` is one pointer
    // (`repr(transparent)`). The list owns the references, because `set_len` removes them from the
    // stack.
    unsafe {
        let source = values.as_ptr().add(start);
        let list = if DIRECT && compat::BUILDS_OBJECTS {
            let list = Owned::take(PyList_New(0))?;
            attach_items(list.as_ptr().cast(), source, count)?;
            list
        } else if compat::FREE_THREADED {
            // PyList_New of free-threaded 3.14 itself crashes if it has no memory for items.
            let list = Owned::take(PyList_New(0))?;
            for value in values.get(start..).into_iter().flatten() {
                if PyList_Append(list.as_ptr(), value.as_ptr()) != 0 {
                    return Err(Raised);
                }
            }
            values.truncate(start);
            list
        } else {
            let list = Owned::take(PyList_New(count as Py_ssize_t))?;
            let items = (*list.as_ptr().cast::<PyListObject>()).ob_item;
            items.copy_from_nonoverlapping(source.cast(), count);
            list
        };
        values.set_len(start);
        Ok(list)
    }
}
