//! Why a set of names cannot be built.
//!
//! Separate because both `set` and `table` return it.

/// Why a set of names cannot be built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NamesError {
    /// The name with this index equals an earlier one.
    Duplicate(u16),
    /// There are more than [`MAX_NAMES`](super::MAX_NAMES) names, or more than four gigabytes of
    /// them.
    TooMany,
    /// No memory is left.
    NoMemory,
}
