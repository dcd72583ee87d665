//! Unions of classes: finding the class of an object by the value of a tag, or by a member's
//! presence.
//!
//! Separate from `decode::typed::union`, which reads ahead in a document. Invariant: nothing is
//! taken from the source. Called by `open`.

use crate::decode::typed::context::Context;
use crate::decode::typed::error::DecodeFailure;
use crate::decode::typed::frame::Frame;
use crate::decode::typed::objects::source::SUBJECT;
use crate::decode::typed::plan::{Node, Union};
use crate::decode::typed::union::is_tag_value;
use crate::py::message::Message;
use crate::py::unicode::Str;
use crate::py::{Owned, bytes, call, dict, error, unicode};

impl<'p> Context<'p, '_> {
    /// The index of the record for the innermost source.
    pub(in crate::decode::typed) fn choose_record_of_source(
        &mut self,
        node: &'p Node,
        union: &'p Union,
        at: usize,
        frame: &Frame<'p>,
    ) -> Result<u32, DecodeFailure> {
        let Some(tag) = &union.tag else {
            return self.choose_by_names_of_source(node, union, at, frame);
        };
        let tag = bytes::contents(tag.get());
        let name = unicode::decode_utf8(tag)?;
        let attributes_of = match self.sources()?.innermost() {
            Some(source) if source.has_attributes => Some(source.object.clone()),
            _ => None,
        };
        let mut is_attribute = false;
        let (value, name) = match attributes_of {
            Some(object) => {
                let attribute = self.attribute_of_member(union, tag)?;
                is_attribute = attribute.is_some();
                let name = attribute.unwrap_or(name);
                (call::optional_attribute(self.py, &object, &name)?, name)
            }
            None => {
                let mut members = self.sources()?.members_left();
                let is_tag = |name: &Owned| {
                    Str::any(name.get()).is_some_and(|name| unicode::is_utf8_of(name, tag))
                };
                (members.find(|(name, _)| is_tag(name)).map(|(_, value)| value.clone()), name)
            }
        };
        if let Some(value) = &value
            && is_tag_value(value)
            && let Some(index) = self.record_of_tag(union, value)?
        {
            return self.record_index(&index);
        }
        if let Some(fallback) = union.fallback {
            return Ok(fallback);
        }
        match value {
            None => {
                let kind = if is_attribute { "attribute \"" } else { "member \"" };
                let expected = Message::new().text(kind)?.str(name.get())?.text("\"")?.to_str()?;
                let found = unicode::decode_utf8(b"none")?;
                self.add_problem(frame, expected, found, at, None)?;
            }
            Some(value) => {
                let expected =
                    Message::new().alternatives(self.py, union.records.get())?.to_str()?;
                self.sources()?.subject = value;
                let found = self.excerpt(SUBJECT)?;
                let mut deeper = Vec::new();
                deeper.try_reserve_exact(1).map_err(|_| error::no_memory())?;
                deeper.push(name);
                self.add_problem_inside(frame, deeper, expected, found, at)?;
            }
        }
        Err(DecodeFailure::Problem)
    }

    /// The attribute of the field that a member of a record is.
    fn attribute_in(&self, record: u32, name: &[u8]) -> Option<Owned> {
        let record = self.plan.record(record);
        let field = record.fields.get(usize::from(record.names.find(name)?))?;
        Some(field.attribute.clone())
    }

    /// The attribute of the field that the tag is, in the first record that has it as a field.
    fn attribute_of_member(
        &mut self,
        union: &Union,
        tag: &[u8],
    ) -> Result<Option<Owned>, DecodeFailure> {
        for (_, index) in dict::entries(self.py, union.records.get())? {
            let record = self.record_index(&index)?;
            if let Some(attribute) = self.attribute_in(record, tag) {
                return Ok(Some(attribute));
            }
        }
        Ok(None)
    }

    /// The index of the record that the first member with a known name selects.
    fn choose_by_names_of_source(
        &mut self,
        node: &'p Node,
        union: &'p Union,
        at: usize,
        frame: &Frame<'p>,
    ) -> Result<u32, DecodeFailure> {
        let mut names = Vec::new();
        let sources = self.sources()?;
        match sources.innermost() {
            Some(source) if source.has_attributes => {
                let object = source.object.clone();
                for (name, index) in dict::entries(self.py, union.records.get())? {
                    let record = self.record_index(&index)?;
                    let attribute = match Str::any(name.get()) {
                        Some(text) => {
                            let text = unicode::encode_utf8(self.py, text)?;
                            self.attribute_in(record, bytes::contents(text.get()))
                        }
                        None => None,
                    };
                    let attribute = attribute.unwrap_or_else(|| name.clone());
                    if call::optional_attribute(self.py, &object, &attribute)?.is_some() {
                        names.try_reserve(1).map_err(|_| error::no_memory())?;
                        names.push(name);
                    }
                }
            }
            _ => {
                for (name, _) in sources.members_left() {
                    if Str::any(name.get()).is_some() {
                        names.try_reserve(1).map_err(|_| error::no_memory())?;
                        names.push(name.clone());
                    }
                }
            }
        }
        for name in names {
            if let Some(index) = dict::get(self.py, union.records.get(), &name)? {
                return self.record_index(&index);
            }
        }
        if let Some(fallback) = union.fallback {
            return Ok(fallback);
        }
        let found = unicode::decode_utf8(b"object")?;
        let mut expected = Message::new();
        expected.str(node.expected.get())?.text(" with member ")?;
        let expected = expected.alternatives(self.py, union.records.get())?.to_str()?;
        self.add_problem(frame, expected, found, at, None)?;
        Err(DecodeFailure::Problem)
    }
}
