//! Scratch memory that calls take out of a pool and put back.
//!
//! An unsafe room: the pool keeps raw pointers, so that taking one out is two plain loads and stores
//! where there is a GIL. Invariant: a scratch is in the pool or in the hands of one call, never
//! both. Kept by `module::state` for each interpreter, and by each encoder's plan.
#![allow(unsafe_code)]

use core::ops::{Deref, DerefMut};
use core::sync::atomic::{AtomicPtr, Ordering};

use crate::py::compat::FREE_THREADED;
use crate::py::{Raised, error};

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
