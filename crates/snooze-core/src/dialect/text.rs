//! The body of a string: JSON5's quotes and escapes, and escapes of lone surrogates.
//!
//! Separate from `unescape`, which reads the strings of JSON by vectors: this reads what that does
//! not, a byte at a time where there are escapes. Invariant: the text is UTF-8 where the document
//! is, except for surrogates that [`Surrogates::Keep`] keeps; then the document's own bytes have
//! been checked, so that only escapes can bring surrogates.

use super::rules::{Rules, Surrogates};
use super::space::unicode_line;
use crate::arch::generic::unescape::hex_value;
use crate::error::ErrorKind;

/// A fault and its offset.
type Fault = (ErrorKind, usize);

/// What was read, and where it ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextEnd {
    /// The offset after the closing quote.
    pub end: usize,
    /// Whether the text has surrogates.
    pub surrogates: bool,
}

/// Reads the string whose body begins at `start` and ends with `quote`; appends it to `text`.
///
/// # Errors
/// The faults of JSON's strings, at the offsets that they have there.
pub fn read_text(
    bytes: &[u8],
    start: usize,
    quote: u8,
    rules: Rules,
    text: &mut Vec<u8>,
) -> Result<TextEnd, Fault> {
    let (mut at, mut surrogates) = (start, false);
    loop {
        let rest = bytes.get(at..).unwrap_or(&[]);
        let ends = |&byte: &u8| byte == quote || byte == b'\\' || byte < 0x20;
        let plain = &rest[..rest.iter().position(ends).unwrap_or(rest.len())];
        if rules.surrogates == Surrogates::Keep && core::str::from_utf8(plain).is_err() {
            return Err((ErrorKind::InvalidUtf8, at));
        }
        append(text, plain, at)?;
        at += plain.len();
        match bytes.get(at) {
            Some(&byte) if byte == quote => return Ok(TextEnd { end: at + 1, surrogates }),
            Some(b'\\') => at = escape(bytes, at, rules, text, &mut surrogates)?,
            Some(&byte) if rules.is_json5() && !matches!(byte, b'\n' | b'\r') => {
                append(text, &[byte], at)?;
                at += 1;
            }
            _ => return Err((ErrorKind::ControlCharacter, at)),
        }
    }
}

/// Appends `part`, which begins at `at`, to `text`.
pub(super) fn append(text: &mut Vec<u8>, part: &[u8], at: usize) -> Result<(), Fault> {
    text.try_reserve(part.len()).map_err(|_| (ErrorKind::NoMemory, at))?;
    text.extend_from_slice(part);
    Ok(())
}

/// Appends a character.
pub(super) fn append_char(text: &mut Vec<u8>, char: char, at: usize) -> Result<(), Fault> {
    append(text, char.encode_utf8(&mut [0; 4]).as_bytes(), at)
}

/// Appends what the escape at `at` means; returns the offset after it.
fn escape(
    bytes: &[u8],
    at: usize,
    rules: Rules,
    text: &mut Vec<u8>,
    surrogates: &mut bool,
) -> Result<usize, Fault> {
    let invalid = Err((ErrorKind::InvalidEscape, at));
    let Some(&letter) = bytes.get(at + 1) else { return invalid };
    let char = match letter {
        b'"' | b'\\' | b'/' => letter,
        b'b' => 8,
        b'f' => 12,
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'u' => return unicode_escape(bytes, at, rules, text, surrogates),
        _ if !rules.is_json5() => return invalid,
        b'v' => 11,
        b'0' if !bytes.get(at + 2).is_some_and(u8::is_ascii_digit) => 0,
        b'0'..=b'9' => return invalid,
        b'x' => {
            let Some(&[high, low]) = bytes.get(at + 2..).and_then(|rest| rest.first_chunk()) else {
                return invalid;
            };
            let Some(code) = hex_value([b'0', b'0', high, low]) else { return invalid };
            append_char(text, char::from_u32(code).unwrap_or_default(), at)?;
            return Ok(at + 4);
        }
        // An escaped line break is no part of the text.
        b'\r' if bytes.get(at + 2) == Some(&b'\n') => return Ok(at + 3),
        b'\r' | b'\n' => return Ok(at + 2),
        0xe2 if unicode_line(bytes, at + 1) > 0 => return Ok(at + 4),
        // Any other character means itself. One that is not ASCII is plain, all of its bytes.
        0x80.. => return Ok(at + 1),
        _ => letter,
    };
    append(text, &[char], at)?;
    Ok(at + 2)
}

/// Appends the character of the `\u` escape at `at`, or of the two of a surrogate pair; returns the
/// offset after it.
fn unicode_escape(
    bytes: &[u8],
    at: usize,
    rules: Rules,
    text: &mut Vec<u8>,
    surrogates: &mut bool,
) -> Result<usize, Fault> {
    let unit = hex_at(bytes, at + 2).ok_or((ErrorKind::InvalidEscape, at))?;
    if let Some(char) = char::from_u32(unit) {
        append_char(text, char, at)?;
        return Ok(at + 6);
    }
    let follows = bytes.get(at + 6..at + 8) == Some(br"\u");
    let low = if follows { hex_at(bytes, at + 8) } else { None };
    if unit < 0xdc00
        && let Some(low @ 0xdc00..=0xdfff) = low
    {
        let code = 0x1_0000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
        append_char(text, char::from_u32(code).unwrap_or_default(), at)?;
        return Ok(at + 12);
    }
    match rules.surrogates {
        Surrogates::Error => {
            let kind = match (unit < 0xdc00, follows, low) {
                (false, ..) => ErrorKind::InvalidHighSurrogate,
                (true, false, _) => ErrorKind::NoLowSurrogate,
                (true, true, None) => ErrorKind::InvalidSurrogateEscape,
                (true, true, Some(_)) => ErrorKind::InvalidLowSurrogate,
            };
            return Err((kind, at));
        }
        Surrogates::Replace => append_char(text, char::REPLACEMENT_CHARACTER, at)?,
        Surrogates::Keep => {
            let [high, low] = (unit as u16).to_be_bytes();
            let wtf8 = [0xed, 0x80 | (high & 0x0f) << 2 | low >> 6, 0x80 | low & 0x3f];
            append(text, &wtf8, at)?;
            *surrogates = true;
        }
    }
    Ok(at + 6)
}

/// The value of the four hexadecimal digits at `at`.
pub(super) fn hex_at(bytes: &[u8], at: usize) -> Option<u32> {
    hex_value(*bytes.get(at..)?.first_chunk()?)
}
