//! Records: members that are no fields, and instances of what was read.

use crate::decode::typed::context::Context;
use crate::decode::typed::error::DecodeFailure;
use crate::decode::typed::frame::{COLLECTED, Frame, Kind};
use crate::decode::typed::plan::{
    Construction, Field, LengthBounds, MissingField, Node, Record, Rule, Tag, Unknown,
};
use crate::decode::typed::skip;
use crate::py::message::Message;
use crate::py::{
    Owned, Raised, call, dict, error, instance, set, singletons, tuple, types, unicode,
};

impl<'p> Context<'p, '_> {
    /// Goes on with a member that is none of the fields, at the offset of its value: the node of
    /// the value if it is wanted, or else the offset behind it.
    #[inline(never)]
    pub(super) fn other_member(
        &mut self,
        frame: &mut Frame<'p>,
        found: Option<usize>,
        at: usize,
        scratch: &mut Vec<u8>,
    ) -> Result<(Option<&'p Node>, usize), DecodeFailure> {
        let record = frame.record;
        if let Some(place) = found
            && let Some(&field) = record.aliases.get(place - record.fields.len())
            && let Some(field_plan) = record.fields.get(usize::from(field))
        {
            frame.current = field.into();
            return Ok((Some(&field_plan.node), at));
        }
        let end = |walk: &Self| {
            let (depth, fast) = (walk.frames.len(), walk.plan.options.fast_skip);
            skip::over(walk.runtime, walk.bytes, at, depth, fast)
        };
        let name = skip::name(self.runtime, self.bytes, frame.member, scratch)?;
        if let Some(tag) = &record.tag
            && tag.is_named(&name)
        {
            self.check_tag(frame, tag, at)?;
            return Ok((None, end(self)?));
        }
        // A dict has fields and what is collected: neither may replace the other.
        let is_taken = match record.unknown {
            Unknown::Collect { field: None, .. } => {
                let mut fields = record.fields.iter();
                fields.try_fold(false, |found, field| {
                    Ok::<_, Raised>(found || types::equal(self.py, &field.attribute, &name)?)
                })?
            }
            _ => false,
        };
        match record.unknown {
            Unknown::Ignore => Ok((None, end(self)?)),
            _ if is_taken || record.unknown == Unknown::Forbid => {
                let expected =
                    Message::new().text("no member \"")?.str(name.get())?.text("\"")?.to_str()?;
                let found = unicode::decode_utf8(b"one")?;
                self.note_open(frame, expected, found, frame.member, None)?;
                if !self.plan.options.all_errors {
                    return Err(DecodeFailure::Noted);
                }
                frame.failed = true;
                Ok((None, end(self)?))
            }
            Unknown::Collect { node, .. } => {
                self.push_value(name)?;
                frame.current = COLLECTED;
                Ok((Some(self.plan.node(node)), at))
            }
            Unknown::Forbid => Ok((None, end(self)?)),
        }
    }

    /// Compares the value of a tag with what it must be.
    fn check_tag(
        &mut self,
        frame: &mut Frame<'p>,
        tag: &Tag,
        at: usize,
    ) -> Result<(), DecodeFailure> {
        let value = skip::scalar(self.runtime, self.py, self.bytes, at)?;
        let same = match &value {
            Some(value) => types::equal(self.py, value, &tag.value)?,
            None => false,
        };
        if same {
            return Ok(());
        }
        let blanks = self.bytes.iter().skip(at).take_while(|byte| b" \t\n\r".contains(byte));
        let at = at + blanks.count();
        // What is no value is no JSON.
        skip::over(self.runtime, self.bytes, at, self.frames.len(), false)?;
        let found = self.excerpt(at)?;
        let expected = tag.expected.clone();
        self.note(frame, expected, found, at, None)?;
        if !self.plan.options.all_errors {
            return Err(DecodeFailure::Noted);
        }
        frame.failed = true;
        Ok(())
    }

    /// The node of the next item of an array whose items have each their own.
    #[inline(never)]
    pub(super) fn node_by_place(&self, frame: &mut Frame<'p>) -> &'p Node {
        let place = frame.step();
        let node = match (frame.kind, self.plan.bare(frame.rule)) {
            (Kind::Fixed, Rule::Fixed(number)) => {
                let nodes = self.plan.tables.fixed.get(number as usize);
                nodes.and_then(|nodes| nodes.get(place)).map(|&node| self.plan.node(node))
            }
            _ => frame.record.field_at(place).map(|(_, field)| &field.node),
        };
        // One too many: the number is checked at the end.
        node.unwrap_or(&self.plan.any)
    }

    /// Stores the item of an array that is a record's field.
    #[inline(never)]
    pub(super) fn store_by_place(
        &mut self,
        frame: &mut Frame<'p>,
        value: Owned,
    ) -> Result<(), DecodeFailure> {
        if let Some((index, _)) = frame.record.field_at(frame.current)
            && let Some(field) = self.fields.get_mut(frame.fields + index)
        {
            frame.seen_fields += 1;
            *field = Some(value);
        }
        Ok(())
    }

    /// What a container becomes that is neither a list nor a dict, or that has failed.
    #[inline(never)]
    pub(super) fn close_other(
        &mut self,
        frame: &Frame<'p>,
        end: usize,
    ) -> Result<(Owned, bool), DecodeFailure> {
        if frame.failed {
            if matches!(frame.kind, Kind::Record | Kind::ArrayRecord) {
                self.note_missing(frame)?;
            }
            self.forget(frame);
            return Ok((singletons::none(self.py), true));
        }
        let count = self.values.len() - frame.values;
        let made = match frame.kind {
            Kind::Set => set::new(self.py, self.values, frame.values, false),
            Kind::FrozenSet => set::new(self.py, self.values, frame.values, true),
            Kind::ArrayRecord => {
                let (given, wanted) = (frame.next, frame.record.places.len());
                if given > wanted && frame.record.unknown != Unknown::Ignore {
                    self.fields.truncate(frame.fields);
                    return self.wrong_count(frame, given);
                }
                return self.close_record(frame, end);
            }
            Kind::Fixed => {
                let wanted = match self.plan.bare(frame.rule) {
                    Rule::Fixed(number) => self.plan.tables.fixed.get(number as usize),
                    _ => None,
                };
                if wanted.is_none_or(|nodes| nodes.len() != count) {
                    self.values.truncate(frame.values);
                    return self.wrong_count(frame, count);
                }
                tuple::new(self.py, self.values, frame.values)
            }
            _ => tuple::new(self.py, self.values, frame.values),
        };
        self.finish(frame, made, count, end)
    }

    /// Checks the length of a container that is made, and calls what is to be called with it.
    #[inline(never)]
    pub(super) fn finish(
        &mut self,
        frame: &Frame<'p>,
        made: Result<Owned, Raised>,
        count: usize,
        _end: usize,
    ) -> Result<(Owned, bool), DecodeFailure> {
        let made = match made {
            Ok(made) => made,
            // A value that cannot be hashed.
            Err(Raised) => return self.refused(frame),
        };
        let lengths = match self.plan.bare(frame.rule) {
            Rule::List(_, lengths) | Rule::Set(_, lengths) => lengths,
            Rule::FrozenSet(_, lengths) | Rule::Tuple(_, lengths) => lengths,
            Rule::Dict(number) => self
                .plan
                .tables
                .dicts
                .get(number as usize)
                .map_or(LengthBounds::ANY, |dict| dict.lengths),
            _ => LengthBounds::ANY,
        };
        // Of what is equal, a set or a dict has only one.
        if lengths != LengthBounds::ANY
            && let count = types::size(&made, count)
            && !self.plan.lengths(lengths).allow(count)
        {
            return self.wrong_count(frame, count);
        }
        match self.call_through(frame.rule, made) {
            Ok(made) => Ok((made, false)),
            Err(Raised) => self.refused(frame),
        }
    }

    /// Calls what a rule says with a value that has been made, the innermost first.
    pub(super) fn call_through(&mut self, rule: Rule, value: Owned) -> Result<Owned, Raised> {
        if let Rule::NdArray(number) = rule
            && let Some(construction) = self.plan.tables.classes.get(number as usize)
        {
            return call::call_one(self.py, construction, &value);
        }
        let Rule::Via(number) = rule else { return Ok(value) };
        let Some(via) = self.plan.tables.vias.get(number as usize) else { return Ok(value) };
        // As deep as calls are nested in the description.
        let value = self.call_through(via.rule, value)?;
        call::call_one(self.py, &via.call, &value)
    }

    /// The problem of a container that has not the number of items that it should have.
    fn wrong_count(
        &mut self,
        frame: &Frame<'p>,
        count: usize,
    ) -> Result<(Owned, bool), DecodeFailure> {
        let start = if frame.kind == Kind::Dict { "object of " } else { "array of " };
        let found = Message::new().text(start)?.count(count)?.to_str()?;
        self.note_open(frame, frame.node.expected.clone(), found, frame.open, None)?;
        self.or_placeholder()
    }

    /// The problem of a container that user code refused, if it is one.
    fn refused(&mut self, frame: &Frame<'p>) -> Result<(Owned, bool), DecodeFailure> {
        let cause = error::take_refusal(self.py)?;
        let found = self.excerpt(frame.open)?;
        let expected = match frame.kind {
            Kind::Record | Kind::ArrayRecord => &frame.record.name,
            _ => &frame.node.expected,
        };
        self.note_open(frame, expected.clone(), found, frame.open, Some(cause))?;
        self.or_placeholder()
    }

    fn or_placeholder(&self) -> Result<(Owned, bool), DecodeFailure> {
        if self.plan.options.all_errors {
            return Ok((singletons::none(self.py), true));
        }
        Err(DecodeFailure::Noted)
    }

    /// Makes an instance of a record's fields, which leave the stack.
    #[inline(always)]
    pub(super) fn close_record(
        &mut self,
        frame: &Frame<'p>,
        _end: usize,
    ) -> Result<(Owned, bool), DecodeFailure> {
        let record = frame.record;
        if (frame.seen_fields != record.fields.len() || record.is_special)
            && let Some(failed) = self.complete(frame)?
        {
            return Ok(failed);
        }
        if let Some(slots_only) = &record.slots_only
            && !matches!(frame.rule, Rule::Via(_))
        {
            return Ok((slots_only.instance(self.py, self.fields, frame.fields)?, false));
        }
        self.construction(frame)
    }

    /// Gives every field that did not come what it has then; the problem's result if one must come.
    #[inline(never)]
    fn complete(&mut self, frame: &Frame<'p>) -> Result<Option<(Owned, bool)>, DecodeFailure> {
        let record = frame.record;
        if let Some(failed) = self.collect(frame)? {
            return Ok(Some(failed));
        }
        let mut failed = false;
        for (place, field) in record.fields.iter().enumerate() {
            let at = frame.fields + place;
            if self.fields.get(at).is_none_or(Option::is_some) {
                continue;
            }
            let value = match &field.absent {
                MissingField::Leave => continue,
                MissingField::Share(value) => value.clone(),
                MissingField::Call(factory) => match call::empty_builtin(self.py, factory.get()) {
                    Some(made) => made?,
                    None => match call::call(self.py, factory) {
                        Ok(made) => made,
                        Err(Raised) => {
                            self.forget(frame);
                            return self.refused(frame).map(Some);
                        }
                    },
                },
                MissingField::Problem => {
                    failed |= self.missing(frame, &field.missing)?;
                    continue;
                }
            };
            if let Some(field) = self.fields.get_mut(at) {
                *field = Some(value);
            }
        }
        if failed {
            self.forget(frame);
            return Ok(Some((singletons::none(self.py), true)));
        }
        Ok(None)
    }

    /// Drops all that belongs to a container that has failed.
    fn forget(&mut self, frame: &Frame<'p>) {
        self.values.truncate(frame.values);
        self.fields.truncate(frame.fields);
    }

    /// Notes what is missing of a record that has failed.
    #[cold]
    fn note_missing(&mut self, frame: &Frame<'p>) -> Result<(), DecodeFailure> {
        let record = frame.record;
        for (place, field) in record.fields.iter().enumerate() {
            if matches!(field.absent, MissingField::Problem)
                && let Some(None) = self.fields.get(frame.fields + place)
            {
                self.missing(frame, &field.missing)?;
            }
        }
        Ok(())
    }

    /// Notes that a member is missing.
    fn missing(&mut self, frame: &Frame<'p>, name: &Owned) -> Result<bool, DecodeFailure> {
        if self.has_enough() {
            return Ok(true);
        }
        let expected = Message::new().text("member \"")?.str(name.get())?.text("\"")?.to_str()?;
        let found = unicode::decode_utf8(b"none")?;
        self.note_open(frame, expected, found, frame.open, None)?;
        if self.plan.options.all_errors { Ok(true) } else { Err(DecodeFailure::Noted) }
    }

    /// Makes a dict of the members that were collected, for the field that has them.
    fn collect(&mut self, frame: &Frame<'p>) -> Result<Option<(Owned, bool)>, DecodeFailure> {
        let Unknown::Collect { field: Some(field), .. } = frame.record.unknown else {
            return Ok(None);
        };
        let made = dict::from_any_pairs(self.py, self.values, frame.values);
        match made {
            Ok(dict) => {
                if let Some(place) = self.fields.get_mut(frame.fields + usize::from(field)) {
                    *place = Some(dict);
                }
                Ok(None)
            }
            Err(Raised) => Err(DecodeFailure::Raised),
        }
    }

    /// Makes an instance in whichever way.
    #[inline(never)]
    fn construction(&mut self, frame: &Frame<'p>) -> Result<(Owned, bool), DecodeFailure> {
        let (record, start) = (frame.record, frame.fields);
        let names = || record.fields.iter().map(|field| &field.attribute);
        let made = match &record.construction {
            Construction::Plain { class, after } => {
                self.plain(record, class, after.as_ref(), start)
            }
            Construction::Call(class) => {
                call::call_with_keywords(self.py, class, names(), self.fields, start)
            }
            Construction::Positional(class) => {
                call::call_with_values(self.py, class, self.fields, start)
            }
            Construction::Tuple(class) => class.instance(self.py, self.fields, start),
            Construction::Dict => self.dict(frame),
        };
        self.fields.truncate(start);
        if record.hidden
            && let (Ok(made), Some(class)) = (&made, record.construction.class())
        {
            instance::hide(self.py, class, made);
        }
        match made.and_then(|made| self.call_through(frame.rule, made)) {
            Ok(made) => Ok((made, false)),
            Err(Raised) => self.refused(frame),
        }
    }

    fn plain(
        &mut self,
        record: &Record,
        class: &instance::Class,
        after: Option<&Owned>,
        start: usize,
    ) -> Result<Owned, Raised> {
        let quick = match &record.inline_values {
            Some(inline_values) => inline_values.instance(self.py, class, self.fields, start)?,
            None => None,
        };
        let made = match quick {
            Some(made) => made,
            None => self.by_attributes(record, class, start)?,
        };
        if let Some(after) = after {
            call::call_one(self.py, after, &made)?;
        }
        Ok(made)
    }

    /// An instance whose fields are stored one by one.
    fn by_attributes(
        &mut self,
        record: &Record,
        class: &instance::Class,
        start: usize,
    ) -> Result<Owned, Raised> {
        let new = class.instance(self.py)?;
        let given = self.fields.get_mut(start..).unwrap_or(&mut []);
        for (field, value) in record.fields.iter().zip(given) {
            match (value.take(), field.slot) {
                (Some(value), Some(slot)) => new.store(slot, value),
                (Some(value), None) => new.set(self.py, &field.attribute, &value)?,
                (None, _) => {}
            }
        }
        Ok(new.finish())
    }

    /// A dict of the fields that came, in their order, and of what was collected.
    fn dict(&mut self, frame: &Frame<'p>) -> Result<Owned, Raised> {
        let collected = match frame.record.unknown {
            Unknown::Collect { field: None, .. } => {
                Some(dict::from_any_pairs(self.py, self.values, frame.values)?)
            }
            _ => None,
        };
        let made = dict::new(self.py)?;
        for (place, field) in frame.record.fields.iter().enumerate() {
            if let Some(Some(value)) = self.fields.get(frame.fields + place) {
                dict::set_item(self.py, &made, &field.attribute, value)?;
            }
        }
        if let Some(collected) = collected {
            dict::update(self.py, &made, &collected)?;
        }
        Ok(made)
    }
}

impl Record {
    /// The field at a place of an array, and its number.
    fn field_at(&self, place: usize) -> Option<(usize, &Field)> {
        let index = usize::from(*self.places.get(place)?);
        Some((index, self.fields.get(index)?))
    }
}

impl Tag {
    /// Whether a member's name is that of the tag.
    fn is_named(&self, name: &Owned) -> bool {
        unicode::is_utf8_of(name.get(), crate::py::bytes::contents(self.name.get()))
    }
}
