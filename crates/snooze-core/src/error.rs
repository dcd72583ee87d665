//! The faults of a JSON document, with their offsets; and that no memory is left.
//!
//! Separate because the reader returns them and the bindings turn them into exceptions. Invariant:
//! an [`Error`] is small and `Copy`; it formats and counts nothing until a method is called.
//! Programs written for orjson match on the message texts, so these are part of the contract, and
//! tests in Python compare them word for word.

/// No memory is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoMemory;

/// The kind of a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// The byte does not begin a value.
    ExpectedValue,
    /// An object member must begin with a string.
    ExpectedKey,
    /// A member's name must be followed by a colon.
    ExpectedColon,
    /// Only `,` or `]` may follow an array element.
    ExpectedArrayEnd,
    /// Only `,` or `}` may follow an object member.
    ExpectedObjectEnd,
    /// The document ends inside a value.
    UnexpectedEnd,
    /// The document contains only white space.
    OnlySpace,
    /// Something other than white space follows the value.
    TrailingContent,
    /// A comma precedes a closing bracket.
    TrailingComma,
    /// An integer part such as `01`.
    LeadingZero,
    /// A sign without a digit.
    NoDigitAfterSign,
    /// A decimal point without a digit.
    NoDigitAfterPoint,
    /// An exponent without a digit.
    NoDigitAfterExponent,
    /// A number beyond the range of a double.
    Infinity,
    /// A backslash that begins none of RFC 8259's escapes.
    InvalidEscape,
    /// `\uDC00` to `\uDFFF` without a high surrogate before it.
    InvalidHighSurrogate,
    /// A high surrogate without `\u` after it.
    NoLowSurrogate,
    /// A high surrogate followed by a malformed `\u` escape.
    InvalidSurrogateEscape,
    /// A high surrogate followed by a `\u` escape that is not a low surrogate.
    InvalidLowSurrogate,
    /// An unescaped character below U+0020 in a string.
    ControlCharacter,
    /// A word that begins with `t` but is not `true`.
    LiteralTrue,
    /// A word that begins with `f` but is not `false`.
    LiteralFalse,
    /// A word that begins with `n` but is not `null`.
    LiteralNull,
    /// More nested containers than the reader allows.
    Depth,
    /// The input is not UTF-8.
    InvalidUtf8,
    /// The input begins with a byte order mark.
    ByteOrderMark,
    /// A member name that the object already has, where that is a fault.
    DuplicateName,
    /// The same, at the second of the two names.
    RepeatedName,
    /// A comment that is not closed.
    OpenComment,
    /// A member of JSON5 must begin with a string or an identifier.
    ExpectedName,
    /// `0x` without a digit.
    NoHexDigit,
    /// A hexadecimal integer beyond 128 bits, where that is a fault.
    LongHexadecimal,
    /// An integer with more digits than the interpreter converts.
    LongInteger,
    /// A number whose exponent is beyond the range of Python's `Decimal`.
    DecimalRange,
    /// NaN or an infinity, where that is a fault.
    NotFinite,
    /// An integer that no double holds, where that is a fault.
    InexactInteger,
    /// No memory is left for the text of a string.
    NoMemory,
}

impl ErrorKind {
    /// The message, without the position.
    pub fn message(self) -> &'static str {
        match self {
            Self::ExpectedValue => "unexpected character, expected a JSON value",
            Self::ExpectedKey => "unexpected character, expected a string key",
            Self::ExpectedColon => "unexpected character, expected ':' after key",
            Self::ExpectedArrayEnd => "unexpected character, expected ',' or ']'",
            Self::ExpectedObjectEnd => "unexpected character, expected ',' or '}'",
            Self::UnexpectedEnd => "unexpected end of data",
            Self::OnlySpace => "input data is empty",
            Self::TrailingContent => "unexpected content after document",
            Self::TrailingComma => "trailing comma is not allowed",
            Self::LeadingZero => "number with leading zero is not allowed",
            Self::NoDigitAfterSign => "no digit after sign",
            Self::NoDigitAfterPoint => "no digit after decimal point",
            Self::NoDigitAfterExponent => "no digit after exponent sign",
            Self::Infinity => "number is infinity when parsed as double",
            Self::InvalidEscape => "invalid escaped sequence in string",
            Self::InvalidHighSurrogate => "invalid high surrogate in string",
            Self::NoLowSurrogate => "no low surrogate in string",
            Self::InvalidSurrogateEscape => "invalid escape in string",
            Self::InvalidLowSurrogate => "invalid low surrogate in string",
            Self::ControlCharacter => "unexpected control character in string",
            Self::LiteralTrue => "invalid literal, expected 'true'",
            Self::LiteralFalse => "invalid literal, expected 'false'",
            Self::LiteralNull => "invalid literal, expected 'null'",
            Self::Depth => "depth limit exceeded",
            Self::InvalidUtf8 => "str is not valid UTF-8: surrogates not allowed",
            Self::ByteOrderMark => "UTF-8 byte order mark (BOM) is not supported",
            Self::DuplicateName => "a member name occurs twice in the object that ends here",
            Self::RepeatedName => "a member name occurs twice in one object",
            Self::OpenComment => "comment without an end, expected '*/'",
            Self::ExpectedName => "unexpected character, expected a string or an identifier as key",
            Self::NoHexDigit => "no digit after '0x'",
            Self::LongHexadecimal => "hexadecimal number has more than 128 bits",
            Self::LongInteger => "integer has more digits than sys.get_int_max_str_digits() allows",
            Self::DecimalRange => "number has an exponent beyond the range of Decimal",
            Self::NotFinite => "NaN and Infinity are not accepted",
            Self::InexactInteger => "no double holds this integer",
            Self::NoMemory => "not enough memory",
        }
    }
}

/// A fault at a byte offset of the document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Error {
    /// What is wrong.
    pub kind: ErrorKind,
    /// The offset in bytes from the start of the document.
    pub offset: usize,
}

// Results of walks return in two registers.
const _: () = assert!(size_of::<Error>() == 2 * size_of::<usize>());

impl Error {
    /// A fault of `kind` at `offset`.
    #[cold]
    pub fn new(kind: ErrorKind, offset: usize) -> Self {
        Self { kind, offset }
    }

    /// The offset counted in characters, for a document that is UTF-8 up to that offset.
    pub fn char_offset(&self, document: &[u8]) -> usize {
        let end = self.offset.min(document.len());
        document[..end].iter().filter(|&&b| (b as i8) >= -64).count()
    }
}
