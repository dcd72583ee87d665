//! Why a piece was not read, and what a consumer is told of it.
//!
//! Separate because a stream and the inference of a schema report the same errors. Invariant: one
//! cause has one message, wherever it is found. Called by `reading`, `inferring`, `workers`,
//! `stream` and `module::scan`.

use core::ffi::CStr;

use snooze_core::columns::{NoMemory, Problem, WindowError, write_text};

use crate::arrow::{EINVAL, EIO, ENOMEM, StreamError};
use crate::scan::compressed::ChunkError;
use crate::scan::file::SourceError;

/// The message in a process that goes on with the scan of its parent.
pub(crate) const FORKED: &CStr =
    c"the process was forked during this scan; start the scan again in the child";

/// Why a piece was not read.
#[derive(Clone, Debug)]
pub(crate) enum PieceError {
    /// A record does not fit.
    Record(Problem),
    /// The records that do not fit need more room than they may have.
    TooManyKept,
    /// The line that begins at this byte is too long.
    LongLine(u64),
    /// What is wrong with a compressed file.
    Compressed(&'static str),
    /// The source cannot be read.
    Source(SourceError),
    /// The threads that read are in the parent of this process.
    Forked,
    /// No thread could be started.
    NoThread(SourceError),
    NoMemory,
}

impl From<NoMemory> for PieceError {
    fn from(NoMemory: NoMemory) -> Self {
        Self::NoMemory
    }
}

impl From<WindowError<SourceError>> for PieceError {
    fn from(error: WindowError<SourceError>) -> Self {
        match error {
            WindowError::Source(error) => Self::Source(error),
            WindowError::LongLine(offset) => Self::LongLine(offset),
            WindowError::NoMemory => Self::NoMemory,
        }
    }
}

impl From<ChunkError> for PieceError {
    fn from(error: ChunkError) -> Self {
        match error {
            ChunkError::Source(error) => Self::Source(error),
            ChunkError::Damaged(text) => Self::Compressed(text),
            ChunkError::LongLine(offset) => Self::LongLine(offset),
            ChunkError::NoMemory => Self::NoMemory,
        }
    }
}

impl PieceError {
    /// Whether the cause is a record, which the consumer may not want at all.
    pub(crate) fn is_of_record(&self) -> bool {
        matches!(self, Self::Record(_) | Self::TooManyKept | Self::LongLine(_))
    }

    /// What a consumer is told: the name of the source, and for a wrong record its line if that is
    /// known.
    pub(crate) fn describe(&self, name: &str, line: Option<u64>) -> Result<StreamError, NoMemory> {
        let mut message = String::new();
        let code = match self {
            Self::Record(Problem { expected, found, path, offset, .. }) => {
                write_text(&mut message, format_args!("{name}, "))?;
                if let Some(line) = line {
                    write_text(&mut message, format_args!("line {line}, "))?;
                }
                write_text(&mut message, format_args!("byte {offset}: "))?;
                write_text(&mut message, format_args!("expected {expected}, found {found}"))?;
                if !path.is_empty() {
                    write_text(&mut message, format_args!(" at {path}"))?;
                }
                EINVAL
            }
            Self::TooManyKept => {
                let limit = Problem::MAX_KEPT >> 20;
                write_text(&mut message, format_args!("{name}: the records that do not fit "))?;
                write_text(&mut message, format_args!("need more than {limit} MiB; is this "))?;
                write_text(&mut message, format_args!("JSON Lines? errors=\"skip\" keeps 1000"))?;
                EINVAL
            }
            Self::LongLine(offset) => {
                let limit = "a line of more than 1 GiB begins here; is this JSON Lines?";
                write_text(&mut message, format_args!("{name}, byte {offset}: {limit}"))?;
                EINVAL
            }
            Self::Compressed(text) => {
                write_text(&mut message, format_args!("{name}: {text}"))?;
                EIO
            }
            Self::Source(SourceError(code)) => {
                write_text(&mut message, format_args!("{name}: cannot be read"))?;
                code.unwrap_or(EIO)
            }
            Self::Forked => {
                write_text(&mut message, format_args!("{}", FORKED.to_str().unwrap_or_default()))?;
                EIO
            }
            Self::NoThread(SourceError(code)) => {
                let text = "no thread could be started; use threads=1";
                write_text(&mut message, format_args!("{text}"))?;
                code.unwrap_or(EIO)
            }
            Self::NoMemory => ENOMEM,
        };
        Ok(StreamError { code, message })
    }
}
