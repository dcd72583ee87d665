//! Member names without quotes: the identifiers of JSON5 (ECMAScript 5.1, section 7.6).
//!
//! Separate because they are the only place where Unicode's categories matter, which the crate
//! `unicode-ident` knows. Invariant: what this appends is an identifier, in UTF-8.

use super::rules::Rules;
use super::text::{append, append_char, hex_at, read_text};
use crate::error::{Error, ErrorKind};

/// The offset of the first name that an earlier one equals, of the names at these offsets; `None` if
/// all differ. The names have been read before.
///
/// # Errors
/// If no memory is left.
#[cold]
pub fn repeated_name(
    bytes: &[u8],
    rules: Rules,
    offsets: &[usize],
) -> Result<Option<usize>, Error> {
    let no_memory = |_| Error::new(ErrorKind::NoMemory, 0);
    let mut names: Vec<(Vec<u8>, usize)> = Vec::new();
    names.try_reserve_exact(offsets.len()).map_err(no_memory)?;
    for &at in offsets {
        let mut name = Vec::new();
        let read = match bytes.get(at) {
            Some(&quote @ (b'"' | b'\'')) => {
                read_text(bytes, at + 1, quote, rules, &mut name).map(|_| ())
            }
            _ => read_name(bytes, at, &mut name).map(|_| ()),
        };
        read.map_err(|(kind, at)| Error::new(kind, at))?;
        names.push((name, at));
    }
    names.sort_unstable();
    let repeated = names.windows(2).filter_map(|pair| match pair {
        [(first, _), (second, at)] if first == second => Some(*at),
        _ => None,
    });
    Ok(repeated.min())
}

/// Reads the identifier at `start`, appends it to `text` and returns the offset after it.
///
/// # Errors
/// If none begins there, or an escape in it does not mean a letter.
pub fn read_name(
    bytes: &[u8],
    start: usize,
    text: &mut Vec<u8>,
) -> Result<usize, (ErrorKind, usize)> {
    let mut at = start;
    loop {
        let is_first = at == start;
        let Some(&byte) = bytes.get(at) else { break };
        if byte == b'\\' {
            let char = (bytes.get(at + 1) == Some(&b'u'))
                .then(|| hex_at(bytes, at + 2))
                .flatten()
                .and_then(char::from_u32)
                .filter(|&char| belongs(char, is_first))
                .ok_or((ErrorKind::InvalidEscape, at))?;
            append_char(text, char, at)?;
            at += 6;
            continue;
        }
        let Some((char, length)) = char_at(bytes, at) else { break };
        if !belongs(char, is_first) {
            break;
        }
        append(text, bytes.get(at..at + length).unwrap_or(&[]), at)?;
        at += length;
    }
    if at == start { Err((ErrorKind::ExpectedName, start)) } else { Ok(at) }
}

/// The character at `at` and its length; `None` at the end and where the bytes are not UTF-8.
fn char_at(bytes: &[u8], at: usize) -> Option<(char, usize)> {
    let rest = bytes.get(at..)?;
    let chunk = rest.get(..4).unwrap_or(rest).utf8_chunks().next()?;
    let char = chunk.valid().chars().next()?;
    Some((char, char.len_utf8()))
}

/// Whether a character may be in an identifier.
fn belongs(char: char, is_first: bool) -> bool {
    match char {
        '$' | '_' => true,
        _ if is_first => unicode_ident::is_xid_start(char),
        // Joiners, which some scripts need.
        '\u{200c}' | '\u{200d}' => true,
        _ => unicode_ident::is_xid_continue(char),
    }
}
