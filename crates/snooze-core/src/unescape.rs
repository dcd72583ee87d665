//! Reads the body of a string with escapes: UTF-8 with every escape replaced (RFC 8259, section 7).
//!
//! Separate from the grammar in `read` because only this produces text: `read` returns strings
//! without escapes as slices of the document. The kernel `arch::generic::unescape` reads most of a
//! string; this reads its end and reports the faults. Invariant: the text grows only by valid
//! escapes and plain characters. Called by `read`.
//!
//! PERF: with the kernel, loads is 1.27x as fast on twitterescaped.json, 1.6x on texts of escapes
//! of both kinds, 2.1x on short escapes (3.11, AVX-512, 2026-11-21).

use crate::arch::generic::scan::string_run;
use crate::arch::generic::unescape::{HEX_VALUES, NoMemory, hex_value, unescape_blocks};
use crate::arch::{Task, Vector};
use crate::error::ErrorKind;

/// A fault and its offset.
type Fault = (ErrorKind, usize);

/// The end of a string, and its kind of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unescaped {
    /// The offset after the closing quote.
    pub end: usize,
    /// Whether the text is ASCII.
    pub ascii: bool,
}

/// Reads the string body at `start` and appends it to `text`. Its first `plain_len` bytes are
/// plain, and the byte after them is not.
#[inline(always)]
pub fn unescape<V: Vector>(
    bytes: &[u8],
    start: usize,
    plain_len: usize,
    plain_ascii: bool,
    text: &mut Vec<u8>,
) -> Result<Unescaped, Fault> {
    let mut ascii = plain_ascii;
    let mut at = start + plain_len;
    append(text, bytes.get(start..at).unwrap_or(&[]), at)?;
    loop {
        at = unescape_blocks::<V>(bytes, at, text, &mut ascii)
            .map_err(|NoMemory| (ErrorKind::NoMemory, at))?;
        // The byte that stopped the kernel, or the last bytes of the document.
        let rest = bytes.get(at..).unwrap_or(&[]);
        let run = string_run::<V>(rest);
        append(text, &rest[..run.len], at)?;
        ascii &= run.ascii;
        at += run.len;
        match bytes.get(at) {
            Some(b'\\') => {
                // One escape yields at most four bytes.
                text.try_reserve(4).map_err(|_| (ErrorKind::NoMemory, at))?;
                at = escape(bytes, at, text, &mut ascii)?;
            }
            Some(b'"') => return Ok(Unescaped { end: at + 1, ascii }),
            _ => return Err((ErrorKind::ControlCharacter, at)),
        }
    }
}

/// [`unescape`] as a task that the walk calls instead of inlining.
#[derive(Debug)]
pub struct Unescape<'a> {
    /// The document.
    pub bytes: &'a [u8],
    /// The offset of the body.
    pub start: usize,
    /// The number of plain bytes that it begins with.
    pub plain_len: usize,
    /// Whether these are ASCII.
    pub ascii: bool,
    /// The text is appended to this.
    pub text: &'a mut Vec<u8>,
}

impl Task for Unescape<'_> {
    type Output = Result<Unescaped, Fault>;

    #[inline(always)]
    fn with_vectors<V: Vector>(self) -> Self::Output {
        unescape::<V>(self.bytes, self.start, self.plain_len, self.ascii, self.text)
    }
}

/// Appends `part`, which begins at `at`, to `text`.
#[inline(always)]
fn append(text: &mut Vec<u8>, part: &[u8], at: usize) -> Result<(), Fault> {
    text.try_reserve(part.len()).map_err(|_| (ErrorKind::NoMemory, at))?;
    text.extend_from_slice(part);
    Ok(())
}

/// Appends the character of the escape whose backslash is at `at`; returns the offset after it.
#[inline(always)]
fn escape(bytes: &[u8], at: usize, text: &mut Vec<u8>, ascii: &mut bool) -> Result<usize, Fault> {
    let char = match bytes.get(at + 1) {
        Some(b'"') => b'"',
        Some(b'\\') => b'\\',
        Some(b'/') => b'/',
        Some(b'b') => 8,
        Some(b'f') => 12,
        Some(b'n') => b'\n',
        Some(b'r') => b'\r',
        Some(b't') => b'\t',
        Some(b'u') => return unicode_escape(bytes, at, text, ascii),
        _ => return Err((ErrorKind::InvalidEscape, at)),
    };
    text.push(char);
    Ok(at + 2)
}

/// Appends the character of the `\u` escape at `at`; returns the offset after it.
#[inline(always)]
fn unicode_escape(
    bytes: &[u8],
    at: usize,
    text: &mut Vec<u8>,
    ascii: &mut bool,
) -> Result<usize, Fault> {
    let (code, end) = code_point(bytes, at)?;
    *ascii &= code < 0x80;
    // Every code point except the surrogates is a `char`.
    let char = char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER);
    text.extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes());
    Ok(end)
}

/// The code point of the `\u` escape at `at`, or of the two escapes of a surrogate pair, and the
/// offset after it.
#[inline(always)]
fn code_point(bytes: &[u8], at: usize) -> Result<(u32, usize), Fault> {
    let high = hex_at(bytes, at + 2).ok_or((ErrorKind::InvalidEscape, at))?;
    match high {
        0xd800..=0xdbff => {
            let (Some(b'\\'), Some(b'u')) = (bytes.get(at + 6), bytes.get(at + 7)) else {
                return Err((ErrorKind::NoLowSurrogate, at));
            };
            let low = hex_at(bytes, at + 8).ok_or((ErrorKind::InvalidSurrogateEscape, at))?;
            if !(0xdc00..=0xdfff).contains(&low) {
                return Err((ErrorKind::InvalidLowSurrogate, at));
            }
            Ok((0x1_0000 + ((high - 0xd800) << 10) + (low - 0xdc00), at + 12))
        }
        0xdc00..=0xdfff => Err((ErrorKind::InvalidHighSurrogate, at)),
        code => Ok((code, at + 6)),
    }
}

/// Finds the end of the string body at `start` without producing its text. `ascii` is about the
/// bytes of the document, not about the characters that its escapes mean.
#[inline(always)]
pub fn string_end<V: Vector>(bytes: &[u8], start: usize) -> Result<Unescaped, Fault> {
    let (mut at, mut ascii) = (start, true);
    loop {
        let run = string_run::<V>(bytes.get(at..).unwrap_or(&[]));
        ascii &= run.ascii;
        at += run.len;
        match bytes.get(at) {
            Some(b'"') => return Ok(Unescaped { end: at + 1, ascii }),
            Some(b'\\') => {}
            _ => return Err((ErrorKind::ControlCharacter, at)),
        }
        // Escapes usually come in runs.
        while bytes.get(at) == Some(&b'\\') {
            at = escape_end(bytes, at)?;
        }
    }
}

/// The offset after the escape whose backslash is at `at`.
#[inline(always)]
pub fn escape_end(bytes: &[u8], at: usize) -> Result<usize, Fault> {
    match bytes.get(at + 1) {
        Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => Ok(at + 2),
        Some(b'u') => Ok(code_point(bytes, at)?.1),
        _ => Err((ErrorKind::InvalidEscape, at)),
    }
}

/// The value of the four hexadecimal digits at `at`.
#[inline(always)]
fn hex_at(bytes: &[u8], at: usize) -> Option<u32> {
    hex_value(*bytes.get(at..)?.first_chunk()?)
}

/// Whether the document ends inside the faulty escape at `at`, and further bytes could make it
/// valid.
pub(crate) fn is_truncated_escape(bytes: &[u8], at: usize) -> bool {
    let rest = bytes.get(at..).unwrap_or(&[]);
    let is_hex = |byte: &u8| HEX_VALUES[usize::from(*byte)] < 16;
    match rest {
        [b'\\'] => true,
        [b'\\', b'u', digits @ ..] if rest.len() <= 5 => digits.iter().all(is_hex),
        [b'\\', b'u', a, b, c, d, low @ ..] if rest.len() <= 11 => {
            let surrogate =
                matches!(a, b'd' | b'D') && matches!(HEX_VALUES[usize::from(*b)], 8..=15);
            surrogate && is_hex(c) && is_hex(d) && is_low_surrogate_prefix(low)
        }
        _ => false,
    }
}

/// Whether `low`, of at most five bytes, can become an escape from `\uDC00` to `\uDFFF`.
fn is_low_surrogate_prefix(low: &[u8]) -> bool {
    low.iter().enumerate().all(|(at, &byte)| match at {
        0 => byte == b'\\',
        1 => byte == b'u',
        2 => matches!(byte, b'd' | b'D'),
        3 => matches!(byte, b'c'..=b'f' | b'C'..=b'F'),
        _ => HEX_VALUES[usize::from(byte)] < 16,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arch::testing::{TierTest, for_each_tier};

    struct AsSerdeJson(Vec<u8>);

    impl TierTest for AsSerdeJson {
        fn check<V: Vector>(&self) {
            let run = string_run::<V>(&self.0[1..]);
            let mut text = Vec::new();
            let ours = unescape::<V>(&self.0, 1, run.len, run.ascii, &mut text);
            let end = string_end::<V>(&self.0, 1);
            assert_eq!(end.map(|end| end.end), ours.map(|ours| ours.end));
            if let Ok(Unescaped { end, ascii }) = end {
                assert_eq!(ascii, self.0[..end].is_ascii());
            }
            let theirs: Result<String, _> = serde_json::from_slice(&self.0);
            match theirs {
                Ok(theirs) => {
                    assert_eq!(String::from_utf8(text).unwrap(), theirs);
                    let ascii = theirs.is_ascii();
                    assert_eq!(ours, Ok(Unescaped { end: self.0.len(), ascii }));
                }
                // serde_json also refuses invalid UTF-8, which this does not check, and text after
                // the string.
                Err(_) => {
                    let has_rest = ours.is_ok_and(|ours| ours.end < self.0.len());
                    assert!(ours.is_err() || has_rest || String::from_utf8(text).is_err());
                }
            }
        }
    }

    #[test]
    fn escapes_of_every_kind_at_every_position() {
        let escapes = [
            "\\\"",
            "\\\\",
            "\\/",
            "\\b",
            "\\f",
            "\\n",
            "\\r",
            "\\t",
            "\\u0000",
            "\\u00e9",
            "\\u8A9E",
            "\\uD83D\\uDE00",
            "\\ud800",
            "\\udc00",
            "\\ud800\\u0041",
            "\\u12g4",
            "\\x",
            "\\u123",
            "\\U1234",
            "\u{1}",
        ];
        for escape in escapes {
            for before in 0..70 {
                // Near the end of the document, and far from it, where the kernel runs.
                for after in ["z".to_owned(), "\u{e9}".repeat(100), escape.repeat(30) + "\\n"] {
                    let text = format!("\"{}{escape}{escape}{after}\"", "a".repeat(before));
                    for_each_tier(&AsSerdeJson(text.into_bytes()));
                }
            }
        }
    }

    proptest::proptest! {
        #[test]
        fn random_bodies(body in "([ -~é語]|\\\\[bfnrtu\"/\\\\]|\\\\u[0-9a-fA-F]{4}|\\\\ud8[0-9a-f]{2}\\\\udc[0-9a-f]{2}){0,60}") {
            for_each_tier(&AsSerdeJson(format!("\"{body}\"").into_bytes()));
            for_each_tier(&AsSerdeJson(format!("\"{body}{}\"", "x".repeat(150)).into_bytes()));
        }

        #[test]
        fn damaged_bodies(
            body in "([ -~é語]|\\\\[bfnrtu\"/\\\\]|\\\\u[0-9a-fA-F]{4}|\\\\ud8[0-9a-f]{2}\\\\udc[0-9a-f]{2}){20,60}",
            position: usize,
            byte in 0u8..0x80,
        ) {
            let mut text = format!("\"{body}{}\"", "x".repeat(150)).into_bytes();
            let position = 1 + position % (text.len() - 2);
            text[position] = byte;
            for_each_tier(&AsSerdeJson(text));
        }
    }
}
