//! Why rows could not be written.
//!
//! Separate because the walk, the search for a value and the values all report faults.

use super::shape::Shape;
use crate::columns::NoMemory;

/// Why rows were not written.
#[derive(Clone, Copy, Debug)]
pub enum Fault<'a> {
    /// No memory is left.
    NoMemory,
    /// The value of a column, and what is wrong with it.
    Value(&'a Shape, Reason),
}

impl From<NoMemory> for Fault<'_> {
    fn from(NoMemory: NoMemory) -> Self {
        Fault::NoMemory
    }
}

/// What is wrong with a value.
pub(super) type Reason = &'static str;

pub(super) const OUTSIDE: Reason = "offsets, views or indices that lead outside its buffers";
pub(super) const NO_UTF8: Reason = "a text that is not UTF-8";
pub(super) const NO_JSON: Reason = "a text that is not JSON, as the type arrow.json promises";
pub(super) const NULL_KEY: Reason = "a map with a key that is null";
pub(super) const LONG_LINE: Reason = "more text for one line than 1 GiB";
pub(super) const NOT_FINITE: Reason = "NaN or an infinity, which JSON does not have";
