//! The entry on processors without vector kernels: the scalar tier is the only one.
//!
//! Separate because each architecture has one such file. Called by `dispatch`.

use super::{Scalar, Task, Tier, Vector};

/// Whether this build has kernels for `tier`.
pub(super) fn is_compiled(tier: Tier) -> bool {
    tier == Tier::Scalar
}

/// Whether this processor can run `tier`, for which this build has kernels.
pub(super) fn is_available(_tier: Tier) -> bool {
    true
}

/// Runs `task`, with any limit of bits.
///
/// # Safety
/// The tier is available.
#[inline(always)]
pub(super) unsafe fn run<const BITS: usize, T: Task>(_tier: Tier, task: T) -> T::Output {
    // SAFETY: every processor has the scalar tier, because it needs no feature.
    unsafe { Scalar::call_unchecked(task) }
}

/// Whether each processor has vectors: they are not used.
pub(super) const HAS_VECTORS: bool = false;

/// Does nothing: there is no portable prefetch.
#[inline(always)]
pub(super) fn prefetch<T>(_address: *const T) {}

/// Nothing: this build is for every processor of the architecture.
pub(super) fn lacking() -> Option<&'static str> {
    None
}

/// Whether [`thread_pointer`] knows the pointer.
pub(super) const HAS_THREAD_POINTER: bool = false;

/// Nothing: there is no portable way to ask for it.
#[inline(always)]
pub(super) fn thread_pointer() -> usize {
    0
}
