//! The fields of a record, up to the first whose value is no scalar.
//!
//! PERF: a function of its own, so that its few variables stay in registers: in the walk of the
//! tree, fields took half as long again (2026-11-21).

use core::marker::PhantomData;

use snooze_core::arch::{Task, Vector};
use snooze_core::out::{Buffer, Out};

use super::leaf::scalar;
use super::plan::{Field, Label, More, Omit, Record};
use crate::encode::Format;
use crate::py::seat::{Places, Seat};
use crate::py::types;
use crate::py::{Attached, Obj, Raised, call, dict, list};

/// Where it stopped.
pub(super) enum Stop<'a> {
    /// At the end.
    End,
    /// Behind the label of a field with this value.
    Value(Obj<'a>),
    /// Before a field that has to be asked for.
    Ask,
}

/// Where the values are.
pub(super) trait Source<'a>: Copy {
    /// The value of a field; `None` if it has to be asked for.
    fn value(self, index: usize, seat: Seat) -> Option<Obj<'a>>;

    /// The same of a plain field.
    fn usual(self, index: impl FnOnce() -> usize, seat: Seat) -> Option<Obj<'a>>;
}

impl<'a> Source<'a> for Places<'a> {
    #[inline(always)]
    fn value(self, _: usize, seat: Seat) -> Option<Obj<'a>> {
        Places::value(self, seat)
    }

    #[inline(always)]
    fn usual(self, _: impl FnOnce() -> usize, seat: Seat) -> Option<Obj<'a>> {
        Places::usual(self, seat)
    }
}

/// A dict with the names of the fields.
#[derive(Clone, Copy)]
pub(super) struct InDict<'a> {
    pub(super) dict: Obj<'a>,
    pub(super) record: &'a Record,
    pub(super) py: &'a Attached,
}

impl<'a> Source<'a> for InDict<'a> {
    #[inline(always)]
    fn value(self, index: usize, _: Seat) -> Option<Obj<'a>> {
        let name = self.record.names.get(index)?.get();
        dict::text_value(self.dict, name, index, self.py).flatten()
    }

    #[inline(always)]
    fn usual(self, index: impl FnOnce() -> usize, seat: Seat) -> Option<Obj<'a>> {
        self.value(index(), seat)
    }
}

/// Writes the fields from `index` on.
pub(super) struct Fields<'a, 'b, S, F, B: Buffer> {
    pub(super) record: &'a Record,
    pub(super) source: S,
    pub(super) fields: &'a [Field],
    pub(super) index: usize,
    pub(super) out: Out<'b, B>,
    /// Open containers, itself included.
    pub(super) depth: usize,
    pub(super) py: &'a Attached,
    pub(super) format: PhantomData<F>,
}

impl<'a, 'b, S: Source<'a>, F: Format, B: Buffer> Task for Fields<'a, 'b, S, F, B> {
    /// The next field, and why it stopped there.
    type Output = Result<(Out<'b, B>, usize, Stop<'a>), Raised>;

    #[inline(always)]
    fn run<V: Vector>(self) -> Self::Output {
        let Self { record, source, fields, index, mut out, depth, py, .. } = self;
        let mut rest = fields.get(index..).unwrap_or(&[]);
        loop {
            let [field, after @ ..] = rest else {
                return Ok((out, fields.len().max(index), Stop::End));
            };
            let value = if field.is_plain {
                let Some(value) = source.usual(|| fields.len() - rest.len(), field.seat) else {
                    unlikely();
                    return Ok((out, fields.len() - rest.len(), Stop::Ask));
                };
                F::before(&mut out, depth)?;
                field.write(&mut out)?;
                value
            } else {
                unlikely();
                let index = fields.len() - rest.len();
                match unusual(record, source, field.seat, index, py) {
                    Unusual::Ask => return Ok((out, index, Stop::Ask)),
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
            if !scalar::<V, B, true>(&mut out, value, field.mask)? {
                return Ok((out, fields.len() - rest.len(), Stop::Value(value)));
            }
        }
    }
}

/// Marks a path that is not taken often.
#[cold]
fn unlikely() {}

/// What to do with a field that is not plain.
enum Unusual<'a> {
    Ask,
    Omit,
    Value(Obj<'a>, &'a Label),
}

#[inline(never)]
fn unusual<'a, S: Source<'a>>(
    record: &'a Record,
    source: S,
    seat: Seat,
    index: usize,
    py: &Attached,
) -> Unusual<'a> {
    let Some(more) = record.more.get(index) else { return Unusual::Ask };
    let Some(value) = source.value(index, seat) else { return Unusual::Ask };
    match omits(more, value, py) {
        Some(false) => Unusual::Value(value, &more.label),
        Some(true) => Unusual::Omit,
        None => Unusual::Ask,
    }
}

/// Whether a field is left out; `None` if that has to be asked for.
fn omits(more: &More, value: Obj<'_>, py: &Attached) -> Option<bool> {
    match &more.omit {
        Omit::Never | Omit::IfAbsent => Some(false),
        Omit::IfNone | Omit::IfAbsentOrNone => Some(types::is_none(value)),
        Omit::IfEqualOrNone(_) if types::is_none(value) => Some(true),
        Omit::IfEqual(default) | Omit::IfEqualOrNone(default) => {
            let default = default.get();
            if default == value {
                return Some(true);
            }
            if types::is_scalar(default) && types::is_scalar(value) {
                return Some(call::equal_scalars(py, default, value));
            }
            let size = |object| {
                if types::is_exact_dict(object) {
                    return Some((0, dict::size(object) as usize));
                }
                let is_list = types::is_exact_list(object);
                is_list.then(|| (1, list::items(object, py).len()))
            };
            match (size(default), size(value)) {
                (Some((one, 0)), Some((other, size))) => Some(one == other && size == 0),
                (Some(_), None) if types::is_scalar(value) => Some(false),
                (None, Some(_)) if types::is_scalar(default) => Some(false),
                _ => None,
            }
        }
    }
}
