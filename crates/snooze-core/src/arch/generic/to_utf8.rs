//! Characters of one, two or four bytes as UTF-8 (RFC 3629).
//!
//! Separate from `escape`, which also writes the escapes of JSON. Invariant: both
//! functions agree on the length. Called by the input of snooze-py, for a `str` that is not ASCII.
//!
//! PERF: safe loops over blocks, which the compiler turns into vectors of the tier that they are
//! inlined into. Most documents are mostly ASCII.

use super::super::{Task, Vector};
use super::units::Unit;

/// Characters in a block that is looked at as a whole.
const BLOCK: usize = 32;
/// The bytes of the longest sequence.
const SEQUENCE: usize = 4;
/// The bytes of a block at most, and room for the last sequence, of which all bytes are written.
const BLOCK_ROOM: usize = SEQUENCE * BLOCK + SEQUENCE;

/// Appends the UTF-8 of `units` to `out`; as a task, so that a tier's vectors are used.
#[derive(Debug)]
pub struct ToUtf8<'a, U> {
    /// The characters.
    pub units: &'a [U],
    /// Where the UTF-8 is appended.
    pub out: &'a mut Vec<u8>,
}

/// Why there is no UTF-8.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoUtf8 {
    /// A character is a surrogate, or beyond U+10FFFF.
    NotUnicode,
    /// There is no memory for it.
    NoMemory,
}

impl<U: Unit> Task for ToUtf8<'_, U> {
    type Output = Result<(), NoUtf8>;

    #[inline(always)]
    fn with_vectors<V: Vector>(self) -> Self::Output {
        let Self { units, out } = self;
        let len = utf8_len(units).ok_or(NoUtf8::NotUnicode)?;
        let (start, room) = (out.len(), len.saturating_add(BLOCK_ROOM));
        out.try_reserve_exact(room).map_err(|_| NoUtf8::NoMemory)?;
        out.resize(start + room, 0);
        let mut rest = out.get_mut(start..).unwrap_or(&mut []);
        // PERF: blocks whose length is known become vectors.
        let (blocks, last) = units.as_chunks::<BLOCK>();
        for block in blocks {
            rest = write_block(block, rest);
        }
        write_block(last, rest);
        out.truncate(start + len);
        Ok(())
    }
}

/// Writes up to [`BLOCK`] characters; returns the room after them.
#[inline(always)]
fn write_block<'a, U: Unit>(block: &[U], target: &'a mut [u8]) -> &'a mut [u8] {
    let written = if block.iter().fold(0, |all, unit| all | unit.code()) < 0x80 {
        for (byte, unit) in target.iter_mut().zip(block) {
            *byte = unit.code() as u8;
        }
        block.len()
    } else if let Some(room) = target.first_chunk_mut() {
        write_sequences(block, room)
    } else {
        0 // Never: there is room for a block after all bytes.
    };
    target.get_mut(written..).unwrap_or(&mut [])
}

/// Writes characters of any length; returns how many bytes they have.
///
/// PERF: two loops, of which the first has no branches and becomes vectors; with a branch for each
/// length, characters took 3 to 4 times as long (AVX2, 2026-11-26).
#[inline(always)]
fn write_sequences<U: Unit>(block: &[U], target: &mut [u8; BLOCK_ROOM]) -> usize {
    let (mut sequences, mut lens) = ([0; BLOCK], [0; BLOCK]);
    for ((unit, bytes), len) in block.iter().zip(&mut sequences).zip(&mut lens) {
        (*bytes, *len) = sequence(unit.code());
    }
    let mut at = 0;
    for ((_, bytes), len) in block.iter().zip(&sequences).zip(&lens) {
        // All four bytes, of which the next character overwrites the unused ones. The mask changes
        // nothing; with it, no check of the bounds is left.
        let at_masked = at & (SEQUENCE * BLOCK - 1);
        if let Some(room) = target.get_mut(at_masked..at_masked + SEQUENCE) {
            room.copy_from_slice(&bytes.to_le_bytes());
        }
        at += *len as usize;
    }
    at
}

/// The length as UTF-8; `None` if a character is a surrogate, or beyond U+10FFFF.
#[inline(always)]
fn utf8_len<U: Unit>(units: &[U]) -> Option<usize> {
    let (blocks, last) = units.as_chunks::<BLOCK>();
    let mut len = units.len();
    for block in blocks {
        len = len.checked_add(more_bytes(block)?)?;
    }
    len.checked_add(more_bytes(last)?)
}

/// How many bytes the characters of a block have after the first of each.
#[inline(always)]
fn more_bytes<U: Unit>(block: &[U]) -> Option<usize> {
    let (mut more, mut is_wrong) = (0, false);
    for unit in block {
        let code = unit.code();
        more += u32::from(code >= 0x80) + u32::from(code >= 0x800) + u32::from(code >= 0x1_0000);
        is_wrong |= (code & !0x7ff) == 0xd800 || code > 0x10_ffff;
    }
    (!is_wrong).then_some(more as usize)
}

/// The bytes of one character, the first lowest, and how many there are.
#[inline(always)]
fn sequence(code: u32) -> (u32, u32) {
    // The last six bits of a part of the code, as the byte at a place.
    let tail = |shift: u32, place: u32| ((code >> shift) & 0x3f | 0x80) << (8 * place);
    let mut found = (code, 1);
    if code >= 0x80 {
        found = (code >> 6 | 0xc0 | tail(0, 1), 2);
    }
    if code >= 0x800 {
        found = (code >> 12 | 0xe0 | tail(6, 1) | tail(0, 2), 3);
    }
    if code >= 0x1_0000 {
        found = (code >> 18 | 0xf0 | tail(12, 1) | tail(6, 2) | tail(0, 3), 4);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::{TierTest, for_each_tier};
    use super::*;

    struct Agrees<'a>(&'a str);

    fn encoded<V: Vector, U: Unit>(units: &[U]) -> Result<Vec<u8>, NoUtf8> {
        let mut out = Vec::new();
        ToUtf8 { units, out: &mut out }.with_vectors::<V>()?;
        assert_eq!(Some(out.len()), utf8_len(units));
        let mut after = b"before".to_vec();
        ToUtf8 { units, out: &mut after }.with_vectors::<V>()?;
        assert_eq!(after, [b"before", &out[..]].concat());
        Ok(out)
    }

    impl TierTest for Agrees<'_> {
        fn check<V: Vector>(&self) {
            let expected = Ok(self.0.as_bytes().to_vec());
            let codes: Vec<u32> = self.0.chars().map(u32::from).collect();
            assert_eq!(encoded::<V, u32>(&codes), expected);
            let narrow: Result<Vec<u16>, _> = codes.iter().map(|&code| code.try_into()).collect();
            if let Ok(units) = narrow {
                assert_eq!(encoded::<V, u16>(&units), expected);
            }
            let latin: Result<Vec<u8>, _> = codes.iter().map(|&code| code.try_into()).collect();
            if let Ok(units) = latin {
                assert_eq!(encoded::<V, u8>(&units), expected);
            }
        }
    }

    #[test]
    fn the_first_and_last_character_of_every_length() {
        let edges = ['\0', '\u{7f}', '\u{80}', '\u{7ff}', '\u{800}', '\u{d7ff}', '\u{e000}'];
        for edge in edges.into_iter().chain(['\u{ffff}', '\u{10000}', '\u{10ffff}', '\u{ff}']) {
            for before in [0, 1, 31, 32, 33, 64, 100] {
                let text = format!("{}{edge}{}", "a".repeat(before), "b".repeat(before));
                for_each_tier(&Agrees(&text));
            }
        }
        for_each_tier(&Agrees(""));
    }

    struct Refuses;

    impl TierTest for Refuses {
        fn check<V: Vector>(&self) {
            for wrong in [0xd800, 0xdbff, 0xdc00, 0xdfff, 0x11_0000, u32::MAX] {
                for at in [0, 1, 31, 32, 40] {
                    let mut codes = vec![0x61; 41];
                    codes[at] = wrong;
                    assert_eq!(encoded::<V, u32>(&codes), Err(NoUtf8::NotUnicode));
                    if let Ok(unit) = u16::try_from(wrong) {
                        let mut units = vec![0x4e00; 41];
                        units[at] = unit;
                        assert_eq!(encoded::<V, u16>(&units), Err(NoUtf8::NotUnicode));
                    }
                }
            }
        }
    }

    #[test]
    fn what_is_not_unicode_is_refused() {
        for_each_tier(&Refuses);
    }

    proptest::proptest! {
        #[test]
        fn any_text(text in "\\PC{0,80}|[a\u{e9}]{0,80}|[a-z\u{4e00}]{0,80}") {
            for_each_tier(&Agrees(&text));
        }
    }
}
