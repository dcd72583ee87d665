//! Validates UTF-8 (RFC 3629) without decoding it.
//!
//! Separate from `utf8`, which validates while it decodes: this is for text that the caller
//! discards. The masks of a vector mark the lead bytes of sequences of two, three and four bytes,
//! and the continuation bytes. A vector is valid if continuation bytes are exactly where the lead
//! bytes require them, and if each second byte after E0, ED, F0 and F4 is in its narrower range (no
//! overlong form, no surrogate, nothing above U+10FFFF). Called by the typed decoder, `blocks`,
//! `columns` and `lines`.

use super::super::{Lanes, Task, Vector};
use super::scan::load_up_to;

/// [`is_utf8`] as a task, so that its code exists once for each tier.
#[derive(Debug)]
pub struct IsUtf8<'a>(pub &'a [u8]);

impl Task for IsUtf8<'_> {
    type Output = bool;

    #[inline(always)]
    fn with_vectors<V: Vector>(self) -> bool {
        is_utf8::<V>(self.0)
    }
}

/// Whether `bytes` are UTF-8.
#[inline(always)]
pub fn is_utf8<V: Lanes>(bytes: &[u8]) -> bool {
    let lane_count = V::LANES as u32;
    let all = u64::MAX >> (64 - lane_count);
    // What the last vector requires of the first lanes of this one: continuation bytes, and a
    // second byte after E0, ED, F0 or F4.
    let mut required = 0;
    let mut seconds = [0u64; 4];
    let mut at = 0;
    while at < bytes.len() {
        let vector = load_up_to::<V>(bytes, at, bytes.len() - at);
        at += V::LANES;
        let non_ascii = vector.non_ascii();
        if non_ascii == 0 {
            if required != 0 {
                return false;
            }
            continue;
        }
        let continuations = non_ascii & !vector.char_starts();
        let (two, three, four) =
            (vector.at_least(0xc2), vector.at_least(0xe0), vector.at_least(0xf0));
        // Bytes that begin no sequence: C0, C1, and those above F4.
        let bad = non_ascii & !continuations & !two | vector.at_least(0xf5);
        let expected = required | two << 1 | three << 2 | four << 3;
        if expected & all != continuations || bad != 0 {
            return false;
        }
        required = two >> (lane_count - 1) | three >> (lane_count - 2) | four >> (lane_count - 3);
        if three == 0 && seconds == [0; 4] {
            continue;
        }
        let firsts = [0xe0, 0xed, 0xf0, 0xf4].map(|byte| vector.equal(byte));
        let second = |which: usize| (firsts[which] << 1 | seconds[which]) & all;
        let (from_a0, from_90) = (vector.at_least(0xa0), vector.at_least(0x90));
        let out_of_range =
            second(0) & !from_a0 | second(1) & from_a0 | second(2) & !from_90 | second(3) & from_90;
        if out_of_range != 0 {
            return false;
        }
        seconds = firsts.map(|first| first >> (lane_count - 1));
    }
    required == 0
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::{TierTest, for_each_tier};
    use super::*;

    /// Agrees with the standard library.
    struct AsStd<'a>(&'a [u8]);

    impl TierTest for AsStd<'_> {
        fn check<V: Vector>(&self) {
            let expected = std::str::from_utf8(self.0).is_ok();
            assert_eq!(is_utf8::<V>(self.0), expected, "{:x?}", self.0);
        }
    }

    /// Each pair of bytes, with possible continuations, around the ends of vectors.
    #[test]
    fn every_first_byte() {
        for first in 0x7f..=0xffu8 {
            for second in [0, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xff] {
                for tail in [&b""[..], b"\x80", b"\xbf\x80", b"\x80\x80\x80", b"a\x80"] {
                    for before in [0, 5, 6, 7, 13, 14, 15, 30, 31, 61, 62, 63] {
                        let mut bytes = vec![b'x'; before];
                        bytes.extend([first, second]);
                        bytes.extend(tail);
                        for_each_tier(&AsStd(&bytes));
                        bytes.extend([b'y'; 3]);
                        for_each_tier(&AsStd(&bytes));
                    }
                }
            }
        }
    }

    #[test]
    fn truncated_and_damaged_text() {
        let text = "aé€😀\u{7ff}\u{800}\u{d7ff}\u{e000}\u{ffff}\u{10000}\u{10ffff}z".repeat(9);
        for end in 0..=text.len() {
            for_each_tier(&AsStd(&text.as_bytes()[..end]));
            for_each_tier(&AsStd(&text.as_bytes()[end..]));
        }
        for position in 0..text.len() {
            for byte in [0, b'a', 0x80, 0xc1, 0xc2, 0xed, 0xf4, 0xf8] {
                let mut damaged = text.clone().into_bytes();
                damaged[position] = byte;
                for_each_tier(&AsStd(&damaged));
            }
        }
    }
}
