//! Offset, line and column of a byte, counted while blocks pass by.
//!
//! Separate because a fault may be in a block that is gone. Invariant: a column counts characters,
//! as positions in a `str` do. Used by `check`.

/// A place in a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Bytes before it.
    pub offset: u64,
    /// Its line, from 1 on.
    pub line: u64,
    /// Its column in characters, from 1 on.
    pub column: u64,
}

impl Place {
    /// The first byte of a document.
    pub const START: Self = Self { offset: 0, line: 1, column: 1 };

    /// The place after these bytes, which begin at this place.
    pub fn after(self, bytes: &[u8]) -> Self {
        let offset = self.offset + bytes.len() as u64;
        match memchr::memrchr(b'\n', bytes) {
            None => Self { offset, line: self.line, column: self.column + chars(bytes) },
            Some(last) => {
                // PERF: a sum without branches is compiled to vectors.
                let lines = bytes.iter().map(|&byte| usize::from(byte == b'\n')).sum::<usize>();
                let rest = bytes.get(last + 1..).unwrap_or(&[]);
                Self { offset, line: self.line + lines as u64, column: 1 + chars(rest) }
            }
        }
    }
}

/// The number of characters that begin in these bytes.
fn chars(bytes: &[u8]) -> u64 {
    bytes.iter().map(|&byte| usize::from(byte as i8 >= -64)).sum::<usize>() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_columns() {
        let text = "a\u{e9}\n\n\u{1f600}b".as_bytes();
        let places = [(1, 1), (1, 2), (1, 3), (1, 3), (2, 1), (3, 1)];
        for (offset, (line, column)) in places.into_iter().enumerate() {
            let expected = Place { offset: offset as u64, line, column };
            assert_eq!(Place::START.after(&text[..offset]), expected);
        }
        for cut in 0..=text.len() {
            let (first, second) = text.split_at(cut);
            let found = Place::START.after(first).after(second);
            assert_eq!(found, Place { offset: text.len() as u64, line: 3, column: 3 });
        }
    }
}
