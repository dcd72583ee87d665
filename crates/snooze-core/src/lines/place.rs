//! Where the value of a row is: in the column itself, or in one that a dictionary, a run-end
//! encoded array or a union refers to.
//!
//! Separate from `write`, which calls it for each value. Invariant: the row that is returned is one
//! of the column that is returned; references that lead outside are a fault.

use super::column::{Column, Values};
use super::fault::{Fault, OUTSIDE};

/// A column and a row of it.
pub(super) type Place<'c, 'a> = (&'c Column<'a>, usize);

/// Where the value of a row is; `None` if it is null.
#[inline(always)]
pub(super) fn find<'c, 'a>(
    column: &'c Column<'a>,
    row: usize,
) -> Result<Option<Place<'c, 'a>>, Fault<'c>> {
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
