//! Opening brackets: which container an array or an object opens, by the rule of its node.
//!
//! Separate from `walk`, which opens the most frequent containers itself. Invariant: a returned
//! frame starts at the present ends of the stacks, with a field reserved for each field of a
//! record. Called by `walk`.

use crate::decode::typed::context::Context;
use crate::decode::typed::error::DecodeFailure;
use crate::decode::typed::frame::{Frame, FrameKind, Opened};
use crate::decode::typed::plan::{LengthBounds, Node, Record, Rule};
use crate::decode::typed::skip;
use crate::decode::typed::unknown_names::Link;
use crate::py::{error, unicode};

impl<'p> Context<'p, '_> {
    /// The frame of a record whose fields have just been reserved on the stack.
    #[inline(always)]
    pub(super) fn record_frame(
        &self,
        record: &'p Record,
        node: &'p Node,
        open: usize,
    ) -> Frame<'p> {
        Frame {
            kind: FrameKind::Record,
            failed: false,
            has_containers: true,
            plain_keys: false,
            is_unchecked: false,
            node,
            rule: node.object,
            item_node: node,
            record,
            values_start: self.values.len(),
            fields_start: self.fields.len() - record.fields.len(),
            open_offset: open,
            name_offset: open,
            current: 0,
            next: 0,
            unknown: Link::FIELD,
            seen_fields: 0,
        }
    }

    /// Opens an object that becomes a dict.
    #[inline(always)]
    pub(super) fn open_dict(
        &self,
        node: &'p Node,
        index: u32,
        open: usize,
    ) -> Result<Opened<'p>, DecodeFailure> {
        let Some(dict) = self.plan.tables.dicts.get(index as usize) else {
            return Err(error::system_error(c"a plan has no such dict").into());
        };
        let value = self.plan.node(dict.value);
        let inner = self.container_frame(FrameKind::Dict, node, node.object, value, open);
        let (plain_keys, is_unchecked) = (dict.plain_keys, dict.lengths == LengthBounds::ANY);
        Ok(Opened::Container(Frame { plain_keys, is_unchecked, ..inner }))
    }

    /// The frame of a container whose items, or values, share one node.
    #[inline(always)]
    pub(super) fn container_frame(
        &self,
        kind: FrameKind,
        node: &'p Node,
        rule: Rule,
        item_node: &'p Node,
        open: usize,
    ) -> Frame<'p> {
        Frame {
            kind,
            has_containers: !matches!(item_node.string, Rule::Any),
            node,
            rule,
            item_node,
            values_start: self.values.len(),
            fields_start: self.fields.len(),
            open_offset: open,
            name_offset: open,
            ..Frame::document(self.plan)
        }
    }

    /// The frame of a list or dict of any values. Its end needs a check only for the calls of its
    /// rule.
    #[inline(always)]
    fn any_frame(&self, kind: FrameKind, node: &'p Node, rule: Rule, open: usize) -> Frame<'p> {
        let inner = self.container_frame(kind, node, rule, &self.plan.any_node, open);
        Frame { is_unchecked: matches!(rule, Rule::Any), ..inner }
    }
}

impl<'p> Context<'p, '_> {
    /// Opens the array at an offset; `frame` is the container around it.
    #[inline(never)]
    pub(super) fn open_array(
        &mut self,
        node: &'p Node,
        rule: Rule,
        open: usize,
        frame: &Frame<'p>,
    ) -> Result<Opened<'p>, DecodeFailure> {
        let plan = self.plan;
        let container = |walk: &Self, kind, item_node| {
            Ok(Opened::Container(walk.container_frame(kind, node, rule, item_node, open)))
        };
        match plan.without_calls(rule) {
            Rule::Any => Ok(Opened::Container(self.any_frame(FrameKind::List, node, rule, open))),
            Rule::List(item, _) => container(self, FrameKind::List, plan.node(item)),
            Rule::Set(item, _) => container(self, FrameKind::Set, plan.node(item)),
            Rule::FrozenSet(item, _) => container(self, FrameKind::FrozenSet, plan.node(item)),
            Rule::Tuple(item, _) => container(self, FrameKind::Tuple, plan.node(item)),
            Rule::FixedTuple(_) => container(self, FrameKind::FixedTuple, &plan.any_node),
            Rule::ArrayRecord(index) => self.open_array_record(node, rule, index, open),
            Rule::ArrayUnion(index) => match plan.tables.unions.get(index as usize) {
                Some(union) => {
                    let index = self.choose_array_record(node, union, open, frame)?;
                    self.open_array_record(node, rule, index, open)
                }
                None => Err(error::system_error(c"a plan has no such union").into()),
            },
            Rule::Raw(class) => self.open_raw(node, rule, class, open, frame),
            Rule::NdArrayOfList(_) => container(self, FrameKind::List, &plan.any_node),
            Rule::NdArrayOfNumbers(index) => self.read_ndarray(node, rule, index, open, frame),
            _ => {
                let found = unicode::decode_utf8(b"array")?;
                self.add_problem(frame, node.expected.clone(), found, open, None)?;
                Err(DecodeFailure::Problem)
            }
        }
    }

    /// Opens an array of the fields of a record.
    fn open_array_record(
        &mut self,
        node: &'p Node,
        rule: Rule,
        index: u32,
        open: usize,
    ) -> Result<Opened<'p>, DecodeFailure> {
        let record = self.plan.record(index);
        self.reserve_fields(record.fields.len())?;
        let inner = self.record_frame(record, node, open);
        Ok(Opened::Container(Frame { kind: FrameKind::ArrayRecord, rule, ..inner }))
    }

    /// Opens the object at an offset; `frame` is the container around it.
    #[inline(never)]
    pub(super) fn open_object(
        &mut self,
        node: &'p Node,
        rule: Rule,
        open: usize,
        frame: &Frame<'p>,
    ) -> Result<Opened<'p>, DecodeFailure> {
        let plan = self.plan;
        let record = match plan.without_calls(rule) {
            Rule::Any => {
                let inner = self.any_frame(FrameKind::Dict, node, rule, open);
                return Ok(Opened::Container(Frame { plain_keys: true, ..inner }));
            }
            Rule::Dict(index) => {
                let Some(dict) = plan.tables.dicts.get(index as usize) else {
                    return Err(error::system_error(c"a plan has no such dict").into());
                };
                let value = plan.node(dict.value);
                let inner = self.container_frame(FrameKind::Dict, node, rule, value, open);
                return Ok(Opened::Container(Frame { plain_keys: dict.plain_keys, ..inner }));
            }
            Rule::Raw(class) => {
                return self.open_raw(node, rule, class, open, frame);
            }
            Rule::Record(index) => index,
            Rule::Union(index) => match plan.tables.unions.get(index as usize) {
                Some(union) if self.sources.is_some() => {
                    self.choose_record_of_source(node, union, open, frame)?
                }
                Some(union) => self.choose_record(node, union, open, frame)?,
                None => return Err(error::system_error(c"a plan has no such union").into()),
            },
            _ => {
                let found = unicode::decode_utf8(b"object")?;
                self.add_problem(frame, node.expected.clone(), found, open, None)?;
                return Err(DecodeFailure::Problem);
            }
        };
        let record = plan.record(record);
        self.reserve_fields(record.fields.len())?;
        Ok(Opened::Container(Frame { rule, ..self.record_frame(record, node, open) }))
    }

    /// Reads the whole container at an offset as a `Raw`.
    fn open_raw(
        &mut self,
        node: &'p Node,
        rule: Rule,
        class: u32,
        open: usize,
        frame: &Frame<'p>,
    ) -> Result<Opened<'p>, DecodeFailure> {
        let end = skip::value_end(self.runtime, self.bytes, open, self.frames.len(), false)?;
        let raw = self.new_raw(class, open);
        match raw.and_then(|raw| Ok(self.apply_calls(rule, raw)?)) {
            Ok(value) => Ok(Opened::Value(value, end)),
            converted => {
                Ok(Opened::Value(self.value_or_problem(converted, node, open, frame)?, end))
            }
        }
    }
}
