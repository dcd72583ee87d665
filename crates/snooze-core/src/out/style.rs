//! What another style than the compact one is: separators, indentation, ASCII only.
//!
//! Separate from `styled` and `output`, which write in a style, because the buffer holds it.
//! Invariant: a piece is ASCII and short, so that it is written without a loop.

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

    /// As white space of a walk, if it is all spaces or all tabs.
    pub(crate) fn white_space(&self) -> Option<WhiteSpace> {
        let bytes = self.as_bytes();
        match bytes.first() {
            None | Some(b' ') if bytes.iter().all(|&byte| byte == b' ') => {
                Some(WhiteSpace::spaces(self.len))
            }
            Some(b'\t') if bytes.iter().all(|&byte| byte == b'\t') => {
                Some(WhiteSpace::tabs(self.len))
            }
            _ => None,
        }
    }

    /// Its length.
    #[inline(always)]
    pub(super) fn len(self) -> usize {
        self.len.into()
    }
}

/// The start of a line: a line feed, and indentation.
type LineStart = [u8; 32];

const fn line_start(fill: u8) -> LineStart {
    let mut line = [fill; 32];
    line[0] = b'\n';
    line
}

static SPACES: LineStart = line_start(b' ');
static TABS: LineStart = line_start(b'\t');

/// The white space of an indented walk.
///
/// PERF: a reference to the start of a line, so that spaces and tabs are one piece of code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WhiteSpace {
    pub(super) line: &'static LineStart,
    /// The characters of one level.
    pub(super) each: u8,
    /// No lines, but a space after each separator.
    pub(super) one_line: bool,
}

impl WhiteSpace {
    /// All on one line, with a space after each separator.
    pub const ONE_LINE: Self = Self { line: &SPACES, each: 0, one_line: true };

    /// Each element on its own line, after so many spaces for each level.
    pub const fn spaces(each: u8) -> Self {
        Self { line: &SPACES, each, one_line: false }
    }

    /// Each element on its own line, after so many tabs for each level.
    pub const fn tabs(each: u8) -> Self {
        Self { line: &TABS, each, one_line: false }
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
