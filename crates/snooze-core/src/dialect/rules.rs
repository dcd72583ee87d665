//! What a reader accepts beyond RFC 8259.
//!
//! Separate because every file of this folder asks. Invariant: [`Rules::default`] is JSON, nothing
//! more.

/// The grammar of a document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Syntax {
    /// JSON (RFC 8259).
    #[default]
    Json,
    /// JSON with comments, `//` and `/* */`, and with a comma after the last item or member.
    Jsonc,
    /// JSON5 1.0.0 (spec.json5.org).
    Json5,
}

/// What becomes of an escape of half a surrogate pair, such as `\ud800`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Surrogates {
    /// It is a fault.
    #[default]
    Error,
    /// It becomes U+FFFD.
    Replace,
    /// It becomes three bytes as of UTF-8, which no UTF-8 has (WTF-8).
    Keep,
}

/// What a reader accepts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rules {
    /// The grammar.
    pub syntax: Syntax,
    /// Escapes of lone surrogates.
    pub surrogates: Surrogates,
    /// Whether `NaN`, `Infinity` and `-Infinity` are numbers.
    pub constants: bool,
}

impl Rules {
    /// Whether comments and trailing commas are accepted.
    #[inline(always)]
    pub fn has_comments(self) -> bool {
        self.syntax != Syntax::Json
    }

    /// Whether the grammar is that of JSON5.
    #[inline(always)]
    pub(super) fn is_json5(self) -> bool {
        self.syntax == Syntax::Json5
    }
}
