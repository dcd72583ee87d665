//! `tuple`: its items, and making one.
//!
//! A tuple never changes, so its items are borrowed from it. Called by both walks, by `list`, whose
//! frozen copies are tuples on free-threaded builds, and by typed codecs for named tuples.

use core::slice;

use pyo3_ffi::*;

use crate::py::{Attached, Obj, Owned, Raised, compat, error};

/// The number of items of a tuple.
#[inline(always)]
pub(crate) fn len(tuple: Obj<'_>) -> usize {
    // SAFETY: a live tuple.
    unsafe { PyTuple_GET_SIZE(tuple.as_ptr()) as usize }
}

/// The items of a tuple.
#[inline(always)]
pub(crate) fn items<'a>(tuple: Obj<'a>, _py: &'a Attached) -> &'a [Option<Obj<'a>>] {
    // SAFETY: a live tuple with that many items behind its head, see above.
    unsafe {
        let items = &raw const (*tuple.as_ptr().cast::<PyTupleObject>()).ob_item;
        slice_of(items.cast(), PyTuple_GET_SIZE(tuple.as_ptr()))
    }
}

/// Pointers as references.
///
/// # Safety
/// `start` has `count` pointers, each null or to an object that lives for `'a`.
#[inline(always)]
pub(super) unsafe fn slice_of<'a>(
    start: *const *mut PyObject,
    count: Py_ssize_t,
) -> &'a [Option<Obj<'a>>] {
    if count <= 0 || start.is_null() {
        return &[];
    }
    // SAFETY: by the caller; `Option<Obj>` is one pointer, null for `None`.
    unsafe { slice::from_raw_parts(start.cast(), count as usize) }
}

/// A new tuple of the values from `start` on, which leave the stack.
pub(crate) fn new(_py: &Attached, values: &mut Vec<Owned>, start: usize) -> Result<Owned, Raised> {
    let count = values.len() - start;
    // SAFETY: attached; the result is checked, and has `count` empty places.
    unsafe {
        let tuple = Owned::take(PyTuple_New(count as Py_ssize_t))?;
        for (place, value) in values.drain(start..).enumerate() {
            PyTuple_SET_ITEM(tuple.as_ptr(), place as Py_ssize_t, value.into_ptr());
        }
        Ok(tuple)
    }
}

/// A class of tuples whose instances may be made here.
#[derive(Debug)]
pub(crate) struct TupleClass(Owned);

impl TupleClass {
    /// The class, if it is a `tuple` with nothing added.
    pub(crate) fn new(class: &Owned) -> Option<Self> {
        // SAFETY: a live object; it is looked at as a type once it is known to be one.
        unsafe {
            if PyType_Check(class.as_ptr()) == 0 {
                return None;
            }
            let tp = class.as_ptr().cast::<PyTypeObject>();
            let tuple = &raw mut PyTuple_Type;
            let ordinary: allocfunc = PyType_GenericAlloc;
            let is_plain = PyType_IsSubtype(tp, tuple) != 0
                && (*tp).tp_basicsize == (*tuple).tp_basicsize
                && (*tp).tp_itemsize == (*tuple).tp_itemsize
                && (*tp).tp_dictoffset == 0
                && (*tp).tp_alloc.map(|one| one as usize) == Some(ordinary as usize)
                && PyType_GetFlags(tp) & Py_TPFLAGS_MANAGED_DICT == 0;
            is_plain.then(|| Self(class.clone()))
        }
    }

    /// The class.
    pub(crate) fn get(&self) -> &Owned {
        &self.0
    }

    /// An instance of these values, which are all there.
    pub(crate) fn instance(
        &self,
        _py: &Attached,
        values: &mut Vec<Option<Owned>>,
        start: usize,
    ) -> Result<Owned, Raised> {
        let count = values.len() - start;
        // SAFETY: attached; the result is checked, and is a tuple with room for `count` items,
        // all null, which are set before anybody sees it.
        unsafe {
            let tp = self.0.as_ptr().cast();
            let tuple = Owned::take(PyType_GenericAlloc(tp, count as Py_ssize_t))?;
            for (place, value) in values.drain(start..).enumerate() {
                let Some(value) = value else {
                    return Err(error::runtime_error(c"a field of a named tuple is missing"));
                };
                PyTuple_SET_ITEM(tuple.as_ptr(), place as Py_ssize_t, value.into_ptr());
            }
            compat::set_tuple_unhashed(tuple.as_ptr());
            Ok(tuple)
        }
    }
}
