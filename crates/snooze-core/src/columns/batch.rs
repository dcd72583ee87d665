//! Lines into a record batch, of all records or of those that pass a filter.
//!
//! Separate from `records`, which reads one line into the columns of one schema. Invariants: a
//! record that does not pass leaves nothing behind; no line after the last wanted row is looked at.
//! Called by the scans of snooze-py, one builder for each thread.

use super::array::Array;
use super::filter::Filter;
use super::memory::NoMemory;
use super::prefilter::Prefilter;
use super::problem::Problem;
use super::record_filter::{RecordFilter, Verdict};
use super::records::{Failure, Options, Records};
use super::schema::Field;
use crate::arch::generic::valid::IsUtf8;
use crate::arch::{Dispatch, Task, Vector};

/// Growing columns for the records of lines.
#[derive(Debug)]
pub struct Builder {
    records: Records,
    record_filter: Option<RecordFilter>,
    /// Texts without which a line need not be looked at.
    prefilter: Option<Prefilter>,
    /// The most rows of this batch.
    most: usize,
}

impl Builder {
    /// A builder of columns for these fields, without that for the rest. Only the records that pass
    /// the filter become rows.
    pub fn new(
        fields: &[Field],
        options: Options,
        filter: Option<&Filter>,
    ) -> Result<Self, NoMemory> {
        let (mut record_filter, mut prefilter) = (None, None);
        if let Some(filter) = filter {
            record_filter = Some(RecordFilter::new(filter, options)?);
            // Text that must be checked must be read.
            prefilter = if options.checks_all { None } else { Prefilter::of(filter)? };
        }
        Ok(Self {
            records: Records::new(fields, options, false)?,
            record_filter,
            prefilter,
            most: usize::MAX,
        })
    }

    /// The rows so far.
    pub fn rows(&self) -> usize {
        self.records.root.rows
    }

    /// Whether the batch has as many rows as are wanted.
    pub fn is_full(&self) -> bool {
        self.rows() >= self.most
    }

    /// The lines so far, also those without a record.
    pub fn lines(&self) -> u64 {
        self.records.lines
    }

    /// Takes out what was wrong since the last call: descriptions, and how many records.
    pub fn take_problems(&mut self) -> (Vec<Problem>, u64) {
        self.records.take_problems()
    }

    /// Begins a batch of at most so many rows: reserves what the one before needed, and counts
    /// lines from 0.
    pub fn start(&mut self, most: usize) -> Result<(), NoMemory> {
        self.most = most;
        self.records.start()
    }

    /// Adds the records of whole lines, which begin at byte `offset` of their source, until the
    /// batch is full.
    pub fn add(&mut self, dispatch: Dispatch, text: &[u8], offset: u64) -> Result<(), Failure> {
        dispatch.run(Window { builder: self, text, offset })
    }

    /// Takes the batch out: a struct of the columns.
    pub fn finish(&mut self) -> Result<Array, NoMemory> {
        self.records.finish()
    }
}

/// Whole lines, and the builder that they are for.
struct Window<'b> {
    builder: &'b mut Builder,
    text: &'b [u8],
    offset: u64,
}

impl Task for Window<'_> {
    type Output = Result<(), Failure>;

    #[inline(always)]
    fn with_vectors<V: Vector>(self) -> Self::Output {
        let Self { builder, text, offset } = self;
        let is_utf8 = builder.records.options.checks_all && V::run_outlined(IsUtf8(text));
        let Builder { records, record_filter, prefilter, most } = builder;
        let text = Lines { text, offset, is_utf8 };
        match record_filter {
            None => all::<V>(records, text, *most),
            Some(record_filter) => {
                some::<V>(records, record_filter, prefilter.as_ref(), text, *most)
            }
        }
    }
}

/// Whole lines, which begin at byte `offset` of their source.
#[derive(Clone, Copy)]
struct Lines<'b> {
    text: &'b [u8],
    offset: u64,
    /// Whether the text is known to be UTF-8.
    is_utf8: bool,
}

/// The end of the line from `start` on.
#[inline(always)]
fn end_of_line(text: &[u8], start: usize) -> usize {
    let rest = &text[start..];
    start + memchr::memchr(b'\n', rest).unwrap_or(rest.len())
}

/// Reads every record.
#[inline(always)]
fn all<V: Vector>(
    records: &mut Records,
    Lines { text, offset, is_utf8 }: Lines<'_>,
    most: usize,
) -> Result<(), Failure> {
    let mode = records.mode(is_utf8);
    let mut start = 0;
    while start < text.len() && records.root.rows < most {
        let end = end_of_line(text, start);
        records.read::<V>(text, (start, end), offset, mode)?;
        records.lines += 1;
        start = end + 1;
    }
    Ok(())
}

/// Reads the records that pass.
#[inline(always)]
fn some<V: Vector>(
    records: &mut Records,
    record_filter: &mut RecordFilter,
    prefilter: Option<&Prefilter>,
    Lines { text, offset, is_utf8 }: Lines<'_>,
    most: usize,
) -> Result<(), Failure> {
    let mode = records.mode(is_utf8);
    let mut start = 0;
    let mut places = prefilter.map(|prefilter| prefilter.places(text));
    while start < text.len() && records.root.rows < most {
        if let Some(places) = &mut places {
            let Some(at) = places.next(start) else {
                records.lines += lines_in(&text[start..]);
                break;
            };
            let before = &text[start..at];
            let skipped = memchr::memrchr(b'\n', before).map_or(0, |at| at + 1);
            records.lines += lines_in(&before[..skipped]);
            start += skipped;
        }
        let end = end_of_line(text, start);
        let line = (start, end);
        match record_filter.evaluate::<V>(records, text, line, offset, is_utf8)? {
            Verdict::Fails => {}
            Verdict::Passes => records.read::<V>(text, line, offset, mode)?,
            Verdict::PassesWithProblem(problem) => {
                let wrong = records.wrong;
                records.read::<V>(text, line, offset, mode)?;
                // The same fault, unless nobody wants the column.
                if records.wrong == wrong {
                    records.count(problem)?;
                }
            }
        }
        records.lines += 1;
        start = end + 1;
    }
    Ok(())
}

/// How many lines a text has.
fn lines_in(text: &[u8]) -> u64 {
    let ends = memchr::memchr_iter(b'\n', text).count();
    ends as u64 + u64::from(text.last().is_some_and(|&last| last != b'\n'))
}
