//! What to do with a value that the tree has not written.
//!
//! Only decides, and the walk writes. Anything may run in here: the plan that is read is held.

use crate::encode::action::Action;
use crate::encode::scalar::{BOOL, FINITE, FLOAT, INT, NONE, STR};
use crate::encode::text_members::TextMembers;
use crate::encode::typed::error::{EncodeFailure, mismatch, surrogates};
use crate::encode::typed::frame::{Form, Opening};
use crate::encode::typed::plan::{EncodePlan, Node, Op, Rule};
use crate::encode::typed::plans::{Encoder, NO_PLAN, NodeRef, ROOT_PLAN};
use crate::encode::typed::stepper::{PlanGuard, Stepper};
use crate::encode::typed::{plan, text};
use crate::encode::{numpy, utf8};
use crate::options::Config;
use crate::py::compat::FREE_THREADED;
use crate::py::instance::Layout;
use crate::py::int::Int;
use crate::py::types::{Base, Exact, Kind, TypeKey};
use crate::py::unicode::Chars;
use crate::py::{
    Obj, Owned, Raised, bytes, call, dict, error, float, int, list, singletons, tuple, types,
    unicode,
};

/// What the walk does next.
#[derive(Debug)]
pub(super) enum Next {
    /// Writes it as `dumps` does.
    Action(Action),
    /// Writes a `str`, or an instance of a subclass, as a string.
    Text(Owned),
    /// Copies the characters of a `str`, which are ASCII.
    Digits(Owned),
    /// Writes a `bytes` as base64.
    Base64(Owned),
    /// Opens a container.
    Open(Opening),
    /// Goes on with another object in its place.
    Value(Owned, NodeRef),
}

impl Stepper<'_, '_> {
    /// What to do with an object that is to be written as a node says.
    pub(super) fn begin(
        &mut self,
        object: &Owned,
        node_ref: NodeRef,
    ) -> Result<Next, EncodeFailure> {
        let plan = PlanGuard::new(self.plans, node_ref.plan_id);
        let Some(node) = plan.nodes.get(node_ref.node as usize) else {
            return Err(EncodeFailure::Raised);
        };
        if let Some(next) = self.scalar(object, node)? {
            return Ok(next);
        }
        if let Some(op) = node.op(Exact::of(object.get())) {
            return self.by_op(&plan, node, op, object, node_ref.plan_id);
        }
        if node.any {
            return self.any(object, node_ref);
        }
        for rule in &node.rules {
            if self.accepts(&plan, rule, object)? {
                return self.by_rule(&plan, node, rule, object, node_ref.plan_id);
            }
        }
        Err(mismatch(node, object))
    }

    /// A scalar of an exact type.
    fn scalar(&mut self, object: &Owned, node: &Node) -> Result<Option<Next>, EncodeFailure> {
        let mask = node.mask;
        Ok(Some(match types::kind(object.get()) {
            Kind::Str if mask & STR != 0 => text_next(object)?,
            Kind::Int if mask & INT != 0 => self.int(object)?,
            Kind::Float if mask & FLOAT != 0 => float(object.get(), mask)?,
            Kind::Bool if mask & BOOL != 0 => {
                Next::Action(Action::Bool(singletons::is_true(object.get())))
            }
            Kind::None if mask & NONE != 0 => Next::Action(Action::Null),
            _ => return Ok(None),
        }))
    }

    fn int(&mut self, object: &Owned) -> Result<Next, EncodeFailure> {
        Ok(match int::value::<false>(object.get())? {
            Int::Signed(value) => Next::Action(Action::Signed(value)),
            Int::Unsigned(value) => Next::Action(Action::Unsigned(value)),
            Int::Big => Next::Digits(call::digits_of(self.py, object.get())?),
        })
    }

    /// What to do with an object whose exact type says so.
    fn by_op(
        &mut self,
        plan: &EncodePlan,
        node: &Node,
        op: Op,
        object: &Owned,
        plan_id: u32,
    ) -> Result<Next, EncodeFailure> {
        match op {
            Op::List(item) => Ok(Next::Open(list_opening(object, plan_id, item)?)),
            Op::Tuple(item) => {
                Ok(Next::Open(Opening::new(Form::Tuple, object.clone(), plan_id, item)))
            }
            Op::Fixed(fixed) => self.fixed(plan, node, object, plan_id, fixed),
            Op::Dict(nodes) => self.dict(plan, object, plan_id, nodes),
            Op::Record(record) => self.record(plan, object, plan_id, record),
            Op::Members(members) => self.member(plan, node, object, members),
            Op::Stamp => self.stamp(object),
            Op::Raw => self.raw(node, object),
            Op::Rule(rule) => match node.rules.get(rule as usize) {
                Some(rule) => self.by_rule(plan, node, rule, object, plan_id),
                None => Err(EncodeFailure::Raised),
            },
        }
    }

    /// Whether a rule is for the object, though its exact type does not say so.
    pub(super) fn accepts(
        &mut self,
        plan: &EncodePlan,
        rule: &Rule,
        object: &Owned,
    ) -> Result<bool, Raised> {
        let one = object.get();
        Ok(match rule {
            Rule::None => singletons::is_none(one),
            Rule::Bool => types::is_bool(one),
            Rule::Int => types::base(one) == Some(Base::Int),
            Rule::Float => types::is_float(one),
            Rule::Str => types::base(one) == Some(Base::Str),
            Rule::List(_) => types::base(one) == Some(Base::List),
            Rule::Dict(_) => types::base(one) == Some(Base::Dict),
            Rule::Tuple(_) | Rule::Fixed(_) => types::is_tuple(one),
            Rule::Bytes => [Exact::bytes(), Exact::bytearray(), Exact::memoryview()]
                .iter()
                .any(|class| class.is_base_of(one)),
            Rule::DateTime => is_base(self.cx.runtime.times.datetime(), one),
            // A datetime is a date as well, but is not meant.
            Rule::Date => {
                is_base(self.cx.runtime.times.date(), one)
                    && !is_base(self.cx.runtime.times.datetime(), one)
            }
            Rule::Time => is_base(self.cx.runtime.times.time(), one),
            Rule::Delta => is_base(self.cx.runtime.times.delta(), one),
            Rule::Decimal(class) | Rule::Uuid(class) | Rule::Raw(class) => {
                types::inherits(one, class.get())
            }
            Rule::Record(record) => match plan.records.get(*record as usize) {
                Some(record) if record.kind == plan::RecordKind::Dict => {
                    types::base(one) == Some(Base::Dict)
                }
                Some(record) => types::inherits(one, record.class.get()),
                None => false,
            },
            Rule::Members(members) => match plan.members.get(*members as usize) {
                Some(members) => types::inherits(one, members.class.get()),
                None => false,
            },
            Rule::Array => match self.cx.runtime.numpy(self.py)? {
                Some(numpy) => numpy.kind(one).is_some(),
                None => false,
            },
            // Text and bytes are no arrays, whatever they can do.
            Rule::Iterable(..)
                if types::base(one) == Some(Base::Str)
                    || [Exact::bytes(), Exact::bytearray(), Exact::memoryview()]
                        .iter()
                        .any(|class| class.is_base_of(one)) =>
            {
                false
            }
            Rule::Iterable(class, _) | Rule::Mapping(class, _) | Rule::Via(class, ..) => {
                call::is_instance(self.py, object, class)?
            }
        })
    }

    /// What to do with an object that a rule is for.
    fn by_rule(
        &mut self,
        plan: &EncodePlan,
        node: &Node,
        rule: &Rule,
        object: &Owned,
        plan_id: u32,
    ) -> Result<Next, EncodeFailure> {
        match *rule {
            Rule::None => Ok(Next::Action(Action::Null)),
            Rule::Bool => Ok(Next::Action(Action::Bool(singletons::is_true(object.get())))),
            Rule::Int => self.int(object),
            Rule::Float => float(object.get(), node.mask),
            Rule::Str => text_next(object),
            Rule::Bytes => match bytes::exact_contents(object.get()) {
                Some(_) => Ok(Next::Base64(object.clone())),
                None => Ok(Next::Base64(call::bytes_of(self.py, object)?)),
            },
            Rule::Decimal(_) => {
                let text = call::text_of(self.py, object)?;
                if !text::is_number(text.get()) {
                    return Err(EncodeFailure::new(|message| {
                        message.text("expected a finite number, found ")?.str(text.get())
                    }));
                }
                Ok(if plan.decimal_number { Next::Digits(text) } else { Next::Text(text) })
            }
            Rule::DateTime | Rule::Date | Rule::Time | Rule::Uuid(_) => self.stamp(object),
            Rule::Delta => match self.cx.runtime.times.delta_parts(object.get()) {
                Some(parts) => Ok(Next::Action(Action::Plain(text::duration(parts)))),
                None => Err(mismatch(node, object)),
            },
            Rule::List(item) => Ok(Next::Open(list_opening(object, plan_id, item)?)),
            Rule::Tuple(item) => {
                Ok(Next::Open(Opening::new(Form::Tuple, object.clone(), plan_id, item)))
            }
            Rule::Fixed(fixed) => self.fixed(plan, node, object, plan_id, fixed),
            Rule::Iterable(_, item) => {
                let items = call::to_list(self.py, object)?;
                Ok(Next::Open(list_opening(&items, plan_id, item)?))
            }
            Rule::Dict(nodes) => self.dict(plan, object, plan_id, nodes),
            Rule::Mapping(_, nodes) => {
                let items = call::items(self.py, object)?;
                let pairs = text::pairs(self.py, &items)?;
                self.entries(plan, object, plan_id, nodes, pairs)
            }
            Rule::Record(record) => {
                let is_exact = plan
                    .records
                    .get(record as usize)
                    .is_some_and(|one| Exact::class(one.class.get()) == Exact::of(object.get()));
                if !is_exact && let Some(found) = self.resolved(object)? {
                    return Ok(found);
                }
                self.record(plan, object, plan_id, record)
            }
            Rule::Members(members) => self.member(plan, node, object, members),
            Rule::Via(_, ref callable, inner) => {
                let value = call::call_one(self.py, callable, object)?;
                Ok(Next::Value(value, NodeRef { plan_id, node: inner }))
            }
            Rule::Raw(_) => self.raw(node, object),
            Rule::Array => match self.array(object)? {
                Some(next) => Ok(next),
                None => Err(mismatch(node, object)),
            },
        }
    }

    /// JSON as it is.
    fn raw(&mut self, node: &Node, object: &Owned) -> Result<Next, EncodeFailure> {
        match bytes::contents_of(object.get()) {
            Some(contents) => Ok(Next::Action(Action::Raw(bytes::new(self.py, contents)?))),
            None => Err(mismatch(node, object)),
        }
    }

    /// An array or a scalar of numpy.
    fn array(&mut self, object: &Owned) -> Result<Option<Next>, EncodeFailure> {
        let numpy = self.cx.runtime.numpy(self.py)?;
        let Some(kind) = numpy.and_then(|numpy| numpy.kind(object.get())) else { return Ok(None) };
        Ok(numpy::begin(self.cx, self.py, object, kind)?.map(Next::Action))
    }

    /// A time or a UUID, as `dumps` writes it.
    fn stamp(&mut self, object: &Owned) -> Result<Next, EncodeFailure> {
        Ok(text::stamp(self, object)?.map_or_else(Next::Text, Next::Action))
    }

    fn fixed(
        &mut self,
        plan: &EncodePlan,
        node: &Node,
        object: &Owned,
        plan_id: u32,
        fixed: u32,
    ) -> Result<Next, EncodeFailure> {
        let wanted = plan.fixed.get(fixed as usize).map_or(0, Vec::len);
        let found = tuple::len(object.get());
        if wanted != found {
            return Err(EncodeFailure::new(|message| {
                message.text("expected ")?.str(node.expected.get())?.text(" of ")?;
                message.count(wanted)?.text(", found ")?.count(found)
            }));
        }
        Ok(Next::Open(Opening::new(Form::Fixed, object.clone(), plan_id, fixed)))
    }

    fn dict(
        &mut self,
        plan: &EncodePlan,
        object: &Owned,
        plan_id: u32,
        nodes: u32,
    ) -> Result<Next, EncodeFailure> {
        let is_ordered = types::is_ordered_dict(object.get());
        if !(is_ordered || FREE_THREADED || self.cx.config.has(Config::SORT_KEYS)) {
            return Ok(Next::Open(Opening::new(Form::Dict, object.clone(), plan_id, nodes)));
        }
        let pairs = match is_ordered {
            true => dict::ordered_entries(self.py, object)?,
            false => dict::entries(self.py, object.get())?,
        };
        self.entries(plan, object, plan_id, nodes, pairs)
    }

    fn entries(
        &mut self,
        plan: &EncodePlan,
        object: &Owned,
        plan_id: u32,
        nodes: u32,
        pairs: Vec<(Owned, Owned)>,
    ) -> Result<Next, EncodeFailure> {
        let entries = self.named(plan, nodes, pairs)?;
        Ok(Next::Open(Opening::of_members(entries, object.clone(), plan_id, nodes)))
    }

    /// Members with their names as text, sorted if they are to be.
    pub(super) fn named(
        &mut self,
        plan: &EncodePlan,
        nodes: u32,
        pairs: Vec<(Owned, Owned)>,
    ) -> Result<TextMembers, EncodeFailure> {
        let Some(&one) = plan.dicts.get(nodes as usize) else { return Err(EncodeFailure::Raised) };
        let mut entries = TextMembers::default();
        let mut name = Vec::new();
        for (key, value) in pairs {
            name.clear();
            self.key(plan, &key, one.key, &mut name)?;
            entries.push(value, |text| utf8::append(text, &name))?;
        }
        if self.cx.config.has(Config::SORT_KEYS) {
            entries.sort();
        }
        Ok(entries)
    }

    /// The fields of an instance, whose class is looked at if the plan does not know it as it is.
    fn record(
        &mut self,
        plan: &EncodePlan,
        object: &Owned,
        plan_id: u32,
        record: u32,
    ) -> Result<Next, EncodeFailure> {
        let Some(one) = plan.records.get(record as usize) else {
            return Err(EncodeFailure::Raised);
        };
        let is_exact = Exact::class(one.class.get()) == Exact::of(object.get());
        if one.kind == plan::RecordKind::Attributes
            && is_exact
            && self.cx.runtime.direct
            && one.ready.get(self.py).layout.is_of_other(object.get())
        {
            let (runtime, harmless) = (self.cx.runtime, &self.cx.runtime.names.class);
            let sees = runtime.sees_attributes;
            let (layout, offsets) = Layout::find(self.py, object, &one.names, sees, harmless)?;
            one.ready.set(self.py, plan::FieldLayout::new(layout, &one.fields, &offsets)?);
        }
        if one.kind == plan::RecordKind::Tuple && tuple::len(object.get()) < one.items {
            return Err(EncodeFailure::new(|message| {
                message.text("expected a tuple of all fields, found fewer")
            }));
        }
        Ok(Next::Open(Opening::new(Form::Fields, object.clone(), plan_id, record)))
    }

    fn member(
        &mut self,
        plan: &EncodePlan,
        node: &Node,
        object: &Owned,
        members: u32,
    ) -> Result<Next, EncodeFailure> {
        let Some(members) = plan.members.get(members as usize) else {
            return Err(EncodeFailure::Raised);
        };
        if let Some(label) = members.label(object.get()) {
            let bytes = label.bytes();
            let json = bytes.get(..bytes.len() - 1).unwrap_or(&[]);
            return Ok(Next::Action(Action::Raw(bytes::new(self.py, json)?)));
        }
        match dict::get(self.py, &members.dict, object)? {
            Some(json) if bytes::exact_contents(json.get()).is_some() => {
                Ok(Next::Action(Action::Raw(json)))
            }
            _ => Err(mismatch(node, object)),
        }
    }

    /// A value of any type, which is none of those that are built in.
    fn any(&mut self, object: &Owned, node_ref: NodeRef) -> Result<Next, EncodeFailure> {
        // Subclasses of what is built in are written as that, if nothing else is known of them.
        if let Some(found) = self.resolved(object)? {
            return Ok(found);
        }
        if let Some(next) = self.array(object)? {
            return Ok(next);
        }
        if let Some(hook) = &self.plans.root.hook {
            let value = call::call_one(self.py, hook, object)?;
            return Ok(Next::Value(value, node_ref));
        }
        match types::base(object.get()) {
            Some(Base::Str) => return text_next(object),
            Some(Base::Int) => return self.int(object),
            _ => {}
        }
        Err(EncodeFailure::new(|message| {
            message.text("Type is not JSON serializable: ")?.type_name(object.get())
        }))
    }

    /// An instance of a type for which `resolve` has a plan.
    fn resolved(&mut self, object: &Owned) -> Result<Option<Next>, EncodeFailure> {
        let plan_id = match self.plans.known.get(object.get()) {
            Some(plan_id) => plan_id,
            None => self.ask(object)?,
        };
        if plan_id == NO_PLAN {
            return Ok(None);
        }
        let plan = PlanGuard::new(self.plans, plan_id);
        let Some(node) = plan.nodes.get(plan.root as usize) else {
            return Err(EncodeFailure::Raised);
        };
        if let Some(next) = self.scalar(object, node)? {
            return Ok(Some(next));
        }
        if let Some(op) = node.op(Exact::of(object.get())) {
            return self.by_op(&plan, node, op, object, plan_id).map(Some);
        }
        for rule in &node.rules {
            // A record of another class would lead here again.
            if !matches!(rule, Rule::Record(_)) && self.accepts(&plan, rule, object)? {
                return self.by_rule(&plan, node, rule, object, plan_id).map(Some);
            }
        }
        Ok(None)
    }

    /// Asks `resolve` for the plan of the object's type.
    pub(super) fn ask(&mut self, object: &Owned) -> Result<u32, Raised> {
        if TypeKey::of(object.get()).is_none() {
            // A type gets its version tag when something is looked up in it.
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
        // Only if the type is what it was before it was asked about.
        if TypeKey::of(object.get()) == key {
            self.plans.known.set(key, plan_id)?;
        }
        Ok(plan_id)
    }
}

fn is_base(class: Option<Exact>, object: Obj<'_>) -> bool {
    class.is_some_and(|class| class.is_base_of(object))
}

/// A frame for a list or an instance of a subclass.
fn list_opening(object: &Owned, plan_id: u32, item: u32) -> Result<Opening, Raised> {
    Ok(Opening::new(Form::List, list::freeze(object.get())?, plan_id, item))
}

fn text_next(object: &Owned) -> Result<Next, EncodeFailure> {
    let is_half = |unit: u32| (0xd800..0xe000).contains(&unit);
    let has_surrogate = match unicode::chars::<false>(object.get())? {
        Chars::Ascii(_) | Chars::Latin1(_) => false,
        Chars::Ucs2(units) => units.iter().any(|&unit| is_half(unit.into())),
        Chars::Ucs4(units) => units.iter().any(|&unit| is_half(unit)),
    };
    if has_surrogate {
        return Err(surrogates());
    }
    Ok(Next::Text(object.clone()))
}

fn float(object: Obj<'_>, mask: u8) -> Result<Next, EncodeFailure> {
    let value = float::value(object);
    if mask & FINITE != 0 && !value.is_finite() {
        return Err(EncodeFailure::new(|message| {
            message.text("expected a finite number, found ")?.text(match value {
                f64::INFINITY => "Infinity",
                f64::NEG_INFINITY => "-Infinity",
                _ => "NaN",
            })
        }));
    }
    Ok(Next::Action(Action::Float(value)))
}
