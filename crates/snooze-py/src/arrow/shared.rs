//! A value with several owners on several threads, allocated without aborting.
//!
//! Separate because `Arc` ends the process where memory is exhausted. Invariant: the value is
//! dropped by the last of its owners. Used by `scan`.

use core::ops::Deref;
use core::ptr::NonNull;
use core::sync::atomic::{AtomicUsize, Ordering, fence};

use snooze_core::columns::NoMemory;

use crate::boxed;

#[derive(Debug)]
struct Inner<T> {
    owners: AtomicUsize,
    value: T,
}

/// One owner of a value.
#[derive(Debug)]
pub(crate) struct Shared<T>(NonNull<Inner<T>>);

// SAFETY: sending an owner is sound, because it gives access to the value by shared reference
// (`Sync`) and may be the last one, which drops it (`Send`).
unsafe impl<T: Send + Sync> Send for Shared<T> {}
// SAFETY: as for sending.
unsafe impl<T: Send + Sync> Sync for Shared<T> {}

impl<T> Shared<T> {
    /// The first owner of a value.
    pub(crate) fn new(value: T) -> Result<Self, NoMemory> {
        let inner = Inner { owners: AtomicUsize::new(1), value };
        boxed::put(inner).map(Self).map_err(|_| NoMemory)
    }
}

impl<T> Clone for Shared<T> {
    fn clone(&self) -> Self {
        // SAFETY: live, because this owner keeps it.
        unsafe { self.0.as_ref() }.owners.fetch_add(1, Ordering::Relaxed);
        Self(self.0)
    }
}

impl<T> Deref for Shared<T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: live, because this owner keeps it.
        &unsafe { self.0.as_ref() }.value
    }
}

impl<T> Drop for Shared<T> {
    fn drop(&mut self) {
        // SAFETY: live, because this owner keeps it; the last owner takes it back once, after all
        // that the others did.
        unsafe {
            if self.0.as_ref().owners.fetch_sub(1, Ordering::Release) == 1 {
                fence(Ordering::Acquire);
                drop(boxed::take(self.0.as_ptr()));
            }
        }
    }
}
