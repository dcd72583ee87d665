//! The locks of objects, on free-threaded builds: critical sections, and the locks of the lists and
//! dicts that are walked in place.
//!
//! Separate because [`Lock`] uses the lock in an object's header directly: the C-API only has calls
//! that may wait. Without a GIL every change of a list or a dict happens under this lock, in a
//! critical section of the interpreter. So while a [`Lock`] lives, the items stay where they are,
//! alive, and can be borrowed as with a GIL. With a GIL a [`Lock`] is empty and costs
//! nothing. Called by the borrowed walk of `dumps`, by what copies an object under its lock, and by
//! `verify`.
//!
//! Invariants:
//!
//! * [`Lock::take`] does not wait: threads that hold locks and wait for others could deadlock. If
//!   another thread or this one has the lock, the container is copied instead.
//! * While a lock is held, the thread runs no Python code and stays attached: the borrowed
//!   [`Attached`] witness shows it.
//! * What was read under a lock is not used after the lock is released. The compiler does not check
//!   this, because a [`LockStack`] is released container by container while outer ones stay
//!   borrowed: its owner releases the lock of a container where it closes the container.
//! * Locks are released innermost first, because nothing else keeps an inner container alive.
//!
//! Three kinds of lists and dicts change without their lock, and none is part of a document then:
//! the list of a comprehension that still runs, the dict of an `lru_cache`, and garbage.

#[cfg(Py_GIL_DISABLED)]
use core::sync::atomic::{AtomicU8, Ordering};

use arrayvec::ArrayVec;
#[cfg(Py_GIL_DISABLED)]
use pyo3_ffi::*;

use crate::py::compat::FREE_THREADED;
use crate::py::{Attached, Obj, Owned, Raised, error};

/// The lock of a list or a dict, released when dropped.
#[derive(Debug)]
#[must_use = "the lock is released when it is dropped"]
pub(crate) struct Lock<'a> {
    #[cfg(Py_GIL_DISABLED)]
    object: Obj<'a>,
    #[cfg(not(Py_GIL_DISABLED))]
    object: core::marker::PhantomData<Obj<'a>>,
}

/// The values of `PyMutex`: not locked, and locked without a thread that waits.
#[cfg(Py_GIL_DISABLED)]
const UNLOCKED: u8 = 0;
#[cfg(Py_GIL_DISABLED)]
const LOCKED: u8 = 1;

impl<'a> Lock<'a> {
    /// Takes the lock of an object; `None` if any thread holds it or waits for it.
    #[inline(always)]
    pub(crate) fn take(object: Obj<'a>, _py: &'a Attached) -> Option<Self> {
        #[cfg(Py_GIL_DISABLED)]
        {
            Self::bits(object)
                .compare_exchange(UNLOCKED, LOCKED, Ordering::Acquire, Ordering::Relaxed)
                .ok()?;
            Some(Self { object })
        }
        #[cfg(not(Py_GIL_DISABLED))]
        {
            let _ = object;
            Some(Self { object: core::marker::PhantomData })
        }
    }

    /// The state of the object's mutex.
    #[cfg(Py_GIL_DISABLED)]
    #[inline(always)]
    fn bits(object: Obj<'a>) -> &'a AtomicU8 {
        // SAFETY: inside a live object, because an `Obj` borrows it; a `PyMutex` is one byte that
        // all threads access atomically.
        unsafe { AtomicU8::from_ptr((&raw mut (*object.as_ptr()).ob_mutex).cast()) }
    }
}

#[cfg(Py_GIL_DISABLED)]
impl Drop for Lock<'_> {
    #[inline(always)]
    fn drop(&mut self) {
        let bits = Self::bits(self.object);
        if bits.compare_exchange(LOCKED, UNLOCKED, Ordering::Release, Ordering::Relaxed).is_err() {
            // SAFETY: a live object, because an `Obj` borrows it; its mutex is locked, because this
            // thread locked it in `take` and nothing else unlocks it. The call wakes a thread that
            // waits.
            unsafe { PyMutex_Unlock(&raw mut (*self.object.as_ptr()).ob_mutex) }
        }
    }
}

/// The locks of open containers, the innermost last; a container that needs none has `None`.
///
/// With a GIL it does nothing.
#[derive(Debug)]
pub(crate) struct LockStack<'a, const DEPTH: usize>(ArrayVec<Option<Lock<'a>>, DEPTH>);

impl<'a, const DEPTH: usize> LockStack<'a, DEPTH> {
    /// No locks.
    #[inline(always)]
    pub(crate) const fn new() -> Self {
        Self(ArrayVec::new_const())
    }

    /// Holds the lock of a container that is being opened.
    #[inline(always)]
    pub(crate) fn open(&mut self, lock: Option<Lock<'a>>) -> Result<(), Raised> {
        if FREE_THREADED && self.0.try_push(lock).is_err() {
            return Err(error::system_error(c"more containers are open than have room"));
        }
        Ok(())
    }

    /// Releases the lock of the innermost container, which is being closed.
    #[inline(always)]
    pub(crate) fn close(&mut self) {
        if FREE_THREADED {
            let _released = self.0.pop();
        }
    }
}

/// Innermost first: only the locked container around it keeps an inner one alive. An `ArrayVec`
/// drops its first element first.
#[cfg(Py_GIL_DISABLED)]
impl<const DEPTH: usize> Drop for LockStack<'_, DEPTH> {
    fn drop(&mut self) {
        while self.0.pop().is_some() {}
    }
}

/// Runs `body` while holding the object's lock, on free-threaded builds.
pub(crate) fn locked<R>(_object: Obj<'_>, body: impl FnOnce() -> R) -> R {
    #[cfg(Py_GIL_DISABLED)]
    {
        let mut section = core::mem::MaybeUninit::<PyCriticalSection>::uninit();
        // SAFETY: attached and a live object, because there is an `Obj`; the section ends on the
        // thread that began it, because `body` cannot unwind: panics abort.
        unsafe {
            PyCriticalSection_Begin(section.as_mut_ptr(), _object.as_ptr());
            let result = body();
            PyCriticalSection_End(section.as_mut_ptr());
            result
        }
    }
    #[cfg(not(Py_GIL_DISABLED))]
    body()
}

/// Whether [`Lock`] is the lock of the interpreter's critical sections, tried with a new list; true
/// with a GIL.
pub(crate) fn verify(new_list: &Owned, py: &Attached) -> bool {
    let is_free = || Lock::take(new_list.get(), py).is_some();
    // Twice before: the first lock must have been released.
    !FREE_THREADED || is_free() && is_free() && locked(new_list.get(), || !is_free()) && is_free()
}
