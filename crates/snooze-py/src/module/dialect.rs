//! The functions for Decoders with reading options, for threads that share a document, and for the
//! places of errors.
//!
//! Separate from `functions`, which has what `import snooze` needs. Called by CPython, from
//! `snooze._typed`.

use crate::decode::cuts;
use crate::decode::policy::{rules, text};
use crate::description;
use crate::docstrings;
use crate::module::entry::{Function, definition, exactly};
use crate::module::state::State;
use crate::py::bytes::Bytes;
use crate::py::list::List;
use crate::py::unicode::Str;
use crate::py::{Attached, Obj, Owned, Raised, error, singletons, types};

/// `plain_json(obj, syntax, surrogates, /)`.
fn plain_json(py: &mut Attached, state: &State, arguments: &[Obj<'_>]) -> Result<Owned, Raised> {
    let [object, syntax, surrogates] = exactly(arguments)?;
    text::plain(&state.runtime, py, object, rules(py, syntax, surrogates)?)
}

/// `source_offsets(obj, syntax, surrogates, offsets, /)`.
fn source_offsets(
    py: &mut Attached,
    state: &State,
    arguments: &[Obj<'_>],
) -> Result<Owned, Raised> {
    let [object, syntax, surrogates, offsets] = exactly(arguments)?;
    text::sources(&state.runtime, py, object, rules(py, syntax, surrogates)?, offsets)
}

/// `path_at(document, position, /)`.
fn path_at(py: &mut Attached, _: &State, arguments: &[Obj<'_>]) -> Result<Owned, Raised> {
    let [document, position] = exactly(arguments)?;
    let Some(document) = Str::any(document) else {
        return Err(error::type_error(c"path_at() takes a str and a position"));
    };
    text::path_at(py, document, description::size(position)?)
}

/// `name_decode_error(class, /)`.
fn name_decode_error(
    py: &mut Attached,
    state: &State,
    arguments: &[Obj<'_>],
) -> Result<Owned, Raised> {
    let [class] = exactly(arguments)?;
    if !types::is_type(class) {
        return Err(error::type_error(c"name_decode_error() takes a class"));
    }
    state.runtime.decode_error.name(class);
    Ok(singletons::none(py))
}

/// `array_cuts(document, size, /)`.
fn array_cuts(py: &mut Attached, state: &State, arguments: &[Obj<'_>]) -> Result<Owned, Raised> {
    let [document, size] = exactly(arguments)?;
    let Some(document) = Bytes::exact(document) else {
        return Err(error::type_error(c"array_cuts() takes bytes and a size"));
    };
    cuts::array_cuts(py, state.runtime.dispatch, document, description::size(size)?)
}

/// `join_lists(lists, /)`.
fn join_lists(py: &mut Attached, state: &State, arguments: &[Obj<'_>]) -> Result<Owned, Raised> {
    let [lists] = exactly(arguments)?;
    let Some(lists) = List::exact(lists) else {
        return Err(error::type_error(c"join_lists() takes a list of lists"));
    };
    cuts::join_lists(&state.runtime, py, lists)
}

/// The functions.
pub(super) static FUNCTIONS: [Function; 6] = [
    definition!(c"plain_json", plain_json, docstrings::PLAIN_JSON, by call),
    definition!(c"source_offsets", source_offsets, docstrings::SOURCE_OFFSETS, by call),
    definition!(c"path_at", path_at, docstrings::PATH_AT, by call),
    definition!(c"array_cuts", array_cuts, docstrings::ARRAY_CUTS, by call),
    definition!(c"join_lists", join_lists, docstrings::JOIN_LISTS, by call),
    definition!(c"name_decode_error", name_decode_error, docstrings::NAME_DECODE_ERROR, by call),
];
