//! [`Producer`]: the batches of a foreign producer's stream, or one array.
//!
//! Separate so that the code that writes them needs no `unsafe`. Invariants: each struct that was
//! taken is released once, when it is replaced or dropped; no view outlives its batch, because it
//! borrows the producer. Called by `lines`.

use core::ptr::null_mut;

use snooze_core::columns::NoMemory;
use snooze_core::lines::{Column, Shape};

use super::ffi::{ArrowArray, ArrowArrayStream, ArrowSchema};
use super::import::{NextError, failure, next_batch};
use super::shape::{ShapeError, table_of};
use super::view::{Rows, ViewError, rows_of};

/// Why there is no producer.
#[derive(Debug)]
pub(crate) enum OpenError {
    /// The stream has no schema, or cannot be used.
    Stream(NextError),
    /// Its schema is none of a table that can be written.
    Shape(ShapeError),
}

impl From<NextError> for OpenError {
    fn from(error: NextError) -> Self {
        Self::Stream(error)
    }
}

impl From<ShapeError> for OpenError {
    fn from(error: ShapeError) -> Self {
        Self::Shape(error)
    }
}

impl From<NoMemory> for OpenError {
    fn from(NoMemory: NoMemory) -> Self {
        Self::Stream(NextError::NoMemory)
    }
}

/// What makes batches.
#[derive(Debug)]
pub(crate) struct Producer {
    shape: Shape,
    /// The batch that is looked at. Dropped before the stream.
    batch: Option<ArrowArray>,
    /// The batch of a producer that has only one.
    only: Option<ArrowArray>,
    stream: Option<ArrowArrayStream>,
}

impl ArrowArrayStream {
    /// Whether there is nothing in the struct, because it was moved out or released.
    pub(crate) fn is_released(&self) -> bool {
        self.release.is_none()
    }

    /// Takes the stream out, and leaves a released one.
    pub(crate) fn taken(&mut self) -> Self {
        let released = Self {
            get_schema: None,
            get_next: None,
            get_last_error: None,
            release: None,
            private_data: null_mut(),
        };
        core::mem::replace(self, released)
    }
}

impl ArrowSchema {
    /// Takes the schema out, and leaves a released one.
    pub(crate) fn taken(&mut self) -> Self {
        core::mem::replace(self, Self::released())
    }

    /// A struct that owns nothing.
    fn released() -> Self {
        Self {
            format: core::ptr::null(),
            name: core::ptr::null(),
            metadata: core::ptr::null(),
            flags: 0,
            n_children: 0,
            children: null_mut(),
            dictionary: null_mut(),
            release: None,
            private_data: null_mut(),
        }
    }
}

impl ArrowArray {
    /// Takes the array out, and leaves a released one.
    pub(crate) fn taken(&mut self) -> Self {
        core::mem::replace(self, Self::released())
    }
}

impl Producer {
    /// The batches of a stream.
    ///
    /// # Safety
    /// The struct follows the specification, and so does all that its functions return.
    pub(crate) unsafe fn of_stream(mut stream: ArrowArrayStream) -> Result<Self, OpenError> {
        let mut schema = ArrowSchema::released();
        let (Some(get_schema), Some(_), Some(_)) =
            (stream.get_schema, stream.get_next, stream.release)
        else {
            return Err(NextError::Released.into());
        };
        // SAFETY: a live stream whose functions follow the specification, because the caller says
        // so; an error leaves the target as it is.
        let shape = unsafe {
            let code = get_schema(&raw mut stream, &raw mut schema);
            if code != 0 {
                return Err(failure(&raw mut stream, code)?.into());
            }
            table_of(&schema)?
        };
        Ok(Self { shape, batch: None, only: None, stream: Some(stream) })
    }

    /// One array.
    ///
    /// # Safety
    /// The structs follow the specification, and belong together.
    pub(crate) unsafe fn of_array(
        schema: &ArrowSchema,
        array: ArrowArray,
    ) -> Result<Self, OpenError> {
        if array.release.is_none() {
            return Err(NextError::Released.into());
        }
        // SAFETY: the caller says what the schema is.
        let shape = unsafe { table_of(schema)? };
        Ok(Self { shape, batch: None, only: Some(array), stream: None })
    }

    /// Goes on to the next batch; returns its rows, or `None` at the end.
    pub(crate) fn advance(&mut self) -> Result<Option<i64>, NextError> {
        self.batch = None;
        let batch = match &mut self.stream {
            // SAFETY: the stream follows the specification, because `of_stream` says so of it; no
            // other call runs, because it is borrowed mutably.
            Some(stream) => unsafe { next_batch(stream)? },
            None => self.only.take(),
        };
        match batch {
            Some(batch) => Ok(Some(self.batch.insert(batch).length)),
            None => {
                self.stream = None;
                Ok(None)
            }
        }
    }

    /// Some rows of the batch, from `start` on.
    pub(crate) fn rows(&self, start: usize, count: usize) -> Result<Column<'_>, ViewError<'_>> {
        let Some(batch) = &self.batch else {
            return Err(ViewError::Damaged(&self.shape, "no batch"));
        };
        // SAFETY: the array follows the specification and belongs to the shape, because the
        // constructors say so; the column borrows this, which keeps the array.
        unsafe { rows_of(batch, &self.shape, Rows { start, count, are_compact: true }) }
    }
}
