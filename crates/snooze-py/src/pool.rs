//! Pools of scratch memory: a call takes a scratch object and puts it back for the next call.
//!
//! Separate because it is an unsafe boundary module: a pool holds raw pointers, so that with a GIL
//! taking one costs a plain load and a plain store. Invariant: a scratch object is in a pool or
//! taken by one call, never both. Owned by `module::state` for each interpreter, and by each
//! encoder plan.
#![allow(unsafe_code)]

use core::ops::{Deref, DerefMut};
use core::sync::atomic::{AtomicPtr, Ordering};

use crate::boxed;
use crate::per_thread::PerThread;
use crate::py::compat::FREE_THREADED;
use crate::py::{Raised, error};

/// A pool of one scratch object for each slot of [`PerThread`].
///
/// A call takes the object of its thread's slot, or else of another slot; if the pool is empty it
/// makes a new object, and if it is full it drops its own. No lock is held while an object is taken.
///
/// Threads share a pool even if `T` is not `Send`: an object is used by one call at a time, and
/// what it shares by `Rc` is all inside it.
#[derive(Debug)]
pub(crate) struct Pool<T>(PerThread<AtomicPtr<T>>);

impl<T> Default for Pool<T> {
    fn default() -> Self {
        Self(PerThread::default())
    }
}

/// A scratch object outside the pool.
///
/// A boxed slice of length one, because `Vec` can allocate without aborting and `Box::new` cannot.
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
    /// Makes an object for the first call or a nested one.
    #[cold]
    fn new() -> Result<Self, Raised> {
        let scratch = boxed::put(T::default()).map_err(|_| error::no_memory())?;
        // SAFETY: the pointer comes from `put` and is used here only.
        Ok(Self(unsafe { boxed::take(scratch.as_ptr()) }))
    }
}

impl<T> Taken<T> {
    /// Takes back what [`Taken::into_raw`] returned.
    ///
    /// # Safety
    /// The pointer comes from [`Taken::into_raw`], and nothing else uses it.
    #[inline(always)]
    unsafe fn from_raw(scratch: *mut T) -> Self {
        // SAFETY: as from `put`, because `into_raw` got it from what `take` returned; the caller
        // passes nothing else.
        Self(unsafe { boxed::take(scratch) })
    }

    #[inline(always)]
    fn into_raw(self) -> *mut T {
        Box::into_raw(self.0).cast()
    }
}

impl<T: Default> Pool<T> {
    /// Takes a scratch object out of the pool, or makes a new one.
    #[inline(always)]
    pub(crate) fn take(&self) -> Result<Taken<T>, Raised> {
        for slot in self.0.iter() {
            let scratch = if FREE_THREADED {
                // Read first: a read shares the cache line of another thread's slot, and a write
                // takes it away.
                if slot.load(Ordering::Relaxed).is_null() {
                    continue;
                }
                slot.swap(core::ptr::null_mut(), Ordering::Acquire)
            } else {
                // The GIL makes the pair atomic. An atomic exchange costs more than a small call
                // does.
                let scratch = slot.load(Ordering::Relaxed);
                slot.store(core::ptr::null_mut(), Ordering::Relaxed);
                scratch
            };
            if !scratch.is_null() {
                // SAFETY: the pointer comes from `into_raw` in `put` and is used here only, because
                // the slot was emptied in the same step.
                return Ok(unsafe { Taken::from_raw(scratch) });
            }
        }
        Taken::new()
    }

    /// Puts a scratch object back, or drops it if the pool is full.
    #[inline(always)]
    pub(crate) fn put(&self, scratch: Taken<T>) {
        let scratch = scratch.into_raw();
        for slot in self.0.iter() {
            let null = core::ptr::null_mut();
            let kept = if FREE_THREADED {
                slot.load(Ordering::Relaxed).is_null()
                    && slot
                        .compare_exchange(null, scratch, Ordering::Release, Ordering::Relaxed)
                        .is_ok()
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
        // SAFETY: the pointer comes from `into_raw` above and is used here only, because no slot
        // took it.
        drop(unsafe { Taken::from_raw(scratch) });
    }
}

impl<T> Pool<T> {
    /// Calls `see` for each object in the pool; objects that a call has taken are left out.
    pub(crate) fn each(&self, see: &mut dyn FnMut(&T)) {
        for slot in self.0.iter() {
            let scratch = slot.swap(core::ptr::null_mut(), Ordering::Acquire);
            if scratch.is_null() {
                continue;
            }
            // SAFETY: the pointer comes from `into_raw` in `put` and is used here only, because the
            // swap emptied the slot.
            let taken: Taken<T> = unsafe { Taken::from_raw(scratch) };
            see(&taken);
            let scratch = taken.into_raw();
            let null = core::ptr::null_mut();
            if slot.compare_exchange(null, scratch, Ordering::Release, Ordering::Relaxed).is_err() {
                // SAFETY: the pointer comes from `into_raw` above and is used here only, because
                // the slot did not take it.
                drop(unsafe { Taken::from_raw(scratch) });
            }
        }
    }

    /// Drops the objects in the pool.
    pub(crate) fn clear(&self) {
        for slot in self.0.iter() {
            let scratch = slot.swap(core::ptr::null_mut(), Ordering::Acquire);
            if !scratch.is_null() {
                // SAFETY: the pointer comes from `into_raw` in `put` and is used here only, because
                // the swap emptied the slot.
                drop(unsafe { Taken::from_raw(scratch) });
            }
        }
    }
}

impl<T> Drop for Pool<T> {
    fn drop(&mut self) {
        for slot in self.0.iter_mut() {
            let scratch = core::mem::replace(slot.get_mut(), core::ptr::null_mut());
            if !scratch.is_null() {
                // SAFETY: the pointer comes from `into_raw` in `put` and is used here only, because
                // the pool itself is being dropped.
                drop(unsafe { Taken::from_raw(scratch) });
            }
        }
    }
}
