//! The functions for Decoders with reading options, for threads that share a document, and for the
//! places of errors.
//!
//! Separate from `functions`, which has what `import snooze` needs. Called by CPython, from
//! `snooze._typed`.

use pyo3_ffi::*;

use crate::decode::cuts;
use crate::decode::policy::{rules, text};
use crate::description;
use crate::docstrings;
use crate::module::entry::{Function, call, exactly, function};
use crate::module::state::State;
use crate::py::bytes::Bytes;
use crate::py::list::List;
use crate::py::unicode::Str;
use crate::py::{Attached, Obj, error, singletons, types};

/// `plain_json(obj, syntax, surrogates, /)`.
unsafe extern "C" fn plain_json(
    module: *mut PyObject,
    arguments: *mut *mut PyObject,
    count: Py_ssize_t,
) -> *mut PyObject {
    let run = |py: &mut Attached, state: &State, arguments: &[Obj<'_>]| {
        let [object, syntax, surrogates] = exactly(arguments)?;
        text::plain(&state.runtime, py, object, rules(py, syntax, surrogates)?)
    };
    // SAFETY: as `call` asks, because CPython calls this function as a method of the module.
    unsafe { call(module, arguments, count, run) }
}

/// `source_offsets(obj, syntax, surrogates, offsets, /)`.
unsafe extern "C" fn source_offsets(
    module: *mut PyObject,
    arguments: *mut *mut PyObject,
    count: Py_ssize_t,
) -> *mut PyObject {
    let run = |py: &mut Attached, state: &State, arguments: &[Obj<'_>]| {
        let [object, syntax, surrogates, offsets] = exactly(arguments)?;
        text::sources(&state.runtime, py, object, rules(py, syntax, surrogates)?, offsets)
    };
    // SAFETY: as `call` asks, because CPython calls this function as a method of the module.
    unsafe { call(module, arguments, count, run) }
}

/// `path_at(document, position, /)`.
unsafe extern "C" fn path_at(
    module: *mut PyObject,
    arguments: *mut *mut PyObject,
    count: Py_ssize_t,
) -> *mut PyObject {
    let run = |py: &mut Attached, _: &State, arguments: &[Obj<'_>]| {
        let [document, position] = exactly(arguments)?;
        let Some(document) = Str::any(document) else {
            return Err(error::type_error(c"path_at() takes a str and a position"));
        };
        text::path_at(py, document, description::size(position)?)
    };
    // SAFETY: as `call` asks, because CPython calls this function as a method of the module.
    unsafe { call(module, arguments, count, run) }
}

/// `name_decode_error(class, /)`.
unsafe extern "C" fn name_decode_error(
    module: *mut PyObject,
    arguments: *mut *mut PyObject,
    count: Py_ssize_t,
) -> *mut PyObject {
    let run = |py: &mut Attached, state: &State, arguments: &[Obj<'_>]| {
        let [class] = exactly(arguments)?;
        if !types::is_type(class) {
            return Err(error::type_error(c"name_decode_error() takes a class"));
        }
        state.runtime.decode_error.name(class);
        Ok(singletons::none(py))
    };
    // SAFETY: as `call` asks, because CPython calls this function as a method of the module.
    unsafe { call(module, arguments, count, run) }
}

/// `array_cuts(document, size, /)`.
unsafe extern "C" fn array_cuts(
    module: *mut PyObject,
    arguments: *mut *mut PyObject,
    count: Py_ssize_t,
) -> *mut PyObject {
    let run = |py: &mut Attached, state: &State, arguments: &[Obj<'_>]| {
        let [document, size] = exactly(arguments)?;
        let Some(document) = Bytes::exact(document) else {
            return Err(error::type_error(c"array_cuts() takes bytes and a size"));
        };
        cuts::array_cuts(py, state.runtime.dispatch, document, description::size(size)?)
    };
    // SAFETY: as `call` asks, because CPython calls this function as a method of the module.
    unsafe { call(module, arguments, count, run) }
}

/// `join_lists(lists, /)`.
unsafe extern "C" fn join_lists(
    module: *mut PyObject,
    arguments: *mut *mut PyObject,
    count: Py_ssize_t,
) -> *mut PyObject {
    let run = |py: &mut Attached, state: &State, arguments: &[Obj<'_>]| {
        let [lists] = exactly(arguments)?;
        let Some(lists) = List::exact(lists) else {
            return Err(error::type_error(c"join_lists() takes a list of lists"));
        };
        cuts::join_lists(&state.runtime, py, lists)
    };
    // SAFETY: as `call` asks, because CPython calls this function as a method of the module.
    unsafe { call(module, arguments, count, run) }
}

/// The functions.
pub(super) static FUNCTIONS: [Function; 6] = [
    function(c"plain_json", plain_json, docstrings::PLAIN_JSON),
    function(c"source_offsets", source_offsets, docstrings::SOURCE_OFFSETS),
    function(c"path_at", path_at, docstrings::PATH_AT),
    function(c"array_cuts", array_cuts, docstrings::ARRAY_CUTS),
    function(c"join_lists", join_lists, docstrings::JOIN_LISTS),
    function(c"name_decode_error", name_decode_error, docstrings::NAME_DECODE_ERROR),
];
