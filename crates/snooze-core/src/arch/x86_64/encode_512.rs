//! Writes string bodies with 512-bit vectors: escapes and UTF-8 by widening and compressing.
//!
//! Each character becomes a lane of two bytes (or of four, if it needs more) with its escape or its
//! UTF-8 sequence; a compression then closes the gaps. So the time does not depend on how many
//! characters need an escape. Separate because only `avx512` has these instructions. Called through
//! `Vector::escape_units` and `Vector::escape_utf8` by `out::string`.

use core::arch::x86_64::*;

use super::super::generic::escape::{Unit, escape_bytes, escape_chars};

/// The second byte of the short escapes (RFC 8259, section 7), indexed by the low six bits of the
/// character; zero if it has none. The backslash shares its entry with U+001C, which has none.
static SHORT_ESCAPES: [u8; 64] = {
    let mut table = [0; 64];
    table[0x08] = b'b';
    table[b'\t' as usize] = b't';
    table[b'\n' as usize] = b'n';
    table[0x0c] = b'f';
    table[b'\r' as usize] = b'r';
    table[b'"' as usize] = b'"';
    table[b'\\' as usize & 63] = b'\\';
    table
};

/// `Vector::escape_units` for `avx512`.
///
/// # Safety
/// The processor has the tier; otherwise as for `Vector::escape_units`.
#[inline(always)]
pub(super) unsafe fn escape_units<U: Unit>(source: &[U], mut target: *mut u8) -> Option<*mut u8> {
    if size_of::<U>() == 4 {
        // SAFETY: the contract is the same.
        return unsafe { escape_wide(source, target) };
    }
    for part in source.chunks(32) {
        // SAFETY: the processor has the tier, because the caller guarantees it. All writes are
        // inside BLOCK_ROOM, because a part stores 64 bytes and advances by at most 64, or does
        // what `escape_wide` does. The loads are in bounds, because their mask covers only the
        // part.
        target = unsafe {
            let lanes = u32::MAX >> (32 - part.len() as u32);
            let code = match size_of::<U>() {
                1 => _mm512_cvtepu8_epi16(_mm256_maskz_loadu_epi8(lanes, part.as_ptr().cast())),
                _ => _mm512_maskz_loadu_epi16(lanes, part.as_ptr().cast()),
            };
            let is_two = _mm512_cmpge_epu16_mask(code, _mm512_set1_epi16(0x80));
            let is_more = _mm512_cmpge_epu16_mask(code, _mm512_set1_epi16(0x800));
            let last = _mm512_or_si512(
                _mm512_and_si512(code, _mm512_set1_epi16(0x3f)),
                _mm512_set1_epi16(0x80),
            );
            let lead = _mm512_or_si512(_mm512_srli_epi16::<6>(code), _mm512_set1_epi16(0xc0));
            let two = _mm512_or_si512(lead, _mm512_slli_epi16::<8>(last));
            let sequences = _mm512_mask_blend_epi16(is_two, code, two);
            if size_of::<U>() == 2 && is_more != 0 {
                escape_wide(part, target)?
            } else {
                let control = _mm512_cmplt_epu16_mask(code, _mm512_set1_epi16(0x20));
                let quote = _mm512_cmpeq_epi16_mask(code, _mm512_set1_epi16(i16::from(b'"')));
                let backslash = _mm512_cmpeq_epi16_mask(code, _mm512_set1_epi16(i16::from(b'\\')));
                let escaped = (control | quote | backslash) & lanes;
                match store_compressed(code, sequences, is_two, escaped, lanes, target) {
                    Some(end) => end,
                    None => escape_chars(part, target)?,
                }
            }
        };
    }
    Some(target)
}

/// `Vector::escape_utf8` for `avx512`.
///
/// # Safety
/// The processor has the tier; otherwise as for `Vector::escape_utf8`.
#[inline(always)]
pub(super) unsafe fn escape_utf8(source: &[u8], mut target: *mut u8) -> *mut u8 {
    for part in source.chunks(64) {
        // SAFETY: the processor has the tier, because the caller guarantees it. The load is in
        // bounds, because its mask covers only the part. All writes are inside BLOCK_ROOM, because
        // a part stores 64 bytes and advances by at most 64, or calls `escape_half` twice, which
        // does too.
        target = unsafe {
            let lanes = u64::MAX >> (64 - part.len() as u32);
            let bytes = _mm512_maskz_loadu_epi8(lanes, part.as_ptr().cast());
            let stops = _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8(b'"' as i8))
                | _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8(b'\\' as i8))
                | _mm512_cmplt_epu8_mask(bytes, _mm512_set1_epi8(0x20));
            let stops = stops & lanes;
            if stops == 0 {
                _mm512_storeu_si512(target.cast(), bytes);
                target.add(part.len())
            } else {
                let (first, second) = part.split_at(part.len().min(32));
                target = escape_half(_mm512_castsi512_si256(bytes), first, stops as u32, target);
                let bytes = _mm512_extracti64x4_epi64::<1>(bytes);
                escape_half(bytes, second, (stops >> 32) as u32, target)
            }
        };
    }
    target
}

/// Writes the at most 32 bytes of UTF-8 in `part`, which `bytes` holds too; `stops` marks those
/// that need an escape.
///
/// # Safety
/// As for [`escape_utf8`]; 64 bytes after the output of this call are writable.
#[inline(always)]
unsafe fn escape_half(bytes: __m256i, part: &[u8], stops: u32, target: *mut u8) -> *mut u8 {
    // SAFETY: the processor has the tier and the target is large enough, because the caller
    // guarantees it.
    unsafe {
        if stops == 0 {
            _mm256_storeu_si256(target.cast(), bytes);
            return target.add(part.len());
        }
        let lanes = u32::MAX >> (32 - part.len() as u32);
        let code = _mm512_cvtepu8_epi16(bytes);
        match store_compressed(code, code, 0, stops, lanes, target) {
            Some(end) => end,
            None => escape_bytes(part, target),
        }
    }
}

/// Writes the UTF-8 `sequences` of at most 32 characters, where `is_two` marks those of two bytes,
/// and short escapes for those of `escaped`; `None` if one needs a `\u` escape.
///
/// # Safety
/// The processor has the tier; `target` is valid for writing 64 bytes.
#[inline(always)]
unsafe fn store_compressed(
    code: __m512i,
    sequences: __m512i,
    is_two: u32,
    escaped: u32,
    lanes: u32,
    target: *mut u8,
) -> Option<*mut u8> {
    // SAFETY: the processor has the tier and 64 bytes are writable, because the caller guarantees
    // it.
    unsafe {
        let (mut bytes, mut is_two) = (sequences, is_two);
        if escaped != 0 {
            // The high byte of each lane is zero, and entry zero of the table is zero.
            let table = _mm512_loadu_si512(SHORT_ESCAPES.as_ptr().cast());
            let short = _mm512_permutexvar_epi8(code, table);
            let is_long = _mm512_testn_epi16_mask(short, short)
                | _mm512_cmpeq_epi16_mask(code, _mm512_set1_epi16(0x1c));
            if is_long & escaped != 0 {
                return None;
            }
            let escape =
                _mm512_or_si512(_mm512_slli_epi16::<8>(short), _mm512_set1_epi16(i16::from(b'\\')));
            bytes = _mm512_mask_blend_epi16(escaped, bytes, escape);
            is_two |= escaped;
        }
        let kept =
            _pdep_u64(lanes.into(), u64::MAX / 3) | _pdep_u64(is_two.into(), !(u64::MAX / 3));
        _mm512_storeu_si512(target.cast(), _mm512_maskz_compress_epi8(kept, bytes));
        Some(target.add(kept.count_ones() as usize))
    }
}

/// [`escape_units`] for characters that may need more than two bytes.
///
/// # Safety
/// As for [`escape_units`].
#[inline(always)]
unsafe fn escape_wide<U: Unit>(source: &[U], mut target: *mut u8) -> Option<*mut u8> {
    for part in source.chunks(16) {
        // SAFETY: the processor has the tier, because the caller guarantees it. All writes are
        // inside BLOCK_ROOM, because at most 16 units store 64 bytes and advance by at most 64, or
        // by at most six each.
        target = unsafe {
            match encode_16(part, target) {
                Encoded::Done(end) => end,
                Encoded::NeedsEscape => escape_chars(part, target)?,
                Encoded::NotUnicode => return None,
            }
        };
    }
    Some(target)
}

/// The result of [`encode_16`].
enum Encoded {
    /// All characters are written; the cursor after them.
    Done(*mut u8),
    /// At least one character needs an escape; none is written.
    NeedsEscape,
    /// A surrogate, or beyond U+10FFFF.
    NotUnicode,
}

/// Writes at most sixteen characters that need no escape as UTF-8: each becomes a lane of four
/// bytes, of which a compression keeps as many as its sequence has.
///
/// # Safety
/// The processor has the tier; `source.len() <= 16`; `target` is valid for writing 64 bytes.
#[inline(always)]
unsafe fn encode_16<U: Unit>(source: &[U], target: *mut u8) -> Encoded {
    // SAFETY: the processor has the tier and 64 bytes are writable, because the caller guarantees
    // it; the loads are in bounds, because their mask covers only `source`.
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
            return Encoded::NeedsEscape;
        }
        // Continuation bytes carry six bits each.
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
        // The bytes to keep of each lane, as all ones.
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
