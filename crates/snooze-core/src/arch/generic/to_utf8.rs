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
        let len = utf8_len(self.units).ok_or(NoUtf8::NotUnicode)?;
        self.out.try_reserve_exact(len).map_err(|_| NoUtf8::NoMemory)?;
        for block in self.units.chunks(BLOCK) {
            if block.iter().fold(0, |all, unit| all | unit.code()) < 0x80 {
                self.out.extend(block.iter().map(|unit| unit.code() as u8));
                continue;
            }
            let (mut bytes, mut len) = ([0; 4 * BLOCK], 0);
            for unit in block {
                let (sequence, sequence_len) = sequence(unit.code());
                // All four bytes, of which the next character overwrites the unused ones.
                if let Some(room) = bytes.get_mut(len..len + 4) {
                    room.copy_from_slice(&sequence);
                }
                len += sequence_len;
            }
            self.out.extend_from_slice(bytes.get(..len).unwrap_or(&[]));
        }
        Ok(())
    }
}

/// The length as UTF-8; `None` if a character is a surrogate, or beyond U+10FFFF.
#[inline(always)]
fn utf8_len<U: Unit>(units: &[U]) -> Option<usize> {
    let mut len = units.len();
    for block in units.chunks(BLOCK) {
        let (mut more, mut is_wrong) = (0, false);
        for unit in block {
            let code = unit.code();
            more +=
                u32::from(code >= 0x80) + u32::from(code >= 0x800) + u32::from(code >= 0x1_0000);
            is_wrong |= (code & !0x7ff) == 0xd800 || code > 0x10_ffff;
        }
        if is_wrong {
            return None;
        }
        len = len.checked_add(more as usize)?;
    }
    Some(len)
}

/// The bytes of one character, and how many there are.
#[inline(always)]
fn sequence(code: u32) -> ([u8; 4], usize) {
    let tail = |shift: u32| (code >> shift) as u8 & 0x3f | 0x80;
    match code {
        0..0x80 => ([code as u8, 0, 0, 0], 1),
        0x80..0x800 => ([(code >> 6) as u8 | 0xc0, tail(0), 0, 0], 2),
        0x800..0x1_0000 => ([(code >> 12) as u8 | 0xe0, tail(6), tail(0), 0], 3),
        _ => ([(code >> 18) as u8 | 0xf0, tail(12), tail(6), tail(0)], 4),
    }
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
