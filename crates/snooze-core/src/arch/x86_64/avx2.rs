//! The `avx2` tier: AVX2 and BMI (x86-64-v3).

use core::arch::x86_64::*;

use super::super::generic::decimal::Decimal;
use super::super::generic::digits::Form;
use super::super::generic::escape::Unit;
use super::super::{Task, vector::Vector};
use super::sse42::partial_128;
use super::{decimals, digits, encode_128};

/// Thirty-two bytes.
#[derive(Clone, Copy)]
pub(in super::super) struct Avx2(__m256i);

/// Whether this processor has the tier.
pub(in super::super) fn is_available() -> bool {
    super::sse42::is_available()
        && is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("lzcnt")
}

#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
unsafe fn call<T: Task>(task: T) -> T::Output {
    task.run::<Avx2>()
}

// Every intrinsic below: the processor has AVX2, because an `Avx2` and these methods
// are only reached through `Dispatch::run`, which checked it.
// SAFETY: as the trait asks; see each method.
unsafe impl Vector for Avx2 {
    const LANES: usize = 32;

    #[inline(never)]
    unsafe fn call<T: Task>(task: T) -> T::Output {
        // SAFETY: the processor has the tier, by the caller.
        unsafe { call(task) }
    }

    #[inline(always)]
    unsafe fn load(source: *const u8) -> Self {
        // SAFETY: thirty-two readable bytes, by the caller; any alignment.
        Self(unsafe { _mm256_loadu_si256(source.cast()) })
    }

    #[inline(always)]
    unsafe fn load_partial(source: *const u8, count: usize) -> Self {
        debug_assert!(count < 32);
        // SAFETY: see above; each part reads only bytes below `count`.
        unsafe {
            if count >= 16 {
                let low = _mm_loadu_si128(source.cast());
                let high = partial_128(source.add(16), count - 16);
                Self(_mm256_set_m128i(high, low))
            } else {
                Self(_mm256_zextsi128_si256(partial_128(source, count)))
            }
        }
    }

    #[inline(always)]
    unsafe fn store(self, target: *mut u8) {
        // SAFETY: thirty-two writable bytes, by the caller; any alignment.
        unsafe { _mm256_storeu_si256(target.cast(), self.0) }
    }

    #[inline(always)]
    fn stops(self) -> u64 {
        // SAFETY: see above.
        unsafe {
            let quote = _mm256_cmpeq_epi8(self.0, _mm256_set1_epi8(b'"' as i8));
            let backslash = _mm256_cmpeq_epi8(self.0, _mm256_set1_epi8(b'\\' as i8));
            let low = _mm256_min_epu8(self.0, _mm256_set1_epi8(0x1f));
            let control = _mm256_cmpeq_epi8(low, self.0);
            mask(_mm256_or_si256(_mm256_or_si256(quote, backslash), control))
        }
    }

    #[inline(always)]
    fn high(self) -> u64 {
        mask(self.0)
    }

    #[inline(always)]
    fn not_space(self) -> u64 {
        // SAFETY: see above.
        unsafe {
            let space = _mm256_cmpeq_epi8(self.0, _mm256_set1_epi8(b' ' as i8));
            let feed = _mm256_cmpeq_epi8(self.0, _mm256_set1_epi8(b'\n' as i8));
            let carriage = _mm256_cmpeq_epi8(self.0, _mm256_set1_epi8(b'\r' as i8));
            let tab = _mm256_cmpeq_epi8(self.0, _mm256_set1_epi8(b'\t' as i8));
            let any = _mm256_or_si256(_mm256_or_si256(space, feed), _mm256_or_si256(carriage, tab));
            mask(any) ^ 0xffff_ffff
        }
    }

    #[inline(always)]
    fn leads(self) -> u64 {
        // SAFETY: see above. As signed bytes, continuation bytes are those below -64.
        unsafe { mask(_mm256_cmpgt_epi8(self.0, _mm256_set1_epi8(-65))) }
    }

    #[inline(always)]
    fn at_least(self, floor: u8) -> u64 {
        // SAFETY: see above.
        unsafe {
            let top = _mm256_max_epu8(self.0, _mm256_set1_epi8(floor as i8));
            mask(_mm256_cmpeq_epi8(top, self.0))
        }
    }

    #[inline(always)]
    fn equal(self, byte: u8) -> u64 {
        // SAFETY: see above.
        unsafe { mask(_mm256_cmpeq_epi8(self.0, _mm256_set1_epi8(byte as i8))) }
    }

    #[inline(always)]
    fn folded(self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm256_or_si256(self.0, _mm256_set1_epi8(0x20)) })
    }

    #[inline(always)]
    unsafe fn widen_16(source: *const u8, target: *mut u16) {
        // SAFETY: see above; the ranges are the caller's.
        unsafe {
            for part in 0..2 {
                let bytes = _mm_loadu_si128(source.add(16 * part).cast());
                let wide = _mm256_cvtepu8_epi16(bytes);
                _mm256_storeu_si256(target.add(16 * part).cast(), wide);
            }
        }
    }

    #[inline(always)]
    unsafe fn widen_32(source: *const u8, target: *mut u32) {
        // SAFETY: see above; the ranges are the caller's.
        unsafe {
            for part in 0..4 {
                let bytes = _mm_loadl_epi64(source.add(8 * part).cast());
                let wide = _mm256_cvtepu8_epi32(bytes);
                _mm256_storeu_si256(target.add(8 * part).cast(), wide);
            }
        }
    }

    const DECIMALS: bool = true;

    #[inline(always)]
    fn decimal(bytes: &[u8], at: usize) -> Option<Decimal> {
        // SAFETY: see above.
        unsafe { decimals::decimal_256(bytes, at) }
    }

    #[inline(always)]
    unsafe fn write_digits(digits: u64, least: u32, form: &Form, target: *mut u8) -> u32 {
        // SAFETY: see above; otherwise by the caller.
        unsafe { digits::write_digits_128(digits, least, form, target) }
    }

    #[inline(always)]
    unsafe fn write_block<U: Unit>(source: &[U], target: *mut u8) -> Option<*mut u8> {
        // SAFETY: see above; otherwise by the caller.
        unsafe { encode_128::write_block(source, target) }
    }

    #[inline(always)]
    unsafe fn write_block_utf8(source: &[u8], target: *mut u8) -> *mut u8 {
        // SAFETY: see above; otherwise by the caller.
        unsafe { encode_128::write_block_utf8(source, target) }
    }
}

/// The top bit of each lane.
#[inline(always)]
fn mask(lanes: __m256i) -> u64 {
    // SAFETY: reached only with an `Avx2` vector, whose existence proves the tier.
    unsafe { _mm256_movemask_epi8(lanes) as u32 as u64 }
}
