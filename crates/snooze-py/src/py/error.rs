//! Exceptions: setting them, taking them, and telling them apart.

use core::ffi::CStr;

use pyo3_ffi::*;

use crate::py::{Attached, Obj, Owned, Raised, compat};

/// Sets an exception with a text; if there is no text, the exception that prevented it stays set.
///
/// Not PyErr_SetString or PyErr_Format: some versions of CPython 3.11 replace the MemoryError of
/// their text with the exception, without a text.
///
/// # Safety
/// The thread is attached and `kind` is an exception type.
unsafe fn set(kind: *mut PyObject, text: Result<Owned, Raised>) -> Raised {
    if let Ok(text) = text {
        // SAFETY: attached, and an exception type, because the caller says so; a live text.
        unsafe { PyErr_SetObject(kind, text.as_ptr()) };
    }
    Raised
}

/// Makes the text of a message.
fn text(message: &CStr) -> Result<Owned, Raised> {
    // SAFETY: attached, because only calls from the interpreter raise; a `CStr` ends with a zero;
    // the result is checked.
    unsafe { Owned::take(PyUnicode_FromString(message.as_ptr())) }
}

/// Sets `TypeError` (which is `JSONEncodeError`) with a message.
#[cold]
pub(crate) fn type_error(message: &CStr) -> Raised {
    // SAFETY: attached, because only walks call this; the message ends with a zero.
    unsafe { set(PyExc_TypeError, text(message)) }
}

/// Raises `TypeError` with a text, which may have failed to be made.
#[cold]
pub(super) fn type_error_with(text: Result<Owned, Raised>) -> Raised {
    // SAFETY: attached, because only walks call this; the text is owned, or an exception is set.
    unsafe { set(PyExc_TypeError, text) }
}

/// Raises `SystemError` with a text, which may have failed to be made.
#[cold]
pub(super) fn system_error_with(text: Result<Owned, Raised>) -> Raised {
    // SAFETY: attached, because only walks call this; the text is owned, or an exception is set.
    unsafe { set(PyExc_SystemError, text) }
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
    unsafe { set(PyExc_ValueError, text(message)) }
}

/// Sets `BufferError` with a message.
#[cold]
pub(crate) fn buffer_error(message: &CStr) -> Raised {
    // SAFETY: as for `type_error`.
    unsafe { set(PyExc_BufferError, text(message)) }
}

/// Sets `RuntimeError` with a message.
#[cold]
pub(crate) fn runtime_error(message: &CStr) -> Raised {
    // SAFETY: as for `type_error`.
    unsafe { set(PyExc_RuntimeError, text(message)) }
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

/// Sets `ImportError` with a message.
#[cold]
pub(crate) fn import_error(message: &CStr) -> Raised {
    // SAFETY: as for `type_error`.
    unsafe { set(PyExc_ImportError, text(message)) }
}

/// Sets `SystemError` with a message.
#[cold]
pub(crate) fn system_error(message: &CStr) -> Raised {
    // SAFETY: as for `type_error`.
    unsafe { set(PyExc_SystemError, text(message)) }
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
