//! A value with several owners on one thread: `Rc` whose allocation can fail.
//!
//! Separate because `alloc::rc::Rc` aborts when memory runs out, and this one raises `MemoryError`.
//! Invariant: the value is dropped with its last owner. Called by the encoders' type caches.

use core::cell::Cell;
use core::marker::PhantomData;
use core::ops::Deref;
use core::ptr::NonNull;

use crate::boxed;
use crate::py::{Raised, error};

/// An owner of the value.
#[derive(Debug)]
pub(crate) struct Rc<T>(NonNull<Inner<T>>, PhantomData<Inner<T>>);

#[derive(Debug)]
struct Inner<T> {
    owners: Cell<usize>,
    value: T,
}

impl<T> Rc<T> {
    /// Moves a value to the heap.
    pub(crate) fn new(value: T) -> Result<Self, Raised> {
        let inner = boxed::put(Inner { owners: Cell::new(1), value });
        Ok(Self(inner.map_err(|_| error::no_memory())?, PhantomData))
    }

    #[inline(always)]
    fn inner(&self) -> &Inner<T> {
        // SAFETY: allocated, because `drop` frees it only with the last owner.
        unsafe { self.0.as_ref() }
    }
}

impl<T> Deref for Rc<T> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        &self.inner().value
    }
}

impl<T> Clone for Rc<T> {
    #[inline(always)]
    fn clone(&self) -> Self {
        // Cannot overflow: each owner takes more than one byte of the address space.
        self.inner().owners.set(self.inner().owners.get() + 1);
        Self(self.0, PhantomData)
    }
}

impl<T> Drop for Rc<T> {
    #[inline(always)]
    fn drop(&mut self) {
        let owners = self.inner().owners.get() - 1;
        self.inner().owners.set(owners);
        if owners == 0 {
            // SAFETY: from `put`, because `new` called it; freed once, because this was the last
            // owner.
            drop(unsafe { boxed::take(self.0.as_ptr()) });
        }
    }
}
