//! The functions with which the command line reads a document in blocks.
//!
//! Separate from `functions`, whose documents are whole. Invariant: after a failed allocation a
//! document is not written further, because a part of it is lost. Called by CPython, from
//! `snooze._cli`.

use core::ffi::CStr;
use std::sync::{Mutex, MutexGuard};

use pyo3_ffi::*;
use snooze_core::error::ErrorKind;

use crate::blocks::Blocks;
use crate::description::{self, Row};
use crate::docstrings;
use crate::module::entry::{Function, exactly, function};
use crate::module::scan::{pair, run};
use crate::module::state::State;
use crate::py::bytes::{Bytes, contents};
use crate::py::capsule::{self, InCapsule};
use crate::py::{Attached, Obj, Owned, Raised, error, int, singletons, tuple, unicode};
use crate::text_layout::style;

/// A document in a capsule; `None` after a failure.
struct Kept(Mutex<Option<Blocks>>);

// SAFETY: only this module makes capsules of this name.
unsafe impl InCapsule for Kept {
    const NAME: &'static CStr = c"snooze._snooze.blocks";
}

/// The document in a capsule, for one thread at a time.
fn locked(document: Obj<'_>) -> Result<MutexGuard<'_, Option<Blocks>>, Raised> {
    // SAFETY: only this module makes such capsules; the object keeps its value alive.
    let kept = unsafe { &*capsule::get::<Kept>(document)? };
    kept.0.try_lock().map_err(|_| error::runtime_error(c"another thread reads this document"))
}

/// The contents of a block.
fn block(object: Obj<'_>) -> Result<&[u8], Raised> {
    match Bytes::exact(object) {
        Some(block) => Ok(contents(block)),
        None => Err(error::type_error(c"a block must be bytes")),
    }
}

/// `blocks_open(style, bounded, /)`.
unsafe extern "C" fn blocks_open(
    module: *mut PyObject,
    arguments: *mut *mut PyObject,
    count: Py_ssize_t,
) -> *mut PyObject {
    // SAFETY: CPython calls this as `run` demands.
    unsafe {
        run(module, arguments, count, |py, _, arguments| {
            let [parts, bounded] = exactly(arguments)?;
            let style = style(Row::exact(py, parts)?)?;
            let blocks = Blocks::new(style, singletons::is_true(bounded));
            capsule::new(py, Kept(Mutex::new(Some(blocks))))
        })
    }
}

/// `blocks_check(document, block, /)`: the offset that a fault may have, or None.
unsafe extern "C" fn blocks_check(
    module: *mut PyObject,
    arguments: *mut *mut PyObject,
    count: Py_ssize_t,
) -> *mut PyObject {
    // SAFETY: CPython calls this as `run` demands.
    unsafe {
        run(module, arguments, count, |py, state, arguments| {
            let [document, bytes] = exactly(arguments)?;
            let mut document = locked(document)?;
            let document = document.as_mut().ok_or_else(error::no_memory)?;
            document.check(&state.runtime, block(bytes)?);
            match document.checker.noted_offset() {
                Some(offset) => int::new_unsigned(py, offset),
                None => Ok(singletons::none(py)),
            }
        })
    }
}

/// `blocks_end(document, /)`: `(message, offset, line, column)` of a fault, or None.
unsafe extern "C" fn blocks_end(
    module: *mut PyObject,
    arguments: *mut *mut PyObject,
    count: Py_ssize_t,
) -> *mut PyObject {
    // SAFETY: CPython calls this as `run` demands.
    unsafe {
        run(module, arguments, count, |py, _, arguments| {
            let [document] = exactly(arguments)?;
            let document = locked(document)?;
            let document = document.as_ref().ok_or_else(error::no_memory)?;
            let Err(fault) = document.checker.finish() else { return Ok(singletons::none(py)) };
            let mut items = description::with_room(4)?;
            items.push(unicode::decode_utf8(fault.kind.message().as_bytes())?);
            items.push(match fault.kind {
                // Of a text that cannot be shown.
                ErrorKind::InvalidUtf8 => singletons::none(py),
                _ => int::new_unsigned(py, fault.place.offset)?,
            });
            for number in [fault.place.line, fault.place.column] {
                items.push(int::new_unsigned(py, number)?);
            }
            tuple::new(py, &mut items, 0)
        })
    }
}

/// `blocks_restyle(document, block, start, /)`: `(text, end)`.
unsafe extern "C" fn blocks_restyle(
    module: *mut PyObject,
    arguments: *mut *mut PyObject,
    count: Py_ssize_t,
) -> *mut PyObject {
    // SAFETY: CPython calls this as `run` demands.
    unsafe { run(module, arguments, count, restyle) }
}

fn restyle(py: &mut Attached, state: &State, arguments: &[Obj<'_>]) -> Result<Owned, Raised> {
    let [document, bytes, start] = exactly(arguments)?;
    let (bytes, start) = (block(bytes)?, description::size(start)?);
    let mut kept = locked(document)?;
    let document = kept.as_mut().ok_or_else(error::no_memory)?;
    let restyled = document.restyle(&state.runtime, bytes, start);
    let written = restyled
        .and_then(|(text, end)| int::new_unsigned(py, end as u64).map(|end| (text, end)))
        .and_then(|(text, end)| pair(py, text, end));
    if written.is_err() {
        *kept = None;
    }
    written
}

/// The functions.
pub(super) static FUNCTIONS: [Function; 4] = [
    function(c"blocks_open", blocks_open, docstrings::BLOCKS_OPEN),
    function(c"blocks_check", blocks_check, docstrings::BLOCKS_CHECK),
    function(c"blocks_end", blocks_end, docstrings::BLOCKS_END),
    function(c"blocks_restyle", blocks_restyle, docstrings::BLOCKS_RESTYLE),
];
