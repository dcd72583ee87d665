//! What a walk over blocks tells another part about the tokens that it sees.
//!
//! Separate because `check` calls it and does not depend on who listens. Invariant: each token is
//! told once, and only where the grammar allows one; a value is told when it begins, so it may have
//! a fault. Implemented by `items` and `parts`.

use core::ops::Range;

/// One that follows the walk of a document. `depth` is the number of open containers; offsets are
/// those in the current block.
pub(super) trait Watch {
    /// A value begins at an offset of the block. Whether the tokens in it, if it is a container,
    /// must be told too; else they may be.
    fn value(&mut self, block: &[u8], at: usize, depth: usize) -> bool;

    /// The container that begins at an offset is entered. One that the block has whole may not be.
    fn open(&mut self, at: usize);

    /// A name, or the next part of one that blocks cut, between its quotes; `is_end` with the last.
    fn name(&mut self, block: &[u8], part: Range<usize>, is_end: bool, depth: usize);

    /// A comma at an offset of the block.
    fn comma(&mut self, block: &[u8], at: usize, depth: usize);

    /// A bracket that closes the innermost container, at an offset of the block.
    fn close(&mut self, block: &[u8], at: usize, depth: usize);
}
