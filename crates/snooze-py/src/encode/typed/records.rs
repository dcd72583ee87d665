//! Writes records, arrays and objects, and what is nested in them: the hot part of the borrowed
//! walk.
//!
//! Separate from `borrowed` because of registers (see PERF). Each kind of container has a function
//! that calls the others for nested values, up to the context's depth limit, so all of them are in
//! this file. Deeper values, and uncommon ones, are left to `borrowed`. When a function has to
//! stop, every caller pushes its open container to [`Suspended`], so the innermost comes first.
//! Called by `resume`.
//!
//! PERF: separate functions, so that their few variables stay in registers: inside the loop of the
//! borrowed walk, fields took half as long again. Calls instead of a stack of open containers,
//! because records are small: 0.77 of msgspec's speed on citm_catalog before (2026-11-21).

use core::marker::PhantomData;

use snooze_core::arch::{Task, Vector};
use snooze_core::out::{Buffer, Out};

use crate::encode::classify;
use crate::encode::classify::Outcome;
use crate::encode::format::{Format, opening};
use crate::encode::numbers::{FloatsTask, may_begin_with_floats};
use crate::encode::policy::{FLOAT, NodePolicy, SCALARS, STR};
use crate::encode::scalar::{write_member_name, write_scalar};
use crate::encode::typed::borrowed_context::{BorrowedContext, WriteResult};
use crate::encode::typed::fields::{
    FieldAction, FieldSource, field_action, unlikely, write_opening,
};
use crate::encode::typed::frame::FrameKind;
use crate::encode::typed::int_keys::IntKeysTask;
use crate::encode::typed::leaves::LeafTask;
use crate::encode::typed::plan::{Encoding, Field, Record};
use crate::encode::typed::sorted_members;
use crate::encode::typed::suspended::{BorrowedFrame, Suspended};
use crate::options::EncodeFlags;
use crate::py::dict::{Dict, StrEntry};
use crate::py::instance::InstanceMemory;
use crate::py::types::Exact;
use crate::py::unicode::Str;
use crate::py::{Obj, dict, list, tuple};

/// Writes a value that is no scalar, if it is of a common kind.
///
/// Inlined only where no white space is written, because each kind of container calls it.
#[inline(always)]
pub(super) fn write_nested<'a, 'b, V: Vector, F: Format, B: Buffer>(
    out: Out<'b, B>,
    value: Obj<'a>,
    node: u32,
    context: &BorrowedContext<'a, '_>,
    suspended: &mut Suspended<'a>,
    depth: usize,
) -> WriteResult<'b, B> {
    let format = PhantomData::<F>;
    let task = NestedTask { out, value, node, context, suspended, depth, format };
    if F::SPACED { V::run_outlined(task) } else { task.with_vectors::<V>() }
}

/// See [`write_nested`].
struct NestedTask<'a, 'b, 's, 'c, F, B: Buffer> {
    out: Out<'b, B>,
    value: Obj<'a>,
    node: u32,
    context: &'s BorrowedContext<'a, 'c>,
    suspended: &'s mut Suspended<'a>,
    depth: usize,
    format: PhantomData<F>,
}

impl<'b, F: Format, B: Buffer> Task for NestedTask<'_, 'b, '_, '_, F, B> {
    type Output = WriteResult<'b, B>;

    #[inline(always)]
    fn with_vectors<V: Vector>(self) -> Self::Output {
        let Self { mut out, value, node, context, suspended, depth, .. } = self;
        let encoding = context.plan.nodes[node as usize].encoding(Exact::of(value));
        if depth < context.depth_limit {
            match encoding {
                Some(Encoding::Record(plan_index)) => {
                    let record = &context.plan.records[plan_index as usize];
                    if let Some((source, fields)) = record.memory(value, context.py) {
                        write_opening::<F, B>(&mut out, record, depth + 1)?;
                        let (format, depth, index) = (PhantomData::<F>, depth + 1, 0);
                        let task = FieldsTask {
                            out,
                            context,
                            suspended,
                            depth,
                            record,
                            plan_index,
                            container: value,
                            source,
                            fields,
                            index,
                            format,
                        };
                        return V::run_outlined(task);
                    }
                }
                Some(Encoding::List(plan_index)) => {
                    let remaining = list::items_of(value, context.py);
                    if remaining.is_empty() {
                        out.empty(b'[', b',')?;
                        return Ok((out, true));
                    }
                    out.byte(b'[')?;
                    let (format, depth, kind) = (PhantomData::<F>, depth + 1, FrameKind::List);
                    let task = ItemsTask {
                        out,
                        context,
                        suspended,
                        depth,
                        plan_index,
                        container: value,
                        remaining,
                        kind,
                        format,
                    };
                    return write_items::<V, F, B>(task);
                }
                Some(Encoding::Dict(plan_index))
                    if !context.cx.flags.has(EncodeFlags::SORT_KEYS | EncodeFlags::OMIT_NONE)
                        && let Some(dict) = Dict::exact(value) =>
                {
                    if dict::size(dict) == 0 {
                        out.empty(b'{', b',')?;
                        return Ok((out, true));
                    }
                    if let Some(remaining) = dict::str_entries(dict, context.py) {
                        out.byte(b'{')?;
                        let (format, depth) = (PhantomData::<F>, depth + 1);
                        let task = MembersTask {
                            out,
                            context,
                            suspended,
                            depth,
                            plan_index,
                            container: value,
                            remaining,
                            format,
                        };
                        return V::run_outlined(task);
                    }
                    if !F::SPACED {
                        let done = V::run_outlined(IntKeysTask { out, context, dict, plan_index })?;
                        if done.1 {
                            return Ok(done);
                        }
                        out = done.0;
                    }
                }
                Some(Encoding::Dict(plan_index))
                    if context.cx.flags.has(EncodeFlags::SORT_KEYS)
                        && let Some(dict) = Dict::exact(value) =>
                {
                    if dict::size(dict) == 0 {
                        out.empty(b'{', b',')?;
                        return Ok((out, true));
                    }
                    if sorted_members::list(dict, plan_index, context, &mut suspended.lists)? {
                        out.byte(b'{')?;
                        let (format, depth) = (PhantomData::<F>, depth + 1);
                        let task = SortedMembersTask {
                            out,
                            context,
                            suspended,
                            depth,
                            plan_index,
                            container: value,
                            format,
                        };
                        return V::run_outlined(task);
                    }
                }
                Some(Encoding::EnumMember(members)) => {
                    if let Some(rendered) = context.plan.enums[members as usize].rendered(value) {
                        rendered.write(&mut out)?;
                        return Ok((out, true));
                    }
                }
                Some(encoding @ (Encoding::Base64(_) | Encoding::Duration(_))) => {
                    let times = &context.cx.runtime.times;
                    let done = V::run_outlined(LeafTask { out, value, encoding, times })?;
                    if done.1 {
                        return Ok(done);
                    }
                    out = done.0;
                }
                Some(Encoding::TimeOrUuid) => {
                    let (cx, py) = (context.cx, context.py);
                    let outcome =
                        out.small(|room| classify::write_borrowed(room, cx, py, value))?;
                    if matches!(outcome, Outcome::Written) {
                        return Ok((out, true));
                    }
                }
                _ => {}
            }
        }
        suspended.value = Some((value, node));
        Ok((out, false))
    }
}

/// Writes the fields of a record from `index` on, and its end.
pub(super) struct FieldsTask<'a, 'b, 's, 'c, S, F, B: Buffer> {
    pub(super) out: Out<'b, B>,
    pub(super) context: &'s BorrowedContext<'a, 'c>,
    pub(super) suspended: &'s mut Suspended<'a>,
    /// Open containers, including this one.
    pub(super) depth: usize,
    pub(super) record: &'a Record,
    pub(super) plan_index: u32,
    pub(super) container: Obj<'a>,
    pub(super) source: S,
    pub(super) fields: &'a [Field],
    pub(super) index: usize,
    pub(super) format: PhantomData<F>,
}

impl<'a, 'b, S: FieldSource<'a>, F: Format, B: Buffer> Task
    for FieldsTask<'a, 'b, '_, '_, S, F, B>
{
    type Output = WriteResult<'b, B>;

    #[inline(always)]
    fn with_vectors<V: Vector>(self) -> Self::Output {
        write_fields::<V, S, F, B>(self)
    }
}

/// See [`FieldsTask`].
#[inline(always)]
fn write_fields<'a, 'b, V: Vector, S: FieldSource<'a>, F: Format, B: Buffer>(
    task: FieldsTask<'a, 'b, '_, '_, S, F, B>,
) -> WriteResult<'b, B> {
    let FieldsTask {
        mut out,
        context,
        suspended,
        depth,
        record,
        plan_index,
        container,
        source,
        fields,
        index,
        ..
    } = task;
    let mut remaining = fields.get(index..).unwrap_or(&[]);
    let suspend = |suspended: &mut Suspended<'a>, index: usize| {
        let plan_id = context.plan_id;
        suspended.push(BorrowedFrame::of_fields(container, plan_id, plan_index, index as u32));
    };
    while let [field, after @ ..] = remaining {
        let value = if field.is_plain {
            let Some(value) = source.primary(|| fields.len() - remaining.len(), field.offset)
            else {
                unlikely();
                suspend(suspended, fields.len() - remaining.len());
                return Ok((out, false));
            };
            F::start_element(&mut out, depth)?;
            field.write_prefix(&mut out)?;
            value
        } else {
            unlikely();
            let index = fields.len() - remaining.len();
            match field_action(record, source, field.offset, index, context.py) {
                FieldAction::NeedsPython => {
                    suspend(suspended, index);
                    return Ok((out, false));
                }
                FieldAction::Omit => {
                    remaining = after;
                    continue;
                }
                FieldAction::Write(value, prefix) => {
                    F::start_element(&mut out, depth)?;
                    prefix.write(&mut out)?;
                    value
                }
            }
        };
        remaining = after;
        if write_scalar::<V, _, B, true>(&mut out, value, NodePolicy(field.mask))? {
            continue;
        }
        let done;
        (out, done) = write_nested::<V, F, B>(out, value, field.node, context, suspended, depth)?;
        if !done {
            suspend(suspended, fields.len() - remaining.len());
            return Ok((out, false));
        }
    }
    if record.extra_members.is_some() && index <= fields.len() {
        suspend(suspended, fields.len());
        return Ok((out, false));
    }
    let bracket = record.bracket();
    if record.may_be_empty && out.last() == Some(opening(bracket)) {
        out.byte(bracket)?;
        out.byte(b',')?;
    } else {
        F::close(&mut out, bracket, depth - 1)?;
    }
    Ok((out, true))
}

/// Writes the rest of an array whose items are all records of one class, and its end.
///
/// PERF: without a call per record: a quarter fewer instructions for small ones.
pub(super) struct RecordItemsTask<'a, 'b, 's, 'c, F, B: Buffer> {
    items: ItemsTask<'a, 'b, 's, 'c, F, B>,
    record: &'a Record,
    class: Exact,
    /// The index of the record in the plan.
    record_index: u32,
}

impl<'a, 'b, F: Format, B: Buffer> Task for RecordItemsTask<'a, 'b, '_, '_, F, B> {
    type Output = WriteResult<'b, B>;

    #[inline(always)]
    fn with_vectors<V: Vector>(self) -> Self::Output {
        let Self { items, record, class, record_index } = self;
        let ItemsTask {
            mut out,
            context,
            suspended,
            depth,
            plan_index,
            container,
            mut remaining,
            kind,
            ..
        } = items;
        while let &[Some(item), ref after @ ..] = remaining {
            remaining = after;
            if let Some(&Some(next)) = remaining.first() {
                next.prefetch();
            }
            F::start_element(&mut out, depth)?;
            let mut done = false;
            if depth < context.depth_limit
                && Exact::of(item) == class
                && let Some((source, fields)) = record.memory(item, context.py)
            {
                write_opening::<F, B>(&mut out, record, depth + 1)?;
                let (depth, container, index) = (depth + 1, item, 0);
                let task = FieldsTask {
                    out,
                    context,
                    suspended,
                    depth,
                    record,
                    plan_index: record_index,
                    container,
                    source,
                    fields,
                    index,
                    format: PhantomData::<F>,
                };
                (out, done) = write_fields::<V, InstanceMemory<'a>, F, B>(task)?;
            } else {
                unlikely();
                suspended.value = Some((item, plan_index));
            }
            if !done {
                suspended.push_rest(container, remaining, context.plan_id, plan_index, kind);
                return Ok((out, false));
            }
        }
        F::close(&mut out, b']', depth - 1)?;
        Ok((out, true))
    }
}

/// Writes the rest of an array.
#[inline(always)]
pub(super) fn write_items<'a, 'b, V: Vector, F: Format, B: Buffer>(
    items: ItemsTask<'a, 'b, '_, '_, F, B>,
) -> WriteResult<'b, B> {
    match items.context.plan.nodes[items.plan_index as usize].only_record {
        Some((class, record_index)) => {
            let record = &items.context.plan.records[record_index as usize];
            V::run_outlined(RecordItemsTask { items, record, class, record_index })
        }
        None => V::run_outlined(items),
    }
}

/// Writes the rest of an array, and its end.
pub(super) struct ItemsTask<'a, 'b, 's, 'c, F, B: Buffer> {
    pub(super) out: Out<'b, B>,
    pub(super) context: &'s BorrowedContext<'a, 'c>,
    pub(super) suspended: &'s mut Suspended<'a>,
    /// Open containers, including this one.
    pub(super) depth: usize,
    pub(super) plan_index: u32,
    pub(super) container: Obj<'a>,
    pub(super) remaining: &'a [Option<Obj<'a>>],
    pub(super) kind: FrameKind,
    pub(super) format: PhantomData<F>,
}

impl<'a, 'b, F: Format, B: Buffer> Task for ItemsTask<'a, 'b, '_, '_, F, B> {
    type Output = WriteResult<'b, B>;

    #[inline(always)]
    fn with_vectors<V: Vector>(self) -> Self::Output {
        let Self {
            mut out,
            context,
            suspended,
            depth,
            plan_index,
            container,
            mut remaining,
            kind,
            ..
        } = self;
        let mask = context.plan.nodes[plan_index as usize].mask;
        if !F::SPACED
            && V::SHORTEST_DECIMALS
            && mask & FLOAT != 0
            && may_begin_with_floats(remaining)
        {
            let task = FloatsTask { items: remaining, out, policy: NodePolicy(mask) };
            (out, remaining) = V::run_outlined(task)?;
        }
        while let &[Some(item), ref after @ ..] = remaining {
            remaining = after;
            F::start_element(&mut out, depth)?;
            if mask & SCALARS != 0
                && write_scalar::<V, _, B, true>(&mut out, item, NodePolicy(mask))?
            {
                continue;
            }
            if let Some(&Some(next)) = remaining.first() {
                next.prefetch();
            }
            let done;
            (out, done) =
                write_nested::<V, F, B>(out, item, plan_index, context, suspended, depth)?;
            if !done {
                suspended.push_rest(container, remaining, context.plan_id, plan_index, kind);
                return Ok((out, false));
            }
        }
        F::close(&mut out, b']', depth - 1)?;
        Ok((out, true))
    }
}

/// Writes the rest of a tuple with one node per item, and its end.
pub(super) struct FixedTupleTask<'a, 'b, 's, 'c, F, B: Buffer>(
    pub(super) ItemsTask<'a, 'b, 's, 'c, F, B>,
);

impl<'a, 'b, F: Format, B: Buffer> Task for FixedTupleTask<'a, 'b, '_, '_, F, B> {
    type Output = WriteResult<'b, B>;

    #[inline(always)]
    fn with_vectors<V: Vector>(self) -> Self::Output {
        let ItemsTask {
            mut out,
            context,
            suspended,
            depth,
            plan_index,
            container,
            mut remaining,
            kind,
            ..
        } = self.0;
        let nodes = &context.plan.fixed_tuples[plan_index as usize];
        // A tuple does not change.
        let count = tuple::items_of(container, context.py).len();
        while let &[Some(item), ref after @ ..] = remaining {
            let Some(node) = nodes.get(count.wrapping_sub(remaining.len())) else { break };
            remaining = after;
            F::start_element(&mut out, depth)?;
            let mask = context.plan.nodes[node as usize].mask;
            if write_scalar::<V, _, B, true>(&mut out, item, NodePolicy(mask))? {
                continue;
            }
            let done;
            (out, done) = write_nested::<V, F, B>(out, item, node, context, suspended, depth)?;
            if !done {
                suspended.push_rest(container, remaining, context.plan_id, plan_index, kind);
                return Ok((out, false));
            }
        }
        F::close(&mut out, b']', depth - 1)?;
        Ok((out, true))
    }
}

/// Writes the rest of a dict, and its end.
pub(super) struct MembersTask<'a, 'b, 's, 'c, F, B: Buffer> {
    pub(super) out: Out<'b, B>,
    pub(super) context: &'s BorrowedContext<'a, 'c>,
    pub(super) suspended: &'s mut Suspended<'a>,
    /// Open containers, including this one.
    pub(super) depth: usize,
    pub(super) plan_index: u32,
    pub(super) container: Obj<'a>,
    pub(super) remaining: &'a [StrEntry<'a>],
    pub(super) format: PhantomData<F>,
}

impl<'a, 'b, F: Format, B: Buffer> Task for MembersTask<'a, 'b, '_, '_, F, B> {
    type Output = WriteResult<'b, B>;

    #[inline(always)]
    fn with_vectors<V: Vector>(self) -> Self::Output {
        let Self {
            mut out, context, suspended, depth, plan_index, container, mut remaining, ..
        } = self;
        let nodes = context.plan.dicts[plan_index as usize];
        let has_names = context.plan.nodes[nodes.key as usize].mask & STR != 0;
        let mask = context.plan.nodes[nodes.value as usize].mask;
        let suspend = |suspended: &mut Suspended<'a>, remaining: &'a [StrEntry<'a>]| {
            let (remaining, kind) = (remaining.as_flattened(), FrameKind::Dict);
            suspended.push_rest(container, remaining, context.plan_id, plan_index, kind);
        };
        while let [entry, after @ ..] = remaining {
            let &[Some(key), Some(value)] = entry else {
                remaining = after;
                continue;
            };
            let name = if has_names { Str::exact(key) } else { None };
            let is_written = match name {
                Some(name) => {
                    F::start_element(&mut out, depth)?;
                    write_member_name::<V, NodePolicy, F, B, true>(&mut out, name)?
                }
                None => false,
            };
            if !is_written {
                unlikely();
                if name.is_some() {
                    out.drop_space();
                }
                suspend(suspended, remaining);
                return Ok((out, false));
            }
            remaining = after;
            if write_scalar::<V, _, B, true>(&mut out, value, NodePolicy(mask))? {
                continue;
            }
            let done;
            (out, done) =
                write_nested::<V, F, B>(out, value, nodes.value, context, suspended, depth)?;
            if !done {
                suspend(suspended, remaining);
                return Ok((out, false));
            }
        }
        F::close(&mut out, b'}', depth - 1)?;
        Ok((out, true))
    }
}

/// Writes the rest of the innermost sorted dict, and its end.
pub(super) struct SortedMembersTask<'a, 'b, 's, 'c, F, B: Buffer> {
    pub(super) out: Out<'b, B>,
    pub(super) context: &'s BorrowedContext<'a, 'c>,
    pub(super) suspended: &'s mut Suspended<'a>,
    /// Open containers, including this one.
    pub(super) depth: usize,
    pub(super) plan_index: u32,
    pub(super) container: Obj<'a>,
    pub(super) format: PhantomData<F>,
}

impl<'a, 'b, F: Format, B: Buffer> Task for SortedMembersTask<'a, 'b, '_, '_, F, B> {
    type Output = WriteResult<'b, B>;

    #[inline(always)]
    fn with_vectors<V: Vector>(self) -> Self::Output {
        let Self { mut out, context, suspended, depth, plan_index, container, .. } = self;
        let node = context.plan.dicts[plan_index as usize].value;
        let mask = context.plan.nodes[node as usize].mask;
        while let Some(value) =
            sorted_members::write_scalars::<V, F, B>(&mut out, &mut suspended.lists, depth, mask)?
        {
            let done;
            (out, done) = write_nested::<V, F, B>(out, value, node, context, suspended, depth)?;
            if !done {
                let kind = FrameKind::TextMembers;
                suspended.push_rest(container, &[], context.plan_id, plan_index, kind);
                return Ok((out, false));
            }
        }
        F::close(&mut out, b'}', depth - 1)?;
        Ok((out, true))
    }
}
