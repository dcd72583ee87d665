//! The window into a buffer, the contract of a buffer, and the errors of writing.
//!
//! Separate from `output` because the owner of the memory implements [`Buffer`] and needs nothing
//! else. Invariant: the cursor of a [`Window`] never passes its end. Called by all of `out`, and by
//! the `bytes` buffer of snooze-py.

use core::ptr::NonNull;

use super::float_history::FloatHistory;
use super::style::{Style, WhiteSpace};
use super::text_history::NotedText;
pub use crate::error::NoMemory;

/// Why a text was not written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextError {
    /// See [`NoMemory`].
    NoMemory,
    /// The text contains a surrogate, which UTF-8 cannot encode.
    Surrogate,
}

impl From<NoMemory> for TextError {
    fn from(NoMemory: NoMemory) -> Self {
        TextError::NoMemory
    }
}

/// The unwritten part of a buffer: from `cursor` up to `end`.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    pub(super) cursor: NonNull<u8>,
    end: *mut u8,
}

impl Window {
    /// The window between two pointers.
    ///
    /// # Safety
    /// `cursor..end` is a writable range of one allocation, valid until its buffer grows or is
    /// dropped.
    pub unsafe fn new(cursor: NonNull<u8>, end: *mut u8) -> Self {
        Self { cursor, end }
    }

    /// The number of bytes left.
    #[inline(always)]
    pub(super) fn remaining(self) -> usize {
        self.end as usize - self.cursor.as_ptr() as usize
    }

    /// The cursor, for a write of `count` bytes. Checked builds assert that they fit.
    #[inline(always)]
    pub(super) fn claim(self, count: usize) -> *mut u8 {
        if cfg!(any(test, feature = "checked")) {
            let remaining = self.remaining();
            assert!(count <= remaining, "a write of {count} bytes with {remaining} bytes left");
        }
        self.cursor.as_ptr()
    }

    /// The window without its first `count` bytes.
    ///
    /// # Safety
    /// `count <= remaining()`.
    #[inline(always)]
    pub(super) unsafe fn advanced(self, count: usize) -> Self {
        self.claim(count);
        // SAFETY: the cursor stays inside the allocation, because the caller guarantees that
        // `count` bytes remain.
        let cursor = unsafe { self.cursor.add(count) };
        Self { cursor, end: self.end }
    }
}

/// The memory behind an [`Out`](super::Out).
///
/// # Safety
/// `window` returns a window of at least `additional` writable bytes that directly follow the first
/// `used` bytes of the output, and keeps those `used` bytes. The window stays valid until the next
/// successful call or until the buffer is dropped: a failed call changes nothing.
pub unsafe trait Buffer {
    /// Provides `additional` more bytes after the `used` bytes written so far.
    fn window(&mut self, used: usize, additional: usize) -> Result<Window, NoMemory>;

    /// The address of the first byte of the output.
    fn start(&self) -> *const u8;

    /// What the floats written so far were like.
    fn float_history(&mut self) -> &mut FloatHistory;

    /// Notes a text that is not ASCII; returns whether its object should keep its UTF-8, so that
    /// later outputs copy it.
    #[inline(always)]
    fn note_text(&mut self, _text: NotedText) -> bool {
        false
    }

    /// The white space of an indented walk; only such walks ask for it.
    #[inline(always)]
    fn white_space(&self) -> WhiteSpace {
        WhiteSpace::spaces(2)
    }

    /// The style of the output; only styled walks ask for it.
    fn style(&self) -> Style {
        Style::COMPACT
    }
}

/// Grows the buffer and returns a window of at least `count` bytes.
#[cold]
#[inline(never)]
pub(super) fn grow<B: Buffer>(
    buffer: &mut B,
    window: Window,
    count: usize,
) -> Result<Window, NoMemory> {
    let used = window.cursor.as_ptr() as usize - buffer.start() as usize;
    let grown = buffer.window(used, count)?;
    debug_assert!(grown.remaining() >= count);
    Ok(grown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[should_panic(expected = "a write of 8 bytes with 4 bytes left")]
    fn checked_builds_catch_a_write_beyond_the_window() {
        let mut bytes = [0; 4];
        let range = bytes.as_mut_ptr_range();
        // SAFETY: the range is writable and outlives the window, because it is the array above.
        let window = unsafe { Window::new(NonNull::new(range.start).unwrap(), range.end) };
        window.claim(8);
    }
}
