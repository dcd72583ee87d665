//! The lines of a text that have a document.
//!
//! Separate because the walks that read them differ. Invariant: a line ends at a line feed, which no
//! JSON string contains, and each line that is not blank comes once. Called by `module::decoder` and
//! `untyped`.

/// Documents that are in one text.
pub(crate) trait Documents<'a>: Iterator<Item = &'a [u8]> {
    /// Where the latest document begins; after the last one, the end of the text.
    fn start(&self) -> usize;

    /// The number of the latest document, from 1; of lines, after the last one, that of the line
    /// that would follow.
    fn number(&self) -> u64;
}

/// The lines from a place on; blank ones, which have only white space of JSON, are passed over.
#[derive(Debug)]
pub(crate) struct Lines<'a> {
    text: &'a [u8],
    /// Where the latest line begins.
    start: usize,
    /// Where the next line begins.
    next: usize,
    /// The number of the latest line.
    number: u64,
}

impl<'a> Lines<'a> {
    /// The lines of `text` from the byte `start` on, where the line `number` begins.
    pub(crate) fn new(text: &'a [u8], start: usize, number: u64) -> Self {
        let start = start.min(text.len());
        Self { text, start, next: start, number: number.saturating_sub(1) }
    }
}

impl<'a> Documents<'a> for Lines<'a> {
    fn start(&self) -> usize {
        self.start
    }

    fn number(&self) -> u64 {
        self.number
    }
}

impl<'a> Iterator for Lines<'a> {
    type Item = &'a [u8];

    /// The next line that is not blank, without its line feed.
    #[inline]
    fn next(&mut self) -> Option<&'a [u8]> {
        loop {
            self.start = self.next;
            self.number += 1;
            let rest = self.text.get(self.start..).filter(|rest| !rest.is_empty())?;
            let line = match memchr::memchr(b'\n', rest) {
                Some(len) => {
                    self.next = self.start + len + 1;
                    rest.get(..len)?
                }
                None => {
                    self.next = self.text.len();
                    rest
                }
            };
            if !line.iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\r')) {
                return Some(line);
            }
        }
    }
}
