//! The end of a container, found by its brackets alone: 64 bytes at a time, whatever the tier.
//!
//! Separate from `scan` because it keeps what it knows from block to block: whether the text is
//! inside a string, whether the next character is escaped, how many containers are open. What is
//! between the brackets is not looked at, nor whether a bracket is closed by its own kind.
//! Invariant: nothing outside the slice is read, and each block is passed once. Called by
//! `read::skip`.

use core::marker::PhantomData;

use super::super::Vector;
use super::scan::load_up_to;

/// Bytes that are looked at together: as many as a mask has bits.
const BLOCK: usize = 64;

/// Why a container has no end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoEnd {
    /// The slice ends first.
    Cut,
    /// Too many containers are open after the bracket before this offset.
    Deep(usize),
}

/// Where a container ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct End {
    /// The offset after its closing bracket.
    pub at: usize,
    /// Whether everything up to there is ASCII.
    pub ascii: bool,
}

/// What stands where in a block; no bit is beyond the end of the slice.
struct Block {
    quotes: u64,
    backslashes: u64,
    opening: u64,
    closing: u64,
    high: u64,
}

impl Block {
    #[inline(always)]
    fn load<V: Vector>(bytes: &[u8], start: usize) -> Self {
        let mut block = Block { quotes: 0, backslashes: 0, opening: 0, closing: 0, high: 0 };
        for part in 0..BLOCK / V::LANES {
            let at = start + part * V::LANES;
            if at >= bytes.len() {
                break;
            }
            let lanes = load_up_to::<V>(bytes, at, bytes.len() - at);
            let braces = lanes.folded();
            let shift = part * V::LANES;
            block.quotes |= lanes.equal(b'"') << shift;
            block.backslashes |= lanes.equal(b'\\') << shift;
            block.opening |= braces.equal(b'{') << shift;
            block.closing |= braces.equal(b'}') << shift;
            block.high |= lanes.high() << shift;
        }
        block
    }
}

/// The characters behind a backslash that is none itself; `carry` is one if the first character of
/// this block is, and then of the next one.
///
/// Source: simdjson, `json_escape_scanner.h`. In a run of backslashes each second one is escaped. A
/// subtraction carries through each run, so that it tells even from odd places.
#[inline(always)]
fn escaped(backslashes: u64, carry: &mut u64) -> u64 {
    const ODD: u64 = 0xaaaa_aaaa_aaaa_aaaa;
    if backslashes == 0 {
        return core::mem::take(carry);
    }
    let first = *carry;
    let starts = backslashes & !first;
    let both = ((starts << 1 | ODD).wrapping_sub(starts)) ^ ODD;
    *carry = (both & backslashes) >> 63;
    both ^ (backslashes | first)
}

/// For each bit, whether an odd number of bits up to and with it is set.
#[inline(always)]
fn parity(mut bits: u64) -> u64 {
    for shift in [1, 2, 4, 8, 16, 32] {
        bits ^= bits << shift;
    }
    bits
}

/// What is known of strings where a block begins.
#[derive(Clone, Copy, Debug, Default)]
struct Strings {
    /// All ones inside of one.
    inside: u64,
    /// One bit behind a backslash.
    carry: u64,
}

/// Where a block has strings.
struct Inside {
    /// The quotes that are not escaped.
    quotes: u64,
    /// Strings with their opening quotes.
    inside: u64,
    /// What stands behind a backslash that is not there itself.
    escaped: u64,
}

impl Strings {
    #[inline(always)]
    fn pass(&mut self, quotes: u64, backslashes: u64) -> Inside {
        let escaped = escaped(backslashes, &mut self.carry);
        let quotes = quotes & !escaped;
        let inside = parity(quotes) ^ self.inside;
        self.inside = ((inside as i64) >> 63) as u64;
        Inside { quotes, inside, escaped }
    }
}

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

/// The end of the container whose opening bracket is at `start`; `room` is how many containers may
/// be open at once.
#[inline(always)]
pub fn container_end<V: Vector>(bytes: &[u8], start: usize, room: usize) -> Result<End, NoEnd> {
    let (mut at, mut depth) = (start, 0usize);
    let (mut strings, mut high) = (Strings::default(), 0);
    while at < bytes.len() {
        let block = Block::load::<V>(bytes, at);
        let Inside { inside, .. } = strings.pass(block.quotes, block.backslashes);
        let (opening, closing) = (block.opening & !inside, block.closing & !inside);
        let (more, fewer) = (opening.count_ones() as usize, closing.count_ones() as usize);
        if fewer < depth && depth + more <= room {
            // It ends behind this block.
            depth = depth + more - fewer;
        } else {
            let mut brackets = opening | closing;
            while brackets != 0 {
                let lane = brackets.trailing_zeros();
                let after = at + lane as usize + 1;
                if opening >> lane & 1 == 1 {
                    if depth == room {
                        return Err(NoEnd::Deep(after));
                    }
                    depth += 1;
                } else if depth <= 1 {
                    high |= block.high & ((1 << lane) - 1);
                    return Ok(End { at: after, ascii: high == 0 });
                } else {
                    depth -= 1;
                }
                brackets &= brackets - 1;
            }
        }
        high |= block.high;
        at += BLOCK;
    }
    Err(NoEnd::Cut)
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::{Placed, TierTest, for_each_tier};
    use super::*;

    /// A byte at a time.
    fn naive(bytes: &[u8], room: usize) -> Result<usize, NoEnd> {
        let (mut string, mut depth, mut at) = (false, 0, 0);
        while at < bytes.len() {
            match bytes[at] {
                // Outside a string too, where only a quote can tell.
                b'\\' if matches!(bytes.get(at + 1), Some(b'"' | b'\\')) => at += 1,
                b'"' => string = !string,
                b'{' | b'[' if !string && depth == room => return Err(NoEnd::Deep(at + 1)),
                b'{' | b'[' if !string => depth += 1,
                b'}' | b']' if !string && depth == 1 => return Ok(at + 1),
                b'}' | b']' if !string => depth -= 1,
                _ => {}
            }
            at += 1;
        }
        Err(NoEnd::Cut)
    }

    struct AsNaive<'a>(&'a [u8], usize);

    impl TierTest for AsNaive<'_> {
        fn check<V: Vector>(&self) {
            let ours = container_end::<V>(self.0, 0, self.1);
            assert_eq!(ours.map(|end| end.at), naive(self.0, self.1), "{:?}", self.0);
            if let Ok(End { at, ascii }) = ours {
                assert_eq!(ascii, self.0[..at].is_ascii());
            }
        }
    }

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

    #[test]
    fn every_place_and_alignment() {
        let document = br#"{"a\\":["]\"}",{},[[\u00e9]],"\\\\"],"b":"{","c":[1,"\\\"["]}"#;
        for offset in 0..64 {
            for space in 0..130 {
                for place in [1, 5, 12, 20, document.len() - 1] {
                    let (head, tail) = document.split_at(place);
                    let text = [head, &vec![b'x'; space], tail, b"]\"\\"].concat();
                    let text = Placed::new(offset, &text);
                    for_each_tier(&AsNaive(text.units(), 9));
                }
            }
        }
    }

    #[test]
    fn every_cut() {
        let document = "[".repeat(70) + "\"\\\\\\\"\"" + &"]".repeat(70);
        for end in 1..=document.len() {
            for room in [69, 70, 71] {
                let text = Placed::new(end % 64, &document.as_bytes()[..end]);
                for_each_tier(&AsNaive(text.units(), room));
            }
        }
    }

    #[test]
    fn runs_of_backslashes() {
        for before in 0..70 {
            for count in 0..140 {
                let text = format!("[\"{}{}\"]\"]]", "x".repeat(before), "\\".repeat(count));
                for_each_tier(&AsNaive(text.as_bytes(), 2));
            }
        }
    }

    proptest::proptest! {
        #[test]
        fn random_brackets(text in "[\\[{][\\[\\]{}\"\\\\x]{0,300}", room in 1usize..8) {
            for_each_tier(&AsNaive(text.as_bytes(), room));
        }

        #[test]
        fn random_texts(text in "[\\[{]([\\[\\]{}]|\"([^\"\\\\]|\\\\.){0,20}\"|[a-z:,]{0,30}){0,60}") {
            for_each_tier(&AsNaive(text.as_bytes(), 40));
        }

        #[test]
        fn any_bytes(bytes: Vec<u8>) {
            let bytes = [b"[", &bytes[..]].concat();
            for_each_tier(&AsNaive(&bytes, 3));
        }
    }
}
