//! The result of [`Vector::scan_decimal`](super::super::Vector::scan_decimal): all digits of a
//! decimal, read in one step into one integer.
//!
//! Separate because the tiers that scan decimals and `number`, which rounds them, share it.

/// A decimal with a point and without an exponent: one to [`MAX_INTEGER_DIGITS`] digits before the
/// point, one or more after it, and at most [`TOTAL_DIGITS`] in all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScannedDecimal {
    /// The digits without the point, padded with zeros at the end to [`TOTAL_DIGITS`].
    pub digits: u64,
    /// Whether it begins with a minus sign.
    pub negative: bool,
    /// The text of its first digit.
    pub first_digit: u8,
    /// The number of digits before the point.
    pub integer_digits: u32,
    /// The length in bytes, with the sign.
    pub len: u32,
    /// The byte after the decimal, which is not a digit.
    pub next_byte: u8,
}

impl ScannedDecimal {
    /// Whether it has a zero before other digits of its integer part, which JSON does not allow.
    #[inline(always)]
    pub fn has_leading_zero(&self) -> bool {
        self.first_digit == b'0' && self.integer_digits > 1
    }
}

/// The digits of a [`ScannedDecimal`]: any number of this many digits fits 64 bits.
pub const TOTAL_DIGITS: u32 = 19;
/// The most digits before the point.
pub const MAX_INTEGER_DIGITS: u32 = 14;
