//! The documents of a text that are the items of an array, one after another.
//!
//! Separate because `lines` finds the ends of its documents in the text, and these have been found
//! before: each is marked by four numbers, its end in the text and its place in the whole document
//! (offset, line, column), of which this reads the first. Invariant: each mark gives one document.
//! Made by `module::items`; called by `module::decoder`.

use crate::decode::lines::Documents;

/// The bytes of a mark.
pub(crate) const MARK: usize = 4 * size_of::<u64>();

/// The items from one on.
#[derive(Debug)]
pub(crate) struct Items<'a> {
    text: &'a [u8],
    marks: &'a [u8],
    /// Where the latest item begins.
    start: usize,
    /// Where the next one begins.
    next: usize,
    /// How many items came, with those that were passed over.
    number: u64,
}

impl<'a> Items<'a> {
    /// The items of `text` after the first ones, `number` of them.
    pub(crate) fn new(text: &'a [u8], marks: &'a [u8], number: u64) -> Self {
        let passed = usize::try_from(number).ok().and_then(|number| number.checked_mul(MARK));
        let (passed, marks) =
            passed.and_then(|passed| marks.split_at_checked(passed)).unwrap_or((marks, &[]));
        let next = passed.last_chunk::<MARK>().map_or(0, end);
        Self { text, marks, start: next, next, number }
    }
}

/// The end that a mark names.
#[inline(always)]
fn end(mark: &[u8; MARK]) -> usize {
    let end = mark.first_chunk().map_or(u64::MAX, |end| u64::from_ne_bytes(*end));
    usize::try_from(end).unwrap_or(usize::MAX)
}

impl<'a> Iterator for Items<'a> {
    type Item = &'a [u8];

    #[inline]
    fn next(&mut self) -> Option<&'a [u8]> {
        self.start = self.next;
        let (mark, rest) = self.marks.split_first_chunk::<MARK>()?;
        self.marks = rest;
        self.next = end(mark).min(self.text.len());
        self.number += 1;
        self.text.get(self.start..self.next)
    }
}

impl<'a> Documents<'a> for Items<'a> {
    fn start(&self) -> usize {
        self.start
    }

    fn number(&self) -> u64 {
        self.number
    }
}
