//! `Out`: the growable window that all JSON is written into.
//!
//! An unsafe room: writes go through a raw cursor, kept in a register by the walk that owns the
//! `Out`. Every public operation reserves what it writes before it writes it, so none of them can
//! leave the window whatever the caller passes. With the feature `checked` (and in this crate's
//! tests) each write is asserted against the window as well.
//!
//! **The comma rule.** Every value ends with a separator byte of the caller's choice, normally a
//! comma; [`Out::close`] turns the last comma of a container into its bracket, and
//! [`Out::finish`] takes the last one of the document back. So no walk needs to know whether an
//! element is the first.
//!
//! After a failure to grow, an `Out` is still sound to use: what was written stays.
//! Growth is the owner's business: see [`Buffer`]. Growing is cold and out of line, and takes and
//! returns the cursor by value, so that the `Out` itself never has to live in memory.
//!
//! `mod.rs` has the window and the fixed pieces, `string` the text, `digits` the integers, `float`
//! the floats, `rows` many numbers at once, `small` short texts of others, `base64` bytes.
#![allow(unsafe_code)]

mod base64;
mod digits;
mod float;
mod rows;
mod small;
mod string;

use core::ptr::NonNull;

pub use float::FloatText;
pub use small::{Room, Written};

/// The memory for more output could not be had.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoMemory;

/// Why a text could not be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextError {
    /// See [`NoMemory`].
    NoMemory,
    /// The text has a surrogate, which UTF-8 cannot carry.
    Surrogate,
}

impl From<NoMemory> for TextError {
    fn from(NoMemory: NoMemory) -> Self {
        TextError::NoMemory
    }
}

/// The part of a buffer that may still be written: from `cursor` up to `end`.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    cursor: NonNull<u8>,
    end: *mut u8,
}

impl Window {
    /// The window between two pointers.
    ///
    /// # Safety
    /// `cursor..end` is one writable range of one allocation, valid until the buffer that it
    /// belongs to grows or ends.
    pub unsafe fn new(cursor: NonNull<u8>, end: *mut u8) -> Self {
        Self { cursor, end }
    }

    /// Bytes left.
    #[inline(always)]
    fn room(self) -> usize {
        self.end as usize - self.cursor.as_ptr() as usize
    }

    /// Asserts, in checked builds, that `count` bytes may be written at the cursor.
    #[inline(always)]
    fn claim(self, count: usize) -> *mut u8 {
        if cfg!(any(test, feature = "checked")) {
            assert!(count <= self.room(), "a write of {count} bytes in {} bytes", self.room());
        }
        self.cursor.as_ptr()
    }

    /// The window without its first `count` bytes.
    ///
    /// # Safety
    /// `count <= room()`.
    #[inline(always)]
    unsafe fn advanced(self, count: usize) -> Self {
        self.claim(count);
        // SAFETY: stays inside the allocation, by the caller.
        let cursor = unsafe { self.cursor.add(count) };
        Self { cursor, end: self.end }
    }
}

/// The memory behind an [`Out`].
///
/// # Safety
/// `window` returns a window of at least `room` writable bytes that directly follow the first
/// `used` bytes of the output, and those `used` bytes are kept. The window stays valid until the
/// next call that succeeds or until the buffer is dropped: a call that fails changes nothing.
pub unsafe trait Buffer {
    /// Makes room for `room` more bytes after the `used` bytes written so far.
    fn window(&mut self, used: usize, room: usize) -> Result<Window, NoMemory>;

    /// The first byte of the output.
    fn start(&self) -> *const u8;
}

/// The output of one call.
#[derive(Debug)]
pub struct Out<'b, B: Buffer> {
    window: Window,
    buffer: &'b mut B,
}

impl<'b, B: Buffer> Out<'b, B> {
    /// Begins at the start of `buffer`.
    #[inline(always)]
    pub fn new(buffer: &'b mut B) -> Result<Self, NoMemory> {
        let window = buffer.window(0, 0)?;
        Ok(Self { window, buffer })
    }

    /// Goes on behind the first `used` bytes of `buffer`, as many as another [`Out`] has written.
    ///
    /// PERF: an `Out` that is handed from one function to another is copied by vectors right after
    /// its parts were stored, and that has to wait (2026-11-21).
    #[inline(always)]
    pub fn resume(buffer: &'b mut B, used: usize) -> Result<Self, NoMemory> {
        let window = buffer.window(used, 0)?;
        Ok(Self { window, buffer })
    }

    /// Bytes written so far.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.window.cursor.as_ptr() as usize - self.buffer.start() as usize
    }

    /// Whether nothing has been written.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Makes sure that `count` bytes may be written.
    #[inline(always)]
    fn reserve(&mut self, count: usize) -> Result<(), NoMemory> {
        if self.window.room() < count {
            self.window = more(self.buffer, self.window, count)?;
        }
        Ok(())
    }

    /// Writes `N` bytes of which the first `count` count; the others are overwritten later.
    ///
    /// # Safety
    /// At least `N` bytes are reserved and `count <= N`.
    #[inline(always)]
    unsafe fn put<const N: usize>(&mut self, bytes: [u8; N], count: usize) {
        // SAFETY: reserved, by the caller.
        unsafe {
            self.window.claim(N).cast::<[u8; N]>().write(bytes);
            self.window = self.window.advanced(count);
        }
    }

    /// Writes one byte.
    #[inline(always)]
    pub fn byte(&mut self, byte: u8) -> Result<(), NoMemory> {
        self.reserve(1)?;
        // SAFETY: one byte is reserved.
        unsafe { self.put([byte], 1) };
        Ok(())
    }

    /// Writes `null` and the separator.
    #[inline(always)]
    pub fn null(&mut self, after: u8) -> Result<(), NoMemory> {
        self.reserve(5)?;
        // SAFETY: five bytes are reserved.
        unsafe { self.put([b'n', b'u', b'l', b'l', after], 5) };
        Ok(())
    }

    /// Writes `true` or `false` and the separator.
    #[inline(always)]
    pub fn boolean(&mut self, value: bool, after: u8) -> Result<(), NoMemory> {
        self.reserve(6)?;
        // SAFETY: six bytes are reserved.
        unsafe {
            if value {
                self.put([b't', b'r', b'u', b'e', after], 5);
            } else {
                self.put([b'f', b'a', b'l', b's', b'e', after], 6);
            }
        }
        Ok(())
    }

    /// Writes an empty container and the separator: `[],` or `{},`.
    #[inline(always)]
    pub fn empty(&mut self, open: u8, after: u8) -> Result<(), NoMemory> {
        self.reserve(3)?;
        // SAFETY: three bytes are reserved. In ASCII `]` and `}` follow their openers by two.
        unsafe { self.put([open, open + 2, after], 3) };
        Ok(())
    }

    /// Ends a container: its last comma becomes `bracket`, and the separator follows.
    ///
    /// The output so far must end with the separator of the container's last element.
    #[inline(always)]
    pub fn close(&mut self, bracket: u8, after: u8) -> Result<(), NoMemory> {
        self.replace_last(bracket);
        self.byte(after)
    }

    /// Replaces the last byte written.
    #[inline(always)]
    pub fn replace_last(&mut self, byte: u8) {
        if is_unwritten(self.len()) {
            return;
        }
        // SAFETY: at least one byte was written directly before the cursor, in the same buffer.
        unsafe { self.window.cursor.as_ptr().sub(1).write(byte) };
    }

    /// The last byte written, if there is one.
    #[inline(always)]
    pub fn last(&self) -> Option<u8> {
        if self.is_empty() {
            return None;
        }
        // SAFETY: at least one byte was written directly before the cursor, in the same buffer.
        Some(unsafe { self.window.cursor.as_ptr().sub(1).read() })
    }

    /// Takes the last byte written back.
    #[inline(always)]
    pub fn drop_last(&mut self) {
        if is_unwritten(self.len()) {
            return;
        }
        // SAFETY: at least one byte was written directly before the cursor, in the same buffer.
        self.window.cursor = unsafe { self.window.cursor.sub(1) };
    }

    /// Writes a line feed and `spaces` spaces.
    #[inline(always)]
    pub fn new_line(&mut self, spaces: usize) -> Result<(), NoMemory> {
        const LINE: [u8; 32] = {
            let mut line = [b' '; 32];
            line[0] = b'\n';
            line
        };
        // PERF: one store of 32 bytes, and not a call that fills as many as are needed.
        if spaces < LINE.len() {
            self.reserve(LINE.len())?;
            // SAFETY: all of it is reserved.
            unsafe { self.put(LINE, 1 + spaces) };
            return Ok(());
        }
        self.reserve(1 + spaces)?;
        // SAFETY: all of it is reserved.
        unsafe {
            self.put([b'\n'], 1);
            self.window.claim(spaces).write_bytes(b' ', spaces);
            self.window = self.window.advanced(spaces);
        }
        Ok(())
    }

    /// Writes bytes as they are.
    #[inline(always)]
    pub fn raw(&mut self, bytes: &[u8]) -> Result<(), NoMemory> {
        self.reserve(bytes.len())?;
        // SAFETY: reserved; a caller's slice cannot overlap the window.
        unsafe {
            let target = self.window.claim(bytes.len());
            target.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
            self.window = self.window.advanced(bytes.len());
        }
        Ok(())
    }

    /// Writes the first `len` bytes of a text.
    #[inline(always)]
    pub fn padded<const N: usize>(&mut self, text: &[u8; N], len: usize) -> Result<(), NoMemory> {
        self.reserve(N)?;
        // SAFETY: all of the text is reserved.
        unsafe { self.put(*text, len.min(N)) };
        Ok(())
    }

    /// Writes bytes as they are, and the separator.
    #[inline(always)]
    pub fn raw_value(&mut self, bytes: &[u8], after: u8) -> Result<(), NoMemory> {
        self.raw(bytes)?;
        self.byte(after)
    }

    /// Writes a string whose characters need no escape, such as a date, and the separator.
    #[inline(always)]
    pub fn plain_string(&mut self, bytes: &[u8], after: u8) -> Result<(), NoMemory> {
        self.reserve(bytes.len() + 3)?;
        self.byte(b'"')?;
        self.raw(bytes)?;
        self.byte(b'"')?;
        self.byte(after)
    }
}

/// Whether there is no last byte: a mistake of the caller, which checked builds refuse.
#[inline(always)]
fn is_unwritten(len: usize) -> bool {
    if cfg!(any(test, feature = "checked")) {
        assert!(len > 0, "no byte has been written yet");
    }
    len == 0
}

/// The window after growing, with at least `count` bytes.
#[cold]
#[inline(never)]
fn more<B: Buffer>(buffer: &mut B, window: Window, count: usize) -> Result<Window, NoMemory> {
    let used = window.cursor.as_ptr() as usize - buffer.start() as usize;
    let grown = buffer.window(used, count)?;
    debug_assert!(grown.room() >= count);
    Ok(grown)
}

/// A buffer on the heap, for tests, benchmarks and users without CPython.
#[derive(Debug, Default)]
pub struct VecBuffer(Vec<u8>);

impl VecBuffer {
    /// An empty buffer.
    pub fn new() -> Self {
        Self::default()
    }

    /// The first `len` bytes, which an [`Out`] over this buffer reported with [`Out::len`].
    ///
    /// # Panics
    /// If more bytes are asked for than the buffer holds.
    pub fn into_vec(mut self, len: usize) -> Vec<u8> {
        self.0.truncate(len);
        assert_eq!(self.0.len(), len, "more bytes than the buffer holds");
        self.0
    }
}

// SAFETY: the vector is zero-filled up to its length, the window lies inside it after `used`,
// and `resize` keeps what is there.
unsafe impl Buffer for VecBuffer {
    fn window(&mut self, used: usize, room: usize) -> Result<Window, NoMemory> {
        let len = used.checked_add(room).ok_or(NoMemory)?;
        if len > self.0.len() || self.0.is_empty() {
            let target = len.max(self.0.len() * 2).max(16);
            self.0.try_reserve_exact(target - self.0.len()).map_err(|_| NoMemory)?;
            self.0.resize(target, 0);
        }
        let range = self.0.as_mut_ptr_range();
        // SAFETY: `used <= len <= self.0.len()`.
        let cursor = unsafe { range.start.add(used) };
        let cursor = NonNull::new(cursor).ok_or(NoMemory)?;
        // SAFETY: both pointers bound initialised bytes of the vector.
        Ok(unsafe { Window::new(cursor, range.end) })
    }

    fn start(&self) -> *const u8 {
        self.0.as_ptr()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is written, all of it.
    pub(super) fn written_whole(write: impl FnOnce(&mut Out<'_, VecBuffer>)) -> String {
        let mut buffer = VecBuffer::new();
        let mut out = Out::new(&mut buffer).unwrap();
        write(&mut out);
        let len = out.len();
        String::from_utf8(buffer.into_vec(len)).unwrap()
    }

    /// What is written without its last separator.
    pub(super) fn written(write: impl FnOnce(&mut Out<'_, VecBuffer>)) -> String {
        written_whole(|out| {
            write(out);
            out.drop_last();
        })
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
        out.new_line(3).unwrap();
        out.plain_string(b"x", b',').unwrap();
        out.close(b']', b',').unwrap();
        out.drop_last();
        let len = out.len();
        assert_eq!(buffer.into_vec(len), b"[null,true,false,[],{},\n   \"x\"]");
    }

    #[test]
    #[should_panic(expected = "a write of 8 bytes in 4 bytes")]
    fn a_write_beyond_the_window_is_caught_in_checked_builds() {
        let mut bytes = [0; 4];
        let range = bytes.as_mut_ptr_range();
        // SAFETY: the window is the array.
        let window = unsafe { Window::new(NonNull::new(range.start).unwrap(), range.end) };
        window.claim(8);
    }

    #[test]
    fn an_impossible_size_is_no_memory() {
        let mut buffer = VecBuffer::new();
        assert!(buffer.window(usize::MAX, 2).is_err());
        // An allocation that nobody sees may be left out by the compiler, and taken for granted.
        let window = core::hint::black_box(&mut buffer).window(0, isize::MAX as usize);
        assert!(core::hint::black_box(window).is_err());
    }
}
