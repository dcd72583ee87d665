//! Property: a document written in a style (the first three bytes of the input decide) is the same text
//! as the compact one in that style, has the same values, and the same canonical form.
#![no_main]

use libfuzzer_sys::fuzz_target;
use serde_json::Value;
use snooze_core::arch::{Task, Vector};
use snooze_core::out::{Out, Piece, Style, VecBuffer};
use snooze_core::rewrite::{canonical, checked, restyle};
use snooze_fuzz::{document, every_tier};

/// How a walk separates elements, as the formats of snooze-py do.
#[derive(Clone, Copy, PartialEq)]
enum Format {
    Compact,
    /// Two spaces for each level.
    Indented,
    /// As the style of the buffer says.
    Styled,
}

/// Writes values; `out` has memory.
struct Writer<'o, 'b> {
    out: &'o mut Out<'b, VecBuffer>,
    format: Format,
}

impl Writer<'_, '_> {
    fn value<V: Vector>(&mut self, value: &Value, depth: usize) {
        match value {
            Value::Null => self.out.null(b',').unwrap(),
            Value::Bool(value) => self.out.boolean(*value, b',').unwrap(),
            Value::Number(number) => match (number.as_i64(), number.as_u64()) {
                (Some(value), _) => self.out.int(value, b',').unwrap(),
                (None, Some(value)) => self.out.uint(value, b',').unwrap(),
                _ => self.out.python_float_by::<V>(number.as_f64().unwrap()).unwrap(),
            },
            Value::String(text) => self.text::<V>(text, b','),
            Value::Array(items) if items.is_empty() => self.out.empty(b'[', b',').unwrap(),
            Value::Object(members) if members.is_empty() => self.out.empty(b'{', b',').unwrap(),
            Value::Array(items) => {
                self.out.byte(b'[').unwrap();
                for item in items {
                    self.start(depth + 1);
                    self.value::<V>(item, depth + 1);
                }
                self.close(b']', depth);
            }
            Value::Object(members) => {
                self.out.byte(b'{').unwrap();
                for (name, member) in members {
                    self.start(depth + 1);
                    self.text::<V>(name, b':');
                    match self.format {
                        Format::Compact => {}
                        Format::Indented => self.out.byte(b' ').unwrap(),
                        Format::Styled => self.out.styled_colon().unwrap(),
                    }
                    self.value::<V>(member, depth + 1);
                }
                self.close(b'}', depth);
            }
        }
    }

    fn start(&mut self, depth: usize) {
        match self.format {
            Format::Compact => {}
            Format::Indented => self.out.line(depth).unwrap(),
            Format::Styled => self.out.styled_element(depth).unwrap(),
        }
    }

    fn close(&mut self, bracket: u8, depth: usize) {
        match self.format {
            Format::Compact => self.out.close(bracket, b',').unwrap(),
            Format::Indented => {
                self.out.drop_last();
                self.out.line(depth).unwrap();
                self.out.byte(bracket).unwrap();
                self.out.byte(b',').unwrap();
            }
            Format::Styled => self.out.styled_close(bracket, depth).unwrap(),
        }
    }

    fn text<V: Vector>(&mut self, text: &str, after: u8) {
        if self.format == Format::Styled && self.out.escapes_non_ascii() {
            self.out.escaped_text(text.chars().map(u32::from), after).unwrap();
        } else {
            self.out.utf8::<V>(text.as_bytes(), after).unwrap();
        }
    }
}

/// A value as text.
fn text_of<V: Vector>(value: &Value, format: Format, style: Style, newline: bool) -> Vec<u8> {
    let mut buffer = VecBuffer::with_style(style);
    let mut out = Out::new(&mut buffer).unwrap();
    Writer { out: &mut out, format }.value::<V>(value, 0);
    out.drop_last();
    if newline {
        out.byte(b'\n').unwrap();
    }
    let len = out.len();
    buffer.into_vec(len)
}

/// A text in another style.
fn restyled<V: Vector>(text: &[u8], style: Style, newline: bool) -> Vec<u8> {
    let mut buffer = VecBuffer::new();
    let mut out = Out::new(&mut buffer).unwrap();
    restyle::<V, _>(text, &style, &mut out).unwrap();
    if newline {
        out.byte(b'\n').unwrap();
    }
    let len = out.len();
    buffer.into_vec(len)
}

#[derive(Clone, Copy)]
struct Write<'a> {
    document: &'a [u8],
    style: Style,
    newline: bool,
}

impl Task for Write<'_> {
    type Output = Option<Vec<u8>>;
    #[inline(always)]
    fn with_vectors<V: Vector>(self) -> Self::Output {
        let Self { document: bytes, style, newline } = self;
        let (value, _) = document::<V>(bytes).ok()?;
        let compact = text_of::<V>(&value, Format::Compact, style, false);
        let styled = text_of::<V>(&value, Format::Styled, style, newline);
        assert_eq!(styled, restyled::<V>(&compact, style, newline));
        assert_eq!(restyled::<V>(&styled, Style::COMPACT, false).is_ascii(), styled.is_ascii());
        checked::<V>(&styled).unwrap();
        if style.ascii {
            assert!(styled.is_ascii());
        } else {
            assert_eq!(restyled::<V>(&styled, Style::COMPACT, false), compact);
        }
        let (same, _) = document::<V>(&styled).unwrap();
        // As values, -0.0 equals 0.0; as texts, they differ.
        assert_eq!((&same, same.to_string()), (&value, value.to_string()));
        assert_eq!(canonical::<V>(&styled).ok(), canonical::<V>(&compact).ok());
        let indented = text_of::<V>(&value, Format::Indented, style, newline);
        assert_eq!(indented, restyled::<V>(&compact, two_spaces(), newline));
        Some(styled)
    }
}

/// The style of `indent=2`.
fn two_spaces() -> Style {
    let piece = |text: &[u8]| Piece::new(text).unwrap();
    Style { item: piece(b","), key: piece(b": "), indent: Some(piece(b"  ")), ascii: false }
}

/// A mark with white space around it, as an encoder accepts it: at most 16 characters.
fn separator(mark: u8, choice: u8) -> Piece {
    let space = |count: u8| {
        let kinds = [b' ', b'\t', b'\r', b'\n'];
        (0..count).map(move |index| kinds[usize::from(choice >> index & 3)])
    };
    let text: Vec<u8> = space(choice >> 4 & 7).chain([mark]).chain(space(choice & 7)).collect();
    Piece::new(&text).unwrap()
}

fuzz_target!(|input: &[u8]| {
    let Some((&[item, key, options], document)) = input.split_first_chunk() else { return };
    let indent = (options & 1 != 0).then(|| {
        let unit = if options & 2 == 0 { b' ' } else { b'\t' };
        Piece::new(&vec![unit; usize::from(options >> 4)]).unwrap()
    });
    let style = Style {
        item: separator(b',', item),
        key: separator(b':', key),
        indent,
        ascii: options & 4 != 0,
    };
    every_tier(Write { document, style, newline: options & 8 != 0 });
});
