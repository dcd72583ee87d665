//! What `dumps` knows of a dataclass: its fields, and where instances keep them.
//!
//! Separate from `untyped::dataclass`, which writes instances: the cache of types keeps this, and frames
//! refer to it. Invariant: valid while the version tag of the class and the size of
//! `__dataclass_fields__` are those it was made for.

use crate::encode::key_text::is_private;
use crate::encode::rendered::{Rendered, render_member_name};
use crate::encode::utf8::append_text;
use crate::py::instance::{Attributes, Slot};
use crate::py::{Attached, Obj, Owned, Raised, call, dict, error, instance, types};
use crate::runtime::Runtime;

/// A dataclass, ready to be written.
#[derive(Debug)]
pub(crate) struct Dataclass {
    /// The fields, in the order of the class.
    pub(super) fields: Vec<Field>,
    /// Their attributes' names.
    pub(super) names: Vec<Owned>,
    /// How many of them are public.
    pub(super) public_count: usize,
    /// The class has `__slots__` of its own.
    pub(super) declares_slots: bool,
    /// Instances keep their attributes where [`Attributes`] sees them.
    pub(super) is_plain: bool,
    /// `__dataclass_fields__`, and how many entries it had.
    declared_fields: Owned,
    declared_count: isize,
}

/// A field of a dataclass.
#[derive(Debug)]
pub(crate) struct Field {
    /// `"name":` with escapes; empty if the field is private.
    pub(super) prefix: Rendered,
    /// Where the value is, if the class has a slot for it.
    pub(super) slot: Option<Slot>,
    /// The name as UTF-8.
    pub(super) utf8_name: Vec<u8>,
}

/// Where the values of a record are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ValueSource {
    /// In slots, or where asking for the attribute finds them.
    SlotOrLookup,
    /// All fields and nothing else are in the instance, in order.
    AttributesInOrder,
}

impl Field {
    /// Whether it is left out: its name begins with an underscore.
    #[inline(always)]
    pub(super) fn is_private(&self) -> bool {
        self.prefix.is_empty()
    }

    /// The field with that name as UTF-8; a private one without.
    fn new(runtime: &Runtime, utf8_name: Vec<u8>, slot: Option<Slot>) -> Result<Self, Raised> {
        let prefix = match utf8_name.is_empty() {
            true => Rendered::new(&[])?,
            false => Rendered::new(&render_member_name(runtime.dispatch, &utf8_name)?)?,
        };
        Ok(Self { prefix, slot, utf8_name })
    }
}

impl Dataclass {
    /// Reads `__dataclass_fields__` and the class's dict.
    pub(crate) fn new(
        runtime: &Runtime,
        py: &mut Attached,
        object: &Owned,
        members: &Owned,
        declared_fields: Owned,
    ) -> Result<Self, Raised> {
        let names = &runtime.names;
        let declares_slots = dict::get(py, members, &names.slots)?.is_some();
        let marker = match call::imported_module(py, &names.dataclasses)? {
            Some(module) => call::optional_attribute(py, &module, &names.field)?,
            None => None,
        };
        let declared_count = dict::size(declared_fields.get());
        let (mut fields, mut keys, mut public_count) = (Vec::new(), Vec::new(), 0);
        for (name, field) in dict::entries(py, declared_fields.get())? {
            if !types::is_exact_str(name.get()) {
                continue;
            }
            // ClassVar and InitVar have other markers.
            let kind = call::optional_attribute(py, &field, &names.field_type)?;
            if let (Some(kind), Some(marker)) = (&kind, &marker)
                && kind.as_ptr() != marker.as_ptr()
            {
                continue;
            }
            let (mut utf8_name, mut slot) = (Vec::new(), None);
            if !is_private::<false>(name.get())? {
                append_text(name.get(), &mut utf8_name)?;
                slot = instance::slot(py, object, &name)?;
                public_count += 1;
            }
            fields.try_reserve(1).map_err(|_| error::no_memory())?;
            keys.try_reserve(1).map_err(|_| error::no_memory())?;
            fields.push(Field::new(runtime, utf8_name, slot)?);
            keys.push(name);
        }
        let is_plain = runtime.sees_attributes
            && !declares_slots
            && match call::optional_attribute(py, object, &names.dict)? {
                Some(attributes) => instance::is_plain(py, object, &attributes, &names.dict)?,
                None => false,
            };
        Ok(Self {
            fields,
            names: keys,
            public_count,
            declares_slots,
            is_plain,
            declared_fields,
            declared_count,
        })
    }

    /// Whether `__dataclass_fields__` has as many entries as it had. The version tag of the class
    /// does not change with them.
    #[inline(always)]
    pub(crate) fn is_current(&self) -> bool {
        dict::size(self.declared_fields.get()) == self.declared_count
    }

    /// The public fields.
    pub(crate) fn public_fields(&self) -> impl Iterator<Item = (&Owned, &Field)> {
        self.names.iter().zip(&self.fields).filter(|(_, field)| !field.is_private())
    }

    /// Where the values are of the instances for which [`Dataclass::borrowed_source`] gives an answer.
    #[inline(always)]
    pub(crate) fn source(&self) -> ValueSource {
        if self.declares_slots { ValueSource::SlotOrLookup } else { ValueSource::AttributesInOrder }
    }

    /// The names of the fields from `index` on.
    #[inline(always)]
    pub(crate) fn names_from(&self, index: usize) -> &[Option<Obj<'_>>] {
        Owned::get_all(self.names.get(index..).unwrap_or(&[]))
    }

    /// The index from which on the fields have these names, which [`Dataclass::names`] gave.
    #[inline(always)]
    pub(crate) fn index_of(&self, names: &[Option<Obj<'_>>]) -> usize {
        self.names.len() - names.len()
    }

    /// Where the values of an instance are, if it is one of those that need no closer look.
    #[inline(always)]
    pub(crate) fn borrowed_source(&self, object: Obj<'_>, py: &Attached) -> Option<ValueSource> {
        if self.public_count == 0 {
            return None;
        }
        if self.declares_slots {
            return Some(self.source());
        }
        if !self.is_plain {
            return None;
        }
        let attributes = Attributes::of(object, py)?;
        attributes.has_names(&self.names).then_some(self.source())
    }
}
