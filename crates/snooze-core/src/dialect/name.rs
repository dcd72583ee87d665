//! Member names without quotes: the identifiers of JSON5 (ECMAScript 5.1, section 7.6).
//!
//! Separate because they are the only place where Unicode's categories matter, which the crate
//! `unicode-ident` knows. Invariant: what this appends is an identifier, in UTF-8.

use super::rules::Rules;
use super::text::{append, append_char, hex_at, read_text};
use crate::error::{Error, ErrorKind};

/// The offset of the first name that an earlier one equals, of the names at these offsets; `None`
/// if all differ. The names have been read before.
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

/// Whether a character may be in an identifier: letters, and after the first also marks, digits and
/// connectors.
///
/// ECMAScript 5.1 goes by the general categories, `unicode-ident` by `XID_Start` and
/// `XID_Continue`, which leave out letters that normalization changes, and have characters that are
/// no letters.
fn belongs(char: char, is_first: bool) -> bool {
    match char {
        '$' | '_' => true,
        // Letters that are not in `XID_Start`, most of them not in `XID_Continue` either.
        '\u{37a}'
        | '\u{e33}'
        | '\u{eb3}'
        | '\u{2e2f}'
        | '\u{fc5e}'..='\u{fc63}'
        | '\u{fdfa}'
        | '\u{fdfb}'
        | '\u{fe70}'
        | '\u{fe72}'
        | '\u{fe74}'
        | '\u{fe76}'
        | '\u{fe78}'
        | '\u{fe7a}'
        | '\u{fe7c}'
        | '\u{fe7e}'
        | '\u{ff9e}'
        | '\u{ff9f}' => true,
        // Symbols that are in `XID_Start`.
        '\u{2118}' | '\u{212e}' => false,
        // Marks that are in `XID_Start`.
        '\u{1885}' | '\u{1886}' => !is_first,
        _ if is_first => unicode_ident::is_xid_start(char),
        // Joiners, which some scripts need.
        '\u{200c}' | '\u{200d}' => true,
        // Punctuation and numbers that are in `XID_Continue`.
        '\u{b7}' | '\u{387}' | '\u{1369}'..='\u{1371}' | '\u{19da}' | '\u{30fb}' | '\u{ff65}' => {
            false
        }
        _ => unicode_ident::is_xid_continue(char),
    }
}
