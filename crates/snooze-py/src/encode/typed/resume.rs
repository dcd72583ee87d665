//! How the tree opens a value and goes on with a container: the way into [`nested`].

use core::marker::PhantomData;

use snooze_core::arch::Vector;
use snooze_core::out::{Buffer, Out};

use crate::encode::format::Format;
use crate::encode::typed::fields::{InDict, Source};
use crate::encode::typed::frame::Form;
use crate::encode::typed::plan::{Field, Op, RecordKind};
use crate::encode::typed::records;
use crate::encode::typed::records::{Fields, Fixed, Items, Members, Nested, Open, Scope, Written};
use crate::py::{Obj, bytes, tuple};

/// Goes on with a container.
#[inline(always)]
pub(super) fn resume<'a, 'b, V: Vector, F: Format, B: Buffer>(
    out: Out<'b, B>,
    open: Open<'a>,
    scope: &Scope<'a, '_>,
    into: &mut Nested<'a>,
    depth: usize,
) -> Written<'b, B> {
    let Open { owner, rest, at, form, .. } = open;
    let format = PhantomData::<F>;
    match form {
        Form::List | Form::Tuple => records::items::<V, F, B>(Items {
            out,
            scope,
            into,
            depth,
            at,
            owner,
            rest,
            form,
            format,
        }),
        Form::Fixed => {
            V::enter(Fixed(Items { out, scope, into, depth, at, owner, rest, form, format }))
        }
        Form::Dict => {
            let (rest, _) = rest.as_chunks();
            V::enter(Members { out, scope, into, depth, at, owner, rest, format })
        }
        Form::Fields => {
            let record = &scope.plan.records[at as usize];
            if let Some((source, all)) = record.memory(owner, scope.py) {
                fields::<V, _, F, B>(out, open, (source, all), scope, into, depth)
            } else if record.kind == RecordKind::Dict {
                let source = InDict { dict: owner, record, py: scope.py };
                let all = &record.ready.get(scope.py).fields;
                fields::<V, _, F, B>(out, open, (source, all), scope, into, depth)
            } else {
                into.leave(open);
                Ok((out, false))
            }
        }
        Form::TextMembers | Form::Hold => {
            into.leave(open);
            Ok((out, false))
        }
    }
}

/// Goes on with a record whose values are in a source.
#[inline(always)]
fn fields<'a, 'b, V: Vector, S: Source<'a>, F: Format, B: Buffer>(
    out: Out<'b, B>,
    open: Open<'a>,
    (source, fields): (S, &'a [Field]),
    scope: &Scope<'a, '_>,
    into: &mut Nested<'a>,
    depth: usize,
) -> Written<'b, B> {
    let Open { owner, at, index, .. } = open;
    V::enter(Fields {
        out,
        scope,
        into,
        depth,
        record: &scope.plan.records[at as usize],
        at,
        owner,
        source,
        fields,
        index: index as usize,
        format: PhantomData::<F>,
    })
}

/// Opens a value as [`nested`] does, and also as what is less common.
#[inline(always)]
pub(super) fn begin<'a, 'b, V: Vector, F: Format, B: Buffer>(
    mut out: Out<'b, B>,
    value: Obj<'a>,
    node: u32,
    op: Op,
    scope: &Scope<'a, '_>,
    into: &mut Nested<'a>,
    depth: usize,
) -> Written<'b, B> {
    let items = |form, at| {
        let rest = tuple::items(value, scope.py);
        (Open { owner: value, rest, plan_id: scope.plan_id, at, index: 0, form }, rest)
    };
    match op {
        Op::Tuple(at) => {
            let (open, rest) = items(Form::Tuple, at);
            if rest.is_empty() {
                out.empty(b'[', b',')?;
                return Ok((out, true));
            }
            out.byte(b'[')?;
            resume::<V, F, B>(out, open, scope, into, depth + 1)
        }
        Op::Fixed(at) => {
            let (open, rest) = items(Form::Fixed, at);
            if rest.len() != scope.plan.fixed[at as usize].len() {
                into.value = Some((value, node));
                return Ok((out, false));
            }
            if rest.is_empty() {
                out.empty(b'[', b',')?;
                return Ok((out, true));
            }
            out.byte(b'[')?;
            resume::<V, F, B>(out, open, scope, into, depth + 1)
        }
        Op::Record(at) if scope.plan.records[at as usize].kind == RecordKind::Dict => {
            records::open::<F, B>(&mut out, &scope.plan.records[at as usize], depth + 1)?;
            let (plan_id, form) = (scope.plan_id, Form::Fields);
            let open = Open { owner: value, rest: &[], plan_id, at, index: 0, form };
            resume::<V, F, B>(out, open, scope, into, depth + 1)
        }
        Op::Raw => match bytes::contents_of(value) {
            Some(contents) => {
                out.raw_value(contents, b',')?;
                Ok((out, true))
            }
            None => {
                into.value = Some((value, node));
                Ok((out, false))
            }
        },
        _ => records::nested::<V, F, B>(out, value, node, scope, into, depth),
    }
}
