//! The walk of a typed decoder: the grammar and the plan, side by side.
//!
//! The reader says what comes, the node what is expected. Finished values are kept on two stacks:
//! `values` for the items of open arrays and dicts, `fields` for the fields of open records, which
//! come in any order. Nesting is a third stack, so depth costs no C stack. Invariants: a value is
//! stored before the next token is read; whatever fails, what is on the stacks is released.
//!
//! PERF: the reader stays in registers. So it is never lent to a function that is not inlined:
//! those are given an offset, and say where they ended.

use snooze_core::arch::Vector;
use snooze_core::number::Number;
use snooze_core::read::{MAX_DEPTH, Reader};

use super::plan::*;
use super::{Fault, pass};
use crate::decode;
use crate::keys::KeyCache;
use crate::py::{Attached, Owned, error, int, list, make, new_dict};
use crate::state::State;
use crate::strings::StringCache;

/// What an open container becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Nothing: the document itself.
    Top,
    Record,
    Dict,
    List,
    Set,
    FrozenSet,
    Tuple,
    Fixed,
    ArrayRecord,
}

/// An open container.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame<'p> {
    pub(super) kind: Kind,
    /// Whether there was a problem inside.
    pub(super) failed: bool,
    /// Whether the member has come that says which class it is.
    pub(super) tagged: bool,
    /// Whether a container is, or may be, among the values of a dict.
    pub(super) nested: bool,
    /// Whether each member's name is itself the key.
    pub(super) plain_keys: bool,
    /// The node that expects the container.
    pub(super) node: &'p Node,
    pub(super) rule: Rule,
    /// The node of the items or of the values.
    pub(super) item: &'p Node,
    pub(super) record: &'p Record,
    /// Where its values begin on their stack, and its fields on theirs.
    pub(super) values: usize,
    pub(super) fields: usize,
    /// The offsets of its bracket and of the name of the current member.
    pub(super) open: usize,
    pub(super) member: usize,
    /// The field, or the name, that is read now, and the one that is expected next.
    pub(super) current: usize,
    pub(super) next: usize,
    /// The fields that have come.
    pub(super) filled: usize,
}

/// A number that no field has: the value is collected with its name.
pub(super) const COLLECTED: usize = usize::MAX;

/// What a bracket opens.
pub(super) enum Opened<'p> {
    Container(Frame<'p>),
    /// It is a value all the same, which ends at an offset.
    Value(Owned, usize),
}

/// What a decoder has at hand while it reads a document.
pub(super) struct Walk<'p, 'c> {
    pub(super) state: &'p State,
    pub(super) py: &'c mut Attached,
    pub(super) plan: &'p Plan,
    pub(super) bytes: &'c [u8],
    pub(super) values: &'c mut Vec<Owned>,
    pub(super) fields: &'c mut Vec<Option<Owned>>,
    pub(super) frames: Vec<Frame<'p>>,
    pub(super) keys: &'c mut KeyCache,
    pub(super) strings: &'c mut StringCache,
    pub(super) problems: Vec<Owned>,
    /// The way from the document to the value that is wanted.
    pub(super) way: Vec<Owned>,
}

impl<'p, 'c> Walk<'p, 'c> {
    /// Reads the document.
    #[inline(always)]
    pub(super) fn run<V: Vector, const DIRECT: bool>(
        &mut self,
        text: &mut Vec<u8>,
    ) -> Result<Owned, Fault> {
        let plan = self.plan;
        let mut reader = Reader::<V>::new(self.bytes)?;
        let mut node = plan.node(plan.root as u32);
        if plan.options.at.is_some() {
            let at = self.seek(node)?;
            reader = Reader::resume(self.bytes, at);
        }
        let mut frame = Frame::top(plan);
        'value: loop {
            let token = reader.token();
            let start = reader.offset();
            let made: Result<Option<Owned>, Fault> = match token {
                b'"' => {
                    let found = reader.string(text)?;
                    if let Rule::Str = node.string {
                        Ok(Some(decode::string::<V, DIRECT>(self.py, found, self.strings)?))
                    } else {
                        self.text_value(node, node.string, found, start, &frame).map(Some)
                    }
                }
                b'-' | b'+' | b'.' | b'0'..=b'9' => {
                    // As in `loads`.
                    let found = if !V::DECIMALS {
                        reader.number()
                    } else if let Some(value) = reader.short_integer() {
                        Ok(Number::Int(value))
                    } else {
                        reader.other_number()
                    };
                    match found {
                        Ok(Number::Int(value)) if matches!(node.int, Rule::Int) => {
                            Ok(Some(self.integer::<DIRECT>(value)?))
                        }
                        // A larger one may be an integer.
                        Ok(Number::Float(value))
                            if matches!(node.float, Rule::Float) && value.abs() < 9e18 =>
                        {
                            Ok(Some(int::new_float(self.py, value)?))
                        }
                        // Zero may have a sign.
                        Ok(Number::Int(value)) if matches!(node.int, Rule::Float) && value != 0 => {
                            Ok(Some(int::new_float(self.py, value as f64)?))
                        }
                        found => {
                            let end = reader.offset();
                            match self.number_value(node, found, start, end, &frame) {
                                Ok((value, end)) => {
                                    reader = Reader::resume(self.bytes, end);
                                    Ok(Some(value))
                                }
                                Err(fault) => Err(fault),
                            }
                        }
                    }
                }
                open @ (b'{' | b'[') => {
                    reader.pass();
                    if self.frames.len() >= MAX_DEPTH {
                        return Err(reader.too_deep().into());
                    }
                    let opened = match (open, node.object) {
                        (b'{', Rule::Record(record)) => {
                            let record = plan.record(record);
                            self.reserve_fields(record.fields.len())?;
                            Ok(Opened::Container(self.record_frame(record, node, start)))
                        }
                        (b'{', Rule::Dict(number)) => self.open_dict(node, number, start),
                        (b'{', rule) => self.open_object(node, rule, start, &frame),
                        _ => match node.array {
                            Rule::List(item, _) => {
                                let (rule, item) = (node.array, plan.node(item));
                                let inner = self.frame(Kind::List, node, rule, item, start);
                                Ok(Opened::Container(inner))
                            }
                            rule => self.open_array(node, rule, start, &frame),
                        },
                    };
                    match opened {
                        Ok(Opened::Container(inner)) => {
                            if self.frames.len() == self.frames.capacity() {
                                self.more_frames()?;
                            }
                            self.frames.push(frame);
                            frame = inner;
                            Ok(None)
                        }
                        Ok(Opened::Value(value, end)) => {
                            reader = Reader::resume(self.bytes, end);
                            Ok(Some(value))
                        }
                        Err(fault) => Err(fault),
                    }
                }
                b't' => {
                    reader.literal_true()?;
                    match node.boolean {
                        Rule::Bool => Ok(Some(int::new_bool(self.py, true))),
                        rule => self.bool_value(node, rule, true, start, &frame).map(Some),
                    }
                }
                b'f' => {
                    reader.literal_false()?;
                    match node.boolean {
                        Rule::Bool => Ok(Some(int::new_bool(self.py, false))),
                        rule => self.bool_value(node, rule, false, start, &frame).map(Some),
                    }
                }
                b'n' => {
                    reader.literal_null()?;
                    match node.null {
                        Rule::Null => Ok(Some(int::new_none(self.py))),
                        rule => self.null_value(node, rule, start, &frame).map(Some),
                    }
                }
                _ => return Err(reader.no_value().into()),
            };
            let mut value = match made {
                Ok(value) => value,
                Err(Fault::Wrong) if plan.options.all_errors => {
                    reader = Reader::resume(self.bytes, self.behind(start)?);
                    frame.failed = true;
                    Some(int::new_none(self.py))
                }
                Err(fault) => return Err(fault),
            };
            loop {
                match frame.kind {
                    Kind::Record => {
                        if let Some(value) = value.take() {
                            self.store(&mut frame, value)?;
                            match reader.token() {
                                b',' => {
                                    reader.pass();
                                    let next = self.member::<V>(&mut reader, &mut frame, text)?;
                                    if let Some(next) = next {
                                        node = next;
                                        continue 'value;
                                    }
                                }
                                b'}' => reader.pass(),
                                _ => return Err(reader.no_object_end().into()),
                            }
                        } else if reader.token() != b'}' {
                            if let Some(next) = self.member::<V>(&mut reader, &mut frame, text)? {
                                node = next;
                                continue 'value;
                            }
                        } else {
                            reader.pass();
                        }
                    }
                    Kind::Dict => {
                        let goes_on = if let Some(value) = value.take() {
                            self.push_value(value)?;
                            match reader.token() {
                                b',' => {
                                    reader.pass();
                                    true
                                }
                                b'}' => false,
                                _ => return Err(reader.no_object_end().into()),
                            }
                        } else {
                            reader.token() != b'}'
                        };
                        if goes_on {
                            self.key::<V, DIRECT>(&mut reader, &mut frame, text)?;
                            node = frame.item;
                            continue 'value;
                        }
                        reader.pass();
                    }
                    Kind::Top => {
                        if plan.options.at.is_none() {
                            reader.finish()?;
                        }
                        return match value {
                            Some(value) if !frame.failed => Ok(value),
                            _ => Err(Fault::Wrong),
                        };
                    }
                    kind => {
                        let goes_on = if let Some(value) = value.take() {
                            if kind == Kind::ArrayRecord {
                                self.store_by_place(&mut frame, value)?;
                            } else {
                                self.push_value(value)?;
                            }
                            match reader.token() {
                                b',' => {
                                    reader.pass();
                                    true
                                }
                                b']' => false,
                                _ => return Err(reader.no_array_end().into()),
                            }
                        } else {
                            reader.token() != b']'
                        };
                        if goes_on {
                            node = match kind {
                                Kind::Fixed | Kind::ArrayRecord => self.node_by_place(&mut frame),
                                _ => frame.item,
                            };
                            continue 'value;
                        }
                        reader.pass();
                    }
                }
                let end = reader.offset();
                let (made, failed) = if frame.kind == Kind::Record && !frame.failed {
                    self.close_record(&frame, end)?
                } else {
                    self.close::<DIRECT>(&frame, end)?
                };
                value = Some(made);
                if let Some(outer) = self.frames.pop() {
                    frame = Frame { nested: true, failed: outer.failed | failed, ..outer };
                }
            }
        }
    }

    /// Stores the value of a record's member.
    #[inline(always)]
    fn store(&mut self, frame: &mut Frame<'p>, value: Owned) -> Result<(), Fault> {
        if frame.current == COLLECTED {
            return self.push_value(value);
        }
        // There is a place for each field.
        if let Some(field) = self.fields.get_mut(frame.fields + frame.current) {
            frame.filled += usize::from(field.is_none());
            *field = Some(value);
        }
        Ok(())
    }

    #[inline(always)]
    pub(super) fn integer<const DIRECT: bool>(&self, value: i64) -> Result<Owned, Fault> {
        match self.state.small_ints.get(self.py, value) {
            Some(value) => Ok(value),
            None => Ok(int::new_large::<DIRECT>(self.py, value)?),
        }
    }

    /// Reads the name of a record's member, up to the value of one that is wanted; `None` if the
    /// record ends before.
    #[inline(always)]
    fn member<V: Vector>(
        &mut self,
        reader: &mut Reader<'c, V>,
        frame: &mut Frame<'p>,
        text: &mut Vec<u8>,
    ) -> Result<Option<&'p Node>, Fault> {
        let record = frame.record;
        loop {
            if reader.token() != b'"' {
                return Err(reader.no_key().into());
            }
            frame.member = reader.offset();
            let ahead = reader.string_ahead();
            let found = match ahead.and_then(|ahead| record.names.expected(frame.next, ahead)) {
                Some(len) => {
                    reader.pass_string(len);
                    Some(frame.next)
                }
                None => {
                    let name = reader.string(text)?;
                    let found = record.names.find(name.bytes).map(usize::from);
                    // A name that is used by nobody must be a text all the same.
                    if found.is_none() && !name.ascii {
                        pass::check_utf8(name.bytes)?;
                    }
                    found
                }
            };
            reader.colon()?;
            let place = found.unwrap_or(usize::MAX);
            if let Some(field) = record.fields.get(place) {
                (frame.current, frame.next) = (place, place + 1);
                return Ok(Some(&field.node));
            }
            if found.is_none() && record.passes_unknown {
                let depth = self.frames.len();
                pass::value(reader, self.bytes, depth, self.plan.options.fast_skip)?;
            } else {
                let (next, at) = self.other_member(frame, found, reader.offset(), text)?;
                if next.is_some() {
                    return Ok(next);
                }
                *reader = Reader::resume(self.bytes, at);
            }
            match reader.token() {
                b',' => reader.pass(),
                b'}' => {
                    reader.pass();
                    return Ok(None);
                }
                _ => return Err(reader.no_object_end().into()),
            }
        }
    }

    /// Reads the name of a dict's member and puts the key on the stack.
    #[inline(always)]
    fn key<V: Vector, const DIRECT: bool>(
        &mut self,
        reader: &mut Reader<'c, V>,
        frame: &mut Frame<'p>,
        text: &mut Vec<u8>,
    ) -> Result<(), Fault> {
        frame.member = {
            reader.token();
            reader.offset()
        };
        if frame.plain_keys {
            decode::key::<V, DIRECT>(self.py, reader, self.values, text, self.keys)?;
            return Ok(());
        }
        if reader.token() != b'"' {
            return Err(reader.no_key().into());
        }
        let name = reader.string(text)?;
        let made = self.key_value(frame, name);
        let key = match made {
            Ok(key) => key,
            Err(Fault::Wrong) if self.plan.options.all_errors => {
                frame.failed = true;
                int::new_none(self.py)
            }
            Err(fault) => return Err(fault),
        };
        self.push_value(key)?;
        reader.colon()?;
        Ok(())
    }

    /// What a container that is no record, or that has failed, becomes.
    #[inline(always)]
    fn close<const DIRECT: bool>(
        &mut self,
        frame: &Frame<'p>,
        end: usize,
    ) -> Result<(Owned, bool), Fault> {
        if frame.failed || !matches!(frame.kind, Kind::List | Kind::Dict) {
            return self.close_other(frame, end);
        }
        let count = self.values.len() - frame.values;
        let (made, count) = if frame.kind == Kind::List {
            let list = if count == 0 {
                list::empty(self.py)?
            } else {
                list::from_values::<DIRECT>(self.py, self.values, frame.values)?
            };
            (Ok(list), count)
        } else {
            let dict = if count == 0 {
                Ok(new_dict::empty(self.py)?)
            } else if frame.plain_keys {
                let nested = frame.nested;
                Ok(new_dict::from_pairs::<DIRECT>(self.py, self.values, frame.values, nested)?)
            } else {
                make::dict(self.py, self.values, frame.values)
            };
            (dict, count / 2)
        };
        match (made, frame.rule) {
            (Ok(made), Rule::List(_, Lens::ANY) | Rule::Any) => Ok((made, false)),
            (made, _) => self.finish(frame, made, count, end),
        }
    }

    #[inline(always)]
    pub(super) fn push_value(&mut self, value: Owned) -> Result<(), Fault> {
        if self.values.len() == self.values.capacity() {
            self.more_values()?;
        }
        self.values.push(value);
        Ok(())
    }

    #[cold]
    #[inline(never)]
    fn more_values(&mut self) -> Result<(), Fault> {
        let more = self.values.len().max(64);
        self.values.try_reserve(more).map_err(|_| error::no_memory().into())
    }

    #[cold]
    #[inline(never)]
    fn more_frames(&mut self) -> Result<(), Fault> {
        let more = self.frames.len().max(16);
        self.frames.try_reserve(more).map_err(|_| error::no_memory().into())
    }

    /// Makes room on the stack of fields.
    #[inline(always)]
    pub(super) fn reserve_fields(&mut self, count: usize) -> Result<(), Fault> {
        if self.fields.capacity() - self.fields.len() < count {
            self.more_fields(count)?;
        }
        self.fields.resize_with(self.fields.len() + count, || None);
        Ok(())
    }

    #[cold]
    #[inline(never)]
    fn more_fields(&mut self, count: usize) -> Result<(), Fault> {
        let more = self.fields.len().max(64) + count;
        self.fields.try_reserve(more).map_err(|_| error::no_memory().into())
    }

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
            tagged: false,
            nested: true,
            plain_keys: false,
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
            filled: 0,
        }
    }

    /// Opens an object that becomes a dict.
    #[inline(always)]
    fn open_dict(&self, node: &'p Node, number: u32, open: usize) -> Result<Opened<'p>, Fault> {
        let Some(dict) = self.plan.tables.dicts.get(number as usize) else {
            return Err(error::system_error(c"a plan has no such dict").into());
        };
        let value = self.plan.node(dict.value);
        let inner = self.frame(Kind::Dict, node, node.object, value, open);
        Ok(Opened::Container(inner.with_plain_keys(dict.plain_keys)))
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

impl<'p> Frame<'p> {
    /// The frame around the document.
    pub(super) fn top(plan: &'p Plan) -> Self {
        Frame {
            kind: Kind::Top,
            failed: false,
            tagged: false,
            nested: false,
            plain_keys: false,
            node: &plan.any,
            rule: Rule::No,
            item: &plan.any,
            record: &plan.no_record,
            values: 0,
            fields: 0,
            open: 0,
            member: 0,
            current: 0,
            next: 0,
            filled: 0,
        }
    }

    /// The same with names that are keys as they are.
    pub(super) fn with_plain_keys(self, plain_keys: bool) -> Self {
        Frame { plain_keys, ..self }
    }

    /// Goes to the next place of a frame whose items have each their own node.
    #[inline(always)]
    pub(super) fn step(&mut self) -> usize {
        self.current = self.next;
        self.next += 1;
        self.current
    }
}
