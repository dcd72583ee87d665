//! The functions that read the items of one array of a document in blocks.
//!
//! Separate from `blocks`, which keeps no values. Called by CPython, from `snooze._typed`.

use snooze_core::blocks::{Found, Item, Items};
use snooze_core::error::NoMemory;

use crate::decode::items::MARK;
use crate::description::{self, Row};
use crate::docstrings;
use crate::module::document::{self, block, fault, look, read_on, with_place};
use crate::module::entry::{Function, definition, exactly};
use crate::module::state::State;
use crate::py::{Attached, Obj, Owned, Raised, bytes, error, int, singletons, tuple, unicode};

/// `items_open(pointer, /)`.
fn open(py: &mut Attached, _: &State, arguments: &[Obj<'_>]) -> Result<Owned, Raised> {
    let [pointer] = exactly(arguments)?;
    let row = Row::new(py, pointer)?;
    let mut tokens = description::with_room(row.len())?;
    for token in row.items() {
        tokens.push(block(token)?);
    }
    document::new(py, Items::new(&tokens).map_err(|NoMemory| error::no_memory())?)
}

/// `items_feed(document, block, /)`: `(text, items, found, cut, fault)`.
fn feed(py: &mut Attached, state: &State, arguments: &[Obj<'_>]) -> Result<Owned, Raised> {
    let [document, bytes] = exactly(arguments)?;
    let bytes = block(bytes)?;
    read_on(document, |items: &mut Items| {
        items.feed(state.runtime.dispatch, bytes).map_err(|NoMemory| error::no_memory())?;
        new_items(py, items)
    })
}

/// The objects of what a block has brought.
fn new_items(py: &Attached, items: &Items) -> Result<Owned, Raised> {
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
fn end(py: &mut Attached, _: &State, arguments: &[Obj<'_>]) -> Result<Owned, Raised> {
    let [document] = exactly(arguments)?;
    look(document, |document: &Items| fault(py, document.finish().err(), true))
}

/// `items_indices(document, /)`: for each token of the pointer, whether it is an index.
fn indices(py: &mut Attached, _: &State, arguments: &[Obj<'_>]) -> Result<Owned, Raised> {
    let [document] = exactly(arguments)?;
    look(document, |document: &Items| {
        let mut items = description::with_room(document.indices().len())?;
        items.extend(document.indices().map(|is_index| singletons::boolean(py, is_index)));
        tuple::new(py, &mut items, 0)
    })
}

/// The functions.
pub(super) static FUNCTIONS: [Function; 4] = [
    definition!(c"items_open", open, docstrings::ITEMS_OPEN),
    definition!(c"items_feed", feed, docstrings::ITEMS_FEED),
    definition!(c"items_end", end, docstrings::ITEMS_END),
    definition!(c"items_indices", indices, docstrings::ITEMS_INDICES),
];
