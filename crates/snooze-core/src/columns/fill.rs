//! Reading one record into columns.
//!
//! Separate from `records`, which finds the records and decides what happens to wrong ones.
//! Invariant: after a fault the columns hold a part of the record, which the caller cuts off; after
//! success, one row more. The common types are read in place, the others by [`Other`], so that the
//! code exists once for each tier. Each container is a task of its own: code that is not inlined
//! below a task would lose the vectors of the tier.
//!
//! A strict walk stops at the first value that does not fit. A lenient one, of the same record,
//! makes such a value null, and keeps its text if `keeps_rest`; it is slower and only wrong records
//! see it.

use super::column::{Column, SHORT, Texts, Values};
use super::members::{Member, Members};
use super::memory::{NoMemory, append, push};
use super::predicted::{Fields, Stop, predicted, short_float};
use super::problem::{Fault, FaultKind, Step, write_pointer};
use super::read_mode::ReadMode;
use super::repeated::{Repeated, names_after, names_before};
use super::scalar::decimal_of;
use crate::arch::generic::valid::is_utf8;
use crate::arch::{Task, Vector};
use crate::error::{Error, ErrorKind};
use crate::names::AHEAD;
use crate::number::Number;
use crate::read::Reader;

/// No JSON text has this byte.
pub(super) const DEAD: u8 = 0;

/// Memory that is reused from record to record.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    /// The text of a string with escapes.
    pub(super) text: Vec<u8>,
    /// The way to a fault, innermost first; in a lenient walk, the way to here, outermost first.
    pub(super) steps: Vec<Step>,
    /// In a lenient walk, the members of the object of what has no place: `,"pointer":value`, and
    /// [`DEAD`] bytes.
    pub(super) rest: Vec<u8>,
    /// What is passed over in the innermost open map.
    repeated: Repeated,
    /// How many maps are open.
    maps: usize,
}

/// A walk through one record.
pub(super) struct State<'a> {
    pub(super) text: &'a [u8],
    pub(super) at: usize,
    pub(super) depth: usize,
    pub(super) mode: ReadMode,
    pub(super) scratch: &'a mut Scratch,
}

impl From<Error> for Fault {
    #[cold]
    fn from(error: Error) -> Self {
        Self { kind: FaultKind::Json(error.kind), at: error.offset }
    }
}

impl From<NoMemory> for Fault {
    #[cold]
    fn from(NoMemory: NoMemory) -> Self {
        Self { kind: FaultKind::Json(ErrorKind::NoMemory), at: 0 }
    }
}

impl State<'_> {
    /// Notes the way to a fault.
    #[cold]
    #[inline(never)]
    fn on_the_way(&mut self, fault: Fault, step: Step) -> Fault {
        if !self.mode.lenient && push(&mut self.scratch.steps, step).is_err() {
            return NoMemory.into();
        }
        fault
    }

    /// Keeps a value that has no place, if this walk does.
    fn keep(&mut self, value: &[u8]) -> Result<(), NoMemory> {
        if !self.mode.keeps_rest {
            return Ok(());
        }
        let Scratch { steps, rest, .. } = &mut *self.scratch;
        let mut pointer = Vec::new();
        write_pointer(self.text, steps.iter(), &mut pointer)?;
        append(rest, b",\"")?;
        for &byte in &pointer {
            match byte {
                b'"' | b'\\' => append(rest, &[b'\\', byte])?,
                0..0x20 => {
                    let digit = |value: u8| b"0123456789abcdef"[usize::from(value)];
                    append(rest, &[b'\\', b'u', b'0', b'0', digit(byte >> 4), digit(byte & 15)])?;
                }
                _ => push(rest, byte)?,
            }
        }
        append(rest, b"\":")?;
        append(rest, value)
    }
}

impl Scratch {
    /// Marks a part of the rest as dead: an equal member follows the one that it is of.
    #[cold]
    fn forget(&mut self, (start, end): (usize, usize)) {
        self.rest.get_mut(start..end).unwrap_or_default().fill(DEAD);
    }
}

/// A container whose opening bracket is at the cursor, and the column that it belongs to.
pub(super) struct Container<'s, 'a> {
    pub(super) state: &'s mut State<'a>,
    pub(super) column: &'s mut Column,
}

impl Task for Container<'_, '_> {
    type Output = Result<(), Fault>;

    #[inline(always)]
    fn with_vectors<V: Vector>(self) -> Self::Output {
        container::<V>(self.state, self.column)
    }
}

/// A map whose opening bracket is at the cursor, and the column that it belongs to.
struct Map<'s, 'a> {
    state: &'s mut State<'a>,
    column: &'s mut Column,
}

impl Task for Map<'_, '_> {
    type Output = Result<(), Fault>;

    #[inline(always)]
    fn with_vectors<V: Vector>(self) -> Self::Output {
        let Self { state, column } = self;
        let opened_at = state.at;
        let is_inner = state.scratch.maps > 0;
        let members = if is_inner {
            let reader = Reader::<V>::resume(state.text, opened_at);
            names_before(reader, state.depth, &mut state.scratch.text)?
        } else {
            Vec::new()
        };
        let now = Repeated { opened_at: Some(opened_at), members };
        let outer = core::mem::replace(&mut state.scratch.repeated, now);
        state.scratch.maps += 1;
        let row = column.rows;
        let mut done = V::run_outlined(Container { state: &mut *state, column: &mut *column });
        if done.is_ok() && !is_inner {
            done = match names_after(column, row) {
                Ok(members) if members.is_empty() => Ok(()),
                Ok(members) => {
                    column.truncate(row);
                    let end = state.scratch.rest.len();
                    if state.mode.keeps_rest {
                        state.scratch.forget((column.kept.0, end));
                    }
                    state.scratch.repeated.members = members;
                    state.at = opened_at;
                    V::run_outlined(Container { state: &mut *state, column })
                }
                Err(no_memory) => Err(no_memory.into()),
            };
        }
        state.scratch.maps -= 1;
        state.scratch.repeated = outer;
        done
    }
}

/// The open container.
enum Open<'c> {
    Struct { fields: &'c mut [Column], members: &'c mut Members, expected: usize, left: usize },
    List { items: &'c mut Column, first: usize },
    Map { keys: &'c mut Texts<i32>, items: &'c mut Column, place: usize },
}

#[inline(always)]
fn container<V: Vector>(state: &mut State<'_>, column: &mut Column) -> Result<(), Fault> {
    let opened_at = state.at;
    if matches!(column.values, Values::Map { .. })
        && state.scratch.repeated.opened_at != Some(opened_at)
    {
        return V::run_outlined(Map { state, column });
    }
    let mut reader = Reader::<V>::resume(state.text, state.at);
    let row = column.rows;
    let mut open = match &mut column.values {
        Values::Struct { fields, members, .. } => {
            let (expected, left) = (members.first(), fields.len());
            Open::Struct { fields, members, expected, left }
        }
        Values::List { items, .. } => {
            let first = items[0].rows;
            Open::List { items: &mut items[0], first }
        }
        Values::Map { keys, items, .. } => Open::Map { keys, items: &mut items[0], place: 0 },
        // The callers have seen that the column is one of containers.
        _ => return Err(NoMemory.into()),
    };
    let is_array = matches!(open, Open::List { .. });
    let close = if is_array { b']' } else { b'}' };
    reader.consume();
    state.depth += 1;
    let mut before = None;
    let mut is_empty = reader.token() == close;
    while !is_empty {
        if let Open::Struct { fields, members, expected, left } = &mut open
            && state.mode.checks_all
            && !state.mode.lenient
        {
            let predicted_fields =
                Fields { fields, members, expected, before: &mut before, left, row };
            if predicted::<V>(state.mode, state.depth, &mut reader, predicted_fields)?
                == Stop::Value
            {
                match reader.token() {
                    b',' => {
                        reader.consume();
                        reader.token();
                    }
                    b'}' => is_empty = true,
                    _ => return Err(reader.no_object_end().into()),
                }
                continue;
            }
        }
        let start = reader.offset();
        let (step, child) = match &mut open {
            Open::Struct { fields, members, expected, left } => {
                let place = match reader.token() {
                    b'"' => member(state, &mut reader, members, *expected, before)?,
                    _ => return Err(reader.no_key().into()),
                };
                reader.colon()?;
                *expected = place.map_or(0, |place| members.next(place));
                before = place;
                match place.map(|place| members.member(place)) {
                    Some(Member::Column(index)) => {
                        let child = &mut fields[index];
                        if child.rows > row {
                            // The last of equal members counts, as in `loads`.
                            child.truncate(row);
                            if state.mode.keeps_rest {
                                state.scratch.forget(child.kept);
                            }
                        } else {
                            child.fill(row)?;
                            *left -= 1;
                        }
                        (Step::Member(start), Some(child))
                    }
                    _ => (Step::Member(start), None),
                }
            }
            Open::List { items, first } => (Step::Item(items.rows - *first), Some(&mut **items)),
            Open::Map { keys, items, place } => {
                if reader.token() != b'"' {
                    return Err(reader.no_key().into());
                }
                let name = string(&mut state.scratch.text, state.mode.is_utf8, &mut reader)?;
                let is_last = !state.scratch.repeated.has(*place);
                *place += 1;
                if is_last && !keys.push(name)? {
                    return Err(Fault { kind: FaultKind::TooLarge, at: start });
                }
                reader.colon()?;
                if !is_last {
                    reader.token();
                    reader.skip(state.depth)?;
                    match reader.token() {
                        b',' => {
                            reader.consume();
                            reader.token();
                        }
                        // A member follows, so this was read before.
                        _ => return Err(reader.no_object_end().into()),
                    }
                    continue;
                }
                (Step::Member(start), Some(&mut **items))
            }
        };
        let mut child = child;
        if state.mode.lenient {
            push(&mut state.scratch.steps, step)?;
            if let Some(child) = &mut child {
                child.kept.0 = state.scratch.rest.len();
            }
        }
        let done = match &mut child {
            Some(child) => value::<V>(state, &mut reader, child),
            None => unwanted::<V>(state, &mut reader, start),
        };
        if let Err(fault) = done {
            return Err(state.on_the_way(fault, step));
        }
        if state.mode.lenient {
            state.scratch.steps.pop();
            if let Some(child) = child {
                child.kept.1 = state.scratch.rest.len();
            }
        }
        if let Open::Struct { left: 0, .. } = open
            && state.mode.stops_early
            && state.depth == 1
        {
            // The rest of the line is not looked at.
            state.at = reader.offset();
            state.depth = 0;
            column.rows += 1;
            return Ok(());
        }
        match reader.token() {
            b',' => {
                reader.consume();
                reader.token();
            }
            byte if byte == close => is_empty = true,
            _ if is_array => return Err(reader.no_array_end().into()),
            _ => return Err(reader.no_object_end().into()),
        }
    }
    reader.consume();
    state.at = reader.offset();
    state.depth -= 1;
    close_container(column, row, state.at, &mut state.scratch.text)
}

/// Ends the row of a container that ends before `at`; a missing member's name goes to `scratch`.
#[inline(always)]
fn close_container(
    column: &mut Column,
    row: usize,
    at: usize,
    scratch: &mut Vec<u8>,
) -> Result<(), Fault> {
    match &mut column.values {
        Values::Struct { fields, members, has_required: true } => {
            let is_missing = |field: &Column| !field.nullable && field.rows <= row;
            if let Some(index) = fields.iter().position(is_missing) {
                scratch.clear();
                append(scratch, members.name(index))?;
                return Err(Fault { kind: FaultKind::Missing, at });
            }
        }
        Values::List { ends, items } | Values::Map { ends, items, .. } => {
            let too_large = Fault { kind: FaultKind::TooLarge, at };
            push(ends, i32::try_from(items[0].rows).map_err(|_| too_large)?)?;
        }
        _ => {}
    }
    column.rows += 1;
    Ok(())
}

/// Reads the name at the cursor; returns its entry, if it has one.
#[inline(always)]
fn member<'a, V: Vector>(
    state: &mut State<'a>,
    reader: &mut Reader<'a, V>,
    members: &mut Members,
    expected: usize,
    before: Option<usize>,
) -> Result<Option<usize>, Fault> {
    let ahead = reader.string_ahead::<AHEAD>();
    if let Some(len) = ahead.and_then(|ahead| members.expected(expected, ahead)) {
        reader.consume_string(len);
        return Ok(Some(expected));
    }
    let name = reader.string(&mut state.scratch.text)?;
    Ok(members.find(name.bytes, before)?)
}

/// Passes over a member that no column has, whose name is at `name_at`.
#[inline(always)]
fn unwanted<'a, V: Vector>(
    state: &mut State<'a>,
    reader: &mut Reader<'a, V>,
    name_at: usize,
) -> Result<(), Fault> {
    let is_chosen = state.mode.selects && state.depth == 1;
    if state.mode.refuses_others && !is_chosen && !state.mode.lenient {
        return Err(Fault { kind: FaultKind::Unexpected, at: name_at });
    }
    reader.token();
    let start = reader.offset();
    if state.mode.checks_all {
        reader.skip(state.depth)?;
    } else {
        reader.skip_fast(state.depth)?;
    }
    if state.mode.lenient && !is_chosen {
        state.keep(reader.span_from(start))?;
    }
    Ok(())
}

/// Reads the string at the cursor, which must be UTF-8.
#[inline(always)]
fn string<'s, 'a: 's, V: Vector>(
    scratch: &'s mut Vec<u8>,
    known_utf8: bool,
    reader: &mut Reader<'a, V>,
) -> Result<&'s [u8], Fault> {
    let start = reader.offset();
    let text = reader.string(scratch)?;
    if !known_utf8 && !text.ascii && !V::run_outlined(Utf8(text.bytes)) {
        return Err(Fault { kind: FaultKind::Json(ErrorKind::InvalidUtf8), at: start });
    }
    Ok(text.bytes)
}

/// Whether bytes are UTF-8.
pub(super) struct Utf8<'a>(pub(super) &'a [u8]);

impl Task for Utf8<'_> {
    type Output = bool;

    #[inline(always)]
    fn with_vectors<V: Vector>(self) -> bool {
        is_utf8::<V>(self.0)
    }
}

/// Reads the value at the cursor into a column.
#[inline(always)]
fn value<'a, V: Vector>(
    state: &mut State<'a>,
    reader: &mut Reader<'a, V>,
    column: &mut Column,
) -> Result<(), Fault> {
    let token = reader.token();
    let is_read = match &mut column.values {
        Values::Int64(values) => match reader.short_integer() {
            Some(value) => {
                push(values, value)?;
                true
            }
            None => false,
        },
        Values::Float64(values) => match short_float(reader) {
            Some(value) => {
                push(values, value)?;
                true
            }
            None => false,
        },
        Values::Text(texts) if token == b'"' => {
            let start = reader.offset() + 1;
            let text = string(&mut state.scratch.text, state.mode.is_utf8, reader)?;
            // Escapes are longer than what they mean.
            let is_plain = reader.offset() == start + text.len() + 1;
            match state.text.get(start..).and_then(|rest| rest.first_chunk()) {
                Some(ahead) if is_plain && text.len() <= SHORT => {
                    texts.push_short(ahead, text.len())?
                }
                _ => texts.push(text)?,
            }
        }
        Values::Bool(bits) if token == b't' => {
            reader.literal_true()?;
            bits.push(true)?;
            true
        }
        Values::Bool(bits) if token == b'f' => {
            reader.literal_false()?;
            bits.push(false)?;
            true
        }
        Values::Struct { .. } | Values::Map { .. } if token == b'{' => {
            state.at = reader.offset();
            V::run_outlined(Container { state: &mut *state, column })?;
            *reader = Reader::resume(state.text, state.at);
            return Ok(());
        }
        Values::List { .. } if token == b'[' => {
            state.at = reader.offset();
            V::run_outlined(Container { state: &mut *state, column })?;
            *reader = Reader::resume(state.text, state.at);
            return Ok(());
        }
        _ => false,
    };
    if is_read {
        column.rows += 1;
        return Ok(());
    }
    if token == b'n' && column.nullable {
        reader.literal_null()?;
        return Ok(column.fill(column.rows + 1)?);
    }
    state.at = reader.offset();
    V::run_outlined(Other { state: &mut *state, column })?;
    *reader = Reader::resume(state.text, state.at);
    Ok(())
}

/// The value at the cursor, where [`value`] did not read it, and its column.
struct Other<'s, 'a> {
    state: &'s mut State<'a>,
    column: &'s mut Column,
}

impl Task for Other<'_, '_> {
    type Output = Result<(), Fault>;

    #[inline(always)]
    fn with_vectors<V: Vector>(self) -> Self::Output {
        let Self { state, column } = self;
        let start = state.at;
        let mut reader = Reader::<V>::resume(state.text, start);
        if other(state, &mut reader, column)? {
            state.at = reader.offset();
            column.rows += 1;
            return Ok(());
        }
        // It does not fit; but is it JSON?
        let mut reader = Reader::<V>::resume(state.text, start);
        reader.skip(state.depth)?;
        if !state.mode.lenient || !column.nullable {
            return Err(Fault { kind: FaultKind::Misfit(column.name), at: start });
        }
        state.keep(reader.span_from(start))?;
        state.at = reader.offset();
        Ok(column.fill(column.rows + 1)?)
    }
}

/// Reads a value into a column; `Ok(false)`, and nothing, if it does not fit.
#[inline(always)]
fn other<'a, V: Vector>(
    state: &mut State<'a>,
    reader: &mut Reader<'a, V>,
    column: &mut Column,
) -> Result<bool, Fault> {
    let token = reader.token();
    let start = reader.offset();
    if let Values::Json(texts) = &mut column.values {
        reader.skip(state.depth)?;
        let text = reader.span_from(start);
        if !state.mode.is_utf8 && !V::run_outlined(Utf8(text)) {
            return Err(Fault { kind: FaultKind::Json(ErrorKind::InvalidUtf8), at: start });
        }
        if !texts.push(text)? {
            return Err(Fault { kind: FaultKind::TooLarge, at: start });
        }
        return Ok(true);
    }
    if token == b'"' {
        let text = string(&mut state.scratch.text, state.mode.is_utf8, reader)?;
        if column.values.push_text(text)? {
            return Ok(true);
        }
        if matches!(column.values, Values::Text(_) | Values::LargeText(_)) {
            return Err(Fault { kind: FaultKind::TooLarge, at: start });
        }
        return Ok(false);
    }
    if !matches!(token, b'-' | b'0'..=b'9') {
        return Ok(false);
    }
    if let &mut Values::Decimal { ref mut values, precision, scale } = &mut column.values {
        reader.skip(state.depth)?;
        let Some(value) = decimal_of(reader.span_from(start), precision, scale) else {
            return Ok(false);
        };
        push(values, value)?;
        return Ok(true);
    }
    match reader.other_number() {
        Ok(Number::Int(0)) if token == b'-' => {
            Ok(column.values.push_float(-0.0)? || column.values.push_integer(0)?)
        }
        Ok(Number::Int(value)) => Ok(column.values.push_integer(value.into())?),
        Ok(Number::UInt(value)) => Ok(column.values.push_integer(value.into())?),
        Ok(Number::Float(value)) => {
            let has_fraction =
                reader.span_from(start).iter().any(|byte| matches!(byte, b'.' | b'e' | b'E'));
            Ok(has_fraction && column.values.push_float(value)?)
        }
        // The number is JSON, and no column of numbers can hold it.
        Err(Error { kind: ErrorKind::Infinity, .. }) => Ok(false),
        Err(error) => Err(error.into()),
    }
}
