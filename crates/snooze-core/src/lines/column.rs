//! [`Column`]: the values of some rows, as slices of a foreign producer's memory.
//!
//! Separate from `write`, which walks over them. Invariant: no access leaves a slice, whatever
//! offsets and indices say; what leads outside is `None`. Words are arrays of bytes, because a
//! producer need not align them.

use super::shape::{Decimals, Shape, Unit, Zone};

/// Bits, the first one at an offset.
#[derive(Clone, Copy, Debug)]
pub struct Bits<'a> {
    /// The bytes; the lowest bit is the first.
    pub bytes: &'a [u8],
    /// The first bit.
    pub offset: usize,
}

impl Bits<'_> {
    /// The bit at an index; false outside.
    #[inline(always)]
    pub fn get(&self, index: usize) -> bool {
        let at = self.offset.wrapping_add(index);
        self.bytes.get(at / 8).is_some_and(|byte| byte >> (at % 8) & 1 == 1)
    }
}

/// Offsets or sizes of 32 or 64 bits.
#[derive(Clone, Copy, Debug)]
pub enum Places<'a> {
    /// Of 32 bits.
    Short(&'a [[u8; 4]]),
    /// Of 64 bits.
    Long(&'a [[u8; 8]]),
}

impl Places<'_> {
    /// The place at an index, if it is not negative.
    #[inline(always)]
    pub fn get(&self, index: usize) -> Option<usize> {
        match self {
            Places::Short(places) => usize::try_from(i32::from_ne_bytes(*places.get(index)?)).ok(),
            Places::Long(places) => usize::try_from(i64::from_ne_bytes(*places.get(index)?)).ok(),
        }
    }
}

/// Texts or bytes of different lengths.
#[derive(Debug)]
pub enum Strings<'a> {
    /// One after the other: one offset more than texts, and the bytes from the first offset on.
    Offsets {
        /// Where each begins, and the end of the last one.
        places: Places<'a>,
        /// The first of these offsets.
        first: usize,
        /// From there on.
        bytes: &'a [u8],
        /// Whether the bytes are known to be UTF-8.
        is_utf8: bool,
        /// Whether all bytes belong to the rows, so that checking them once is worth it.
        is_compact: bool,
    },
    /// Twelve bytes in place, or a place in one of several buffers.
    Views {
        /// The length of a text, and the text or its start, buffer and offset.
        views: &'a [[u8; 16]],
        /// The buffers.
        buffers: Vec<&'a [u8]>,
    },
    /// All of one length.
    Fixed {
        /// This one.
        size: usize,
        /// One after the other.
        bytes: &'a [u8],
    },
}

impl<'a> Strings<'a> {
    /// The bytes at an index, and whether they are known to be UTF-8.
    #[inline(always)]
    pub(super) fn get(&'a self, index: usize) -> Option<(&'a [u8], bool)> {
        match self {
            Strings::Offsets { places, first, bytes, is_utf8, .. } => {
                let start = places.get(index)?.checked_sub(*first)?;
                let end = places.get(index.wrapping_add(1))?.checked_sub(*first)?;
                let text = bytes.get(start..end)?;
                // Valid bytes are cut into valid texts where no cut is inside a character.
                let is_whole = |at: usize| bytes.get(at).is_none_or(|byte| byte & 0xc0 != 0x80);
                Some((text, *is_utf8 && is_whole(start) && is_whole(end)))
            }
            Strings::Views { views, buffers } => {
                let view = views.get(index)?;
                let word = |at: usize| -> Option<usize> {
                    let bytes: [u8; 4] = view.get(at..at + 4)?.try_into().ok()?;
                    usize::try_from(i32::from_ne_bytes(bytes)).ok()
                };
                let len = word(0)?;
                if len <= 12 {
                    return Some((view.get(4..4 + len)?, false));
                }
                let (buffer, start) = (buffers.get(word(8)?)?, word(12)?);
                Some((buffer.get(start..start.checked_add(len)?)?, false))
            }
            Strings::Fixed { size, bytes } => {
                let start = index.checked_mul(*size)?;
                Some((bytes.get(start..start.checked_add(*size)?)?, false))
            }
        }
    }
}

/// Which rows of the child belong to a row.
#[derive(Clone, Copy, Debug)]
pub enum Extents<'a> {
    /// From its offset to the next one.
    Offsets(Places<'a>, usize),
    /// From its offset on, as many as its size.
    Sizes(Places<'a>, Places<'a>),
    /// As many for each row.
    Fixed(usize),
}

impl Extents<'_> {
    /// The rows of the child, from the first to that after the last.
    #[inline(always)]
    pub(super) fn get(&self, index: usize) -> Option<(usize, usize)> {
        let (start, end) = match self {
            Extents::Offsets(places, first) => {
                let start = places.get(index)?.checked_sub(*first)?;
                (start, places.get(index.wrapping_add(1))?.checked_sub(*first)?)
            }
            Extents::Sizes(places, sizes) => {
                let start = places.get(index)?;
                (start, start.checked_add(sizes.get(index)?)?)
            }
            Extents::Fixed(size) => {
                let start = index.checked_mul(*size)?;
                (start, start.checked_add(*size)?)
            }
        };
        (start <= end).then_some((start, end))
    }
}

/// Indices, run ends or offsets of any width.
#[derive(Clone, Copy, Debug)]
#[expect(missing_docs, reason = "the names are Arrow's")]
pub enum Indices<'a> {
    Int8(&'a [[u8; 1]]),
    Int16(&'a [[u8; 2]]),
    Int32(&'a [[u8; 4]]),
    Int64(&'a [[u8; 8]]),
    UInt8(&'a [[u8; 1]]),
    UInt16(&'a [[u8; 2]]),
    UInt32(&'a [[u8; 4]]),
    UInt64(&'a [[u8; 8]]),
}

impl Indices<'_> {
    /// The index at a row, if it is not negative.
    pub(super) fn get(&self, row: usize) -> Option<usize> {
        match self {
            Indices::Int8(words) => usize::try_from(i8::from_ne_bytes(*words.get(row)?)).ok(),
            Indices::Int16(words) => usize::try_from(i16::from_ne_bytes(*words.get(row)?)).ok(),
            Indices::Int32(words) => usize::try_from(i32::from_ne_bytes(*words.get(row)?)).ok(),
            Indices::Int64(words) => usize::try_from(i64::from_ne_bytes(*words.get(row)?)).ok(),
            Indices::UInt8(words) => Some(u8::from_ne_bytes(*words.get(row)?).into()),
            Indices::UInt16(words) => Some(u16::from_ne_bytes(*words.get(row)?).into()),
            Indices::UInt32(words) => usize::try_from(u32::from_ne_bytes(*words.get(row)?)).ok(),
            Indices::UInt64(words) => usize::try_from(u64::from_ne_bytes(*words.get(row)?)).ok(),
        }
    }

    /// How many there are.
    fn len(&self) -> usize {
        match self {
            Indices::Int8(words) | Indices::UInt8(words) => words.len(),
            Indices::Int16(words) | Indices::UInt16(words) => words.len(),
            Indices::Int32(words) | Indices::UInt32(words) => words.len(),
            Indices::Int64(words) | Indices::UInt64(words) => words.len(),
        }
    }

    /// Whether the value at an index is above `row`; `None` if it is negative.
    fn is_above(&self, index: usize, row: usize) -> Option<bool> {
        match self {
            // The last one may be beyond all rows, so it need not be a `usize`.
            Indices::Int64(words) => {
                let value = u64::try_from(i64::from_ne_bytes(*words.get(index)?)).ok()?;
                Some(value > row as u64)
            }
            _ => Some(self.get(index)? > row),
        }
    }

    /// The first row whose value is above `row`, where values grow.
    pub(super) fn first_above(&self, row: usize) -> Option<usize> {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low.midpoint(high);
            if self.is_above(middle, row)? {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        (low < self.len()).then_some(low)
    }
}

/// The values of a column.
#[derive(Debug)]
#[expect(missing_docs, reason = "the names are Arrow's")]
pub enum Values<'a> {
    Null,
    Bool(Bits<'a>),
    Int8(&'a [[u8; 1]]),
    Int16(&'a [[u8; 2]]),
    Int32(&'a [[u8; 4]]),
    Int64(&'a [[u8; 8]]),
    UInt8(&'a [[u8; 1]]),
    UInt16(&'a [[u8; 2]]),
    UInt32(&'a [[u8; 4]]),
    UInt64(&'a [[u8; 8]]),
    Float16(&'a [[u8; 2]]),
    Float32(&'a [[u8; 4]]),
    Float64(&'a [[u8; 8]]),
    Decimal(Decimals, i32, &'a [u8]),
    Date32(&'a [[u8; 4]]),
    Date64(&'a [[u8; 8]]),
    Time32(Unit, &'a [[u8; 4]]),
    Time64(Unit, &'a [[u8; 8]]),
    Timestamp(Unit, Zone, &'a [[u8; 8]]),
    Duration(Unit, &'a [[u8; 8]]),
    Text(Strings<'a>),
    Json(Strings<'a>),
    Binary(Strings<'a>),
    Uuid(&'a [[u8; 16]]),
    /// The rows of the children are those of the struct.
    Struct,
    /// The child has the elements.
    List(Extents<'a>),
    /// The child has the entries.
    Map(Extents<'a>),
    /// The child has the values.
    Dictionary(Indices<'a>),
    /// The ends of the runs, and the number of rows before the first one; the second child has the
    /// values.
    RunEnds(Indices<'a>, usize),
    /// The code of each row, and the row of the child, if it is not the same.
    Union(&'a [[u8; 1]], Option<&'a [[u8; 4]]>),
}

/// The values of some rows of a column.
#[derive(Debug)]
pub struct Column<'a> {
    /// What it is.
    pub shape: &'a Shape,
    /// The number of rows.
    pub rows: usize,
    /// Which rows are not null; `None` if all.
    pub validity: Option<Bits<'a>>,
    /// The values.
    pub values: Values<'a>,
    /// The columns inside.
    pub children: Vec<Column<'a>>,
}
