//! Arrow batches into pieces of JSON Lines. Safe code, and no Python objects.
//!
//! Separate from `snooze_core::lines`, which writes the rows that it is given: this decides how
//! many at a time. Invariants: a piece ends with a line; after an error or the end, the producer is
//! released and nothing more comes. Called by `module::lines`, without the interpreter.

use snooze_core::arch::Dispatch;
use snooze_core::columns::{MAX_LINE, NoMemory, write_text};
use snooze_core::lines::{Fault, Limits, Options, write};
use snooze_core::out::VecBuffer;

use crate::arrow::{NextError, Producer, ViewError};

/// The text that one piece should have: it stays in the cache of a processor.
const TARGET: usize = 256 << 10;
/// The rows of the first piece, whose lines may have any length.
const FIRST_ROWS: usize = 64;
/// The most rows of a piece: lines of empty objects are short.
const MAX_ROWS: usize = 1 << 17;

/// Why there is no next piece.
#[derive(Debug)]
pub(crate) enum LineError {
    /// The producer failed.
    Producer(NextError),
    /// The column at this path has a value that cannot be written.
    Value(String, &'static str),
    NoMemory,
}

impl From<NextError> for LineError {
    fn from(error: NextError) -> Self {
        Self::Producer(error)
    }
}

impl From<NoMemory> for LineError {
    fn from(NoMemory: NoMemory) -> Self {
        Self::NoMemory
    }
}

fn value_error(path: &str, what: &'static str) -> LineError {
    let mut copy = String::new();
    match write_text(&mut copy, format_args!("{path}")) {
        Ok(()) => LineError::Value(copy, what),
        Err(NoMemory) => LineError::NoMemory,
    }
}

/// A piece of text: the lines of some rows.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Piece {
    /// Its bytes, for [`LineWriter::text`].
    pub(crate) len: usize,
    /// Its lines.
    pub(crate) rows: usize,
}

/// Writes what a producer makes.
#[derive(Debug)]
pub(crate) struct LineWriter {
    /// `None` after the end.
    producer: Option<Producer>,
    dispatch: Dispatch,
    options: Options,
    buffer: VecBuffer,
    /// The rows of the batch, and how many of them are written.
    rows: usize,
    done: usize,
    /// The rows that the next piece should have.
    wanted: usize,
}

impl LineWriter {
    /// A writer of all batches.
    pub(crate) fn new(producer: Producer, dispatch: Dispatch, options: Options) -> Self {
        let (producer, buffer) = (Some(producer), VecBuffer::new());
        Self { producer, dispatch, options, buffer, rows: 0, done: 0, wanted: FIRST_ROWS }
    }

    /// Whether the producer is released.
    pub(crate) fn is_closed(&self) -> bool {
        self.producer.is_none()
    }

    /// Releases the producer.
    pub(crate) fn close(&mut self) {
        self.producer = None;
    }

    /// The text of the last piece.
    pub(crate) fn text(&self, piece: Piece) -> &[u8] {
        self.buffer.written(piece.len)
    }

    /// Writes the next piece; `None` at the end.
    pub(crate) fn next(&mut self) -> Result<Option<Piece>, LineError> {
        let piece = self.next_piece();
        if !matches!(piece, Ok(Some(_))) {
            self.close();
        }
        piece
    }

    fn next_piece(&mut self) -> Result<Option<Piece>, LineError> {
        let Some(producer) = &mut self.producer else { return Ok(None) };
        if self.done == self.rows {
            let Some(rows) = producer.advance()? else { return Ok(None) };
            self.rows = usize::try_from(rows)
                .map_err(|_| value_error("", "a batch with an impossible number of rows"))?;
            self.done = 0;
            if self.rows == 0 {
                // The caller may be interrupted between batches, also if all are empty.
                return Ok(Some(Piece::default()));
            }
        }
        let rows = self.wanted.min(self.rows - self.done);
        let mut table = match producer.rows(self.done, rows) {
            Ok(table) => table,
            Err(ViewError::Damaged(shape, what)) => return Err(value_error(&shape.path, what)),
            Err(ViewError::NoMemory) => return Err(LineError::NoMemory),
        };
        let limits = Limits { text: 4 * TARGET, line: MAX_LINE };
        let written = write(self.dispatch, &mut table, self.options, limits, &mut self.buffer);
        let (len, rows) = match written {
            Ok(written) => written,
            Err(Fault::Value(shape, what)) => return Err(value_error(&shape.path, what)),
            Err(Fault::NoMemory) => return Err(LineError::NoMemory),
        };
        self.done += rows;
        // Lines are at least as long as `{}`.
        let per_row = len.div_ceil(rows.max(1)).max(1);
        self.wanted = (TARGET / per_row).clamp(1, MAX_ROWS.min(self.wanted.saturating_mul(16)));
        Ok(Some(Piece { len, rows }))
    }
}
