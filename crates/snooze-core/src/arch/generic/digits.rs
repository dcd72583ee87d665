//! Writing decimal digits, eight or sixteen in one step, and their layout in the text of a float.
//!
//! [`Vector::write_digits`](super::super::Vector::write_digits) writes sixteen digits in one step,
//! with a point among them or `0.` and zeros before them, and with commas after them. A
//! [`DigitLayout`] says which. Separate from `out`, which owns the buffer and calls this.
//!
//! PERF: the comma is part of the vector. A separate store after the last digit would depend on how
//! many digits there are, and would delay all later stores: 17 ns a float instead of 11 (Zen 4,
//! 2026-11-21).

/// Eight ASCII zeros.
pub(crate) const ASCII_ZEROS: u64 = 0x3030_3030_3030_3030;

/// Bytes that [`Vector::write_digits`](super::super::Vector::write_digits) may touch.
pub const DIGITS_ROOM: usize = 33;

/// The offsets of seventeen digits in the text of a float.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct DigitLayout {
    /// The bytes that are not digits: the point, zeros before the first digit, and commas after the
    /// last one. Zero bytes where digits are.
    pub(in super::super) pattern: [u8; 32],
    /// For each of the first 24 bytes, the index of its digit, or 0x80 for no digit.
    pub(in super::super) shuffle: [u8; 24],
    /// The offsets of the digits, as seventeen bits.
    pub(in super::super) digit_mask: u32,
    /// The offset of the point.
    pub(in super::super) point: u8,
    /// The offset of the first digit.
    pub(in super::super) first_digit: u8,
    /// The least number of digits, so that one follows the point.
    pub min_digits: u8,
    /// The offset of the seventeenth digit.
    pub digit_17: u8,
    /// The length of the text minus the number of digits.
    pub extra_len: u8,
}

/// The smallest power of ten of the first digit that [`LAYOUTS`] covers.
const FIRST_EXPONENT: i32 = -6;
/// The largest power of ten of the first digit that [`LAYOUTS`] covers.
const LAST_EXPONENT: i32 = 15;

/// The index of the layout for floats with an exponent.
const WITH_EXPONENT: usize = (LAST_EXPONENT - FIRST_EXPONENT + 1) as usize;

/// The layouts, indexed by the power of ten of the first digit; the last one, for floats with an
/// exponent, has one digit before the point and may have none after it.
static LAYOUTS: [DigitLayout; WITH_EXPONENT + 1] = {
    let mut layouts = [const { layout(0) }; WITH_EXPONENT + 1];
    let mut exponent = FIRST_EXPONENT;
    while exponent <= LAST_EXPONENT {
        layouts[(exponent - FIRST_EXPONENT) as usize] = layout(exponent);
        exponent += 1;
    }
    layouts[WITH_EXPONENT].min_digits = 0;
    layouts
};

impl DigitLayout {
    /// The layout for a float whose first digit has this power of ten, and whether the float has no
    /// exponent, which holds from `FROM` to `TO`.
    #[inline(always)]
    pub fn for_exponent<const FROM: i32, const TO: i32>(
        exponent: i32,
    ) -> (&'static DigitLayout, bool) {
        const { assert!(FIRST_EXPONENT <= FROM && TO <= LAST_EXPONENT) };
        let index = exponent.wrapping_sub(FROM) as u32;
        if index <= (TO - FROM) as u32 {
            (&LAYOUTS[(index as i32 + FROM - FIRST_EXPONENT) as usize], true)
        } else {
            (&LAYOUTS[WITH_EXPONENT], false)
        }
    }
}

/// The layout for one power of ten of the first digit.
const fn layout(exponent: i32) -> DigitLayout {
    let first = if exponent < 0 { 1 - exponent } else { 0 } as usize;
    let point = if exponent < 0 { 1 } else { exponent + 1 } as usize;
    let mut layout = DigitLayout {
        pattern: [b','; 32],
        shuffle: [0x80; 24],
        digit_mask: 0,
        point: point as u8,
        first_digit: first as u8,
        digit_17: 0,
        min_digits: if first > 0 { 0 } else { point + 1 } as u8,
        extra_len: if first > 0 { first } else { 1 } as u8,
    };
    let (mut at, mut digit) = (0, 0);
    while at < first {
        layout.pattern[at] = b'0';
        at += 1;
    }
    layout.pattern[point] = b'.';
    while digit <= 16 {
        if at != point {
            layout.digit_mask |= 1 << at;
            layout.pattern[at] = 0;
            if digit < 16 {
                layout.shuffle[at] = digit as u8;
            } else {
                layout.digit_17 = at as u8;
            }
            digit += 1;
        }
        at += 1;
    }
    layout
}

/// The eight decimal digits of `value < 10^8`, as values 0 to 9, the first in the lowest byte.
#[inline(always)]
pub(crate) fn eight_digits(value: u32) -> u64 {
    debug_assert!(value < 100_000_000);
    // Two lanes of four digits, then four of two, then eight of one. Each multiplication divides
    // all lanes by a constant: 10486 / 2^20 for 1/100 (lanes below 10^4), 103 / 2^10 for 1/10
    // (lanes below 100).
    let fours = u64::from(value / 10_000) | u64::from(value % 10_000) << 32;
    let hundreds = (fours * 10_486) >> 20 & 0x0000_007f_0000_007f;
    let twos = hundreds | (fours - hundreds * 100) << 16;
    let tens = (twos * 103) >> 10 & 0x000f_000f_000f_000f;
    tens | (twos - tens * 10) << 8
}

/// The generic [`Vector::write_digits`](super::super::Vector::write_digits), with integers only.
///
/// # Safety
/// `target` is valid for writing [`DIGITS_ROOM`] bytes.
#[inline(always)]
pub(in super::super) unsafe fn write_digits(
    digits: u64,
    min_digits: u32,
    layout: &DigitLayout,
    target: *mut u8,
) -> u32 {
    const E8: u64 = 100_000_000;
    const COMMAS: u128 = u128::from_le_bytes([b','; 16]);
    let (high, low) = (eight_digits((digits / E8) as u32), eight_digits((digits % E8) as u32));
    let digits = u128::from(high) | u128::from(low) << 64;
    let count = (16 - digits.leading_zeros() / 8).max(min_digits);
    let after = u128::MAX.unbounded_shl(8 * count);
    let text = digits | u128::from(ASCII_ZEROS) << 64 | u128::from(ASCII_ZEROS);
    let text = text & !after | COMMAS & after;
    // SAFETY: all writes end inside DIGITS_ROOM, because in every layout each write of sixteen
    // bytes begins at offset 17 or before, and the comma is at offset 24 or before.
    unsafe {
        if layout.first_digit > 0 {
            target.cast::<[u8; 8]>().copy_from_nonoverlapping(layout.pattern.as_ptr().cast(), 1);
            let target = target.add(layout.first_digit.into());
            target.cast::<[u8; 16]>().write(text.to_le_bytes());
        } else {
            let point = usize::from(layout.point);
            target.cast::<[u8; 16]>().write(text.to_le_bytes());
            let rest = text.unbounded_shr(8 * point as u32);
            target.add(point + 1).cast::<[u8; 16]>().write(rest.to_le_bytes());
            target.add(point).write(b'.');
        }
        target.add(usize::from(layout.digit_17) + 1).write(b',');
    }
    count
}

#[cfg(test)]
mod tests {
    use super::super::super::Vector;
    use super::super::super::testing::{TierTest, for_each_tier};
    use super::*;

    /// Sixteen digits in every layout.
    struct Digits(u64);

    impl TierTest for Digits {
        fn check<V: Vector>(&self) {
            let digits = format!("{:016}", self.0);
            for exponent in FIRST_EXPONENT..=LAST_EXPONENT {
                let layout = &LAYOUTS[(exponent - FIRST_EXPONENT) as usize];
                let mut room = [0xaa; DIGITS_ROOM + 32];
                // SAFETY: DIGITS_ROOM bytes are writable, because `room` has more.
                let count = unsafe {
                    V::write_digits(self.0, layout.min_digits.into(), layout, room.as_mut_ptr())
                };
                assert_eq!(room[DIGITS_ROOM..], [0xaa; 32], "{exponent}");
                let min_len = (exponent + 2).max(0) * i32::from(exponent >= 0);
                let expected = digits.trim_end_matches('0').len().max(min_len as usize);
                assert_eq!(count as usize, expected, "{digits} {exponent}");
                let digits = &format!("{digits}0")[..expected];
                let expected = if exponent < 0 {
                    format!("0.{}{digits}", "0".repeat((-exponent - 1) as usize))
                } else {
                    let (whole, part) = digits.split_at(exponent as usize + 1);
                    format!("{whole}.{part}")
                };
                assert_eq!(usize::from(layout.extra_len), expected.len() - count as usize);
                assert_eq!(usize::from(layout.digit_17), usize::from(layout.extra_len) + 16);
                // The caller writes the seventeenth digit.
                room[usize::from(layout.digit_17)] = if count == 17 { b'0' } else { b',' };
                let room = &room[..=usize::from(layout.digit_17) + 1];
                assert!(room.starts_with(expected.as_bytes()), "{exponent}");
                assert!(room[expected.len()..].iter().all(|&byte| byte == b','), "{exponent}");
            }
        }
    }

    #[test]
    fn digits_in_every_layout_and_tier() {
        for_each_tier(&Digits(1_234_567_890_123_456));
        for power in 0..16 {
            for digit in 1..10 {
                for_each_tier(&Digits(digit * 10u64.pow(power)));
            }
            for_each_tier(&Digits(10u64.pow(power + 1) - 1));
        }
        for_each_tier(&Digits(0));
    }

    /// All values of eight digits, in steps, in both halves.
    struct AllEights(u64);

    impl TierTest for AllEights {
        fn check<V: Vector>(&self) {
            for value in (0..100_000_000).step_by(self.0 as usize) {
                let mirrored = 99_999_999 - value;
                let mut room = [0; DIGITS_ROOM];
                // SAFETY: DIGITS_ROOM bytes are writable, because `room` has as many.
                unsafe {
                    V::write_digits(
                        value * 100_000_000 + mirrored,
                        17,
                        &LAYOUTS[(LAST_EXPONENT - FIRST_EXPONENT) as usize],
                        room.as_mut_ptr(),
                    )
                };
                let mut expected = [0; 16];
                let (mut high, mut low) = (value, mirrored);
                for at in (0..8).rev() {
                    (expected[at], expected[at + 8]) =
                        (b'0' + (high % 10) as u8, b'0' + (low % 10) as u8);
                    (high, low) = (high / 10, low / 10);
                }
                assert_eq!(room[..16], expected);
            }
        }
    }

    #[test]
    fn every_97th_value_of_eight_digits() {
        for_each_tier(&AllEights(97));
    }

    #[test]
    #[ignore = "10^8 values in every tier take seconds; make test-long"]
    fn all_values_of_eight_digits() {
        for_each_tier(&AllEights(1));
    }
}
