//! Reading what is neither a container nor of the most common types, and the names of members.
//!
//! Separate from `container`, which calls this. Invariant: a value that does not fit leaves its
//! column as it was.

use super::column::{Column, Values};
use super::members::Members;
use super::memory::push;
use super::problem::{Fault, FaultKind};
use super::scalar::decimal_of;
use super::state::State;
use crate::arch::generic::valid::IsUtf8;
use crate::arch::{Task, Vector};
use crate::error::{Error, ErrorKind};
use crate::names::AHEAD;
use crate::number::Number;
use crate::read::Reader;

/// Reads the name at the cursor; returns its entry, if it has one.
#[inline(always)]
pub(super) fn member_name<'a, V: Vector>(
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
pub(super) fn unwanted<'a, V: Vector>(
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
pub(super) fn string<'s, 'a: 's, V: Vector>(
    scratch: &'s mut Vec<u8>,
    known_utf8: bool,
    reader: &mut Reader<'a, V>,
) -> Result<&'s [u8], Fault> {
    let start = reader.offset();
    let text = reader.string(scratch)?;
    if !known_utf8 && !text.ascii && !V::run_outlined(IsUtf8(text.bytes)) {
        return Err(Fault { kind: FaultKind::Json(ErrorKind::InvalidUtf8), at: start });
    }
    Ok(text.bytes)
}

/// A value that is not read in place, at the cursor, and its column.
pub(super) struct Other<'s, 'a> {
    pub(super) state: &'s mut State<'a>,
    pub(super) column: &'s mut Column,
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
        if !state.mode.is_utf8 && !V::run_outlined(IsUtf8(text)) {
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
