//! How much a foreign schema may have.
//!
//! Separate because `import` and `shape` both read foreign schemas.

/// Types nested deeper than this are refused.
pub(super) const MAX_DEPTH: usize = 64;
/// More columns inside one are taken for a wrong count.
pub(super) const MAX_CHILDREN: i64 = 1 << 24;
/// More columns in all are refused: children that are shared would be counted in exponential time.
pub(super) const MAX_COLUMNS: usize = 1 << 20;
/// What is said of more than [`MAX_COLUMNS`].
pub(super) const TOO_MANY_COLUMNS: &str = "more than 1048576 columns";
