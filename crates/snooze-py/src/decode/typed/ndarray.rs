//! Numpy arrays: nested arrays of numbers, read straight into the memory of one array.
//!
//! Separate from `walk`, because no Python object is made for a number. Invariant: all arrays at
//! one depth have the same length, which becomes the shape; every number can be represented by the
//! element type. Called by `open`.

use core::mem;

use snooze_core::arch::{Task, Vector};
use snooze_core::error::{Error, ErrorKind};
use snooze_core::number::Number;
use snooze_core::read::{MAX_DEPTH, Reader};

use crate::decode::typed::context::Context;
use crate::decode::typed::element::Element;
use crate::decode::typed::error::DecodeFailure;
use crate::decode::typed::frame::{Frame, Opened};
use crate::decode::typed::plan::{Node, Rule};
use crate::py::message::Message;
use crate::py::{Owned, Raised, bytearray, call, error, int, tuple, unicode};

/// The most dimensions that an array may have.
const MAX_DIMENSIONS: usize = 32;

/// What was read: the elements in memory, the shape, and the offset after the array.
type Numbers = (Vec<u8>, Vec<usize>, usize);

/// Why there is no array.
enum NdArrayFailure {
    /// The document is not JSON.
    Json(Error),
    NoMemory,
    NotUtf8,
    /// An item does not fit.
    Problem(ItemProblem),
}

impl From<Error> for NdArrayFailure {
    fn from(error: Error) -> Self {
        Self::Json(error)
    }
}

/// An item that does not fit.
struct ItemProblem {
    /// The offset of the item.
    at: usize,
    /// The index of the item in each dimension.
    indices: Vec<usize>,
    kind: ItemProblemKind,
}

/// Why an item does not fit.
enum ItemProblemKind {
    /// It is not a number that the element type can represent.
    NotAnElement,
    /// It is a number where an array is expected.
    NotAnArray,
    /// It is an array of another length than those before it.
    Length { expected: usize, found: usize },
}

/// Reading the array at an offset, in the SIMD tier of the runtime.
struct ReadNumbers<'a> {
    bytes: &'a [u8],
    /// The offset of the opening bracket.
    open: usize,
    /// The number of open containers around the array.
    depth: usize,
    element: Element,
}

impl Task for ReadNumbers<'_> {
    type Output = Result<Numbers, NdArrayFailure>;

    #[inline(always)]
    fn with_vectors<V: Vector>(self) -> Self::Output {
        self.read_numbers::<V>()
    }
}

impl ReadNumbers<'_> {
    /// Reads the array, dimension by dimension, with a stack of the lengths so far.
    #[inline(always)]
    fn read_numbers<V: Vector>(self) -> Result<Numbers, NdArrayFailure> {
        let Self { bytes, open, depth, element } = self;
        let mut reader = Reader::<V>::resume(bytes, open + 1);
        let mut memory: Vec<u8> = Vec::new();
        // For each dimension the length, once an array in it has ended.
        let mut shape: Vec<Option<usize>> = Vec::new();
        // For each open array the number of its items so far, and its offset.
        let (mut counts, mut starts) = (Vec::new(), Vec::new());
        for stack in [&mut counts, &mut starts] {
            stack.try_reserve_exact(MAX_DIMENSIONS).map_err(|_| NdArrayFailure::NoMemory)?;
        }
        shape.try_reserve_exact(MAX_DIMENSIONS).map_err(|_| NdArrayFailure::NoMemory)?;
        shape.push(None);
        counts.push(0usize);
        starts.push(open);
        // The number of dimensions, once a number or an empty array has shown it.
        let mut dimensions = None;
        let problem = |at, counts: &[usize], kind| {
            let mut indices = Vec::new();
            if indices.try_reserve_exact(counts.len()).is_err() {
                return NdArrayFailure::NoMemory;
            }
            indices.extend_from_slice(counts);
            NdArrayFailure::Problem(ItemProblem { at, indices, kind })
        };
        let mut is_first = true;
        loop {
            let token = reader.token();
            let at = reader.offset();
            let closes = token == b']' && is_first;
            if !closes {
                match token {
                    b'[' if dimensions.is_none_or(|known| counts.len() < known) => {
                        reader.consume();
                        if depth + counts.len() >= MAX_DEPTH {
                            return Err(reader.too_deep().into());
                        }
                        if counts.len() == MAX_DIMENSIONS {
                            return Err(problem(at, &counts, ItemProblemKind::NotAnElement));
                        }
                        if shape.len() == counts.len() {
                            shape.push(None);
                        }
                        counts.push(0);
                        starts.push(at);
                        is_first = true;
                        continue;
                    }
                    b'-' | b'+' | b'.' | b'0'..=b'9' | b't' | b'f' => {
                        if *dimensions.get_or_insert(counts.len()) != counts.len() {
                            return Err(problem(at, &counts, ItemProblemKind::NotAnArray));
                        }
                        if memory.capacity() - memory.len() < 8 {
                            let more = memory.len().max(512);
                            memory.try_reserve(more).map_err(|_| NdArrayFailure::NoMemory)?;
                        }
                        let fits = match token {
                            b't' | b'f' => {
                                if token == b't' {
                                    reader.literal_true()?;
                                } else {
                                    reader.literal_false()?;
                                }
                                memory.push(u8::from(token == b't'));
                                element == Element::Bool
                            }
                            _ if element.is_float()
                                && let Some(value) = reader.short_decimal() =>
                            {
                                element.push_number(Number::Float(value), &mut memory)
                            }
                            _ => match reader.any_number() {
                                // As a float, `-0` has a sign.
                                Ok(Number::Int(0)) if token == b'-' && element.is_float() => {
                                    element.push_number(Number::Float(-0.0), &mut memory)
                                }
                                Ok(number) => element.push_number(number, &mut memory),
                                Err(Error { kind: ErrorKind::Infinity, .. }) => false,
                                Err(error) => return Err(error.into()),
                            },
                        };
                        if !fits {
                            return Err(problem(at, &counts, ItemProblemKind::NotAnElement));
                        }
                    }
                    b'"' | b'{' | b'[' | b'n' => {
                        // A syntax error is reported before a problem.
                        let is_ascii = reader.skip(depth + counts.len())?;
                        let value = bytes.get(at..reader.offset()).unwrap_or(&[]);
                        if !is_ascii && core::str::from_utf8(value).is_err() {
                            return Err(NdArrayFailure::NotUtf8);
                        }
                        return Err(problem(at, &counts, ItemProblemKind::NotAnElement));
                    }
                    _ => return Err(reader.no_value().into()),
                }
            }
            is_first = false;
            // Either an item has been read, or the array ends before its first item.
            let mut ends = closes;
            loop {
                if !ends {
                    if let Some(count) = counts.last_mut() {
                        *count += 1;
                    }
                    match reader.token() {
                        b',' => {
                            reader.consume();
                            break;
                        }
                        b']' => {}
                        _ => return Err(reader.no_array_end().into()),
                    }
                } else if *dimensions.get_or_insert(counts.len()) != counts.len() {
                    let expected = shape.get(counts.len() - 1).copied().flatten().unwrap_or(1);
                    let outer = &counts[..counts.len() - 1];
                    let start = starts.last().copied().unwrap_or(at);
                    let kind = ItemProblemKind::Length { expected, found: 0 };
                    return Err(problem(start, outer, kind));
                }
                ends = false;
                reader.consume();
                let (found, start) = (counts.pop().unwrap_or(0), starts.pop().unwrap_or(at));
                let expected = shape.get_mut(counts.len());
                let expected = expected.map_or(found, |known| *known.get_or_insert(found));
                if expected != found {
                    let kind = ItemProblemKind::Length { expected, found };
                    return Err(problem(start, &counts, kind));
                }
                if counts.is_empty() {
                    let mut lengths = Vec::new();
                    lengths.try_reserve_exact(shape.len()).map_err(|_| NdArrayFailure::NoMemory)?;
                    lengths.extend(shape.iter().flatten());
                    return Ok((memory, lengths, reader.offset()));
                }
            }
        }
    }
}

impl<'p> Context<'p, '_> {
    /// Reads the array of numbers whose bracket is at an offset; `frame` is the container around
    /// it.
    pub(super) fn read_ndarray(
        &mut self,
        node: &'p Node,
        rule: Rule,
        index: u32,
        open: usize,
        frame: &Frame<'p>,
    ) -> Result<Opened<'p>, DecodeFailure> {
        let Some(&(element, ref factory)) = self.plan.tables.ndarrays.get(index as usize) else {
            return Err(error::system_error(c"a plan has no such array").into());
        };
        let depth = self.frames.len();
        let task = ReadNumbers { bytes: self.bytes, open, depth, element };
        let (memory, shape, end) = match self.runtime.dispatch.run(task) {
            Ok(numbers) => numbers,
            Err(NdArrayFailure::Json(error)) => return Err(error.into()),
            Err(NdArrayFailure::NoMemory) => return Err(error::no_memory().into()),
            Err(NdArrayFailure::NotUtf8) => {
                return Err(Error::new(ErrorKind::InvalidUtf8, 0).into());
            }
            Err(NdArrayFailure::Problem(problem)) => {
                return self.ndarray_problem(frame, element, problem);
            }
        };
        let array = match self.new_ndarray(factory, memory, shape) {
            Ok(array) => self.apply_calls(rule, array),
            Err(raised) => Err(raised),
        };
        match array {
            Ok(array) => Ok(Opened::Value(array, end)),
            Err(Raised) => {
                let cause = error::take_refusal(self.py)?;
                let found = unicode::decode_utf8(b"array")?;
                self.add_problem(frame, node.expected.clone(), found, open, Some(cause))?;
                Err(DecodeFailure::Problem)
            }
        }
    }

    /// Calls the function that makes an array of a bytearray and a shape.
    fn new_ndarray(
        &mut self,
        factory: &Owned,
        memory: Vec<u8>,
        shape: Vec<usize>,
    ) -> Result<Owned, Raised> {
        let bytearray = bytearray::new(self.py, &memory)?;
        // The array may be large, and the copy of it is enough.
        mem::drop(memory);
        let mut lengths = Vec::new();
        lengths.try_reserve_exact(shape.len()).map_err(|_| error::no_memory())?;
        for length in shape {
            lengths.push(int::new(self.py, length as i64)?);
        }
        let shape = tuple::new(self.py, &mut lengths, 0)?;
        call::call_two(self.py, factory, &bytearray, &shape)
    }

    /// Adds the problem of an item that does not fit.
    #[cold]
    fn ndarray_problem(
        &mut self,
        frame: &Frame<'p>,
        element: Element,
        problem: ItemProblem,
    ) -> Result<Opened<'p>, DecodeFailure> {
        let ItemProblem { at, indices, kind } = problem;
        let (expected, found) = match kind {
            ItemProblemKind::NotAnElement => {
                (unicode::decode_utf8(element.name())?, self.excerpt(at)?)
            }
            ItemProblemKind::NotAnArray => (unicode::decode_utf8(b"array")?, self.kind_name(at)?),
            ItemProblemKind::Length { expected, found } => (array_of(expected)?, array_of(found)?),
        };
        let mut path = Vec::new();
        path.try_reserve_exact(indices.len()).map_err(|_| error::no_memory())?;
        for index in indices {
            path.push(int::new(self.py, index as i64)?);
        }
        self.add_problem_inside(frame, path, expected, found, at)?;
        Err(DecodeFailure::Problem)
    }
}

/// `array of 3`.
#[cold]
fn array_of(items: usize) -> Result<Owned, Raised> {
    Message::new().text("array of ")?.count(items)?.to_str()
}
