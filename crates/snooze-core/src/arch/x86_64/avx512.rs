//! The `avx512` tier: byte masks make every load and store exact, so short strings need no tail.
//!
//! Separate because each tier is one file. **Soundness:** the processor has the tier wherever this
//! code runs, because `Dispatch` checks [`is_available`] before it hands out [`Avx512`].

use core::arch::x86_64::*;

use super::super::generic::decimal::ScannedDecimal;
use super::super::generic::digits::DigitLayout;
use super::super::generic::escape::copy_vectors;
use super::super::generic::headed::{HeadedText, copy_headed};
use super::super::generic::shortest::{FLOATS, ShiftedPowers, ShortestDecimals};
use super::super::generic::units::{Target, Unit};
use super::super::{Lanes, Task, Vector};
use super::avx2::Avx2;
use super::sse42::Sse42;
use super::{decimals, decode_512, digits, encode_512, shortest_512};

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
        && is_x86_feature_detected!("avx512ifma")
}

/// Six bytes, each repeated for all lanes.
///
/// In one page, so that builds do not differ by where the linker puts them. Alone it changed no
/// time that was measured (Zen 5, 2026-11-29).
#[repr(C, align(512))]
struct Splats([[u8; 64]; 6]);

/// The bytes that end strings and make up white space.
static SPLATS: Splats =
    Splats([[b'"'; 64], [b'\\'; 64], [b' '; 64], [b'\n'; 64], [b'\r'; 64], [b'\t'; 64]]);

/// The addresses of the vectors of [`SPLATS`], hidden from the optimiser.
///
/// PERF: the compiler must not know that they are constants. Otherwise it keeps them in registers
/// during the whole walk and reloads all of them after each call, and every value makes one: loads
/// 1.02x to 1.04x as fast with them hidden (2026-11-21).
#[inline(always)]
fn splats() -> [*const __m512i; 6] {
    let mut start: *const __m512i = SPLATS.0.as_ptr().cast();
    #[expect(clippy::pointers_in_nomem_asm_block, reason = "there is no instruction")]
    // SAFETY: the assembly has no effect, because it contains no instruction.
    unsafe {
        core::arch::asm!("/* {} */", inout(reg) start, options(nomem, nostack, preserves_flags));
    }
    core::array::from_fn(|index| start.wrapping_add(index))
}

/// Runs `task` in a function compiled with the features of the tier.
///
/// # Safety
/// The processor has the tier.
#[target_feature(
    enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi,avx512vbmi2,avx512ifma,avx2,bmi1,bmi2,lzcnt,popcnt"
)]
unsafe fn call_with_features<T: Task>(task: T) -> T::Output {
    task.with_vectors::<Avx512>()
}

// SAFETY: `LANES` is 64 and each mask has one bit for each lane, because AVX-512 compares to masks.
unsafe impl Lanes for Avx512 {
    const LANES: usize = 64;

    #[inline(always)]
    unsafe fn load(source: *const u8) -> Self {
        // SAFETY: sixty-four bytes are readable, because the caller guarantees it; the load is
        // unaligned.
        Self(unsafe { _mm512_loadu_si512(source.cast()) })
    }

    #[inline(always)]
    unsafe fn load_partial(source: *const u8, count: usize) -> Self {
        debug_assert!(count < 64);
        // SAFETY: the processor has AVX-512, because `Dispatch` checked it; a masked load touches
        // only the lanes of its mask.
        unsafe {
            let lanes = _bzhi_u64(u64::MAX, count as u32);
            Self(_mm512_maskz_loadu_epi8(lanes, source.cast()))
        }
    }

    #[inline(always)]
    unsafe fn store(self, target: *mut u8) {
        // SAFETY: sixty-four bytes are writable, because the caller guarantees it; the store is
        // unaligned.
        unsafe { _mm512_storeu_si512(target.cast(), self.0) }
    }

    #[inline(always)]
    fn string_stops(self) -> u64 {
        // SAFETY: the processor has AVX-512, because `Dispatch` checked it; the vectors of `splats`
        // are aligned.
        unsafe {
            let [quote, backslash, space, ..] = splats();
            _mm512_cmpeq_epi8_mask(self.0, _mm512_load_si512(quote))
                | _mm512_cmpeq_epi8_mask(self.0, _mm512_load_si512(backslash))
                | _mm512_cmplt_epu8_mask(self.0, _mm512_load_si512(space))
        }
    }

    #[inline(always)]
    fn non_ascii(self) -> u64 {
        // SAFETY: the processor has AVX-512, because `Dispatch` checked it.
        unsafe { _mm512_movepi8_mask(self.0) }
    }

    #[inline(always)]
    fn non_space(self) -> u64 {
        // SAFETY: the processor has AVX-512, because `Dispatch` checked it; the vectors of `splats`
        // are aligned.
        unsafe {
            let [_, _, space, feed, carriage, tab] = splats();
            !(_mm512_cmpeq_epi8_mask(self.0, _mm512_load_si512(space))
                | _mm512_cmpeq_epi8_mask(self.0, _mm512_load_si512(feed))
                | _mm512_cmpeq_epi8_mask(self.0, _mm512_load_si512(carriage))
                | _mm512_cmpeq_epi8_mask(self.0, _mm512_load_si512(tab)))
        }
    }

    #[inline(always)]
    fn char_starts(self) -> u64 {
        // SAFETY: the processor has AVX-512, because `Dispatch` checked it. As signed bytes,
        // continuation bytes are those below -64.
        unsafe { _mm512_cmpgt_epi8_mask(self.0, _mm512_set1_epi8(-65)) }
    }

    #[inline(always)]
    fn at_least(self, floor: u8) -> u64 {
        // SAFETY: the processor has AVX-512, because `Dispatch` checked it.
        unsafe { _mm512_cmpge_epu8_mask(self.0, _mm512_set1_epi8(floor as i8)) }
    }

    #[inline(always)]
    fn equal(self, byte: u8) -> u64 {
        // SAFETY: the processor has AVX-512, because `Dispatch` checked it.
        unsafe { _mm512_cmpeq_epi8_mask(self.0, _mm512_set1_epi8(byte as i8)) }
    }

    #[inline(always)]
    fn digits(self) -> u64 {
        // SAFETY: the processor has AVX-512, because `Dispatch` checked it. Unsigned, only digits
        // are below ten after subtracting the zero.
        unsafe {
            let values = _mm512_sub_epi8(self.0, _mm512_set1_epi8(b'0' as i8));
            _mm512_cmplt_epu8_mask(values, _mm512_set1_epi8(10))
        }
    }

    #[inline(always)]
    fn brackets_to_braces(self) -> Self {
        // SAFETY: the processor has AVX-512, because `Dispatch` checked it.
        Self(unsafe { _mm512_or_si512(self.0, _mm512_set1_epi8(0x20)) })
    }

    #[inline(always)]
    unsafe fn widen_16(source: *const u8, target: *mut u16) {
        // SAFETY: the processor has AVX-512, because `Dispatch` checked it; the caller guarantees
        // both ranges.
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
        // SAFETY: the processor has AVX-512, because `Dispatch` checked it; the caller guarantees
        // both ranges.
        unsafe {
            for part in 0..4 {
                let bytes = _mm_loadu_si128(source.add(16 * part).cast());
                let wide = _mm512_cvtepu8_epi32(bytes);
                _mm512_storeu_si512(target.add(16 * part).cast(), wide);
            }
        }
    }
}

// SAFETY: each replaced kernel keeps its contract, because tests compare it with a naive one in
// every tier.
unsafe impl Vector for Avx512 {
    #[inline(never)]
    unsafe fn call_unchecked<T: Task>(task: T) -> T::Output {
        // SAFETY: the processor has the tier, because the caller guarantees it.
        unsafe { call_with_features(task) }
    }

    #[inline(always)]
    unsafe fn copy_plain(source: &[u8], target: *mut u8) -> Result<(), usize> {
        if source.len() > 32 {
            // SAFETY: the contract is the same.
            return unsafe { copy_vectors::<Self>(source, target) };
        }
        // PERF: most strings are short, and a store of 64 bytes nearly always crosses a cache line.
        // SAFETY: the processor has AVX-512, because `Dispatch` checked it; the load is in bounds,
        // because its mask covers only `source`; the store is, because the caller provides a whole
        // vector and this is half of one.
        unsafe {
            let lanes = _bzhi_u32(u32::MAX, source.len() as u32);
            let bytes = _mm256_maskz_loadu_epi8(lanes, source.as_ptr().cast());
            _mm256_storeu_si256(target.cast(), bytes);
            let stops = _mm256_mask_cmpeq_epi8_mask(lanes, bytes, _mm256_set1_epi8(b'"' as i8))
                | _mm256_mask_cmpeq_epi8_mask(lanes, bytes, _mm256_set1_epi8(b'\\' as i8))
                | _mm256_mask_cmplt_epu8_mask(lanes, bytes, _mm256_set1_epi8(0x20));
            if stops == 0 { Ok(()) } else { Err(stops.trailing_zeros() as usize) }
        }
    }

    #[inline(always)]
    unsafe fn copy_exact(source: &[u8], target: *mut u8) {
        // PERF: a mask for every short length, because a branch on ranges of lengths is
        // mispredicted where the lengths of strings vary (2026-11-23). SAFETY: the processor has
        // AVX-512, because `Dispatch` checked it; load and store are in bounds, because their mask
        // covers only `source`; the caller keeps the rest.
        unsafe {
            if source.len() > 32 {
                return target.copy_from_nonoverlapping(source.as_ptr(), source.len());
            }
            let lanes = _bzhi_u32(u32::MAX, source.len() as u32);
            let bytes = _mm256_maskz_loadu_epi8(lanes, source.as_ptr().cast());
            _mm256_mask_storeu_epi8(target.cast(), lanes, bytes);
        }
    }

    #[inline(always)]
    unsafe fn copy_headed(text: HeadedText<'_>, target: *mut u8) -> Result<(), usize> {
        // PERF: narrow vectors, because most strings are short: a shuffle costs less than a mask,
        // and a store of 64 bytes nearly always crosses a cache line (2026-11-22).
        // SAFETY: the contract is the same, because this only forwards to the kernel.
        unsafe { copy_headed::<Avx2, Sse42>(text, target) }
    }

    #[inline(always)]
    unsafe fn write_digits(
        digits: u64,
        min_digits: u32,
        layout: &DigitLayout,
        target: *mut u8,
    ) -> u32 {
        // SAFETY: the processor has AVX-512, because `Dispatch` checked it; the caller keeps the
        // rest of the contract.
        unsafe { digits::write_digits_512(digits, min_digits, layout, target) }
    }

    const SHORTEST_DECIMALS: bool = true;

    #[inline(always)]
    fn shortest_decimals<const MANTISSA: u32>(
        bits: &[u64; FLOATS],
        _count: usize,
        powers: &ShiftedPowers,
        decimals: &mut ShortestDecimals,
    ) -> bool {
        // SAFETY: the processor has AVX-512, because `Dispatch` checked it.
        unsafe { shortest_512::shortest_512::<MANTISSA>(bits, powers, decimals) };
        true
    }

    const DECIMALS: bool = true;

    #[inline(always)]
    fn scan_decimal(bytes: &[u8], at: usize) -> Option<ScannedDecimal> {
        // SAFETY: the processor has AVX-512, because `Dispatch` checked it.
        unsafe { decimals::scan_decimal_512(bytes, at) }
    }

    #[inline(always)]
    unsafe fn escape_units<U: Unit>(source: &[U], target: *mut u8) -> Option<*mut u8> {
        // SAFETY: the processor has AVX-512, because `Dispatch` checked it; the caller keeps the
        // rest of the contract.
        unsafe { encode_512::escape_units(source, target) }
    }

    #[inline(always)]
    unsafe fn escape_utf8(source: &[u8], target: *mut u8) -> *mut u8 {
        // SAFETY: the processor has AVX-512, because `Dispatch` checked it; the caller keeps the
        // rest of the contract.
        unsafe { encode_512::escape_utf8(source, target) }
    }

    #[inline(always)]
    unsafe fn decode_utf8<T: Target>(bytes: &[u8], target: *mut T, room: usize) -> bool {
        // SAFETY: the processor has AVX-512, because `Dispatch` checked it; the caller keeps the
        // rest of the contract.
        unsafe { decode_512::decode_utf8::<Self, T>(bytes, target, room) }
    }
}
