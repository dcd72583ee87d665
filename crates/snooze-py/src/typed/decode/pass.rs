//! Going over values: what nobody wants, what stands before what is wanted, and looking ahead.

use snooze_core::arch::generic::valid::is_utf8;
use snooze_core::arch::{Task, Vector};
use snooze_core::error::{Error, ErrorKind};
use snooze_core::number::Number;
use snooze_core::read::Reader;

use super::Fault;
use super::frame::Frame;
use super::plan::Node;
use super::problem::NameAt;
use super::walk::Walk;
use crate::py::{Attached, Owned, error, int, text};
use crate::state::State;

/// The offset behind the value at an offset, which is checked as JSON, or only its brackets.
pub(super) fn over(
    state: &State,
    bytes: &[u8],
    at: usize,
    depth: usize,
    fast: bool,
) -> Result<usize, Fault> {
    state.dispatch.run(Over { bytes, at, depth, fast })
}

struct Over<'a> {
    bytes: &'a [u8],
    at: usize,
    /// The containers that are open around the value.
    depth: usize,
    fast: bool,
}

impl Task for Over<'_> {
    type Output = Result<usize, Fault>;

    #[inline(always)]
    fn run<V: Vector>(self) -> Self::Output {
        let mut reader = Reader::<V>::resume(self.bytes, self.at);
        value(&mut reader, self.bytes, self.depth, self.fast)?;
        Ok(reader.offset())
    }
}

/// Passes the value that is next.
#[inline(always)]
pub(super) fn value<V: Vector>(
    reader: &mut Reader<'_, V>,
    bytes: &[u8],
    depth: usize,
    fast: bool,
) -> Result<(), Fault> {
    if fast {
        reader.skip_fast(depth)?;
        return Ok(());
    }
    let at = reader.offset();
    if !reader.skip(depth)? {
        check_utf8::<V>(bytes.get(at..reader.offset()).unwrap_or(&[]))?;
    }
    Ok(())
}

/// What is outside of strings is ASCII: so the whole is UTF-8 if the strings are.
#[inline(always)]
pub(super) fn check_utf8<V: Vector>(bytes: &[u8]) -> Result<(), Fault> {
    struct Check<'a>(&'a [u8]);
    impl Task for Check<'_> {
        type Output = bool;
        #[inline(always)]
        fn run<V: Vector>(self) -> bool {
            is_utf8::<V>(self.0)
        }
    }
    if V::enter(Check(bytes)) {
        return Ok(());
    }
    Err(Error::new(ErrorKind::InvalidUtf8, 0).into())
}

/// The string at an offset, which may be a member's name.
pub(super) fn name(
    state: &State,
    bytes: &[u8],
    at: usize,
    scratch: &mut Vec<u8>,
) -> Result<Owned, Fault> {
    state.dispatch.run(NameAt { bytes, at, text: scratch })
}

/// The string or the integer at an offset; `None` for anything else.
pub(super) fn scalar(
    state: &State,
    py: &Attached,
    bytes: &[u8],
    at: usize,
) -> Result<Option<Owned>, Fault> {
    let mut scratch = Vec::new();
    let start = space(state, bytes, at);
    match bytes.get(start) {
        Some(b'"') => name(state, bytes, start, &mut scratch).map(Some),
        Some(b'-' | b'0'..=b'9') => match snooze_core::number::read(bytes, start) {
            Ok((Number::Int(value), _)) => Ok(Some(int::new(py, value)?)),
            _ => Ok(None),
        },
        _ => Ok(None),
    }
}

/// The offset behind white space.
pub(super) fn space(state: &State, bytes: &[u8], at: usize) -> usize {
    struct Space<'a>(&'a [u8], usize);
    impl Task for Space<'_> {
        type Output = usize;
        #[inline(always)]
        fn run<V: Vector>(self) -> usize {
            let mut reader = Reader::<V>::resume(self.0, self.1);
            reader.token();
            reader.offset()
        }
    }
    state.dispatch.run(Space(bytes, at))
}

/// Looks at each member of the object at an offset: its name as it is, and the offset of its
/// value. Goes on while `see` returns true; returns the offset behind the object if it came there.
pub(super) fn members(
    state: &State,
    bytes: &[u8],
    open: usize,
    depth: usize,
    fast: bool,
    see: &mut dyn FnMut(&[u8], usize) -> bool,
) -> Result<Option<usize>, Fault> {
    state.dispatch.run(Members { bytes, open, depth, fast, see })
}

struct Members<'a> {
    bytes: &'a [u8],
    open: usize,
    depth: usize,
    fast: bool,
    see: &'a mut dyn FnMut(&[u8], usize) -> bool,
}

impl Task for Members<'_> {
    type Output = Result<Option<usize>, Fault>;

    #[inline(always)]
    fn run<V: Vector>(self) -> Self::Output {
        let mut reader = Reader::<V>::resume(self.bytes, self.open + 1);
        let mut scratch = Vec::new();
        if reader.token() == b'}' {
            reader.pass();
            return Ok(Some(reader.offset()));
        }
        loop {
            if reader.token() != b'"' {
                return Err(reader.no_key().into());
            }
            let name = reader.string(&mut scratch)?.bytes;
            reader.colon()?;
            let at = reader.offset();
            if !(self.see)(name, at) {
                return Ok(None);
            }
            value(&mut reader, self.bytes, self.depth, self.fast)?;
            match reader.token() {
                b',' => reader.pass(),
                b'}' => {
                    reader.pass();
                    return Ok(Some(reader.offset()));
                }
                _ => return Err(reader.no_object_end().into()),
            }
        }
    }
}

/// The offset of each item of the array at an offset, likewise.
struct Items<'a> {
    bytes: &'a [u8],
    open: usize,
    wanted: usize,
}

impl Task for Items<'_> {
    type Output = Result<Option<usize>, Fault>;

    #[inline(always)]
    fn run<V: Vector>(self) -> Self::Output {
        let mut reader = Reader::<V>::resume(self.bytes, self.open + 1);
        if reader.token() == b']' {
            return Ok(None);
        }
        let mut found = None;
        for place in 0.. {
            reader.token();
            let at = reader.offset();
            if place == self.wanted {
                found = Some(at);
            }
            reader.skip_fast(0)?;
            match reader.token() {
                b',' => reader.pass(),
                b']' => break,
                _ => return Err(reader.no_array_end().into()),
            }
        }
        Ok(found)
    }
}

/// Checks that nothing but white space follows an offset.
struct Finish<'a>(&'a [u8], usize);

impl Task for Finish<'_> {
    type Output = Result<(), Fault>;

    #[inline(always)]
    fn run<V: Vector>(self) -> Self::Output {
        Ok(Reader::<V>::resume(self.0, self.1).finish()?)
    }
}

impl<'p> Walk<'p, '_> {
    /// The offset of the value that the decoder's pointer points to (RFC 6901). The whole document
    /// is gone over; of members of one name the last one counts, as everywhere.
    #[cold]
    pub(super) fn seek(&mut self, node: &'p Node) -> Result<usize, Fault> {
        let plan = self.plan;
        let (state, bytes, fast) = (self.state, self.bytes, plan.options.fast_skip);
        let mut at = space(state, bytes, 0);
        let end = over(state, bytes, at, 0, fast)?;
        state.dispatch.run(Finish(bytes, end))?;
        let tokens = plan.options.at.iter().flatten();
        for (depth, token) in tokens.enumerate() {
            let token = crate::py::bytes::contents(token.get());
            let found = match bytes.get(at) {
                Some(b'{') => {
                    let mut found = None;
                    members(state, bytes, at, 0, true, &mut |name, at| {
                        if name == token {
                            found = Some(at);
                        }
                        true
                    })?;
                    found.map(|at| space(state, bytes, at))
                }
                Some(b'[') => match index(token) {
                    Some(wanted) => state.dispatch.run(Items { bytes, open: at, wanted })?,
                    None => None,
                },
                _ => None,
            };
            let Some(found) = found else {
                return self.nothing_there(node, depth, at);
            };
            let step = match bytes.get(at) {
                Some(b'[') => int::new(self.py, index(token).unwrap_or(0) as i64)?,
                _ => text::decode_utf8(token)?,
            };
            self.way.try_reserve(1).map_err(|_| error::no_memory())?;
            self.way.push(step);
            at = found;
        }
        Ok(at)
    }

    /// The problem of a pointer that points to nothing.
    fn nothing_there(&mut self, node: &'p Node, depth: usize, at: usize) -> Result<usize, Fault> {
        let token = self.plan.options.at.iter().flatten().nth(depth);
        let token = token.map_or(&[][..], |token| crate::py::bytes::contents(token.get()));
        let found = text::quoted(c"no \"%U\"", &text::decode_utf8(token)?)?;
        let top = Frame::top(self.plan);
        self.note_open(&top, node.label.clone(), found, at, None)?;
        Err(Fault::Wrong)
    }
}

/// The index that a token of a pointer is: digits without a leading zero.
fn index(token: &[u8]) -> Option<usize> {
    let is_index = token == b"0" || token.first().is_some_and(|byte| (b'1'..=b'9').contains(byte));
    if !is_index {
        return None;
    }
    core::str::from_utf8(token).ok()?.parse().ok()
}
