//! The walk of a typed decoder: one loop over the document that follows the plan.
//!
//! The reader says which token comes, and the node which values are expected. Finished values are
//! kept on two stacks: `values` for the items of open arrays and dicts, `fields` for the fields of
//! open records, which come in any order. Open containers are on a third stack, so that depth costs
//! no C stack. Separate from the rest of the folder, because this is the hot path; what is rare is
//! in functions of other files. Invariants: a value is stored before the next token is read; after
//! any failure the caller releases what is on the stacks. Called by `entry`.
//!
//! PERF: the reader stays in registers. Therefore it is never passed to a function that is not
//! inlined: such a function takes an offset and returns the offset after what it read.

use snooze_core::arch::Vector;
use snooze_core::number::Number;
use snooze_core::read::{MAX_DEPTH, Reader};

use crate::decode::scratch;
use crate::decode::typed::context::Context;
use crate::decode::typed::error::DecodeFailure;
use crate::decode::typed::frame::{COLLECTED, Frame, FrameKind, Opened};
use crate::decode::typed::number_items::NumberItems;
use crate::decode::typed::plan::{LengthBounds, Rule};
use crate::decode::value::new_string;
use crate::kept;
use crate::py::dict::OwnedDict;
use crate::py::{Owned, dict, float, int, list, singletons};

impl<'p, 'c> Context<'p, 'c> {
    /// Reads the whole document and returns its value.
    #[inline(always)]
    pub(super) fn read_document<V: Vector, const DIRECT: bool>(
        &mut self,
        text: &mut Vec<u8>,
    ) -> Result<Owned, DecodeFailure> {
        let plan = self.plan;
        let mut reader = Reader::<V>::new(self.bytes)?;
        let mut node = plan.node(plan.root as u32);
        if plan.options.pointer.is_some() {
            let at = self.find_pointed_value(node)?;
            reader = Reader::resume(self.bytes, at);
        }
        let mut frame = Frame::document(plan);
        'value: loop {
            let token = reader.token();
            let start = reader.offset();
            let made: Result<Option<Owned>, DecodeFailure> = match token {
                b'"' => {
                    let found = reader.string(text)?;
                    match node.string {
                        Rule::Str | Rule::Any => {
                            let str = new_string::<V, DIRECT>(self.py, found, self.strings)?;
                            Ok(Some(str.into_owned()))
                        }
                        Rule::StrWithin(bounds) => {
                            let made = new_string::<V, DIRECT>(self.py, found, self.strings)?;
                            self.str_within_bounds(node, made, bounds, start, &frame).map(Some)
                        }
                        rule => match self.chosen_by_text(rule, found.bytes) {
                            Some(value) => Ok(Some(value)),
                            None => self.string_value(node, rule, found, start, &frame).map(Some),
                        },
                    }
                }
                b'-' | b'+' | b'.' | b'0'..=b'9' => {
                    match reader.any_number() {
                        Ok(Number::Int(value)) if matches!(node.int, Rule::Int | Rule::Any) => {
                            Ok(Some(self.new_int::<DIRECT>(value)?))
                        }
                        Ok(Number::Int(value)) if self.int_fits(node.int, value) => {
                            Ok(Some(self.new_int::<DIRECT>(value)?))
                        }
                        // A larger number may be an integer beyond 64 bits.
                        Ok(Number::Float(value))
                            if value.abs() < 9e18 && self.float_fits(node.float, value) =>
                        {
                            Ok(Some(float::new(self.py, value)?))
                        }
                        // The integer zero may have a minus sign, which a float keeps.
                        Ok(Number::Int(value)) if matches!(node.int, Rule::Float) && value != 0 => {
                            Ok(Some(float::new(self.py, value as f64)?))
                        }
                        found => {
                            let chosen = match found {
                                Ok(Number::Int(value)) => self.chosen_by_integer(node.int, value),
                                _ => None,
                            };
                            let end = reader.offset();
                            match chosen {
                                Some(value) => Ok(Some(value)),
                                None => match self.number_value(node, found, start, end, &frame) {
                                    Ok((value, end)) => {
                                        reader = Reader::resume(self.bytes, end);
                                        Ok(Some(value))
                                    }
                                    Err(failure) => Err(failure),
                                },
                            }
                        }
                    }
                }
                open @ (b'{' | b'[') => {
                    reader.consume();
                    if self.frames.len() >= MAX_DEPTH {
                        return Err(reader.too_deep().into());
                    }
                    let (rule, is_plain) = match open {
                        b'{' => (node.object, node.is_plain_object),
                        _ => (node.array, node.is_plain_array),
                    };
                    let plain = match is_plain && self.reads_plain {
                        // PERF: empty ones are frequent. The closing bracket is two places behind
                        // the opening one in ASCII.
                        true if reader.token() == open + 2 => {
                            reader.consume();
                            let is_array = open == b'[';
                            Some((self.new_empty(is_array)?, reader.offset()))
                        }
                        true => self.read_plain(text, start)?,
                        false => None,
                    };
                    match (plain, open, rule) {
                        (Some((value, end)), ..) => {
                            reader = Reader::resume(self.bytes, end);
                            frame.has_containers = true;
                            Ok(Some(value))
                        }
                        (None, b'{', Rule::Record(record)) => {
                            let record = plan.record(record);
                            self.reserve_fields(record.fields.len())?;
                            self.push_frame(&frame)?;
                            frame = self.record_frame(record, node, start);
                            Ok(None)
                        }
                        // PERF: empty lists are frequent in records.
                        (None, b'[', Rule::List(_, LengthBounds::ANY))
                            if reader.token() == b']' =>
                        {
                            reader.consume();
                            Ok(Some(list::empty(self.py)?))
                        }
                        (None, b'[', Rule::List(item, lengths)) => {
                            let item = plan.node(item);
                            self.push_frame(&frame)?;
                            frame = self.container_frame(FrameKind::List, node, rule, item, start);
                            frame.is_unchecked = lengths == LengthBounds::ANY;
                            Ok(None)
                        }
                        _ => {
                            let opened = match (open, rule) {
                                (b'{', Rule::Dict(index)) => self.open_dict(node, index, start),
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
                                Err(failure) => Err(failure),
                            }
                        }
                    }
                }
                b't' => {
                    reader.literal_true()?;
                    match node.boolean {
                        Rule::Bool | Rule::Any => Ok(Some(singletons::boolean(self.py, true))),
                        rule => self.bool_value(node, rule, true, start, &frame).map(Some),
                    }
                }
                b'f' => {
                    reader.literal_false()?;
                    match node.boolean {
                        Rule::Bool | Rule::Any => Ok(Some(singletons::boolean(self.py, false))),
                        rule => self.bool_value(node, rule, false, start, &frame).map(Some),
                    }
                }
                b'n' => {
                    reader.literal_null()?;
                    match node.null {
                        Rule::Null | Rule::Any => Ok(Some(singletons::none(self.py))),
                        rule => self.null_value(node, rule, start, &frame).map(Some),
                    }
                }
                kept::MARK if self.kept.is_some() => {
                    let (value, end) = self.kept_object(start)?;
                    reader = Reader::resume(self.bytes, end);
                    // It may be a container, or have one.
                    frame.has_containers = true;
                    Ok(Some(value))
                }
                _ => return Err(reader.no_value().into()),
            };
            let mut value = match made {
                Ok(value) => value,
                Err(DecodeFailure::Problem) if plan.options.all_errors => {
                    reader = Reader::resume(self.bytes, self.problem_value_end(start)?);
                    frame.failed = true;
                    Some(singletons::none(self.py))
                }
                Err(failure) => return Err(failure),
            };
            loop {
                match frame.kind {
                    FrameKind::Record => {
                        if let Some(value) = value.take() {
                            self.store_member(&mut frame, value)?;
                            match reader.token() {
                                b',' => {
                                    reader.consume();
                                    let next =
                                        self.read_member_name::<V>(&mut reader, &mut frame, text)?;
                                    if let Some(next) = next {
                                        node = next;
                                        continue 'value;
                                    }
                                }
                                b'}' => reader.consume(),
                                _ => return Err(reader.no_object_end().into()),
                            }
                        } else if reader.token() != b'}' {
                            if let Some(next) =
                                self.read_member_name::<V>(&mut reader, &mut frame, text)?
                            {
                                node = next;
                                continue 'value;
                            }
                        } else {
                            reader.consume();
                        }
                    }
                    FrameKind::Dict => {
                        let has_member = if let Some(value) = value.take() {
                            self.push_value(value)?;
                            match reader.token() {
                                b',' => {
                                    reader.consume();
                                    true
                                }
                                b'}' => false,
                                _ => return Err(reader.no_object_end().into()),
                            }
                        } else {
                            reader.token() != b'}'
                        };
                        if has_member {
                            self.read_key::<V, DIRECT>(&mut reader, &mut frame, text)?;
                            node = frame.item_node;
                            continue 'value;
                        }
                        reader.consume();
                    }
                    FrameKind::Document => {
                        if plan.options.pointer.is_none() {
                            reader.finish()?;
                        }
                        return match value {
                            Some(value) if !frame.failed => Ok(value),
                            _ => Err(DecodeFailure::Problem),
                        };
                    }
                    kind => {
                        let has_item = if let Some(value) = value.take() {
                            if kind == FrameKind::ArrayRecord {
                                self.store_array_item(&mut frame, value)?;
                            } else {
                                self.push_value(value)?;
                            }
                            match reader.token() {
                                b',' => {
                                    reader.consume();
                                    true
                                }
                                b']' => false,
                                _ => return Err(reader.no_array_end().into()),
                            }
                        } else {
                            match reader.token() {
                                b']' => false,
                                b'-' | b'0'..=b'9' if frame.shares_item_node() => {
                                    let (start, node) = (reader.offset(), frame.item_node);
                                    let task = NumberItems::<DIRECT> { walk: self, start, node };
                                    let (end, is_closed) = V::run_outlined(task)?;
                                    reader = Reader::resume(self.bytes, end);
                                    !is_closed
                                }
                                _ => true,
                            }
                        };
                        if has_item {
                            let next = if frame.shares_item_node() {
                                Some(frame.item_node)
                            } else {
                                self.array_item_node(&mut frame)
                            };
                            if let Some(next) = next {
                                node = next;
                                continue 'value;
                            }
                            self.skip_items(&mut reader, &mut frame)?;
                        }
                        reader.consume();
                    }
                }
                let (made, failed) = if frame.kind == FrameKind::Record && !frame.failed {
                    self.close_record(&frame)?
                } else {
                    self.close_container::<DIRECT>(&frame)?
                };
                value = Some(made);
                if let Some(outer) = self.frames.pop() {
                    frame = Frame { has_containers: true, failed: outer.failed | failed, ..outer };
                }
            }
        }
    }

    /// Stores the value of a record's current member.
    #[inline(always)]
    pub(super) fn store_member(
        &mut self,
        frame: &mut Frame<'p>,
        value: Owned,
    ) -> Result<(), DecodeFailure> {
        if frame.current == COLLECTED {
            return self.push_value(value);
        }
        // The index is valid: `reserve_fields` has made room for each field of the record.
        if let Some(field) = self.fields.get_mut(frame.fields_start + frame.current) {
            frame.seen_fields += usize::from(field.is_none());
            *field = Some(value);
        }
        Ok(())
    }

    /// A new, empty list or dict.
    #[inline(always)]
    fn new_empty(&self, is_array: bool) -> Result<Owned, DecodeFailure> {
        Ok(if is_array { list::empty(self.py)? } else { dict::empty(self.py)?.into_owned() })
    }

    /// A new `int`.
    #[inline(always)]
    pub(super) fn new_int<const DIRECT: bool>(&self, value: i64) -> Result<Owned, DecodeFailure> {
        match self.runtime.small_ints.get(self.py, value) {
            Some(value) => Ok(value),
            None => Ok(int::new_large::<DIRECT>(self.py, value)?),
        }
    }

    /// Closes a container that is not a record, or that has failed. Returns the result, and whether
    /// the container has failed.
    #[inline(always)]
    pub(super) fn close_container<const DIRECT: bool>(
        &mut self,
        frame: &Frame<'p>,
    ) -> Result<(Owned, bool), DecodeFailure> {
        if frame.failed || !matches!(frame.kind, FrameKind::List | FrameKind::Dict) {
            return self.close_other_container(frame);
        }
        let count = self.values.len() - frame.values_start;
        if self.discards && frame.is_unchecked {
            self.values.truncate(frame.values_start);
            return Ok((singletons::none(self.py), false));
        }
        let (made, count) = if frame.kind == FrameKind::List {
            let list = if count == 0 {
                list::empty(self.py)?
            } else {
                list::from_values::<DIRECT>(self.py, self.values, frame.values_start)?
            };
            (Ok(list), count)
        } else {
            let dict = if count == 0 {
                Ok(dict::empty(self.py)?.into_owned())
            } else if frame.plain_keys {
                let has_containers = frame.has_containers;
                Ok(dict::from_pairs::<DIRECT>(
                    self.py,
                    self.values,
                    frame.values_start,
                    has_containers,
                )?)
            } else {
                dict::from_any_pairs(self.py, self.values, frame.values_start)
                    .map(OwnedDict::into_owned)
            };
            (dict, count / 2)
        };
        match made {
            Ok(made) if frame.is_unchecked => Ok((made, false)),
            made => self.check_and_call(frame, made, count),
        }
    }

    /// Pushes a value.
    #[inline(always)]
    pub(super) fn push_value(&mut self, value: Owned) -> Result<(), DecodeFailure> {
        Ok(scratch::push(self.values, value)?)
    }

    /// Pushes the frame around a container that opens.
    #[inline(always)]
    pub(super) fn push_frame(&mut self, frame: &Frame<'p>) -> Result<(), DecodeFailure> {
        Ok(scratch::push(&mut self.frames, *frame)?)
    }

    /// Pushes `count` empty fields.
    #[inline(always)]
    pub(super) fn reserve_fields(&mut self, count: usize) -> Result<(), DecodeFailure> {
        scratch::reserve(self.fields, count)?;
        self.fields.resize_with(self.fields.len() + count, || None);
        Ok(())
    }
}
