//! The entry into the tiers of x86-64.
//!
//! Separate because each architecture has one such file. Called by `dispatch`.

use super::super::{Scalar, Task, Tier, Vector};
use super::{avx2, avx512, sse42};

/// Whether this build has kernels for `tier`.
pub(in super::super) fn is_compiled(_tier: Tier) -> bool {
    true
}

/// Whether this processor can run `tier`, for which this build has kernels.
pub(in super::super) fn is_available(tier: Tier) -> bool {
    match tier {
        Tier::Scalar => true,
        Tier::V128 => sse42::is_available(),
        Tier::Avx2 => avx2::is_available(),
        Tier::Avx512 => avx512::is_available(),
    }
}

/// Runs `task` with the vectors of `tier`, or with `BITS` if that is less. Wider copies of the task
/// are not compiled, because the compiler knows `BITS`.
///
/// # Safety
/// The tier is available.
#[inline(always)]
pub(in super::super) unsafe fn run<const BITS: usize, T: Task>(tier: Tier, task: T) -> T::Output {
    // PERF: comparisons instead of a `match`, which compiles to a jump table: 1.5 ns of each call
    // (2026-11-21).
    // SAFETY: the processor has the tier, because the caller checked that, and the tiers below it,
    // which it extends.
    unsafe {
        if BITS >= 512 && tier >= Tier::Avx512 {
            return avx512::Avx512::call_unchecked(task);
        }
        if BITS >= 256 && tier >= Tier::Avx2 {
            return avx2::Avx2::call_unchecked(task);
        }
        if tier >= Tier::V128 {
            return sse42::Sse42::call_unchecked(task);
        }
        Scalar::call_unchecked(task)
    }
}

/// Whether each processor has vectors: `lacking` refuses those without SSE4.2.
pub(in super::super) const HAS_VECTORS: bool = true;

/// Asks the processor to load the cache line at `address`, which may be any address.
#[inline(always)]
pub(in super::super) fn prefetch<T>(address: *const T) {
    // SAFETY: a prefetch is a hint that faults at no address, because the instruction set defines
    // it so; SSE is part of the x86-64 baseline.
    unsafe {
        core::arch::x86_64::_mm_prefetch::<{ core::arch::x86_64::_MM_HINT_T0 }>(address.cast());
    }
}

/// Whether [`thread_pointer`] knows the pointer.
pub(in super::super) const HAS_THREAD_POINTER: bool = cfg!(target_os = "linux");

/// The address of this thread's local storage, where it is known: on Linux.
#[inline(always)]
pub(in super::super) fn thread_pointer() -> usize {
    #[cfg(target_os = "linux")]
    {
        let pointer: usize;
        // SAFETY: reads the first word of the thread's control block, which holds its own address
        // on this system, and nothing else.
        unsafe {
            core::arch::asm!(
                "mov {}, qword ptr fs:[0]",
                out(reg) pointer,
                options(pure, nomem, nostack, preserves_flags)
            );
        }
        pointer
    }
    #[cfg(not(target_os = "linux"))]
    0
}
