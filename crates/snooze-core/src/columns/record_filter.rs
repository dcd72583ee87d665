//! What a record must pass before it is read: the columns that a filter tests, read alone.
//!
//! Separate from `batch`, which goes from line to line. The rest of a record that does not pass is
//! only checked to be JSON, so such a record costs little, and whatever else does not fit in it
//! does not matter. Invariant: what is wrong with a tested column is counted once, whether the
//! record passes or not. Called by `batch`.

use super::filter::Filter;
use super::memory::NoMemory;
use super::problem::Problem;
use super::records::{Failure, Options, Records};
use crate::arch::Vector;

/// A filter, and what it tests.
#[derive(Debug)]
pub(super) struct RecordFilter {
    /// The columns that are tested: one row, of the record at hand.
    tested: Records,
    filter: Filter,
}

/// What a filter says of a record.
pub(super) enum Verdict {
    /// It is no row.
    Fails,
    /// It is a row, if it fits.
    Passes,
    /// It is a row with a null in place of what did not fit in a tested column.
    PassesWithProblem(Problem),
}

impl RecordFilter {
    pub(super) fn new(filter: &Filter, options: Options) -> Result<Self, NoMemory> {
        // Values without a place are kept when the whole record is read.
        let forgives = options.has_rest;
        let options = Options { refuses_others: false, selects: true, has_rest: false, ..options };
        let tested = Records::new(filter.fields(), options, forgives)?;
        Ok(Self { tested, filter: filter.copied()? })
    }

    /// What the filter says of the record of a line. What is wrong with a record that fails goes to
    /// the problems of `records`.
    #[inline(always)]
    pub(super) fn evaluate<V: Vector>(
        &mut self,
        records: &mut Records,
        text: &[u8],
        line: (usize, usize),
        offset: u64,
        is_utf8: bool,
    ) -> Result<Verdict, Failure> {
        let Self { tested, filter } = self;
        tested.root.truncate(0);
        tested.lines = records.lines;
        let mode = tested.mode(is_utf8);
        tested.read::<V>(text, line, offset, mode)?;
        let passes = tested.root.rows > 0 && filter.passes(&tested.root);
        if let Some(problem) = tested.problems.pop() {
            // Forgets its size, too: what is kept is counted in `records`.
            tested.take_problems();
            if passes {
                return Ok(Verdict::PassesWithProblem(problem));
            }
            records.count(problem)?;
        }
        Ok(if passes { Verdict::Passes } else { Verdict::Fails })
    }
}
