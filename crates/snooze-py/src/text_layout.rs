//! The layout of a text: its style, and what follows it.
//!
//! Separate because `arguments`, the plans of encoders and `rewrite` share it. Invariant: a layout
//! that is read is valid for the writer; whether it is JSON was checked in Python. Called by
//! `arguments`, `encode::typed` and `rewrite`.

use snooze_core::out::{Piece, Style};

use crate::py::singletons::{is_none, is_true};
use crate::py::unicode::{Chars, Str, chars};
use crate::py::{Obj, Raised, error};

/// A style, and what follows the document.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TextLayout {
    pub(crate) style: Style,
    /// Whether a line feed ends the text.
    pub(crate) newline: bool,
    /// Whether the walk of an encoder writes the white space of the style already.
    pub(crate) is_spaced: bool,
}

impl TextLayout {
    /// Reads the two separators, the unit of indentation or None, and two `bool`s.
    pub(crate) fn read(parts: [Obj<'_>; 5]) -> Result<Self, Raised> {
        let [item, key, indent, ascii, newline] = parts;
        let style = style([item, key, indent, ascii])?;
        Ok(Self { style, newline: is_true(newline), is_spaced: false })
    }
}

/// Reads the two separators, the unit of indentation or None, and whether the text is ASCII.
pub(crate) fn style(parts: [Obj<'_>; 4]) -> Result<Style, Raised> {
    let [item, key, indent, ascii] = parts;
    let indent = if is_none(indent) { None } else { Some(piece(indent)?) };
    Ok(Style { item: piece(item)?, key: piece(key)?, indent, ascii: is_true(ascii) })
}

/// A separator or a unit of indentation; raises `TypeError` for what is not a short ASCII `str`.
fn piece(object: Obj<'_>) -> Result<Piece, Raised> {
    let piece = match Str::exact(object).map(chars::<false>).transpose()? {
        Some(Chars::Ascii(text)) => Piece::new(text),
        _ => None,
    };
    piece.ok_or_else(|| error::type_error(c"expected an ASCII str of at most 16 characters"))
}
