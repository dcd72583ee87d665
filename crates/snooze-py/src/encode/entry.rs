//! The entry into a walk: selects the dispatch tier, the output format, and whether private layouts
//! may be read.
//!
//! Separate because `dumps` and every `Encoder` share this one task. Invariant: each combination is
//! compiled once, as type parameters, so the walks never test them at run time. Called by
//! `untyped::walk`, `untyped::json_module` and `typed::entry`.

use snooze_core::arch::{Task, Vector};

use crate::encode::format::{Compact, Format, Indented, Styled};
use crate::options::EncodeFlags;
use crate::py::Raised;
use crate::runtime::{Runtime, avoids_layouts};

/// A walk that writes one document.
pub(crate) trait Walk: Sized {
    /// Writes the document and returns the number of bytes written. `DIRECT`: CPython's private
    /// layouts may be read.
    fn write_document<V: Vector, F: Format, const DIRECT: bool>(self) -> Result<usize, Raised>;
}

/// Runs a walk in the processor's dispatch tier and returns the number of bytes written.
#[inline(always)]
pub(crate) fn write_document<W: Walk>(
    runtime: &Runtime,
    flags: EncodeFlags,
    walk: W,
) -> Result<usize, Raised> {
    let indents = flags.has(EncodeFlags::INDENT_2);
    runtime.dispatch.run(WalkTask { walk, indents, direct: runtime.direct })
}

/// Runs a walk in the processor's dispatch tier, with the styled format.
pub(crate) fn write_styled<W: Walk>(runtime: &Runtime, walk: W) -> Result<usize, Raised> {
    runtime.dispatch.run(StyledTask { walk, direct: runtime.direct })
}

struct StyledTask<W> {
    walk: W,
    direct: bool,
}

impl<W: Walk> Task for StyledTask<W> {
    type Output = Result<usize, Raised>;

    #[inline(always)]
    fn with_vectors<V: Vector>(self) -> Self::Output {
        if avoids_layouts::<V>(self.direct) {
            return self.walk.write_document::<V, Styled, false>();
        }
        self.walk.write_document::<V, Styled, true>()
    }
}

struct WalkTask<W> {
    walk: W,
    indents: bool,
    direct: bool,
}

impl<W: Walk> Task for WalkTask<W> {
    type Output = Result<usize, Raised>;

    #[inline(always)]
    fn with_vectors<V: Vector>(self) -> Self::Output {
        if avoids_layouts::<V>(self.direct) {
            return match self.indents {
                false => self.walk.write_document::<V, Compact, false>(),
                true => self.walk.write_document::<V, Indented, false>(),
            };
        }
        match self.indents {
            false => self.walk.write_document::<V, Compact, true>(),
            true => self.walk.write_document::<V, Indented, true>(),
        }
    }
}
