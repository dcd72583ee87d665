//! `loads`: from a document to Python objects in one pass.
//!
//! The reader says what comes; finished values are kept on a stack. When a container ends, its
//! values leave the stack for a list or dict of exactly that size. Nesting is a second stack, so
//! depth costs no C stack. Invariants: whatever fails, the values on the stack are released; no
//! Python code runs while a document is read (strings are hashed and compared by C code, and the
//! collector's finalisers see nothing of this call).

use snooze_core::arch::{Task, Vector};
use snooze_core::number::Number;
use snooze_core::read::{MAX_DEPTH, Reader};

use crate::decode::error::{ReadFailure, raise_error};
use crate::decode::scratch::push;
use crate::decode::untyped::float_arrays::Arrays;
use crate::decode::untyped::frame::Frame;
use crate::decode::value::{key, number, string};
use crate::decode::{input, scratch};
use crate::pool::Pool;
use crate::py::compat::PausedCollector;
use crate::py::input::Input;
use crate::py::{Attached, Obj, Owned, Raised, dict, list, singletons};
use crate::runtime::Runtime;

/// What one call needs beside its result.
pub(crate) type Scratch = scratch::Scratch<Frame>;

/// The object that a document means, or an exception.
#[inline(always)]
pub(crate) fn loads(
    runtime: &Runtime,
    pool: &Pool<Scratch>,
    py: &Attached,
    object: Obj<'_>,
) -> Result<Owned, Raised> {
    let input = input::document(runtime, py, object)?;
    let mut scratch = pool.take()?;
    let result = {
        let _paused = PausedCollector::new();
        runtime.dispatch.run(Loads { runtime, py, bytes: input.bytes(), scratch: &mut scratch })
    };
    scratch.tidy();
    pool.put(scratch);
    result.map_err(|fault| raise(runtime, object, &input, fault))
}

#[cold]
#[inline(never)]
fn raise(runtime: &Runtime, object: Obj<'_>, input: &Input<'_>, fault: ReadFailure) -> Raised {
    match fault {
        ReadFailure::Raised => Raised,
        ReadFailure::Json(error) => raise_error(runtime, object, input, error),
    }
}

struct Loads<'a> {
    runtime: &'a Runtime,
    py: &'a Attached,
    bytes: &'a [u8],
    scratch: &'a mut Scratch,
}

impl Task for Loads<'_> {
    type Output = Result<Owned, ReadFailure>;

    #[inline(always)]
    fn run<V: Vector>(self) -> Self::Output {
        // Only the scalar tier has a copy without private layouts: see `Runtime::new`.
        if V::LANES == 8 && !self.runtime.direct {
            return read::<V, false>(self.py, self.runtime, self.bytes, self.scratch);
        }
        read::<V, true>(self.py, self.runtime, self.bytes, self.scratch)
    }
}

#[inline(always)]
fn read<V: Vector, const DIRECT: bool>(
    py: &Attached,
    runtime: &Runtime,
    bytes: &[u8],
    scratch: &mut Scratch,
) -> Result<Owned, ReadFailure> {
    let Scratch { values, frames, text, keys, strings } = scratch;
    let mut reader = Reader::<V>::new(bytes)?;
    let mut frame = Frame { start: 0, is_object: false, nested: false };
    loop {
        let value = match reader.token() {
            b'"' => string::<V, DIRECT>(py, reader.string(text)?, strings)?,
            b'-' | b'+' | b'.' | b'0'..=b'9' => {
                // Without decimals at once, nothing is won by telling the kinds apart first.
                let found = if !V::DECIMALS {
                    reader.number()?
                } else if let Some(value) = reader.short_integer() {
                    Number::Int(value)
                } else {
                    reader.other_number()?
                };
                let value = number::<DIRECT>(py, runtime, found)?;
                let is_float = matches!(found, Number::Float(_));
                if V::DECIMALS && is_float && !frame.is_object && !frames.is_empty() {
                    let mut at = reader.offset();
                    let (at, frame) = (&mut at, &mut frame);
                    let walk =
                        Arrays::<DIRECT> { py, runtime, bytes, at, value, values, frames, frame };
                    let finished = V::enter(walk)?;
                    reader = Reader::resume(bytes, *at);
                    match finished {
                        Some(list) => list,
                        None => continue,
                    }
                } else {
                    value
                }
            }
            b'{' => {
                reader.pass();
                if frames.len() >= MAX_DEPTH {
                    return Err(reader.too_deep().into());
                }
                if reader.token() != b'}' {
                    push(frames, frame)?;
                    frame = Frame { start: values.len(), is_object: true, nested: false };
                    key::<V, DIRECT>(py, &mut reader, values, text, keys)?;
                    continue;
                }
                reader.pass();
                frame.nested = true;
                dict::empty(py)?
            }
            b'[' => {
                reader.pass();
                if frames.len() >= MAX_DEPTH {
                    return Err(reader.too_deep().into());
                }
                if reader.token() != b']' {
                    push(frames, frame)?;
                    frame = Frame { start: values.len(), is_object: false, nested: false };
                    continue;
                }
                reader.pass();
                frame.nested = true;
                list::empty(py)?
            }
            b't' => {
                reader.literal_true()?;
                singletons::boolean(py, true)
            }
            b'f' => {
                reader.literal_false()?;
                singletons::boolean(py, false)
            }
            b'n' => {
                reader.literal_null()?;
                singletons::none(py)
            }
            _ => return Err(reader.no_value().into()),
        };
        let mut value = value;
        loop {
            if frames.is_empty() {
                reader.finish()?;
                return Ok(value);
            }
            push(values, value)?;
            if frame.is_object {
                match reader.token() {
                    b',' => {
                        reader.pass();
                        key::<V, DIRECT>(py, &mut reader, values, text, keys)?;
                        break;
                    }
                    b'}' => {
                        reader.pass();
                        value = dict::from_pairs::<DIRECT>(py, values, frame.start, frame.nested)?;
                    }
                    _ => return Err(reader.no_object_end().into()),
                }
            } else {
                match reader.token() {
                    b',' => {
                        reader.pass();
                        break;
                    }
                    b']' => {
                        reader.pass();
                        value = list::from_values::<DIRECT>(py, values, frame.start)?;
                    }
                    _ => return Err(reader.no_array_end().into()),
                }
            }
            if let Some(outer) = frames.pop() {
                frame = Frame { nested: true, ..outer };
            }
        }
    }
}
