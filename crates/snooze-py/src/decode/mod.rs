//! `loads`: from a document to Python objects in one pass.
//!
//! The reader says what comes; finished values are kept on a stack. When a container ends, its
//! values leave the stack for a list or dict of exactly that size. Nesting is a second stack, so
//! depth costs no C stack. Invariants: whatever fails, the values on the stack are released; no
//! Python code runs while a document is read (strings are hashed and compared by C code, and the
//! collector's finalisers see nothing of this call).

use snooze_core::arch::{Task, Vector};
use snooze_core::error::{Error, ErrorKind};
use snooze_core::number::Number;
use snooze_core::read::{MAX_DEPTH, Reader, Text};

use crate::keys::{KeyCache, LONGEST};
use crate::py::bytes::{Input, InputFault};
use crate::py::compat::{FREE_THREADED, PausedCollector};
use crate::py::text::{self, TextFault};
use crate::py::{Attached, Obj, Owned, Raised, error, int, list, new_dict};
use crate::state::State;
use crate::strings::{self, Answer, StringCache};

mod arrays;

use arrays::Arrays;

/// Stacks that keep more than this many values are not kept for the next call.
pub(crate) const KEPT_VALUES: usize = 16 * 1024;
/// Scratch text that is not kept for the next call.
const KEPT_TEXT: usize = 64 * 1024;

/// What one call needs beside its result, kept for the next call. An open container is an `F`.
#[derive(Debug)]
pub(crate) struct Scratch<F = Frame> {
    pub(crate) values: Vec<Owned>,
    pub(crate) frames: Vec<F>,
    pub(crate) text: Vec<u8>,
    pub(crate) keys: KeyCache,
    pub(crate) strings: StringCache,
}

impl<F> Default for Scratch<F> {
    fn default() -> Self {
        let (values, frames, text) = (Vec::new(), Vec::new(), Vec::new());
        Self { values, frames, text, keys: KeyCache::default(), strings: StringCache::default() }
    }
}

impl<F> Scratch<F> {
    /// Empties it, and gives back what only a large document needed.
    pub(crate) fn tidy(&mut self) {
        empty(&mut self.values, KEPT_VALUES);
        self.frames.clear();
        empty(&mut self.text, KEPT_TEXT);
    }
}

/// Empties a stack, and gives its memory back if it has room for more than `most`.
pub(crate) fn empty<T>(stack: &mut Vec<T>, most: usize) {
    stack.clear();
    if stack.capacity() > most {
        *stack = Vec::new();
    }
}

/// An open container: where its values start on the stack.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    start: usize,
    is_object: bool,
    /// Whether a container is among its values.
    nested: bool,
}

/// Why there is no result.
pub(crate) enum Fault {
    Json(Error),
    Raised,
}

impl From<Error> for Fault {
    #[inline(always)]
    fn from(error: Error) -> Self {
        Self::Json(error)
    }
}

impl From<Raised> for Fault {
    #[inline(always)]
    fn from(Raised: Raised) -> Self {
        Self::Raised
    }
}

impl From<TextFault> for Fault {
    #[inline(always)]
    fn from(fault: TextFault) -> Self {
        match fault {
            TextFault::NotUtf8 => Self::Json(Error::new(ErrorKind::InvalidUtf8, 0)),
            TextFault::Raised => Self::Raised,
        }
    }
}

/// The document that an object is, which is not empty; or an exception.
#[inline(always)]
pub(crate) fn input<'a>(
    state: &State,
    py: &Attached,
    object: Obj<'a>,
) -> Result<Input<'a>, Raised> {
    let input = if state.direct {
        Input::new::<true>(py, object, &state.names.obj)
    } else {
        Input::new::<false>(py, object, &state.names.obj)
    };
    match input {
        Ok(input) if !input.bytes().is_empty() => Ok(input),
        Ok(_) => Err(refuse(state, "Input is a zero-length, empty document")),
        Err(fault) => Err(refuse_input(state, fault)),
    }
}

/// The object that a document means, or an exception.
#[inline(always)]
pub(crate) fn loads(state: &State, py: &Attached, object: Obj<'_>) -> Result<Owned, Raised> {
    let input = input(state, py, object)?;
    let mut scratch = state.decode_pool.take()?;
    let result = {
        let _paused = PausedCollector::new();
        state.dispatch.run(Loads { state, py, bytes: input.bytes(), scratch: &mut scratch })
    };
    scratch.tidy();
    state.decode_pool.put(scratch);
    result.map_err(|fault| raise(state, object, &input, fault))
}

/// Raises a fault found before the document was read.
#[cold]
fn refuse(state: &State, message: &str) -> Raised {
    match text::decode_utf8(b"") {
        Ok(document) => error::decode_error(&state.decode_error, message, document, 0),
        Err(Raised) => Raised,
    }
}

#[cold]
fn refuse_input(state: &State, fault: InputFault) -> Raised {
    match fault {
        InputFault::WrongType => {
            refuse(state, "Input must be bytes, bytearray, memoryview, or str")
        }
        InputFault::NotUtf8 => refuse(state, ErrorKind::InvalidUtf8.message()),
        InputFault::Raised => Raised,
    }
}

#[cold]
#[inline(never)]
fn raise(state: &State, object: Obj<'_>, input: &Input<'_>, fault: Fault) -> Raised {
    match fault {
        Fault::Raised => Raised,
        Fault::Json(error) => raise_error(state, object, input, error),
    }
}

/// Raises the fault of a document, with the document and the place.
#[cold]
#[inline(never)]
pub(crate) fn raise_error(
    state: &State,
    object: Obj<'_>,
    input: &Input<'_>,
    error: Error,
) -> Raised {
    if error.kind == ErrorKind::NoMemory {
        return error::no_memory();
    }
    // Strings are validated as they are made; a document that is no UTF-8 anywhere is refused
    // for that, whatever else is wrong before or after it.
    if !input.is_text && core::str::from_utf8(input.bytes()).is_err() {
        return refuse(state, ErrorKind::InvalidUtf8.message());
    }
    let document =
        if input.is_text { Ok(object.to_owned()) } else { text::decode_utf8(input.bytes()) };
    let Ok(document) = document else {
        return Raised;
    };
    let position = error.char_offset(input.bytes());
    error::decode_error(&state.decode_error, error.kind.message(), document, position)
}

struct Loads<'a> {
    state: &'a State,
    py: &'a Attached,
    bytes: &'a [u8],
    scratch: &'a mut Scratch,
}

impl Task for Loads<'_> {
    type Output = Result<Owned, Fault>;

    #[inline(always)]
    fn run<V: Vector>(self) -> Self::Output {
        // Only the scalar tier has a copy without private layouts: see `State::new`.
        if V::LANES == 8 && !self.state.direct {
            return read::<V, false>(self.py, self.state, self.bytes, self.scratch);
        }
        read::<V, true>(self.py, self.state, self.bytes, self.scratch)
    }
}

#[inline(always)]
fn read<V: Vector, const DIRECT: bool>(
    py: &Attached,
    state: &State,
    bytes: &[u8],
    scratch: &mut Scratch,
) -> Result<Owned, Fault> {
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
                let value = number::<DIRECT>(py, state, found)?;
                let is_float = matches!(found, Number::Float(_));
                if V::DECIMALS && is_float && !frame.is_object && !frames.is_empty() {
                    let mut at = reader.offset();
                    let (at, frame) = (&mut at, &mut frame);
                    let walk =
                        Arrays::<DIRECT> { py, state, bytes, at, value, values, frames, frame };
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
                new_dict::empty(py)?
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
                int::new_bool(py, true)
            }
            b'f' => {
                reader.literal_false()?;
                int::new_bool(py, false)
            }
            b'n' => {
                reader.literal_null()?;
                int::new_none(py)
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
                        value =
                            new_dict::from_pairs::<DIRECT>(py, values, frame.start, frame.nested)?;
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

/// Puts something on a stack that may have to grow.
#[inline(always)]
fn push<T>(stack: &mut Vec<T>, value: T) -> Result<(), Raised> {
    if stack.len() == stack.capacity() {
        grow(stack)?;
    }
    stack.push(value);
    Ok(())
}

#[cold]
#[inline(never)]
fn grow<T>(stack: &mut Vec<T>) -> Result<(), Raised> {
    stack.try_reserve(stack.len().max(64)).map_err(|_| error::no_memory())
}

#[inline(always)]
fn number<const DIRECT: bool>(
    py: &Attached,
    state: &State,
    number: Number,
) -> Result<Owned, Raised> {
    match number {
        Number::Int(value) => {
            state.small_ints.get(py, value).map_or_else(|| int::new_large::<DIRECT>(py, value), Ok)
        }
        Number::Float(value) => int::new_float(py, value),
        Number::UInt(value) => int::new_unsigned(py, value),
    }
}

/// A string that is a value.
#[inline(always)]
pub(crate) fn string<V: Vector, const DIRECT: bool>(
    py: &Attached,
    text: Text<'_>,
    strings: &mut StringCache,
) -> Result<Owned, TextFault> {
    // Free threads would contend for the counts of shared texts.
    if text.ascii && (2..=strings::LONGEST).contains(&text.bytes.len()) && !FREE_THREADED {
        match strings.find::<DIRECT>(text.bytes) {
            Answer::Found(found) => return Ok(found),
            Answer::New(hash) => {
                let new = text::new_ascii::<DIRECT>(py, text.bytes)?;
                strings.keep(hash, &new);
                return Ok(new);
            }
            Answer::Unknown => {}
        }
    }
    text::new::<V, DIRECT>(py, text)
}

/// Reads a member's name and colon and puts the name on the stack.
#[inline(always)]
pub(crate) fn key<V: Vector, const DIRECT: bool>(
    py: &Attached,
    reader: &mut Reader<'_, V>,
    values: &mut Vec<Owned>,
    scratch: &mut Vec<u8>,
    keys: &mut KeyCache,
) -> Result<(), Fault> {
    if reader.token() != b'"' {
        return Err(reader.no_key().into());
    }
    let key = match reader.string_ahead().and_then(|ahead| keys.expected(ahead)) {
        Some((key, len)) => {
            reader.pass_string(len);
            key
        }
        None => {
            let start = reader.offset();
            let name = reader.string(scratch)?;
            // An escape is longer than what it stands for. (PERF: no field of `Text` says this,
            // because its results would then travel through memory: 35 % on github.json.)
            let plain = reader.offset() - start == name.bytes.len() + 2;
            cached_key::<V, DIRECT>(py, name, plain, keys)?
        }
    };
    push(values, key)?;
    reader.colon()?;
    Ok(())
}

#[inline(always)]
fn cached_key<V: Vector, const DIRECT: bool>(
    py: &Attached,
    name: Text<'_>,
    plain: bool,
    keys: &mut KeyCache,
) -> Result<Owned, TextFault> {
    if name.bytes.len() > LONGEST || keys.is_useless() {
        return text::new::<V, DIRECT>(py, name);
    }
    match keys.find::<DIRECT>(name.bytes) {
        Ok(key) => Ok(key),
        Err(place) => {
            let key = text::new::<V, DIRECT>(py, name)?;
            text::prime_hash(&key);
            keys.keep(place, &key, plain.then_some(name.bytes));
            Ok(key)
        }
    }
}
