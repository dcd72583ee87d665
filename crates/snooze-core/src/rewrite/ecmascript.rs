//! Numbers as ECMAScript writes them.
//!
//! Separate from `out::float`, whose notation is orjson's: RFC 8785, section 3.2.2.3, asks for the
//! one of ECMA-262, `Number::toString`. Both have the same digits. Called by `canonical`.

use crate::out::FloatText;

/// Digits of a double before zeros are dropped: 17, and the zeros that its text begins with.
const DIGITS: usize = 32;

/// The text of a finite double; its parts are passed to `write` in order.
pub(super) fn write_number<E>(
    value: f64,
    mut write: impl FnMut(&[u8]) -> Result<(), E>,
) -> Result<(), E> {
    let text = FloatText::new(value.abs());
    let decimal = Decimal::of(text.as_bytes());
    let digits = decimal.digits();
    if digits.is_empty() {
        return write(b"0");
    }
    if value.is_sign_negative() {
        write(b"-")?;
    }
    let (count, point) = (digits.len() as i32, decimal.point);
    if (1..=21).contains(&point) {
        let (whole, fraction) = digits.split_at_checked(point as usize).unwrap_or((digits, b""));
        write(whole)?;
        write(b"00000000000000000000".get(..(point - count).max(0) as usize).unwrap_or(b""))?;
        if !fraction.is_empty() {
            write(b".")?;
            write(fraction)?;
        }
        return Ok(());
    }
    if (-5..=0).contains(&point) {
        write(b"0.00000".get(..2 + point.unsigned_abs() as usize).unwrap_or(b""))?;
        return write(digits);
    }
    let (first, rest) = digits.split_at(1);
    write(first)?;
    if !rest.is_empty() {
        write(b".")?;
        write(rest)?;
    }
    let exponent = point - 1;
    write(if exponent < 0 { b"e-" } else { b"e+" })?;
    let places = [100, 10, 1].map(|place| b'0' + (exponent.unsigned_abs() / place % 10) as u8);
    let zeros = places.iter().take(2).take_while(|&&digit| digit == b'0').count();
    write(places.get(zeros..).unwrap_or(b""))
}

/// The number 0.DIGITS * 10^point, without zeros at either end.
struct Decimal {
    text: [u8; DIGITS],
    start: usize,
    end: usize,
    point: i32,
}

impl Decimal {
    /// Of the text of a double that is not negative.
    fn of(text: &[u8]) -> Self {
        let mut found = Self { text: [b'0'; DIGITS], start: 0, end: 0, point: 0 };
        let (mut has_point, mut bytes) = (false, text.iter());
        for &byte in bytes.by_ref() {
            match byte {
                b'.' => has_point = true,
                b'0'..=b'9' => {
                    if let Some(place) = found.text.get_mut(found.end) {
                        *place = byte;
                        found.end += 1;
                    }
                    found.point += i32::from(!has_point);
                }
                _ => break,
            }
        }
        // What is left after the `e`.
        let (mut exponent, mut negative) = (0, false);
        for &byte in bytes {
            match byte {
                b'-' => negative = true,
                b'0'..=b'9' => exponent = exponent * 10 + i32::from(byte - b'0'),
                _ => {}
            }
        }
        found.point += if negative { -exponent } else { exponent };
        while found.start < found.end && found.text.get(found.start) == Some(&b'0') {
            found.start += 1;
            found.point -= 1;
        }
        while found.start < found.end && found.text.get(found.end - 1) == Some(&b'0') {
            found.end -= 1;
        }
        found
    }

    fn digits(&self) -> &[u8] {
        self.text.get(self.start..self.end).unwrap_or(&[])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(value: f64) -> String {
        let mut text = Vec::new();
        let append = |part: &[u8]| -> Result<(), ()> {
            text.extend_from_slice(part);
            Ok(())
        };
        write_number(value, append).unwrap();
        String::from_utf8(text).unwrap()
    }

    /// The table of RFC 8785, appendix B.
    #[test]
    fn samples_of_the_rfc() {
        for (bits, expected) in [
            (0x0000_0000_0000_0000, "0"),
            (0x8000_0000_0000_0000, "0"),
            (0x0000_0000_0000_0001, "5e-324"),
            (0x8000_0000_0000_0001, "-5e-324"),
            (0x7fef_ffff_ffff_ffff, "1.7976931348623157e+308"),
            (0xffef_ffff_ffff_ffff, "-1.7976931348623157e+308"),
            (0x4340_0000_0000_0000, "9007199254740992"),
            (0xc340_0000_0000_0000, "-9007199254740992"),
            (0x4430_0000_0000_0000, "295147905179352830000"),
            (0x44b5_2d02_c7e1_4af5, "9.999999999999997e+22"),
            (0x44b5_2d02_c7e1_4af6, "1e+23"),
            (0x44b5_2d02_c7e1_4af7, "1.0000000000000001e+23"),
            (0x444b_1ae4_d6e2_ef4e, "999999999999999700000"),
            (0x444b_1ae4_d6e2_ef4f, "999999999999999900000"),
            (0x444b_1ae4_d6e2_ef50, "1e+21"),
            (0x3eb0_c6f7_a0b5_ed8c, "9.999999999999997e-7"),
            (0x3eb0_c6f7_a0b5_ed8d, "0.000001"),
            (0x41b3_de43_5555_5553, "333333333.3333332"),
            (0x41b3_de43_5555_5554, "333333333.33333325"),
            (0x41b3_de43_5555_5555, "333333333.3333333"),
            (0x41b3_de43_5555_5556, "333333333.3333334"),
            (0x41b3_de43_5555_5557, "333333333.33333343"),
            (0xbecb_f647_612f_3696, "-0.0000033333333333333333"),
            (0x4314_3ff3_c1cb_0959, "1424953923781206.2"),
        ] {
            let value = f64::from_bits(bits);
            assert_eq!(written(value), expected, "{bits:x}");
        }
    }

    #[test]
    fn notation() {
        for (value, expected) in [
            (1.0, "1"),
            (-1.5, "-1.5"),
            (100.0, "100"),
            (0.1, "0.1"),
            (1e-6, "0.000001"),
            (1.25e-6, "0.00000125"),
            (1e-7, "1e-7"),
            (1e20, "100000000000000000000"),
            (1e21, "1e+21"),
            (1.5e300, "1.5e+300"),
            (4.5, "4.5"),
            (1e-10, "1e-10"),
        ] {
            assert_eq!(written(value), expected);
        }
    }

    proptest::proptest! {
        #[test]
        fn every_double_reads_back(bits: u64) {
            let value = f64::from_bits(bits);
            if value.is_finite() && value != 0.0 {
                assert_eq!(written(value).parse::<f64>().unwrap(), value);
            }
        }

        #[test]
        fn integers(value in -(1i64 << 53)..=1i64 << 53) {
            assert_eq!(written(value as f64), value.to_string());
        }
    }
}
