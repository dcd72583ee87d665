//! The `avx512` tier: byte masks make every load and store exact, so short strings need no tail.

use core::arch::x86_64::*;

use super::super::{Task, vector::Vector};

/// Sixty-four bytes.
#[derive(Clone, Copy)]
pub(in super::super) struct Avx512(__m512i);

/// Whether this processor has the tier.
pub(in super::super) fn is_available() -> bool {
    super::avx2::is_available()
        && is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512vbmi")
        && is_x86_feature_detected!("avx512vbmi2")
}

#[target_feature(
    enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi,avx512vbmi2,avx2,bmi1,bmi2,lzcnt,popcnt"
)]
unsafe fn call<T: Task>(task: T) -> T::Output {
    task.run::<Avx512>()
}

// SAFETY (every intrinsic below): the processor has the AVX-512 features, because an `Avx512`
// and these methods are only reached through `Dispatch::run`, which checked them.
impl Vector for Avx512 {
    const LANES: usize = 64;

    #[inline(never)]
    unsafe fn call<T: Task>(task: T) -> T::Output {
        // SAFETY: the processor has the tier, by the caller.
        unsafe { call(task) }
    }

    #[inline(always)]
    unsafe fn load(source: *const u8) -> Self {
        // SAFETY: sixty-four readable bytes, by the caller; any alignment.
        Self(unsafe { _mm512_loadu_si512(source.cast()) })
    }

    #[inline(always)]
    unsafe fn load_partial(source: *const u8, count: usize) -> Self {
        debug_assert!(count < 64);
        // SAFETY: see above; a masked load touches only the lanes of its mask.
        unsafe {
            let lanes = _bzhi_u64(u64::MAX, count as u32);
            Self(_mm512_maskz_loadu_epi8(lanes, source.cast()))
        }
    }

    #[inline(always)]
    unsafe fn store(self, target: *mut u8) {
        // SAFETY: sixty-four writable bytes, by the caller; any alignment.
        unsafe { _mm512_storeu_si512(target.cast(), self.0) }
    }

    #[inline(always)]
    fn stops(self) -> u64 {
        // SAFETY: see above.
        unsafe {
            _mm512_cmpeq_epi8_mask(self.0, _mm512_set1_epi8(b'"' as i8))
                | _mm512_cmpeq_epi8_mask(self.0, _mm512_set1_epi8(b'\\' as i8))
                | _mm512_cmplt_epu8_mask(self.0, _mm512_set1_epi8(0x20))
        }
    }

    #[inline(always)]
    fn high(self) -> u64 {
        // SAFETY: see above.
        unsafe { _mm512_movepi8_mask(self.0) }
    }

    #[inline(always)]
    fn not_space(self) -> u64 {
        // SAFETY: see above.
        unsafe {
            !(_mm512_cmpeq_epi8_mask(self.0, _mm512_set1_epi8(b' ' as i8))
                | _mm512_cmpeq_epi8_mask(self.0, _mm512_set1_epi8(b'\n' as i8))
                | _mm512_cmpeq_epi8_mask(self.0, _mm512_set1_epi8(b'\r' as i8))
                | _mm512_cmpeq_epi8_mask(self.0, _mm512_set1_epi8(b'\t' as i8)))
        }
    }

    #[inline(always)]
    fn leads(self) -> u64 {
        // SAFETY: see above. As signed bytes, continuation bytes are those below -64.
        unsafe { _mm512_cmpgt_epi8_mask(self.0, _mm512_set1_epi8(-65)) }
    }

    #[inline(always)]
    fn at_least(self, floor: u8) -> u64 {
        // SAFETY: see above.
        unsafe { _mm512_cmpge_epu8_mask(self.0, _mm512_set1_epi8(floor as i8)) }
    }

    #[inline(always)]
    unsafe fn widen_16(source: *const u8, target: *mut u16) {
        // SAFETY: see above; the ranges are the caller's.
        unsafe {
            for part in 0..2 {
                let bytes = _mm256_loadu_si256(source.add(32 * part).cast());
                let wide = _mm512_cvtepu8_epi16(bytes);
                _mm512_storeu_si512(target.add(32 * part).cast(), wide);
            }
        }
    }

    #[inline(always)]
    unsafe fn widen_32(source: *const u8, target: *mut u32) {
        // SAFETY: see above; the ranges are the caller's.
        unsafe {
            for part in 0..4 {
                let bytes = _mm_loadu_si128(source.add(16 * part).cast());
                let wide = _mm512_cvtepu8_epi32(bytes);
                _mm512_storeu_si512(target.add(16 * part).cast(), wide);
            }
        }
    }
}
