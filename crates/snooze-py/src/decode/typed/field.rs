//! The target of a member or an item that no field has as its first name: further names, items of
//! arrays, tags, unknown members.
//!
//! Separate from `member`, which finds most fields by their first name, and from `record`, which
//! makes instances of them. Invariant: when a node is returned, the frame's `current` says where
//! its value goes. Called by `member` and `walk`.

use crate::decode::typed::context::Context;
use crate::decode::typed::error::DecodeFailure;
use crate::decode::typed::frame::{COLLECTED, Frame, FrameKind};
use crate::decode::typed::plan::{Field, Node, Record, Rule, Tag, UnknownMembers};
use crate::decode::typed::skip;
use crate::py::message::Message;
use crate::py::unicode::Str;
use crate::py::{Owned, Raised, bytes, call, unicode};

impl<'p> Context<'p, '_> {
    /// Handles a member with a further name of a field, or with an unknown name. `name_index` is
    /// the index of a known name, `at` the offset of the value. Returns the node of the value if it
    /// is wanted, or else `None` and the offset after it.
    #[inline(never)]
    pub(super) fn aliased_or_unknown_member(
        &mut self,
        frame: &mut Frame<'p>,
        name_index: Option<usize>,
        at: usize,
        scratch: &mut Vec<u8>,
    ) -> Result<(Option<&'p Node>, usize), DecodeFailure> {
        let record = frame.record;
        if let Some(name_index) = name_index
            && let Some(&index) = record.aliases.get(name_index - record.fields.len())
            && let Some(field) = record.fields.get(usize::from(index))
        {
            frame.current = index.into();
            return Ok((Some(&field.node), at));
        }
        let end = |walk: &Self| {
            let (depth, fast) = (walk.frames.len(), walk.plan.options.fast_skip);
            skip::value_end(walk.runtime, walk.bytes, at, depth, fast)
        };
        let name = skip::string_at(self.runtime, self.bytes, frame.name_offset, scratch)?;
        if let Some(tag) = &record.tag
            && tag.is_named(&name)
        {
            self.check_tag(frame, tag, at)?;
            return Ok((None, end(self)?));
        }
        let has_name = |known: &Vec<u8>| {
            Str::exact(name.get()).is_some_and(|name| unicode::is_utf8_of(name, known))
        };
        if record.skipped_names.iter().any(has_name) {
            return Ok((None, end(self)?));
        }
        // In a dict a collected member may not replace a field whose attribute has the same name.
        let is_field_key = match record.unknown {
            UnknownMembers::Collect { field: None, .. } => {
                let mut fields = record.fields.iter();
                fields.try_fold(false, |is_equal, field| {
                    Ok::<_, Raised>(is_equal || call::equal(self.py, &field.attribute, &name)?)
                })?
            }
            _ => false,
        };
        match record.unknown {
            UnknownMembers::Ignore => Ok((None, end(self)?)),
            _ if is_field_key || record.unknown == UnknownMembers::Forbid => {
                self.add_unknown_member(frame, &name)?;
                if !self.plan.options.all_errors {
                    return Err(DecodeFailure::Problem);
                }
                frame.failed = true;
                Ok((None, end(self)?))
            }
            UnknownMembers::Collect { node, .. } => {
                self.push_value(name)?;
                frame.current = COLLECTED;
                Ok((Some(self.plan.node(node)), at))
            }
            UnknownMembers::Forbid => Ok((None, end(self)?)),
        }
    }

    /// Adds the problem that a record has no member of a name.
    pub(super) fn add_unknown_member(
        &mut self,
        frame: &Frame<'p>,
        name: &Owned,
    ) -> Result<(), DecodeFailure> {
        let expected =
            Message::new().text("no member \"")?.str(name.get())?.text("\"")?.to_str()?;
        let found = unicode::decode_utf8(b"one")?;
        self.add_container_problem(frame, expected, found, frame.name_offset, None)
    }

    /// Compares the value of a tag with the one of this class; adds a problem if they differ.
    fn check_tag(
        &mut self,
        frame: &mut Frame<'p>,
        tag: &Tag,
        at: usize,
    ) -> Result<(), DecodeFailure> {
        let value = skip::tag_value(self.runtime, self.py, self.bytes, at)?;
        let is_equal = match &value {
            Some(value) => call::equal(self.py, value, &tag.value)?,
            None => false,
        };
        if is_equal {
            return Ok(());
        }
        let spaces = self.bytes.iter().skip(at).take_while(|byte| b" \t\n\r".contains(byte));
        let at = at + spaces.count();
        // A tag without a value is a syntax error.
        skip::value_end(self.runtime, self.bytes, at, self.frames.len(), false)?;
        let found = self.excerpt(at)?;
        let expected = tag.expected.clone();
        self.add_problem(frame, expected, found, at, None)?;
        if !self.plan.options.all_errors {
            return Err(DecodeFailure::Problem);
        }
        frame.failed = true;
        Ok(())
    }

    /// The node of the next item of an array whose items have a node each; `None` for an item too
    /// many, which is skipped: the number of items is checked when the array is closed.
    #[inline(never)]
    pub(super) fn array_item_node(&self, frame: &mut Frame<'p>) -> Option<&'p Node> {
        let item = frame.advance();
        if item == 0
            && frame.kind == FrameKind::ArrayRecord
            && let Some(node) = frame.record.tag_item
        {
            return Some(self.plan.node(node));
        }
        match (frame.kind, self.plan.without_calls(frame.rule)) {
            (FrameKind::FixedTuple, Rule::FixedTuple(index)) => {
                let nodes = self.plan.tables.fixed_tuples.get(index as usize);
                nodes.and_then(|nodes| nodes.get(item)).map(|node| self.plan.node(node))
            }
            _ => frame.record.array_field(item).map(|(_, field)| &field.node),
        }
    }

    /// Stores an item of an array in the record's field at its index.
    #[inline(never)]
    pub(super) fn store_array_item(
        &mut self,
        frame: &mut Frame<'p>,
        value: Owned,
    ) -> Result<(), DecodeFailure> {
        if let Some((index, _)) = frame.record.array_field(frame.current)
            && let Some(field) = self.fields.get_mut(frame.fields_start + index)
        {
            frame.seen_fields += 1;
            *field = Some(value);
        }
        Ok(())
    }
}

impl Record {
    /// Whether a member that is no field is skipped: not if it is the tag.
    #[inline(always)]
    pub(super) fn skips(&self, name: &[u8]) -> bool {
        self.skips_unknown
            && self.tag.as_ref().is_none_or(|tag| bytes::contents(tag.name.get()) != name)
    }

    /// The field for the item at an index of an array, and the index of the field.
    fn array_field(&self, item: usize) -> Option<(usize, &Field)> {
        let item = item.checked_sub(usize::from(self.tag_item.is_some()))?;
        let index = usize::from(*self.array_fields.get(item)?);
        Some((index, self.fields.get(index)?))
    }
}

impl Tag {
    /// Whether a member's name is the name of the tag.
    fn is_named(&self, name: &Owned) -> bool {
        let tag = bytes::contents(self.name.get());
        Str::exact(name.get()).is_some_and(|name| unicode::is_utf8_of(name, tag))
    }
}
