//! What can be written without any Python code.
//!
//! The witness is only borrowed here, so containers need no references of their own, and where the
//! walk is in each of them is a slice or a number. What cannot be written under that rule ends the
//! walk: the open containers become frames.

use core::marker::PhantomData;

use snooze_core::arch::{Task, Vector};
use snooze_core::out::{Buffer, Out};

use crate::encode::context::Context;
use crate::encode::depth::ENCODER_LIMIT;
use crate::encode::format::Format;
use crate::encode::typed::frame::{Form, Position, Stack};
use crate::encode::typed::plans::{NO_PLAN, NodeRef, Plans};
use crate::encode::typed::records::{Nested, OPEN, Open, Scope};
use crate::encode::typed::{plans, resume};
use crate::py::dict::Cursor;
use crate::py::types::Exact;
use crate::py::{Attached, Obj, Owned, Raised, list, tuple};

/// The walk of a tree.
pub(super) struct Tree<'a, 'c, F, B: Buffer> {
    pub(super) output: &'a mut B,
    /// Bytes of the output that are written.
    pub(super) used: usize,
    pub(super) cx: &'a Context<'c>,
    pub(super) plans: &'a Plans<'c>,
    pub(super) py: &'a Attached,
    pub(super) stack: &'a mut Stack,
    pub(super) start: Start<'a>,
    /// Open containers.
    pub(super) depth: usize,
    pub(super) format: PhantomData<F>,
}

/// Where to begin.
#[derive(Clone, Copy)]
pub(super) enum Start<'a> {
    Value(Obj<'a>, NodeRef),
    /// In the innermost frame, of this container, which is taken away at its end.
    Frame(Obj<'a>),
}

/// Why a tree ended.
#[derive(Debug)]
pub(super) enum End {
    /// It has been written.
    Done,
    /// The innermost frame needs a closer look.
    Step,
    /// This value needs a closer look.
    Value(Owned, NodeRef),
}

/// Bytes written, the depth, and why it ended.
type Walked = Result<(usize, usize, End), Raised>;

impl<'a> Open<'a> {
    /// A frame, gone on with.
    fn from(frame: &Position, owner: Obj<'a>, py: &'a Attached) -> Option<Self> {
        let rest = match frame.form {
            Form::List => list::items(owner, py).get(frame.index..).unwrap_or(&[]),
            Form::Tuple | Form::Fixed => tuple::items(owner, py).get(frame.index..).unwrap_or(&[]),
            Form::Dict if !frame.inside => {
                frame.cursor.str_entries::<true>(owner, py)?.as_flattened()
            }
            Form::Fields => &[],
            Form::Dict | Form::TextMembers | Form::Hold => return None,
        };
        let (plan_id, at, index) = (frame.plan_id, frame.at, frame.index as u32);
        Some(Self { owner, rest, plan_id, at, index, form: frame.form })
    }

    /// Where its frame is, and the key of the member that was written last.
    fn position(self, py: &Attached) -> (Position, Option<Owned>) {
        let owner = self.owner;
        let (form, plan_id, at) = (self.form, self.plan_id, self.at);
        let cursor = Cursor::default();
        let mut frame = Position { form, inside: false, plan_id, at, index: 0, cursor };
        let mut key = None;
        match self.form {
            Form::List => frame.index = list::items(owner, py).len() - self.rest.len(),
            Form::Tuple | Form::Fixed => {
                frame.index = tuple::items(owner, py).len() - self.rest.len();
            }
            Form::Dict => {
                frame.cursor = Cursor::before_last(owner, py, self.rest.len() / 2);
                key = frame.cursor.last_key(owner, py).map(Obj::to_owned);
            }
            _ => frame.index = self.index as usize,
        }
        (frame, key)
    }
}

impl<F: Format, B: Buffer> Task for Tree<'_, '_, F, B> {
    type Output = Walked;

    /// Only where private layouts may be used, and where there is a GIL.
    #[inline(always)]
    fn run<V: Vector>(self) -> Walked {
        let Self { output, used, cx, plans, py, stack, start, depth, .. } = self;
        let mut out = Out::resume(output, used)?;
        let mut left = Nested { held: Default::default(), value: None };
        // The plan of the value that is next.
        let mut plan_id = plans::ROOT_PLAN;
        // Open containers around all of these.
        let mut outside = depth;
        let is_frame = match start {
            Start::Value(value, node_ref) => {
                (left.value, plan_id) = (Some((value, node_ref.node)), node_ref.plan_id);
                false
            }
            Start::Frame(container) => {
                let frame = stack.positions.last();
                let entered = frame.and_then(|frame| Open::from(frame, container, py));
                let Some(entered) = entered else { return Ok((out.len(), depth, End::Step)) };
                left.held.push(entered);
                outside -= 1;
                true
            }
        };
        loop {
            let mut before = left.held.len();
            let depth = outside + before;
            let done;
            if let Some((value, place)) = left.value.take() {
                let (mut node, mut within) = (place, plan_id);
                let mut plan = plans.plan(plan_id);
                let mut op = plan.nodes[place as usize].op(Exact::of(value));
                if op.is_none()
                    && plan.nodes[place as usize].any
                    && let Some(number) = plans.known.get(value)
                    && number != NO_PLAN
                {
                    (plan, within) = (plans.plan(number), number);
                    node = plan.root;
                    op = plan.nodes[node as usize].op(Exact::of(value));
                }
                let scope = Scope::new(plan, within, cx, py, depth);
                (out, done) = match op {
                    Some(op) if depth < ENCODER_LIMIT && before < OPEN => {
                        resume::begin::<V, F, B>(out, value, node, op, &scope, &mut left, depth)?
                    }
                    _ => (out, false),
                };
                if !done && left.held.len() == before {
                    // The value itself.
                    let end = End::Value(value.to_owned(), NodeRef { plan_id, node: place });
                    park(&left.held, py, stack, is_frame)?;
                    return Ok((out.len(), depth, end));
                }
                plan_id = within;
            } else {
                let Some(open) = left.held.pop() else {
                    if is_frame {
                        stack.pop();
                    }
                    return Ok((out.len(), depth, End::Done));
                };
                (before, plan_id) = (before - 1, open.plan_id);
                let scope = Scope::new(plans.plan(plan_id), plan_id, cx, py, depth);
                (out, done) = resume::resume::<V, F, B>(out, open, &scope, &mut left, depth)?;
            }
            if !done {
                // They were left from the inside out.
                if let Some(fresh) = left.held.get_mut(before..) {
                    fresh.reverse();
                }
                if left.value.is_none() {
                    let depth = outside + left.held.len();
                    park(&left.held, py, stack, is_frame)?;
                    return Ok((out.len(), depth, End::Step));
                }
            }
        }
    }
}

/// Makes frames of the open containers, the outermost first, which may be one already.
#[inline(never)]
fn park(
    held: &[Open<'_>],
    py: &Attached,
    stack: &mut Stack,
    mut is_frame: bool,
) -> Result<(), Raised> {
    // Dropped at the end, when nothing is borrowed any more: a key may have a finaliser.
    let mut replaced = None;
    for open in held.iter().copied() {
        let (mut position, key) = open.position(py);
        match stack.positions.last_mut() {
            Some(outermost) if is_frame => {
                position.inside = outermost.inside;
                *outermost = position;
                if position.form == Form::Dict
                    && let Some(known) = stack.extras.last_mut()
                {
                    replaced = core::mem::replace(known, key);
                }
            }
            _ if position.form == Form::Dict => {
                stack.push_with(position, open.owner.to_owned(), key)?;
            }
            _ => stack.push(position, open.owner.to_owned())?,
        }
        is_frame = false;
    }
    drop(replaced);
    Ok(())
}
