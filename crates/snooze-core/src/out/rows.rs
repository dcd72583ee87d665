//! Rows of numbers out: many of one type, straight from memory.
//!
//! Separate from single numbers, because here the room is reserved once for a block of elements,
//! and no branch depends on an element: its sign and its length only move the cursor.
//! Every element is followed by a comma. Called by whoever has arrays.

use super::digits::{count_digits, eight};
use super::{Buffer, NoMemory, Out};

/// Elements for which room is reserved at once.
const BLOCK: usize = 64;

/// What the last store of an element may touch beyond it.
const SLACK: usize = 32;

const ZEROS: u64 = 0x3030_3030_3030_3030;

/// Integers in memory that are written in one or two words.
pub trait Integer: Copy {
    /// The longest text and a comma.
    const LONGEST: usize;

    /// The bytes written for the digits and a comma, of which [`Integer::text`] counts some.
    type Text: Text;

    /// Whether there is a sign; the digits and a comma; how many bytes these are.
    fn text(self) -> (bool, Self::Text, usize);
}

/// A few words of text, the first character in the lowest byte.
pub trait Text: Copy {
    /// Writes all of it.
    ///
    /// # Safety
    /// `target` is valid for writing sixteen bytes.
    unsafe fn store(self, target: *mut u8);
}

macro_rules! text {
    ($($word:ty)*) => {$(
        impl Text for $word {
            #[inline(always)]
            unsafe fn store(self, target: *mut u8) {
                // SAFETY: at most sixteen bytes; arrays of bytes have no alignment.
                unsafe { target.cast::<[u8; size_of::<$word>()]>().write(self.to_le_bytes()) }
            }
        }
    )*};
}
text!(u32 u64 u128);

impl Integer for u8 {
    const LONGEST: usize = 4;
    type Text = u32;

    #[inline(always)]
    fn text(self) -> (bool, u32, usize) {
        const TEXTS: [u32; 256] = {
            let mut texts = [0; 256];
            let mut value = 0;
            while value < 256 {
                let v = value as u8;
                let (a, b, c) = (b'0' + v / 100, b'0' + v / 10 % 10, b'0' + v % 10);
                texts[value] = u32::from_le_bytes(match value {
                    0..10 => [c, b',', 0, 0],
                    10..100 => [b, c, b',', 0],
                    _ => [a, b, c, b','],
                });
                value += 1;
            }
            texts
        };
        let len = 2 + usize::from(self >= 10) + usize::from(self >= 100);
        (false, TEXTS[usize::from(self)], len)
    }
}

macro_rules! signed {
    ($($signed:ty, $unsigned:ty, $longest:literal;)*) => {$(
        impl Integer for $signed {
            const LONGEST: usize = $longest;
            type Text = <$unsigned as Integer>::Text;

            #[inline(always)]
            fn text(self) -> (bool, Self::Text, usize) {
                let (_, text, len) = self.unsigned_abs().text();
                (self < 0, text, len)
            }
        }
    )*};
}
signed! { i8, u8, 5; i16, u16, 7; i32, u32, 12; }

impl Integer for u16 {
    const LONGEST: usize = 6;
    type Text = u64;

    #[inline(always)]
    fn text(self) -> (bool, u64, usize) {
        let count = count_digits(self.into());
        let text = (eight(self.into()) | ZEROS) >> (64 - 8 * count);
        (false, text | u64::from(b',') << (8 * count), count + 1)
    }
}

impl Integer for u32 {
    const LONGEST: usize = 11;
    type Text = u128;

    /// PERF: all ten digits and the comma are made and those that are zeros in front are
    /// shifted away. A branch on the length is wrong for every fifth random number:
    /// int32 @@I32@@ of orjson's speed before, @@I32B@@ now (2026-11-21).
    #[inline(always)]
    fn text(self) -> (bool, u128, usize) {
        const E8: u32 = 100_000_000;
        let count = count_digits(self);
        let high = self / E8;
        let high = u64::from(high / 10 | (high % 10) << 8 | 0x3030);
        let low = eight(self % E8) | ZEROS;
        let text = u128::from(high) | u128::from(low) << 16 | u128::from(b',') << 80;
        (false, text >> (8 * (10 - count)), count + 1)
    }
}

/// `true,` and `false,` for each pattern of four bits, the lowest one first.
static TRUTHS: [[u8; 32]; 16] = {
    let mut truths = [[0; 32]; 16];
    let mut pattern = 0;
    while pattern < 16 {
        let (mut at, mut bit) = (0, 0);
        while bit < 4 {
            let word: &[u8] = if pattern >> bit & 1 == 1 { b"true," } else { b"false," };
            let mut index = 0;
            while index < word.len() {
                truths[pattern][at] = word[index];
                (at, index) = (at + 1, index + 1);
            }
            bit += 1;
        }
        pattern += 1;
    }
    truths
};

impl<B: Buffer> Out<'_, B> {
    /// Makes room for what is going to be written, if that is easily had.
    pub fn expect(&mut self, count: usize) {
        // Whatever is needed is reserved when it is written.
        let _ = self.reserve(count);
    }

    /// Writes integers, of which `of` makes one of some bytes.
    #[inline(always)]
    pub fn integers<T: Integer, const N: usize>(
        &mut self,
        elements: &[[u8; N]],
        of: impl Fn([u8; N]) -> T,
    ) -> Result<(), NoMemory> {
        for block in elements.chunks(BLOCK) {
            self.reserve(BLOCK * T::LONGEST + SLACK)?;
            for &element in block {
                let (negative, text, len) = of(element).text();
                // SAFETY: at most LONGEST bytes of each element are kept, and what is stored
                // beyond them is in the slack.
                unsafe {
                    self.put([b'-'], negative.into());
                    text.store(self.window.claim(16));
                    self.window = self.window.advanced(len);
                }
            }
        }
        Ok(())
    }

    /// Writes truth values, each from one byte.
    ///
    /// PERF: four at a time from a table (@@BOOL@@ of orjson's speed before, @@BOOLB@@ now,
    /// 2026-11-21).
    #[inline(always)]
    pub fn booleans(&mut self, elements: &[u8]) -> Result<(), NoMemory> {
        const LONGEST: usize = 6;
        for block in elements.chunks(BLOCK) {
            self.reserve(BLOCK * LONGEST + SLACK)?;
            let (eights, rest) = block.as_chunks::<8>();
            for &eight in eights {
                let pattern = nonzero(u64::from_le_bytes(eight));
                // SAFETY: at most six bytes for each element, and the slack for the last store.
                unsafe {
                    self.truths(pattern & 15);
                    self.truths(pattern >> 4);
                }
            }
            for &element in rest {
                self.boolean(element != 0, b',')?;
            }
        }
        Ok(())
    }

    /// Writes four truth values.
    ///
    /// # Safety
    /// Thirty-two bytes are reserved.
    #[inline(always)]
    unsafe fn truths(&mut self, pattern: usize) {
        // SAFETY: by the caller; four words are 24 bytes less one for each that is true.
        unsafe {
            self.put(TRUTHS[pattern & 15], 24 - (pattern & 15).count_ones() as usize);
        }
    }

    /// Writes a string of at most 32 characters that need no escape, as words with the first
    /// character in the lowest byte, and the separator.
    #[inline(always)]
    pub fn plain_words(&mut self, words: [u64; 4], len: usize, after: u8) -> Result<(), NoMemory> {
        let len = len.min(32);
        self.reserve(1 + 32 + 2)?;
        // SAFETY: a quote, 32 bytes, a quote and the separator are reserved.
        unsafe {
            self.put([b'"'], 1);
            let target = self.window.claim(32).cast::<[[u8; 8]; 4]>();
            target.write(words.map(u64::to_le_bytes));
            self.window = self.window.advanced(len);
            self.put([b'"', after], 2);
        }
        Ok(())
    }
}

/// Which of eight bytes, the lowest one first, are not zero.
#[inline(always)]
fn nonzero(bytes: u64) -> usize {
    const LOW: u64 = 0x7f7f_7f7f_7f7f_7f7f;
    let tops = (((bytes & LOW) + LOW) | bytes) & !LOW;
    // Byte i's bit goes to bit 56 + i; no two products meet.
    ((tops >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56) as usize
}

#[cfg(test)]
mod tests {
    use super::super::VecBuffer;
    use super::*;

    fn written(write: impl FnOnce(&mut Out<'_, VecBuffer>)) -> String {
        let mut buffer = VecBuffer::new();
        let mut out = Out::new(&mut buffer).unwrap();
        write(&mut out);
        let len = out.len();
        String::from_utf8(buffer.into_vec(len)).unwrap()
    }

    fn joined(values: impl Iterator<Item = impl ToString>) -> String {
        values.map(|value| value.to_string() + ",").collect()
    }

    macro_rules! check {
        ($type:ty, $values:expr) => {{
            let values: Vec<$type> = $values.collect();
            let bytes: Vec<_> = values.iter().map(|value| value.to_ne_bytes()).collect();
            let text = written(|out| out.integers(&bytes, <$type>::from_ne_bytes).unwrap());
            assert!(text == joined(values.into_iter()), stringify!($type));
        }};
    }

    #[test]
    fn every_integer_of_up_to_sixteen_bits() {
        check!(u8, 0..=u8::MAX);
        check!(i8, i8::MIN..=i8::MAX);
        check!(u16, 0..=u16::MAX);
        check!(i16, i16::MIN..=i16::MAX);
    }

    #[test]
    fn integers_of_32_bits_around_every_power() {
        let powers = (0..32).map(|bit| 1u32 << bit).chain((0..10).map(|power| 10u32.pow(power)));
        let values: Vec<u32> = powers
            .flat_map(|power| [power.wrapping_sub(1), power, power + 1])
            .chain((0..10_000).map(|index| index * 429_497))
            .chain([0, u32::MAX])
            .collect();
        check!(u32, values.iter().copied());
        check!(i32, values.iter().map(|&value| value as i32));
        for len in 0..200 {
            check!(i32, (0..len).map(|index| index * -98_765));
        }
    }

    #[test]
    fn booleans_in_every_pattern() {
        for len in 0..200usize {
            for seed in [0u64, 1, u64::MAX, 0x9e37_79b9_7f4a_7c15] {
                let byte = |at: usize| {
                    let bits = seed.rotate_left(7 * at as u32);
                    if bits & 1 == 0 { 0 } else { [1, 2, 0x80, 0xff][at % 4] }
                };
                let bytes: Vec<u8> = (0..len).map(byte).collect();
                let text = written(|out| out.booleans(&bytes).unwrap());
                assert_eq!(text, joined(bytes.iter().map(|&byte| byte != 0)));
            }
        }
        for pattern in 0..256 {
            let bytes: Vec<u8> = (0..8).map(|bit| (pattern >> bit & 1) as u8).collect();
            let text = written(|out| out.booleans(&bytes).unwrap());
            assert_eq!(text, joined(bytes.iter().map(|&byte| byte != 0)));
        }
    }

    #[test]
    fn words_are_cut_to_their_length() {
        let words = [0, 1, 2, 3].map(|at| u64::from_le_bytes([b'a' + at; 8]));
        let expected = "aaaaaaaabbbbbbbbccccccccdddddddd";
        for len in 0..=32 {
            let text = written(|out| out.plain_words(words, len, b':').unwrap());
            assert_eq!(text, format!("\"{}\":", &expected[..len]));
        }
    }
}
