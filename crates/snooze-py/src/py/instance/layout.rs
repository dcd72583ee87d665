//! Where the instances of a class keep the values of some attributes: offsets, found once.
//!
//! A slot is at an offset from the instance; an attribute of an ordinary instance is at an offset
//! in its array of values, which has the order of the names that all instances of the class
//! share, whatever the order in which they were set. So both are read by one load. Separate from
//! `instance`, which shows the attributes of an instance in the order in which they were set.
//! Invariant: a [`Layout`] is used only for instances whose type has the version tag that it was
//! found for, and reads what the interpreter would find, or nothing.

use pyo3_ffi::*;

use crate::py::instance::{read, slot};
use crate::py::{Attached, Obj, Owned, Raised, call, compat};

/// Where one value is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FieldOffset {
    offset: u32,
    base: Base,
}

/// From where the offset counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Base {
    /// From where most of the layout's do.
    Primary,
    /// From the other one.
    Secondary,
    /// It has to be asked for.
    Unknown,
}

/// How the instances of a class keep some attributes.
#[derive(Debug, Default)]
pub(crate) struct Layout {
    /// The version tag of the class; zero if nothing is known.
    version: u32,
    /// Most are in the array of values.
    in_values: bool,
    has_values: bool,
    /// Some have to be asked for, perhaps because no instance has had them yet.
    is_partial: bool,
}

/// The memory of an instance that seats are in: the instance and its array of values.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InstanceMemory<'a> {
    primary: *const u8,
    secondary: *const u8,
    _py: &'a Attached,
}

impl Layout {
    /// What is known of the class of an object, and the seats of the attributes of these names, which are
    /// interned. `harmless` is an attribute that is harmless to ask for.
    pub(crate) fn find(
        py: &mut Attached,
        object: &Owned,
        names: &[Owned],
        sees_attributes: bool,
        harmless: &Owned,
    ) -> Result<(Self, Vec<FieldOffset>), Raised> {
        let tp = object.get().type_ptr();
        if compat::FREE_THREADED || !slot::is_ordinary(object.get()) {
            return Ok(Default::default());
        }
        // SAFETY: a live type.
        if unsafe { compat::version_tag(tp) } == 0 {
            // A type gets its tag when something is looked up in it.
            call::optional_attribute(py, object, harmless)?;
        }
        // SAFETY: a live type.
        let version = unsafe { compat::version_tag(tp) };
        let mut fields = Vec::new();
        fields.try_reserve_exact(names.len()).map_err(|_| crate::py::error::no_memory())?;
        let (mut values, mut slots) = (0, 0);
        for name in names {
            // Of the instance: usual; of its values: other; until it is known which are more.
            let mut field = FieldOffset { offset: 0, base: Base::Unknown };
            if let Some(slot) = slot::slot(py, object, name)? {
                field = FieldOffset { offset: slot.offset() as u32, base: Base::Primary };
                slots += 1;
            } else if sees_attributes
                && !slot::of_type(py, object, name)?.is_some_and(|found| slot::is_data(found.get()))
                && let Some(place) = read::shared_place(object.get(), name.get())
            {
                field = FieldOffset {
                    offset: (place * size_of::<usize>()) as u32,
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
        // SAFETY: the object keeps its type alive, which is compared with what it was.
        let same = object.get().type_ptr() == tp && unsafe { compat::version_tag(tp) } == version;
        if !same {
            return Ok(Default::default());
        }
        let is_partial = values + slots < names.len();
        Ok((Self { version, in_values, has_values, is_partial }, fields))
    }

    /// Whether it does not hold for the type of an object as that is now.
    pub(crate) fn is_of_other(&self, object: Obj<'_>) -> bool {
        // SAFETY: a live type.
        let version = unsafe { compat::version_tag(object.type_ptr()) };
        self.version == 0 || version != self.version || self.is_partial
    }

    /// The memory of an instance of that class; `None` if the class has changed, or if the
    /// instance keeps its attributes in another way.
    #[inline(always)]
    pub(crate) fn memory<'a>(
        &self,
        object: Obj<'a>,
        py: &'a Attached,
    ) -> Option<InstanceMemory<'a>> {
        // SAFETY: a live type. A version tag belongs to one type, so this is the class for which
        // the layout was found, as it was then.
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
    /// The items of a tuple, as the memory for [`FieldOffset::of_item`]; `None` if there are fewer.
    #[inline(always)]
    pub(crate) fn of_tuple(tuple: Obj<'a>, count: usize, py: &'a Attached) -> Option<Self> {
        if crate::py::tuple::len(tuple) < count {
            return None;
        }
        let start = tuple.as_ptr().cast_const().cast();
        Some(Self { primary: start, secondary: start, _py: py })
    }

    /// The value at a seat of the layout that gave this; `None` if it has to be asked for.
    #[inline(always)]
    pub(crate) fn value(self, field: FieldOffset) -> Option<Obj<'a>> {
        match field.base {
            Base::Primary => self.primary(field),
            Base::Secondary => Self { primary: self.secondary, ..self }.primary(field),
            Base::Unknown => None,
        }
    }

    /// The same for a seat that [`FieldOffset::is_primary`].
    #[inline(always)]
    pub(crate) fn primary(self, field: FieldOffset) -> Option<Obj<'a>> {
        let base = self.primary;
        // SAFETY: the layout found that instances of the class have an object or null there, and
        // nobody changes it while the witness is borrowed.
        unsafe {
            Obj::from_ptr(base.byte_add(field.offset as usize).cast::<*mut PyObject>().read())
        }
    }
}

impl FieldOffset {
    /// Whether it is where most of its layout are.
    pub(crate) fn is_primary(self) -> bool {
        self.base == Base::Primary
    }

    /// Of an item of a tuple.
    pub(crate) fn of_item(index: usize) -> Self {
        let first = core::mem::offset_of!(PyTupleObject, ob_item);
        Self { offset: (first + index * size_of::<usize>()) as u32, base: Base::Primary }
    }
}
