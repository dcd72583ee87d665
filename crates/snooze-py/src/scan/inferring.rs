//! A schema from the sources themselves.
//!
//! Separate from `stream` because it builds no batch. Invariant: what is inferred from whole sources
//! holds every record of them. Called by `module::scan`, in steps, between which signals are
//! handled.

use snooze_core::columns::{Inference, Windows};

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
            done: 0,
        }
    }

    /// Sees one piece; returns its source's index with an error.
    pub(crate) fn step(&mut self, plan: &Plan) -> Result<Step, (usize, PieceError)> {
        let Self { inference, pieces, window, opened, done } = self;
        let Some((_, piece)) = pieces.next(plan) else { return Ok(Step::Finished) };
        let source = &plan.sources[piece.source];
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
