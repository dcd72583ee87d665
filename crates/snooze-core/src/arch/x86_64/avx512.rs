//! The `avx512` tier: byte masks make every load and store exact, so short strings need no tail.

use core::arch::x86_64::*;

use super::super::generic::decimal::Decimal;
use super::super::generic::digits::Form;
use super::super::generic::escape::{Unit, copy_vectors};
use super::super::generic::utf8::Target;
use super::super::{Task, vector::Vector};
use super::{decimals, decode_512, digits, encode_512};

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

/// A vector of one byte.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Splat([u8; 64]);

/// What strings and white space are searched for.
static SPLATS: [Splat; 6] = [
    Splat([b'"'; 64]),
    Splat([b'\\'; 64]),
    Splat([b' '; 64]),
    Splat([b'\n'; 64]),
    Splat([b'\r'; 64]),
    Splat([b'\t'; 64]),
];

/// Where the vectors of [`SPLATS`] are.
///
/// PERF: the compiler must not know that they are constants, or it keeps them in registers during
/// the whole walk and loads all of them again after each call, of which every value has one:
/// loads 1.02x to 1.04x without (2026-11-21).
#[inline(always)]
fn splats() -> [*const __m512i; 6] {
    let mut start: *const __m512i = SPLATS.as_ptr().cast();
    #[expect(clippy::pointers_in_nomem_asm_block, reason = "there is no instruction")]
    // SAFETY: no instruction at all.
    unsafe {
        core::arch::asm!("/* {} */", inout(reg) start, options(nomem, nostack, preserves_flags));
    }
    core::array::from_fn(|place| start.wrapping_add(place))
}

#[target_feature(
    enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi,avx512vbmi2,avx512ifma,avx2,bmi1,bmi2,lzcnt,popcnt"
)]
unsafe fn call<T: Task>(task: T) -> T::Output {
    task.run::<Avx512>()
}

// Every intrinsic below: the processor has the AVX-512 features, because an `Avx512`
// and these methods are only reached through `Dispatch::run`, which checked them.
// SAFETY: as the trait asks; see each method.
unsafe impl Vector for Avx512 {
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
        // SAFETY: see above; aligned vectors.
        unsafe {
            let [quote, backslash, space, ..] = splats();
            _mm512_cmpeq_epi8_mask(self.0, _mm512_load_si512(quote))
                | _mm512_cmpeq_epi8_mask(self.0, _mm512_load_si512(backslash))
                | _mm512_cmplt_epu8_mask(self.0, _mm512_load_si512(space))
        }
    }

    #[inline(always)]
    fn high(self) -> u64 {
        // SAFETY: see above.
        unsafe { _mm512_movepi8_mask(self.0) }
    }

    #[inline(always)]
    fn not_space(self) -> u64 {
        // SAFETY: see above; aligned vectors.
        unsafe {
            let [_, _, space, feed, carriage, tab] = splats();
            !(_mm512_cmpeq_epi8_mask(self.0, _mm512_load_si512(space))
                | _mm512_cmpeq_epi8_mask(self.0, _mm512_load_si512(feed))
                | _mm512_cmpeq_epi8_mask(self.0, _mm512_load_si512(carriage))
                | _mm512_cmpeq_epi8_mask(self.0, _mm512_load_si512(tab)))
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
    fn equal(self, byte: u8) -> u64 {
        // SAFETY: see above.
        unsafe { _mm512_cmpeq_epi8_mask(self.0, _mm512_set1_epi8(byte as i8)) }
    }

    #[inline(always)]
    fn digits(self) -> u64 {
        // SAFETY: see above. Only digits are below ten with the zero taken off, unsigned.
        unsafe {
            let values = _mm512_sub_epi8(self.0, _mm512_set1_epi8(b'0' as i8));
            _mm512_cmplt_epu8_mask(values, _mm512_set1_epi8(10))
        }
    }

    #[inline(always)]
    fn folded(self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm512_or_si512(self.0, _mm512_set1_epi8(0x20)) })
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

    #[inline(always)]
    unsafe fn copy_plain(source: &[u8], target: *mut u8) -> Result<(), usize> {
        if source.len() > 32 {
            // SAFETY: by the caller.
            return unsafe { copy_vectors::<Self>(source, target) };
        }
        // PERF: most strings are short, and a store of 64 bytes nearly always crosses a line of
        // the cache.
        // SAFETY: see above; a masked load touches only the lanes of its mask, and 32 bytes are
        // fewer than the caller's vector.
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
    unsafe fn write_digits(digits: u64, least: u32, form: &Form, target: *mut u8) -> u32 {
        // SAFETY: see above; otherwise by the caller.
        unsafe { digits::write_digits_512(digits, least, form, target) }
    }

    const DECIMALS: bool = true;

    #[inline(always)]
    fn decimal(bytes: &[u8], at: usize) -> Option<Decimal> {
        // SAFETY: see above.
        unsafe { decimals::decimal_512(bytes, at) }
    }

    #[inline(always)]
    unsafe fn write_block<U: Unit>(source: &[U], target: *mut u8) -> Option<*mut u8> {
        // SAFETY: see above; otherwise by the caller.
        unsafe { encode_512::write_block(source, target) }
    }

    #[inline(always)]
    unsafe fn write_block_utf8(source: &[u8], target: *mut u8) -> *mut u8 {
        // SAFETY: see above; otherwise by the caller.
        unsafe { encode_512::write_block_utf8(source, target) }
    }

    #[inline(always)]
    unsafe fn decode_wide<T: Target>(bytes: &[u8], target: *mut T) -> (usize, usize) {
        // SAFETY: see above; otherwise by the caller.
        unsafe { decode_512::decode_wide(bytes, target) }
    }
}
