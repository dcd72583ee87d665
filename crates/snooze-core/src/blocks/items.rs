//! The items of one array of a document in blocks.
//!
//! Separate from `check`, which knows the grammar only: this knows the way to one array, by the
//! tokens of a JSON Pointer (RFC 6901), and copies what is in it. Invariants: an item is handed out
//! when its end has come, with the bytes that it has in the document; after a fault no more items
//! come; a member on the way that occurs twice is a fault, because the first one has been read when
//! the second comes. Called by snooze-py.

use core::mem::{replace, take};
use core::ops::Range;

use super::check::{Checker, Fault};
use super::place::Place;
use super::watch::Watch;
use crate::arch::{Dispatch, Scalar};
use crate::error::{ErrorKind, NoMemory};
use crate::unescape::unescape;

/// How far the search for the array has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// So many tokens of the pointer name a value, the last one that at this place.
    Steps(usize, Place),
    /// The array has begun.
    Array,
    /// The value at its place begins with this byte, and is no array.
    Other(u8, Place),
}

/// An item that is complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Item {
    /// Where it ends in the text of the items; there the next one begins.
    pub end: usize,
    /// Where it begins in the document.
    pub place: Place,
}

/// A document, of which the items of one array are wanted.
#[derive(Debug)]
pub struct Items {
    checker: Checker,
    way: Way,
    text: Vec<u8>,
    items: Vec<Item>,
    /// Where the name of a member on the way begins that occurs again.
    repeated: Option<Place>,
}

impl Items {
    /// Nothing has been seen. `pointer`: the tokens of the JSON Pointer of the array, unescaped.
    /// Numbers beyond a double are no faults here: who decodes the items finds them.
    ///
    /// # Errors
    /// No memory is left.
    pub fn new(pointer: &[&[u8]]) -> Result<Self, NoMemory> {
        let mut steps = Vec::new();
        steps.try_reserve_exact(pointer.len()).map_err(|_| NoMemory)?;
        for token in pointer {
            let mut name = Vec::new();
            append(&mut name, token)?;
            let index = array_index(token);
            steps.push(Step { name, index, is_index: false, begun: 0, is_met: false });
        }
        let way = Way {
            steps,
            open: 0,
            found: Found::Steps(0, Place::START),
            name: Vec::new(),
            named: Named::No,
            name_place: None,
            item: None,
            place: Place::START,
        };
        let (text, items) = (Vec::new(), Vec::new());
        Ok(Self { checker: Checker::new(false), way, text, items, repeated: None })
    }

    /// Reads the next block; forgets the items that are complete.
    ///
    /// # Errors
    /// No memory is left; the document cannot be read further.
    pub fn feed(&mut self, dispatch: Dispatch, block: &[u8]) -> Result<(), NoMemory> {
        self.text.drain(..self.text().len());
        self.items.clear();
        let mut reading = Reading {
            way: &mut self.way,
            text: &mut self.text,
            items: &mut self.items,
            passed: (0, self.checker.end()),
            repeated: None,
            lacks_memory: false,
        };
        self.checker.feed_watched(dispatch, block, Some(&mut reading));
        if self.checker.fault().is_some() {
            reading.way.item = None;
        }
        if let Some(start) = reading.way.item {
            reading.copy(block.get(start..));
            reading.way.item = Some(0);
        }
        self.repeated = self.repeated.or(reading.repeated);
        if reading.lacks_memory { Err(NoMemory) } else { Ok(()) }
    }

    /// The items that are complete since the last block.
    pub fn items(&self) -> &[Item] {
        &self.items
    }

    /// Their text, one after the other.
    pub fn text(&self) -> &[u8] {
        let end = self.items.last().map_or(0, |item| item.end);
        self.text.get(..end).unwrap_or(&self.text)
    }

    /// How many bytes the block has left of an item that it cuts, with those before, and where the
    /// item begins.
    pub fn cut_item(&self) -> (usize, Place) {
        (self.text.len() - self.text().len(), self.way.place)
    }

    /// How far the search for the array has come.
    pub fn found(&self) -> Found {
        self.way.found
    }

    /// For each token of the pointer, whether it is an index.
    pub fn indices(&self) -> impl ExactSizeIterator<Item = bool> {
        self.way.steps.iter().map(|step| step.is_index)
    }

    /// What is wrong with the document, as far as it is known before its end.
    pub fn fault(&self) -> Option<Fault> {
        let repeated = self.repeated.map(|place| Fault { kind: ErrorKind::RepeatedName, place });
        repeated.or_else(|| self.checker.fault())
    }

    /// Ends the document.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn finish(&self) -> Result<(), Fault> {
        match self.fault() {
            Some(fault) => Err(fault),
            None => self.checker.finish_with_place(),
        }
    }
}

/// The way to the array.
#[derive(Debug)]
struct Way {
    steps: Vec<Step>,
    /// The number of open containers that are on the way; the array is one.
    open: usize,
    found: Found,
    /// The parts of a name that is cut, as far as it may be that of the step.
    name: Vec<u8>,
    named: Named,
    /// Where the name begins that is being read.
    name_place: Option<Place>,
    /// Where in the block the text of an item begins that is not copied yet.
    item: Option<usize>,
    /// Where the item begins in the document.
    place: Place,
}

/// A token of the pointer, and what has been seen of the container in which it names a value.
#[derive(Debug)]
struct Step {
    name: Vec<u8>,
    index: Option<u64>,
    /// Whether the value that it names is an item of an array.
    is_index: bool,
    /// The items that have begun, in an array.
    begun: u64,
    /// Whether the member has occurred, in an object.
    is_met: bool,
}

/// Whether the value that comes next has the name of the step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Named {
    /// It has no name.
    No,
    Other,
    Step,
}

impl Way {
    /// Whether the array is open.
    fn is_in_array(&self) -> bool {
        self.open > self.steps.len()
    }

    /// Whether the value that begins now is that of the step.
    fn is_next(&mut self) -> bool {
        let Some(step) = self.open.checked_sub(1).and_then(|last| self.steps.get_mut(last)) else {
            return true;
        };
        match replace(&mut self.named, Named::No) {
            Named::No => {
                step.begun += 1;
                let is_it = step.index == Some(step.begun - 1);
                step.is_index |= is_it;
                is_it
            }
            named => named != Named::Other,
        }
    }
}

/// The way, and what one block adds.
struct Reading<'a> {
    way: &'a mut Way,
    text: &'a mut Vec<u8>,
    items: &'a mut Vec<Item>,
    /// An offset in the block, and its place in the document.
    passed: (usize, Place),
    /// Where a repeated name begins.
    repeated: Option<Place>,
    lacks_memory: bool,
}

impl Reading<'_> {
    /// Copies a part of an item.
    fn copy(&mut self, part: Option<&[u8]>) {
        self.lacks_memory |= append(self.text, part.unwrap_or(&[])).is_err();
    }

    /// An item ends before an offset, if one is open.
    fn end_item(&mut self, block: &[u8], end: usize) {
        let Some(start) = take(&mut self.way.item) else { return };
        self.copy(block.get(start..end));
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.text.last() {
            self.text.pop();
        }
        match self.items.try_reserve(1) {
            Ok(()) => self.items.push(Item { end: self.text.len(), place: self.way.place }),
            Err(_) => self.lacks_memory = true,
        }
    }

    /// The place of an offset in the block, after those that were asked for.
    fn place(&mut self, block: &[u8], at: usize) -> Place {
        let (before, place) = self.passed;
        self.passed = (at, place.after(block.get(before..at).unwrap_or(&[])));
        self.passed.1
    }
}

impl Watch for Reading<'_> {
    fn value(&mut self, block: &[u8], at: usize, depth: usize) -> bool {
        if depth != self.way.open {
            return false;
        }
        if self.way.is_in_array() {
            self.way.item = Some(at);
            self.way.place = self.place(block, at);
            return false;
        }
        self.value_on_way(block, at)
    }

    fn open(&mut self, _: usize) {}

    fn name(&mut self, block: &[u8], part: Range<usize>, is_end: bool, depth: usize) {
        if depth == self.way.open {
            self.name_on_way(block, part, is_end);
        }
    }

    fn comma(&mut self, block: &[u8], at: usize, depth: usize) {
        if depth == self.way.open && self.way.is_in_array() {
            self.end_item(block, at);
        }
    }

    fn close(&mut self, block: &[u8], at: usize, depth: usize) {
        if depth == self.way.open {
            self.end_item(block, at);
            self.way.open -= 1;
        }
    }
}

impl Reading<'_> {
    /// A value in a container on the way, or the document; whether it is on the way. That of a
    /// repeated member is not.
    fn value_on_way(&mut self, block: &[u8], at: usize) -> bool {
        let place = self.place(block, at);
        let way = &mut *self.way;
        let first = block.get(at).copied().unwrap_or(0);
        if !way.is_next() || way.found == Found::Array {
            return false;
        }
        let is_last = way.open == way.steps.len();
        match (first, is_last) {
            (b'[', true) => way.found = Found::Array,
            (b'[' | b'{', false) => {
                way.found = Found::Steps(way.open, place);
                if let Some(step) = way.steps.get_mut(way.open) {
                    (step.begun, step.is_met, step.is_index) = (0, false, false);
                }
            }
            (_, true) => {
                way.found = Found::Other(first, place);
                return false;
            }
            (_, false) => {
                way.found = Found::Steps(way.open, place);
                return false;
            }
        }
        way.open += 1;
        true
    }

    /// A name, or a part of one, in an object on the way.
    fn name_on_way(&mut self, block: &[u8], part: Range<usize>, is_end: bool) {
        if self.way.name_place.is_none() {
            // Of the quote, with which a block begins a name.
            self.way.name_place = Some(self.place(block, part.start.saturating_sub(1)));
        }
        let part = block.get(part).unwrap_or(&[]);
        let Way { steps, open, name, named, name_place, .. } = &mut *self.way;
        let Some(step) = open.checked_sub(1).and_then(|last| steps.get_mut(last)) else { return };
        // An escape has at most six times the bytes of what it means: longer is another name.
        let room = step.name.len().saturating_mul(6).saturating_add(1).saturating_sub(name.len());
        let part = part.get(..room).unwrap_or(part);
        if append(name, part).is_err() {
            self.lacks_memory = true;
            return;
        }
        if !is_end {
            return;
        }
        let is_it = match memchr::memchr(b'\\', name) {
            None => Ok(*name == step.name),
            Some(_) => means(name, &step.name),
        };
        name.clear();
        self.lacks_memory |= is_it.is_err();
        let place = name_place.take();
        *named = match is_it == Ok(true) {
            true if !step.is_met => Named::Step,
            is_repeated => {
                if is_repeated {
                    self.repeated = self.repeated.or(place);
                }
                Named::Other
            }
        };
        step.is_met |= *named == Named::Step;
    }
}

/// Whether the body of a string with escapes means a name.
#[cold]
fn means(body: &mut Vec<u8>, name: &[u8]) -> Result<bool, NoMemory> {
    let mut text = Vec::new();
    append(body, b"\"")?;
    match unescape::<Scalar>(body, 0, 0, true, &mut text) {
        Err((ErrorKind::NoMemory, _)) => Err(NoMemory),
        // Only what is too long for the name has been cut, and may be no string.
        read => Ok(read.is_ok() && text == name),
    }
}

/// Appends some bytes.
fn append(bytes: &mut Vec<u8>, more: &[u8]) -> Result<(), NoMemory> {
    bytes.try_reserve(more.len()).map_err(|_| NoMemory)?;
    bytes.extend_from_slice(more);
    Ok(())
}

/// The index that a token of a pointer is: digits without a leading zero.
fn array_index(token: &[u8]) -> Option<u64> {
    if token.len() > 1 && token.starts_with(b"0") || !token.iter().all(u8::is_ascii_digit) {
        return None;
    }
    core::str::from_utf8(token).ok()?.parse().ok()
}
