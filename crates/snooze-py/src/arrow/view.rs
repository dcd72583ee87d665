//! Rows of a foreign producer's array as a [`Column`]: slices of its buffers.
//!
//! Separate from `shape`, because this is done for each part of a batch. The interface does not say
//! how long most buffers are. What can be checked is: counts of buffers and children, lengths,
//! null pointers, sums that overflow, first and last offsets. The rest is safe code of
//! `snooze_core::lines`, which checks each access against the slices made here. Invariant: a view
//! borrows the array, so it ends before the array is released. Called by `producer`.
//!
//! Only the rows asked for are looked at, so that writing a batch part by part takes no longer than
//! at once.

use core::ffi::c_void;

use snooze_core::columns::NoMemory;
use snooze_core::lines::{
    Bits, Column, Extents, Index, Indices, Kind, Places, Shape, Strings, Values,
};

use super::ffi::ArrowArray;

/// Why rows cannot be looked at.
#[derive(Debug)]
pub(crate) enum ViewError<'a> {
    /// The column breaks the specification like this.
    Damaged(&'a Shape, &'static str),
    NoMemory,
}

impl From<NoMemory> for ViewError<'_> {
    fn from(NoMemory: NoMemory) -> Self {
        Self::NoMemory
    }
}

/// Some rows of a column.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rows {
    pub(super) start: usize,
    pub(super) count: usize,
    /// Whether all that the rows refer to belongs to them alone; otherwise it is not worth a check
    /// as a whole.
    pub(super) are_compact: bool,
}

const MISSING: &str = "a buffer that is missing";
const LENGTHS: &str = "lengths or offsets that are negative or too large";
const SHORT: &str = "fewer rows than the column around it needs";

/// The rows of an array.
///
/// # Safety
/// A live array that a producer filled for this shape: each buffer that it needs is null or as long
/// as its length and offsets say, each child null or such an array; none changes during `'a`.
pub(super) unsafe fn rows_of<'a>(
    array: &'a ArrowArray,
    shape: &'a Shape,
    rows: Rows,
) -> Result<Column<'a>, ViewError<'a>> {
    let view = View::new(array, shape, rows)?;
    // SAFETY: the caller says what the array is.
    unsafe { view.column() }
}

/// An array whose counts are right.
struct View<'a> {
    array: &'a ArrowArray,
    shape: &'a Shape,
    rows: Rows,
    /// The first row in the buffers.
    at: usize,
}

impl<'a> View<'a> {
    fn new(array: &'a ArrowArray, shape: &'a Shape, rows: Rows) -> Result<Self, ViewError<'a>> {
        let damaged = |what| Err(ViewError::Damaged(shape, what));
        let (Ok(length), Ok(offset)) =
            (usize::try_from(array.length), usize::try_from(array.offset))
        else {
            return damaged(LENGTHS);
        };
        // A value has at most 32 bytes, so no address overflows.
        if offset.checked_add(length).is_none_or(|end| end > (isize::MAX as usize) >> 5) {
            return damaged(LENGTHS);
        }
        if rows.start.checked_add(rows.count).is_none_or(|end| end > length) {
            return damaged(SHORT);
        }
        let (buffers, is_variadic) = match shape.kind {
            Kind::Null | Kind::RunEnds | Kind::Union { dense: false } => {
                (if let Kind::Union { .. } = shape.kind { 1 } else { 0 }, false)
            }
            Kind::Struct | Kind::FixedList(_) => (1, false),
            Kind::Utf8View | Kind::BinaryView => (3, true),
            Kind::Utf8
            | Kind::LargeUtf8
            | Kind::Binary
            | Kind::LargeBinary
            | Kind::ListView
            | Kind::LargeListView => (3, false),
            _ => (2, false),
        };
        let is_right = match shape.kind {
            // Polars gives columns of nulls a buffer, which nothing reads.
            Kind::Null => (0..=1).contains(&array.n_buffers),
            _ if is_variadic => (buffers..1 << 24).contains(&array.n_buffers),
            _ => array.n_buffers == buffers,
        };
        if !is_right || (buffers > 0 && array.buffers.is_null()) {
            return damaged("another number of buffers than its type has");
        }
        let (children, values) = match shape.kind {
            Kind::Dictionary(_) => (0, shape.children.len()),
            _ => (shape.children.len(), 0),
        };
        if usize::try_from(array.n_children) != Ok(children)
            || (children > 0 && array.children.is_null())
        {
            return damaged("another number of children than its schema has");
        }
        if (values > 0) == array.dictionary.is_null() {
            return damaged("a dictionary where its schema has none, or none where it has one");
        }
        Ok(Self { array, shape, rows, at: offset + rows.start })
    }

    fn damaged<T>(&self, what: &'static str) -> Result<T, ViewError<'a>> {
        Err(ViewError::Damaged(self.shape, what))
    }

    /// The pointer of a buffer.
    ///
    /// # Safety
    /// `index` is below `n_buffers`, which is right.
    unsafe fn buffer(&self, index: usize) -> *const c_void {
        // SAFETY: there are so many pointers, because the caller says so.
        unsafe { *self.array.buffers.add(index) }
    }

    /// Words of a buffer, from the first row on.
    ///
    /// # Safety
    /// As for [`View::buffer`], and the buffer has `self.at + count` words.
    unsafe fn words<const N: usize>(
        &self,
        index: usize,
        count: usize,
    ) -> Result<&'a [[u8; N]], ViewError<'a>> {
        if count == 0 {
            return Ok(&[]);
        }
        // SAFETY: not null, because that is checked; as long as the caller says; bytes need no
        // alignment.
        unsafe {
            let start = self.buffer(index).cast::<[u8; N]>();
            if start.is_null() {
                return self.damaged(MISSING);
            }
            Ok(core::slice::from_raw_parts(start.add(self.at), count))
        }
    }

    /// Bytes of a buffer.
    ///
    /// # Safety
    /// As for [`View::buffer`], and the buffer has `start + count` bytes.
    unsafe fn bytes(
        &self,
        index: usize,
        start: usize,
        count: usize,
    ) -> Result<&'a [u8], ViewError<'a>> {
        if count == 0 {
            return Ok(&[]);
        }
        // SAFETY: as in `words`.
        unsafe {
            let first = self.buffer(index).cast::<u8>();
            if first.is_null() {
                return self.damaged(MISSING);
            }
            if start.checked_add(count).is_none_or(|end| end > isize::MAX as usize) {
                return self.damaged(LENGTHS);
            }
            Ok(core::slice::from_raw_parts(first.add(start), count))
        }
    }

    /// The offsets of the rows and of their end, the first one, and how much is between them.
    ///
    /// # Safety
    /// As for [`View::words`], with one word more than rows.
    unsafe fn offsets(&self, is_long: bool) -> Result<(Places<'a>, usize, usize), ViewError<'a>> {
        let count = self.rows.count;
        if count == 0 {
            return Ok((Places::Short(&[]), 0, 0));
        }
        // SAFETY: the caller says what the buffer is.
        let places = unsafe {
            match is_long {
                true => Places::Long(self.words::<8>(1, count + 1)?),
                false => Places::Short(self.words::<4>(1, count + 1)?),
            }
        };
        let (Some(first), Some(last)) = (places.get(0), places.get(count)) else {
            return self.damaged(LENGTHS);
        };
        match last.checked_sub(first) {
            Some(len) => Ok((places, first, len)),
            None => self.damaged("offsets that become smaller"),
        }
    }

    /// The rows of a child.
    ///
    /// # Safety
    /// As for [`rows_of`]; `index` is below `n_children`, which is right.
    unsafe fn child(&self, index: usize, rows: Rows) -> Result<Column<'a>, ViewError<'a>> {
        // SAFETY: there are so many children, because the caller says so; each is null or an array
        // that was filled for its shape.
        unsafe { self.inner(*self.array.children.add(index), index, rows) }
    }

    /// The rows of an array inside this one.
    ///
    /// # Safety
    /// Null, or an array that was filled for the child of this index.
    unsafe fn inner(
        &self,
        array: *const ArrowArray,
        index: usize,
        rows: Rows,
    ) -> Result<Column<'a>, ViewError<'a>> {
        // SAFETY: the caller says what it is; it lives as long as the array around it.
        let (Some(array), Some(shape)) =
            (unsafe { array.as_ref() }, self.shape.children.get(index))
        else {
            return self.damaged("a child that is missing");
        };
        // The buffers of a released one are gone.
        if array.release.is_none() {
            return self.damaged("a child that was released");
        }
        // SAFETY: as above.
        unsafe { rows_of(array, shape, rows) }
    }

    /// All rows of an array inside this one.
    ///
    /// # Safety
    /// As for [`View::inner`].
    unsafe fn whole(
        &self,
        array: *const ArrowArray,
        index: usize,
    ) -> Result<Column<'a>, ViewError<'a>> {
        // SAFETY: the caller says what it is.
        let length = unsafe { array.as_ref() }.map_or(0, |array| array.length);
        let Ok(count) = usize::try_from(length) else { return self.damaged(LENGTHS) };
        // SAFETY: as above.
        unsafe { self.inner(array, index, Rows { start: 0, count, are_compact: false }) }
    }

    /// Which rows are not null.
    ///
    /// # Safety
    /// As for [`rows_of`].
    unsafe fn validity(&self) -> Result<Option<Bits<'a>>, ViewError<'a>> {
        if matches!(self.shape.kind, Kind::Null | Kind::RunEnds | Kind::Union { .. }) {
            return Ok(None);
        }
        // SAFETY: the first buffer of all other types is the validity; it has a bit for each row.
        unsafe {
            if self.buffer(0).is_null() {
                if self.array.null_count > 0 {
                    return self.damaged("nulls, but no buffer that says which");
                }
                return Ok(None);
            }
            if self.array.null_count == 0 {
                return Ok(None);
            }
            Ok(Some(self.bits(0)?))
        }
    }

    /// Bits of a buffer, from the first row on.
    ///
    /// # Safety
    /// As for [`View::buffer`], and the buffer has a bit for each row.
    unsafe fn bits(&self, index: usize) -> Result<Bits<'a>, ViewError<'a>> {
        let first = self.at / 8;
        let count = (self.at + self.rows.count).div_ceil(8) - first;
        let count = if self.rows.count == 0 { 0 } else { count };
        // SAFETY: so many bytes have the bits of the rows.
        let bytes = unsafe { self.bytes(index, first, count)? };
        Ok(Bits { bytes, offset: self.at % 8 })
    }

    /// Texts or bytes after offsets.
    ///
    /// # Safety
    /// As for [`rows_of`].
    unsafe fn strings(&self, is_long: bool) -> Result<Strings<'a>, ViewError<'a>> {
        // SAFETY: there are offsets for the rows and their end, and the bytes that they say.
        unsafe {
            let (places, first, len) = self.offsets(is_long)?;
            let bytes = self.bytes(2, first, len)?;
            let is_compact = self.rows.are_compact;
            Ok(Strings::Offsets { places, first, bytes, is_utf8: false, is_compact })
        }
    }

    /// Texts or bytes in views.
    ///
    /// # Safety
    /// As for [`rows_of`].
    unsafe fn views(&self) -> Result<Strings<'a>, ViewError<'a>> {
        // SAFETY: the last buffer has the lengths of those after the second; at least three are
        // there, because that is checked.
        unsafe {
            let views = self.words::<16>(1, self.rows.count)?;
            let count = self.array.n_buffers as usize - 3;
            let lengths = self.buffer(count + 2).cast::<[u8; 8]>();
            if lengths.is_null() && count > 0 {
                return self.damaged(MISSING);
            }
            let mut buffers = Vec::new();
            buffers.try_reserve_exact(count).map_err(|_| NoMemory)?;
            for index in 0..count {
                let length = i64::from_ne_bytes(*lengths.add(index));
                let Ok(length) = usize::try_from(length) else { return self.damaged(LENGTHS) };
                buffers.push(self.bytes(index + 2, 0, length)?);
            }
            Ok(Strings::Views { views, buffers })
        }
    }

    /// The column.
    ///
    /// # Safety
    /// As for [`rows_of`].
    unsafe fn column(&self) -> Result<Column<'a>, ViewError<'a>> {
        let Rows { count, are_compact, .. } = self.rows;
        let (shape, at) = (self.shape, self.at);
        let mut children = Vec::new();
        children.try_reserve_exact(shape.children.len()).map_err(|_| NoMemory)?;
        let dependent = |start, count| Rows { start, count, are_compact };
        // SAFETY: the buffers and children are those that the specification lists for the type, in
        // its order; the caller says that they follow it.
        unsafe {
            let validity = self.validity()?;
            let values = match shape.kind {
                Kind::Null => Values::Null,
                Kind::Bool => Values::Bool(self.bits(1)?),
                Kind::Int8 => Values::Int8(self.words(1, count)?),
                Kind::Int16 => Values::Int16(self.words(1, count)?),
                Kind::Int32 => Values::Int32(self.words(1, count)?),
                Kind::Int64 => Values::Int64(self.words(1, count)?),
                Kind::UInt8 => Values::UInt8(self.words(1, count)?),
                Kind::UInt16 => Values::UInt16(self.words(1, count)?),
                Kind::UInt32 => Values::UInt32(self.words(1, count)?),
                Kind::UInt64 => Values::UInt64(self.words(1, count)?),
                Kind::Float16 => Values::Float16(self.words(1, count)?),
                Kind::Float32 => Values::Float32(self.words(1, count)?),
                Kind::Float64 => Values::Float64(self.words(1, count)?),
                Kind::Decimal(width, scale) => {
                    let size = width.size();
                    Values::Decimal(width, scale, self.bytes(1, at * size, count * size)?)
                }
                Kind::Date32 => Values::Date32(self.words(1, count)?),
                Kind::Date64 => Values::Date64(self.words(1, count)?),
                Kind::Time32(unit) => Values::Time32(unit, self.words(1, count)?),
                Kind::Time64(unit) => Values::Time64(unit, self.words(1, count)?),
                Kind::Timestamp(unit, zone) => Values::Timestamp(unit, zone, self.words(1, count)?),
                Kind::Duration(unit) => Values::Duration(unit, self.words(1, count)?),
                Kind::Utf8 | Kind::LargeUtf8 | Kind::Utf8View => {
                    let strings = match shape.kind {
                        Kind::Utf8View => self.views()?,
                        kind => self.strings(kind == Kind::LargeUtf8)?,
                    };
                    if shape.is_json { Values::Json(strings) } else { Values::Text(strings) }
                }
                Kind::Binary => Values::Binary(self.strings(false)?),
                Kind::LargeBinary => Values::Binary(self.strings(true)?),
                Kind::BinaryView => Values::Binary(self.views()?),
                Kind::FixedBinary(size) => {
                    let (Some(start), Some(len)) = (at.checked_mul(size), count.checked_mul(size))
                    else {
                        return self.damaged(LENGTHS);
                    };
                    Values::Binary(Strings::Fixed { size, bytes: self.bytes(1, start, len)? })
                }
                Kind::Uuid => Values::Uuid(self.words(1, count)?),
                Kind::Struct => {
                    for index in 0..shape.children.len() {
                        children.push(self.child(index, dependent(at, count))?);
                    }
                    Values::Struct
                }
                Kind::List | Kind::LargeList | Kind::Map => {
                    let (places, first, len) = self.offsets(shape.kind == Kind::LargeList)?;
                    children.push(self.child(0, dependent(first, len))?);
                    let extents = Extents::Offsets(places, first);
                    match shape.kind {
                        Kind::Map => Values::Map(extents),
                        _ => Values::List(extents),
                    }
                }
                Kind::ListView | Kind::LargeListView => {
                    children.push(self.whole(*self.array.children, 0)?);
                    let (places, sizes) = match shape.kind {
                        Kind::ListView => (
                            Places::Short(self.words(1, count)?),
                            Places::Short(self.words(2, count)?),
                        ),
                        _ => (
                            Places::Long(self.words(1, count)?),
                            Places::Long(self.words(2, count)?),
                        ),
                    };
                    Values::List(Extents::Sizes(places, sizes))
                }
                Kind::FixedList(size) => {
                    let (Some(start), Some(len)) = (at.checked_mul(size), count.checked_mul(size))
                    else {
                        return self.damaged(LENGTHS);
                    };
                    children.push(self.child(0, dependent(start, len))?);
                    Values::List(Extents::Fixed(size))
                }
                Kind::Dictionary(index) => {
                    children.push(self.whole(self.array.dictionary, 0)?);
                    Values::Dictionary(self.indices(index)?)
                }
                Kind::RunEnds => {
                    for index in 0..2 {
                        children.push(self.whole(*self.array.children.add(index), index)?);
                    }
                    let ends = match children[0].values {
                        _ if children[0].validity.is_some() => None,
                        Values::Int16(words) => Some(Indices::Int16(words)),
                        Values::Int32(words) => Some(Indices::Int32(words)),
                        Values::Int64(words) => Some(Indices::Int64(words)),
                        _ => None,
                    };
                    let Some(ends) = ends else { return self.damaged("run ends that are null") };
                    Values::RunEnds(ends, at)
                }
                Kind::Union { dense } => {
                    for index in 0..shape.children.len() {
                        children.push(match dense {
                            true => self.whole(*self.array.children.add(index), index)?,
                            false => self.child(index, dependent(at, count))?,
                        });
                    }
                    let places = if dense { Some(self.words(1, count)?) } else { None };
                    Values::Union(self.words(0, count)?, places)
                }
            };
            Ok(Column { shape, rows: count, validity, values, children })
        }
    }

    /// The indices of a dictionary.
    ///
    /// # Safety
    /// As for [`rows_of`].
    unsafe fn indices(&self, index: Index) -> Result<Indices<'a>, ViewError<'a>> {
        let count = self.rows.count;
        // SAFETY: the second buffer has an index for each row.
        unsafe {
            Ok(match index {
                Index::Int8 => Indices::Int8(self.words(1, count)?),
                Index::Int16 => Indices::Int16(self.words(1, count)?),
                Index::Int32 => Indices::Int32(self.words(1, count)?),
                Index::Int64 => Indices::Int64(self.words(1, count)?),
                Index::UInt8 => Indices::UInt8(self.words(1, count)?),
                Index::UInt16 => Indices::UInt16(self.words(1, count)?),
                Index::UInt32 => Indices::UInt32(self.words(1, count)?),
                Index::UInt64 => Indices::UInt64(self.words(1, count)?),
            })
        }
    }
}
