//! Small texts of a known greatest length, put together by code that knows no [`Out`].
//!
//! Separate, so that such code need not be generic over buffers, and is handed a pointer and
//! returns a number instead of moving the cursor and its window through memory.

use core::mem::MaybeUninit;

use super::{Buffer, NoMemory, Out};

/// Bytes of a [`Room`].
const SIZE: usize = 64;

/// Room for a small text.
#[derive(Debug)]
#[repr(transparent)]
pub struct Room([MaybeUninit<u8>; SIZE]);

/// How much of a [`Room`] has been written: only what writes into one can say.
#[derive(Clone, Copy, Debug)]
pub struct Written(usize);

impl Written {
    /// Nothing.
    pub const NOTHING: Self = Self(0);
}

impl Room {
    /// Writes a string of at most 32 characters that need no escape, given as words with the first
    /// character in the lowest byte, and the separator.
    #[inline(always)]
    pub fn string(&mut self, words: [u64; 4], len: usize, after: u8) -> Written {
        let len = len.min(32);
        self.0[0].write(b'"');
        let (targets, _) = self.0[1..].as_chunks_mut();
        for (target, word) in targets.iter_mut().zip(words) {
            *target = word.to_le_bytes().map(MaybeUninit::new);
        }
        self.0[len + 1].write(b'"');
        self.0[len + 2].write(after);
        Written(len + 3)
    }

    /// Writes a string of `N` bytes that need no escape, as [`Room::string`].
    #[inline(always)]
    pub fn bytes<const N: usize>(&mut self, bytes: &[u8; N], after: u8) -> Written {
        const { assert!(N + 3 <= SIZE) };
        self.0[0].write(b'"');
        self.0[1..=N].copy_from_slice(&bytes.map(MaybeUninit::new));
        self.0[N + 1].write(b'"');
        self.0[N + 2].write(after);
        Written(N + 3)
    }
}

impl<B: Buffer> Out<'_, B> {
    /// Lets `write` write at most one small text, and returns what it returns beside.
    #[inline(always)]
    pub fn small<R>(
        &mut self,
        write: impl FnOnce(&mut Room) -> (Written, R),
    ) -> Result<R, NoMemory> {
        self.reserve(SIZE)?;
        // SAFETY: as many bytes are reserved; they may be uninitialised, and have no alignment.
        let room = unsafe { &mut *self.window.claim(SIZE).cast::<Room>() };
        let (Written(len), result) = write(room);
        // SAFETY: no text is longer than SIZE, see `Room`.
        self.window = unsafe { self.window.advanced(len) };
        Ok(result)
    }

    /// Writes a string of at most 32 characters that need no escape; see [`Room::string`].
    #[inline(always)]
    pub fn plain_words(&mut self, words: [u64; 4], len: usize, after: u8) -> Result<(), NoMemory> {
        self.small(|room| (room.string(words, len, after), ()))
    }
}

#[cfg(test)]
mod tests {
    use super::super::VecBuffer;
    use super::*;

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
