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
        for code in text {
            match code {
                0x22 => self.raw(b"\\\"")?,
                0x5c => self.raw(b"\\\\")?,
                0x20..=0x7e => self.byte(code as u8)?,
                0x0a => self.raw(b"\\n")?,
                0x0d => self.raw(b"\\r")?,
                0x09 => self.raw(b"\\t")?,
                0x08 => self.raw(b"\\b")?,
                0x0c => self.raw(b"\\f")?,
                _ => self.code_escape(code)?,
            }
        }
        self.byte(b'"')?;
        self.byte(after)
    }

    /// Writes a code point as `\u` and four digits, above U+FFFF as a pair.
    #[inline(always)]
    pub fn code_escape(&mut self, code: u32) -> Result<(), NoMemory> {
        if code <= 0xffff {
            return self.unit_escape(code);
        }
        let rest = code.wrapping_sub(0x1_0000);
        self.unit_escape(0xd800 | (rest >> 10) & 0x3ff)?;
        self.unit_escape(0xdc00 | rest & 0x3ff)
    }

    /// Writes `\u` and four hexadecimal digits.
    #[inline(always)]
    fn unit_escape(&mut self, unit: u32) -> Result<(), NoMemory> {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let digit = |shift: u32| DIGITS[(unit >> shift & 15) as usize];
        self.padded(&[b'\\', b'u', digit(12), digit(8), digit(4), digit(0), 0, 0], 6)
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
