//! Values that each thread has for itself, so that threads without a GIL do not slow each other.
//!
//! Two threads that write to one cache line pass it back and forth, which costs more than a small
//! call does. Separate because the scratch memory of a call and the predicted length of its output
//! both need it. Invariant: a slot is only a preference. With more threads than slots some share
//! one, so the values are atomic all the same. With a GIL there is one slot. Used by `pool`
//! and `runtime`.

use core::cell::Cell;
use core::sync::atomic::{AtomicUsize, Ordering};

use crate::py::compat::FREE_THREADED;

/// The number of slots.
pub(crate) const SLOTS: usize = if FREE_THREADED { 16 } else { 1 };

/// The words between two slots: two cache lines, because processors fetch lines in pairs.
const PADDING: usize = if FREE_THREADED { 15 } else { 0 };

/// One slot of [`PerThread`], which shares its cache line with no other.
#[derive(Debug, Default)]
struct Slot<T> {
    value: T,
    _padding: [usize; PADDING],
}

/// A value for each thread.
#[derive(Debug)]
pub(crate) struct PerThread<T>([Slot<T>; SLOTS]);

impl<T: Default> Default for PerThread<T> {
    fn default() -> Self {
        Self(core::array::from_fn(|_| Slot::default()))
    }
}

impl<T> PerThread<T> {
    /// The value of this thread.
    #[inline(always)]
    pub(crate) fn here(&self) -> &T {
        &self.0[home()].value
    }

    /// All values, beginning with the value of this thread.
    #[inline(always)]
    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        let (before, from_here) = self.0.split_at(home());
        from_here.iter().chain(before).map(|slot| &slot.value)
    }

    /// All values.
    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.0.iter_mut().map(|slot| &mut slot.value)
    }
}

/// The slot of this thread. Threads get the slots in turn.
#[inline(always)]
fn home() -> usize {
    /// The slot of the next thread, counted from one.
    static NEXT: AtomicUsize = AtomicUsize::new(1);
    thread_local! {
        /// One more than the thread's slot; zero before its first call.
        static HOME: Cell<usize> = const { Cell::new(0) };
    }
    if !FREE_THREADED {
        return 0;
    }
    HOME.with(|home| {
        if home.get() == 0 {
            home.set(NEXT.fetch_add(1, Ordering::Relaxed).rem_euclid(SLOTS) + 1);
        }
        home.get() - 1
    })
}
