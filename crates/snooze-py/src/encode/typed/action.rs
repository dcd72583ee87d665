//! What the owning walk does with a value, once `classify` has chosen how to write it.
//!
//! Separate from `classify`, which compares the value with a node: here are [`TypedAction`] and the
//! functions that make one, for scalars, arrays, enum members and containers. Invariant: each
//! checks what its writer relies on, such as the length of a tuple. Python code may run. Called by
//! `classify`; `walk` reads [`TypedAction`] and uses [`Stepper::text_members`].

use crate::encode::action::Action;
use crate::encode::policy::{BOOL, FLOAT, INT, NONE, STR};
use crate::encode::text_members::TextMembers;
use crate::encode::typed::error::{EncodeFailure, mismatch, surrogates};
use crate::encode::typed::frame::{FrameKind, NewFrame};
use crate::encode::typed::plan::{EncodePlan, Node};
use crate::encode::typed::plans::NodeRef;
use crate::encode::typed::stepper::Stepper;
use crate::encode::typed::{plan, text};
use crate::encode::utf8;
use crate::kept::TOKEN_LEN;
use crate::options::EncodeFlags;
use crate::py::bytes::{Bytes, OwnedBytes};
use crate::py::compat::FREE_THREADED;
use crate::py::dict::OrderedDict;
use crate::py::instance::Layout;
use crate::py::int::{Int, IntValue};
use crate::py::list::List;
use crate::py::tuple::Tuple;
use crate::py::types::{Exact, Kind};
use crate::py::unicode::OwnedStr;
use crate::py::{Owned, Raised, bytes, call, dict, float, int, list, singletons, tuple, types};

/// What the owning walk does with a value.
#[derive(Debug)]
pub(super) enum TypedAction {
    /// Do what `dumps` does.
    Untyped(Action),
    /// Write a `str` or an instance of a subclass as a string.
    Text(OwnedStr),
    /// Copy the ASCII characters of a `str`, which are a JSON number.
    NumberText(OwnedStr),
    /// Write a `bytes` as base64.
    Base64(OwnedBytes),
    /// Open a container.
    OpenContainer(NewFrame),
    /// Write the token of an object that is kept.
    Kept([u8; TOKEN_LEN]),
    /// Write another object instead, by this node.
    Replace(Owned, NodeRef),
}

impl Stepper<'_, '_> {
    /// Handles scalars of an exact built-in type that the node allows.
    pub(super) fn scalar(
        &mut self,
        object: &Owned,
        node: &Node,
    ) -> Result<Option<TypedAction>, EncodeFailure> {
        let mask = node.mask;
        Ok(Some(match types::kind(object.get()) {
            Kind::Str(text) if mask & STR != 0 => self.text(text)?,
            Kind::Int(number) if mask & INT != 0 => self.int(number)?,
            Kind::Float(number)
                if mask & FLOAT != 0 && self.keeps() && !float::value(number).is_finite() =>
            {
                self.keep(object)?
            }
            Kind::Float(number) if mask & FLOAT != 0 => self.float(number, mask)?,
            Kind::Bool if mask & BOOL != 0 => {
                TypedAction::Untyped(Action::Bool(singletons::is_true(object.get())))
            }
            Kind::None if mask & NONE != 0 => TypedAction::Untyped(Action::Null),
            _ => return Ok(None),
        }))
    }

    /// Returns the action for an `int` of any size.
    pub(super) fn int(&mut self, number: Int<'_>) -> Result<TypedAction, EncodeFailure> {
        Ok(match int::value::<false>(number)? {
            IntValue::Signed(value) => TypedAction::Untyped(Action::Signed(value)),
            IntValue::Unsigned(value) => TypedAction::Untyped(Action::Unsigned(value)),
            IntValue::Big => TypedAction::NumberText(call::digits_of(self.py, number)?),
        })
    }

    /// Copies JSON from an instance of a class derived from `bytes`.
    pub(super) fn raw(
        &mut self,
        node: &Node,
        object: &Owned,
    ) -> Result<TypedAction, EncodeFailure> {
        match Bytes::any(object.get()).map(bytes::contents) {
            Some(contents) => {
                self.check_tokens(contents)?;
                Ok(TypedAction::Untyped(Action::RawJson(bytes::new(self.py, contents)?)))
            }
            None => Err(mismatch(node, object)),
        }
    }

    /// Handles a time or a UUID.
    pub(super) fn time_or_uuid(&mut self, object: &Owned) -> Result<TypedAction, EncodeFailure> {
        let action = text::time_or_uuid(self, object)?;
        Ok(self.with_fraction(action.map_or_else(TypedAction::Text, TypedAction::Untyped))?)
    }

    /// Handles a `timedelta`. An instance of a subclass may have nanoseconds (pandas), which have
    /// no text.
    pub(super) fn duration(
        &mut self,
        node: &Node,
        object: &Owned,
    ) -> Result<TypedAction, EncodeFailure> {
        let Some(delta) = self.cx.runtime.times.delta_of(object.get()) else {
            return Err(mismatch(node, object));
        };
        let stamp = text::duration(delta);
        if self.cx.runtime.times.delta() == Some(Exact::of(object.get())) {
            return Ok(TypedAction::Untyped(Action::Stamp(stamp)));
        }
        let name = call::interned(c"nanoseconds")?;
        if let Some(nanoseconds) = call::optional_attribute(self.py, object, &name)?
            && let Some(number) = Int::exact(nanoseconds.get())
            && int::value::<false>(number)? != IntValue::Signed(0)
        {
            return Err(EncodeFailure::new(|message| {
                message.text("expected a timedelta of whole microseconds, found one with ")?;
                message.str(nanoseconds.get())?.text(" nanoseconds")
            }));
        }
        Ok(TypedAction::Untyped(Action::Stamp(stamp)))
    }

    /// Opens a tuple with one node per item.
    pub(super) fn fixed_tuple(
        &mut self,
        plan: &EncodePlan,
        node: &Node,
        object: &Owned,
        plan_id: u32,
        fixed: u32,
    ) -> Result<TypedAction, EncodeFailure> {
        let found_len = Tuple::any(object.get()).map_or(0, tuple::len);
        if plan.fixed_tuples.get(fixed as usize).is_none_or(|nodes| !nodes.accepts(found_len)) {
            return Err(EncodeFailure::new(|message| {
                message.text("expected ")?.str(node.expected.get())?;
                message.text(", found a tuple of length ")?.count(found_len)
            }));
        }
        Ok(TypedAction::OpenContainer(NewFrame::new(
            FrameKind::FixedTuple,
            object.clone(),
            plan_id,
            fixed,
        )))
    }

    /// Opens a dict, in its own order if the walk can keep it.
    pub(super) fn dict(
        &mut self,
        plan: &EncodePlan,
        object: &Owned,
        plan_id: u32,
        nodes: u32,
    ) -> Result<TypedAction, EncodeFailure> {
        let ordered = OrderedDict::any(object.get());
        let copies = EncodeFlags::SORT_KEYS | EncodeFlags::OMIT_NONE;
        if !(ordered.is_some() || FREE_THREADED || self.cx.flags.has(copies)) {
            return Ok(TypedAction::OpenContainer(NewFrame::new(
                FrameKind::Dict,
                object.clone(),
                plan_id,
                nodes,
            )));
        }
        let pairs = match ordered {
            Some(ordered) => dict::ordered_entries(self.py, ordered)?,
            None => dict::entries(self.py, dict::checked(object.get())?)?,
        };
        self.open_pairs(plan, object, plan_id, nodes, pairs)
    }

    /// Opens an object with these pairs as members.
    pub(super) fn open_pairs(
        &mut self,
        plan: &EncodePlan,
        object: &Owned,
        plan_id: u32,
        nodes: u32,
        pairs: Vec<(Owned, Owned)>,
    ) -> Result<TypedAction, EncodeFailure> {
        let text_members = self.text_members(plan, nodes, pairs)?;
        Ok(TypedAction::OpenContainer(NewFrame::with_members(
            text_members,
            object.clone(),
            plan_id,
            nodes,
        )))
    }

    /// Converts the keys of the pairs to text, and sorts them if the options say so.
    pub(super) fn text_members(
        &mut self,
        plan: &EncodePlan,
        nodes: u32,
        pairs: Vec<(Owned, Owned)>,
    ) -> Result<TextMembers, EncodeFailure> {
        let Some(&dict) = plan.dicts.get(nodes as usize) else {
            return Err(EncodeFailure::broken_plan());
        };
        self.cx.lists_text.set(true);
        let mut text_members = TextMembers::default();
        let mut name = Vec::new();
        let omits_none = self.cx.flags.has(EncodeFlags::OMIT_NONE);
        for (key, value) in pairs {
            if omits_none && singletons::is_none(value.get()) {
                continue;
            }
            name.clear();
            let appended = self.append_key(plan, &key, dict.key, &mut name);
            appended.map_err(|failure| failure.at_key(&key))?;
            text_members.push(value, |text| utf8::append(text, &name))?;
        }
        if self.cx.flags.has(EncodeFlags::SORT_KEYS) {
            text_members.sort();
        }
        Ok(text_members)
    }

    /// Opens a record. Refreshes its field layout if the class has changed.
    pub(super) fn record(
        &mut self,
        plan: &EncodePlan,
        object: &Owned,
        plan_id: u32,
        record_index: u32,
    ) -> Result<TypedAction, EncodeFailure> {
        let Some(record) = plan.records.get(record_index as usize) else {
            return Err(EncodeFailure::broken_plan());
        };
        let is_exact = Exact::class(record.class.get()) == Exact::of(object.get());
        if record.kind == plan::RecordKind::Attributes
            && is_exact
            && !record.sorts_members()
            && self.cx.runtime.direct
            && record.field_layout.get(self.py).layout.is_of_other(object.get())
        {
            let (runtime, harmless) = (self.cx.runtime, &self.cx.runtime.names.class);
            let sees_attributes = runtime.sees_attributes;
            let (layout, offsets) =
                Layout::find(self.py, object, &record.attribute_names, sees_attributes, harmless)?;
            record
                .field_layout
                .set(self.py, plan::FieldLayout::new(layout, &record.fields, &offsets)?);
        }
        if record.kind == plan::RecordKind::Tuple
            && Tuple::any(object.get()).map_or(0, tuple::len) < record.min_items
        {
            return Err(EncodeFailure::new(|message| {
                message.text("expected a tuple of all fields, found fewer")
            }));
        }
        Ok(TypedAction::OpenContainer(NewFrame::new(
            FrameKind::Fields,
            object.clone(),
            plan_id,
            record_index,
        )))
    }

    /// Returns the action that copies the JSON of an enum member.
    pub(super) fn enum_member(
        &mut self,
        plan: &EncodePlan,
        node: &Node,
        object: &Owned,
        members: u32,
    ) -> Result<TypedAction, EncodeFailure> {
        let Some(members) = plan.enums.get(members as usize) else {
            return Err(EncodeFailure::broken_plan());
        };
        if let Some(rendered) = members.rendered(object.get()) {
            let bytes = rendered.bytes();
            let json = bytes.get(..bytes.len() - 1).unwrap_or(&[]);
            return Ok(TypedAction::Untyped(Action::RawJson(bytes::new(self.py, json)?)));
        }
        match dict::get(self.py, members.dict.get(), object)? {
            Some(json) if singletons::is_none(json.get()) => Err(surrogates()),
            Some(json) => match OwnedBytes::exact(json) {
                Some(json) => Ok(TypedAction::Untyped(Action::RawJson(json))),
                None => Err(mismatch(node, object)),
            },
            None => Err(mismatch(node, object)),
        }
    }
}

/// Returns a frame for a list or an instance of a subclass.
pub(super) fn list_frame(list: List<'_>, plan_id: u32, item: u32) -> Result<NewFrame, Raised> {
    Ok(NewFrame::new(FrameKind::List, list::freeze(list)?.into_owned(), plan_id, item))
}
