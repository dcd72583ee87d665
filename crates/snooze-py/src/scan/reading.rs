//! One piece into one batch.
//!
//! Separate because each thread has its own: columns, window and open file are reused from piece to
//! piece. Invariant: a piece is read without an interpreter.

use snooze_core::columns::{Array, Builder, Failure, NoMemory, Problem, Windows};

use crate::scan::compressed::Chunk;
use crate::scan::error::PieceError;
use crate::scan::pieces::{Extent, Piece, Plan};
use crate::scan::source::Opened;
use crate::scan::workers::Work;

/// The memory of one thread.
#[derive(Debug)]
pub(crate) struct PieceReader {
    builder: Builder,
    window: Vec<u8>,
    opened: Opened,
    chunk: Chunk,
}

/// A piece that was read.
#[derive(Debug)]
pub(crate) struct PieceResult {
    /// Its records; `None` if it has none and none is wanted for that.
    pub(crate) table: Option<Array>,
    /// How many bytes of the source it is.
    pub(crate) bytes: u64,
    /// Its lines.
    pub(crate) lines: u64,
    /// What was wrong with records that were left out or changed, up to a limit.
    pub(crate) problems: Vec<Problem>,
    /// How many such records there were.
    pub(crate) wrong: u64,
}

impl Work for PieceReader {
    type Setting = ();
    type Output = PieceResult;

    fn new(plan: &Plan, (): &()) -> Result<Self, NoMemory> {
        Self::new(plan)
    }

    fn read(&mut self, plan: &Plan, piece: Piece) -> Result<PieceResult, PieceError> {
        self.read(plan, piece, plan.limit)
    }
}

impl PieceReader {
    /// Memory for pieces of this plan.
    pub(crate) fn new(plan: &Plan) -> Result<Self, NoMemory> {
        let builder = Builder::new(plan.read_fields(), plan.options, plan.filter.as_ref())?;
        Ok(Self { builder, window: Vec::new(), opened: Opened::default(), chunk: Chunk::default() })
    }

    /// Reads a piece, up to so many rows.
    pub(crate) fn read(
        &mut self,
        plan: &Plan,
        piece: Piece,
        most: u64,
    ) -> Result<PieceResult, PieceError> {
        let Self { builder, window, opened, chunk } = self;
        let source = &plan.sources[piece.source];
        let (start, end, bytes) = match (piece.extent, source.as_compressed()) {
            (Extent::Bytes(start, end), _) => (start, end, end - start),
            (Extent::Chunk(number), Some(compressed))
                if compressed.take(number, plan.piece, chunk)? =>
            {
                (chunk.offset, chunk.end(), chunk.used)
            }
            // The end of the text.
            (Extent::Chunk(_), _) => {
                return Ok(PieceResult {
                    table: None,
                    bytes: chunk.used,
                    lines: 0,
                    problems: Vec::new(),
                    wrong: 0,
                });
            }
        };
        builder.start(usize::try_from(most).unwrap_or(usize::MAX))?;
        let mut windows = Windows::new(start, end, core::mem::take(window));
        let read = loop {
            if builder.is_full() {
                break Ok(());
            }
            let next = windows.next(|at, target| match piece.extent {
                Extent::Chunk(_) => Ok(chunk.read_at(at, target)),
                Extent::Bytes(..) => opened.read_at(piece.source, source, at, target),
            });
            match next {
                Ok(Some((offset, text))) => match builder.add(plan.dispatch, text, offset) {
                    Ok(()) => {}
                    Err(Failure::Record(problem)) => break Err(PieceError::Record(problem)),
                    Err(Failure::TooManyKept) => break Err(PieceError::TooManyKept),
                    Err(Failure::NoMemory) => break Err(PieceError::NoMemory),
                },
                Ok(None) => break Ok(()),
                Err(error) => break Err(error.into()),
            }
        };
        *window = windows.into_buffer();
        read?;
        let (problems, wrong) = builder.take_problems();
        let lines = builder.lines();
        let is_batch = plan.has_empty || builder.rows() > 0;
        let table = if is_batch { Some(builder.finish()?) } else { None };
        Ok(PieceResult { table, bytes, lines, problems, wrong })
    }
}
