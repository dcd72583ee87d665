//! The memory layout that the bases of `Decoder`, `Encoder` and `Converter` share: objects that
//! hold a plan.
//!
//! Separate from `module::codec`, which makes the types, because encoding follows references from
//! one plan to other encoders. Invariants: a plan is set once and never changes; it lives as long
//! as its object, except that the cyclic collector may clear it while it is not in use; the module,
//! and therefore the target of `context`, lives as long as the object.

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
    /// A strong reference to the module that made the type; null during construction.
    pub(crate) module: *mut PyObject,
    /// A pointer that `module` stores here for its own use.
    pub(crate) context: *const c_void,
    pub(crate) plan: OnceLock<P>,
    /// The number of calls and other codecs that use the plan. Changed under the GIL only.
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
    // On free-threaded builds uses are not counted and plans never cleared: see `module::codec`.
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
    /// An object as a codec.
    ///
    /// # Safety
    /// `this` is an instance of a [`CodecType<P>`], live for `'a`.
    #[inline(always)]
    pub(crate) unsafe fn of<'a>(this: *mut PyObject) -> &'a Self {
        // SAFETY: a live codec, because the caller says so; initialised, because the type's `new`
        // sets all fields before it returns an instance.
        unsafe { &*this.cast::<Self>() }
    }

    /// Keeps the plan in place until the result is dropped.
    #[inline(always)]
    pub(crate) fn in_use(&self) -> InUse<'_> {
        acquire(&self.users);
        InUse(&self.users)
    }

    /// The plan; the first call makes it by calling `_prepare`.
    ///
    /// # Safety
    /// As for [`Codec::of`]. The plan is used only while an [`InUse`] of the codec lives, which is
    /// made before any other code runs: without one the cyclic collector may clear the plan.
    #[inline(always)]
    pub(crate) unsafe fn plan<'a>(py: &mut Attached, this: *mut PyObject) -> Result<&'a P, Raised> {
        // SAFETY: a live codec, because the caller says so.
        match unsafe { Self::of(this) }.plan.get() {
            Some(plan) => Ok(plan),
            // SAFETY: a live codec, because the caller says so.
            None => unsafe { Self::prepare(py, this) },
        }
    }

    /// # Safety
    /// As for [`Codec::of`].
    #[cold]
    #[inline(never)]
    unsafe fn prepare<'a>(py: &mut Attached, this: *mut PyObject) -> Result<&'a P, Raised> {
        // SAFETY: a live codec, because the caller says so.
        let (codec, object) = unsafe { (Self::of(this), Obj::from_ptr(this)) };
        let object = object.ok_or_else(error::null_argument)?.to_owned();
        call::call_method(py, &object, &call::interned(c"_prepare")?)?;
        let plan = codec.plan.get();
        plan.ok_or_else(|| error::runtime_error(c"_prepare() has not called _compile()"))
    }
}

/// A type whose instances, and those of its subclasses, are [`Codec<P>`]s.
#[derive(Debug)]
pub(crate) struct CodecType<P>(Owned, PhantomData<fn() -> P>);

impl<P> CodecType<P> {
    /// A class as the type of codecs.
    ///
    /// # Safety
    /// The object is a type whose instances have the layout of [`Codec<P>`], with all fields set.
    pub(crate) unsafe fn assume(class: Owned) -> Self {
        Self(class, PhantomData)
    }

    /// The type as an object.
    pub(crate) fn object(&self) -> &Owned {
        &self.0
    }
}

/// A strong reference to a codec that keeps its plan in place.
#[derive(Debug)]
pub(crate) struct PlanRef<P>(Owned, PhantomData<P>);

impl<P> PlanRef<P> {
    /// Makes a reference to an object; `None` if it is not an instance of the type.
    pub(crate) fn new(
        py: &mut Attached,
        class: &CodecType<P>,
        object: Owned,
    ) -> Result<Option<Self>, Raised> {
        if !types::inherits(object.get(), class.0.get()) {
            return Ok(None);
        }
        // SAFETY: a live codec, because it is owned and `inherits` checked its type.
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
        // SAFETY: a live codec, because `new` checked its type; the plan is set, because `new` made
        // it and the collector does not clear a plan in use.
        unsafe { Codec::<P>::of(self.0.as_ptr()).plan.get().unwrap_unchecked() }
    }
}

impl<P> Clone for PlanRef<P> {
    fn clone(&self) -> Self {
        // SAFETY: a live codec, because `new` checked its type.
        acquire(unsafe { &Codec::<P>::of(self.0.as_ptr()).users });
        Self(self.0.clone(), PhantomData)
    }
}

impl<P> Drop for PlanRef<P> {
    fn drop(&mut self) {
        // SAFETY: a live codec, because `new` checked its type; `new` or `clone` acquired it once.
        release(unsafe { &Codec::<P>::of(self.0.as_ptr()).users });
    }
}
