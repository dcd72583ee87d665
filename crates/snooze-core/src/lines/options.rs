//! What a caller may choose about lines, and how much is written.
//!
//! Separate because the walk and the values both ask.

/// What may be chosen.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Whether members that are null are left out.
    pub omits_nulls: bool,
    /// Whether floats that are not finite are faults; otherwise they are null.
    pub refuses_nan: bool,
    /// Whether decimals are strings.
    pub quotes_decimals: bool,
}

/// How much is written.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// No row is begun after so many bytes.
    pub text: usize,
    /// The longest line, or a little more. Without it a few bytes of a producer could be endless
    /// text: lists of null need no memory, and rows of list views and dictionaries may all be the
    /// same long value.
    pub line: usize,
}
