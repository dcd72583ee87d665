//! The `avx2` tier: AVX2 and BMI (x86-64-v3).
//!
//! Separate because each tier is one file. **Soundness:** the processor has the tier wherever this
//! code runs, because `Dispatch` checks [`is_available`] before it hands out [`Avx2`].

use core::arch::x86_64::*;

use super::super::generic::decimal::ScannedDecimal;
use super::super::generic::digits::DigitLayout;
use super::super::generic::escape::copy_vectors;
use super::super::generic::headed::{Headed, HeadedText, copy_headed, escape_headed};
use super::super::generic::shortest::{FLOATS, ShiftedPowers, ShortestDecimals};
use super::super::generic::units::{Target, Unit};
use super::super::lanes::{LAST_FLIPPED, QUOTE_FLIP};
use super::super::{Lanes, Task, Vector};
use super::partial::{partial_128, words_256};
use super::sse42::Sse42;
use super::{decimals, decode_128, digits, encode_256, shortest_256};

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

/// Runs `task` in a function compiled with the features of the tier.
///
/// # Safety
/// The processor has the tier.
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
unsafe fn call_with_features<T: Task>(task: T) -> T::Output {
    task.with_vectors::<Avx2>()
}

// SAFETY: `LANES` is 32 and each mask has one bit for each lane, because `_mm256_movemask_epi8`
// makes it.
unsafe impl Lanes for Avx2 {
    const LANES: usize = 32;

    #[inline(always)]
    unsafe fn load(source: *const u8) -> Self {
        // SAFETY: thirty-two bytes are readable, because the caller guarantees it; the load is
        // unaligned.
        Self(unsafe { _mm256_loadu_si256(source.cast()) })
    }

    #[inline(always)]
    unsafe fn load_partial(source: *const u8, count: usize) -> Self {
        debug_assert!(count < 32);
        // SAFETY: the processor has AVX2, because `Dispatch` checked it; each part reads only bytes
        // below `count`.
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
        // SAFETY: thirty-two bytes are writable, because the caller guarantees it; the store is
        // unaligned.
        unsafe { _mm256_storeu_si256(target.cast(), self.0) }
    }

    #[inline(always)]
    fn string_stops(self) -> u64 {
        // SAFETY: the processor has AVX2, because `Dispatch` checked it.
        unsafe {
            let flipped = _mm256_xor_si256(self.0, _mm256_set1_epi8(QUOTE_FLIP as i8));
            let low = _mm256_min_epu8(flipped, _mm256_set1_epi8(LAST_FLIPPED as i8));
            let backslash = _mm256_cmpeq_epi8(self.0, _mm256_set1_epi8(b'\\' as i8));
            mask(_mm256_or_si256(_mm256_cmpeq_epi8(low, flipped), backslash))
        }
    }

    #[inline(always)]
    fn non_ascii(self) -> u64 {
        mask(self.0)
    }

    #[inline(always)]
    fn non_space(self) -> u64 {
        // SAFETY: the processor has AVX2, because `Dispatch` checked it.
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
    fn char_starts(self) -> u64 {
        // SAFETY: the processor has AVX2, because `Dispatch` checked it. As signed bytes,
        // continuation bytes are those below -64.
        unsafe { mask(_mm256_cmpgt_epi8(self.0, _mm256_set1_epi8(-65))) }
    }

    #[inline(always)]
    fn at_least(self, floor: u8) -> u64 {
        // SAFETY: the processor has AVX2, because `Dispatch` checked it.
        unsafe {
            let top = _mm256_max_epu8(self.0, _mm256_set1_epi8(floor as i8));
            mask(_mm256_cmpeq_epi8(top, self.0))
        }
    }

    #[inline(always)]
    fn equal(self, byte: u8) -> u64 {
        // SAFETY: the processor has AVX2, because `Dispatch` checked it.
        unsafe { mask(_mm256_cmpeq_epi8(self.0, _mm256_set1_epi8(byte as i8))) }
    }

    #[inline(always)]
    fn brackets_to_braces(self) -> Self {
        // SAFETY: the processor has AVX2, because `Dispatch` checked it.
        Self(unsafe { _mm256_or_si256(self.0, _mm256_set1_epi8(0x20)) })
    }

    #[inline(always)]
    unsafe fn widen_16(source: *const u8, target: *mut u16) {
        // SAFETY: the processor has AVX2, because `Dispatch` checked it; the caller guarantees both
        // ranges.
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
        // SAFETY: the processor has AVX2, because `Dispatch` checked it; the caller guarantees both
        // ranges.
        unsafe {
            for part in 0..4 {
                let bytes = _mm_loadl_epi64(source.add(8 * part).cast());
                let wide = _mm256_cvtepu8_epi32(bytes);
                _mm256_storeu_si256(target.add(8 * part).cast(), wide);
            }
        }
    }
}

// SAFETY: each replaced kernel keeps its contract, because tests compare it with a naive one in
// every tier.
unsafe impl Vector for Avx2 {
    #[inline(never)]
    unsafe fn call_unchecked<T: Task>(task: T) -> T::Output {
        // SAFETY: the processor has the tier, because the caller guarantees it.
        unsafe { call_with_features(task) }
    }

    const DECIMALS: bool = true;

    #[inline(always)]
    fn scan_decimal(bytes: &[u8], at: usize) -> Option<ScannedDecimal> {
        // SAFETY: the processor has AVX2, because `Dispatch` checked it.
        unsafe { decimals::scan_decimal_256(bytes, at) }
    }

    #[inline(always)]
    unsafe fn escape_headed(text: HeadedText<'_>, target: *mut u8) -> *mut u8 {
        // SAFETY: the contract is the same, because this only forwards to the kernel.
        unsafe { escape_headed::<Self, Sse42>(text, target) }
    }

    #[inline(always)]
    unsafe fn copy_plain(source: &[u8], target: *mut u8) -> Result<(), usize> {
        let len = source.len();
        if !(4..=32).contains(&len) {
            // SAFETY: the contract is the same.
            return unsafe { copy_vectors::<Self>(source, target) };
        }
        // PERF: no further branch on the length, which is mispredicted where the lengths of texts
        // vary: instances of subclasses of `str` 0.92 of the time (Zen 4, 2026-11-29). SAFETY: the
        // processor has AVX2, because `Dispatch` checked it. `len / 4` is 1 to 8, and these words
        // lie inside `source`; so do its last four bytes. A whole vector is writable after
        // `target`, because the caller provides `len` bytes and a vector; the second store ends at
        // `len`.
        let stops = unsafe {
            let words = Self(words_256(source.as_ptr(), len / 4));
            let last = source.as_ptr().add(len - 4).cast::<[u8; 4]>().read();
            words.store(target);
            target.add(len - 4).cast::<[u8; 4]>().write(last);
            let last = _mm_cvtsi32_si128(i32::from_le_bytes(last));
            let last = Self(_mm256_zextsi128_si256(last));
            // The lanes beyond the words are zero, and zero is a stop.
            let of_words = words.string_stops() & !(u64::MAX << (len & !3));
            of_words | (last.string_stops() & 0xf) << (len - 4)
        };
        if stops == 0 { Ok(()) } else { Err(stops.trailing_zeros() as usize) }
    }

    #[inline(always)]
    unsafe fn copy_headed(text: HeadedText<'_>, target: *mut u8) -> Result<(), usize> {
        // SAFETY: the contract is the same, because this only forwards to the kernel.
        unsafe { copy_headed::<Self, Sse42>(text, target) }
    }

    #[inline(always)]
    unsafe fn write_digits(
        digits: u64,
        min_digits: u32,
        layout: &DigitLayout,
        target: *mut u8,
    ) -> u32 {
        // SAFETY: the processor has AVX2, because `Dispatch` checked it; the caller keeps the rest
        // of the contract.
        unsafe { digits::write_digits_128(digits, min_digits, layout, target) }
    }

    const SHORTEST_DECIMALS: bool = true;

    #[inline(always)]
    fn shortest_decimals<const MANTISSA: u32>(
        bits: &[u64; FLOATS],
        count: usize,
        powers: &ShiftedPowers,
        decimals: &mut ShortestDecimals,
    ) -> bool {
        // SAFETY: the processor has AVX2, because `Dispatch` checked it.
        unsafe { shortest_256::shortest_256::<MANTISSA>(bits, count, powers, decimals) };
        true
    }

    #[inline(always)]
    unsafe fn escape_units<U: Unit>(source: &[U], target: *mut u8) -> Option<*mut u8> {
        // SAFETY: the processor has AVX2, because `Dispatch` checked it; the caller keeps the rest
        // of the contract.
        unsafe { encode_256::escape_units::<U, false>(source, source.as_ptr_range().end, target) }
    }

    #[inline(always)]
    unsafe fn escape_headed_units<U: Unit>(
        text: Headed<'_, U>,
        target: *mut u8,
    ) -> Option<*mut u8> {
        // SAFETY: the processor has AVX2, because `Dispatch` checked it; the caller keeps the
        // rest of the contract, and the text has a header.
        unsafe { encode_256::escape_units::<U, true>(text.units(), text.end(), target) }
    }

    #[inline(always)]
    unsafe fn escape_utf8(source: &[u8], target: *mut u8) -> *mut u8 {
        // SAFETY: the processor has AVX2, because `Dispatch` checked it; the caller keeps the rest
        // of the contract.
        unsafe { encode_256::escape_utf8(source, target) }
    }

    #[inline(always)]
    unsafe fn decode_utf8<T: Target>(bytes: &[u8], target: *mut T, room: usize) -> bool {
        // SAFETY: the processor has AVX2, because `Dispatch` checked it; the caller keeps the
        // rest of the contract.
        unsafe { decode_128::decode_utf8::<Self, Sse42, T>(bytes, target, room) }
    }
}

/// The top bit of each lane.
#[inline(always)]
fn mask(lanes: __m256i) -> u64 {
    // SAFETY: the processor has AVX2, because only `Avx2` calls this.
    unsafe { _mm256_movemask_epi8(lanes) as u32 as u64 }
}
