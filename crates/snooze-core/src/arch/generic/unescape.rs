//! Reads string bodies with escapes, one vector at a time: finds all stops of a vector once, and
//! copies each piece between two stops as a vector.
//!
//! Separate from the module `unescape`, which owns the grammar, reports faults and reads the last
//! bytes of a document, because this needs `unsafe`: it writes beyond the text's length before it
//! sets that length. Invariant: consumes only whole characters and whole valid escapes, and appends
//! at most as many bytes as it consumes.
//!
//! PERF: the ratios are in the module `unescape`.

use super::super::Lanes;
pub use crate::error::NoMemory;

/// The byte that the escape of a backslash and this byte means, or zero.
static SHORT_ESCAPES: [u8; 256] = {
    let mut table = [0; 256];
    let pairs = *b"\"\"\\\\//b\x08f\x0cn\nr\rt\t";
    let mut at = 0;
    while at < pairs.len() {
        table[pairs[at] as usize] = pairs[at + 1];
        at += 2;
    }
    table
};

/// The entry of [`HEX_VALUES`] for other bytes: shifted left by up to 12 bits, it still has a bit
/// above the lowest sixteen.
const NOT_HEX: u32 = 0xffff_0000;

/// The value of each hexadecimal digit.
pub(crate) static HEX_VALUES: [u32; 256] = {
    let mut table = [NOT_HEX; 256];
    let mut value = 0;
    while value < 16 {
        table[b"0123456789abcdef"[value] as usize] = value as u32;
        table[b"0123456789ABCDEF"[value] as usize] = value as u32;
        value += 1;
    }
    table
};

/// The longest escape in bytes: a pair of surrogates, six bytes each.
const MAX_ESCAPE_LEN: usize = 12;

/// Appends the body of the string at `at` to `text`, with its escapes replaced. Stops at the
/// closing quote, at a byte or escape that a valid string cannot contain, or near the end of the
/// document; returns that offset. Clears `ascii` if it appends a character that is not ASCII.
#[inline(always)]
pub fn unescape_blocks<V: Lanes>(
    bytes: &[u8],
    mut at: usize,
    text: &mut Vec<u8>,
    ascii: &mut bool,
) -> Result<usize, NoMemory> {
    let mut non_ascii = 0;
    let mut stopped = false;
    while !stopped && bytes.len().saturating_sub(at) >= 2 * V::LANES + MAX_ESCAPE_LEN {
        text.try_reserve(3 * V::LANES + MAX_ESCAPE_LEN).map_err(|_| NoMemory)?;
        // SAFETY: all reads are in bounds, because two vectors and an escape are readable at `at`
        // and each read (a vector or an escape) begins in the first vector or right after an escape
        // that did. All writes are in bounds, because three vectors and an escape are writable, the
        // text grows by at most the bytes consumed (less than a vector and an escape), and each
        // store writes at most one vector.
        unsafe {
            let source = bytes.as_ptr().add(at);
            let start = text.as_mut_ptr().add(text.len());
            let mut target = start;
            let lanes = V::load(source);
            lanes.store(target);
            let mut stops = lanes.string_stops();
            let mut consumed = 0;
            loop {
                if stops == 0 {
                    if consumed == 0 {
                        target = target.add(V::LANES);
                        consumed = V::LANES;
                    }
                    break;
                }
                let lane = stops.trailing_zeros() as usize;
                if consumed > 0 && lane > consumed {
                    V::load(source.add(consumed)).store(target);
                }
                target = target.add(lane - consumed);
                consumed = lane;
                let kind = source.add(lane + 1).read();
                if source.add(lane).read() != b'\\' {
                    stopped = true;
                    break;
                }
                if kind == b'u' {
                    // Unicode escapes usually come in runs.
                    loop {
                        let Some((code, len)) = unicode_escape(source.add(consumed)) else {
                            stopped = true;
                            break;
                        };
                        non_ascii |= u64::from(code >= 0x80);
                        target = write_char(code, target);
                        consumed += len;
                        if consumed >= V::LANES
                            || source.add(consumed).cast::<[u8; 2]>().read() != *b"\\u"
                        {
                            break;
                        }
                    }
                    if stopped {
                        break;
                    }
                } else {
                    let byte = SHORT_ESCAPES[usize::from(kind)];
                    if byte == 0 {
                        stopped = true;
                        break;
                    }
                    target.write(byte);
                    target = target.add(1);
                    consumed += 2;
                }
                if consumed >= V::LANES {
                    break;
                }
                stops &= u64::MAX << consumed;
            }
            // The bytes of escapes are ASCII, so this covers the copied characters.
            non_ascii |= lanes.non_ascii() & !u64::MAX.unbounded_shl(consumed as u32);
            text.set_len(text.len() + target.offset_from(start) as usize);
            at += consumed;
        }
    }
    *ascii &= non_ascii == 0;
    Ok(at)
}

/// The code point of the escape at `source`, which begins with `\u`, and its length. `None` if it
/// is invalid.
///
/// # Safety
/// [`MAX_ESCAPE_LEN`] bytes are readable at `source`.
#[inline(always)]
unsafe fn unicode_escape(source: *const u8) -> Option<(u32, usize)> {
    // SAFETY: all twelve bytes are readable, because the caller guarantees it.
    unsafe {
        let unit = hex_at(source.add(2))?;
        if unit & 0xf800 != 0xd800 {
            return Some((unit, 6));
        }
        let next = source.add(6).cast::<[u8; 2]>().read();
        if unit >= 0xdc00 || next != *b"\\u" {
            return None;
        }
        let low = hex_at(source.add(8))?;
        (low & 0xfc00 == 0xdc00).then(|| (0x1_0000 + ((unit & 0x3ff) << 10 | low & 0x3ff), 12))
    }
}

/// The value of the four hexadecimal digits at `source`.
///
/// # Safety
/// Four bytes are readable at `source`.
#[inline(always)]
unsafe fn hex_at(source: *const u8) -> Option<u32> {
    // SAFETY: four bytes are readable, because the caller guarantees it.
    hex_value(unsafe { source.cast::<[u8; 4]>().read() })
}

/// The value of four hexadecimal digits.
#[inline(always)]
pub(crate) fn hex_value(digits: [u8; 4]) -> Option<u32> {
    let [a, b, c, d] = digits.map(|digit| HEX_VALUES[usize::from(digit)]);
    let value = a << 12 | b << 8 | c << 4 | d;
    (value <= 0xffff).then_some(value)
}

/// Writes a code point that is not a surrogate as UTF-8 and returns the cursor after it.
///
/// # Safety
/// `target` is valid for writing four bytes.
#[inline(always)]
unsafe fn write_char(code: u32, target: *mut u8) -> *mut u8 {
    let tail = |shift: u32| code >> shift & 0x3f | 0x80;
    let (bytes, len) = match code {
        0..0x80 => (code, 1),
        0x80..0x800 => (code >> 6 | 0xc0 | tail(0) << 8, 2),
        0x800..0x1_0000 => (code >> 12 | 0xe0 | tail(6) << 8 | tail(0) << 16, 3),
        _ => (code >> 18 | 0xf0 | tail(12) << 8 | tail(6) << 16 | tail(0) << 24, 4),
    };
    // SAFETY: four bytes are writable, because the caller guarantees it.
    unsafe {
        target.cast::<[u8; 4]>().write(bytes.to_le_bytes());
        target.add(len)
    }
}
