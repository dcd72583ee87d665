//! `snooze.JSONDecodeError`: finding the class, and raising it.
//!
//! Separate from `error`, whose exceptions exist as long as the interpreter does. This class is
//! Python code in `snooze._decode_error`, which imports `json` and with it `re`: more work than all
//! else that `import snooze` does. So the module is imported when the first error is raised, or
//! when a program names the class. Used by `decode` and `module::decoder`, through `runtime`.

use core::ffi::CStr;
use core::ptr::null_mut;
use std::sync::OnceLock;

use pyo3_ffi::*;

use crate::py::{Attached, Obj, Owned, Raised, call, compat, error};

/// The class, once it has been needed.
#[derive(Debug, Default)]
pub(crate) struct DecodeErrorClass(OnceLock<Owned>);

impl DecodeErrorClass {
    /// The class, if it has been needed.
    pub(crate) fn known(&self) -> Option<&Owned> {
        self.0.get()
    }

    /// Notes the class, which its module names when it is loaded: so errors are of the class that
    /// the program has, also if modules are removed from `sys.modules` later. The first one stays.
    pub(crate) fn name(&self, class: Obj<'_>) {
        let _ = self.0.set(class.to_owned());
    }

    /// The class. Imports its module the first time, so it may run Python code.
    fn class(&self, py: &mut Attached) -> Result<&Owned, Raised> {
        if let Some(class) = self.0.get() {
            return Ok(class);
        }
        let module = call::import(py, c"snooze._decode_error")?;
        let class = call::attribute(py, &module, &call::interned(c"JSONDecodeError")?)?;
        Ok(self.0.get_or_init(|| class))
    }

    /// Raises `JSONDecodeError(message, document, position)`.
    #[cold]
    pub(crate) fn raise(&self, message: &str, document: Owned, position: usize) -> Raised {
        // SAFETY: attached, because only calls from the interpreter raise.
        let mut py = unsafe { Attached::assume() };
        let Ok(class) = self.class(&mut py) else {
            return Raised;
        };
        // SAFETY: attached, because there is a witness; the start and length of one `&str`; live
        // arguments, because all are owned; every result is checked.
        unsafe {
            let length = message.len() as Py_ssize_t;
            let text = PyUnicode_FromStringAndSize(message.as_ptr().cast(), length);
            let Ok(text) = Owned::take(text) else {
                return Raised;
            };
            let Ok(position) = Owned::take(PyLong_FromSize_t(position)) else {
                return Raised;
            };
            let arguments = [text.as_ptr(), document.as_ptr(), position.as_ptr()];
            let error = PyObject_Vectorcall(class.as_ptr(), arguments.as_ptr(), 3, null_mut());
            if let Ok(error) = Owned::take(error) {
                PyErr_SetObject(class.as_ptr(), error.as_ptr());
            }
        }
        Raised
    }

    /// Lets the current exception name its place, if it is exactly of the class.
    #[cold]
    pub(crate) fn ask_for_place(&self, py: &mut Attached) -> Raised {
        self.call_on_current(py, c"_add_place")
    }

    /// Lets the current exception say how another encoding than UTF-8 is read, if it is exactly of
    /// the class.
    #[cold]
    pub(crate) fn ask_for_encoding(&self) -> Raised {
        // SAFETY: attached, because only calls from the interpreter raise.
        self.call_on_current(&mut unsafe { Attached::assume() }, c"_add_encoding")
    }

    /// Calls a method of the current exception without arguments. If this raises an exception that
    /// must propagate, that replaces the current one; any other is dropped.
    #[cold]
    fn call_on_current(&self, py: &mut Attached, method: &CStr) -> Raised {
        // SAFETY: attached, because there is a witness; live objects, because both are owned; a
        // terminated name. `take_exception` returns a strong reference or null, and
        // `restore_exception` takes it over.
        unsafe {
            if let Ok(exception) = Owned::take(compat::take_exception()) {
                let kind = exception.get().type_ptr().cast();
                let called = match self.imported(py) {
                    Ok(Some(class)) if class.as_ptr() == kind => {
                        let (object, name) = (exception.as_ptr(), method.as_ptr());
                        Owned::take(PyObject_CallMethod(object, name, core::ptr::null())).map(drop)
                    }
                    other => other.map(drop),
                };
                if called.is_err() {
                    if error::must_propagate(py) {
                        return Raised;
                    }
                    PyErr_Clear();
                }
                compat::restore_exception(exception.into_ptr());
            }
        }
        Raised
    }

    /// The class, if its module has been imported: without it there are no instances. Code of a
    /// program may have raised one before the extension did.
    fn imported(&self, py: &mut Attached) -> Result<Option<&Owned>, Raised> {
        if self.0.get().is_none() {
            let name = call::interned(c"snooze._decode_error")?;
            if call::imported_module(py, &name)?.is_some() {
                self.class(py)?;
            }
        }
        Ok(self.0.get())
    }
}
