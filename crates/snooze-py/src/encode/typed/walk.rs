//! The walk: one step at a time, with anything running in between, and trees where nothing can.

use core::marker::PhantomData;

use snooze_core::arch::Vector;
use snooze_core::out::{Buffer, Out};

use crate::encode::action::Action;
use crate::encode::context::Context;
use crate::encode::depth::ENCODER_LIMIT;
use crate::encode::format::Format;
use crate::encode::leaf::write_leaf;
use crate::encode::scalar::{Only, STR, member_name, scalar, string, text_name};
use crate::encode::text_members::TextMembers;
use crate::encode::typed::borrowed::{End, Start, Tree};
use crate::encode::typed::classify::Next;
use crate::encode::typed::error::{EncodeFailure, surrogates};
use crate::encode::typed::frame::{Form, Opening, Stack};
use crate::encode::typed::path;
use crate::encode::typed::plan::{EncodePlan, Omit, Record, RecordKind};
use crate::encode::typed::plans::{NodeRef, Plans, ROOT_PLAN};
use crate::encode::typed::stepper::{PlanGuard, Stepper};
use crate::encode::{depth, entry, key_text, utf8};
use crate::py::compat::FREE_THREADED;
use crate::py::output::Output;
use crate::py::unicode::Chars;
use crate::py::{
    Attached, Obj, Owned, Raised, bytes, call, dict, list, singletons, tuple, types, unicode,
};

/// One call of an encoder.
pub(super) struct Walk<'a, 'c, 'o> {
    pub(super) cx: &'a mut Context<'c>,
    pub(super) plans: &'a mut Plans<'c>,
    pub(super) py: &'a mut Attached,
    pub(super) object: Obj<'a>,
    pub(super) output: &'a mut Output<'o>,
    pub(super) stack: &'a mut Stack,
}

/// What a step leads to.
enum Stepped {
    Value(Owned, NodeRef),
    /// The innermost frame is at its end, whose bracket this is; none if it has no brackets.
    End(Option<u8>),
    /// There is a new innermost frame, or nothing was to be written.
    Again,
}

impl entry::Walk for Walk<'_, '_, '_> {
    #[inline(always)]
    fn write<V: Vector, F: Format, const DIRECT: bool>(self) -> Result<usize, Raised> {
        let Self { cx, plans, py, object, output, stack } = self;
        let trees = DIRECT && !FREE_THREADED;
        let mut out = Out::new(&mut *output)?;
        // Open containers, without what conversions lead to.
        let mut depth = 0;
        let node_ref = NodeRef { plan_id: ROOT_PLAN, node: plans.root.root };
        let mut value = Some((object.to_owned(), node_ref));
        loop {
            if let Some((object, node_ref)) = &value {
                let mask = plans.plan(node_ref.plan_id).nodes[node_ref.node as usize].mask;
                if scalar::<V, _, _, DIRECT>(&mut out, object.get(), Only(mask))? {
                    value = None;
                    if stack.is_empty() {
                        break;
                    }
                }
            }
            let mut steps = !trees;
            if trees {
                let frame = match &value {
                    None => stack.owners.last().cloned(),
                    Some(_) => None,
                };
                let start = match (&value, &frame) {
                    (Some((object, node_ref)), _) => Start::Value(object.get(), *node_ref),
                    (None, Some(owner)) => Start::Frame(owner.get()),
                    (None, None) => break,
                };
                let used = out.len();
                let tree = Tree::<F, _> {
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
                (used, depth, end) = V::enter(tree)?;
                out = Out::resume(&mut *output, used)?;
                value = match end {
                    End::Done => None,
                    End::Step => {
                        steps = true;
                        None
                    }
                    End::Value(object, node_ref) => Some((object, node_ref)),
                };
            }
            if let Some((object, node_ref)) = value.take() {
                let next = Stepper { cx, plans, py }.begin(&object, node_ref);
                let next = next.map_err(|fault| failed(py, fault, stack, plans))?;
                match next {
                    Next::Action(Action::Plain(stamp)) => {
                        out.plain_words(stamp.words(), stamp.len(), b',')?;
                    }
                    Next::Action(leaf) => out = write_leaf::<V, F, _>(out, cx, leaf, depth)?,
                    Next::Text(text) => {
                        if !string::<V, Only, _, DIRECT>(&mut out, text.get(), b',')? {
                            return Err(utf8::surrogate());
                        }
                    }
                    Next::Digits(text) => {
                        if let Chars::Ascii(digits) = unicode::chars::<DIRECT>(text.get())? {
                            out.raw_value(digits, b',')?;
                        }
                    }
                    Next::Base64(contents) => {
                        out.base64(bytes::owned_contents(&contents), b',')?;
                    }
                    Next::Value(object, node_ref) => {
                        // Kept alive by a frame, which a chain without end runs out of.
                        depth::check(stack.len() - depth.min(stack.len()), ENCODER_LIMIT)?;
                        let NodeRef { plan_id, node } = node_ref;
                        Opening::new(Form::Hold, object.clone(), plan_id, node).push(stack)?;
                        value = Some((object, node_ref));
                        continue;
                    }
                    Next::Open(opening) if opening.is_empty(py) => {
                        depth::check(depth, ENCODER_LIMIT)?;
                        out.empty(opening.bracket(), b',')?;
                    }
                    Next::Open(opening) => {
                        depth::check(depth, ENCODER_LIMIT)?;
                        depth += 1;
                        match opening.position.form {
                            Form::Fields => {
                                let record = &plans.plan(opening.position.plan_id).records
                                    [opening.position.at as usize];
                                record.opening.write(&mut out)?;
                                if !record.before.is_empty() {
                                    F::before(&mut out, depth)?;
                                    record.before.write(&mut out)?;
                                }
                            }
                            _ => out.byte(opening.bracket())?,
                        }
                        opening.push(stack)?;
                    }
                }
                continue;
            }
            if !steps {
                continue;
            }
            let plan = match stack.positions.last() {
                Some(frame) => PlanGuard::new(plans, frame.plan_id),
                None => break,
            };
            let mut step = Step { stepper: Stepper { cx, plans, py }, plan: &plan, stack, depth };
            let stepped = step.next::<V, F, _, DIRECT>(&mut out);
            match stepped.map_err(|fault| failed(py, fault, stack, plans))? {
                Stepped::Value(object, node_ref) => value = Some((object, node_ref)),
                Stepped::Again => {}
                Stepped::End(bracket) => {
                    if let Some(bracket) = bracket {
                        depth -= 1;
                        // In ASCII `]` and `}` follow their openers by two.
                        if out.last() == Some(bracket - 2) {
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

/// Raises what went wrong.
#[cold]
fn failed(py: &Attached, fault: EncodeFailure, stack: &Stack, plans: &Plans<'_>) -> Raised {
    match fault {
        EncodeFailure::Raised => Raised,
        EncodeFailure::Message(message) => path::raise(py, message, stack, plans),
    }
}

/// One step of the innermost frame.
struct Step<'s, 'w, 'c> {
    stepper: Stepper<'w, 'c>,
    plan: &'s EncodePlan,
    stack: &'s mut Stack,
    depth: usize,
}

impl Step<'_, '_, '_> {
    #[inline(never)]
    fn next<V: Vector, F: Format, B: Buffer, const DIRECT: bool>(
        &mut self,
        out: &mut Out<'_, B>,
    ) -> Result<Stepped, EncodeFailure> {
        let depth = self.depth;
        let (Some(frame), Some(owner)) =
            (self.stack.positions.last_mut(), self.stack.owners.last())
        else {
            return Err(EncodeFailure::Raised);
        };
        let (plan_id, at) = (frame.plan_id, frame.at);
        match frame.form {
            Form::Hold => Ok(Stepped::End(None)),
            Form::List | Form::Tuple | Form::Fixed => {
                let owner = owner.get();
                let items = match frame.form {
                    Form::List => list::items(owner, self.stepper.py),
                    _ => tuple::items(owner, self.stepper.py),
                };
                let Some(&Some(item)) = items.get(frame.index) else {
                    return Ok(Stepped::End(Some(b']')));
                };
                let item = item.to_owned();
                let mut node = at;
                if frame.form == Form::Fixed {
                    let nodes = self.plan.fixed.get(at as usize);
                    let Some(&one) = nodes.and_then(|nodes| nodes.get(frame.index)) else {
                        return Err(EncodeFailure::Raised);
                    };
                    node = one;
                }
                frame.index += 1;
                F::before(out, depth).map_err(Raised::from)?;
                Ok(Stepped::Value(item, NodeRef { plan_id, node }))
            }
            Form::Dict => {
                let owner = owner.clone();
                let entry = frame.cursor.next::<DIRECT>(&owner, self.stepper.py)?;
                let Some((key, value)) =
                    entry.map(|(key, value)| (key.to_owned(), value.to_owned()))
                else {
                    return Ok(Stepped::End((!frame.inside).then_some(b'}')));
                };
                let Some(known) = self.stack.extras.last_mut() else {
                    return Err(EncodeFailure::Raised);
                };
                let old = known.replace(key.clone());
                let Some(&nodes) = self.plan.dicts.get(at as usize) else {
                    return Err(EncodeFailure::Raised);
                };
                F::before(out, depth).map_err(Raised::from)?;
                let names = self.plan.nodes.get(nodes.key as usize);
                if types::is_exact_str(key.get()) && names.is_some_and(|node| node.mask & STR != 0)
                {
                    if !member_name::<V, Only, F, B, DIRECT>(out, key.get())? {
                        return Err(surrogates());
                    }
                } else {
                    let mut name = Vec::new();
                    self.stepper.key(self.plan, &key, nodes.key, &mut name)?;
                    text_name::<V, F, B>(out, &name).map_err(Raised::from)?;
                }
                drop(old);
                Ok(Stepped::Value(value, NodeRef { plan_id, node: nodes.value }))
            }
            Form::TextMembers => {
                let inside = frame.inside;
                let Some(&nodes) = self.plan.dicts.get(at as usize) else {
                    return Err(EncodeFailure::Raised);
                };
                let Some(entries) = self.stack.members.last_mut() else {
                    return Err(EncodeFailure::Raised);
                };
                let Some((name, value)) = entries.advance() else {
                    return Ok(Stepped::End((!inside).then_some(b'}')));
                };
                let value = value.clone();
                F::before(out, depth).map_err(Raised::from)?;
                text_name::<V, F, B>(out, name).map_err(Raised::from)?;
                Ok(Stepped::Value(value, NodeRef { plan_id, node: nodes.value }))
            }
            Form::Fields => {
                let index = frame.index;
                frame.index += 1;
                let owner = owner.clone();
                let Some(record) = self.plan.records.get(at as usize) else {
                    return Err(EncodeFailure::Raised);
                };
                let Some(field) = record.fields.get(index) else {
                    return self.rest(record, &owner, plan_id, index);
                };
                let Some(value) = self.value(record, &owner, index)? else {
                    return Ok(Stepped::Again);
                };
                F::before(out, depth).map_err(Raised::from)?;
                field.prefix.write(out).map_err(Raised::from)?;
                Ok(Stepped::Value(value, NodeRef { plan_id, node: field.node }))
            }
        }
    }

    /// The value of a field, unless that is left out.
    fn value(
        &mut self,
        record: &Record,
        owner: &Owned,
        index: usize,
    ) -> Result<Option<Owned>, EncodeFailure> {
        let (Some(field), Some(name)) = (record.fields.get(index), record.names.get(index)) else {
            return Err(EncodeFailure::Raised);
        };
        let py = &mut *self.stepper.py;
        let may_be_absent = matches!(field.omit, Omit::IfAbsent | Omit::IfAbsentOrNone);
        let value = match record.kind {
            RecordKind::Attributes if may_be_absent => call::optional_attribute(py, owner, name)?,
            RecordKind::Attributes => Some(call::attribute(py, owner, name)?),
            RecordKind::Dict => dict::get(py, owner, name)?,
            RecordKind::Tuple => {
                let place = crate::description::size(name.get())?;
                let item = tuple::items(owner.get(), py).get(place).copied().flatten();
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
        let is_omitted = match &field.omit {
            Omit::Never | Omit::IfAbsent => false,
            Omit::IfNone | Omit::IfAbsentOrNone => singletons::is_none(value.get()),
            Omit::IfEqual(default) => call::is_default(py, &value, default)?,
            Omit::IfEqualOrNone(default) => {
                singletons::is_none(value.get()) || call::is_default(py, &value, default)?
            }
        };
        Ok((!is_omitted).then_some(value))
    }

    /// What follows the fields: the members that are none, and then the end.
    fn rest(
        &mut self,
        record: &Record,
        owner: &Owned,
        plan_id: u32,
        index: usize,
    ) -> Result<Stepped, EncodeFailure> {
        let Some(extra) = record.rest.as_ref().filter(|_| index == record.fields.len()) else {
            return Ok(Stepped::End(Some(record.bracket())));
        };
        let py = &mut *self.stepper.py;
        let pairs = if extra.is_own {
            let mut pairs = dict::entries(py, owner.get())?;
            pairs.retain(|(key, _)| {
                !record.names.iter().any(|name| {
                    types::is_exact_str(key.get()) && key_text::is_same_text(name.get(), key.get())
                })
            });
            pairs
        } else {
            let found = call::attribute(py, owner, &extra.attribute)?;
            if singletons::is_none(found.get()) {
                return Ok(Stepped::Again);
            }
            match types::is_exact_dict(found.get()) {
                true => dict::entries(py, found.get())?,
                false => {
                    let items = call::items(py, &found)?;
                    crate::encode::typed::text::pairs(py, &items)?
                }
            }
        };
        let entries: TextMembers = self.stepper.named(self.plan, extra.nodes, pairs)?;
        let mut opening = Opening::of_members(entries, owner.clone(), plan_id, extra.nodes);
        opening.position.inside = true;
        self.stack.open(opening)?;
        Ok(Stepped::Again)
    }
}
