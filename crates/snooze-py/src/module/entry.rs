//! What the functions of the module share: their definition, their state, their arguments.
//!
//! Separate because several modules define functions: `functions`, `dialect`, `scan`, `lines`,
//! `blocks`, `items` and `parts`. Invariant: [`call`] makes the witness that the thread is attached
//! and finds the state of the module instance; what it calls is safe code.

use core::ffi::CStr;
use core::ptr::null_mut;
use core::slice;

use pyo3_ffi::*;

use crate::module::cell::{not_initialised, state_of};
use crate::module::codec::return_value;
use crate::module::state::State;
use crate::py::message::Message;
use crate::py::{Attached, Obj, Owned, Raised};

/// The definition of a function.
#[repr(transparent)]
pub(super) struct Function(pub(super) PyMethodDef);

// SAFETY: sharing it between threads is sound, because nothing writes to it: CPython only reads
// method definitions, and the strings and functions in it are static.
unsafe impl Sync for Function {}

/// The definition of a function that takes positional arguments.
pub(super) const fn function(
    name: &'static CStr,
    function: PyCFunctionFast,
    doc: &'static CStr,
) -> Function {
    Function(PyMethodDef {
        ml_name: name.as_ptr(),
        ml_meth: PyMethodDefPointer { PyCFunctionFast: function },
        ml_flags: METH_FASTCALL,
        ml_doc: doc.as_ptr(),
    })
}

/// The slice of `count` elements from `start` on; `start` may be null if `count` is zero.
///
/// # Safety
/// As for `slice::from_raw_parts`, unless `count` is zero.
#[inline(always)]
pub(super) unsafe fn slice_of<'a, T>(start: *const T, count: usize) -> &'a [T] {
    if count == 0 {
        return &[];
    }
    // SAFETY: there are `count` elements, because the caller guarantees it for any `count` but
    // zero.
    unsafe { slice::from_raw_parts(start, count) }
}

/// Calls `run` with the state and the arguments of a call.
///
/// # Safety
/// As for a function that CPython calls with `METH_FASTCALL` as a method of the module: `module` is
/// an instance of this module, and `arguments` has `count` objects that are borrowed for the call.
pub(super) unsafe fn call(
    module: *mut PyObject,
    arguments: *mut *mut PyObject,
    count: Py_ssize_t,
    run: impl FnOnce(&mut Attached, &State, &[Obj<'_>]) -> Result<Owned, Raised>,
) -> *mut PyObject {
    // SAFETY: an instance of this module and live objects, because the caller says so; an `Obj` is
    // one pointer that is not null. The thread is attached, because CPython calls.
    unsafe {
        let Some(state) = state_of::<false>(module) else {
            not_initialised();
            return null_mut();
        };
        let arguments: &[Obj<'_>] = slice_of(arguments.cast_const().cast(), count as usize);
        return_value(run(&mut Attached::assume(), state, arguments))
    }
}

/// [`call`], after it has released what dropped scans left behind.
///
/// # Safety
/// As for [`call`].
pub(super) unsafe fn run(
    module: *mut PyObject,
    arguments: *mut *mut PyObject,
    count: Py_ssize_t,
    function: impl FnOnce(&mut Attached, &State, &[Obj<'_>]) -> Result<Owned, Raised>,
) -> *mut PyObject {
    // SAFETY: as for `call`, because the caller says so.
    unsafe {
        call(module, arguments, count, |py, state, arguments| {
            state.releases.release_all(py);
            function(py, state, arguments)
        })
    }
}

/// The definition of a function: its name, the safe function that [`run`] calls (or [`call`], if the
/// last argument says so), its documentation.
macro_rules! definition {
    ($name:literal, $safe:path, $doc:path) => {
        definition!(@ run, $name, $safe, $doc)
    };
    ($name:literal, $safe:path, $doc:path, by call) => {
        definition!(@ call, $name, $safe, $doc)
    };
    (@ $by:ident, $name:literal, $safe:path, $doc:path) => {{
        unsafe extern "C" fn entry(
            module: *mut pyo3_ffi::PyObject,
            arguments: *mut *mut pyo3_ffi::PyObject,
            count: pyo3_ffi::Py_ssize_t,
        ) -> *mut pyo3_ffi::PyObject {
            // SAFETY: as `call` and `run` ask, because CPython calls this as a method of the
            // module.
            unsafe { $crate::module::entry::$by(module, arguments, count, $safe) }
        }
        $crate::module::entry::function($name, entry, $doc)
    }};
}
pub(super) use definition;

/// The arguments, which must be exactly `N`.
pub(super) fn exactly<'a, const N: usize>(arguments: &[Obj<'a>]) -> Result<[Obj<'a>; N], Raised> {
    arguments.try_into().map_err(|_| wrong_count(N, arguments.len()))
}

/// Raises `TypeError`: the number of arguments is another one.
#[cold]
fn wrong_count(expected: usize, found: usize) -> Raised {
    Message::raise_type_error(|message| {
        let noun = if expected == 1 { " argument, found " } else { " arguments, found " };
        message.text("expected ")?.count(expected)?.text(noun)?.count(found)
    })
}
