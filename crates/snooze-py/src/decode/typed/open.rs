//! Brackets: what an array or an object becomes.

use crate::decode::typed::context::Context;
use crate::decode::typed::error::DecodeFailure;
use crate::decode::typed::frame::{Frame, Kind, Opened};
use crate::decode::typed::plan::{LengthBounds, Node, Record, Rule};
use crate::decode::typed::skip;
use crate::py::{error, unicode};

impl<'p> Context<'p, '_> {
    /// The frame of a record whose fields have just been put on their stack.
    #[inline(always)]
    pub(super) fn record_frame(
        &self,
        record: &'p Record,
        node: &'p Node,
        open: usize,
    ) -> Frame<'p> {
        Frame {
            kind: Kind::Record,
            failed: false,
            nested: true,
            plain_keys: false,
            is_done: false,
            node,
            rule: node.object,
            item: node,
            record,
            values: self.values.len(),
            fields: self.fields.len() - record.fields.len(),
            open,
            member: open,
            current: 0,
            next: 0,
            seen_fields: 0,
        }
    }

    /// Opens an object that becomes a dict.
    #[inline(always)]
    pub(super) fn open_dict(
        &self,
        node: &'p Node,
        number: u32,
        open: usize,
    ) -> Result<Opened<'p>, DecodeFailure> {
        let Some(dict) = self.plan.tables.dicts.get(number as usize) else {
            return Err(error::system_error(c"a plan has no such dict").into());
        };
        let value = self.plan.node(dict.value);
        let inner = self.frame(Kind::Dict, node, node.object, value, open);
        let (plain_keys, is_done) = (dict.plain_keys, dict.lengths == LengthBounds::ANY);
        Ok(Opened::Container(Frame { plain_keys, is_done, ..inner }))
    }

    /// The frame of a container of items.
    #[inline(always)]
    pub(super) fn frame(
        &self,
        kind: Kind,
        node: &'p Node,
        rule: Rule,
        item: &'p Node,
        open: usize,
    ) -> Frame<'p> {
        Frame {
            kind,
            nested: item.string != Rule::Any,
            node,
            rule,
            item,
            values: self.values.len(),
            fields: self.fields.len(),
            open,
            member: open,
            ..Frame::top(self.plan)
        }
    }
}

impl<'p> Context<'p, '_> {
    /// What an opening bracket opens.
    #[inline(never)]
    pub(super) fn open_array(
        &mut self,
        node: &'p Node,
        rule: Rule,
        open: usize,
        frame: &Frame<'p>,
    ) -> Result<Opened<'p>, DecodeFailure> {
        let plan = self.plan;
        let of = |walk: &Self, kind, item| {
            Ok(Opened::Container(walk.frame(kind, node, rule, item, open)))
        };
        match plan.bare(rule) {
            Rule::Any => {
                let inner = self.frame(Kind::List, node, rule, &plan.any, open);
                let is_done = matches!(rule, Rule::Any);
                Ok(Opened::Container(Frame { is_done, ..inner }))
            }
            Rule::List(item, _) => of(self, Kind::List, plan.node(item)),
            Rule::Set(item, _) => of(self, Kind::Set, plan.node(item)),
            Rule::FrozenSet(item, _) => of(self, Kind::FrozenSet, plan.node(item)),
            Rule::Tuple(item, _) => of(self, Kind::Tuple, plan.node(item)),
            Rule::Fixed(_) => of(self, Kind::Fixed, &plan.any),
            Rule::ArrayRecord(number) => {
                let record = plan.record(number);
                self.reserve_fields(record.fields.len())?;
                let inner = self.record_frame(record, node, open);
                Ok(Opened::Container(Frame { kind: Kind::ArrayRecord, rule, ..inner }))
            }
            Rule::Raw(class) => self.raw_container(node, rule, class, open, frame),
            Rule::NdArray(_) => of(self, Kind::List, &plan.any),
            Rule::Numbers(number) => self.ndarrays(node, rule, number, open, frame),
            _ => {
                let found = unicode::decode_utf8(b"array")?;
                self.note(frame, node.expected.clone(), found, open, None)?;
                Err(DecodeFailure::Noted)
            }
        }
    }

    /// What an opening brace opens.
    #[inline(never)]
    pub(super) fn open_object(
        &mut self,
        node: &'p Node,
        rule: Rule,
        open: usize,
        frame: &Frame<'p>,
    ) -> Result<Opened<'p>, DecodeFailure> {
        let plan = self.plan;
        let record = match plan.bare(rule) {
            Rule::Any => {
                let inner = self.frame(Kind::Dict, node, rule, &plan.any, open);
                let is_done = matches!(rule, Rule::Any);
                return Ok(Opened::Container(Frame { plain_keys: true, is_done, ..inner }));
            }
            Rule::Dict(number) => {
                let Some(dict) = plan.tables.dicts.get(number as usize) else {
                    return Err(error::system_error(c"a plan has no such dict").into());
                };
                let inner = self.frame(Kind::Dict, node, rule, plan.node(dict.value), open);
                return Ok(Opened::Container(Frame { plain_keys: dict.plain_keys, ..inner }));
            }
            Rule::Raw(class) => {
                return self.raw_container(node, rule, class, open, frame);
            }
            Rule::Record(number) => number,
            Rule::Union(number) => match plan.tables.unions.get(number as usize) {
                Some(union) => self.choose_record(node, union, open, frame)?,
                None => return Err(error::system_error(c"a plan has no such union").into()),
            },
            _ => {
                let found = unicode::decode_utf8(b"object")?;
                self.note(frame, node.expected.clone(), found, open, None)?;
                return Err(DecodeFailure::Noted);
            }
        };
        let record = plan.record(record);
        self.reserve_fields(record.fields.len())?;
        Ok(Opened::Container(Frame { rule, ..self.record_frame(record, node, open) }))
    }

    fn raw_container(
        &mut self,
        node: &'p Node,
        rule: Rule,
        class: u32,
        open: usize,
        frame: &Frame<'p>,
    ) -> Result<Opened<'p>, DecodeFailure> {
        let end = skip::over(self.runtime, self.bytes, open, self.frames.len(), false)?;
        let made = self.raw(class, open);
        let made = made.and_then(|made| Ok(self.call_through(rule, made)?));
        match made {
            Ok(made) => Ok(Opened::Value(made, end)),
            made => Ok(Opened::Value(self.settle(made, node, open, frame)?, end)),
        }
    }
}
