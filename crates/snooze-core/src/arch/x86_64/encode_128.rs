//! Writes string bodies with 128-bit vectors: escapes and UTF-8 by widening and shuffling.
//!
//! Eight characters become eight lanes of two bytes, each with an escape or a UTF-8 sequence; or
//! four characters become four lanes of up to four bytes. A shuffle from a table closes the gaps.
//! The index into the table says how many bytes each lane has. Where a header precedes the text,
//! the last characters are loaded with some before them, which are shifted out. Separate because it
//! serves the tier `v128`, and the last characters of `avx2`. Called through `Vector` by
//! `out::string`, and by `encode_256`.

use core::arch::x86_64::*;

use super::super::generic::aligned::Aligned;
use super::super::generic::escape::{Unit, escape_bytes, escape_chars};
use super::super::generic::headed::MOVE_DOWN;

/// The shuffle that closes the gaps between eight lanes: a lane has two bytes if its bit of the
/// index is set, otherwise one.
pub(super) static PAIRS: Aligned<[[u8; 16]; 256]> = Aligned(pairs());

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
pub(super) const SHORT_ESCAPES: [u8; 16] =
    [0, 0, 0, 0, 0, 0, 0, 0, b'b', b't', b'n', 0, b'f', b'r', 0, 0];

/// The shuffle that closes the gaps between four lanes: a lane has one byte, one more if its bit in
/// the low half of the index is set, and two more if its bit in the high half is.
pub(super) static SHUFFLES: Aligned<[[u8; 16]; 256]> = Aligned(shuffles());

const fn shuffles() -> [[u8; 16]; 256] {
    let mut table = [[0x80; 16]; 256];
    let mut index = 0;
    while index < 256 {
        let (mut lane, mut at) = (0, 0);
        while lane < 4 {
            let length = 1 + (index >> lane & 1) + 2 * (index >> (lane + 4) & 1);
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

/// The lanes that replace those beyond the end of a text: at offset `8 - n`, eight lanes of two
/// bytes, of which all but the first `n` have a letter.
static FILL_PAIRS: [u16; 16] = {
    let mut fill = [0; 16];
    let mut lane = 8;
    while lane < 16 {
        fill[lane] = b'a' as u16;
        lane += 1;
    }
    fill
};

/// The same for four lanes of four bytes, at offset `4 - n`.
static FILL_WIDE: [u32; 8] = [0, 0, 0, 0, b'a' as u32, b'a' as u32, b'a' as u32, b'a' as u32];

/// `Vector::escape_units` for `v128`, and `Vector::escape_headed_units` if `HEADED`.
///
/// # Safety
/// The processor has SSE4.2. `target` is valid for writing six bytes for each unit, and 32 more.
/// `end` is the end of the source; if `HEADED`, the sixteen bytes before it are readable through
/// it.
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
    let (eights, rest) = source.as_chunks::<8>();
    // SAFETY: the processor has SSE4.2, because the caller guarantees it. All writes are inside
    // BLOCK_ROOM, because eight characters store sixteen bytes and advance by at most sixteen, or
    // do what `escape_wide` does. The bytes before the end are readable, because the caller says
    // so.
    unsafe {
        for eight in eights {
            target = escape_8(load_8(eight.as_ptr()), eight, target)?;
        }
        if HEADED && !rest.is_empty() {
            let unused = 8 - rest.len();
            let code = load_8(end.sub(8));
            let code = _mm_shuffle_epi8(code, move_down(2 * unused));
            let fill = _mm_loadu_si128(FILL_PAIRS.as_ptr().add(unused).cast());
            if let Some(end) = pairs_of_8::<U>(_mm_or_si128(code, fill), target) {
                return Some(end.sub(unused));
            }
        }
        escape_wide::<U, HEADED>(rest, end, target)
    }
}

/// Loads eight units of one or two bytes as lanes of two bytes.
///
/// # Safety
/// The processor has SSE4.2; eight units at `start` are readable.
#[inline(always)]
unsafe fn load_8<U: Unit>(start: *const U) -> __m128i {
    // SAFETY: as the caller guarantees.
    unsafe {
        match size_of::<U>() {
            1 => _mm_cvtepu8_epi16(_mm_loadl_epi64(start.cast())),
            _ => _mm_loadu_si128(start.cast()),
        }
    }
}

/// The shuffle that moves sixteen lanes down by `by <= 16` and sets the lanes above to zero.
///
/// # Safety
/// The processor has SSE4.2.
#[inline(always)]
unsafe fn move_down(by: usize) -> __m128i {
    // SAFETY: inside the table, because the offset is masked.
    unsafe { _mm_loadu_si128(MOVE_DOWN.as_ptr().add(by & 31).cast()) }
}

/// Writes eight characters, which are in `code` too; `None` if one is a surrogate.
///
/// # Safety
/// As for [`escape_units`].
#[inline(always)]
unsafe fn escape_8<U: Unit>(code: __m128i, source: &[U; 8], target: *mut u8) -> Option<*mut u8> {
    // SAFETY: as the caller guarantees.
    unsafe {
        match pairs_of_8::<U>(code, target) {
            Some(end) => Some(end),
            None => escape_wide::<U, false>(source, source.as_ptr_range().end, target),
        }
    }
}

/// Writes eight characters of at most two bytes in UTF-8, with short escapes; `None` if another is
/// among them.
///
/// # Safety
/// The processor has SSE4.2; `target` is valid for writing sixteen bytes.
#[inline(always)]
unsafe fn pairs_of_8<U: Unit>(code: __m128i, target: *mut u8) -> Option<*mut u8> {
    // SAFETY: as the caller guarantees.
    unsafe {
        let upper = _mm_srli_epi16::<11>(code);
        if size_of::<U>() == 2 && _mm_testz_si128(upper, upper) == 0 {
            return None;
        }
        let is_two = _mm_cmpgt_epi16(code, _mm_set1_epi16(0x7f));
        let last = _mm_and_si128(code, _mm_set1_epi16(0x3f));
        let lead = _mm_or_si128(_mm_srli_epi16::<6>(code), _mm_set1_epi16(0x80c0_u16 as i16));
        let two = _mm_or_si128(lead, _mm_slli_epi16::<8>(last));
        let sequences = _mm_blendv_epi8(code, two, is_two);
        store_pairs(code, sequences, is_two, target)
    }
}

/// `Vector::escape_utf8` for `v128`.
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
pub(super) unsafe fn escape_wide<U: Unit, const HEADED: bool>(
    source: &[U],
    end: *const U,
    mut target: *mut u8,
) -> Option<*mut u8> {
    let (fours, rest) = source.as_chunks::<4>();
    // SAFETY: the processor has SSE4.2, because the caller guarantees it. All writes are inside
    // BLOCK_ROOM, because four characters store sixteen bytes and advance by at most sixteen, or by
    // at most six each. The bytes before the end are readable, because the caller says so.
    unsafe {
        for four in fours {
            target = match encode_4::<U>(load_4(four.as_ptr()), target) {
                Some(end) => end,
                None => escape_chars(four, target)?,
            };
        }
        if HEADED && !rest.is_empty() {
            let unused = 4 - rest.len();
            let code = load_4(end.sub(4));
            let code = _mm_shuffle_epi8(code, move_down(4 * unused));
            let fill = _mm_loadu_si128(FILL_WIDE.as_ptr().add(unused).cast());
            if let Some(end) = encode_4::<U>(_mm_or_si128(code, fill), target) {
                return Some(end.sub(unused));
            }
        }
        escape_chars(rest, target)
    }
}

/// Loads four units as lanes of four bytes.
///
/// # Safety
/// The processor has SSE4.2; four units at `start` are readable.
#[inline(always)]
unsafe fn load_4<U: Unit>(start: *const U) -> __m128i {
    // SAFETY: as the caller guarantees.
    unsafe {
        match size_of::<U>() {
            1 => _mm_cvtepu8_epi32(_mm_cvtsi32_si128(start.cast::<i32>().read_unaligned())),
            2 => _mm_cvtepu16_epi32(_mm_loadl_epi64(start.cast())),
            _ => _mm_loadu_si128(start.cast()),
        }
    }
}

/// Writes four characters as UTF-8, with short escapes; `None` if one is no character or needs a
/// `\u` escape.
///
/// # Safety
/// The processor has SSE4.2; `target` is valid for writing sixteen bytes.
#[inline(always)]
unsafe fn encode_4<U: Unit>(code: __m128i, target: *mut u8) -> Option<*mut u8> {
    // SAFETY: the processor has SSE4.2 and sixteen bytes are writable, because the caller
    // guarantees it.
    unsafe {
        let splat = |value: i32| _mm_set1_epi32(value);
        let mask = |lanes: __m128i| _mm_movemask_ps(_mm_castsi128_ps(lanes)) as usize;
        // Numbers from 2^31 on are negative here, and so are in `escaped`; `beyond` refuses them.
        let one = _mm_cmplt_epi32(code, splat(0x80));
        let itself = _mm_or_si128(
            _mm_cmpeq_epi32(code, splat(i32::from(b'"'))),
            _mm_cmpeq_epi32(code, splat(i32::from(b'\\'))),
        );
        let escaped = _mm_or_si128(_mm_cmplt_epi32(code, splat(0x20)), itself);
        let surrogate = _mm_cmpeq_epi32(_mm_and_si128(code, splat(!0x7ff)), splat(0xd800));
        let four = _mm_cmpgt_epi32(code, splat(0xffff));
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
        let mut bytes = _mm_blendv_epi8(_mm_blendv_epi8(three, two, below_three), code, one);
        let mut one_more = _mm_andnot_si128(one, below_three);
        if mask(_mm_or_si128(escaped, _mm_or_si128(surrogate, four))) != 0 {
            // From U+0010 on there is no short escape, and the shuffle sees only the low four bits.
            let table = _mm_loadu_si128(SHORT_ESCAPES.as_ptr().cast());
            let low = _mm_and_si128(_mm_cmplt_epi32(code, splat(0x10)), splat(0xff));
            let short = _mm_and_si128(_mm_shuffle_epi8(table, code), low);
            let short = _mm_blendv_epi8(short, code, itself);
            let is_long = _mm_and_si128(escaped, _mm_cmpeq_epi32(short, _mm_setzero_si128()));
            // Only the signs are read: `code` has that of numbers from 2^31 on.
            let beyond = _mm_or_si128(_mm_cmpgt_epi32(code, splat(0x10_ffff)), code);
            if mask(_mm_or_si128(is_long, _mm_or_si128(surrogate, beyond))) != 0 {
                return None;
            }
            let escape = _mm_or_si128(_mm_slli_epi32::<8>(short), splat(i32::from(b'\\')));
            bytes = _mm_blendv_epi8(bytes, escape, escaped);
            one_more = _mm_or_si128(one_more, escaped);
            if size_of::<U>() == 4 {
                let lead = _mm_or_si128(_mm_srli_epi32::<18>(code), splat(0xf0));
                let first = _mm_slli_epi32::<8>(tail(_mm_srli_epi32::<12>(code)));
                let tails =
                    _mm_or_si128(_mm_slli_epi32::<16>(tail(above)), _mm_slli_epi32::<24>(last));
                let sequence = _mm_or_si128(_mm_or_si128(lead, first), tails);
                bytes = _mm_blendv_epi8(bytes, sequence, four);
                one_more = _mm_or_si128(one_more, four);
            }
        }
        let (one_more, two_more) = (mask(one_more), mask(below_three) ^ 15);
        let shuffle = _mm_loadu_si128(SHUFFLES[one_more | two_more << 4].as_ptr().cast());
        _mm_storeu_si128(target.cast(), _mm_shuffle_epi8(bytes, shuffle));
        let more = one_more.count_ones() + 2 * two_more.count_ones();
        Some(target.add(4 + more as usize))
    }
}
