//! The walk by policies: one loop over the document, as in `untyped::walk`.
//!
//! Separate from that, which has no choices and is faster. Invariants: after any failure the values
//! on the stack are released; containers are made when they close, so Python code that a hook runs
//! sees finished values only. Called by `module::decoder`.

use core::fmt::Write;

use arrayvec::ArrayString;
use snooze_core::arch::{Task, Vector};
use snooze_core::dialect::{DialectReader, Piece};
use snooze_core::error::{Error, ErrorKind};

use crate::decode::error::{ReadFailure, raise_json_error, raise_json_error_as};
use crate::decode::input::{read_input, read_text_input};
use crate::decode::key_cache::KeyCache;
use crate::decode::policy::frame::Frame;
use crate::decode::policy::policies::{Duplicates, Hook, Policies};
use crate::decode::policy::{number, object};
use crate::decode::scratch;
use crate::decode::scratch::push;
use crate::decode::value::{cached_key, new_string};
use crate::pool::Pool;
use crate::py::bytes::of_subclass;
use crate::py::compat::PausedCollector;
use crate::py::input::{Holder, Input};
use crate::py::{Attached, Obj, Owned, Raised, call, dict, list, singletons, unicode};
use crate::runtime::{Runtime, avoids_layouts};

/// The scratch memory of one call.
pub(crate) type Scratch = scratch::Scratch<Frame>;

/// Decodes the document in `object` by policies.
pub(crate) fn decode(
    runtime: &Runtime,
    pool: &Pool<Scratch>,
    py: &mut Attached,
    policies: &Policies,
    object: Obj<'_>,
) -> Result<Owned, Raised> {
    // A `Raw`, which is a subclass of `bytes`, is a document too.
    let raw = of_subclass(py, object)?;
    let object = raw.as_ref().map_or(object, |raw| raw.get().obj());
    let mut holder = Holder::default();
    let input = match policies.rules.has_comments() {
        true => read_text_input(runtime, py, object, &mut holder)?,
        false => read_input(runtime, py, object, &mut holder)?,
    };
    let _in_progress = runtime.calls.enter()?;
    let mut scratch = pool.take()?;
    let result = {
        // A hook may rely on the garbage collector.
        let _paused = (!policies.runs_python()).then(PausedCollector::new);
        let (bytes, py, scratch) = (input.bytes(), &mut *py, &mut *scratch);
        runtime.dispatch.run_narrow(Decode { runtime, py, policies, bytes, scratch })
    };
    scratch.reset();
    pool.put(scratch);
    result.map_err(|failure| match failure {
        ReadFailure::Raised => Raised,
        ReadFailure::Json(error) => raise(runtime, policies, object, input, error),
    })
}

/// Raises the exception of a fault.
#[cold]
fn raise(
    runtime: &Runtime,
    policies: &Policies,
    object: Obj<'_>,
    input: Input<'_>,
    error: Error,
) -> Raised {
    let mut message = ArrayString::<64>::new();
    if error.kind == ErrorKind::Depth
        && write!(message, "depth limit exceeded: max_depth is {}", policies.max_depth).is_ok()
    {
        return raise_json_error_as(runtime, object, input, error, &message);
    }
    raise_json_error(runtime, object, input, error)
}

/// Decoding a document, in the SIMD tier of the runtime.
struct Decode<'a> {
    runtime: &'a Runtime,
    py: &'a mut Attached,
    policies: &'a Policies,
    bytes: &'a [u8],
    scratch: &'a mut Scratch,
}

impl Task for Decode<'_> {
    type Output = Result<Owned, ReadFailure>;

    #[inline(always)]
    fn with_vectors<V: Vector>(self) -> Self::Output {
        if avoids_layouts::<V>(self.runtime.direct) {
            return self.read_document::<V, false>();
        }
        self.read_document::<V, true>()
    }
}

impl Decode<'_> {
    /// Reads the whole document and returns its value.
    #[inline(always)]
    fn read_document<V: Vector, const DIRECT: bool>(self) -> Result<Owned, ReadFailure> {
        let Self { runtime, py, policies, bytes, scratch } = self;
        let scratch::Scratch { values, frames, text, keys, strings } = scratch;
        let mut reader = DialectReader::<V>::new(bytes, policies.rules)?;
        let mut name_offsets = Vec::new();
        let mut frame =
            Frame { values_start: 0, offsets_start: 0, is_object: false, has_containers: false };
        loop {
            let mut byte = reader.token()?;
            if frame.is_object {
                if policies.duplicates == Duplicates::Error {
                    push(&mut name_offsets, reader.offset())?;
                }
                let name = reader.name(text)?;
                push(values, new_name::<V, DIRECT>(py, name, keys)?)?;
                byte = reader.token()?;
            }
            let value = match byte {
                b'{' | b'[' => {
                    reader.consume();
                    if frames.len() >= policies.max_depth {
                        return Err(reader.too_deep().into());
                    }
                    frame.has_containers = true;
                    let is_object = byte == b'{';
                    // The closing bracket follows two places after the opening one in ASCII.
                    if reader.token()? != byte + 2 {
                        push(frames, frame)?;
                        let (values_start, offsets_start) = (values.len(), name_offsets.len());
                        frame =
                            Frame { values_start, offsets_start, is_object, has_containers: false };
                        continue;
                    }
                    reader.consume();
                    if is_object { empty_object(py, policies)? } else { list::empty(py)? }
                }
                b't' | b'f' | b'n' => {
                    reader.literal(byte)?;
                    match byte {
                        b'n' => singletons::none(py),
                        _ => singletons::boolean(py, byte == b't'),
                    }
                }
                _ if reader.is_quote(byte) => {
                    let piece = reader.string(text)?;
                    if piece.surrogates {
                        unicode::decode_wtf8(piece.text.bytes)?
                    } else {
                        new_string::<V, DIRECT>(py, piece.text, strings)?.into_owned()
                    }
                }
                _ if reader.begins_number(byte) => {
                    number::read::<V, DIRECT>(py, runtime, policies, &mut reader, text, byte)?
                }
                _ => return Err(reader.no_value().into()),
            };
            if frames.is_empty() {
                reader.finish()?;
                return Ok(value);
            }
            push(values, value)?;
            loop {
                let close = if frame.is_object { b'}' } else { b']' };
                let mut byte = reader.token()?;
                if byte == b',' {
                    reader.consume();
                    if reader.allows_trailing_comma() {
                        byte = reader.token()?;
                    }
                    if byte != close || !reader.allows_trailing_comma() {
                        break;
                    }
                }
                if byte != close {
                    return Err(reader.no_end(frame.is_object).into());
                }
                reader.consume();
                let container = if frame.is_object {
                    let offsets = &mut name_offsets;
                    object::close::<DIRECT>(py, policies, bytes, values, &frame, offsets)?
                } else {
                    list::from_values::<DIRECT>(py, values, frame.values_start)?
                };
                if let Some(outer) = frames.pop() {
                    frame = outer;
                }
                if frames.is_empty() {
                    reader.finish()?;
                    return Ok(container);
                }
                push(values, container)?;
            }
        }
    }
}

/// The `str` of a member's name.
#[inline(always)]
fn new_name<V: Vector, const DIRECT: bool>(
    py: &Attached,
    name: Piece<'_>,
    keys: &mut KeyCache,
) -> Result<Owned, ReadFailure> {
    if name.surrogates {
        return Ok(unicode::decode_wtf8(name.text.bytes)?);
    }
    // Names are not predicted, because a name may have no quotes.
    Ok(cached_key::<V, DIRECT>(py, name.text, false, keys)?.into_owned())
}

/// The value of an object without members.
#[cold]
fn empty_object(py: &mut Attached, policies: &Policies) -> Result<Owned, Raised> {
    match &policies.hook {
        Hook::None => Ok(dict::empty(py)?.into_owned()),
        Hook::Dict(hook) => {
            let empty = dict::empty(py)?.into_owned();
            call::call_one(py, hook, &empty)
        }
        Hook::Pairs(hook) => {
            let empty = list::empty(py)?;
            call::call_one(py, hook, &empty)
        }
    }
}
