//! The places of all tokens, 64 bytes at a time, whatever the tier; and the masks by which they are
//! checked.
//!
//! Separate from `scan`, which looks for one thing from a given place on, because here nothing has to
//! be known of the token before. What a token is, the caller says. Invariant: nothing outside the slice
//! is read; where it ends a token begins, which is none. Called by `read::check`.

use core::marker::PhantomData;

use super::super::Vector;
use super::quotes::{BLOCK, Inside, Strings};
use super::scan::load_up_to;

/// The tokens of a block.
#[derive(Clone, Copy, Debug)]
pub struct Tokens {
    /// Where the block begins.
    pub at: usize,
    /// The first bytes of tokens: brackets, commas, colons, opening quotes, and whatever else stands
    /// outside of strings behind something that it cannot go on. The end of the slice is one.
    pub starts: u64,
    /// All bytes of those tokens that are no brackets, commas, colons or strings.
    pub words: u64,
    /// Digits.
    pub digits: u64,
    /// Backslashes in strings that begin an escape.
    pub escapes: u64,
    /// Control characters in strings.
    pub controls: u64,
    /// What is not ASCII.
    pub high: u64,
}

/// The blocks of a text that begins outside of a string.
#[derive(Clone, Copy, Debug)]
pub struct Blocks<'a, V> {
    bytes: &'a [u8],
    at: usize,
    strings: Strings,
    /// One if the last byte is part of a token that may go on.
    word: u64,
    vector: PhantomData<V>,
}

impl<'a, V: Vector> Blocks<'a, V> {
    /// The blocks from `at` on.
    #[inline(always)]
    pub fn new(bytes: &'a [u8], at: usize) -> Self {
        Self { bytes, at, strings: Strings::default(), word: 0, vector: PhantomData }
    }

    /// The tokens of the next block, if there is one.
    #[inline(always)]
    pub fn tokens(&mut self) -> Option<Tokens> {
        let (bytes, start) = (self.bytes, self.at);
        if start >= bytes.len() {
            return None;
        }
        let (mut quotes, mut backslashes, mut structural) = (0, 0, 0);
        let (mut other, mut controls, mut digits, mut high) = (0, 0, 0, 0);
        for part in 0..BLOCK / V::LANES {
            let shift = part * V::LANES;
            // What is behind the end is neither space nor structural.
            let at = (start + shift).min(bytes.len());
            let lanes = load_up_to::<V>(bytes, at, bytes.len() - at);
            quotes |= lanes.equal(b'"') << shift;
            backslashes |= lanes.equal(b'\\') << shift;
            structural |= lanes.structural() << shift;
            other |= lanes.not_space() << shift;
            controls |= lanes.at_least(b' ') << shift;
            digits |= lanes.digits() << shift;
            high |= lanes.high() << shift;
        }
        let Inside { quotes, inside, escaped } = self.strings.pass(quotes, backslashes);
        let words = other & !(structural | quotes | inside);
        let starts = words & !(words << 1 | self.word);
        self.word = words >> 63;
        self.at += BLOCK;
        Some(Tokens {
            at: start,
            starts: (structural & !inside) | (quotes & inside) | starts,
            words,
            digits,
            escapes: backslashes & !escaped & inside,
            controls: !controls & inside,
            high,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::{Placed, TierTest, for_each_tier};
    use super::*;

    struct EveryByte;

    impl TierTest for EveryByte {
        fn check<V: Vector>(&self) {
            for byte in 0..=255u8 {
                for place in 0..64 {
                    let mut text = [b' '; 64];
                    text[place] = byte;
                    let bit = |is: bool| u64::from(is) << place;
                    let block = Blocks::<V>::new(&text, 0).tokens().unwrap();
                    let starts = bit(!b" \t\n\r".contains(&byte));
                    let is_word = starts != 0 && !b"\"[]{},:".contains(&byte);
                    assert_eq!(block.starts, starts, "{byte}");
                    assert_eq!(block.words, bit(is_word), "{byte}");
                    assert_eq!(block.digits, bit(byte.is_ascii_digit()), "{byte}");
                    assert_eq!(block.high, bit(!byte.is_ascii()), "{byte}");
                    assert_eq!((block.at, block.escapes, block.controls), (0, 0, 0));
                    // The same in a string.
                    text[0] = b'"';
                    if place > 0 {
                        let block = Blocks::<V>::new(&text, 0).tokens().unwrap();
                        assert_eq!((block.starts, block.words), (1, 0), "{byte}");
                        assert_eq!(block.escapes, bit(byte == b'\\'), "{byte}");
                        assert_eq!(block.controls, bit(byte < b' '), "{byte}");
                    }
                }
            }
        }
    }

    #[test]
    fn every_byte_of_a_block() {
        for_each_tier(&EveryByte);
    }

    struct Carried<'a>(&'a [u8]);

    impl TierTest for Carried<'_> {
        fn check<V: Vector>(&self) {
            // What starts where, a byte at a time.
            let (mut string, mut escaped, mut word) = (false, false, false);
            let mut blocks = Blocks::<V>::new(self.0, 0);
            let mut block = None;
            for (at, &byte) in self.0.iter().enumerate() {
                if at % 64 == 0 {
                    block = blocks.tokens();
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
            assert!(!self.0.len().is_multiple_of(64) || blocks.tokens().is_none());
        }
    }

    proptest::proptest! {
        #[test]
        fn random_texts(text in "[\\[\\]{}\"\\\\x0:, \n]{0,300}", offset in 0usize..64) {
            for_each_tier(&Carried(Placed::new(offset, text.as_bytes()).units()));
        }

        #[test]
        fn any_bytes(bytes: Vec<u8>) {
            for_each_tier(&Carried(&bytes));
        }
    }
}
