//! Offsets of attributes in the instances of a class, found once and read by one load.
//!
//! A slot is at a fixed offset from the instance. Any other attribute of an ordinary instance is at
//! a fixed offset in the instance's array of values, which has the order of the class's shared
//! keys, in whatever order the attributes were set. Separate from `read`, which reads the
//! attributes in the order in which they were set. Invariant: a [`Layout`] is used only for
//! instances whose type still has the layout's version tag, and returns the value that the
//! interpreter would find, or nothing. Called by encoding.

use pyo3_ffi::*;

use crate::py::instance::read::Attributes;
use crate::py::instance::{read, slot};
use crate::py::tuple::Tuple;
use crate::py::{Attached, Obj, Owned, Raised, call, compat, tuple};

/// The most attributes that instances of a class have in arrays of values, by the shared keys of
/// CPython 3.11 to 3.15.
const SHARED_NAMES: usize = 29;

/// The offset of one value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FieldOffset {
    /// In bytes.
    offset: u32,
    base: Base,
}

/// The memory to which an offset applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Base {
    /// The one with most fields of the layout: the instance or its array of values.
    Primary,
    /// The other one.
    Secondary,
    /// No offset: the attribute must be looked up by name.
    Unknown,
}

/// How the instances of a class store some attributes.
#[derive(Debug, Default)]
pub(crate) struct Layout {
    /// The version tag of the class; zero if nothing is known.
    version: u32,
    /// Whether the array of values is the primary base.
    in_values: bool,
    /// Whether any attribute is in the array of values.
    has_values: bool,
    /// Whether some attributes have no offset, perhaps because no instance has had them yet.
    is_partial: bool,
    /// Whether every attribute may be read from the instance's dict: none is in a slot, and none is
    /// a data descriptor of the class.
    by_name: bool,
}

/// The memory to which a layout's offsets apply: an instance and its array of values.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InstanceMemory<'a> {
    primary: *const u8,
    secondary: *const u8,
    _py: &'a Attached,
}

impl Layout {
    /// Finds the layout of an object's class and the offsets of attributes by their interned names.
    ///
    /// `harmless` is an attribute whose look-up has no side effects.
    pub(crate) fn find(
        py: &mut Attached,
        object: &Owned,
        names: &[Owned],
        sees_attributes: bool,
        harmless: &Owned,
    ) -> Result<(Self, Vec<FieldOffset>), Raised> {
        if compat::FREE_THREADED || !slot::is_ordinary(object.get()) {
            return Ok(Default::default());
        }
        // SAFETY: a live type, because a live object keeps its type.
        if unsafe { compat::version_tag(object.get().type_ptr()) } == 0 {
            // A look-up gives the type a version tag. It may also run a property of the class, and
            // that may give the object another class: so the type is read after it.
            call::optional_attribute(py, object, harmless)?;
            if !slot::is_ordinary(object.get()) {
                return Ok(Default::default());
            }
        }
        let tp = object.get().type_ptr();
        // SAFETY: a live type, because a live object keeps its type.
        let version = unsafe { compat::version_tag(tp) };
        let mut fields = Vec::new();
        fields.try_reserve_exact(names.len()).map_err(|_| crate::py::error::no_memory())?;
        let (mut values, mut slots) = (0, 0);
        let mut by_name = sees_attributes && read::is_managed(object.get());
        for name in names {
            // The instance is the primary base until it is known which base has more fields.
            let mut field = FieldOffset { offset: 0, base: Base::Unknown };
            if let Some(slot) = slot::slot(py, object, name)? {
                field = FieldOffset { offset: slot.offset() as u32, base: Base::Primary };
                slots += 1;
                by_name = false;
            } else if !sees_attributes
                || slot::of_type(py, object, name)?.is_some_and(|found| slot::is_data(found.get()))
            {
                by_name = false;
            } else if let Some(index) = read::shared_index(object.get(), name.get()) {
                field = FieldOffset {
                    offset: (index * size_of::<usize>()) as u32,
                    base: Base::Secondary,
                };
                values += 1;
            }
            fields.push(field);
        }
        let (has_values, in_values) = (values > 0, values > slots);
        if in_values {
            for field in &mut fields {
                field.base = match field.base {
                    Base::Primary => Base::Secondary,
                    Base::Secondary => Base::Primary,
                    Base::Unknown => Base::Unknown,
                };
            }
        }
        // SAFETY: a live type, because it is compared with the object's type first.
        let same = object.get().type_ptr() == tp && unsafe { compat::version_tag(tp) } == version;
        if !same {
            return Ok(Default::default());
        }
        // PERF: the shared keys of a class have no room for more, so its instances keep their
        // attributes in dicts. Finding the layout again for each of them took 95 ns a field, where
        // reading the dict takes 6 (2026-11-23).
        let overflows = by_name && names.len() > SHARED_NAMES;
        let is_partial = values + slots < names.len() && !overflows;
        Ok((Self { version, in_values, has_values, is_partial, by_name }, fields))
    }

    /// Whether the layout of the object's current type must be found again.
    pub(crate) fn is_of_other(&self, object: Obj<'_>) -> bool {
        // SAFETY: a live type, because a live object keeps its type.
        let version = unsafe { compat::version_tag(object.type_ptr()) };
        self.version == 0 || version != self.version || self.is_partial
    }

    /// The attributes of an instance, in the order in which they were set; `None` as for
    /// [`Layout::memory`], or if some attributes are not in the instance's dict.
    pub(crate) fn attributes<'a>(
        &self,
        object: Obj<'a>,
        py: &'a Attached,
    ) -> Option<Attributes<'a>> {
        // Tag zero belongs to many types, so it is no proof.
        if !self.by_name || self.version == 0 {
            return None;
        }
        // SAFETY: as in `memory`. The type is managed, because `find` has checked the type of this
        // tag.
        if unsafe { compat::version_tag(object.type_ptr()) } != self.version {
            return None;
        }
        Attributes::of(object, py)
    }

    /// The memory of an instance; `None` if its class is another one or has changed, or if the
    /// instance stores its attributes in another way.
    #[inline(always)]
    pub(crate) fn memory<'a>(
        &self,
        object: Obj<'a>,
        py: &'a Attached,
    ) -> Option<InstanceMemory<'a>> {
        // SAFETY: a live type, because a live object keeps its type. An equal tag means that the
        // layout still applies: an interpreter never gives a tag twice, a type loses its tag when
        // it or a base changes, and `find` compared the tag before and after it looked.
        if self.version == 0 || unsafe { compat::version_tag(object.type_ptr()) } != self.version {
            return None;
        }
        let instance = object.as_ptr().cast_const().cast();
        if !self.has_values {
            return Some(InstanceMemory { primary: instance, secondary: instance, _py: py });
        }
        let values = read::shared_values(object, py)?;
        let (primary, secondary) =
            if self.in_values { (values, instance) } else { (instance, values) };
        Some(InstanceMemory { primary, secondary, _py: py })
    }
}

impl<'a> InstanceMemory<'a> {
    /// The memory of a tuple for [`FieldOffset::of_item`]; `None` if it has fewer than `count`
    /// items.
    #[inline(always)]
    pub(crate) fn of_tuple(tuple: Tuple<'a>, count: usize, py: &'a Attached) -> Option<Self> {
        if tuple::len(tuple) < count {
            return None;
        }
        let start = tuple.obj().as_ptr().cast_const().cast();
        Some(Self { primary: start, secondary: start, _py: py })
    }

    /// The value at an offset of the same layout; `None` if it must be looked up by name.
    #[inline(always)]
    pub(crate) fn value(self, field: FieldOffset) -> Option<Obj<'a>> {
        match field.base {
            Base::Primary => self.primary(field),
            Base::Secondary => Self { primary: self.secondary, ..self }.primary(field),
            Base::Unknown => None,
        }
    }

    /// The value at an offset that [`FieldOffset::is_primary`]; `None` if it must be looked up by
    /// name.
    #[inline(always)]
    pub(crate) fn primary(self, field: FieldOffset) -> Option<Obj<'a>> {
        let base = self.primary;
        // SAFETY: an object or null, because `Layout::find` found the offset for this class, or the
        // tuple is long enough; live for `'a`, because the witness is borrowed, so that no Python
        // code runs.
        unsafe {
            Obj::from_ptr(base.byte_add(field.offset as usize).cast::<*mut PyObject>().read())
        }
    }
}

impl FieldOffset {
    /// Whether the offset applies to the primary base.
    pub(crate) fn is_primary(self) -> bool {
        self.base == Base::Primary
    }

    /// The offset of an item of a tuple.
    pub(crate) fn of_item(index: usize) -> Self {
        let first = core::mem::offset_of!(PyTupleObject, ob_item);
        Self { offset: (first + index * size_of::<usize>()) as u32, base: Base::Primary }
    }
}
