//! What every walk of one module instance uses: the SIMD tier, interned names, types of other modules.
//!
//! Separate from `module::state`, which also owns the pools of scratch memory: the walks below `module`
//! see this and nothing above it. Invariants: complete before any function can be called; changes only
//! through `OnceLock`, so that free threads may share it.

use core::ffi::CStr;
use std::sync::OnceLock;

use snooze_core::arch::{Dispatch, Tier};

use crate::py::datetime::Times;
use crate::py::int::SmallInts;
use crate::py::numpy::Numpy;
use crate::py::output::Sizes;
use crate::py::{Attached, Owned, Raised, call, instance, verify};

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
    pub(crate) field: Owned,
    pub(crate) field_type: Owned,
    pub(crate) int: Owned,
    pub(crate) normalize: Owned,
    pub(crate) numpy: Owned,
    pub(crate) obj: Owned,
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
            field: name(c"_FIELD")?,
            field_type: name(c"_field_type")?,
            int: name(c"int")?,
            normalize: name(c"normalize")?,
            numpy: name(c"numpy")?,
            obj: name(c"obj")?,
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

/// Types, names and settings of one module instance.
#[derive(Debug)]
pub(crate) struct Runtime {
    /// The tier that the walks run in.
    pub(crate) dispatch: Dispatch,
    /// Whether private layouts may be used: `verify::verify` found them as expected.
    pub(crate) direct: bool,
    /// Whether the attributes of instances may be read in place, likewise.
    pub(crate) sees_attributes: bool,
    /// `snooze.JSONDecodeError`.
    pub(crate) decode_error: Owned,
    /// `snooze.Fragment`.
    pub(crate) fragment: Owned,
    /// `enum.EnumMeta`.
    pub(crate) enum_meta: Owned,
    /// `enum.Enum.value`, the descriptor; or `enum.EnumMeta` if there is none.
    pub(crate) enum_value: Owned,
    pub(crate) times: Times,
    pub(crate) names: Names,
    pub(crate) small_ints: SmallInts,
    /// `uuid.UUID`, once that module has been imported by somebody.
    uuid: OnceLock<Owned>,
    /// numpy's types, once it has been imported by somebody.
    numpy: OnceLock<Numpy>,
    pub(crate) output_sizes: Sizes,
}

impl Runtime {
    /// Finds the types and verifies the layouts for a new module instance.
    pub(crate) fn new(
        py: &mut Attached,
        limit: Option<Tier>,
        decode_error: Owned,
        fragment: Owned,
    ) -> Result<Self, Raised> {
        let direct = verify::verify(py)?;
        // Without the private layouts only the scalar tier has walks: see `encode` and `decode`.
        let limit = if direct { limit } else { Some(Tier::Scalar) };
        let enums = call::import(py, c"enum")?;
        let names = Names::new()?;
        let enum_meta = call::attribute(py, &enums, &call::interned(c"EnumMeta")?)?;
        let enum_class = call::attribute(py, &enums, &call::interned(c"Enum")?)?;
        let enum_value = instance::of_class(py, &enum_class, &names.value)?;
        Ok(Self {
            dispatch: Dispatch::detect(limit),
            direct,
            sees_attributes: direct && verify::verify_instances(py)?,
            decode_error,
            fragment,
            enum_value: enum_value.unwrap_or_else(|| enum_meta.clone()),
            enum_meta,
            times: Times::import(py)?,
            names,
            small_ints: SmallInts::new(py)?,
            uuid: OnceLock::new(),
            numpy: OnceLock::new(),
            output_sizes: Sizes::default(),
        })
    }

    /// `uuid.UUID`, if anybody has imported that module.
    pub(crate) fn uuid(&self, py: &mut Attached) -> Result<Option<&Owned>, Raised> {
        if self.uuid.get().is_none()
            && let Some(module) = call::imported_module(py, &self.names.uuid)?
            && let Some(class) = call::optional_attribute(py, &module, &self.names.uuid_class)?
        {
            let _ = self.uuid.set(class);
        }
        Ok(self.uuid.get())
    }

    /// numpy's types, if anybody has imported it.
    pub(crate) fn numpy(&self, py: &mut Attached) -> Result<Option<&Numpy>, Raised> {
        if self.numpy.get().is_none()
            && let Some(module) = call::imported_module(py, &self.names.numpy)?
            && let Some(numpy) = Numpy::of_module(py, &module)?
        {
            let _ = self.numpy.set(numpy);
        }
        Ok(self.numpy.get())
    }

    /// Every object that the cyclic collector must know of.
    pub(crate) fn objects(&self) -> impl Iterator<Item = &Owned> {
        [&self.decode_error, &self.fragment, &self.enum_meta, &self.enum_value]
            .into_iter()
            .chain(self.uuid.get())
            .chain(self.numpy.get().into_iter().flat_map(Numpy::objects))
    }
}
