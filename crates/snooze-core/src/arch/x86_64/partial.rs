//! Loads a text that may be shorter than a vector.
//!
//! Separate because the tiers `v128` and `avx2` and their kernels load the end of a text in the
//! same way; `avx2` also loads a short text by words. Invariant: no byte beyond the end is read.

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

/// The masks of [`words_256`]: the window that begins `n` before the middle has `n` words set.
static WORDS: [i32; 16] = [-1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0];

/// Loads `count` words of four bytes and sets the lanes above to zero, without a branch. Reads no
/// further byte.
///
/// # Safety
/// The processor has AVX2, `count <= 8`, and `source` is valid for reading the words.
#[inline(always)]
pub(super) unsafe fn words_256(source: *const u8, count: usize) -> __m256i {
    debug_assert!(count <= 8);
    // SAFETY: the window of eight masks lies inside the sixteen, because `count <= 8`; a word whose
    // mask is zero is not read. The caller says the rest.
    unsafe {
        let mask = _mm256_loadu_si256(WORDS.as_ptr().add(8 - count).cast());
        _mm256_maskload_epi32(source.cast(), mask)
    }
}
