//! [`VecBuffer`]: a buffer on the heap, for tests, benchmarks and users without CPython.
//!
//! Separate because CPython code writes into `bytes` objects instead. Invariant: all bytes of the
//! vector are initialised.

use core::ptr::NonNull;

use super::float_history::FloatHistory;
use super::style::Style;
use super::window::{Buffer, NoMemory, Window};

/// A buffer on the heap.
#[derive(Debug, Default)]
pub struct VecBuffer {
    bytes: Vec<u8>,
    floats: FloatHistory,
    /// `None` is the compact style.
    style: Option<Style>,
}

impl VecBuffer {
    /// An empty buffer.
    pub fn new() -> Self {
        Self::default()
    }

    /// An empty buffer for output in a style.
    pub fn with_style(style: Style) -> Self {
        Self { style: Some(style), ..Self::default() }
    }

    /// The first `len` bytes, or all if there are fewer. The buffer can be written again.
    pub fn written(&self, len: usize) -> &[u8] {
        self.bytes.get(..len).unwrap_or(&self.bytes)
    }

    /// The first `len` bytes, where `len` is the [`Out::len`](super::Out::len) of an
    /// [`Out`](super::Out) over this buffer.
    ///
    /// # Panics
    /// If the buffer holds fewer bytes.
    pub fn into_vec(mut self, len: usize) -> Vec<u8> {
        self.bytes.truncate(len);
        assert_eq!(self.bytes.len(), len, "the buffer holds fewer bytes");
        self.bytes
    }
}

// SAFETY: the window is writable and follows the `used` bytes, because it is the part of the vector
// after them; these bytes are kept, because `resize` keeps its content and a failure changes
// nothing.
unsafe impl Buffer for VecBuffer {
    fn window(&mut self, used: usize, additional: usize) -> Result<Window, NoMemory> {
        let len = used.checked_add(additional).ok_or(NoMemory)?;
        if len > self.bytes.len() || self.bytes.is_empty() {
            let mut target = len.max(self.bytes.len().saturating_mul(2)).max(16);
            if self.bytes.try_reserve_exact(target - self.bytes.len()).is_err() {
                target = len;
                self.bytes.try_reserve_exact(target - self.bytes.len()).map_err(|_| NoMemory)?;
            }
            self.bytes.resize(target, 0);
        }
        let range = self.bytes.as_mut_ptr_range();
        // SAFETY: the cursor is inside the vector, because `used <= len <= self.bytes.len()`.
        let cursor = unsafe { range.start.add(used) };
        let cursor = NonNull::new(cursor).ok_or(NoMemory)?;
        // SAFETY: the range is writable and initialised, because it is part of the vector.
        Ok(unsafe { Window::new(cursor, range.end) })
    }

    fn start(&self) -> *const u8 {
        self.bytes.as_ptr()
    }

    fn float_history(&mut self) -> &mut FloatHistory {
        &mut self.floats
    }

    fn style(&self) -> Style {
        self.style.unwrap_or(Style::COMPACT)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_impossible_size_is_no_memory() {
        let mut buffer = VecBuffer::new();
        assert!(buffer.window(usize::MAX, 2).is_err());
        // `black_box`: the compiler may remove an unused allocation and assume that it succeeded.
        let window = core::hint::black_box(&mut buffer).window(0, isize::MAX as usize);
        assert!(core::hint::black_box(window).is_err());
    }
}
