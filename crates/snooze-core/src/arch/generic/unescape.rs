//! The body of a string with escapes, in, a block at a time: the stops of a block are found once,
//! and each piece between two of them is copied by a vector.
//!
//! Separate from `unescape`, which owns the grammar, finds the faults and reads what is left near
//! the end of a document, because this writes ahead of the text. Invariant: only whole characters
//! and whole valid escapes are passed, and the text never has more bytes than were passed.
//!
//! PERF: loads of twitterescaped.json and of texts full of escapes: see `unescape`.

use super::super::Vector;

/// The byte that a backslash and another byte stand for, or zero.
static SHORT: [u8; 256] = {
    let mut table = [0; 256];
    let pairs = *b"\"\"\\\\//b\x08f\x0cn\nr\rt\t";
    let mut at = 0;
    while at < pairs.len() {
        table[pairs[at] as usize] = pairs[at + 1];
        at += 2;
    }
    table
};

/// What is no hexadecimal digit, in [`HEX`]: it stays above sixteen bits wherever it is shifted to.
const NO_DIGIT: u32 = 0xffff_0000;

/// The value of a hexadecimal digit.
pub(crate) static HEX: [u32; 256] = {
    let mut table = [NO_DIGIT; 256];
    let mut value = 0;
    while value < 16 {
        table[b"0123456789abcdef"[value] as usize] = value as u32;
        table[b"0123456789ABCDEF"[value] as usize] = value as u32;
        value += 1;
    }
    table
};

/// The most bytes of an escape: two of six.
const LONGEST: usize = 12;

/// No memory for the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoMemory;

/// Appends to `text` what the body of a string from `at` on says, up to its closing quote, to
/// something that is no part of a valid string, or to the last bytes of the document; returns
/// where that is. `ascii` becomes false if something appended is not.
#[inline(always)]
pub fn unescape_blocks<V: Vector>(
    bytes: &[u8],
    mut at: usize,
    text: &mut Vec<u8>,
    ascii: &mut bool,
) -> Result<usize, NoMemory> {
    let mut high = 0;
    let mut stopped = false;
    while !stopped && bytes.len().saturating_sub(at) >= 2 * V::LANES + LONGEST {
        text.try_reserve(3 * V::LANES + LONGEST).map_err(|_| NoMemory)?;
        // SAFETY: readable are two vectors and an escape from `at` on, and everything read begins
        // in the first vector: a vector, or an escape, whose bytes are only looked at as far as it
        // is valid. Writable are three vectors and an escape. The text grows by at most what is
        // passed, which is less than a vector and an escape, and a vector is stored there.
        unsafe {
            let source = bytes.as_ptr().add(at);
            let start = text.as_mut_ptr().add(text.len());
            let mut target = start;
            let lanes = V::load(source);
            lanes.store(target);
            let mut stops = lanes.stops();
            let mut passed = 0;
            loop {
                if stops == 0 {
                    if passed == 0 {
                        target = target.add(V::LANES);
                        passed = V::LANES;
                    }
                    break;
                }
                let lane = stops.trailing_zeros() as usize;
                if passed > 0 && lane > passed {
                    V::load(source.add(passed)).store(target);
                }
                target = target.add(lane - passed);
                passed = lane;
                let kind = source.add(lane + 1).read();
                if source.add(lane).read() != b'\\' {
                    stopped = true;
                    break;
                }
                if kind == b'u' {
                    // Where there is one of these, others follow.
                    loop {
                        let Some((code, len)) = unicode_escape(source.add(passed)) else {
                            stopped = true;
                            break;
                        };
                        high |= u64::from(code >= 0x80);
                        target = write_char(code, target);
                        passed += len;
                        if passed >= V::LANES
                            || source.add(passed).cast::<[u8; 2]>().read() != *b"\\u"
                        {
                            break;
                        }
                    }
                    if stopped {
                        break;
                    }
                } else {
                    let byte = SHORT[usize::from(kind)];
                    if byte == 0 {
                        stopped = true;
                        break;
                    }
                    target.write(byte);
                    target = target.add(1);
                    passed += 2;
                }
                if passed >= V::LANES {
                    break;
                }
                stops &= u64::MAX << passed;
            }
            // Bytes that an escape takes are ASCII.
            high |= lanes.high() & !u64::MAX.unbounded_shl(passed as u32);
            text.set_len(text.len() + target.offset_from(start) as usize);
            at += passed;
        }
    }
    *ascii &= high == 0;
    Ok(at)
}

/// The character of the escape at `source`, which begins with `\u`, and its length; or none if it
/// is not valid.
///
/// # Safety
/// [`LONGEST`] bytes are readable at `source`.
#[inline(always)]
unsafe fn unicode_escape(source: *const u8) -> Option<(u32, usize)> {
    // SAFETY: by the caller.
    unsafe {
        let unit = hex(source.add(2))?;
        if unit & 0xf800 != 0xd800 {
            return Some((unit, 6));
        }
        let next = source.add(6).cast::<[u8; 2]>().read();
        if unit >= 0xdc00 || next != *b"\\u" {
            return None;
        }
        let low = hex(source.add(8))?;
        (low & 0xfc00 == 0xdc00).then(|| (0x1_0000 + ((unit & 0x3ff) << 10 | low & 0x3ff), 12))
    }
}

/// Four hexadecimal digits.
///
/// # Safety
/// Four bytes are readable at `source`.
#[inline(always)]
unsafe fn hex(source: *const u8) -> Option<u32> {
    // SAFETY: by the caller.
    code_of(unsafe { source.cast::<[u8; 4]>().read() })
}

/// The value of four hexadecimal digits.
#[inline(always)]
pub(crate) fn code_of(digits: [u8; 4]) -> Option<u32> {
    let [a, b, c, d] = digits.map(|digit| HEX[usize::from(digit)]);
    let value = a << 12 | b << 8 | c << 4 | d;
    (value <= 0xffff).then_some(value)
}

/// Writes a code point that is no surrogate as UTF-8 and returns the place after it.
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
    // SAFETY: by the caller.
    unsafe {
        target.cast::<[u8; 4]>().write(bytes.to_le_bytes());
        target.add(len)
    }
}
