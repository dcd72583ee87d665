//! The body of a string with escapes, in: UTF-8 with every escape replaced (RFC 8259, 7).
//!
//! Separate from the grammar because it is the one part that produces text. Strings without
//! escapes never come here: `read` returns them as slices of the document. Most of a string is
//! read by blocks (`arch::generic::unescape`); what is here reads the end, and finds the faults.
//!
//! PERF: by blocks, loads is 1.27x as fast on twitterescaped.json, 1.6x on texts of escapes of both
//! kinds, 2.1x on short ones (3.11, AVX-512, 2026-11-21).

use crate::arch::generic::scan::string_run;
use crate::arch::generic::unescape::{HEX, NoMemory, code_of, unescape_blocks};
use crate::arch::{Task, Vector};
use crate::error::ErrorKind;

/// A fault and the offset where it stands.
type Fault = (ErrorKind, usize);

/// Where a string ends and what it holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unescaped {
    /// The offset after the closing quote.
    pub end: usize,
    /// Whether the text is ASCII.
    pub ascii: bool,
}

/// Reads a string body from `start` on, `plain` bytes of which need no escape, and appends it to
/// `text`. The byte after the plain ones is where the scan stopped.
#[inline(always)]
pub fn unescape<V: Vector>(
    bytes: &[u8],
    start: usize,
    plain: usize,
    plain_ascii: bool,
    text: &mut Vec<u8>,
) -> Result<Unescaped, Fault> {
    let mut ascii = plain_ascii;
    let mut at = start + plain;
    append(text, bytes.get(start..at).unwrap_or(&[]), at)?;
    loop {
        at = unescape_blocks::<V>(bytes, at, text, &mut ascii)
            .map_err(|NoMemory| (ErrorKind::NoMemory, at))?;
        // What stopped that, or the last bytes of the document.
        let rest = bytes.get(at..).unwrap_or(&[]);
        let run = string_run::<V>(rest);
        append(text, &rest[..run.len], at)?;
        ascii &= run.ascii;
        at += run.len;
        match bytes.get(at) {
            Some(b'\\') => {
                // Room for the four bytes that one escape makes at most.
                text.try_reserve(4).map_err(|_| (ErrorKind::NoMemory, at))?;
                at = escape(bytes, at, text, &mut ascii)?;
            }
            Some(b'"') => return Ok(Unescaped { end: at + 1, ascii }),
            _ => return Err((ErrorKind::ControlCharacter, at)),
        }
    }
}

/// [`unescape`] as a task, for outside the walk.
#[derive(Debug)]
pub struct Unescape<'a> {
    /// The document.
    pub bytes: &'a [u8],
    /// Where the body starts.
    pub start: usize,
    /// How many bytes of it need no escape.
    pub plain: usize,
    /// Whether these are ASCII.
    pub ascii: bool,
    /// What the text is appended to.
    pub text: &'a mut Vec<u8>,
}

impl Task for Unescape<'_> {
    type Output = Result<Unescaped, Fault>;

    #[inline(always)]
    fn run<V: Vector>(self) -> Self::Output {
        unescape::<V>(self.bytes, self.start, self.plain, self.ascii, self.text)
    }
}

#[inline(always)]
fn append(text: &mut Vec<u8>, part: &[u8], at: usize) -> Result<(), Fault> {
    text.try_reserve(part.len()).map_err(|_| (ErrorKind::NoMemory, at))?;
    text.extend_from_slice(part);
    Ok(())
}

/// Reads the escape at `at`, where its backslash stands, and returns the offset after it.
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

#[inline(always)]
fn unicode_escape(
    bytes: &[u8],
    at: usize,
    text: &mut Vec<u8>,
    ascii: &mut bool,
) -> Result<usize, Fault> {
    let (code, end) = code_point(bytes, at)?;
    *ascii &= code < 0x80;
    // Every code point that is no surrogate is a `char`.
    let char = char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER);
    text.extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes());
    Ok(end)
}

/// The code point of the escape at `at`, where `\u` stands, or two of them, and the offset after.
#[inline(always)]
fn code_point(bytes: &[u8], at: usize) -> Result<(u32, usize), Fault> {
    let high = hex(bytes, at + 2).ok_or((ErrorKind::InvalidEscape, at))?;
    match high {
        0xd800..=0xdbff => {
            let (Some(b'\\'), Some(b'u')) = (bytes.get(at + 6), bytes.get(at + 7)) else {
                return Err((ErrorKind::NoLowSurrogate, at));
            };
            let low = hex(bytes, at + 8).ok_or((ErrorKind::InvalidSurrogateEscape, at))?;
            if !(0xdc00..=0xdfff).contains(&low) {
                return Err((ErrorKind::InvalidLowSurrogate, at));
            }
            Ok((0x1_0000 + ((high - 0xd800) << 10) + (low - 0xdc00), at + 12))
        }
        0xdc00..=0xdfff => Err((ErrorKind::InvalidHighSurrogate, at)),
        code => Ok((code, at + 6)),
    }
}

/// The offset after the string whose text goes on at `start`, without making that text; and whether
/// the document's bytes up to there are ASCII, whatever the escapes stand for.
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
        // Where there is an escape, others follow.
        while bytes.get(at) == Some(&b'\\') {
            at = escape_end(bytes, at)?;
        }
    }
}

/// The offset after the escape at `at`, where its backslash stands.
#[inline(always)]
pub fn escape_end(bytes: &[u8], at: usize) -> Result<usize, Fault> {
    match bytes.get(at + 1) {
        Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => Ok(at + 2),
        Some(b'u') => Ok(code_point(bytes, at)?.1),
        _ => Err((ErrorKind::InvalidEscape, at)),
    }
}

/// The four hexadecimal digits at `at`.
#[inline(always)]
fn hex(bytes: &[u8], at: usize) -> Option<u32> {
    code_of(*bytes.get(at..)?.first_chunk()?)
}

/// Whether the document may only have been cut inside the escape at `at`, where a fault stands:
/// what is there is the beginning of a valid escape.
pub(crate) fn is_cut_escape(bytes: &[u8], at: usize) -> bool {
    let rest = bytes.get(at..).unwrap_or(&[]);
    let is_hex = |byte: &u8| HEX[usize::from(*byte)] < 16;
    match rest {
        [b'\\'] => true,
        [b'\\', b'u', digits @ ..] if rest.len() <= 5 => digits.iter().all(is_hex),
        [b'\\', b'u', a, b, c, d, low @ ..] if rest.len() <= 11 => {
            let surrogate = matches!(a, b'd' | b'D') && matches!(HEX[usize::from(*b)], 8..=15);
            surrogate && is_hex(c) && is_hex(d) && is_low_surrogate_prefix(low)
        }
        _ => false,
    }
}

/// Whether `low` begins like `\uDC00` to `\uDFFF` and has at most five bytes.
fn is_low_surrogate_prefix(low: &[u8]) -> bool {
    low.iter().enumerate().all(|(at, &byte)| match at {
        0 => byte == b'\\',
        1 => byte == b'u',
        2 => matches!(byte, b'd' | b'D'),
        3 => matches!(byte, b'c'..=b'f' | b'C'..=b'F'),
        _ => HEX[usize::from(byte)] < 16,
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
                // serde_json also refuses what is no UTF-8, which is found elsewhere here, and
                // text after the string.
                Err(_) => {
                    let short = ours.is_ok_and(|ours| ours.end < self.0.len());
                    assert!(ours.is_err() || short || String::from_utf8(text).is_err());
                }
            }
        }
    }

    #[test]
    fn escapes_of_every_kind_at_every_place() {
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
                // At the end of a document, and far from it, where blocks are read.
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
            place: usize,
            byte in 0u8..0x80,
        ) {
            let mut text = format!("\"{body}{}\"", "x".repeat(150)).into_bytes();
            let place = 1 + place % (text.len() - 2);
            text[place] = byte;
            for_each_tier(&AsSerdeJson(text));
        }
    }
}
