//! How much of the thread's C stack is left.
//!
//! Hooks may call the library again, and so on: each level takes a few kilobytes of C stack for our
//! frames and the interpreter's. Before 3.14 CPython counts levels but does not look at the stack,
//! so on a small one the process would end by a signal before the count reaches its limit. Separate
//! because it is the only question to the operating system. Called by `calls`, which knows when
//! calls may be nested.

use core::cell::Cell;
use core::hint::black_box;
use core::ops::Range;

/// Bytes of stack that a nested call must find, or half of a stack that has less than twice as
/// many. Our own frames need less than 8 kB; the rest is for the hooks that it calls and for the
/// interpreter. A thread of musl has 128 kB.
const MARGIN: usize = 64 * 1024;

/// Whether the stack has room for one more call and what it may call. True where that is unknown.
pub(crate) fn has_room() -> bool {
    thread_local! {
        /// The bounds of the thread's stack; empty if they are unknown.
        static STACK: Cell<Option<Range<usize>>> = const { Cell::new(None) };
    }
    let stack = STACK.take().unwrap_or_else(|| bounds().unwrap_or(0..0));
    STACK.set(Some(stack.clone()));
    let local = 0u8;
    let here = black_box(&raw const local).addr();
    // An address elsewhere is that of a fiber, whose stack is unknown.
    !stack.contains(&here) || here - stack.start >= MARGIN.min(stack.len() / 2)
}

/// The addresses that the stack of this thread may reach, if the system tells them.
#[cfg(any(target_os = "linux", target_os = "android"))]
fn bounds() -> Option<Range<usize>> {
    use core::mem::MaybeUninit;

    let mut attributes = MaybeUninit::<libc::pthread_attr_t>::uninit();
    let mut lowest = core::ptr::null_mut();
    let (mut size, mut guard) = (0, 0);
    // SAFETY: this thread is alive, because it runs this; the attributes are initialised by the
    // first call, because it returned zero, and destroyed once; the results are local variables.
    unsafe {
        if libc::pthread_getattr_np(libc::pthread_self(), attributes.as_mut_ptr()) != 0 {
            return None;
        }
        let attributes = attributes.as_mut_ptr();
        let is_known = libc::pthread_attr_getstack(attributes, &mut lowest, &mut size) == 0
            && libc::pthread_attr_getguardsize(attributes, &mut guard) == 0;
        libc::pthread_attr_destroy(attributes);
        // Some versions of glibc count the guard page as a part of the stack.
        let stack = lowest.addr() + guard..lowest.addr() + size;
        is_known.then(|| if cfg!(target_env = "musl") { grown(stack) } else { stack })
    }
}

/// The addresses that a stack may reach, from those that musl tells: of the first thread only what
/// was used so far, though its stack grows up to the limit of the process.
#[cfg(any(target_os = "linux", target_os = "android"))]
fn grown(stack: Range<usize>) -> Range<usize> {
    /// The stack of a process without a limit.
    const UNLIMITED: usize = 8 << 20;
    /// The kernel puts its random bytes so near to the end that musl knows.
    const NEAR: usize = 64 * 1024;

    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the first call only reads what the kernel gave to the process; the result of the
    // second is a local variable.
    let (random, status) = unsafe {
        (libc::getauxval(libc::AT_RANDOM), libc::getrlimit(libc::RLIMIT_STACK, &raw mut limit))
    };
    // Not by the number of the thread: in the child of a fork it is that of the process.
    let is_first = (random as usize).abs_diff(stack.end) < NEAR;
    if !is_first || status != 0 {
        return stack;
    }
    let most = match limit.rlim_cur {
        libc::RLIM_INFINITY => UNLIMITED,
        most => usize::try_from(most).unwrap_or(usize::MAX),
    };
    let lowest = stack.end.saturating_sub(most);
    lowest.min(stack.start)..stack.end
}

/// The addresses that the stack of this thread may reach, if the system tells them.
#[cfg(target_os = "macos")]
fn bounds() -> Option<Range<usize>> {
    // SAFETY: this thread is alive, because it runs this.
    unsafe {
        let thread = libc::pthread_self();
        let highest = libc::pthread_get_stackaddr_np(thread).addr();
        Some(highest.checked_sub(libc::pthread_get_stacksize_np(thread))?..highest)
    }
}

/// Unknown on other systems.
#[cfg(not(any(target_os = "linux", target_os = "android", target_os = "macos")))]
fn bounds() -> Option<Range<usize>> {
    None
}
