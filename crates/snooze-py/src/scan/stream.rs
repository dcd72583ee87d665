//! The stream of batches of a scan, and its problems.
//!
//! Separate from the reading of pieces: this is what consumers see. Invariants: nothing is read,
//! and no thread started, before the first batch is asked for or held; batches come in the order of
//! the text, the held ones first; a line number is stated only if every line before it was read.
//! Called by `module::scan`, and by consumers through `arrow::stream`.

use core::mem::take;
use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use snooze_core::columns::{Array, Field, NoMemory, OnError, Problem};

use crate::arrow::{Batches, Shared, StreamError};
use crate::scan::error::PieceError;
use crate::scan::pieces::{Piece, Pieces, Plan};
use crate::scan::reading::{PieceReader, PieceResult};
use crate::scan::source::Source;
use crate::scan::workers::Workers;

/// The most problems of a scan that are described; the others are only counted.
const MAX_DESCRIBED: usize = 1000;

/// A problem with its place.
#[derive(Clone, Debug)]
pub(crate) struct LocatedProblem {
    /// The name of the source.
    pub(crate) source: usize,
    /// The line from 1, if the lines before it were read.
    pub(crate) line: Option<u64>,
    pub(crate) problem: Problem,
}

/// What was wrong with the records of a scan, and how far it has come.
#[derive(Debug, Default)]
pub(crate) struct ScanStatus {
    pub(crate) described: Vec<LocatedProblem>,
    /// The records that were left out or lost a value.
    pub(crate) wrong: u64,
    /// The problem that ended the scan, if one did.
    pub(crate) last: Option<LocatedProblem>,
    /// The bytes that the descriptions need.
    kept: usize,
    /// The bytes of text that were read, and the rows.
    pub(crate) done: u64,
    pub(crate) rows: u64,
}

/// A scan whose batches are read one after the other.
#[derive(Debug)]
pub(crate) struct Scan {
    plan: Shared<Plan>,
    status: Shared<Mutex<ScanStatus>>,
    threads: usize,
    state: State,
    /// The range that is read, and the lines before the next piece of it, if they are known.
    place: (usize, Option<u64>),
    /// The rows that are still wanted.
    left: u64,
    /// Batches that were read before the stream was asked for any.
    held: VecDeque<Held>,
    /// What was read after the last of them.
    after: u64,
}

/// A batch, and what was read for it.
#[derive(Debug)]
struct Held {
    table: Array,
    bytes: u64,
}

/// What a trial has read so far.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct TrialProgress {
    /// The bytes of the sources, and the memory of the batches.
    pub(crate) done: u64,
    pub(crate) held: u64,
}

#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "one for each stream; a box could abort")]
enum State {
    /// Nothing was asked for yet.
    New,
    /// One thread: the caller's.
    Here(PieceReader, Pieces),
    Workers(Workers<PieceReader>),
    /// Nothing more is read.
    Ended,
}

impl TrialProgress {
    /// The bytes that all batches need, if the rest of the sources is like what was read.
    pub(crate) fn needed(self, total: u64) -> u64 {
        let all = u128::from(self.held) * u128::from(total) / u128::from(self.done.max(1));
        self.held.max(u64::try_from(all).unwrap_or(u64::MAX))
    }
}

impl Scan {
    /// A scan of the plan on so many threads.
    pub(crate) fn new(
        plan: Shared<Plan>,
        status: Shared<Mutex<ScanStatus>>,
        threads: usize,
    ) -> Self {
        let (place, left, held) = ((usize::MAX, None), plan.limit, VecDeque::new());
        Self { plan, status, threads, state: State::New, place, left, held, after: 0 }
    }

    /// Reads one more batch, and holds it until the stream is asked for it; false at the end. Adds
    /// what it has read to `tried`.
    pub(crate) fn hold(&mut self, tried: &mut TrialProgress) -> Result<bool, StreamError> {
        self.held.try_reserve(1).map_err(|_| NoMemory)?;
        let next = self.read()?;
        // What is held counts when the stream hands it out.
        let mut status = self.status();
        let bytes = take(&mut status.done);
        status.rows = 0;
        drop(status);
        tried.done += bytes;
        let Some(table) = next else {
            self.after = bytes;
            return Ok(false);
        };
        tried.held += (size_of::<Held>() + table.memory()) as u64;
        self.held.push_back(Held { table, bytes });
        Ok(true)
    }

    fn start(&mut self) -> Result<(), PieceError> {
        // More threads than pieces have nothing to do.
        let mut pieces = self.plan.pieces();
        // A wrong record after the last wanted row means that a piece is read again, which these
        // sources do not allow; one thread stops in time.
        let stops_early = self.plan.limit < u64::MAX && self.plan.is_read_once();
        let threads = if stops_early { 1 } else { self.threads };
        let count = (0..threads).take_while(|_| pieces.next(&self.plan).is_some()).count();
        self.state = if count > 1 {
            State::Workers(Workers::start(&self.plan, (), count)?)
        } else {
            State::Here(PieceReader::new(&self.plan)?, self.plan.pieces())
        };
        Ok(())
    }

    /// Reads the next piece.
    fn next_piece(&mut self) -> Result<Option<(usize, Piece, PieceResult)>, StreamError> {
        let next = match &mut self.state {
            State::New | State::Ended => None,
            State::Here(reading, pieces) => pieces
                .next(&self.plan)
                .map(|(range, piece)| (range, piece, reading.read(&self.plan, piece, self.left))),
            State::Workers(workers) => match workers.next() {
                Ok(Some((range, piece, result))) if self.reads_too_far(&result) => {
                    let result = PieceReader::new(&self.plan)?.read(&self.plan, piece, self.left);
                    Some((range, piece, result))
                }
                Ok(next) => next,
                Err(error) => return Err(error.describe("", None)?),
            },
        };
        let Some((range, piece, result)) = next else { return Ok(None) };
        if self.place.0 != range {
            self.place = (range, piece.is_first().then_some(0));
        }
        match result {
            Ok(done) => Ok(Some((range, piece, done))),
            Err(error) => Err(self.failure(piece, error)?),
        }
    }

    /// Whether a piece may have a wrong record after the last row that is wanted: a worker does not
    /// know how many rows the pieces before have. What it found there must not count.
    fn reads_too_far(&self, result: &Result<PieceResult, PieceError>) -> bool {
        self.plan.limit < u64::MAX
            && self.left < self.plan.limit
            && match result {
                Ok(done) => done.wrong > 0,
                Err(error) => error.is_of_record(),
            }
    }

    /// What a consumer is told of a failure. A wrong record is kept as the last problem.
    fn failure(&self, piece: Piece, error: PieceError) -> Result<StreamError, NoMemory> {
        let PieceError::Record(problem) = &error else {
            return error.describe(&self.plan.sources[piece.source].name, None);
        };
        let line = self.place.1.map(|before| before + problem.line + 1);
        let told = error.describe(&self.plan.sources[piece.source].name, line)?;
        if let PieceError::Record(problem) = error {
            self.status().last = Some(LocatedProblem { source: piece.source, line, problem });
        }
        Ok(told)
    }

    /// Keeps the problems of a piece, and how far the scan has come.
    fn keep(&self, piece: Piece, done: &mut PieceResult) -> Result<(), PieceError> {
        let mut status = self.status();
        status.done += done.bytes;
        status.rows += done.table.as_ref().map_or(0, |table| table.rows as u64);
        status.wrong += done.wrong;
        let keeps_all = self.plan.options.on_error == OnError::Collect;
        for problem in done.problems.drain(..) {
            if keeps_all {
                status.kept += problem.size();
                if status.kept > Problem::MAX_KEPT {
                    return Err(PieceError::TooManyKept);
                }
            } else if status.described.len() >= MAX_DESCRIBED {
                break;
            }
            let line = self.place.1.map(|before| before + problem.line + 1);
            status.described.try_reserve(1).map_err(|_| NoMemory)?;
            status.described.push(LocatedProblem { source: piece.source, line, problem });
        }
        Ok(())
    }

    fn status(&self) -> MutexGuard<'_, ScanStatus> {
        self.status.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads the next batch. After the last one, or a failure, the scan has ended.
    fn read(&mut self) -> Result<Option<Array>, StreamError> {
        let next = self.read_batch();
        if self.left == 0 || !matches!(next, Ok(Some(_))) {
            self.end();
        }
        next
    }

    /// Releases files and threads, which a consumer does not need that keeps the stream.
    fn end(&mut self) {
        // In the child of a fork a thread that is not there may hold the locks of the files.
        let is_forked = matches!(&self.state, State::Workers(workers) if workers.is_forked());
        self.state = State::Ended;
        if is_forked {
            return;
        }
        for compressed in self.plan.sources.iter().filter_map(Source::as_compressed) {
            compressed.finish();
        }
    }

    fn read_batch(&mut self) -> Result<Option<Array>, StreamError> {
        if self.left == 0 {
            return Ok(None);
        }
        if matches!(self.state, State::New)
            && let Err(error) = self.start()
        {
            return Err(error.describe("", None)?);
        }
        loop {
            let Some((_, piece, mut done)) = self.next_piece()? else { return Ok(None) };
            if let Some(table) = &mut done.table {
                table.truncate(usize::try_from(self.left).unwrap_or(usize::MAX));
                self.left -= table.rows as u64;
            }
            if let Err(error) = self.keep(piece, &mut done) {
                return Err(self.failure(piece, error)?);
            }
            self.place.1 = self.place.1.map(|before| before + done.lines);
            if let Some(table) = done.table {
                return Ok(Some(table));
            }
        }
    }
}

impl Batches for Scan {
    fn fields(&self) -> &[Field] {
        &self.plan.fields
    }

    fn next(&mut self) -> Result<Option<Array>, StreamError> {
        let Some(Held { table, bytes }) = self.held.pop_front() else {
            let next = self.read()?;
            self.status().done += take(&mut self.after);
            return Ok(next);
        };
        let mut status = self.status();
        status.done += bytes;
        status.rows += table.rows as u64;
        drop(status);
        Ok(Some(table))
    }
}
