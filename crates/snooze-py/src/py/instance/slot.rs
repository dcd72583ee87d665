//! Where attributes are kept, so that they can be read without asking for them by name.
//!
//! Separate from `call`, whose look-ups may run Python code: nothing in here does. What is found
//! about a type holds as long as its version tag (see `types::TypeKey`), so callers keep it
//! in a cache with that key. Invariant: an offset is only handed out for a slot that the type's
//! instances have, and that the interpreter would read in the same way.

use core::ffi::c_int;

use pyo3_ffi::*;

use crate::py::{Attached, Obj, Owned, Raised, compat, dict};

/// Where an instance keeps the value of a slot: bytes from its beginning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Slot(usize);

impl Slot {
    /// Bytes from the beginning of the instance.
    #[inline(always)]
    pub(super) fn offset(self) -> usize {
        self.0
    }
}

/// The class attribute that instances of the object's type find first, if there is one.
pub(crate) fn of_type(
    py: &mut Attached,
    object: &Owned,
    name: &Owned,
) -> Result<Option<Owned>, Raised> {
    in_bases(py, &object.get().type_obj().to_owned(), name)
}

/// The class attribute that instances of a class find first, if there is one.
fn in_bases(py: &mut Attached, class: &Owned, name: &Owned) -> Result<Option<Owned>, Raised> {
    // SAFETY: a live type with its tuple of bases, which is kept while it is walked.
    let mro = unsafe {
        match Obj::from_ptr((*class.as_ptr().cast::<PyTypeObject>()).tp_mro) {
            Some(mro) if PyTuple_CheckExact(mro.as_ptr()) != 0 => mro.to_owned(),
            _ => return Ok(None),
        }
    };
    // SAFETY: a live tuple; its items are borrowed from it.
    for index in 0..unsafe { PyTuple_GET_SIZE(mro.as_ptr()) } {
        // SAFETY: as above; a type's dict is a new reference or null without an exception.
        let members = unsafe {
            let base = PyTuple_GET_ITEM(mro.as_ptr(), index);
            if PyType_Check(base) == 0 {
                return Ok(None);
            }
            Owned::take(compat::type_dict(base.cast()))
        };
        if let Ok(members) = members
            && let Some(found) = dict::get(py, &members, name)?
        {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// What a class itself defines under a name.
pub(crate) fn of_class(
    py: &mut Attached,
    class: &Owned,
    name: &Owned,
) -> Result<Option<Owned>, Raised> {
    // SAFETY: a live object; null is the absence of a dict, without an exception.
    let members = unsafe {
        if PyType_Check(class.as_ptr()) == 0 {
            return Ok(None);
        }
        Owned::take(compat::type_dict(class.as_ptr().cast()))
    };
    members.map_or(Ok(None), |members| dict::get(py, &members, name))
}

/// Whether attributes of the object are found in the ordinary way: no `__getattribute__` and no
/// `__getattr__`.
pub(crate) fn is_ordinary(object: Obj<'_>) -> bool {
    // SAFETY: a live type.
    let get = unsafe { (*object.type_ptr()).tp_getattro };
    let ordinary: getattrofunc = PyObject_GenericGetAttr;
    get.is_some_and(|get| get as usize == ordinary as usize)
}

/// Whether a class attribute comes before an instance's own: a descriptor that can be set.
pub(super) fn is_data(found: Obj<'_>) -> bool {
    // SAFETY: a live type.
    unsafe { (*found.type_ptr()).tp_descr_set.is_some() }
}

/// Whether the object can have attributes that its type does not have.
fn has_dict(object: Obj<'_>) -> bool {
    // SAFETY: a live type.
    unsafe {
        let tp = object.type_ptr();
        (*tp).tp_dictoffset != 0 || PyType_GetFlags(tp) & Py_TPFLAGS_MANAGED_DICT != 0
    }
}

/// The method of that name that the object's type has in C, if nothing else can be found under
/// that name; it is called with the object as its first argument.
pub(crate) fn method(
    py: &mut Attached,
    object: &Owned,
    name: &Owned,
) -> Result<Option<Owned>, Raised> {
    if !is_ordinary(object.get()) || has_dict(object.get()) {
        return Ok(None);
    }
    let is_method = |found: &Owned| found.get().type_ptr() == &raw mut PyMethodDescr_Type;
    Ok(of_type(py, object, name)?.filter(is_method))
}

/// The slot that the interpreter would read for that name, if there is one.
pub(crate) fn slot(
    py: &mut Attached,
    object: &Owned,
    name: &Owned,
) -> Result<Option<Slot>, Raised> {
    // Another thread may free what is read without a lock.
    if compat::FREE_THREADED || !is_ordinary(object.get()) {
        return Ok(None);
    }
    slot_of_class(py, &object.get().type_obj().to_owned(), name)
}

/// Where instances of a class, which is a type, keep the value of a slot of that name.
pub(super) fn slot_of_class(
    py: &mut Attached,
    class: &Owned,
    name: &Owned,
) -> Result<Option<Slot>, Raised> {
    let Some(found) = in_bases(py, class, name)? else { return Ok(None) };
    if found.get().type_ptr() != &raw mut PyMemberDescr_Type {
        return Ok(None);
    }
    const UNUSUAL: c_int = !Py_READONLY;
    // SAFETY: a live descriptor of that type, with a definition that it keeps. It reads an object
    // at the offset in all instances of its type, from which the class is derived.
    unsafe {
        let descriptor = found.as_ptr().cast::<PyMemberDescrObject>();
        let tp = class.as_ptr().cast::<PyTypeObject>();
        let member = (*descriptor).d_member;
        let offset = (*member).offset;
        let is_usual = (*member).type_code == Py_T_OBJECT_EX
            && (*member).flags & UNUSUAL == 0
            && offset >= size_of::<PyObject>() as Py_ssize_t
            && offset + size_of::<usize>() as Py_ssize_t <= (*tp).tp_basicsize
            && offset % align_of::<usize>() as Py_ssize_t == 0
            && PyType_IsSubtype(tp, (*descriptor).d_common.d_type) != 0;
        Ok(is_usual.then_some(Slot(offset as usize)))
    }
}

/// The value in a slot; `None` if it was never set. The slot was found for the object's type as
/// it is now.
#[inline(always)]
pub(crate) fn in_slot<'a>(object: Obj<'a>, slot: Slot, _py: &'a Attached) -> Option<Obj<'a>> {
    // SAFETY: `slot` checked that instances of the type have an object or null there. Nobody
    // changes it while the witness is borrowed.
    unsafe { Obj::from_ptr(object.as_ptr().byte_add(slot.0).cast::<*mut PyObject>().read()) }
}
