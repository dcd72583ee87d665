//! The entry into the tiers of aarch64.
//!
//! Separate because each architecture has one such file. Called by `dispatch`.

use super::super::{Scalar, Task, Tier, Vector};
use super::neon::Neon;

/// Whether this build has kernels for `tier`.
pub(in super::super) fn is_compiled(tier: Tier) -> bool {
    tier <= Tier::V128
}

/// Whether this processor can run `tier`, for which this build has kernels.
pub(in super::super) fn is_available(_tier: Tier) -> bool {
    // NEON is part of the aarch64 baseline.
    true
}

/// Runs `task` with the vectors of `tier`; no limit of bits is below theirs.
///
/// # Safety
/// The tier is available.
#[inline(always)]
pub(in super::super) unsafe fn run<const BITS: usize, T: Task>(tier: Tier, task: T) -> T::Output {
    // SAFETY: the processor has NEON, because NEON is part of the aarch64 baseline; the scalar tier
    // needs no feature.
    unsafe {
        if tier >= Tier::V128 { Neon::call_unchecked(task) } else { Scalar::call_unchecked(task) }
    }
}

/// Whether each processor has vectors: NEON is part of the baseline.
pub(in super::super) const HAS_VECTORS: bool = true;

/// Asks the processor to load the cache line at `address`, which may be any address.
#[inline(always)]
pub(in super::super) fn prefetch<T>(address: *const T) {
    // SAFETY: a prefetch is a hint that faults at no address and changes no register, because the
    // instruction set defines it so.
    unsafe {
        core::arch::asm!(
            "prfm pldl1keep, [{}]",
            in(reg) address,
            options(readonly, nostack, preserves_flags)
        );
    }
}

/// Nothing: this build is for every processor of the architecture.
pub(in super::super) fn lacking() -> Option<&'static str> {
    None
}

/// Whether [`thread_pointer`] knows the pointer.
pub(in super::super) const HAS_THREAD_POINTER: bool = cfg!(target_os = "linux");

/// The address of this thread's local storage, where it is known: on Linux.
#[inline(always)]
pub(in super::super) fn thread_pointer() -> usize {
    #[cfg(target_os = "linux")]
    {
        let pointer: usize;
        // SAFETY: reads a register that every thread may read, and nothing else.
        unsafe {
            core::arch::asm!(
                "mrs {}, tpidr_el0",
                out(reg) pointer,
                options(pure, nomem, nostack, preserves_flags)
            );
        }
        pointer
    }
    #[cfg(not(target_os = "linux"))]
    0
}
