//! `Fragment`: JSON that is already text, as an object.
//!
//! CPython calls in here, to make and release instances. Invariant: the contents are set before
//! anybody sees the instance, and never change.

use core::ffi::{c_int, c_void};
use core::ptr::null_mut;

use pyo3_ffi::*;

use crate::docstrings;
use crate::py::{Attached, Obj, Owned, Raised, error};

/// An instance of `Fragment`.
///
/// The contents are an exact `bytes` or `str`, or `None` for anything that cannot be written.
#[repr(C)]
struct Fragment {
    base: PyObject,
    contents: *mut PyObject,
}

/// The contents of an exact instance of the module's `Fragment`.
pub(crate) fn contents<'a>(_py: &'a Attached, fragment: Obj<'a>) -> Obj<'a> {
    // SAFETY: the caller has compared the type; `new` sets the contents, which never
    // change, before anybody sees the instance.
    unsafe {
        let contents = (*fragment.as_ptr().cast::<Fragment>()).contents;
        Obj::from_ptr(contents).unwrap_unchecked()
    }
}

unsafe extern "C" fn new(
    class: *mut PyTypeObject,
    arguments: *mut PyObject,
    names: *mut PyObject,
) -> *mut PyObject {
    // SAFETY: called by the interpreter with a tuple, and a dict or null. The instance is
    // complete before it is returned.
    unsafe {
        let keywords = if names.is_null() { 0 } else { PyDict_Size(names) };
        if PyTuple_GET_SIZE(arguments) != 1 || keywords != 0 {
            error::type_error(c"snooze.Fragment() takes exactly 1 positional argument");
            return null_mut();
        }
        let Some(allocate) = (*class).tp_alloc else {
            error::runtime_error(c"the type cannot be instantiated");
            return null_mut();
        };
        let instance = allocate(class, 0);
        if !instance.is_null() {
            // Anything may be given, but only these can be written. What else is given is not
            // kept: a fragment refers to nothing that could refer back, and so needs no collector,
            // and fragments cannot be nested.
            let given = PyTuple_GET_ITEM(arguments, 0);
            let is_text = PyBytes_CheckExact(given) != 0 || PyUnicode_CheckExact(given) != 0;
            let contents = Py_NewRef(if is_text { given } else { Py_None() });
            (*instance.cast::<Fragment>()).contents = contents;
        }
        instance
    }
}

unsafe extern "C" fn dealloc(instance: *mut PyObject) {
    // SAFETY: called by the interpreter for the last reference; a heap type is released after
    // its instance.
    unsafe {
        let class = Py_TYPE(instance);
        Py_XDECREF((*instance.cast::<Fragment>()).contents);
        if let Some(free) = (*class).tp_free {
            free(instance.cast());
        }
        Py_DECREF(class.cast());
    }
}

pub(crate) fn new_type(module: *mut PyObject) -> Result<Owned, Raised> {
    let mut slots = [
        PyType_Slot { slot: Py_tp_new, pfunc: new as *mut c_void },
        PyType_Slot { slot: Py_tp_dealloc, pfunc: dealloc as *mut c_void },
        PyType_Slot { slot: Py_tp_doc, pfunc: docstrings::FRAGMENT.as_ptr().cast_mut().cast() },
        PyType_Slot::default(),
    ];
    let mut spec = PyType_Spec {
        name: c"snooze.Fragment".as_ptr(),
        basicsize: size_of::<Fragment>() as c_int,
        itemsize: 0,
        flags: (Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE) as _,
        slots: slots.as_mut_ptr(),
    };
    // SAFETY: attached; the specification is complete and is copied by the call.
    unsafe { Owned::take(PyType_FromModuleAndSpec(module, &mut spec, null_mut())) }
}
