//! Calls and attributes: where user code runs.

use core::ffi::CStr;

use pyo3_ffi::*;

use crate::py::{Attached, Obj, Owned, Raised, compat, error, float, types};

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
        return float::value(left).to_bits() == float::value(right).to_bits();
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

/// Calls a class with the fields that are there as keywords. They leave the stack.
pub(crate) fn call_with_keywords<'n>(
    _py: &mut Attached,
    class: &Owned,
    names: impl Iterator<Item = &'n Owned>,
    values: &mut Vec<Option<Owned>>,
    start: usize,
) -> Result<Owned, Raised> {
    // SAFETY: attached; every result is checked. The call borrows the values and the names.
    unsafe {
        let given = values.get(start..).unwrap_or(&[]);
        let count = given.iter().flatten().count();
        let keywords = Owned::take(PyTuple_New(count as Py_ssize_t))?;
        let mut arguments = Vec::new();
        arguments.try_reserve_exact(count + 1).map_err(|_| error::no_memory())?;
        // The place before the arguments may be used by the call.
        arguments.push(core::ptr::null_mut());
        for (name, value) in names.zip(given) {
            if let Some(value) = value {
                let place = arguments.len() - 1;
                PyTuple_SET_ITEM(keywords.as_ptr(), place as Py_ssize_t, name.clone().into_ptr());
                arguments.push(value.as_ptr());
            }
        }
        let result = PyObject_Vectorcall(
            class.as_ptr(),
            arguments.as_ptr().add(1),
            PY_VECTORCALL_ARGUMENTS_OFFSET,
            keywords.as_ptr(),
        );
        values.truncate(start);
        Owned::take(result)
    }
}

/// Calls a class with all fields by position. They leave the stack.
pub(crate) fn call_with_values(
    _py: &mut Attached,
    class: &Owned,
    values: &mut Vec<Option<Owned>>,
    start: usize,
) -> Result<Owned, Raised> {
    // SAFETY: attached; every result is checked. The call borrows the values, none of which may be
    // missing.
    unsafe {
        let given = values.get(start..).unwrap_or(&[]);
        if given.iter().any(Option::is_none) {
            return Err(error::runtime_error(c"a field of a class is missing"));
        }
        // An `Option<Owned>` is one pointer.
        let arguments = given.as_ptr().cast::<*mut PyObject>();
        let result =
            PyObject_Vectorcall(class.as_ptr(), arguments, given.len(), core::ptr::null_mut());
        values.truncate(start);
        Owned::take(result)
    }
}

/// A new, empty object of a built-in type that `factory` is, if it is one: a call less.
#[inline(always)]
pub(crate) fn empty_builtin(_py: &Attached, factory: Obj<'_>) -> Option<Result<Owned, Raised>> {
    let tp = factory.as_ptr().cast::<PyTypeObject>();
    // SAFETY: attached; the results are checked.
    unsafe {
        if tp == &raw mut PyList_Type {
            Some(Owned::take(PyList_New(0)))
        } else if tp == &raw mut PyDict_Type {
            Some(Owned::take(PyDict_New()))
        } else if tp == &raw mut PySet_Type {
            Some(Owned::take(PySet_New(core::ptr::null_mut())))
        } else {
            None
        }
    }
}
