//! Writes string bodies with 256-bit vectors, for the tier `avx2`: the kernels of `encode_128`, for
//! twice as many characters.
//!
//! Each half of a vector closes its gaps with a shuffle from the tables of `encode_128`, and is
//! stored after the other. Separate because `v128` lacks these instructions. The last characters
//! are left to `encode_128`. Called through `Vector` by `out::string`.

use core::arch::x86_64::*;

use super::super::generic::escape::{Unit, escape_bytes, escape_chars};
use super::encode_128;
use super::encode_128::{PAIRS, SHORT_ESCAPES, SHUFFLES};

/// `Vector::escape_units` for `avx2`, and `Vector::escape_headed_units` if `HEADED`.
///
/// # Safety
/// The processor has AVX2; otherwise as for `encode_128::escape_units`.
#[inline(always)]
pub(super) unsafe fn escape_units<U: Unit, const HEADED: bool>(
    source: &[U],
    end: *const U,
    mut target: *mut u8,
) -> Option<*mut u8> {
    if size_of::<U>() == 4 {
        // SAFETY: the contract is the same.
        return unsafe { escape_wide::<U, HEADED>(source, end, target) };
    }
    let (sixteens, rest) = source.as_chunks::<16>();
    // SAFETY: the processor has AVX2, because the caller guarantees it. All writes are inside
    // BLOCK_ROOM, because sixteen characters store and advance by at most 32 bytes, or do what
    // `escape_wide` does. The rest has the source's header.
    unsafe {
        for sixteen in sixteens {
            let start = sixteen.as_ptr();
            let code = match size_of::<U>() {
                1 => _mm256_cvtepu8_epi16(_mm_loadu_si128(start.cast())),
                _ => _mm256_loadu_si256(start.cast()),
            };
            let upper = _mm256_srli_epi16::<11>(code);
            if size_of::<U>() == 2 && _mm256_testz_si256(upper, upper) == 0 {
                target = escape_wide::<U, false>(sixteen, sixteen.as_ptr_range().end, target)?;
                continue;
            }
            let is_two = _mm256_cmpgt_epi16(code, _mm256_set1_epi16(0x7f));
            let last = _mm256_and_si256(code, _mm256_set1_epi16(0x3f));
            let lead =
                _mm256_or_si256(_mm256_srli_epi16::<6>(code), _mm256_set1_epi16(0x80c0_u16 as i16));
            let two = _mm256_or_si256(lead, _mm256_slli_epi16::<8>(last));
            let sequences = _mm256_blendv_epi8(code, two, is_two);
            target = match store_pairs(code, sequences, is_two, target) {
                Some(end) => end,
                None => escape_chars(sixteen, target)?,
            };
        }
        encode_128::escape_units::<U, HEADED>(rest, end, target)
    }
}

/// `Vector::escape_utf8` for `avx2`.
///
/// # Safety
/// The processor has AVX2; otherwise as for `Vector::escape_utf8`.
#[inline(always)]
pub(super) unsafe fn escape_utf8(source: &[u8], mut target: *mut u8) -> *mut u8 {
    let (sixteens, rest) = source.as_chunks::<16>();
    // SAFETY: the processor has AVX2, because the caller guarantees it. All writes are inside
    // BLOCK_ROOM, because sixteen bytes store and advance by at most 32, or by at most six each.
    unsafe {
        for sixteen in sixteens {
            let code = _mm256_cvtepu8_epi16(_mm_loadu_si128(sixteen.as_ptr().cast()));
            target = match store_pairs(code, code, _mm256_setzero_si256(), target) {
                Some(end) => end,
                None => escape_bytes(sixteen, target),
            };
        }
        encode_128::escape_utf8(rest, target)
    }
}

/// Writes the UTF-8 `sequences` of sixteen characters, where `is_two` marks those of two bytes, and
/// short escapes; `None` if a character needs a `\u` escape.
///
/// # Safety
/// The processor has AVX2; `target` is valid for writing 32 bytes.
#[inline(always)]
unsafe fn store_pairs(
    code: __m256i,
    sequences: __m256i,
    is_two: __m256i,
    target: *mut u8,
) -> Option<*mut u8> {
    // SAFETY: the processor has AVX2 and 32 bytes are writable, because the caller guarantees it;
    // the second store begins after at most sixteen bytes.
    unsafe {
        let splat = |value: i16| _mm256_set1_epi16(value);
        let (mut bytes, mut is_two) = (sequences, is_two);
        let control = _mm256_cmpgt_epi16(splat(0x20), code);
        let itself = _mm256_or_si256(
            _mm256_cmpeq_epi16(code, splat(i16::from(b'"'))),
            _mm256_cmpeq_epi16(code, splat(i16::from(b'\\'))),
        );
        let escaped = _mm256_or_si256(control, itself);
        if _mm256_testz_si256(escaped, escaped) == 0 {
            // From U+0010 on there is no short escape, and the shuffle sees only the low four bits.
            let table = _mm256_broadcastsi128_si256(_mm_loadu_si128(SHORT_ESCAPES.as_ptr().cast()));
            let low = _mm256_and_si256(_mm256_cmpgt_epi16(splat(0x10), code), splat(0xff));
            let short = _mm256_and_si256(_mm256_shuffle_epi8(table, code), low);
            let short = _mm256_blendv_epi8(short, code, itself);
            let none = _mm256_cmpeq_epi16(short, _mm256_setzero_si256());
            if _mm256_testz_si256(escaped, none) == 0 {
                return None;
            }
            let escape = _mm256_or_si256(_mm256_slli_epi16::<8>(short), splat(i16::from(b'\\')));
            bytes = _mm256_blendv_epi8(bytes, escape, escaped);
            is_two = _mm256_or_si256(is_two, escaped);
        }
        // Each half of the packed vector has eight bytes, one for each lane, and eight zeros.
        let packed = _mm256_packs_epi16(is_two, _mm256_setzero_si256());
        let pairs = _mm256_movemask_epi8(packed) as usize;
        let (first, second) = (pairs & 0xff, pairs >> 16 & 0xff);
        let bytes = _mm256_shuffle_epi8(bytes, shuffles(&PAIRS[first], &PAIRS[second]));
        let middle = target.add(8 + first.count_ones() as usize);
        _mm_storeu_si128(target.cast(), _mm256_castsi256_si128(bytes));
        _mm_storeu_si128(middle.cast(), _mm256_extracti128_si256::<1>(bytes));
        Some(middle.add(8 + second.count_ones() as usize))
    }
}

/// The shuffle of both halves.
///
/// # Safety
/// The processor has AVX2.
#[inline(always)]
unsafe fn shuffles(first: &[u8; 16], second: &[u8; 16]) -> __m256i {
    // SAFETY: the processor has AVX2, because the caller guarantees it; arrays of sixteen bytes.
    unsafe {
        _mm256_set_m128i(
            _mm_loadu_si128(second.as_ptr().cast()),
            _mm_loadu_si128(first.as_ptr().cast()),
        )
    }
}

/// [`escape_units`] for characters that may need more than two bytes.
///
/// # Safety
/// As for [`escape_units`].
#[inline(always)]
unsafe fn escape_wide<U: Unit, const HEADED: bool>(
    source: &[U],
    end: *const U,
    mut target: *mut u8,
) -> Option<*mut u8> {
    let (eights, rest) = source.as_chunks::<8>();
    // SAFETY: the processor has AVX2, because the caller guarantees it. All writes are inside
    // BLOCK_ROOM, because eight characters store and advance by at most 32 bytes, or by at most six
    // each. The rest has the source's header.
    unsafe {
        for eight in eights {
            target = match encode_8(eight, target) {
                Some(end) => end,
                None => {
                    encode_128::escape_wide::<U, false>(eight, eight.as_ptr_range().end, target)?
                }
            };
        }
        encode_128::escape_wide::<U, HEADED>(rest, end, target)
    }
}

/// Writes eight characters as UTF-8, with short escapes; `None` if one is no character or needs a
/// `\u` escape.
///
/// # Safety
/// The processor has AVX2; `target` is valid for writing 32 bytes.
#[inline(always)]
unsafe fn encode_8<U: Unit>(source: &[U; 8], target: *mut u8) -> Option<*mut u8> {
    // SAFETY: the processor has AVX2 and 32 bytes are writable, because the caller guarantees it:
    // the second store begins after at most sixteen; the loads are in bounds, because they read
    // eight units.
    unsafe {
        let start = source.as_ptr();
        let code = match size_of::<U>() {
            1 => _mm256_cvtepu8_epi32(_mm_loadl_epi64(start.cast())),
            2 => _mm256_cvtepu16_epi32(_mm_loadu_si128(start.cast())),
            _ => _mm256_loadu_si256(start.cast()),
        };
        let splat = |value: i32| _mm256_set1_epi32(value);
        let mask = |lanes: __m256i| _mm256_movemask_ps(_mm256_castsi256_ps(lanes)) as usize;
        let below = |limit: i32| _mm256_cmpgt_epi32(splat(limit), code);
        // Numbers from 2^31 on are negative here, and so are in `escaped`; `beyond` refuses them.
        let one = below(0x80);
        let itself = _mm256_or_si256(
            _mm256_cmpeq_epi32(code, splat(i32::from(b'"'))),
            _mm256_cmpeq_epi32(code, splat(i32::from(b'\\'))),
        );
        let escaped = _mm256_or_si256(below(0x20), itself);
        let surrogate = _mm256_cmpeq_epi32(_mm256_and_si256(code, splat(!0x7ff)), splat(0xd800));
        let four = _mm256_cmpgt_epi32(code, splat(0xffff));
        let below_three = below(0x800);
        let tail =
            |shifted: __m256i| _mm256_or_si256(_mm256_and_si256(shifted, splat(0x3f)), splat(0x80));
        let above = _mm256_srli_epi32::<6>(code);
        let last = tail(code);
        let two =
            _mm256_or_si256(_mm256_or_si256(above, splat(0xc0)), _mm256_slli_epi32::<8>(last));
        let lead = _mm256_or_si256(_mm256_srli_epi32::<12>(code), splat(0xe0));
        let three = _mm256_or_si256(
            _mm256_or_si256(lead, _mm256_slli_epi32::<8>(tail(above))),
            _mm256_slli_epi32::<16>(last),
        );
        let mut bytes = _mm256_blendv_epi8(_mm256_blendv_epi8(three, two, below_three), code, one);
        let mut one_more = _mm256_andnot_si256(one, below_three);
        let unusual = _mm256_or_si256(escaped, _mm256_or_si256(surrogate, four));
        if _mm256_testz_si256(unusual, unusual) == 0 {
            // From U+0010 on there is no short escape, and the shuffle sees only the low four bits.
            let table = _mm256_broadcastsi128_si256(_mm_loadu_si128(SHORT_ESCAPES.as_ptr().cast()));
            let low = _mm256_and_si256(below(0x10), splat(0xff));
            let short = _mm256_and_si256(_mm256_shuffle_epi8(table, code), low);
            let short = _mm256_blendv_epi8(short, code, itself);
            let is_long =
                _mm256_and_si256(escaped, _mm256_cmpeq_epi32(short, _mm256_setzero_si256()));
            // Only the signs are read: `code` has that of numbers from 2^31 on.
            let beyond = _mm256_or_si256(_mm256_cmpgt_epi32(code, splat(0x10_ffff)), code);
            if mask(_mm256_or_si256(is_long, _mm256_or_si256(surrogate, beyond))) != 0 {
                return None;
            }
            let escape = _mm256_or_si256(_mm256_slli_epi32::<8>(short), splat(i32::from(b'\\')));
            bytes = _mm256_blendv_epi8(bytes, escape, escaped);
            one_more = _mm256_or_si256(one_more, escaped);
            if size_of::<U>() == 4 {
                let lead = _mm256_or_si256(_mm256_srli_epi32::<18>(code), splat(0xf0));
                let first = _mm256_slli_epi32::<8>(tail(_mm256_srli_epi32::<12>(code)));
                let tails = _mm256_or_si256(
                    _mm256_slli_epi32::<16>(tail(above)),
                    _mm256_slli_epi32::<24>(last),
                );
                let sequence = _mm256_or_si256(_mm256_or_si256(lead, first), tails);
                bytes = _mm256_blendv_epi8(bytes, sequence, four);
                one_more = _mm256_or_si256(one_more, four);
            }
        }
        let (one_more, two_more) = (mask(one_more), mask(below_three) ^ 0xff);
        // The index of each half: its lanes of one more byte, and above them those of two more.
        let first = one_more & 15 | (two_more & 15) << 4;
        let second = one_more >> 4 | two_more & 0xf0;
        let bytes = _mm256_shuffle_epi8(bytes, shuffles(&SHUFFLES[first], &SHUFFLES[second]));
        let len = |half: usize| {
            let more = (half & 15).count_ones() + 2 * (half >> 4).count_ones();
            4 + more as usize
        };
        let middle = target.add(len(first));
        _mm_storeu_si128(target.cast(), _mm256_castsi256_si128(bytes));
        _mm_storeu_si128(middle.cast(), _mm256_extracti128_si256::<1>(bytes));
        Some(middle.add(len(second)))
    }
}
