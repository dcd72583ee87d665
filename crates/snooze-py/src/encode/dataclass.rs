//! What is known of a dataclass: its fields, and where its instances keep the values.
//!
//! Separate from `untyped::dataclass`, which writes instances, because `type_cache` keeps it and
//! frames share it. Invariant: valid while the class has the same version tag and
//! `__dataclass_fields__` has the same size. Used by `classify`, `dataclass_instance`,
//! `untyped::borrowed`, `untyped::borrowed_frame` and `untyped::dataclass`.

use crate::encode::key_text::is_private;
use crate::encode::rendered::{Rendered, render_member_name};
use crate::encode::utf8::append_text;
use crate::py::dict::{Dict, OwnedDict};
use crate::py::instance::{Attributes, Slot};
use crate::py::unicode::{self, OwnedStr};
use crate::py::{Attached, Obj, Owned, Raised, call, dict, error, instance};
use crate::runtime::Runtime;

/// A dataclass with rendered member names.
#[derive(Debug)]
pub(crate) struct Dataclass {
    /// The fields in the order of the class.
    pub(super) fields: Vec<Field>,
    /// The attribute names of the fields.
    pub(super) names: Vec<Owned>,
    /// The number of public fields.
    pub(super) public_count: usize,
    /// The class itself defines `__slots__`.
    pub(super) declares_slots: bool,
    /// [`Attributes`] can read the attributes of instances without Python code.
    pub(super) is_plain: bool,
    /// `__dataclass_fields__`, and the number of its entries when it was read.
    declared_fields: OwnedDict,
    declared_count: isize,
}

/// A field of a dataclass.
#[derive(Debug)]
pub(crate) struct Field {
    /// `"name":` with escapes; empty if the field is private.
    pub(super) prefix: Rendered,
    /// The slot of the value, if the class has one.
    pub(super) slot: Option<Slot>,
    /// The name as UTF-8; empty if the field is private.
    pub(super) utf8_name: Vec<u8>,
}

/// Where an instance keeps the values of its fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ValueSource {
    /// Each field in its slot, or found by an attribute lookup.
    SlotOrLookup,
    /// The instance has exactly the fields as attributes, in order.
    AttributesInOrder,
}

impl Field {
    /// Whether the field is left out because its name begins with an underscore.
    #[inline(always)]
    pub(super) fn is_private(&self) -> bool {
        self.prefix.is_empty()
    }

    /// Makes a field; private fields pass an empty name.
    fn new(runtime: &Runtime, utf8_name: Vec<u8>, slot: Option<Slot>) -> Result<Self, Raised> {
        let prefix = match utf8_name.is_empty() {
            true => Rendered::new(&[])?,
            false => Rendered::new(&render_member_name(runtime.dispatch, &utf8_name)?)?,
        };
        Ok(Self { prefix, slot, utf8_name })
    }
}

impl Dataclass {
    /// Reads `__dataclass_fields__` and the dict of the class.
    pub(crate) fn new(
        runtime: &Runtime,
        py: &mut Attached,
        object: &Owned,
        members: Dict<'_>,
        declared_fields: OwnedDict,
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
            let Some(name) = OwnedStr::exact(name) else { continue };
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
                slot = instance::slot(py, object, name.as_owned())?;
                public_count += 1;
            }
            fields.try_reserve(1).map_err(|_| error::no_memory())?;
            keys.try_reserve(1).map_err(|_| error::no_memory())?;
            fields.push(Field::new(runtime, utf8_name, slot)?);
            // Attributes are stored under interned names, which names made at run time are not.
            keys.push(unicode::interned(name.get()));
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

    /// Whether `__dataclass_fields__` still has the same number of entries. A change there does not
    /// change the version tag of the class.
    #[inline(always)]
    pub(crate) fn is_current(&self) -> bool {
        dict::size(self.declared_fields.get()) == self.declared_count
    }

    /// The public fields with their attribute names.
    pub(crate) fn public_fields(&self) -> impl Iterator<Item = (&Owned, &Field)> {
        self.names.iter().zip(&self.fields).filter(|(_, field)| !field.is_private())
    }

    /// Where the values are in instances for which [`Dataclass::borrowed_source`] returns a source.
    #[inline(always)]
    pub(crate) fn source(&self) -> ValueSource {
        if self.declares_slots { ValueSource::SlotOrLookup } else { ValueSource::AttributesInOrder }
    }

    /// Returns the names of the fields from `index` on.
    #[inline(always)]
    pub(crate) fn names_from(&self, index: usize) -> &[Option<Obj<'_>>] {
        Owned::get_all(self.names.get(index..).unwrap_or(&[]))
    }

    /// Returns the index of the first of these names, which [`Dataclass::names_from`] returned.
    #[inline(always)]
    pub(crate) fn index_of(&self, names: &[Option<Obj<'_>>]) -> usize {
        self.names.len() - names.len()
    }

    /// Returns where the values of an instance are, or `None` if only `dataclass_instance` can
    /// tell.
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
