//! Reading UTF-8: measures a string and decodes it to units of one, two or four bytes.
//!
//! CPython stores a string in the narrowest unit that holds its widest character. So a string is
//! first measured ([`measure`]), then decoded into a buffer of exactly that many units
//! ([`Measured::decode`]), which also validates it (RFC 3629: no overlong forms, no surrogates,
//! nothing above U+10FFFF). Separate from `valid`, which only validates. Invariant: decoding writes
//! only inside the buffer, which has [`Measured::chars`] units or more, also where the text is ill
//! formed. Called by the decoders of snooze-py.

use core::mem::MaybeUninit;

use super::super::{Lanes, Vector};
pub use super::units::Target;

/// The narrowest unit that holds every character of a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Width {
    /// Up to U+00FF.
    Latin1,
    /// Up to U+FFFF.
    Ucs2,
    /// Up to U+10FFFF.
    Ucs4,
}

/// A string and its size after decoding.
#[derive(Clone, Copy, Debug)]
pub struct Measured<'a> {
    bytes: &'a [u8],
    chars: usize,
    width: Width,
}

impl Measured<'_> {
    /// The number of characters, counted as bytes that are not continuation bytes.
    #[inline(always)]
    pub fn chars(&self) -> usize {
        self.chars
    }

    /// The narrowest unit that holds all of them.
    #[inline(always)]
    pub fn width(&self) -> Width {
        self.width
    }

    /// Decodes into `target`. Returns true if the string is UTF-8 and every character fits the
    /// unit; then the first `chars` units are initialised.
    ///
    /// # Panics
    /// If `target` is shorter than `chars`.
    #[inline(always)]
    pub fn decode<V: Vector, T: Target>(&self, target: &mut [MaybeUninit<T>]) -> bool {
        assert!(self.chars <= target.len(), "a target shorter than {} characters", self.chars);
        // SAFETY: the target has a unit for each lead byte, because `measure` counted them and the
        // assertion above compares.
        unsafe { V::decode_utf8::<T>(self.bytes, target.as_mut_ptr().cast(), target.len()) }
    }
}

/// Measures `bytes`. If they are not UTF-8, the number of characters is an upper bound.
#[inline(always)]
pub fn measure<V: Lanes>(bytes: &[u8]) -> Measured<'_> {
    let (mut chars, mut beyond_latin1, mut beyond_bmp) = (0, 0, 0);
    let mut at = 0;
    while at < bytes.len() {
        let count = (bytes.len() - at).min(V::LANES);
        // SAFETY: `count` bytes are readable at `at`, because `count <= bytes.len() - at`.
        let lanes = unsafe {
            let source = bytes.as_ptr().add(at);
            if count == V::LANES { V::load(source) } else { V::load_partial(source, count) }
        };
        chars += (lanes.char_starts() & (u64::MAX >> (64 - count))).count_ones() as usize;
        beyond_latin1 |= lanes.at_least(0xc4);
        beyond_bmp |= lanes.at_least(0xf0);
        at += count;
    }
    let width = match (beyond_latin1, beyond_bmp) {
        (0, _) => Width::Latin1,
        (_, 0) => Width::Ucs2,
        _ => Width::Ucs4,
    };
    Measured { bytes, chars, width }
}

/// The generic [`Vector::decode_utf8`]: ASCII by vectors, other characters by `some`, as far as it
/// can, and then one by one.
///
/// `some` decodes characters at the start of a text, not all ASCII, and returns the bytes read and
/// the units written, possibly none. What it read is well formed and fits the unit, and it wrote
/// one unit for each lead byte read.
///
/// # Safety
/// `target` is valid for writing one unit for each byte of `bytes` that is not a continuation byte,
/// and `some`, which is called with the rest of both, keeps to the above.
#[inline(always)]
pub(in super::super) unsafe fn decode<V: Vector, T: Target>(
    bytes: &[u8],
    mut target: *mut T,
    some: impl Fn(&[u8], *mut T) -> (usize, usize),
) -> bool {
    let mut at = 0;
    while at < bytes.len() {
        if bytes.len() - at >= V::LANES {
            // SAFETY: a vector is readable at `at`, because the branch checks it. A unit is left
            // for each of its bytes, because all of them are ASCII and so lead bytes.
            unsafe {
                let source = bytes.as_ptr().add(at);
                if V::load(source).non_ascii() == 0 {
                    T::widen::<V>(source, target);
                    target = target.add(V::LANES);
                    at += V::LANES;
                    continue;
                }
            }
        }
        // A unit is left for each lead byte left, because each so far has written at most one.
        let (read, written) = some(&bytes[at..], target);
        at += read;
        // SAFETY: the cursor stays inside the buffer, because `written` units were written there.
        target = unsafe { target.add(written) };
        // The remainder, or the characters that stopped the vectors, one by one.
        let end = (at + V::LANES).min(bytes.len());
        while at < end {
            let Some((code, len)) = decode_char(&bytes[at..]) else {
                return false;
            };
            if code > T::MAX {
                return false;
            }
            // SAFETY: a unit is left, because this character has one lead byte.
            unsafe {
                target.write(T::from_code(code));
                target = target.add(1);
            }
            at += len;
        }
    }
    true
}

/// The first character of `bytes` and its length; `None` if it is ill formed (RFC 3629, section 4).
#[inline(always)]
fn decode_char(bytes: &[u8]) -> Option<(u32, usize)> {
    let lead = u32::from(*bytes.first()?);
    if lead < 0x80 {
        return Some((lead, 1));
    }
    let tail = |at: usize| {
        let byte = *bytes.get(at)?;
        (byte & 0xc0 == 0x80).then_some(u32::from(byte & 0x3f))
    };
    if lead < 0xe0 {
        let code = (lead & 0x1f) << 6 | tail(1)?;
        (lead >= 0xc2).then_some((code, 2))
    } else if lead < 0xf0 {
        let code = (lead & 0x0f) << 12 | tail(1)? << 6 | tail(2)?;
        (code >= 0x800 && code & 0xf800 != 0xd800).then_some((code, 3))
    } else {
        let code = (lead & 0x0f) << 18 | tail(1)? << 12 | tail(2)? << 6 | tail(3)?;
        (lead <= 0xf4 && (0x1_0000..=0x10_ffff).contains(&code)).then_some((code, 4))
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::{
        EndOfAllocation, TierTest, for_each_tier, offsets_lengths_and_positions,
    };
    use super::*;

    /// Decodes to units that end where their allocation ends, `offset` units after its start.
    fn decoded<V: Vector, T: Target>(bytes: &[u8], offset: usize) -> Option<Vec<T>> {
        let measured = measure::<V>(bytes);
        let mut units = Box::new_uninit_slice(offset + measured.chars());
        let set = &mut units[offset..];
        // SAFETY: all units are initialised, because `decode` returned true.
        let read = |unit: &MaybeUninit<T>| unsafe { unit.assume_init() };
        measured.decode::<V, T>(set).then(|| set.iter().map(read).collect())
    }

    fn check<V: Vector>(bytes: &[u8], offset: usize) {
        let expected = std::str::from_utf8(bytes).ok();
        let codes = expected.map(|text| text.chars().map(u32::from).collect::<Vec<_>>());
        assert_eq!(decoded::<V, u32>(bytes, offset), codes, "{bytes:x?}");
        let Some(codes) = codes else {
            assert_eq!(decoded::<V, u16>(bytes, offset), None);
            assert_eq!(decoded::<V, u8>(bytes, offset), None);
            return;
        };
        let width = match codes.iter().max().copied().unwrap_or(0) {
            0..=0xff => Width::Latin1,
            0x100..=0xffff => Width::Ucs2,
            _ => Width::Ucs4,
        };
        let measured = measure::<V>(bytes);
        assert_eq!((measured.chars(), measured.width()), (codes.len(), width));
        let narrow = codes.iter().map(|&c| u16::try_from(c).ok()).collect::<Option<Vec<_>>>();
        assert_eq!(decoded::<V, u16>(bytes, offset), narrow);
        let narrow = codes.iter().map(|&c| u8::try_from(c).ok()).collect::<Option<Vec<_>>>();
        assert_eq!(decoded::<V, u8>(bytes, offset), narrow);
    }

    /// Decodes as the standard library does.
    struct AsStd(Vec<u8>);

    impl TierTest for AsStd {
        fn check<V: Vector>(&self) {
            check::<V>(&self.0, 0);
        }
    }

    struct EveryLengthAndAlignment;

    impl TierTest for EveryLengthAndAlignment {
        fn check<V: Vector>(&self) {
            for (offset, len, position) in offsets_lengths_and_positions() {
                let mut text = vec![b'a'; len];
                check::<V>(EndOfAllocation::new(offset, &text).units(), 63 - offset);
                // One character in the middle, possibly truncated at the end, and a text of only
                // that character.
                for char in ["é", "я", "語", "😀", "\u{d7ff}"] {
                    let whole = char.repeat(len / char.len());
                    check::<V>(EndOfAllocation::new(offset, whole.as_bytes()).units(), 63 - offset);
                    let end = len.min(position + char.len());
                    text.fill(b'a');
                    text[position..end].copy_from_slice(&char.as_bytes()[..end - position]);
                    check::<V>(EndOfAllocation::new(offset, &text).units(), 63 - offset);
                }
            }
        }
    }

    #[test]
    fn every_length_and_alignment() {
        for_each_tier(&EveryLengthAndAlignment);
    }

    #[test]
    fn every_code_point_and_every_bad_sequence_of_two_and_three_bytes() {
        for code in 0..=0x10_ffffu32 {
            if (code % 64 == 0 || code < 0x1000)
                && let Some(char) = char::from_u32(code)
            {
                for_each_tier(&AsStd(char.to_string().into_bytes()));
            }
        }
        for lead in 0x80..=0xffu8 {
            for second in (0..=0xffu8).step_by(5) {
                for_each_tier(&AsStd(vec![lead, second]));
                for third in [0x00, 0x7f, 0x80, 0xbf, 0xc0] {
                    for_each_tier(&AsStd(vec![lead, second, third]));
                    for fourth in [0x7f, 0x80, 0xbf, 0xff] {
                        for_each_tier(&AsStd(vec![lead, second, third, fourth]));
                    }
                }
            }
        }
    }

    #[test]
    fn mixtures_of_characters_and_of_bad_sequences() {
        let kinds: [&[u8]; 12] = [
            b"a",
            "é".as_bytes(),
            "\u{7ff}".as_bytes(),
            "語".as_bytes(),
            "😀".as_bytes(),
            b"\x80",
            b"\xf8\x88\x80\x80\x80",
            b"\xe0\x9f\xbf",
            b"\xed\xa0\x80",
            b"\xf4\x90\x80\x80",
            b"\xf0\x8f\xbf\xbf",
            "\u{10000}".as_bytes(),
        ];
        // The vectors begin in text that they can read.
        for before in ["語語語語", "ééééééé", "aé語éa語", &"aé語😀".repeat(6)] {
            for mixture in 0..kinds.len().pow(4) {
                let mut text = before.as_bytes().to_vec();
                for place in 0..4 {
                    text.extend(kinds[mixture / kinds.len().pow(place) % kinds.len()]);
                }
                for_each_tier(&AsStd(text));
            }
        }
    }

    #[test]
    fn every_length_and_position_of_each_kind_of_character() {
        for char in ["é", "я", "語", "😀", "\u{ff}", "\u{7ff}", "\u{ffff}", "\u{10ffff}"] {
            for before in 0..70 {
                for after in [0, 1, 15, 16, 64, 131] {
                    let text = "a".repeat(before) + char + &"b".repeat(after);
                    for_each_tier(&AsStd(text.into_bytes()));
                }
                for_each_tier(&AsStd(char.repeat(before).into_bytes()));
                // Truncated inside the last character.
                let mut truncated = ("a".repeat(before) + char).into_bytes();
                truncated.pop();
                for_each_tier(&AsStd(truncated));
            }
        }
    }

    #[test]
    fn texts_of_several_blocks_with_a_bad_byte_anywhere() {
        let texts = [
            "größer ça élève, mañana: façade ñandú über".repeat(4),
            "привет, дорога 12 é утро вечер река письмо".repeat(3),
            "東京は夜の七時。ab 語ééя 한국어 텍스트，語語語語語語語語語語語語語語語語語語語語語語"
                .repeat(2),
            "語".repeat(60),
            "🎉 語 é a".repeat(12),
            "\u{10000}\u{10ffff} é".repeat(8),
        ];
        let bytes =
            [0, b'a', 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc2, 0xc3, 0xc4, 0xd0, 0xdf];
        let more = [0xe0, 0xe3, 0xed, 0xef, 0xf0, 0xf3, 0xf4, 0xf5, 0xff];
        for text in texts {
            for start in 0..text.len().min(70) {
                for_each_tier(&AsStd(text.as_bytes()[start..].to_vec()));
                for_each_tier(&AsStd(text.as_bytes()[..text.len() - start].to_vec()));
            }
            for at in 0..text.len() {
                for &byte in bytes.iter().chain(&more) {
                    let mut damaged = text.clone().into_bytes();
                    damaged[at] = byte;
                    for_each_tier(&AsStd(damaged));
                }
            }
        }
    }

    #[test]
    fn more_characters_than_lead_bytes_are_not_written() {
        for before in ["", "é", "語語語語語語語語", "ab"] {
            for count in 0..200 {
                let mut text = before.as_bytes().to_vec();
                text.extend(std::iter::repeat_n(0x80, count));
                for_each_tier(&AsStd(text));
            }
        }
    }

    proptest::proptest! {
        #[test]
        fn random_text(text: String) {
            for_each_tier(&AsStd(text.into_bytes()));
        }

        #[test]
        fn damaged_text(text in "[a-zäя語😀]{1,120}", position: usize, byte: u8) {
            let mut bytes = text.into_bytes();
            let position = position % bytes.len();
            bytes[position] = byte;
            for_each_tier(&AsStd(bytes));
        }

        #[test]
        fn random_bytes(bytes: Vec<u8>) {
            for_each_tier(&AsStd(bytes));
        }
    }
}
