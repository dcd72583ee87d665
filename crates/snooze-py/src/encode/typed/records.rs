//! Records, arrays and objects, and what is nested in them: the hot part of the tree.
//!
//! Each kind of container is a function of its own that calls the others for what is nested, up to
//! a few levels; deeper ones, and all that is not common, are left to the tree. What is left behind
//! when one of them has to stop is in [`Nested`], the innermost container first.
//!
//! PERF: functions of their own, so that their few variables stay in registers: in the walk of the
//! tree, fields took half as long again; and calls instead of a stack of open containers, because
//! records are small: 0.77 of msgspec's speed on citm_catalog before (2026-11-21).

use core::marker::PhantomData;

use arrayvec::ArrayVec;
use snooze_core::arch::{Task, Vector};
use snooze_core::out::{Buffer, Out};

use crate::encode::classify;
use crate::encode::classify::Outcome;
use crate::encode::context::Context;
use crate::encode::depth::ENCODER_LIMIT;
use crate::encode::format::Format;
use crate::encode::scalar::{Only, SCALARS, STR, member_name, scalar};
use crate::encode::typed::fields::{Source, Unusual, unusual};
use crate::encode::typed::frame::Form;
use crate::encode::typed::plan::{EncodePlan, Field, Op, Record};
use crate::options::Config;
use crate::py::dict::StrEntry;
use crate::py::instance::InstanceMemory;
use crate::py::types::Exact;
use crate::py::{Attached, Obj, Raised, dict, list, types};

/// Containers that a tree has open before more of them become frames.
pub(super) const OPEN: usize = 32;
/// How many containers may be nested in one that is written in here.
const LEVELS: usize = 16;
/// All of them.
const ROOM: usize = OPEN + LEVELS + 2;

/// An open container.
#[derive(Clone, Copy)]
pub(super) struct Open<'a> {
    pub(super) owner: Obj<'a>,
    /// What is still to be written: items, or keys and values in turn.
    pub(super) rest: &'a [Option<Obj<'a>>],
    pub(super) plan_id: u32,
    pub(super) at: u32,
    /// The next field.
    pub(super) index: u32,
    pub(super) form: Form,
}

/// What was left.
pub(super) struct Nested<'a> {
    /// Open containers.
    pub(super) held: ArrayVec<Open<'a>, ROOM>,
    /// A value inside of them that is next, and its node.
    pub(super) value: Option<(Obj<'a>, u32)>,
}

impl<'a> Nested<'a> {
    /// Notes a container that had to stop.
    #[inline(always)]
    pub(super) fn leave(&mut self, open: Open<'a>) {
        // There is room for as many levels as there may be.
        let _ = self.held.try_push(open);
    }
}

/// What all levels have in common.
pub(super) struct Scope<'a, 'c> {
    pub(super) plan: &'a EncodePlan,
    pub(super) plan_id: u32,
    pub(super) cx: &'a Context<'c>,
    pub(super) py: &'a Attached,
    /// What is deeper is left to the tree.
    pub(super) limit: usize,
}

impl<'a, 'c> Scope<'a, 'c> {
    pub(super) fn new(
        plan: &'a EncodePlan,
        plan_id: u32,
        cx: &'a Context<'c>,
        py: &'a Attached,
        depth: usize,
    ) -> Self {
        Self { plan, plan_id, cx, py, limit: (depth + LEVELS).min(ENCODER_LIMIT) }
    }
}

/// The output, and whether all was written.
pub(super) type Written<'b, B> = Result<(Out<'b, B>, bool), Raised>;

/// Writes a value that is no scalar, if it is of a common kind.
#[inline(always)]
pub(super) fn nested<'a, 'b, V: Vector, F: Format, B: Buffer>(
    mut out: Out<'b, B>,
    value: Obj<'a>,
    node: u32,
    scope: &Scope<'a, '_>,
    into: &mut Nested<'a>,
    depth: usize,
) -> Written<'b, B> {
    let op = scope.plan.nodes[node as usize].op(Exact::of(value));
    if depth < scope.limit {
        match op {
            Some(Op::Record(at)) => {
                let record = &scope.plan.records[at as usize];
                if let Some((source, fields)) = record.memory(value, scope.py) {
                    open::<F, B>(&mut out, record, depth + 1)?;
                    let (format, depth) = (PhantomData::<F>, depth + 1);
                    let (owner, index) = (value, 0);
                    let task = Fields {
                        out,
                        scope,
                        into,
                        depth,
                        record,
                        at,
                        owner,
                        source,
                        fields,
                        index,
                        format,
                    };
                    return V::enter(task);
                }
            }
            Some(Op::List(at)) => {
                let rest = list::items(value, scope.py);
                if rest.is_empty() {
                    out.empty(b'[', b',')?;
                    return Ok((out, true));
                }
                out.byte(b'[')?;
                let (format, depth, form) = (PhantomData::<F>, depth + 1, Form::List);
                let task = Items { out, scope, into, depth, at, owner: value, rest, form, format };
                return items::<V, F, B>(task);
            }
            Some(Op::Dict(at)) if !scope.cx.config.has(Config::SORT_KEYS) => {
                if dict::size(value) == 0 {
                    out.empty(b'{', b',')?;
                    return Ok((out, true));
                }
                if let Some(rest) = dict::str_entries(value, scope.py) {
                    out.byte(b'{')?;
                    let (format, depth) = (PhantomData::<F>, depth + 1);
                    let task = Members { out, scope, into, depth, at, owner: value, rest, format };
                    return V::enter(task);
                }
            }
            Some(Op::Members(members)) => {
                if let Some(label) = scope.plan.members[members as usize].label(value) {
                    label.write(&mut out)?;
                    return Ok((out, true));
                }
            }
            Some(Op::Stamp) => {
                let (cx, py) = (scope.cx, scope.py);
                let rest = out.small(|room| classify::write_borrowed(room, cx, py, value))?;
                if matches!(rest, Outcome::Written) {
                    return Ok((out, true));
                }
            }
            _ => {}
        }
    }
    into.value = Some((value, node));
    Ok((out, false))
}

/// Writes what comes before the first field of a record, as far as that is not in its label.
#[inline(always)]
pub(super) fn open<F: Format, B: Buffer>(
    out: &mut Out<'_, B>,
    record: &Record,
    depth: usize,
) -> Result<(), Raised> {
    if !record.opening.is_empty() {
        record.opening.write(out)?;
        if !record.before.is_empty() {
            F::before(out, depth)?;
            record.before.write(out)?;
        }
    }
    Ok(())
}

/// Marks a path that is not taken often.
#[cold]
fn unlikely() {}

/// Writes the fields of a record from `index` on, and its end.
pub(super) struct Fields<'a, 'b, 's, 'c, S, F, B: Buffer> {
    pub(super) out: Out<'b, B>,
    pub(super) scope: &'s Scope<'a, 'c>,
    pub(super) into: &'s mut Nested<'a>,
    /// Open containers, itself included.
    pub(super) depth: usize,
    pub(super) record: &'a Record,
    pub(super) at: u32,
    pub(super) owner: Obj<'a>,
    pub(super) source: S,
    pub(super) fields: &'a [Field],
    pub(super) index: usize,
    pub(super) format: PhantomData<F>,
}

impl<'a, 'b, S: Source<'a>, F: Format, B: Buffer> Task for Fields<'a, 'b, '_, '_, S, F, B> {
    type Output = Written<'b, B>;

    #[inline(always)]
    fn run<V: Vector>(self) -> Self::Output {
        fields::<V, S, F, B>(self)
    }
}

/// See [`Fields`].
#[inline(always)]
fn fields<'a, 'b, V: Vector, S: Source<'a>, F: Format, B: Buffer>(
    task: Fields<'a, 'b, '_, '_, S, F, B>,
) -> Written<'b, B> {
    let Fields { mut out, scope, into, depth, record, at, owner, source, fields, index, .. } = task;
    let mut rest = fields.get(index..).unwrap_or(&[]);
    let leave = |into: &mut Nested<'a>, index: usize| {
        let (plan_id, index) = (scope.plan_id, index as u32);
        into.leave(Open { owner, rest: &[], plan_id, at, index, form: Form::Fields });
    };
    while let [field, after @ ..] = rest {
        let value = if field.is_plain {
            let Some(value) = source.primary(|| fields.len() - rest.len(), field.offset) else {
                unlikely();
                leave(into, fields.len() - rest.len());
                return Ok((out, false));
            };
            F::before(&mut out, depth)?;
            field.write(&mut out)?;
            value
        } else {
            unlikely();
            let index = fields.len() - rest.len();
            match unusual(record, source, field.offset, index, scope.py) {
                Unusual::Ask => {
                    leave(into, index);
                    return Ok((out, false));
                }
                Unusual::Omit => {
                    rest = after;
                    continue;
                }
                Unusual::Value(value, label) => {
                    F::before(&mut out, depth)?;
                    label.write(&mut out)?;
                    value
                }
            }
        };
        rest = after;
        if scalar::<V, _, B, true>(&mut out, value, Only(field.mask))? {
            continue;
        }
        let done;
        (out, done) = nested::<V, F, B>(out, value, field.node, scope, into, depth)?;
        if !done {
            leave(into, fields.len() - rest.len());
            return Ok((out, false));
        }
    }
    if record.rest.is_some() && index <= fields.len() {
        leave(into, fields.len());
        return Ok((out, false));
    }
    let bracket = record.bracket();
    // In ASCII `]` and `}` follow their openers by two.
    if record.may_be_empty && out.last() == Some(bracket - 2) {
        out.byte(bracket)?;
        out.byte(b',')?;
    } else {
        F::close(&mut out, bracket, depth - 1)?;
    }
    Ok((out, true))
}

/// Writes the items of an array that are all records of one class, from `rest` on, and its end.
///
/// PERF: without a call for each of them: a quarter fewer instructions for small ones.
pub(super) struct Rows<'a, 'b, 's, 'c, F, B: Buffer> {
    items: Items<'a, 'b, 's, 'c, F, B>,
    record: &'a Record,
    class: Exact,
    /// The record's place.
    row: u32,
}

impl<'a, 'b, F: Format, B: Buffer> Task for Rows<'a, 'b, '_, '_, F, B> {
    type Output = Written<'b, B>;

    #[inline(always)]
    fn run<V: Vector>(self) -> Self::Output {
        let Self { items, record, class, row } = self;
        let Items { mut out, scope, into, depth, at, owner, mut rest, form, .. } = items;
        while let &[Some(item), ref after @ ..] = rest {
            rest = after;
            if let Some(&Some(next)) = rest.first() {
                next.prefetch();
            }
            F::before(&mut out, depth)?;
            let mut done = false;
            if depth < scope.limit
                && Exact::of(item) == class
                && let Some((source, fields)) = record.memory(item, scope.py)
            {
                open::<F, B>(&mut out, record, depth + 1)?;
                (out, done) =
                    crate::encode::typed::records::fields::<V, InstanceMemory<'a>, F, B>(Fields {
                        out,
                        scope,
                        into,
                        depth: depth + 1,
                        record,
                        at: row,
                        owner: item,
                        source,
                        fields,
                        index: 0,
                        format: PhantomData,
                    })?;
            } else {
                unlikely();
                into.value = Some((item, at));
            }
            if !done {
                into.leave(Open { owner, rest, plan_id: scope.plan_id, at, index: 0, form });
                return Ok((out, false));
            }
        }
        F::close(&mut out, b']', depth - 1)?;
        Ok((out, true))
    }
}

/// Goes on with an array.
#[inline(always)]
pub(super) fn items<'a, 'b, V: Vector, F: Format, B: Buffer>(
    items: Items<'a, 'b, '_, '_, F, B>,
) -> Written<'b, B> {
    match items.scope.plan.nodes[items.at as usize].row {
        Some((class, row)) => {
            let record = &items.scope.plan.records[row as usize];
            V::enter(Rows { items, record, class, row })
        }
        None => V::enter(items),
    }
}

/// Writes the items of an array from `rest` on, and its end.
pub(super) struct Items<'a, 'b, 's, 'c, F, B: Buffer> {
    pub(super) out: Out<'b, B>,
    pub(super) scope: &'s Scope<'a, 'c>,
    pub(super) into: &'s mut Nested<'a>,
    /// Open containers, itself included.
    pub(super) depth: usize,
    pub(super) at: u32,
    pub(super) owner: Obj<'a>,
    pub(super) rest: &'a [Option<Obj<'a>>],
    pub(super) form: Form,
    pub(super) format: PhantomData<F>,
}

impl<'a, 'b, F: Format, B: Buffer> Task for Items<'a, 'b, '_, '_, F, B> {
    type Output = Written<'b, B>;

    #[inline(always)]
    fn run<V: Vector>(self) -> Self::Output {
        let Self { mut out, scope, into, depth, at, owner, mut rest, form, .. } = self;
        let mask = scope.plan.nodes[at as usize].mask;
        while let &[Some(item), ref after @ ..] = rest {
            rest = after;
            F::before(&mut out, depth)?;
            if mask & SCALARS != 0 && scalar::<V, _, B, true>(&mut out, item, Only(mask))? {
                continue;
            }
            if let Some(&Some(next)) = rest.first() {
                next.prefetch();
            }
            let done;
            (out, done) = nested::<V, F, B>(out, item, at, scope, into, depth)?;
            if !done {
                into.leave(Open { owner, rest, plan_id: scope.plan_id, at, index: 0, form });
                return Ok((out, false));
            }
        }
        F::close(&mut out, b']', depth - 1)?;
        Ok((out, true))
    }
}

/// Writes the items of a tuple whose items have nodes of their own, and its end.
pub(super) struct Fixed<'a, 'b, 's, 'c, F, B: Buffer>(pub(super) Items<'a, 'b, 's, 'c, F, B>);

impl<'a, 'b, F: Format, B: Buffer> Task for Fixed<'a, 'b, '_, '_, F, B> {
    type Output = Written<'b, B>;

    #[inline(always)]
    fn run<V: Vector>(self) -> Self::Output {
        let Items { mut out, scope, into, depth, at, owner, mut rest, form, .. } = self.0;
        let nodes = &scope.plan.fixed[at as usize];
        // As many as there are items: a tuple does not change.
        let mut nodes = nodes.get(nodes.len().wrapping_sub(rest.len())..).unwrap_or(&[]).iter();
        while let &[Some(item), ref after @ ..] = rest {
            let Some(&node) = nodes.next() else { break };
            rest = after;
            F::before(&mut out, depth)?;
            let mask = scope.plan.nodes[node as usize].mask;
            if scalar::<V, _, B, true>(&mut out, item, Only(mask))? {
                continue;
            }
            let done;
            (out, done) = nested::<V, F, B>(out, item, node, scope, into, depth)?;
            if !done {
                into.leave(Open { owner, rest, plan_id: scope.plan_id, at, index: 0, form });
                return Ok((out, false));
            }
        }
        F::close(&mut out, b']', depth - 1)?;
        Ok((out, true))
    }
}

/// Writes the members of a dict from `rest` on, and its end.
pub(super) struct Members<'a, 'b, 's, 'c, F, B: Buffer> {
    pub(super) out: Out<'b, B>,
    pub(super) scope: &'s Scope<'a, 'c>,
    pub(super) into: &'s mut Nested<'a>,
    /// Open containers, itself included.
    pub(super) depth: usize,
    pub(super) at: u32,
    pub(super) owner: Obj<'a>,
    pub(super) rest: &'a [StrEntry<'a>],
    pub(super) format: PhantomData<F>,
}

impl<'a, 'b, F: Format, B: Buffer> Task for Members<'a, 'b, '_, '_, F, B> {
    type Output = Written<'b, B>;

    #[inline(always)]
    fn run<V: Vector>(self) -> Self::Output {
        let Self { mut out, scope, into, depth, at, owner, mut rest, .. } = self;
        let nodes = scope.plan.dicts[at as usize];
        let has_names = scope.plan.nodes[nodes.key as usize].mask & STR != 0;
        let mask = scope.plan.nodes[nodes.value as usize].mask;
        let leave = |into: &mut Nested<'a>, rest: &'a [StrEntry<'a>]| {
            let (plan_id, rest) = (scope.plan_id, rest.as_flattened());
            into.leave(Open { owner, rest, plan_id, at, index: 0, form: Form::Dict });
        };
        while let [entry, after @ ..] = rest {
            let &[Some(key), Some(value)] = entry else {
                rest = after;
                continue;
            };
            let is_name = has_names && types::is_exact_str(key);
            if is_name {
                F::before(&mut out, depth)?;
            }
            if !is_name || !member_name::<V, Only, F, B, true>(&mut out, key)? {
                unlikely();
                leave(into, rest);
                return Ok((out, false));
            }
            rest = after;
            if scalar::<V, _, B, true>(&mut out, value, Only(mask))? {
                continue;
            }
            let done;
            (out, done) = nested::<V, F, B>(out, value, nodes.value, scope, into, depth)?;
            if !done {
                leave(into, rest);
                return Ok((out, false));
            }
        }
        F::close(&mut out, b'}', depth - 1)?;
        Ok((out, true))
    }
}
