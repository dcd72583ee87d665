//! Which class of several an object is of: by the value of a tag, or by the name of a member.

use crate::decode::typed::context::Context;
use crate::decode::typed::error::DecodeFailure;
use crate::decode::typed::frame::Frame;
use crate::decode::typed::plan::{Node, Union};
use crate::decode::typed::skip;
use crate::py::message::Message;
use crate::py::{Owned, dict, error, int, unicode};

impl<'p> Context<'p, '_> {
    /// The number of the record that an object is of.
    ///
    /// PERF: what stands before the member that chooses is passed by its brackets alone, because an
    /// object in it may be looked through again, and so on: checking took seconds for documents of
    /// some 100 KB (2026-11-21). It is checked when it is read; here, if nothing is chosen.
    pub(super) fn choose_record(
        &mut self,
        node: &'p Node,
        union: &'p Union,
        open: usize,
        frame: &Frame<'p>,
    ) -> Result<u32, DecodeFailure> {
        let Some(tag) = &union.tag else {
            return self.choose_by_names(node, union, open, frame);
        };
        let tag = crate::py::bytes::contents(tag.get());
        let (runtime, bytes) = (self.runtime, self.bytes);
        let mut at = None;
        let passed =
            skip::members(runtime, bytes, open, self.frames.len() + 1, true, &mut |name, value| {
                if name == tag {
                    at = Some(value);
                }
                at.is_none()
            });
        let Some(at) = at else {
            self.check_members(open, usize::MAX)?;
            passed?;
            let name = unicode::decode_utf8(tag)?;
            let expected =
                Message::new().text("member \"")?.str(name.get())?.text("\"")?.to_str()?;
            let found = unicode::decode_utf8(b"none")?;
            self.note(frame, expected, found, open, None)?;
            return Err(DecodeFailure::Noted);
        };
        if let Some(value) = skip::scalar(runtime, self.py, bytes, at)?
            && let Some(number) = dict::get(self.py, &union.records, &value)?
        {
            return self.record_number(&number);
        }
        self.check_members(open, at)?;
        let expected = Message::new().alternatives(self.py, &union.records)?.to_str()?;
        let name = unicode::decode_utf8(tag)?;
        let at = skip::space(runtime, bytes, at);
        // What is no value is no JSON.
        self.behind(at)?;
        let found = self.excerpt(at)?;
        let mut deeper = Vec::new();
        deeper.try_reserve_exact(1).map_err(|_| error::no_memory())?;
        deeper.push(name);
        self.note_inside(frame, deeper, expected, found, at)?;
        Err(DecodeFailure::Noted)
    }

    /// The number of the record that the first member chooses whose name is one of those known.
    fn choose_by_names(
        &mut self,
        node: &'p Node,
        union: &'p Union,
        open: usize,
        frame: &Frame<'p>,
    ) -> Result<u32, DecodeFailure> {
        let (runtime, bytes) = (self.runtime, self.bytes);
        let mut chosen: Result<Option<Owned>, DecodeFailure> = Ok(None);
        let depth = self.frames.len() + 1;
        let py = &mut *self.py;
        let passed = skip::members(runtime, bytes, open, depth, true, &mut |name, _| {
            chosen = match core::str::from_utf8(name) {
                Ok(name) => unicode::decode_utf8(name.as_bytes())
                    .and_then(|name| dict::get(py, &union.records, &name))
                    .map_err(DecodeFailure::from),
                Err(_) => Ok(None),
            };
            matches!(chosen, Ok(None))
        });
        if let Some(number) = chosen? {
            return self.record_number(&number);
        }
        self.check_members(open, usize::MAX)?;
        passed?;
        let found = unicode::decode_utf8(b"object")?;
        let mut expected = Message::new();
        expected.str(node.expected.get())?.text(" with member ")?;
        let expected = expected.alternatives(self.py, &union.records)?.to_str()?;
        self.note(frame, expected, found, open, None)?;
        Err(DecodeFailure::Noted)
    }

    /// Checks the members of an object up to the one whose value is at an offset: a fault of the text
    /// comes before one of its meaning.
    #[cold]
    fn check_members(&self, open: usize, end: usize) -> Result<(), DecodeFailure> {
        if self.plan.options.fast_skip {
            return Ok(());
        }
        let depth = self.frames.len() + 1;
        let see = &mut |_: &[u8], value| value <= end;
        skip::members(self.runtime, self.bytes, open, depth, false, see).map(|_| ())
    }

    fn record_number(&self, number: &Owned) -> Result<u32, DecodeFailure> {
        match int::value::<false>(number.get())? {
            int::Int::Signed(number) if (0..self.plan.records.len() as i64).contains(&number) => {
                Ok(number as u32)
            }
            _ => Err(error::system_error(c"a union has a record that is none").into()),
        }
    }
}
