//! The `avx512` tier: byte masks make every load and store exact, so short strings need no tail.

use core::arch::x86_64::*;

use super::super::generic::decimal::Decimal;
use super::super::generic::digits::Form;
use super::super::generic::escape::{Unit, copy_vectors, write_chars};
use super::super::generic::utf8::Target;
use super::super::{Task, vector::Vector};
use super::{decimals, decode_512, digits};

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
    unsafe fn copy_plain(source: &[u8], target: *mut u8) -> usize {
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
            let stops = _mm256_cmpeq_epi8_mask(bytes, _mm256_set1_epi8(b'"' as i8))
                | _mm256_cmpeq_epi8_mask(bytes, _mm256_set1_epi8(b'\\' as i8))
                | _mm256_cmplt_epu8_mask(bytes, _mm256_set1_epi8(0x20));
            // The lanes beyond the text are zero, which is a stop; without any, all 32 are text.
            (stops.trailing_zeros() as usize).min(32)
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
    unsafe fn write_block<U: Unit>(source: &[U], mut target: *mut u8) -> Option<*mut u8> {
        for part in source.chunks(16) {
            // SAFETY: see above. A part has at most 16 units. Each writes a vector of 64 bytes and
            // advances by at most 48 + 16, or by six for each character: inside BLOCK_ROOM.
            target = unsafe {
                match encode_16(part, target) {
                    Encoded::Done(end) => end,
                    Encoded::Escapes => write_chars(part, target)?,
                    Encoded::NotUnicode => return None,
                }
            };
        }
        Some(target)
    }

    #[inline(always)]
    unsafe fn decode_wide<T: Target>(bytes: &[u8], target: *mut T) -> (usize, usize) {
        // SAFETY: see above; otherwise by the caller.
        unsafe { decode_512::decode_wide(bytes, target) }
    }
}

/// What became of at most sixteen characters.
enum Encoded {
    /// All are written up to here.
    Done(*mut u8),
    /// Some need an escape; nothing counts yet.
    Escapes,
    /// A surrogate or beyond U+10FFFF.
    NotUnicode,
}

/// Encodes at most sixteen characters that need no escape: each becomes four bytes of a lane, of
/// which a compression keeps as many as it has in UTF-8.
///
/// # Safety
/// The processor has the tier; `source.len() <= 16`; `target` is valid for writing 64 bytes.
#[inline(always)]
unsafe fn encode_16<U: Unit>(source: &[U], target: *mut u8) -> Encoded {
    // SAFETY: by the caller; a masked load touches only the lanes of its mask.
    unsafe {
        let lanes = (0xffff_u32 >> (16 - source.len() as u32)) as u16;
        let start = source.as_ptr();
        let code = match size_of::<U>() {
            1 => _mm512_cvtepu8_epi32(_mm_maskz_loadu_epi8(lanes, start.cast())),
            2 => _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(lanes, start.cast())),
            _ => _mm512_maskz_loadu_epi32(lanes, start.cast()),
        };
        let one = _mm512_cmplt_epu32_mask(code, _mm512_set1_epi32(0x80));
        let control = _mm512_cmplt_epu32_mask(code, _mm512_set1_epi32(0x20));
        let quote = _mm512_cmpeq_epi32_mask(code, _mm512_set1_epi32(i32::from(b'"')));
        let backslash = _mm512_cmpeq_epi32_mask(code, _mm512_set1_epi32(i32::from(b'\\')));
        if (control | quote | backslash) & lanes != 0 {
            return Encoded::Escapes;
        }
        // The last byte of each form, and the lead with what stands above.
        let tail = |shifted: __m512i| {
            let six = _mm512_and_si512(shifted, _mm512_set1_epi32(0x3f));
            _mm512_or_si512(six, _mm512_set1_epi32(0x80))
        };
        let last = tail(code);
        let above = _mm512_srli_epi32::<6>(code);
        let two = _mm512_or_si512(
            _mm512_or_si512(above, _mm512_set1_epi32(0xc0)),
            _mm512_slli_epi32::<8>(last),
        );
        let is_two = _mm512_cmplt_epu32_mask(code, _mm512_set1_epi32(0x800)) & !one;
        let mut bytes = _mm512_mask_blend_epi32(is_two, code, two);
        // Bytes that count in each lane, as a mask of all ones.
        let mut kept =
            _mm512_mask_blend_epi32(one, _mm512_set1_epi32(0xffff), _mm512_set1_epi32(0xff));
        if size_of::<U>() > 1 {
            let is_more = !(one | is_two);
            let surrogate = _mm512_cmpeq_epi32_mask(
                _mm512_and_si512(code, _mm512_set1_epi32(!0x7ff)),
                _mm512_set1_epi32(0xd800),
            );
            if surrogate != 0 {
                return Encoded::NotUnicode;
            }
            let lead = _mm512_or_si512(_mm512_srli_epi32::<12>(code), _mm512_set1_epi32(0xe0));
            let three = _mm512_or_si512(
                _mm512_or_si512(lead, _mm512_slli_epi32::<8>(tail(above))),
                _mm512_slli_epi32::<16>(last),
            );
            bytes = _mm512_mask_blend_epi32(is_more, bytes, three);
            kept = _mm512_mask_blend_epi32(is_more, kept, _mm512_set1_epi32(0xff_ffff));
            let is_four = _mm512_cmpge_epu32_mask(code, _mm512_set1_epi32(0x1_0000));
            if size_of::<U>() == 4 && is_four != 0 {
                if _mm512_cmpgt_epu32_mask(code, _mm512_set1_epi32(0x10_ffff)) != 0 {
                    return Encoded::NotUnicode;
                }
                let lead = _mm512_or_si512(_mm512_srli_epi32::<18>(code), _mm512_set1_epi32(0xf0));
                let second = _mm512_slli_epi32::<8>(tail(_mm512_srli_epi32::<12>(code)));
                let third = _mm512_slli_epi32::<16>(tail(above));
                let four = _mm512_or_si512(
                    _mm512_or_si512(lead, second),
                    _mm512_or_si512(third, _mm512_slli_epi32::<24>(last)),
                );
                bytes = _mm512_mask_blend_epi32(is_four, bytes, four);
                kept = _mm512_mask_blend_epi32(is_four, kept, _mm512_set1_epi32(-1));
            }
        }
        let kept = _mm512_movepi8_mask(_mm512_maskz_mov_epi32(lanes, kept));
        _mm512_storeu_si512(target.cast(), _mm512_maskz_compress_epi8(kept, bytes));
        Encoded::Done(target.add(kept.count_ones() as usize))
    }
}
