//! Objects that hold a plan: the memory layout that `DecoderBase` and `EncoderBase` share.
//!
//! Separate from `module::codec`, which makes the types, because encoding follows references from
//! one plan to other encoders. Invariants: a plan is set once and never changes; it lives as long as
//! its object, except that the cyclic collector may take it away while it is not in use; the module,
//! and so what `context` points to, lives as long as the object.

use core::cell::Cell;
use core::ffi::c_void;
use core::marker::PhantomData;
use std::sync::OnceLock;

use pyo3_ffi::PyObject;

use crate::py::compat::FREE_THREADED;
use crate::py::{Attached, Obj, Owned, Raised, call, error, types};

/// An object that holds a plan.
#[repr(C)]
pub(crate) struct Codec<P> {
    head: PyObject,
    /// The module that made the type; owned. Null while the object is under construction.
    pub(crate) module: *mut PyObject,
    /// What `module` wants to find again from an instance.
    pub(crate) context: *const c_void,
    pub(crate) plan: OnceLock<P>,
    /// Calls and other codecs that are using the plan. Changed under the GIL only.
    pub(crate) users: Cell<usize>,
}

/// Keeps a codec's plan in place until dropped.
pub(crate) struct InUse<'a>(&'a Cell<usize>);

impl Drop for InUse<'_> {
    #[inline(always)]
    fn drop(&mut self) {
        release(self.0);
    }
}

#[inline(always)]
fn acquire(users: &Cell<usize>) {
    // Without a GIL uses are not counted, and plans are never taken away: see `module::codec`.
    if !FREE_THREADED {
        users.set(users.get() + 1);
    }
}

#[inline(always)]
fn release(users: &Cell<usize>) {
    if !FREE_THREADED {
        users.set(users.get() - 1);
    }
}

impl<P> Codec<P> {
    /// The codec that an object is.
    ///
    /// # Safety
    /// `this` is an instance of a [`CodecType<P>`], alive for `'a`.
    #[inline(always)]
    pub(crate) unsafe fn of<'a>(this: *mut PyObject) -> &'a Self {
        // SAFETY: by the caller; `new` of the type has set all fields before it returned the instance.
        unsafe { &*this.cast::<Self>() }
    }

    /// Keeps the plan in place until the result is dropped.
    #[inline(always)]
    pub(crate) fn in_use(&self) -> InUse<'_> {
        acquire(&self.users);
        InUse(&self.users)
    }

    /// The plan, which `_prepare` makes now if there is none yet.
    ///
    /// # Safety
    /// As for [`Codec::of`].
    #[inline(always)]
    pub(crate) unsafe fn plan<'a>(py: &mut Attached, this: *mut PyObject) -> Result<&'a P, Raised> {
        // SAFETY: by the caller.
        match unsafe { Self::of(this) }.plan.get() {
            Some(plan) => Ok(plan),
            // SAFETY: by the caller.
            None => unsafe { Self::prepare(py, this) },
        }
    }

    /// # Safety
    /// As for [`Codec::of`].
    #[cold]
    #[inline(never)]
    unsafe fn prepare<'a>(py: &mut Attached, this: *mut PyObject) -> Result<&'a P, Raised> {
        // SAFETY: by the caller.
        let (codec, object) = unsafe { (Self::of(this), Obj::from_ptr(this)) };
        let object = object.ok_or(Raised)?.to_owned();
        call::call_method(py, &object, &call::interned(c"_prepare")?)?;
        let plan = codec.plan.get();
        plan.ok_or_else(|| error::runtime_error(c"_prepare() has not called _compile()"))
    }
}

/// A type whose instances, and those of its subclasses, are [`Codec<P>`]s.
#[derive(Debug)]
pub(crate) struct CodecType<P>(Owned, PhantomData<fn() -> P>);

impl<P> CodecType<P> {
    /// The type that an object is.
    ///
    /// # Safety
    /// The object is a type whose instances are laid out as [`Codec<P>`], with all fields set.
    pub(crate) unsafe fn assume(class: Owned) -> Self {
        Self(class, PhantomData)
    }

    /// The type as an object.
    pub(crate) fn object(&self) -> &Owned {
        &self.0
    }
}

/// A reference to a codec whose plan is set, and stays in place as long as this.
#[derive(Debug)]
pub(crate) struct PlanRef<P>(Owned, PhantomData<P>);

impl<P> PlanRef<P> {
    /// The codec that an object is; `None` if it is no instance of the type.
    pub(crate) fn new(
        py: &mut Attached,
        class: &CodecType<P>,
        object: Owned,
    ) -> Result<Option<Self>, Raised> {
        if !types::inherits(object.get(), class.0.get()) {
            return Ok(None);
        }
        // SAFETY: a live instance of that type, as `inherits` found.
        unsafe {
            Codec::<P>::plan(py, object.as_ptr())?;
            acquire(&Codec::<P>::of(object.as_ptr()).users);
        }
        Ok(Some(Self(object, PhantomData)))
    }

    /// The codec as an object.
    pub(crate) fn object(&self) -> &Owned {
        &self.0
    }

    /// The plan.
    #[inline(always)]
    pub(crate) fn plan(&self) -> &P {
        // SAFETY: `new` has checked the type and seen the plan, which stays while it is in use.
        unsafe { Codec::<P>::of(self.0.as_ptr()).plan.get().unwrap_unchecked() }
    }
}

impl<P> Clone for PlanRef<P> {
    fn clone(&self) -> Self {
        // SAFETY: `new` has checked the type.
        acquire(unsafe { &Codec::<P>::of(self.0.as_ptr()).users });
        Self(self.0.clone(), PhantomData)
    }
}

impl<P> Drop for PlanRef<P> {
    fn drop(&mut self) {
        // SAFETY: `new` has checked the type, and acquired what is released here.
        release(unsafe { &Codec::<P>::of(self.0.as_ptr()).users });
    }
}
