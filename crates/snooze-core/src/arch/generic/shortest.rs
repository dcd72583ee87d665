//! The shortest decimals of many floats, as `number::shortest` finds them one by one.
//!
//! Separate because a tier may have a kernel for them, and `number`, which owns the algorithm and
//! its table, is above `arch`. Filled by [`Vector::shortest_decimals`](super::super::Vector), or by
//! `number::shortest` where the tier has no kernel; written by `out::float_arrays`.

/// The floats in a block.
pub const FLOATS: usize = 16;

/// The smallest exponent in [`ShiftedPowers`].
pub(crate) const FIRST_SHIFTED_POWER: i32 = -293;

/// The powers of ten from 10^-293 to 10^323 that the shortest decimal multiplies by: the low and
/// the high half of their 128 bits. The three highest bits are zero.
pub(crate) type ShiftedPowers = [[u64; 2]; 617];

/// The shortest decimals of a block. Of each float: `digits * 10^(exponent - 15) + last *
/// 10^(exponent - 16)`, where `digits` has sixteen digits and `last` has one.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct ShortestDecimals {
    pub(crate) digits: [u64; FLOATS],
    pub(crate) last: [u64; FLOATS],
    pub(crate) exponent: [i64; FLOATS],
    /// A bit for each float that is not decided, whose other fields mean nothing.
    pub(crate) undecided: u32,
}

impl ShortestDecimals {
    /// A block to be filled.
    #[inline(always)]
    pub(crate) fn new() -> Self {
        let zeros = [0; FLOATS];
        Self { digits: zeros, last: zeros, exponent: [0; FLOATS], undecided: 0 }
    }
}
