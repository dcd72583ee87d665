//! Brackets: what an array or an object becomes, and which class of several an object is of.

use super::frame::{Frame, Kind, Opened};
use super::plan::*;
use super::walk::Walk;
use super::{Fault, pass};
use crate::py::{Owned, dict, error, int, text};

impl<'p> Walk<'p, '_> {
    /// What an opening bracket opens.
    #[inline(never)]
    pub(super) fn open_array(
        &mut self,
        node: &'p Node,
        rule: Rule,
        open: usize,
        frame: &Frame<'p>,
    ) -> Result<Opened<'p>, Fault> {
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
            Rule::Numbers(number) => self.numbers(node, rule, number, open, frame),
            _ => {
                let found = text::decode_utf8(b"array")?;
                self.note(frame, node.label.clone(), found, open, None)?;
                Err(Fault::Wrong)
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
    ) -> Result<Opened<'p>, Fault> {
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
                let found = text::decode_utf8(b"object")?;
                self.note(frame, node.label.clone(), found, open, None)?;
                return Err(Fault::Wrong);
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
    ) -> Result<Opened<'p>, Fault> {
        let end = pass::over(self.state, self.bytes, open, self.frames.len(), false)?;
        let made = self.raw(class, open);
        let made = made.and_then(|made| Ok(self.call_through(rule, made)?));
        match made {
            Ok(made) => Ok(Opened::Value(made, end)),
            made => Ok(Opened::Value(self.settle(made, node, open, frame)?, end)),
        }
    }

    /// The number of the record that an object is of.
    ///
    /// PERF: what stands before the member that chooses is passed by its brackets alone, because an
    /// object in it may be looked through again, and so on: checking took seconds for documents of
    /// some 100 KB (2026-11-21). It is checked when it is read; here, if nothing is chosen.
    fn choose_record(
        &mut self,
        node: &'p Node,
        union: &'p Union,
        open: usize,
        frame: &Frame<'p>,
    ) -> Result<u32, Fault> {
        let Some(tag) = &union.tag else {
            return self.choose_by_names(node, union, open, frame);
        };
        let tag = crate::py::bytes::contents(tag.get());
        let (state, bytes) = (self.state, self.bytes);
        let mut at = None;
        let passed =
            pass::members(state, bytes, open, self.frames.len() + 1, true, &mut |name, value| {
                if name == tag {
                    at = Some(value);
                }
                at.is_none()
            });
        let Some(at) = at else {
            self.check_members(open, usize::MAX)?;
            passed?;
            let name = text::decode_utf8(tag)?;
            let expected = text::quoted(c"member \"%U\"", &name)?;
            let found = text::decode_utf8(b"none")?;
            self.note(frame, expected, found, open, None)?;
            return Err(Fault::Wrong);
        };
        if let Some(value) = pass::scalar(state, self.py, bytes, at)?
            && let Some(number) = dict::get(self.py, &union.records, &value)?
        {
            return self.record_number(&number);
        }
        self.check_members(open, at)?;
        let expected = text::alternatives(self.py, &union.records)?;
        let name = text::decode_utf8(tag)?;
        let at = pass::space(state, bytes, at);
        // What is no value is no JSON.
        pass::over(state, bytes, at, self.frames.len(), false)?;
        let found = self.excerpt(at)?;
        let mut deeper = Vec::new();
        deeper.try_reserve_exact(1).map_err(|_| error::no_memory())?;
        deeper.push(name);
        self.note_inside(frame, deeper, expected, found, at)?;
        Err(Fault::Wrong)
    }

    /// The number of the record that the first member chooses whose name is one of those known.
    fn choose_by_names(
        &mut self,
        node: &'p Node,
        union: &'p Union,
        open: usize,
        frame: &Frame<'p>,
    ) -> Result<u32, Fault> {
        let (state, bytes) = (self.state, self.bytes);
        let mut chosen: Result<Option<Owned>, Fault> = Ok(None);
        let depth = self.frames.len() + 1;
        let py = &mut *self.py;
        let passed = pass::members(state, bytes, open, depth, true, &mut |name, _| {
            chosen = match core::str::from_utf8(name) {
                Ok(name) => text::decode_utf8(name.as_bytes())
                    .and_then(|name| dict::get(py, &union.records, &name))
                    .map_err(Fault::from),
                Err(_) => Ok(None),
            };
            matches!(chosen, Ok(None))
        });
        if let Some(number) = chosen? {
            return self.record_number(&number);
        }
        self.check_members(open, usize::MAX)?;
        passed?;
        let found = text::decode_utf8(b"object")?;
        let names = text::alternatives(self.py, &union.records)?;
        let label = text::quoted_with(c"%U with member %U", &node.label, &names)?;
        self.note(frame, label, found, open, None)?;
        Err(Fault::Wrong)
    }

    /// Checks the members of an object up to the one whose value is at an offset: a fault of the text
    /// comes before one of its meaning.
    #[cold]
    fn check_members(&self, open: usize, end: usize) -> Result<(), Fault> {
        if self.plan.options.fast_skip {
            return Ok(());
        }
        let depth = self.frames.len() + 1;
        let see = &mut |_: &[u8], value| value <= end;
        pass::members(self.state, self.bytes, open, depth, false, see).map(|_| ())
    }

    fn record_number(&self, number: &Owned) -> Result<u32, Fault> {
        match int::value::<false>(number.get())? {
            int::Int::Signed(number) if (0..self.plan.records.len() as i64).contains(&number) => {
                Ok(number as u32)
            }
            _ => Err(error::system_error(c"a union has a record that is none").into()),
        }
    }
}
