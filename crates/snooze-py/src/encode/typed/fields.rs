//! The values of a record's fields: where they are, and which of them are left out.

use crate::encode::rendered::Rendered;
use crate::encode::typed::plan::{FieldPlan, Omit, Record};
use crate::py::instance::{FieldOffset, InstanceMemory};
use crate::py::{Attached, Obj, call, dict, list, singletons, types};

/// Where the values are.
pub(super) trait Source<'a>: Copy {
    /// The value of a field; `None` if it has to be asked for.
    fn value(self, index: usize, offset: FieldOffset) -> Option<Obj<'a>>;

    /// The same of a plain field.
    fn primary(self, index: impl FnOnce() -> usize, offset: FieldOffset) -> Option<Obj<'a>>;
}

impl<'a> Source<'a> for InstanceMemory<'a> {
    #[inline(always)]
    fn value(self, _: usize, offset: FieldOffset) -> Option<Obj<'a>> {
        InstanceMemory::value(self, offset)
    }

    #[inline(always)]
    fn primary(self, _: impl FnOnce() -> usize, offset: FieldOffset) -> Option<Obj<'a>> {
        InstanceMemory::primary(self, offset)
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
    fn value(self, index: usize, _: FieldOffset) -> Option<Obj<'a>> {
        let name = self.record.names.get(index)?.get();
        dict::str_value(self.dict, name, index, self.py).flatten()
    }

    #[inline(always)]
    fn primary(self, index: impl FnOnce() -> usize, offset: FieldOffset) -> Option<Obj<'a>> {
        self.value(index(), offset)
    }
}

/// What to do with a field that is not plain.
pub(super) enum Unusual<'a> {
    Ask,
    Omit,
    Value(Obj<'a>, &'a Rendered),
}

#[inline(never)]
pub(super) fn unusual<'a, S: Source<'a>>(
    record: &'a Record,
    source: S,
    offset: FieldOffset,
    index: usize,
    py: &Attached,
) -> Unusual<'a> {
    let Some(fields) = record.fields.get(index) else { return Unusual::Ask };
    let Some(value) = source.value(index, offset) else { return Unusual::Ask };
    match omits(fields, value, py) {
        Some(false) => Unusual::Value(value, &fields.prefix),
        Some(true) => Unusual::Omit,
        None => Unusual::Ask,
    }
}

/// Whether a field is left out; `None` if that has to be asked for.
fn omits(fields: &FieldPlan, value: Obj<'_>, py: &Attached) -> Option<bool> {
    match &fields.omit {
        Omit::Never | Omit::IfAbsent => Some(false),
        Omit::IfNone | Omit::IfAbsentOrNone => Some(singletons::is_none(value)),
        Omit::IfEqualOrNone(_) if singletons::is_none(value) => Some(true),
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
