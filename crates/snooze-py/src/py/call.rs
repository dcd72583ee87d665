//! Calls and attributes: where user code runs.

use core::ffi::CStr;

use pyo3_ffi::*;

use super::{Attached, Obj, Owned, Raised, compat, int, types};

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

/// Whether `isinstance` says so.
pub(crate) fn is_instance(
    _py: &mut Attached,
    object: &Owned,
    class: &Owned,
) -> Result<bool, Raised> {
    // SAFETY: live objects; the result is checked.
    truth(unsafe { PyObject_IsInstance(object.as_ptr(), class.as_ptr()) })
}

/// Whether `issubclass` says so.
pub(crate) fn is_subclass(_py: &mut Attached, class: &Owned, base: &Owned) -> Result<bool, Raised> {
    // SAFETY: live objects; the result is checked.
    truth(unsafe { PyObject_IsSubclass(class.as_ptr(), base.as_ptr()) })
}

/// Whether two objects are the same or equal.
pub(crate) fn equal(_py: &mut Attached, left: &Owned, right: &Owned) -> Result<bool, Raised> {
    // SAFETY: live objects; the result is checked.
    truth(unsafe { PyObject_RichCompareBool(left.as_ptr(), right.as_ptr(), Py_EQ) })
}

/// Whether two objects are equal whose types are built in and whose comparison runs no Python
/// code: strings, numbers, truth values, `None`. `True` is not 1 here, and -0.0 not 0.0: what is
/// equal means the same in JSON.
pub(crate) fn equal_scalars(_py: &Attached, left: Obj<'_>, right: Obj<'_>) -> bool {
    if left.type_ptr() != right.type_ptr() {
        return false;
    }
    if types::is_exact_float(left) {
        return int::float_value(left).to_bits() == int::float_value(right).to_bits();
    }
    // SAFETY: live objects; a failure, which there is none, counts as a difference.
    unsafe {
        match PyObject_RichCompareBool(left.as_ptr(), right.as_ptr(), Py_EQ) {
            -1 => {
                PyErr_Clear();
                false
            }
            equal => equal != 0,
        }
    }
}

/// Whether a value is what a field has anyway: equal, and scalars of one type.
pub(crate) fn is_default(
    py: &mut Attached,
    value: &Owned,
    default: &Owned,
) -> Result<bool, Raised> {
    if types::is_scalar(value.get()) && types::is_scalar(default.get()) {
        return Ok(equal_scalars(py, value.get(), default.get()));
    }
    equal(py, value, default)
}

fn truth(result: core::ffi::c_int) -> Result<bool, Raised> {
    if result < 0 { Err(Raised) } else { Ok(result != 0) }
}

/// A new list of what an object gives when it is iterated.
pub(crate) fn to_list(_py: &mut Attached, object: &Owned) -> Result<Owned, Raised> {
    // SAFETY: a live object; the result is checked.
    unsafe { Owned::take(PySequence_List(object.as_ptr())) }
}

/// A new list of the pairs that `.items()` gives.
pub(crate) fn items(_py: &mut Attached, object: &Owned) -> Result<Owned, Raised> {
    // SAFETY: a live object; the result is checked.
    unsafe { Owned::take(PyMapping_Items(object.as_ptr())) }
}

/// `str(object)`.
pub(crate) fn text_of(_py: &mut Attached, object: &Owned) -> Result<Owned, Raised> {
    // SAFETY: a live object; the result is checked.
    unsafe { Owned::take(PyObject_Str(object.as_ptr())) }
}

/// A `float` of what a `float` or an instance of a subclass holds.
pub(crate) fn plain_float(_py: &Attached, object: Obj<'_>) -> Result<Owned, Raised> {
    // SAFETY: a live `float`, or of a subclass; the result is checked.
    unsafe { Owned::take(PyFloat_FromDouble(PyFloat_AS_DOUBLE(object.as_ptr()))) }
}

/// The decimal digits of an `int`.
pub(crate) fn digits_of(_py: &Attached, object: Obj<'_>) -> Result<Owned, Raised> {
    // SAFETY: a live `int`, or of a subclass; the result is checked.
    unsafe { Owned::take(PyNumber_ToBase(object.as_ptr(), 10)) }
}

/// `bytes(object)` of an object with a buffer.
pub(crate) fn bytes_of(_py: &mut Attached, object: &Owned) -> Result<Owned, Raised> {
    // SAFETY: a live object; the result is checked.
    unsafe { Owned::take(PyBytes_FromObject(object.as_ptr())) }
}

/// An interned string of a `str`.
pub(crate) fn intern(text: Owned) -> Owned {
    let mut object = text.into_ptr();
    // SAFETY: a live exact `str`, whose reference is given away and one to the same text is got.
    unsafe {
        PyUnicode_InternInPlace(&mut object);
        Owned::take(object).unwrap_unchecked()
    }
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
