//! Growing vectors and texts without aborting where memory is exhausted.
//!
//! Separate because every file of `columns` grows something. Invariant: nothing here panics or
//! aborts for lack of memory; the caller learns of it as [`NoMemory`].

use core::fmt::{self, Write};

pub use crate::error::NoMemory;

/// Makes room for `more` elements.
#[inline(always)]
pub(super) fn reserve<T>(values: &mut Vec<T>, more: usize) -> Result<(), NoMemory> {
    if values.capacity() - values.len() < more {
        return grow(values, more);
    }
    Ok(())
}

#[cold]
#[inline(never)]
fn grow<T>(values: &mut Vec<T>, more: usize) -> Result<(), NoMemory> {
    values.try_reserve(more).map_err(|_| NoMemory)
}

/// Appends one element.
#[inline(always)]
pub(super) fn push<T>(values: &mut Vec<T>, value: T) -> Result<(), NoMemory> {
    reserve(values, 1)?;
    values.push(value);
    Ok(())
}

/// Appends a slice.
#[inline(always)]
pub(super) fn append<T: Copy>(values: &mut Vec<T>, more: &[T]) -> Result<(), NoMemory> {
    reserve(values, more.len())?;
    values.extend_from_slice(more);
    Ok(())
}

/// A copy of some bytes.
pub(super) fn copied(bytes: &[u8]) -> Result<Vec<u8>, NoMemory> {
    let mut copy = Vec::new();
    append(&mut copy, bytes)?;
    Ok(copy)
}

struct Fallible<'a>(&'a mut String);

impl Write for Fallible<'_> {
    fn write_str(&mut self, part: &str) -> fmt::Result {
        self.0.try_reserve(part.len()).map_err(|_| fmt::Error)?;
        self.0.push_str(part);
        Ok(())
    }
}

/// Appends formatted text.
pub fn write_text(text: &mut String, arguments: fmt::Arguments<'_>) -> Result<(), NoMemory> {
    Fallible(text).write_fmt(arguments).map_err(|_| NoMemory)
}
