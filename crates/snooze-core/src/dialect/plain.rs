//! A document of a dialect as JSON: for readers that know JSON only, such as typed decoding.
//!
//! Separate from `rewrite`, whose input is JSON. Invariants: the result is one JSON document
//! without white space, with the same values, if the document has no fault; no number loses a
//! digit; time and memory are linear, but for the hexadecimal numbers, which have at most 128 bits.

use super::numeral::{Numeral, NumeralKind};
use super::reader::DialectReader;
use super::rules::Rules;
use super::text::append;
use crate::arch::Vector;
use crate::error::{Error, ErrorKind};
use crate::read::MAX_DEPTH;

/// Offsets in the result whose origins are wanted.
#[derive(Debug, Default)]
pub struct Origins<'a> {
    /// Ascending offsets in the result.
    pub wanted: &'a [usize],
    /// The offset in the document of each: of the token that it is in.
    pub found: Vec<usize>,
    /// The offset in the document of the token before.
    last: usize,
}

impl<'a> Origins<'a> {
    /// Asks for the origins of these offsets.
    pub fn of(wanted: &'a [usize]) -> Self {
        Self { wanted, found: Vec::new(), last: 0 }
    }

    /// Notes that a token of the document at `source` is about to be written at `start`.
    #[inline(always)]
    fn note(&mut self, start: usize, source: usize) -> Result<(), Error> {
        // Offsets before this token belong to the one before it.
        while self.wanted.get(self.found.len()).is_some_and(|&wanted| wanted < start) {
            self.found.try_reserve(1).map_err(|_| Error::new(ErrorKind::NoMemory, source))?;
            self.found.push(self.last);
        }
        self.last = source;
        Ok(())
    }
}

/// Writes a document as JSON, and finds the origins of offsets in it.
///
/// # Errors
/// The faults of the document; numbers that JSON does not have; more than [`MAX_DEPTH`] levels.
pub fn to_plain<V: Vector>(
    bytes: &[u8],
    rules: Rules,
    out: &mut Vec<u8>,
    origins: &mut Origins<'_>,
) -> Result<(), Error> {
    let mut reader = DialectReader::<V>::new(bytes, rules)?;
    let mut scratch = Vec::new();
    // Whether each open container is an object.
    let mut open: Vec<bool> = Vec::new();
    let no_memory = |(kind, at)| Error::new(kind, at);
    loop {
        let mut byte = reader.token()?;
        if open.last() == Some(&true) {
            let at = reader.offset();
            origins.note(out.len(), at)?;
            let piece = reader.name(&mut scratch)?;
            write_string(piece.text.bytes, out, at)?;
            append(out, b":", at).map_err(no_memory)?;
            byte = reader.token()?;
        }
        let at = reader.offset();
        origins.note(out.len(), at)?;
        match byte {
            b'{' | b'[' => {
                reader.consume();
                if open.len() >= MAX_DEPTH {
                    return Err(reader.too_deep());
                }
                append(out, &[byte], at).map_err(no_memory)?;
                // The closing bracket follows two places after the opening one in ASCII.
                if reader.token()? != byte + 2 {
                    open.try_reserve(1).map_err(|_| Error::new(ErrorKind::NoMemory, at))?;
                    open.push(byte == b'{');
                    continue;
                }
                origins.note(out.len(), reader.offset())?;
                reader.consume();
                append(out, &[byte + 2], at).map_err(no_memory)?;
            }
            b't' | b'f' | b'n' => {
                reader.literal(byte)?;
                append(out, reader.span_from(at), at).map_err(no_memory)?;
            }
            _ if reader.is_quote(byte) => {
                let piece = reader.string(&mut scratch)?;
                write_string(piece.text.bytes, out, at)?;
            }
            _ if reader.begins_number(byte) => {
                let numeral = reader.numeral(&mut scratch)?;
                write_number(numeral, out, at)?;
            }
            _ => return Err(reader.no_value()),
        }
        loop {
            let Some(&is_object) = open.last() else {
                reader.finish()?;
                return origins.note(usize::MAX, reader.offset());
            };
            let close = if is_object { b'}' } else { b']' };
            let mut byte = reader.token()?;
            let comma = reader.offset();
            if byte == b',' {
                reader.consume();
                if reader.allows_trailing_comma() {
                    byte = reader.token()?;
                }
                if byte != close || !reader.allows_trailing_comma() {
                    origins.note(out.len(), comma)?;
                    append(out, b",", comma).map_err(no_memory)?;
                    break;
                }
            }
            if byte != close {
                return Err(reader.no_end(is_object));
            }
            origins.note(out.len(), reader.offset())?;
            reader.consume();
            append(out, &[close], comma).map_err(no_memory)?;
            open.pop();
        }
    }
}

/// Writes a string.
#[inline(never)]
fn write_string(text: &[u8], out: &mut Vec<u8>, at: usize) -> Result<(), Error> {
    let no_memory = |_| Error::new(ErrorKind::NoMemory, at);
    out.try_reserve(text.len() + 2).map_err(no_memory)?;
    out.push(b'"');
    let mut rest = text;
    loop {
        let is_escaped = |&byte: &u8| byte < 0x20 || byte == b'"' || byte == b'\\';
        let len = rest.iter().position(is_escaped).unwrap_or(rest.len());
        // Of one escape, and of the closing quote.
        out.try_reserve(len + 7).map_err(no_memory)?;
        out.extend_from_slice(&rest[..len]);
        let Some(&byte) = rest.get(len) else { break };
        if byte < 0x20 {
            let digit = |value: u8| b"0123456789abcdef"[usize::from(value & 15)];
            out.extend_from_slice(b"\\u00");
            out.extend_from_slice(&[digit(byte >> 4), digit(byte)]);
        } else {
            out.extend_from_slice(&[b'\\', byte]);
        }
        rest = &rest[len + 1..];
    }
    out.push(b'"');
    Ok(())
}

/// Writes a number.
#[inline(never)]
fn write_number(numeral: Numeral<'_>, out: &mut Vec<u8>, at: usize) -> Result<(), Error> {
    let no_memory = |(kind, at)| Error::new(kind, at);
    match numeral.kind {
        NumeralKind::Integer | NumeralKind::Decimal => {
            append(out, numeral.text, at).map_err(no_memory)
        }
        NumeralKind::Hexadecimal => {
            let digits = numeral.text.strip_prefix(b"-").unwrap_or(numeral.text);
            let significant = digits.iter().position(|&digit| digit != b'0');
            let significant = significant.and_then(|start| digits.get(start..)).unwrap_or(&[]);
            if significant.len() > 32 {
                return Err(Error::new(ErrorKind::LongHexadecimal, at));
            }
            let value = significant.iter().fold(0u128, |value, &digit| {
                value << 4 | u128::from((digit as char).to_digit(16).unwrap_or(0))
            });
            if digits.len() < numeral.text.len() {
                append(out, b"-", at).map_err(no_memory)?;
            }
            // A number of 128 bits has at most 39 digits.
            let (mut text, mut start, mut rest) = ([0; 39], 39, value);
            loop {
                start -= 1;
                text[start] = b'0' + (rest % 10) as u8;
                rest /= 10;
                if rest == 0 {
                    break;
                }
            }
            append(out, &text[start..], at).map_err(no_memory)
        }
        NumeralKind::NotANumber | NumeralKind::Infinity | NumeralKind::NegativeInfinity => {
            Err(Error::new(ErrorKind::NotFinite, at))
        }
    }
}
