//! The one grammar: a pull reader over a document in memory (RFC 8259).
//!
//! The caller asks for the next token's first byte and then for the value it announces; it owns
//! the nesting. `loads` builds objects this way, [`Reader::skip`] checks without building (see
//! `skip`), and typed decoding asks for what it expects. Invariants: the reader never reads outside the
//! slice (this module has no `unsafe`), its position never moves back, and every fault is
//! reported at the offset that programs written for orjson know.
//!
//! The end of the document reads as a zero byte, which no token begins with; a real zero byte
//! is told apart when the fault is made.

mod check;
mod skip;

use core::marker::PhantomData;

use crate::arch::Vector;
use crate::arch::generic::scan::{space_run, string_run};
use crate::error::{Error, ErrorKind};
use crate::number::{self, Number};
use crate::unescape::{Unescape, is_cut_escape};

/// Nested containers a document may have.
pub const MAX_DEPTH: usize = 1024;

/// The body of a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Text<'a> {
    /// The text without quotes and with its escapes replaced. Not yet known to be UTF-8.
    pub bytes: &'a [u8],
    /// Whether it is ASCII.
    pub ascii: bool,
}

/// A cursor in a document.
#[derive(Debug)]
pub struct Reader<'a, V> {
    bytes: &'a [u8],
    at: usize,
    vector: PhantomData<V>,
}

impl<'a, V: Vector> Reader<'a, V> {
    /// Begins at the start of a document; refuses a byte order mark and a document without any
    /// value.
    #[inline(always)]
    pub fn new(bytes: &'a [u8]) -> Result<Self, Error> {
        let mut reader = Self { bytes, at: 0, vector: PhantomData };
        if reader.token() == 0 && reader.at == bytes.len() {
            return Err(Error::new(ErrorKind::OnlySpace, 0));
        }
        if bytes.starts_with(b"\xef\xbb\xbf") {
            return Err(Error::new(ErrorKind::ByteOrderMark, 0));
        }
        Ok(reader)
    }

    /// Goes on at an offset that a reader of the same document has reached.
    #[inline(always)]
    pub fn resume(bytes: &'a [u8], at: usize) -> Self {
        Self { bytes, at, vector: PhantomData }
    }

    #[inline(always)]
    fn peek(&self) -> u8 {
        self.bytes.get(self.at).copied().unwrap_or(0)
    }

    /// The offset of the next byte.
    #[inline(always)]
    pub fn offset(&self) -> usize {
        self.at
    }

    /// The bytes from `start` on that have been passed: those of a value, if the reader was at its
    /// first byte there. Nothing if it has not been there.
    #[inline(always)]
    pub fn span_from(&self, start: usize) -> &'a [u8] {
        self.bytes.get(start..self.at).unwrap_or(&[])
    }

    /// Skips white space and returns the byte there without passing it; zero at the end.
    #[inline(always)]
    pub fn token(&mut self) -> u8 {
        let byte = self.peek();
        if byte > b' ' {
            return byte;
        }
        self.token_after_space()
    }

    #[inline(always)]
    fn token_after_space(&mut self) -> u8 {
        // Compact documents have at most one space or line feed in a place.
        if matches!(self.peek(), b' ' | b'\n') {
            self.at += 1;
            let byte = self.peek();
            if byte > b' ' {
                return byte;
            }
        }
        self.at += space_run::<V>(self.bytes.get(self.at..).unwrap_or(&[]));
        self.peek()
    }

    /// Passes the byte that [`Reader::token`] returned, which must not have been zero.
    #[inline(always)]
    pub fn pass(&mut self) {
        self.at += 1;
    }

    /// Reads the string whose opening quote is next. Escapes are replaced in `scratch`.
    #[inline(always)]
    pub fn string<'s>(&mut self, scratch: &'s mut Vec<u8>) -> Result<Text<'s>, Error>
    where
        'a: 's,
    {
        let start = self.at + 1;
        let body = self.bytes.get(start..).unwrap_or(&[]);
        let run = string_run::<V>(body);
        if body.get(run.len) == Some(&b'"') {
            self.at = start + run.len + 1;
            return Ok(Text { bytes: &body[..run.len], ascii: run.ascii });
        }
        self.string_with_escapes(start, run.len, run.ascii, scratch)
    }

    /// The bytes after the opening quote that is next, if there are so many.
    #[inline(always)]
    pub fn string_ahead<const N: usize>(&self) -> Option<&'a [u8; N]> {
        self.bytes.get(self.at + 1..)?.first_chunk()
    }

    /// Passes the string that is next, whose body is known to be of this many bytes.
    #[inline(always)]
    pub fn pass_string(&mut self, len: usize) {
        self.at += len + 2;
    }

    #[inline(always)]
    fn string_with_escapes<'s>(
        &mut self,
        start: usize,
        plain: usize,
        ascii: bool,
        scratch: &'s mut Vec<u8>,
    ) -> Result<Text<'s>, Error> {
        scratch.clear();
        match V::enter(Unescape { bytes: self.bytes, start, plain, ascii, text: scratch }) {
            Ok(read) => {
                self.at = read.end;
                Ok(Text { bytes: scratch, ascii: read.ascii })
            }
            Err((kind, at)) => Err(self.fault(kind, at)),
        }
    }

    /// Reads the number that is next.
    #[inline(always)]
    pub fn number(&mut self) -> Result<Number, Error> {
        match number::read(self.bytes, self.at) {
            Ok((number, end)) => {
                self.at = end;
                Ok(number)
            }
            Err((kind, at)) => Err(self.fault(kind, at)),
        }
    }

    /// Reads the number that is next if it is an integer that is read at once; otherwise
    /// passes nothing.
    #[inline(always)]
    pub fn short_integer(&mut self) -> Option<i64> {
        let (value, end) = number::short_integer(self.bytes, self.at)?;
        self.at = end;
        Some(value)
    }

    /// Reads the number that is next if it is a decimal that the tier reads at once; otherwise
    /// passes nothing.
    #[inline(always)]
    pub fn short_decimal(&mut self) -> Option<f64> {
        let (value, end) = number::short_decimal::<V>(self.bytes, self.at)?;
        self.at = end;
        Some(value)
    }

    /// As [`Reader::number`], with a call: for what is no short integer.
    #[inline(always)]
    pub fn other_number(&mut self) -> Result<Number, Error> {
        match V::enter(number::Other { bytes: self.bytes, start: self.at }) {
            Ok((number, end)) => {
                self.at = end;
                Ok(number)
            }
            Err((kind, at)) => Err(self.fault(kind, at)),
        }
    }

    /// Reads `true`, whose first letter is next.
    #[inline(always)]
    pub fn literal_true(&mut self) -> Result<(), Error> {
        self.literal(b"true", ErrorKind::LiteralTrue)
    }

    /// Reads `false`, whose first letter is next.
    #[inline(always)]
    pub fn literal_false(&mut self) -> Result<(), Error> {
        self.literal(b"false", ErrorKind::LiteralFalse)
    }

    /// Reads `null`, whose first letter is next.
    #[inline(always)]
    pub fn literal_null(&mut self) -> Result<(), Error> {
        self.literal(b"null", ErrorKind::LiteralNull)
    }

    #[inline(always)]
    fn literal<const N: usize>(&mut self, word: &[u8; N], kind: ErrorKind) -> Result<(), Error> {
        if self.bytes.get(self.at..).and_then(|rest| rest.first_chunk()) == Some(word) {
            self.at += N;
            return Ok(());
        }
        Err(self.fault(kind, self.at))
    }

    /// Passes the colon after a member's name.
    #[inline(always)]
    pub fn colon(&mut self) -> Result<(), Error> {
        if self.token() != b':' {
            return Err(self.fault(ErrorKind::ExpectedColon, self.at));
        }
        self.at += 1;
        Ok(())
    }

    /// Ends the document: nothing but white space may follow.
    #[inline(always)]
    pub fn finish(&mut self) -> Result<(), Error> {
        self.token();
        if self.at < self.bytes.len() {
            return Err(self.fault(ErrorKind::TrailingContent, self.at));
        }
        Ok(())
    }

    /// The fault of a byte that begins no value.
    #[cold]
    #[inline(never)]
    pub fn no_value(&self) -> Error {
        // `[1,]`: the comma is at fault, not the bracket.
        if self.peek() == b']'
            && let Some(comma) = self.comma_before()
        {
            return self.fault(ErrorKind::TrailingComma, comma);
        }
        self.fault(ErrorKind::ExpectedValue, self.at)
    }

    /// The fault of a byte that begins no member.
    #[cold]
    #[inline(never)]
    pub fn no_key(&self) -> Error {
        if self.peek() == b'}'
            && let Some(comma) = self.comma_before()
        {
            return self.fault(ErrorKind::TrailingComma, comma);
        }
        self.fault(ErrorKind::ExpectedKey, self.at)
    }

    /// The fault of something else than `,` or `]` after an array element.
    #[cold]
    #[inline(never)]
    pub fn no_array_end(&self) -> Error {
        self.fault(ErrorKind::ExpectedArrayEnd, self.at)
    }

    /// The fault of something else than `,` or `}` after an object member.
    #[cold]
    #[inline(never)]
    pub fn no_object_end(&self) -> Error {
        self.fault(ErrorKind::ExpectedObjectEnd, self.at)
    }

    /// The fault of a container beyond [`MAX_DEPTH`], whose bracket has just been passed.
    #[cold]
    #[inline(never)]
    pub fn too_deep(&self) -> Error {
        self.fault(ErrorKind::Depth, self.at)
    }

    /// The offset of the comma that is the last byte before the cursor but for white space.
    fn comma_before(&self) -> Option<usize> {
        let before = self.bytes.get(..self.at)?;
        let last = before.iter().rposition(|byte| !b" \t\n\r".contains(byte))?;
        (before[last] == b',').then_some(last)
    }

    /// A fault, or the end of the data if that is all that is wrong: nothing more is there, or
    /// what is there could still have become a literal or an escape.
    #[cold]
    #[inline(never)]
    fn fault(&self, kind: ErrorKind, at: usize) -> Error {
        let rest = self.bytes.get(at..).unwrap_or(&[]);
        let is_cut = match kind {
            ErrorKind::NoMemory | ErrorKind::Depth => false,
            _ if rest.is_empty() => true,
            ErrorKind::LiteralTrue | ErrorKind::LiteralFalse | ErrorKind::LiteralNull => {
                [&b"true"[..], b"false", b"null"].iter().any(|word| word.starts_with(rest))
            }
            ErrorKind::InvalidEscape
            | ErrorKind::InvalidHighSurrogate
            | ErrorKind::NoLowSurrogate
            | ErrorKind::InvalidSurrogateEscape
            | ErrorKind::InvalidLowSurrogate => is_cut_escape(self.bytes, at),
            _ => false,
        };
        if is_cut {
            return Error::new(ErrorKind::UnexpectedEnd, self.bytes.len());
        }
        Error::new(kind, at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arch::{Dispatch, Task, testing::TierTest, testing::for_each_tier};

    struct Check<'a>(&'a [u8]);

    impl Task for Check<'_> {
        type Output = Result<(), Error>;
        #[inline(always)]
        fn run<V: Vector>(self) -> Self::Output {
            check::<V>(self.0)
        }
    }

    fn check<V: Vector>(document: &[u8]) -> Result<(), Error> {
        let mut reader = Reader::<V>::new(document)?;
        let ascii = reader.skip(0)?;
        assert_eq!(ascii, reader.span_from(0).is_ascii());
        reader.finish()
    }

    /// A document, and the message and offset that are expected, if any.
    struct Case<'a>(&'a str, Option<(ErrorKind, usize)>);

    impl TierTest for Case<'_> {
        fn check<V: Vector>(&self) {
            let expected = self.1.map(|(kind, offset)| Error { kind, offset });
            assert_eq!(check::<V>(self.0.as_bytes()).err(), expected, "{:?}", self.0);
        }
    }

    #[test]
    fn faults_and_their_places() {
        use ErrorKind::*;
        let cases = [
            ("[1,]", TrailingComma, 2),
            ("{\"a\":1 , }", TrailingComma, 7),
            ("[,]", ExpectedValue, 1),
            ("]", ExpectedValue, 0),
            ("{,}", ExpectedKey, 1),
            ("{\"a\" 1}", ExpectedColon, 5),
            ("{\"a\":}", ExpectedValue, 5),
            ("[1 2]", ExpectedArrayEnd, 3),
            ("{\"a\":1]", ExpectedObjectEnd, 6),
            ("1 2", TrailingContent, 2),
            ("[] \0", TrailingContent, 3),
            ("\0", ExpectedValue, 0),
            (" \n", OnlySpace, 0),
            ("\u{feff}1", ByteOrderMark, 0),
            ("[tru", UnexpectedEnd, 4),
            ("[tru]", LiteralTrue, 1),
            ("nul ", LiteralNull, 0),
            ("+", NoDigitAfterSign, 0),
            ("-", UnexpectedEnd, 1),
            ("[\"\\u12", UnexpectedEnd, 6),
            ("\"\\uD800\\ud", UnexpectedEnd, 10),
            ("\"\\uD800\\ud8", NoLowSurrogate, 1),
            ("\"\\uDC00\\uDC00", InvalidHighSurrogate, 1),
            ("\"\\uD83D\\u\"", InvalidSurrogateEscape, 1),
            ("\"a\nb\"", ControlCharacter, 2),
        ];
        for (document, kind, offset) in cases {
            // The same truncated surrogate is its own error where a low one cannot follow.
            let kind = if document.ends_with("\\ud8") { InvalidSurrogateEscape } else { kind };
            for_each_tier(&Case(document, Some((kind, offset))));
        }
    }

    #[test]
    fn every_cut_of_a_document_is_the_end_of_data() {
        let document = r#"{"a":[1.5e+3,-0,true,false,null,"x\u00e9\ud83d\ude00\n"],"b":{},"c":[]}"#;
        for_each_tier(&Case(document, None));
        for end in 1..document.len() {
            let cut = &document[..end];
            for_each_tier(&Case(cut, Some((ErrorKind::UnexpectedEnd, end))));
        }
    }

    struct Ahead;

    impl TierTest for Ahead {
        fn check<V: Vector>(&self) {
            let mut reader = Reader::<V>::new(br#" "key":1"#).unwrap();
            assert_eq!(reader.string_ahead::<4>(), Some(br#"key""#));
            assert_eq!(reader.string_ahead::<7>(), None);
            reader.pass_string(3);
            assert_eq!((reader.offset(), reader.token()), (6, b':'));
        }
    }

    #[test]
    fn a_string_can_be_looked_at_before_it_is_read() {
        for_each_tier(&Ahead);
    }

    #[test]
    fn depth_is_limited() {
        for (open, close) in [("[", "]"), ("{\"k\":[", "]}")] {
            let levels = MAX_DEPTH / open.matches(['[', '{']).count();
            let document = open.repeat(levels) + &close.repeat(levels);
            for_each_tier(&Case(&document, None));
            let document = open.repeat(levels) + "[]" + &close.repeat(levels);
            let offset = open.len() * levels + 1;
            for_each_tier(&Case(&document, Some((ErrorKind::Depth, offset))));
            for_each_tier(&Case(&document[..offset], Some((ErrorKind::Depth, offset))));
        }
    }

    proptest::proptest! {
        #[test]
        fn agrees_with_serde_json(document in "[ \\[\\]{}:,\"a\\\\n0-9.eE+-]{0,40}|true|false|null") {
            // serde_json reads integers beyond 64 bits and 1e400 as other errors or values, but
            // agrees on what is JSON.
            let theirs = serde_json::from_str::<serde_json::Value>(&document);
            let ours = Dispatch::detect(None).run(Check(document.as_bytes()));
            let out_of_range = ours.is_err_and(|error| error.kind == ErrorKind::Infinity);
            proptest::prop_assert!(ours.is_ok() == theirs.is_ok() || out_of_range, "{document:?}");
        }
    }
}
