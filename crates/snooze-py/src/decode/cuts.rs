//! Where a document that is one long array can be cut, so that several threads decode it, and the
//! list of the items of all parts.
//!
//! Separate because nothing is decoded here: the search gives the interpreter up. Invariants: if
//! each part, in brackets of its own, is a JSON array, so is the document, with the items of all
//! parts, because it begins and ends with square brackets and no part is white space; so the search
//! need not check what it passes. Each item is owned once at any time. Called by `module::dialect`.

use snooze_core::arch::Dispatch;
use snooze_core::arch::generic::array_cuts::ArrayCuts;
use snooze_core::error::NoMemory;

use crate::description;
use crate::py::bytes::{Bytes, contents};
use crate::py::detached::detached;
use crate::py::list::{self, List};
use crate::py::{Attached, Owned, Raised, error, int, singletons, tuple};
use crate::runtime::Runtime;

/// A tuple of the offsets of the opening bracket, of commas about `size` bytes apart, and of the
/// closing bracket; `None` if the document is no array, or one that needs no cut.
pub(crate) fn array_cuts(
    py: &mut Attached,
    dispatch: Dispatch,
    document: Bytes<'_>,
    size: usize,
) -> Result<Owned, Raised> {
    let bytes = contents(document);
    let found = detached(py, || search(dispatch, bytes, size));
    let offsets = found.map_err(|NoMemory| error::no_memory())?;
    if offsets.len() < 3 {
        return Ok(singletons::none(py));
    }
    let mut items = description::with_room(offsets.len())?;
    for offset in offsets {
        items.push(int::new(py, offset as i64)?);
    }
    tuple::new(py, &mut items, 0)
}

/// A new list of the items of all lists of a list, which are empty then.
///
/// PERF: moves the references. To count them takes 27 ns an item, because each belongs to the
/// thread that made it (3.14t, AMD EPYC, 2026-11-28).
pub(crate) fn join_lists(
    runtime: &Runtime,
    py: &Attached,
    lists: List<'_>,
) -> Result<Owned, Raised> {
    let mut parts = Vec::new();
    list::take_items(py, lists, &mut parts)?;
    let mut items = Vec::new();
    for part in &parts {
        let Some(part) = List::exact(part.get()) else {
            return Err(error::type_error(c"join_lists() takes a list of lists"));
        };
        list::take_items(py, part, &mut items)?;
    }
    match runtime.direct {
        true => list::from_values::<true>(py, &mut items, 0),
        false => list::from_values::<false>(py, &mut items, 0),
    }
}

/// The offsets; none if something other than items and white space is around them.
fn search(dispatch: Dispatch, bytes: &[u8], size: usize) -> Result<Vec<usize>, NoMemory> {
    let mut offsets = Vec::new();
    let mut push = |offset| {
        offsets.try_reserve(1).map_err(|_| NoMemory)?;
        offsets.push(offset);
        Ok(())
    };
    let Some(start) = bytes.iter().position(|&byte| !is_space(byte)) else {
        return Ok(Vec::new());
    };
    if bytes[start] != b'[' {
        return Ok(Vec::new());
    }
    push(start)?;
    let end = dispatch.run(ArrayCuts { bytes, start, size, cut: &mut push })?;
    // The bracket may be one of the other kind.
    let closes =
        |&end: &usize| bytes[end] == b']' && bytes[end + 1..].iter().all(|&byte| is_space(byte));
    let Some(end) = end.filter(closes) else {
        return Ok(Vec::new());
    };
    push(end)?;
    // `[ ]` is an array, but white space between two commas is no item.
    let has_items =
        |ends: &[usize]| !bytes[ends[0] + 1..ends[1]].iter().all(|&byte| is_space(byte));
    if offsets.windows(2).all(has_items) { Ok(offsets) } else { Ok(Vec::new()) }
}

/// Whether a byte is white space (RFC 8259, section 2).
fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}
