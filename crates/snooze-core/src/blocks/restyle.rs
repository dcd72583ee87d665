//! The text of a document in another style, from block to block.
//!
//! Separate from `rewrite`, which has the whole text and needs no state. Invariants: the same text
//! as `rewrite::restyle` for every document, however it is cut; some text for what is no document;
//! linear time. Called by snooze-py, with blocks that a [`Checker`](super::Checker) saw.

use crate::arch::Vector;
use crate::arch::generic::scan::string_run;
use crate::out::{Buffer, NoMemory, Out, Style, WhiteSpace};
use crate::read::MAX_DEPTH;
use crate::rewrite::{after_space, copy, scalar_end, write_string};

/// Where the end of a block cuts a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Inside {
    /// Between two tokens.
    Nothing,
    /// After an opening bracket: the container may be empty.
    Opened(u8),
    /// In a number or a literal.
    Scalar,
    /// In a string.
    String,
    /// In a string, after a backslash.
    Escape,
}

/// A document as far as it has been written.
#[derive(Debug)]
pub struct Restyler {
    style: Style,
    /// The indentation, if it is all spaces or all tabs.
    space: Option<WhiteSpace>,
    inside: Inside,
    depth: usize,
    /// The first bytes of a character whose rest is in the next block; only where it is escaped.
    begun: [u8; 4],
    begun_len: usize,
}

impl Restyler {
    /// Nothing has been written.
    pub fn new(style: Style) -> Self {
        let space = style.indent.and_then(|indent| indent.white_space());
        let inside = Inside::Nothing;
        Self { style, space, inside, depth: 0, begun: [0; 4], begun_len: 0 }
    }

    /// Writes a block from `at` on, until the output has `limit` bytes and a little more; returns
    /// the offset where the next call goes on.
    ///
    /// # Errors
    /// If no memory is left.
    #[inline(always)]
    pub fn feed<V: Vector, B: Buffer>(
        &mut self,
        block: &[u8],
        mut at: usize,
        out: &mut Out<'_, B>,
        limit: usize,
    ) -> Result<usize, NoMemory> {
        while let Some(&byte) = block.get(at)
            && out.len() < limit
        {
            match self.inside {
                Inside::Nothing => {}
                Inside::Opened(open) => {
                    at = after_space::<V>(block, at);
                    let Some(&byte) = block.get(at) else { break };
                    self.inside = Inside::Nothing;
                    if byte == open + 2 {
                        out.byte(byte)?;
                        at += 1;
                        continue;
                    }
                    self.deeper(out)?;
                    continue;
                }
                Inside::Scalar => {
                    // One byte before, as that function expects.
                    let end = if ends_scalar(byte) { at } else { scalar_end(block, at) };
                    copy(block, at, end, out)?;
                    at = end;
                    if at < block.len() {
                        self.inside = Inside::Nothing;
                    }
                    continue;
                }
                Inside::String => {
                    at = self.string::<V, B>(block, at, at, out)?;
                    continue;
                }
                Inside::Escape => {
                    // In a text that is no JSON, any character may follow a backslash.
                    self.inside = Inside::String;
                    self.body(block.get(at..=at).unwrap_or(&[]), out)?;
                    at += 1;
                    continue;
                }
            }
            match byte {
                b' ' | b'\n' | b'\r' | b'\t' => at = after_space::<V>(block, at),
                b'"' => at = self.string::<V, B>(block, at, at + 1, out)?,
                b'{' | b'[' => {
                    out.byte(byte)?;
                    at = after_space::<V>(block, at + 1);
                    match block.get(at) {
                        None => self.inside = Inside::Opened(byte),
                        Some(&next) if next == byte + 2 => {
                            out.byte(next)?;
                            at += 1;
                        }
                        Some(_) => self.deeper(out)?,
                    }
                }
                b'}' | b']' => {
                    self.depth = self.depth.saturating_sub(1);
                    self.line(out)?;
                    out.byte(byte)?;
                    at += 1;
                }
                b',' => {
                    out.piece(self.style.item)?;
                    self.line(out)?;
                    at += 1;
                }
                b':' => {
                    out.piece(self.style.key)?;
                    at += 1;
                }
                _ => {
                    let end = scalar_end(block, at);
                    copy(block, at, end, out)?;
                    at = end;
                    if at == block.len() {
                        self.inside = Inside::Scalar;
                    }
                }
            }
        }
        Ok(at)
    }

    #[inline(always)]
    fn line<B: Buffer>(&self, out: &mut Out<'_, B>) -> Result<(), NoMemory> {
        match self.space {
            Some(space) => out.new_line(space, self.depth),
            None => out.styled_line(self.style, self.depth),
        }
    }

    /// Begins the first element of a container.
    #[inline(always)]
    fn deeper<B: Buffer>(&mut self, out: &mut Out<'_, B>) -> Result<(), NoMemory> {
        // A document is not deeper. Other text would give lines without a limit.
        self.depth = (self.depth + 1).min(MAX_DEPTH);
        self.line(out)
    }

    /// Writes a string, or the rest of one, from `start` on; `at` is in its body. Returns the
    /// offset after what was written.
    #[inline(always)]
    fn string<V: Vector, B: Buffer>(
        &mut self,
        block: &[u8],
        start: usize,
        mut at: usize,
        out: &mut Out<'_, B>,
    ) -> Result<usize, NoMemory> {
        let is_whole = start < at;
        self.inside = loop {
            at += string_run::<V>(block.get(at..).unwrap_or(&[])).len;
            match block.get(at) {
                Some(b'"') => {
                    at += 1;
                    break Inside::Nothing;
                }
                Some(b'\\') if at + 1 < block.len() => at += 2,
                Some(b'\\') => {
                    at += 1;
                    break Inside::Escape;
                }
                Some(_) => at += 1,
                None => break Inside::String,
            }
        };
        if is_whole && self.inside == Inside::Nothing {
            write_string::<V, B>(block, start, at, &self.style, out)?;
        } else {
            self.body(block.get(start..at).unwrap_or(&[]), out)?;
        }
        Ok(at)
    }

    /// Writes a part of a string, which may begin and end inside a character.
    #[inline(never)]
    fn body<B: Buffer>(&mut self, part: &[u8], out: &mut Out<'_, B>) -> Result<(), NoMemory> {
        if !self.style.ascii {
            return out.raw(part);
        }
        for &byte in part {
            if self.begun_len == 0 && byte < 0x7f {
                out.byte(byte)?;
                continue;
            }
            if let Some(place) = self.begun.get_mut(self.begun_len) {
                *place = byte;
                self.begun_len += 1;
            }
            let begun = self.begun.get(..self.begun_len).unwrap_or(&[]);
            let code = match core::str::from_utf8(begun) {
                Ok(text) => text.chars().next().unwrap_or(char::REPLACEMENT_CHARACTER),
                Err(fault) if fault.error_len().is_none() => continue,
                Err(_) => char::REPLACEMENT_CHARACTER,
            };
            self.begun_len = 0;
            out.code_escape(code.into())?;
        }
        Ok(())
    }
}

/// Whether a byte does not belong to the number or literal before it.
#[inline(always)]
fn ends_scalar(byte: u8) -> bool {
    matches!(byte, b',' | b']' | b'}' | b':' | b'"' | b'[' | b'{' | 0..=b' ')
}
