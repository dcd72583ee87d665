//! The end of a container, found by its brackets alone: 64 bytes at a time, whatever the tier.
//!
//! Separate from `tokens` because it asks for less: what is between the brackets is not looked at, nor
//! whether a bracket is closed by its own kind, so that a block without the end is a few operations.
//! Invariant: nothing outside the slice is read, and each block is passed once. Called by
//! `read::skip`.

use super::super::Vector;
use super::quotes::{BLOCK, Inside, Strings};
use super::scan::load_up_to;

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
