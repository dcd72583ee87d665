//! Whether bytes are UTF-8 (RFC 3629), told without decoding them.
//!
//! Separate from `utf8`, which validates as it decodes: this is for text that nobody wants. Each
//! block gives a few masks: where sequences of two, three and four bytes begin, and where
//! continuation bytes are. A block is right if continuation bytes stand where the beginnings want
//! them and nowhere else, and if none of the four second bytes that are special is out of its range
//! (no overlong form, no surrogate, nothing above U+10FFFF). Called by typed decoding.

use super::super::Vector;
use super::scan::load_up_to;

/// Whether `bytes` are UTF-8.
#[inline(always)]
pub fn is_utf8<V: Vector>(bytes: &[u8]) -> bool {
    let lanes = V::LANES as u32;
    let all = u64::MAX >> (64 - lanes);
    // What the block before wants of the first lanes: continuation bytes, and which second byte.
    let mut wanted = 0;
    let mut special = [0u64; 4];
    let mut at = 0;
    while at < bytes.len() {
        let block = load_up_to::<V>(bytes, at, bytes.len() - at);
        at += V::LANES;
        let high = block.high();
        if high == 0 {
            if wanted != 0 {
                return false;
            }
            continue;
        }
        let continued = high & !block.leads();
        let (two, three, four) = (block.at_least(0xc2), block.at_least(0xe0), block.at_least(0xf0));
        // What begins nothing: 0xC0, 0xC1 and what is above 0xF4.
        let bad = high & !continued & !two | block.at_least(0xf5);
        let expected = wanted | two << 1 | three << 2 | four << 3;
        if expected & all != continued || bad != 0 {
            return false;
        }
        wanted = two >> (lanes - 1) | three >> (lanes - 2) | four >> (lanes - 3);
        if three == 0 && special == [0; 4] {
            continue;
        }
        let firsts = [0xe0, 0xed, 0xf0, 0xf4].map(|byte| block.equal(byte));
        let second = |which: usize| (firsts[which] << 1 | special[which]) & all;
        let (from_a0, from_90) = (block.at_least(0xa0), block.at_least(0x90));
        let out =
            second(0) & !from_a0 | second(1) & from_a0 | second(2) & !from_90 | second(3) & from_90;
        if out != 0 {
            return false;
        }
        special = firsts.map(|first| first >> (lanes - 1));
    }
    wanted == 0
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::{TierTest, for_each_tier};
    use super::*;

    struct Same<'a>(&'a [u8]);

    impl TierTest for Same<'_> {
        fn check<V: Vector>(&self) {
            let expected = std::str::from_utf8(self.0).is_ok();
            assert_eq!(is_utf8::<V>(self.0), expected, "{:x?}", self.0);
        }
    }

    /// Each pair of bytes, and what may follow it, at each place around the ends of blocks.
    #[test]
    fn every_beginning() {
        for first in 0x7f..=0xffu8 {
            for second in [0, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xff] {
                for tail in [&b""[..], b"\x80", b"\xbf\x80", b"\x80\x80\x80", b"a\x80"] {
                    for before in [0, 5, 6, 7, 13, 14, 15, 30, 31, 61, 62, 63] {
                        let mut bytes = vec![b'x'; before];
                        bytes.extend([first, second]);
                        bytes.extend(tail);
                        for_each_tier(&Same(&bytes));
                        bytes.extend([b'y'; 3]);
                        for_each_tier(&Same(&bytes));
                    }
                }
            }
        }
    }

    #[test]
    fn text_cut_and_damaged() {
        let text = "aé€😀\u{7ff}\u{800}\u{d7ff}\u{e000}\u{ffff}\u{10000}\u{10ffff}z".repeat(9);
        for end in 0..=text.len() {
            for_each_tier(&Same(&text.as_bytes()[..end]));
            for_each_tier(&Same(&text.as_bytes()[end..]));
        }
        for place in 0..text.len() {
            for byte in [0, b'a', 0x80, 0xc1, 0xc2, 0xed, 0xf4, 0xf8] {
                let mut damaged = text.clone().into_bytes();
                damaged[place] = byte;
                for_each_tier(&Same(&damaged));
            }
        }
    }
}
