//! Writing string bodies: copies text and replaces the characters that JSON must escape (RFC 8259,
//! section 7).
//!
//! CPython keeps text in one, two or four bytes a character ([`Unit`]); the output is UTF-8.
//! [`Vector::copy_plain`](super::super::Vector::copy_plain) copies ASCII up to the first character
//! that needs an escape. [`Vector::escape_units`](super::super::Vector::escape_units) writes up to
//! [`BLOCK`] characters of any width with their escapes. Separate from `out`, which calls them:
//! `out` owns the buffer and reserves the bytes that these kernels may write.

use super::super::Lanes;
use super::aligned::Aligned;
pub use super::units::Unit;

/// The most characters in one call of [`Vector::escape_units`](super::super::Vector::escape_units).
pub const BLOCK: usize = 64;

/// Bytes that such a call may write: six for each character, and one vector beyond.
pub const BLOCK_ROOM: usize = 6 * BLOCK + 64;

/// The escape of each byte below 0x80: eight bytes, of which the last is the length (0 for none).
static ESCAPES: Aligned<[[u8; 8]; 128]> = Aligned(escapes());

/// The escape of a byte that must be escaped: eight bytes, of which the last is the length.
#[inline(always)]
pub(crate) fn escape_of(byte: u8) -> &'static [u8; 8] {
    &ESCAPES[(byte & 0x7f) as usize]
}

const fn escapes() -> [[u8; 8]; 128] {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    let mut table = [[0; 8]; 128];
    let mut byte = 0;
    while byte < 0x20 {
        table[byte] = [b'\\', b'u', b'0', b'0', HEX[byte >> 4], HEX[byte & 15], 0, 6];
        byte += 1;
    }
    let short: [(u8, u8); 7] =
        [(8, b'b'), (9, b't'), (10, b'n'), (12, b'f'), (13, b'r'), (b'"', b'"'), (b'\\', b'\\')];
    let mut at = 0;
    while at < short.len() {
        table[short[at].0 as usize] = [b'\\', short[at].1, 0, 0, 0, 0, 0, 2];
        at += 1;
    }
    table
}

/// The generic [`Vector::copy_plain`](super::super::Vector::copy_plain): whole vectors and a
/// partial one.
///
/// # Safety
/// As for [`Vector::copy_plain`](super::super::Vector::copy_plain).
#[inline(always)]
pub(in super::super) unsafe fn copy_vectors<V: Lanes>(
    source: &[u8],
    target: *mut u8,
) -> Result<(), usize> {
    let mut at = 0;
    loop {
        let rest = source.len() - at;
        // SAFETY: `rest` bytes are readable at `at <= source.len()`, because the loop continues
        // only after a whole vector. The store is in bounds, because it ends at most one vector
        // beyond the source's length, which the caller has reserved.
        let stops = unsafe {
            let from = source.as_ptr().add(at);
            let is_whole = rest >= V::LANES;
            let lanes = if is_whole { V::load(from) } else { V::load_partial(from, rest) };
            lanes.store(target.add(at));
            // The lanes beyond a partial vector are zero, and zero is a stop.
            if is_whole { lanes.string_stops() } else { lanes.string_stops() & ((1 << rest) - 1) }
        };
        if stops != 0 {
            return Err(at + stops.trailing_zeros() as usize);
        }
        if rest <= V::LANES {
            return Ok(());
        }
        at += V::LANES;
    }
}

/// Writes characters one by one: for tiers without a kernel, and for kernels that give up.
///
/// # Safety
/// `target` is valid for writing six bytes for each character, and two more.
#[inline(always)]
pub(in super::super) unsafe fn escape_chars<U: Unit>(
    source: &[U],
    mut target: *mut u8,
) -> Option<*mut u8> {
    for &unit in source {
        // SAFETY: eight bytes are writable, because each character so far advanced by at most six
        // and the caller provides six for each, and two more.
        target = unsafe { escape_char(unit.code(), target)? };
    }
    Some(target)
}

/// Writes bytes of UTF-8 one by one, like [`escape_chars`].
///
/// # Safety
/// As for [`escape_chars`].
#[allow(dead_code, reason = "only the kernels of x86-64 use it")]
#[inline(always)]
pub(in super::super) unsafe fn escape_bytes(source: &[u8], mut target: *mut u8) -> *mut u8 {
    for &byte in source {
        // SAFETY: eight bytes are writable, because each byte so far advanced by at most six and
        // the caller provides six for each, and two more.
        unsafe {
            match ESCAPES.get(byte as usize) {
                Some(escape) if escape[7] != 0 => {
                    target.cast::<[u8; 8]>().write(*escape);
                    target = target.add(escape[7] as usize);
                }
                _ => {
                    target.write(byte);
                    target = target.add(1);
                }
            }
        }
    }
    target
}

/// Writes one character, escaped if necessary; `None` for a surrogate or no code point.
///
/// # Safety
/// `target` is valid for writing eight bytes.
#[inline(always)]
unsafe fn escape_char(code: u32, target: *mut u8) -> Option<*mut u8> {
    // SAFETY: eight bytes are writable, because the caller guarantees it; no arm writes more.
    unsafe {
        if code < 0x80 {
            let escape = &ESCAPES[code as usize];
            if escape[7] == 0 {
                target.write(code as u8);
                return Some(target.add(1));
            }
            target.cast::<[u8; 8]>().write(*escape);
            return Some(target.add(escape[7] as usize));
        }
        let tail = |shift: u32| 0x80 | (code >> shift & 0x3f) as u8;
        if code < 0x800 {
            target.cast::<[u8; 2]>().write([0xc0 | (code >> 6) as u8, tail(0)]);
            Some(target.add(2))
        } else if code < 0x1_0000 {
            if code & 0xf800 == 0xd800 {
                return None;
            }
            target.cast::<[u8; 3]>().write([0xe0 | (code >> 12) as u8, tail(6), tail(0)]);
            Some(target.add(3))
        } else if code <= 0x10_ffff {
            target.cast::<[u8; 4]>().write([0xf0 | (code >> 18) as u8, tail(12), tail(6), tail(0)]);
            Some(target.add(4))
        } else {
            None
        }
    }
}

/// The generic [`Vector::escape_utf8`](super::super::Vector::escape_utf8): one mask yields all
/// escapes of a vector.
///
/// # Safety
/// As for [`Vector::escape_utf8`](super::super::Vector::escape_utf8).
#[inline(always)]
pub(in super::super) unsafe fn escape_utf8<V: Lanes>(
    source: &[u8],
    mut target: *mut u8,
) -> *mut u8 {
    debug_assert!(source.len() <= BLOCK);
    let mut from = source.as_ptr();
    let mut rest = source.len();
    while rest > 0 {
        let count = rest.min(V::LANES);
        // SAFETY: `count` bytes are readable at `from`, because `rest >= count` are left. All
        // stores end inside BLOCK_ROOM, because a store begins at most six bytes after the start
        // for each character done, and no store is longer than a vector.
        unsafe {
            let lanes =
                if count == V::LANES { V::load(from) } else { V::load_partial(from, count) };
            lanes.store(target);
            let mut stops = lanes.string_stops() & (u64::MAX >> (64 - count));
            let mut done = 0;
            while stops != 0 {
                let lane = stops.trailing_zeros() as usize;
                stops &= stops - 1;
                target = target.add(lane - done);
                let escape = escape_of(from.add(lane).read());
                target.cast::<[u8; 8]>().write(*escape);
                target = target.add(escape[7] as usize);
                done = lane + 1;
                V::load_partial(from.add(done), count - done).store(target);
            }
            target = target.add(count - done);
            from = from.add(count);
        }
        rest -= count;
    }
    target
}

#[cfg(test)]
mod tests {
    use super::super::super::Vector;
    use super::super::super::testing::{
        AfterHeader, EndOfAllocation, TierTest, for_each_tier, offsets_lengths_and_positions,
    };
    use super::*;

    fn naive(text: &str) -> Vec<u8> {
        let mut out = Vec::new();
        for char in text.chars() {
            match char {
                '"' => out.extend(b"\\\""),
                '\\' => out.extend(b"\\\\"),
                '\u{8}' => out.extend(b"\\b"),
                '\t' => out.extend(b"\\t"),
                '\n' => out.extend(b"\\n"),
                '\u{c}' => out.extend(b"\\f"),
                '\r' => out.extend(b"\\r"),
                c if c < ' ' => out.extend(format!("\\u{:04x}", c as u32).bytes()),
                c => out.extend(c.encode_utf8(&mut [0; 4]).bytes()),
            }
        }
        out
    }

    /// The output of a block kernel. Each block, and its target, ends where its allocation ends,
    /// `offset` units after its start.
    fn escape_in_blocks<U: Unit + Default>(
        units: &[U],
        offset: usize,
        write: impl Fn(&[U], *mut u8) -> Option<*mut u8>,
    ) -> Option<Vec<u8>> {
        let mut out = Vec::new();
        for part in units.chunks(BLOCK) {
            let part = EndOfAllocation::new(offset, part);
            let mut room = EndOfAllocation::new(63 - offset, &[0xaa; BLOCK_ROOM]);
            let start = room.as_mut_ptr();
            let len = write(part.units(), start)? as usize - start as usize;
            out.extend_from_slice(&room.units()[..len]);
        }
        Some(out)
    }

    fn check_ascii<V: Vector>(bytes: &[u8], offset: usize) {
        let source = EndOfAllocation::new(offset, bytes);
        let mut room = EndOfAllocation::new(63 - offset, &vec![0xaa; bytes.len() + V::LANES]);
        // SAFETY: the target is large enough, because `room` has a vector more than the source.
        let plain_len = unsafe { V::copy_plain(source.units(), room.as_mut_ptr()) };
        let expected = bytes.iter().position(|&b| b < 0x20 || b == b'"' || b == b'\\');
        assert_eq!(plain_len.err(), expected);
        let plain_len = plain_len.err().unwrap_or(bytes.len());
        assert_eq!(room.units()[..plain_len], bytes[..plain_len]);

        // SAFETY: the sizes fit, because `escape_in_blocks` passes at most BLOCK bytes and
        // BLOCK_ROOM bytes for the target.
        let write = |part: &[u8], room| Some(unsafe { V::escape_utf8(part, room) });
        let text = std::str::from_utf8(bytes).unwrap();
        assert_eq!(escape_in_blocks(bytes, offset, write).unwrap(), naive(text));
        let write = |part: &[u8], room| {
            let headed = AfterHeader::new(part);
            // SAFETY: as above.
            Some(unsafe { V::escape_headed(headed.text(), room) })
        };
        assert_eq!(escape_in_blocks(bytes, offset, write).unwrap(), naive(text));
    }

    struct Ascii(String);

    impl TierTest for Ascii {
        fn check<V: Vector>(&self) {
            check_ascii::<V>(self.0.as_bytes(), 0);
        }
    }

    #[test]
    fn every_ascii_character_at_every_position() {
        for len in (0..=200).step_by(3) {
            for_each_tier(&Ascii("x".repeat(len)));
            for_each_tier(&Ascii("\u{1}".repeat(len)));
        }
        for code in 0..0x80 {
            for len in [1, 9, 16, 33, 64, 70] {
                for position in 0..len {
                    let mut text = vec![b'-'; len];
                    text[position] = code;
                    for_each_tier(&Ascii(String::from_utf8(text).unwrap()));
                }
            }
        }
    }

    /// Escapes the text from units of every width that holds it.
    fn check_wide<V: Vector>(codes: &[u32], offset: usize) {
        fn block<V: Vector, U: Unit + Default>(units: &[U], offset: usize) -> Option<Vec<u8>> {
            // SAFETY: the sizes fit, because `escape_in_blocks` passes at most BLOCK units and
            // BLOCK_ROOM bytes for the target.
            let plain = escape_in_blocks(units, offset, |part, room| unsafe {
                V::escape_units(part, room)
            });
            // SAFETY: as above.
            let headed = escape_in_blocks(units, offset, |part, room| unsafe {
                V::escape_headed_units(AfterHeader::new(part).text(), room)
            });
            assert_eq!(plain, headed);
            plain
        }
        let text: Option<String> = codes.iter().map(|&code| char::from_u32(code)).collect();
        let expected = text.map(|text| naive(&text));
        assert_eq!(block::<V, u32>(codes, offset), expected);
        let units: Result<Vec<u16>, _> = codes.iter().map(|&c| c.try_into()).collect();
        if let Ok(units) = units {
            assert_eq!(block::<V, u16>(&units, offset), expected);
        }
        let units: Result<Vec<u8>, _> = codes.iter().map(|&c| c.try_into()).collect();
        if let Ok(units) = units {
            assert_eq!(block::<V, u8>(&units, offset), expected);
        }
    }

    struct Wide(Vec<u32>);

    impl TierTest for Wide {
        fn check<V: Vector>(&self) {
            check_wide::<V>(&self.0, 0);
        }
    }

    struct EveryLengthAndAlignment;

    impl TierTest for EveryLengthAndAlignment {
        fn check<V: Vector>(&self) {
            for (offset, len, position) in offsets_lengths_and_positions() {
                for special in [b'a', b'"', 0] {
                    let mut text = vec![b'a'; len];
                    text[position..].iter_mut().step_by(19).for_each(|at| *at = special);
                    check_ascii::<V>(&text, offset);
                }
                // The last is no escape, although its low bytes are those of one.
                for special in [
                    0x61,
                    0x0a,
                    0x1f,
                    0xe9,
                    0x7ff,
                    0x8a9e,
                    0xdead,
                    0x1_f600,
                    0x11_0000,
                    0x8000_0008,
                ] {
                    let mut text = vec![0x62; len];
                    text[position..].iter_mut().step_by(3).for_each(|at| *at = special);
                    check_wide::<V>(&text, offset);
                }
            }
        }
    }

    #[test]
    fn every_length_and_alignment() {
        for_each_tier(&EveryLengthAndAlignment);
    }

    #[test]
    fn every_code_point() {
        for_each_tier(&Wide(Vec::new()));
        for code in 0..=0x11_0000u32 {
            for_each_tier(&Wide(vec![code]));
        }
        for start in (0..=0x10_ffffu32).step_by(61) {
            for_each_tier(&Wide((start..start + 61).collect()));
        }
    }

    proptest::proptest! {
        #[test]
        fn random_ascii(text in "[\\x00-\\x7f]{0,300}") {
            for_each_tier(&Ascii(text));
        }

        #[test]
        fn random_utf8(text: String) {
            for_each_tier(&Ascii(text));
        }

        #[test]
        fn random_text_with_many_escapes(text in "[\"\\\\\\n\\x1c\\x05a\u{e9}\u{434}]{0,150}") {
            for_each_tier(&Ascii(text.clone()));
            for_each_tier(&Wide(text.chars().map(u32::from).collect()));
        }

        #[test]
        fn random_text_of_every_length(text in "[\"\n\x1fa\u{e9}\u{8a9e}\u{1f600}]{0,150}|[\n\u{8a9e}\u{1f600}]{0,40}") {
            for_each_tier(&Wide(text.chars().map(u32::from).collect()));
        }

        #[test]
        fn random_text_of_every_width(text: String) {
            for_each_tier(&Wide(text.chars().map(u32::from).collect()));
        }
    }
}
