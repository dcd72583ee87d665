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
    #[inline]
    pub fn after(self, bytes: &[u8]) -> Self {
        let offset = self.offset + bytes.len() as u64;
        match memchr::memrchr(b'\n', bytes) {
            None => Self { offset, line: self.line, column: self.column + chars(bytes) },
            Some(last) => {
                let lines = count(bytes, |byte| byte == b'\n');
                let rest = bytes.get(last + 1..).unwrap_or(&[]);
                Self { offset, line: self.line + lines, column: 1 + chars(rest) }
            }
        }
    }
}

/// The number of characters that begin in these bytes.
#[inline]
fn chars(bytes: &[u8]) -> u64 {
    count(bytes, |byte| byte as i8 >= -64)
}

/// How many of the bytes are as `is` says.
#[inline]
fn count(bytes: &[u8], is: impl Fn(u8) -> bool) -> u64 {
    // PERF: a sum without branches is compiled to vectors; of bytes, to fewer than a sum of usize.
    let some = |part: &[u8]| part.iter().map(|&byte| u8::from(is(byte))).sum::<u8>();
    bytes.chunks(usize::from(u8::MAX)).map(|part| u64::from(some(part))).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines() {
        let text = "\u{e9}".repeat(700) + &"\n".repeat(600) + &"a".repeat(300);
        let end = Place::START.after(text.as_bytes());
        assert_eq!(end, Place { offset: 2300, line: 601, column: 301 });
        assert_eq!(Place::START.after(&text.as_bytes()[..1400]).column, 701);
    }

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
