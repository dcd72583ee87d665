//! The `v128` tier on x86-64: SSE4.2 (x86-64-v2).
//!
//! Separate because each tier is one file. **Soundness:** the processor has the tier wherever this
//! code runs, because `Dispatch` checks [`is_available`] before it hands out [`Sse42`].

use core::arch::x86_64::*;

use super::super::generic::digits::DigitLayout;
use super::super::generic::headed::{
    Headed, HeadedText, MOVE_DOWN, MoveLanes, copy_headed, escape_headed,
};
use super::super::generic::sixteen::Sixteen;
use super::super::generic::units::{Target, Unit};
use super::super::lanes::{LAST_FLIPPED, QUOTE_FLIP};
use super::super::{Lanes, Task, Vector};
use super::partial::partial_128;
use super::{decode_128, digits, encode_128};

/// Sixteen bytes.
#[derive(Clone, Copy)]
pub(in super::super) struct Sse42(__m128i);

/// Whether this processor has the tier.
pub(in super::super) fn is_available() -> bool {
    is_x86_feature_detected!("sse4.2")
        && is_x86_feature_detected!("ssse3")
        && is_x86_feature_detected!("popcnt")
}

/// Runs `task` in a function compiled with the features of the tier.
///
/// # Safety
/// The processor has the tier.
#[target_feature(enable = "sse4.2,ssse3,popcnt")]
unsafe fn call_with_features<T: Task>(task: T) -> T::Output {
    task.with_vectors::<Sse42>()
}

// SAFETY: `LANES` is 16 and each mask has one bit for each lane, because `_mm_movemask_epi8` makes
// it.
unsafe impl Lanes for Sse42 {
    const LANES: usize = 16;

    #[inline(always)]
    unsafe fn load(source: *const u8) -> Self {
        // SAFETY: sixteen bytes are readable, because the caller guarantees it; the load is
        // unaligned.
        Self(unsafe { _mm_loadu_si128(source.cast()) })
    }

    #[inline(always)]
    unsafe fn load_partial(source: *const u8, count: usize) -> Self {
        // SAFETY: `count` bytes are readable, because the caller guarantees it.
        Self(unsafe { partial_128(source, count) })
    }

    #[inline(always)]
    unsafe fn store(self, target: *mut u8) {
        // SAFETY: sixteen bytes are writable, because the caller guarantees it; the store is
        // unaligned.
        unsafe { _mm_storeu_si128(target.cast(), self.0) }
    }

    #[inline(always)]
    fn string_stops(self) -> u64 {
        // SAFETY: the processor has SSE4.2, because `Dispatch` checked it.
        unsafe {
            let flipped = _mm_xor_si128(self.0, _mm_set1_epi8(QUOTE_FLIP as i8));
            let low = _mm_min_epu8(flipped, _mm_set1_epi8(LAST_FLIPPED as i8));
            let backslash = _mm_cmpeq_epi8(self.0, _mm_set1_epi8(b'\\' as i8));
            mask(_mm_or_si128(_mm_cmpeq_epi8(low, flipped), backslash))
        }
    }

    #[inline(always)]
    fn non_ascii(self) -> u64 {
        mask(self.0)
    }

    #[inline(always)]
    fn non_space(self) -> u64 {
        // SAFETY: the processor has SSE4.2, because `Dispatch` checked it.
        unsafe {
            let space = _mm_cmpeq_epi8(self.0, _mm_set1_epi8(b' ' as i8));
            let feed = _mm_cmpeq_epi8(self.0, _mm_set1_epi8(b'\n' as i8));
            let carriage = _mm_cmpeq_epi8(self.0, _mm_set1_epi8(b'\r' as i8));
            let tab = _mm_cmpeq_epi8(self.0, _mm_set1_epi8(b'\t' as i8));
            let any = _mm_or_si128(_mm_or_si128(space, feed), _mm_or_si128(carriage, tab));
            mask(any) ^ 0xffff
        }
    }

    #[inline(always)]
    fn char_starts(self) -> u64 {
        // SAFETY: the processor has SSE4.2, because `Dispatch` checked it. As signed bytes,
        // continuation bytes are those below -64.
        unsafe { mask(_mm_cmpgt_epi8(self.0, _mm_set1_epi8(-65))) }
    }

    #[inline(always)]
    fn at_least(self, floor: u8) -> u64 {
        // SAFETY: the processor has SSE4.2, because `Dispatch` checked it.
        unsafe { mask(_mm_cmpeq_epi8(_mm_max_epu8(self.0, _mm_set1_epi8(floor as i8)), self.0)) }
    }

    #[inline(always)]
    fn equal(self, byte: u8) -> u64 {
        // SAFETY: the processor has SSE4.2, because `Dispatch` checked it.
        unsafe { mask(_mm_cmpeq_epi8(self.0, _mm_set1_epi8(byte as i8))) }
    }

    #[inline(always)]
    fn brackets_to_braces(self) -> Self {
        // SAFETY: the processor has SSE4.2, because `Dispatch` checked it.
        Self(unsafe { _mm_or_si128(self.0, _mm_set1_epi8(0x20)) })
    }

    #[inline(always)]
    unsafe fn widen_16(source: *const u8, target: *mut u16) {
        // SAFETY: the processor has SSE4.2, because `Dispatch` checked it; the caller guarantees
        // both ranges.
        unsafe {
            let bytes = _mm_loadu_si128(source.cast());
            _mm_storeu_si128(target.cast(), _mm_cvtepu8_epi16(bytes));
            _mm_storeu_si128(target.add(8).cast(), _mm_unpackhi_epi8(bytes, _mm_setzero_si128()));
        }
    }

    #[inline(always)]
    unsafe fn widen_32(source: *const u8, target: *mut u32) {
        // SAFETY: the processor has SSE4.2, because `Dispatch` checked it; the caller guarantees
        // both ranges.
        unsafe {
            let bytes = _mm_loadu_si128(source.cast());
            _mm_storeu_si128(target.cast(), _mm_cvtepu8_epi32(bytes));
            _mm_storeu_si128(target.add(4).cast(), _mm_cvtepu8_epi32(_mm_srli_si128(bytes, 4)));
            _mm_storeu_si128(target.add(8).cast(), _mm_cvtepu8_epi32(_mm_srli_si128(bytes, 8)));
            _mm_storeu_si128(target.add(12).cast(), _mm_cvtepu8_epi32(_mm_srli_si128(bytes, 12)));
        }
    }
}

// SAFETY: `LANES` is 16.
unsafe impl MoveLanes for Sse42 {
    #[inline(always)]
    fn move_down(self, by: usize) -> Self {
        debug_assert!(by <= 16);
        // SAFETY: the processor has SSSE3, because `Dispatch` checked it; the shuffle is inside its
        // table, because the offset is masked.
        unsafe {
            let shuffle = _mm_loadu_si128(MOVE_DOWN.as_ptr().add(by & 31).cast());
            Self(_mm_shuffle_epi8(self.0, shuffle))
        }
    }

    #[inline(always)]
    unsafe fn escape_dense(source: &[u8], target: *mut u8) -> Option<*mut u8> {
        // SAFETY: the processor has SSE4.2, because `Dispatch` checked it; the contract is the
        // same.
        Some(unsafe { encode_128::escape_utf8(source, target) })
    }
}

// SAFETY: each replaced kernel keeps its contract, because tests compare it with a naive one in
// every tier.
unsafe impl Vector for Sse42 {
    #[inline(never)]
    unsafe fn call_unchecked<T: Task>(task: T) -> T::Output {
        // SAFETY: the processor has the tier, because the caller guarantees it.
        unsafe { call_with_features(task) }
    }

    #[inline(always)]
    unsafe fn escape_headed(text: HeadedText<'_>, target: *mut u8) -> *mut u8 {
        // SAFETY: the contract is the same, because this only forwards to the kernel.
        unsafe { escape_headed::<Self, Self>(text, target) }
    }

    #[inline(always)]
    unsafe fn copy_headed(text: HeadedText<'_>, target: *mut u8) -> Result<(), usize> {
        // SAFETY: the contract is the same, because this only forwards to the kernel.
        unsafe { copy_headed::<Self, Self>(text, target) }
    }

    #[inline(always)]
    unsafe fn write_digits(
        digits: u64,
        min_digits: u32,
        layout: &DigitLayout,
        target: *mut u8,
    ) -> u32 {
        // SAFETY: the processor has SSE4.2, because `Dispatch` checked it; the caller keeps the
        // rest of the contract.
        unsafe { digits::write_digits_128(digits, min_digits, layout, target) }
    }

    #[inline(always)]
    unsafe fn escape_units<U: Unit>(source: &[U], target: *mut u8) -> Option<*mut u8> {
        // SAFETY: the processor has SSE4.2, because `Dispatch` checked it; the caller keeps the
        // rest of the contract.
        unsafe { encode_128::escape_units::<U, false>(source, source.as_ptr_range().end, target) }
    }

    #[inline(always)]
    unsafe fn escape_headed_units<U: Unit>(
        text: Headed<'_, U>,
        target: *mut u8,
    ) -> Option<*mut u8> {
        // SAFETY: the processor has SSE4.2, because `Dispatch` checked it; the caller keeps the
        // rest of the contract, and the text has a header.
        unsafe { encode_128::escape_units::<U, true>(text.units(), text.end(), target) }
    }

    #[inline(always)]
    unsafe fn escape_utf8(source: &[u8], target: *mut u8) -> *mut u8 {
        // SAFETY: the processor has SSE4.2, because `Dispatch` checked it; the caller keeps the
        // rest of the contract.
        unsafe { encode_128::escape_utf8(source, target) }
    }

    #[inline(always)]
    unsafe fn decode_utf8<T: Target>(bytes: &[u8], target: *mut T, room: usize) -> bool {
        // SAFETY: the processor has SSE4.2, because `Dispatch` checked it; the caller keeps the
        // rest of the contract.
        unsafe { decode_128::decode_utf8::<Self, Self, T>(bytes, target, room) }
    }
}

// SAFETY: `LANES` is 16; tests compare the kernel with a naive one in every tier.
unsafe impl Sixteen for Sse42 {
    #[inline(always)]
    fn splat(byte: u8) -> Self {
        // SAFETY: the processor has SSE4.2, because `Dispatch` checked it.
        Self(unsafe { _mm_set1_epi8(byte as i8) })
    }

    #[inline(always)]
    fn splat_pairs(pair: u16) -> Self {
        // SAFETY: the processor has SSE4.2, because `Dispatch` checked it.
        Self(unsafe { _mm_set1_epi16(pair as i16) })
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        // SAFETY: the processor has SSE4.2, because `Dispatch` checked it.
        Self(unsafe { _mm_and_si128(self.0, other.0) })
    }

    #[inline(always)]
    fn without(self, other: Self) -> Self {
        // SAFETY: the processor has SSE4.2, because `Dispatch` checked it.
        Self(unsafe { _mm_andnot_si128(other.0, self.0) })
    }

    #[inline(always)]
    fn or(self, other: Self) -> Self {
        // SAFETY: the processor has SSE4.2, because `Dispatch` checked it.
        Self(unsafe { _mm_or_si128(self.0, other.0) })
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        // SAFETY: the processor has SSE4.2, because `Dispatch` checked it.
        Self(unsafe { _mm_xor_si128(self.0, other.0) })
    }

    #[inline(always)]
    fn same(self, other: Self) -> Self {
        // SAFETY: the processor has SSE4.2, because `Dispatch` checked it.
        Self(unsafe { _mm_cmpeq_epi8(self.0, other.0) })
    }

    #[inline(always)]
    fn same_pairs(self, other: Self) -> Self {
        // SAFETY: the processor has SSE4.2, because `Dispatch` checked it.
        Self(unsafe { _mm_cmpeq_epi16(self.0, other.0) })
    }

    #[inline(always)]
    fn is_less(self, other: Self) -> Self {
        // SAFETY: the processor has SSE4.2, because `Dispatch` checked it.
        Self(unsafe { _mm_cmpgt_epi8(other.0, self.0) })
    }

    #[inline(always)]
    fn above(self, other: Self) -> Self {
        // SAFETY: the processor has SSE4.2, because `Dispatch` checked it.
        Self(unsafe { _mm_subs_epu8(self.0, other.0) })
    }

    #[inline(always)]
    fn shift_up<const BITS: i32>(self) -> Self {
        // SAFETY: the processor has SSE4.2, because `Dispatch` checked it.
        Self(unsafe { _mm_slli_epi16::<BITS>(self.0) })
    }

    #[inline(always)]
    fn shift_down<const BITS: i32>(self) -> Self {
        // SAFETY: the processor has SSE4.2, because `Dispatch` checked it.
        Self(unsafe { _mm_srli_epi16::<BITS>(self.0) })
    }

    #[inline(always)]
    fn shuffle(self, indices: Self) -> Self {
        // SAFETY: the processor has SSE4.2, because `Dispatch` checked it.
        Self(unsafe { _mm_shuffle_epi8(self.0, indices.0) })
    }

    #[inline(always)]
    fn one_before(self, before: Self) -> Self {
        // SAFETY: the processor has SSE4.2, because `Dispatch` checked it.
        Self(unsafe { _mm_alignr_epi8::<15>(self.0, before.0) })
    }

    #[inline(always)]
    fn two_before(self, before: Self) -> Self {
        // SAFETY: the processor has SSE4.2, because `Dispatch` checked it.
        Self(unsafe { _mm_alignr_epi8::<14>(self.0, before.0) })
    }

    #[inline(always)]
    fn halves(self) -> (Self, Self) {
        // SAFETY: the processor has SSE4.2, because `Dispatch` checked it.
        unsafe { (Self(_mm_move_epi64(self.0)), Self(_mm_srli_si128::<8>(self.0))) }
    }

    #[inline(always)]
    fn interleave(self, upper: Self) -> (Self, Self) {
        // SAFETY: the processor has SSE4.2, because `Dispatch` checked it.
        unsafe {
            let low = _mm_unpacklo_epi8(self.0, upper.0);
            (Self(low), Self(_mm_unpackhi_epi8(self.0, upper.0)))
        }
    }

    #[inline(always)]
    fn interleave_pairs(self, upper: Self) -> (Self, Self) {
        // SAFETY: the processor has SSE4.2, because `Dispatch` checked it.
        unsafe {
            let low = _mm_unpacklo_epi16(self.0, upper.0);
            (Self(low), Self(_mm_unpackhi_epi16(self.0, upper.0)))
        }
    }

    #[inline(always)]
    fn is_zero(self) -> bool {
        // SAFETY: the processor has SSE4.2, because `Dispatch` checked it.
        unsafe { _mm_testz_si128(self.0, self.0) == 1 }
    }

    #[inline(always)]
    fn low_bytes(self) -> u64 {
        // SAFETY: the processor has SSE4.2, because `Dispatch` checked it.
        unsafe { _mm_cvtsi128_si64(self.0) as u64 }
    }
}

/// The top bit of each lane.
#[inline(always)]
fn mask(lanes: __m128i) -> u64 {
    // SAFETY: the processor has SSE2, because it is part of the x86-64 baseline.
    unsafe { _mm_movemask_epi8(lanes) as u32 as u64 }
}
