//! What can be wrong with a JSON document, and where.
//!
//! Separate because both the reader and the bindings speak it. Invariant: an [`Error`] is small
//! and `Copy`; nothing is formatted or counted until somebody asks. The message texts are those
//! that programs written for orjson already match on, so they are part of the contract and are
//! tested word for word from Python.

/// The kinds of fault a document can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// A value was expected and something else stands there.
    ExpectedValue,
    /// An object member must begin with a string.
    ExpectedKey,
    /// A member's name must be followed by a colon.
    ExpectedColon,
    /// After an array element only `,` or `]` may follow.
    ExpectedArrayEnd,
    /// After an object member only `,` or `}` may follow.
    ExpectedObjectEnd,
    /// The document stops in the middle of a value.
    UnexpectedEnd,
    /// The document holds nothing but white space.
    OnlySpace,
    /// Something other than white space follows the document.
    TrailingContent,
    /// A comma stands before a closing bracket.
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
    /// A backslash followed by none of RFC 8259's escapes.
    InvalidEscape,
    /// `\uDC00`-`\uDFFF` where a high surrogate would have to stand.
    InvalidHighSurrogate,
    /// A high surrogate without `\u` behind it.
    NoLowSurrogate,
    /// A high surrogate followed by a malformed `\u` escape.
    InvalidSurrogateEscape,
    /// A high surrogate followed by a `\u` escape that is no low surrogate.
    InvalidLowSurrogate,
    /// A raw character below U+0020 in a string.
    ControlCharacter,
    /// A word that begins like `true`.
    LiteralTrue,
    /// A word that begins like `false`.
    LiteralFalse,
    /// A word that begins like `null`.
    LiteralNull,
    /// More nested containers than the reader allows.
    Depth,
    /// The input is not UTF-8.
    InvalidUtf8,
    /// The input begins with a byte order mark.
    ByteOrderMark,
    /// The scratch space for a string could not be had.
    NoMemory,
}

impl ErrorKind {
    /// The message for people, without position.
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
            Self::NoMemory => "not enough memory",
        }
    }
}

/// A fault at a byte offset of the document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Error {
    /// What is wrong.
    pub kind: ErrorKind,
    /// Where, in bytes from the start of the document.
    pub offset: usize,
}

const _: () = assert!(size_of::<Error>() == 16);

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
