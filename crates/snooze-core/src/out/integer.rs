//! Writes integers, eight digits at a time.
//!
//! Separate from `arrays`, which writes many integers of one type. An integer is split at powers of
//! 10^8; each part becomes eight digits in the lanes of one register (SWAR).

use super::output::Out;
use super::window::{Buffer, NoMemory};
use crate::arch::generic::digits::{ASCII_ZEROS, eight_digits};

/// The longest integer of 64 bits, its sign, a separator, and the unused bytes of the last store.
const INT_ROOM: usize = 32;

impl<B: Buffer> Out<'_, B> {
    /// Writes a signed integer and the separator.
    #[inline(always)]
    pub fn int(&mut self, value: i64, separator: u8) -> Result<(), NoMemory> {
        self.reserve(INT_ROOM)?;
        // SAFETY: all bytes are writable, because a sign, twenty digits and the separator fit the
        // INT_ROOM reserved above.
        unsafe {
            let negative = usize::from(value < 0);
            self.put([b'-'], negative);
            self.digits(value.unsigned_abs());
            self.put([separator], 1);
        }
        Ok(())
    }

    /// Writes an unsigned integer and the separator.
    #[inline(always)]
    pub fn uint(&mut self, value: u64, separator: u8) -> Result<(), NoMemory> {
        self.reserve(INT_ROOM)?;
        // SAFETY: all bytes are writable, because twenty digits and the separator fit the INT_ROOM
        // reserved above.
        unsafe {
            self.digits(value);
            self.put([separator], 1);
        }
        Ok(())
    }

    /// Writes the digits of `value`.
    ///
    /// # Safety
    /// At least `INT_ROOM - 1` bytes are reserved.
    #[inline(always)]
    unsafe fn digits(&mut self, value: u64) {
        const E8: u64 = 100_000_000;
        // SAFETY: all bytes are writable, because at most three stores of eight bytes write at most
        // twenty digits, and the caller has reserved INT_ROOM - 1.
        unsafe {
            if value < E8 {
                self.leading_digits(value as u32);
            } else if value < E8 * E8 {
                self.leading_digits((value / E8) as u32);
                self.padded_digits((value % E8) as u32);
            } else {
                let (high, low) = (value / E8, (value % E8) as u32);
                self.leading_digits((high / E8) as u32);
                self.padded_digits((high % E8) as u32);
                self.padded_digits(low);
            }
        }
    }

    /// Writes `value < 10^8` without leading zeros.
    ///
    /// # Safety
    /// At least eight bytes are reserved.
    #[inline(always)]
    unsafe fn leading_digits(&mut self, value: u32) {
        // PERF: a table, because most integers are small, or have few digits before the last eight:
        // 1.3 ns instead of 4.4, and 4.6 instead of 7.1 for nine digits (2026-11-21).
        if let Some(text) = BELOW_1000.get(value as usize) {
            // SAFETY: eight bytes are writable, because the caller has reserved them.
            unsafe { self.put(text.to_le_bytes(), (text >> 24) as usize) };
            return;
        }
        // The count comes from a table instead of the digits, so that later writes do not wait for
        // the digits.
        let count = count_digits(value);
        let text = (eight_digits(value) | ASCII_ZEROS) >> (64 - 8 * count);
        // SAFETY: eight bytes are writable, because the caller has reserved them.
        unsafe { self.put(text.to_le_bytes(), count) };
    }

    /// Writes `value < 10^8` as eight digits.
    ///
    /// # Safety
    /// At least eight bytes are reserved.
    #[inline(always)]
    unsafe fn padded_digits(&mut self, value: u32) {
        // SAFETY: eight bytes are writable, because the caller has reserved them.
        unsafe { self.put((eight_digits(value) | ASCII_ZEROS).to_le_bytes(), 8) };
    }
}

/// The text of each number below 1000, and in the fourth byte its length.
static BELOW_1000: [u32; 1000] = {
    let mut table = [0; 1000];
    let mut value = 0;
    while value < 1000 {
        let (hundreds, tens, ones) = (value / 100, value / 10 % 10, value % 10);
        let text = (hundreds | tens << 8 | ones << 16) as u32 | u32::from_le_bytes(*b"000\0");
        let length = if value < 10 {
            1
        } else if value < 100 {
            2
        } else {
            3
        };
        table[value] = text >> (8 * (3 - length)) & 0xff_ffff | length << 24;
        value += 1;
    }
    table
};

/// The number of decimal digits of `value`; one for zero.
///
/// For each power of two p, let d be the number of digits of p. The table has d * 2^32 if all
/// numbers from p to 2 p - 1 have d digits; otherwise it has (d + 1) * 2^32 - 10^d, so that adding
/// a number below 10^d leaves d in the upper half, and any other leaves d + 1 (Willets, "Integer
/// log 10 of an unsigned integer, branch free").
#[inline(always)]
pub(super) fn count_digits(value: u32) -> usize {
    const TABLE: [u64; 32] = {
        let mut table = [0; 32];
        let mut bit = 0;
        while bit < 32 {
            let (smallest, largest) = (1u64 << bit, (2u64 << bit) - 1);
            let digits = smallest.ilog10() as u64 + 1;
            let power = 10u64.pow(digits as u32);
            table[bit] = if largest < power { digits << 32 } else { ((digits + 1) << 32) - power };
            bit += 1;
        }
        table
    };
    let bit = (value | 1).ilog2() as usize;
    ((TABLE[bit] + u64::from(value)) >> 32) as usize
}

#[cfg(test)]
mod tests {
    use super::super::testing::written;
    use super::*;

    #[test]
    fn every_97th_value_of_eight_digits() {
        for value in (0..100_000_000u32).step_by(97).chain(99_999_000..100_000_000) {
            let digits = (eight_digits(value) | ASCII_ZEROS).to_le_bytes();
            assert_eq!(std::str::from_utf8(&digits).unwrap(), format!("{value:08}"));
        }
    }

    #[test]
    fn digits_are_counted() {
        assert_eq!(count_digits(0), 1);
        for value in (0..33).flat_map(|bit| [(1u64 << bit) - 1, 1u64 << bit]) {
            if let Ok(value) = u32::try_from(value) {
                assert_eq!(count_digits(value), value.to_string().len());
            }
        }
        for value in (0..10).flat_map(|power| [10u32.pow(power) - 1, 10u32.pow(power)]) {
            assert_eq!(count_digits(value), value.to_string().len());
        }
    }

    #[test]
    fn integers_around_every_power_of_ten_and_two() {
        let mut values = vec![0, u64::MAX];
        for power in 0..20 {
            values.extend((0..3).map(|d| 10u64.pow(power).wrapping_add(d).wrapping_sub(1)));
        }
        for bit in 0..64 {
            values.extend((0..3).map(|d| (1u64 << bit).wrapping_add(d).wrapping_sub(1)));
        }
        for value in values {
            assert_eq!(written(|out| out.uint(value, b',').unwrap()), value.to_string());
            let signed = value as i64;
            assert_eq!(written(|out| out.int(signed, b',').unwrap()), signed.to_string());
        }
    }

    proptest::proptest! {
        #[test]
        fn agrees_with_itoa(value: i64, unsigned: u64) {
            let mut oracle = itoa::Buffer::new();
            let signed = written(|out| out.int(value, b',').unwrap());
            proptest::prop_assert_eq!(signed, oracle.format(value));
            let text = written(|out| out.uint(unsigned, b',').unwrap());
            proptest::prop_assert_eq!(text, oracle.format(unsigned));
        }
    }
}
