//! Records of one schema: reading a line, and what happens to a wrong one.
//!
//! Separate from `batch`, because a filter reads records of its own schema first. Invariants: the
//! columns hold whole records only; a record that is left out, or loses a value, is counted and, up
//! to a limit, described; nothing else is ever lost. Called by `batch`.
//!
//! A record is first read in the text around it, where the fast paths near the end of a text do
//! not matter. Only if that fails is it read again, alone, for the exact fault; and once more, with
//! nulls in place of what does not fit, if the options say so.

use super::array::Array;
use super::column::Column;
use super::container::Container;
use super::memory::{NoMemory, copied, push};
use super::problem::{Fault, FaultKind, Problem, write_pointer};
use super::read_mode::ReadMode;
use super::schema::{Field, Type};
use super::state::{DEAD, Scratch, State};
use crate::arch::Vector;
use crate::arch::generic::valid::IsUtf8;
use crate::error::{Error, ErrorKind};
use crate::read::Reader;

/// How much text after a line is there for the fast paths.
const BEYOND: usize = 128;

/// What happens to a record that does not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnError {
    /// The scan ends.
    Raise,
    /// The record is left out.
    Skip,
    /// Values that do not fit are null; a record that still does not fit is left out.
    Null,
    /// The record is left out, and its text is kept, as long as there is room.
    Collect,
}

/// How records are read.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// What happens to a record that does not fit.
    pub on_error: OnError,
    /// Whether members that no column has, and bytes that are not UTF-8 in them, are checked.
    pub checks_all: bool,
    /// Whether a member that no column has does not fit.
    pub refuses_others: bool,
    /// Whether only some members of a record are wanted: others of the record itself fit.
    pub selects: bool,
    /// Whether there is a last column for what has no other place.
    pub has_rest: bool,
}

/// Why a batch is not finished.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// A record does not fit.
    Record(Problem),
    /// The records that do not fit need more room than they may have.
    TooManyKept,
    /// No memory is left.
    NoMemory,
}

impl From<NoMemory> for Failure {
    fn from(NoMemory: NoMemory) -> Self {
        Self::NoMemory
    }
}

/// Growing columns, and what was wrong with the records for them.
#[derive(Debug)]
pub(super) struct Records {
    pub(super) root: Column,
    rest: Option<Column>,
    pub(super) options: Options,
    /// Whether values that do not fit are null and no problem: what a filter tests is read again.
    forgives: bool,
    scratch: Scratch,
    /// The lines so far, also those without a record.
    pub(super) lines: u64,
    /// What was wrong with records, up to a limit.
    pub(super) problems: Vec<Problem>,
    /// How many records were wrong.
    pub(super) wrong: u64,
    /// The bytes that the problems need.
    kept: usize,
}

impl Records {
    /// The most problems of a batch that are described; the others are only counted.
    const MAX_DESCRIBED: usize = 1000;

    /// Empty columns for these fields, without that for the rest.
    pub(super) fn new(
        fields: &[Field],
        options: Options,
        forgives: bool,
    ) -> Result<Self, NoMemory> {
        let rest = Field { name: String::new(), data: Type::Json, nullable: true };
        Ok(Self {
            root: Column::of_table(fields)?,
            rest: if options.has_rest { Some(Column::new(&rest)?) } else { None },
            options,
            forgives,
            scratch: Scratch::default(),
            lines: 0,
            problems: Vec::new(),
            wrong: 0,
            kept: 0,
        })
    }

    /// Begins a batch: reserves what the one before needed, and counts lines from 0.
    pub(super) fn start(&mut self) -> Result<(), NoMemory> {
        self.lines = 0;
        // What a batch that failed has left behind.
        self.take_problems();
        self.root.truncate(0);
        if let Some(rest) = &mut self.rest {
            rest.truncate(0);
        }
        self.root.start()
    }

    /// Whether what follows the last wanted member does not matter.
    fn stops_early(&self) -> bool {
        let Options { checks_all, refuses_others, selects, has_rest, .. } = self.options;
        !checks_all && (selects || !(refuses_others || has_rest))
    }

    /// The walk of a record among others; whether the text is known to be UTF-8.
    pub(super) fn mode(&self, is_utf8: bool) -> ReadMode {
        ReadMode {
            is_utf8,
            checks_all: self.options.checks_all,
            stops_early: self.stops_early(),
            refuses_others: self.options.refuses_others || self.options.has_rest,
            selects: self.options.selects,
            lenient: false,
            keeps_rest: false,
        }
    }

    /// Reads the line from `start` to `end` of whole lines: one row more, or none if it has no
    /// record or its record was left out. `offset` is the byte of the source at the start of
    /// `text`.
    #[inline(always)]
    pub(super) fn read<V: Vector>(
        &mut self,
        text: &[u8],
        (start, end): (usize, usize),
        offset: u64,
        mode: ReadMode,
    ) -> Result<(), Failure> {
        // Where some record is not UTF-8, each line is checked alone.
        let is_trusted = mode.is_utf8 || !mode.checks_all;
        if is_trusted && self.read_among::<V>(text, start, end, mode).is_some() {
            return Ok(());
        }
        let mut line = Reader::<V>::resume(&text[start..end], 0);
        if line.token() == 0 && line.offset() == end - start {
            return Ok(());
        }
        self.add_carefully::<V>(&text[start..end], offset + start as u64)
    }

    /// Takes the batch out: a struct of the columns.
    pub(super) fn finish(&mut self) -> Result<Array, NoMemory> {
        let rows = self.root.rows;
        let mut table = self.root.finish(rows)?;
        if let Some(rest) = &mut self.rest {
            push(&mut table.children, rest.finish(rows)?)?;
        }
        Ok(table)
    }

    /// Reads the record from `start` to `end` among others. `None` if anything is wrong, also a
    /// part of the record that is after `end`; the columns then hold a part of it.
    #[inline(always)]
    fn read_among<V: Vector>(
        &mut self,
        text: &[u8],
        start: usize,
        end: usize,
        mode: ReadMode,
    ) -> Option<()> {
        let mut reader = Reader::<V>::resume(text, start);
        if reader.token() != b'{' || reader.offset() >= end {
            return None;
        }
        let row = self.root.rows;
        let at = reader.offset();
        // A record that is not closed must not be read on through all records after it.
        let text = &text[..text.len().min(end + BEYOND)];
        let mut state = State { text, at, depth: 0, mode, scratch: &mut self.scratch };
        let done = V::run_outlined(Container { state: &mut state, column: &mut self.root });
        let at = state.at;
        let is_whole = done.is_ok() && at <= end && {
            let mut reader = Reader::<V>::resume(text, at);
            at == end || !mode.checks_all || {
                reader.token();
                reader.offset() >= end
            }
        };
        if !is_whole {
            self.root.truncate(row);
            self.scratch.steps.clear();
            return None;
        }
        Some(())
    }

    /// Reads a record again, alone, because reading it among others failed.
    #[cold]
    #[inline(never)]
    fn add_carefully<V: Vector>(&mut self, line: &[u8], offset: u64) -> Result<(), Failure> {
        let row = self.root.rows;
        let mut fault = match self.read_alone::<V>(line, row, false) {
            Ok(()) => return Ok(()),
            Err(fault) => fault,
        };
        // Text that is not JSON at all is the greater fault.
        if self.options.checks_all
            && !matches!(fault.kind, FaultKind::Json(_))
            && let Err(error) = whole::<V>(line)
        {
            fault = error.into();
            self.scratch.steps.clear();
        }
        let may_be_lenient = !matches!(fault.kind, FaultKind::Json(_) | FaultKind::TooLarge);
        let is_lenient =
            self.options.has_rest || self.forgives || self.options.on_error == OnError::Null;
        if may_be_lenient && is_lenient {
            // The path of the first fault, before the second walk takes its own.
            let problem = self.problem(line, offset, fault)?;
            match self.read_alone::<V>(line, row, true) {
                Ok(()) if self.options.has_rest => {
                    return if self.keep_rest(row)? {
                        Ok(())
                    } else {
                        self.leave_out(row, problem)
                    };
                }
                Ok(()) if self.forgives => return Ok(()),
                Ok(()) => return self.count(problem),
                Err(fault) if is_no_memory(fault) => return Err(Failure::NoMemory),
                Err(fault) if self.options.has_rest => {
                    // A member that no column has was no fault; this is one.
                    self.scratch.steps.reverse();
                    let problem = self.problem(line, offset, fault)?;
                    return self.leave_out(row, problem);
                }
                Err(_) => return self.leave_out(row, problem),
            }
        }
        if is_no_memory(fault) {
            self.root.truncate(row);
            return Err(Failure::NoMemory);
        }
        let problem = self.problem(line, offset, fault)?;
        self.leave_out(row, problem)
    }

    /// Leaves a record out, or ends the scan.
    fn leave_out(&mut self, row: usize, problem: Problem) -> Result<(), Failure> {
        self.root.truncate(row);
        if self.options.on_error == OnError::Raise {
            return Err(Failure::Record(problem));
        }
        self.count(problem)
    }

    /// Notes that a record was left out or has lost a value.
    pub(super) fn count(&mut self, problem: Problem) -> Result<(), Failure> {
        self.wrong += 1;
        if self.options.on_error == OnError::Collect {
            self.kept += problem.size();
            if self.kept > Problem::MAX_KEPT {
                return Err(Failure::TooManyKept);
            }
        } else if self.problems.len() >= Self::MAX_DESCRIBED {
            return Ok(());
        }
        Ok(push(&mut self.problems, problem)?)
    }

    /// Takes out what was wrong since the last call: descriptions, and how many records.
    pub(super) fn take_problems(&mut self) -> (Vec<Problem>, u64) {
        self.kept = 0;
        (core::mem::take(&mut self.problems), core::mem::take(&mut self.wrong))
    }

    /// Appends what the record had beyond the columns; false if the batch has no room for it.
    fn keep_rest(&mut self, row: usize) -> Result<bool, NoMemory> {
        let rest = &mut self.scratch.rest;
        rest.retain(|&byte| byte != DEAD);
        if let (Some(first), Some(column)) = (rest.first_mut(), &mut self.rest) {
            *first = b'{';
            push(rest, b'}')?;
            column.fill(row)?;
            return column.push_json(rest);
        }
        Ok(true)
    }

    /// Reads the only record of `line` as row `row`.
    fn read_alone<V: Vector>(
        &mut self,
        line: &[u8],
        row: usize,
        lenient: bool,
    ) -> Result<(), Fault> {
        self.root.truncate(row);
        self.scratch.steps.clear();
        self.scratch.rest.clear();
        let mode = ReadMode {
            is_utf8: self.options.checks_all,
            // What is kept has to be JSON.
            checks_all: self.options.checks_all || (lenient && self.options.has_rest),
            stops_early: self.stops_early(),
            refuses_others: self.options.refuses_others || self.options.has_rest,
            selects: self.options.selects,
            lenient,
            keeps_rest: lenient && self.options.has_rest,
        };
        if (mode.is_utf8 || mode.keeps_rest) && !V::run_outlined(IsUtf8(line)) {
            let at = core::str::from_utf8(line).err().map_or(0, |error| error.valid_up_to());
            return Err(Fault { kind: FaultKind::Json(ErrorKind::InvalidUtf8), at });
        }
        let mut reader = Reader::<V>::resume(line, 0);
        if reader.token() != b'{' {
            let at = reader.offset();
            // Is it JSON, but no object?
            reader.skip(0)?;
            reader.finish()?;
            return Err(Fault { kind: FaultKind::Misfit("object"), at });
        }
        let at = reader.offset();
        let mut state = State { text: line, at, depth: 0, mode, scratch: &mut self.scratch };
        V::run_outlined(Container { state: &mut state, column: &mut self.root })?;
        let mut reader = Reader::<V>::resume(line, state.at);
        if self.options.checks_all {
            reader.finish()?;
        }
        Ok(())
    }

    fn problem(&self, line: &[u8], offset: u64, fault: Fault) -> Result<Problem, NoMemory> {
        let mut path = Vec::new();
        // Innermost first.
        let steps = &self.scratch.steps;
        write_pointer(line, steps.iter().rev(), &mut path)?;
        let (expected, found) = fault.texts(line, &self.scratch.text)?;
        let path = String::from_utf8(path).unwrap_or_default();
        let offset = offset + fault.at as u64;
        let text = match self.options.on_error {
            OnError::Collect => Some(copied(line)?),
            _ => None,
        };
        Ok(Problem { line: self.lines, offset, path, expected, found, text })
    }
}

/// Checks that a text is one JSON value.
fn whole<V: Vector>(text: &[u8]) -> Result<(), Error> {
    let mut reader = Reader::<V>::resume(text, 0);
    reader.skip(0)?;
    reader.finish()
}

fn is_no_memory(fault: Fault) -> bool {
    fault.kind == FaultKind::Json(ErrorKind::NoMemory)
}
