//! What a scan reads, cut into pieces.
//!
//! Separate because one thread and several read the same pieces: each becomes one batch, so the
//! batches do not depend on the number of threads. Invariant: the pieces of a range, one after the
//! other, are the range.

use snooze_core::arch::Dispatch;
use snooze_core::columns::{Field, Filter, Options};

use crate::scan::source::Source;

/// A range of bytes of a source. That of a source that is compressed is the whole file; while a
/// schema is inferred from a part of it, the end is how many bytes of its text are wanted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Range {
    /// The index of the source.
    pub(crate) source: usize,
    /// The first byte.
    pub(crate) start: u64,
    /// The byte after the last one.
    pub(crate) end: u64,
}

/// What one thread reads at once.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Piece {
    /// The index of the source.
    pub(crate) source: usize,
    pub(crate) extent: Extent,
}

/// Which part of its source a piece is.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Extent {
    /// From one byte up to another.
    Bytes(u64, u64),
    /// Of a compressed source: the chunk of text with this number, from 0.
    Chunk(u64),
}

impl Piece {
    /// Whether it is at the start of its source.
    pub(crate) fn is_first(self) -> bool {
        matches!(self.extent, Extent::Bytes(0, _) | Extent::Chunk(0))
    }
}

/// Everything that a scan needs to know.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) dispatch: Dispatch,
    /// All columns; that for what has no other place is the last one, if the options have it.
    pub(crate) fields: Vec<Field>,
    pub(crate) options: Options,
    /// Which records are read.
    pub(crate) filter: Option<Filter>,
    pub(crate) sources: Vec<Source>,
    pub(crate) ranges: Vec<Range>,
    /// The bytes of a piece, at least 1.
    pub(crate) piece: u64,
    /// The most rows of the whole.
    pub(crate) limit: u64,
    /// Whether a piece without rows is a batch, too, so that the consumer knows how far it is.
    pub(crate) has_empty: bool,
}

impl Plan {
    /// The columns that the records are read into: without that for the rest.
    pub(crate) fn read_fields(&self) -> &[Field] {
        let rest = usize::from(self.options.has_rest).min(self.fields.len());
        &self.fields[..self.fields.len() - rest]
    }

    /// Whether a piece can be read only once.
    pub(crate) fn is_read_once(&self) -> bool {
        self.sources.iter().any(|source| source.as_compressed().is_some())
    }

    /// The pieces, in order.
    pub(crate) fn pieces(&self) -> Pieces {
        Pieces { range: 0, done: 0 }
    }
}

/// The next piece of a plan.
#[derive(Debug)]
pub(crate) struct Pieces {
    range: usize,
    /// The bytes or chunks of the range that were handed out.
    done: u64,
}

impl Pieces {
    /// The next piece, and the index of its range.
    pub(crate) fn next(&mut self, plan: &Plan) -> Option<(usize, Piece)> {
        loop {
            let range = plan.ranges.get(self.range)?;
            if let Some(compressed) = plan.sources[range.source].as_compressed() {
                // How many chunks there are is known at the end only.
                if compressed.is_at_end() {
                    self.range += 1;
                    self.done = 0;
                    continue;
                }
                self.done += 1;
                let extent = Extent::Chunk(self.done - 1);
                return Some((self.range, Piece { source: range.source, extent }));
            }
            let start = range.start.saturating_add(self.done);
            if start >= range.end {
                self.range += 1;
                self.done = 0;
                continue;
            }
            self.done += plan.piece.min(range.end - start);
            let extent = Extent::Bytes(start, range.start + self.done);
            return Some((self.range, Piece { source: range.source, extent }));
        }
    }
}
