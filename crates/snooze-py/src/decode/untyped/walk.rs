//! The walk of `loads`: one loop over the document that makes Python objects in one pass.
//!
//! The reader says which token comes, and finished values are kept on a stack. When a container
//! ends, its values leave the stack for a list or dict of exactly that size, which usually is on
//! the stack before them (see `frame`). Open containers are on a second stack, so that depth costs
//! no C stack. Separate from `typed::walk`, because a plan would slow it down. Invariants: after
//! any failure the caller releases the values on the stack; no Python code that can reach this call
//! runs while a document is read, because C code hashes and compares strings, and finalisers that
//! the garbage collector runs see nothing of this call. Called by `module::functions`, by
//! `module::decoder` for Decoders without a type, and by `typed::plain` for a part of a document.

use snooze_core::arch::{Task, Vector};
use snooze_core::error::ErrorKind;
use snooze_core::number::Number;
use snooze_core::read::{MAX_DEPTH, Reader};

use crate::decode::error::{ReadFailure, raise_json_error};
use crate::decode::input::read_input;
use crate::decode::lines::Documents;
use crate::decode::scratch;
use crate::decode::scratch::{ScratchRefs, push};
use crate::decode::untyped::frame::Frame;
use crate::decode::untyped::number_arrays::NumberArrays;
use crate::decode::value::{is_inexact, new_number, new_string, push_key};
use crate::pool::Pool;
use crate::py::bytes::Bytes;
use crate::py::compat::PausedCollector;
use crate::py::input::{Holder, Input};
use crate::py::unicode::Str;
use crate::py::{Attached, Obj, Owned, Raised, dict, error, list, singletons};
use crate::runtime::{Runtime, avoids_layouts};

/// How many elements an array has before its integers are read as a run, and how many integers make
/// a run worth the call.
const LONG_RUN: usize = 8;

/// The most elements that an array has to have before its integers are read as a run.
const MAX_BEFORE_RUN: usize = 64 * 1024;

/// The scratch memory of one call of `loads`.
pub(crate) type Scratch = scratch::Scratch<Frame>;

/// Decodes the document in `object`. `EXACT`: fails at what may be an integer beyond 64 bits.
#[inline(always)]
pub(crate) fn loads<const EXACT: bool>(
    runtime: &Runtime,
    pool: &Pool<Scratch>,
    py: &Attached,
    object: Obj<'_>,
) -> Result<Owned, Raised> {
    let mut holder = Holder::default();
    let input = read_input(runtime, py, object, &mut holder)?;
    if let Some(value) = one_token(runtime, py, input.bytes()) {
        return Ok(value);
    }
    let mut scratch = pool.take()?;
    let result = {
        let _paused = PausedCollector::new();
        let bytes = input.bytes();
        read_whole::<EXACT>(runtime, py, bytes, &mut scratch)
    };
    scratch.reset();
    pool.put(scratch);
    result.map_err(|failure| raise(runtime, object, input, failure))
}

/// Decodes the document in `object` as a Decoder without a type does: integers of any size are
/// exact. `None` if that needs the walk of a Decoder, or if the document is wrong.
#[inline(never)]
pub(crate) fn decode_exact(
    runtime: &Runtime,
    pool: &Pool<Scratch>,
    py: &Attached,
    object: Obj<'_>,
) -> Result<Option<Owned>, Raised> {
    if Bytes::exact(object).is_none() && Str::exact(object).is_none() {
        return Ok(None);
    }
    let mut holder = Holder::default();
    let bytes = read_input(runtime, py, object, &mut holder)?.bytes();
    let mut scratch = pool.take()?;
    let result = {
        let _paused = PausedCollector::new();
        read_whole::<true>(runtime, py, bytes, &mut scratch)
    };
    scratch.reset();
    pool.put(scratch);
    exact(result)
}

/// [`decode_exact`] of each document into `values`; returns the first that needs another walk.
pub(crate) fn decode_exact_lines<'a>(
    runtime: &Runtime,
    pool: &Pool<Scratch>,
    py: &Attached,
    lines: &mut dyn Documents<'a>,
    values: &mut Vec<Owned>,
) -> Result<Option<&'a [u8]>, Raised> {
    let mut scratch = pool.take()?;
    let mut stopped = Ok(None);
    {
        let _paused = PausedCollector::new();
        for bytes in lines {
            let result = read_whole::<true>(runtime, py, bytes, &mut scratch);
            scratch.reset();
            stopped = match exact(result) {
                Ok(Some(value)) => push(values, value).map(|()| None),
                Ok(None) => Ok(Some(bytes)),
                Err(Raised) => Err(Raised),
            };
            if !matches!(stopped, Ok(None)) {
                break;
            }
        }
    }
    pool.put(scratch);
    stopped
}

/// The value of a document; `None` if it is wrong, or may have an integer beyond 64 bits.
fn exact(result: Result<Owned, ReadFailure>) -> Result<Option<Owned>, Raised> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(ReadFailure::Json(error)) if error.kind == ErrorKind::NoMemory => {
            Err(error::no_memory())
        }
        Err(ReadFailure::Json(_)) => Ok(None),
        Err(ReadFailure::Raised) => Err(Raised),
    }
}

/// The value of a document that is `null`, `true` or a digit, if it is one.
///
/// PERF: entering a tier and taking scratch memory takes longer than all of such a call
/// (`loads(b"null")`: 14 -> 8 ns, Intel Xeon, 2026-11-24).
#[inline(always)]
fn one_token(runtime: &Runtime, py: &Attached, bytes: &[u8]) -> Option<Owned> {
    match bytes {
        b"null" => Some(singletons::none(py)),
        b"true" => Some(singletons::boolean(py, true)),
        &[digit @ b'0'..=b'9'] => runtime.small_ints.get(py, (digit - b'0').into()),
        _ => None,
    }
}

/// Raises the exception of a failure.
#[cold]
#[inline(never)]
fn raise(runtime: &Runtime, object: Obj<'_>, input: Input<'_>, failure: ReadFailure) -> Raised {
    match failure {
        ReadFailure::Raised => Raised,
        ReadFailure::Json(error) => raise_json_error(runtime, object, input, error),
    }
}

/// The value of a whole document.
#[inline(always)]
fn read_whole<const EXACT: bool>(
    runtime: &Runtime,
    py: &Attached,
    bytes: &[u8],
    scratch: &mut Scratch,
) -> Result<Owned, ReadFailure> {
    let scratch = scratch.refs();
    let task = ReadValue::<EXACT> { runtime, py, bytes, part: None, scratch };
    runtime.dispatch.run(task).map(|(value, _)| value)
}

/// A value inside a document.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    /// The offset of the value.
    pub(crate) start: usize,
    /// The number of open containers around it.
    pub(crate) depth: usize,
}

/// Reading a document or a part of it, in the SIMD tier of the runtime. Returns the value and the
/// offset after it.
///
/// `EXACT`: fails at what may be an integer beyond 64 bits. After a failure values and frames may be
/// left on the stacks.
pub(crate) struct ReadValue<'a, const EXACT: bool> {
    pub(crate) runtime: &'a Runtime,
    pub(crate) py: &'a Attached,
    pub(crate) bytes: &'a [u8],
    /// `None` for the whole document.
    pub(crate) part: Option<Part>,
    pub(crate) scratch: ScratchRefs<'a, Frame>,
}

impl<const EXACT: bool> Task for ReadValue<'_, EXACT> {
    type Output = Result<(Owned, usize), ReadFailure>;

    #[inline(always)]
    fn with_vectors<V: Vector>(self) -> Self::Output {
        if avoids_layouts::<V>(self.runtime.direct) {
            return self.read_value::<V, false>();
        }
        self.read_value::<V, true>()
    }
}

impl<const EXACT: bool> ReadValue<'_, EXACT> {
    #[inline(always)]
    fn read_value<V: Vector, const DIRECT: bool>(self) -> <Self as Task>::Output {
        let Self { runtime, py, bytes, part, scratch } = self;
        let ScratchRefs { values, frames, text, keys, strings } = scratch;
        let (mut reader, max_frames) = match part {
            None => (Reader::<V>::new(bytes)?, MAX_DEPTH),
            Some(Part { start, depth }) => {
                (Reader::resume(bytes, start), MAX_DEPTH.saturating_sub(depth))
            }
        };
        let mut frame = Frame::document();
        // How many elements an array has to have before its integers are read as a run. Doubles with
        // each run that is not worth its call, so that such documents have few.
        let mut elements_before_run = LONG_RUN;
        loop {
            // A container that has ended is on the stack already.
            let value = match reader.token() {
                b'"' => {
                    Some(new_string::<V, DIRECT>(py, reader.string(text)?, strings)?.into_owned())
                }
                b'-' | b'+' | b'.' | b'0'..=b'9' => {
                    let start = if EXACT { reader.offset() } else { 0 };
                    let found = reader.any_number()?;
                    if EXACT && is_inexact(found, bytes.get(start..reader.offset())) {
                        return Err(reader.no_value().into());
                    }
                    let value = new_number::<DIRECT>(py, runtime, found)?;
                    let is_float = V::DECIMALS && matches!(found, Number::Float(_));
                    let is_run = !is_float
                        && !frame.is_object
                        && values.len().wrapping_sub(frame.values_start) >= elements_before_run
                        && matches!(found, Number::Int(_))
                        && reader.may_precede_number();
                    if (is_float || is_run) && !frame.is_object && !frames.is_empty() {
                        let (mut offset, mut run_len) = (reader.offset(), 0);
                        let is_closed = V::run_outlined(NumberArrays::<DIRECT, EXACT> {
                            py,
                            runtime,
                            bytes,
                            offset: &mut offset,
                            value,
                            values,
                            frames,
                            frame: &mut frame,
                            max_frames,
                            expects_integers: is_run,
                            run_len: &mut run_len,
                        })?;
                        reader = Reader::resume(bytes, offset);
                        if is_run {
                            elements_before_run = match run_len {
                                ..LONG_RUN => MAX_BEFORE_RUN.min(2 * elements_before_run),
                                _ => LONG_RUN,
                            };
                        }
                        if !is_closed {
                            continue;
                        }
                        if frames.is_empty() {
                            return last_value(&mut reader, values, part);
                        }
                        None
                    } else {
                        Some(value)
                    }
                }
                b'{' => {
                    reader.consume();
                    if frames.len() >= max_frames {
                        return Err(reader.too_deep().into());
                    }
                    let start = reader.offset();
                    if reader.token() != b'}' {
                        let indent = reader.offset() - start;
                        frame.open::<DIRECT>(py, values, frames, true, indent)?;
                        push_key::<V, DIRECT>(py, &mut reader, values, text, keys)?;
                        continue;
                    }
                    reader.consume();
                    frame.note_container::<DIRECT>(py, values);
                    Some(dict::empty(py)?.into_owned())
                }
                b'[' => {
                    reader.consume();
                    if frames.len() >= max_frames {
                        return Err(reader.too_deep().into());
                    }
                    let start = reader.offset();
                    if reader.token() != b']' {
                        let indent = reader.offset() - start;
                        frame.open::<DIRECT>(py, values, frames, false, indent)?;
                        continue;
                    }
                    reader.consume();
                    frame.note_container::<DIRECT>(py, values);
                    Some(list::empty(py)?)
                }
                b't' => {
                    reader.literal_true()?;
                    Some(singletons::boolean(py, true))
                }
                b'f' => {
                    reader.literal_false()?;
                    Some(singletons::boolean(py, false))
                }
                b'n' => {
                    reader.literal_null()?;
                    Some(singletons::none(py))
                }
                _ => return Err(reader.no_value().into()),
            };
            if let Some(value) = value {
                if frames.is_empty() {
                    return finish(&mut reader, value, part);
                }
                push(values, value)?;
            }
            loop {
                if frame.is_object {
                    match reader.token() {
                        b',' => {
                            reader.consume();
                            reader.skip_indent(frame.indent as usize);
                            push_key::<V, DIRECT>(py, &mut reader, values, text, keys)?;
                            break;
                        }
                        b'}' => {
                            reader.consume();
                            frame.close_object::<DIRECT>(py, values)?;
                        }
                        _ => return Err(reader.no_object_end().into()),
                    }
                } else {
                    match reader.token() {
                        b',' => {
                            reader.consume();
                            reader.skip_indent(frame.indent as usize);
                            break;
                        }
                        b']' => {
                            reader.consume();
                            frame.close_array::<DIRECT>(py, values)?;
                        }
                        _ => return Err(reader.no_array_end().into()),
                    }
                }
                // The container is on the stack, and is the next value of the one around it.
                if let Some(outer) = frames.pop() {
                    frame = outer;
                }
                if frames.is_empty() {
                    return last_value(&mut reader, values, part);
                }
            }
        }
    }
}

/// The outermost value, which has just been put on the stack, and the offset after it.
#[inline(always)]
fn last_value<V: Vector>(
    reader: &mut Reader<'_, V>,
    values: &mut Vec<Owned>,
    part: Option<Part>,
) -> Result<(Owned, usize), ReadFailure> {
    match values.pop() {
        Some(value) => finish(reader, value, part),
        None => Err(reader.no_value().into()),
    }
}

/// The outermost value and the offset after it. Only white space may follow a document.
#[inline(always)]
fn finish<V: Vector>(
    reader: &mut Reader<'_, V>,
    value: Owned,
    part: Option<Part>,
) -> Result<(Owned, usize), ReadFailure> {
    if part.is_none() {
        reader.finish()?;
    }
    Ok((value, reader.offset()))
}
