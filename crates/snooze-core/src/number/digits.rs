//! Digits of a document: one byte or digit at an offset, and eight digits in one register.
//!
//! Separate because the full grammar (`read`), the fast paths (`short`) and skipping (`skip`) share
//! them. Invariant: beyond the end of the document every byte reads as zero, which is not a digit.

use crate::arch::generic::digits::ASCII_ZEROS;

/// 10^0 to 10^7.
pub(super) const POWERS_OF_TEN: [u64; 8] =
    [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000];

/// The byte at `at`, or zero beyond the end.
#[inline(always)]
pub(super) fn byte_at(bytes: &[u8], at: usize) -> u8 {
    bytes.get(at).copied().unwrap_or(0)
}

/// The value of the digit at `at`, if there is one.
#[inline(always)]
pub(super) fn digit_at(bytes: &[u8], at: usize) -> Option<u64> {
    let value = byte_at(bytes, at).wrapping_sub(b'0');
    (value < 10).then_some(u64::from(value))
}

/// Turns eight ASCII digits, the first in the lowest byte, into their values 0 to 9. A byte that is
/// not a digit becomes 10 or more.
#[inline(always)]
pub(super) fn digit_values(text: [u8; 8]) -> u64 {
    u64::from_le_bytes(text) ^ ASCII_ZEROS
}

/// Joins eight digit values, the first in the lowest byte, into one number.
#[inline(always)]
pub(super) fn join_eight(values: u64) -> u64 {
    // Pairs, then fours, then eight: each step joins neighbouring lanes.
    let pairs = values.wrapping_mul(10).wrapping_add(values >> 8);
    const LANES: u64 = 0x0000_00ff_0000_00ff;
    let high = (pairs & LANES).wrapping_mul(0x000f_4240_0000_0064);
    let low = (pairs >> 16 & LANES).wrapping_mul(0x0000_2710_0000_0001);
    high.wrapping_add(low) >> 32
}

/// The top bit of each byte of [`digit_values`] that is not a digit.
#[inline(always)]
pub(super) fn non_digits(values: u64) -> u64 {
    // No sum carries into the next byte.
    let sums = (values & 0x7f7f_7f7f_7f7f_7f7f) + 0x7676_7676_7676_7676;
    (sums | values) & 0x8080_8080_8080_8080
}
