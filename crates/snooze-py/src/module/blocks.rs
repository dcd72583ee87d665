//! The functions that read a document in blocks.
//!
//! Separate from `functions`, whose documents are whole. Invariant: after a failed allocation a
//! document is not read further, because a part of it is lost. Called by CPython: `blocks_…` from
//! `snooze._cli`, `items_…` and `parts_…` from `snooze._typed`.

use core::ffi::CStr;
use std::sync::{Mutex, MutexGuard};

use pyo3_ffi::*;
use snooze_core::blocks::{Fault, Found, Item, Items, Kind, Part, Parts, Place};
use snooze_core::error::{ErrorKind, NoMemory};

use crate::blocks::Blocks;
use crate::decode::items::MARK;
use crate::description::{self, Row};
use crate::docstrings;
use crate::module::entry::{Function, exactly, function};
use crate::module::scan::{pair, run};
use crate::module::state::State;
use crate::py::bytes::{Bytes, contents};
use crate::py::capsule::{self, InCapsule};
use crate::py::{Attached, Obj, Owned, Raised, bytes, error, int, singletons, tuple, unicode};
use crate::text_layout::style;

/// A document in a capsule; `None` after a failure.
struct Kept<T>(Mutex<Option<T>>);

// SAFETY: only this module makes capsules of this name.
unsafe impl InCapsule for Kept<Blocks> {
    const NAME: &'static CStr = c"snooze._snooze.blocks";
}

// SAFETY: only this module makes capsules of this name.
unsafe impl InCapsule for Kept<Items> {
    const NAME: &'static CStr = c"snooze._snooze.items";
}

/// The document in a capsule, for one thread at a time.
fn locked<'a, T>(document: Obj<'a>) -> Result<MutexGuard<'a, Option<T>>, Raised>
where
    Kept<T>: InCapsule + 'a,
{
    // SAFETY: only this module makes such capsules; the object keeps its value alive.
    let kept = unsafe { &*capsule::get::<Kept<T>>(document)? };
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
            let mut document = locked::<Blocks>(document)?;
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
            let document = locked::<Blocks>(document)?;
            let document = document.as_ref().ok_or_else(error::no_memory)?;
            let found = document.checker.finish().err();
            fault(py, found, found.is_some_and(|fault| fault.kind != ErrorKind::InvalidUtf8))
        })
    }
}

/// `(message, offset, line, column)`, or None; so is the offset, if it is not known.
fn fault(py: &Attached, fault: Option<Fault>, has_place: bool) -> Result<Owned, Raised> {
    let Some(Fault { kind, place }) = fault else { return Ok(singletons::none(py)) };
    let mut items = description::with_room(4)?;
    items.push(unicode::decode_utf8(kind.message().as_bytes())?);
    items.push(match has_place {
        true => int::new_unsigned(py, place.offset)?,
        false => singletons::none(py),
    });
    for number in [place.line, place.column] {
        items.push(int::new_unsigned(py, number)?);
    }
    tuple::new(py, &mut items, 0)
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
    let mut kept = locked::<Blocks>(document)?;
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

/// `items_open(pointer, /)`.
unsafe extern "C" fn items_open(
    module: *mut PyObject,
    arguments: *mut *mut PyObject,
    count: Py_ssize_t,
) -> *mut PyObject {
    // SAFETY: CPython calls this as `run` demands.
    unsafe {
        run(module, arguments, count, |py, _, arguments| {
            let [pointer] = exactly(arguments)?;
            let row = Row::new(py, pointer)?;
            let mut tokens = description::with_room(row.len())?;
            for token in row.items() {
                tokens.push(block(token)?);
            }
            let items = Items::new(&tokens).map_err(|NoMemory| error::no_memory())?;
            capsule::new(py, Kept(Mutex::new(Some(items))))
        })
    }
}

/// `items_feed(document, block, /)`: `(text, items, found, cut, fault)`.
unsafe extern "C" fn items_feed(
    module: *mut PyObject,
    arguments: *mut *mut PyObject,
    count: Py_ssize_t,
) -> *mut PyObject {
    // SAFETY: CPython calls this as `run` demands.
    unsafe { run(module, arguments, count, feed_items) }
}

fn feed_items(py: &mut Attached, state: &State, arguments: &[Obj<'_>]) -> Result<Owned, Raised> {
    let [document, bytes] = exactly(arguments)?;
    let bytes = block(bytes)?;
    let mut kept = locked::<Items>(document)?;
    let items = kept.as_mut().ok_or_else(error::no_memory)?;
    let read = feed(py, state, items, bytes);
    if read.is_err() {
        *kept = None;
    }
    read
}

/// Feeds a block to a document, and makes objects of what is new.
fn feed(py: &Attached, state: &State, items: &mut Items, block: &[u8]) -> Result<Owned, Raised> {
    items.feed(state.runtime.dispatch, block).map_err(|NoMemory| error::no_memory())?;
    let mut marks = description::with_room(items.items().len() * MARK)?;
    for Item { end, place } in items.items() {
        for number in [*end as u64, place.offset, place.line, place.column] {
            marks.extend_from_slice(&number.to_ne_bytes());
        }
    }
    let mut parts = description::with_room(5)?;
    parts.push(bytes::new(py, items.text())?.into_owned());
    parts.push(bytes::new(py, &marks)?.into_owned());
    parts.push(match items.found() {
        Found::Array => singletons::none(py),
        Found::Steps(steps, place) => with_place(py, int::new_unsigned(py, steps as u64)?, place)?,
        Found::Other(first, place) => {
            with_place(py, unicode::decode_utf8(json_kind(first).as_bytes())?, place)?
        }
    });
    let (size, place) = items.cut_item();
    parts.push(with_place(py, int::new_unsigned(py, size as u64)?, place)?);
    parts.push(fault(py, items.fault(), true)?);
    tuple::new(py, &mut parts, 0)
}

/// `(what, offset, line, column)`.
fn with_place(py: &Attached, what: Owned, place: Place) -> Result<Owned, Raised> {
    let mut items = description::with_room(4)?;
    items.push(what);
    for number in [place.offset, place.line, place.column] {
        items.push(int::new_unsigned(py, number)?);
    }
    tuple::new(py, &mut items, 0)
}

/// The name of the kind of value that begins with a byte.
fn json_kind(first: u8) -> &'static str {
    match first {
        b'{' => "object",
        b'[' => "array",
        b'"' => "str",
        b't' | b'f' => "bool",
        b'n' => "null",
        _ => "number",
    }
}

/// `items_end(document, /)`: as `blocks_end`.
unsafe extern "C" fn items_end(
    module: *mut PyObject,
    arguments: *mut *mut PyObject,
    count: Py_ssize_t,
) -> *mut PyObject {
    // SAFETY: CPython calls this as `run` demands.
    unsafe {
        run(module, arguments, count, |py, _, arguments| {
            let [document] = exactly(arguments)?;
            let document = locked::<Items>(document)?;
            let document = document.as_ref().ok_or_else(error::no_memory)?;
            fault(py, document.finish().err(), true)
        })
    }
}

/// `items_indices(document, /)`: for each token of the pointer, whether it is an index.
unsafe extern "C" fn items_indices(
    module: *mut PyObject,
    arguments: *mut *mut PyObject,
    count: Py_ssize_t,
) -> *mut PyObject {
    // SAFETY: CPython calls this as `run` demands.
    unsafe {
        run(module, arguments, count, |py, _, arguments| {
            let [document] = exactly(arguments)?;
            let document = locked::<Items>(document)?;
            let document = document.as_ref().ok_or_else(error::no_memory)?;
            let mut items = description::with_room(document.indices().len())?;
            items.extend(document.indices().map(|is_index| singletons::boolean(py, is_index)));
            tuple::new(py, &mut items, 0)
        })
    }
}

// SAFETY: only this module makes capsules of this name.
unsafe impl InCapsule for Kept<Parts> {
    const NAME: &'static CStr = c"snooze._snooze.parts";
}

/// `parts_open(bounded, /)`.
unsafe extern "C" fn parts_open(
    module: *mut PyObject,
    arguments: *mut *mut PyObject,
    count: Py_ssize_t,
) -> *mut PyObject {
    // SAFETY: CPython calls this as `run` demands.
    unsafe {
        run(module, arguments, count, |py, _, arguments| {
            let [bounded] = exactly(arguments)?;
            let parts = Parts::new(singletons::is_true(bounded));
            capsule::new(py, Kept(Mutex::new(Some(parts))))
        })
    }
}

/// `parts_feed(document, block, /)`: `(kinds, texts, fault)`.
unsafe extern "C" fn parts_feed(
    module: *mut PyObject,
    arguments: *mut *mut PyObject,
    count: Py_ssize_t,
) -> *mut PyObject {
    // SAFETY: CPython calls this as `run` demands.
    unsafe { run(module, arguments, count, feed_parts) }
}

fn feed_parts(py: &mut Attached, state: &State, arguments: &[Obj<'_>]) -> Result<Owned, Raised> {
    let [document, bytes] = exactly(arguments)?;
    let bytes = block(bytes)?;
    let mut kept = locked::<Parts>(document)?;
    let parts = kept.as_mut().ok_or_else(error::no_memory)?;
    let fed = parts.feed(state.runtime.dispatch, bytes);
    let read = match fed {
        Ok(()) => parts_of(py, parts, bytes),
        Err(NoMemory) => Err(error::no_memory()),
    };
    if read.is_err() {
        *kept = None;
    }
    read
}

/// The kinds of the parts that a block completes, a byte each; the texts of all but brackets; what
/// is wrong with the document.
fn parts_of(py: &Attached, parts: &Parts, block: &[u8]) -> Result<Owned, Raised> {
    let mut kinds = description::with_room(parts.parts().len())?;
    let mut texts = description::with_room(parts.parts().len())?;
    let mut before = parts.before();
    for Part { kind, range } in parts.parts() {
        let text = block.get(range.clone()).unwrap_or(&[]);
        kinds.push(match kind {
            Kind::Name => b'n',
            Kind::Value => b'v',
            Kind::Items => b'i',
            Kind::Members => b'm',
            Kind::Open | Kind::Close => text.first().copied().unwrap_or(0),
        });
        if !matches!(kind, Kind::Open | Kind::Close) {
            let mut whole = description::with_room(before.len() + text.len())?;
            whole.extend_from_slice(before);
            whole.extend_from_slice(text);
            texts.push(bytes::new(py, &whole)?.into_owned());
        }
        before = &[];
    }
    let mut items = description::with_room(3)?;
    items.push(bytes::new(py, &kinds)?.into_owned());
    items.push(tuple::new(py, &mut texts, 0)?);
    items.push(fault(py, parts.fault(), true)?);
    tuple::new(py, &mut items, 0)
}

/// `parts_cut(document, start, /)`: `(is_string, text)` of a value that is cut, or None.
unsafe extern "C" fn parts_cut(
    module: *mut PyObject,
    arguments: *mut *mut PyObject,
    count: Py_ssize_t,
) -> *mut PyObject {
    // SAFETY: CPython calls this as `run` demands.
    unsafe {
        run(module, arguments, count, |py, _, arguments| {
            let [document, start] = exactly(arguments)?;
            let start = description::size(start)?;
            let document = locked::<Parts>(document)?;
            let document = document.as_ref().ok_or_else(error::no_memory)?;
            let Some(text) = document.cut_value() else { return Ok(singletons::none(py)) };
            let is_string = document.is_in_string();
            // Of a long number nobody needs a part.
            let wanted = if is_string || start == 0 { text.get(start..) } else { None };
            let text = bytes::new(py, wanted.unwrap_or(&[]))?.into_owned();
            pair(py, singletons::boolean(py, is_string), text)
        })
    }
}

/// `parts_place(document, block, index, /)`: `(offset, line, column)` of a value of the block.
unsafe extern "C" fn parts_place(
    module: *mut PyObject,
    arguments: *mut *mut PyObject,
    count: Py_ssize_t,
) -> *mut PyObject {
    // SAFETY: CPython calls this as `run` demands.
    unsafe {
        run(module, arguments, count, |py, _, arguments| {
            let [document, bytes, index] = exactly(arguments)?;
            let (bytes, index) = (block(bytes)?, description::size(index)?);
            let document = locked::<Parts>(document)?;
            let document = document.as_ref().ok_or_else(error::no_memory)?;
            let place = document.place(bytes, index);
            let mut items = description::with_room(3)?;
            for number in [place.offset, place.line, place.column] {
                items.push(int::new_unsigned(py, number)?);
            }
            tuple::new(py, &mut items, 0)
        })
    }
}

/// `parts_end(document, /)`: as `blocks_end`.
unsafe extern "C" fn parts_end(
    module: *mut PyObject,
    arguments: *mut *mut PyObject,
    count: Py_ssize_t,
) -> *mut PyObject {
    // SAFETY: CPython calls this as `run` demands.
    unsafe {
        run(module, arguments, count, |py, _, arguments| {
            let [document] = exactly(arguments)?;
            let document = locked::<Parts>(document)?;
            let document = document.as_ref().ok_or_else(error::no_memory)?;
            fault(py, document.finish().err(), true)
        })
    }
}

/// The functions.
pub(super) static FUNCTIONS: [Function; 13] = [
    function(c"blocks_open", blocks_open, docstrings::BLOCKS_OPEN),
    function(c"blocks_check", blocks_check, docstrings::BLOCKS_CHECK),
    function(c"blocks_end", blocks_end, docstrings::BLOCKS_END),
    function(c"blocks_restyle", blocks_restyle, docstrings::BLOCKS_RESTYLE),
    function(c"items_open", items_open, docstrings::ITEMS_OPEN),
    function(c"items_feed", items_feed, docstrings::ITEMS_FEED),
    function(c"items_end", items_end, docstrings::ITEMS_END),
    function(c"items_indices", items_indices, docstrings::ITEMS_INDICES),
    function(c"parts_open", parts_open, docstrings::PARTS_OPEN),
    function(c"parts_feed", parts_feed, docstrings::PARTS_FEED),
    function(c"parts_cut", parts_cut, docstrings::PARTS_CUT),
    function(c"parts_place", parts_place, docstrings::PARTS_PLACE),
    function(c"parts_end", parts_end, docstrings::PARTS_END),
];
