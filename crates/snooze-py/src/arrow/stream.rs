//! `ArrowArrayStream` of anything that makes batches.
//!
//! Separate because the functions here are called by consumers: pyarrow, polars, DuckDB.
//! Invariants: after an error or the end, no further batch is made; the text of an error lives
//! until the next call, as the specification demands; a panic cannot cross the boundary, because a
//! panic aborts.

use core::ffi::{c_char, c_int};
use core::ptr::null;

use snooze_core::columns::{Array, Field, NoMemory};

use super::array::export_array;
use super::ffi::{ArrowArray, ArrowArrayStream, ArrowSchema};
use super::schema::export_schema;
use crate::boxed;

/// Why a stream has no next batch.
#[derive(Debug)]
pub(crate) struct StreamError {
    /// An `errno` value.
    pub(crate) code: c_int,
    /// What to tell.
    pub(crate) message: String,
}

impl From<NoMemory> for StreamError {
    fn from(NoMemory: NoMemory) -> Self {
        Self { code: ENOMEM, message: String::new() }
    }
}

/// No memory is left.
pub(crate) const ENOMEM: c_int = 12;
/// The data is wrong.
pub(crate) const EINVAL: c_int = 22;
/// Reading failed.
pub(crate) const EIO: c_int = 5;

/// What makes batches.
pub(crate) trait Batches: Send {
    /// The columns of every batch.
    fn fields(&self) -> &[Field];

    /// The next batch, a struct of the columns; `None` at the end.
    fn next(&mut self) -> Result<Option<Array>, StreamError>;
}

struct Private<B> {
    batches: B,
    error: String,
    /// What every further call returns, once the stream has ended or failed.
    finished: Option<c_int>,
}

/// Exports a stream. The consumer may use it on any thread, one call at a time.
pub(crate) fn export_stream<B: Batches>(batches: B) -> Result<ArrowArrayStream, NoMemory> {
    let private = Private { batches, error: String::new(), finished: None };
    Ok(ArrowArrayStream {
        get_schema: Some(get_schema::<B>),
        get_next: Some(get_next::<B>),
        get_last_error: Some(get_last_error::<B>),
        private_data: boxed::put(private).map_err(|_| NoMemory)?.as_ptr().cast(),
        release: Some(release::<B>),
    })
}

impl<B> Private<B> {
    /// Keeps the text of an error, with a zero at its end, and returns its code.
    fn fail(&mut self, error: StreamError) -> c_int {
        self.finished = Some(error.code);
        self.error = error.message;
        if self.error.try_reserve_exact(1).is_err() {
            self.error = String::new();
        } else if !self.error.is_empty() {
            self.error.push('\0');
        }
        error.code
    }
}

/// The private data of a stream.
///
/// # Safety
/// A stream that `export_stream::<B>` made, live and not released; nothing else uses it during
/// `'a`.
unsafe fn private<'a, B>(stream: *mut ArrowArrayStream) -> &'a mut Private<B> {
    // SAFETY: a `Private<B>` that nothing else uses, because the caller says so.
    unsafe { &mut *(*stream).private_data.cast() }
}

unsafe extern "C" fn get_schema<B: Batches>(
    stream: *mut ArrowArrayStream,
    target: *mut ArrowSchema,
) -> c_int {
    // SAFETY: a live stream of this kind, and a target to write to, because the specification says
    // so; one call at a time, because it says that, too.
    unsafe {
        let private = private::<B>(stream);
        match export_schema(private.batches.fields()) {
            Ok(schema) => {
                target.write(schema);
                0
            }
            Err(NoMemory) => private.fail(NoMemory.into()),
        }
    }
}

unsafe extern "C" fn get_next<B: Batches>(
    stream: *mut ArrowArrayStream,
    target: *mut ArrowArray,
) -> c_int {
    // SAFETY: as in `get_schema`.
    unsafe {
        let private = private::<B>(stream);
        target.write(ArrowArray::released());
        if let Some(code) = private.finished {
            return code;
        }
        let exported = match private.batches.next() {
            Ok(Some(batch)) => export_array(batch),
            Ok(None) => {
                private.finished = Some(0);
                return 0;
            }
            Err(error) => return private.fail(error),
        };
        match exported {
            Ok(array) => {
                target.write(array);
                0
            }
            Err(NoMemory) => private.fail(NoMemory.into()),
        }
    }
}

unsafe extern "C" fn get_last_error<B: Batches>(stream: *mut ArrowArrayStream) -> *const c_char {
    // SAFETY: as in `get_schema`.
    let private = unsafe { private::<B>(stream) };
    if private.error.is_empty() { null() } else { private.error.as_ptr().cast() }
}

unsafe extern "C" fn release<B: Batches>(stream: *mut ArrowArrayStream) {
    // SAFETY: a live stream that `export_stream` made and that was not released, because the
    // specification says so of every call; so its private data is a `Private` that only it owns.
    unsafe {
        (*stream).release = None;
        drop(boxed::take((*stream).private_data.cast::<Private<B>>()));
    }
}
