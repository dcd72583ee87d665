//! `at`: finding the one value that a decoder wants, by a JSON Pointer (RFC 6901).

use snooze_core::arch::{Task, Vector};
use snooze_core::read::Reader;

use crate::decode::typed::context::Context;
use crate::decode::typed::error::DecodeFailure;
use crate::decode::typed::frame::Frame;
use crate::decode::typed::plan::Node;
use crate::decode::typed::skip::{members, over, space};
use crate::py::message::Message;
use crate::py::{error, int, unicode};

impl<'p> Context<'p, '_> {
    /// The offset of the value that the decoder's pointer points to (RFC 6901). The whole document
    /// is gone over; of members of one name the last one counts, as everywhere.
    #[cold]
    pub(super) fn seek(&mut self, node: &'p Node) -> Result<usize, DecodeFailure> {
        let plan = self.plan;
        let (runtime, bytes, fast) = (self.runtime, self.bytes, plan.options.fast_skip);
        let mut at = space(runtime, bytes, 0);
        let end = over(runtime, bytes, at, 0, fast)?;
        runtime.dispatch.run(Finish(bytes, end))?;
        let tokens = plan.options.at.iter().flatten();
        for (depth, token) in tokens.enumerate() {
            let token = crate::py::bytes::contents(token.get());
            let found = match bytes.get(at) {
                Some(b'{') => {
                    let mut found = None;
                    members(runtime, bytes, at, 0, true, &mut |name, at| {
                        if name == token {
                            found = Some(at);
                        }
                        true
                    })?;
                    found.map(|at| space(runtime, bytes, at))
                }
                Some(b'[') => match index(token) {
                    Some(wanted) => runtime.dispatch.run(Items { bytes, open: at, wanted })?,
                    None => None,
                },
                _ => None,
            };
            let Some(found) = found else {
                return self.nothing_there(node, depth, at);
            };
            let step = match bytes.get(at) {
                Some(b'[') => int::new(self.py, index(token).unwrap_or(0) as i64)?,
                _ => unicode::decode_utf8(token)?,
            };
            self.pointer.try_reserve(1).map_err(|_| error::no_memory())?;
            self.pointer.push(step);
            at = found;
        }
        Ok(at)
    }

    /// The problem of a pointer that points to nothing.
    fn nothing_there(
        &mut self,
        node: &'p Node,
        depth: usize,
        at: usize,
    ) -> Result<usize, DecodeFailure> {
        let token = self.plan.options.at.iter().flatten().nth(depth);
        let token = token.map_or(&[][..], |token| crate::py::bytes::contents(token.get()));
        let found = Message::new().text("no \"")?.utf8(token)?.text("\"")?.to_str()?;
        let top = Frame::top(self.plan);
        self.note_open(&top, node.expected.clone(), found, at, None)?;
        Err(DecodeFailure::Noted)
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

/// The offset of each item of the array at an offset, likewise.
struct Items<'a> {
    bytes: &'a [u8],
    open: usize,
    wanted: usize,
}

impl Task for Items<'_> {
    type Output = Result<Option<usize>, DecodeFailure>;

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
    type Output = Result<(), DecodeFailure>;

    #[inline(always)]
    fn run<V: Vector>(self) -> Self::Output {
        Ok(Reader::<V>::resume(self.0, self.1).finish()?)
    }
}
