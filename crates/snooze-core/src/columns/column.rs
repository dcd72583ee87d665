//! The columns of one schema while they grow: values, nulls, cutting back, finishing.
//!
//! Separate from the reading of text, which only pushes values. Invariants: `rows` is the number of
//! rows of a column; the columns inside a struct may be behind it, and what they lack is null, so
//! that a record costs only the members that it has. [`Column::truncate`] undoes every push since a
//! row, also inside, which is how a wrong record disappears. Called by `container`, `value`,
//! `predicted`, `store`, `filter`, `records` and `repeated`.
//!
//! ```text
//! struct, 4 rows      a: int64, 4 rows     1  2  -  4
//!                     b: utf8,  2 rows     x  y            rows 3 and 4 are null once needed
//! ```

use super::array::{Array, Buffer};
use super::bits::{Bits, Validity};
use super::members::Members;
use super::memory::{NoMemory, append, push, reserve};
use super::opened::Opened;
use super::schema::{Field, Type, Unit};

/// A growing column.
#[derive(Debug)]
pub(super) struct Column {
    /// The name of the type, for messages.
    pub(super) name: &'static str,
    pub(super) nullable: bool,
    pub(super) rows: usize,
    /// In a walk that keeps the rest: where in it is what the last value had beyond this column.
    pub(super) kept: (usize, usize),
    pub(super) values: Values,
    validity: Validity,
    /// What the last batch needed, which the next one reserves.
    sizes: Sizes,
}

#[derive(Clone, Copy, Debug, Default)]
struct Sizes {
    rows: usize,
    bytes: usize,
}

/// Texts with offsets: where each text ends.
#[derive(Debug, Default)]
pub(super) struct Texts<O> {
    pub(super) bytes: Vec<u8>,
    pub(super) ends: Vec<O>,
}

/// The values of a column. A null row has a value, too: zero, or nothing between its offsets.
#[derive(Debug)]
pub(super) enum Values {
    Null,
    Bool(Bits),
    Int8(Vec<i8>),
    Int16(Vec<i16>),
    Int32(Vec<i32>),
    Int64(Vec<i64>),
    UInt8(Vec<u8>),
    UInt16(Vec<u16>),
    UInt32(Vec<u32>),
    UInt64(Vec<u64>),
    Float32(Vec<f32>),
    Float64(Vec<f64>),
    Date(Vec<i32>),
    Timestamp { values: Vec<i64>, unit: Unit, with_offset: bool },
    Decimal { values: Vec<i128>, precision: u8, scale: u8 },
    Uuid(Vec<[u8; 16]>),
    Text(Texts<i32>),
    LargeText(Texts<i64>),
    Binary(Texts<i32>),
    Json(Texts<i32>),
    List { ends: Vec<i32>, items: Box<[Column]> },
    Map { ends: Vec<i32>, keys: Texts<i32>, items: Box<[Column]> },
    Struct { fields: Box<[Column]>, members: Members, opened: Opened, has_required: bool },
}

/// Runs `$body` for the vector of a column of fixed width, or `$other`.
macro_rules! for_fixed {
    ($values:expr, $vec:ident => $body:expr, $($other:tt)*) => {
        match $values {
            Values::Int8($vec) => $body,
            Values::Int16($vec) => $body,
            Values::Int32($vec) => $body,
            Values::Int64($vec) => $body,
            Values::UInt8($vec) => $body,
            Values::UInt16($vec) => $body,
            Values::UInt32($vec) => $body,
            Values::UInt64($vec) => $body,
            Values::Float32($vec) => $body,
            Values::Float64($vec) => $body,
            Values::Date($vec) => $body,
            Values::Timestamp { values: $vec, .. } => $body,
            Values::Decimal { values: $vec, .. } => $body,
            Values::Uuid($vec) => $body,
            $($other)*
        }
    };
}

/// A slice of one column, allocated without aborting.
fn one(column: Column) -> Result<Box<[Column]>, NoMemory> {
    let mut columns = Vec::new();
    columns.try_reserve_exact(1).map_err(|_| NoMemory)?;
    columns.push(column);
    Ok(columns.into_boxed_slice())
}

impl Column {
    /// An empty column for a field.
    pub(super) fn new(field: &Field) -> Result<Self, NoMemory> {
        let values = match &field.data {
            Type::Null => Values::Null,
            Type::Bool => Values::Bool(Bits::default()),
            Type::Int8 => Values::Int8(Vec::new()),
            Type::Int16 => Values::Int16(Vec::new()),
            Type::Int32 => Values::Int32(Vec::new()),
            Type::Int64 => Values::Int64(Vec::new()),
            Type::UInt8 => Values::UInt8(Vec::new()),
            Type::UInt16 => Values::UInt16(Vec::new()),
            Type::UInt32 => Values::UInt32(Vec::new()),
            Type::UInt64 => Values::UInt64(Vec::new()),
            Type::Float32 => Values::Float32(Vec::new()),
            Type::Float64 => Values::Float64(Vec::new()),
            Type::Date32 => Values::Date(Vec::new()),
            Type::Timestamp(unit, zone) => {
                Values::Timestamp { values: Vec::new(), unit: *unit, with_offset: zone.is_some() }
            }
            &Type::Decimal { precision, scale } => {
                Values::Decimal { values: Vec::new(), precision, scale }
            }
            Type::Uuid => Values::Uuid(Vec::new()),
            Type::Utf8 => Values::Text(Texts::default()),
            Type::Json => Values::Json(Texts::default()),
            Type::Binary => Values::Binary(Texts::default()),
            Type::LargeUtf8 => Values::LargeText(Texts::default()),
            Type::List(item) => {
                Values::List { ends: Vec::new(), items: one(Self::new(&item[0])?)? }
            }
            Type::Map(item) => Values::Map {
                ends: Vec::new(),
                keys: Texts::default(),
                items: one(Self::new(&item[0])?)?,
            },
            Type::Struct(fields) => Values::of_fields(fields)?,
        };
        Ok(Self::of(field.data.name(), field.nullable, values))
    }

    /// An empty table: a struct of these fields.
    pub(super) fn of_table(fields: &[Field]) -> Result<Self, NoMemory> {
        Ok(Self::of("object", false, Values::of_fields(fields)?))
    }

    fn of(name: &'static str, nullable: bool, values: Values) -> Self {
        let (validity, sizes) = (Validity::default(), Sizes::default());
        Self { name, nullable, rows: 0, kept: (0, 0), values, validity, sizes }
    }

    /// Appends a JSON text to a column of such; `Ok(false)`, and nothing, if it does not fit.
    pub(super) fn push_json(&mut self, text: &[u8]) -> Result<bool, NoMemory> {
        let Values::Json(texts) = &mut self.values else { return Ok(false) };
        let is_pushed = texts.push(text)?;
        self.rows += usize::from(is_pushed);
        Ok(is_pushed)
    }

    /// Whether a row is null, or not there.
    pub(super) fn is_null(&self, row: usize) -> bool {
        row >= self.rows || self.validity.is_null(row)
    }

    /// Appends nulls until there are `rows` rows.
    #[inline(always)]
    pub(super) fn fill(&mut self, rows: usize) -> Result<(), NoMemory> {
        if self.rows < rows {
            return self.add_nulls(rows);
        }
        Ok(())
    }

    #[inline(never)]
    fn add_nulls(&mut self, rows: usize) -> Result<(), NoMemory> {
        let more = rows - self.rows;
        for_fixed!(&mut self.values, values => {
            reserve(values, more)?;
            values.resize(rows, Default::default());
        }, other => other.add_empty(rows)?);
        self.validity.add_nulls(self.rows, rows)?;
        self.rows = rows;
        Ok(())
    }

    /// Removes the rows from `rows` on, and what an unfinished row has left inside.
    pub(super) fn truncate(&mut self, rows: usize) {
        let has = self.rows;
        for_fixed!(&mut self.values, values => values.truncate(rows), other => other.cut(rows, has));
        self.validity.truncate(rows);
        self.rows = self.rows.min(rows);
    }

    /// Reserves what the batch before needed.
    pub(super) fn start(&mut self) -> Result<(), NoMemory> {
        let Sizes { rows, bytes } = self.sizes;
        let rows = rows + rows / 16;
        for_fixed!(&mut self.values, values => reserve(values, rows)?, other => match other {
            Values::Text(texts) | Values::Binary(texts) | Values::Json(texts) => {
                texts.reserve(rows, bytes + bytes / 16)?;
            }
            Values::LargeText(texts) => texts.reserve(rows, bytes + bytes / 16)?,
            Values::List { ends, items } => {
                reserve(ends, rows)?;
                items[0].start()?;
            }
            Values::Map { ends, keys, items } => {
                reserve(ends, rows)?;
                keys.reserve(items[0].sizes.rows, bytes)?;
                items[0].start()?;
            }
            Values::Struct { fields, .. } => {
                for field in fields {
                    field.start()?;
                }
            }
            _ => {}
        });
        Ok(())
    }

    /// Ends the column at `rows` rows and takes it out.
    pub(super) fn finish(&mut self, rows: usize) -> Result<Array, NoMemory> {
        self.fill(rows)?;
        if let Values::Struct { opened, .. } = &mut self.values {
            // If memory is missing below, any field may have rows left.
            opened.forget();
        }
        self.rows = 0;
        self.sizes.rows = rows;
        let (bitmap, nulls) = self.validity.take(rows)?;
        let (mut buffers, mut children) = (Vec::new(), Vec::new());
        buffers.try_reserve_exact(3).map_err(|_| NoMemory)?;
        buffers.push(bitmap.map_or(Buffer::None, Buffer::Bytes));
        match &mut self.values {
            // Every row is null, and no bitmap says so.
            Values::Null => {
                buffers.clear();
                return Ok(Array { rows, nulls: rows, buffers, children });
            }
            Values::Bool(bits) => buffers.push(Buffer::Bytes(bits.take())),
            Values::Int8(values) => buffers.push(Buffer::I8(core::mem::take(values))),
            Values::Int16(values) => buffers.push(Buffer::I16(core::mem::take(values))),
            Values::Int32(values) => buffers.push(Buffer::I32(core::mem::take(values))),
            Values::Int64(values) => buffers.push(Buffer::I64(core::mem::take(values))),
            Values::UInt8(values) => buffers.push(Buffer::Bytes(core::mem::take(values))),
            Values::UInt16(values) => buffers.push(Buffer::U16(core::mem::take(values))),
            Values::UInt32(values) => buffers.push(Buffer::U32(core::mem::take(values))),
            Values::UInt64(values) => buffers.push(Buffer::U64(core::mem::take(values))),
            Values::Float32(values) => buffers.push(Buffer::F32(core::mem::take(values))),
            Values::Float64(values) => buffers.push(Buffer::F64(core::mem::take(values))),
            Values::Date(values) => buffers.push(Buffer::I32(core::mem::take(values))),
            Values::Timestamp { values, .. } => {
                buffers.push(Buffer::I64(core::mem::take(values)));
            }
            Values::Decimal { values, .. } => buffers.push(Buffer::I128(core::mem::take(values))),
            Values::Uuid(values) => buffers.push(Buffer::Sixteen(core::mem::take(values))),
            Values::Text(texts) | Values::Binary(texts) | Values::Json(texts) => {
                self.sizes.bytes = texts.bytes.len();
                let (offsets, bytes) = texts.take()?;
                buffers.extend([Buffer::I32(offsets), Buffer::Bytes(bytes)]);
            }
            Values::LargeText(texts) => {
                self.sizes.bytes = texts.bytes.len();
                let (offsets, bytes) = texts.take()?;
                buffers.extend([Buffer::I64(offsets), Buffer::Bytes(bytes)]);
            }
            Values::List { ends, items } => {
                let count = last(ends);
                buffers.push(Buffer::I32(with_first(core::mem::take(ends))?));
                push(&mut children, items[0].finish(count)?)?;
            }
            Values::Map { ends, keys, items } => {
                let count = last(ends);
                buffers.push(Buffer::I32(with_first(core::mem::take(ends))?));
                self.sizes.bytes = keys.bytes.len();
                let (offsets, bytes) = keys.take()?;
                let mut entries = Array::of(count, 0)?;
                entries.buffers.push(Buffer::None);
                let mut keys = Array::of(count, 0)?;
                keys.buffers.extend([Buffer::None, Buffer::I32(offsets), Buffer::Bytes(bytes)]);
                entries.children.try_reserve_exact(2).map_err(|_| NoMemory)?;
                entries.children.push(keys);
                entries.children.push(items[0].finish(count)?);
                push(&mut children, entries)?;
            }
            Values::Struct { fields, opened, .. } => {
                children.try_reserve_exact(fields.len()).map_err(|_| NoMemory)?;
                for field in fields {
                    children.push(field.finish(rows)?);
                }
                opened.clear();
            }
        }
        Ok(Array { rows, nulls, buffers, children })
    }
}

impl Values {
    /// The values of a struct, without rows.
    fn of_fields(fields: &[Field]) -> Result<Self, NoMemory> {
        let mut columns = Vec::new();
        columns.try_reserve_exact(fields.len()).map_err(|_| NoMemory)?;
        for field in fields {
            columns.push(Column::new(field)?);
        }
        Ok(Self::Struct {
            has_required: fields.iter().any(|field| !field.nullable),
            fields: columns.into_boxed_slice(),
            members: Members::new(fields)?,
            opened: Opened::new(fields.len())?,
        })
    }

    /// Appends empty values of variable width until there are `rows`.
    fn add_empty(&mut self, rows: usize) -> Result<(), NoMemory> {
        match self {
            Self::Bool(bits) => bits.fill(rows, false)?,
            Self::Text(texts) | Self::Binary(texts) | Self::Json(texts) => {
                repeat_last(&mut texts.ends, rows)?;
            }
            Self::LargeText(texts) => repeat_last(&mut texts.ends, rows)?,
            Self::List { ends, .. } | Self::Map { ends, .. } => repeat_last(ends, rows)?,
            // The fields of a struct are filled when they are next present, or at the end.
            _ => {}
        }
        Ok(())
    }

    /// Removes values of variable width from a column that has `has` rows.
    fn cut(&mut self, rows: usize, has: usize) {
        match self {
            Self::Bool(bits) => {
                bits.truncate(rows);
            }
            Self::Text(texts) | Self::Binary(texts) | Self::Json(texts) => texts.truncate(rows),
            Self::LargeText(texts) => texts.truncate(rows),
            Self::List { ends, items } => {
                ends.truncate(rows);
                items[0].truncate(last(ends));
            }
            Self::Map { ends, keys, items } => {
                ends.truncate(rows);
                keys.truncate(last(ends));
                items[0].truncate(last(ends));
            }
            Self::Struct { fields, opened, .. } if has > rows || opened.is_open() => {
                let is_done = opened.cut(rows, |index| fields[index].truncate(rows));
                for field in fields.iter_mut().filter(|_| !is_done) {
                    field.truncate(rows);
                }
            }
            _ => {}
        }
    }
}

impl Array {
    /// An array with room for its buffers.
    fn of(rows: usize, nulls: usize) -> Result<Self, NoMemory> {
        let mut buffers = Vec::new();
        buffers.try_reserve_exact(3).map_err(|_| NoMemory)?;
        Ok(Self { rows, nulls, buffers, children: Vec::new() })
    }
}

/// The longest text that [`Texts::push_short`] takes.
pub(super) const SHORT: usize = 32;

/// An offset of 32 or of 64 bits.
pub(super) trait Offset: Copy + Default {
    /// The offset, if it fits.
    fn of(value: usize) -> Option<Self>;
    /// The offset as a number.
    fn get(self) -> usize;
}

impl Offset for i32 {
    #[inline(always)]
    fn of(value: usize) -> Option<Self> {
        value.try_into().ok()
    }
    #[inline(always)]
    fn get(self) -> usize {
        self as usize
    }
}

impl Offset for i64 {
    #[inline(always)]
    fn of(value: usize) -> Option<Self> {
        value.try_into().ok()
    }
    #[inline(always)]
    fn get(self) -> usize {
        self as usize
    }
}

/// The end of the last value.
fn last<O: Offset>(ends: &[O]) -> usize {
    ends.last().map_or(0, |end| end.get())
}

/// Appends empty values until there are `rows`.
fn repeat_last<O: Offset>(ends: &mut Vec<O>, rows: usize) -> Result<(), NoMemory> {
    reserve(ends, rows - ends.len())?;
    ends.resize(rows, ends.last().copied().unwrap_or_default());
    Ok(())
}

/// The offsets of values whose ends these are: with a zero before them.
fn with_first<O: Offset>(mut ends: Vec<O>) -> Result<Vec<O>, NoMemory> {
    reserve(&mut ends, 1)?;
    ends.insert(0, O::default());
    Ok(ends)
}

impl<O: Offset> Texts<O> {
    /// The text of a row; empty if there is no such row.
    pub(super) fn text(&self, row: usize) -> &[u8] {
        let before = row.checked_sub(1).and_then(|row| self.ends.get(row));
        let start = before.map_or(0, |&end| end.get());
        let end = self.ends.get(row).map_or(start, |&end| end.get());
        self.bytes.get(start..end).unwrap_or(&[])
    }

    /// Appends a text; `Ok(false)`, and nothing, if the offsets cannot count its bytes.
    #[inline(always)]
    pub(super) fn push(&mut self, text: &[u8]) -> Result<bool, NoMemory> {
        let Some(end) = O::of(self.bytes.len() + text.len()) else { return Ok(false) };
        append(&mut self.bytes, text)?;
        push(&mut self.ends, end)?;
        Ok(true)
    }

    /// Appends the first `len` bytes of `ahead`.
    ///
    /// PERF: a copy of fixed size needs no call of `memcpy`.
    #[inline(always)]
    pub(super) fn push_short(&mut self, ahead: &[u8; SHORT], len: usize) -> Result<bool, NoMemory> {
        let start = self.bytes.len();
        let Some(end) = O::of(start + len) else { return Ok(false) };
        append(&mut self.bytes, ahead)?;
        self.bytes.truncate(start + len);
        push(&mut self.ends, end)?;
        Ok(true)
    }

    fn reserve(&mut self, rows: usize, bytes: usize) -> Result<(), NoMemory> {
        reserve(&mut self.ends, rows + 1)?;
        reserve(&mut self.bytes, bytes)
    }

    pub(super) fn truncate(&mut self, rows: usize) {
        self.ends.truncate(rows);
        self.bytes.truncate(last(&self.ends));
    }

    fn take(&mut self) -> Result<(Vec<O>, Vec<u8>), NoMemory> {
        let ends = core::mem::take(&mut self.ends);
        Ok((with_first(ends)?, core::mem::take(&mut self.bytes)))
    }
}
