//! Writes strings: quotes, escapes and transcoding, with the kernels of `arch`.
//!
//! Separate from the fixed pieces because strings need blocks. Plain ASCII is copied inline in one
//! pass. From the first character that needs more than copying, an out-of-line function continues
//! in blocks, so that it reserves at most the worst case of one block.

use super::output::Out;
use super::window::{Buffer, NoMemory, TextError, Window, grow};
use crate::arch::generic::escape::{BLOCK, BLOCK_ROOM, Unit};
use crate::arch::generic::headed::{Headed, HeadedText};
use crate::arch::{Task, Vector};

/// A text to write: a slice, or a text after a header, which is faster for short texts.
pub trait Source: Copy {
    /// The unit of the text.
    type Unit: Unit;

    /// The text.
    fn units(&self) -> &[Self::Unit];

    /// The text from `at` on, or nothing if it is shorter.
    fn from(self, at: usize) -> Self;

    /// As [`Vector::escape_units`], of the first [`BLOCK`] units or of all.
    ///
    /// # Safety
    /// As for [`Vector::escape_units`].
    unsafe fn transcode_block<V: Vector>(self, target: *mut u8) -> Option<*mut u8>;
}

/// A text of bytes that are written unchanged, but for escapes.
pub trait PlainText: Source<Unit = u8> {
    /// As [`Vector::copy_plain`].
    ///
    /// # Safety
    /// As for [`Vector::copy_plain`].
    unsafe fn copy<V: Vector>(self, target: *mut u8) -> Result<(), usize>;

    /// As [`Vector::escape_utf8`], of the first [`BLOCK`] bytes or of all.
    ///
    /// # Safety
    /// As for [`Vector::escape_utf8`].
    unsafe fn escape_block<V: Vector>(self, target: *mut u8) -> *mut u8;
}

impl<U: Unit> Source for &[U] {
    type Unit = U;

    #[inline(always)]
    fn units(&self) -> &[U] {
        self
    }

    #[inline(always)]
    fn from(self, at: usize) -> Self {
        self.get(at..).unwrap_or(&[])
    }

    #[inline(always)]
    unsafe fn transcode_block<V: Vector>(self, target: *mut u8) -> Option<*mut u8> {
        // SAFETY: the contract is the same, and at most BLOCK units are passed.
        unsafe { V::escape_units(self.get(..BLOCK).unwrap_or(self), target) }
    }
}

impl PlainText for &[u8] {
    #[inline(always)]
    unsafe fn copy<V: Vector>(self, target: *mut u8) -> Result<(), usize> {
        // SAFETY: the contract is the same.
        unsafe { V::copy_plain(self, target) }
    }

    #[inline(always)]
    unsafe fn escape_block<V: Vector>(self, target: *mut u8) -> *mut u8 {
        // SAFETY: the contract is the same, and at most BLOCK bytes are passed.
        unsafe { V::escape_utf8(self.get(..BLOCK).unwrap_or(self), target) }
    }
}

impl<U: Unit> Source for Headed<'_, U> {
    type Unit = U;

    #[inline(always)]
    fn units(&self) -> &[U] {
        Headed::units(*self)
    }

    #[inline(always)]
    fn from(self, at: usize) -> Self {
        Headed::from(self, at)
    }

    #[inline(always)]
    unsafe fn transcode_block<V: Vector>(self, target: *mut u8) -> Option<*mut u8> {
        // SAFETY: the contract is the same, and at most BLOCK units are passed.
        unsafe { V::escape_headed_units(self.up_to(BLOCK), target) }
    }
}

impl PlainText for HeadedText<'_> {
    #[inline(always)]
    unsafe fn copy<V: Vector>(self, target: *mut u8) -> Result<(), usize> {
        // SAFETY: the contract is the same.
        unsafe { V::copy_headed(self, target) }
    }

    #[inline(always)]
    unsafe fn escape_block<V: Vector>(self, target: *mut u8) -> *mut u8 {
        // SAFETY: the contract is the same, and at most BLOCK bytes are passed.
        unsafe { V::escape_headed(self.up_to(BLOCK), target) }
    }
}

impl<B: Buffer> Out<'_, B> {
    /// Writes an ASCII string with quotes and escapes, and the separator.
    ///
    /// Copies bytes above 0x7f unchanged.
    #[inline(always)]
    pub fn ascii<V: Vector>(
        &mut self,
        text: impl PlainText,
        separator: u8,
    ) -> Result<(), NoMemory> {
        let bytes = text.units();
        // Two quotes, the separator, and one vector for the last store.
        self.reserve(bytes.len() + 3 + V::LANES)?;
        // SAFETY: a quote, the text with a vector, and two bytes more are writable, because they
        // are reserved above, or by `AsciiRest` and after it.
        unsafe {
            self.put([b'"'], 1);
            let target = self.window.claim(bytes.len() + V::LANES);
            match text.copy::<V>(target) {
                Ok(()) => self.window = self.window.advanced(bytes.len()),
                Err(plain_len) => {
                    let window = self.window.advanced(plain_len);
                    let rest = text.from(plain_len);
                    let task = AsciiRest { buffer: &mut *self.buffer, window, rest };
                    let (window, written) = V::run_outlined(task);
                    self.window = window;
                    written?;
                    self.reserve(2)?;
                }
            }
            self.put([b'"', separator], 2);
        }
        Ok(())
    }

    /// Writes the bytes of an ASCII string with escapes, a block at a time.
    #[inline(always)]
    fn ascii_blocks<V: Vector, T: PlainText>(&mut self, mut text: T) -> Result<(), NoMemory> {
        const { assert!(BLOCK.is_multiple_of(V::LANES)) };
        self.reserve(text.units().len())?;
        // SAFETY: whole vectors are read from a block. All stores are reserved: a block by the line
        // above, or after a block with escapes, together with the rest of the text.
        unsafe {
            while let Some(block) = text.units().first_chunk::<BLOCK>() {
                let target = self.window.claim(BLOCK);
                let mut stops = 0;
                for at in (0..BLOCK).step_by(V::LANES) {
                    let lanes = V::load(block.as_ptr().add(at));
                    lanes.store(target.add(at));
                    stops |= lanes.string_stops();
                }
                if stops == 0 {
                    self.window = self.window.advanced(BLOCK);
                } else {
                    self.escape_block::<V, T>(text)?;
                }
                text = text.from(BLOCK);
            }
            if !text.units().is_empty() {
                self.escape_block::<V, T>(text)?;
            }
        }
        Ok(())
    }

    /// Writes the first [`BLOCK`] bytes of an ASCII string, or all, with escapes. Reserves as much
    /// as the whole text has.
    #[inline(always)]
    fn escape_block<V: Vector, T: PlainText>(&mut self, text: T) -> Result<(), NoMemory> {
        self.reserve(text.units().len() + BLOCK_ROOM)?;
        let target = self.window.claim(BLOCK_ROOM);
        // SAFETY: BLOCK_ROOM bytes are writable, because they are reserved above.
        unsafe {
            let end = text.escape_block::<V>(target);
            self.window = self.window.advanced(end as usize - target as usize);
        }
        Ok(())
    }

    /// [`Out::ascii`] out of line.
    #[inline(always)]
    pub fn utf8<V: Vector>(&mut self, text: &[u8], separator: u8) -> Result<(), NoMemory> {
        let task = Utf8 { buffer: &mut *self.buffer, window: self.window, text, separator };
        let (window, written) = V::run_outlined(task);
        self.window = window;
        written
    }

    /// Writes a string of units of any width as UTF-8 with quotes and escapes, and the separator.
    #[inline(always)]
    pub fn text<V: Vector>(&mut self, text: impl Source, separator: u8) -> Result<(), TextError> {
        if text.units().is_empty() {
            return Ok(self.ascii::<V>(&[][..], separator)?);
        }
        let task = Transcode { buffer: &mut *self.buffer, window: self.window, text };
        let (window, written) = V::run_outlined(task);
        self.window = window;
        written?;
        self.reserve(2)?;
        // SAFETY: two bytes are writable, because they are reserved above.
        unsafe { self.put([b'"', separator], 2) };
        Ok(())
    }
}

/// Writes the rest of an ASCII string, from its first escape on, or a long string.
struct AsciiRest<'a, B, T> {
    buffer: &'a mut B,
    window: Window,
    rest: T,
}

impl<B: Buffer, T: PlainText> Task for AsciiRest<'_, B, T> {
    /// The window, also after a failure, because growing may have moved it before.
    type Output = (Window, Result<(), NoMemory>);

    #[inline(always)]
    fn with_vectors<V: Vector>(self) -> Self::Output {
        let Self { buffer, window, rest } = self;
        let mut out = Out { window, buffer };
        let written = out.ascii_blocks::<V, T>(rest);
        (out.window, written)
    }
}

/// Writes a whole ASCII or UTF-8 string.
struct Utf8<'a, B> {
    buffer: &'a mut B,
    window: Window,
    text: &'a [u8],
    separator: u8,
}

impl<B: Buffer> Task for Utf8<'_, B> {
    /// The window, also after a failure, because growing may have moved it before.
    type Output = (Window, Result<(), NoMemory>);

    #[inline(always)]
    fn with_vectors<V: Vector>(self) -> Self::Output {
        let mut out = Out { window: self.window, buffer: self.buffer };
        let written = out.ascii::<V>(self.text, self.separator);
        (out.window, written)
    }
}

/// Writes a string that is not empty, without its closing quote.
struct Transcode<'a, B, T> {
    buffer: &'a mut B,
    window: Window,
    text: T,
}

impl<B: Buffer, T: Source> Task for Transcode<'_, B, T> {
    /// The window, also after a failure, because growing may have moved it before.
    type Output = (Window, Result<(), TextError>);

    #[inline(always)]
    fn with_vectors<V: Vector>(self) -> Self::Output {
        let Self { buffer, mut window, mut text } = self;
        let mut quote_len = 1;
        while !text.units().is_empty() {
            if window.remaining() < BLOCK_ROOM + 1 {
                match grow(buffer, window, BLOCK_ROOM + 1) {
                    Ok(grown) => window = grown,
                    Err(NoMemory) => return (window, Err(TextError::NoMemory)),
                }
            }
            // SAFETY: BLOCK_ROOM + 1 bytes are writable, because the window has them. Only the
            // first block advances over the opening quote.
            unsafe {
                window.claim(1).write(b'"');
                window = window.advanced(quote_len);
                quote_len = 0;
                let target = window.claim(BLOCK_ROOM);
                let Some(end) = text.transcode_block::<V>(target) else {
                    return (window, Err(TextError::Surrogate));
                };
                window = window.advanced(end as usize - target as usize);
            }
            text = text.from(BLOCK);
        }
        (window, Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use super::super::VecBuffer;
    use super::*;
    use crate::arch::testing::{AfterHeader, TierTest, for_each_tier};

    struct AsSerdeJson(String);

    impl TierTest for AsSerdeJson {
        fn check<V: Vector>(&self) {
            let codes: Vec<u32> = self.0.chars().map(u32::from).collect();
            let mut buffer = VecBuffer::new();
            let mut out = Out::new(&mut buffer).unwrap();
            out.text::<V>(&codes[..], b',').unwrap();
            out.text::<V>(AfterHeader::new(&codes).text(), b',').unwrap();
            let units: Option<Vec<u16>> = codes.iter().map(|&c| c.try_into().ok()).collect();
            if let Some(units) = &units {
                out.text::<V>(&units[..], b',').unwrap();
                out.text::<V>(AfterHeader::new(units).text(), b',').unwrap();
            }
            let bytes: Option<Vec<u8>> = codes.iter().map(|&c| c.try_into().ok()).collect();
            if let Some(bytes) = &bytes {
                out.text::<V>(&bytes[..], b',').unwrap();
                out.text::<V>(AfterHeader::new(bytes).text(), b',').unwrap();
            }
            if self.0.is_ascii() {
                out.ascii::<V>(self.0.as_bytes(), b',').unwrap();
                out.ascii::<V>(AfterHeader::new(self.0.as_bytes()).text(), b',').unwrap();
            }
            let len = out.len();
            let written = buffer.into_vec(len);
            let expected = serde_json::to_string(&self.0).unwrap() + ",";
            let copies = written.len() / expected.len();
            assert_eq!(String::from_utf8(written).unwrap(), expected.repeat(copies));
        }
    }

    #[test]
    fn every_length_with_an_escape_at_every_tenth_position() {
        for len in 0..=200 {
            for_each_tier(&AsSerdeJson("a".repeat(len)));
            for position in (0..len).step_by(10) {
                for special in ["\"", "\u{0}", "é", "語", "😀"] {
                    let text = "a".repeat(position) + special + &"b".repeat(len - position - 1);
                    for_each_tier(&AsSerdeJson(text));
                }
            }
        }
    }

    struct Surrogates;

    impl TierTest for Surrogates {
        fn check<V: Vector>(&self) {
            for len in [1usize, 5, 16, 63, 64, 65, 100] {
                for position in 0..len {
                    for bad in [0xd800u16, 0xdbff, 0xdc00, 0xdfff] {
                        let mut text = vec![0x8a9e; len];
                        text[position] = bad;
                        let mut buffer = VecBuffer::new();
                        let mut out = Out::new(&mut buffer).unwrap();
                        assert_eq!(out.text::<V>(&text[..], b','), Err(TextError::Surrogate));
                        let headed = AfterHeader::new(&text);
                        let written = out.text::<V>(headed.text(), b',');
                        assert_eq!(written, Err(TextError::Surrogate));
                        let wide: Vec<u32> = text.iter().map(|&u| u.into()).collect();
                        assert_eq!(out.text::<V>(&wide[..], b','), Err(TextError::Surrogate));
                    }
                }
            }
        }
    }

    #[test]
    fn surrogates_are_refused() {
        for_each_tier(&Surrogates);
    }

    proptest::proptest! {
        #[test]
        fn random_text(text: String) {
            for_each_tier(&AsSerdeJson(text));
        }

        #[test]
        fn random_ascii_with_many_escapes(text in "[\\x00-\\x7f]{0,500}") {
            for_each_tier(&AsSerdeJson(text));
        }

        #[test]
        fn random_text_of_one_script(text in "[ -~а-я語本\\n\"\u{e9}]{0,300}") {
            for_each_tier(&AsSerdeJson(text));
        }
    }
}
