//! The functions that read a document in pieces, as far as it has come.
//!
//! Separate from `items`, which has only whole values. Called by CPython, from `snooze._typed`.

use snooze_core::blocks::{Kind, Part, Parts};
use snooze_core::error::NoMemory;

use crate::description;
use crate::docstrings;
use crate::module::document::{self, block, fault, look, only_place, read_on};
use crate::module::entry::{Function, definition, exactly};
use crate::module::scan::pair;
use crate::module::state::State;
use crate::py::{Attached, Obj, Owned, Raised, bytes, error, singletons, tuple};

/// `parts_open(bounded, /)`.
fn open(py: &mut Attached, _: &State, arguments: &[Obj<'_>]) -> Result<Owned, Raised> {
    let [bounded] = exactly(arguments)?;
    document::new(py, Parts::new(singletons::is_true(bounded)))
}

/// `parts_feed(document, block, /)`: `(kinds, texts, fault)`.
fn feed(py: &mut Attached, state: &State, arguments: &[Obj<'_>]) -> Result<Owned, Raised> {
    let [document, bytes] = exactly(arguments)?;
    let bytes = block(bytes)?;
    read_on(document, |parts: &mut Parts| {
        parts.feed(state.runtime.dispatch, bytes).map_err(|NoMemory| error::no_memory())?;
        new_parts(py, parts, bytes)
    })
}

/// The kinds of the parts that a block completes, a byte each; the texts of all but brackets; what
/// is wrong with the document.
fn new_parts(py: &Attached, parts: &Parts, block: &[u8]) -> Result<Owned, Raised> {
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
fn cut(py: &mut Attached, _: &State, arguments: &[Obj<'_>]) -> Result<Owned, Raised> {
    let [document, start] = exactly(arguments)?;
    let start = description::size(start)?;
    look(document, |document: &Parts| {
        let Some(text) = document.cut_value() else { return Ok(singletons::none(py)) };
        let is_string = document.is_in_string();
        // Of a long number nobody needs a part.
        let wanted = if is_string || start == 0 { text.get(start..) } else { None };
        let text = bytes::new(py, wanted.unwrap_or(&[]))?.into_owned();
        pair(py, singletons::boolean(py, is_string), text)
    })
}

/// `parts_place(document, block, index, /)`: `(offset, line, column)` of a value of the block.
fn place(py: &mut Attached, _: &State, arguments: &[Obj<'_>]) -> Result<Owned, Raised> {
    let [document, bytes, index] = exactly(arguments)?;
    let (bytes, index) = (block(bytes)?, description::size(index)?);
    look(document, |document: &Parts| only_place(py, document.place(bytes, index)))
}

/// `parts_end(document, /)`: as `blocks_end`.
fn end(py: &mut Attached, _: &State, arguments: &[Obj<'_>]) -> Result<Owned, Raised> {
    let [document] = exactly(arguments)?;
    look(document, |document: &Parts| fault(py, document.finish().err(), true))
}

/// The functions.
pub(super) static FUNCTIONS: [Function; 5] = [
    definition!(c"parts_open", open, docstrings::PARTS_OPEN),
    definition!(c"parts_feed", feed, docstrings::PARTS_FEED),
    definition!(c"parts_cut", cut, docstrings::PARTS_CUT),
    definition!(c"parts_place", place, docstrings::PARTS_PLACE),
    definition!(c"parts_end", end, docstrings::PARTS_END),
];
