//! Text out of gzip files (RFC 1952).
//!
//! Separate from `columns`, which reads plain text. Nothing here does input or allocates after the
//! start: the caller gives compressed bytes when they are asked for, and memory for the text.
//! Invariants: all members of a file are read, one after the other; text whose checksum is wrong is
//! followed by an error, and so is anything after the last member but zeros. Called by the scans of
//! snooze-py.

use core::ops::Range;

use miniz_oxide::inflate::TINFLStatus;
use miniz_oxide::inflate::core::{DecompressorOxide, decompress, inflate_flags};

/// How far back compressed text refers to the text before it.
pub const HISTORY: usize = 32 << 10;
/// How much is read at once.
const INPUT: usize = 64 << 10;

/// Why there is no more text.
#[derive(Debug, PartialEq, Eq)]
pub enum GzipError<E> {
    /// The source failed.
    Source(E),
    /// The file does not begin as a gzip file does, or something else follows a member.
    NoGzip,
    /// The compressed bytes of a member are damaged.
    Damaged,
    /// The text of a member is not what was compressed.
    Checksum,
    /// The file ends inside a member.
    Truncated,
}

impl<E> GzipError<E> {
    /// What is wrong with the file; `None` if the source failed.
    pub fn text(&self) -> Option<&'static str> {
        Some(match self {
            Self::Source(_) => return None,
            Self::NoGzip => "not a gzip file, or other bytes follow its end",
            Self::Damaged => "the compressed data is damaged",
            Self::Checksum => "the decompressed data does not match its checksum or length",
            Self::Truncated => "the compressed file ends too early",
        })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// Before the first member.
    Start,
    /// Between members.
    Between,
    /// In the compressed bytes of a member.
    Inside,
    End,
}

/// A gzip file in progress.
pub struct Gzip {
    inflator: DecompressorOxide,
    input: [u8; INPUT],
    /// The part of the input that was read and not yet used.
    unused: Range<usize>,
    place: Place,
    /// The checksum and the length of the text of this member.
    checksum: crc32fast::Hasher,
    length: u32,
    /// The compressed bytes that were used.
    used: u64,
}

impl core::fmt::Debug for Gzip {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Gzip").field("place", &self.place).field("used", &self.used).finish()
    }
}

impl Default for Gzip {
    fn default() -> Self {
        Self {
            inflator: DecompressorOxide::new(),
            input: [0; INPUT],
            unused: 0..0,
            place: Place::Start,
            checksum: crc32fast::Hasher::new(),
            length: 0,
            used: 0,
        }
    }
}

impl Gzip {
    /// The compressed bytes that were used.
    pub fn used(&self) -> u64 {
        self.used
    }

    /// Writes text to `target`, from `at` on; returns how much, zero only at the end or without
    /// room. Before `at` stands the text that came before: all of it, or [`HISTORY`] of it. `read`
    /// fills a buffer and returns how many bytes it read, zero only at the end.
    pub fn read<E>(
        &mut self,
        target: &mut [u8],
        at: usize,
        mut read: impl FnMut(&mut [u8]) -> Result<usize, E>,
    ) -> Result<usize, GzipError<E>> {
        let mut count = 0;
        while at + count < target.len() {
            match self.place {
                Place::End => break,
                Place::Start | Place::Between => self.begin(&mut read)?,
                Place::Inside => count += self.inflate(target, at + count, &mut read)?,
            }
        }
        Ok(count)
    }

    fn inflate<E>(
        &mut self,
        target: &mut [u8],
        at: usize,
        read: &mut impl FnMut(&mut [u8]) -> Result<usize, E>,
    ) -> Result<usize, GzipError<E>> {
        let is_more = !self.unused.is_empty() || self.fill(read)?;
        let flags = inflate_flags::TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF
            | if is_more { inflate_flags::TINFL_FLAG_HAS_MORE_INPUT } else { 0 };
        let input = &self.input[self.unused.clone()];
        let (status, used, count) = decompress(&mut self.inflator, input, target, at, flags);
        self.take(used);
        let text = &target[at..at + count];
        self.checksum.update(text);
        self.length = self.length.wrapping_add(count as u32);
        match status {
            TINFLStatus::Done => self.end(read)?,
            TINFLStatus::NeedsMoreInput | TINFLStatus::HasMoreOutput => {}
            TINFLStatus::FailedCannotMakeProgress => return Err(GzipError::Truncated),
            _ => return Err(GzipError::Damaged),
        }
        Ok(count)
    }

    /// Reads the header of the next member, or finds that there is none.
    fn begin<E>(
        &mut self,
        read: &mut impl FnMut(&mut [u8]) -> Result<usize, E>,
    ) -> Result<(), GzipError<E>> {
        let mut byte = self.byte(read)?;
        while self.place == Place::Between && byte == Some(0) {
            // Files on tapes are padded with zeros.
            byte = self.byte(read)?;
        }
        let Some(byte) = byte else {
            self.place = Place::End;
            return Ok(());
        };
        if byte != 0x1f || self.byte(read)? != Some(0x8b) {
            return Err(GzipError::NoGzip);
        }
        let [method, flags, ..] = self.bytes::<8, E>(read)?;
        // Python's gzip takes reserved flags, too, and reads the file where this does not.
        if method != 8 {
            return Err(GzipError::Damaged);
        }
        if flags & 4 != 0 {
            let length = u16::from_le_bytes(self.bytes::<2, E>(read)?);
            for _ in 0..length {
                self.bytes::<1, E>(read)?;
            }
        }
        // A name and a comment, which end with a zero; then a checksum of the header.
        for flag in [8, 16] {
            while flags & flag != 0 && self.bytes::<1, E>(read)? != [0] {}
        }
        if flags & 2 != 0 {
            self.bytes::<2, E>(read)?;
        }
        self.inflator.init();
        self.checksum.reset();
        self.length = 0;
        self.place = Place::Inside;
        Ok(())
    }

    /// Compares what stands after a member with its text.
    fn end<E>(
        &mut self,
        read: &mut impl FnMut(&mut [u8]) -> Result<usize, E>,
    ) -> Result<(), GzipError<E>> {
        let checksum = u32::from_le_bytes(self.bytes::<4, E>(read)?);
        let length = u32::from_le_bytes(self.bytes::<4, E>(read)?);
        if checksum != self.checksum.clone().finalize() || length != self.length {
            return Err(GzipError::Checksum);
        }
        self.place = Place::Between;
        Ok(())
    }

    fn bytes<const N: usize, E>(
        &mut self,
        read: &mut impl FnMut(&mut [u8]) -> Result<usize, E>,
    ) -> Result<[u8; N], GzipError<E>> {
        let mut bytes = [0; N];
        for byte in &mut bytes {
            *byte = self.byte(read)?.ok_or(GzipError::Truncated)?;
        }
        Ok(bytes)
    }

    fn byte<E>(
        &mut self,
        read: &mut impl FnMut(&mut [u8]) -> Result<usize, E>,
    ) -> Result<Option<u8>, GzipError<E>> {
        if self.unused.is_empty() && !self.fill(read)? {
            return Ok(None);
        }
        let byte = self.input[self.unused.start];
        self.take(1);
        Ok(Some(byte))
    }

    fn take(&mut self, used: usize) {
        self.unused.start += used;
        self.used += used as u64;
    }

    /// Reads more input where all was used; false at the end of the file.
    fn fill<E>(
        &mut self,
        read: &mut impl FnMut(&mut [u8]) -> Result<usize, E>,
    ) -> Result<bool, GzipError<E>> {
        let count = read(&mut self.input).map_err(GzipError::Source)?;
        self.unused = 0..count.min(INPUT);
        Ok(count > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn member(text: &[u8], flags: u8, extra: &[u8]) -> Vec<u8> {
        let mut file = vec![0x1f, 0x8b, 8, flags, 1, 2, 3, 4, 0, 255];
        file.extend(extra);
        file.extend(miniz_oxide::deflate::compress_to_vec(text, 6));
        file.extend(crc32fast::hash(text).to_le_bytes());
        file.extend((text.len() as u32).to_le_bytes());
        file
    }

    /// The text of a file that is read `step` bytes at a time, into memory of `room`.
    fn text_of(file: &[u8], step: usize, room: usize) -> Result<Vec<u8>, GzipError<()>> {
        let (mut gzip, mut all, mut at) = (Box::<Gzip>::default(), Vec::new(), 0);
        loop {
            let history = &all[all.len() - all.len().min(HISTORY)..];
            let mut target = [history, &vec![0; room][..]].concat();
            let start = history.len();
            let count = gzip.read(&mut target, start, |input| {
                let count = step.min(input.len()).min(file.len() - at);
                input[..count].copy_from_slice(&file[at..at + count]);
                at += count;
                Ok(count)
            })?;
            if count == 0 {
                assert_eq!(gzip.used(), file.len() as u64);
                return Ok(all);
            }
            all.extend_from_slice(&target[start..start + count]);
        }
    }

    fn sample(lines: usize) -> Vec<u8> {
        let line = |at: usize| format!("{{\"a\":{},\"b\":\"{}\"}}\n", at * at, at % 97);
        (0..lines).map(line).collect::<String>().into_bytes()
    }

    #[test]
    fn any_steps_give_the_text() {
        let text = sample(3000);
        let file = member(&text, 0, b"");
        for (step, room) in [(1, 1 << 16), (7, 100), (usize::MAX, 1), (8, 1 << 20)] {
            assert_eq!(text_of(&file, step, room).unwrap(), text, "{step} {room}");
        }
        let text = sample(200_000);
        assert_eq!(text_of(&member(&text, 0, b""), 4096, 1 << 20).unwrap(), text);
    }

    #[test]
    fn members_headers_and_padding() {
        let extra = [&[3, 0, 1, 2, 3][..], b"name\0comment\0", &[9, 9]].concat();
        let file = [
            member(b"one", 0, b""),
            member(b"", 4 | 8 | 16 | 2, &extra),
            member(b"two", 8, b"n\0"),
            vec![0; 700],
        ]
        .concat();
        for step in 1..40 {
            assert_eq!(text_of(&file, step, 5).unwrap(), b"onetwo", "{step}");
        }
        assert_eq!(text_of(b"", 9, 9).unwrap(), b"");
    }

    #[test]
    fn damage_is_an_error() {
        let file = member(&sample(50), 0, b"");
        for end in 1..file.len() {
            let error = text_of(&file[..end], 64, 999).unwrap_err();
            let expected = if end == 1 { GzipError::NoGzip } else { GzipError::Truncated };
            assert_eq!(error, expected, "{end}");
        }
        for at in [0, 1, 2, 20, 40, file.len() - 8, file.len() - 1] {
            let mut file = file.clone();
            file[at] ^= 0x40;
            assert!(text_of(&file, 64, 999).is_err(), "{at}");
        }
        let after = [&file[..], b"x"].concat();
        assert_eq!(text_of(&after, 64, 999).unwrap_err(), GzipError::NoGzip);
        assert_eq!(text_of(b"{}", 64, 999).unwrap_err(), GzipError::NoGzip);
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_are_text_or_an_error(mut file: Vec<u8>, step in 1..9usize) {
            file.splice(0..0, [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0]);
            let _ = text_of(&file, step, 64);
        }
    }
}
