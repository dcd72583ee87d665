//! A schema from the sources themselves.
//!
//! Separate from `stream` because it builds no batch. Invariant: what is inferred from whole sources
//! holds every record of them. Called by `module::scan`, in steps, between which signals are
//! handled.

use snooze_core::columns::{Inference, Windows};

use crate::scan::compressed::Chunk;
use crate::scan::pieces::{Pieces, Plan};
use crate::scan::reading::PieceError;
use crate::scan::source::Opened;

/// An inference in progress.
#[derive(Debug)]
pub(crate) struct Inferring {
    pub(crate) inference: Inference,
    pieces: Pieces,
    window: Vec<u8>,
    opened: Opened,
    chunk: Chunk,
    /// The bytes that were seen.
    pub(crate) done: u64,
}

/// Where an inference stands after a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    More,
    Finished,
}

impl Inferring {
    /// Begins at the first piece.
    pub(crate) fn new(plan: &Plan, columns: Option<Vec<String>>, careful: bool) -> Self {
        Self {
            inference: Inference::new(columns, careful),
            pieces: plan.pieces(),
            window: Vec::new(),
            opened: Opened::default(),
            chunk: Chunk::default(),
            done: 0,
        }
    }

    /// Sees one piece; returns its source's index with an error.
    pub(crate) fn step(&mut self, plan: &Plan) -> Result<Step, (usize, PieceError)> {
        let Self { inference, pieces, window, opened, chunk, done } = self;
        let Some((range, piece)) = pieces.next(plan) else { return Ok(Step::Finished) };
        let source = &plan.sources[piece.source];
        if let Some(compressed) = source.as_compressed() {
            let failed = |error: PieceError| (piece.source, error);
            // So much of its text is wanted.
            let size = plan.ranges[range].end;
            let taken = compressed.take(piece.start, size.min(plan.piece), chunk);
            if taken.map_err(|error| failed(error.into()))? {
                let added = inference.add(plan.dispatch, chunk.text());
                added.map_err(|error| failed(error.into()))?;
            }
            if size <= plan.piece {
                compressed.finish();
                *done += size;
            }
            return Ok(Step::More);
        }
        let mut windows = Windows::new(piece.start, piece.end, core::mem::take(window));
        loop {
            let next = windows.next(|at, target| opened.read_at(piece.source, source, at, target));
            match next {
                Ok(Some((_, text))) => inference
                    .add(plan.dispatch, text)
                    .map_err(|error| (piece.source, error.into()))?,
                Ok(None) => break,
                Err(error) => return Err((piece.source, error.into())),
            }
        }
        *window = windows.into_buffer();
        *done += piece.end - piece.start;
        Ok(Step::More)
    }
}
