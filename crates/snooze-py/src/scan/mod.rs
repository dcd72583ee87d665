//! Scans: sources of JSON lines into streams of record batches. Safe code, and no Python objects
//! while it reads.
//!
//! Separate from `snooze_core::columns`, which does no input and starts no threads. Called by
//! `module::scan`.
//!
//! | file | contents |
//! |---|---|
//! | `fields` | columns from and to the tuples of `snooze._scan` |
//! | `filtering` | filters from such tuples |
//! | `source` | [`Source`]: a file or the memory of an object, read at an offset |
//! | `file` | files, read at an offset |
//! | `compressed` | files in gzip, in chunks of whole lines |
//! | `pieces` | [`Plan`]: what is read, cut into pieces of equal size |
//! | `reading` | [`PieceReader`]: one piece into one batch |
//! | `error` | [`PieceError`]: why a piece was not read, and the message for it |
//! | `workers` | pieces on several threads, batches in order |
//! | `stream` | [`Scan`]: the stream of batches, and its problems |
//! | `inferring` | a schema from the sources themselves |

mod compressed;
mod error;
mod fields;
mod file;
mod filtering;
mod inferring;
mod pieces;
mod reading;
mod source;
mod stream;
mod workers;

pub(crate) use self::error::{FORKED, PieceError};
pub(crate) use self::fields::{fields_from, text_from, tuple_of};
pub(crate) use self::filtering::filter_from;
pub(crate) use self::inferring::{InferOptions, Inferring, Step};
pub(crate) use self::pieces::{Plan, Range};
pub(crate) use self::source::Source;
pub(crate) use self::stream::{LocatedProblem, Scan, ScanStatus, TrialProgress};
