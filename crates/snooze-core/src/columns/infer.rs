//! What values the members of records have: one pass over lines that builds nothing.
//!
//! Separate from `lattice`, which chooses a type for what was seen. Invariant: what was seen only
//! grows; the order of the records decides nothing but the order of the members. Called by the
//! scans of snooze-py before the first batch, where no schema is given.

use super::members::{Member, Members};
use super::memory::{NoMemory, copied, push};
use crate::arch::generic::valid::IsUtf8;
use crate::arch::{Dispatch, Task, Vector};
use crate::error::{Error, ErrorKind};
use crate::names::AHEAD;
use crate::number::Number;
use crate::read::Reader;

/// Objects with more different members than this are kept as JSON text: their names are data.
const MAX_MEMBERS: usize = 10_000;
/// Values nested deeper than this are kept as JSON text: pyarrow reads no schema of more than 64
/// levels, of which the record and the innermost values are two.
pub(super) const MAX_NESTING: usize = 63;

/// The kinds of values at one place, and what is inside them.
#[derive(Debug, Default)]
pub(super) struct Seen {
    pub(super) boolean: bool,
    pub(super) string: bool,
    pub(super) float: bool,
    pub(super) integer: bool,
    /// Any integer below zero.
    pub(super) negative: bool,
    /// Any integer above 2^63 - 1, up to 2^64 - 1.
    pub(super) above_i64: bool,
    /// The most digits of an integer beyond 64 bits; zero if there was none.
    pub(super) big_digits: usize,
    /// Any integer that no double equals.
    pub(super) inexact: bool,
    /// A number, a nesting or a set of members that no column is made for.
    pub(super) excessive: bool,
    /// The elements of arrays: one entry, or none if there was no array.
    pub(super) items: Vec<Seen>,
    /// The members of objects: one entry, or none if there was no object.
    pub(super) objects: Vec<Object>,
}

/// The members of the objects at one place.
#[derive(Debug, Default)]
pub(super) struct Object {
    members: Members,
    pub(super) fields: Vec<SeenField>,
    /// How many objects there were.
    pub(super) count: u64,
}

/// A member of the objects at one place.
#[derive(Debug)]
pub(super) struct SeenField {
    pub(super) name: Vec<u8>,
    pub(super) seen: Seen,
    /// Whether a column is wanted for it.
    pub(super) wanted: bool,
    /// How many objects have it, and the number of the last one.
    pub(super) count: u64,
    last: u64,
}

/// What was seen of the records so far.
#[derive(Debug)]
pub struct Inference {
    pub(super) root: Seen,
    pub(super) columns: Option<Vec<String>>,
    checking: Checking,
    pub(super) saw_wrong_record: bool,
    scratch: Vec<u8>,
}

/// How much of a record is validated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Checking {
    /// Only what must be read: the scan itself ends at a wrong record. Of containers that no column
    /// is wanted for, only the end is found.
    Unchecked,
    /// Everything, in the same pass: [`Inference::saw_wrong_record`] says whether a wrong record
    /// may have added anything.
    WhileReading,
    /// Everything, in a pass before: a wrong record adds nothing.
    BeforeReading,
}

/// Why a record was not seen to its end.
enum Stop {
    /// It is wrong.
    Wrong,
    NoMemory,
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        if error.kind == ErrorKind::NoMemory { Self::NoMemory } else { Self::Wrong }
    }
}

impl From<NoMemory> for Stop {
    fn from(NoMemory: NoMemory) -> Self {
        Self::NoMemory
    }
}

impl Inference {
    /// Nothing seen yet. Of the members of a record only those in `columns` will be, if that is
    /// given.
    pub fn new(columns: Option<Vec<String>>, checking: Checking) -> Self {
        Self {
            root: Seen::default(),
            columns,
            checking,
            saw_wrong_record: false,
            scratch: Vec::new(),
        }
    }

    /// Whether a wrong record may have added members that no record has.
    pub fn saw_wrong_record(&self) -> bool {
        self.saw_wrong_record
    }

    /// Sees the records of whole lines. Wrong records are for the reading to report.
    pub fn add(&mut self, dispatch: Dispatch, text: &[u8]) -> Result<(), NoMemory> {
        dispatch.run(Lines { inference: self, text })
    }
}

struct Lines<'i> {
    inference: &'i mut Inference,
    text: &'i [u8],
}

impl Task for Lines<'_> {
    type Output = Result<(), NoMemory>;

    #[inline(always)]
    fn with_vectors<V: Vector>(self) -> Self::Output {
        let Self { inference, text } = self;
        let checking = match inference.checking {
            Checking::WhileReading if !V::run_outlined(IsUtf8(text)) => Checking::BeforeReading,
            checking => checking,
        };
        let mut start = 0;
        while start < text.len() {
            let end = memchr::memchr(b'\n', &text[start..]).map_or(text.len(), |at| start + at + 1);
            let (line, line_at) = (&text[start..end], start);
            start = end;
            let mut reader = Reader::<V>::resume(line, 0);
            if reader.token() != b'{' {
                continue;
            }
            if checking == Checking::BeforeReading {
                let is_right = reader.skip(0).and_then(|_| reader.finish()).is_ok()
                    && V::run_outlined(IsUtf8(line));
                if !is_right {
                    continue;
                }
                reader = Reader::resume(line, 0);
                reader.token();
            }
            let Inference { root, columns, scratch, .. } = &mut *inference;
            // PERF: with some text after it, so that the last name of a line is compared as all
            // others. Only a wrong record goes on after its line.
            let text = &text[..text.len().min(end + AHEAD)];
            let seen = V::run_outlined(Inside {
                seen: root,
                text,
                start: line_at + reader.offset(),
                depth: 1,
                columns: columns.as_deref(),
                checks: checking == Checking::WhileReading,
                scratch,
            });
            match seen {
                Ok(after) if checking == Checking::WhileReading => {
                    let is_right =
                        after <= end && Reader::<V>::resume(&text[..end], after).finish().is_ok();
                    inference.saw_wrong_record |= !is_right;
                }
                Ok(_) => {}
                Err(Stop::Wrong) => inference.saw_wrong_record = true,
                Err(Stop::NoMemory) => return Err(NoMemory),
            }
        }
        Ok(())
    }
}

/// The container at `start`, inside `depth - 1` others; returns the offset after it.
struct Inside<'i> {
    seen: &'i mut Seen,
    text: &'i [u8],
    start: usize,
    depth: usize,
    columns: Option<&'i [String]>,
    /// Whether containers that no column is wanted for are checked.
    checks: bool,
    scratch: &'i mut Vec<u8>,
}

impl Task for Inside<'_> {
    type Output = Result<usize, Stop>;

    #[inline(always)]
    fn with_vectors<V: Vector>(self) -> Self::Output {
        let Self { seen, text, start, depth, columns, checks, scratch } = self;
        let mut reader = Reader::<V>::resume(text, start);
        let open = reader.token();
        let (is_array, close) = (open == b'[', open + 2);
        reader.consume();
        let (mut before, mut expected) = (None, 0);
        if is_array && seen.items.is_empty() {
            push(&mut seen.items, Seen::default())?;
        }
        if !is_array {
            if seen.objects.is_empty() {
                push(&mut seen.objects, Object::default())?;
            }
            let object = &mut seen.objects[0];
            object.count += 1;
            expected = object.members.first();
        }
        let mut is_closed = reader.token() == close;
        while !is_closed {
            let place = if is_array {
                Some(&mut seen.items[0])
            } else {
                let object = &mut seen.objects[0];
                let name_at = reader.offset();
                let ahead = text.get(name_at..).and_then(|rest| rest.first_chunk::<AHEAD>());
                let entry = match ahead.and_then(|ahead| object.members.predicted(expected, ahead))
                {
                    Some(len) => {
                        reader = Reader::resume(text, name_at + len);
                        Some(expected)
                    }
                    None if reader.token() == b'"' => {
                        let name = reader.string(scratch)?;
                        let entry = object.entry(name.bytes, before, columns)?;
                        reader.colon()?;
                        entry
                    }
                    None => return Err(Stop::Wrong),
                };
                seen.excessive |= entry.is_none();
                let object = &mut seen.objects[0];
                expected = entry.map_or(0, |entry| object.members.next(entry));
                before = entry;
                match entry.map(|entry| object.members.member(entry)) {
                    Some(Member::Column(index)) if object.fields[index].wanted => {
                        let field = &mut object.fields[index];
                        // A member that stands twice in one object counts once.
                        field.count += u64::from(field.last != object.count);
                        field.last = object.count;
                        Some(&mut field.seen)
                    }
                    _ => None,
                }
            };
            match place {
                Some(place) => see(place, &mut reader, depth, checks, scratch)?,
                None if checks => {
                    reader.skip(depth)?;
                }
                None => {
                    reader.skip_fast(depth)?;
                }
            }
            match reader.token() {
                b',' => {
                    reader.consume();
                    reader.token();
                }
                byte if byte == close => is_closed = true,
                _ => return Err(Stop::Wrong),
            }
        }
        reader.consume();
        Ok(reader.offset())
    }
}

impl Object {
    /// What the entry of a name is.
    pub(super) fn member(&self, entry: usize) -> Member {
        self.members.member(entry)
    }

    /// The entry of a name; `None` if there are too many. A new one is wanted if `columns` has it,
    /// and then there are never too many: what threads see apart must be found in what they see
    /// together.
    #[cold]
    #[inline(never)]
    pub(super) fn entry(
        &mut self,
        name: &[u8],
        before: Option<usize>,
        columns: Option<&[String]>,
    ) -> Result<Option<usize>, NoMemory> {
        // Only asked for new names, because `columns` may be long.
        let is_named =
            || columns.is_some_and(|names| names.iter().any(|one| one.as_bytes() == name));
        let limit = || if is_named() { usize::MAX } else { MAX_MEMBERS };
        let entry = self.members.find_or_add_column(name, before, limit)?;
        if entry == Some(self.fields.len()) {
            let wanted = columns.is_none() || is_named();
            let (name, seen) = (copied(name)?, Seen::default());
            let field = SeenField { name, seen, wanted, count: 0, last: 0 };
            push(&mut self.fields, field)?;
        }
        Ok(entry)
    }
}

/// Sees the value at the cursor.
#[inline(always)]
fn see<V: Vector>(
    seen: &mut Seen,
    reader: &mut Reader<'_, V>,
    depth: usize,
    checks: bool,
    scratch: &mut Vec<u8>,
) -> Result<(), Stop> {
    let text = reader.text();
    match reader.token() {
        b'"' => {
            seen.string = true;
            reader.skip(depth)?;
        }
        b'{' | b'[' if depth < MAX_NESTING => {
            let start = reader.offset();
            let depth = depth + 1;
            let inside = Inside { seen, text, start, depth, columns: None, checks, scratch };
            *reader = Reader::resume(text, V::run_outlined(inside)?);
        }
        b'{' | b'[' => {
            seen.excessive = true;
            reader.skip(depth)?;
        }
        b't' | b'f' => {
            seen.boolean = true;
            reader.skip(depth)?;
        }
        b'n' => reader.literal_null()?,
        _ => {
            if let Some(value) = reader.short_integer() {
                seen.integer(value);
            } else if reader.short_decimal().is_some() {
                seen.float = true;
            } else {
                let start = reader.offset();
                match reader.other_number() {
                    Ok(number) => seen.number(number, reader.span_from(start)),
                    Err(Error { kind: ErrorKind::Infinity, .. }) => {
                        seen.excessive = true;
                        *reader = Reader::resume(text, start);
                        reader.skip(depth)?;
                    }
                    Err(error) => return Err(error.into()),
                }
            }
        }
    }
    Ok(())
}

impl Seen {
    #[inline(always)]
    fn integer(&mut self, value: i64) {
        self.integer = true;
        self.negative |= value < 0;
        self.inexact |= value.unsigned_abs() > 1 << 53 && (value as f64) as i128 != value.into();
    }

    #[inline(never)]
    fn number(&mut self, number: Number, text: &[u8]) {
        match number {
            Number::Int(value) => self.integer(value),
            Number::UInt(value) => {
                self.integer = true;
                self.above_i64 = true;
                self.inexact |= (value as f64) as i128 != value.into();
            }
            Number::Float(_) if text.iter().any(|byte| matches!(byte, b'.' | b'e' | b'E')) => {
                self.float = true;
            }
            // An integer beyond 64 bits.
            Number::Float(_) => {
                self.integer = true;
                self.inexact = true;
                self.negative |= text.first() == Some(&b'-');
                let digits = text.iter().filter(|byte| byte.is_ascii_digit()).count();
                self.big_digits = self.big_digits.max(digits);
            }
        }
    }
}
