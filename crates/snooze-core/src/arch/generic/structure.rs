//! Finds the end of a container from its brackets alone, in blocks of 64 bytes on every tier.
//!
//! Separate from `tokens` because it checks less: neither the text between brackets, nor that a
//! bracket closes its own kind. So a block that does not hold the end costs a few operations.
//! Invariant: reads nothing outside the slice, and each block once. Called by `read::skip`; its
//! `Block` also by `array_cuts`.

use super::super::Lanes;
use super::quotes::{BLOCK, StringMasks, StringState};
use super::scan::load_up_to;

/// Why no end was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoEnd {
    /// The slice ends inside the container.
    Truncated,
    /// The bracket before this offset opens one container too many.
    TooDeep(usize),
}

/// The end of a container.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct End {
    /// The offset after its closing bracket.
    pub at: usize,
    /// Whether all bytes from its opening bracket on are ASCII.
    pub ascii: bool,
}

/// The masks of one block. No bit is set beyond the end of the slice.
pub(super) struct Block {
    pub(super) quotes: u64,
    pub(super) backslashes: u64,
    pub(super) opening: u64,
    pub(super) closing: u64,
    non_ascii: u64,
}

impl Block {
    #[inline(always)]
    pub(super) fn load<V: Lanes>(bytes: &[u8], start: usize) -> Self {
        let mut block = Block { quotes: 0, backslashes: 0, opening: 0, closing: 0, non_ascii: 0 };
        for part in 0..BLOCK / V::LANES {
            let at = start + part * V::LANES;
            if at >= bytes.len() {
                break;
            }
            let lanes = load_up_to::<V>(bytes, at, bytes.len() - at);
            let braces = lanes.brackets_to_braces();
            let shift = part * V::LANES;
            block.quotes |= lanes.equal(b'"') << shift;
            block.backslashes |= lanes.equal(b'\\') << shift;
            block.opening |= braces.equal(b'{') << shift;
            block.closing |= braces.equal(b'}') << shift;
            block.non_ascii |= lanes.non_ascii() << shift;
        }
        block
    }
}

/// The end of the container whose opening bracket is at `start`. At most `max_open` containers may
/// be open at the same time, including this one.
#[inline(always)]
pub fn container_end<V: Lanes>(bytes: &[u8], start: usize, max_open: usize) -> Result<End, NoEnd> {
    let (mut at, mut depth) = (start, 0usize);
    let (mut strings, mut non_ascii) = (StringState::default(), 0);
    while at < bytes.len() {
        let block = Block::load::<V>(bytes, at);
        let StringMasks { inside, .. } = strings.next_block(block.quotes, block.backslashes);
        let (opening, closing) = (block.opening & !inside, block.closing & !inside);
        let (opened, closed) = (opening.count_ones() as usize, closing.count_ones() as usize);
        if closed < depth && depth + opened <= max_open {
            // The end is after this block.
            depth = depth + opened - closed;
        } else {
            let mut brackets = opening | closing;
            while brackets != 0 {
                let lane = brackets.trailing_zeros();
                let after = at + lane as usize + 1;
                if opening >> lane & 1 == 1 {
                    if depth == max_open {
                        return Err(NoEnd::TooDeep(after));
                    }
                    depth += 1;
                } else if depth <= 1 {
                    non_ascii |= block.non_ascii & ((1 << lane) - 1);
                    return Ok(End { at: after, ascii: non_ascii == 0 });
                } else {
                    depth -= 1;
                }
                brackets &= brackets - 1;
            }
        }
        non_ascii |= block.non_ascii;
        at += BLOCK;
    }
    Err(NoEnd::Truncated)
}

#[cfg(test)]
mod tests {
    use super::super::super::Vector;
    use super::super::super::testing::{EndOfAllocation, TierTest, for_each_tier};
    use super::*;

    /// The same, one byte at a time.
    fn naive(bytes: &[u8], max_open: usize) -> Result<usize, NoEnd> {
        let (mut string, mut depth, mut at) = (false, 0, 0);
        while at < bytes.len() {
            match bytes[at] {
                // Outside strings too, where a backslash only matters before a quote.
                b'\\' if matches!(bytes.get(at + 1), Some(b'"' | b'\\')) => at += 1,
                b'"' => string = !string,
                b'{' | b'[' if !string && depth == max_open => return Err(NoEnd::TooDeep(at + 1)),
                b'{' | b'[' if !string => depth += 1,
                b'}' | b']' if !string && depth == 1 => return Ok(at + 1),
                b'}' | b']' if !string => depth -= 1,
                _ => {}
            }
            at += 1;
        }
        Err(NoEnd::Truncated)
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
    fn every_position_and_alignment() {
        let document = br#"{"a\\":["]\"}",{},[[\u00e9]],"\\\\"],"b":"{","c":[1,"\\\"["]}"#;
        for offset in 0..64 {
            for space in 0..130 {
                for position in [1, 5, 12, 20, document.len() - 1] {
                    let (head, tail) = document.split_at(position);
                    let text = [head, &vec![b'x'; space], tail, b"]\"\\"].concat();
                    let text = EndOfAllocation::new(offset, &text);
                    for_each_tier(&AsNaive(text.units(), 9));
                }
            }
        }
    }

    #[test]
    fn every_truncation() {
        let document = "[".repeat(70) + "\"\\\\\\\"\"" + &"]".repeat(70);
        for end in 1..=document.len() {
            for max_open in [69, 70, 71] {
                let text = EndOfAllocation::new(end % 64, &document.as_bytes()[..end]);
                for_each_tier(&AsNaive(text.units(), max_open));
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
        fn random_brackets(text in "[\\[{][\\[\\]{}\"\\\\x]{0,300}", max_open in 1usize..8) {
            for_each_tier(&AsNaive(text.as_bytes(), max_open));
        }

        #[test]
        fn random_texts(text in "[\\[{]([\\[\\]{}]|\"([^\"\\\\]|\\\\.){0,20}\"|[a-z:,]{0,30}){0,60}") {
            for_each_tier(&AsNaive(text.as_bytes(), 40));
        }

        #[test]
        fn arbitrary_bytes(bytes: Vec<u8>) {
            let bytes = [b"[", &bytes[..]].concat();
            for_each_tier(&AsNaive(&bytes, 3));
        }
    }
}
