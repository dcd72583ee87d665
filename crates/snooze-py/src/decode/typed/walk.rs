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

use crate::decode::typed::context::Context;
use crate::decode::typed::error::DecodeFailure;
use crate::decode::typed::frame::{COLLECTED, Frame, Kind, Opened};
use crate::decode::typed::plan::{LengthBounds, Rule};
use crate::py::{Owned, dict, error, float, int, list, singletons};

impl<'p, 'c> Context<'p, 'c> {
    /// Reads the document.
    #[inline(always)]
    pub(super) fn read<V: Vector, const DIRECT: bool>(
        &mut self,
        text: &mut Vec<u8>,
    ) -> Result<Owned, DecodeFailure> {
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
            let made: Result<Option<Owned>, DecodeFailure> = match token {
                b'"' => {
                    let found = reader.string(text)?;
                    match node.string {
                        Rule::Str => Ok(Some(crate::decode::value::string::<V, DIRECT>(
                            self.py,
                            found,
                            self.strings,
                        )?)),
                        Rule::StrWithin(bounds) => {
                            let made = crate::decode::value::string::<V, DIRECT>(
                                self.py,
                                found,
                                self.strings,
                            )?;
                            self.text_within(node, made, bounds, start, &frame).map(Some)
                        }
                        rule => self.str_value(node, rule, found, start, &frame).map(Some),
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
                        Ok(Number::Int(value)) if self.int_fits(node.int, value) => {
                            Ok(Some(self.integer::<DIRECT>(value)?))
                        }
                        // A larger one may be an integer.
                        Ok(Number::Float(value))
                            if value.abs() < 9e18 && self.float_fits(node.float, value) =>
                        {
                            Ok(Some(float::new(self.py, value)?))
                        }
                        // Zero may have a sign.
                        Ok(Number::Int(value)) if matches!(node.int, Rule::Float) && value != 0 => {
                            Ok(Some(float::new(self.py, value as f64)?))
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
                    let rule = if open == b'{' { node.object } else { node.array };
                    match (open, rule) {
                        (b'{', Rule::Record(record)) => {
                            let record = plan.record(record);
                            self.reserve_fields(record.fields.len())?;
                            self.push_frame(&frame)?;
                            frame = self.record_frame(record, node, start);
                            Ok(None)
                        }
                        // PERF: many records have lists that are empty.
                        (b'[', Rule::List(_, LengthBounds::ANY)) if reader.token() == b']' => {
                            reader.pass();
                            Ok(Some(list::empty(self.py)?))
                        }
                        (b'[', Rule::List(item, lengths)) => {
                            let item = plan.node(item);
                            self.push_frame(&frame)?;
                            frame = self.frame(Kind::List, node, rule, item, start);
                            frame.is_done = lengths == LengthBounds::ANY;
                            Ok(None)
                        }
                        _ => {
                            let opened = match (open, rule) {
                                (b'{', Rule::Dict(number)) => self.open_dict(node, number, start),
                                (b'{', rule) => self.open_object(node, rule, start, &frame),
                                (_, rule) => self.open_array(node, rule, start, &frame),
                            };
                            match opened {
                                Ok(Opened::Container(inner)) => {
                                    self.push_frame(&frame)?;
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
                    }
                }
                b't' => {
                    reader.literal_true()?;
                    match node.boolean {
                        Rule::Bool => Ok(Some(singletons::boolean(self.py, true))),
                        rule => self.bool_value(node, rule, true, start, &frame).map(Some),
                    }
                }
                b'f' => {
                    reader.literal_false()?;
                    match node.boolean {
                        Rule::Bool => Ok(Some(singletons::boolean(self.py, false))),
                        rule => self.bool_value(node, rule, false, start, &frame).map(Some),
                    }
                }
                b'n' => {
                    reader.literal_null()?;
                    match node.null {
                        Rule::Null => Ok(Some(singletons::none(self.py))),
                        rule => self.null_value(node, rule, start, &frame).map(Some),
                    }
                }
                _ => return Err(reader.no_value().into()),
            };
            let mut value = match made {
                Ok(value) => value,
                Err(DecodeFailure::Noted) if plan.options.all_errors => {
                    reader = Reader::resume(self.bytes, self.behind(start)?);
                    frame.failed = true;
                    Some(singletons::none(self.py))
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
                            _ => Err(DecodeFailure::Noted),
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
    fn store(&mut self, frame: &mut Frame<'p>, value: Owned) -> Result<(), DecodeFailure> {
        if frame.current == COLLECTED {
            return self.push_value(value);
        }
        // There is a place for each field.
        if let Some(field) = self.fields.get_mut(frame.fields + frame.current) {
            frame.seen_fields += usize::from(field.is_none());
            *field = Some(value);
        }
        Ok(())
    }

    #[inline(always)]
    pub(super) fn integer<const DIRECT: bool>(&self, value: i64) -> Result<Owned, DecodeFailure> {
        match self.runtime.small_ints.get(self.py, value) {
            Some(value) => Ok(value),
            None => Ok(int::new_large::<DIRECT>(self.py, value)?),
        }
    }

    /// What a container that is no record, or that has failed, becomes.
    #[inline(always)]
    fn close<const DIRECT: bool>(
        &mut self,
        frame: &Frame<'p>,
        end: usize,
    ) -> Result<(Owned, bool), DecodeFailure> {
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
                Ok(dict::empty(self.py)?)
            } else if frame.plain_keys {
                let nested = frame.nested;
                Ok(dict::from_pairs::<DIRECT>(self.py, self.values, frame.values, nested)?)
            } else {
                dict::from_any_pairs(self.py, self.values, frame.values)
            };
            (dict, count / 2)
        };
        match made {
            Ok(made) if frame.is_done => Ok((made, false)),
            made => self.finish(frame, made, count, end),
        }
    }

    #[inline(always)]
    pub(super) fn push_value(&mut self, value: Owned) -> Result<(), DecodeFailure> {
        if self.values.len() == self.values.capacity() {
            self.more_values()?;
        }
        self.values.push(value);
        Ok(())
    }

    #[cold]
    #[inline(never)]
    fn more_values(&mut self) -> Result<(), DecodeFailure> {
        let more = self.values.len().max(64);
        self.values.try_reserve(more).map_err(|_| error::no_memory().into())
    }

    /// Keeps the frame around a container that opens.
    #[inline(always)]
    fn push_frame(&mut self, frame: &Frame<'p>) -> Result<(), DecodeFailure> {
        if self.frames.len() == self.frames.capacity() {
            self.more_frames()?;
        }
        self.frames.push(*frame);
        Ok(())
    }

    #[cold]
    #[inline(never)]
    fn more_frames(&mut self) -> Result<(), DecodeFailure> {
        let more = self.frames.len().max(16);
        self.frames.try_reserve(more).map_err(|_| error::no_memory().into())
    }

    /// Makes room on the stack of fields.
    #[inline(always)]
    pub(super) fn reserve_fields(&mut self, count: usize) -> Result<(), DecodeFailure> {
        if self.fields.capacity() - self.fields.len() < count {
            self.more_fields(count)?;
        }
        self.fields.resize_with(self.fields.len() + count, || None);
        Ok(())
    }

    #[cold]
    #[inline(never)]
    fn more_fields(&mut self, count: usize) -> Result<(), DecodeFailure> {
        let more = self.fields.len().max(64) + count;
        self.fields.try_reserve(more).map_err(|_| error::no_memory().into())
    }
}
