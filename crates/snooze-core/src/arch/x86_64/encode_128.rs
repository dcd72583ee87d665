//! Writes string bodies with 128-bit vectors, for the tiers `v128` and `avx2`: escapes and UTF-8 by
//! widening and shuffling.
//!
//! Eight characters become eight lanes of two bytes, each with an escape or a UTF-8 sequence; or
//! four characters become four lanes of up to three bytes. A shuffle from a table closes the gaps.
//! The index into the table says which lanes have two bytes, or which have one and which have two.
//! Separate because both tiers share these kernels. Called through `Vector::escape_units` and
//! `Vector::escape_utf8` by `out::string`.

use core::arch::x86_64::*;

use super::super::generic::escape::{Unit, escape_bytes, escape_chars};

/// The shuffle that closes the gaps between eight lanes: a lane has two bytes if its bit of the
/// index is set, otherwise one.
static PAIRS: [[u8; 16]; 256] = pairs();

const fn pairs() -> [[u8; 16]; 256] {
    let mut table = [[0x80; 16]; 256];
    let mut index = 0;
    while index < 256 {
        let (mut lane, mut at) = (0, 0);
        while lane < 8 {
            table[index][at] = 2 * lane;
            at += 1;
            if index >> lane & 1 == 1 {
                table[index][at] = 2 * lane + 1;
                at += 1;
            }
            lane += 1;
        }
        index += 1;
    }
    table
}

/// The second byte of the short escapes (RFC 8259, section 7) of the control characters below
/// U+0010.
const SHORT_ESCAPES: [u8; 16] = [0, 0, 0, 0, 0, 0, 0, 0, b'b', b't', b'n', 0, b'f', b'r', 0, 0];

/// The shuffle that closes the gaps between four lanes: a lane has one byte if its bit in the low
/// half of the index is set, two if its bit in the high half is, otherwise three.
static SHUFFLES: [[u8; 16]; 256] = shuffles();

const fn shuffles() -> [[u8; 16]; 256] {
    let mut table = [[0x80; 16]; 256];
    let mut index = 0;
    while index < 256 {
        let (mut lane, mut at) = (0, 0);
        while lane < 4 {
            let length = if index >> lane & 1 == 1 {
                1
            } else if index >> (lane + 4) & 1 == 1 {
                2
            } else {
                3
            };
            let mut byte = 0;
            while byte < length {
                table[index][at] = (4 * lane + byte) as u8;
                at += 1;
                byte += 1;
            }
            lane += 1;
        }
        index += 1;
    }
    table
}

/// `Vector::escape_units` for `v128` and `avx2`.
///
/// # Safety
/// The processor has SSE4.2; otherwise as for `Vector::escape_units`.
#[inline(always)]
pub(super) unsafe fn escape_units<U: Unit>(source: &[U], mut target: *mut u8) -> Option<*mut u8> {
    if size_of::<U>() == 4 {
        // SAFETY: the contract is the same.
        return unsafe { escape_wide(source, target) };
    }
    let (eights, rest) = source.as_chunks::<8>();
    for eight in eights {
        // SAFETY: the processor has SSE4.2, because the caller guarantees it. All writes are inside
        // BLOCK_ROOM, because eight characters store sixteen bytes and advance by at most sixteen,
        // or do what `escape_wide` does.
        target = unsafe {
            let start = eight.as_ptr();
            let code = match size_of::<U>() {
                1 => _mm_cvtepu8_epi16(_mm_loadl_epi64(start.cast())),
                _ => _mm_loadu_si128(start.cast()),
            };
            let upper = _mm_srli_epi16::<11>(code);
            if size_of::<U>() == 2 && _mm_testz_si128(upper, upper) == 0 {
                escape_wide(eight, target)?
            } else {
                let is_two = _mm_cmpgt_epi16(code, _mm_set1_epi16(0x7f));
                let last = _mm_and_si128(code, _mm_set1_epi16(0x3f));
                let lead =
                    _mm_or_si128(_mm_srli_epi16::<6>(code), _mm_set1_epi16(0x80c0_u16 as i16));
                let two = _mm_or_si128(lead, _mm_slli_epi16::<8>(last));
                let sequences = _mm_blendv_epi8(code, two, is_two);
                match store_pairs(code, sequences, is_two, target) {
                    Some(end) => end,
                    None => escape_chars(eight, target)?,
                }
            }
        };
    }
    // SAFETY: the rest fits, because the caller has reserved BLOCK_ROOM for all characters.
    unsafe { escape_wide(rest, target) }
}

/// `Vector::escape_utf8` for `v128` and `avx2`.
///
/// # Safety
/// The processor has SSE4.2; otherwise as for `Vector::escape_utf8`.
#[inline(always)]
pub(super) unsafe fn escape_utf8(source: &[u8], mut target: *mut u8) -> *mut u8 {
    let (eights, rest) = source.as_chunks::<8>();
    for eight in eights {
        // SAFETY: the processor has SSE4.2, because the caller guarantees it. All writes are inside
        // BLOCK_ROOM, because eight bytes store sixteen and advance by at most sixteen, or by at
        // most six each.
        target = unsafe {
            let code = _mm_cvtepu8_epi16(_mm_loadl_epi64(eight.as_ptr().cast()));
            match store_pairs(code, code, _mm_setzero_si128(), target) {
                Some(end) => end,
                None => escape_bytes(eight, target),
            }
        };
    }
    // SAFETY: the rest fits, because the caller has reserved BLOCK_ROOM for all bytes.
    unsafe { escape_bytes(rest, target) }
}

/// Writes the UTF-8 `sequences` of eight characters, where `is_two` marks those of two bytes, and
/// short escapes; `None` if a character needs a `\u` escape.
///
/// # Safety
/// The processor has SSE4.2; `target` is valid for writing sixteen bytes.
#[inline(always)]
unsafe fn store_pairs(
    code: __m128i,
    sequences: __m128i,
    is_two: __m128i,
    target: *mut u8,
) -> Option<*mut u8> {
    // SAFETY: the processor has SSE4.2 and sixteen bytes are writable, because the caller
    // guarantees it.
    unsafe {
        let splat = |value: i16| _mm_set1_epi16(value);
        let (mut bytes, mut is_two) = (sequences, is_two);
        let control = _mm_cmplt_epi16(code, splat(0x20));
        let itself = _mm_or_si128(
            _mm_cmpeq_epi16(code, splat(i16::from(b'"'))),
            _mm_cmpeq_epi16(code, splat(i16::from(b'\\'))),
        );
        let escaped = _mm_or_si128(control, itself);
        if _mm_testz_si128(escaped, escaped) == 0 {
            // From U+0010 on there is no short escape, and the shuffle sees only the low four bits.
            let table = _mm_loadu_si128(SHORT_ESCAPES.as_ptr().cast());
            let low = _mm_and_si128(_mm_cmplt_epi16(code, splat(0x10)), splat(0xff));
            let short = _mm_and_si128(_mm_shuffle_epi8(table, code), low);
            let short = _mm_blendv_epi8(short, code, itself);
            let is_long = _mm_and_si128(escaped, _mm_cmpeq_epi16(short, _mm_setzero_si128()));
            if _mm_testz_si128(is_long, is_long) == 0 {
                return None;
            }
            let escape = _mm_or_si128(_mm_slli_epi16::<8>(short), splat(i16::from(b'\\')));
            bytes = _mm_blendv_epi8(bytes, escape, escaped);
            is_two = _mm_or_si128(is_two, escaped);
        }
        let pairs = _mm_movemask_epi8(_mm_packs_epi16(is_two, _mm_setzero_si128())) as usize;
        let shuffle = _mm_loadu_si128(PAIRS[pairs & 0xff].as_ptr().cast());
        _mm_storeu_si128(target.cast(), _mm_shuffle_epi8(bytes, shuffle));
        Some(target.add(8 + pairs.count_ones() as usize))
    }
}

/// [`escape_units`] for characters that may need more than two bytes.
///
/// # Safety
/// As for [`escape_units`].
#[inline(always)]
unsafe fn escape_wide<U: Unit>(source: &[U], mut target: *mut u8) -> Option<*mut u8> {
    let (fours, rest) = source.as_chunks::<4>();
    for four in fours {
        // SAFETY: the processor has SSE4.2, because the caller guarantees it. All writes are inside
        // BLOCK_ROOM, because four characters store sixteen bytes and advance by at most twelve, or
        // by at most six each.
        target = unsafe {
            match encode_4(four, target) {
                Some(end) => end,
                None => escape_chars(four, target)?,
            }
        };
    }
    // SAFETY: the rest fits, because the caller has reserved BLOCK_ROOM for all characters.
    unsafe { escape_chars(rest, target) }
}

/// Writes four characters below U+10000 as UTF-8; `None` if one is above, is a surrogate, or needs
/// an escape.
///
/// # Safety
/// The processor has SSE4.2; `target` is valid for writing sixteen bytes.
#[inline(always)]
unsafe fn encode_4<U: Unit>(source: &[U; 4], target: *mut u8) -> Option<*mut u8> {
    // SAFETY: the processor has SSE4.2 and sixteen bytes are writable, because the caller
    // guarantees it; the loads are in bounds, because they read four units.
    unsafe {
        let start = source.as_ptr();
        let code = match size_of::<U>() {
            1 => _mm_cvtepu8_epi32(_mm_cvtsi32_si128(start.cast::<i32>().read_unaligned())),
            2 => _mm_cvtepu16_epi32(_mm_loadl_epi64(start.cast())),
            _ => _mm_loadu_si128(start.cast()),
        };
        let splat = |value: i32| _mm_set1_epi32(value);
        let mask = |lanes: __m128i| _mm_movemask_ps(_mm_castsi128_ps(lanes)) as usize;
        // Code points are far below 2^31. Larger numbers are negative here, so they count as
        // control characters and are refused.
        let one = _mm_cmplt_epi32(code, splat(0x80));
        let escape = _mm_or_si128(
            _mm_cmplt_epi32(code, splat(0x20)),
            _mm_or_si128(
                _mm_cmpeq_epi32(code, splat(i32::from(b'"'))),
                _mm_cmpeq_epi32(code, splat(i32::from(b'\\'))),
            ),
        );
        let surrogate = _mm_cmpeq_epi32(_mm_and_si128(code, splat(!0x7ff)), splat(0xd800));
        let beyond = _mm_cmpgt_epi32(code, splat(0xffff));
        let refused = _mm_or_si128(escape, _mm_or_si128(surrogate, beyond));
        if mask(refused) != 0 {
            return None;
        }
        let below_three = _mm_cmplt_epi32(code, splat(0x800));
        let tail =
            |shifted: __m128i| _mm_or_si128(_mm_and_si128(shifted, splat(0x3f)), splat(0x80));
        let above = _mm_srli_epi32::<6>(code);
        let last = tail(code);
        let two = _mm_or_si128(_mm_or_si128(above, splat(0xc0)), _mm_slli_epi32::<8>(last));
        let lead = _mm_or_si128(_mm_srli_epi32::<12>(code), splat(0xe0));
        let three = _mm_or_si128(
            _mm_or_si128(lead, _mm_slli_epi32::<8>(tail(above))),
            _mm_slli_epi32::<16>(last),
        );
        let bytes = _mm_blendv_epi8(_mm_blendv_epi8(three, two, below_three), code, one);
        let (ones, twos) = (mask(one), mask(below_three) & !mask(one));
        let shuffle = _mm_loadu_si128(SHUFFLES[ones | twos << 4].as_ptr().cast());
        _mm_storeu_si128(target.cast(), _mm_shuffle_epi8(bytes, shuffle));
        let gaps = 2 * ones.count_ones() + twos.count_ones();
        Some(target.add(12 - gaps as usize))
    }
}
