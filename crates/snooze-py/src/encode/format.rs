//! How elements are set apart: without white space, or indented.
//!
//! A type parameter of every walk, so that neither layout pays for the other. Invariant: every element
//! ends with a comma, which closing its container turns into the bracket (see `snooze_core::out`).

use snooze_core::out::{Buffer, NoMemory, Out};

/// How elements are set apart. Every element ends with a comma (see `out`).
pub(crate) trait Format {
    /// Whether members have a space after the colon.
    const SPACED: bool;

    /// Writes what follows the colon behind the name of a member.
    #[inline(always)]
    fn after_colon<B: Buffer>(out: &mut Out<'_, B>) -> Result<(), NoMemory> {
        if Self::SPACED { out.byte(b' ') } else { Ok(()) }
    }

    /// Begins an element of a container at this depth.
    fn start_element<B: Buffer>(out: &mut Out<'_, B>, depth: usize) -> Result<(), NoMemory>;

    /// Ends a container with at least one element, whose own depth this is.
    fn close<B: Buffer>(out: &mut Out<'_, B>, bracket: u8, depth: usize) -> Result<(), NoMemory>;
}

/// Without white space.
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

/// Each element on a line of its own, indented by two spaces a level.
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
