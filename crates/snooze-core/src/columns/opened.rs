//! What must be cut when a row of a struct is cut off?
//!
//! Separate from `column`, because only structs need it. To cut a row off, each field is visited
//! that may have a part of it, and not thousands that have none. Otherwise a document of many short
//! wrong records, or one record that repeats a member, would cost all columns each time.
//! Invariants: a struct without an open row has no field with more rows than itself; in a wide
//! struct, a field that has a value, or a part of one, in a row from `since` on is listed with that
//! row; the rows of the list never decrease. Called by `column` and `container`.

use super::memory::NoMemory;

/// Structs of fewer fields have no list: all their fields are visited.
///
/// PERF: to visit so many takes about as long as to describe what is wrong with a record. Noting
/// each member in the loop of `predicted` took 4 to 11 % more instructions (2026-11-30), and asking
/// there whether the struct is wide 8 to 13 %. So `members` predicts no column of a wide struct. What
/// is left, the call of `add` in the loop of `container`, takes 1.5 %.
pub(super) const WIDE: usize = 256;

/// The open row of a struct, and the fields that were opened last.
#[derive(Debug, Default)]
pub(super) struct Opened {
    /// Whether a row was begun and not ended.
    is_open: bool,
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
        Ok(Self { is_open: false, entries, since: 0 })
    }

    /// Begins a row.
    #[inline(always)]
    pub(super) fn begin(&mut self) {
        self.is_open = true;
    }

    /// Ends a row.
    #[inline(always)]
    pub(super) fn end(&mut self) {
        self.is_open = false;
    }

    /// Whether a row was begun and not ended, so that fields may have more rows than the struct.
    pub(super) fn is_open(&self) -> bool {
        self.is_open
    }

    /// Whether the struct is wide: each member must be noted.
    #[inline(always)]
    pub(super) fn is_wide(&self) -> bool {
        self.entries.capacity() > 0
    }

    /// Notes that a field of a wide struct gets a value in a row.
    #[cold]
    #[inline(never)]
    pub(super) fn add(&mut self, row: usize, field: usize) {
        if self.entries.len() == self.entries.capacity() {
            self.make_room();
        }
        self.entries.push((row, field));
    }

    /// Forgets the older half: as many entries come before it is done again.
    #[inline(never)]
    fn make_room(&mut self) {
        let half = self.entries.len() / 2;
        // The row of the last entry that goes may have more.
        self.since = self.entries[half].0 + 1;
        self.entries.drain(..=half);
    }

    /// Calls `cut` for the fields that may have values in the rows from `rows` on; false if they
    /// are not known, and any may have. After either the struct has no such rows.
    pub(super) fn cut(&mut self, rows: usize, mut cut: impl FnMut(usize)) -> bool {
        self.is_open = false;
        let is_known = rows >= self.since && self.is_wide();
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

    /// Any field may have values in any row.
    pub(super) fn forget(&mut self) {
        self.is_open = true;
        self.entries.clear();
        self.since = usize::MAX;
    }

    /// The struct has no rows.
    pub(super) fn clear(&mut self) {
        self.is_open = false;
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
        assert!(!opened.is_wide());
        assert_eq!(cut(&mut opened, 0), None);
    }

    #[test]
    fn what_is_forgotten_is_not_known_until_it_is_cut() {
        let mut opened = Opened::new(WIDE).unwrap();
        opened.add(0, 1);
        opened.forget();
        assert_eq!(cut(&mut opened, 5), None);
        opened.forget();
        opened.clear();
        assert_eq!(cut(&mut opened, 0), Some(vec![]));
    }
}
