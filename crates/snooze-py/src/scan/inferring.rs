//! A schema from the sources themselves.
//!
//! Separate from `stream` because it builds no batch. Invariant: what is inferred from whole
//! sources holds every record of them, and does not depend on the number of threads. Called by
//! `module::scan`, in steps, between which signals are handled.

use core::mem::take;

use snooze_core::columns::{Checking, Inference, NoMemory, Windows};

use crate::arrow::Shared;
use crate::scan::compressed::Chunk;
use crate::scan::error::PieceError;
use crate::scan::pieces::{Extent, Piece, Pieces, Plan};
use crate::scan::source::Opened;
use crate::scan::workers::{Work, Workers};

/// What is inferred, and how much of each record is checked.
#[derive(Debug)]
pub(crate) struct InferOptions {
    /// The members of a record that are wanted, if only some are.
    pub(crate) columns: Option<Vec<String>>,
    pub(crate) checking: Checking,
}

impl InferOptions {
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

/// The memory with which one thread infers.
#[derive(Debug, Default)]
struct Observer {
    window: Vec<u8>,
    opened: Opened,
    chunk: Chunk,
}

impl Observer {
    /// Infers from one piece; returns how much of what is wanted that was: the bytes of a range; of
    /// a compressed source nothing before the last chunk, and then `most`, the bytes of text that
    /// were still wanted.
    fn observe(
        &mut self,
        plan: &Plan,
        piece: Piece,
        most: u64,
        inference: &mut Inference,
    ) -> Result<u64, PieceError> {
        let source = &plan.sources[piece.source];
        match (piece.extent, source.as_compressed()) {
            (Extent::Bytes(start, end), _) => {
                let Self { window, opened, .. } = self;
                let mut windows = Windows::new(start, end, take(window));
                loop {
                    let next =
                        windows.next(|at, target| opened.read_at(piece.source, source, at, target));
                    match next? {
                        Some((_, text)) => inference.add(plan.dispatch, text)?,
                        None => break,
                    }
                }
                *window = windows.into_buffer();
                Ok(end - start)
            }
            (Extent::Chunk(number), Some(compressed)) => {
                if compressed.take(number, most.min(plan.piece), &mut self.chunk)? {
                    inference.add(plan.dispatch, self.chunk.text())?;
                }
                if most > plan.piece {
                    return Ok(0);
                }
                compressed.finish();
                Ok(most)
            }
            (Extent::Chunk(_), None) => Ok(0),
        }
    }
}

/// A thread that infers from each piece alone; the results are merged.
#[derive(Debug)]
struct InferWorker {
    options: Shared<InferOptions>,
    observer: Observer,
}

impl Work for InferWorker {
    type Setting = Shared<InferOptions>;
    /// What was inferred, and how many bytes of the source that took.
    type Output = (Inference, u64);

    fn new(_: &Plan, options: &Shared<InferOptions>) -> Result<Self, NoMemory> {
        Ok(Self { options: options.clone(), observer: Observer::default() })
    }

    fn read(&mut self, plan: &Plan, piece: Piece) -> Result<(Inference, u64), PieceError> {
        let mut inference = self.options.inference()?;
        let bytes = self.observer.observe(plan, piece, u64::MAX, &mut inference)?;
        Ok((inference, bytes))
    }
}

/// An inference in progress.
#[derive(Debug)]
pub(crate) struct Inferring {
    plan: Shared<Plan>,
    pub(crate) inference: Inference,
    state: State,
    /// The bytes that were read.
    pub(crate) done: u64,
}

#[derive(Debug)]
enum State {
    /// One thread: the caller's.
    Here(Observer, Pieces),
    Workers(Workers<InferWorker>),
}

/// Where an inference stands after a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    More,
    Finished,
}

impl Inferring {
    /// Begins at the first piece, on so many threads.
    pub(crate) fn new(
        plan: Shared<Plan>,
        options: InferOptions,
        threads: usize,
    ) -> Result<Self, PieceError> {
        let inference = options.inference()?;
        let mut pieces = plan.pieces();
        // Text that is decompressed has one order.
        let threads = if plan.is_read_once() { 1 } else { threads };
        let count = (0..threads).take_while(|_| pieces.next(&plan).is_some()).count();
        let state = if count > 1 {
            State::Workers(Workers::start(&plan, Shared::new(options)?, count)?)
        } else {
            State::Here(Observer::default(), plan.pieces())
        };
        Ok(Self { plan, inference, state, done: 0 })
    }

    /// Infers from one piece; returns its source's index with an error.
    pub(crate) fn step(&mut self) -> Result<Step, (usize, PieceError)> {
        let Self { plan, inference, state, done } = self;
        let (piece, read) = match state {
            State::Here(observer, pieces) => {
                let Some((range, piece)) = pieces.next(plan) else { return Ok(Step::Finished) };
                (piece, observer.observe(plan, piece, plan.ranges[range].end, inference))
            }
            State::Workers(workers) => match workers.next() {
                Ok(None) => return Ok(Step::Finished),
                Ok(Some((_, piece, read))) => {
                    let merged = read.and_then(|(part, bytes)| {
                        inference.merge(part)?;
                        Ok(bytes)
                    });
                    (piece, merged)
                }
                // The child of a fork: its message names no source.
                Err(error) => return Err((0, error)),
            },
        };
        *done += read.map_err(|error| (piece.source, error))?;
        Ok(Step::More)
    }
}
