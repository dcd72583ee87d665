//! `Fragment`: the type of objects that hold serialised JSON, and its handle.
//!
//! Separate from `module` because encoding reads instances. CPython calls in here to make and to
//! release them; `module::init` makes the type. Invariant: the contents are set before other code
//! has a reference to the instance, and never change.

use core::ffi::{c_int, c_void};
use core::ptr::null_mut;

use pyo3_ffi::*;

use crate::docstrings;
use crate::py::handle::Handle;
use crate::py::{Attached, Obj, Owned, Raised, error};

/// The memory of an instance.
///
/// The contents are an exact `bytes` or `str`, or `None` in place of anything else.
#[repr(C)]
struct FragmentObject {
    base: PyObject,
    contents: *mut PyObject,
}

/// The type `Fragment`, which has no subclasses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FragmentType {}

/// A `Fragment`.
pub(crate) type Fragment<'a> = Handle<'a, FragmentType>;

/// The type object of a module instance's `Fragment`.
#[derive(Debug)]
pub(crate) struct FragmentClass(Owned);

impl FragmentClass {
    /// The type as an object.
    pub(crate) fn object(&self) -> &Owned {
        &self.0
    }

    /// The object, if it is a `Fragment` of this module instance.
    #[inline(always)]
    pub(crate) fn exact<'a>(&self, object: Obj<'a>) -> Option<Fragment<'a>> {
        let is_fragment = object.type_obj() == self.0.get();
        // SAFETY: an instance of the type, because its type is compared before.
        is_fragment.then(|| unsafe { Fragment::assume(object) })
    }
}

/// The contents of a `Fragment`.
pub(crate) fn contents<'a>(_py: &'a Attached, fragment: Fragment<'a>) -> Obj<'a> {
    // SAFETY: a live `Fragment`, because of its type; contents that are not null and live for `'a`,
    // because `new` sets them before it returns the instance and they never change.
    unsafe {
        let contents = (*fragment.as_ptr().cast::<FragmentObject>()).contents;
        Obj::from_ptr(contents).unwrap_unchecked()
    }
}

unsafe extern "C" fn new(
    class: *mut PyTypeObject,
    arguments: *mut PyObject,
    names: *mut PyObject,
) -> *mut PyObject {
    // SAFETY: attached, with a type, a tuple, and a dict or null, because the interpreter calls
    // `tp_new` so; the result of the allocation is checked.
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
            // Only `bytes` and `str` are kept; encoding reports the rest. A fragment therefore
            // never refers to an object that could refer back, and needs no support for the cyclic
            // collector.
            let given = PyTuple_GET_ITEM(arguments, 0);
            let is_text = PyBytes_CheckExact(given) != 0 || PyUnicode_CheckExact(given) != 0;
            let contents = Py_NewRef(if is_text { given } else { Py_None() });
            (*instance.cast::<FragmentObject>()).contents = contents;
        }
        instance
    }
}

unsafe extern "C" fn dealloc(instance: *mut PyObject) {
    // SAFETY: an instance without references, because the interpreter calls `tp_dealloc` so. The
    // contents are null or a strong reference, because `new` sets them in zeroed memory. The type
    // is released last, because each instance owns a reference to its heap type.
    unsafe {
        let class = Py_TYPE(instance);
        Py_XDECREF((*instance.cast::<FragmentObject>()).contents);
        if let Some(free) = (*class).tp_free {
            free(instance.cast());
        }
        Py_DECREF(class.cast());
    }
}

/// Makes the type for a module instance.
pub(crate) fn new_type(module: *mut PyObject) -> Result<FragmentClass, Raised> {
    let mut slots = [
        PyType_Slot { slot: Py_tp_new, pfunc: new as *mut c_void },
        PyType_Slot { slot: Py_tp_dealloc, pfunc: dealloc as *mut c_void },
        PyType_Slot { slot: Py_tp_doc, pfunc: docstrings::FRAGMENT.as_ptr().cast_mut().cast() },
        PyType_Slot::default(),
    ];
    let mut spec = PyType_Spec {
        name: c"snooze.Fragment".as_ptr(),
        basicsize: size_of::<FragmentObject>() as c_int,
        itemsize: 0,
        flags: (Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE) as _,
        slots: slots.as_mut_ptr(),
    };
    // SAFETY: attached, because only the module's initialisation calls this; the call copies the
    // specification, which ends with an empty slot; the result is checked.
    unsafe {
        let class = PyType_FromModuleAndSpec(module, &mut spec, null_mut());
        Ok(FragmentClass(Owned::take(class)?))
    }
}
