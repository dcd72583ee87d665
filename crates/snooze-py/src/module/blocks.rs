//! The functions that check a document in blocks and write it in another style.
//!
//! Separate from `functions`, whose documents are whole. Called by CPython, from `snooze._cli`.

use snooze_core::error::ErrorKind;

use crate::blocks::Blocks;
use crate::description::{self, Row};
use crate::docstrings;
use crate::module::document::{self, block, fault, look, read_on};
use crate::module::entry::{Function, definition, exactly};
use crate::module::scan::pair;
use crate::module::state::State;
use crate::py::{Attached, Obj, Owned, Raised, int, singletons};
use crate::text_layout::style;

/// `blocks_open(style, bounded, /)`.
fn open(py: &mut Attached, _: &State, arguments: &[Obj<'_>]) -> Result<Owned, Raised> {
    let [parts, bounded] = exactly(arguments)?;
    let style = style(Row::exact(py, parts)?)?;
    document::new(py, Blocks::new(style, singletons::is_true(bounded)))
}

/// `blocks_check(document, block, /)`: the offset that a fault may have, or None.
fn check(py: &mut Attached, state: &State, arguments: &[Obj<'_>]) -> Result<Owned, Raised> {
    let [document, bytes] = exactly(arguments)?;
    let bytes = block(bytes)?;
    read_on(document, |document: &mut Blocks| {
        document.check(&state.runtime, bytes);
        match document.checker.noted_offset() {
            Some(offset) => int::new_unsigned(py, offset),
            None => Ok(singletons::none(py)),
        }
    })
}

/// `blocks_end(document, /)`: `(message, offset, line, column)` of a fault, or None.
fn end(py: &mut Attached, _: &State, arguments: &[Obj<'_>]) -> Result<Owned, Raised> {
    let [document] = exactly(arguments)?;
    look(document, |document: &Blocks| {
        let found = document.checker.finish().err();
        fault(py, found, found.is_some_and(|fault| fault.kind != ErrorKind::InvalidUtf8))
    })
}

/// `blocks_restyle(document, block, start, /)`: `(text, end)`.
fn restyle(py: &mut Attached, state: &State, arguments: &[Obj<'_>]) -> Result<Owned, Raised> {
    let [document, bytes, start] = exactly(arguments)?;
    let (bytes, start) = (block(bytes)?, description::size(start)?);
    read_on(document, |document: &mut Blocks| {
        let (text, end) = document.restyle(&state.runtime, bytes, start)?;
        pair(py, text, int::new_unsigned(py, end as u64)?)
    })
}

/// The functions.
pub(super) static FUNCTIONS: [Function; 4] = [
    definition!(c"blocks_open", open, docstrings::BLOCKS_OPEN),
    definition!(c"blocks_check", check, docstrings::BLOCKS_CHECK),
    definition!(c"blocks_end", end, docstrings::BLOCKS_END),
    definition!(c"blocks_restyle", restyle, docstrings::BLOCKS_RESTYLE),
];
