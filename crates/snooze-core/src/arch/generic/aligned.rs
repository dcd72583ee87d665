//! Tables that begin with a cache line.
//!
//! Separate because the kernels of several tiers have such tables. Invariant: a row whose size
//! divides 64 never crosses a cache line. Used by the kernels that load whole rows.

use core::ops::Deref;

/// A table at the start of a cache line.
///
/// Not measured alone: elsewhere, one load of sixteen bytes in four crosses a cache line if the
/// linker puts the table at an odd address, and where it puts it changes with every build.
#[derive(Debug)]
#[repr(C, align(64))]
pub(crate) struct Aligned<T>(pub(crate) T);

impl<T> Deref for Aligned<T> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        &self.0
    }
}
