//! What a vector makes of a decimal: all digits at once, as an integer of a fixed size.

/// A number with a point, without exponent: one to [`MOST_WHOLE`] digits before the point, one or
/// more behind it, and at most [`DIGITS`] in all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decimal {
    /// The digits without the point, and zeros after them that make them [`DIGITS`].
    pub digits: u64,
    /// How many digits come before the point.
    pub whole: u32,
    /// How many bytes it has, with its sign.
    pub len: u32,
    /// The byte after it, which is no digit.
    pub next: u8,
}

/// The digits of a [`Decimal`]: as many as always fit 64 bits.
pub const DIGITS: u32 = 19;
/// The most digits before the point.
pub const MOST_WHOLE: u32 = 14;
