//! A value with several owners on one thread: `Rc`, but making one can fail instead of aborting.

use core::cell::Cell;
use core::marker::PhantomData;
use core::ops::Deref;
use core::ptr::NonNull;

use crate::py::{Raised, error};

/// One of the owners.
#[derive(Debug)]
pub(crate) struct Rc<T>(NonNull<Inner<T>>, PhantomData<Inner<T>>);

#[derive(Debug)]
struct Inner<T> {
    owners: Cell<usize>,
    value: T,
}

impl<T> Rc<T> {
    /// The first owner.
    pub(crate) fn new(value: T) -> Result<Self, Raised> {
        // A slice of one, because that is what can be allocated without aborting on failure.
        let mut one = Vec::new();
        one.try_reserve_exact(1).map_err(|_| error::no_memory())?;
        one.push(Inner { owners: Cell::new(1), value });
        let inner = Box::into_raw(one.into_boxed_slice()).cast();
        // SAFETY: the pointer of a box is not null.
        Ok(Self(unsafe { NonNull::new_unchecked(inner) }, PhantomData))
    }

    #[inline(always)]
    fn inner(&self) -> &Inner<T> {
        // SAFETY: alive as long as there is an owner.
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
        // Cannot overflow: every owner takes more memory than one byte.
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
            // SAFETY: from `Box::into_raw` of a slice of one, and this was the last owner.
            drop(unsafe { Box::from_raw(core::ptr::slice_from_raw_parts_mut(self.0.as_ptr(), 1)) });
        }
    }
}
