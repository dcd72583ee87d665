//! Loads less than sixteen bytes.
//!
//! Separate because the tiers `v128` and `avx2` and their kernels load the end of a text in the same
//! way. Invariant: no byte beyond the end is read.

use core::arch::x86_64::*;

use super::super::scalar::partial_u64;

/// Loads `count < 16` bytes and sets the lanes above to zero. Reads no further byte.
///
/// # Safety
/// `source` is valid for reading `count` bytes.
#[inline(always)]
pub(super) unsafe fn partial_128(source: *const u8, count: usize) -> __m128i {
    debug_assert!(count < 16);
    if count >= 8 {
        // SAFETY: both reads of eight bytes lie inside the `count` bytes, because `count >= 8`; the
        // caller guarantees these.
        let (low, high) = unsafe {
            (
                u64::from_le_bytes(source.cast::<[u8; 8]>().read()),
                u64::from_le_bytes(source.add(count - 8).cast::<[u8; 8]>().read()),
            )
        };
        // The second read repeats 16 - count bytes of the first, which the shift drops. Two shifts,
        // because for count == 8 one shift would be by 64 bits.
        let high = (high >> 1) >> (8 * (16 - count) - 1);
        // SAFETY: the processor has SSE2, because it is part of the x86-64 baseline.
        unsafe { _mm_set_epi64x(high as i64, low as i64) }
    } else {
        // SAFETY: `count` readable bytes, by the caller; SSE2 is part of the x86-64 baseline.
        unsafe { _mm_cvtsi64_si128(partial_u64(source, count) as i64) }
    }
}
