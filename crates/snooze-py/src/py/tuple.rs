//! `tuple`: its handles, its items, and making one.
//!
//! Separate from `list` because a tuple is immutable: its items are borrowed from it. Called by
//! both walks, by `list`, whose copies are tuples on free-threaded builds, and by typed decoding,
//! which makes named tuples.

use core::slice;

use pyo3_ffi::*;

use crate::py::handle::{Builtin, Handle, type_flags};
use crate::py::{Attached, Obj, Owned, Raised, compat, error};

/// The type `tuple`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TupleType {}

/// A `tuple` or an instance of a subclass.
pub(crate) type Tuple<'a> = Handle<'a, TupleType>;

// SAFETY: every instance begins with a `PyTupleObject`, because subclasses extend the layout of
// `tuple`; the flag says which types are subclasses.
unsafe impl Builtin for TupleType {
    #[inline(always)]
    fn type_object() -> *mut PyTypeObject {
        &raw mut PyTuple_Type
    }

    #[inline(always)]
    fn has_instance(object: Obj<'_>) -> bool {
        type_flags(object) & Py_TPFLAGS_TUPLE_SUBCLASS != 0
    }
}

/// The number of items of a tuple.
#[inline(always)]
pub(crate) fn len(tuple: Tuple<'_>) -> usize {
    // SAFETY: a live tuple, because of its type.
    unsafe { PyTuple_GET_SIZE(tuple.as_ptr()) as usize }
}

/// The items of a tuple.
#[inline(always)]
pub(crate) fn items<'a>(tuple: Tuple<'a>, _py: &'a Attached) -> &'a [Option<Obj<'a>>] {
    // SAFETY: a live tuple, because of its type; its size counts the items behind its header, which
    // live as long as the tuple, because it is immutable.
    unsafe {
        let items = &raw const (*tuple.as_ptr().cast::<PyTupleObject>()).ob_item;
        slice_of(items.cast(), PyTuple_GET_SIZE(tuple.as_ptr()))
    }
}

/// The items of an object that is known to be a tuple; none for any other object.
#[inline(always)]
pub(crate) fn items_of<'a>(object: Obj<'a>, py: &'a Attached) -> &'a [Option<Obj<'a>>] {
    Tuple::any(object).map_or(&[], |tuple| items(tuple, py))
}

/// An array of pointers as borrowed references.
///
/// # Safety
/// `start` has `count` pointers, each null or to an object that is live for `'a`.
#[inline(always)]
pub(super) unsafe fn slice_of<'a>(
    start: *const *mut PyObject,
    count: Py_ssize_t,
) -> &'a [Option<Obj<'a>>] {
    if count <= 0 || start.is_null() {
        return &[];
    }
    // SAFETY: `count` pointers that are live for `'a`, because the caller says so; an
    // `Option<Obj>` is one pointer, null for `None`.
    unsafe { slice::from_raw_parts(start.cast(), count as usize) }
}

/// Makes a tuple of the values from `start` on and removes them from the stack.
pub(crate) fn new(_py: &Attached, values: &mut Vec<Owned>, start: usize) -> Result<Owned, Raised> {
    let count = values.len() - start;
    // SAFETY: attached, because there is a witness; the result is checked. Each index is below
    // `count`, because the drained values are `count`; each item is set once, before other code has
    // a reference to the tuple.
    unsafe {
        let tuple = Owned::take(PyTuple_New(count as Py_ssize_t))?;
        for (index, value) in values.drain(start..).enumerate() {
            PyTuple_SET_ITEM(tuple.as_ptr(), index as Py_ssize_t, value.into_ptr());
        }
        Ok(tuple)
    }
}

/// Makes a tuple of new references to these items, up to the first that is null.
pub(crate) fn of_items(items: &[Option<Obj<'_>>], _py: &Attached) -> Result<Owned, Raised> {
    let count = items.iter().take_while(|item| item.is_some()).count();
    // SAFETY: as in `new`.
    unsafe {
        let tuple = Owned::take(PyTuple_New(count as Py_ssize_t))?;
        for (index, item) in items.iter().map_while(|&item| item).enumerate() {
            PyTuple_SET_ITEM(tuple.as_ptr(), index as Py_ssize_t, item.to_owned().into_ptr());
        }
        Ok(tuple)
    }
}

/// A subclass of `tuple` whose instances can be made without calling it: a named tuple.
#[derive(Debug)]
pub(crate) struct TupleClass(Owned);

impl TupleClass {
    /// The class, if its instances have the layout of a `tuple`.
    pub(crate) fn new(class: &Owned) -> Option<Self> {
        // SAFETY: a live object, because it is owned; a type, because that is checked first.
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

    /// Makes an instance of the values from `start` on, of which none may be missing, and removes
    /// them from the stack.
    pub(crate) fn instance(
        &self,
        _py: &Attached,
        values: &mut Vec<Option<Owned>>,
        start: usize,
    ) -> Result<Owned, Raised> {
        if values.get(start..).is_none_or(|given| given.iter().any(Option::is_none)) {
            return Err(error::runtime_error(c"a field of a named tuple is missing"));
        }
        let count = values.len() - start;
        // SAFETY: attached, because there is a witness; the result is checked. The allocator, which
        // is the class's own, zeroes room for `count` items and sets the size, because `new`
        // compared basic size, item size and allocator with those of `tuple`. The collector sees
        // the tuple from then on and passes over null items; no other code runs before the last
        // item and the hash are set. No value is missing, because that is checked.
        unsafe {
            let tp = self.0.as_ptr().cast();
            let tuple = Owned::take(PyType_GenericAlloc(tp, count as Py_ssize_t))?;
            for (index, value) in values.drain(start..).flatten().enumerate() {
                PyTuple_SET_ITEM(tuple.as_ptr(), index as Py_ssize_t, value.into_ptr());
            }
            compat::set_tuple_unhashed(tuple.as_ptr());
            Ok(tuple)
        }
    }
}
