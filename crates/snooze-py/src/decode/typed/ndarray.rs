//! Nested arrays of numbers, straight into the memory of one array of a single type (numpy's).
//!
//! Separate from `walk` because no object is made for any item. Invariant: every array at one depth
//! has the same length, which is the shape; every number is one that the type has.

use core::mem;

use snooze_core::arch::{Task, Vector};
use snooze_core::error::{Error, ErrorKind};
use snooze_core::read::{MAX_DEPTH, Reader};

use crate::decode::typed::context::Context;
use crate::decode::typed::element::Element;
use crate::decode::typed::error::DecodeFailure;
use crate::decode::typed::frame::{Frame, Opened};
use crate::decode::typed::plan::{Node, Rule};
use crate::py::message::Message;
use crate::py::{Owned, Raised, bytearray, call, error, int, tuple, unicode};

/// Dimensions that an array may have.
const MOST_DIMENSIONS: usize = 32;

/// Items, shape, and the offset behind the array.
type Read = (Vec<u8>, Vec<usize>, usize);

/// Why there is no array.
enum Refused {
    Json(Error),
    NoMemory,
    NotUtf8,
    Wrong(Wrong),
}

impl From<Error> for Refused {
    fn from(error: Error) -> Self {
        Self::Json(error)
    }
}

/// What is wrong with an item.
struct Wrong {
    at: usize,
    /// Where it is: an index for each dimension.
    indices: Vec<usize>,
    what: What,
}

enum What {
    /// It is no number, or none of the type.
    Item,
    /// It is a number where an array should be.
    NoArray,
    /// It is an array of another length than those before.
    Length { expected: usize, found: usize },
}

struct Numbers<'a> {
    bytes: &'a [u8],
    open: usize,
    depth: usize,
    element: Element,
}

impl Task for Numbers<'_> {
    type Output = Result<Read, Refused>;

    #[inline(always)]
    fn run<V: Vector>(self) -> Self::Output {
        let Self { bytes, open, depth, element } = self;
        let mut reader = Reader::<V>::resume(bytes, open + 1);
        let mut items: Vec<u8> = Vec::new();
        // For each dimension the length, once one array in it has ended.
        let mut shape: Vec<Option<usize>> = Vec::new();
        let (mut counts, mut starts) = (Vec::new(), Vec::new());
        for list in [&mut counts, &mut starts] {
            list.try_reserve_exact(MOST_DIMENSIONS).map_err(|_| Refused::NoMemory)?;
        }
        shape.try_reserve_exact(MOST_DIMENSIONS).map_err(|_| Refused::NoMemory)?;
        shape.push(None);
        counts.push(0usize);
        starts.push(open);
        // The number of dimensions, once an item or an empty array has told.
        let mut dimensions = None;
        let wrong = |at, counts: &[usize], what| {
            let mut indices = Vec::new();
            if indices.try_reserve_exact(counts.len()).is_err() {
                return Refused::NoMemory;
            }
            indices.extend_from_slice(counts);
            Refused::Wrong(Wrong { at, indices, what })
        };
        let mut is_first = true;
        loop {
            let token = reader.token();
            let at = reader.offset();
            let closes = token == b']' && is_first;
            if !closes {
                match token {
                    b'[' if dimensions.is_none_or(|known| counts.len() < known) => {
                        reader.pass();
                        if depth + counts.len() >= MAX_DEPTH {
                            return Err(reader.too_deep().into());
                        }
                        if counts.len() == MOST_DIMENSIONS {
                            return Err(wrong(at, &counts, What::Item));
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
                            return Err(wrong(at, &counts, What::NoArray));
                        }
                        if items.capacity() - items.len() < 8 {
                            let more = items.len().max(512);
                            items.try_reserve(more).map_err(|_| Refused::NoMemory)?;
                        }
                        let is_put = match token {
                            b't' | b'f' => {
                                if token == b't' {
                                    reader.literal_true()?;
                                } else {
                                    reader.literal_false()?;
                                }
                                items.push(u8::from(token == b't'));
                                element == Element::Bool
                            }
                            _ => match reader.number() {
                                Ok(number) => element.put(number, &mut items),
                                Err(Error { kind: ErrorKind::Infinity, .. }) => false,
                                Err(error) => return Err(error.into()),
                            },
                        };
                        if !is_put {
                            return Err(wrong(at, &counts, What::Item));
                        }
                    }
                    b'"' | b'{' | b'[' | b'n' => {
                        // A fault of the text comes before one of its meaning.
                        let is_ascii = reader.skip(depth + counts.len())?;
                        let rest = bytes.get(at..reader.offset()).unwrap_or(&[]);
                        if !is_ascii && core::str::from_utf8(rest).is_err() {
                            return Err(Refused::NotUtf8);
                        }
                        return Err(wrong(at, &counts, What::Item));
                    }
                    _ => return Err(reader.no_value().into()),
                }
            }
            is_first = false;
            // An item is there, or the array ends before its first one.
            let mut ends = closes;
            loop {
                if !ends {
                    if let Some(count) = counts.last_mut() {
                        *count += 1;
                    }
                    match reader.token() {
                        b',' => {
                            reader.pass();
                            break;
                        }
                        b']' => {}
                        _ => return Err(reader.no_array_end().into()),
                    }
                } else if *dimensions.get_or_insert(counts.len()) != counts.len() {
                    let expected = shape.get(counts.len() - 1).copied().flatten().unwrap_or(1);
                    let outer = &counts[..counts.len() - 1];
                    let start = starts.last().copied().unwrap_or(at);
                    return Err(wrong(start, outer, What::Length { expected, found: 0 }));
                }
                ends = false;
                reader.pass();
                let (found, start) = (counts.pop().unwrap_or(0), starts.pop().unwrap_or(at));
                let expected = shape.get_mut(counts.len());
                let expected = expected.map_or(found, |known| *known.get_or_insert(found));
                if expected != found {
                    return Err(wrong(start, &counts, What::Length { expected, found }));
                }
                if counts.is_empty() {
                    let mut lengths = Vec::new();
                    lengths.try_reserve_exact(shape.len()).map_err(|_| Refused::NoMemory)?;
                    lengths.extend(shape.iter().flatten());
                    return Ok((items, lengths, reader.offset()));
                }
            }
        }
    }
}

impl<'p> Context<'p, '_> {
    /// Reads the array of numbers whose bracket is at an offset.
    pub(super) fn ndarrays(
        &mut self,
        node: &'p Node,
        rule: Rule,
        number: u32,
        open: usize,
        frame: &Frame<'p>,
    ) -> Result<Opened<'p>, DecodeFailure> {
        let Some(&(element, ref factory)) = self.plan.tables.ndarrays.get(number as usize) else {
            return Err(error::system_error(c"a plan has no such array").into());
        };
        let depth = self.frames.len();
        let read = self.runtime.dispatch.run(Numbers { bytes: self.bytes, open, depth, element });
        let (items, shape, end) = match read {
            Ok(read) => read,
            Err(Refused::Json(error)) => return Err(error.into()),
            Err(Refused::NoMemory) => return Err(error::no_memory().into()),
            Err(Refused::NotUtf8) => return Err(Error::new(ErrorKind::InvalidUtf8, 0).into()),
            Err(Refused::Wrong(wrong)) => return self.wrong_number(frame, element, wrong),
        };
        let array = match self.array(factory, items, shape) {
            Ok(array) => self.call_through(rule, array),
            Err(raised) => Err(raised),
        };
        match array {
            Ok(array) => Ok(Opened::Value(array, end)),
            Err(Raised) => {
                let cause = error::take_refusal(self.py)?;
                let found = unicode::decode_utf8(b"array")?;
                self.note(frame, node.expected.clone(), found, open, Some(cause))?;
                Err(DecodeFailure::Noted)
            }
        }
    }

    /// What `factory` makes of the memory and the shape.
    fn array(
        &mut self,
        factory: &Owned,
        items: Vec<u8>,
        shape: Vec<usize>,
    ) -> Result<Owned, Raised> {
        let memory = bytearray::new(self.py, &items)?;
        mem::drop(items);
        let mut lengths = Vec::new();
        lengths.try_reserve_exact(shape.len()).map_err(|_| error::no_memory())?;
        for length in shape {
            lengths.push(int::new(self.py, length as i64)?);
        }
        let shape = tuple::new(self.py, &mut lengths, 0)?;
        call::call_two(self.py, factory, &memory, &shape)
    }

    #[cold]
    fn wrong_number(
        &mut self,
        frame: &Frame<'p>,
        element: Element,
        wrong: Wrong,
    ) -> Result<Opened<'p>, DecodeFailure> {
        let Wrong { at, indices, what } = wrong;
        let (expected, found) = match what {
            What::Item => (unicode::decode_utf8(element.name())?, self.excerpt(at)?),
            What::NoArray => (unicode::decode_utf8(b"array")?, self.kind_name(at)?),
            What::Length { expected, found } => (array_of(expected)?, array_of(found)?),
        };
        let mut path = Vec::new();
        path.try_reserve_exact(indices.len()).map_err(|_| error::no_memory())?;
        for index in indices {
            path.push(int::new(self.py, index as i64)?);
        }
        self.note_inside(frame, path, expected, found, at)?;
        Err(DecodeFailure::Noted)
    }
}

/// `array of 3`.
#[cold]
fn array_of(items: usize) -> Result<Owned, Raised> {
    Message::new().text("array of ")?.count(items)?.to_str()
}
