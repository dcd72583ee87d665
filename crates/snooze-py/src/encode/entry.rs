//! The entry into a walk: selects the dispatch tier, the output format, and whether private layouts
//! may be read.
//!
//! Separate because `dumps` and every `Encoder` share this one task. Invariant: each combination is
//! compiled once, as type parameters, so the walks never test them at run time. Called by
//! `untyped::walk`, `untyped::json_module` and `typed::entry`.

use core::marker::PhantomData;

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
///
/// Vectors of 512 bits gain 2 to 6 % where text is indented (11 to 14 % on canada, Zen 4,
/// 2026-11-30), and their copies take 340 kB.
#[inline(always)]
pub(crate) fn write_document<W: Walk>(
    runtime: &Runtime,
    flags: EncodeFlags,
    walk: W,
) -> Result<usize, Raised> {
    if flags.has(EncodeFlags::INDENT_2) {
        runtime.dispatch.run_medium(WalkTask::<W, Indented>::new(runtime, walk))
    } else {
        runtime.dispatch.run(WalkTask::<W, Compact>::new(runtime, walk))
    }
}

/// Runs a walk with the styled format. Wider vectors than 128 bits gain 1 to 5 % (14 % on canada,
/// Zen 4, 2026-11-30), and their copies take 370 kB.
pub(crate) fn write_styled<W: Walk>(runtime: &Runtime, walk: W) -> Result<usize, Raised> {
    runtime.dispatch.run_narrow(WalkTask::<W, Styled>::new(runtime, walk))
}

struct WalkTask<W, F> {
    walk: W,
    direct: bool,
    format: PhantomData<F>,
}

impl<W, F> WalkTask<W, F> {
    #[inline(always)]
    fn new(runtime: &Runtime, walk: W) -> Self {
        Self { walk, direct: runtime.direct, format: PhantomData }
    }
}

impl<W: Walk, F: Format> Task for WalkTask<W, F> {
    type Output = Result<usize, Raised>;

    #[inline(always)]
    fn with_vectors<V: Vector>(self) -> Self::Output {
        if avoids_layouts::<V>(self.direct) {
            return self.walk.write_document::<V, F, false>();
        }
        self.walk.write_document::<V, F, true>()
    }
}
