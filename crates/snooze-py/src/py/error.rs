//! Exceptions: setting them, taking them, and telling them apart.

use core::ffi::CStr;

use pyo3_ffi::*;

use crate::py::{Attached, Obj, Owned, Raised, compat};

/// Sets an exception with a text, which may have failed to be made.
///
/// Not PyErr_SetString or PyErr_Format: some versions of CPython 3.11 replace the MemoryError
/// of their text by the exception without one.
///
/// # Safety
/// The thread is attached; `text` is a reference that the caller gives away, or null with an
/// exception set.
unsafe fn set(kind: *mut PyObject, text: *mut PyObject) -> Raised {
    // SAFETY: by the caller.
    unsafe {
        if let Ok(text) = Owned::take(text) {
            PyErr_SetObject(kind, text.as_ptr());
        }
    }
    Raised
}

/// Sets `TypeError` (which is `JSONEncodeError`) with a message.
#[cold]
pub(crate) fn type_error(message: &CStr) -> Raised {
    // SAFETY: attached, because only walks call this; the message ends with a zero.
    unsafe { set(PyExc_TypeError, PyUnicode_FromString(message.as_ptr())) }
}

/// Sets `TypeError` with the name of the object's type behind `prefix`.
#[cold]
pub(crate) fn type_error_naming_type(format: &CStr, object: Obj<'_>) -> Raised {
    // SAFETY: the formats passed here have one `%s`; a live type has a name that ends with a zero.
    unsafe {
        set(PyExc_TypeError, PyUnicode_FromFormat(format.as_ptr(), (*object.type_ptr()).tp_name))
    }
}

/// Sets `TypeError` with an object's `str` in the place of the format's `%U`.
#[cold]
pub(crate) fn type_error_with_text(format: &CStr, text: Obj<'_>) -> Raised {
    // SAFETY: the formats passed here have one `%U`, and the object is a `str`.
    unsafe { set(PyExc_TypeError, PyUnicode_FromFormat(format.as_ptr(), text.as_ptr())) }
}

/// Sets `TypeError` with a number in the place of the format's `%zd`.
#[cold]
pub(crate) fn type_error_with_count(format: &CStr, count: isize) -> Raised {
    // SAFETY: the formats passed here have one `%zd`.
    unsafe { set(PyExc_TypeError, PyUnicode_FromFormat(format.as_ptr(), count)) }
}

/// Sets `TypeError` for a number of some unit: the format has `%lld` and `%s`.
#[cold]
pub(crate) fn type_error_with_quantity(format: &CStr, value: i64, unit: &CStr) -> Raised {
    // SAFETY: the format passed here has `%lld` and `%s`, in this order.
    unsafe { set(PyExc_TypeError, PyUnicode_FromFormat(format.as_ptr(), value, unit.as_ptr())) }
}

/// Sets `TypeError` with a message that was put together.
#[cold]
pub(crate) fn type_error_of(message: &[u8]) -> Raised {
    // SAFETY: attached; so many bytes; what is not UTF-8 is replaced.
    unsafe {
        let length = message.len() as isize;
        let text = PyUnicode_DecodeUTF8(message.as_ptr().cast(), length, c"replace".as_ptr());
        set(PyExc_TypeError, text)
    }
}

/// The name of an object's type, without its module.
pub(crate) fn type_name(object: Obj<'_>) -> Vec<u8> {
    // SAFETY: a live type has a name that ends with a zero.
    let name = unsafe { CStr::from_ptr((*object.type_ptr()).tp_name) }.to_bytes();
    let start = name.iter().rposition(|&byte| byte == b'.').map_or(0, |dot| dot + 1);
    name.get(start..).unwrap_or(name).to_vec()
}

/// Forgets the exception that is set, if there is one.
pub(crate) fn clear() {
    // SAFETY: attached, because only walks call this.
    unsafe { PyErr_Clear() }
}

/// Sets `ValueError` with a message.
#[cold]
pub(crate) fn value_error(message: &CStr) -> Raised {
    // SAFETY: as for `type_error`.
    unsafe { set(PyExc_ValueError, PyUnicode_FromString(message.as_ptr())) }
}

/// Sets `BufferError` with a message.
#[cold]
pub(crate) fn buffer_error(message: &CStr) -> Raised {
    // SAFETY: as for `type_error`.
    unsafe { set(PyExc_BufferError, PyUnicode_FromString(message.as_ptr())) }
}

/// Sets `RuntimeError` with a message.
#[cold]
pub(crate) fn runtime_error(message: &CStr) -> Raised {
    // SAFETY: as for `type_error`.
    unsafe { set(PyExc_RuntimeError, PyUnicode_FromString(message.as_ptr())) }
}

/// Sets `MemoryError`.
#[cold]
pub(crate) fn no_memory() -> Raised {
    // SAFETY: attached, because only walks call this.
    unsafe { PyErr_NoMemory() };
    Raised
}

/// Whether the exception that is set must reach the caller as it is: what is no `Exception`
/// (`KeyboardInterrupt`, `SystemExit`), and `MemoryError`.
pub(crate) fn must_propagate(_py: &Attached) -> bool {
    // SAFETY: attached, with an exception set.
    unsafe {
        PyErr_ExceptionMatches(PyExc_Exception) == 0
            || PyErr_ExceptionMatches(PyExc_MemoryError) != 0
    }
}

/// Whether the exception that is set is a `UnicodeError`.
pub(crate) fn is_unicode_error(_py: &Attached) -> bool {
    // SAFETY: attached, with an exception set.
    unsafe { PyErr_ExceptionMatches(PyExc_UnicodeError) != 0 }
}

/// Replaces the exception that is set by the one that `raise` sets, with the first as its cause.
#[cold]
pub(crate) fn chain(_py: &mut Attached, raise: impl FnOnce() -> Raised) -> Raised {
    // SAFETY: attached; the exceptions taken are owned, and both setters take them over.
    unsafe {
        let cause = compat::take_exception();
        raise();
        let raised = compat::take_exception();
        if raised.is_null() {
            Py_XDECREF(cause);
            return no_memory();
        }
        if !cause.is_null() {
            PyException_SetCause(raised, cause);
        }
        compat::restore_exception(raised);
    }
    Raised
}

/// Sets the exception made by calling `kind(message, document, position)`.
#[cold]
pub(crate) fn decode_error(
    kind: &Owned,
    message: &str,
    document: Owned,
    position: usize,
) -> Raised {
    // SAFETY: attached, because there are objects; every result is checked.
    unsafe {
        let text = PyUnicode_FromStringAndSize(message.as_ptr().cast(), message.len() as isize);
        let Ok(text) = Owned::take(text) else {
            return Raised;
        };
        let Ok(position) = Owned::take(PyLong_FromSize_t(position)) else {
            return Raised;
        };
        let arguments = [text.as_ptr(), document.as_ptr(), position.as_ptr()];
        let error =
            PyObject_Vectorcall(kind.as_ptr(), arguments.as_ptr(), 3, core::ptr::null_mut());
        if let Ok(error) = Owned::take(error) {
            PyErr_SetObject(kind.as_ptr(), error.as_ptr());
        }
    }
    Raised
}

/// Sets `TypeError` with a text in the place of the format's `%s`.
#[cold]
pub(crate) fn type_error_naming(format: &CStr, name: &CStr) -> Raised {
    // SAFETY: the format passed here has one `%s`.
    unsafe { set(PyExc_TypeError, PyUnicode_FromFormat(format.as_ptr(), name.as_ptr())) }
}

/// Sets `ImportError` with a message.
#[cold]
pub(crate) fn import_error(message: &CStr) -> Raised {
    // SAFETY: as for `type_error`.
    unsafe { set(PyExc_ImportError, PyUnicode_FromString(message.as_ptr())) }
}

/// Sets `SystemError` with a message.
#[cold]
pub(crate) fn system_error(message: &CStr) -> Raised {
    // SAFETY: as for `type_error`.
    unsafe { set(PyExc_SystemError, PyUnicode_FromString(message.as_ptr())) }
}

/// Sets `SystemError` for an object in the description of a plan that is not what it should be.
#[cold]
pub(crate) fn system_error_wanting(wanted: &CStr, object: Obj<'_>) -> Raised {
    let format = c"the description of a plan has %R where %s should be";
    // SAFETY: the format has `%R` and `%s`, in this order; a live object.
    unsafe {
        let text = PyUnicode_FromFormat(format.as_ptr(), object.as_ptr(), wanted.as_ptr());
        set(PyExc_SystemError, text)
    }
}

/// What Python shows of an object.
pub(crate) fn representation(object: Obj<'_>) -> Result<Owned, Raised> {
    // SAFETY: attached, because there is an `Obj`; the result is checked.
    unsafe { Owned::take(PyObject_Repr(object.as_ptr())) }
}

/// Takes the exception that is set if user code refuses a value with it: `ValueError`, `TypeError`
/// or `AssertionError`. Any other one stays set.
#[cold]
pub(crate) fn take_refusal(_py: &mut Attached) -> Result<Owned, Raised> {
    // SAFETY: attached, with an exception set; the one that is taken is owned.
    unsafe {
        let refuses = [PyExc_ValueError, PyExc_TypeError, PyExc_AssertionError];
        if !refuses.into_iter().any(|kind| PyErr_ExceptionMatches(kind) != 0) {
            return Err(Raised);
        }
        match Owned::take(compat::take_exception()) {
            Ok(exception) => Ok(exception),
            Err(Raised) => Err(no_memory()),
        }
    }
}
