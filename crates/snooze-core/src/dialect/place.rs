//! The way from the top of a document to an offset: for the JSON Pointer in an error.
//!
//! Separate because it runs when reading has failed, on the document of any dialect: what is before
//! the fault is known to be valid in its own dialect, which is not known here. It makes one
//! difference: in JSONC, a comment of one line with U+2028 or U+2029 in it ends too early, and the
//! way may be wrong. Invariant: linear in the offset; never fails but for memory, whatever the
//! bytes are.

use core::ops::Range;

use super::name::read_name;
use super::rules::{Rules, Surrogates, Syntax};
use super::space::{comment_end, json5_space};
use super::text::read_text;
use crate::error::NoMemory;

/// A step of the way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Into an array: an index.
    Index(usize),
    /// Into an object: the name of a member, in UTF-8.
    Name(Vec<u8>),
}

/// An open container.
struct Open {
    is_object: bool,
    /// The index of the current item.
    index: usize,
    /// Where the name of the current member is, once it has been read.
    name: Option<Range<usize>>,
}

/// The steps to the value, or to the member, at an offset.
///
/// # Errors
/// If no memory is left.
pub fn path_to(bytes: &[u8], offset: usize) -> Result<Vec<Step>, NoMemory> {
    let mut open: Vec<Open> = Vec::new();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at)
        && at <= offset
    {
        let start = at;
        at += 1;
        match byte {
            b'{' | b'[' if start < offset => {
                open.try_reserve(1).map_err(|_| NoMemory)?;
                open.push(Open { is_object: byte == b'{', index: 0, name: None });
            }
            b'}' | b']' if start < offset => drop(open.pop()),
            b',' if start < offset => {
                if let Some(container) = open.last_mut() {
                    container.index += 1;
                    container.name = None;
                }
            }
            b'/' => match comment_end(bytes, start, true) {
                Ok(Some(end)) => at = end,
                Ok(None) => {}
                // Not read by these rules (`skip="fast"`); to search on from each would be
                // quadratic.
                Err(_) => break,
            },
            b'"' | b'\'' => {
                at = string_end(bytes, start + 1, byte);
                note_name(&mut open, start..at);
            }
            _ if json5_space(bytes, start) > 0 => at = start + json5_space(bytes, start),
            b'$' | b'_' | b'\\' | b'a'..=b'z' | b'A'..=b'Z' | 0x80.. => {
                let word = bytes.get(start..).unwrap_or(&[]);
                let ends = |byte: &u8| {
                    !(byte.is_ascii_alphanumeric() || b"$_\\".contains(byte) || *byte >= 0x80)
                };
                at = start + word.iter().position(ends).unwrap_or(word.len());
                note_name(&mut open, start..at);
            }
            _ => {}
        }
    }
    let mut steps = Vec::new();
    steps.try_reserve_exact(open.len()).map_err(|_| NoMemory)?;
    for container in open {
        if !container.is_object {
            steps.push(Step::Index(container.index));
        } else if let Some(name) = container.name {
            steps.push(Step::Name(decoded(bytes, name)?));
        }
    }
    Ok(steps)
}

/// Notes a string or a word as the name of a member, if the innermost container waits for one.
fn note_name(open: &mut [Open], place: Range<usize>) {
    if let Some(container) = open.last_mut()
        && container.is_object
        && container.name.is_none()
    {
        container.name = Some(place);
    }
}

/// The offset after the string whose body begins at `at`.
fn string_end(bytes: &[u8], mut at: usize, quote: u8) -> usize {
    loop {
        match memchr::memchr2(quote, b'\\', bytes.get(at..).unwrap_or(&[])) {
            Some(length) if bytes.get(at + length) == Some(&quote) => return at + length + 1,
            Some(length) => at += length + 2,
            None => return bytes.len(),
        }
    }
}

/// The text of a name; as it is in the document if it cannot be read.
fn decoded(bytes: &[u8], place: Range<usize>) -> Result<Vec<u8>, NoMemory> {
    let rules = Rules { syntax: Syntax::Json5, surrogates: Surrogates::Replace, constants: true };
    let mut name = Vec::new();
    let read = match bytes.get(place.start) {
        Some(&quote @ (b'"' | b'\'')) => {
            read_text(bytes, place.start + 1, quote, rules, &mut name).is_ok()
        }
        _ => read_name(bytes, place.start, &mut name).is_ok(),
    };
    if !read {
        name.clear();
        let text = bytes.get(place).unwrap_or(&[]);
        name.try_reserve(text.len()).map_err(|_| NoMemory)?;
        name.extend_from_slice(text);
    }
    Ok(name)
}

#[cfg(test)]
mod review {
    use super::*;
    #[test]
    fn spaces() {
        for doc in [
            "{\u{a0}a: @}",
            "{\u{a0}\"a\": @}",
            "{\u{feff}a\u{2028}:\u{a0}@",
            "{\u{2028}\\u0061: @}",
        ] {
            let at = doc.find('@').unwrap();
            assert_eq!(path_to(doc.as_bytes(), at), Ok(vec![Step::Name(b"a".to_vec())]), "{doc}");
        }
    }
    #[test]
    fn linear() {
        let doc = format!("{{\"z\":[{}],\"x\":@", "/* ".repeat(330000));
        path_to(doc.as_bytes(), doc.len() - 1).unwrap();
    }
    #[test]
    fn keep() {
        let rules = Rules { syntax: Syntax::Json5, surrogates: Surrogates::Keep, constants: true };
        let mut text = Vec::new();
        read_text("\"\\é\\😀\\\u{2028}x\"".as_bytes(), 1, b'"', rules, &mut text).unwrap();
        assert_eq!(core::str::from_utf8(&text), Ok("é😀x"));
    }
}
