//! White space and comments.
//!
//! Separate because `reader` and `place` both pass them. Invariant: a position moves over whole
//! characters only.

use crate::error::ErrorKind;

/// The offset after the white space and the comments at `at`.
///
/// # Errors
/// If a comment of more than one line is not closed.
#[cold]
pub(super) fn space_end(
    bytes: &[u8],
    mut at: usize,
    is_json5: bool,
) -> Result<usize, (ErrorKind, usize)> {
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b' ' | b'\t' | b'\n' | b'\r' => at += 1,
            b'/' => match comment_end(bytes, at, is_json5)? {
                Some(end) => at = end,
                None => break,
            },
            _ if is_json5 && json5_space(bytes, at) > 0 => at += json5_space(bytes, at),
            _ => break,
        }
    }
    Ok(at)
}

/// The length of the JSON5 white space character at `at` that JSON does not have; 0 if there is
/// none.
///
/// Tab, line feed, carriage return and space are JSON's. JSON5 adds U+000B, U+000C, U+00A0, U+2028,
/// U+2029, U+FEFF and the category Zs (spec.json5.org, section 8).
pub(super) fn json5_space(bytes: &[u8], at: usize) -> usize {
    match bytes.get(at..).unwrap_or(&[]) {
        [0x0b | 0x0c, ..] => 1,
        [0xc2, 0xa0, ..] => 2,
        // U+1680; U+2000 to U+200A, U+2028, U+2029, U+202F; U+205F; U+3000; U+FEFF.
        [0xe1, 0x9a, 0x80, ..]
        | [0xe2, 0x80, 0x80..=0x8a | 0xa8 | 0xa9 | 0xaf, ..]
        | [0xe2, 0x81, 0x9f, ..]
        | [0xe3, 0x80, 0x80, ..]
        | [0xef, 0xbb, 0xbf, ..] => 3,
        _ => 0,
    }
}

/// The length of the line separator U+2028 or U+2029 at `at`; 0 if there is none.
pub(super) fn unicode_line(bytes: &[u8], at: usize) -> usize {
    match bytes.get(at..).unwrap_or(&[]) {
        [0xe2, 0x80, 0xa8 | 0xa9, ..] => 3,
        _ => 0,
    }
}

/// The offset after the comment at `at`; `None` if none begins there.
///
/// # Errors
/// If a comment of more than one line is not closed.
pub(super) fn comment_end(
    bytes: &[u8],
    at: usize,
    unicode_lines: bool,
) -> Result<Option<usize>, (ErrorKind, usize)> {
    let body = bytes.get(at + 2..).unwrap_or(&[]);
    match (bytes.get(at), bytes.get(at + 1)) {
        (Some(b'/'), Some(b'/')) => {
            let mut end = at + 2;
            while let Some(length) =
                memchr::memchr3(b'\n', b'\r', 0xe2, bytes.get(end..).unwrap_or(&[]))
            {
                end += length;
                if bytes.get(end) != Some(&0xe2) || unicode_lines && unicode_line(bytes, end) > 0 {
                    return Ok(Some(end));
                }
                end += 1;
            }
            Ok(Some(bytes.len()))
        }
        (Some(b'/'), Some(b'*')) => match memchr::memmem::find(body, b"*/") {
            Some(length) => Ok(Some(at + 2 + length + 2)),
            None => Err((ErrorKind::OpenComment, at)),
        },
        _ => Ok(None),
    }
}
