//! What the functions of the module share: their definition, their state, their arguments.
//!
//! Separate because several modules define functions: `functions`, `dialect`, `scan`, `lines` and
//! `blocks`. Invariant: [`call`] makes the witness that the thread is attached and finds the state
//! of the module instance; what it calls is safe code.

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
