//! References to Python objects: borrowed, owned, and the proof that this thread may use them.
//!
//! Separate because all other files of `py` are built on these types. Invariants: an [`Obj`] is
//! never null and live for its lifetime; an [`Owned`] owns exactly one strong reference.

use core::marker::PhantomData;
use core::mem::ManuallyDrop;
use core::ptr::NonNull;

use pyo3_ffi::{Py_TYPE, PyObject, PyTypeObject};

use crate::py::refcount;

/// A Python exception is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Raised;

/// Proof that this thread is attached to an interpreter.
///
/// A function that takes `&Attached` runs no Python code; one that takes `&mut Attached` may.
#[derive(Debug)]
pub(crate) struct Attached(PhantomData<*mut ()>);

impl Attached {
    /// Creates the proof for the duration of one call from the interpreter.
    ///
    /// # Safety
    /// The thread is attached, and the proof does not outlive the call.
    pub(crate) unsafe fn assume() -> Self {
        Self(PhantomData)
    }
}

/// A borrowed reference to an object that is live for `'a`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub(crate) struct Obj<'a>(NonNull<PyObject>, PhantomData<&'a PyObject>);

impl<'a> Obj<'a> {
    /// Borrows the object at a pointer; `None` for null.
    ///
    /// # Safety
    /// The pointer is null, or to an object that stays live for `'a`.
    #[inline(always)]
    pub(crate) unsafe fn from_ptr(ptr: *mut PyObject) -> Option<Self> {
        NonNull::new(ptr).map(|ptr| Self(ptr, PhantomData))
    }

    /// The pointer, for comparisons and C-API calls.
    #[inline(always)]
    pub(crate) fn as_ptr(self) -> *mut PyObject {
        self.0.as_ptr()
    }

    /// The object's type.
    #[inline(always)]
    pub(crate) fn type_ptr(self) -> *mut PyTypeObject {
        // SAFETY: a live object, because `self` borrows it.
        unsafe { Py_TYPE(self.as_ptr()) }
    }

    /// The object's type as an object, which the object keeps alive.
    #[inline(always)]
    pub(crate) fn type_obj(self) -> Obj<'a> {
        // SAFETY: not null and live for `'a`, because a live object owns a reference to its type.
        Obj(unsafe { NonNull::new_unchecked(self.type_ptr().cast()) }, PhantomData)
    }

    /// Prefetches the object's header into the processor's cache.
    #[inline(always)]
    pub(crate) fn prefetch(self) {
        snooze_core::arch::prefetch(self.as_ptr());
    }

    /// Returns a new strong reference.
    #[inline(always)]
    pub(crate) fn to_owned(self) -> Owned {
        // SAFETY: a live object, because `self` borrows it.
        unsafe { refcount::increment(self.as_ptr()) };
        Owned(self.0)
    }
}

/// A strong reference, released when dropped.
#[derive(Debug)]
#[repr(transparent)]
pub(crate) struct Owned(NonNull<PyObject>);

impl Owned {
    /// Takes over a strong reference. Null becomes `Raised`.
    ///
    /// # Safety
    /// The pointer is a strong reference that the caller gives up, or null with an exception set.
    #[inline(always)]
    pub(crate) unsafe fn take(ptr: *mut PyObject) -> Result<Self, Raised> {
        NonNull::new(ptr).map(Self).ok_or(Raised)
    }

    /// Borrows the object.
    #[inline(always)]
    pub(crate) fn get(&self) -> Obj<'_> {
        Obj(self.0, PhantomData)
    }

    /// The pointer; the reference stays here.
    #[inline(always)]
    pub(crate) fn as_ptr(&self) -> *mut PyObject {
        self.0.as_ptr()
    }

    /// Borrows several objects.
    #[inline(always)]
    pub(crate) fn get_all(all: &[Self]) -> &[Option<Obj<'_>>] {
        // SAFETY: the same memory, because both types are one pointer (`repr(transparent)`) and
        // `None` is null; the objects are live while `all` is borrowed.
        unsafe { core::slice::from_raw_parts(all.as_ptr().cast(), all.len()) }
    }

    /// Gives up the reference.
    #[inline(always)]
    pub(crate) fn into_ptr(self) -> *mut PyObject {
        ManuallyDrop::new(self).0.as_ptr()
    }
}

impl Clone for Owned {
    #[inline(always)]
    fn clone(&self) -> Self {
        self.get().to_owned()
    }
}

impl Drop for Owned {
    #[inline(always)]
    fn drop(&mut self) {
        // SAFETY: a strong reference, because `take` got one; attached, because every `Owned`
        // lives inside a call from the interpreter or in the module's state.
        unsafe { refcount::decrement(self.0.as_ptr()) }
    }
}
