//! The calls in progress that may run user code, which tell when to look at the C stack.
//!
//! A hook may call the library again, and so on without end: see `py::thread_stack`. A call that
//! begins while none is in progress is not nested in another one, so it pays only for the count.
//! Separate from `pool`, because codecs have pools of their own and share the stack. Invariant: the
//! count is that of the [`Call`]s that exist. Owned by `runtime`; called by the entries of the
//! walks that may run user code.

use core::sync::atomic::{AtomicUsize, Ordering};

use crate::py::compat::FREE_THREADED;
use crate::py::{Raised, error, thread_stack};

/// The calls in progress of all threads of an interpreter. With a GIL it is only used while that is
/// held, so that plain loads and stores suffice.
///
/// Free-threaded builds count nothing: snooze supports them from CPython 3.14 on, which looks at the
/// stack itself.
#[derive(Debug, Default)]
pub(crate) struct Calls(AtomicUsize);

/// A call in progress, from [`Calls::enter`] until it is dropped.
#[derive(Debug)]
pub(crate) struct Call<'a>(&'a Calls);

impl Calls {
    /// Begins a call; raises `RecursionError` if it may be nested and the C stack of the thread
    /// would not hold it.
    #[inline(always)]
    pub(crate) fn enter(&self) -> Result<Call<'_>, Raised> {
        if !FREE_THREADED {
            let count = self.0.load(Ordering::Relaxed);
            if count != 0 && !thread_stack::has_room() {
                return Err(too_deep());
            }
            self.0.store(count + 1, Ordering::Relaxed);
        }
        Ok(Call(self))
    }
}

impl Drop for Call<'_> {
    #[inline(always)]
    fn drop(&mut self) {
        if !FREE_THREADED {
            let Self(calls) = self;
            calls.0.store(calls.0.load(Ordering::Relaxed) - 1, Ordering::Relaxed);
        }
    }
}

#[cold]
fn too_deep() -> Raised {
    error::recursion_error(
        c"no room on the C stack of this thread for a call of snooze, which may be nested in \
          others by hooks (see threading.stack_size)",
    )
}
