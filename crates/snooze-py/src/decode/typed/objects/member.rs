//! The members of objects: for a record up to the next wanted one, for a dict the next entry.
//!
//! Separate from `decode::typed::member` and `field`, which read names in a document. Invariant:
//! when a value is returned, the frame's `current` says where it goes, and the source has its name.
//! Called by `walk`.

use crate::decode::typed::context::Context;
use crate::decode::typed::convert::ConvertError;
use crate::decode::typed::error::DecodeFailure;
use crate::decode::typed::frame::{COLLECTED, Frame};
use crate::decode::typed::objects::source::{self, SUBJECT};
use crate::decode::typed::plan::{Node, Record, Rule, Tag, UnknownMembers};
use crate::decode::typed::union::is_tag_value;
use crate::py::types::Kind;
use crate::py::unicode::{Chars, Str};
use crate::py::{Owned, Raised, call, error, singletons, types, unicode};

impl<'p> Context<'p, '_> {
    /// The next wanted member of a record: its node and its value.
    pub(super) fn next_wanted_member(
        &mut self,
        frame: &mut Frame<'p>,
    ) -> Result<Option<(&'p Node, Owned)>, DecodeFailure> {
        if self.sources()?.innermost().is_some_and(|source| source.has_attributes) {
            return self.next_attribute(frame);
        }
        let record = frame.record;
        while let Some((name, value)) = self.sources()?.next_member() {
            match self.field_index(record, &name)? {
                Some(index) if index < record.fields.len() => {
                    frame.current = index;
                    let field = record.fields.get(index);
                    return Ok(field.map(|field| (&field.node, value)));
                }
                _ => {}
            }
            if let Some(node) = self.unknown_member_of_source(frame, &name, &value)? {
                return Ok(Some((node, value)));
            }
        }
        Ok(None)
    }

    /// The index of the field with a name.
    fn field_index(&self, record: &Record, name: &Owned) -> Result<Option<usize>, Raised> {
        let Some(text) = Str::any(name.get()) else { return Ok(None) };
        let found = match unicode::chars::<false>(text)? {
            Chars::Ascii(bytes) => record.names.find(bytes),
            _ => match unicode::encode_utf8(self.py, text) {
                Ok(bytes) => record.names.find(crate::py::bytes::contents(bytes.get())),
                Err(Raised) if error::is_unicode_error(self.py) => {
                    error::clear();
                    None
                }
                Err(Raised) => return Err(Raised),
            },
        };
        let Some(index) = found.map(usize::from) else { return Ok(None) };
        Ok(match index.checked_sub(record.fields.len()) {
            Some(alias) => record.aliases.get(alias).map(|&index| usize::from(index)),
            None => Some(index),
        })
    }

    /// Handles a member that is no field: the node of its value if it is wanted.
    fn unknown_member_of_source(
        &mut self,
        frame: &mut Frame<'p>,
        name: &Owned,
        value: &Owned,
    ) -> Result<Option<&'p Node>, DecodeFailure> {
        let record = frame.record;
        let text = Str::any(name.get());
        if let (Some(tag), Some(text)) = (&record.tag, text)
            && unicode::is_utf8_of(text, crate::py::bytes::contents(tag.name.get()))
        {
            self.check_tag_value(frame, tag, value)?;
            return Ok(None);
        }
        if let Some(text) = text
            && record.skipped_names.iter().any(|known| unicode::is_utf8_of(text, known))
        {
            return Ok(None);
        }
        match record.unknown {
            UnknownMembers::Ignore => Ok(None),
            UnknownMembers::Collect { field, node } if text.is_some() => {
                // A collected member may not replace a field whose attribute has the same name.
                if field.is_none() {
                    for known in &record.fields {
                        if call::equal(self.py, &known.attribute, name)? {
                            return self.refuse_member(frame, name).map(|()| None);
                        }
                    }
                }
                self.push_value(name.clone())?;
                frame.current = COLLECTED;
                Ok(Some(self.plan.node(node)))
            }
            _ => self.refuse_member(frame, name).map(|()| None),
        }
    }

    /// Adds a problem if a value is not that of the record's tag.
    fn check_tag_value(
        &mut self,
        frame: &mut Frame<'p>,
        tag: &Tag,
        value: &Owned,
    ) -> Result<(), DecodeFailure> {
        if is_tag_value(value) && call::equal(self.py, value, &tag.value)? {
            return Ok(());
        }
        self.sources()?.subject = value.clone();
        let found = self.excerpt(SUBJECT)?;
        self.add_problem(frame, tag.expected.clone(), found, SUBJECT, None)?;
        self.fail_or_stop(frame)
    }

    /// Adds the problem that a record has no such member.
    fn refuse_member(&mut self, frame: &mut Frame<'p>, name: &Owned) -> Result<(), DecodeFailure> {
        let shown = source::name_text(self.py, name)?;
        self.add_unknown_member(frame, &shown)?;
        self.fail_or_stop(frame)
    }

    /// Marks a container as failed, or stops at its first problem.
    fn fail_or_stop(&self, frame: &mut Frame<'p>) -> Result<(), DecodeFailure> {
        if !self.plan.options.all_errors {
            return Err(DecodeFailure::Problem);
        }
        frame.failed = true;
        Ok(())
    }

    /// The next field that is an attribute of the source: its node and its value.
    fn next_attribute(
        &mut self,
        frame: &mut Frame<'p>,
    ) -> Result<Option<(&'p Node, Owned)>, DecodeFailure> {
        let record = frame.record;
        let Some(object) = self.sources()?.innermost().map(|source| source.object.clone()) else {
            return Ok(None);
        };
        if let Some(tag) = &record.tag
            && frame.next == 0
        {
            let name = unicode::decode_utf8(crate::py::bytes::contents(tag.name.get()))?;
            if let Some(value) = call::optional_attribute(self.py, &object, &name)? {
                self.sources()?.set_name(name);
                self.check_tag_value(frame, tag, &value)?;
            }
        }
        // The fields that have a name in JSON: no other is set by a document.
        while let Some(&index) = record.array_fields.get(frame.advance()) {
            let Some(field) = record.fields.get(usize::from(index)) else { continue };
            self.sources()?.set_name(field.attribute.clone());
            if let Some(value) = call::optional_attribute(self.py, &object, &field.attribute)? {
                frame.current = index.into();
                return Ok(Some((&field.node, value)));
            }
        }
        Ok(None)
    }

    /// The value of the next entry of a dict, whose key is pushed.
    pub(super) fn next_entry(
        &mut self,
        frame: &mut Frame<'p>,
    ) -> Result<Option<Owned>, DecodeFailure> {
        let Some((name, value)) = self.sources()?.next_member() else { return Ok(None) };
        let is_str = matches!(types::kind(name.get()), Kind::Str(_));
        let key = if is_str && frame.plain_keys {
            name
        } else {
            // The key may be an instance of a subclass of `str`, whose hash is Python code.
            frame.plain_keys = false;
            match self.key_of(frame, name) {
                Err(DecodeFailure::Problem) if self.plan.options.all_errors => {
                    frame.failed = true;
                    singletons::none(self.py)
                }
                key => key?,
            }
        };
        self.push_value(key)?;
        Ok(Some(value))
    }

    /// The key for the name of a dict's member: a `str` is read as a name in JSON, any other object
    /// as a value.
    fn key_of(&mut self, frame: &Frame<'p>, name: Owned) -> Result<Owned, DecodeFailure> {
        let plan = self.plan;
        let node = match plan.without_calls(frame.rule) {
            Rule::Dict(index) => match plan.tables.dicts.get(index as usize) {
                Some(dict) => plan.node(dict.key),
                None => &plan.any_node,
            },
            _ => &plan.any_node,
        };
        self.sources()?.subject = name.clone();
        let is_exact = matches!(types::kind(name.get()), Kind::Str(_));
        let converted = match Str::any(name.get()) {
            Some(text) if node.string == Rule::Unexpected => {
                let kept = match is_exact {
                    true => Ok(None),
                    false => self.kept_instance(node, &name, false),
                };
                match kept {
                    Ok(Some(kept)) => Ok(kept),
                    Ok(None) => {
                        self.with_utf8(text, |walk, text| walk.string_as_other_kind(node, text, 0))
                    }
                    Err(error) => Err(error),
                }
            }
            _ => self.scalar(node, &name).unwrap_or(Err(ConvertError::WrongKind)),
        };
        self.value_or_problem(converted, node, SUBJECT, frame)
    }
}
