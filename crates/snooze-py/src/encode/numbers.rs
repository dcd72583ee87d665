//! Writes the numbers at the start of a list: floats in blocks, and rows of them, such as
//! coordinates.
//!
//! Separate from the borrowed walks, whose loops have no registers to spare. Invariant of the
//! module, as of the walks: no Python code runs. Called by both of them for lists without white
//! space between the items.
//!
//! PERF: `snooze_core::out::float_arrays` says why a block is faster. Only tiers that make decimals
//! in lanes have blocks of lists: with SSE4.2 a list of floats would take 1.08 of its time
//! (2026-11-29).

use snooze_core::arch::{Task, Vector};
use snooze_core::out::{Buffer, FLOATS, Out};

use crate::encode::depth::DUMPS_LIMIT;
use crate::encode::policy::{DumpsPolicy, FLOAT, Policy};
use crate::encode::scalar::write_item;
use crate::py::float::Float;
use crate::py::int::Int;
use crate::py::list::List;
use crate::py::lock::Lock;
use crate::py::tuple::Tuple;
use crate::py::{Attached, Obj, Raised, float, list, tuple};

/// The fewest floats that are worth a block.
const MIN_FLOATS: usize = 8;
/// The fewest items whose rows are looked at.
const MIN_ROWS: usize = 4;
/// The longest row.
const MAX_WIDTH: usize = 4;
/// The items that are written one by one where no block begins, before a block is looked for again.
/// Twice as many each time, so that looking for blocks takes little time in a list that has none.
const MIN_OTHERS: usize = FLOATS;
const MAX_OTHERS: usize = 16 * FLOATS;

/// Whether the items may begin with a block of floats.
#[inline(always)]
pub(crate) fn may_begin_with_floats(items: &[Option<Obj<'_>>]) -> bool {
    let Some(&Some(first)) = items.first() else { return false };
    items.len() >= MIN_FLOATS && Float::exact(first).is_some()
}

/// Whether the items may begin with a block of floats or of rows.
#[inline(always)]
pub(crate) fn may_begin(items: &[Option<Obj<'_>>]) -> bool {
    let Some(&Some(first)) = items.first() else { return false };
    let is_row = List::exact(first).is_some() || Tuple::exact(first).is_some();
    may_begin_with_floats(items) || is_row && items.len() >= MIN_ROWS
}

/// Writes the first items of a list: all up to one that [`write_item`] leaves unwritten, or up to
/// the last ones that are not worth a block.
pub(crate) struct FloatsTask<'a, 'b, P, B: Buffer> {
    pub(crate) items: &'a [Option<Obj<'a>>],
    pub(crate) out: Out<'b, B>,
    pub(crate) policy: P,
}

impl<'a, 'b, P: Policy, B: Buffer> Task for FloatsTask<'a, 'b, P, B> {
    /// The items that are left.
    type Output = Result<(Out<'b, B>, &'a [Option<Obj<'a>>]), Raised>;

    #[inline(always)]
    fn with_vectors<V: Vector>(self) -> Self::Output {
        // A style writes other floats.
        const { assert!(!P::STYLED) };
        let Self { mut items, mut out, policy } = self;
        let mut others = MIN_OTHERS;
        while items.len() >= MIN_FLOATS {
            let (block, rest) = items.split_at(items.len().min(FLOATS));
            let mut values = [1.0; FLOATS];
            if take_floats(block, &mut values[..block.len()], policy) {
                out.floats_by::<V>(&values, block.len())?;
                (items, others) = (rest, MIN_OTHERS);
                continue;
            }
            for _ in 0..others {
                let Some((&item, rest)) = items.split_first() else { break };
                // An item is null while other code builds the tuple.
                let Some(item) = item else { return Ok((out, items)) };
                if !write_item::<V, _, B>(&mut out, item, policy)? {
                    return Ok((out, items));
                }
                items = rest;
            }
            others = (2 * others).min(MAX_OTHERS);
        }
        Ok((out, items))
    }
}

/// [`FloatsTask`] for items that may be rows of two to four floats instead. A row of other numbers
/// is written, too.
pub(crate) struct NumbersTask<'a, 'b, B: Buffer> {
    pub(crate) floats: FloatsTask<'a, 'b, DumpsPolicy, B>,
    pub(crate) py: &'a Attached,
    /// Open containers, the list included.
    pub(crate) depth: usize,
}

impl<'a, 'b, B: Buffer> Task for NumbersTask<'a, 'b, B> {
    /// The items that are left.
    type Output = Result<(Out<'b, B>, &'a [Option<Obj<'a>>]), Raised>;

    #[inline(always)]
    fn with_vectors<V: Vector>(self) -> Self::Output {
        let Self { floats, py, depth } = self;
        let width = row_width(floats.items, py);
        if width == 0 {
            return floats.with_vectors::<V>();
        }
        let FloatsTask { mut items, mut out, policy } = floats;
        if depth >= DUMPS_LIMIT {
            return Ok((out, items));
        }
        let mut others = MIN_OTHERS;
        while items.len() * width >= MIN_FLOATS {
            let (block, rest) = items.split_at(items.len().min(FLOATS / width));
            let mut values = [1.0; FLOATS];
            let mut rows = block.iter().zip(values.chunks_exact_mut(width));
            if rows.all(|(row, values)| {
                let Some((row, _lock)) = row_items(*row, py) else { return false };
                take_floats(row, values, policy)
            }) {
                out.float_rows_by::<V>(&values, width, block.len() * width)?;
                (items, others) = (rest, MIN_OTHERS);
                continue;
            }
            for _ in 0..others {
                let Some((&row, rest)) = items.split_first() else { break };
                let Some((row, _lock)) = row_items(row, py) else { return Ok((out, items)) };
                let are_numbers = row.iter().all(|item| item.is_some_and(is_number));
                if row.is_empty() || row.len() > MAX_WIDTH || !are_numbers {
                    return Ok((out, items));
                }
                out.byte(b'[')?;
                for &item in row.iter().flatten() {
                    // The policy of `dumps` allows every number, or raises.
                    write_item::<V, _, B>(&mut out, item, policy)?;
                }
                out.close(b']', b',')?;
                items = rest;
            }
            others = (2 * others).min(MAX_OTHERS);
        }
        Ok((out, items))
    }
}

/// The items of a list or a tuple, and the lock of a list.
#[inline(always)]
fn row_items<'a>(
    row: Option<Obj<'a>>,
    py: &'a Attached,
) -> Option<(&'a [Option<Obj<'a>>], Option<Lock<'a>>)> {
    let row = row?;
    if let Some(list) = List::exact(row) {
        let lock = Lock::take(row, py)?;
        return Some((list::locked_items(list, &lock), Some(lock)));
    }
    Some((tuple::items(Tuple::exact(row)?, py), None))
}

/// The length of the first row, if it has from two to [`MAX_WIDTH`] floats; otherwise zero.
#[inline(always)]
fn row_width(items: &[Option<Obj<'_>>], py: &Attached) -> usize {
    let Some(&first) = items.first() else { return 0 };
    let Some((row, _lock)) = row_items(first, py) else { return 0 };
    let is_row = (2..=MAX_WIDTH).contains(&row.len())
        && row.iter().all(|item| item.is_some_and(|item| Float::exact(item).is_some()));
    if is_row { row.len() } else { 0 }
}

/// Reads floats; returns whether there are as many as `values`, all exact and allowed.
#[inline(always)]
fn take_floats<P: Policy>(items: &[Option<Obj<'_>>], values: &mut [f64], policy: P) -> bool {
    if items.len() != values.len() || !policy.allows(FLOAT) {
        return false;
    }
    for (item, value) in items.iter().zip(values) {
        let Some(number) = item.and_then(Float::exact) else { return false };
        *value = float::value(number);
        if !policy.allows_float(*value) {
            return false;
        }
    }
    true
}

#[inline(always)]
fn is_number(item: Obj<'_>) -> bool {
    Float::exact(item).is_some() || Int::exact(item).is_some()
}
