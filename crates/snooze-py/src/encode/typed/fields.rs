//! Finds the values of a record's fields, decides which fields are omitted, and writes what comes
//! before the first one.
//!
//! Separate from `records`, whose hot loop handles plain fields itself. Invariant: no Python code
//! runs here; what would need some is left to `walk`. Called by `records` and `resume`.

use snooze_core::out::{Buffer, Out};

use crate::encode::format::Format;
use crate::encode::rendered::Rendered;
use crate::encode::typed::plan::{FieldPlan, Omit, Record};
use crate::py::dict::Dict;
use crate::py::instance::{Attributes, FieldOffset, InstanceMemory};
use crate::py::list::FrozenList;
use crate::py::{Attached, Obj, Raised, call, dict, list, singletons, types};

/// Where the values of a record are.
pub(super) trait FieldSource<'a>: Copy {
    /// Returns the value of a field; `None` if that needs Python code.
    fn value(self, index: usize, offset: FieldOffset) -> Option<Obj<'a>>;

    /// The same for a plain field, which is at a primary offset.
    fn primary(self, index: impl FnOnce() -> usize, offset: FieldOffset) -> Option<Obj<'a>>;
}

impl<'a> FieldSource<'a> for InstanceMemory<'a> {
    #[inline(always)]
    fn value(self, _: usize, offset: FieldOffset) -> Option<Obj<'a>> {
        InstanceMemory::value(self, offset)
    }

    #[inline(always)]
    fn primary(self, _: impl FnOnce() -> usize, offset: FieldOffset) -> Option<Obj<'a>> {
        InstanceMemory::primary(self, offset)
    }
}

/// An instance that keeps its attributes in a dict, usually because it has many.
#[derive(Clone, Copy)]
pub(super) struct AttributeSource<'a> {
    pub(super) attributes: Attributes<'a>,
    pub(super) record: &'a Record,
}

impl<'a> FieldSource<'a> for AttributeSource<'a> {
    #[inline(always)]
    fn value(self, index: usize, _: FieldOffset) -> Option<Obj<'a>> {
        let name = self.record.attribute_names.get(index)?.get();
        match self.attributes.get(index) {
            Some((found, value)) if found == name => Some(value),
            // The attributes were set in another order, or there are others before this one.
            _ => self.attributes.named_from(name, index + 1),
        }
    }

    #[inline(always)]
    fn primary(self, index: impl FnOnce() -> usize, offset: FieldOffset) -> Option<Obj<'a>> {
        self.value(index(), offset)
    }
}

/// A dict whose keys are the names of the fields.
#[derive(Clone, Copy)]
pub(super) struct DictSource<'a> {
    pub(super) dict: Dict<'a>,
    pub(super) record: &'a Record,
    pub(super) py: &'a Attached,
}

impl<'a> FieldSource<'a> for DictSource<'a> {
    #[inline(always)]
    fn value(self, index: usize, _: FieldOffset) -> Option<Obj<'a>> {
        let name = self.record.attribute_names.get(index)?.get();
        dict::str_value(self.dict, name, index, self.py).flatten()
    }

    #[inline(always)]
    fn primary(self, index: impl FnOnce() -> usize, offset: FieldOffset) -> Option<Obj<'a>> {
        self.value(index(), offset)
    }
}

/// Writes what comes before the first field, unless the prefix of the first field includes it.
#[inline(always)]
pub(super) fn write_opening<F: Format, B: Buffer>(
    out: &mut Out<'_, B>,
    record: &Record,
    depth: usize,
) -> Result<(), Raised> {
    if !record.opening.is_empty() {
        record.opening.write(out)?;
        if !record.leading_members.is_empty() {
            F::start_element(out, depth)?;
            record.leading_members.write(out)?;
        }
    }
    Ok(())
}

/// What to do with a field that is not plain.
pub(super) enum FieldAction<'a> {
    NeedsPython,
    Omit,
    Write(Obj<'a>, &'a Rendered),
}

/// Decides what to do with a field that is not plain.
#[inline(never)]
pub(super) fn field_action<'a, S: FieldSource<'a>>(
    record: &'a Record,
    source: S,
    offset: FieldOffset,
    index: usize,
    py: &Attached,
) -> FieldAction<'a> {
    let Some(field) = record.fields.get(index) else { return FieldAction::NeedsPython };
    let Some(value) = source.value(index, offset) else { return FieldAction::NeedsPython };
    match is_omitted(field, value, py) {
        Some(false) => FieldAction::Write(value, &field.prefix),
        Some(true) => FieldAction::Omit,
        None => FieldAction::NeedsPython,
    }
}

/// Whether a field is omitted; `None` if that needs Python code.
fn is_omitted(field: &FieldPlan, value: Obj<'_>, py: &Attached) -> Option<bool> {
    if field.unset.as_ref().is_some_and(|unset| unset.get() == value) {
        return Some(true);
    }
    match &field.omit {
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
            let kind_and_size = |object| {
                if let Some(dict) = Dict::exact(object) {
                    return Some((0, dict::size(dict) as usize));
                }
                FrozenList::exact(object).map(|list| (1, list::items(list, py).len()))
            };
            match (kind_and_size(default), kind_and_size(value)) {
                (Some((default_kind, 0)), Some((kind, size))) => {
                    Some(default_kind == kind && size == 0)
                }
                (Some(_), None) if types::is_scalar(value) => Some(false),
                (None, Some(_)) if types::is_scalar(default) => Some(false),
                _ => None,
            }
        }
    }
}

/// Marks an unlikely branch.
#[cold]
pub(super) fn unlikely() {}
