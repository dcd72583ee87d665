//! The two output formats: compact and indented.
//!
//! Separate because it is a type parameter of every walk, so neither format pays for the other.
//! Invariant: every element ends with a comma, and closing a container replaces the last one with
//! the bracket (see `snooze_core::out`).

use snooze_core::out::{Buffer, NoMemory, Out};

/// How elements are separated. Every element ends with a comma (see the module).
pub(crate) trait Format {
    /// Whether a space follows the colon.
    const SPACED: bool;

    /// Writes what follows the colon after a member name.
    #[inline(always)]
    fn after_colon<B: Buffer>(out: &mut Out<'_, B>) -> Result<(), NoMemory> {
        if Self::SPACED { out.byte(b' ') } else { Ok(()) }
    }

    /// Starts an element with `depth` containers open around it.
    fn start_element<B: Buffer>(out: &mut Out<'_, B>, depth: usize) -> Result<(), NoMemory>;

    /// Closes a container with at least one element; `depth` counts the containers around it.
    fn close<B: Buffer>(out: &mut Out<'_, B>, bracket: u8, depth: usize) -> Result<(), NoMemory>;
}

/// No white space.
pub(crate) struct Compact;

impl Format for Compact {
    const SPACED: bool = false;

    #[inline(always)]
    fn start_element<B: Buffer>(_: &mut Out<'_, B>, _: usize) -> Result<(), NoMemory> {
        Ok(())
    }

    #[inline(always)]
    fn close<B: Buffer>(out: &mut Out<'_, B>, bracket: u8, _: usize) -> Result<(), NoMemory> {
        out.close(bracket, b',')
    }
}

/// One element per line, indented by two spaces per level.
pub(crate) struct Indented;

impl Format for Indented {
    const SPACED: bool = true;

    #[inline(always)]
    fn start_element<B: Buffer>(out: &mut Out<'_, B>, depth: usize) -> Result<(), NoMemory> {
        out.new_line(2 * depth)
    }

    #[inline(always)]
    fn close<B: Buffer>(out: &mut Out<'_, B>, bracket: u8, depth: usize) -> Result<(), NoMemory> {
        out.drop_last();
        out.new_line(2 * depth)?;
        out.byte(bracket)?;
        out.byte(b',')
    }
}
