//! Short texts of bounded length, assembled by code that does not know [`Out`].
//!
//! Separate so that such code is not generic over buffers: it takes a pointer and returns a length,
//! instead of passing the cursor and its window through memory. Invariant: no text is longer than
//! [`Room`]. Called by the encoders of snooze-py, for keys and dates.

use core::marker::PhantomData;
use core::mem::MaybeUninit;

use super::float::FloatText;
use super::output::Out;
use super::window::{Buffer, NoMemory};
use crate::arch::generic::digits::{ASCII_ZEROS, eight_digits};

/// The bytes of a [`Room`].
const SIZE: usize = 64;

/// The memory for one short text.
#[derive(Debug)]
#[repr(transparent)]
pub struct Room([MaybeUninit<u8>; SIZE]);

/// The number of bytes written into a [`Room`]. The lifetime ties it to that one, so that only the
/// methods of [`Room`] make it.
#[derive(Debug)]
pub struct Written<'r>(usize, PhantomData<&'r mut Room>);

impl Written<'_> {
    /// No byte.
    pub const NOTHING: Self = Self(0, PhantomData);
}

impl Room {
    /// Writes a string of at most 32 characters that need no escape, and the separator. Each word
    /// holds eight characters, the first in the lowest byte.
    #[inline(always)]
    pub fn string(&mut self, words: [u64; 4], len: usize, separator: u8) -> Written<'_> {
        let len = len.min(32);
        self.0[0].write(b'"');
        let (targets, _) = self.0[1..].as_chunks_mut();
        for (target, word) in targets.iter_mut().zip(words) {
            *target = word.to_le_bytes().map(MaybeUninit::new);
        }
        self.0[len + 1].write(b'"');
        self.0[len + 2].write(separator);
        Written(len + 3, PhantomData)
    }

    /// Writes an integer as a string, and the separator.
    #[inline(always)]
    pub fn int(&mut self, value: i64, separator: u8) -> Written<'_> {
        const E8: u64 = 100_000_000;
        self.0[0].write(b'"');
        self.0[1].write(b'-');
        let mut at = 1 + usize::from(value < 0);
        // At most twenty digits after the sign, in at most three steps of eight bytes.
        let mut put = |value: u32, count: usize| {
            let text = (eight_digits(value) | ASCII_ZEROS) >> (64 - 8 * count);
            let target = &mut self.0[at..at + 8];
            target.copy_from_slice(&text.to_le_bytes().map(MaybeUninit::new));
            at += count;
        };
        let mut high = value.unsigned_abs();
        let (mut low, mut parts) = ([0; 2], 0);
        while high >= E8 {
            low[parts] = (high % E8) as u32;
            (high, parts) = (high / E8, parts + 1);
        }
        put(high as u32, count_digits(high as u32));
        for &part in low[..parts].iter().rev() {
            put(part, 8);
        }
        self.0[at].write(b'"');
        self.0[at + 1].write(separator);
        Written(at + 2, PhantomData)
    }

    /// Writes a float as a string, and the separator.
    pub fn float(&mut self, text: &FloatText, separator: u8) -> Written<'_> {
        let bytes = text.as_bytes();
        let mut words = [0; 32];
        let len = bytes.len().min(words.len());
        words[..len].copy_from_slice(&bytes[..len]);
        let (words, _) = words.as_chunks();
        let words = [0, 1, 2, 3].map(|at| u64::from_le_bytes(words[at]));
        self.string(words, len, separator)
    }

    /// Writes a string of `N` bytes that need no escape, as [`Room::string`].
    #[inline(always)]
    pub fn bytes<const N: usize>(&mut self, bytes: &[u8; N], separator: u8) -> Written<'_> {
        const { assert!(N + 3 <= SIZE) };
        self.0[0].write(b'"');
        self.0[1..=N].copy_from_slice(&bytes.map(MaybeUninit::new));
        self.0[N + 1].write(b'"');
        self.0[N + 2].write(separator);
        Written(N + 3, PhantomData)
    }
}

impl<B: Buffer> Out<'_, B> {
    /// Calls `write` with the memory for one short text; returns its second result.
    #[inline(always)]
    pub fn small<R>(
        &mut self,
        write: impl for<'r> FnOnce(&'r mut Room) -> (Written<'r>, R),
    ) -> Result<R, NoMemory> {
        self.reserve(SIZE)?;
        // SAFETY: the reference is valid, because SIZE bytes are reserved above, and `Room` is made
        // of bytes that may be uninitialised and need no alignment.
        let room = unsafe { &mut *self.window.claim(SIZE).cast::<Room>() };
        let (Written(len, _), result) = write(room);
        // SAFETY: `len` bytes are reserved, because no method of `Room` writes more than SIZE.
        self.window = unsafe { self.window.advanced(len) };
        Ok(result)
    }

    /// Writes a string of at most 32 characters that need no escape; see [`Room::string`].
    #[inline(always)]
    pub fn plain_words(
        &mut self,
        words: [u64; 4],
        len: usize,
        separator: u8,
    ) -> Result<(), NoMemory> {
        self.small(|room| (room.string(words, len, separator), ()))
    }
}

/// The number of decimal digits of `value`; one for zero.
///
/// For each power of two p, let d be the number of digits of p. The table has d * 2^32 if all
/// numbers from p to 2 p - 1 have d digits; otherwise it has (d + 1) * 2^32 - 10^d, so that adding
/// a number below 10^d leaves d in the upper half, and any other leaves d + 1 (Willets, "Integer
/// log 10 of an unsigned integer, branch free").
#[inline(always)]
fn count_digits(value: u32) -> usize {
    const TABLE: [u64; 32] = {
        let mut table = [0; 32];
        let mut bit = 0;
        while bit < 32 {
            let (smallest, largest) = (1u64 << bit, (2u64 << bit) - 1);
            let digits = smallest.ilog10() as u64 + 1;
            let power = 10u64.pow(digits as u32);
            table[bit] = if largest < power { digits << 32 } else { ((digits + 1) << 32) - power };
            bit += 1;
        }
        table
    };
    let bit = (value | 1).ilog2() as usize;
    ((TABLE[bit] + u64::from(value)) >> 32) as usize
}

#[cfg(test)]
mod tests {
    use super::super::VecBuffer;
    use super::super::testing::written_whole;
    use super::*;

    fn written(write: impl for<'r> FnOnce(&'r mut Room) -> Written<'r>) -> String {
        written_whole(|out| out.small(|room| (write(room), ())).unwrap())
    }

    #[test]
    fn numbers_as_strings() {
        let powers = (0..19).map(|power| 10i64.pow(power));
        for value in powers.flat_map(|power| [power - 1, power, power + 1]).chain([i64::MAX]) {
            for value in [value, -value, -1 - value] {
                assert_eq!(written(|room| room.int(value, b':')), format!("\"{value}\":"));
            }
        }
        for (value, text) in [(0.5, "0.5"), (-2.2250738585072014e-308, "-2.2250738585072014e-308")]
        {
            let expected = format!("\"{text}\",");
            assert_eq!(written(|room| room.float(&FloatText::new(value), b',')), expected);
        }
    }

    #[test]
    fn digits_are_counted() {
        assert_eq!(count_digits(0), 1);
        for value in (0..33).flat_map(|bit| [(1u64 << bit) - 1, 1u64 << bit]) {
            if let Ok(value) = u32::try_from(value) {
                assert_eq!(count_digits(value), value.to_string().len());
            }
        }
        for value in (0..10).flat_map(|power| [10u32.pow(power) - 1, 10u32.pow(power)]) {
            assert_eq!(count_digits(value), value.to_string().len());
        }
    }

    #[test]
    fn words_are_cut_to_their_length() {
        let words = [0, 1, 2, 3].map(|at| u64::from_le_bytes([b'a' + at; 8]));
        let expected = "aaaaaaaabbbbbbbbccccccccdddddddd";
        for len in 0..=33 {
            let mut buffer = VecBuffer::new();
            let mut out = Out::new(&mut buffer).unwrap();
            out.plain_words(words, len, b':').unwrap();
            out.small(|room| (room.bytes(b"xyz", b','), ())).unwrap();
            let written = out.len();
            let text = format!("\"{}\":\"xyz\",", &expected[..len.min(32)]);
            assert_eq!(buffer.into_vec(written), text.as_bytes());
        }
    }
}
