//! Writes floats: the shortest decimal that reads back, in the notation that orjson uses.
//!
//! From 10^-5 to below 10^16 (32 bits: from 10^-6 to below 10^13) a float has a point and no
//! exponent. Any other has one digit before the point, and an exponent with its sign. Separate from
//! `number`, which finds the digits of most floats; this writes them in place, and leaves the
//! undecided ones to `zmij`. Floats of at most six digits after the point do not need `number`.

use core::hint::select_unpredictable;

use super::integer::six_digits;
use super::output::Out;
use super::window::{Buffer, NoMemory, Window};
use crate::arch::generic::digits::{DIGITS_ROOM, DigitLayout};
use crate::arch::{Scalar, Vector};
use crate::number::{self, ShortestDecimal};

/// The buffer that `zmij` needs, and a separator.
const ZMIJ_ROOM: usize = size_of::<zmij::Buffer>() + 1;

const _: () = assert!(size_of::<zmij::Buffer>() == 24 && align_of::<zmij::Buffer>() == 1);

/// A sign and [`DIGITS_ROOM`], which also covers an exponent and a comma.
pub(super) const FLOAT_ROOM: usize = 1 + DIGITS_ROOM;

impl<B: Buffer> Out<'_, B> {
    /// Writes the shortest decimal that reads back as `value`, or `null` if it is not finite, and a
    /// comma.
    #[inline(always)]
    pub fn float_by<V: Vector>(&mut self, value: f64) -> Result<(), NoMemory> {
        if self.buffer.float_history().expects_millionths()
            && let Some(millionths) = millionths(value)
        {
            self.reserve(FLOAT_ROOM)?;
            // SAFETY: FLOAT_ROOM is reserved above; `millionths` returns numbers below 10^15.
            unsafe { self.fixed_decimal(millionths, value.is_sign_negative()) };
            return Ok(());
        }
        let Some(decimal) = number::shortest(value.to_bits()) else {
            self.window = special_float(self.buffer, self.window, value)?;
            return Ok(());
        };
        self.reserve(FLOAT_ROOM)?;
        // SAFETY: FLOAT_ROOM is reserved above; `shortest` made the decimal.
        let count = unsafe { self.decimal::<V, -5, 15>(decimal, value.is_sign_negative()) };
        self.buffer.float_history().add(count, decimal.exponent);
        Ok(())
    }

    /// [`Out::float_by`] in the precision of 32 bits.
    #[inline(always)]
    pub fn float32_by<V: Vector>(&mut self, value: f32) -> Result<(), NoMemory> {
        let Some(decimal) = number::shortest_32(value.to_bits()) else {
            self.window = special_float(self.buffer, self.window, value)?;
            return Ok(());
        };
        self.reserve(FLOAT_ROOM)?;
        // SAFETY: FLOAT_ROOM is reserved above; `shortest_32` made the decimal.
        unsafe { self.decimal::<V, -6, 12>(decimal, value.is_sign_negative()) };
        Ok(())
    }

    /// Writes a number of millionths with its sign and at least one digit after the point, and a
    /// comma.
    ///
    /// # Safety
    /// [`FLOAT_ROOM`] is reserved, and `millionths < 10^15`.
    #[inline(always)]
    pub(super) unsafe fn fixed_decimal(&mut self, millionths: u64, negative: bool) {
        const ZEROS: u64 = u64::from_le_bytes(*b"000000\0\0");
        let (whole, part) = ((millionths / 1_000_000) as u32, (millionths % 1_000_000) as u32);
        let digits = six_digits(part);
        // The digits up to the last one that is not zero; the first one always counts.
        let count = (71 - ((digits ^ ZEROS) | 1).leading_zeros()) / 8;
        let end = 8 * (count + 1);
        let text = (digits << 8 | u64::from(b'.')) & !(u64::MAX << end) | u64::from(b',') << end;
        // SAFETY: all bytes are writable, because a sign, nine digits, and a store of eight bytes
        // fit the FLOAT_ROOM that the caller has reserved.
        unsafe {
            self.put([b'-'], usize::from(negative));
            self.leading_digits(whole);
            self.put(text.to_le_bytes(), count as usize + 2);
        }
    }

    /// Writes a decimal with its sign, and a comma; returns the number of its digits. It has no
    /// exponent if the power of ten of its first digit is from `FROM` to `TO`.
    ///
    /// # Safety
    /// [`FLOAT_ROOM`] is reserved, and the decimal is one of `number`, which has sixteen digits.
    #[inline(always)]
    pub(super) unsafe fn decimal<V: Vector, const FROM: i32, const TO: i32>(
        &mut self,
        decimal: ShortestDecimal,
        negative: bool,
    ) -> usize {
        let (layout, is_fixed) = DigitLayout::for_exponent::<FROM, TO>(decimal.exponent);
        // SAFETY: all bytes are writable, because the caller has reserved FLOAT_ROOM: a sign, then
        // DIGITS_ROOM bytes for a layout, which also holds the at most 23 bytes of a float with or
        // without an exponent, and a comma. `digits < 10^16`, because the caller guarantees
        // sixteen digits.
        unsafe {
            self.put([b'-'], usize::from(negative));
            let target = self.window.claim(DIGITS_ROOM);
            let min_digits = select_unpredictable(decimal.last == 0, layout.min_digits.into(), 17);
            let count = V::write_digits(decimal.digits, min_digits, layout, target) as usize;
            let last = select_unpredictable(min_digits == 17, b'0' + decimal.last, b',');
            target.add(layout.digit_17.into()).write(last);
            if is_fixed {
                self.window = self.window.advanced(count + usize::from(layout.extra_len) + 1);
            } else {
                self.window = self.window.advanced(count + usize::from(count > 1));
                self.exponent(decimal.exponent);
            }
            count
        }
    }

    /// [`Out::float_by`] outside any tier, with any separator.
    #[inline(always)]
    pub fn float(&mut self, value: f64, separator: u8) -> Result<(), NoMemory> {
        self.float_by::<Scalar>(value)?;
        self.replace_last(separator);
        Ok(())
    }

    /// Writes the exponent of a float and a comma.
    ///
    /// # Safety
    /// Eight bytes are reserved.
    #[inline(always)]
    unsafe fn exponent(&mut self, exponent: i32) {
        let value = exponent.unsigned_abs();
        let hundreds = (value * 41) >> 12;
        let tens = ((value - hundreds * 100) * 103) >> 10;
        let ones = value - hundreds * 100 - tens * 10;
        let digits = hundreds | tens << 8 | ones << 16 | u32::from_le_bytes(*b"000,");
        let zeros = u32::from(value < 100) + u32::from(value < 10);
        let start: [u8; 2] = if exponent < 0 { *b"e-" } else { *b"e+" };
        let text = u64::from(digits >> (8 * zeros)) << 16 | u64::from(u16::from_le_bytes(start));
        // SAFETY: eight bytes are writable, because the caller has reserved them.
        unsafe { self.put(text.to_le_bytes(), 6 - zeros as usize) };
    }

    /// [`Out::float`] in the precision of 32 bits.
    #[inline(always)]
    pub fn float32(&mut self, value: f32, separator: u8) -> Result<(), NoMemory> {
        self.float32_by::<Scalar>(value)?;
        self.replace_last(separator);
        Ok(())
    }

    /// Writes a finite float with `zmij`, and the separator.
    #[inline(always)]
    fn by_zmij<F: zmij::Float>(&mut self, value: F, separator: u8) -> Result<(), NoMemory> {
        self.reserve(ZMIJ_ROOM)?;
        // SAFETY: the buffer is valid, because `zmij::Buffer` is an array of bytes without
        // alignment (asserted above) and as many bytes are reserved; its text is initialised,
        // because `zmij` writes the text at the buffer's first byte.
        unsafe {
            let target = self.window.claim(size_of::<zmij::Buffer>());
            let len = (*target.cast::<zmij::Buffer>()).format_finite(value).len();
            self.window = self.window.advanced(len);
            self.put([separator], 1);
        }
        Ok(())
    }
}

/// Writes a float that `number` does not decide, and a comma; returns the window after it.
///
/// Out of line and by value, so that the walk keeps its window in registers.
#[inline(never)]
pub(super) fn special_float<B: Buffer, F: zmij::Float + Into<f64>>(
    buffer: &mut B,
    window: Window,
    float: F,
) -> Result<Window, NoMemory> {
    let mut out = Out { window, buffer };
    let value = float.into();
    if value == 0.0 {
        out.reserve(5)?;
        // SAFETY: five bytes are writable, because they are reserved above.
        unsafe {
            out.put([b'-'], usize::from(value.is_sign_negative()));
            out.put(*b"0.0,", 4);
        }
    } else if value.is_finite() {
        out.by_zmij(float, b',')?;
    } else {
        out.null(b',')?;
    }
    Ok(out.window)
}

/// The absolute value of a double in millionths, if its shortest decimal has at most six digits
/// after the point, at most fifteen in all, and no exponent. Undecided otherwise.
///
/// PERF: prices, percentages and rounded coordinates are such numbers, and then this takes a third
/// of the time of [`number::shortest`] and its sixteen digits (2026-11-22).
#[inline(always)]
fn millionths(value: f64) -> Option<u64> {
    let magnitude = value.abs();
    if magnitude.is_nan() || magnitude >= 1e9 {
        return None;
    }
    // SAFETY: not NaN, and far inside the range, because the magnitude is below 10^9.
    let count = unsafe { (magnitude * 1e6 + 0.5).to_int_unchecked::<i64>() };
    // If the decimal reads back, it is below 10^9 too, so it has at most fifteen digits, and it is
    // the shortest one: no other decimal of at most fifteen digits reads back as this double,
    // because doubles tell all of those apart. The division reads it: both operands are exact, and
    // the result is rounded once. Below 10^-5 a float has an exponent.
    let is_decimal = count as f64 / 1e6 == magnitude;
    let has_exponent = (1..10).contains(&count);
    (is_decimal & !has_exponent).then_some(count as u64)
}

/// The text of a finite float, outside any output: for keys.
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
        // SAFETY: the first `len` bytes are initialised, because `zmij` wrote them in `new`.
        unsafe { core::slice::from_raw_parts(start, self.len) }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::written;
    use super::*;
    use crate::arch::testing::{TierTest, for_each_tier};

    /// Agrees with the oracle, which uses another algorithm.
    struct AsZmij(f64);

    impl TierTest for AsZmij {
        fn check<V: Vector>(&self) {
            let text = written(|out| out.float_by::<V>(self.0).unwrap());
            assert_eq!(text, zmij::Buffer::new().format_finite(self.0));
            // After a long decimal, the general path writes short ones too.
            let text = written(|out| {
                out.float_by::<V>(1.0 / 3.0).unwrap();
                out.float_by::<V>(self.0).unwrap();
            });
            assert_eq!(&text[19..], zmij::Buffer::new().format_finite(self.0));
        }
    }

    /// The same for 32 bits.
    struct AsZmij32(f32);

    impl TierTest for AsZmij32 {
        fn check<V: Vector>(&self) {
            let text = written(|out| out.float32_by::<V>(self.0).unwrap());
            assert_eq!(text, zmij::Buffer::new().format_finite(self.0));
        }
    }

    struct Text(f64, &'static str);

    impl TierTest for Text {
        fn check<V: Vector>(&self) {
            assert_eq!(written(|out| out.float_by::<V>(self.0).unwrap()), self.1);
        }
    }

    #[test]
    fn numbers_of_millionths() {
        for (value, expected) in [
            (0.0, Some(0)),
            (-1.0, Some(1_000_000)),
            (0.000_01, Some(10)),
            (0.000_009, None),
            (-123.456_789, Some(123_456_789)),
            (0.1 + 0.2, None),
            (999_999_999.999_999, Some(999_999_999_999_999)),
            (1e9, None),
            (f64::NAN, None),
            (f64::INFINITY, None),
            (5e-324, None),
        ] {
            assert_eq!(millionths(value), expected, "{value}");
        }
    }

    #[test]
    fn non_finite_floats_are_null() {
        for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            for_each_tier(&Text(value, "null"));
            assert_eq!(written(|out| out.float32(value as f32, b',').unwrap()), "null");
        }
    }

    #[test]
    fn the_notation_is_that_of_orjson() {
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
            for_each_tier(&Text(value, expected));
        }
    }

    #[test]
    fn powers_of_two_and_of_ten_and_their_neighbours() {
        for exponent in -1074..1024 {
            let power = 2f64.powi(exponent.max(-1022)) * 2f64.powi((exponent + 1022).min(0));
            for value in [power.next_down(), power, power.next_up(), -power] {
                for_each_tier(&AsZmij(value));
            }
        }
        for exponent in -323..309 {
            for digits in [1, 2, 5, 9, 12, 995] {
                let Ok(power) = format!("{digits}e{exponent}").parse::<f64>() else { continue };
                for value in [power.next_down(), power, power.next_up()] {
                    if value.is_finite() {
                        for_each_tier(&AsZmij(value));
                    }
                }
            }
        }
    }

    #[test]
    fn every_exponent_of_32_bit_floats() {
        // Every exponent, with mantissas from the whole range.
        for exponent in 0..255u32 {
            for mantissa in (0..1 << 23).step_by(8_191).chain([1, 2, (1 << 23) - 1]) {
                for_each_tier(&AsZmij32(f32::from_bits(exponent << 23 | mantissa)));
            }
        }
        for value in 0..20_000u16 {
            for power in [1.0, 10.0, 1000.0, 1e7, 1e-7] {
                for_each_tier(&AsZmij32(-f32::from(value) / power));
            }
        }
    }

    #[test]
    fn short_decimals_and_halves_of_large_integers() {
        for value in 0..20_000u32 {
            for power in [1.0, 10.0, 1000.0, 1e7, 1e-7, 1e22] {
                for_each_tier(&AsZmij(f64::from(value) / power));
            }
            let large = (1u64 << 53) + u64::from(value);
            for factor in [0.25, 0.5, 1.0, 2.0, 4.0, 1024.0] {
                for_each_tier(&AsZmij(large as f64 * factor));
            }
        }
    }

    #[test]
    fn up_to_eight_digits_after_the_point() {
        for value in (0..200_000u64).chain((0..1 << 53).step_by((1 << 53) / 100_003)) {
            for power in [10.0, 100.0, 1e5, 1e6, 1e7, 1e8] {
                let value = value as f64 / power;
                for_each_tier(&AsZmij(value));
                for_each_tier(&AsZmij(-value.next_up()));
            }
        }
    }

    proptest::proptest! {
        #[test]
        fn random_decimals(whole in 0..2_000_000_000u64, part in 0..10_000_000u64, power in 0..8) {
            let text = format!("{whole}.{part:07}e-{power}");
            for_each_tier(&AsZmij(text.parse().unwrap()));
        }

        #[test]
        fn random_floats_read_back(bits: u64, narrow: u32) {
            let value = f64::from_bits(bits);
            if value.is_finite() {
                for_each_tier(&AsZmij(value));
                let text = zmij::Buffer::new().format_finite(value).to_owned();
                proptest::prop_assert_eq!(text.parse::<f64>().unwrap().to_bits(), bits);
            }
            let value = f32::from_bits(narrow);
            if value.is_finite() {
                for_each_tier(&AsZmij32(value));
                let text = zmij::Buffer::new().format_finite(value).to_owned();
                proptest::prop_assert_eq!(text.parse::<f32>().unwrap().to_bits(), narrow);
            }
        }
    }
}
