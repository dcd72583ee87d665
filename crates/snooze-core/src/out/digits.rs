//! Numbers out: integers by eight digits at a time, floats by the shortest text that reads back.
//!
//! Integers are split at 10^8; each part becomes eight digits with three multiplications on
//! four, then eight lanes of one register (SWAR). Floats are written in place by `zmij`
//! (Schubfach and xjb).

use super::{Buffer, NoMemory, Out};

/// The longest integer of 64 bits, its sign, a separator, and what the last store touches.
const INT_ROOM: usize = 32;

/// The longest float of 64 bits, which `zmij` needs as its buffer, and a separator.
const FLOAT_ROOM: usize = size_of::<zmij::Buffer>() + 1;

const _: () = assert!(size_of::<zmij::Buffer>() == 24 && align_of::<zmij::Buffer>() == 1);

const ZEROS: u64 = 0x3030_3030_3030_3030;

impl<B: Buffer> Out<'_, B> {
    /// Writes a signed integer and the separator.
    #[inline(always)]
    pub fn int(&mut self, value: i64, after: u8) -> Result<(), NoMemory> {
        self.reserve(INT_ROOM)?;
        // SAFETY: a sign, twenty digits and the separator are fewer bytes than are reserved.
        unsafe {
            let negative = usize::from(value < 0);
            self.put([b'-'], negative);
            self.digits(value.unsigned_abs());
            self.put([after], 1);
        }
        Ok(())
    }

    /// Writes an unsigned integer and the separator.
    #[inline(always)]
    pub fn uint(&mut self, value: u64, after: u8) -> Result<(), NoMemory> {
        self.reserve(INT_ROOM)?;
        // SAFETY: twenty digits and the separator are fewer bytes than are reserved.
        unsafe {
            self.digits(value);
            self.put([after], 1);
        }
        Ok(())
    }

    /// Writes the shortest decimal that reads back as `value`, or `null` if it is not finite,
    /// and the separator.
    #[inline(always)]
    pub fn float(&mut self, value: f64, after: u8) -> Result<(), NoMemory> {
        if !value.is_finite() {
            return self.null(after);
        }
        self.finite(value, after)
    }

    /// As [`Out::float`] in the precision of 32 bits.
    #[inline(always)]
    pub fn float32(&mut self, value: f32, after: u8) -> Result<(), NoMemory> {
        if !value.is_finite() {
            return self.null(after);
        }
        self.finite(value, after)
    }

    #[inline(always)]
    fn finite<F: zmij::Float>(&mut self, value: F, after: u8) -> Result<(), NoMemory> {
        self.reserve(FLOAT_ROOM)?;
        // SAFETY: `zmij::Buffer` is an array of bytes without alignment (asserted above), and as
        // many are reserved; it initialises what it returns, from the buffer's first byte on.
        unsafe {
            let target = self.window.claim(size_of::<zmij::Buffer>());
            let len = (*target.cast::<zmij::Buffer>()).format_finite(value).len();
            self.window = self.window.advanced(len);
            self.put([after], 1);
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
        // SAFETY: at most twenty digits; each of the (up to three) stores is of eight bytes.
        unsafe {
            if value < E8 {
                self.leading_digits(value as u32);
            } else if value < E8 * E8 {
                self.leading_digits((value / E8) as u32);
                self.eight_digits((value % E8) as u32);
            } else {
                let (high, low) = (value / E8, (value % E8) as u32);
                self.leading_digits((high / E8) as u32);
                self.eight_digits((high % E8) as u32);
                self.eight_digits(low);
            }
        }
    }

    /// Writes `value < 10^8` without leading zeros.
    ///
    /// # Safety
    /// At least eight bytes are reserved.
    #[inline(always)]
    unsafe fn leading_digits(&mut self, value: u32) {
        // PERF: the count comes from a table and not from the digits, so that what is written
        // next does not wait for them.
        let count = count_digits(value);
        let text = (eight(value) | ZEROS) >> (64 - 8 * count);
        // SAFETY: eight bytes are reserved.
        unsafe { self.put(text.to_le_bytes(), count) };
    }

    /// Writes `value < 10^8` as eight digits.
    ///
    /// # Safety
    /// At least eight bytes are reserved.
    #[inline(always)]
    unsafe fn eight_digits(&mut self, value: u32) {
        // SAFETY: eight bytes are reserved.
        unsafe { self.put((eight(value) | ZEROS).to_le_bytes(), 8) };
    }
}

/// The text of a finite float, apart from any output: for keys.
pub struct FloatText {
    buffer: zmij::Buffer,
    len: usize,
}

impl FloatText {
    /// The shortest decimal that reads back as `value`, which must be finite.
    pub fn new(value: f64) -> Self {
        let mut buffer = zmij::Buffer::new();
        let len = buffer.format_finite(value).len();
        Self { buffer, len }
    }

    /// The text.
    pub fn as_bytes(&self) -> &[u8] {
        let start = (&raw const self.buffer).cast::<u8>();
        // SAFETY: `new` had the buffer's first `len` bytes written.
        unsafe { core::slice::from_raw_parts(start, self.len) }
    }
}

/// Decimal digits of `value`; one for zero.
///
/// For each power of two p the table has d * 2^32, if all numbers from p to 2 p - 1 have d digits,
/// and otherwise (d + 1) * 2^32 - 10^d: adding a number carries into the upper half if it has one
/// digit more (Willets, "Integer log 10 of an unsigned integer, branch free").
#[inline(always)]
fn count_digits(value: u32) -> usize {
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

/// The eight decimal digits of `value < 10^8`, the first one in the lowest byte.
#[inline(always)]
fn eight(value: u32) -> u64 {
    debug_assert!(value < 100_000_000);
    // Two lanes of four digits, four of two, eight of one. Each multiplication divides every
    // lane by a constant: 10486 / 2^20 is 1/100 for lanes below 10^4, 103 / 2^10 is 1/10 below 100.
    let fours = u64::from(value / 10_000) | u64::from(value % 10_000) << 32;
    let hundreds = (fours * 10_486) >> 20 & 0x0000_007f_0000_007f;
    let twos = hundreds | (fours - hundreds * 100) << 16;
    let tens = (twos * 103) >> 10 & 0x000f_000f_000f_000f;
    tens | (twos - tens * 10) << 8
}

#[cfg(test)]
mod tests {
    use super::super::VecBuffer;
    use super::*;

    fn written(write: impl FnOnce(&mut Out<'_, VecBuffer>)) -> String {
        let mut buffer = VecBuffer::new();
        let mut out = Out::new(&mut buffer).unwrap();
        write(&mut out);
        out.drop_last();
        let len = out.len();
        String::from_utf8(buffer.into_vec(len)).unwrap()
    }

    #[test]
    fn all_values_of_eight_digits_in_steps() {
        for value in (0..100_000_000u32).step_by(97).chain(99_999_000..100_000_000) {
            let digits = (eight(value) | ZEROS).to_le_bytes();
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

    #[test]
    fn floats_that_are_not_finite_are_null() {
        for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert_eq!(written(|out| out.float(value, b',').unwrap()), "null");
            assert_eq!(written(|out| out.float32(value as f32, b',').unwrap()), "null");
        }
    }

    #[test]
    fn the_notation_is_the_one_programs_already_expect() {
        let cases = [
            (0.0, "0.0"),
            (-0.0, "-0.0"),
            (1e15, "1000000000000000.0"),
            (1e16, "1e+16"),
            (1e-5, "0.00001"),
            (1e-6, "1e-6"),
            (123.456, "123.456"),
            (5e-324, "5e-324"),
            (f64::MAX, "1.7976931348623157e+308"),
        ];
        for (value, expected) in cases {
            assert_eq!(written(|out| out.float(value, b',').unwrap()), expected);
        }
    }

    proptest::proptest! {
        #[test]
        fn integers_as_itoa_writes_them(value: i64, unsigned: u64) {
            let mut oracle = itoa::Buffer::new();
            let signed = written(|out| out.int(value, b',').unwrap());
            proptest::prop_assert_eq!(signed, oracle.format(value));
            let text = written(|out| out.uint(unsigned, b',').unwrap());
            proptest::prop_assert_eq!(text, oracle.format(unsigned));
        }

        #[test]
        fn floats_read_back(bits: u64, narrow: u32) {
            let value = f64::from_bits(bits);
            if value.is_finite() {
                let text = written(|out| out.float(value, b',').unwrap());
                proptest::prop_assert_eq!(text.parse::<f64>().unwrap().to_bits(), bits);
            }
            let value = f32::from_bits(narrow);
            if value.is_finite() {
                let text = written(|out| out.float32(value, b',').unwrap());
                proptest::prop_assert_eq!(text.parse::<f32>().unwrap().to_bits(), narrow);
            }
        }
    }
}
