//! Decides how an `Encoder` writes a value that the borrowed walk has left.
//!
//! Separate from `walk`, which writes: nothing here is generic over tiers and formats. Python code
//! may run in every function, so a [`PlanGuard`] holds the plan that is being read. The order of
//! decisions: scalar, exact type, `Any`, then the rules in order. Called by `walk`; `keys` uses
//! [`Stepper::rule_accepts`] and [`Stepper::resolve_plan`].

use crate::encode::action::Action;
use crate::encode::scalar::{BOOL, FINITE, FLOAT, INT, NONE, STR};
use crate::encode::text_members::TextMembers;
use crate::encode::typed::error::{EncodeFailure, mismatch, surrogates};
use crate::encode::typed::frame::{FrameKind, NewFrame};
use crate::encode::typed::plan::{EncodePlan, Encoding, Node, TypeRule};
use crate::encode::typed::plans::{Encoder, NO_PLAN, NodeRef, ROOT_PLAN};
use crate::encode::typed::stepper::{PlanGuard, Stepper};
use crate::encode::typed::{plan, text};
use crate::encode::{numpy, utf8};
use crate::options::Config;
use crate::py::bytes::{Bytes, OwnedBytes};
use crate::py::compat::FREE_THREADED;
use crate::py::dict::{Dict, OrderedDict};
use crate::py::float::Float;
use crate::py::instance::Layout;
use crate::py::int::{Int, IntValue};
use crate::py::list::List;
use crate::py::tuple::Tuple;
use crate::py::types::{Exact, Kind, TypeKey};
use crate::py::unicode::{Chars, OwnedStr, Str};
use crate::py::{
    Obj, Owned, Raised, bytes, call, dict, error, float, int, list, singletons, tuple, types,
    unicode,
};

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
    /// Write another object instead, by this node.
    Replace(Owned, NodeRef),
}

impl Stepper<'_, '_> {
    /// Decides how to write an object by a node.
    pub(super) fn classify(
        &mut self,
        object: &Owned,
        node_ref: NodeRef,
    ) -> Result<TypedAction, EncodeFailure> {
        let plan = PlanGuard::new(self.plans, node_ref.plan_id);
        let Some(node) = plan.nodes.get(node_ref.node as usize) else {
            return Err(EncodeFailure::Raised);
        };
        if let Some(action) = self.scalar(object, node)? {
            return Ok(action);
        }
        if let Some(encoding) = node.encoding(Exact::of(object.get())) {
            return self.by_encoding(&plan, node, encoding, object, node_ref.plan_id);
        }
        if node.allows_any {
            return self.any_value(object, node_ref);
        }
        for rule in &node.rules {
            if self.rule_accepts(&plan, rule, object)? {
                return self.by_rule(&plan, node, rule, object, node_ref.plan_id);
            }
        }
        Err(mismatch(node, object))
    }

    /// Handles scalars of an exact built-in type that the node allows.
    fn scalar(
        &mut self,
        object: &Owned,
        node: &Node,
    ) -> Result<Option<TypedAction>, EncodeFailure> {
        let mask = node.mask;
        Ok(Some(match types::kind(object.get()) {
            Kind::Str(text) if mask & STR != 0 => str_action(text)?,
            Kind::Int(number) if mask & INT != 0 => self.int(number)?,
            Kind::Float(number) if mask & FLOAT != 0 => float(number, mask)?,
            Kind::Bool if mask & BOOL != 0 => {
                TypedAction::Untyped(Action::Bool(singletons::is_true(object.get())))
            }
            Kind::None if mask & NONE != 0 => TypedAction::Untyped(Action::Null),
            _ => return Ok(None),
        }))
    }

    /// Returns the action for an `int` of any size.
    fn int(&mut self, number: Int<'_>) -> Result<TypedAction, EncodeFailure> {
        Ok(match int::value::<false>(number)? {
            IntValue::Signed(value) => TypedAction::Untyped(Action::Signed(value)),
            IntValue::Unsigned(value) => TypedAction::Untyped(Action::Unsigned(value)),
            IntValue::Big => TypedAction::NumberText(call::digits_of(self.py, number)?),
        })
    }

    /// Decides for an object whose exact type has an encoding.
    fn by_encoding(
        &mut self,
        plan: &EncodePlan,
        node: &Node,
        encoding: Encoding,
        object: &Owned,
        plan_id: u32,
    ) -> Result<TypedAction, EncodeFailure> {
        match encoding {
            Encoding::List(item) => {
                let list = List::any(object.get()).ok_or_else(|| mismatch(node, object))?;
                Ok(TypedAction::OpenContainer(list_frame(list, plan_id, item)?))
            }
            Encoding::Tuple(item) => Ok(TypedAction::OpenContainer(NewFrame::new(
                FrameKind::Tuple,
                object.clone(),
                plan_id,
                item,
            ))),
            Encoding::FixedTuple(fixed) => self.fixed_tuple(plan, node, object, plan_id, fixed),
            Encoding::Dict(nodes) => self.dict(plan, object, plan_id, nodes),
            Encoding::Record(record) => self.record(plan, object, plan_id, record),
            Encoding::EnumMember(members) => self.enum_member(plan, node, object, members),
            Encoding::TimeOrUuid => self.time_or_uuid(object),
            Encoding::RawJson => self.raw(node, object),
            Encoding::ByRule(rule) => match node.rules.get(rule as usize) {
                Some(rule) => self.by_rule(plan, node, rule, object, plan_id),
                None => Err(EncodeFailure::Raised),
            },
        }
    }

    /// Whether a rule accepts the object; its exact type has no encoding.
    pub(super) fn rule_accepts(
        &mut self,
        plan: &EncodePlan,
        rule: &TypeRule,
        object: &Owned,
    ) -> Result<bool, Raised> {
        let value = object.get();
        Ok(match rule {
            TypeRule::None => singletons::is_none(value),
            TypeRule::Bool => types::is_bool(value),
            TypeRule::Int => Int::any(value).is_some(),
            TypeRule::Float => Float::any(value).is_some(),
            TypeRule::Str => Str::any(value).is_some(),
            TypeRule::List(_) => List::any(value).is_some(),
            TypeRule::Dict(_) => Dict::any(value).is_some(),
            TypeRule::Tuple(_) | TypeRule::FixedTuple(_) => Tuple::any(value).is_some(),
            TypeRule::Bytes => [Exact::bytes(), Exact::bytearray(), Exact::memoryview()]
                .iter()
                .any(|class| class.is_base_of(value)),
            TypeRule::DateTime => is_base(self.cx.runtime.times.datetime(), value),
            // A datetime is a date too, but `date` does not include it.
            TypeRule::Date => {
                is_base(self.cx.runtime.times.date(), value)
                    && !is_base(self.cx.runtime.times.datetime(), value)
            }
            TypeRule::Time => is_base(self.cx.runtime.times.time(), value),
            TypeRule::TimeDelta => is_base(self.cx.runtime.times.delta(), value),
            TypeRule::Decimal(class) | TypeRule::Uuid(class) | TypeRule::RawJson(class) => {
                types::inherits(value, class.get())
            }
            TypeRule::Record(record) => match plan.records.get(*record as usize) {
                Some(record) if record.kind == plan::RecordKind::Dict => Dict::any(value).is_some(),
                Some(record) => types::inherits(value, record.class.get()),
                None => false,
            },
            TypeRule::EnumMember(members) => match plan.enums.get(*members as usize) {
                Some(members) => types::inherits(value, members.class.get()),
                None => false,
            },
            TypeRule::NumpyArray => match self.cx.runtime.numpy(self.py)? {
                Some(numpy) => numpy.kind(value).is_some(),
                None => false,
            },
            // Text and bytes are never written as arrays, although they are iterable.
            TypeRule::Iterable(..)
                if Str::any(value).is_some()
                    || [Exact::bytes(), Exact::bytearray(), Exact::memoryview()]
                        .iter()
                        .any(|class| class.is_base_of(value)) =>
            {
                false
            }
            TypeRule::Iterable(class, _)
            | TypeRule::Mapping(class, _)
            | TypeRule::Convert(class, ..) => call::is_instance(self.py, object, class)?,
        })
    }

    /// Decides for an object that a rule accepts.
    fn by_rule(
        &mut self,
        plan: &EncodePlan,
        node: &Node,
        rule: &TypeRule,
        object: &Owned,
        plan_id: u32,
    ) -> Result<TypedAction, EncodeFailure> {
        match *rule {
            TypeRule::None => Ok(TypedAction::Untyped(Action::Null)),
            TypeRule::Bool => {
                Ok(TypedAction::Untyped(Action::Bool(singletons::is_true(object.get()))))
            }
            TypeRule::Int => match Int::any(object.get()) {
                Some(number) => self.int(number),
                None => Err(mismatch(node, object)),
            },
            TypeRule::Float => match Float::any(object.get()) {
                Some(number) => float(number, node.mask),
                None => Err(mismatch(node, object)),
            },
            TypeRule::Str => match Str::any(object.get()) {
                Some(text) => str_action(text),
                None => Err(mismatch(node, object)),
            },
            TypeRule::Bytes => match Bytes::exact(object.get()) {
                Some(bytes) => Ok(TypedAction::Base64(bytes.to_owned())),
                None => Ok(TypedAction::Base64(call::bytes_of(self.py, object)?)),
            },
            TypeRule::Decimal(_) => {
                let text = call::text_of(self.py, object)?;
                if !text::is_number(text.get()) {
                    return Err(EncodeFailure::new(|message| {
                        message.text("expected a finite number, found ")?.str(text.get().obj())
                    }));
                }
                Ok(if plan.decimal_number {
                    TypedAction::NumberText(text)
                } else {
                    TypedAction::Text(text)
                })
            }
            TypeRule::DateTime | TypeRule::Date | TypeRule::Time | TypeRule::Uuid(_) => {
                self.time_or_uuid(object)
            }
            TypeRule::TimeDelta => match self.cx.runtime.times.delta_of(object.get()) {
                Some(delta) => Ok(TypedAction::Untyped(Action::Stamp(text::duration(delta)))),
                None => Err(mismatch(node, object)),
            },
            TypeRule::List(item) => {
                let list = List::any(object.get()).ok_or_else(|| mismatch(node, object))?;
                Ok(TypedAction::OpenContainer(list_frame(list, plan_id, item)?))
            }
            TypeRule::Tuple(item) => Ok(TypedAction::OpenContainer(NewFrame::new(
                FrameKind::Tuple,
                object.clone(),
                plan_id,
                item,
            ))),
            TypeRule::FixedTuple(fixed) => self.fixed_tuple(plan, node, object, plan_id, fixed),
            TypeRule::Iterable(_, item) => {
                let items = call::to_list(self.py, object)?;
                Ok(TypedAction::OpenContainer(list_frame(items.get(), plan_id, item)?))
            }
            TypeRule::Dict(nodes) => self.dict(plan, object, plan_id, nodes),
            TypeRule::Mapping(_, nodes) => {
                let items = call::items(self.py, object)?;
                let pairs = text::pairs(self.py, items.get())?;
                self.open_pairs(plan, object, plan_id, nodes, pairs)
            }
            TypeRule::Record(record) => {
                let is_exact = plan.records.get(record as usize).is_some_and(|known| {
                    Exact::class(known.class.get()) == Exact::of(object.get())
                });
                if !is_exact && let Some(found) = self.by_resolved_plan(object)? {
                    return Ok(found);
                }
                self.record(plan, object, plan_id, record)
            }
            TypeRule::EnumMember(members) => self.enum_member(plan, node, object, members),
            TypeRule::Convert(_, ref callable, inner) => {
                let value = call::call_one(self.py, callable, object)?;
                Ok(TypedAction::Replace(value, NodeRef { plan_id, node: inner }))
            }
            TypeRule::RawJson(_) => self.raw(node, object),
            TypeRule::NumpyArray => match self.array(object)? {
                Some(action) => Ok(action),
                None => Err(mismatch(node, object)),
            },
        }
    }

    /// Copies JSON from an instance of a class derived from `bytes`.
    fn raw(&mut self, node: &Node, object: &Owned) -> Result<TypedAction, EncodeFailure> {
        match Bytes::any(object.get()).map(bytes::contents) {
            Some(contents) => {
                Ok(TypedAction::Untyped(Action::RawJson(bytes::new(self.py, contents)?)))
            }
            None => Err(mismatch(node, object)),
        }
    }

    /// Handles numpy arrays and scalars.
    fn array(&mut self, object: &Owned) -> Result<Option<TypedAction>, EncodeFailure> {
        let numpy = self.cx.runtime.numpy(self.py)?;
        let Some(kind) = numpy.and_then(|numpy| numpy.kind(object.get())) else { return Ok(None) };
        Ok(numpy::action(self.cx, self.py, object, kind)?.map(TypedAction::Untyped))
    }

    /// Handles a time or a UUID.
    fn time_or_uuid(&mut self, object: &Owned) -> Result<TypedAction, EncodeFailure> {
        Ok(text::time_or_uuid(self, object)?.map_or_else(TypedAction::Text, TypedAction::Untyped))
    }

    /// Opens a tuple with one node per item.
    fn fixed_tuple(
        &mut self,
        plan: &EncodePlan,
        node: &Node,
        object: &Owned,
        plan_id: u32,
        fixed: u32,
    ) -> Result<TypedAction, EncodeFailure> {
        let expected_len = plan.fixed_tuples.get(fixed as usize).map_or(0, Vec::len);
        let found_len = Tuple::any(object.get()).map_or(0, tuple::len);
        if expected_len != found_len {
            return Err(EncodeFailure::new(|message| {
                message.text("expected ")?.str(node.expected.get())?.text(" of ")?;
                message.count(expected_len)?.text(", found ")?.count(found_len)
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
    fn dict(
        &mut self,
        plan: &EncodePlan,
        object: &Owned,
        plan_id: u32,
        nodes: u32,
    ) -> Result<TypedAction, EncodeFailure> {
        let ordered = OrderedDict::any(object.get());
        if !(ordered.is_some() || FREE_THREADED || self.cx.config.has(Config::SORT_KEYS)) {
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
    fn open_pairs(
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
        let Some(&dict) = plan.dicts.get(nodes as usize) else { return Err(EncodeFailure::Raised) };
        let mut text_members = TextMembers::default();
        let mut name = Vec::new();
        for (key, value) in pairs {
            name.clear();
            self.append_key(plan, &key, dict.key, &mut name)?;
            text_members.push(value, |text| utf8::append(text, &name))?;
        }
        if self.cx.config.has(Config::SORT_KEYS) {
            text_members.sort();
        }
        Ok(text_members)
    }

    /// Opens a record. Refreshes its field layout if the class has changed.
    fn record(
        &mut self,
        plan: &EncodePlan,
        object: &Owned,
        plan_id: u32,
        record_index: u32,
    ) -> Result<TypedAction, EncodeFailure> {
        let Some(record) = plan.records.get(record_index as usize) else {
            return Err(EncodeFailure::Raised);
        };
        let is_exact = Exact::class(record.class.get()) == Exact::of(object.get());
        if record.kind == plan::RecordKind::Attributes
            && is_exact
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
    fn enum_member(
        &mut self,
        plan: &EncodePlan,
        node: &Node,
        object: &Owned,
        members: u32,
    ) -> Result<TypedAction, EncodeFailure> {
        let Some(members) = plan.enums.get(members as usize) else {
            return Err(EncodeFailure::Raised);
        };
        if let Some(rendered) = members.rendered(object.get()) {
            let bytes = rendered.bytes();
            let json = bytes.get(..bytes.len() - 1).unwrap_or(&[]);
            return Ok(TypedAction::Untyped(Action::RawJson(bytes::new(self.py, json)?)));
        }
        match dict::get(self.py, members.dict.get(), object)? {
            Some(json) => match OwnedBytes::exact(json) {
                Some(json) => Ok(TypedAction::Untyped(Action::RawJson(json))),
                None => Err(mismatch(node, object)),
            },
            None => Err(mismatch(node, object)),
        }
    }

    /// Decides for a value of any type that has no exact encoding.
    fn any_value(
        &mut self,
        object: &Owned,
        node_ref: NodeRef,
    ) -> Result<TypedAction, EncodeFailure> {
        // An instance of a subclass is written as its built-in type only if `resolve` and the hook
        // do not take it.
        if let Some(found) = self.by_resolved_plan(object)? {
            return Ok(found);
        }
        if let Some(action) = self.array(object)? {
            return Ok(action);
        }
        if let Some(hook) = &self.plans.root.hook {
            let value = call::call_one(self.py, hook, object)?;
            return Ok(TypedAction::Replace(value, node_ref));
        }
        if let Some(text) = Str::any(object.get()) {
            return str_action(text);
        }
        if let Some(number) = Int::any(object.get()) {
            return self.int(number);
        }
        Err(EncodeFailure::new(|message| {
            message.text("Type is not JSON serializable: ")?.type_name(object.get())
        }))
    }

    /// Decides by the plan that `resolve` gives for the object's type, if any.
    fn by_resolved_plan(&mut self, object: &Owned) -> Result<Option<TypedAction>, EncodeFailure> {
        let plan_id = match self.plans.known.get(object.get()) {
            Some(plan_id) => plan_id,
            None => self.resolve_plan(object)?,
        };
        if plan_id == NO_PLAN {
            return Ok(None);
        }
        let plan = PlanGuard::new(self.plans, plan_id);
        let Some(node) = plan.nodes.get(plan.root as usize) else {
            return Err(EncodeFailure::Raised);
        };
        if let Some(action) = self.scalar(object, node)? {
            return Ok(Some(action));
        }
        if let Some(encoding) = node.encoding(Exact::of(object.get())) {
            return self.by_encoding(&plan, node, encoding, object, plan_id).map(Some);
        }
        for rule in &node.rules {
            // A record of another class would lead back here.
            if !matches!(rule, TypeRule::Record(_)) && self.rule_accepts(&plan, rule, object)? {
                return self.by_rule(&plan, node, rule, object, plan_id).map(Some);
            }
        }
        Ok(None)
    }

    /// Calls `resolve` for the object's type and caches the id of the plan.
    pub(super) fn resolve_plan(&mut self, object: &Owned) -> Result<u32, Raised> {
        if TypeKey::of(object.get()).is_none() {
            // A type gets its version tag at the first lookup.
            call::optional_attribute(self.py, object, &self.cx.runtime.names.class)?;
        }
        let key = TypeKey::of(object.get());
        let mut plan_id = NO_PLAN;
        if let Some(resolve) = &self.plans.root.resolve {
            let class = object.get().type_obj().to_owned();
            let found = call::call_one(self.py, resolve, &class)?;
            if !singletons::is_none(found.get()) {
                let encoder = Encoder::new(self.py, self.plans.encoder_type, found)?;
                let encoder = encoder.ok_or_else(|| {
                    error::type_error(c"an Encoder must be resolved to an Encoder or None")
                })?;
                plan_id = match core::ptr::eq(&encoder.plan().plan, self.plans.root) {
                    true => ROOT_PLAN,
                    false => self.plans.known.add(encoder)?,
                };
            }
        }
        // Cache only if the call left the type unchanged.
        if TypeKey::of(object.get()) == key {
            self.plans.known.set(key, plan_id)?;
        }
        Ok(plan_id)
    }
}

/// Whether the class, if it exists, is a base of the object's type.
fn is_base(class: Option<Exact>, object: Obj<'_>) -> bool {
    class.is_some_and(|class| class.is_base_of(object))
}

/// Returns a frame for a list or an instance of a subclass.
fn list_frame(list: List<'_>, plan_id: u32, item: u32) -> Result<NewFrame, Raised> {
    Ok(NewFrame::new(FrameKind::List, list::freeze(list)?.into_owned(), plan_id, item))
}

/// Returns the action for a string without surrogates.
fn str_action(text: Str<'_>) -> Result<TypedAction, EncodeFailure> {
    let is_surrogate = |unit: u32| (0xd800..0xe000).contains(&unit);
    let has_surrogate = match unicode::chars::<false>(text)? {
        Chars::Ascii(_) | Chars::Latin1(_) => false,
        Chars::Ucs2(units) => units.iter().any(|&unit| is_surrogate(unit.into())),
        Chars::Ucs4(units) => units.iter().any(|&unit| is_surrogate(unit)),
    };
    if has_surrogate {
        return Err(surrogates());
    }
    Ok(TypedAction::Text(text.to_owned()))
}

/// Returns the action for a float, finite if the node requires it.
fn float(number: Float<'_>, mask: u8) -> Result<TypedAction, EncodeFailure> {
    let value = float::value(number);
    if mask & FINITE != 0 && !value.is_finite() {
        return Err(EncodeFailure::new(|message| {
            message.text("expected a finite number, found ")?.text(match value {
                f64::INFINITY => "Infinity",
                f64::NEG_INFINITY => "-Infinity",
                _ => "NaN",
            })
        }));
    }
    Ok(TypedAction::Untyped(Action::Float(value)))
}
