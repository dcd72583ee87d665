//! The functions that `snooze._scan` is made of: schemas, streams, inference.
//!
//! Separate from `functions`, which has what `import snooze` needs. Invariants: each call first
//! releases the memory of objects that dropped scans have left behind; reading runs without the
//! interpreter. Called by CPython.

use core::ffi::{CStr, c_int};
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::Duration;
use std::{process, thread};

use snooze_core::columns::{Checking, Drifting, OnError, Options};

use crate::arrow::{
    ArrowArray, ArrowArrayStream, ArrowSchema, ENOMEM, Imported, NextError, Shared, StreamError,
    export_schema, export_stream, next_batch,
};
use crate::description::{self, Row};
use crate::docstrings;
use crate::module::entry::{Function, definition, exactly};
use crate::module::state::State;
use crate::py::bytes::contents;
use crate::py::call;
use crate::py::capsule::{self, InCapsule};
use crate::py::compat::PausedCollector;
use crate::py::detached::{check_signals, detached};
use crate::py::held::Held;
use crate::py::message::Message;
use crate::py::{Attached, Obj, Owned, Raised, error, int, singletons, tuple, unicode};
use crate::scan::{
    FORKED, InferOptions, Inferring, LocatedProblem, PieceError, Plan, Range, Scan, ScanStatus,
    Source, Step, TrialProgress, fields_from, filter_from, text_from, tuple_of,
};

// SAFETY: the specification of Arrow's PyCapsule interface says what capsules of this name have.
unsafe impl InCapsule for ArrowSchema {
    const NAME: &'static CStr = c"arrow_schema";
}

// SAFETY: as for `ArrowSchema`.
unsafe impl InCapsule for ArrowArray {
    const NAME: &'static CStr = c"arrow_array";
}

// SAFETY: as for `ArrowSchema`.
unsafe impl InCapsule for ArrowArrayStream {
    const NAME: &'static CStr = c"arrow_array_stream";

    /// A scan joins its threads, which may be reading.
    fn is_slow_to_drop(&self) -> bool {
        !self.is_released()
    }
}

/// The status of a scan, which outlives its stream, and the process that reads it.
struct StatusCapsule(Shared<Mutex<ScanStatus>>, u32);

/// How often a thread yields before it sleeps, for the status of a scan.
const YIELDS: u32 = 10;
/// How often a forked process tries to get it, at 1 ms each.
const TRIES_OF_A_FORK: u32 = 1000;

impl StatusCapsule {
    /// The status, for one thread at a time. Raises in a forked process if it stays locked: the
    /// thread that had it may be in its parent only.
    fn locked(&self, py: &mut Attached) -> Result<MutexGuard<'_, ScanStatus>, Raised> {
        for tries in 0_u32.. {
            match self.0.try_lock() {
                Ok(status) => return Ok(status),
                Err(TryLockError::Poisoned(poisoned)) => return Ok(poisoned.into_inner()),
                Err(TryLockError::WouldBlock)
                    if tries > TRIES_OF_A_FORK && process::id() != self.1 =>
                {
                    break;
                }
                // A reader has them for some instructions.
                Err(TryLockError::WouldBlock) if tries < YIELDS => detached(py, thread::yield_now),
                Err(TryLockError::WouldBlock) => {
                    detached(py, || thread::sleep(Duration::from_millis(1)));
                }
            }
        }
        Err(error::runtime_error(FORKED))
    }
}

// SAFETY: only this module makes capsules of this name.
unsafe impl InCapsule for StatusCapsule {
    const NAME: &'static CStr = c"snooze._snooze.scan_status";
}

fn no_memory<E>(_: E) -> Raised {
    error::no_memory()
}

/// `scan_schema(fields, /)`.
fn schema(py: &mut Attached, _: &State, arguments: &[Obj<'_>]) -> Result<Owned, Raised> {
    let [fields] = exactly(arguments)?;
    let fields = fields_from(py, fields)?;
    capsule::new(py, export_schema(&fields).map_err(no_memory)?)
}

/// `scan_fields(capsule, /)`.
fn fields(py: &mut Attached, state: &State, arguments: &[Obj<'_>]) -> Result<Owned, Raised> {
    let [capsule] = exactly(arguments)?;
    let schema = capsule::get::<ArrowSchema>(capsule)?;
    // Without a GIL another thread could take the schema out of the capsule.
    let taking = state.taking.lock().unwrap_or_else(PoisonError::into_inner);
    // SAFETY: what a capsule of this name has follows the specification. Locked, as everything here
    // that takes a struct out of a capsule, so no other thread takes the schema out.
    let imported = unsafe { (*schema).table_fields() };
    drop(taking);
    match imported {
        Imported::Fields(fields) => tuple_of(py, &fields),
        Imported::NoMemory => Err(error::no_memory()),
        Imported::NoTable => {
            Err(error::type_error(c"schema: expected the schema of a table (a struct)"))
        }
        Imported::Unsupported(path, format) => {
            let mut message = Message::new();
            message.text("schema: the column ")?.text(&path)?;
            message.text(" has the Arrow type ")?.text(&format)?;
            message.text(" (format string), which JSON is not read into")?;
            Err(message.type_error())
        }
    }
}

/// The sources that a tuple of `(name, kind, value)` describes.
fn sources_from(py: &mut Attached, state: &State, object: Obj<'_>) -> Result<Vec<Source>, Raised> {
    let count = Row::new(py, object)?.len();
    let mut sources = Vec::new();
    sources.try_reserve_exact(count).map_err(no_memory)?;
    for index in 0..count {
        let [name, kind, value] = Row::exact(py, Row::new(py, object)?.get(index)?)?;
        let (name, value) = (text_from(py, name)?, value.to_owned());
        sources.push(match description::name(kind)? {
            b"file" => Source::file(name, path_from(value.get())?),
            b"gzip" => Source::compressed(name, path_from(value.get())?),
            b"memory" => Source::memory(name, Held::new(py, value.get(), &state.releases)?, 0),
            b"part" => {
                let [base, buffer] = Row::exact(py, value.get())?;
                let (base, buffer) = (description::size_64(base)?, buffer.to_owned());
                Source::memory(name, Held::new(py, buffer.get(), &state.releases)?, base)
            }
            _ => return Err(description::unexpected(c"a kind of source", kind)),
        });
    }
    Ok(sources)
}

/// The path that a `bytes` in the encoding of the file system is.
fn path_from(object: Obj<'_>) -> Result<PathBuf, Raised> {
    let bytes = crate::py::bytes::Bytes::exact(object)
        .ok_or_else(|| error::type_error(c"expected a path as bytes"))?;
    let mut copy = Vec::new();
    copy.try_reserve_exact(contents(bytes).len()).map_err(no_memory)?;
    copy.extend_from_slice(contents(bytes));
    #[cfg(unix)]
    let path = std::os::unix::ffi::OsStringExt::from_vec(copy);
    // The encoding of the file system is UTF-8 there.
    #[cfg(windows)]
    let path = OsString::from(String::from_utf8(copy).unwrap_or_default());
    let path: OsString = path;
    Ok(path.into())
}

/// The ranges that a tuple of `(source, start, end)` describes, of so many sources.
fn ranges_from(py: &Attached, object: Obj<'_>, sources: usize) -> Result<Vec<Range>, Raised> {
    let row = Row::new(py, object)?;
    let mut ranges = Vec::new();
    ranges.try_reserve_exact(row.len()).map_err(no_memory)?;
    for item in row.items() {
        let [source, start, end] = Row::exact(py, item)?;
        let source = description::size(source)?;
        let [start, end] = [description::size_64(start)?, description::size_64(end)?];
        if source >= sources || start > end {
            return Err(error::system_error(c"a range of no source"));
        }
        ranges.push(Range { source, start, end });
    }
    Ok(ranges)
}

/// `scan_open(fields, sources, ranges, chosen, options, trial, /)`: the capsules of a stream and of
/// its problems, or None if a trial fails.
fn open(py: &mut Attached, state: &State, arguments: &[Obj<'_>]) -> Result<Owned, Raised> {
    let [fields, sources, ranges, filter, options, trial] = exactly(arguments)?;
    let fields = fields_from(py, fields)?;
    let sources = sources_from(py, state, sources)?;
    let ranges = ranges_from(py, ranges, sources.len())?;
    let filter = match description::optional(filter) {
        Some(filter) => Some(filter_from(py, filter)?),
        None => None,
    };
    let [on_error, checks_all, refuses_others, selects, has_rest, piece, threads, limit, has_empty] =
        Row::exact(py, options)?;
    let options = Options {
        on_error: match description::name(on_error)? {
            b"raise" => OnError::Raise,
            b"skip" => OnError::Skip,
            b"null" => OnError::Null,
            b"collect" => OnError::Collect,
            _ => return Err(description::unexpected(c"what to do with errors", on_error)),
        },
        checks_all: description::boolean(checks_all)?,
        refuses_others: description::boolean(refuses_others)?,
        selects: description::boolean(selects)?,
        has_rest: description::boolean(has_rest)?,
    };
    let piece = description::size_64(piece)?.max(1);
    let threads = description::size(threads)?;
    let dispatch = state.runtime.dispatch;
    let limit = match description::optional(limit) {
        Some(limit) => description::size_64(limit)?,
        None => u64::MAX,
    };
    let has_empty = description::boolean(has_empty)?;
    let plan = Plan { dispatch, fields, options, filter, sources, ranges, piece, limit, has_empty };
    let plan = Shared::new(plan).map_err(no_memory)?;
    let status = Shared::new(Mutex::new(ScanStatus::default())).map_err(no_memory)?;
    let mut scan = Scan::new(plan.clone(), status.clone(), threads);
    if let Some(trial) = description::optional(trial)
        && !holds_all(py, &plan, &mut scan, trial)?
    {
        return Ok(singletons::none(py));
    }
    let stream = capsule::new(py, export_stream(scan).map_err(no_memory)?)?;
    pair(py, stream, capsule::new(py, StatusCapsule(status, process::id()))?)
}

/// Reads all batches before the stream is handed out; false if a record does not fit, if reading
/// fails, or if the batches would need more room than a trial has: `(room, progress)`.
fn holds_all(
    py: &mut Attached,
    plan: &Plan,
    scan: &mut Scan,
    trial: Obj<'_>,
) -> Result<bool, Raised> {
    let [room, progress] = Row::exact(py, trial)?;
    let room = description::size_64(room)?;
    let progress = description::optional(progress).map(|progress| progress.to_owned());
    let lengths = plan.ranges.iter().map(|range| range.end.saturating_sub(range.start));
    let total = lengths.fold(0, u64::saturating_add);
    let mut tried = TrialProgress::default();
    loop {
        match detached(py, || scan.hold(&mut tried)) {
            Ok(true) => {}
            Ok(false) => return Ok(true),
            // What is wrong, if anything is, is found again by who reads next.
            Err(_) => return Ok(false),
        }
        check_signals(py)?;
        if tried.needed(total) > room {
            return Ok(false);
        }
        if let Some(progress) = &progress {
            let done = int::new_unsigned(py, tried.done)?;
            call::call_one(py, progress, &done)?;
        }
    }
}

pub(super) fn pair(py: &Attached, first: Owned, second: Owned) -> Result<Owned, Raised> {
    let mut items = Vec::new();
    items.try_reserve_exact(2).map_err(no_memory)?;
    items.extend([first, second]);
    tuple::new(py, &mut items, 0)
}

/// `scan_next(stream, /)`: `(capsule, rows)`, `(code, text)` of a failure, or None at the end.
fn next(py: &mut Attached, state: &State, arguments: &[Obj<'_>]) -> Result<Owned, Raised> {
    let [capsule] = exactly(arguments)?;
    let place = capsule::get::<ArrowArrayStream>(capsule)?;
    let taking = || state.taking.lock().unwrap_or_else(PoisonError::into_inner);
    let mut stream = {
        let _taking = taking();
        // SAFETY: what a capsule of this name has follows the specification; the argument keeps the
        // capsule alive. Locked, so no other thread takes the stream out at the same time.
        unsafe { (*place).taken() }
    };
    // SAFETY: a live stream, whose functions follow the specification, as above; nobody else has it,
    // because during the call it is not in the capsule.
    let next = detached(py, || unsafe { next_batch(&raw mut stream) });
    // Another thread may have found a released stream, which must not replace the real one.
    if !stream.is_released() {
        let _taking = taking();
        // SAFETY: as above. What is there is a stream that was released: `taken` left it, so nothing
        // is lost.
        unsafe { *place = stream };
    }
    match next {
        Ok(None) => Ok(singletons::none(py)),
        Ok(Some(array)) => {
            let rows = int::new(py, array.rows())?;
            pair(py, capsule::new(py, array)?, rows)
        }
        Err(NextError::Failed(ENOMEM, _) | NextError::NoMemory) => Err(error::no_memory()),
        Err(NextError::Failed(code, text)) => failure(py, code, &text),
        Err(NextError::Released) => {
            Err(error::value_error(c"the stream has been consumed elsewhere"))
        }
    }
}

pub(super) fn failure(py: &Attached, code: c_int, text: &str) -> Result<Owned, Raised> {
    pair(py, int::new(py, code.into())?, unicode::decode_utf8(text.as_bytes())?)
}

/// The status in a capsule.
fn status_of(capsule: Obj<'_>) -> Result<&StatusCapsule, Raised> {
    // SAFETY: only this module makes such capsules; the object keeps its value alive.
    Ok(unsafe { &*capsule::get::<StatusCapsule>(capsule)? })
}

/// `scan_problems(capsule, /)`: `(count, described, last)`.
fn problems(py: &mut Attached, _: &State, arguments: &[Obj<'_>]) -> Result<Owned, Raised> {
    let [capsule] = exactly(arguments)?;
    let kept = status_of(capsule)?;
    // No collection may run a finaliser that asks for the problems, too, while they are locked.
    let status = kept.locked(py)?;
    let _paused = PausedCollector::new();
    let mut rows = Vec::new();
    rows.try_reserve_exact(status.described.len()).map_err(no_memory)?;
    for found in &status.described {
        rows.push(found_row(py, found)?);
    }
    let mut items = Vec::new();
    items.try_reserve_exact(3).map_err(no_memory)?;
    items.push(int::new_unsigned(py, status.wrong)?);
    items.push(tuple::new(py, &mut rows, 0)?);
    items.push(match &status.last {
        Some(found) => found_row(py, found)?,
        None => singletons::none(py),
    });
    tuple::new(py, &mut items, 0)
}

/// `scan_progress(capsule, /)`: `(bytes, rows)`.
fn progress(py: &mut Attached, _: &State, arguments: &[Obj<'_>]) -> Result<Owned, Raised> {
    let [capsule] = exactly(arguments)?;
    let kept = status_of(capsule)?;
    let (done, rows) = {
        let status = kept.locked(py)?;
        (status.done, status.rows)
    };
    pair(py, int::new_unsigned(py, done)?, int::new_unsigned(py, rows)?)
}

/// `(source, line, offset, path, expected, found, text)`.
fn found_row(py: &Attached, found: &LocatedProblem) -> Result<Owned, Raised> {
    let LocatedProblem { source, line, problem } = found;
    let mut items = Vec::new();
    items.try_reserve_exact(7).map_err(no_memory)?;
    items.push(int::new_unsigned(py, *source as u64)?);
    items.push(match line {
        Some(line) => int::new_unsigned(py, *line)?,
        None => singletons::none(py),
    });
    items.push(int::new_unsigned(py, problem.offset)?);
    for text in [&problem.path, &problem.expected, &problem.found] {
        items.push(unicode::decode_utf8(text.as_bytes())?);
    }
    items.push(match &problem.text {
        Some(text) => crate::py::bytes::new(py, text)?.into_owned(),
        None => singletons::none(py),
    });
    tuple::new(py, &mut items, 0)
}

/// The bytes that are seen between two looks at the signals.
const STEP: u64 = 16 << 20;

/// `scan_infer(sources, ranges, columns, checking, is_text, threads, progress, /)`: `(fields,
/// saw_wrong_record)`, or `(code, text)`.
fn infer(py: &mut Attached, state: &State, arguments: &[Obj<'_>]) -> Result<Owned, Raised> {
    let [sources, ranges, columns, checking, is_text, threads, progress] = exactly(arguments)?;
    let progress = description::optional(progress).map(|progress| progress.to_owned());
    let sources = sources_from(py, state, sources)?;
    let ranges = ranges_from(py, ranges, sources.len())?;
    let wanted = match description::optional(columns) {
        None => None,
        Some(columns) => {
            let row = Row::new(py, columns)?;
            let mut names = Vec::new();
            names.try_reserve_exact(row.len()).map_err(no_memory)?;
            for name in row.items() {
                names.push(text_from(py, name)?);
            }
            Some(names)
        }
    };
    let options = Options {
        on_error: OnError::Raise,
        checks_all: true,
        refuses_others: false,
        selects: false,
        has_rest: false,
    };
    let dispatch = state.runtime.dispatch;
    let plan = Plan {
        dispatch,
        fields: Vec::new(),
        options,
        filter: None,
        sources,
        ranges,
        piece: STEP,
        limit: u64::MAX,
        has_empty: false,
    };
    let plan = Shared::new(plan).map_err(no_memory)?;
    let checking = match description::name(checking)? {
        b"unchecked" => Checking::Unchecked,
        b"while reading" => Checking::WhileReading,
        b"before reading" => Checking::BeforeReading,
        _ => return Err(description::unexpected(c"when records are checked", checking)),
    };
    let infer_options = InferOptions { columns: wanted, checking };
    let threads = description::size(threads)?;
    let mut inferring = match Inferring::new(plan.clone(), infer_options, threads) {
        Ok(inferring) => inferring,
        Err(error) => return inference_failure(py, &plan, 0, &error),
    };
    loop {
        match detached(py, || inferring.step()) {
            Ok(Step::More) => {
                check_signals(py)?;
                if let Some(progress) = &progress {
                    let done = int::new_unsigned(py, inferring.done)?;
                    call::call_one(py, progress, &done)?;
                }
            }
            Ok(Step::Finished) => break,
            Err((source, error)) => return inference_failure(py, &plan, source, &error),
        }
    }
    let drifting = if description::boolean(is_text)? { Drifting::Text } else { Drifting::Widened };
    let fields = inferring.inference.fields(drifting).map_err(no_memory)?;
    let saw_wrong_record = singletons::boolean(py, inferring.inference.saw_wrong_record());
    pair(py, tuple_of(py, &fields)?, saw_wrong_record)
}

/// `(code, text)` of an error while the source of that index was read.
fn inference_failure(
    py: &Attached,
    plan: &Plan,
    source: usize,
    error: &PieceError,
) -> Result<Owned, Raised> {
    let name = plan.sources.get(source).map_or("", |source| &source.name);
    match error.describe(name, None).map_err(no_memory)? {
        StreamError { code: ENOMEM, .. } => Err(error::no_memory()),
        StreamError { code, message } => failure(py, code, &message),
    }
}

/// The functions.
pub(super) static FUNCTIONS: [Function; 7] = [
    definition!(c"scan_schema", schema, docstrings::SCAN_SCHEMA),
    definition!(c"scan_fields", fields, docstrings::SCAN_FIELDS),
    definition!(c"scan_open", open, docstrings::SCAN_OPEN),
    definition!(c"scan_next", next, docstrings::SCAN_NEXT),
    definition!(c"scan_problems", problems, docstrings::SCAN_PROBLEMS),
    definition!(c"scan_progress", progress, docstrings::SCAN_PROGRESS),
    definition!(c"scan_infer", infer, docstrings::SCAN_INFER),
];
