//! Checks that a text in blocks is UTF-8.
//!
//! Separate because blocks cut characters. Invariant: at most three bytes are kept. Used by
//! `check`.

use crate::arch::Vector;
use crate::arch::generic::valid::is_utf8;

/// What has been seen of a text.
#[derive(Debug, Default)]
pub(super) struct Utf8 {
    /// The first bytes of a character whose rest is in the next block.
    begun: [u8; 4],
    begun_len: usize,
    is_wrong: bool,
}

impl Utf8 {
    /// Checks the next block; returns how many of its bytes are before the first wrong one.
    #[inline(always)]
    pub(super) fn feed<V: Vector>(&mut self, whole_block: &[u8]) -> usize {
        let mut block = whole_block;
        while self.begun_len > 0 && !self.is_wrong {
            let Some((&byte, rest)) = block.split_first() else { return whole_block.len() };
            block = rest;
            self.continue_character(byte);
        }
        if self.is_wrong {
            return 0;
        }
        let whole = block.len() - begun_at_end(block);
        let (whole, begun) = block.split_at_checked(whole).unwrap_or((block, &[]));
        if !is_utf8::<V>(whole) {
            self.is_wrong = true;
            return whole_block.len() - block.len() + right_bytes(whole);
        }
        for (target, byte) in self.begun.iter_mut().zip(begun) {
            *target = *byte;
        }
        self.begun_len = begun.len();
        whole_block.len()
    }

    /// How many bytes of a character that is not complete came before the next block.
    pub(super) fn begun(&self) -> usize {
        self.begun_len
    }

    /// Whether a part of the text is not UTF-8.
    pub(super) fn is_wrong(&self) -> bool {
        self.is_wrong
    }

    /// Whether the text ends here and is UTF-8.
    pub(super) fn is_complete(&self) -> bool {
        !self.is_wrong && self.begun_len == 0
    }

    /// Takes the next byte of the character that a block has cut.
    fn continue_character(&mut self, byte: u8) {
        if let Some(place) = self.begun.get_mut(self.begun_len) {
            *place = byte;
            self.begun_len += 1;
        }
        match core::str::from_utf8(self.begun.get(..self.begun_len).unwrap_or(&[])) {
            Ok(_) => self.begun_len = 0,
            // Without a length, more bytes could make it valid.
            Err(fault) => self.is_wrong = fault.error_len().is_some(),
        }
    }
}

/// How many bytes are before the first wrong one.
#[cold]
fn right_bytes(text: &[u8]) -> usize {
    core::str::from_utf8(text).err().map_or(text.len(), |fault| fault.valid_up_to())
}

/// How many bytes at the end begin a character that is not complete.
fn begun_at_end(block: &[u8]) -> usize {
    let last = block.get(block.len().saturating_sub(3)..).unwrap_or(&[]);
    for count in 1..=last.len() {
        let tail = last.get(last.len() - count..).unwrap_or(&[]);
        match tail.first() {
            // A continuation byte: the first byte is before it.
            Some(0x80..=0xbf) => {}
            Some(0xc2..=0xf4) => {
                let is_begun =
                    core::str::from_utf8(tail).is_err_and(|fault| fault.error_len().is_none());
                return if is_begun { count } else { 0 };
            }
            _ => return 0,
        }
    }
    0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arch::testing::{TierTest, for_each_tier};

    struct Cuts<'a>(&'a [u8]);

    impl TierTest for Cuts<'_> {
        fn check<V: Vector>(&self) {
            let expected = core::str::from_utf8(self.0).is_ok();
            for size in 1..=self.0.len().max(1) {
                let (mut found, mut right) = (Utf8::default(), 0);
                for block in self.0.chunks(size) {
                    right += found.feed::<V>(block);
                }
                assert_eq!(found.is_complete(), expected, "{:?} by {size}", self.0);
                // With the bytes before a block that begin a wrong character.
                let valid = core::str::from_utf8(self.0);
                let first_wrong = valid.err().map_or(self.0.len(), |fault| fault.valid_up_to());
                assert!((first_wrong..first_wrong + 4).contains(&right), "{:?} by {size}", self.0);
                assert!(size < self.0.len() || right <= self.0.len());
            }
        }
    }

    #[test]
    fn every_cut_of_every_kind() {
        for text in [
            &b""[..],
            b"abc",
            "a\u{e9}\u{20ac}\u{1f600}z".as_bytes(),
            b"\xe2\x82",
            b"\xf0\x9f\x98",
            b"\xc3",
            b"\xed\xa0\x80",
            b"\xc0\x80",
            b"\xf4\x90\x80\x80",
            b"\x80",
            b"\xe2\x82\xac\x80",
            b"\xff",
        ] {
            for_each_tier(&Cuts(text));
            for_each_tier(&Cuts(&[b"0123456789".as_slice(), text, text, b"0"].concat()));
        }
    }

    proptest::proptest! {
        #[test]
        fn any_bytes(bytes in proptest::collection::vec(0x70u8.., 0..12)) {
            for_each_tier(&Cuts(&bytes));
        }
    }
}
