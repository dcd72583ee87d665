//! Test helpers: run a test once for each tier of this machine, on memory with exact bounds.
//!
//! Separate because the tests of several modules use them.

use super::generic::headed::{HEADER, Headed};
use super::generic::units::Unit;
use super::{Dispatch, Task, Tier, Vector};

/// A test body that is generic over the vector type.
pub(crate) trait TierTest {
    fn check<V: Vector>(&self);
}

struct Run<'a, T>(&'a T);

impl<T: TierTest> Task for Run<'_, T> {
    type Output = ();
    #[inline(always)]
    fn with_vectors<V: Vector>(self) {
        self.0.check::<V>();
    }
}

/// Runs the test in every tier that this processor has.
pub(crate) fn for_each_tier(test: &impl TierTest) {
    for tier in Tier::ALL {
        if let Some(dispatch) = Dispatch::new(tier) {
            dispatch.run(Run(test));
        }
    }
}

/// Units that end where their allocation ends, `offset` units after its start: an access beyond
/// them leaves the allocation, which address sanitizer and valgrind detect.
pub(crate) struct EndOfAllocation<T>(Box<[T]>, usize);

impl<T: Copy + Default> EndOfAllocation<T> {
    pub(crate) fn new(offset: usize, units: &[T]) -> Self {
        Self([&vec![T::default(); offset], units].concat().into_boxed_slice(), offset)
    }

    pub(crate) fn units(&self) -> &[T] {
        &self.0[self.1..]
    }

    pub(crate) fn as_mut_ptr(&mut self) -> *mut T {
        self.0[self.1..].as_mut_ptr()
    }
}

/// Units after a header: the header begins where their allocation begins, and they end where it
/// ends. The header consists of bytes that no kernel may take for text: surrogates as units.
pub(crate) struct AfterHeader<U>(Box<[U]>, usize);

impl<U: Unit> AfterHeader<U> {
    pub(crate) fn new(units: &[U]) -> Self {
        let header = HEADER / size_of::<U>();
        // SAFETY: any bytes are a valid unit, because every unit is an integer.
        let bad = unsafe { [0xd8_u8; 4].as_ptr().cast::<U>().read_unaligned() };
        Self([&vec![bad; header], units].concat().into_boxed_slice(), header)
    }

    pub(crate) fn text(&self) -> Headed<'_, U> {
        let (_, units) = self.0.split_at(self.1);
        // SAFETY: the header is in the same allocation, before the units. The pointer may read it,
        // because it is derived from the whole allocation.
        unsafe { Headed::new(self.0.as_ptr().add(self.1), units.len()) }
    }
}

/// Every offset below 64 with every length up to 200, and a position inside that length.
pub(crate) fn offsets_lengths_and_positions() -> impl Iterator<Item = (usize, usize, usize)> {
    (0..64).flat_map(|offset| {
        (0..=200).map(move |len| (offset, len, (37 * offset + 11 * len) % len.max(1)))
    })
}
