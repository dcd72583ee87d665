//! The functions that `snooze.write_lines` is made of.
//!
//! Separate from `scan`, which goes the other way. Invariants: what capsules have in them is taken
//! out before it is used, so that nobody else uses it; the producer runs, and is released, without
//! the interpreter, because it may wait for threads that need it. Called by CPython.

use core::ffi::CStr;
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

use snooze_core::lines::Options;

use crate::arrow::{
    ArrowArray, ArrowArrayStream, ArrowSchema, ENOMEM, NextError, OpenError, Producer, ShapeError,
};
use crate::description::{self, Row};
use crate::docstrings;
use crate::lines::{LineError, LineWriter};
use crate::module::entry::{Function, definition, exactly};
use crate::module::scan::{failure, pair};
use crate::module::state::State;
use crate::py::capsule::{self, InCapsule};
use crate::py::detached::detached;
use crate::py::message::Message;
use crate::py::{Attached, Obj, Owned, Raised, bytes, error, int, singletons};

/// A writer in a capsule.
struct Kept(Mutex<LineWriter>);

// SAFETY: only this module makes capsules of this name.
unsafe impl InCapsule for Kept {
    const NAME: &'static CStr = c"snooze._snooze.lines";

    /// The producer is released, as in `lines_close`.
    fn is_slow_to_drop(&self) -> bool {
        self.0.try_lock().is_ok_and(|writer| !writer.is_closed())
    }
}

/// `lines_open(stream or schema, array, options, /)`: the capsule of a writer.
fn open(py: &mut Attached, state: &State, arguments: &[Obj<'_>]) -> Result<Owned, Raised> {
    let [source, array, options] = exactly(arguments)?;
    let [omits_nulls, refuses_nan, quotes_decimals] = Row::exact(py, options)?;
    let options = Options {
        omits_nulls: singletons::is_true(omits_nulls),
        refuses_nan: singletons::is_true(refuses_nan),
        quotes_decimals: singletons::is_true(quotes_decimals),
    };
    let opened = match description::optional(array) {
        None => {
            // First, because an error allocates, and the collector may then call finalizers that
            // write lines.
            let stream = capsule::get::<ArrowArrayStream>(source)?;
            let taking = state.taking.lock().unwrap_or_else(PoisonError::into_inner);
            // SAFETY: what a capsule of this name has is valid; locked, so no other thread takes it
            // out here at the same time. It follows the specification.
            let stream = unsafe { (*stream).taken() };
            drop(taking);
            // SAFETY: as above.
            detached(py, || unsafe { Producer::of_stream(stream) })
        }
        Some(array) => {
            let (schema, array) =
                (capsule::get::<ArrowSchema>(source)?, capsule::get::<ArrowArray>(array)?);
            let taking = state.taking.lock().unwrap_or_else(PoisonError::into_inner);
            // SAFETY: as above.
            let (schema, array) = unsafe { ((*schema).taken(), (*array).taken()) };
            drop(taking);
            // SAFETY: as above.
            detached(py, move || unsafe { Producer::of_array(&schema, array) })
        }
    };
    match opened {
        Ok(producer) => {
            let writer = LineWriter::new(producer, state.runtime.dispatch, options);
            capsule::new(py, Kept(Mutex::new(writer)))
        }
        Err(OpenError::Stream(error)) => stream_failure(py, error),
        Err(OpenError::Shape(error)) => Err(shape_failure(error).unwrap_or_else(|raised| raised)),
    }
}

/// `(code, text)` of a producer's failure, or its exception.
fn stream_failure(py: &Attached, error: NextError) -> Result<Owned, Raised> {
    match error {
        NextError::Failed(ENOMEM, _) | NextError::NoMemory => Err(error::no_memory()),
        NextError::Failed(code, text) => failure(py, code, &text),
        NextError::Released => {
            Err(error::value_error(c"the stream has been consumed elsewhere, or was released"))
        }
    }
}

/// The exception for a schema that cannot be written.
fn shape_failure(error: ShapeError) -> Result<Raised, Raised> {
    let mut message = Message::new();
    Ok(match error {
        ShapeError::NoMemory => error::no_memory(),
        ShapeError::NoTable => error::type_error(
            c"expected a table or a stream of record batches (Arrow structs), found an array of another type",
        ),
        ShapeError::Unsupported(path, format) => {
            message.text("the column ")?.text(&path)?;
            message.text(" has the Arrow type ")?.text(&format)?;
            message.text(" (format string), which is not written as JSON; cast it")?;
            message.type_error()
        }
        ShapeError::Damaged(path, what) => {
            message.text("the schema of ")?;
            message.text(if path.is_empty() { "the table" } else { &path })?;
            message.text(" is not as Arrow's specification says: ")?.text(what)?;
            message.value_error()
        }
        ShapeError::Twice(path) => {
            message.text("two columns have the name ")?.text(&path)?;
            message.text("; JSON needs different names")?;
            message.value_error()
        }
    })
}

/// The writer in a capsule, for one thread at a time.
fn locked(writer: Obj<'_>) -> Result<MutexGuard<'_, LineWriter>, Raised> {
    // SAFETY: only this module makes such capsules; the object keeps its value alive.
    let kept = unsafe { &*capsule::get::<Kept>(writer)? };
    match kept.0.try_lock() {
        Ok(guard) => Ok(guard),
        Err(TryLockError::Poisoned(poisoned)) => Ok(poisoned.into_inner()),
        Err(TryLockError::WouldBlock) => {
            Err(error::runtime_error(c"another thread writes these lines"))
        }
    }
}

/// `lines_next(writer, /)`: `(bytes, rows)`, `(code, text)` of a failure, or None at the end.
fn next(py: &mut Attached, _: &State, arguments: &[Obj<'_>]) -> Result<Owned, Raised> {
    let [writer] = exactly(arguments)?;
    let mut writer = locked(writer)?;
    let piece = {
        let writer = &mut *writer;
        detached(py, || writer.next())
    };
    match piece {
        Ok(None) => Ok(singletons::none(py)),
        Ok(Some(piece)) => {
            let text = bytes::new(py, writer.text(piece))?.into_owned();
            pair(py, text, int::new_unsigned(py, piece.rows as u64)?)
        }
        Err(LineError::NoMemory) => Err(error::no_memory()),
        Err(LineError::Producer(error)) => stream_failure(py, error),
        Err(LineError::Value(path, what)) => {
            let mut message = Message::new();
            message.text(if path.is_empty() { "the table" } else { "the column " })?;
            message.text(&path)?.text(" has ")?.text(what)?;
            Err(message.value_error())
        }
    }
}

/// `lines_close(writer, /)`: releases the producer.
fn close(py: &mut Attached, _: &State, arguments: &[Obj<'_>]) -> Result<Owned, Raised> {
    let [writer] = exactly(arguments)?;
    let mut writer = locked(writer)?;
    let writer = &mut *writer;
    detached(py, || writer.close());
    Ok(singletons::none(py))
}

/// The functions.
pub(super) static FUNCTIONS: [Function; 3] = [
    definition!(c"lines_open", open, docstrings::LINES_OPEN),
    definition!(c"lines_next", next, docstrings::LINES_NEXT),
    definition!(c"lines_close", close, docstrings::LINES_CLOSE),
];
