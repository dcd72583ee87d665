//! Rust allocations that fail on demand: for tests, and only in builds with the feature `checked`.
//!
//! Separate because it replaces the global allocator. CPython can starve its own allocators
//! (`_testcapi.set_nomemory`); vectors of this crate come from Rust's, where an allocation that
//! fails unexpectedly ends the process. Invariant: while the countdown is negative, this is the
//! system's allocator. Called by `module::functions`.
#![allow(unsafe_code)]

use core::sync::atomic::{AtomicI64, Ordering};
use std::alloc::{GlobalAlloc, Layout, System};

/// Allocations until one fails; negative if none does. Process-wide, as the allocator is.
static COUNTDOWN: AtomicI64 = AtomicI64::new(-1);

#[global_allocator]
static ALLOCATOR: Starving = Starving;

struct Starving;

/// Whether the next allocation fails.
fn fails() -> bool {
    COUNTDOWN.load(Ordering::Relaxed) >= 0 && COUNTDOWN.fetch_sub(1, Ordering::Relaxed) == 0
}

/// Lets the allocation after the next `count` fail, or none if that is negative; returns what was
/// left of the count before, which is negative once the failure has happened.
pub(crate) fn starve(count: i64) -> i64 {
    COUNTDOWN.swap(count, Ordering::Relaxed)
}

// SAFETY: the system's allocator, because each call is passed on unchanged; null is how an
// allocator reports a failure.
unsafe impl GlobalAlloc for Starving {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if fails() {
            return core::ptr::null_mut();
        }
        // SAFETY: the layout is valid for the system's allocator, because the caller promises it
        // for this one.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: `block` came from the system's allocator with this layout, because every block of
        // this one does.
        unsafe { System.dealloc(block, layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if fails() {
            return core::ptr::null_mut();
        }
        // SAFETY: the layout is valid for the system's allocator, because the caller promises it
        // for this one.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if fails() {
            return core::ptr::null_mut();
        }
        // SAFETY: `block` came from the system's allocator with this layout, because every block of
        // this one does.
        unsafe { System.realloc(block, layout, size) }
    }
}
