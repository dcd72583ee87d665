//! Writes the floats at the start of a list in blocks, and rows of them, such as coordinates, outside
//! the borrowed walk.
//!
//! Separate from `borrowed`, whose loop has no registers to spare. Invariant of the module, as of the
//! walk: no Python code runs. Called by `borrowed` for lists without white space between the items.
//!
//! PERF: `snooze_core::out::float_arrays` says why a block is faster.

use core::marker::PhantomData;

use snooze_core::arch::{Task, Vector};
use snooze_core::out::{Buffer, FLOATS, Out};

use crate::encode::depth::DUMPS_LIMIT;
use crate::encode::format::Format;
use crate::encode::scalar::write_item;
use crate::encode::untyped::borrowed_frame::BorrowedFrame;
use crate::py::float::Float;
use crate::py::int::Int;
use crate::py::list::List;
use crate::py::tuple::Tuple;
use crate::py::{Attached, Obj, Raised, float};

/// The fewest floats that are worth a block.
const MIN_FLOATS: usize = 8;
/// The fewest items whose rows are looked at.
const MIN_ITEMS: usize = 4;
/// The longest row.
const MAX_WIDTH: usize = 4;

/// Whether the items may begin with a block of floats or of rows.
#[inline(always)]
pub(super) fn may_begin(items: &[Option<Obj<'_>>]) -> bool {
    if items.len() < MIN_ITEMS {
        return false;
    }
    let Some(&Some(first)) = items.first() else { return false };
    let may_begin = Float::exact(first).is_some()
        || List::exact(first).is_some()
        || Tuple::exact(first).is_some();
    if may_begin {
        cold();
    }
    may_begin
}

/// Tells the compiler to keep what follows apart from the walk.
#[cold]
#[inline(always)]
fn cold() {}

/// Writes the first items of a list up to one that is neither a number nor a row of numbers, or up to
/// the last ones that are not worth a block. Integers among floats are written, too.
pub(super) struct NumbersTask<'a, 'b, F, B: Buffer> {
    pub(super) items: &'a [Option<Obj<'a>>],
    pub(super) out: Out<'b, B>,
    pub(super) py: &'a Attached,
    /// Open containers, the list included.
    pub(super) depth: usize,
    /// Whether integers beyond 53 bits are refused.
    pub(super) strict: bool,
    pub(super) format: PhantomData<F>,
}

impl<'a, 'b, F: Format, B: Buffer> Task for NumbersTask<'a, 'b, F, B> {
    /// The items that are left.
    type Output = Result<(Out<'b, B>, &'a [Option<Obj<'a>>]), Raised>;

    #[inline(always)]
    fn with_vectors<V: Vector>(self) -> Self::Output {
        let Self { mut items, mut out, py, depth, strict, .. } = self;
        let width = row_width(items, py);
        if width == 0 {
            while items.len() >= MIN_FLOATS {
                let (block, rest) = items.split_at(items.len().min(FLOATS));
                let mut values = [1.0; FLOATS];
                if take_floats(block, &mut values[..block.len()]) {
                    out.floats_by::<V>(&values, block.len())?;
                } else if are_numbers(block) {
                    write_numbers::<V, F, B>(&mut out, block, strict)?;
                } else {
                    break;
                }
                items = rest;
            }
        } else if depth < DUMPS_LIMIT {
            while items.len() * width >= MIN_FLOATS {
                let (block, rest) = items.split_at(items.len().min(FLOATS / width));
                let mut values = [1.0; FLOATS];
                let mut rows = block.iter().zip(values.chunks_exact_mut(width));
                if rows.all(|(row, values)| {
                    let Some((row, _lock)) = row_items(*row, py) else { return false };
                    take_floats(row, values)
                }) {
                    out.float_rows_by::<V>(&values, width, block.len() * width)?;
                    items = rest;
                    continue;
                }
                for &row in block {
                    let Some((row, _lock)) = row_items(row, py) else { return Ok((out, items)) };
                    if row.len() > MAX_WIDTH || !are_numbers(row) {
                        return Ok((out, items));
                    }
                    out.byte(b'[')?;
                    write_numbers::<V, F, B>(&mut out, row, strict)?;
                    out.close(b']', b',')?;
                    items = &items[1..];
                }
            }
        }
        Ok((out, items))
    }
}

/// The items and the lock of a list or tuple that is not empty.
#[inline(always)]
fn row_items<'a>(
    row: Option<Obj<'a>>,
    py: &'a Attached,
) -> Option<(&'a [Option<Obj<'a>>], impl Sized)> {
    BorrowedFrame::items_of_array(row?, py)
}

/// The length of the first row, if it has from 2 to [`MAX_WIDTH`] floats; otherwise zero.
#[inline(always)]
fn row_width(items: &[Option<Obj<'_>>], py: &Attached) -> usize {
    let Some(&first) = items.first() else { return 0 };
    let Some((row, _lock)) = row_items(first, py) else { return 0 };
    let is_row = (2..=MAX_WIDTH).contains(&row.len())
        && row.iter().all(|item| item.is_some_and(|item| Float::exact(item).is_some()));
    if is_row { row.len() } else { 0 }
}

/// Reads floats; returns whether there are as many as `values`, all exact.
#[inline(always)]
fn take_floats(items: &[Option<Obj<'_>>], values: &mut [f64]) -> bool {
    if items.len() != values.len() {
        return false;
    }
    for (item, value) in items.iter().zip(values) {
        let Some(number) = item.and_then(Float::exact) else { return false };
        *value = float::value(number);
    }
    true
}

/// Whether all items are exact floats or integers.
#[inline(always)]
fn are_numbers(items: &[Option<Obj<'_>>]) -> bool {
    let is_number = |item| Float::exact(item).is_some() || Int::exact(item).is_some();
    items.iter().all(|item| item.is_some_and(is_number))
}

/// Writes items that are numbers, each with a comma.
#[inline(always)]
fn write_numbers<V: Vector, F: Format, B: Buffer>(
    out: &mut Out<'_, B>,
    items: &[Option<Obj<'_>>],
    strict: bool,
) -> Result<(), Raised> {
    for &item in items.iter().flatten() {
        write_item::<V, _, B>(out, item, F::scalars(strict))?;
    }
    Ok(())
}
