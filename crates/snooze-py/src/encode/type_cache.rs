//! A cache of facts about types: what their instances are and how to write them.
//!
//! Finding out whether a type is an enum or a dataclass takes several dict lookups, and the answer
//! is the same for every instance. Invariants: an entry is used only while the type's address,
//! metatype and version tag are unchanged (see [`TypeKey`]); the table has a fixed size, and a
//! colliding entry replaces the old one. A cache belongs to one call at a time (see `pool`). Used
//! through `context`, and directly by the borrowed walks.

use crate::encode::dataclass::Dataclass;
use crate::py::dict::OwnedDict;
use crate::py::instance::Slot;
use crate::py::rc::Rc;
use crate::py::types::{Base, TypeKey};
use crate::py::{Attached, Obj, Owned, Raised, call, dict, error, instance, types};
use crate::runtime::Runtime;

/// Entries of each table.
const ENTRIES: usize = 128;

/// What the instances of a type are; the options of a call decide what happens to them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Class {
    /// The built-in type that the type derives from.
    pub(crate) base: Option<Base>,
    /// The type is exactly `uuid.UUID`.
    pub(crate) is_uuid: bool,
    /// The slot in which a `uuid.UUID` keeps its number.
    pub(crate) uuid_number: Option<Slot>,
    /// The type is an enum: its metatype is exactly `enum.EnumMeta`.
    pub(crate) is_enum: bool,
    /// The enum inherits `value` from `enum.Enum`, which returns `_value_`.
    pub(crate) has_standard_value: bool,
    /// In addition, [`instance`] can read `_value_` without Python code.
    pub(crate) has_readable_value: bool,
    /// The type itself is decorated as a dataclass; inheriting from one does not count.
    pub(crate) dataclass: Option<Rc<Dataclass>>,
}

impl Class {
    /// Whether instances are of no special kind.
    #[inline(always)]
    pub(super) fn is_unknown(&self) -> bool {
        self.base.is_none() && !self.is_uuid && !self.is_enum && self.dataclass.is_none()
    }

    /// Whether the facts that the version tag does not cover are unchanged.
    #[inline(always)]
    fn is_current(&self) -> bool {
        self.dataclass.as_ref().is_none_or(|dataclass| dataclass.is_current())
    }
}

/// How to get the offset from a tzinfo.
#[derive(Clone, Debug, Default)]
pub(crate) struct ZoneMethods {
    /// It has a `dst` method, as every tzinfo should.
    pub(crate) has_dst: bool,
    /// It has a `normalize` method, as pytz zones do: the offset depends on it.
    pub(crate) normalizes: bool,
    /// Its `utcoffset`, not bound, if that is C code that can be called without another lookup.
    pub(crate) method: Option<Owned>,
}

/// The tables of known types.
#[derive(Debug, Default)]
pub(crate) struct TypeCache {
    classes: Vec<Option<(TypeKey, Class)>>,
    zones: Vec<Option<(TypeKey, ZoneMethods)>>,
}

impl TypeCache {
    /// Returns what is known of the object's type. May run Python code.
    pub(crate) fn class(
        &mut self,
        runtime: &Runtime,
        py: &mut Attached,
        object: &Owned,
    ) -> Result<Class, Raised> {
        let current = Class::is_current;
        cached(&mut self.classes, py, object, current, |py| classify(runtime, py, object))
    }

    /// Returns what is known of the object's type, if it is in the cache.
    #[inline(always)]
    pub(crate) fn known(&self, object: Obj<'_>) -> Option<&Class> {
        let key = TypeKey::of(object)?;
        match self.classes.get(key.slot(ENTRIES)) {
            Some(Some((known, class))) if *known == key && class.is_current() => Some(class),
            _ => None,
        }
    }

    /// Returns how to get offsets from the object, a tzinfo. May run Python code.
    pub(crate) fn zone(
        &mut self,
        runtime: &Runtime,
        py: &mut Attached,
        object: &Owned,
    ) -> Result<ZoneMethods, Raised> {
        cached(
            &mut self.zones,
            py,
            object,
            |_| true,
            |py| {
                let names = &runtime.names;
                let has_dst = call::optional_attribute(py, object, &names.dst)?.is_some();
                let normalizes = call::optional_attribute(py, object, &names.normalize)?.is_some();
                let method = match normalizes {
                    false => instance::method(py, object, &names.utcoffset)?,
                    true => None,
                };
                Ok(ZoneMethods { has_dst, normalizes, method })
            },
        )
    }
}

/// Returns the cached value for the object's type, or calls `look_up` and caches the result.
fn cached<T: Clone>(
    table: &mut Vec<Option<(TypeKey, T)>>,
    py: &mut Attached,
    object: &Owned,
    is_current: impl Fn(&T) -> bool,
    look_up: impl FnOnce(&mut Attached) -> Result<T, Raised>,
) -> Result<T, Raised> {
    if table.is_empty() {
        table.try_reserve_exact(ENTRIES).map_err(|_| error::no_memory())?;
        table.resize_with(ENTRIES, || None);
    }
    if let Some(key) = TypeKey::of(object.get())
        && let Some((known, value)) = &table[key.slot(ENTRIES)]
        && *known == key
        && is_current(value)
    {
        return Ok(value.clone());
    }
    // A lookup may change the type or the object's `__class__`, so the result is cached only if the
    // key is the same before and after. A type gets its version tag at its first lookup and is
    // cached the next time.
    let key_before = TypeKey::of(object.get());
    let value = look_up(py)?;
    if let Some(key) = key_before
        && TypeKey::of(object.get()) == key_before
    {
        table[key.slot(ENTRIES)] = Some((key, value.clone()));
    }
    Ok(value)
}

/// Finds out what the instances of the object's type are.
fn classify(runtime: &Runtime, py: &mut Attached, object: &Owned) -> Result<Class, Raised> {
    let tp = object.get().type_obj().to_owned();
    let is_uuid = runtime.uuid(py)?.is_some_and(|uuid| uuid.as_ptr() == tp.as_ptr());
    let uuid_number = if is_uuid { instance::slot(py, object, &runtime.names.int)? } else { None };
    let enums = runtime.enums(py)?;
    let enums = enums.filter(|known| tp.get().type_obj().as_ptr() == known.meta.as_ptr());
    let is_enum = enums.is_some();
    let has_standard_value = is_enum
        && instance::is_ordinary(object.get())
        && instance::of_type(py, object, &runtime.names.value)?
            .is_some_and(|found| enums.is_some_and(|known| found.as_ptr() == known.value.as_ptr()));
    let has_readable_value = has_standard_value
        && runtime.sees_attributes
        && instance::of_type(py, object, &runtime.names.own_value)?.is_none()
        && match call::optional_attribute(py, object, &runtime.names.dict)? {
            Some(attributes) => instance::is_plain(py, object, &attributes, &runtime.names.dict)?,
            None => false,
        };
    let dataclass = match call::type_dict(object) {
        Some(members) => {
            let declared = dict::get(py, members.get(), &runtime.names.dataclass_fields)?;
            match declared.and_then(OwnedDict::exact) {
                Some(fields) => {
                    Some(Rc::new(Dataclass::new(runtime, py, object, members.get(), fields)?)?)
                }
                None => None,
            }
        }
        None => None,
    };
    let base = types::base(object.get());
    Ok(Class {
        base,
        is_uuid,
        uuid_number,
        is_enum,
        has_standard_value,
        has_readable_value,
        dataclass,
    })
}
