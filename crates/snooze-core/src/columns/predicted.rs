//! The members of an object that are as in the objects before: in the same order, without white
//! space around colons, with values of the common kinds.
//!
//! Separate from `container`, which reads everything and goes on wherever this stops. Invariant: a
//! member is read whole or not at all, so whatever is unusual or wrong is found by `container`,
//! with its fault. Called by `container` for the members of structs.
//!
//! PERF: one comparison finds the name with its quotes and colon, and nothing that depends on the
//! kind of walk or container is asked for each member. All columns of flat records take 0.93 to
//! 0.95 of the time of the loop in `container` (2026-11-26). With `check="read"` most members are
//! passed over, and the comparison came on top: 1.01 to 1.05.

use super::column::{Column, SHORT, Values};
use super::members::{Member, Members};
use super::memory::{NoMemory, push};
use super::read_mode::ReadMode;
use crate::arch::Vector;
use crate::arch::generic::scan::string_run;
use crate::names::AHEAD;
use crate::read::Reader;

/// The members of an open struct.
pub(super) struct Fields<'s, 'c> {
    pub(super) fields: &'s mut &'c mut [Column],
    pub(super) members: &'s Members,
    /// The entry of the next member, if all is as usual.
    pub(super) expected: &'s mut usize,
    /// The entry of the member before.
    pub(super) before: &'s mut Option<usize>,
    /// How many columns have no value yet.
    pub(super) left: &'s mut usize,
    pub(super) row: usize,
}

/// Where reading stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// Before a member.
    Member,
    /// After a value that is not followed by a comma and a name.
    Value,
}

/// Reads members until one is unusual, in a walk that checks everything.
#[inline(always)]
pub(super) fn predicted<'a, V: Vector>(
    mode: ReadMode,
    depth: usize,
    reader: &mut Reader<'a, V>,
    Fields { fields, members, expected, before, left, row }: Fields<'_, '_>,
) -> Result<Stop, NoMemory> {
    let skips = !mode.refuses_others || (mode.selects && depth == 1);
    let text = reader.text();
    loop {
        let start = reader.offset();
        let ahead = text.get(start..).and_then(|rest| rest.first_chunk::<AHEAD>());
        let Some(len) = ahead.and_then(|ahead| members.predicted(*expected, ahead)) else {
            return Ok(Stop::Member);
        };
        let mut inner = Reader::<V>::resume(text, start + len);
        let token = inner.token();
        if let Member::Column(index) = members.member(*expected) {
            let Some(column) = fields.get_mut(index) else { return Ok(Stop::Member) };
            if column.rows != row {
                if column.rows > row {
                    return Ok(Stop::Member);
                }
                column.fill(row)?;
            }
            if !value::<V>(&mut inner, token, column, mode.is_utf8)? {
                return Ok(Stop::Member);
            }
            *left -= 1;
        } else if !skips || inner.skip(depth).is_err() {
            return Ok(Stop::Member);
        }
        *before = Some(*expected);
        *expected = members.next(*expected);
        let end = inner.offset();
        *reader = inner;
        if text.get(end..).and_then(|rest| rest.first_chunk()) != Some(b",\"") {
            return Ok(Stop::Value);
        }
        reader.consume();
    }
}

/// Reads the value at the cursor, which begins with `token`; false, and nothing changed, if it is
/// unusual.
#[inline(always)]
fn value<V: Vector>(
    reader: &mut Reader<'_, V>,
    token: u8,
    column: &mut Column,
    is_utf8: bool,
) -> Result<bool, NoMemory> {
    match &mut column.values {
        Values::Text(texts) if token == b'"' => {
            let start = reader.offset() + 1;
            let body = reader.text().get(start..).unwrap_or(&[]);
            let run = string_run::<V>(body);
            if body.get(run.len) != Some(&b'"') || !(is_utf8 || run.ascii) {
                return Ok(false);
            }
            let is_pushed = match body.first_chunk::<SHORT>() {
                Some(ahead) if run.len <= SHORT => texts.push_short(ahead, run.len)?,
                _ => texts.push(&body[..run.len])?,
            };
            if !is_pushed {
                return Ok(false);
            }
            reader.consume_string(run.len);
        }
        // No number begins with this letter.
        _ if token == b'n' => {
            let is_null = column.nullable && reader.literal_null().is_ok();
            if is_null {
                column.fill(column.rows + 1)?;
            }
            return Ok(is_null);
        }
        Values::Int64(values) => match reader.short_integer() {
            Some(value) => push(values, value)?,
            None => return Ok(false),
        },
        Values::Float64(values) => match short_float(reader) {
            Some(value) => push(values, value)?,
            None => return Ok(false),
        },
        Values::Bool(bits) if token == b't' && reader.literal_true().is_ok() => bits.push(true)?,
        Values::Bool(bits) if token == b'f' && reader.literal_false().is_ok() => {
            bits.push(false)?
        }
        _ => return Ok(false),
    }
    column.rows += 1;
    Ok(true)
}

/// Reads the number at the cursor if it is short and exactly a double; otherwise consumes nothing.
#[inline(always)]
pub(super) fn short_float<V: Vector>(reader: &mut Reader<'_, V>) -> Option<f64> {
    if let Some(value) = reader.short_decimal() {
        return Some(value);
    }
    let mut ahead = Reader::<V>::resume(reader.text(), reader.offset());
    let value = ahead.short_integer()?;
    // Zero may be a negative one.
    if value == 0 || value.unsigned_abs() > 1 << 53 {
        return None;
    }
    *reader = ahead;
    Some(value as f64)
}
