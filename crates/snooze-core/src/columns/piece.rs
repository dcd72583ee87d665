//! The lines that belong to a range of bytes, in windows of whole lines.
//!
//! Separate because every way to cut a source must give the same records. Rule: **a record belongs
//! to the range in which its first byte is.** A line feed cannot be inside a JSON string, so no
//! state from before the range is needed. Invariant: the windows of adjoining ranges, one after the
//! other, are the whole source. Called by the scans of snooze-py and by inference.
//!
//! ```text
//! {"a":1}⏎{"a":2}⏎{"a":3}⏎
//! └── range 1 ─┘└ range 2 ┘     the second record begins in range 1 and belongs to it
//! ```

use super::memory::{NoMemory, reserve};

/// How much is read at once. PERF: a window stays in the second-level cache while it is read;
/// windows of 4 MB cost two threads 30 % (2026-11-22).
pub(super) const WINDOW: usize = 256 << 10;
/// How much is read after the end of a range at first, because the last record may end there.
const AFTER: u64 = 4 << 10;
/// The longest line.
pub const MAX_LINE: usize = 1 << 30;

/// Why the next window cannot be read.
#[derive(Debug)]
pub enum WindowError<E> {
    /// The source failed.
    Source(E),
    /// The line that begins at this byte is longer than [`MAX_LINE`].
    LongLine(u64),
    /// No memory is left.
    NoMemory,
}

impl<E> From<NoMemory> for WindowError<E> {
    fn from(NoMemory: NoMemory) -> Self {
        Self::NoMemory
    }
}

/// The windows of one range of a source.
#[derive(Debug)]
pub struct Windows {
    buffer: Vec<u8>,
    /// The part of the buffer that was read and is not yet handed out.
    start: usize,
    end: usize,
    /// The byte of the source at the start of the buffer.
    base: u64,
    /// The end of the range.
    limit: u64,
    /// Whether the line at the start belongs to the range before.
    is_inside_line: bool,
    at_end: bool,
}

impl Windows {
    /// The windows of the bytes from `lo` to `hi`; `buffer` is memory to reuse.
    pub fn new(lo: u64, hi: u64, buffer: Vec<u8>) -> Self {
        Self {
            buffer,
            start: 0,
            end: 0,
            // The byte before tells whether a line begins at `lo`.
            base: lo.saturating_sub(1),
            limit: hi,
            is_inside_line: lo > 0,
            at_end: lo >= hi,
        }
    }

    /// The memory, for the next range.
    pub fn into_buffer(self) -> Vec<u8> {
        self.buffer
    }

    /// The next whole lines, and the byte of the source where they begin. `read` fills a buffer
    /// from a byte of the source on and returns how many bytes it read, zero only at the end.
    pub fn next<E>(
        &mut self,
        mut read: impl FnMut(u64, &mut [u8]) -> Result<usize, E>,
    ) -> Result<Option<(u64, &[u8])>, WindowError<E>> {
        loop {
            let held = &self.buffer[self.start..self.end];
            let offset = self.base + self.start as u64;
            if self.is_inside_line {
                match memchr::memchr(b'\n', held) {
                    Some(at) => {
                        self.start += at + 1;
                        self.is_inside_line = false;
                    }
                    None => {
                        self.start = self.end;
                        // A line feed from the last byte on begins no record of the range. What
                        // follows is not read: a long line may lie in many small ranges.
                        let is_past = self.base + self.end as u64 >= self.limit.saturating_sub(1);
                        if is_past || self.at_end || !self.fill(&mut read)? {
                            return Ok(None);
                        }
                    }
                }
                continue;
            }
            if offset >= self.limit {
                return Ok(None);
            }
            let in_range = (self.limit - offset).min(held.len() as u64) as usize;
            let is_last = in_range < held.len() || offset + held.len() as u64 == self.limit;
            // The last record may end after the range, but it begins in it.
            let cut = if is_last && in_range > 0 {
                memchr::memchr(b'\n', &held[in_range - 1..]).map(|at| in_range + at)
            } else {
                memchr::memrchr(b'\n', held).map(|at| at + 1)
            };
            let len = match cut {
                Some(len) => len,
                None if self.fill(&mut read)? => continue,
                // The last line of the source has no line feed.
                None if self.start == self.end => return Ok(None),
                None => self.end - self.start,
            };
            let start = self.start;
            let offset = self.base + start as u64;
            self.start += len;
            if is_last {
                self.limit = 0;
            }
            return Ok(Some((self.without_mark(offset, start), &self.buffer[start..start + len])));
        }
    }

    /// Overwrites the byte order mark at the start of a source with spaces.
    fn without_mark(&mut self, offset: u64, start: usize) -> u64 {
        if offset == 0
            && let Some(mark) = self.buffer[start..self.end].first_chunk_mut()
            && mark == b"\xef\xbb\xbf"
        {
            *mark = *b"   ";
        }
        offset
    }

    /// Reads more bytes after those that are held; false at the end of the source.
    fn fill<E>(
        &mut self,
        read: &mut impl FnMut(u64, &mut [u8]) -> Result<usize, E>,
    ) -> Result<bool, WindowError<E>> {
        if self.at_end {
            return Ok(false);
        }
        self.buffer.copy_within(self.start..self.end, 0);
        self.base += self.start as u64;
        self.end -= self.start;
        self.start = 0;
        if self.end > MAX_LINE {
            return Err(WindowError::LongLine(self.base));
        }
        let after = if self.is_inside_line { 0 } else { AFTER };
        let left = (self.limit - self.base).saturating_add(after);
        // A long line doubles the window, so that it is not copied again and again.
        let doubled = (2 * self.end).min(MAX_LINE + WINDOW);
        let wanted = doubled.max(left.min(WINDOW as u64) as usize);
        if self.buffer.len() < wanted {
            let more = wanted - self.buffer.len();
            reserve(&mut self.buffer, more)?;
            self.buffer.resize(wanted, 0);
        }
        let at = self.base + self.end as u64;
        let count = read(at, &mut self.buffer[self.end..wanted]).map_err(WindowError::Source)?;
        self.end += count.min(wanted - self.end);
        self.at_end = count == 0;
        Ok(count > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The windows of a range of `text`, read at most `step` bytes at a time.
    fn windows_of(text: &[u8], lo: u64, hi: u64, step: usize) -> Vec<u8> {
        let mut windows = Windows::new(lo, hi, Vec::new());
        let mut all = Vec::new();
        let read = |at: u64, target: &mut [u8]| -> Result<usize, ()> {
            let rest = text.get(at as usize..).unwrap_or(&[]);
            let count = rest.len().min(target.len()).min(step);
            target[..count].copy_from_slice(&rest[..count]);
            Ok(count)
        };
        while let Some((offset, window)) = windows.next(read).unwrap() {
            assert!(!window.is_empty());
            assert_eq!(&text[offset as usize..][..window.len()], window);
            assert!(offset == 0 || text[offset as usize - 1] == b'\n');
            all.extend_from_slice(window);
        }
        all
    }

    proptest::proptest! {
        #[test]
        fn the_sum_of_pieces_is_the_whole(
            text in "[a-c\n\r]{0,60}|([a-z]{0,30}\n){0,6}",
            mut cuts in proptest::collection::vec(0u64..80, 0..5),
            step in 1usize..20,
        ) {
            let text = text.as_bytes();
            cuts.extend([0, text.len() as u64]);
            cuts.sort_unstable();
            cuts.retain(|&cut| cut <= text.len() as u64);
            let pieces: Vec<u8> =
                cuts.windows(2).flat_map(|cut| windows_of(text, cut[0], cut[1], step)).collect();
            proptest::prop_assert_eq!(pieces, text);
            proptest::prop_assert_eq!(windows_of(text, 0, u64::MAX, step), text);
        }
    }

    #[test]
    fn small_ranges_of_a_long_line_read_it_once() {
        let text = [&b"{}\n"[..], &vec![b'x'; 1 << 20], b"\n{}\n"].concat();
        for piece in [1, 7, 1000, 5000] {
            let (mut bytes, mut found, mut buffer) = (0, 0, Vec::new());
            for lo in (0..text.len()).step_by(piece) {
                let mut windows = Windows::new(lo as u64, (lo + piece) as u64, buffer);
                let mut read = |at: u64, target: &mut [u8]| -> Result<usize, ()> {
                    let rest = text.get(at as usize..).unwrap_or(&[]);
                    let count = rest.len().min(target.len());
                    target[..count].copy_from_slice(&rest[..count]);
                    bytes += count;
                    Ok(count)
                };
                while let Some((_, window)) = windows.next(&mut read).unwrap() {
                    found += window.len();
                }
                buffer = windows.into_buffer();
            }
            assert_eq!(found, text.len());
            // Each range reads itself and the byte before; three have records, which end later.
            let ranges = text.len().div_ceil(piece);
            assert!(bytes <= 3 * text.len() + ranges + 9 * AFTER as usize, "{piece}: {bytes}");
        }
    }

    #[test]
    fn a_range_without_the_start_of_a_line_is_empty() {
        let text = b"0123456789\nab\n";
        assert_eq!(windows_of(text, 0, 5, 3), b"0123456789\n");
        assert_eq!(windows_of(text, 0, 11, 3), b"0123456789\n");
        assert_eq!(windows_of(text, 5, 11, 3), b"");
        assert_eq!(windows_of(text, 5, 12, 3), b"ab\n");
        assert_eq!(windows_of(text, 11, 12, 3), b"ab\n");
        assert_eq!(windows_of(text, 11, 11, 3), b"");
        assert_eq!(windows_of(text, 14, 99, 3), b"");
    }

    #[test]
    fn a_line_longer_than_a_window_is_whole() {
        let text = [vec![b'x'; 3 * WINDOW + 7], b"\ny".to_vec()].concat();
        assert_eq!(windows_of(&text, 0, u64::MAX, usize::MAX), text);
        assert_eq!(windows_of(&text, 0, 1, usize::MAX), text[..text.len() - 1]);
    }

    #[test]
    fn a_byte_order_mark_is_white_space_at_the_start_only() {
        let text = "\u{feff}{}\n\u{feff}{}\n".as_bytes();
        let mut windows = Windows::new(0, 99, Vec::new());
        let read = |at: u64, target: &mut [u8]| -> Result<usize, ()> {
            let rest = &text[at as usize..];
            target[..rest.len()].copy_from_slice(rest);
            Ok(rest.len())
        };
        let (_, window) = windows.next(read).unwrap().unwrap();
        assert_eq!(window, "   {}\n\u{feff}{}\n".as_bytes());
    }
}
