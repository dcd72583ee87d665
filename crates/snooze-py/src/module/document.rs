//! A document that comes in blocks, in a capsule.
//!
//! Separate because `blocks`, `items` and `parts` share it. Invariant: after a failed allocation a
//! document is not read further, because a part of it is lost. Called by these three.

use core::ffi::CStr;
use std::sync::{Mutex, MutexGuard};

use snooze_core::blocks::{Fault, Items, Parts, Place};

use crate::blocks::Blocks;
use crate::description;
use crate::py::bytes::{Bytes, contents};
use crate::py::capsule::{self, InCapsule};
use crate::py::{Attached, Obj, Owned, Raised, error, int, singletons, tuple, unicode};

/// A document in a capsule; `None` after a failure.
pub(super) struct Kept<T>(Mutex<Option<T>>);

// SAFETY: only `new` makes capsules of this name.
unsafe impl InCapsule for Kept<Blocks> {
    const NAME: &'static CStr = c"snooze._snooze.blocks";
}

// SAFETY: only `new` makes capsules of this name.
unsafe impl InCapsule for Kept<Items> {
    const NAME: &'static CStr = c"snooze._snooze.items";
}

// SAFETY: only `new` makes capsules of this name.
unsafe impl InCapsule for Kept<Parts> {
    const NAME: &'static CStr = c"snooze._snooze.parts";
}

/// The capsule of a document.
pub(super) fn new<T>(py: &Attached, document: T) -> Result<Owned, Raised>
where
    Kept<T>: InCapsule,
{
    capsule::new(py, Kept(Mutex::new(Some(document))))
}

/// The document in a capsule, for one thread at a time.
fn locked<'a, T>(document: Obj<'a>) -> Result<MutexGuard<'a, Option<T>>, Raised>
where
    Kept<T>: InCapsule + 'a,
{
    // SAFETY: only `new` makes such capsules; the object keeps its value alive.
    let kept = unsafe { &*capsule::get::<Kept<T>>(document)? };
    kept.0.try_lock().map_err(|_| error::runtime_error(c"another thread reads this document"))
}

/// Reads on in the document in a capsule, which is dropped if that fails.
pub(super) fn read_on<T>(
    document: Obj<'_>,
    read: impl FnOnce(&mut T) -> Result<Owned, Raised>,
) -> Result<Owned, Raised>
where
    Kept<T>: InCapsule,
{
    let mut kept = locked::<T>(document)?;
    let result = read(kept.as_mut().ok_or_else(error::no_memory)?);
    if result.is_err() {
        *kept = None;
    }
    result
}

/// Looks at the document in a capsule.
pub(super) fn look<T>(
    document: Obj<'_>,
    look: impl FnOnce(&T) -> Result<Owned, Raised>,
) -> Result<Owned, Raised>
where
    Kept<T>: InCapsule,
{
    look(locked::<T>(document)?.as_ref().ok_or_else(error::no_memory)?)
}

/// The contents of a block.
pub(super) fn block(object: Obj<'_>) -> Result<&[u8], Raised> {
    match Bytes::exact(object) {
        Some(block) => Ok(contents(block)),
        None => Err(error::type_error(c"a block must be bytes")),
    }
}

/// `(message, offset, line, column)`, or None; the offset is None if it is not known.
pub(super) fn fault(
    py: &Attached,
    fault: Option<Fault>,
    has_offset: bool,
) -> Result<Owned, Raised> {
    let Some(Fault { kind, place }) = fault else { return Ok(singletons::none(py)) };
    let mut items = description::with_room(4)?;
    items.push(unicode::decode_utf8(kind.message().as_bytes())?);
    push_place(py, &mut items, place)?;
    if !has_offset {
        items[1] = singletons::none(py);
    }
    tuple::new(py, &mut items, 0)
}

/// `(what, offset, line, column)`.
pub(super) fn with_place(py: &Attached, what: Owned, place: Place) -> Result<Owned, Raised> {
    let mut items = description::with_room(4)?;
    items.push(what);
    push_place(py, &mut items, place)?;
    tuple::new(py, &mut items, 0)
}

/// `(offset, line, column)`.
pub(super) fn only_place(py: &Attached, place: Place) -> Result<Owned, Raised> {
    let mut items = description::with_room(3)?;
    push_place(py, &mut items, place)?;
    tuple::new(py, &mut items, 0)
}

/// Adds the offset, the line and the column to items that have room for them.
fn push_place(py: &Attached, items: &mut Vec<Owned>, place: Place) -> Result<(), Raised> {
    for number in [place.offset, place.line, place.column] {
        items.push(int::new_unsigned(py, number)?);
    }
    Ok(())
}
