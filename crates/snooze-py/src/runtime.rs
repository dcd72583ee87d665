//! What all walks of one module instance share: the SIMD tier, interned names, types of other
//! modules.
//!
//! Separate from `module::state`, which also owns the scratch memory, because the walks must not
//! depend on `module`. Invariants: complete before any function of the module can be called; it
//! changes only through `OnceLock` and atomics, so threads without a GIL may share it. Made by
//! `module::init`, read by `decode`, `encode`, `rewrite`, `blocks` and `module`.

use core::ffi::CStr;
use std::sync::OnceLock;

use snooze_core::arch::{Dispatch, HAS_VECTORS, Tier, Vector};

use crate::calls::Calls;
use crate::per_thread::PerThread;
use crate::py::datetime::Times;
use crate::py::decode_error::DecodeErrorClass;
use crate::py::fragment::FragmentClass;
use crate::py::int::SmallInts;
use crate::py::numpy::{Numpy, NumpyKind};
use crate::py::output::Past;
use crate::py::{Attached, Owned, Raised, call, instance, types, verify};

/// Whether a walk in the tier of `V` avoids CPython's private layouts; `direct` says whether it may
/// use them. Such a walk is compiled for the scalar tier only, see [`Runtime::new`]. Where all
/// processors have vectors, that tier has no other walk: it is for those layouts and for tests.
#[inline(always)]
pub(crate) fn avoids_layouts<V: Vector>(direct: bool) -> bool {
    V::IS_SCALAR && (HAS_VECTORS || !direct)
}

/// Interned names of attributes and modules.
#[derive(Debug)]
pub(crate) struct Names {
    pub(crate) array_struct: Owned,
    pub(crate) class: Owned,
    pub(crate) dataclass_fields: Owned,
    pub(crate) dataclasses: Owned,
    pub(crate) dict: Owned,
    pub(crate) dst: Owned,
    pub(crate) dtype: Owned,
    pub(crate) enum_class: Owned,
    pub(crate) enum_meta: Owned,
    pub(crate) enums: Owned,
    pub(crate) field: Owned,
    pub(crate) field_type: Owned,
    pub(crate) int: Owned,
    pub(crate) normalize: Owned,
    pub(crate) numpy: Owned,
    pub(crate) obj: Owned,
    /// The name of the class `Raw`, and of the module that defines it.
    pub(crate) raw: Owned,
    pub(crate) raw_module: Owned,
    pub(crate) slots: Owned,
    pub(crate) str: Owned,
    pub(crate) utcoffset: Owned,
    pub(crate) uuid: Owned,
    pub(crate) uuid_class: Owned,
    pub(crate) value: Owned,
    pub(crate) own_value: Owned,
}

impl Names {
    fn new() -> Result<Self, Raised> {
        let name = |text: &CStr| call::interned(text);
        Ok(Self {
            array_struct: name(c"__array_struct__")?,
            class: name(c"__class__")?,
            dataclass_fields: name(c"__dataclass_fields__")?,
            dataclasses: name(c"dataclasses")?,
            dict: name(c"__dict__")?,
            dst: name(c"dst")?,
            dtype: name(c"dtype")?,
            enum_class: name(c"Enum")?,
            enum_meta: name(c"EnumMeta")?,
            enums: name(c"enum")?,
            field: name(c"_FIELD")?,
            field_type: name(c"_field_type")?,
            int: name(c"int")?,
            normalize: name(c"normalize")?,
            numpy: name(c"numpy")?,
            obj: name(c"obj")?,
            raw: name(c"Raw")?,
            raw_module: name(c"snooze._typed.raw")?,
            slots: name(c"__slots__")?,
            str: name(c"str")?,
            utcoffset: name(c"utcoffset")?,
            uuid: name(c"uuid")?,
            uuid_class: name(c"UUID")?,
            value: name(c"value")?,
            own_value: name(c"_value_")?,
        })
    }
}

/// The types of the module `enum`.
#[derive(Debug)]
pub(crate) struct Enums {
    /// `enum.EnumMeta`.
    pub(crate) meta: Owned,
    /// The descriptor `enum.Enum.value`, or `enum.EnumMeta` if there is no such descriptor.
    pub(crate) value: Owned,
}

/// The SIMD tier, names and types that the walks of one module instance use.
#[derive(Debug)]
pub(crate) struct Runtime {
    /// Selects the SIMD tier that the walks run in.
    pub(crate) dispatch: Dispatch,
    /// Whether CPython's private layouts may be used: `verify::verify` found them as expected.
    pub(crate) direct: bool,
    /// Whether the attributes of instances may be read and stored in place: `verify_instances`
    /// found their layout as expected.
    pub(crate) sees_attributes: bool,
    /// `snooze.JSONDecodeError`.
    pub(crate) decode_error: DecodeErrorClass,
    /// `snooze.Fragment`.
    pub(crate) fragment: FragmentClass,
    pub(crate) times: Times,
    pub(crate) names: Names,
    pub(crate) small_ints: SmallInts,
    /// The types of `enum`, found on first use after the program has imported `enum`.
    enums: OnceLock<Enums>,
    /// `uuid.UUID`, found on first use after the program has imported `uuid`.
    uuid: OnceLock<Owned>,
    /// numpy's types, found on first use after the program has imported numpy.
    numpy: OnceLock<Numpy>,
    /// The class `Raw`, found when the first instance of a subclass of `bytes` is written.
    raw: OnceLock<Owned>,
    pub(crate) output_past: PerThread<Past>,
    pub(crate) calls: Calls,
}

impl Runtime {
    /// Finds the types and verifies the layouts for a new module instance. `tier_limit` is the
    /// highest SIMD tier to use.
    pub(crate) fn new(
        py: &mut Attached,
        tier_limit: Option<Tier>,
        fragment: FragmentClass,
    ) -> Result<Self, Raised> {
        let direct = verify::verify(py)?;
        // Walks that avoid the private layouts are compiled for the scalar tier only.
        let tier_limit = if direct { tier_limit } else { Some(Tier::Scalar) };
        Ok(Self {
            dispatch: Dispatch::detect(tier_limit),
            direct,
            sees_attributes: direct && verify::verify_instances(py)?,
            decode_error: DecodeErrorClass::default(),
            fragment,
            times: Times::import(py)?,
            names: Names::new()?,
            small_ints: SmallInts::new(py)?,
            enums: OnceLock::new(),
            uuid: OnceLock::new(),
            numpy: OnceLock::new(),
            raw: OnceLock::new(),
            output_past: PerThread::default(),
            calls: Calls::default(),
        })
    }

    /// The types of `enum`, if the program has imported `enum`: without it there are no members.
    pub(crate) fn enums(&self, py: &mut Attached) -> Result<Option<&Enums>, Raised> {
        if self.enums.get().is_none()
            && let Some(module) = call::imported_module(py, &self.names.enums)?
            && let Some(meta) = call::optional_attribute(py, &module, &self.names.enum_meta)?
            && let Some(class) = call::optional_attribute(py, &module, &self.names.enum_class)?
        {
            let value = instance::of_class(py, &class, &self.names.value)?;
            let _ = self.enums.set(Enums { value: value.unwrap_or_else(|| meta.clone()), meta });
        }
        Ok(self.enums.get())
    }

    /// `uuid.UUID`, if the program has imported `uuid`: without it there are no instances.
    pub(crate) fn uuid(&self, py: &mut Attached) -> Result<Option<&Owned>, Raised> {
        if self.uuid.get().is_none()
            && let Some(module) = call::imported_module(py, &self.names.uuid)?
            && let Some(class) = call::optional_attribute(py, &module, &self.names.uuid_class)?
        {
            let _ = self.uuid.set(class);
        }
        Ok(self.uuid.get())
    }

    /// numpy's types, if the program has imported numpy: without it there are no instances.
    pub(crate) fn numpy(&self, py: &mut Attached) -> Result<Option<&Numpy>, Raised> {
        if self.numpy.get().is_none()
            && let Some(module) = call::imported_module(py, &self.names.numpy)?
            && let Some(numpy) = Numpy::of_module(py, &module)?
        {
            let _ = self.numpy.set(numpy);
        }
        Ok(self.numpy.get())
    }

    /// The class `Raw`, if its module has been imported: without it there are no instances.
    pub(crate) fn raw(&self, py: &mut Attached) -> Result<Option<&Owned>, Raised> {
        if self.raw.get().is_none()
            && let Some(module) = call::imported_module(py, &self.names.raw_module)?
            && let Some(class) = call::optional_attribute(py, &module, &self.names.raw)?
            && types::is_type(class.get())
        {
            let _ = self.raw.set(class);
        }
        Ok(self.raw.get())
    }

    /// Whether an object is a numpy array.
    pub(crate) fn is_array(&self, py: &mut Attached, object: &Owned) -> Result<bool, Raised> {
        let numpy = self.numpy(py)?;
        Ok(numpy.is_some_and(|numpy| numpy.kind(object.get()) == Some(NumpyKind::Array)))
    }

    /// All objects that the cyclic garbage collector must traverse.
    pub(crate) fn objects(&self) -> impl Iterator<Item = &Owned> {
        [self.fragment.object()]
            .into_iter()
            .chain(self.decode_error.known())
            .chain(self.enums.get().into_iter().flat_map(|enums| [&enums.meta, &enums.value]))
            .chain(self.uuid.get())
            .chain(self.raw.get())
            .chain(self.numpy.get().into_iter().flat_map(Numpy::objects))
    }
}
