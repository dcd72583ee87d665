//! Exceptions: raising them, taking them and telling them apart.
//!
//! Separate from `message`, which puts texts together from parts: the texts here are constants.
//! Invariant: a function that returns `Raised` leaves an exception set. Called by all other code
//! of the crate.

use core::ffi::CStr;

use pyo3_ffi::*;

use crate::py::{Attached, Obj, Owned, Raised, compat};

/// Sets an exception with a text; without one, the exception that prevented it stays set.
///
/// Not PyErr_SetString or PyErr_Format: if making their text runs out of memory, some versions of
/// CPython 3.11 replace the MemoryError with the exception, without a text.
///
/// # Safety
/// The thread is attached and `kind` is an exception type.
unsafe fn set(kind: *mut PyObject, text: Result<Owned, Raised>) -> Raised {
    if let Ok(text) = text {
        // SAFETY: attached and an exception type, because the caller says so; a live text, because
        // it is owned.
        unsafe { PyErr_SetObject(kind, text.as_ptr()) };
    }
    Raised
}

/// Makes the text of a message.
fn text(message: &CStr) -> Result<Owned, Raised> {
    // SAFETY: attached, because only calls from the interpreter raise; terminated, because a
    // `CStr` is; the result is checked.
    unsafe { Owned::take(PyUnicode_FromString(message.as_ptr())) }
}

/// Raises `TypeError` (which is `JSONEncodeError`).
#[cold]
pub(crate) fn type_error(message: &CStr) -> Raised {
    type_error_with(text(message))
}

/// Raises `TypeError` with a text, or leaves the exception that prevented the text.
#[cold]
pub(super) fn type_error_with(text: Result<Owned, Raised>) -> Raised {
    // SAFETY: attached, because only calls from the interpreter raise; an exception type.
    unsafe { set(PyExc_TypeError, text) }
}

/// Raises `TypeError` with a text that is made already.
#[cold]
pub(crate) fn type_error_of(text: Owned) -> Raised {
    type_error_with(Ok(text))
}

/// Raises `ValueError`.
#[cold]
pub(crate) fn value_error(message: &CStr) -> Raised {
    value_error_with(text(message))
}

/// Raises `ValueError` with a text, or leaves the exception that prevented the text.
#[cold]
pub(super) fn value_error_with(text: Result<Owned, Raised>) -> Raised {
    // SAFETY: attached, because only calls from the interpreter raise; an exception type.
    unsafe { set(PyExc_ValueError, text) }
}

/// Raises `BufferError`.
#[cold]
pub(crate) fn buffer_error(message: &CStr) -> Raised {
    // SAFETY: attached, because only calls from the interpreter raise; an exception type.
    unsafe { set(PyExc_BufferError, text(message)) }
}

/// Raises `RuntimeError`.
#[cold]
pub(crate) fn runtime_error(message: &CStr) -> Raised {
    // SAFETY: attached, because only calls from the interpreter raise; an exception type.
    unsafe { set(PyExc_RuntimeError, text(message)) }
}

/// Raises `RecursionError`.
#[cold]
pub(crate) fn recursion_error(message: &CStr) -> Raised {
    // SAFETY: attached, because only calls from the interpreter raise; an exception type.
    unsafe { set(PyExc_RecursionError, text(message)) }
}

/// Raises `ImportError`.
#[cold]
pub(crate) fn import_error(message: &CStr) -> Raised {
    // SAFETY: attached, because only calls from the interpreter raise; an exception type.
    unsafe { set(PyExc_ImportError, text(message)) }
}

/// Raises `SystemError`.
#[cold]
pub(crate) fn system_error(message: &CStr) -> Raised {
    system_error_with(text(message))
}

/// Raises `SystemError` for an argument that is null, which CPython never passes.
#[cold]
pub(crate) fn null_argument() -> Raised {
    system_error(c"an argument of a call is null")
}

/// Raises `SystemError` with a text, or leaves the exception that prevented the text.
#[cold]
pub(super) fn system_error_with(text: Result<Owned, Raised>) -> Raised {
    // SAFETY: attached, because only calls from the interpreter raise; an exception type.
    unsafe { set(PyExc_SystemError, text) }
}

/// Raises `MemoryError`.
#[cold]
pub(crate) fn no_memory() -> Raised {
    // SAFETY: attached, because only calls from the interpreter raise.
    unsafe { PyErr_NoMemory() };
    Raised
}

/// Clears the current exception, if there is one.
pub(crate) fn clear() {
    // SAFETY: attached, because only calls from the interpreter have exceptions to clear.
    unsafe { PyErr_Clear() }
}

/// Whether the current exception must reach the caller unchanged: anything that is no `Exception`
/// (`KeyboardInterrupt`, `SystemExit`), and `MemoryError`.
pub(crate) fn must_propagate(_py: &Attached) -> bool {
    // SAFETY: attached, because there is a witness; an exception is set, because callers have a
    // `Raised`.
    unsafe {
        PyErr_ExceptionMatches(PyExc_Exception) == 0
            || PyErr_ExceptionMatches(PyExc_MemoryError) != 0
    }
}

/// Whether the current exception is a `UnicodeError`.
pub(crate) fn is_unicode_error(_py: &Attached) -> bool {
    // SAFETY: attached, because there is a witness; an exception is set, because callers have a
    // `Raised`.
    unsafe { PyErr_ExceptionMatches(PyExc_UnicodeError) != 0 }
}

/// Replaces the current exception with the one that `raise` sets, whose `__cause__` it becomes.
#[cold]
pub(crate) fn chain(_py: &mut Attached, raise: impl FnOnce() -> Raised) -> Raised {
    // SAFETY: attached, because there is a witness; both exceptions are strong references, because
    // `take_exception` returns them, and both setters take them over.
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

/// Takes the current exception if user code rejected a value with it: `ValueError`, `TypeError` or
/// `AssertionError`. Any other exception stays set.
#[cold]
pub(crate) fn take_refusal(_py: &mut Attached) -> Result<Owned, Raised> {
    // SAFETY: attached, because there is a witness; an exception is set, because callers have a
    // `Raised`; `take_exception` returns a strong reference.
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

/// Takes the current exception, whatever it is.
#[cold]
pub(crate) fn take_any(_py: &mut Attached) -> Option<Owned> {
    // SAFETY: attached, because there is a witness; `take_exception` returns a strong reference or
    // null, which `ok` turns into `None`.
    unsafe { Owned::take(compat::take_exception()).ok() }
}

/// Takes the current exception, if it is exactly a `TypeError`; with `only_native`, only if no
/// Python code has raised it (it has no traceback). Any other exception stays set.
#[cold]
pub(crate) fn take_type_error(py: &mut Attached, only_native: bool) -> Option<Owned> {
    // SAFETY: a static of the interpreter, set before any extension is imported.
    take_exact(py, unsafe { PyExc_TypeError }, only_native)
}

/// Takes the current exception, if it is exactly an `AttributeError` that no Python code has
/// raised. Any other exception stays set.
#[cold]
pub(crate) fn take_attribute_error(py: &mut Attached) -> Option<Owned> {
    // SAFETY: a static of the interpreter, set before any extension is imported.
    take_exact(py, unsafe { PyExc_AttributeError }, true)
}

/// Takes the current exception, if it is exactly of this class.
#[cold]
fn take_exact(_py: &mut Attached, class: *mut PyObject, only_native: bool) -> Option<Owned> {
    // SAFETY: attached, because there is a witness; `take_exception` returns a strong reference or
    // null; a live exception, because it is owned; every result is checked.
    unsafe {
        let exception = Owned::take(compat::take_exception()).ok()?;
        let has_traceback = || {
            let traceback = PyException_GetTraceback(exception.as_ptr());
            Py_XDECREF(traceback);
            !traceback.is_null()
        };
        if core::ptr::eq(Py_TYPE(exception.as_ptr()).cast(), class)
            && !(only_native && has_traceback())
        {
            return Some(exception);
        }
        compat::restore_exception(exception.into_ptr());
        None
    }
}

/// Raises an exception again, as it is.
#[cold]
pub(crate) fn restore(_py: &Attached, exception: Owned) {
    // SAFETY: attached, because there is a witness; an exception, because callers have taken it;
    // `restore_exception` takes over the reference.
    unsafe { compat::restore_exception(exception.into_ptr()) }
}

/// Raises an exception again, with another text.
#[cold]
pub(crate) fn raise_again(_py: &Attached, exception: Owned, text: Owned) -> Raised {
    // SAFETY: attached, because there is a witness; live objects, because both are owned; the
    // results are checked; `restore_exception` takes over the reference.
    unsafe {
        let arguments = PyTuple_Pack(1, text.as_ptr());
        let Ok(arguments) = Owned::take(arguments) else { return Raised };
        if PyObject_SetAttrString(exception.as_ptr(), c"args".as_ptr(), arguments.as_ptr()) == 0 {
            compat::restore_exception(exception.into_ptr());
        }
    }
    Raised
}

/// Whether an exception has an attribute `path`.
#[cold]
pub(crate) fn has_place(exception: &Owned) -> bool {
    // SAFETY: attached, because there is an exception; a live object, because it is owned. The call
    // clears the error of a missing attribute.
    unsafe { PyObject_HasAttrString(exception.as_ptr(), c"path".as_ptr()) != 0 }
}

/// Sets the attributes `path` and `pointer` of an exception (without a pointer: `None`), and adds a
/// note (PEP 678).
#[cold]
pub(crate) fn add_place(
    py: &mut Attached,
    exception: &Owned,
    path: &Owned,
    pointer: Option<&Owned>,
    note: Option<&Owned>,
) -> Result<(), Raised> {
    // SAFETY: attached, because there is a witness; live objects, because all are owned; None is
    // always live; every result is checked.
    unsafe {
        let pointer = pointer.map_or(Py_None(), Owned::as_ptr);
        if PyObject_SetAttrString(exception.as_ptr(), c"path".as_ptr(), path.as_ptr()) != 0
            || PyObject_SetAttrString(exception.as_ptr(), c"pointer".as_ptr(), pointer) != 0
        {
            return Err(Raised);
        }
    }
    note.map_or(Ok(()), |note| add_note(py, exception, note))
}

/// Adds a note (PEP 678) to an exception.
#[cold]
fn add_note(_py: &mut Attached, exception: &Owned, note: &Owned) -> Result<(), Raised> {
    // SAFETY: attached, because there is a witness; live objects, because both are owned; every
    // result is checked, and the result of the method is released.
    unsafe {
        let name = Owned::take(PyUnicode_FromString(c"add_note".as_ptr()))?;
        let (exception, note) = (exception.as_ptr(), note.as_ptr());
        Owned::take(PyObject_CallMethodOneArg(exception, name.as_ptr(), note))?;
    }
    Ok(())
}

/// Adds a note to the current exception if it is exactly a `TypeError`; without memory for it, the
/// `MemoryError` becomes the current exception.
#[cold]
pub(crate) fn explain_type_error(py: &mut Attached, note: &CStr) -> Raised {
    if let Some(exception) = take_type_error(py, true)
        && text(note).and_then(|note| add_note(py, &exception, &note)).is_ok()
    {
        restore(py, exception);
    }
    Raised
}

/// `repr(object)`, which may run Python code.
pub(crate) fn representation(object: Obj<'_>) -> Result<Owned, Raised> {
    // SAFETY: attached and a live object, because there is an `Obj`; the result is checked.
    unsafe { Owned::take(PyObject_Repr(object.as_ptr())) }
}
