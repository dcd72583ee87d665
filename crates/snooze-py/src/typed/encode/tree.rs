//! What can be written without any Python code.
//!
//! The witness is only borrowed here, so containers need no references of their own, and where the
//! walk is in each of them is a slice or a number. What cannot be written under that rule ends the
//! walk: the open containers become frames.

use core::marker::PhantomData;

use arrayvec::ArrayVec;
use snooze_core::arch::{Task, Vector};
use snooze_core::out::{Buffer, Out};

use super::fields::{Fields, InDict, Stop};
use super::frame::{Form, Frame, Stack};
use super::leaf::{scalar, string};
use super::plan::{EncodePlan, How, Node, Op, Record, SCALARS, STR};
use super::{HOOK, Homes, MAX_DEPTH, Spot};
use crate::config::Config;
use crate::encode::special::{self, Rest};
use crate::encode::{Context, Format};
use crate::py::dict::{self, Cursor, TextEntry};
use crate::py::types::{self, Exact};
use crate::py::{Attached, Obj, Owned, Raised, bytes, list};

/// Containers that are open in here; more become frames, and a new tree begins.
const OPEN: usize = 32;

/// The walk of a tree.
pub(super) struct Tree<'a, 'c, F, B: Buffer> {
    pub(super) output: &'a mut B,
    /// Bytes of the output that are written.
    pub(super) used: usize,
    pub(super) cx: &'a Context<'c>,
    pub(super) homes: &'a Homes<'c>,
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
    Value(Obj<'a>, Spot),
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
    Value(Owned, Spot),
}

/// Bytes written, the depth, and why it ended.
type Walked = Result<(usize, usize, End), Raised>;

/// An open container.
#[derive(Clone, Copy)]
struct Open<'a> {
    owner: Obj<'a>,
    plan: &'a EncodePlan,
    /// What is still to be written: items, or keys and values in turn.
    rest: &'a [Option<Obj<'a>>],
    home: u32,
    at: u32,
    /// The next field.
    index: u32,
    form: Form,
}

impl<'a> Open<'a> {
    /// A frame, gone on with.
    fn from(frame: &Frame, owner: Obj<'a>, homes: &'a Homes<'_>, py: &'a Attached) -> Option<Self> {
        let rest = match frame.form {
            Form::List => list::items(owner, py).get(frame.index..).unwrap_or(&[]),
            Form::Tuple | Form::Fixed => {
                list::tuple_items(owner, py).get(frame.index..).unwrap_or(&[])
            }
            Form::Dict if !frame.inside => {
                frame.cursor.text_entries::<true>(owner, py)?.as_flattened()
            }
            Form::Fields => &[],
            Form::Dict | Form::Entries | Form::Hold => return None,
        };
        let (home, at, index) = (frame.home, frame.at, frame.index as u32);
        Some(Self { owner, plan: homes.plan(home), rest, home, at, index, form: frame.form })
    }

    /// A frame for the rest.
    fn frame(self, py: &Attached) -> Frame {
        let owner = self.owner;
        let mut frame = Frame::new(self.form, owner.to_owned(), self.home, self.at);
        match self.form {
            Form::List => frame.index = list::items(owner, py).len() - self.rest.len(),
            Form::Tuple | Form::Fixed => {
                frame.index = list::tuple_items(owner, py).len() - self.rest.len();
            }
            Form::Dict => {
                frame.cursor = Cursor::before_last(owner, py, self.rest.len() / 2);
                frame.key = frame.cursor.last_key(owner, py).map(Obj::to_owned);
            }
            _ => frame.index = self.index as usize,
        }
        frame
    }
}

impl<F: Format, B: Buffer> Task for Tree<'_, '_, F, B> {
    type Output = Walked;

    /// Only where private layouts may be used, and where there is a GIL.
    #[inline(always)]
    fn run<V: Vector>(self) -> Walked {
        let Self { output, used, cx, homes, py, stack, start, mut depth, .. } = self;
        let mut out = Out::resume(output, used)?;
        let mut held = ArrayVec::<Open<'_>, OPEN>::new_const();
        // PERF: what is innermost is in variables, see `encode::tree`.
        let (mut owner, mut rest, mut form) = (None, &[][..], Form::Hold);
        let (mut at, mut index) = (0, 0);
        let (mut plan, mut home): (&EncodePlan, u32);
        let mut inner = None;
        let is_frame = match start {
            Start::Value(value, spot) => {
                (plan, home) = (homes.plan(spot.home), spot.home);
                inner = Some((value, spot.node));
                false
            }
            Start::Frame(container) => {
                let frame = stack.frames.last();
                let entered = frame.and_then(|frame| Open::from(frame, container, homes, py));
                let Some(entered) = entered else { return Ok((out.len(), depth, End::Step)) };
                owner = Some(entered.owner);
                (rest, form, plan) = (entered.rest, entered.form, entered.plan);
                (home, at, index) = (entered.home, entered.at, entered.index);
                true
            }
        };
        /// What is innermost, to be kept.
        macro_rules! innermost {
            () => {
                owner.map(|owner| Open { owner, plan, rest, home, at, index, form })
            };
        }
        /// Ends the walk.
        macro_rules! end {
            ($end:expr) => {{
                let end = $end;
                park(&held, innermost!(), py, stack, is_frame)?;
                return Ok((out.len(), depth, end));
            }};
        }
        /// Opens a container inside the innermost one.
        macro_rules! open {
            ($value:expr, $rest:expr, $form:expr, $at:expr) => {
                open!($value, $rest, $form, $at, 0)
            };
            ($value:expr, $rest:expr, $form:expr, $at:expr, $index:expr) => {{
                depth += 1;
                if let Some(open) = innermost!() {
                    // There is room, see below.
                    let _ = held.try_push(open);
                }
                owner = Some($value);
                (rest, form, at, index) = ($rest, $form, $at, $index);
            }};
        }
        /// Writes the fields of a record: where it stopped, and in which field.
        macro_rules! fields {
            ($record:expr, $owner:expr, $index:expr, $depth:expr, $or:expr) => {{
                let record: &Record = $record;
                let (index, depth, format) = ($index as usize, $depth, PhantomData::<F>);
                let written = if let Some((source, fields)) = record.places($owner, py) {
                    V::enter(Fields { record, source, fields, index, out, depth, py, format })
                } else if record.how == How::Dict {
                    let source = InDict { dict: $owner, record, py };
                    let fields = &record.ready.get(py).fields;
                    V::enter(Fields { record, source, fields, index, out, depth, py, format })
                } else {
                    $or
                };
                let (next, stop);
                (out, next, stop) = written?;
                (next as u32, stop)
            }};
        }
        /// Ends a record, after all of its fields.
        macro_rules! close {
            ($record:expr) => {{
                let bracket = $record.bracket();
                // In ASCII `]` and `}` follow their openers by two.
                if $record.may_be_empty && out.last() == Some(bracket - 2) {
                    out.byte(bracket)?;
                    out.byte(b',')?;
                } else {
                    F::close(&mut out, bracket, depth)?;
                }
            }};
        }
        'walk: loop {
            if let Some((value, place)) = inner.take() {
                let node: &Node = &plan.nodes[place as usize];
                let mut op = node.op(Exact::of(value));
                let mut within = (plan, home);
                if op.is_none()
                    && node.any
                    && let Some(number) = homes.known.get(value)
                    && number != HOOK
                {
                    within = (homes.plan(number), number);
                    op = within.0.nodes[within.0.root as usize].op(Exact::of(value));
                }
                let written = 'written: {
                    if depth >= MAX_DEPTH || held.is_full() {
                        break 'written false;
                    }
                    match op {
                        Some(Op::Record(place)) => {
                            let record: &Record = &within.0.records[place as usize];
                            if record.how != How::Dict && record.places(value, py).is_none() {
                                break 'written false;
                            }
                            if !record.opening.is_empty() {
                                record.opening.write(&mut out)?;
                                if !record.before.is_empty() {
                                    F::before(&mut out, depth + 1)?;
                                    record.before.write(&mut out)?;
                                }
                            }
                            let (next, stop) =
                                fields!(record, value, 0, depth + 1, break 'written false);
                            if matches!(stop, Stop::End) && record.rest.is_none() {
                                close!(record);
                                break 'written true;
                            }
                            open!(value, &[], Form::Fields, place, next);
                            (plan, home) = within;
                            match stop {
                                Stop::Value(value) => {
                                    let field = &record.more[next as usize - 1];
                                    inner = Some((value, field.node));
                                    continue 'walk;
                                }
                                Stop::End | Stop::Ask => end!(End::Step),
                            }
                        }
                        Some(Op::List(item) | Op::Tuple(item)) => {
                            let (items, form) = match op {
                                Some(Op::List(_)) => (list::items(value, py), Form::List),
                                _ => (list::tuple_items(value, py), Form::Tuple),
                            };
                            if items.is_empty() {
                                out.empty(b'[', b',')?;
                                break 'written true;
                            }
                            out.byte(b'[')?;
                            let mask = within.0.nodes[item as usize].mask;
                            let mut items = items.iter();
                            loop {
                                let Some(&Some(one)) = items.next() else { break };
                                F::before(&mut out, depth + 1)?;
                                // PERF: most lists hold scalars only, or none.
                                if mask & SCALARS == 0
                                    || !scalar::<V, B, true>(&mut out, one, mask)?
                                {
                                    prefetch(items.as_slice());
                                    open!(value, items.as_slice(), form, item);
                                    (plan, home) = within;
                                    inner = Some((one, item));
                                    continue 'walk;
                                }
                            }
                            F::close(&mut out, b']', depth)?;
                            true
                        }
                        Some(Op::Fixed(fixed)) => {
                            let items = list::tuple_items(value, py);
                            let fits = items.len() == within.0.fixed[fixed as usize].len();
                            if fits && items.is_empty() {
                                out.empty(b'[', b',')?;
                            } else if fits {
                                out.byte(b'[')?;
                                open!(value, items, Form::Fixed, fixed);
                                (plan, home) = within;
                            }
                            fits
                        }
                        Some(Op::Dict(nodes)) if !cx.config.has(Config::SORT_KEYS) => {
                            let entries = dict::text_entries(value, py);
                            if dict::size(value) == 0 {
                                out.empty(b'{', b',')?;
                                true
                            } else if let Some(entries) = entries {
                                out.byte(b'{')?;
                                open!(value, entries.as_flattened(), Form::Dict, nodes);
                                (plan, home) = within;
                                true
                            } else {
                                false
                            }
                        }
                        Some(Op::Members(members)) => {
                            let label = within.0.members[members as usize].label(value);
                            if let Some(label) = label {
                                label.write(&mut out)?;
                            }
                            label.is_some()
                        }
                        Some(Op::Raw) => {
                            let contents = bytes::contents_of(value);
                            if let Some(contents) = contents {
                                out.raw_value(contents, b',')?;
                            }
                            contents.is_some()
                        }
                        Some(Op::Stamp) => {
                            let rest = out.small(|room| special::at_once(room, cx, py, value))?;
                            matches!(rest, Rest::Written)
                        }
                        _ => false,
                    }
                };
                if !written {
                    end!(End::Value(value.to_owned(), Spot { home, node: place }));
                }
            }
            let Some(around) = owner else { return Ok((out.len(), depth, End::Done)) };
            match form {
                Form::Fields => {
                    let record: &Record = &plan.records[at as usize];
                    let (next, stop) = fields!(record, around, index, depth, end!(End::Step));
                    index = next;
                    match stop {
                        Stop::Value(value) => {
                            inner = Some((value, record.more[next as usize - 1].node));
                            continue 'walk;
                        }
                        Stop::End if record.rest.is_none() => {}
                        Stop::End | Stop::Ask => end!(End::Step),
                    }
                    depth -= 1;
                    close!(record);
                }
                Form::List | Form::Tuple => {
                    let mask = plan.nodes[at as usize].mask;
                    let mut items = rest.iter();
                    inner = loop {
                        let Some(&Some(item)) = items.next() else { break None };
                        F::before(&mut out, depth)?;
                        if mask & SCALARS == 0 || !scalar::<V, B, true>(&mut out, item, mask)? {
                            break Some((item, at));
                        }
                    };
                    rest = items.as_slice();
                    if inner.is_some() {
                        prefetch(rest);
                        continue;
                    }
                    depth -= 1;
                    F::close(&mut out, b']', depth)?;
                }
                Form::Fixed => {
                    let nodes = &plan.fixed[at as usize];
                    // As many as there are items: a tuple does not change.
                    let left = nodes.len().wrapping_sub(rest.len());
                    let mut items = rest.iter();
                    let mut nodes = nodes.get(left..).unwrap_or(&[]).iter();
                    inner = loop {
                        let (Some(&Some(item)), Some(&node)) = (items.next(), nodes.next()) else {
                            break None;
                        };
                        F::before(&mut out, depth)?;
                        let mask = plan.nodes[node as usize].mask;
                        if !scalar::<V, B, true>(&mut out, item, mask)? {
                            break Some((item, node));
                        }
                    };
                    rest = items.as_slice();
                    if inner.is_some() {
                        continue;
                    }
                    depth -= 1;
                    F::close(&mut out, b']', depth)?;
                }
                Form::Dict => {
                    let nodes = plan.dicts[at as usize];
                    let names = plan.nodes[nodes.key as usize].mask & STR != 0;
                    let mask = plan.nodes[nodes.value as usize].mask;
                    let (entries, _) = rest.as_chunks::<2>();
                    let mut entries: core::slice::Iter<'_, TextEntry<'_>> = entries.iter();
                    inner = loop {
                        let before = entries.as_slice();
                        let Some(entry) = entries.next() else { break None };
                        let &[Some(key), Some(value)] = entry else { continue };
                        if !(names && types::is_exact_str(key)) {
                            rest = before.as_flattened();
                            end!(End::Step);
                        }
                        F::before(&mut out, depth)?;
                        if !string::<V, B, true>(&mut out, key, b':')? {
                            rest = before.as_flattened();
                            end!(End::Step);
                        }
                        if F::SPACED {
                            out.byte(b' ')?;
                        }
                        if !scalar::<V, B, true>(&mut out, value, mask)? {
                            break Some((value, nodes.value));
                        }
                    };
                    rest = entries.as_slice().as_flattened();
                    if inner.is_some() {
                        continue;
                    }
                    depth -= 1;
                    F::close(&mut out, b'}', depth)?;
                }
                Form::Entries | Form::Hold => end!(End::Step),
            }
            // Back to the container around it.
            let Some(around) = held.pop() else {
                if is_frame {
                    stack.pop();
                }
                return Ok((out.len(), depth, End::Done));
            };
            owner = Some(around.owner);
            (rest, form, plan) = (around.rest, around.form, around.plan);
            (home, at, index) = (around.home, around.at, around.index);
        }
    }
}

/// Has the next item brought into the cache.
#[inline(always)]
fn prefetch(items: &[Option<Obj<'_>>]) {
    if let Some(Some(next)) = items.first() {
        next.prefetch();
    }
}

/// Makes frames of the open containers, the outermost first, which may be one already.
#[inline(never)]
fn park(
    held: &[Open<'_>],
    innermost: Option<Open<'_>>,
    py: &Attached,
    stack: &mut Stack,
    mut is_frame: bool,
) -> Result<(), Raised> {
    // Dropped at the end, when nothing is borrowed any more: a key may have a finaliser.
    let mut replaced = None;
    for open in held.iter().copied().chain(innermost) {
        let mut frame = open.frame(py);
        match stack.frames.last_mut() {
            Some(place) if is_frame => {
                frame.inside = place.inside;
                replaced = Some(core::mem::replace(place, frame));
            }
            _ => stack.push(frame)?,
        }
        is_frame = false;
    }
    drop(replaced);
    Ok(())
}
