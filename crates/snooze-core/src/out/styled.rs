//! Writes in another style than the compact one, and texts and floats as Python's `json` does.
//!
//! Separate because the compact walks never look at a style: only the format that is compiled for
//! styled output calls this. Invariant: the comma rule of [`super`] holds inside a container, so
//! that closing it and the end of the document are the same in every style. Called by snooze-py's
//! styled format.

use core::fmt::{self, Write as _};

use super::output::Out;
use super::style::{Piece, Style};
use super::window::{Buffer, NoMemory};
use crate::arch::Vector;

/// The longest text of a float that [`FloatFormat`] holds.
const FLOAT: usize = 32;

/// The most bytes of one code point: two escapes of 6 bytes.
const ESCAPE: usize = 12;
/// An escape is stored as 8 bytes, so the last one goes this far beyond its end.
const SPARE: usize = 2;
/// Code points for which room is reserved at once.
///
/// PERF: so that the place of the next one stays in a register.
const BATCH: usize = 32;

/// Stores a code point as `json.dumps` writes it; returns the number of its bytes.
///
/// # Safety
/// `ESCAPE + SPARE` bytes at `target` are writable.
#[inline(always)]
unsafe fn store_code(target: *mut u8, code: u32) -> usize {
    // PERF: tested first, because most code points of such texts are not ASCII: Japanese words in
    // 0.7 of the time (AMD EPYC, 2026-11-28).
    if code >= 0x7f {
        // SAFETY: as the caller says.
        return unsafe { store_escape(target, code) };
    }
    let short = match code {
        0x20 | 0x21 | 0x23..=0x5b | 0x5d.. => {
            // SAFETY: one byte is writable, because the caller says so.
            unsafe { target.write(code as u8) };
            return 1;
        }
        0x22 => b'"',
        0x5c => b'\\',
        0x0a => b'n',
        0x0d => b'r',
        0x09 => b't',
        0x08 => b'b',
        0x0c => b'f',
        // SAFETY: as the caller says.
        _ => return unsafe { store_escape(target, code) },
    };
    // SAFETY: two bytes are writable, because the caller says so.
    unsafe { target.cast::<[u8; 2]>().write([b'\\', short]) };
    2
}

/// Stores a code point as `\u` and four digits, above U+FFFF as a pair; returns the number of
/// bytes.
///
/// # Safety
/// `ESCAPE + SPARE` bytes at `target` are writable.
#[inline(always)]
unsafe fn store_escape(target: *mut u8, code: u32) -> usize {
    // SAFETY: 8 bytes at `target`, and 8 bytes behind the first six, are writable, because the
    // caller says so.
    unsafe {
        if code <= 0xffff {
            target.cast::<[u8; 8]>().write(unit_escape(code));
            return 6;
        }
        let rest = code.wrapping_sub(0x1_0000);
        target.cast::<[u8; 8]>().write(unit_escape(0xd800 | (rest >> 10) & 0x3ff));
        target.add(6).cast::<[u8; 8]>().write(unit_escape(0xdc00 | rest & 0x3ff));
    }
    12
}

/// The two hexadecimal digits of each byte, the first in the lower half.
const PAIRS: [u16; 256] = {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut pairs = [0; 256];
    let mut at = 0;
    while at < pairs.len() {
        pairs[at] = u16::from_le_bytes([DIGITS[at >> 4], DIGITS[at & 15]]);
        at += 1;
    }
    pairs
};

/// `\u` and the four hexadecimal digits of a unit, and two more bytes.
#[inline(always)]
fn unit_escape(unit: u32) -> [u8; 8] {
    let pair = |byte: u8| u64::from(PAIRS[usize::from(byte)]);
    let start = u64::from(u16::from_le_bytes(*b"\\u"));
    (start | pair((unit >> 8) as u8) << 16 | pair(unit as u8) << 32).to_le_bytes()
}

/// The text of a float, written by the standard library.
struct FloatFormat {
    text: [u8; FLOAT],
    len: usize,
}

impl fmt::Write for FloatFormat {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let end = self.len + text.len();
        self.text.get_mut(self.len..end).ok_or(fmt::Error)?.copy_from_slice(text.as_bytes());
        self.len = end;
        Ok(())
    }
}

impl<B: Buffer> Out<'_, B> {
    /// Whether each element is on a line of its own.
    pub fn is_indented(&self) -> bool {
        self.buffer.style().indent.is_some()
    }

    /// Writes a separator.
    #[inline(always)]
    pub fn piece(&mut self, piece: Piece) -> Result<(), NoMemory> {
        self.padded(piece.text(), piece.len())
    }

    /// Starts an element with `depth` containers open around it: the separator, unless it is the
    /// first element, and its line.
    #[inline(always)]
    pub fn styled_element(&mut self, depth: usize) -> Result<(), NoMemory> {
        let style = self.buffer.style();
        if self.last() == Some(b',') {
            self.drop_last();
            self.piece(style.item)?;
        }
        self.styled_line(style, depth)
    }

    /// Replaces the colon that was written after a name by the separator.
    #[inline(always)]
    pub fn styled_colon(&mut self) -> Result<(), NoMemory> {
        let key = self.buffer.style().key;
        self.drop_last();
        self.piece(key)
    }

    /// Closes a container with at least one element; `depth` counts the containers around it.
    #[inline(always)]
    pub fn styled_close(&mut self, bracket: u8, depth: usize) -> Result<(), NoMemory> {
        self.drop_last();
        let style = self.buffer.style();
        self.styled_line(style, depth)?;
        self.byte(bracket)?;
        self.byte(b',')
    }

    /// Begins a line if the style has lines.
    #[inline(always)]
    pub fn styled_line(&mut self, style: Style, depth: usize) -> Result<(), NoMemory> {
        let Some(indent) = style.indent else { return Ok(()) };
        self.byte(b'\n')?;
        for _ in 0..depth {
            self.piece(indent)?;
        }
        Ok(())
    }

    /// Whether characters outside ASCII are to be escaped.
    #[inline(always)]
    pub fn escapes_non_ascii(&mut self) -> bool {
        self.buffer.style().ascii
    }

    /// Writes a text in ASCII: code points as `\u` and four digits, in pairs above U+FFFF, with
    /// lower-case digits as `json.dumps` writes them; then `after`. Surrogates are written as they
    /// are.
    #[inline(never)]
    pub fn escaped_text(
        &mut self,
        text: impl Iterator<Item = u32>,
        after: u8,
    ) -> Result<(), NoMemory> {
        self.byte(b'"')?;
        // SAFETY: `store_code` writes no more than it may, and returns no more than it wrote.
        unsafe { self.batches(text, |target, code| store_code(target, code))? };
        self.byte(b'"')?;
        self.byte(after)
    }

    /// Writes code points as `\u` and four digits each, above U+FFFF as pairs.
    #[inline(always)]
    pub fn code_escapes(&mut self, codes: impl Iterator<Item = u32>) -> Result<(), NoMemory> {
        // SAFETY: `store_escape` writes no more than it may, and returns no more than it wrote.
        unsafe { self.batches(codes, |target, code| store_escape(target, code)) }
    }

    /// Writes each code point with `store`.
    ///
    /// # Safety
    /// `store` writes at most `ESCAPE + SPARE` bytes at its target, and returns how many of them
    /// the code point takes: at most `ESCAPE`, all of which it wrote.
    #[inline(always)]
    unsafe fn batches(
        &mut self,
        mut codes: impl Iterator<Item = u32>,
        store: impl Fn(*mut u8, u32) -> usize,
    ) -> Result<(), NoMemory> {
        loop {
            // PERF: no more than is left, so that small outputs stay where they are.
            let batch = codes.size_hint().1.unwrap_or(BATCH).min(BATCH);
            if batch == 0 {
                return Ok(());
            }
            self.reserve(batch * ESCAPE + SPARE)?;
            let start = self.window.claim(batch * ESCAPE + SPARE);
            let mut used = 0;
            for code in codes.by_ref().take(batch) {
                // SAFETY: inside what is reserved, because each of at most `batch` code points
                // takes at most `ESCAPE` bytes.
                used += store(unsafe { start.add(used) }, code);
            }
            // SAFETY: those bytes are reserved and written.
            self.window = unsafe { self.window.advanced(used) };
            if used == 0 {
                return Ok(());
            }
        }
    }

    /// Writes a code point as `\u` and four digits, above U+FFFF as a pair.
    #[inline(always)]
    pub fn code_escape(&mut self, code: u32) -> Result<(), NoMemory> {
        self.code_escapes(core::iter::once(code))
    }

    /// Writes a finite float and a comma in Python's notation, which differs from that of `dumps`
    /// from 10^-9 to below 10^-4: an exponent of at least two digits, as in `1e-05`.
    #[inline(always)]
    pub fn python_float_by<V: Vector>(&mut self, value: f64) -> Result<(), NoMemory> {
        if (1e-10..1e-4).contains(&value.abs()) {
            self.small_float(value)
        } else {
            self.float_by::<V>(value)
        }
    }

    #[cold]
    #[inline(never)]
    fn small_float(&mut self, value: f64) -> Result<(), NoMemory> {
        let mut format = FloatFormat { text: [0; FLOAT], len: 0 };
        // The shortest digits that read back, at most 17 with a sign, a point and an exponent.
        let _ = write!(format, "{value:e}");
        let text = format.text.get(..format.len).unwrap_or(&[]);
        let exponent = text.iter().position(|&byte| byte == b'e').unwrap_or(text.len());
        let (digits, exponent) = text.split_at(exponent);
        self.raw(digits)?;
        match exponent {
            [b'e', b'-', ones] => self.raw(&[b'e', b'-', b'0', *ones])?,
            _ => self.raw(exponent)?,
        }
        self.byte(b',')
    }
}

#[cfg(test)]
mod tests {
    use super::super::VecBuffer;
    use super::*;
    use crate::arch::Scalar;

    fn written(write: impl FnOnce(&mut Out<'_, VecBuffer>)) -> String {
        let mut buffer = VecBuffer::new();
        let mut out = Out::new(&mut buffer).unwrap();
        write(&mut out);
        let len = out.len();
        String::from_utf8(buffer.into_vec(len)).unwrap()
    }

    #[test]
    fn escapes_are_those_of_json_dumps() {
        let text = "a\"\\\n\r\t\u{8}\u{c}\u{1}\u{7f}é\u{20ac}\u{1f600}".chars().map(u32::from);
        let found = written(|out| out.escaped_text(text, b',').unwrap());
        let expected = r#""a\"\\\n\r\t\b\f\u0001\u007f\u00e9\u20ac\ud83d\ude00","#;
        assert_eq!(found, expected);
        for code in (0x7f..=0xffff).chain([0x1_0000, 0x1_f600, 0x10_ffff]) {
            let mut units = [0; 2];
            let units = match char::from_u32(code) {
                Some(char) => char.encode_utf16(&mut units),
                None => &mut [code as u16][..],
            };
            let expected: String = units.iter().map(|unit| format!("\\u{unit:04x}")).collect();
            assert_eq!(written(|out| out.code_escape(code).unwrap()), expected);
        }
        let lone = written(|out| out.escaped_text([0xd800].into_iter(), b':').unwrap());
        assert_eq!(lone, r#""\ud800":"#);
    }

    #[test]
    fn small_floats_have_two_digits_of_exponent() {
        for (value, expected) in [
            (1e-5, "1e-05,"),
            (-1.5e-5, "-1.5e-05,"),
            (9.999999999999999e-5, "9.999999999999999e-05,"),
            (1e-9, "1e-09,"),
            (1e-10, "1e-10,"),
            (1.2345678901234567e-10, "1.2345678901234568e-10,"),
            (0.0001, "0.0001,"),
            (1e-11, "1e-11,"),
            (1e16, "1e+16,"),
            (0.0, "0.0,"),
        ] {
            assert_eq!(written(|out| out.python_float_by::<Scalar>(value).unwrap()), expected);
        }
    }
}
