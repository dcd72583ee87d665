//! The option `at`: finding the value to decode by a JSON Pointer (RFC 6901).
//!
//! Separate from `walk`, which starts at the offset found here. Invariant: the document has been
//! skipped up to its end before any part of it is decoded. Called by `walk`.

use snooze_core::arch::{Task, Vector};
use snooze_core::read::Reader;

use crate::decode::typed::context::Context;
use crate::decode::typed::error::DecodeFailure;
use crate::decode::typed::frame::Frame;
use crate::decode::typed::plan::Node;
use crate::decode::typed::skip::{after_space, value_end, visit_members};
use crate::py::message::Message;
use crate::py::{error, int, unicode};

impl<'p> Context<'p, '_> {
    /// The offset of the value that the decoder's pointer refers to. Of duplicate members the last
    /// one counts, as everywhere.
    #[cold]
    pub(super) fn find_pointed_value(&mut self, node: &'p Node) -> Result<usize, DecodeFailure> {
        let plan = self.plan;
        let (runtime, bytes, fast) = (self.runtime, self.bytes, plan.options.fast_skip);
        let mut at = after_space(runtime, bytes, 0);
        let end = value_end(runtime, bytes, at, 0, fast)?;
        runtime.dispatch.run(CheckEnd(bytes, end))?;
        let tokens = plan.options.pointer.iter().flatten();
        for (depth, token) in tokens.enumerate() {
            let token = crate::py::bytes::contents(token.get());
            let found = match bytes.get(at) {
                Some(b'{') => {
                    let mut found = None;
                    visit_members(runtime, bytes, at, 0, true, &mut |name, at| {
                        if name == token {
                            found = Some(at);
                        }
                        true
                    })?;
                    found.map(|at| after_space(runtime, bytes, at))
                }
                Some(b'[') => match array_index(token) {
                    Some(index) => runtime.dispatch.run(ItemOffset { bytes, open: at, index })?,
                    None => None,
                },
                _ => None,
            };
            let Some(found) = found else {
                return self.pointer_problem(node, depth, at);
            };
            let step = match bytes.get(at) {
                Some(b'[') => int::new(self.py, array_index(token).unwrap_or(0) as i64)?,
                _ => unicode::decode_utf8(token)?,
            };
            self.pointer_path.try_reserve(1).map_err(|_| error::no_memory())?;
            self.pointer_path.push(step);
            at = found;
        }
        Ok(at)
    }

    /// Adds the problem that the token at `depth` of the pointer refers to nothing in the value at
    /// an offset.
    fn pointer_problem(
        &mut self,
        node: &'p Node,
        depth: usize,
        at: usize,
    ) -> Result<usize, DecodeFailure> {
        let token = self.plan.options.pointer.iter().flatten().nth(depth);
        let token = token.map_or(&[][..], |token| crate::py::bytes::contents(token.get()));
        let found = Message::new().text("no \"")?.utf8(token)?.text("\"")?.to_str()?;
        let top = Frame::document(self.plan);
        self.add_container_problem(&top, node.expected.clone(), found, at, None)?;
        Err(DecodeFailure::Problem)
    }
}

/// The array index that a token of a pointer is: digits without a leading zero.
fn array_index(token: &[u8]) -> Option<usize> {
    let is_index = token == b"0" || token.first().is_some_and(|byte| (b'1'..=b'9').contains(byte));
    if !is_index {
        return None;
    }
    core::str::from_utf8(token).ok()?.parse().ok()
}

/// Finds the offset of the item at an index of the array at an offset, if there is one.
struct ItemOffset<'a> {
    bytes: &'a [u8],
    open: usize,
    index: usize,
}

impl Task for ItemOffset<'_> {
    type Output = Result<Option<usize>, DecodeFailure>;

    #[inline(always)]
    fn with_vectors<V: Vector>(self) -> Self::Output {
        let mut reader = Reader::<V>::resume(self.bytes, self.open + 1);
        if reader.token() == b']' {
            return Ok(None);
        }
        let mut found = None;
        for index in 0.. {
            reader.token();
            let at = reader.offset();
            if index == self.index {
                found = Some(at);
            }
            reader.skip_fast(0)?;
            match reader.token() {
                b',' => reader.consume(),
                b']' => break,
                _ => return Err(reader.no_array_end().into()),
            }
        }
        Ok(found)
    }
}

/// Checks that only white space follows an offset.
struct CheckEnd<'a>(&'a [u8], usize);

impl Task for CheckEnd<'_> {
    type Output = Result<(), DecodeFailure>;

    #[inline(always)]
    fn with_vectors<V: Vector>(self) -> Self::Output {
        Ok(Reader::<V>::resume(self.0, self.1).finish()?)
    }
}
