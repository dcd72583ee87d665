//! Opens a value or resumes a container in the borrowed walk: the way into `records`.
//!
//! Separate from `borrowed` and `records` because it handles all kinds of frames, the uncommon ones
//! too, and is inlined into the loop of `borrowed`, its only caller.

use core::marker::PhantomData;

use snooze_core::arch::Vector;
use snooze_core::out::{Buffer, Out};

use crate::encode::format::Format;
use crate::encode::typed::borrowed_context::{BorrowedContext, WriteResult};
use crate::encode::typed::fields::{AttributeSource, DictSource, FieldSource, write_opening};
use crate::encode::typed::frame::FrameKind;
use crate::encode::typed::plan::{Encoding, Field, RecordKind};
use crate::encode::typed::records;
use crate::encode::typed::records::{
    FieldsTask, FixedTupleTask, ItemsTask, MembersTask, SortedMembersTask,
};
use crate::encode::typed::suspended::{BorrowedFrame, Suspended};
use crate::py::bytes::Bytes;
use crate::py::dict::Dict;
use crate::py::{Obj, bytes, tuple};

/// Resumes a container.
#[inline(always)]
pub(super) fn resume_container<'a, 'b, V: Vector, F: Format, B: Buffer>(
    out: Out<'b, B>,
    frame: BorrowedFrame<'a>,
    context: &BorrowedContext<'a, '_>,
    suspended: &mut Suspended<'a>,
    depth: usize,
) -> WriteResult<'b, B> {
    let BorrowedFrame { container, remaining, plan_index, kind, .. } = frame;
    let format = PhantomData::<F>;
    match kind {
        FrameKind::List | FrameKind::Tuple | FrameKind::FixedTuple => {
            let items = ItemsTask {
                out,
                context,
                suspended,
                depth,
                plan_index,
                container,
                remaining,
                kind,
                format,
            };
            match kind {
                FrameKind::FixedTuple => V::run_outlined(FixedTupleTask(items)),
                _ => records::write_items::<V, F, B>(items),
            }
        }
        FrameKind::Dict => {
            let (remaining, _) = remaining.as_chunks();
            V::run_outlined(MembersTask {
                out,
                context,
                suspended,
                depth,
                plan_index,
                container,
                remaining,
                format,
            })
        }
        FrameKind::Fields => {
            let record = &context.plan.records[plan_index as usize];
            if let Some((source, all)) = record.memory(container, context.py) {
                resume_fields::<V, _, F, B>(out, frame, (source, all), context, suspended, depth)
            } else if !record.sorts_members()
                && let Some((attributes, all)) = record.attributes(container, context.py)
            {
                let source = AttributeSource { attributes, record };
                resume_fields::<V, _, F, B>(out, frame, (source, all), context, suspended, depth)
            } else if record.kind == RecordKind::Dict
                && !record.sorts_members()
                && let Some(dict) = Dict::any(container)
            {
                let source = DictSource { dict, record, py: context.py };
                let all = &record.field_layout.get(context.py).fields;
                resume_fields::<V, _, F, B>(out, frame, (source, all), context, suspended, depth)
            } else {
                suspended.push(frame);
                Ok((out, false))
            }
        }
        FrameKind::TextMembers => V::run_outlined(SortedMembersTask {
            out,
            context,
            suspended,
            depth,
            plan_index,
            container,
            format,
        }),
        FrameKind::Converted => {
            suspended.push(frame);
            Ok((out, false))
        }
    }
}

/// Resumes a record whose values are at `source`.
#[inline(always)]
fn resume_fields<'a, 'b, V: Vector, S: FieldSource<'a>, F: Format, B: Buffer>(
    out: Out<'b, B>,
    frame: BorrowedFrame<'a>,
    (source, fields): (S, &'a [Field]),
    context: &BorrowedContext<'a, '_>,
    suspended: &mut Suspended<'a>,
    depth: usize,
) -> WriteResult<'b, B> {
    let BorrowedFrame { container, plan_index, index, .. } = frame;
    V::run_outlined(FieldsTask {
        out,
        context,
        suspended,
        depth,
        record: &context.plan.records[plan_index as usize],
        plan_index,
        container,
        source,
        fields,
        index: index as usize,
        format: PhantomData::<F>,
    })
}

/// Writes the opening bracket of a tuple and what follows it; `frame` is at its first item.
#[inline(always)]
fn open_tuple<'a, 'b, V: Vector, F: Format, B: Buffer>(
    mut out: Out<'b, B>,
    frame: BorrowedFrame<'a>,
    context: &BorrowedContext<'a, '_>,
    suspended: &mut Suspended<'a>,
    depth: usize,
) -> WriteResult<'b, B> {
    if frame.remaining.is_empty() {
        out.empty(b'[', b',')?;
        return Ok((out, true));
    }
    out.byte(b'[')?;
    resume_container::<V, F, B>(out, frame, context, suspended, depth + 1)
}

/// Opens a value like [`records::write_nested`], and also handles less common encodings.
#[inline(always)]
pub(super) fn open_value<'a, 'b, V: Vector, F: Format, B: Buffer>(
    mut out: Out<'b, B>,
    value: Obj<'a>,
    node: u32,
    encoding: Encoding,
    context: &BorrowedContext<'a, '_>,
    suspended: &mut Suspended<'a>,
    depth: usize,
) -> WriteResult<'b, B> {
    match encoding {
        Encoding::Tuple(plan_index) => {
            let remaining = tuple::items_of(value, context.py);
            let plan_id = context.plan_id;
            let frame =
                BorrowedFrame::of_rest(value, remaining, plan_id, plan_index, FrameKind::Tuple);
            open_tuple::<V, F, B>(out, frame, context, suspended, depth)
        }
        Encoding::FixedTuple(plan_index) => {
            let remaining = tuple::items_of(value, context.py);
            if !context.plan.fixed_tuples[plan_index as usize].accepts(remaining.len()) {
                suspended.value = Some((value, node));
                return Ok((out, false));
            }
            let plan_id = context.plan_id;
            let frame = BorrowedFrame::of_rest(
                value,
                remaining,
                plan_id,
                plan_index,
                FrameKind::FixedTuple,
            );
            open_tuple::<V, F, B>(out, frame, context, suspended, depth)
        }
        Encoding::Record(plan_index)
            if context.plan.records[plan_index as usize].kind == RecordKind::Dict =>
        {
            write_opening::<F, B>(&mut out, &context.plan.records[plan_index as usize], depth + 1)?;
            let frame = BorrowedFrame::of_fields(value, context.plan_id, plan_index, 0);
            resume_container::<V, F, B>(out, frame, context, suspended, depth + 1)
        }
        Encoding::RawJson => match Bytes::any(value).map(bytes::contents) {
            Some(contents) => {
                context.cx.copies_json.set(true);
                out.raw_value(contents, b',')?;
                Ok((out, true))
            }
            None => {
                suspended.value = Some((value, node));
                Ok((out, false))
            }
        },
        _ => records::write_nested::<V, F, B>(out, value, node, context, suspended, depth),
    }
}
