//! Typed handles: references to objects whose type was checked.
//!
//! Separate because all types share them; each type's file names its own, such as `Str` and
//! `OwnedStr` in `unicode`. Invariant: a handle refers to an instance of its type or of a subclass,
//! so its memory begins as the type says. A function that takes a handle needs no check and no
//! comment that states the type. Called by the other files of `py` and by both walks.

use core::ffi::c_ulong;
use core::marker::PhantomData;
use core::ptr::null_mut;
#[cfg(Py_GIL_DISABLED)]
use core::sync::atomic::Ordering;

use pyo3_ffi::{PyObject, PyObject_TypeCheck, PyTypeObject};

use crate::py::{Obj, Owned};

/// A built-in type that has handles.
///
/// # Safety
/// Instances of [`Builtin::type_object`], and all objects for which [`Builtin::has_instance`] is
/// true, begin with the memory that functions for handles of the type read.
pub(crate) unsafe trait Builtin: Copy {
    /// The type object.
    fn type_object() -> *mut PyTypeObject;

    /// Whether an object is an instance of the type or of a subclass; runs no Python code.
    fn has_instance(object: Obj<'_>) -> bool;
}

/// The flags of an object's type, such as `Py_TPFLAGS_UNICODE_SUBCLASS`.
#[inline(always)]
pub(super) fn type_flags(object: Obj<'_>) -> c_ulong {
    // SAFETY: a live type, because a live object keeps its type. Without a GIL other threads write
    // the flags atomically, too. PERF: a call would cost more than the tests of the flags.
    unsafe {
        let flags = &raw mut (*object.type_ptr()).tp_flags;
        #[cfg(Py_GIL_DISABLED)]
        return (*flags).load(Ordering::Relaxed);
        #[cfg(not(Py_GIL_DISABLED))]
        flags.read()
    }
}

/// A borrowed reference to an instance of a type or of a subclass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub(crate) struct Handle<'a, T>(Obj<'a>, PhantomData<T>);

impl<'a, T: Builtin> Handle<'a, T> {
    /// The object, if its type is exactly this one.
    #[inline(always)]
    pub(crate) fn exact(object: Obj<'a>) -> Option<Self> {
        (object.type_ptr() == T::type_object()).then_some(Self(object, PhantomData))
    }

    /// The object, if it is an instance of this type or of a subclass.
    #[inline(always)]
    pub(crate) fn any(object: Obj<'a>) -> Option<Self> {
        T::has_instance(object).then_some(Self(object, PhantomData))
    }
}

impl<'a, T: Copy> Handle<'a, T> {
    /// An object of this type.
    ///
    /// # Safety
    /// The object is an instance of the type or of a subclass.
    #[inline(always)]
    pub(super) unsafe fn assume(object: Obj<'a>) -> Self {
        Self(object, PhantomData)
    }

    /// The object without its type.
    #[inline(always)]
    pub(crate) fn obj(self) -> Obj<'a> {
        self.0
    }

    /// Returns a new strong reference.
    #[inline(always)]
    pub(crate) fn to_owned(self) -> Strong<T> {
        Strong(self.0.to_owned(), PhantomData)
    }

    /// The pointer, for C-API calls.
    #[inline(always)]
    pub(super) fn as_ptr(self) -> *mut PyObject {
        self.0.as_ptr()
    }
}

/// A strong reference to an instance of a type or of a subclass.
#[derive(Clone, Debug)]
#[repr(transparent)]
pub(crate) struct Strong<T>(Owned, PhantomData<T>);

impl<T: Builtin> Strong<T> {
    /// The object, if its type is exactly this one.
    #[inline(always)]
    pub(crate) fn exact(object: Owned) -> Option<Self> {
        let is_exact = Handle::<T>::exact(object.get()).is_some();
        is_exact.then_some(Self(object, PhantomData))
    }
}

impl<T: Copy> Strong<T> {
    /// A new object of this type.
    ///
    /// # Safety
    /// The object is an instance of the type or of a subclass.
    #[inline(always)]
    pub(super) unsafe fn assume(object: Owned) -> Self {
        Self(object, PhantomData)
    }

    /// Borrows the object.
    #[inline(always)]
    pub(crate) fn get(&self) -> Handle<'_, T> {
        Handle(self.0.get(), PhantomData)
    }

    /// The reference without its type.
    #[inline(always)]
    pub(crate) fn as_owned(&self) -> &Owned {
        &self.0
    }

    /// Gives up the type.
    #[inline(always)]
    pub(crate) fn into_owned(self) -> Owned {
        self.0
    }
}

/// The type object of a type whose address only the running interpreter knows; none if the
/// interpreter has no such type.
#[derive(Debug)]
pub(crate) struct TypeOf<T>(*mut PyTypeObject, PhantomData<T>);

impl<T: Copy> TypeOf<T> {
    /// No type: no object is an instance.
    pub(super) fn none() -> Self {
        Self(null_mut(), PhantomData)
    }

    /// A type object by its address.
    ///
    /// # Safety
    /// The type lives as long as the process. Its instances, and those of subclasses, begin with
    /// the memory that functions for handles of `T` read.
    pub(super) unsafe fn assume(class: *mut PyTypeObject) -> Self {
        Self(class, PhantomData)
    }

    /// The object, if its type is exactly this one.
    #[inline(always)]
    pub(crate) fn exact<'a>(&self, object: Obj<'a>) -> Option<Handle<'a, T>> {
        (object.type_ptr() == self.0).then_some(Handle(object, PhantomData))
    }

    /// The object, if it is an instance of this type or of a subclass; runs no Python code.
    #[inline(always)]
    pub(crate) fn any<'a>(&self, object: Obj<'a>) -> Option<Handle<'a, T>> {
        // SAFETY: a live object, because an `Obj` borrows it; a live type, because `assume` was
        // given one that lives as long as the process, and null is excluded.
        let is_instance =
            !self.0.is_null() && unsafe { PyObject_TypeCheck(object.as_ptr(), self.0) != 0 };
        is_instance.then_some(Handle(object, PhantomData))
    }

    /// The type, for comparison with the types of objects; null if there is none.
    pub(super) fn as_ptr(&self) -> *mut PyTypeObject {
        self.0
    }
}
