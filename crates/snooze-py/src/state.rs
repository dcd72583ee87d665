//! What a module instance owns: types, names, caches. There is nothing process-wide.
//!
//! Each interpreter that imports the extension has its own [`State`], in the memory that CPython
//! keeps for the module. Invariants: it is complete before any function can be called; it changes
//! only through atomics, locks and the pools, so that free threads may share it.
#![allow(unsafe_code)]

use core::ffi::CStr;
use core::ops::{Deref, DerefMut};
use core::sync::atomic::{AtomicPtr, Ordering};
use std::sync::OnceLock;

use snooze_core::arch::{Dispatch, Tier};

use crate::py::array::Numpy;
use crate::py::bytes::Sizes;
use crate::py::compat::FREE_THREADED;
use crate::py::int::SmallInts;
use crate::py::time::Times;
use crate::py::{Attached, Owned, Raised, attr, call, error, layout};
use crate::{decode, encode, typed};

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

/// The state of one module instance.
#[derive(Debug)]
pub(crate) struct State {
    /// The tier that the walks run in.
    pub(crate) dispatch: Dispatch,
    /// Whether private layouts may be used: `layout::verify` found them as expected.
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
    pub(crate) decode_pool: Pool<decode::Scratch>,
    pub(crate) typed_pool: Pool<typed::decode::Scratch>,
    pub(crate) encode_pool: Pool<encode::Scratch>,
    /// `EncoderBase`, once it has been made.
    pub(crate) encoder: OnceLock<Owned>,
}

impl State {
    /// The state of a new module instance.
    pub(crate) fn new(
        py: &mut Attached,
        limit: Option<Tier>,
        decode_error: Owned,
        fragment: Owned,
    ) -> Result<Self, Raised> {
        let direct = layout::verify(py)?;
        // Without the private layouts only the scalar tier has walks: see `encode` and `decode`.
        let limit = if direct { limit } else { Some(Tier::Scalar) };
        let enums = call::import(py, c"enum")?;
        let names = Names::new()?;
        let enum_meta = call::attribute(py, &enums, &call::interned(c"EnumMeta")?)?;
        let enum_class = call::attribute(py, &enums, &call::interned(c"Enum")?)?;
        let enum_value = attr::of_class(py, &enum_class, &names.value)?;
        Ok(Self {
            dispatch: Dispatch::detect(limit),
            direct,
            sees_attributes: direct && layout::verify_instances(py)?,
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
            decode_pool: Pool::default(),
            typed_pool: Pool::default(),
            encode_pool: Pool::default(),
            encoder: OnceLock::new(),
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
            .chain(self.encoder.get())
            .chain(self.numpy.get().into_iter().flat_map(Numpy::objects))
    }
}

/// Calls that may take a scratch at the same time: threads, where there is no GIL, and calls made
/// from a finaliser inside another one.
const SLOTS: usize = if FREE_THREADED { 8 } else { 1 };

/// Scratch space that a call takes for itself and gives back.
///
/// A call that finds none makes one; one too many is dropped. No lock is held between.
#[derive(Debug)]
pub(crate) struct Pool<T>([AtomicPtr<T>; SLOTS]);

impl<T> Default for Pool<T> {
    fn default() -> Self {
        Self([const { AtomicPtr::new(core::ptr::null_mut()) }; SLOTS])
    }
}

/// A scratch outside the pool.
///
/// A slice of one, because that is what can be allocated without aborting on failure.
#[derive(Debug)]
pub(crate) struct Taken<T>(Box<[T]>);

impl<T> Deref for Taken<T> {
    type Target = T;
    #[inline(always)]
    fn deref(&self) -> &T {
        &self.0[0]
    }
}

impl<T> DerefMut for Taken<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut T {
        &mut self.0[0]
    }
}

impl<T: Default> Taken<T> {
    #[cold]
    fn new() -> Result<Self, Raised> {
        let mut one = Vec::new();
        one.try_reserve_exact(1).map_err(|_| error::no_memory())?;
        one.push(T::default());
        Ok(Self(one.into_boxed_slice()))
    }
}

impl<T> Taken<T> {
    /// # Safety
    /// The pointer comes from [`Taken::into_raw`], and is taken back once.
    #[inline(always)]
    unsafe fn from_raw(scratch: *mut T) -> Self {
        // SAFETY: by the caller; it was a slice of one.
        Self(unsafe { Box::from_raw(core::ptr::slice_from_raw_parts_mut(scratch, 1)) })
    }

    #[inline(always)]
    fn into_raw(self) -> *mut T {
        Box::into_raw(self.0).cast()
    }
}

impl<T: Default> Pool<T> {
    /// Takes a scratch out of the pool.
    #[inline(always)]
    pub(crate) fn take(&self) -> Result<Taken<T>, Raised> {
        for slot in &self.0 {
            let scratch = if FREE_THREADED {
                slot.swap(core::ptr::null_mut(), Ordering::Acquire)
            } else {
                // The GIL orders the two: an atomic exchange would cost more than a small call.
                let scratch = slot.load(Ordering::Relaxed);
                slot.store(core::ptr::null_mut(), Ordering::Relaxed);
                scratch
            };
            if !scratch.is_null() {
                // SAFETY: made by into_raw in `put`, and taken out, so it is only here.
                return Ok(unsafe { Taken::from_raw(scratch) });
            }
        }
        Taken::new()
    }

    /// Gives a scratch back.
    #[inline(always)]
    pub(crate) fn put(&self, scratch: Taken<T>) {
        let scratch = scratch.into_raw();
        for slot in &self.0 {
            let null = core::ptr::null_mut();
            let kept = if FREE_THREADED {
                slot.compare_exchange(null, scratch, Ordering::Release, Ordering::Relaxed).is_ok()
            } else {
                let free = slot.load(Ordering::Relaxed).is_null();
                if free {
                    slot.store(scratch, Ordering::Relaxed);
                }
                free
            };
            if kept {
                return;
            }
        }
        // SAFETY: made by into_raw above, and kept nowhere.
        drop(unsafe { Taken::from_raw(scratch) });
    }
}

impl<T> Pool<T> {
    /// Shows what is in the pool. What is taken out meanwhile is not shown.
    pub(crate) fn each(&self, see: &mut dyn FnMut(&T)) {
        for slot in &self.0 {
            let scratch = slot.swap(core::ptr::null_mut(), Ordering::Acquire);
            if scratch.is_null() {
                continue;
            }
            // SAFETY: made by into_raw in `put`, and taken out, so it is only here.
            let taken: Taken<T> = unsafe { Taken::from_raw(scratch) };
            see(&taken);
            let scratch = taken.into_raw();
            let null = core::ptr::null_mut();
            if slot.compare_exchange(null, scratch, Ordering::Release, Ordering::Relaxed).is_err() {
                // SAFETY: made by into_raw above, and kept nowhere.
                drop(unsafe { Taken::from_raw(scratch) });
            }
        }
    }

    /// Drops what is in the pool.
    pub(crate) fn clear(&self) {
        for slot in &self.0 {
            let scratch = slot.swap(core::ptr::null_mut(), Ordering::Acquire);
            if !scratch.is_null() {
                // SAFETY: made by into_raw in `put`, and taken out, so it is only here.
                drop(unsafe { Taken::from_raw(scratch) });
            }
        }
    }
}

impl<T> Drop for Pool<T> {
    fn drop(&mut self) {
        for slot in &mut self.0 {
            let scratch = core::mem::replace(slot.get_mut(), core::ptr::null_mut());
            if !scratch.is_null() {
                // SAFETY: made by into_raw in `put`.
                drop(unsafe { Taken::from_raw(scratch) });
            }
        }
    }
}
