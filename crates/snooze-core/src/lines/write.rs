//! Rows into lines of JSON: one walk over the rows of a table.
//!
//! Separate from `value`, which writes what is no container. Invariants: each line ends with a line
//! feed and has none inside; nothing is written that is not JSON in UTF-8. Open containers are
//! frames on a stack, so that the walk is one loop, compiled for the tier, with its output in
//! registers.

use super::column::{Column, Extents, Strings, Values};
use super::fault::{Fault, LONG_LINE, OUTSIDE};
use super::options::{Limits, Options};
use super::place::find;
use super::scalar::Text;
use super::value::Writer;
use crate::arch::generic::valid::IsUtf8;
use crate::arch::{Dispatch, Task, Vector};
use crate::out::VecBuffer;

/// Writes rows of a table, a column of structs, at the start of the buffer, until none is left or
/// the text is long enough; returns how many bytes and rows it has.
///
/// # Errors
/// A value that cannot be written, a line that is too long, or no memory. What is in the buffer
/// then is not complete.
pub fn write<'a>(
    dispatch: Dispatch,
    table: &'a mut Column<'_>,
    options: Options,
    limits: Limits,
    buffer: &mut VecBuffer,
) -> Result<(usize, usize), Fault<'a>> {
    check_texts(dispatch, table);
    dispatch.run(Write { table, options, limits, buffer })
}

/// Finds out which columns have only valid texts: faster than text by text.
fn check_texts(dispatch: Dispatch, column: &mut Column<'_>) {
    if let Values::Text(strings) | Values::Json(strings) = &mut column.values
        && let Strings::Offsets { bytes, is_utf8, is_compact: true, .. } = strings
    {
        *is_utf8 = dispatch.run(IsUtf8(bytes));
    }
    for child in &mut column.children {
        check_texts(dispatch, child);
    }
}

/// An open container.
#[derive(Clone, Copy, Debug)]
struct Frame<'c, 'a> {
    form: Form,
    column: &'c Column<'a>,
    /// The next element, and the end of them.
    at: usize,
    end: usize,
    /// The row that a struct has.
    row: usize,
}

/// What is in an open container.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// The lines; the column is the table.
    Lines,
    /// Members; the column is a struct.
    Members,
    /// Elements; the column has them.
    Elements,
    /// Members; the column has structs of name and value.
    Entries,
    /// Arrays of key and value; the column has structs of them.
    Pairs,
    /// A key and a value; the column is the struct.
    Pair,
}

/// The column with the elements of a list or map, and those of a row.
#[inline(always)]
fn elements<'c, 'a>(
    column: &'c Column<'a>,
    extents: Extents<'a>,
    row: usize,
    limits: Limits,
) -> Result<(&'c Column<'a>, usize, usize), Fault<'c>> {
    let (Some((start, end)), Some(child)) = (extents.get(row), column.children.first()) else {
        return Err(Fault::Value(column.shape, OUTSIDE));
    };
    if end > child.rows {
        return Err(Fault::Value(column.shape, OUTSIDE));
    }
    // An element and its comma are two bytes at least.
    if end - start > limits.line / 2 {
        return Err(Fault::Value(column.shape, LONG_LINE));
    }
    Ok((child, start, end))
}

/// Deeper than any column: the shapes are limited to a depth of 64, maps have three frames.
const DEPTH: usize = 256;

struct Write<'c, 'a, 'b> {
    table: &'c Column<'a>,
    options: Options,
    limits: Limits,
    buffer: &'b mut VecBuffer,
}

impl<'c, 'a> Task for Write<'c, 'a, '_> {
    type Output = Result<(usize, usize), Fault<'c>>;

    #[inline(always)]
    fn with_vectors<V: Vector>(self) -> Self::Output {
        let Self { table, options, limits, buffer } = self;
        let mut stack: Vec<Frame<'c, 'a>> = Vec::new();
        stack.try_reserve_exact(DEPTH).map_err(|_| Fault::NoMemory)?;
        let mut frame = Frame { form: Form::Lines, column: table, at: 0, end: table.rows, row: 0 };
        let mut text = Text::new();
        let mut writer = Writer::new(buffer, options, limits, &mut text)?;

        // PERF: macros and one match. With a function that returns what comes next, of an enum,
        // each value took 40 instructions more (2026-11-29).
        macro_rules! open {
            ($inner:expr) => {{
                if stack.len() == DEPTH {
                    return Err(Fault::NoMemory);
                }
                stack.push(frame);
                frame = $inner;
                continue;
            }};
        }
        macro_rules! close {
            ($bracket:expr) => {{
                writer.close($bracket)?;
                // The frame of the lines is the first and is never closed.
                let Some(outer) = stack.pop() else { break };
                frame = outer;
                continue;
            }};
        }
        macro_rules! find_or_null {
            ($column:expr, $row:expr) => {
                match find($column, $row)? {
                    Some(place) => place,
                    None => {
                        writer.out.null(b',')?;
                        continue;
                    }
                }
            };
        }

        loop {
            let at = frame.at;
            let (column, row) = match frame.form {
                Form::Members => {
                    let Some(child) = frame.column.children.get(at) else { close!(b'}') };
                    frame.at += 1;
                    let Some(place) = find(child, frame.row)? else {
                        if !options.omits_nulls {
                            writer.name(child.shape)?;
                            writer.out.null(b',')?;
                        }
                        continue;
                    };
                    writer.name(child.shape)?;
                    place
                }
                Form::Lines => {
                    if at > 0 {
                        writer.out.replace_last(b'\n');
                        // What escapes and base64 have added.
                        writer.check_length(frame.column)?;
                    }
                    if at == frame.end || writer.out.len() >= limits.text {
                        break;
                    }
                    frame.at += 1;
                    find_or_null!(frame.column, at)
                }
                Form::Elements => {
                    if at == frame.end {
                        close!(b']');
                    }
                    writer.check_length(frame.column)?;
                    frame.at += 1;
                    find_or_null!(frame.column, at)
                }
                Form::Entries => {
                    if at == frame.end {
                        close!(b'}');
                    }
                    writer.check_length(frame.column)?;
                    frame.at += 1;
                    let [keys, values] = &frame.column.children[..] else {
                        return Err(Fault::Value(frame.column.shape, OUTSIDE));
                    };
                    writer.map_key::<V>(keys, at)?;
                    find_or_null!(values, at)
                }
                Form::Pairs => {
                    if at == frame.end {
                        close!(b']');
                    }
                    writer.check_length(frame.column)?;
                    frame.at += 1;
                    writer.out.byte(b'[')?;
                    open!(Frame { form: Form::Pair, column: frame.column, at: 0, end: 2, row: at });
                }
                Form::Pair => {
                    if at == frame.end {
                        close!(b']');
                    }
                    frame.at += 1;
                    let Some(child) = frame.column.children.get(at) else {
                        return Err(Fault::Value(frame.column.shape, OUTSIDE));
                    };
                    find_or_null!(child, frame.row)
                }
            };
            match &column.values {
                Values::Struct => {
                    writer.out.byte(b'{')?;
                    open!(Frame { form: Form::Members, column, at: 0, end: 0, row });
                }
                Values::List(extents) | Values::Map(extents) => {
                    let (items, at, end) = elements(column, *extents, row, limits)?;
                    let form = match &column.values {
                        Values::List(_) => Form::Elements,
                        _ if column.shape.has_text_keys() => Form::Entries,
                        _ => Form::Pairs,
                    };
                    writer.out.byte(if form == Form::Entries { b'{' } else { b'[' })?;
                    open!(Frame { form, column: items, at, end, row: 0 });
                }
                _ => writer.scalar::<V>(column, row)?,
            }
        }
        Ok((writer.out.len(), frame.at))
    }
}
