//! What is known of types: found once, kept while the type does not change.
//!
//! Deciding what an instance of an unusual type is (an enum? a dataclass?) takes look-ups in
//! dicts; the answer is the same for every instance. Invariants: an entry is used only if the
//! type's address, metatype and version tag are those it was made for (see [`TypeKey`]); the
//! table has a fixed size, and an entry that collides replaces the one before it. A cache
//! belongs to one call at a time (see `runtime`).

use crate::encode::dataclass::Dataclass;
use crate::py::instance::Slot;
use crate::py::rc::Rc;
use crate::py::types::{Base, TypeKey};
use crate::py::{Attached, Obj, Owned, Raised, call, dict, error, instance, types};
use crate::runtime::Runtime;

/// Types a cache knows.
const ENTRIES: usize = 128;

/// What instances of a type are, before the options of a call decide.
#[derive(Clone, Debug, Default)]
pub(crate) struct Class {
    /// The built-in type it derives from.
    pub(crate) base: Option<Base>,
    /// `uuid.UUID` itself.
    pub(crate) is_uuid: bool,
    /// Where an `uuid.UUID` has its number.
    pub(crate) uuid_number: Option<Slot>,
    /// An enum: its metatype is exactly `enum.EnumMeta`.
    pub(crate) is_enum: bool,
    /// An enum whose `value` is the one that `enum.Enum` defines: it gives `_value_`.
    pub(crate) has_standard_value: bool,
    /// Such an enum whose members have `_value_` where [`instance`] sees it.
    pub(crate) has_readable_value: bool,
    /// A dataclass: decorated itself, not only its base.
    pub(crate) dataclass: Option<Rc<Dataclass>>,
}

impl Class {
    /// Whether instances are none of these.
    #[inline(always)]
    pub(super) fn is_unknown(&self) -> bool {
        self.base.is_none() && !self.is_uuid && !self.is_enum && self.dataclass.is_none()
    }

    /// Whether what the version tag does not tell of is as it was.
    #[inline(always)]
    fn is_current(&self) -> bool {
        self.dataclass.as_ref().is_none_or(|dataclass| dataclass.is_current())
    }
}

/// How a tzinfo is asked for its offset.
#[derive(Clone, Debug, Default)]
pub(crate) struct ZoneMethods {
    /// It has `dst`, as every tzinfo should.
    pub(crate) has_dst: bool,
    /// It has `normalize`, as those of pytz do: the offset depends on it.
    pub(crate) normalizes: bool,
    /// Its `utcoffset`, if that is C code that can be called without looking it up again.
    pub(crate) method: Option<Owned>,
}

/// The known types.
#[derive(Debug, Default)]
pub(crate) struct TypeCache {
    classes: Vec<Option<(TypeKey, Class)>>,
    zones: Vec<Option<(TypeKey, ZoneMethods)>>,
}

impl TypeCache {
    /// What the object's type is.
    pub(crate) fn class(
        &mut self,
        runtime: &Runtime,
        py: &mut Attached,
        object: &Owned,
    ) -> Result<Class, Raised> {
        let current = Class::is_current;
        cached(&mut self.classes, py, object, current, |py| classify(runtime, py, object))
    }

    /// What the object's type is, if that is known.
    #[inline(always)]
    pub(crate) fn known(&self, object: Obj<'_>) -> Option<&Class> {
        let key = TypeKey::of(object)?;
        match self.classes.get(key.slot(ENTRIES)) {
            Some(Some((known, class))) if *known == key && class.is_current() => Some(class),
            _ => None,
        }
    }

    /// How the object, a tzinfo, is asked.
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

/// The value kept for the object's type, or a new one from `find`.
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
    // Looking at the type may change it, or give the object another one, so the key before and
    // after must be the same. A type that was never looked at gets its version tag only now, and
    // is kept the next time.
    let before = TypeKey::of(object.get());
    let value = look_up(py)?;
    if let Some(key) = before
        && TypeKey::of(object.get()) == before
    {
        table[key.slot(ENTRIES)] = Some((key, value.clone()));
    }
    Ok(value)
}

fn classify(runtime: &Runtime, py: &mut Attached, object: &Owned) -> Result<Class, Raised> {
    let tp = object.get().type_obj().to_owned();
    let is_uuid = runtime.uuid(py)?.is_some_and(|uuid| uuid.as_ptr() == tp.as_ptr());
    let uuid_number = if is_uuid { instance::slot(py, object, &runtime.names.int)? } else { None };
    let is_enum = tp.get().type_obj().as_ptr() == runtime.enum_meta.as_ptr();
    let has_standard_value = is_enum
        && instance::is_ordinary(object.get())
        && instance::of_type(py, object, &runtime.names.value)?
            .is_some_and(|found| found.as_ptr() == runtime.enum_value.as_ptr());
    let has_readable_value = has_standard_value
        && runtime.sees_attributes
        && instance::of_type(py, object, &runtime.names.own_value)?.is_none()
        && match call::optional_attribute(py, object, &runtime.names.dict)? {
            Some(attributes) => instance::is_plain(py, object, &attributes, &runtime.names.dict)?,
            None => false,
        };
    let dataclass = match call::type_dict(object) {
        Some(members) => match dict::get(py, &members, &runtime.names.dataclass_fields)? {
            Some(fields) if types::is_exact_dict(fields.get()) => {
                Some(Rc::new(Dataclass::new(runtime, py, object, &members, fields)?)?)
            }
            _ => None,
        },
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
