//! [`Out`]: the cursor over a buffer, and the fixed pieces of JSON.
//!
//! Separate from the writers of strings and numbers, which extend [`Out`] in their own files.
//! Invariant: every public operation reserves before it writes.

use core::ptr::NonNull;
use core::slice;

use super::style::WhiteSpace;
use super::text_history::NotedText;
use super::window::{Buffer, NoMemory, Window, grow};

/// The output of one call.
#[derive(Debug)]
pub struct Out<'b, B: Buffer> {
    pub(super) window: Window,
    pub(super) buffer: &'b mut B,
}

impl<'b, B: Buffer> Out<'b, B> {
    /// Begins at the start of `buffer`.
    #[inline(always)]
    pub fn new(buffer: &'b mut B) -> Result<Self, NoMemory> {
        let window = buffer.window(0, 0)?;
        Ok(Self { window, buffer })
    }

    /// Continues after the first `used` bytes of `buffer`, which another [`Out`] has written.
    ///
    /// PERF: use this instead of passing an `Out` to another function. The compiler copies such an
    /// `Out` with vector loads right after storing its parts, and the loads wait for the stores
    /// (2026-11-21).
    #[inline(always)]
    pub fn resume(buffer: &'b mut B, used: usize) -> Result<Self, NoMemory> {
        let window = buffer.window(used, 0)?;
        Ok(Self { window, buffer })
    }

    /// The number of bytes written so far.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.window.cursor.as_ptr() as usize - self.buffer.start() as usize
    }

    /// [`Buffer::note_text`].
    #[inline(always)]
    pub fn note_text(&mut self, text: NotedText) -> bool {
        self.buffer.note_text(text)
    }

    /// Whether nothing has been written.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Ensures that `count` bytes may be written.
    #[inline(always)]
    pub(super) fn reserve(&mut self, count: usize) -> Result<(), NoMemory> {
        if self.window.remaining() < count {
            self.window = grow(self.buffer, self.window, count)?;
        }
        Ok(())
    }

    /// Writes `N` bytes and advances by `count`; later writes replace the other bytes.
    ///
    /// # Safety
    /// At least `N` bytes are reserved and `count <= N`.
    #[inline(always)]
    pub(super) unsafe fn put<const N: usize>(&mut self, bytes: [u8; N], count: usize) {
        // SAFETY: `N >= count` bytes are writable, because the caller has reserved them.
        unsafe {
            self.window.claim(N).cast::<[u8; N]>().write(bytes);
            self.window = self.window.advanced(count);
        }
    }

    /// Writes one byte.
    #[inline(always)]
    pub fn byte(&mut self, byte: u8) -> Result<(), NoMemory> {
        self.reserve(1)?;
        // SAFETY: one byte is writable, because it is reserved above.
        unsafe { self.put([byte], 1) };
        Ok(())
    }

    /// Writes `null` and the separator.
    #[inline(always)]
    pub fn null(&mut self, separator: u8) -> Result<(), NoMemory> {
        self.reserve(5)?;
        // SAFETY: five bytes are writable, because they are reserved above.
        unsafe { self.put([b'n', b'u', b'l', b'l', separator], 5) };
        Ok(())
    }

    /// Writes `true` or `false` and the separator.
    #[inline(always)]
    pub fn boolean(&mut self, value: bool, separator: u8) -> Result<(), NoMemory> {
        self.reserve(6)?;
        // SAFETY: six bytes are writable, because they are reserved above.
        unsafe {
            if value {
                self.put([b't', b'r', b'u', b'e', separator], 5);
            } else {
                self.put([b'f', b'a', b'l', b's', b'e', separator], 6);
            }
        }
        Ok(())
    }

    /// Writes an empty container and the separator: `[],` or `{},`.
    #[inline(always)]
    pub fn empty(&mut self, open: u8, separator: u8) -> Result<(), NoMemory> {
        self.reserve(3)?;
        // SAFETY: three bytes are writable, because they are reserved above. In ASCII, `]` and `}`
        // come two after `[` and `{`.
        unsafe { self.put([open, open + 2, separator], 3) };
        Ok(())
    }

    /// Ends a container: replaces its last comma with `bracket`, and writes the separator.
    ///
    /// The output must end with the separator of the container's last element.
    #[inline(always)]
    pub fn close(&mut self, bracket: u8, separator: u8) -> Result<(), NoMemory> {
        self.replace_last(bracket);
        self.byte(separator)
    }

    /// Replaces the last byte written.
    #[inline(always)]
    pub fn replace_last(&mut self, byte: u8) {
        if is_unwritten(self.len()) {
            return;
        }
        // SAFETY: the byte before the cursor is in the buffer, because at least one is written.
        unsafe { self.window.cursor.as_ptr().sub(1).write(byte) };
    }

    /// The last byte written, if there is one.
    #[inline(always)]
    pub fn last(&self) -> Option<u8> {
        if self.is_empty() {
            return None;
        }
        // SAFETY: the byte before the cursor is in the buffer, because at least one is written.
        Some(unsafe { self.window.cursor.as_ptr().sub(1).read() })
    }

    /// Removes the last byte written.
    #[inline(always)]
    pub fn drop_last(&mut self) {
        if is_unwritten(self.len()) {
            return;
        }
        // SAFETY: the byte before the cursor is in the buffer, because at least one is written.
        self.window.cursor = unsafe { self.window.cursor.sub(1) };
    }

    /// Removes what is behind the first `len` bytes.
    pub fn truncate(&mut self, len: usize) {
        let removed = self.len().saturating_sub(len);
        // SAFETY: the bytes before the cursor are in the buffer, because they are written: no more
        // than all of them are removed.
        self.window.cursor = unsafe { self.window.cursor.sub(removed) };
    }

    /// Removes the beginning of a string that [`Out::text`] could not finish: its opening quote and
    /// what follows.
    #[inline(always)]
    pub fn drop_text(&mut self) {
        // SAFETY: all bytes of the output are written, and nothing writes meanwhile.
        let len = unsafe { text_len(self.window.cursor, self.len()) };
        // SAFETY: the bytes before the cursor are in the buffer, because they are written.
        self.window.cursor = unsafe { self.window.cursor.sub(len) };
    }

    /// Removes the white space of a line that is begun again.
    #[inline(always)]
    pub fn drop_space(&mut self) {
        // SAFETY: all bytes of the output are written, and nothing writes meanwhile.
        let len = unsafe { space_len(self.window.cursor, self.len()) };
        // SAFETY: the bytes before the cursor are in the buffer, because they are written.
        self.window.cursor = unsafe { self.window.cursor.sub(len) };
    }

    /// Begins an element, or the closing bracket, with `depth` containers open around it: on a new
    /// line, or after a space where a comma comes before it.
    #[inline(always)]
    pub fn line(&mut self, depth: usize) -> Result<(), NoMemory> {
        let space = self.buffer.white_space();
        if space.one_line {
            return if self.last() == Some(b',') { self.byte(b' ') } else { Ok(()) };
        }
        self.new_line(space, depth)
    }

    /// Writes a line feed, and the indentation of `depth` levels.
    #[inline(always)]
    pub fn new_line(&mut self, space: WhiteSpace, depth: usize) -> Result<(), NoMemory> {
        let count = usize::from(space.each) * depth;
        // PERF: one store of 32 bytes instead of a call that fills exactly the bytes needed.
        if count < space.line.len() {
            self.reserve(space.line.len())?;
            // SAFETY: all bytes of the line are writable, because they are reserved above.
            unsafe { self.put(*space.line, 1 + count) };
            return Ok(());
        }
        self.reserve(1 + count)?;
        let [line_feed, fill, ..] = *space.line;
        // SAFETY: `1 + count` bytes are writable, because they are reserved above.
        unsafe {
            self.put([line_feed], 1);
            self.window.claim(count).write_bytes(fill, count);
            self.window = self.window.advanced(count);
        }
        Ok(())
    }

    /// Writes bytes unchanged.
    #[inline(always)]
    pub fn raw(&mut self, bytes: &[u8]) -> Result<(), NoMemory> {
        self.reserve(bytes.len())?;
        // SAFETY: the target is writable, because it is reserved above; it does not overlap the
        // source, because no shared slice can overlap the window.
        unsafe {
            let target = self.window.claim(bytes.len());
            target.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
            self.window = self.window.advanced(bytes.len());
        }
        Ok(())
    }

    /// Writes the first `len` bytes of `text`.
    #[inline(always)]
    pub fn padded<const N: usize>(&mut self, text: &[u8; N], len: usize) -> Result<(), NoMemory> {
        self.reserve(N)?;
        // SAFETY: `N` bytes are writable, because they are reserved above.
        unsafe { self.put(*text, len.min(N)) };
        Ok(())
    }

    /// Writes bytes unchanged, and the separator.
    #[inline(always)]
    pub fn raw_value(&mut self, bytes: &[u8], separator: u8) -> Result<(), NoMemory> {
        self.raw(bytes)?;
        self.byte(separator)
    }

    /// Writes a string that needs no escape, such as a date, and the separator.
    #[inline(always)]
    pub fn plain_string(&mut self, bytes: &[u8], separator: u8) -> Result<(), NoMemory> {
        self.reserve(bytes.len() + 3)?;
        self.byte(b'"')?;
        self.raw(bytes)?;
        self.byte(b'"')?;
        self.byte(separator)
    }
}

/// The `len` bytes before the cursor.
///
/// # Safety
/// They are written, and stay as they are during `'a`.
unsafe fn written<'a>(cursor: NonNull<u8>, len: usize) -> &'a [u8] {
    // SAFETY: written bytes of one buffer, because the caller says so.
    unsafe { slice::from_raw_parts(cursor.as_ptr().sub(len), len) }
}

/// The length of the string that is begun at the end of the output. In a string, a backslash is
/// before each quote; before a string there is none.
///
/// PERF: takes and returns numbers, because the walks could not keep an [`Out`] in registers whose
/// address is passed: 7 % of encoding dataclasses (callgrind, AVX2, 2026-11-24).
///
/// # Safety
/// As for [`written`].
#[cold]
#[inline(never)]
unsafe fn text_len(cursor: NonNull<u8>, len: usize) -> usize {
    // SAFETY: as for `written`, because the caller says so.
    let output = unsafe { written(cursor, len) };
    let begins_at = |&at: &usize| output[at] == b'"' && (at == 0 || output[at - 1] != b'\\');
    (0..len).rev().find(begins_at).map_or(0, |at| len - at)
}

/// The length of the white space at the end of the output.
///
/// # Safety
/// As for [`written`].
#[cold]
#[inline(never)]
unsafe fn space_len(cursor: NonNull<u8>, len: usize) -> usize {
    // SAFETY: as for `written`, because the caller says so.
    let output = unsafe { written(cursor, len) };
    output.iter().rev().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\n')).count()
}

/// Whether there is no last byte. That is a mistake of the caller; checked builds panic.
#[inline(always)]
fn is_unwritten(len: usize) -> bool {
    if cfg!(any(test, feature = "checked")) {
        assert!(len > 0, "no byte is written yet");
    }
    len == 0
}

#[cfg(test)]
mod tests {
    use super::super::VecBuffer;
    use super::*;

    #[test]
    fn unfinished_strings_and_lines_are_removed() {
        let mut buffer = VecBuffer::new();
        let mut out = Out::new(&mut buffer).unwrap();
        out.raw(b"\"").unwrap();
        out.drop_text();
        assert!(out.is_empty());
        for (begun, kept) in
            [("[\"a\\\"", "["), ("{\"k\":\"", "{\"k\":"), ("[1,\"\\\\\\\"x", "[1,")]
        {
            out.raw(begun.as_bytes()).unwrap();
            out.drop_text();
            assert_eq!(out.len(), kept.len());
            while !out.is_empty() {
                out.drop_last();
            }
        }
        out.raw(b"{\n  ").unwrap();
        out.drop_space();
        assert_eq!(out.last(), Some(b'{'));
        out.drop_space();
        assert_eq!(out.len(), 1);
    }

    #[test]
    fn the_comma_rule() {
        let mut buffer = VecBuffer::new();
        let mut out = Out::new(&mut buffer).unwrap();
        assert!(out.is_empty());
        out.byte(b'[').unwrap();
        out.null(b',').unwrap();
        out.boolean(true, b',').unwrap();
        out.boolean(false, b',').unwrap();
        out.empty(b'[', b',').unwrap();
        out.empty(b'{', b',').unwrap();
        out.new_line(WhiteSpace::spaces(1), 3).unwrap();
        out.plain_string(b"x", b',').unwrap();
        out.close(b']', b',').unwrap();
        out.drop_last();
        let len = out.len();
        assert_eq!(buffer.into_vec(len), b"[null,true,false,[],{},\n   \"x\"]");
    }
}
