//! Decides how an `Encoder` writes a value that the borrowed walk has left.
//!
//! Separate from `walk`, which writes: nothing here is generic over tiers and formats. Python code
//! may run in every function, so a [`PlanGuard`] holds the plan that is being read. The order of
//! decisions: scalar, exact type, `Any`, then the rules in order. Called by `walk`; `keys` uses
//! [`Stepper::rule_accepts`] and [`Stepper::resolve_plan`].

use crate::encode::action::Action;
use crate::encode::fragment;
use crate::encode::typed::action::{TypedAction, list_frame};
use crate::encode::typed::error::{
    EncodeFailure, kind_name, mismatch, not_serializable, unreadable,
};
use crate::encode::typed::frame::{FrameKind, NewFrame};
use crate::encode::typed::plan::{EncodePlan, Encoding, Node, TypeRule};
use crate::encode::typed::plans::{Encoder, NO_PLAN, NodeRef, ROOT_PLAN};
use crate::encode::typed::policies::NotFinite;
use crate::encode::typed::stepper::{PlanGuard, Stepper};
use crate::encode::typed::{plan, text};
use crate::py::bytes::{self, Bytes};
use crate::py::dict::Dict;
use crate::py::float::Float;
use crate::py::int::{Int, IntValue};
use crate::py::list::List;
use crate::py::numpy::NumpyKind;
use crate::py::tuple::Tuple;
use crate::py::types::{Exact, TypeKey};
use crate::py::unicode::Str;
use crate::py::{Obj, Owned, Raised, call, error, float, int, singletons, types};

impl Stepper<'_, '_> {
    /// Decides how to write an object by a node.
    pub(super) fn classify(
        &mut self,
        object: &Owned,
        node_ref: NodeRef,
    ) -> Result<TypedAction, EncodeFailure> {
        let plan = PlanGuard::new(self.plans, node_ref.plan_id);
        let Some(node) = plan.nodes.get(node_ref.node as usize) else {
            return Err(EncodeFailure::broken_plan());
        };
        if let Some(action) = self.scalar(object, node)? {
            return Ok(action);
        }
        if let Some(encoding) = node.encoding(Exact::of(object.get())) {
            return self.by_encoding(&plan, node, encoding, object, node_ref.plan_id);
        }
        if let Some(action) = self.kept_instance(&plan, node, object)? {
            return Ok(action);
        }
        if node.allows_any {
            return self.any_value(object, node_ref);
        }
        for rule in &node.rules {
            if self.rule_accepts(&plan, rule, object)? {
                return self.by_rule(&plan, node, rule, object, node_ref.plan_id);
            }
        }
        if let Some(action) = self.number(node, object)? {
            return Ok(action);
        }
        if self.cx.runtime.times.is_unreadable(self.py, object)? {
            return Err(unreadable(object));
        }
        Err(mismatch(node, object))
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
            Encoding::Plain => self.plain_value(object, self.plans.any_node()),
            Encoding::ByRule(rule) | Encoding::Base64(rule) | Encoding::Duration(rule) => {
                match node.rules.get(rule as usize) {
                    Some(rule) => self.by_rule(plan, node, rule, object, plan_id),
                    None => Err(EncodeFailure::broken_plan()),
                }
            }
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
            // `bool` is a subclass of `int`, and another type in JSON.
            TypeRule::Int => Int::any(value).is_some() && !types::is_bool(value),
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
                // Values of a Literal are of one class, and `bool` is a subclass of `int`.
                Some(members) => {
                    types::inherits(value, members.class.get())
                        && types::is_bool(value) == types::is_bool_type(members.class.get())
                }
                None => false,
            },
            TypeRule::NumpyArray(_) => match self.cx.runtime.numpy(self.py)? {
                Some(numpy) => numpy.kind(value) == Some(NumpyKind::Array),
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
            TypeRule::SelectDict(..) => Dict::any(value).is_some(),
            TypeRule::SelectAny(..) => true,
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
                Some(number) if self.keeps() && !float::value(number).is_finite() => {
                    let exact = float::new(self.py, float::value(number))?;
                    self.keep(&exact)
                }
                Some(number) => self.float(number, node.mask),
                None => Err(mismatch(node, object)),
            },
            TypeRule::Str => match Str::any(object.get()) {
                Some(text) => self.text(text),
                None => Err(mismatch(node, object)),
            },
            TypeRule::Bytes => match Bytes::exact(object.get()) {
                Some(bytes) => Ok(TypedAction::Base64(bytes.to_owned())),
                None => Ok(TypedAction::Base64(call::bytes_of(self.py, object)?)),
            },
            TypeRule::Decimal(_) => {
                let text = call::text_of(self.py, object)?;
                if !text::is_number(text.get()) {
                    match text::not_finite(text.get()) {
                        Some(value) if self.keeps() => {
                            let number = float::new(self.py, value)?;
                            return self.keep(&number);
                        }
                        Some(value) if self.plans.root.policies.not_finite != NotFinite::Error => {
                            return self.not_finite(value);
                        }
                        _ => {}
                    }
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
            TypeRule::TimeDelta => self.duration(node, object),
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
                // A dict of any class is written by the record: its own class says nothing of the
                // members.
                let keeps_record = plan.records.get(record as usize).is_some_and(|known| {
                    known.kind == plan::RecordKind::Dict
                        || Exact::class(known.class.get()) == Exact::of(object.get())
                });
                if !keeps_record && let Some(found) = self.by_resolved_plan(object)? {
                    self.check_tag(plan, node, record, object, &found)?;
                    return Ok(found);
                }
                self.record(plan, object, plan_id, record)
            }
            TypeRule::EnumMember(members) => self.enum_member(plan, node, object, members),
            TypeRule::Convert(_, ref callable, inner) => {
                match call::call_one(self.py, callable, object) {
                    Ok(value) => Ok(TypedAction::Replace(value, NodeRef { plan_id, node: inner })),
                    Err(Raised) => Err(EncodeFailure::of_function(self.py, object)),
                }
            }
            TypeRule::SelectDict(ref select, ref nodes, ref names)
            | TypeRule::SelectAny(ref select, ref nodes, ref names) => {
                let index = call::call_one(self.py, select, object)?;
                if let Some(text) = Bytes::exact(index.get()) {
                    return Ok(TypedAction::Untyped(Action::RawJson(text.to_owned())));
                }
                let index = Int::exact(index.get()).map(int::value::<false>).transpose()?;
                let inner = index.and_then(|index| match index {
                    IntValue::Signed(index) => nodes.get(usize::try_from(index).ok()?),
                    _ => None,
                });
                let inner = *inner.ok_or_else(|| {
                    EncodeFailure::new(|message| {
                        message.text("expected ")?.str(names.get())?.text(", found ")?;
                        kind_name(message, object.get())?.text(", which fits none of them")
                    })
                })?;
                Ok(TypedAction::Replace(object.clone(), NodeRef { plan_id, node: inner }))
            }
            TypeRule::RawJson(_) => self.raw(node, object),
            TypeRule::NumpyArray(ref check) => match self.array(node, check.as_ref(), object)? {
                Some(action) => Ok(action),
                None => self.by_hook(object, self.plans.any_node()),
            },
        }
    }

    /// In a union of classes with tags, refuses an instance of a subclass whose tag is not that of
    /// its class: no Decoder of the union would read it.
    fn check_tag(
        &self,
        plan: &EncodePlan,
        node: &Node,
        record: u32,
        object: &Owned,
        found: &TypedAction,
    ) -> Result<(), EncodeFailure> {
        let TypedAction::OpenContainer(frame) = found else { return Ok(()) };
        // An array has no room for the fields of a subclass.
        let is_array = plan.records.get(record as usize).is_some_and(|record| record.is_array);
        let expected = plan.records.get(record as usize).and_then(|record| record.tag.as_ref());
        let Some(expected) = expected else { return Ok(()) };
        let is_record = |rule: &&TypeRule| matches!(rule, TypeRule::Record(_));
        if node.rules.iter().filter(is_record).count() < 2 {
            return Ok(());
        }
        let position = &frame.position;
        let records = &self.plans.plan(position.plan_id).records;
        let tag = match position.kind {
            FrameKind::Fields => records.get(position.plan_index as usize),
            _ => None,
        };
        if !is_array && tag.and_then(|record| record.tag.as_ref()) == Some(expected) {
            return Ok(());
        }
        Err(EncodeFailure::new(|message| {
            message.text("expected ")?.str(node.expected.get())?.text(", found ")?;
            message.type_name(object.get())?.text(", a subclass with another tag or none")
        }))
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
        self.plain_value(object, node_ref)
    }

    /// Decides for a value of any type whose class has no plan.
    fn plain_value(
        &mut self,
        object: &Owned,
        node_ref: NodeRef,
    ) -> Result<TypedAction, EncodeFailure> {
        if let Some(fragment) = self.cx.runtime.fragment.exact(object.get()) {
            let action = fragment::action(self.py, fragment)?;
            if let Action::RawJson(contents) = &action {
                self.check_tokens(bytes::contents(contents.get()))?;
            }
            return Ok(TypedAction::Untyped(action));
        }
        if let Some(action) = self.any_array(object)? {
            return Ok(action);
        }
        if self.plans.root.hook.is_none() {
            if let Some(text) = Str::any(object.get()) {
                return self.text(text);
            }
            if let Some(number) = Int::any(object.get()) {
                return self.int(number);
            }
        }
        self.by_hook(object, node_ref)
    }

    /// Writes what the hook returns, by a node.
    fn by_hook(&mut self, object: &Owned, node_ref: NodeRef) -> Result<TypedAction, EncodeFailure> {
        if let Some(hook) = &self.plans.root.hook {
            return match call::call_one(self.py, hook, object) {
                Ok(value) => Ok(TypedAction::Replace(value, node_ref)),
                Err(Raised) => Err(EncodeFailure::of_function(self.py, object)),
            };
        }
        if self.cx.runtime.times.is_unreadable(self.py, object)? {
            return Err(unreadable(object));
        }
        Err(not_serializable(object))
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
            return Err(EncodeFailure::broken_plan());
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
