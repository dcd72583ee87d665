//! The same document with other separators and indentation, or with ASCII only.
//!
//! Separate from `out::styled`, with which a walk over objects writes a style: this needs a text
//! only, so that encoders have styles without a copy of their walks. Invariants: what is not white
//! space outside strings is copied, but for characters that are escaped; time and size are linear,
//! also for text that is no JSON, which gives some other text: callers check texts of strangers
//! with [`checked`] first. Called by snooze-py for encoders and `reformat`.

use crate::arch::Vector;
use crate::arch::generic::scan::{space_run, string_run};
use crate::error::{Error, ErrorKind};
use crate::out::{Buffer, NoMemory, Out, Style};
use crate::read::{MAX_DEPTH, Reader};
use crate::rewrite::ascii::{copy, write_ascii};

/// Checks that a text is one JSON document in UTF-8.
///
/// # Errors
/// The faults of [`Reader`], and [`ErrorKind::InvalidUtf8`].
pub fn checked<V: Vector>(text: &[u8]) -> Result<(), Error> {
    let mut reader = Reader::<V>::new(text)?;
    let ascii = reader.skip(0)?;
    reader.finish()?;
    if !ascii && let Err(fault) = core::str::from_utf8(text) {
        return Err(Error::new(ErrorKind::InvalidUtf8, fault.valid_up_to()));
    }
    Ok(())
}

/// Writes a document in the style of the output's buffer.
///
/// # Errors
/// If no memory is left.
#[inline(always)]
pub fn restyle<V: Vector, B: Buffer>(
    text: &[u8],
    style: &Style,
    out: &mut Out<'_, B>,
) -> Result<(), NoMemory> {
    let space = style.indent.and_then(|indent| indent.white_space());
    let line = |depth: usize, out: &mut Out<'_, B>| match space {
        Some(space) => out.new_line(space, depth),
        None => out.styled_line(*style, depth),
    };
    let mut depth = 0usize;
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        match byte {
            b' ' | b'\n' | b'\r' | b'\t' => at = after_space::<V>(text, at),
            b'"' => {
                let end = string_end::<V>(text, at + 1);
                write_string::<V, B>(text, at, end, style, out)?;
                at = end;
            }
            b'{' | b'[' => {
                out.byte(byte)?;
                at = after_space::<V>(text, at + 1);
                if text.get(at) == Some(&(byte + 2)) {
                    out.byte(byte + 2)?;
                    at += 1;
                } else {
                    // A document is not deeper. Other text would give lines without a limit.
                    depth = (depth + 1).min(MAX_DEPTH);
                    line(depth, out)?;
                }
            }
            b'}' | b']' => {
                depth = depth.saturating_sub(1);
                line(depth, out)?;
                out.byte(byte)?;
                at += 1;
            }
            b',' => {
                out.piece(style.item)?;
                line(depth, out)?;
                at += 1;
            }
            b':' => {
                out.piece(style.key)?;
                at += 1;
            }
            _ => {
                let end = scalar_end(text, at);
                copy(text, at, end, out)?;
                at = end;
            }
        }
    }
    Ok(())
}

/// The offset of the first byte from `at` on that is no white space.
#[inline(always)]
pub(crate) fn after_space<V: Vector>(text: &[u8], at: usize) -> usize {
    match text.get(at) {
        Some(b' ' | b'\n' | b'\r' | b'\t') => at + space_run::<V>(text.get(at..).unwrap_or(&[])),
        _ => at,
    }
}

/// The offset after the string whose body begins at `at`, or the end of the text.
#[inline(always)]
fn string_end<V: Vector>(text: &[u8], mut at: usize) -> usize {
    loop {
        at += string_run::<V>(text.get(at..).unwrap_or(&[])).len;
        match text.get(at) {
            Some(b'"') => return at + 1,
            Some(b'\\') => at += 2,
            Some(_) => at += 1,
            None => return text.len(),
        }
    }
}

/// The offset after a number or word, which has at least one byte.
#[inline(always)]
pub(crate) fn scalar_end(text: &[u8], start: usize) -> usize {
    let rest = text.get(start + 1..).unwrap_or(&[]);
    let ends =
        |byte: &u8| matches!(byte, b',' | b']' | b'}' | b':' | b'"' | b'[' | b'{' | 0..=b' ');
    start + 1 + rest.iter().position(ends).unwrap_or(rest.len())
}

/// Writes a string with its quotes; `json.dumps` escapes DEL too where it escapes what is not
/// ASCII.
#[inline(always)]
pub(crate) fn write_string<V: Vector, B: Buffer>(
    text: &[u8],
    start: usize,
    end: usize,
    style: &Style,
    out: &mut Out<'_, B>,
) -> Result<(), NoMemory> {
    if style.ascii {
        write_ascii::<V, B>(text, start, end, out)
    } else {
        copy(text, start, end, out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arch::testing::{TierTest, for_each_tier};
    use crate::out::{Piece, VecBuffer};

    fn style(item: &str, key: &str, indent: Option<&str>, ascii: bool) -> Style {
        let piece = |text: &str| Piece::new(text.as_bytes()).unwrap();
        Style { item: piece(item), key: piece(key), indent: indent.map(piece), ascii }
    }

    fn restyled<V: Vector>(text: &[u8], style: &Style) -> Vec<u8> {
        let mut buffer = VecBuffer::new();
        let mut out = Out::new(&mut buffer).unwrap();
        restyle::<V, _>(text, style, &mut out).unwrap();
        let len = out.len();
        buffer.into_vec(len)
    }

    struct Case<'a>(&'a [u8], Style, &'a str);

    impl TierTest for Case<'_> {
        fn check<V: Vector>(&self) {
            assert_eq!(String::from_utf8(restyled::<V>(self.0, &self.1)).unwrap(), self.2);
        }
    }

    #[test]
    fn styles() {
        let text = br#" { "a\"{" : [ 1 , -2.50e+1,{ } ,[]], "b":"\\" ,"c":[[null ]],"d": true } "#;
        let compact = r#"{"a\"{":[1,-2.50e+1,{},[]],"b":"\\","c":[[null]],"d":true}"#;
        for_each_tier(&Case(text, Style::COMPACT, compact));
        let spaced = r#"{"a\"{": [1, -2.50e+1, {}, []], "b": "\\", "c": [[null]], "d": true}"#;
        for_each_tier(&Case(text, style(", ", ": ", None, false), spaced));
        let lines = "{\n\t\"a\\\"{\": [\n\t\t1,\n\t\t-2.50e+1,\n\t\t{},\n\t\t[]\n\t],\n\t\"b\": \"\\\\\",\
            \n\t\"c\": [\n\t\t[\n\t\t\tnull\n\t\t]\n\t],\n\t\"d\": true\n}";
        for_each_tier(&Case(text, style(",", ": ", Some("\t"), false), lines));
        for_each_tier(&Case(lines.as_bytes(), Style::COMPACT, compact));
    }

    #[test]
    fn ascii() {
        let text = "[\"\u{e9}\u{20ac}\u{1f600}\u{7f}\",\"a\\u00e9\"]";
        let expected = r#"["\u00e9\u20ac\ud83d\ude00\u007f","a\u00e9"]"#;
        for_each_tier(&Case(text.as_bytes(), style(",", ":", None, true), expected));
    }

    struct AnyBytes(Vec<u8>);

    impl TierTest for AnyBytes {
        fn check<V: Vector>(&self) {
            let wide = style(" , ", " : ", Some("  "), true);
            for style in [Style::COMPACT, wide] {
                let once = restyled::<V>(&self.0, &style);
                if checked::<V>(&self.0).is_ok() {
                    checked::<V>(&once).unwrap();
                    assert_eq!(restyled::<V>(&once, &style), once);
                }
            }
        }
    }

    proptest::proptest! {
        #[test]
        fn texts_that_are_no_json(text in "[\\[\\]{}:,\" \\\\a1é\\n]{0,80}") {
            for_each_tier(&AnyBytes(text.into_bytes()));
        }

        #[test]
        fn bytes_that_are_no_text(bytes: Vec<u8>) {
            for_each_tier(&AnyBytes(bytes));
        }
    }
}
