//! Reading one record into columns: its containers, and in place the values of common types.
//!
//! Separate from `value`, which has the other values, so that their code exists once for each tier,
//! and from `records`, which finds the records and decides what happens to wrong ones. Invariant:
//! after a fault the columns hold a part of the record, which the caller cuts off; after success,
//! one row more. Each container is a task of its own: code that is not inlined below a task would
//! lose the vectors of the tier.

use super::column::{Column, SHORT, Texts, Values};
use super::members::{Member, Members};
use super::memory::{append, push};
use super::opened::Opened;
use super::predicted::{Fields, Stop, predicted, short_float};
use super::problem::{Fault, FaultKind, Step};
use super::repeated::{Repeated, names_after, names_before};
use super::state::State;
use super::value::{Other, member_name, string, unwanted};
use crate::arch::{Task, Vector};
use crate::columns::NoMemory;
use crate::read::Reader;

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

/// An open container.
enum Open<'c> {
    Struct(OpenStruct<'c>),
    List { items: &'c mut Column, first: usize },
    Map { keys: &'c mut Texts<i32>, items: &'c mut Column, place: usize },
}

/// An open struct.
struct OpenStruct<'c> {
    fields: &'c mut [Column],
    members: &'c mut Members,
    opened: &'c mut Opened,
    is_wide: bool,
    /// The entry of the next member, if all is as usual.
    expected: usize,
    /// The entry of the member before.
    before: Option<usize>,
    /// How many columns have no value yet.
    left: usize,
    row: usize,
}

/// What comes next in a container.
enum Next<'c> {
    /// A value, its step, and its column, if it has one. Its name and colon are read.
    Value(Step, Option<&'c mut Column>),
    /// The comma or bracket after a member: it and those before have been read.
    Separator,
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
        Values::Struct { fields, members, opened, .. } => {
            opened.begin();
            let is_wide = opened.is_wide();
            let (expected, left) = (members.first(), fields.len());
            Open::Struct(OpenStruct {
                fields,
                members,
                opened,
                is_wide,
                expected,
                before: None,
                left,
                row,
            })
        }
        Values::List { items, .. } => {
            let first = items[0].rows;
            Open::List { items: &mut items[0], first }
        }
        Values::Map { keys, items, .. } => Open::Map { keys, items: &mut items[0], place: 0 },
        // The callers have seen that the column is one of containers.
        _ => return Err(NoMemory.into()),
    };
    let close = if matches!(open, Open::List { .. }) { b']' } else { b'}' };
    reader.consume();
    state.depth += 1;
    let mut has_next = reader.token() != close;
    while has_next {
        let next = match &mut open {
            Open::Struct(open) => open.next(state, &mut reader)?,
            Open::List { items, first } => {
                Next::Value(Step::Item(items.rows - *first), Some(&mut **items))
            }
            Open::Map { keys, items, place } => {
                let is_last = !state.scratch.repeated.has(*place);
                *place += 1;
                let name_at = reader.offset();
                if map_name(state, &mut reader, keys, is_last)? {
                    Next::Value(Step::Member(name_at), Some(&mut **items))
                } else {
                    Next::Separator
                }
            }
        };
        if let Next::Value(step, child) = next {
            if let Err(fault) = child_value(state, &mut reader, step, child) {
                return Err(state.on_the_way(fault, step));
            }
            if let Open::Struct(OpenStruct { left: 0, opened, .. }) = &mut open
                && state.mode.stops_early
                && state.depth == 1
                // Where a record was cut, a number may go on. What is wrong there is found below.
                && matches!(reader.token(), b',' | b'}')
            {
                opened.end();
                // The rest of the line is not looked at.
                state.at = reader.offset();
                state.depth = 0;
                column.rows += 1;
                return Ok(());
            }
        }
        has_next = separator(&mut reader, close)?;
    }
    reader.consume();
    state.at = reader.offset();
    state.depth -= 1;
    close_container(column, row, state.at, &mut state.scratch.text)
}

/// Passes the comma after a value; false, and nothing passed, at the closing bracket.
#[inline(always)]
fn separator<V: Vector>(reader: &mut Reader<'_, V>, close: u8) -> Result<bool, Fault> {
    match reader.token() {
        b',' => {
            reader.consume();
            reader.token();
            Ok(true)
        }
        byte if byte == close => Ok(false),
        _ if close == b']' => Err(reader.no_array_end().into()),
        _ => Err(reader.no_object_end().into()),
    }
}

impl OpenStruct<'_> {
    /// Reads the members that are as predicted, or one name.
    #[inline(always)]
    fn next<'a, V: Vector>(
        &mut self,
        state: &mut State<'a>,
        reader: &mut Reader<'a, V>,
    ) -> Result<Next<'_>, Fault> {
        let row = self.row;
        if state.mode.checks_all && !state.mode.lenient {
            let Self { fields, members, expected, before, left, .. } = &mut *self;
            let fields = Fields { fields, members, expected, before, left, row };
            if predicted::<V>(state.mode, state.depth, reader, fields)? == Stop::Value {
                return Ok(Next::Separator);
            }
        }
        let start = reader.offset();
        let place = match reader.token() {
            b'"' => member_name(state, reader, self.members, self.expected, self.before)?,
            _ => return Err(reader.no_key().into()),
        };
        reader.colon()?;
        self.expected = place.map_or(0, |place| self.members.next(place));
        self.before = place;
        let Some(Member::Column(index)) = place.map(|place| self.members.member(place)) else {
            return Ok(Next::Value(Step::Member(start), None));
        };
        let child = &mut self.fields[index];
        if self.is_wide {
            self.opened.add(row, index);
        }
        if child.rows > row {
            // The last of equal members counts, as in `loads`.
            child.truncate(row);
            if state.mode.keeps_rest {
                state.scratch.forget(child.kept);
            }
        } else {
            child.fill(row)?;
            self.left -= 1;
        }
        Ok(Next::Value(Step::Member(start), Some(child)))
    }
}

/// Reads the name of a map's member and its colon; a member that an equal one follows is passed
/// over whole, and the answer is false.
#[inline(always)]
fn map_name<'a, V: Vector>(
    state: &mut State<'a>,
    reader: &mut Reader<'a, V>,
    keys: &mut Texts<i32>,
    is_last: bool,
) -> Result<bool, Fault> {
    let start = reader.offset();
    if reader.token() != b'"' {
        return Err(reader.no_key().into());
    }
    let name = string(&mut state.scratch.text, state.mode.is_utf8, reader)?;
    if is_last && !keys.push(name)? {
        return Err(Fault { kind: FaultKind::TooLarge, at: start });
    }
    reader.colon()?;
    if !is_last {
        reader.token();
        reader.skip(state.depth)?;
    }
    Ok(is_last)
}

/// Reads a value into its column, or passes over it if it has none.
#[inline(always)]
fn child_value<'a, V: Vector>(
    state: &mut State<'a>,
    reader: &mut Reader<'a, V>,
    step: Step,
    mut child: Option<&mut Column>,
) -> Result<(), Fault> {
    if state.mode.lenient {
        push(&mut state.scratch.steps, step)?;
        if let Some(child) = &mut child {
            child.kept.0 = state.scratch.rest.len();
        }
    }
    match &mut child {
        Some(child) => value::<V>(state, reader, child)?,
        None => {
            // All elements have a column, so it is a member.
            let (Step::Member(name_at) | Step::Item(name_at)) = step;
            unwanted::<V>(state, reader, name_at)?;
        }
    }
    if state.mode.lenient {
        state.scratch.steps.pop();
        if let Some(child) = child {
            child.kept.1 = state.scratch.rest.len();
        }
    }
    Ok(())
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
        Values::Struct { fields, members, opened, has_required } => {
            let is_missing = |field: &Column| !field.nullable && field.rows <= row;
            if *has_required && let Some(index) = fields.iter().position(is_missing) {
                scratch.clear();
                append(scratch, members.name(index))?;
                return Err(Fault { kind: FaultKind::Missing, at });
            }
            opened.end();
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
