//! The output formats: compact, indented, and styled.
//!
//! Separate because it is a type parameter of every walk, so no format pays for another.
//! Invariant: every element ends with a comma, and closing a container replaces the last one with
//! the bracket (see `snooze_core::out`).

use snooze_core::out::{Buffer, NoMemory, Out};

use crate::encode::policy::{DumpsPolicy, JsonPolicy, Policy};

/// How elements are separated. Every element ends with a comma (see the module).
pub(crate) trait Format {
    /// Whether a space follows the colon.
    const SPACED: bool;

    /// Which scalars an untyped walk writes.
    type Scalars: Policy;

    /// The policy; `strict`: integers beyond 53 bits are refused.
    fn scalars(strict: bool) -> Self::Scalars;

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

/// The bracket that opens what `bracket` closes: in ASCII it is two before it.
#[inline(always)]
pub(crate) fn opening(bracket: u8) -> u8 {
    bracket - 2
}

/// No white space.
pub(crate) struct Compact;

impl Format for Compact {
    const SPACED: bool = false;
    type Scalars = DumpsPolicy;

    #[inline(always)]
    fn scalars(strict: bool) -> DumpsPolicy {
        DumpsPolicy { strict }
    }

    #[inline(always)]
    fn start_element<B: Buffer>(_: &mut Out<'_, B>, _: usize) -> Result<(), NoMemory> {
        Ok(())
    }

    #[inline(always)]
    fn close<B: Buffer>(out: &mut Out<'_, B>, bracket: u8, _: usize) -> Result<(), NoMemory> {
        out.close(bracket, b',')
    }
}

/// The white space of the output: one element per line, indented, or a space after each separator.
pub(crate) struct Indented;

impl Format for Indented {
    const SPACED: bool = true;
    type Scalars = DumpsPolicy;

    #[inline(always)]
    fn scalars(strict: bool) -> DumpsPolicy {
        DumpsPolicy { strict }
    }

    #[inline(always)]
    fn start_element<B: Buffer>(out: &mut Out<'_, B>, depth: usize) -> Result<(), NoMemory> {
        out.line(depth)
    }

    #[inline(always)]
    fn close<B: Buffer>(out: &mut Out<'_, B>, bracket: u8, depth: usize) -> Result<(), NoMemory> {
        out.drop_last();
        out.line(depth)?;
        out.byte(bracket)?;
        out.byte(b',')
    }
}

/// The separators, indentation and escapes of the output's [`Style`](snooze_core::out::Style), and
/// the scalars of `json.dumps`.
pub(crate) struct Styled;

impl Format for Styled {
    const SPACED: bool = true;
    type Scalars = JsonPolicy;

    #[inline(always)]
    fn scalars(_: bool) -> JsonPolicy {
        JsonPolicy
    }

    #[inline(always)]
    fn after_colon<B: Buffer>(out: &mut Out<'_, B>) -> Result<(), NoMemory> {
        out.styled_colon()
    }

    #[inline(always)]
    fn start_element<B: Buffer>(out: &mut Out<'_, B>, depth: usize) -> Result<(), NoMemory> {
        out.styled_element(depth)
    }

    #[inline(always)]
    fn close<B: Buffer>(out: &mut Out<'_, B>, bracket: u8, depth: usize) -> Result<(), NoMemory> {
        out.styled_close(bracket, depth)
    }
}
