//! A value that the thread holding the GIL may replace.
//!
//! Separate because it needs `UnsafeCell`. Invariant: no reference to the old value exists when it
//! is replaced. Called by typed encoding, for the layouts of records.

use core::cell::UnsafeCell;

use crate::py::{Attached, compat};

/// A value that the threads of an interpreter share, and that one of them may replace.
///
/// On free-threaded builds the first value stays forever.
#[derive(Debug, Default)]
pub(crate) struct GilCell<T>(UnsafeCell<T>);

impl<T> GilCell<T> {
    pub(crate) fn new(value: T) -> Self {
        Self(UnsafeCell::new(value))
    }

    /// The current value, which stays while the witness is borrowed.
    #[inline(always)]
    pub(crate) fn get<'a>(&'a self, _py: &'a Attached) -> &'a T {
        // SAFETY: not replaced during `'a`, because `set` runs only where Python code may run: it
        // needs the witness mutably, and another thread needs the GIL, which this thread keeps
        // while it runs no Python code. By the rules of `py` no reference is held while an
        // exception is raised or an `Owned` is dropped.
        unsafe { &*self.0.get() }
    }

    /// Replaces the value.
    pub(crate) fn set(&self, _py: &mut Attached, value: T) {
        if !compat::FREE_THREADED {
            // SAFETY: no reference to the old value exists, because `get` borrows the witness that
            // is `&mut` here. The old value is dropped after the new one is in place, because its
            // drop may run Python code that reads the cell.
            drop(unsafe { core::mem::replace(&mut *self.0.get(), value) });
        }
    }
}
