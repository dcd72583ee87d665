//! The grammar of a document that comes in blocks.
//!
//! Separate from `read`, whose walks have the whole document: here everything between two tokens is
//! state. Invariants: the fault is the first that a reader of the whole text finds, but that of
//! text that is not UTF-8 anywhere goes before, as for `loads`; a number beyond the range of a
//! double is a fault if the caller wants it, unless it is an integer; nothing is allocated. Called
//! by snooze-py.
//!
//! A walk over a block is that of `Reader::skip`, token by token. In tiers with wide vectors, a
//! container that the block has whole is checked in one go.

use super::cut::{At, Broken, Continued, Cut, Stop, string};
use super::place::Place;
use super::utf8::Utf8;
use super::watch::Watch;
use crate::arch::{Dispatch, Task, Vector};
use crate::error::ErrorKind;
use crate::number;
use crate::read::{MAX_DEPTH, MIN_LANES_FOR_BLOCKS, Reader, valid_end};

/// What the grammar allows next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    /// The value of the document.
    Document,
    /// In an array: a value or the end.
    First,
    /// In an array, after a comma.
    Element,
    /// After a colon.
    Member,
    /// In an object: a name or the end.
    FirstName,
    /// In an object, after a comma.
    Name,
    /// After a name.
    Colon,
    /// In an array, after a value.
    AfterElement,
    /// In an object, after a value.
    AfterMember,
    /// White space.
    End,
}

/// What is wrong with a document, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// What is wrong.
    pub kind: ErrorKind,
    /// Where it is.
    pub place: Place,
}

/// A document as far as it has been seen.
#[derive(Debug)]
pub struct Checker {
    /// The place after the blocks so far.
    end: Place,
    /// A token that is cut counts as complete here.
    next: Next,
    /// One bit for each open container, set for an object.
    kinds: [u64; MAX_DEPTH / 64],
    depth: usize,
    cut: Cut,
    /// A place before the current block where a fault may still be found.
    mark: Place,
    utf8: Utf8,
    /// Where the first byte is that is not UTF-8.
    not_utf8: Option<Place>,
    fault: Option<Fault>,
    /// Whether a number beyond the range of a double is a fault.
    bounded: bool,
}

impl Checker {
    /// Nothing has been seen. `bounded`: a number with a point or an exponent that is beyond the
    /// range of a double is a fault.
    pub fn new(bounded: bool) -> Self {
        Self {
            end: Place::START,
            next: Next::Document,
            kinds: [0; MAX_DEPTH / 64],
            depth: 0,
            cut: Cut::No,
            mark: Place::START,
            utf8: Utf8::default(),
            not_utf8: None,
            fault: None,
            bounded,
        }
    }

    /// Checks the next block. After a fault, only whether the rest is UTF-8; after text that is not
    /// UTF-8, nothing.
    pub fn feed(&mut self, dispatch: Dispatch, block: &[u8]) {
        self.feed_watched(dispatch, block, None);
    }

    /// Checks the next block, and tells `watch` what is in it up to a fault.
    pub(super) fn feed_watched(
        &mut self,
        dispatch: Dispatch,
        block: &[u8],
        watch: Option<&mut (dyn Watch + '_)>,
    ) {
        // PERF: one kind of task for all, because each copy of the walk is tens of kilobytes.
        dispatch.run(Feed { checker: self, block, watch });
    }

    #[inline(always)]
    fn feed_with<V: Vector>(&mut self, block: &[u8], mut watch: Option<&mut (dyn Watch + '_)>) {
        if self.not_utf8.is_some() {
            return;
        }
        let begun = self.utf8.begun();
        let right = self.utf8.feed::<V>(block);
        let mut block = block;
        if self.utf8.is_wrong() {
            let before = block.get(..right).unwrap_or(block);
            self.not_utf8 = Some(self.place_of_wrong_byte(before, begun));
            // With one byte more, its own fault is found as where a block ends after it.
            block = block.get(..=right).unwrap_or(block);
        }
        if self.fault.is_some() {
            return;
        }
        let is_in_name =
            matches!(self.cut, Cut::String | Cut::Escape(..)) && self.next == Next::Colon;
        let walked = match self.cut.proceed::<V>(block, self.bounded) {
            Ok(Continued::Cut(escape)) => {
                if let (true, Some(watch)) = (is_in_name, watch) {
                    watch.name(block, 0..block.len(), false, self.depth);
                }
                Ok(escape)
            }
            Ok(Continued::Whole(at)) => {
                if let (true, Some(watch)) = (is_in_name, watch.as_mut()) {
                    watch.name(block, 0..at.saturating_sub(1), true, self.depth);
                }
                self.walk::<V>(block, at, watch)
            }
            Err(stop) => Err(stop),
        };
        match walked {
            Ok(None) => self.end = self.end.after(block),
            Ok(Some(mark)) => {
                let (before, rest) = block.split_at_checked(mark).unwrap_or((block, &[]));
                self.mark = self.end.after(before);
                self.end = self.mark.after(rest);
            }
            Err((kind, at)) => self.fault = Some(Fault { kind, place: self.place(at, block) }),
        }
    }

    /// Ends the document.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn finish(&self) -> Result<(), Fault> {
        if !self.utf8.is_complete() {
            return Err(Fault { kind: ErrorKind::InvalidUtf8, place: Place::START });
        }
        if let Some(fault) = self.fault {
            return Err(fault);
        }
        match (self.cut.at_end(self.bounded), self.next) {
            (Some((kind, at)), _) => Err(Fault { kind, place: self.place(at, &[]) }),
            (None, Next::End) => Ok(()),
            (None, Next::Document) => {
                Err(Fault { kind: ErrorKind::OnlySpace, place: Place::START })
            }
            (None, _) => Err(Fault { kind: ErrorKind::UnexpectedEnd, place: self.end }),
        }
    }

    /// The offset of the fault, or where one may still be found before the next block: what is
    /// around it may be needed for a message.
    pub fn noted_offset(&self) -> Option<u64> {
        match self.fault {
            Some(fault) => Some(fault.place.offset),
            None if !matches!(self.cut, Cut::No | Cut::String) => Some(self.mark.offset),
            None if matches!(self.next, Next::Element | Next::Name) => Some(self.mark.offset),
            None => None,
        }
    }

    /// The place after the blocks so far; without a meaning after a fault.
    pub(super) fn end(&self) -> Place {
        self.end
    }

    /// Whether the blocks so far end in a token.
    pub(super) fn is_cut(&self) -> bool {
        !matches!(self.cut, Cut::No)
    }

    /// Whether the blocks so far end in a string that is a value.
    pub(super) fn is_in_string(&self) -> bool {
        matches!(self.cut, Cut::String | Cut::Escape(..)) && self.next != Next::Colon
    }

    /// The first fault, as far as one is known before the end. Unlike for [`Checker::finish`], text
    /// that is not UTF-8 is one at its place.
    pub(super) fn fault(&self) -> Option<Fault> {
        // Nothing behind it has been walked over.
        let of_utf8 = |place| Fault { kind: ErrorKind::InvalidUtf8, place };
        self.fault.or(self.not_utf8.map(of_utf8))
    }

    /// Ends the document, as [`Checker::finish`], with the place of text that is not UTF-8.
    pub(super) fn finish_with_place(&self) -> Result<(), Fault> {
        if let Some(fault) = self.fault() {
            return Err(fault);
        }
        self.finish().map_err(|fault| match fault.kind {
            ErrorKind::InvalidUtf8 => {
                Fault { place: self.place_of_wrong_byte(&[], self.utf8.begun()), ..fault }
            }
            _ => fault,
        })
    }

    /// The place of the first byte that is not UTF-8: after `right` ones, or in a character of which
    /// the blocks before had `begun` bytes.
    #[cold]
    fn place_of_wrong_byte(&self, right: &[u8], begun: usize) -> Place {
        let Place { offset, line, column } = self.end;
        match (right.is_empty(), begun as u64) {
            (true, begun @ 1..) => Place {
                offset: offset.saturating_sub(begun),
                line,
                column: column.saturating_sub(1),
            },
            _ => self.end.after(right),
        }
    }

    /// The place of a fault in the current block, or before it.
    fn place(&self, at: At, block: &[u8]) -> Place {
        match at {
            At::Here(at) => self.end.after(block.get(..at).unwrap_or(block)),
            At::Mark(after) => Place {
                offset: self.mark.offset + after as u64,
                line: self.mark.line,
                column: self.mark.column + after as u64,
            },
        }
    }

    /// Walks over the rest of a block; returns what to mark in it.
    #[inline(always)]
    fn walk<V: Vector>(
        &mut self,
        block: &[u8],
        start: usize,
        mut watch: Option<&mut (dyn Watch + '_)>,
    ) -> Result<Option<usize>, Stop> {
        let mut reader = Reader::<V>::resume(block, start);
        let mut comma = None;
        // A container that is not whole is walked over twice; at most so many in each block.
        let mut attempts = if MIN_LANES_FOR_BLOCKS <= V::LANES { 3 } else { 0 };
        loop {
            let byte = reader.token();
            let at = reader.offset();
            if at >= block.len() {
                let is_after_comma = matches!(self.next, Next::Element | Next::Name);
                return Ok(comma.filter(|_| is_after_comma));
            }
            let here = |kind| Err((kind, At::Here(at)));
            match self.next {
                Next::First if byte == b']' => self.close(&mut watch, block, at),
                Next::FirstName if byte == b'}' => self.close(&mut watch, block, at),
                Next::FirstName | Next::Name if byte == b'"' => {
                    self.next = Next::Colon;
                    match string::<V>(block, at + 1)? {
                        Ok(end) => {
                            if let Some(watch) = watch.as_mut() {
                                watch.name(block, at + 1..end - 1, true, self.depth);
                            }
                            reader = Reader::resume(block, end);
                            continue;
                        }
                        Err(broken) => {
                            if let Some(watch) = watch.as_mut() {
                                watch.name(block, at + 1..block.len(), false, self.depth);
                            }
                            return Ok(self.cut_string(block, broken));
                        }
                    }
                }
                Next::Element if byte == b']' => return trailing_comma(comma),
                Next::Name if byte == b'}' => return trailing_comma(comma),
                Next::FirstName | Next::Name => return here(ErrorKind::ExpectedKey),
                Next::Colon if byte == b':' => self.next = Next::Member,
                Next::Colon => return here(ErrorKind::ExpectedColon),
                Next::AfterElement | Next::AfterMember if byte == b',' => {
                    comma = Some(at);
                    if let Some(watch) = watch.as_mut() {
                        watch.comma(block, at, self.depth);
                    }
                    let is_array = self.next == Next::AfterElement;
                    self.next = if is_array { Next::Element } else { Next::Name };
                }
                Next::AfterElement if byte == b']' => self.close(&mut watch, block, at),
                Next::AfterMember if byte == b'}' => self.close(&mut watch, block, at),
                Next::AfterElement => return here(ErrorKind::ExpectedArrayEnd),
                Next::AfterMember => return here(ErrorKind::ExpectedObjectEnd),
                Next::End => return here(ErrorKind::TrailingContent),
                Next::Document | Next::First | Next::Element | Next::Member => match byte {
                    b'"' => {
                        self.value_begins(&mut watch, block, at);
                        self.after_value();
                        match string::<V>(block, at + 1)? {
                            Ok(end) => {
                                reader = Reader::resume(block, end);
                                continue;
                            }
                            Err(broken) => return Ok(self.cut_string(block, broken)),
                        }
                    }
                    b'[' | b'{' => {
                        if self.depth >= MAX_DEPTH {
                            return Err((ErrorKind::Depth, At::Here(at + 1)));
                        }
                        let is_watched = self.value_begins(&mut watch, block, at);
                        if attempts > 0 && !is_watched {
                            if let Some((end, _)) = valid_end::<V, true>(block, at, self.depth) {
                                self.after_value();
                                reader = Reader::resume(block, end);
                                continue;
                            }
                            attempts -= 1;
                        }
                        if let Some(watch) = watch.as_mut() {
                            watch.open(at);
                        }
                        self.open(byte == b'{');
                    }
                    b'-' | b'+' | b'.' | b'0'..=b'9' => {
                        self.value_begins(&mut watch, block, at);
                        let end = if self.bounded {
                            number::skip_finite(block, at)
                        } else {
                            number::skip(block, at)
                        };
                        match end {
                            Ok(end) if end < block.len() => {
                                self.after_value();
                                reader = Reader::resume(block, end);
                                continue;
                            }
                            Err((ErrorKind::Infinity, _))
                                if number::number_end(block, at) < block.len() =>
                            {
                                return here(ErrorKind::Infinity);
                            }
                            Err((kind, at)) if kind != ErrorKind::Infinity && at < block.len() => {
                                return Err((kind, At::Here(at)));
                            }
                            _ => {}
                        }
                        self.after_value();
                        self.cut = Cut::in_number(block.get(at..).unwrap_or(&[]));
                        return Ok(Some(at));
                    }
                    b't' | b'f' | b'n' => {
                        let (word, kind): (&[u8], _) = match byte {
                            b't' => (b"true", ErrorKind::LiteralTrue),
                            b'f' => (b"false", ErrorKind::LiteralFalse),
                            _ => (b"null", ErrorKind::LiteralNull),
                        };
                        self.value_begins(&mut watch, block, at);
                        self.after_value();
                        let rest = block.get(at..).unwrap_or(&[]);
                        if rest.starts_with(word) {
                            reader = Reader::resume(block, at + word.len());
                            continue;
                        }
                        if !word.starts_with(rest) {
                            return here(kind);
                        }
                        self.cut = Cut::Literal(word, kind, rest.len());
                        return Ok(Some(at));
                    }
                    0xef if self.end.offset + at as u64 == 0 => {
                        self.cut = Cut::ByteOrderMark(0);
                        match self.cut.proceed::<V>(block, self.bounded) {
                            Ok(_) => return Ok(Some(0)),
                            Err((kind, _)) => return here(kind),
                        }
                    }
                    _ => return here(ErrorKind::ExpectedValue),
                },
            }
            reader.consume();
        }
    }

    /// A string has been cut, and is a value or a name already; returns what to mark.
    fn cut_string(&mut self, block: &[u8], broken: Broken) -> Option<usize> {
        match broken {
            Broken::Plain => {
                self.cut = Cut::String;
                None
            }
            Broken::Escape(at) => {
                self.cut = Cut::in_escape(block.get(at..).unwrap_or(&[]));
                Some(at)
            }
        }
    }

    #[inline(always)]
    fn open(&mut self, is_object: bool) {
        let (word, bit) = (self.depth / 64 % self.kinds.len(), 1 << (self.depth % 64));
        let kinds = &mut self.kinds[word];
        *kinds = if is_object { *kinds | bit } else { *kinds & !bit };
        self.depth += 1;
        self.next = if is_object { Next::FirstName } else { Next::First };
    }

    #[inline(always)]
    fn close(&mut self, watch: &mut Option<&mut (dyn Watch + '_)>, block: &[u8], at: usize) {
        if let Some(watch) = watch {
            watch.close(block, at, self.depth);
        }
        self.depth -= 1;
        self.after_value();
    }

    /// A value begins; whether the tokens in it must be told.
    #[inline(always)]
    fn value_begins(
        &self,
        watch: &mut Option<&mut (dyn Watch + '_)>,
        block: &[u8],
        at: usize,
    ) -> bool {
        watch.as_mut().is_some_and(|watch| watch.value(block, at, self.depth))
    }

    /// What follows a value in the container that is open now.
    #[inline(always)]
    fn after_value(&mut self) {
        let Some(last) = self.depth.checked_sub(1) else {
            self.next = Next::End;
            return;
        };
        let word = self.kinds[last / 64 % self.kinds.len()];
        let is_object = word >> (last % 64) & 1 == 1;
        self.next = if is_object { Next::AfterMember } else { Next::AfterElement };
    }
}

/// Checking a block.
struct Feed<'a, 'w> {
    checker: &'a mut Checker,
    block: &'a [u8],
    watch: Option<&'a mut (dyn Watch + 'w)>,
}

impl Task for Feed<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn with_vectors<V: Vector>(self) {
        self.checker.feed_with::<V>(self.block, self.watch);
    }
}

/// The fault of a comma before a bracket: in this block, or before it.
#[cold]
fn trailing_comma<T>(comma: Option<usize>) -> Result<T, Stop> {
    Err((ErrorKind::TrailingComma, comma.map_or(At::Mark(0), At::Here)))
}
