//! What another style than the compact one is: separators, indentation, ASCII only.
//!
//! Separate from `styled`, which writes in a style, because the buffer holds it. Invariant: a piece
//! is ASCII and short, so that it is written without a loop.

/// The longest separator, and the longest unit of indentation, in bytes.
const LONGEST: usize = 16;

/// A short text without a heap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    text: [u8; LONGEST],
    len: u8,
}

impl Piece {
    /// The piece, or `None` if the text is too long or not ASCII.
    pub fn new(text: &[u8]) -> Option<Self> {
        let mut piece = Self { text: [0; LONGEST], len: text.len() as u8 };
        piece.text.get_mut(..text.len())?.copy_from_slice(text);
        text.is_ascii().then_some(piece)
    }

    /// The text.
    #[inline(always)]
    pub fn as_bytes(&self) -> &[u8] {
        self.text.get(..self.len()).unwrap_or(&[])
    }

    /// The text, followed by zeros.
    #[inline(always)]
    pub(super) fn text(&self) -> &[u8; LONGEST] {
        &self.text
    }

    /// Its length.
    #[inline(always)]
    pub(super) fn len(self) -> usize {
        self.len.into()
    }
}

/// How the parts of a document are separated, and which characters are escaped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// Between two elements.
    pub item: Piece,
    /// Between a name and its value.
    pub key: Piece,
    /// One level of indentation; each element is then on a line of its own.
    pub indent: Option<Piece>,
    /// Whether characters outside ASCII are escaped.
    pub ascii: bool,
}

impl Style {
    /// The style of `dumps`: no white space, UTF-8.
    pub const COMPACT: Self = {
        let mut comma = [0; LONGEST];
        comma[0] = b',';
        let mut colon = [0; LONGEST];
        colon[0] = b':';
        Self {
            item: Piece { text: comma, len: 1 },
            key: Piece { text: colon, len: 1 },
            indent: None,
            ascii: false,
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_short_and_ascii() {
        assert!(Piece::new(b"").is_some());
        assert!(Piece::new(&[b' '; LONGEST]).is_some());
        assert_eq!(Piece::new(&[b' '; LONGEST + 1]), None);
        assert_eq!(Piece::new("\u{a0}".as_bytes()), None);
    }
}
