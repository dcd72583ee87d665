//! Which fields of a wide struct have a value in its last rows?
//!
//! Separate from `column`, because only structs of many fields need it: to cut a row off, each
//! field is visited that may have a part of it, and not thousands that have none. Otherwise a
//! document of many short wrong records, or one record that repeats a member, would cost all columns
//! each time. Invariant: a field that has a value, or a part of one, in a row from `since` on is
//! listed with that row; the rows of the list never decrease. Called by `column`, `container` and
//! `predicted`.

use super::memory::NoMemory;

/// Structs of fewer fields are cut field by field.
const WIDE: usize = 16;

/// The fields that were opened last.
#[derive(Debug, Default)]
pub(super) struct Opened {
    /// Rows and fields. Without room if the struct is not wide.
    entries: Vec<(usize, usize)>,
    since: usize,
}

impl Opened {
    /// A list for a struct of so many fields.
    pub(super) fn new(fields: usize) -> Result<Self, NoMemory> {
        let mut entries = Vec::new();
        if fields >= WIDE {
            entries.try_reserve_exact(2 * fields).map_err(|_| NoMemory)?;
        }
        Ok(Self { entries, since: 0 })
    }

    /// Notes that a field gets a value in a row.
    #[inline(always)]
    pub(super) fn add(&mut self, row: usize, field: usize) {
        if self.entries.len() < self.entries.capacity() {
            self.entries.push((row, field));
        } else if !self.entries.is_empty() {
            self.make_room(row, field);
        }
    }

    /// Forgets the older half: as many entries come before it is done again.
    #[cold]
    #[inline(never)]
    fn make_room(&mut self, row: usize, field: usize) {
        let half = self.entries.len() / 2;
        // The row of the last entry that goes may have more.
        self.since = self.entries[half].0 + 1;
        self.entries.drain(..=half);
        self.entries.push((row, field));
    }

    /// Calls `cut` for the fields that may have values in the rows from `rows` on; false if they
    /// are not known, and any may have. After either the struct has no such rows.
    pub(super) fn cut(&mut self, rows: usize, mut cut: impl FnMut(usize)) -> bool {
        let is_known = rows >= self.since && self.entries.capacity() > 0;
        if is_known {
            while let Some((_, field)) = self.entries.pop_if(|(row, _)| *row >= rows) {
                cut(field);
            }
        } else {
            self.entries.clear();
            self.since = rows;
        }
        is_known
    }

    /// Forgets all: the struct has no rows.
    pub(super) fn clear(&mut self) {
        self.entries.clear();
        self.since = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(opened: &mut Opened, rows: usize) -> Option<Vec<usize>> {
        let mut fields = Vec::new();
        opened.cut(rows, |field| fields.push(field)).then_some(fields)
    }

    #[test]
    fn only_the_fields_of_the_last_rows_are_cut() {
        let mut opened = Opened::new(WIDE).unwrap();
        for (row, field) in [(0, 3), (0, 4), (1, 3), (2, 9), (2, 3)] {
            opened.add(row, field);
        }
        assert_eq!(cut(&mut opened, 3), Some(vec![]));
        assert_eq!(cut(&mut opened, 2), Some(vec![3, 9]));
        assert_eq!(cut(&mut opened, 2), Some(vec![]));
        opened.add(2, 7);
        assert_eq!(cut(&mut opened, 0), Some(vec![7, 3, 4, 3]));
    }

    #[test]
    fn old_rows_are_forgotten_and_then_not_known() {
        let mut opened = Opened::new(WIDE).unwrap();
        let most = opened.entries.capacity();
        for row in 0..=most {
            opened.add(row, 1);
        }
        assert_eq!(opened.entries.capacity(), most);
        assert_eq!(cut(&mut opened, most), Some(vec![1]));
        assert_eq!(opened.since, most / 2 + 1);
        assert_eq!(cut(&mut opened, most / 2 + 1).map(|all| all.len()), Some(most - most / 2 - 1));
        assert_eq!(cut(&mut opened, most / 2), None);
        // All fields were cut, so what comes is known again.
        opened.add(most / 2, 5);
        assert_eq!(cut(&mut opened, most / 2), Some(vec![5]));
    }

    #[test]
    fn a_row_that_fills_the_list_is_not_known() {
        let mut opened = Opened::new(WIDE).unwrap();
        for field in 0..=opened.entries.capacity() {
            opened.add(4, field);
        }
        assert_eq!(cut(&mut opened, 5), Some(vec![]));
        assert_eq!(cut(&mut opened, 4), None);
        assert_eq!(cut(&mut opened, 4), Some(vec![]));
    }

    #[test]
    fn narrow_structs_have_no_list() {
        let mut opened = Opened::new(WIDE - 1).unwrap();
        opened.add(0, 1);
        assert_eq!(cut(&mut opened, 0), None);
    }
}
