//! A value that may be replaced by whoever holds the GIL, and read while no Python code runs.

use core::cell::UnsafeCell;

use crate::py::{Attached, compat};

/// A value that is shared by the threads of an interpreter and may be replaced.
///
/// On free-threaded builds it always keeps the first value.
#[derive(Debug, Default)]
pub(crate) struct GilCell<T>(UnsafeCell<T>);

impl<T> GilCell<T> {
    pub(crate) fn new(value: T) -> Self {
        Self(UnsafeCell::new(value))
    }

    /// The value now; it cannot be replaced while the witness is borrowed.
    #[inline(always)]
    pub(crate) fn get<'a>(&'a self, _py: &'a Attached) -> &'a T {
        // SAFETY: `set` needs the witness for itself, and other threads the GIL, which this one
        // has and does not let go while the witness is borrowed.
        unsafe { &*self.0.get() }
    }

    /// Replaces the value.
    pub(crate) fn set(&self, _py: &mut Attached, value: T) {
        if !compat::FREE_THREADED {
            // SAFETY: nobody has a reference to the old value, see `get`. It is dropped after it
            // was replaced.
            drop(unsafe { core::mem::replace(&mut *self.0.get(), value) });
        }
    }
}
