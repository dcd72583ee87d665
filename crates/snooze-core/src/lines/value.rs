//! Names and scalars of columns into JSON.
//!
//! Separate from `write`, which walks through the containers and calls this for all else.
//! Invariant: each value is followed by a comma, which the walk replaces or removes. What is rare
//! and long is written out of line.

use super::column::{Column, Strings, Values};
use super::fault::{Fault, LONG_LINE, NO_JSON, NO_UTF8, NOT_FINITE, NULL_KEY, OUTSIDE};
use super::options::{Limits, Options};
use super::place::find;
use super::scalar::{Text, half, stamp};
use super::shape::{SHORT, Shape};
use crate::arch::generic::valid::{IsUtf8, is_utf8};
use crate::arch::{Task, Vector};
use crate::columns::NoMemory;
use crate::out::{Out, Style, VecBuffer};
use crate::read::Reader;
use crate::rewrite::restyle;
use crate::text::hyphenated;

/// A text that is looked at for the length of its line.
const LONG_TEXT: usize = 1 << 10;

/// What is written, and how.
pub(super) struct Writer<'b> {
    pub(super) out: Out<'b, VecBuffer>,
    options: Options,
    /// Where a line is too long, wherever it began. PERF: a limit from the start of each line on
    /// costs 2 % more instructions (2026-11-25).
    most: usize,
    /// PERF: by reference. Out-of-line functions take its address, which would keep all of this in
    /// memory: flat rows took 1.14 times as long (2026-11-29).
    text: &'b mut Text,
}

/// The value at a row of a slice of words.
macro_rules! word {
    ($column:expr, $words:expr, $row:expr, $type:ty) => {
        match $words.get($row) {
            Some(word) => <$type>::from_ne_bytes(*word),
            None => return Err(Fault::Value($column.shape, OUTSIDE)),
        }
    };
}

impl<'b> Writer<'b> {
    #[inline(always)]
    pub(super) fn new(
        buffer: &'b mut VecBuffer,
        options: Options,
        limits: Limits,
        text: &'b mut Text,
    ) -> Result<Self, NoMemory> {
        let most = limits.text.saturating_add(limits.line);
        Ok(Self { out: Out::new(buffer)?, options, most, text })
    }

    /// Refuses a line that is too long. Called for each element, and each text that is long: so a
    /// line is longer by what a struct's members can be, of which there are only so many.
    #[inline(always)]
    pub(super) fn check_length<'c>(&self, column: &'c Column<'_>) -> Result<(), Fault<'c>> {
        self.check_room(column, 0)
    }

    /// Refuses a line that is too long after so many more bytes.
    #[inline(always)]
    fn check_room<'c>(&self, column: &'c Column<'_>, more: usize) -> Result<(), Fault<'c>> {
        if self.out.len().saturating_add(more) > self.most {
            return Err(Fault::Value(column.shape, LONG_LINE));
        }
        Ok(())
    }

    /// Closes a container; one without elements ends with its bracket, others with a comma.
    #[inline(always)]
    pub(super) fn close(&mut self, bracket: u8) -> Result<(), NoMemory> {
        if self.out.last() == Some(b',') {
            return self.out.close(bracket, b',');
        }
        self.out.byte(bracket)?;
        self.out.byte(b',')
    }

    /// Writes the name of a column and its colon.
    #[inline(always)]
    pub(super) fn name(&mut self, shape: &Shape) -> Result<(), NoMemory> {
        let key = &shape.key;
        if key.text.len() <= SHORT {
            self.out.padded(&key.short, key.text.len())
        } else {
            self.out.raw(&key.text)
        }
    }

    /// Writes the key of a map as a name, and its colon.
    #[inline(always)]
    pub(super) fn map_key<'c, V: Vector>(
        &mut self,
        keys: &'c Column<'_>,
        row: usize,
    ) -> Result<(), Fault<'c>> {
        let Some((keys, row)) = find(keys, row)? else {
            return Err(Fault::Value(keys.shape, NULL_KEY));
        };
        let (Values::Text(strings) | Values::Json(strings)) = &keys.values else {
            return Err(Fault::Value(keys.shape, OUTSIDE));
        };
        let Some((name, known)) = strings.get(row) else {
            return Err(Fault::Value(keys.shape, OUTSIDE));
        };
        if !known && !V::run_outlined(IsUtf8(name)) {
            return Err(Fault::Value(keys.shape, NO_UTF8));
        }
        Ok(self.out.utf8::<V>(name, b':')?)
    }

    /// Writes a value that is no container.
    #[inline(always)]
    pub(super) fn scalar<'c, V: Vector>(
        &mut self,
        column: &'c Column<'_>,
        row: usize,
    ) -> Result<(), Fault<'c>> {
        match &column.values {
            Values::Text(strings) => {
                let (bytes, known) = self.bytes(column, strings, row)?;
                if !known && !V::run_outlined(IsUtf8(bytes)) {
                    return Err(Fault::Value(column.shape, NO_UTF8));
                }
                self.out.ascii::<V>(bytes, b',')?;
            }
            Values::Int64(words) => self.out.int(word!(column, words, row, i64), b',')?,
            Values::Float64(words) => {
                let value = word!(column, words, row, f64);
                if self.options.refuses_nan && !value.is_finite() {
                    return Err(Fault::Value(column.shape, NOT_FINITE));
                }
                self.out.float_by::<V>(value)?;
            }
            Values::Bool(bits) => self.out.boolean(bits.get(row), b',')?,
            Values::Int8(words) => self.out.int(word!(column, words, row, i8).into(), b',')?,
            Values::Int16(words) => self.out.int(word!(column, words, row, i16).into(), b',')?,
            Values::Int32(words) => self.out.int(word!(column, words, row, i32).into(), b',')?,
            Values::UInt8(words) => self.out.uint(word!(column, words, row, u8).into(), b',')?,
            Values::UInt16(words) => self.out.uint(word!(column, words, row, u16).into(), b',')?,
            Values::UInt32(words) => self.out.uint(word!(column, words, row, u32).into(), b',')?,
            Values::UInt64(words) => self.out.uint(word!(column, words, row, u64), b',')?,
            Values::Float32(_) | Values::Float16(_) => {
                let value = match &column.values {
                    Values::Float32(words) => word!(column, words, row, f32),
                    Values::Float16(words) => half(word!(column, words, row, u16)),
                    _ => 0.0,
                };
                if self.options.refuses_nan && !value.is_finite() {
                    return Err(Fault::Value(column.shape, NOT_FINITE));
                }
                self.out.float32_by::<V>(value)?;
            }
            Values::Binary(strings) => {
                let (bytes, _) = self.bytes(column, strings, row)?;
                self.out.base64(bytes, b',')?;
            }
            Values::Uuid(words) => {
                let value = u128::from_be_bytes(word!(column, words, row, u128).to_ne_bytes());
                self.out.small(|room| (room.bytes(&hyphenated(value), b','), ()))?;
            }
            Values::Json(strings) => {
                let (bytes, known) = self.bytes(column, strings, row)?;
                match V::run_outlined(Document { bytes, is_utf8: known })? {
                    Checked::NoJson => return Err(Fault::Value(column.shape, NO_JSON)),
                    Checked::OneLine => self.out.raw_value(bytes, b',')?,
                    Checked::Lines(buffer, len) => {
                        self.out.raw_value(buffer.written(len), b',')?;
                    }
                }
            }
            Values::Decimal(width, scale, bytes) => {
                if self.text.decimal(*width, *scale, bytes, row).is_none() {
                    return Err(Fault::Value(column.shape, OUTSIDE));
                }
                if self.options.quotes_decimals {
                    self.out.plain_string(self.text.as_bytes(), b',')?;
                } else {
                    self.out.raw_value(self.text.as_bytes(), b',')?;
                }
            }
            other => {
                if let Err(reason) = stamp(self.text, other, row) {
                    return Err(Fault::Value(column.shape, reason));
                }
                self.out.plain_string(self.text.as_bytes(), b',')?;
            }
        }
        Ok(())
    }

    /// The bytes of a row, and whether they are known to be UTF-8.
    #[inline(always)]
    fn bytes<'c>(
        &self,
        column: &'c Column<'_>,
        strings: &'c Strings<'_>,
        row: usize,
    ) -> Result<(&'c [u8], bool), Fault<'c>> {
        let Some((bytes, known)) = strings.get(row) else {
            return Err(Fault::Value(column.shape, OUTSIDE));
        };
        if bytes.len() > LONG_TEXT {
            self.check_room(column, bytes.len())?;
        }
        Ok((bytes, known))
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
