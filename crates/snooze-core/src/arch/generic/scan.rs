//! Finding things in text: the end of a run of plain string characters, of white space.
//!
//! Invariant: nothing outside the slice is read; the lanes beyond its end are zero, and zero
//! ends both kinds of run. Called by `read`.

use super::super::Vector;

/// A run of plain characters at the start of a string body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// Bytes before the first `"`, `\`, control character or the end of the slice.
    pub len: usize,
    /// Whether all of them are ASCII.
    pub ascii: bool,
}

/// The run of plain characters that `bytes` starts with.
#[inline(always)]
pub fn string_run<V: Vector>(bytes: &[u8]) -> Run {
    let mut at = 0;
    let mut high = 0;
    loop {
        let rest = bytes.len() - at;
        let lanes = load_up_to::<V>(bytes, at, rest);
        let (stops, tops) = (lanes.stops(), lanes.high());
        if stops != 0 {
            let lane = stops.trailing_zeros();
            high |= tops & !(u64::MAX << lane);
            return Run { len: at + lane as usize, ascii: high == 0 };
        }
        high |= tops;
        at += V::LANES;
    }
}

/// The number of JSON white space bytes that `bytes` starts with.
#[inline(always)]
pub fn space_run<V: Vector>(bytes: &[u8]) -> usize {
    let mut at = 0;
    loop {
        let other = load_up_to::<V>(bytes, at, bytes.len() - at).not_space();
        if other != 0 {
            return at + other.trailing_zeros() as usize;
        }
        at += V::LANES;
    }
}

/// A whole vector at `at`, or what is left, zero above.
#[inline(always)]
pub(super) fn load_up_to<V: Vector>(bytes: &[u8], at: usize, rest: usize) -> V {
    debug_assert!(at <= bytes.len() && rest == bytes.len() - at);
    // SAFETY: `at <= bytes.len()`, because the callers here only go on after a vector without any
    // stop, which the zero lanes of a partial load always are, and `structure` and `tokens`
    // ask for no more than there is; so `rest` bytes are readable.
    unsafe {
        let source = bytes.as_ptr().add(at);
        if rest >= V::LANES { V::load(source) } else { V::load_partial(source, rest) }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::{Placed, TierTest, every_place, for_each_tier};
    use super::*;

    fn naive_string(bytes: &[u8]) -> Run {
        let len =
            bytes.iter().position(|&b| b == b'"' || b == b'\\' || b < 0x20).unwrap_or(bytes.len());
        Run { len, ascii: bytes[..len].is_ascii() }
    }

    fn naive_space(bytes: &[u8]) -> usize {
        bytes.iter().position(|b| !b" \t\r\n".contains(b)).unwrap_or(bytes.len())
    }

    struct EveryLengthAndAlignment;

    impl TierTest for EveryLengthAndAlignment {
        fn check<V: Vector>(&self) {
            for (offset, len, place) in every_place() {
                let plain = Placed::new(offset, &vec![b'a'; len]);
                assert_eq!(string_run::<V>(plain.units()), Run { len, ascii: true });
                let space = Placed::new(offset, &vec![b' '; len]);
                assert_eq!(space_run::<V>(space.units()), len);
                for byte in [b'"', b'\n', 0xff] {
                    let mut text = vec![b'a'; len];
                    text[place..].iter_mut().step_by(7).for_each(|at| *at = byte);
                    // What follows the run must not count.
                    text[place..].iter_mut().skip(1).step_by(5).for_each(|at| *at = 0xff);
                    let text = Placed::new(offset, &text);
                    assert_eq!(string_run::<V>(text.units()), naive_string(text.units()));
                    let mut text = vec![b'\t'; len];
                    text[place..].iter_mut().step_by(7).for_each(|at| *at = byte);
                    let text = Placed::new(offset, &text);
                    assert_eq!(space_run::<V>(text.units()), naive_space(text.units()));
                }
            }
        }
    }

    #[test]
    fn every_length_and_alignment() {
        for_each_tier(&EveryLengthAndAlignment);
    }

    struct EveryByteEverywhere;

    impl TierTest for EveryByteEverywhere {
        fn check<V: Vector>(&self) {
            for byte in 0..=255 {
                for len in [1, 7, 8, 15, 16, 17, 31, 33, 64, 65, 130] {
                    for place in 0..len {
                        let mut text = vec![b'x'; len];
                        text[place] = byte;
                        assert_eq!(string_run::<V>(&text), naive_string(&text));
                        let mut text = vec![b"\t \n\r"[place % 4]; len];
                        text[place] = byte;
                        assert_eq!(space_run::<V>(&text), naive_space(&text));
                    }
                }
            }
        }
    }

    #[test]
    fn every_byte_everywhere() {
        for_each_tier(&EveryByteEverywhere);
    }

    struct RandomBytes(Vec<u8>);

    impl TierTest for RandomBytes {
        fn check<V: Vector>(&self) {
            assert_eq!(string_run::<V>(&self.0), naive_string(&self.0));
            assert_eq!(space_run::<V>(&self.0), naive_space(&self.0));
        }
    }

    proptest::proptest! {
        #[test]
        fn random_bytes_match_the_naive_scan(bytes: Vec<u8>) {
            for_each_tier(&RandomBytes(bytes));
        }
    }
}
