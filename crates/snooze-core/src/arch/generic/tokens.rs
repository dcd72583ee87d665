//! Finds all tokens of a text, in blocks of 64 bytes on every tier, and the masks for checking
//! them.
//!
//! Separate from `scan`, which searches from a given offset: here no token depends on the one
//! before. The caller decides what each token is. Invariant: reads nothing outside the slice; the
//! end of the slice counts as the start of a token. Called by `read::valid_container`.

use core::marker::PhantomData;

use super::super::Lanes;
use super::quotes::{BLOCK, StringMasks, StringState};
use super::scan::load_up_to;

/// The tokens of one block, as masks.
#[derive(Clone, Copy, Debug)]
pub struct Tokens {
    /// The offset of the block.
    pub at: usize,
    /// The first bytes of tokens: brackets, commas, colons, opening quotes, and the first byte of
    /// each word (see `words`). The end of the slice is one too.
    pub starts: u64,
    /// All bytes of words: outside strings, and neither white space, bracket, comma nor colon.
    pub words: u64,
    /// ASCII digits.
    pub digits: u64,
    /// Backslashes that begin an escape in a string.
    pub escapes: u64,
    /// Control characters in strings.
    pub controls: u64,
    /// Bytes that are not ASCII.
    pub non_ascii: u64,
}

/// Yields the blocks of a text that begins outside a string.
#[derive(Clone, Copy, Debug)]
pub struct Blocks<'a, V> {
    bytes: &'a [u8],
    at: usize,
    strings: StringState,
    /// One if the last byte belongs to a word, which may continue in the next block.
    word_carry: u64,
    vector: PhantomData<V>,
}

impl<'a, V: Lanes> Blocks<'a, V> {
    /// The blocks that begin at `at`.
    #[inline(always)]
    pub fn new(bytes: &'a [u8], at: usize) -> Self {
        Self { bytes, at, strings: StringState::default(), word_carry: 0, vector: PhantomData }
    }

    /// The tokens of the next block; `None` at the end.
    #[inline(always)]
    pub fn next_block(&mut self) -> Option<Tokens> {
        let (bytes, start) = (self.bytes, self.at);
        if start >= bytes.len() {
            return None;
        }
        let (mut quotes, mut backslashes, mut structural) = (0, 0, 0);
        let (mut non_space, mut non_controls, mut digits, mut non_ascii) = (0, 0, 0, 0);
        for part in 0..BLOCK / V::LANES {
            let shift = part * V::LANES;
            // Bytes beyond the end count as neither white space nor structural.
            let at = (start + shift).min(bytes.len());
            let lanes = load_up_to::<V>(bytes, at, bytes.len() - at);
            quotes |= lanes.equal(b'"') << shift;
            backslashes |= lanes.equal(b'\\') << shift;
            structural |= lanes.structural() << shift;
            non_space |= lanes.non_space() << shift;
            non_controls |= lanes.at_least(b' ') << shift;
            digits |= lanes.digits() << shift;
            non_ascii |= lanes.non_ascii() << shift;
        }
        let StringMasks { quotes, inside, escaped } = self.strings.next_block(quotes, backslashes);
        let words = non_space & !(structural | quotes | inside);
        let starts = words & !(words << 1 | self.word_carry);
        self.word_carry = words >> 63;
        self.at += BLOCK;
        Some(Tokens {
            at: start,
            starts: (structural & !inside) | (quotes & inside) | starts,
            words,
            digits,
            escapes: backslashes & !escaped & inside,
            controls: !non_controls & inside,
            non_ascii,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::Vector;
    use super::super::super::testing::{EndOfAllocation, TierTest, for_each_tier};
    use super::*;

    struct EveryByte;

    impl TierTest for EveryByte {
        fn check<V: Vector>(&self) {
            for byte in 0..=255u8 {
                for position in 0..64 {
                    let mut text = [b' '; 64];
                    text[position] = byte;
                    let bit = |is: bool| u64::from(is) << position;
                    let block = Blocks::<V>::new(&text, 0).next_block().unwrap();
                    let starts = bit(!b" \t\n\r".contains(&byte));
                    let is_word = starts != 0 && !b"\"[]{},:".contains(&byte);
                    assert_eq!(block.starts, starts, "{byte}");
                    assert_eq!(block.words, bit(is_word), "{byte}");
                    assert_eq!(block.digits, bit(byte.is_ascii_digit()), "{byte}");
                    assert_eq!(block.non_ascii, bit(!byte.is_ascii()), "{byte}");
                    assert_eq!((block.at, block.escapes, block.controls), (0, 0, 0));
                    // The same byte inside a string.
                    text[0] = b'"';
                    if position > 0 {
                        let block = Blocks::<V>::new(&text, 0).next_block().unwrap();
                        assert_eq!((block.starts, block.words), (1, 0), "{byte}");
                        assert_eq!(block.escapes, bit(byte == b'\\'), "{byte}");
                        assert_eq!(block.controls, bit(byte < b' '), "{byte}");
                    }
                }
            }
        }
    }

    #[test]
    fn every_byte_at_every_position_of_a_block() {
        for_each_tier(&EveryByte);
    }

    struct ManyBlocks<'a>(&'a [u8]);

    impl TierTest for ManyBlocks<'_> {
        fn check<V: Vector>(&self) {
            // The same, one byte at a time.
            let (mut string, mut escaped, mut word) = (false, false, false);
            let mut blocks = Blocks::<V>::new(self.0, 0);
            let mut block = None;
            for (at, &byte) in self.0.iter().enumerate() {
                if at % 64 == 0 {
                    block = blocks.next_block();
                }
                let Tokens { starts, escapes, controls, .. } = block.unwrap();
                let bit = |mask: u64| mask >> (at % 64) & 1 == 1;
                let quote = byte == b'"' && !escaped;
                let in_string = string && !quote;
                let separate = quote || b" \t\n\r[]{},:".contains(&byte);
                let start = !string && !b" \t\n\r".contains(&byte) && (separate || !word);
                assert_eq!(bit(starts), start, "{at} in {:?}", self.0);
                assert_eq!(bit(escapes), in_string && byte == b'\\' && !escaped);
                assert_eq!(bit(controls), in_string && byte < b' ');
                word = !string && !separate;
                string ^= quote;
                escaped = byte == b'\\' && !escaped;
            }
            assert!(!self.0.len().is_multiple_of(64) || blocks.next_block().is_none());
        }
    }

    proptest::proptest! {
        #[test]
        fn random_texts(text in "[\\[\\]{}\"\\\\x0:, \n]{0,300}", offset in 0usize..64) {
            for_each_tier(&ManyBlocks(EndOfAllocation::new(offset, text.as_bytes()).units()));
        }

        #[test]
        fn arbitrary_bytes(bytes: Vec<u8>) {
            for_each_tier(&ManyBlocks(&bytes));
        }
    }
}
