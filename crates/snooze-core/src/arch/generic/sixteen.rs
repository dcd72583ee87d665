//! A vector of sixteen bytes whose lanes can be computed with.
//!
//! Separate from `Lanes`, whose vectors have any length: the kernels over this one use tables for
//! sixteen lanes. Implemented by SSE4.2 and NEON. Called by `utf8_blocks` and `unit_stores`.

use super::headed::MoveLanes;

/// The bytes that one step of `utf8_blocks` reads.
pub(super) const BLOCK: usize = 16;

/// A vector of sixteen bytes whose lanes can be computed with.
///
/// # Safety
/// `LANES` is 16, and each operation does what it says. Unsafe code relies on it.
pub(in super::super) unsafe trait Sixteen: MoveLanes {
    /// A byte in all lanes.
    fn splat(byte: u8) -> Self;
    /// A pair of bytes, the lower one first, in all pairs of lanes.
    fn splat_pairs(pair: u16) -> Self;
    fn and(self, other: Self) -> Self;
    /// The bits of `self` that `other` does not have.
    fn without(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;
    fn xor(self, other: Self) -> Self;
    /// Ones in the lanes that are equal.
    fn same(self, other: Self) -> Self;
    /// Ones in the pairs of lanes that are equal.
    fn same_pairs(self, other: Self) -> Self;
    /// Ones in the lanes that are less than those of `other`, as signed bytes.
    fn is_less(self, other: Self) -> Self;
    /// Zero in the lanes that are at most those of `other`.
    fn above(self, other: Self) -> Self;
    /// Pairs of lanes, shifted as numbers of sixteen bits.
    fn shift_up<const BITS: i32>(self) -> Self;
    /// As [`Sixteen::shift_up`].
    fn shift_down<const BITS: i32>(self) -> Self;
    /// The lanes with these indices; zero for an index of 0x80.
    fn shuffle(self, indices: Self) -> Self;
    /// The lanes one before those of `self`, of which the first is the last one of `before`.
    fn one_before(self, before: Self) -> Self;
    /// The lanes two before those of `self`.
    fn two_before(self, before: Self) -> Self;
    /// The lower eight lanes alone, and the upper ones moved down; zeros above.
    fn halves(self) -> (Self, Self);
    /// The lanes of `self` and `upper` in turn: of the lower halves, and of the upper ones.
    fn interleave(self, upper: Self) -> (Self, Self);
    /// The same for pairs of lanes.
    fn interleave_pairs(self, upper: Self) -> (Self, Self);
    /// Whether all bits are zero.
    fn is_zero(self) -> bool;
    /// The lower eight lanes, the first one in the lowest byte.
    fn low_bytes(self) -> u64;
}
