//! The owning walk of an `Encoder`: one step at a time, with borrowed walks in between.
//!
//! Separate from `borrowed` because Python code may run in every step, so the stack holds strong
//! references. Where private layouts may be read, the walk only classifies what the borrowed walk
//! leaves and steps frames that it cannot resume; elsewhere it does everything. Called by `entry`.

use core::marker::PhantomData;

use snooze_core::arch::Vector;
use snooze_core::out::{Buffer, Out};

use crate::encode::action::Action;
use crate::encode::context::Context;
use crate::encode::depth::ENCODER_LIMIT;
use crate::encode::format::{Format, opening};
use crate::encode::leaf::write_leaf;
use crate::encode::numpy::depth_inside;
use crate::encode::outlined::{ScalarTask, TextNameTask, TextTask};
use crate::encode::policy::{NodePolicy, STR};
use crate::encode::text_members::TextMembers;
use crate::encode::typed::action::TypedAction;
use crate::encode::typed::borrowed::{BorrowedWalk, WalkEnd, WalkStart};
use crate::encode::typed::error::{EncodeFailure, no_items};
use crate::encode::typed::frame::{FrameKind, NewFrame, Stack};
use crate::encode::typed::path;
use crate::encode::typed::plan::{EncodePlan, ExtraMembers, Omit, Record, RecordKind};
use crate::encode::typed::plans::{NodeRef, Plans, ROOT_PLAN};
use crate::encode::typed::policies::RAW_MARK;
use crate::encode::typed::same_json;
use crate::encode::typed::stepper::{PlanGuard, Stepper};
use crate::encode::{depth, entry, key_text, utf8};
use crate::kept;
use crate::py::compat::FREE_THREADED;
use crate::py::dict::Dict;
use crate::py::output::Output;
use crate::py::unicode::{Chars, Str};
use crate::py::{
    Attached, Obj, Owned, Raised, bytes, call, dict, list, singletons, tuple, unicode,
};

/// One call of an encoder.
pub(super) struct EncoderWalk<'a, 'c, 'o> {
    pub(super) cx: &'a mut Context<'c>,
    pub(super) plans: &'a mut Plans<'c>,
    pub(super) py: &'a mut Attached,
    pub(super) object: Obj<'a>,
    pub(super) output: &'a mut Output<'o>,
    pub(super) stack: &'a mut Stack,
}

/// The result of one step.
enum StepOutcome {
    Value(Owned, NodeRef),
    /// The innermost frame is finished; its closing bracket, or none if it has no brackets.
    End(Option<u8>),
    /// There is a new innermost frame, or there was nothing to write.
    Continue,
}

impl entry::Walk for EncoderWalk<'_, '_, '_> {
    #[inline(always)]
    fn write_document<V: Vector, F: Format, const DIRECT: bool>(self) -> Result<usize, Raised> {
        let Self { cx, plans, py, object, output, stack } = self;
        let may_borrow = DIRECT && !FREE_THREADED;
        let mut out = Out::new(&mut *output)?;
        // Open containers; frames that only keep an object alive do not count.
        let mut depth = 0;
        let node_ref = NodeRef { plan_id: ROOT_PLAN, node: plans.root.root };
        let mut next_value = Some((object.to_owned(), node_ref));
        loop {
            if let Some((object, node_ref)) = &next_value {
                let mask = plans.plan(node_ref.plan_id).nodes[node_ref.node as usize].mask;
                let (object, policy) = (object.get(), NodePolicy(mask));
                let is_written;
                let task = ScalarTask::<_, _, DIRECT> { out, object, policy };
                (out, is_written) = V::run_outlined(task)?;
                if is_written {
                    next_value = None;
                    if stack.is_empty() {
                        break;
                    }
                }
            }
            let mut needs_step = !may_borrow;
            if may_borrow {
                let resumed = match &next_value {
                    None => stack.containers.last().cloned(),
                    Some(_) => None,
                };
                let start = match (&next_value, &resumed) {
                    (Some((object, node_ref)), _) => WalkStart::Value(object.get(), *node_ref),
                    (None, Some(container)) => WalkStart::Frame(container.get()),
                    (None, None) => break,
                };
                let used = out.len();
                let walk = BorrowedWalk::<F, _> {
                    output: &mut *output,
                    used,
                    cx,
                    plans,
                    py,
                    stack,
                    start,
                    depth,
                    format: PhantomData,
                };
                let (used, end);
                (used, depth, end) = V::run_outlined(walk)?;
                out = Out::resume(&mut *output, used)?;
                next_value = match end {
                    WalkEnd::Finished => None,
                    WalkEnd::NeedsStep => {
                        needs_step = true;
                        None
                    }
                    WalkEnd::NeedsPython(object, node_ref) => Some((object, node_ref)),
                };
            }
            if let Some((object, node_ref)) = next_value.take() {
                let action = Stepper { cx, plans, py }.classify(&object, node_ref);
                let action = action.map_err(|failure| path::raise(py, failure, stack, plans))?;
                match action {
                    TypedAction::Untyped(Action::Stamp(stamp)) => {
                        out.plain_words(stamp.words(), stamp.len(), b',')?;
                    }
                    TypedAction::Untyped(leaf) => {
                        if let Action::Array(array) = &leaf {
                            depth::check_option(depth_inside(array, depth), plans.max_depth)?;
                        }
                        out = write_leaf::<V, F, _>(out, cx, leaf, depth)?
                    }
                    TypedAction::Text(text) => {
                        let (text, after, policy) = (text.get(), b',', PhantomData);
                        let is_written;
                        let task = TextTask::<NodePolicy, _, DIRECT> { out, text, after, policy };
                        (out, is_written) = V::run_outlined(task)?;
                        if !is_written {
                            return Err(utf8::surrogate());
                        }
                    }
                    TypedAction::NumberText(text) => {
                        cx.has_number_texts.set(true);
                        if let Chars::Ascii(digits) = unicode::chars::<DIRECT>(text.get())? {
                            out.raw_value(digits, b',')?;
                        }
                    }
                    TypedAction::Kept(token) => out.raw_value(&token, b',')?,
                    TypedAction::Base64(contents) => {
                        out.base64(bytes::contents(contents.get()), b',')?;
                    }
                    TypedAction::Replace(object, node_ref) => {
                        // A frame keeps it alive; the limit ends an infinite chain of conversions.
                        depth::check(stack.len() - depth.min(stack.len()), ENCODER_LIMIT)?;
                        let NodeRef { plan_id, node } = node_ref;
                        NewFrame::new(FrameKind::Converted, object.clone(), plan_id, node)
                            .push_onto(stack)?;
                        next_value = Some((object, node_ref));
                        continue;
                    }
                    TypedAction::OpenContainer(frame) if frame.is_empty(py) => {
                        depth::check_option(depth, plans.max_depth)?;
                        out.empty(frame.bracket(), b',')?;
                    }
                    TypedAction::OpenContainer(frame) => {
                        depth::check_option(depth, plans.max_depth)?;
                        depth += 1;
                        match frame.position.kind {
                            FrameKind::Fields => {
                                let record = &plans.plan(frame.position.plan_id).records
                                    [frame.position.plan_index as usize];
                                record.opening.write(&mut out)?;
                                if !record.leading_members.is_empty() {
                                    F::start_element(&mut out, depth)?;
                                    record.leading_members.write(&mut out)?;
                                }
                            }
                            _ => out.byte(frame.bracket())?,
                        }
                        frame.push_onto(stack)?;
                    }
                }
                continue;
            }
            if !needs_step {
                continue;
            }
            let plan = match stack.positions.last() {
                Some(position) => PlanGuard::new(plans, position.plan_id),
                None => break,
            };
            let mut step =
                FrameStep { stepper: Stepper { cx, plans, py }, plan: &plan, stack, depth };
            let advanced = step.advance::<V, F, _, DIRECT>(out);
            let outcome;
            (out, outcome) = advanced.map_err(|failure| path::raise(py, failure, stack, plans))?;
            match outcome {
                StepOutcome::Value(object, node_ref) => next_value = Some((object, node_ref)),
                StepOutcome::Continue => {}
                StepOutcome::End(bracket) => {
                    if let Some(bracket) = bracket {
                        depth -= 1;
                        if out.last() == Some(opening(bracket)) {
                            out.byte(bracket)?;
                            out.byte(b',')?;
                        } else {
                            F::close(&mut out, bracket, depth)?;
                        }
                    }
                    stack.pop();
                }
            }
        }
        out.drop_last();
        Ok(out.len())
    }
}

/// Writes the text of a key, or the token of one that is kept.
fn write_key<'b, V: Vector, F: Format, B: Buffer>(
    mut out: Out<'b, B>,
    name: &[u8],
) -> Result<Out<'b, B>, Raised> {
    if let Some((&RAW_MARK, json)) = name.split_first() {
        out.raw_value(json, b':')?;
        F::after_colon(&mut out)?;
        return Ok(out);
    }
    if name.first() == Some(&kept::MARK) {
        out.raw_value(name, b':')?;
        return Ok(out);
    }
    Ok(V::run_outlined(TextNameTask::<F, B> { out, name, format: PhantomData })?)
}

/// One step of the innermost frame.
struct FrameStep<'s, 'w, 'c> {
    stepper: Stepper<'w, 'c>,
    plan: &'s EncodePlan,
    stack: &'s mut Stack,
    depth: usize,
}

impl FrameStep<'_, '_, '_> {
    /// Writes up to the next value of the innermost frame, or finds its end.
    #[inline(never)]
    fn advance<'b, V: Vector, F: Format, B: Buffer, const DIRECT: bool>(
        &mut self,
        mut out: Out<'b, B>,
    ) -> Result<(Out<'b, B>, StepOutcome), EncodeFailure> {
        let depth = self.depth;
        let (Some(position), Some(container)) =
            (self.stack.positions.last_mut(), self.stack.containers.last())
        else {
            return Err(EncodeFailure::broken_plan());
        };
        let (plan_id, plan_index) = (position.plan_id, position.plan_index);
        match position.kind {
            FrameKind::Converted => Ok((out, StepOutcome::End(None))),
            FrameKind::List | FrameKind::Tuple | FrameKind::FixedTuple => {
                let container = container.get();
                let items = match position.kind {
                    FrameKind::List => list::items_of(container, self.stepper.py),
                    _ => tuple::items_of(container, self.stepper.py),
                };
                let Some(&Some(item)) = items.get(position.index) else {
                    return Ok((out, StepOutcome::End(Some(b']'))));
                };
                let item = item.to_owned();
                let mut node = plan_index;
                if position.kind == FrameKind::FixedTuple {
                    let nodes = self.plan.fixed_tuples.get(plan_index as usize);
                    let Some(item_node) = nodes.and_then(|nodes| nodes.get(position.index)) else {
                        return Err(EncodeFailure::broken_plan());
                    };
                    node = item_node;
                }
                position.index += 1;
                F::start_element(&mut out, depth).map_err(Raised::from)?;
                Ok((out, StepOutcome::Value(item, NodeRef { plan_id, node })))
            }
            FrameKind::Dict => {
                let container = container.clone();
                let entry = position
                    .cursor
                    .next::<DIRECT>(dict::checked(container.get())?, self.stepper.py)?;
                let Some((key, value)) =
                    entry.map(|(key, value)| (key.to_owned(), value.to_owned()))
                else {
                    return Ok((out, StepOutcome::End((!position.is_unbracketed).then_some(b'}'))));
                };
                let Some(current_key) = self.stack.payloads.last_mut() else {
                    return Err(EncodeFailure::broken_plan());
                };
                let previous_key = current_key.replace(key.clone());
                let Some(&nodes) = self.plan.dicts.get(plan_index as usize) else {
                    return Err(EncodeFailure::broken_plan());
                };
                F::start_element(&mut out, depth).map_err(Raised::from)?;
                let key_node = self.plan.nodes.get(nodes.key as usize);
                if let Some(name) = Str::exact(key.get())
                    && key_node.is_some_and(|node| node.mask & STR != 0)
                {
                    let (text, after, policy) = (name, b':', PhantomData);
                    let is_written;
                    let task = TextTask::<NodePolicy, _, DIRECT> { out, text, after, policy };
                    (out, is_written) = V::run_outlined(task)?;
                    if is_written {
                        F::after_colon(&mut out).map_err(Raised::from)?;
                    } else {
                        // It has surrogates, which `key_hook` may replace.
                        let mut text = Vec::new();
                        self.stepper.append_key(self.plan, &key, nodes.key, &mut text)?;
                        out = write_key::<V, F, B>(out, &text)?;
                    }
                } else {
                    let mut name = Vec::new();
                    self.stepper.append_key(self.plan, &key, nodes.key, &mut name)?;
                    out = write_key::<V, F, B>(out, &name)?;
                }
                drop(previous_key);
                Ok((out, StepOutcome::Value(value, NodeRef { plan_id, node: nodes.value })))
            }
            FrameKind::TextMembers => {
                let is_unbracketed = position.is_unbracketed;
                let Some(&nodes) = self.plan.dicts.get(plan_index as usize) else {
                    return Err(EncodeFailure::broken_plan());
                };
                let Some(members) = self.stack.members.last_mut() else {
                    return Err(EncodeFailure::broken_plan());
                };
                let Some((name, value)) = members.advance() else {
                    return Ok((out, StepOutcome::End((!is_unbracketed).then_some(b'}'))));
                };
                let value = value.clone();
                F::start_element(&mut out, depth).map_err(Raised::from)?;
                out = write_key::<V, F, B>(out, name)?;
                let node = members.current_node().unwrap_or(nodes.value);
                Ok((out, StepOutcome::Value(value, NodeRef { plan_id, node })))
            }
            FrameKind::Fields => {
                let index = position.index;
                position.index += 1;
                let container = container.clone();
                let Some(record) = self.plan.records.get(plan_index as usize) else {
                    return Err(EncodeFailure::broken_plan());
                };
                if index == 0 && record.sorts_members() {
                    // After the last field, so that the path of an error has none of them.
                    position.index = record.fields.len() + 1;
                    return Ok((out, self.sorted_members(record, &container, plan_id)?));
                }
                let Some(field) = record.fields.get(index) else {
                    return Ok((out, self.after_fields(record, &container, plan_id, index)?));
                };
                let Some(value) = self.field_value(record, &container, index)? else {
                    return Ok((out, StepOutcome::Continue));
                };
                F::start_element(&mut out, depth).map_err(Raised::from)?;
                field.prefix.write(&mut out).map_err(Raised::from)?;
                Ok((out, StepOutcome::Value(value, NodeRef { plan_id, node: field.node })))
            }
        }
    }

    /// Returns the value of a field, or `None` if the field is omitted.
    fn field_value(
        &mut self,
        record: &Record,
        container: &Owned,
        index: usize,
    ) -> Result<Option<Owned>, EncodeFailure> {
        let (Some(field), Some(name)) =
            (record.fields.get(index), record.attribute_names.get(index))
        else {
            return Err(EncodeFailure::broken_plan());
        };
        let (py, runtime) = (&mut *self.stepper.py, self.stepper.cx.runtime);
        let may_be_absent = matches!(field.omit, Omit::IfAbsent | Omit::IfAbsentOrNone);
        let value = match record.kind {
            RecordKind::Attributes if may_be_absent => {
                call::optional_attribute(py, container, name)?
            }
            RecordKind::Attributes => Some(call::attribute(py, container, name)?),
            RecordKind::Dict => dict::get(py, dict::checked(container.get())?, name)?,
            RecordKind::Tuple => {
                let item_index = crate::description::size(name.get())?;
                let item = tuple::items_of(container.get(), py).get(item_index).copied().flatten();
                item.map(Obj::to_owned)
            }
        };
        let Some(value) = value else {
            if may_be_absent {
                return Ok(None);
            }
            return Err(EncodeFailure::new(|message| {
                message.text("expected member \"")?.utf8(&field.name)?.text("\", found none")
            }));
        };
        if field.unset.as_ref().is_some_and(|unset| unset.get() == value.get()) {
            return Ok(None);
        }
        let is_omitted = match &field.omit {
            Omit::Never | Omit::IfAbsent => false,
            Omit::IfNone | Omit::IfAbsentOrNone => singletons::is_none(value.get()),
            Omit::IfEqualOrNone(_) if singletons::is_none(value.get()) => true,
            // An array compares its elements, so its result says nothing of the whole.
            Omit::IfEqual(_) | Omit::IfEqualOrNone(_) if runtime.is_array(py, &value)? => false,
            Omit::IfEqual(default) | Omit::IfEqualOrNone(default) => {
                same_json::is_same(py, runtime, &value, default)?
            }
        };
        Ok((!is_omitted).then_some(value))
    }

    /// Handles what follows the fields: the extra members once, then the end.
    fn after_fields(
        &mut self,
        record: &Record,
        container: &Owned,
        plan_id: u32,
        index: usize,
    ) -> Result<StepOutcome, EncodeFailure> {
        let Some(extra) = record.extra_members.as_ref().filter(|_| index == record.fields.len())
        else {
            return Ok(StepOutcome::End(Some(record.bracket())));
        };
        let members = self.extra_members(record, extra, container)?;
        self.push_members(members, container, plan_id, extra)
    }

    /// Handles a record whose fields and extra members are sorted together: all of them at once.
    fn sorted_members(
        &mut self,
        record: &Record,
        container: &Owned,
        plan_id: u32,
    ) -> Result<StepOutcome, EncodeFailure> {
        let Some(extra) = &record.extra_members else { return Err(EncodeFailure::broken_plan()) };
        let mut members = self.extra_members(record, extra, container)?;
        for (index, field) in record.fields.iter().enumerate() {
            if let Some(value) = self.field_value(record, container, index)? {
                members.push(value, |text| utf8::append(text, &field.name))?;
                members.set_last_node(field.node);
            }
        }
        members.sort();
        self.push_members(members, container, plan_id, extra)
    }

    /// Pushes a frame for members of the innermost record.
    fn push_members(
        &mut self,
        members: TextMembers,
        container: &Owned,
        plan_id: u32,
        extra: &ExtraMembers,
    ) -> Result<StepOutcome, EncodeFailure> {
        let mut frame = NewFrame::with_members(members, container.clone(), plan_id, extra.nodes);
        frame.position.is_unbracketed = true;
        self.stack.push_frame(frame)?;
        Ok(StepOutcome::Continue)
    }

    /// Returns the members that are not fields.
    fn extra_members(
        &mut self,
        record: &Record,
        extra: &ExtraMembers,
        container: &Owned,
    ) -> Result<TextMembers, EncodeFailure> {
        let py = &mut *self.stepper.py;
        let pairs = if extra.is_in_record {
            let mut pairs = dict::entries(py, dict::checked(container.get())?)?;
            pairs.retain(|(key, _)| {
                let Some(key) = Str::exact(key.get()) else { return true };
                let is_key = |name: Str<'_>| key_text::is_same_text(name, key);
                !record.attribute_names.iter().any(|name| Str::any(name.get()).is_some_and(is_key))
            });
            pairs
        } else {
            let found = call::attribute(py, container, &extra.attribute)?;
            if singletons::is_none(found.get()) {
                return Ok(TextMembers::default());
            }
            match Dict::exact(found.get()) {
                Some(dict) => dict::entries(py, dict)?,
                None => {
                    let items = call::items(py, &found).map_err(|Raised| no_items(py, &found))?;
                    crate::encode::typed::text::pairs(py, items.get())?
                }
            }
        };
        let members = self.stepper.text_members(self.plan, extra.nodes, pairs)?;
        match members.first_of(&extra.reserved) {
            None => Ok(members),
            Some(name) => Err(EncodeFailure::new(|message| {
                message.text("expected no further member \"")?.utf8(name)?;
                message.text("\", which is the name of a field or tag, found one")
            })),
        }
    }
}
