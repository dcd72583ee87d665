//! Rows into lines of JSON: one walk over the rows of a table.
//!
//! Separate from `column`, which it reads. Invariants: each line ends with a line feed and has none
//! inside; nothing is written that is not JSON in UTF-8. Open containers are frames on a stack, so
//! that the walk is one loop, compiled for the tier, with its output in registers. What is rare and
//! long is written out of line.

use super::column::{Column, Strings, Values};
use super::scalar::{Reason, Text, half};
use super::shape::{SHORT, Shape};
use crate::arch::generic::valid::is_utf8;
use crate::arch::{Dispatch, Task, Vector};
use crate::columns::NoMemory;
use crate::out::{Out, Style, VecBuffer};
use crate::read::Reader;
use crate::rewrite::restyle;
use crate::text::hyphenated;

/// What may be chosen.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Whether members that are null are left out.
    pub omits_nulls: bool,
    /// Whether floats that are not finite are faults; otherwise they are null.
    pub refuses_nan: bool,
    /// Whether decimals are strings.
    pub quotes_decimals: bool,
}

/// How much is written.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// No row is begun after so many bytes.
    pub text: usize,
    /// The longest line, or a little more. Without it a few bytes of a producer could be endless
    /// text: lists of null need no memory, and rows of list views and dictionaries may all be the
    /// same long value.
    pub line: usize,
}

/// Why rows were not written.
#[derive(Clone, Copy, Debug)]
pub enum Fault<'a> {
    /// No memory is left.
    NoMemory,
    /// The value of a column, and what is wrong with it.
    Value(&'a Shape, &'static str),
}

impl From<NoMemory> for Fault<'_> {
    fn from(NoMemory: NoMemory) -> Self {
        Fault::NoMemory
    }
}

const OUTSIDE: Reason = "offsets, views or indices that lead outside its buffers";
const NO_UTF8: Reason = "a text that is not UTF-8";
const NO_JSON: Reason = "a text that is not JSON, as the type arrow.json promises";
const NULL_KEY: Reason = "a map with a key that is null";
const LONG_LINE: Reason = "more text for one line than 1 GiB";
/// A text that is looked at for the length of its line.
const LONG_TEXT: usize = 1 << 10;
const NOT_FINITE: Reason = "NaN or an infinity, which JSON does not have";

/// Writes rows of a table, a column of structs, at the start of the buffer, until none is left or
/// the text is long enough; returns how many bytes and rows it has.
///
/// # Errors
/// A value that cannot be written, a line that is too long, or no memory. What is in the buffer then
/// is not complete.
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
        *is_utf8 = dispatch.run(Utf8(bytes));
    }
    for child in &mut column.children {
        check_texts(dispatch, child);
    }
}

struct Utf8<'a>(&'a [u8]);

impl Task for Utf8<'_> {
    type Output = bool;

    #[inline(always)]
    fn with_vectors<V: Vector>(self) -> bool {
        is_utf8::<V>(self.0)
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

/// Deeper than any column: the shapes are limited to a depth of 64, maps have three frames.
const DEPTH: usize = 256;

struct Write<'c, 'a, 'b> {
    table: &'c Column<'a>,
    options: Options,
    limits: Limits,
    buffer: &'b mut VecBuffer,
}

/// A column and a row of it.
type Place<'c, 'a> = (&'c Column<'a>, usize);

/// Where the value of a row is; `None` if it is null.
#[inline(always)]
fn find<'c, 'a>(column: &'c Column<'a>, row: usize) -> Result<Option<Place<'c, 'a>>, Fault<'c>> {
    if let Some(bits) = &column.validity
        && !bits.get(row)
    {
        return Ok(None);
    }
    match column.values {
        Values::Null => Ok(None),
        Values::Dictionary(_) | Values::RunEnds(..) | Values::Union(..) => find_inside(column, row),
        _ => Ok(Some((column, row))),
    }
}

/// [`find`] where other columns have the values.
#[cold]
#[inline(never)]
fn find_inside<'c, 'a>(
    mut column: &'c Column<'a>,
    mut row: usize,
) -> Result<Option<Place<'c, 'a>>, Fault<'c>> {
    loop {
        if column.validity.is_some_and(|bits| !bits.get(row)) {
            return Ok(None);
        }
        let outside = Fault::Value(column.shape, OUTSIDE);
        let (child, inner) = match &column.values {
            Values::Null => return Ok(None),
            Values::Dictionary(indices) => (0, indices.get(row).ok_or(outside)?),
            Values::RunEnds(ends, before) => {
                (1, ends.first_above(before.saturating_add(row)).ok_or(outside)?)
            }
            Values::Union(codes, places) => {
                let code = usize::from(codes.get(row).ok_or(outside)?[0]);
                let child = *column.shape.codes.get(code).ok_or(outside)?;
                let inner = match places {
                    None => row,
                    Some(places) => {
                        let place = i32::from_ne_bytes(*places.get(row).ok_or(outside)?);
                        usize::try_from(place).map_err(|_| outside)?
                    }
                };
                (usize::from(child), inner)
            }
            _ => return Ok(Some((column, row))),
        };
        let child = column.children.get(child).ok_or(outside)?;
        if inner >= child.rows {
            return Err(outside);
        }
        (column, row) = (child, inner);
    }
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
        let mut out = Out::new(buffer)?;
        // Where a line is too long, wherever it began. PERF: a limit from the start of each line on
        // costs 2 % more instructions (2026-11-25).
        let most = limits.text.saturating_add(limits.line);

        // The value at a row of a slice of words.
        macro_rules! word {
            ($column:expr, $words:expr, $row:expr, $type:ty) => {
                match $words.get($row) {
                    Some(word) => <$type>::from_ne_bytes(*word),
                    None => return Err(Fault::Value($column.shape, OUTSIDE)),
                }
            };
        }
        macro_rules! open {
            ($inner:expr) => {{
                if stack.len() == DEPTH {
                    return Err(Fault::NoMemory);
                }
                stack.push(frame);
                frame = $inner;
            }};
        }
        macro_rules! close {
            ($bracket:expr) => {{
                // A container without elements ends with its bracket, others with a comma.
                if out.last() == Some(b',') {
                    out.close($bracket, b',')?;
                } else {
                    out.byte($bracket)?;
                    out.byte(b',')?;
                }
                // The frame of the lines is the first and is never closed.
                let Some(outer) = stack.pop() else { break };
                frame = outer;
                continue;
            }};
        }
        // For each element, and each text that is long: so a line is longer by what a struct's
        // members can be, of which there are only so many.
        macro_rules! check_length {
            ($column:expr) => {
                if out.len() > most {
                    return Err(Fault::Value($column.shape, LONG_LINE));
                }
            };
        }
        macro_rules! key {
            ($shape:expr) => {{
                let key = &$shape.key;
                if key.text.len() <= SHORT {
                    out.padded(&key.short, key.text.len())?;
                } else {
                    out.raw(&key.text)?;
                }
            }};
        }

        loop {
            let (column, row) = match frame.form {
                Form::Members => {
                    let Some(child) = frame.column.children.get(frame.at) else { close!(b'}') };
                    frame.at += 1;
                    let Some(place) = find(child, frame.row)? else {
                        if !options.omits_nulls {
                            key!(child.shape);
                            out.null(b',')?;
                        }
                        continue;
                    };
                    key!(child.shape);
                    place
                }
                Form::Lines => {
                    if frame.at > 0 {
                        out.replace_last(b'\n');
                    }
                    if frame.at == frame.end || out.len() >= limits.text {
                        break;
                    }
                    let row = frame.at;
                    frame.at += 1;
                    let Some(place) = find(frame.column, row)? else {
                        out.null(b',')?;
                        continue;
                    };
                    place
                }
                Form::Elements => {
                    if frame.at == frame.end {
                        close!(b']');
                    }
                    check_length!(frame.column);
                    let row = frame.at;
                    frame.at += 1;
                    let Some(place) = find(frame.column, row)? else {
                        out.null(b',')?;
                        continue;
                    };
                    place
                }
                Form::Entries => {
                    if frame.at == frame.end {
                        close!(b'}');
                    }
                    check_length!(frame.column);
                    let row = frame.at;
                    frame.at += 1;
                    let [keys, values] = &frame.column.children[..] else {
                        return Err(Fault::Value(frame.column.shape, OUTSIDE));
                    };
                    let Some((keys, at)) = find(keys, row)? else {
                        return Err(Fault::Value(keys.shape, NULL_KEY));
                    };
                    let (Values::Text(strings) | Values::Json(strings)) = &keys.values else {
                        return Err(Fault::Value(keys.shape, OUTSIDE));
                    };
                    let Some((name, known)) = strings.get(at) else {
                        return Err(Fault::Value(keys.shape, OUTSIDE));
                    };
                    if !known && !V::run_outlined(Utf8(name)) {
                        return Err(Fault::Value(keys.shape, NO_UTF8));
                    }
                    out.utf8::<V>(name, b':')?;
                    let Some(place) = find(values, row)? else {
                        out.null(b',')?;
                        continue;
                    };
                    place
                }
                Form::Pairs => {
                    if frame.at == frame.end {
                        close!(b']');
                    }
                    let row = frame.at;
                    frame.at += 1;
                    check_length!(frame.column);
                    out.byte(b'[')?;
                    open!(Frame { form: Form::Pair, column: frame.column, at: 0, end: 2, row });
                    continue;
                }
                Form::Pair => {
                    if frame.at == frame.end {
                        close!(b']');
                    }
                    let Some(child) = frame.column.children.get(frame.at) else {
                        return Err(Fault::Value(frame.column.shape, OUTSIDE));
                    };
                    frame.at += 1;
                    let Some(place) = find(child, frame.row)? else {
                        out.null(b',')?;
                        continue;
                    };
                    place
                }
            };

            match &column.values {
                Values::Text(strings) => {
                    let Some((bytes, known)) = strings.get(row) else {
                        return Err(Fault::Value(column.shape, OUTSIDE));
                    };
                    if bytes.len() > LONG_TEXT {
                        check_length!(column);
                    }
                    if !known && !V::run_outlined(Utf8(bytes)) {
                        return Err(Fault::Value(column.shape, NO_UTF8));
                    }
                    out.ascii::<V>(bytes, b',')?;
                }
                Values::Int64(words) => out.int(word!(column, words, row, i64), b',')?,
                Values::Float64(words) => {
                    let value = word!(column, words, row, f64);
                    if options.refuses_nan && !value.is_finite() {
                        return Err(Fault::Value(column.shape, NOT_FINITE));
                    }
                    out.float_by::<V>(value)?;
                }
                Values::Bool(bits) => out.boolean(bits.get(row), b',')?,
                Values::Struct => {
                    out.byte(b'{')?;
                    open!(Frame { form: Form::Members, column, at: 0, end: 0, row });
                }
                Values::List(extents) | Values::Map(extents) => {
                    let (Some((start, end)), Some(child)) =
                        (extents.get(row), column.children.first())
                    else {
                        return Err(Fault::Value(column.shape, OUTSIDE));
                    };
                    if end > child.rows {
                        return Err(Fault::Value(column.shape, OUTSIDE));
                    }
                    // An element and its comma are two bytes at least.
                    if end - start > limits.line / 2 {
                        return Err(Fault::Value(column.shape, LONG_LINE));
                    }
                    let form = match &column.values {
                        Values::List(_) => Form::Elements,
                        _ if column.shape.has_text_keys() => Form::Entries,
                        _ => Form::Pairs,
                    };
                    out.byte(if form == Form::Entries { b'{' } else { b'[' })?;
                    open!(Frame { form, column: child, at: start, end, row: 0 });
                }
                Values::Int8(words) => out.int(word!(column, words, row, i8).into(), b',')?,
                Values::Int16(words) => out.int(word!(column, words, row, i16).into(), b',')?,
                Values::Int32(words) => out.int(word!(column, words, row, i32).into(), b',')?,
                Values::UInt8(words) => out.uint(word!(column, words, row, u8).into(), b',')?,
                Values::UInt16(words) => out.uint(word!(column, words, row, u16).into(), b',')?,
                Values::UInt32(words) => out.uint(word!(column, words, row, u32).into(), b',')?,
                Values::UInt64(words) => out.uint(word!(column, words, row, u64), b',')?,
                Values::Float32(_) | Values::Float16(_) => {
                    let value = match &column.values {
                        Values::Float32(words) => word!(column, words, row, f32),
                        Values::Float16(words) => half(word!(column, words, row, u16)),
                        _ => 0.0,
                    };
                    if options.refuses_nan && !value.is_finite() {
                        return Err(Fault::Value(column.shape, NOT_FINITE));
                    }
                    out.float32_by::<V>(value)?;
                }
                Values::Binary(strings) => {
                    let Some((bytes, _)) = strings.get(row) else {
                        return Err(Fault::Value(column.shape, OUTSIDE));
                    };
                    if bytes.len() > LONG_TEXT {
                        check_length!(column);
                    }
                    out.base64(bytes, b',')?;
                }
                Values::Uuid(words) => {
                    let value = u128::from_be_bytes(word!(column, words, row, u128).to_ne_bytes());
                    out.small(|room| (room.bytes(&hyphenated(value), b','), ()))?;
                }
                Values::Json(strings) => {
                    let Some((bytes, known)) = strings.get(row) else {
                        return Err(Fault::Value(column.shape, OUTSIDE));
                    };
                    if bytes.len() > LONG_TEXT {
                        check_length!(column);
                    }
                    match V::run_outlined(Document { bytes, is_utf8: known })? {
                        Checked::NoJson => return Err(Fault::Value(column.shape, NO_JSON)),
                        Checked::OneLine => out.raw_value(bytes, b',')?,
                        Checked::Lines(buffer, len) => {
                            out.raw_value(buffer.written(len), b',')?;
                        }
                    }
                }
                Values::Decimal(width, scale, bytes) => {
                    if text.decimal(*width, *scale, bytes, row).is_none() {
                        return Err(Fault::Value(column.shape, OUTSIDE));
                    }
                    if options.quotes_decimals {
                        out.plain_string(text.as_bytes(), b',')?;
                    } else {
                        out.raw_value(text.as_bytes(), b',')?;
                    }
                }
                other => {
                    match stamp(&mut text, other, row) {
                        Ok(()) => {}
                        Err(reason) => return Err(Fault::Value(column.shape, reason)),
                    }
                    out.plain_string(text.as_bytes(), b',')?;
                }
            }
        }
        Ok((out.len(), frame.at))
    }
}

/// Writes the text of a date, a time, an instant or a duration.
#[inline(never)]
fn stamp(text: &mut Text, values: &Values<'_>, row: usize) -> Result<(), Reason> {
    let short = |words: &[[u8; 4]]| -> Result<i64, Reason> {
        words.get(row).map(|word| i32::from_ne_bytes(*word).into()).ok_or(OUTSIDE)
    };
    let long = |words: &[[u8; 8]]| -> Result<i64, Reason> {
        words.get(row).map(|word| i64::from_ne_bytes(*word)).ok_or(OUTSIDE)
    };
    match values {
        Values::Date32(words) => text.date(short(words)?),
        Values::Date64(words) => text.date_of_millis(long(words)?),
        Values::Time32(unit, words) => text.time(short(words)?, *unit),
        Values::Time64(unit, words) => text.time(long(words)?, *unit),
        Values::Timestamp(unit, zone, words) => text.timestamp(long(words)?, *unit, *zone),
        Values::Duration(unit, words) => {
            text.duration(long(words)?, *unit);
            Ok(())
        }
        _ => Err(OUTSIDE),
    }
}

/// A text that should be a JSON document.
struct Document<'a> {
    bytes: &'a [u8],
    is_utf8: bool,
}

/// What a text is.
enum Checked {
    NoJson,
    /// It can be copied.
    OneLine,
    /// Without the white space, and its length: it had line feeds.
    Lines(VecBuffer, usize),
}

impl Task for Document<'_> {
    type Output = Result<Checked, NoMemory>;

    #[inline(always)]
    fn with_vectors<V: Vector>(self) -> Self::Output {
        let Self { bytes, is_utf8: known } = self;
        let checked = (|| {
            let mut reader = Reader::<V>::new(bytes)?;
            let is_ascii = reader.skip(0)?;
            reader.finish()?;
            Ok::<bool, crate::error::Error>(is_ascii)
        })();
        let Ok(is_ascii) = checked else { return Ok(Checked::NoJson) };
        if !is_ascii && !known && !is_utf8::<V>(bytes) {
            return Ok(Checked::NoJson);
        }
        if memchr::memchr2(b'\n', b'\r', bytes).is_none() {
            return Ok(Checked::OneLine);
        }
        let mut buffer = VecBuffer::new();
        let mut out = Out::new(&mut buffer)?;
        restyle::<V, _>(bytes, &Style::COMPACT, &mut out)?;
        let len = out.len();
        Ok(Checked::Lines(buffer, len))
    }
}
