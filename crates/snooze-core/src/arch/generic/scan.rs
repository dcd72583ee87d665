//! Finds the end of a run of plain string characters, or of white space.
//!
//! Separate from `tokens` and `structure`, which look at whole blocks: this starts anywhere and
//! stops at the first hit. Invariant: reads nothing outside the slice; the lanes beyond its end are
//! zero, and zero ends both kinds of run. Called by `read`, `unescape` and `rewrite`.

use super::super::Lanes;

/// The run of plain characters at the start of a string body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// Bytes before the first `"`, `\`, control character or the end of the slice.
    pub len: usize,
    /// Whether all of them are ASCII.
    pub ascii: bool,
}

/// The run of plain characters at the start of `bytes`.
#[inline(always)]
pub fn string_run<V: Lanes>(bytes: &[u8]) -> Run {
    let mut at = 0;
    let mut seen = 0;
    loop {
        let rest = bytes.len() - at;
        let lanes = load_up_to::<V>(bytes, at, rest);
        let (stops, non_ascii) = (lanes.string_stops(), lanes.non_ascii());
        if stops != 0 {
            let lane = stops.trailing_zeros();
            seen |= non_ascii & !(u64::MAX << lane);
            return Run { len: at + lane as usize, ascii: seen == 0 };
        }
        seen |= non_ascii;
        at += V::LANES;
    }
}

/// The number of JSON white space bytes at the start of `bytes`.
#[inline(always)]
pub fn space_run<V: Lanes>(bytes: &[u8]) -> usize {
    let mut at = 0;
    loop {
        let other = load_up_to::<V>(bytes, at, bytes.len() - at).non_space();
        if other != 0 {
            return at + other.trailing_zeros() as usize;
        }
        at += V::LANES;
    }
}

/// Whether exactly `len` bytes of JSON white space are at the start of `bytes`; false if `len` is
/// the number of lanes or more.
#[inline(always)]
pub fn is_space_run<V: Lanes>(bytes: &[u8], len: usize) -> bool {
    if len >= V::LANES {
        return false;
    }
    let other = load_up_to::<V>(bytes, 0, bytes.len()).non_space();
    other & other.wrapping_neg() == 1 << len
}

/// Loads the first bytes of a text, with zeros above if it is shorter than a vector.
#[inline(always)]
pub(crate) fn load_first<V: Lanes>(text: &[u8]) -> V {
    load_up_to(text, 0, text.len())
}

/// Loads a whole vector at `at`, or the `rest` bytes with zeros above.
#[inline(always)]
pub(super) fn load_up_to<V: Lanes>(bytes: &[u8], at: usize, rest: usize) -> V {
    debug_assert!(at <= bytes.len() && rest == bytes.len() - at);
    // SAFETY: `rest` bytes are readable at `at`, because `at <= bytes.len()`: the callers in this
    // file continue only after a vector without a stop, which no partial vector is, since its zero
    // lanes are stops; all other callers check `at` first.
    unsafe {
        let source = bytes.as_ptr().add(at);
        if rest >= V::LANES { V::load(source) } else { V::load_partial(source, rest) }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::Vector;
    use super::super::super::testing::{
        EndOfAllocation, TierTest, for_each_tier, offsets_lengths_and_positions,
    };
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
            for (offset, len, position) in offsets_lengths_and_positions() {
                let plain = EndOfAllocation::new(offset, &vec![b'a'; len]);
                assert_eq!(string_run::<V>(plain.units()), Run { len, ascii: true });
                let space = EndOfAllocation::new(offset, &vec![b' '; len]);
                assert_eq!(space_run::<V>(space.units()), len);
                assert_eq!(is_space_run::<V>(space.units(), len), len < V::LANES);
                for byte in [b'"', b'\n', 0xff] {
                    let mut text = vec![b'a'; len];
                    text[position..].iter_mut().step_by(7).for_each(|at| *at = byte);
                    // Bytes after the run must not affect the result.
                    text[position..].iter_mut().skip(1).step_by(5).for_each(|at| *at = 0xff);
                    let text = EndOfAllocation::new(offset, &text);
                    assert_eq!(string_run::<V>(text.units()), naive_string(text.units()));
                    let mut text = vec![b'\t'; len];
                    text[position..].iter_mut().step_by(7).for_each(|at| *at = byte);
                    let text = EndOfAllocation::new(offset, &text);
                    assert_eq!(space_run::<V>(text.units()), naive_space(text.units()));
                }
            }
        }
    }

    #[test]
    fn every_length_and_alignment() {
        for_each_tier(&EveryLengthAndAlignment);
    }

    struct EveryByteAtEveryPosition;

    impl TierTest for EveryByteAtEveryPosition {
        fn check<V: Vector>(&self) {
            for byte in 0..=255 {
                for len in [1, 7, 8, 15, 16, 17, 31, 33, 64, 65, 130] {
                    for position in 0..len {
                        let mut text = vec![b'x'; len];
                        text[position] = byte;
                        assert_eq!(string_run::<V>(&text), naive_string(&text));
                        let mut text = vec![b"\t \n\r"[position % 4]; len];
                        text[position] = byte;
                        assert_eq!(space_run::<V>(&text), naive_space(&text));
                        for guess in [0, position, position + 1, len] {
                            let is_run = guess < V::LANES && guess == naive_space(&text);
                            assert_eq!(is_space_run::<V>(&text, guess), is_run);
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn every_byte_at_every_position() {
        for_each_tier(&EveryByteAtEveryPosition);
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
