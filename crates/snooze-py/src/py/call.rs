//! Calls, attributes and comparisons: where user code runs.
//!
//! Separate from the files of single types, whose functions run no Python code. Invariant: a
//! function that may run Python code takes the witness mutably. Called by both walks, by the
//! compilers of plans and by `runtime`.

use core::ffi::CStr;

use pyo3_ffi::*;

use crate::py::bytes::OwnedBytes;
use crate::py::dict::OwnedDict;
use crate::py::float::Float;
use crate::py::int::Int;
use crate::py::list::OwnedList;
use crate::py::unicode::OwnedStr;
use crate::py::{Attached, Obj, Owned, Raised, compat, error, float};

/// Calls a callable without arguments.
pub(crate) fn call(_py: &mut Attached, callable: &Owned) -> Result<Owned, Raised> {
    // SAFETY: a live object, because it is owned; the result is checked.
    unsafe { Owned::take(PyObject_CallNoArgs(callable.as_ptr())) }
}

/// The next item of an iterator; `None` at its end. An object that is no iterator is refused.
pub(crate) fn next(_py: &mut Attached, iterator: &Owned) -> Result<Option<Owned>, Raised> {
    // SAFETY: attached, because there is a witness; a live object, because it is owned, and an
    // iterator, because that is checked first. The result is a strong reference or null, and
    // without an exception null is the end.
    unsafe {
        if PyIter_Check(iterator.as_ptr()) == 0 {
            return Err(error::type_error(c"expected an iterator"));
        }
        match Owned::take(PyIter_Next(iterator.as_ptr())) {
            Ok(item) => Ok(Some(item)),
            Err(Raised) if PyErr_Occurred().is_null() => Ok(None),
            Err(Raised) => Err(Raised),
        }
    }
}

/// Calls a callable with one argument.
pub(crate) fn call_one(
    _py: &mut Attached,
    callable: &Owned,
    argument: &Owned,
) -> Result<Owned, Raised> {
    // SAFETY: live objects, because both are owned; the result is checked.
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
    // SAFETY: live objects, because all are owned; two arguments, as the array has; the result is
    // checked.
    unsafe {
        Owned::take(PyObject_Vectorcall(
            callable.as_ptr(),
            arguments.as_ptr(),
            2,
            core::ptr::null_mut(),
        ))
    }
}

/// Calls a callable with three arguments.
pub(crate) fn call_three(
    _py: &mut Attached,
    callable: &Owned,
    first: &Owned,
    second: &Owned,
    third: &Owned,
) -> Result<Owned, Raised> {
    let arguments = [first.as_ptr(), second.as_ptr(), third.as_ptr()];
    // SAFETY: live objects, because all are owned; three arguments, as the array has; the result is
    // checked.
    unsafe {
        Owned::take(PyObject_Vectorcall(
            callable.as_ptr(),
            arguments.as_ptr(),
            3,
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
    // SAFETY: live objects, because all are owned; one argument, as the array has; the result is
    // checked.
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
    // SAFETY: live objects, because all are owned; two arguments, as the array has; the result is
    // checked.
    unsafe {
        Owned::take(PyObject_VectorcallMethod(
            name.as_ptr(),
            arguments.as_ptr(),
            2,
            core::ptr::null_mut(),
        ))
    }
}

/// Gets an attribute.
pub(crate) fn attribute(_py: &mut Attached, object: &Owned, name: &Owned) -> Result<Owned, Raised> {
    // SAFETY: live objects, because both are owned; the result is checked.
    unsafe { Owned::take(PyObject_GetAttr(object.as_ptr(), name.as_ptr())) }
}

/// Gets an attribute that may be missing.
pub(crate) fn optional_attribute(
    _py: &mut Attached,
    object: &Owned,
    name: &Owned,
) -> Result<Option<Owned>, Raised> {
    let mut value = core::ptr::null_mut();
    // SAFETY: attached, because there is a witness; live objects, because both are owned; a
    // writable result, because it is a local variable. It holds a strong reference, because the
    // call returned 1.
    unsafe {
        match compat::optional_attribute(object.as_ptr(), name.as_ptr(), &mut value) {
            -1 => Err(Raised),
            0 => Ok(None),
            _ => Owned::take(value).map(Some),
        }
    }
}

/// The dict of an object's type, if the type has one.
pub(crate) fn type_dict(object: &Owned) -> Option<OwnedDict> {
    // SAFETY: a live type, because a live object keeps its type. Null has no exception here, and
    // `ok` turns it into `None`.
    let dict = unsafe { Owned::take(compat::type_dict(object.get().type_ptr())).ok()? };
    OwnedDict::exact(dict)
}

/// `isinstance(object, class)`.
pub(crate) fn is_instance(
    _py: &mut Attached,
    object: &Owned,
    class: &Owned,
) -> Result<bool, Raised> {
    // SAFETY: live objects, because both are owned; the result is checked.
    truth(unsafe { PyObject_IsInstance(object.as_ptr(), class.as_ptr()) })
}

/// `issubclass(class, base)`.
pub(crate) fn is_subclass(_py: &mut Attached, class: &Owned, base: &Owned) -> Result<bool, Raised> {
    // SAFETY: live objects, because both are owned; the result is checked.
    truth(unsafe { PyObject_IsSubclass(class.as_ptr(), base.as_ptr()) })
}

/// Whether two objects are identical or equal by `==`.
pub(crate) fn equal(_py: &mut Attached, left: &Owned, right: &Owned) -> Result<bool, Raised> {
    // SAFETY: live objects, because both are owned; the result is checked.
    truth(unsafe { PyObject_RichCompareBool(left.as_ptr(), right.as_ptr(), Py_EQ) })
}

/// Whether two exact scalars (`str`, `int`, `float`, `bool`, `None`) are written as the same JSON.
/// So `True` differs from 1, and -0.0 from 0.0. Runs no Python code.
pub(crate) fn equal_scalars(_py: &Attached, left: Obj<'_>, right: Obj<'_>) -> bool {
    if left.type_ptr() != right.type_ptr() {
        return false;
    }
    if let Some(left) = Float::exact(left)
        && let Some(right) = Float::exact(right)
    {
        return float::value(left).to_bits() == float::value(right).to_bits();
    }
    // SAFETY: live objects, because `Obj`s borrow them. Comparing scalars of one type does not
    // fail; a failure would count as a difference.
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

fn truth(result: core::ffi::c_int) -> Result<bool, Raised> {
    if result < 0 { Err(Raised) } else { Ok(result != 0) }
}

/// `list(object)`.
pub(crate) fn to_list(_py: &mut Attached, object: &Owned) -> Result<OwnedList, Raised> {
    // SAFETY: a live object, because it is owned; the result is checked, and is a list, because
    // PySequence_List makes one.
    unsafe { Ok(OwnedList::assume(Owned::take(PySequence_List(object.as_ptr()))?)) }
}

/// `list(object.items())`.
pub(crate) fn items(_py: &mut Attached, object: &Owned) -> Result<OwnedList, Raised> {
    // SAFETY: a live object, because it is owned; the result is checked, and is a list, because
    // PyMapping_Items makes one.
    unsafe { Ok(OwnedList::assume(Owned::take(PyMapping_Items(object.as_ptr()))?)) }
}

/// `str(object)`.
pub(crate) fn text_of(_py: &mut Attached, object: &Owned) -> Result<OwnedStr, Raised> {
    // SAFETY: a live object, because it is owned; the result is checked, and is a `str`, because
    // PyObject_Str raises TypeError if it is not.
    unsafe { Ok(OwnedStr::assume(Owned::take(PyObject_Str(object.as_ptr()))?)) }
}

/// The decimal digits of an `int`. From 3.12 on, Python code of the interpreter converts long ones.
pub(crate) fn digits_of(_py: &mut Attached, object: Int<'_>) -> Result<OwnedStr, Raised> {
    // SAFETY: attached, because there is a witness; a live `int`, because of its type; the result
    // is checked, and is a `str`, because PyNumber_ToBase makes one.
    unsafe { Ok(OwnedStr::assume(Owned::take(PyNumber_ToBase(object.as_ptr(), 10))?)) }
}

/// `bytes(object)` of an object that supports the buffer protocol.
pub(crate) fn bytes_of(_py: &mut Attached, object: &Owned) -> Result<OwnedBytes, Raised> {
    // SAFETY: a live object, because it is owned; the result is checked, and is a `bytes`, because
    // PyBytes_FromObject makes one.
    unsafe { Ok(OwnedBytes::assume(Owned::take(PyBytes_FromObject(object.as_ptr()))?)) }
}

/// A module from `sys.modules`; `None` if it has not been imported.
pub(crate) fn imported_module(_py: &mut Attached, name: &Owned) -> Result<Option<Owned>, Raised> {
    // SAFETY: attached, because there is a witness; a live name, because it is owned.
    // PyImport_GetModule returns null without an exception for a missing module.
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
    // SAFETY: attached, because there is a witness; terminated, because a `CStr` is; the result is
    // checked.
    unsafe { Owned::take(PyImport_ImportModule(name.as_ptr())) }
}

/// Makes an interned `str`.
pub(crate) fn interned(name: &CStr) -> Result<Owned, Raised> {
    // SAFETY: attached, because only calls from the interpreter make strings; terminated, because a
    // `CStr` is; the result is checked.
    unsafe { Owned::take(PyUnicode_InternFromString(name.as_ptr())) }
}

/// Calls a class with the values from `start` on as keyword arguments, without the missing ones.
/// Removes them from the stack, unless it fails before the call.
pub(crate) fn call_with_keywords<'n>(
    _py: &mut Attached,
    class: &Owned,
    names: impl Iterator<Item = &'n Owned> + Clone,
    values: &mut Vec<Option<Owned>>,
    start: usize,
) -> Result<Owned, Raised> {
    // SAFETY: attached, because there is a witness; every result is checked. The tuple gets exactly
    // its `count` items, because both loops see the same pairs. The callee may write to the word
    // before the arguments, which is the vector's. The arguments stay live during the call, because
    // the stack owns them, and a nested call has another stack (see `pool`).
    unsafe {
        let given = values.get(start..).unwrap_or(&[]);
        let count = names.clone().zip(given).filter(|(_, value)| value.is_some()).count();
        let keywords = Owned::take(PyTuple_New(count as Py_ssize_t))?;
        let mut arguments = Vec::new();
        arguments.try_reserve_exact(count + 1).map_err(|_| error::no_memory())?;
        // PY_VECTORCALL_ARGUMENTS_OFFSET: the callee may write to the word before the arguments.
        arguments.push(core::ptr::null_mut());
        for (name, value) in names.zip(given) {
            if let Some(value) = value {
                let index = arguments.len() - 1;
                PyTuple_SET_ITEM(keywords.as_ptr(), index as Py_ssize_t, name.clone().into_ptr());
                arguments.push(value.as_ptr());
            }
        }
        let result = PyObject_Vectorcall(
            class.as_ptr(),
            arguments.as_mut_ptr().add(1),
            PY_VECTORCALL_ARGUMENTS_OFFSET,
            keywords.as_ptr(),
        );
        values.truncate(start);
        Owned::take(result)
    }
}

/// Calls a class with the values from `start` on as positional arguments, of which none may be
/// missing. Removes them from the stack, unless it fails before the call.
pub(crate) fn call_with_values(
    _py: &mut Attached,
    class: &Owned,
    values: &mut Vec<Option<Owned>>,
    start: usize,
) -> Result<Owned, Raised> {
    // SAFETY: attached, because there is a witness; the result is checked. The arguments are not
    // null, because that is checked first, and stay live during the call, because the stack owns
    // them.
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

/// Makes an empty object if `factory` is the type `list`, `dict` or `set`, without calling it.
#[inline(always)]
pub(crate) fn empty_builtin(_py: &Attached, factory: Obj<'_>) -> Option<Result<Owned, Raised>> {
    let tp = factory.as_ptr().cast::<PyTypeObject>();
    // SAFETY: attached, because there is a witness; the results are checked.
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
