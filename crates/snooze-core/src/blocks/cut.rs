//! The token that the end of a block has cut, and how the next block continues it.
//!
//! Separate from `check`, whose walk sees whole tokens: this reads byte by byte, which one token in
//! a block needs. Invariant: of a token, at most the twelve bytes of an escape are kept. Used by
//! `check`.

use super::numeral::{Numeral, Step};
use crate::arch::Vector;
use crate::error::ErrorKind;
use crate::unescape::{escape_end, is_truncated_escape, string_end};

/// The longest escape: a surrogate pair.
const ESCAPE: usize = 12;

/// A fault: at an offset of the current block, or at the place that was marked before.
pub(super) type Stop = (ErrorKind, At);

/// Where a fault is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum At {
    /// An offset in the current block.
    Here(usize),
    /// So many bytes after the mark: where the token begins that is cut, or the comma before white
    /// space.
    Mark(usize),
}

/// What the end of a block has cut.
#[expect(clippy::large_enum_variant, reason = "there is one for a document; nothing is allocated")]
#[derive(Debug)]
pub(super) enum Cut {
    /// Nothing.
    No,
    /// A string, between two characters of its body.
    String,
    /// An escape in a string, with its first bytes.
    Escape([u8; ESCAPE], usize),
    /// A literal, of which so many bytes were read.
    Literal(&'static [u8], ErrorKind, usize),
    /// A number.
    Number(Numeral),
    /// What may be a byte order mark.
    ByteOrderMark(usize),
}

/// How far a block continues a token.
#[derive(Debug)]
pub(super) enum Continued {
    /// To this offset: a value, or a name, is complete.
    Whole(usize),
    /// The whole block belongs to it, and more; if the block cuts an escape, this is its offset.
    Cut(Option<usize>),
}

/// How far a string goes whose body, or the rest of it, begins at `at`.
#[inline(always)]
pub(super) fn string<V: Vector>(block: &[u8], at: usize) -> Result<Result<usize, Broken>, Stop> {
    match string_end::<V>(block, at) {
        Ok(read) => Ok(Ok(read.end)),
        Err((ErrorKind::ControlCharacter, at)) if at >= block.len() => Ok(Err(Broken::Plain)),
        Err((ErrorKind::ControlCharacter, at)) => Err((ErrorKind::ControlCharacter, At::Here(at))),
        Err((_, at)) if block.len() - at < ESCAPE => Ok(Err(Broken::Escape(at))),
        Err((kind, at)) => Err((kind, At::Here(at))),
    }
}

/// Where the end of a block cuts a string.
#[derive(Clone, Copy, Debug)]
pub(super) enum Broken {
    /// Between two characters.
    Plain,
    /// In the escape at this offset, or soon after it.
    Escape(usize),
}

impl Cut {
    /// The cut in an escape that begins with these bytes.
    pub(super) fn in_escape(bytes: &[u8]) -> Self {
        let mut kept = [0; ESCAPE];
        for (target, byte) in kept.iter_mut().zip(bytes) {
            *target = *byte;
        }
        Self::Escape(kept, bytes.len().min(ESCAPE))
    }

    /// The cut in a number that begins with these bytes, which are all of it so far.
    pub(super) fn in_number(bytes: &[u8]) -> Self {
        let mut numeral = Numeral::new();
        for &byte in bytes {
            numeral.step(byte);
        }
        Self::Number(numeral)
    }

    /// Continues the token with a block. `bounded`: a number beyond the range of a double is a
    /// fault.
    #[inline(always)]
    pub(super) fn proceed<V: Vector>(
        &mut self,
        block: &[u8],
        bounded: bool,
    ) -> Result<Continued, Stop> {
        let mut at = 0;
        loop {
            match self {
                Self::No => return Ok(Continued::Whole(at)),
                Self::String => match string::<V>(block, at)? {
                    Ok(end) => {
                        *self = Self::No;
                        return Ok(Continued::Whole(end));
                    }
                    Err(Broken::Plain) => return Ok(Continued::Cut(None)),
                    Err(Broken::Escape(start)) => {
                        *self = Self::in_escape(block.get(start..).unwrap_or(&[]));
                        return Ok(Continued::Cut(Some(start)));
                    }
                },
                Self::Escape(kept, len) => {
                    if !complete_escape(kept, len, block, &mut at)? {
                        return Ok(Continued::Cut(None));
                    }
                    *self = Self::String;
                }
                Self::Literal(word, kind, read) => {
                    while let Some(expected) = word.get(*read) {
                        match block.get(at) {
                            None => return Ok(Continued::Cut(None)),
                            Some(byte) if byte == expected => at += 1,
                            Some(_) => return Err((*kind, At::Mark(0))),
                        }
                        *read += 1;
                    }
                    *self = Self::No;
                }
                Self::Number(numeral) => {
                    let Some(&byte) = block.get(at) else { return Ok(Continued::Cut(None)) };
                    match numeral.step(byte) {
                        Step::Part => at += 1,
                        Step::Fault(kind) => return Err((kind, At::Here(at))),
                        Step::LeadingZero(sign) => {
                            return Err((ErrorKind::LeadingZero, At::Mark(sign)));
                        }
                        Step::End if bounded && numeral.is_infinite() => {
                            return Err((ErrorKind::Infinity, At::Mark(0)));
                        }
                        Step::End => *self = Self::No,
                    }
                }
                Self::ByteOrderMark(read) => {
                    let Some(&byte) = block.get(at) else { return Ok(Continued::Cut(None)) };
                    if Some(&byte) != b"\xef\xbb\xbf".get(*read) {
                        return Err((ErrorKind::ExpectedValue, At::Mark(0)));
                    }
                    at += 1;
                    *read += 1;
                    if *read == 3 {
                        return Err((ErrorKind::ByteOrderMark, At::Mark(0)));
                    }
                }
            }
        }
    }

    /// The fault if the document ends here; `None` if the token is complete.
    pub(super) fn at_end(&self, bounded: bool) -> Option<Stop> {
        // The next block, which there is none of, would begin here.
        let truncated = Some((ErrorKind::UnexpectedEnd, At::Here(0)));
        match self {
            Self::No => None,
            Self::String | Self::Literal(..) => truncated,
            Self::Escape(kept, len) => {
                let bytes = kept.get(..*len).unwrap_or(&[]);
                match escape_end(bytes, 0) {
                    Err((kind, _)) if !is_truncated_escape(bytes, 0) => Some((kind, At::Mark(0))),
                    _ => truncated,
                }
            }
            Self::Number(numeral) if !numeral.is_complete() => truncated,
            Self::Number(numeral) if bounded && numeral.is_infinite() => {
                Some((ErrorKind::Infinity, At::Mark(0)))
            }
            Self::Number(_) => None,
            Self::ByteOrderMark(_) => Some((ErrorKind::ExpectedValue, At::Mark(0))),
        }
    }
}

/// Takes bytes until the escape is complete; returns whether it is, or the block ends before.
fn complete_escape(
    kept: &mut [u8; ESCAPE],
    len: &mut usize,
    block: &[u8],
    at: &mut usize,
) -> Result<bool, Stop> {
    loop {
        let bytes = kept.get(..*len).unwrap_or(&[]);
        let fault = match escape_end(bytes, 0) {
            Ok(_) => return Ok(true),
            Err((kind, _)) => kind,
        };
        // Which fault it is may depend on all bytes that an escape can have.
        let is_unicode = matches!(bytes, [b'\\'] | [b'\\', b'u', ..]);
        if !is_unicode || *len == ESCAPE {
            return Err((fault, At::Mark(0)));
        }
        let (Some(&byte), Some(place)) = (block.get(*at), kept.get_mut(*len)) else {
            return Ok(false);
        };
        *place = byte;
        *len += 1;
        *at += 1;
    }
}
