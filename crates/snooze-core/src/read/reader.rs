//! The grammar of documents: a pull reader over a whole document in memory (RFC 8259).
//!
//! The caller asks for the first byte of the next token, then for the value that it announces; the
//! caller owns the nesting. `loads` builds objects this way, the typed decoder asks for the values
//! that it expects, and [`Reader::skip`] checks without building. Separate from `skip`, which
//! combines these steps into walks. Invariants: the reader never reads outside the slice (this
//! module has no `unsafe`), its position never moves back, and it reports every fault at orjson's
//! offset.
//!
//! The end of the document reads as a zero byte, which begins no token. Only the error path
//! distinguishes it from a real zero byte.

use core::marker::PhantomData;

use crate::arch::Vector;
use crate::arch::generic::scan::{is_space_run, space_run, string_run};
use crate::error::{Error, ErrorKind};
use crate::number::{self, Number, Separator};
use crate::unescape::{Unescape, is_truncated_escape};

/// The deepest nesting of containers in a document.
pub const MAX_DEPTH: usize = 1024;

/// The body of a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Text<'a> {
    /// The text without quotes, with its escapes replaced. Not yet validated as UTF-8.
    pub bytes: &'a [u8],
    /// Whether it is ASCII.
    pub ascii: bool,
}

/// A cursor over a document.
#[derive(Debug)]
pub struct Reader<'a, V> {
    pub(super) bytes: &'a [u8],
    pub(super) at: usize,
    vector: PhantomData<V>,
}

impl<'a, V: Vector> Reader<'a, V> {
    /// Begins at the start of a document.
    ///
    /// # Errors
    /// If the document is empty, or begins with a byte order mark.
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

    /// Continues at an offset that another reader of the same document has reached.
    #[inline(always)]
    pub fn resume(bytes: &'a [u8], at: usize) -> Self {
        Self { bytes, at, vector: PhantomData }
    }

    /// The next byte; zero at the end.
    #[inline(always)]
    fn peek(&self) -> u8 {
        self.bytes.get(self.at).copied().unwrap_or(0)
    }

    /// The offset of the next byte.
    #[inline(always)]
    pub fn offset(&self) -> usize {
        self.at
    }

    /// The whole document.
    #[inline(always)]
    pub fn text(&self) -> &'a [u8] {
        self.bytes
    }

    /// The bytes from `start` to the cursor: a whole value, if the value began at `start`. Empty if
    /// `start` is after the cursor.
    #[inline(always)]
    pub fn span_from(&self, start: usize) -> &'a [u8] {
        self.bytes.get(start..self.at).unwrap_or(&[])
    }

    /// Skips white space and returns the next byte without consuming it; zero at the end.
    #[inline(always)]
    pub fn token(&mut self) -> u8 {
        let byte = self.peek();
        if byte > b' ' {
            return byte;
        }
        self.token_after_space()
    }

    /// [`Reader::token`] where the next byte is probably white space.
    #[inline(always)]
    fn token_after_space(&mut self) -> u8 {
        // Compact documents have at most one space or line feed between tokens.
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

    /// Skips white space before a token if its length is `indent`, as that before the first token
    /// of the container was. Otherwise, or if `indent` is less than two or fills a vector, skips
    /// nothing.
    ///
    /// PERF: the processor goes on to the next token while it still compares the white space:
    /// indented documents in 0.90 to 0.96 of the time (Zen 4, AVX-512, 2026-11-28).
    #[inline(always)]
    pub fn skip_indent(&mut self, indent: usize) {
        if indent > 1 && is_space_run::<V>(self.bytes.get(self.at..).unwrap_or(&[]), indent) {
            self.at += indent;
        }
    }

    /// Consumes the byte that [`Reader::token`] returned, which must not be zero.
    #[inline(always)]
    pub fn consume(&mut self) {
        self.at += 1;
    }

    /// The separator at the cursor, if an integer follows it.
    #[inline(always)]
    pub fn separator(&self) -> Option<Separator> {
        Separator::guess::<V>(self.bytes, self.at)
    }

    /// Whether a comma is at the cursor, and a number or white space after it: a cheaper question
    /// than [`Reader::separator`], which also looks behind the white space.
    #[inline(always)]
    pub fn may_precede_number(&self) -> bool {
        let ahead = self.bytes.get(self.at..).and_then(|rest| rest.first_chunk());
        matches!(ahead, Some([b',', b'-' | b'0'..=b'9' | 0..=b' ']))
    }

    /// Reads the string whose opening quote is at the cursor. Replaces escapes in `scratch`.
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

    /// The `N` bytes after the opening quote at the cursor, if the document has them.
    #[inline(always)]
    pub fn string_ahead<const N: usize>(&self) -> Option<&'a [u8; N]> {
        self.bytes.get(self.at + 1..)?.first_chunk()
    }

    /// Consumes the string at the cursor, whose body has `len` bytes.
    #[inline(always)]
    pub fn consume_string(&mut self, len: usize) {
        self.at += len + 2;
    }

    /// Reads the string whose body begins at `start`, with `plain_len` bytes before the first
    /// escape.
    #[inline(always)]
    fn string_with_escapes<'s>(
        &mut self,
        start: usize,
        plain_len: usize,
        ascii: bool,
        scratch: &'s mut Vec<u8>,
    ) -> Result<Text<'s>, Error> {
        scratch.clear();
        match V::run_outlined(Unescape {
            bytes: self.bytes,
            start,
            plain_len,
            ascii,
            text: scratch,
        }) {
            Ok(read) => {
                self.at = read.end;
                Ok(Text { bytes: scratch, ascii: read.ascii })
            }
            Err((kind, at)) => Err(self.fault(kind, at)),
        }
    }

    /// Reads the number at the cursor.
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

    /// Reads the number at the cursor if it is a short integer; otherwise consumes nothing.
    #[inline(always)]
    pub fn short_integer(&mut self) -> Option<i64> {
        let (value, end) = number::short_integer(self.bytes, self.at)?;
        self.at = end;
        Some(value)
    }

    /// Reads a separator at the cursor and the short integer after it; otherwise consumes nothing.
    #[inline(always)]
    pub fn next_integer(&mut self, separator: Separator) -> Option<i64> {
        let (value, end) = number::next_integer::<V>(self.bytes, self.at, separator)?;
        self.at = end;
        Some(value)
    }

    /// [`Reader::short_decimal`] in an array. Consumes a comma after the decimal, too, and returns
    /// whether there was one.
    #[inline(always)]
    pub fn short_decimal_item(&mut self) -> Option<(f64, bool)> {
        let (value, end, has_comma) = number::short_decimal_item::<V>(self.bytes, self.at)?;
        self.at = end;
        Some((value, has_comma))
    }

    /// Reads the number at the cursor if it is a decimal that the tier scans in one step; otherwise
    /// consumes nothing.
    #[inline(always)]
    pub fn short_decimal(&mut self) -> Option<f64> {
        let (value, end) = number::short_decimal::<V>(self.bytes, self.at)?;
        self.at = end;
        Some(value)
    }

    /// [`Reader::number`] out of line: for numbers that are not short integers.
    #[inline(always)]
    pub fn other_number(&mut self) -> Result<Number, Error> {
        let rest = self.bytes.get(self.at..).unwrap_or(&[]);
        match V::run_outlined(number::ReadNumber { rest }).unpack() {
            Some((number, len)) => {
                self.at += len;
                Ok(number)
            }
            None => Err(self.number_fault()),
        }
    }

    /// The fault of the number at the cursor, which is wrong.
    #[cold]
    #[inline(never)]
    fn number_fault(&self) -> Error {
        match number::read(self.bytes, self.at) {
            Ok(_) => self.no_value(),
            Err((kind, at)) => self.fault(kind, at),
        }
    }

    /// [`Reader::number`] for walks: short integers in line, others out of line where the tier has
    /// the vector reader of decimals.
    #[inline(always)]
    pub fn any_number(&mut self) -> Result<Number, Error> {
        if !V::DECIMALS {
            // Without that reader, trying short integers first gains nothing.
            self.number()
        } else if let Some(value) = self.short_integer() {
            Ok(Number::Int(value))
        } else {
            self.other_number()
        }
    }

    /// Reads `true`, whose first letter is at the cursor.
    #[inline(always)]
    pub fn literal_true(&mut self) -> Result<(), Error> {
        self.literal(b"true", ErrorKind::LiteralTrue)
    }

    /// Reads `false`, whose first letter is at the cursor.
    #[inline(always)]
    pub fn literal_false(&mut self) -> Result<(), Error> {
        self.literal(b"false", ErrorKind::LiteralFalse)
    }

    /// Reads `null`, whose first letter is at the cursor.
    #[inline(always)]
    pub fn literal_null(&mut self) -> Result<(), Error> {
        self.literal(b"null", ErrorKind::LiteralNull)
    }

    /// Reads `word`; `kind` is the fault of any other text.
    #[inline(always)]
    fn literal<const N: usize>(&mut self, word: &[u8; N], kind: ErrorKind) -> Result<(), Error> {
        if self.bytes.get(self.at..).and_then(|rest| rest.first_chunk()) == Some(word) {
            self.at += N;
            return Ok(());
        }
        Err(self.fault(kind, self.at))
    }

    /// Consumes the colon after a member's name.
    #[inline(always)]
    pub fn colon(&mut self) -> Result<(), Error> {
        if self.token() != b':' {
            return Err(self.fault(ErrorKind::ExpectedColon, self.at));
        }
        self.at += 1;
        Ok(())
    }

    /// Ends the document: only white space may follow.
    #[inline(always)]
    pub fn finish(&mut self) -> Result<(), Error> {
        self.token();
        if self.at < self.bytes.len() {
            return Err(self.fault(ErrorKind::TrailingContent, self.at));
        }
        Ok(())
    }

    /// The fault of a byte that does not begin a value.
    #[cold]
    #[inline(never)]
    pub fn no_value(&self) -> Error {
        // In `[1,]` the fault is the comma, not the bracket.
        if self.peek() == b']'
            && let Some(comma) = self.comma_before()
        {
            return self.fault(ErrorKind::TrailingComma, comma);
        }
        self.fault(ErrorKind::ExpectedValue, self.at)
    }

    /// The fault of a byte that does not begin a member.
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

    /// The fault of a byte other than `,` or `]` after an array element.
    #[cold]
    #[inline(never)]
    pub fn no_array_end(&self) -> Error {
        self.fault(ErrorKind::ExpectedArrayEnd, self.at)
    }

    /// The fault of a byte other than `,` or `}` after an object member.
    #[cold]
    #[inline(never)]
    pub fn no_object_end(&self) -> Error {
        self.fault(ErrorKind::ExpectedObjectEnd, self.at)
    }

    /// The fault of a container beyond [`MAX_DEPTH`], whose bracket was just consumed.
    #[cold]
    #[inline(never)]
    pub fn too_deep(&self) -> Error {
        self.fault(ErrorKind::Depth, self.at)
    }

    /// The offset of the comma before the cursor, if only white space is between them.
    fn comma_before(&self) -> Option<usize> {
        let before = self.bytes.get(..self.at)?;
        let last = before.iter().rposition(|byte| !b" \t\n\r".contains(byte))?;
        (before[last] == b',').then_some(last)
    }

    /// A fault at `at`; or the end of the data, if the document ends there or is truncated inside a
    /// literal or an escape.
    #[cold]
    #[inline(never)]
    pub(crate) fn fault(&self, kind: ErrorKind, at: usize) -> Error {
        let rest = self.bytes.get(at..).unwrap_or(&[]);
        let is_truncated = match kind {
            ErrorKind::NoMemory | ErrorKind::Depth => false,
            _ if rest.is_empty() => true,
            ErrorKind::LiteralTrue | ErrorKind::LiteralFalse | ErrorKind::LiteralNull => {
                [&b"true"[..], b"false", b"null"].iter().any(|word| word.starts_with(rest))
            }
            ErrorKind::InvalidEscape
            | ErrorKind::InvalidHighSurrogate
            | ErrorKind::NoLowSurrogate
            | ErrorKind::InvalidSurrogateEscape
            | ErrorKind::InvalidLowSurrogate => is_truncated_escape(self.bytes, at),
            _ => false,
        };
        if is_truncated {
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
        fn with_vectors<V: Vector>(self) -> Self::Output {
            check::<V>(self.0)
        }
    }

    fn check<V: Vector>(document: &[u8]) -> Result<(), Error> {
        let mut reader = Reader::<V>::new(document)?;
        let ascii = reader.skip(0)?;
        assert_eq!(ascii, reader.span_from(0).is_ascii());
        reader.finish()
    }

    /// A document, and the fault and offset that it must report, if any.
    struct Case<'a>(&'a str, Option<(ErrorKind, usize)>);

    impl TierTest for Case<'_> {
        fn check<V: Vector>(&self) {
            let expected = self.1.map(|(kind, offset)| Error { kind, offset });
            assert_eq!(check::<V>(self.0.as_bytes()).err(), expected, "{:?}", self.0);
        }
    }

    #[test]
    fn faults_and_their_offsets() {
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
            // An escape that cannot become a low surrogate is not a truncation.
            let kind = if document.ends_with("\\ud8") { InvalidSurrogateEscape } else { kind };
            for_each_tier(&Case(document, Some((kind, offset))));
        }
    }

    #[test]
    fn every_truncation_reports_the_end_of_data() {
        let document = r#"{"a":[1.5e+3,-0,true,false,null,"x\u00e9\ud83d\ude00\n"],"b":{},"c":[]}"#;
        for_each_tier(&Case(document, None));
        for end in 1..document.len() {
            let truncated = &document[..end];
            for_each_tier(&Case(truncated, Some((ErrorKind::UnexpectedEnd, end))));
        }
    }

    struct StringAhead;

    impl TierTest for StringAhead {
        fn check<V: Vector>(&self) {
            let mut reader = Reader::<V>::new(br#" "key":1"#).unwrap();
            assert_eq!(reader.string_ahead::<4>(), Some(br#"key""#));
            assert_eq!(reader.string_ahead::<7>(), None);
            reader.consume_string(3);
            assert_eq!((reader.offset(), reader.token()), (6, b':'));
        }
    }

    #[test]
    fn a_string_can_be_compared_before_it_is_read() {
        for_each_tier(&StringAhead);
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
            // serde_json has other values and errors for integers beyond 64 bits and for 1e400, but
            // agrees on which documents are JSON.
            let theirs = serde_json::from_str::<serde_json::Value>(&document);
            let ours = Dispatch::detect(None).run(Check(document.as_bytes()));
            let out_of_range = ours.is_err_and(|error| error.kind == ErrorKind::Infinity);
            proptest::prop_assert!(ours.is_ok() == theirs.is_ok() || out_of_range, "{document:?}");
        }
    }
}
