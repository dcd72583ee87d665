//! Class attributes and slots, found without running Python code.
//!
//! Separate from `call`, whose look-ups may run Python code. A result holds as long as the type's
//! version tag (see `types::TypeKey`), so callers cache it under that key. Invariant: a [`Slot`]
//! exists only for an offset that the interpreter would read, in the same way, in instances of the
//! type. Called by the rest of `instance`, by encoding and by `runtime`.

use core::ffi::c_int;

use pyo3_ffi::*;

use crate::py::dict::OwnedDict;
use crate::py::types::Type;
use crate::py::{Attached, Obj, Owned, Raised, compat, dict, types};

/// The offset of a slot in bytes from the beginning of an instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Slot(usize);

impl Slot {
    /// The offset in bytes from the beginning of the instance.
    #[inline(always)]
    pub(super) fn offset(self) -> usize {
        self.0
    }
}

/// The attribute that a look-up in the object's type finds, along its MRO.
pub(crate) fn of_type(
    py: &mut Attached,
    object: &Owned,
    name: &Owned,
) -> Result<Option<Owned>, Raised> {
    in_bases(py, types::type_of(object.get()).get(), name)
}

/// The MRO of a class. It is owned while it is walked, because another thread or a look-up may
/// replace it.
fn mro_of(_py: &Attached, class: Type<'_>) -> Option<Owned> {
    let mut member = PyMemberDef {
        name: c"__mro__".as_ptr(),
        type_code: Py_T_OBJECT_EX,
        offset: core::mem::offset_of!(PyTypeObject, tp_mro) as Py_ssize_t,
        ..PyMemberDef::default()
    };
    // SAFETY: attached, because there is a witness; a live type, because a handle borrows it; the
    // member is one of its fields; the result is checked. Without a GIL the call takes the
    // reference as `__mro__` does, also while another thread assigns `__bases__`.
    unsafe {
        match Owned::take(PyMember_GetOne(class.as_ptr().cast(), &raw mut member)) {
            Ok(mro) if PyTuple_CheckExact(mro.as_ptr()) != 0 => Some(mro),
            Ok(_) => None,
            Err(Raised) => {
                PyErr_Clear();
                None
            }
        }
    }
}

/// The attribute that a look-up in a class finds, along its MRO.
fn in_bases(py: &mut Attached, class: Type<'_>, name: &Owned) -> Result<Option<Owned>, Raised> {
    let Some(mro) = mro_of(py, class) else { return Ok(None) };
    // SAFETY: a live tuple, because it is owned and its type was checked.
    for index in 0..unsafe { PyTuple_GET_SIZE(mro.as_ptr()) } {
        // SAFETY: an item of a live tuple, because the index is below its size; a type, because
        // that is checked; `type_dict` returns a strong reference or null.
        let members = unsafe {
            let base = PyTuple_GET_ITEM(mro.as_ptr(), index);
            if PyType_Check(base) == 0 {
                return Ok(None);
            }
            Owned::take(compat::type_dict(base.cast())).ok()
        };
        if let Some(members) = members.and_then(OwnedDict::exact)
            && let Some(found) = dict::get(py, members.get(), name)?
        {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// The attribute that a class itself defines, not its bases.
pub(crate) fn of_class(
    py: &mut Attached,
    class: &Owned,
    name: &Owned,
) -> Result<Option<Owned>, Raised> {
    let Some(class) = Type::any(class.get()) else { return Ok(None) };
    // SAFETY: a live type, because a handle borrows it; `type_dict` returns a strong reference or
    // null.
    let members = unsafe { Owned::take(compat::type_dict(class.as_ptr().cast())).ok() };
    match members.and_then(OwnedDict::exact) {
        Some(members) => dict::get(py, members.get(), name),
        None => Ok(None),
    }
}

/// Whether the object's type has the generic attribute look-up: no `__getattribute__` and no
/// `__getattr__`.
pub(crate) fn is_ordinary(object: Obj<'_>) -> bool {
    // SAFETY: a live type, because a live object keeps its type.
    let get = unsafe { (*object.type_ptr()).tp_getattro };
    let ordinary: getattrofunc = PyObject_GenericGetAttr;
    get.is_some_and(|get| get as usize == ordinary as usize)
}

/// Whether a class attribute is a data descriptor, which takes precedence over instance attributes.
pub(super) fn is_data(found: Obj<'_>) -> bool {
    // SAFETY: a live type, because a live object keeps its type.
    unsafe { (*found.type_ptr()).tp_descr_set.is_some() }
}

/// Whether the object can have a `__dict__`.
fn has_dict(object: Obj<'_>) -> bool {
    // SAFETY: a live type, because a live object keeps its type.
    unsafe {
        let tp = object.type_ptr();
        (*tp).tp_dictoffset != 0 || PyType_GetFlags(tp) & Py_TPFLAGS_MANAGED_DICT != 0
    }
}

/// The method descriptor of a method written in C, if a look-up in the object can find nothing
/// else. It is called with the object as its first argument.
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

/// The slot that a look-up in the object reads, if it reads one.
pub(crate) fn slot(
    py: &mut Attached,
    object: &Owned,
    name: &Owned,
) -> Result<Option<Slot>, Raised> {
    // Reading a slot takes no lock, and another thread could free the value meanwhile.
    if compat::FREE_THREADED || !is_ordinary(object.get()) {
        return Ok(None);
    }
    slot_of_class(py, types::type_of(object.get()).get(), name)
}

/// The slot that a look-up in instances of a class reads, if it reads one.
pub(super) fn slot_of_class(
    py: &mut Attached,
    class: Type<'_>,
    name: &Owned,
) -> Result<Option<Slot>, Raised> {
    let Some(found) = in_bases(py, class, name)? else { return Ok(None) };
    if found.get().type_ptr() != &raw mut PyMemberDescr_Type {
        return Ok(None);
    }
    const UNUSUAL: c_int = !Py_READONLY;
    // SAFETY: a live type, because a handle borrows it. A member descriptor, because its type is
    // compared; live, because it is owned, and with it its definition. The offset is that of an
    // object in instances of `class`, because the interpreter made the definition for the
    // descriptor's type, of which `class` is a subtype, and instances of a subtype begin as those
    // of its base do.
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

/// The value in a slot that was found for the object's current type; `None` if it is not set.
#[inline(always)]
pub(crate) fn in_slot<'a>(object: Obj<'a>, slot: Slot, _py: &'a Attached) -> Option<Obj<'a>> {
    // SAFETY: an object or null, because `slot_of_class` found the offset for this type; live for
    // `'a`, because the witness is borrowed, so that no Python code runs.
    unsafe { Obj::from_ptr(object.as_ptr().byte_add(slot.0).cast::<*mut PyObject>().read()) }
}
