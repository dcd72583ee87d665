//! The parts of a document in blocks, as they come: for a value that grows while its text does.
//!
//! Separate from `items`, which hands out the items of one array only. Invariants: a container that
//! a block has whole is one value, as a scalar is; of others, the brackets, names and values come
//! one by one, but items or whole members that follow each other are one part; a token that a block
//! cuts comes when its end does; after a fault no more parts come, and the value before it may be
//! missing. Called by snooze-py.

use core::mem::swap;
use core::ops::Range;

use super::check::{Checker, Fault};
use super::place::Place;
use super::watch::Watch;
use crate::arch::Dispatch;
use crate::error::NoMemory;

/// What a part is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A name, without its quotes, whose value is not whole.
    Name,
    /// A value, and perhaps white space after it.
    Value,
    /// Items of an array, with the commas between them.
    Items,
    /// Members of an object, likewise.
    Members,
    /// The bracket that opens a container.
    Open,
    /// The bracket that closes the innermost one.
    Close,
}

/// A part that is complete.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// What it is.
    pub kind: Kind,
    /// Where it is in the block. The text of the first part may begin before: see
    /// [`Parts::before`].
    pub range: Range<usize>,
}

/// A document, of which the parts are wanted.
#[derive(Debug)]
pub struct Parts {
    checker: Checker,
    seen: Seen,
    /// Where the block begins in the document, and the value that its first part ends.
    block: Place,
    before: Place,
    /// Where the value begins that the block cuts.
    kept: Place,
}

impl Parts {
    /// Nothing has been seen. `bounded`: as for [`Checker`].
    pub fn new(bounded: bool) -> Self {
        let (block, before, kept) = (Place::START, Place::START, Place::START);
        Self { checker: Checker::new(bounded), seen: Seen::default(), block, before, kept }
    }

    /// Reads the next block; forgets the parts of the last one.
    ///
    /// # Errors
    /// No memory is left; the document cannot be read further.
    pub fn feed(&mut self, dispatch: Dispatch, block: &[u8]) -> Result<(), NoMemory> {
        let Self { checker, seen, .. } = self;
        (self.block, self.before) = (checker.end(), self.kept);
        seen.parts.clear();
        seen.open.clear();
        seen.before.clear();
        checker.feed_watched(dispatch, block, Some(seen));
        if checker.fault().is_some() {
            (seen.value, seen.is_in_value) = (None, false);
        }
        if let Some(start) = seen.value.take() {
            if checker.is_cut() {
                self.kept = self.block.after(block.get(..start).unwrap_or(block));
                seen.keep(block.get(start..));
                seen.is_in_value = true;
            } else {
                seen.push_value(start..block.len());
            }
        } else if seen.is_in_value {
            if checker.is_cut() {
                seen.keep(Some(block));
            } else {
                seen.push_value(0..block.len());
            }
        }
        if seen.lacks_memory { Err(NoMemory) } else { Ok(()) }
    }

    /// The parts that the last block has completed.
    pub fn parts(&self) -> &[Part] {
        &self.seen.parts
    }

    /// The text of the first of them that came before the block.
    pub fn before(&self) -> &[u8] {
        &self.seen.before
    }

    /// The place of a value, or of the first of several, among the parts of the block; of the one
    /// that is cut, if there is no such part.
    pub fn place(&self, block: &[u8], index: usize) -> Place {
        match self.parts().get(index) {
            None => self.kept,
            Some(_) if index == 0 && !self.before().is_empty() => self.before,
            Some(part) => self.block.after(block.get(..part.range.start).unwrap_or(block)),
        }
    }

    /// The text so far of a value that the last block cuts.
    pub fn cut_value(&self) -> Option<&[u8]> {
        self.seen.is_in_value.then_some(&self.seen.kept)
    }

    /// Whether that is a string.
    pub fn is_in_string(&self) -> bool {
        self.seen.is_in_value && self.checker.is_in_string()
    }

    /// What is wrong with the document, as far as it is known before its end.
    pub fn fault(&self) -> Option<Fault> {
        self.checker.fault()
    }

    /// Ends the document.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn finish(&self) -> Result<(), Fault> {
        self.checker.finish_with_place()
    }
}

/// What the walk has told.
#[derive(Debug, Default)]
struct Seen {
    parts: Vec<Part>,
    /// Which parts are brackets whose container is open.
    open: Vec<usize>,
    /// The text of the first part that came before the block.
    before: Vec<u8>,
    /// The text so far of a name or a value that is cut.
    kept: Vec<u8>,
    /// Whether it is a value.
    is_in_value: bool,
    /// Where in the block a value begins.
    value: Option<usize>,
    lacks_memory: bool,
}

impl Seen {
    /// Keeps the text of a token that the block cuts.
    fn keep(&mut self, text: Option<&[u8]>) {
        let text = text.unwrap_or(&[]);
        match self.kept.try_reserve(text.len()) {
            Ok(()) => self.kept.extend_from_slice(text),
            Err(_) => self.lacks_memory = true,
        }
    }

    fn push(&mut self, kind: Kind, range: Range<usize>) {
        match self.parts.try_reserve(1) {
            Ok(()) => self.parts.push(Part { kind, range }),
            Err(_) => self.lacks_memory = true,
        }
    }

    /// The text that was kept is that of a part of this block.
    fn use_kept(&mut self) {
        swap(&mut self.before, &mut self.kept);
        self.kept.clear();
    }

    /// A value ends, which has this part of the block.
    fn push_value(&mut self, range: Range<usize>) {
        if self.is_in_value {
            self.is_in_value = false;
            self.use_kept();
        }
        match self.parts.as_mut_slice() {
            [.., members, name] if (members.kind, name.kind) == (Kind::Members, Kind::Name) => {
                members.range.end = range.end;
                self.parts.pop();
            }
            // One that begins in an earlier block has no quote before it in this one.
            [.., name] if name.kind == Kind::Name && name.range.start > 0 => {
                name.kind = Kind::Members;
                // With its quote.
                name.range = name.range.start - 1..range.end;
            }
            // In an object a name would be between them.
            [.., items] if matches!(items.kind, Kind::Value | Kind::Items) => {
                items.kind = Kind::Items;
                items.range.end = range.end;
            }
            _ => self.push(Kind::Value, range),
        }
    }

    /// A value ends before an offset, if there is one.
    fn end_value(&mut self, end: usize) {
        match self.value.take() {
            Some(start) => self.push_value(start..end),
            None if self.is_in_value => self.push_value(0..end),
            None => {}
        }
    }
}

impl Watch for Seen {
    fn value(&mut self, _: &[u8], at: usize, _: usize) -> bool {
        self.value = Some(at);
        false
    }

    fn open(&mut self, at: usize) {
        self.value = None;
        match self.open.try_reserve(1) {
            Ok(()) => self.open.push(self.parts.len()),
            Err(_) => self.lacks_memory = true,
        }
        self.push(Kind::Open, at..at + 1);
    }

    fn name(&mut self, block: &[u8], part: Range<usize>, is_end: bool, _: usize) {
        if !is_end {
            self.keep(block.get(part));
            return;
        }
        if !self.kept.is_empty() {
            self.use_kept();
        }
        self.push(Kind::Name, part);
    }

    fn comma(&mut self, _: &[u8], at: usize, _: usize) {
        self.end_value(at);
    }

    fn close(&mut self, _: &[u8], at: usize, _: usize) {
        self.end_value(at);
        // The text of a container that the block has whole is one value.
        match self.open.pop() {
            Some(first) => {
                let start = self.parts.get(first).map_or(at, |part| part.range.start);
                self.parts.truncate(first);
                self.value = Some(start);
            }
            None => self.push(Kind::Close, at..at + 1),
        }
    }
}
