//! Unions of classes: finding the class of an object by the value of a tag, or by a member's
//! presence.
//!
//! Separate from `open`, which opens the object, because this reads ahead in it. Invariant: nothing
//! is consumed, the walk reads the object again from its start. Called by `open`.

use crate::decode::typed::context::Context;
use crate::decode::typed::error::DecodeFailure;
use crate::decode::typed::frame::Frame;
use crate::decode::typed::objects::source::SUBJECT;
use crate::decode::typed::plan::{Node, Union};
use crate::decode::typed::skip;
use crate::py::int::{Int, IntValue};
use crate::py::message::Message;
use crate::py::types::{self, Base};
use crate::py::{Owned, Raised, dict, error, int, singletons, unicode};

impl<'p> Context<'p, '_> {
    /// The index of the record for the object at an offset.
    ///
    /// PERF: members before the one that selects the record are skipped by their brackets alone.
    /// The objects in them may be searched again at each level, so checking them here took seconds
    /// for documents of about 100 KB (2026-11-21). They are checked when the walk reads them, or
    /// below if no record is selected.
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
        let skipped = skip::visit_members(
            runtime,
            bytes,
            open,
            self.frames.len() + 1,
            true,
            &mut |name, value| {
                if name == tag {
                    at = Some(value);
                }
                at.is_none()
            },
        );
        let Some(at) = at else {
            if let Some(fallback) = union.fallback {
                return Ok(fallback);
            }
            self.check_members(open, usize::MAX)?;
            skipped?;
            let name = unicode::decode_utf8(tag)?;
            let expected =
                Message::new().text("member \"")?.str(name.get())?.text("\"")?.to_str()?;
            let found = unicode::decode_utf8(b"none")?;
            self.add_problem(frame, expected, found, open, None)?;
            return Err(DecodeFailure::Problem);
        };
        if let Some(value) = skip::tag_value(runtime, self.py, bytes, at)?
            && let Some(index) = dict::get(self.py, union.records.get(), &value)?
        {
            return self.record_index(&index);
        }
        if let Some(fallback) = union.fallback {
            return Ok(fallback);
        }
        self.check_members(open, at)?;
        let expected = Message::new().alternatives(self.py, union.records.get())?.to_str()?;
        let name = unicode::decode_utf8(tag)?;
        let at = skip::after_space(runtime, bytes, at);
        // A tag without a value is a syntax error.
        self.problem_value_end(at)?;
        let found = self.excerpt(at)?;
        let mut deeper = Vec::new();
        deeper.try_reserve_exact(1).map_err(|_| error::no_memory())?;
        deeper.push(name);
        self.add_problem_inside(frame, deeper, expected, found, at)?;
        Err(DecodeFailure::Problem)
    }

    /// The index of the record that the first member with a known name selects.
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
        let skipped = skip::visit_members(runtime, bytes, open, depth, true, &mut |name, _| {
            chosen = match core::str::from_utf8(name) {
                Ok(name) => unicode::decode_utf8(name.as_bytes())
                    .and_then(|name| dict::get(py, union.records.get(), &name))
                    .map_err(DecodeFailure::from),
                Err(_) => Ok(None),
            };
            matches!(chosen, Ok(None))
        });
        if let Some(index) = chosen? {
            return self.record_index(&index);
        }
        if let Some(fallback) = union.fallback {
            return Ok(fallback);
        }
        self.check_members(open, usize::MAX)?;
        skipped?;
        let found = unicode::decode_utf8(b"object")?;
        let mut expected = Message::new();
        expected.str(node.expected.get())?.text(" with member ")?;
        let expected = expected.alternatives(self.py, union.records.get())?.to_str()?;
        self.add_problem(frame, expected, found, open, None)?;
        Err(DecodeFailure::Problem)
    }

    /// The index of the record that the first item of an array selects.
    pub(super) fn choose_array_record(
        &mut self,
        node: &'p Node,
        union: &'p Union,
        open: usize,
        frame: &Frame<'p>,
    ) -> Result<u32, DecodeFailure> {
        let at = skip::after_space(self.runtime, self.bytes, open + 1);
        let value = match &self.sources {
            Some(sources) => sources.first_item().cloned(),
            None if self.bytes.get(at) == Some(&b']') => None,
            None => match skip::tag_value(self.runtime, self.py, self.bytes, at)? {
                Some(value) => Some(value),
                None => Some(singletons::none(self.py)),
            },
        };
        let Some(value) = value else {
            let found = self.kind_name(open)?;
            let found = Message::new().str(found.get())?.text(" of 0")?.to_str()?;
            self.add_problem(frame, node.expected.clone(), found, open, None)?;
            return Err(DecodeFailure::Problem);
        };
        if is_tag_value(&value)
            && let Some(index) = self.record_of_tag(union, &value)?
        {
            return self.record_index(&index);
        }
        let expected = Message::new().alternatives(self.py, union.records.get())?.to_str()?;
        let mut deeper = Vec::new();
        deeper.try_reserve_exact(1).map_err(|_| error::no_memory())?;
        deeper.push(int::new(self.py, 0)?);
        let at = match &mut self.sources {
            Some(sources) => {
                sources.subject = value;
                SUBJECT
            }
            None => {
                // A tag without a value is a syntax error.
                self.problem_value_end(at)?;
                at
            }
        };
        let found = self.excerpt(at)?;
        self.add_problem_inside(frame, deeper, expected, found, at)?;
        Err(DecodeFailure::Problem)
    }

    /// The index of the record that a tag selects; a `str` or `int` that cannot be hashed selects
    /// none.
    pub(super) fn record_of_tag(
        &mut self,
        union: &Union,
        value: &Owned,
    ) -> Result<Option<Owned>, DecodeFailure> {
        match dict::get(self.py, union.records.get(), value) {
            Ok(found) => Ok(found),
            Err(Raised) if !error::must_propagate(self.py) => {
                error::clear();
                Ok(None)
            }
            Err(Raised) => Err(DecodeFailure::Raised),
        }
    }

    /// Checks the members of an object up to the one whose value is at the offset `end`: a syntax
    /// error is reported before a problem.
    #[cold]
    fn check_members(&self, open: usize, end: usize) -> Result<(), DecodeFailure> {
        if self.plan.options.fast_skip {
            return Ok(());
        }
        let depth = self.frames.len() + 1;
        let visit = &mut |_: &[u8], value| value <= end;
        skip::visit_members(self.runtime, self.bytes, open, depth, false, visit).map(|_| ())
    }

    /// The index of a record, from the plan's dict.
    pub(super) fn record_index(&self, index: &Owned) -> Result<u32, DecodeFailure> {
        match Int::exact(index.get()).map(int::value::<false>).transpose()? {
            Some(IntValue::Signed(index))
                if (0..self.plan.records.len() as i64).contains(&index) =>
            {
                Ok(index as u32)
            }
            _ => Err(error::system_error(c"a plan has no such record").into()),
        }
    }
}

/// Whether an object may be the value of a tag: a `str` or an `int`, but no `bool`.
pub(super) fn is_tag_value(object: &Owned) -> bool {
    !types::is_bool(object.get())
        && matches!(types::base(object.get()), Some(Base::Str | Base::Int))
}
