//! The pull reader of dialects: tokens and values, as from [`Reader`], by the rules of the caller.
//!
//! Separate from `plain`, which uses it to rewrite a document; snooze-py uses it to make objects.
//! Invariant: the position never moves back, and where the document is plain JSON the faults and
//! their offsets are [`Reader`]'s.

use super::numeral;
use super::numeral::Numeral;
use super::rules::{Rules, Surrogates, Syntax};
use super::space::space_end;
use super::{name, text};
use crate::arch::Vector;
use crate::arch::generic::scan::string_run;
use crate::error::{Error, ErrorKind};
use crate::number::Number;
use crate::read::{Reader, Text};

/// A string or a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece<'s> {
    /// The text. Not yet validated as UTF-8.
    pub text: Text<'s>,
    /// Whether it has surrogates, each as three bytes; the rest is UTF-8 then.
    pub surrogates: bool,
}

/// A cursor over a document of a dialect.
#[derive(Debug)]
pub struct DialectReader<'a, V> {
    reader: Reader<'a, V>,
    rules: Rules,
}

impl<'a, V: Vector> DialectReader<'a, V> {
    /// Begins at the start of a document.
    ///
    /// # Errors
    /// If the document is empty, or begins with a byte order mark, which is white space in JSON5.
    pub fn new(bytes: &'a [u8], rules: Rules) -> Result<Self, Error> {
        let reader = match Reader::new(bytes) {
            Ok(reader) => reader,
            Err(Error { kind: ErrorKind::ByteOrderMark, .. }) if rules.is_json5() => {
                Reader::resume(bytes, 0)
            }
            Err(error) => return Err(error),
        };
        Ok(Self { reader, rules })
    }

    /// Continues at an offset that another reader of the same document has reached.
    pub fn resume(bytes: &'a [u8], at: usize, rules: Rules) -> Self {
        Self { reader: Reader::resume(bytes, at), rules }
    }

    /// The offset of the next byte.
    #[inline(always)]
    pub fn offset(&self) -> usize {
        self.reader.offset()
    }

    /// The bytes from `start` to the cursor.
    #[inline(always)]
    pub fn span_from(&self, start: usize) -> &'a [u8] {
        self.reader.span_from(start)
    }

    #[inline(always)]
    fn move_to(&mut self, at: usize) {
        self.reader = Reader::resume(self.reader.text(), at);
    }

    fn fault(&self, (kind, at): (ErrorKind, usize)) -> Error {
        self.reader.fault(kind, at)
    }

    /// Skips white space and comments and returns the next byte without consuming it; zero at the
    /// end.
    ///
    /// # Errors
    /// If a comment is not closed.
    #[inline(always)]
    pub fn token(&mut self) -> Result<u8, Error> {
        let byte = self.reader.token();
        if self.rules.syntax == Syntax::Json || !matches!(byte, b'/' | 0x0b | 0x0c | 0x80..) {
            return Ok(byte);
        }
        match space_end(self.reader.text(), self.offset(), self.rules.is_json5()) {
            Ok(end) => self.move_to(end),
            Err((kind, at)) => return Err(Error::new(kind, at)),
        }
        Ok(self.reader.text().get(self.offset()).copied().unwrap_or(0))
    }

    /// Consumes the byte that [`DialectReader::token`] returned, which must not be zero.
    #[inline(always)]
    pub fn consume(&mut self) {
        self.reader.consume();
    }

    /// Whether a quote that begins a string is the next byte.
    #[inline(always)]
    pub fn is_quote(&self, byte: u8) -> bool {
        byte == b'"' || byte == b'\'' && self.rules.is_json5()
    }

    /// Whether a byte begins a number, or one of the words that may be one.
    #[inline(always)]
    pub fn begins_number(&self, byte: u8) -> bool {
        match byte {
            b'-' | b'0'..=b'9' | b'+' | b'.' => true,
            b'N' | b'I' => self.rules.constants || self.rules.is_json5(),
            _ => false,
        }
    }

    /// Whether a comma may precede a closing bracket.
    #[inline(always)]
    pub fn allows_trailing_comma(&self) -> bool {
        self.rules.has_comments()
    }

    /// Reads the string whose opening quote is at the cursor.
    ///
    /// # Errors
    /// The faults of strings.
    #[inline(always)]
    pub fn string<'s>(&mut self, scratch: &'s mut Vec<u8>) -> Result<Piece<'s>, Error>
    where
        'a: 's,
    {
        let bytes = self.reader.text();
        let (at, quote) = (self.offset() + 1, bytes.get(self.offset()).copied().unwrap_or(b'"'));
        if quote == b'"' {
            let body = bytes.get(at..).unwrap_or(&[]);
            let run = string_run::<V>(body);
            if body.get(run.len) == Some(&b'"') {
                self.move_to(at + run.len + 1);
                let text = Text { bytes: &body[..run.len], ascii: run.ascii };
                return Ok(Piece { text, surrogates: false });
            }
            if !self.rules.is_json5() && self.rules.surrogates == Surrogates::Error {
                let text = self.reader.string(scratch)?;
                return Ok(Piece { text, surrogates: false });
            }
        }
        scratch.clear();
        match text::read_text(bytes, at, quote, self.rules, scratch) {
            Ok(read) => {
                self.move_to(read.end);
                let text = Text { bytes: scratch, ascii: scratch.is_ascii() };
                Ok(Piece { text, surrogates: read.surrogates })
            }
            Err(fault) => Err(self.fault(fault)),
        }
    }

    /// Reads the name of a member, which [`DialectReader::token`] has found, and the colon.
    ///
    /// # Errors
    /// If no name is there, or no colon after it.
    #[inline(always)]
    pub fn name<'s>(&mut self, scratch: &'s mut Vec<u8>) -> Result<Piece<'s>, Error>
    where
        'a: 's,
    {
        let bytes = self.reader.text();
        let at = self.offset();
        let byte = bytes.get(at).copied().unwrap_or(0);
        let piece = if self.is_quote(byte) {
            self.string(scratch)?
        } else if self.rules.is_json5() {
            scratch.clear();
            match name::read_name(bytes, at, scratch) {
                Ok(end) => self.move_to(end),
                Err(fault) => return Err(self.fault(fault)),
            }
            let text = Text { bytes: scratch, ascii: scratch.is_ascii() };
            Piece { text, surrogates: false }
        } else {
            return Err(self.reader.no_key());
        };
        let mut rest = Self::resume(bytes, self.reader.offset(), self.rules);
        rest.token()?;
        rest.reader.colon()?;
        self.reader = rest.reader;
        Ok(piece)
    }

    /// Reads the number at the cursor; puts it together in `scratch` if JSON does not have it.
    ///
    /// # Errors
    /// The faults of numbers; a number beyond the range of a double is none.
    pub fn numeral<'s>(&mut self, scratch: &'s mut Vec<u8>) -> Result<Numeral<'s>, Error>
    where
        'a: 's,
    {
        match numeral::read(self.reader.text(), self.offset(), self.rules, scratch) {
            Ok((numeral, end)) => {
                self.reader = Reader::resume(self.reader.text(), end);
                Ok(numeral)
            }
            // Not a number at all, as `loads` sees it.
            Err((ErrorKind::NoDigitAfterSign, at))
                if at == self.offset()
                    && matches!(self.reader.text().get(at), Some(b'N' | b'I')) =>
            {
                Err(self.no_value())
            }
            Err(fault) => Err(self.fault(fault)),
        }
    }

    /// Reads the number at the cursor if it is a short integer of JSON; otherwise consumes nothing.
    #[inline(always)]
    pub fn short_integer(&mut self) -> Option<i64> {
        let start = self.offset();
        let value = self.reader.short_integer()?;
        if self.rules.is_json5()
            && matches!(self.reader.text().get(self.offset()), Some(b'x' | b'X'))
        {
            self.move_to(start);
            return None;
        }
        Some(value)
    }

    /// Reads the number at the cursor as a double or an integer of 64 bits, if it is one of JSON.
    ///
    /// # Errors
    /// The faults of numbers.
    #[inline(always)]
    pub fn number(&mut self) -> Result<Number, Error> {
        self.reader.other_number()
    }

    /// Reads the word `true`, `false` or `null` at the cursor, of which `first` is the first
    /// letter.
    ///
    /// # Errors
    /// If it is another word.
    #[inline(always)]
    pub fn literal(&mut self, first: u8) -> Result<(), Error> {
        match first {
            b't' => self.reader.literal_true(),
            b'f' => self.reader.literal_false(),
            _ => self.reader.literal_null(),
        }
    }

    /// Ends the document: only white space and comments may follow.
    ///
    /// # Errors
    /// If anything else follows.
    pub fn finish(&mut self) -> Result<(), Error> {
        self.token()?;
        self.reader.finish()
    }

    /// The fault of a byte that does not begin a value.
    #[cold]
    pub fn no_value(&self) -> Error {
        if self.rules.has_comments() {
            return self.fault((ErrorKind::ExpectedValue, self.offset()));
        }
        self.reader.no_value()
    }

    /// The fault of a byte other than `,` or the closing bracket after an item or a member.
    #[cold]
    pub fn no_end(&self, is_object: bool) -> Error {
        if is_object { self.reader.no_object_end() } else { self.reader.no_array_end() }
    }

    /// The fault of a container that is nested too deep, whose bracket was just consumed.
    #[cold]
    pub fn too_deep(&self) -> Error {
        self.reader.too_deep()
    }
}
