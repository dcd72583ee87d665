//! A schema from the sources themselves.
//!
//! Separate from `stream` because it builds no batch. Invariant: what is inferred from whole sources
//! holds every record of them, and does not depend on the number of threads. Called by
//! `module::scan`, in steps, between which signals are handled.

use core::mem::take;

use snooze_core::columns::{Checking, Inference, NoMemory, Windows};

use crate::arrow::Shared;
use crate::scan::compressed::Chunk;
use crate::scan::error::PieceError;
use crate::scan::ordered::{Work, Workers};
use crate::scan::pieces::{Pieces, Plan, Range};
use crate::scan::source::Opened;

/// How values are looked at.
#[derive(Debug)]
pub(crate) struct Look {
    /// The members of a record that are wanted, if only some are.
    pub(crate) columns: Option<Vec<String>>,
    pub(crate) checking: Checking,
}

impl Look {
    fn inference(&self) -> Result<Inference, NoMemory> {
        let columns = match &self.columns {
            None => None,
            Some(names) => {
                let mut copies = Vec::new();
                copies.try_reserve_exact(names.len()).map_err(|_| NoMemory)?;
                for name in names {
                    let mut copy = String::new();
                    copy.try_reserve_exact(name.len()).map_err(|_| NoMemory)?;
                    copy.push_str(name);
                    copies.push(copy);
                }
                Some(copies)
            }
        };
        Ok(Inference::new(columns, self.checking))
    }
}

/// The memory of one thread.
#[derive(Debug, Default)]
struct Seeing {
    window: Vec<u8>,
    opened: Opened,
    chunk: Chunk,
}

impl Seeing {
    /// Sees one piece.
    fn see(
        &mut self,
        plan: &Plan,
        piece: Range,
        inference: &mut Inference,
    ) -> Result<(), PieceError> {
        let Self { window, opened, .. } = self;
        let source = &plan.sources[piece.source];
        let mut windows = Windows::new(piece.start, piece.end, take(window));
        loop {
            let next = windows.next(|at, target| opened.read_at(piece.source, source, at, target));
            match next? {
                Some((_, text)) => inference.add(plan.dispatch, text)?,
                None => break,
            }
        }
        *window = windows.into_buffer();
        Ok(())
    }

    /// Sees one chunk of a compressed source, of which `size` bytes of text are wanted; returns how
    /// many of them that was.
    fn see_chunk(
        &mut self,
        plan: &Plan,
        piece: Range,
        size: u64,
        inference: &mut Inference,
    ) -> Result<u64, PieceError> {
        let Some(compressed) = plan.sources[piece.source].as_compressed() else { return Ok(0) };
        if compressed.take(piece.start, size.min(plan.piece), &mut self.chunk)? {
            inference.add(plan.dispatch, self.chunk.text())?;
        }
        if size > plan.piece {
            return Ok(0);
        }
        compressed.finish();
        Ok(size)
    }
}

/// A thread that sees pieces, each alone.
#[derive(Debug)]
struct Alone {
    look: Shared<Look>,
    seeing: Seeing,
}

impl Work for Alone {
    type Setting = Shared<Look>;
    type Done = Inference;

    fn new(_: &Plan, look: &Shared<Look>) -> Result<Self, NoMemory> {
        Ok(Self { look: look.clone(), seeing: Seeing::default() })
    }

    fn read(&mut self, plan: &Plan, piece: Range) -> Result<Inference, PieceError> {
        let mut inference = self.look.inference()?;
        self.seeing.see(plan, piece, &mut inference)?;
        Ok(inference)
    }
}

/// An inference in progress.
#[derive(Debug)]
pub(crate) struct Inferring {
    plan: Shared<Plan>,
    pub(crate) inference: Inference,
    state: State,
    /// The bytes that were seen.
    pub(crate) done: u64,
}

#[derive(Debug)]
enum State {
    /// One thread: the caller's.
    Here(Seeing, Pieces),
    Workers(Workers<Alone>),
}

/// Where an inference stands after a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    More,
    Finished,
}

impl Inferring {
    /// Begins at the first piece, on so many threads.
    pub(crate) fn new(plan: Shared<Plan>, look: Look, threads: usize) -> Result<Self, PieceError> {
        let inference = look.inference()?;
        let mut pieces = plan.pieces();
        // Text that is decompressed has one order.
        let threads = if plan.is_read_once() { 1 } else { threads };
        let count = (0..threads).take_while(|_| pieces.next(&plan).is_some()).count();
        let state = if count > 1 {
            State::Workers(Workers::start(&plan, Shared::new(look)?, count)?)
        } else {
            State::Here(Seeing::default(), plan.pieces())
        };
        Ok(Self { plan, inference, state, done: 0 })
    }

    /// Sees one piece; returns its source's index with an error.
    pub(crate) fn step(&mut self) -> Result<Step, (usize, PieceError)> {
        let Self { plan, inference, state, done } = self;
        let (piece, seen) = match state {
            State::Here(seeing, pieces) => {
                let Some((range, piece)) = pieces.next(plan) else { return Ok(Step::Finished) };
                if plan.sources[piece.source].as_compressed().is_some() {
                    let size = plan.ranges[range].end;
                    let seen = seeing.see_chunk(plan, piece, size, inference);
                    *done += seen.map_err(|error| (piece.source, error))?;
                    return Ok(Step::More);
                }
                (piece, seeing.see(plan, piece, inference))
            }
            State::Workers(workers) => match workers.next() {
                Ok(None) => return Ok(Step::Finished),
                Ok(Some((_, piece, seen))) => {
                    let merged = seen.and_then(|seen| Ok(inference.merge(seen)?));
                    (piece, merged)
                }
                // The child of a fork: its message names no source.
                Err(error) => return Err((0, error)),
            },
        };
        seen.map_err(|error| (piece.source, error))?;
        *done += piece.end - piece.start;
        Ok(Step::More)
    }
}
