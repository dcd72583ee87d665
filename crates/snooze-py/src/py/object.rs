//! References: borrowed, owned, and the witness that they may be used.

use core::marker::PhantomData;
use core::mem::ManuallyDrop;
use core::ptr::NonNull;

use pyo3_ffi::{Py_DECREF, Py_INCREF, Py_TYPE, PyObject, PyTypeObject};

/// A Python exception is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Raised;

/// The witness that this thread is attached to an interpreter.
///
/// `&Attached`: no Python code runs meanwhile. `&mut Attached`: it may.
#[derive(Debug)]
pub(crate) struct Attached(PhantomData<*mut ()>);

impl Attached {
    /// The witness for the extent of one call from the interpreter.
    ///
    /// # Safety
    /// The thread is attached, and the witness does not outlive the call.
    pub(crate) unsafe fn assume() -> Self {
        Self(PhantomData)
    }
}

/// A borrowed reference, alive for `'a`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub(crate) struct Obj<'a>(NonNull<PyObject>, PhantomData<&'a PyObject>);

impl<'a> Obj<'a> {
    /// A borrowed reference, if the pointer is not null.
    ///
    /// # Safety
    /// The object stays alive for `'a`.
    #[inline(always)]
    pub(crate) unsafe fn from_ptr(ptr: *mut PyObject) -> Option<Self> {
        NonNull::new(ptr).map(|ptr| Self(ptr, PhantomData))
    }

    /// The pointer, to compare it or to pass it to a C-API call.
    #[inline(always)]
    pub(crate) fn as_ptr(self) -> *mut PyObject {
        self.0.as_ptr()
    }

    /// The object's type.
    #[inline(always)]
    pub(crate) fn type_ptr(self) -> *mut PyTypeObject {
        // SAFETY: a live object.
        unsafe { Py_TYPE(self.as_ptr()) }
    }

    /// The object's type as an object; the object keeps it alive.
    #[inline(always)]
    pub(crate) fn type_obj(self) -> Obj<'a> {
        // SAFETY: never null, and a live object has a live type.
        Obj(unsafe { NonNull::new_unchecked(self.type_ptr().cast()) }, PhantomData)
    }

    /// Has the object's head brought into the cache.
    #[inline(always)]
    pub(crate) fn prefetch(self) {
        snooze_core::arch::prefetch(self.as_ptr());
    }

    /// A reference of its own.
    #[inline(always)]
    pub(crate) fn to_owned(self) -> Owned {
        // SAFETY: a live object.
        unsafe { Py_INCREF(self.as_ptr()) };
        Owned(self.0)
    }
}

/// An owned reference.
#[derive(Debug)]
#[repr(transparent)]
pub(crate) struct Owned(NonNull<PyObject>);

impl Owned {
    /// Takes over a reference; null means that an exception is set.
    ///
    /// # Safety
    /// The pointer is null with an exception set, or a reference that the caller gives away.
    #[inline(always)]
    pub(crate) unsafe fn take(ptr: *mut PyObject) -> Result<Self, Raised> {
        NonNull::new(ptr).map(Self).ok_or(Raised)
    }

    /// Borrows the object.
    #[inline(always)]
    pub(crate) fn get(&self) -> Obj<'_> {
        Obj(self.0, PhantomData)
    }

    /// The pointer, still owned here.
    #[inline(always)]
    pub(crate) fn as_ptr(&self) -> *mut PyObject {
        self.0.as_ptr()
    }

    /// Borrows several objects.
    #[inline(always)]
    pub(crate) fn get_all(all: &[Self]) -> &[Option<Obj<'_>>] {
        // SAFETY: both are one pointer, which is not null, and live as long as they are borrowed.
        unsafe { core::slice::from_raw_parts(all.as_ptr().cast(), all.len()) }
    }

    /// Gives the reference away.
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
        // SAFETY: this reference is owned, and objects are only dropped by an attached thread,
        // because every `Owned` lives inside a call or in the module's state.
        unsafe { Py_DECREF(self.0.as_ptr()) }
    }
}
