//! The end of containers: what is made of their values, and of a record's fields and defaults.
//!
//! Separate from `walk`, whose hot path calls `close_record` inline and the rest only when there is
//! more to do. Invariant: a container's values and fields leave the stacks when it is closed,
//! whether it succeeds or fails. Called by `walk`.

use crate::decode::scratch;
use crate::decode::typed::context::Context;
use crate::decode::typed::error::DecodeFailure;
use crate::decode::typed::frame::{Frame, FrameKind};
use crate::decode::typed::plan::{
    Construction, Field, FieldDefault, LengthBounds, Record, Rule, UnknownMembers,
};
use crate::py::message::Message;
use crate::py::{
    Owned, Raised, call, dict, error, instance, set, singletons, tuple, types, unicode,
};

impl<'p> Context<'p, '_> {
    /// Closes a container that is neither a list nor a dict, or that has failed: the result, and
    /// whether it has failed.
    #[inline(never)]
    pub(super) fn close_other_container(
        &mut self,
        frame: &Frame<'p>,
    ) -> Result<(Owned, bool), DecodeFailure> {
        if frame.failed {
            if matches!(frame.kind, FrameKind::Record | FrameKind::ArrayRecord) {
                self.add_missing_members(frame)?;
            }
            if let Some(count) = self.wrong_count(frame) {
                self.length_problem(frame, count)?;
            }
            self.discard_values(frame);
            return Ok((singletons::none(self.py), true));
        }
        let count = self.values.len() - frame.values_start;
        let made = match frame.kind {
            FrameKind::Set => set::new(self.py, self.values, frame.values_start, false),
            FrameKind::FrozenSet => set::new(self.py, self.values, frame.values_start, true),
            FrameKind::ArrayRecord => {
                if let Some(count) = self.wrong_count(frame) {
                    self.fields.truncate(frame.fields_start);
                    return self.length_problem(frame, count);
                }
                return self.close_record(frame);
            }
            FrameKind::FixedTuple => {
                if let Some(count) = self.wrong_count(frame) {
                    self.values.truncate(frame.values_start);
                    return self.length_problem(frame, count);
                }
                tuple::new(self.py, self.values, frame.values_start)
            }
            _ => tuple::new(self.py, self.values, frame.values_start),
        };
        self.check_and_call(frame, made, count)
    }

    /// Checks the length of a finished container, and applies the calls of its rule. `count` is the
    /// number of items that were read.
    #[inline(never)]
    pub(super) fn check_and_call(
        &mut self,
        frame: &Frame<'p>,
        made: Result<Owned, Raised>,
        count: usize,
    ) -> Result<(Owned, bool), DecodeFailure> {
        let made = match made {
            Ok(made) => made,
            // A key, or an item of a set, cannot be hashed.
            Err(Raised) => return self.rejection_problem(frame),
        };
        let lengths = match self.plan.without_calls(frame.rule) {
            Rule::List(_, lengths) | Rule::Set(_, lengths) => lengths,
            Rule::FrozenSet(_, lengths) | Rule::Tuple(_, lengths) => lengths,
            Rule::Dict(index) => self
                .plan
                .tables
                .dicts
                .get(index as usize)
                .map_or(LengthBounds::ANY, |dict| dict.lengths),
            _ => LengthBounds::ANY,
        };
        // Sets and dicts keep one of equal items, so they may be shorter than `count`.
        if lengths != LengthBounds::ANY
            && let count = types::deduplicated_len(&made, count)
            && !self.plan.lengths(lengths).allows(count)
        {
            return self.length_problem(frame, count);
        }
        match self.apply_calls(frame.rule, made) {
            Ok(made) => Ok((made, false)),
            Err(Raised) => self.rejection_problem(frame),
        }
    }

    /// The number of items of an array, if it may not have so many. That of a set or dict is not
    /// known before it is made, because equal items count once.
    fn wrong_count(&self, frame: &Frame<'p>) -> Option<usize> {
        let (count, is_allowed) = match (frame.kind, self.plan.without_calls(frame.rule)) {
            (FrameKind::ArrayRecord, _) => {
                let record = frame.record;
                let tags = usize::from(record.tag_item.is_some());
                let is_too_long = frame.next > record.array_fields.len() + tags
                    && record.unknown != UnknownMembers::Ignore;
                (frame.next, !is_too_long && frame.next >= tags)
            }
            (FrameKind::FixedTuple, Rule::FixedTuple(index)) => {
                let nodes = self.plan.tables.fixed_tuples.get(index as usize);
                (frame.next, nodes.is_some_and(|nodes| nodes.accepts(frame.next)))
            }
            (_, Rule::List(_, lengths) | Rule::Tuple(_, lengths)) => {
                let count = self.values.len() - frame.values_start;
                (count, self.plan.lengths(lengths).allows(count))
            }
            _ => (0, true),
        };
        (!is_allowed).then_some(count)
    }

    /// Adds the problem that a container has a wrong number of items.
    fn length_problem(
        &mut self,
        frame: &Frame<'p>,
        count: usize,
    ) -> Result<(Owned, bool), DecodeFailure> {
        let kind = self.kind_name(frame.open_offset)?;
        let found = Message::new().str(kind.get())?.text(" of ")?.count(count)?.to_str()?;
        self.add_container_problem(
            frame,
            frame.node.expected.clone(),
            found,
            frame.open_offset,
            None,
        )?;
        self.placeholder_or_stop()
    }

    /// Adds the problem that a function or constructor rejected a container, if its exception means
    /// that.
    fn rejection_problem(&mut self, frame: &Frame<'p>) -> Result<(Owned, bool), DecodeFailure> {
        let cause = error::take_refusal(self.py)?;
        let found = self.excerpt(frame.open_offset)?;
        let expected = match frame.kind {
            FrameKind::Record | FrameKind::ArrayRecord => &frame.record.name,
            _ => &frame.node.expected,
        };
        self.add_container_problem(frame, expected.clone(), found, frame.open_offset, Some(cause))?;
        self.placeholder_or_stop()
    }

    /// After a problem: `None` in place of the container if all problems are reported, else the
    /// failure.
    fn placeholder_or_stop(&self) -> Result<(Owned, bool), DecodeFailure> {
        if self.plan.options.all_errors {
            return Ok((singletons::none(self.py), true));
        }
        Err(DecodeFailure::Problem)
    }

    /// Closes a record: makes an instance of its fields. Returns it, and whether the record has
    /// failed.
    #[inline(always)]
    pub(super) fn close_record(
        &mut self,
        frame: &Frame<'p>,
    ) -> Result<(Owned, bool), DecodeFailure> {
        let record = frame.record;
        if (frame.seen_fields != record.fields.len() || record.collects_into_field)
            && let Some(failed) = self.fill_missing_fields(frame)?
        {
            return Ok(failed);
        }
        if self.discards {
            self.discard_values(frame);
            return Ok((singletons::none(self.py), false));
        }
        if let Some(slots_only) = &record.slots_only
            && !matches!(frame.rule, Rule::Via(_))
        {
            return Ok((slots_only.instance(self.py, self.fields, frame.fields_start)?, false));
        }
        self.construct(frame)
    }

    /// Gives missing fields their defaults. Returns the result of the record if it has failed,
    /// because a required field is missing or a default factory raised.
    #[inline(never)]
    fn fill_missing_fields(
        &mut self,
        frame: &Frame<'p>,
    ) -> Result<Option<(Owned, bool)>, DecodeFailure> {
        let record = frame.record;
        if let Some(failed) = self.store_collected(frame)? {
            return Ok(Some(failed));
        }
        let mut failed = false;
        for (index, field) in record.fields.iter().enumerate() {
            let index = frame.fields_start + index;
            if self.fields.get(index).is_none_or(Option::is_some) {
                continue;
            }
            let value = match &field.default {
                FieldDefault::Unset => continue,
                FieldDefault::Value(value) => value.clone(),
                FieldDefault::Factory(factory) => match call::empty_builtin(self.py, factory.get())
                {
                    Some(made) => made?,
                    None => match call::call(self.py, factory) {
                        Ok(made) => made,
                        Err(Raised) => {
                            self.discard_values(frame);
                            return self.rejection_problem(frame).map(Some);
                        }
                    },
                },
                FieldDefault::Required => {
                    failed |= self.add_missing_member(frame, field)?;
                    continue;
                }
            };
            if let Some(field) = self.fields.get_mut(index) {
                *field = Some(value);
            }
        }
        if failed {
            self.discard_values(frame);
            return Ok(Some((singletons::none(self.py), true)));
        }
        Ok(None)
    }

    /// Drops the values and fields of a container that has failed.
    pub(super) fn discard_values(&mut self, frame: &Frame<'p>) {
        self.values.truncate(frame.values_start);
        self.fields.truncate(frame.fields_start);
    }

    /// Adds a problem for each required field that is missing in a record that has failed.
    #[cold]
    fn add_missing_members(&mut self, frame: &Frame<'p>) -> Result<(), DecodeFailure> {
        let record = frame.record;
        for (index, field) in record.fields.iter().enumerate() {
            if matches!(field.default, FieldDefault::Required)
                && let Some(None) = self.fields.get(frame.fields_start + index)
            {
                self.add_missing_member(frame, field)?;
            }
        }
        Ok(())
    }

    /// Adds the problem that a member is missing.
    fn add_missing_member(
        &mut self,
        frame: &Frame<'p>,
        field: &Field,
    ) -> Result<bool, DecodeFailure> {
        if self.leaves_problem_off() {
            return Ok(true);
        }
        let (what, name) = match &self.sources {
            Some(sources) if sources.reads_attributes() => ("attribute \"", &field.attribute),
            _ => ("member \"", &field.message_name),
        };
        let expected = Message::new().text(what)?.str(name.get())?.text("\"")?.to_str()?;
        let found = unicode::decode_utf8(b"none")?;
        self.add_container_problem(frame, expected, found, frame.open_offset, None)?;
        if self.plan.options.all_errors { Ok(true) } else { Err(DecodeFailure::Problem) }
    }

    /// Stores a dict of the collected members in the field that receives them, if the record has
    /// one.
    fn store_collected(
        &mut self,
        frame: &Frame<'p>,
    ) -> Result<Option<(Owned, bool)>, DecodeFailure> {
        let UnknownMembers::Collect { field: Some(field), .. } = frame.record.unknown else {
            return Ok(None);
        };
        let made = dict::from_any_pairs(self.py, self.values, frame.values_start);
        match made {
            Ok(dict) => {
                if let Some(value) = self.fields.get_mut(frame.fields_start + usize::from(field)) {
                    *value = Some(dict.into_owned());
                }
                Ok(None)
            }
            Err(Raised) => Err(DecodeFailure::Raised),
        }
    }

    /// Makes an instance of a record's fields, in the way that the record says.
    #[inline(never)]
    fn construct(&mut self, frame: &Frame<'p>) -> Result<(Owned, bool), DecodeFailure> {
        let (record, start) = (frame.record, frame.fields_start);
        let names = || record.fields.iter().map(|field| &field.attribute);
        let made = match &record.construction {
            Construction::WithoutInit { class, post_init } => {
                self.construct_without_init(record, class, post_init.as_ref(), start)
            }
            Construction::Keywords(class) => {
                call::call_with_keywords(self.py, class, names(), self.fields, start)
            }
            Construction::Positional(class) => {
                call::call_with_values(self.py, class, self.fields, start)
            }
            Construction::NamedTuple(class) => class.instance(self.py, self.fields, start),
            Construction::Dict => self.construct_dict(frame),
        };
        self.fields.truncate(start);
        if record.untracked
            && let (Ok(made), Some(class)) = (&made, record.construction.class())
        {
            instance::hide(self.py, class, made);
        }
        match made.and_then(|made| self.apply_calls(frame.rule, made)) {
            Ok(made) => Ok((made, false)),
            Err(Raised) => self.rejection_problem(frame),
        }
    }

    /// Makes an instance without a call of its constructor, and then calls `post_init`.
    fn construct_without_init(
        &mut self,
        record: &Record,
        class: &instance::Class,
        post_init: Option<&Owned>,
        start: usize,
    ) -> Result<Owned, Raised> {
        let made = match &record.inline_values {
            Some(inline_values) => inline_values.instance(self.py, class, self.fields, start)?,
            None => None,
        };
        let made = match made {
            Some(made) => made,
            None => self.construct_by_attributes(record, class, start)?,
        };
        if let Some(post_init) = post_init {
            call::call_one(self.py, post_init, &made)?;
        }
        Ok(made)
    }

    /// Makes an instance and stores its fields one by one.
    fn construct_by_attributes(
        &mut self,
        record: &Record,
        class: &instance::Class,
        start: usize,
    ) -> Result<Owned, Raised> {
        let new = class.instance(self.py)?;
        let values = self.fields.get_mut(start..).unwrap_or(&mut []);
        for (field, value) in record.fields.iter().zip(values) {
            match (value.take(), field.slot) {
                (Some(value), Some(slot)) => new.store(slot, value),
                (Some(value), None) => new.set(self.py, &field.attribute, &value)?,
                (None, _) => {}
            }
        }
        Ok(new.finish())
    }

    /// Makes a dict of the fields that have a value, in their order, as the walk makes dicts.
    fn dict_of_fields(&mut self, frame: &Frame<'p>) -> Result<Owned, Raised> {
        let start = self.values.len();
        scratch::reserve(self.values, 2 * frame.record.fields.len())?;
        let mut may_be_in_cycle = false;
        for (index, field) in frame.record.fields.iter().enumerate() {
            let value = self.fields.get_mut(frame.fields_start + index);
            if let Some(value) = value.and_then(Option::take) {
                may_be_in_cycle |= types::has_collector_support(value.get());
                self.values.push(field.attribute.clone());
                self.values.push(value);
            }
        }
        dict::from_pairs::<true>(self.py, self.values, start, may_be_in_cycle)
    }

    /// Makes a dict of the fields that have a value, in their order, and of the collected members.
    fn construct_dict(&mut self, frame: &Frame<'p>) -> Result<Owned, Raised> {
        let collected = match frame.record.unknown {
            UnknownMembers::Collect { field: None, .. } => {
                Some(dict::from_any_pairs(self.py, self.values, frame.values_start)?)
            }
            _ => None,
        };
        if self.runtime.direct && collected.is_none() {
            return self.dict_of_fields(frame);
        }
        let made = dict::empty(self.py)?;
        for (index, field) in frame.record.fields.iter().enumerate() {
            if let Some(Some(value)) = self.fields.get(frame.fields_start + index) {
                dict::set_item(self.py, &made, &field.attribute, value)?;
            }
        }
        if let Some(collected) = collected {
            dict::update(self.py, &made, &collected)?;
        }
        Ok(made.into_owned())
    }
}
