//! Calls and attributes: where user code runs.

use core::ffi::CStr;

use pyo3_ffi::*;

use super::{Attached, Owned, Raised, compat};

/// Calls a callable without arguments.
pub(crate) fn call(_py: &mut Attached, callable: &Owned) -> Result<Owned, Raised> {
    // SAFETY: a live object; the result is checked.
    unsafe { Owned::take(PyObject_CallNoArgs(callable.as_ptr())) }
}

/// Calls a callable with one argument.
pub(crate) fn call_one(
    _py: &mut Attached,
    callable: &Owned,
    argument: &Owned,
) -> Result<Owned, Raised> {
    // SAFETY: live objects; the result is checked.
    unsafe { Owned::take(PyObject_CallOneArg(callable.as_ptr(), argument.as_ptr())) }
}

/// Calls a callable with two arguments.
pub(crate) fn call_two(
    _py: &mut Attached,
    callable: &Owned,
    first: &Owned,
    second: &Owned,
) -> Result<Owned, Raised> {
    let arguments = [first.as_ptr(), second.as_ptr()];
    // SAFETY: live objects; the result is checked.
    unsafe {
        Owned::take(PyObject_Vectorcall(
            callable.as_ptr(),
            arguments.as_ptr(),
            2,
            core::ptr::null_mut(),
        ))
    }
}

/// Calls a method without arguments.
pub(crate) fn call_method(
    _py: &mut Attached,
    object: &Owned,
    name: &Owned,
) -> Result<Owned, Raised> {
    let arguments = [object.as_ptr()];
    // SAFETY: live objects; the result is checked.
    unsafe {
        Owned::take(PyObject_VectorcallMethod(
            name.as_ptr(),
            arguments.as_ptr(),
            1,
            core::ptr::null_mut(),
        ))
    }
}

/// Calls a method with one argument.
pub(crate) fn call_method_one(
    _py: &mut Attached,
    object: &Owned,
    name: &Owned,
    argument: &Owned,
) -> Result<Owned, Raised> {
    let arguments = [object.as_ptr(), argument.as_ptr()];
    // SAFETY: live objects; the result is checked.
    unsafe {
        Owned::take(PyObject_VectorcallMethod(
            name.as_ptr(),
            arguments.as_ptr(),
            2,
            core::ptr::null_mut(),
        ))
    }
}

/// An attribute.
pub(crate) fn attribute(_py: &mut Attached, object: &Owned, name: &Owned) -> Result<Owned, Raised> {
    // SAFETY: live objects; the result is checked.
    unsafe { Owned::take(PyObject_GetAttr(object.as_ptr(), name.as_ptr())) }
}

/// An attribute that may be missing.
pub(crate) fn optional_attribute(
    _py: &mut Attached,
    object: &Owned,
    name: &Owned,
) -> Result<Option<Owned>, Raised> {
    let mut value = core::ptr::null_mut();
    // SAFETY: live objects, a writable result; a reference is only taken over when there is one.
    unsafe {
        match compat::optional_attribute(object.as_ptr(), name.as_ptr(), &mut value) {
            -1 => Err(Raised),
            0 => Ok(None),
            _ => Owned::take(value).map(Some),
        }
    }
}

/// The dict of an object's type, if it has one.
pub(crate) fn type_dict(object: &Owned) -> Option<Owned> {
    // SAFETY: a live type; null is the absence of a dict here, without an exception.
    unsafe { Owned::take(compat::type_dict(object.get().type_ptr())).ok() }
}

/// A module that has already been imported, if it has.
pub(crate) fn imported_module(_py: &mut Attached, name: &Owned) -> Result<Option<Owned>, Raised> {
    // SAFETY: attached; PyImport_GetModule returns null without an exception for a missing module.
    unsafe {
        match Owned::take(PyImport_GetModule(name.as_ptr())) {
            Ok(module) => Ok(Some(module)),
            Err(Raised) if PyErr_Occurred().is_null() => Ok(None),
            Err(Raised) => Err(Raised),
        }
    }
}

/// Imports a module.
pub(crate) fn import(_py: &mut Attached, name: &CStr) -> Result<Owned, Raised> {
    // SAFETY: attached; the name ends with a zero.
    unsafe { Owned::take(PyImport_ImportModule(name.as_ptr())) }
}

/// An interned string.
pub(crate) fn interned(name: &CStr) -> Result<Owned, Raised> {
    // SAFETY: attached, because only the module's initialisation calls this.
    unsafe { Owned::take(PyUnicode_InternFromString(name.as_ptr())) }
}
