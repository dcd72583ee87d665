//! The borrowed walk of an `Encoder`: writes everything that needs no Python code.
//!
//! Separate from `walk` because it only borrows the `Attached` token, so no Python code can run.
//! Therefore containers need no strong references, and a position is a slice or a number. It keeps
//! up to [`MAX_OPEN`] open containers itself; `records` writes containers nested in them by calls.
//! Whatever needs Python code ends the walk, and the open containers are saved as frames on the
//! stack. Requires private layouts and a GIL. Called by `walk`.

use core::marker::PhantomData;

use snooze_core::arch::{Task, Vector};
use snooze_core::out::{Buffer, Out};

use crate::encode::context::Context;
use crate::encode::format::Format;
use crate::encode::text_members::TextMembers;
use crate::encode::typed::borrowed_context::BorrowedContext;
use crate::encode::typed::frame::{FrameKind, NewFrame, Stack};
use crate::encode::typed::plans::{NO_PLAN, NodeRef, Plans};
use crate::encode::typed::suspended::{BorrowedFrame, MAX_OPEN, Suspended};
use crate::encode::typed::{plans, resume};
use crate::py::types::Exact;
use crate::py::{Attached, Obj, Owned, Raised};

/// A borrowed walk from a value or a frame.
pub(super) struct BorrowedWalk<'a, 'c, F, B: Buffer> {
    pub(super) output: &'a mut B,
    /// Bytes of the output that are already written.
    pub(super) used: usize,
    pub(super) cx: &'a Context<'c>,
    pub(super) plans: &'a Plans<'c>,
    pub(super) py: &'a Attached,
    pub(super) stack: &'a mut Stack,
    pub(super) start: WalkStart<'a>,
    /// Open containers.
    pub(super) depth: usize,
    pub(super) format: PhantomData<F>,
}

/// Where a borrowed walk begins.
#[derive(Clone, Copy)]
pub(super) enum WalkStart<'a> {
    Value(Obj<'a>, NodeRef),
    /// In the innermost frame, whose container this is; it is popped at its end.
    Frame(Obj<'a>),
}

/// Why a borrowed walk ended.
#[derive(Debug)]
pub(super) enum WalkEnd {
    /// Everything is written.
    Finished,
    /// `walk` must do the next step of the innermost frame.
    NeedsStep,
    /// `walk` must classify this value.
    NeedsPython(Owned, NodeRef),
}

/// Bytes written, open containers, and why the walk ended.
type WalkResult = Result<(usize, usize, WalkEnd), Raised>;

impl<F: Format, B: Buffer> Task for BorrowedWalk<'_, '_, F, B> {
    type Output = WalkResult;

    /// Requires private layouts and a GIL.
    #[inline(always)]
    fn with_vectors<V: Vector>(self) -> WalkResult {
        let Self { output, used, cx, plans, py, stack, start, depth, .. } = self;
        let mut out = Out::resume(output, used)?;
        let keeps = plans.root.keep.is_some();
        let mut suspended = Suspended { frames: Default::default(), value: None, lists: None };
        // The plan of `suspended.value`.
        let mut plan_id = plans::ROOT_PLAN;
        // Open containers outside `suspended.frames`.
        let mut depth_outside = depth;
        let resumes_frame = match start {
            WalkStart::Value(value, node_ref) => {
                (suspended.value, plan_id) = (Some((value, node_ref.node)), node_ref.plan_id);
                false
            }
            WalkStart::Frame(container) => {
                let position = stack.positions.last();
                let resumed = position
                    .and_then(|position| BorrowedFrame::of_position(position, container, py));
                let Some(resumed) = resumed else {
                    return Ok((out.len(), depth, WalkEnd::NeedsStep));
                };
                suspended.frames.push(resumed);
                depth_outside -= 1;
                true
            }
        };
        loop {
            let mut frames_before = suspended.frames.len();
            let depth = depth_outside + frames_before;
            let done;
            if let Some((value, node_index)) = suspended.value.take() {
                let (mut node, mut node_plan_id) = (node_index, plan_id);
                let mut plan = plans.plan(plan_id);
                let mut encoding = plan.nodes[node_index as usize].encoding(Exact::of(value));
                if encoding.is_none()
                    && plan.nodes[node_index as usize].allows_any
                    && let Some(known_plan_id) = plans.known.get(value)
                    && known_plan_id != NO_PLAN
                {
                    (plan, node_plan_id) = (plans.plan(known_plan_id), known_plan_id);
                    node = plan.root;
                    encoding = plan.nodes[node as usize].encoding(Exact::of(value));
                }
                let depths = (depth, plans.max_depth);
                let context = BorrowedContext::new(plan, node_plan_id, cx, py, depths, keeps);
                (out, done) = match encoding {
                    Some(encoding) if depth < plans.max_depth && frames_before < MAX_OPEN => {
                        resume::open_value::<V, F, B>(
                            out,
                            value,
                            node,
                            encoding,
                            &context,
                            &mut suspended,
                            depth,
                        )?
                    }
                    _ => (out, false),
                };
                if !done && suspended.frames.len() == frames_before {
                    // The value itself needs Python code.
                    let end = WalkEnd::NeedsPython(
                        value.to_owned(),
                        NodeRef { plan_id, node: node_index },
                    );
                    save_frames(&suspended, py, stack, resumes_frame)?;
                    return Ok((out.len(), depth, end));
                }
                plan_id = node_plan_id;
            } else {
                let Some(frame) = suspended.frames.pop() else {
                    if resumes_frame {
                        stack.pop();
                    }
                    return Ok((out.len(), depth, WalkEnd::Finished));
                };
                (frames_before, plan_id) = (frames_before - 1, frame.plan_id);
                let (plan, depths) = (plans.plan(plan_id), (depth, plans.max_depth));
                let context = BorrowedContext::new(plan, plan_id, cx, py, depths, keeps);
                (out, done) = resume::resume_container::<V, F, B>(
                    out,
                    frame,
                    &context,
                    &mut suspended,
                    depth,
                )?;
            }
            if !done {
                // They were suspended from the inside out.
                if let Some(fresh) = suspended.frames.get_mut(frames_before..) {
                    fresh.reverse();
                }
                if suspended.value.is_none() {
                    let depth = depth_outside + suspended.frames.len();
                    save_frames(&suspended, py, stack, resumes_frame)?;
                    return Ok((out.len(), depth, WalkEnd::NeedsStep));
                }
            }
        }
    }
}

/// Saves the open containers as frames on the stack, the outermost first. With `resumes_frame` the
/// outermost has a frame already, which is updated.
#[inline(never)]
fn save_frames(
    suspended: &Suspended<'_>,
    py: &Attached,
    stack: &mut Stack,
    mut resumes_frame: bool,
) -> Result<(), Raised> {
    // Dropped last, when nothing is borrowed any more: a key may have a finalizer.
    let mut replaced = None;
    let is_listed = |frame: &BorrowedFrame<'_>| frame.kind == FrameKind::TextMembers;
    let mut listed = suspended.frames.iter().filter(|frame| is_listed(frame)).count();
    for frame in suspended.frames.iter().copied() {
        if let Some(lists) = &suspended.lists
            && is_listed(&frame)
        {
            listed -= 1;
            let (entries, before) = lists.current_and_remaining_of(listed);
            let members = TextMembers::of_rest(entries, before)?;
            let (container, plan_id) = (frame.container.to_owned(), frame.plan_id);
            NewFrame::with_members(members, container, plan_id, frame.plan_index)
                .push_onto(stack)?;
            resumes_frame = false;
            continue;
        }
        let (mut position, key) = frame.to_position(py);
        match stack.positions.last_mut() {
            Some(outermost) if resumes_frame => {
                position.is_unbracketed = outermost.is_unbracketed;
                *outermost = position;
                if position.kind == FrameKind::Dict
                    && let Some(known) = stack.payloads.last_mut()
                {
                    replaced = core::mem::replace(known, key);
                }
            }
            _ if position.kind == FrameKind::Dict => {
                stack.push_with_payload(position, frame.container.to_owned(), key)?;
            }
            _ => stack.push(position, frame.container.to_owned())?,
        }
        resumes_frame = false;
    }
    drop(replaced);
    Ok(())
}
