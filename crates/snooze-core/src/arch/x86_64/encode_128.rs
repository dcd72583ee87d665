//! UTF-8 from wide characters with 128-bit vectors, for the tiers `v128` and `avx2`.
//!
//! Four characters become four lanes of up to three bytes, and a shuffle from a table closes
//! the gaps: the table is indexed by which lanes have one byte and which have two.

use core::arch::x86_64::*;

use super::super::generic::escape::{Unit, write_chars};

/// The shuffle that keeps the bytes that count, for lanes of one byte (low four bits of the
/// index) and of two (high four bits); all others have three.
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

/// As `Vector::write_block`.
///
/// # Safety
/// The processor has SSE4.2; otherwise as `Vector::write_block`.
#[inline(always)]
pub(super) unsafe fn write_block<U: Unit>(source: &[U], mut target: *mut u8) -> Option<*mut u8> {
    let (fours, rest) = source.as_chunks::<4>();
    for four in fours {
        // SAFETY: by the caller. Each writes a vector of sixteen bytes and advances by at most
        // twelve, or by six for each character: inside BLOCK_ROOM.
        target = unsafe {
            match encode_4(four, target) {
                Some(end) => end,
                None => write_chars(four, target)?,
            }
        };
    }
    // SAFETY: fewer than four characters are left, in the room that the caller has reserved.
    unsafe { write_chars(rest, target) }
}

/// Encodes four characters below U+10000, or returns `None` if one is above, a surrogate, or
/// needs an escape.
///
/// # Safety
/// The processor has SSE4.2; `target` is valid for writing sixteen bytes.
#[inline(always)]
unsafe fn encode_4<U: Unit>(source: &[U; 4], target: *mut u8) -> Option<*mut u8> {
    // SAFETY: by the caller; the source has four units.
    unsafe {
        let start = source.as_ptr();
        let code = match size_of::<U>() {
            1 => _mm_cvtepu8_epi32(_mm_cvtsi32_si128(start.cast::<i32>().read_unaligned())),
            2 => _mm_cvtepu16_epi32(_mm_loadl_epi64(start.cast())),
            _ => _mm_loadu_si128(start.cast()),
        };
        let splat = |value: i32| _mm_set1_epi32(value);
        let mask = |lanes: __m128i| _mm_movemask_ps(_mm_castsi128_ps(lanes)) as usize;
        // Code points are far below 2^31; larger numbers are negative here, and refused below.
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
