//! Decimal digits out: eight or sixteen at a time, and the places they take in a float.
//!
//! [`Vector::write_digits`](super::super::Vector::write_digits) writes sixteen digits with a
//! point among them, or with `0.` and zeros before them, and with commas after them, in one step;
//! which of these, a [`Form`] says. The caller (`out`) owns the buffer.
//!
//! PERF: the comma is part of the vector, because a store to where the last digit turns out to be
//! holds up what follows it until all digits are known: 17 ns a float instead of 11
//! (Zen 4, 2026-11-21).

/// ASCII zeros.
pub(crate) const ZEROS: u64 = 0x3030_3030_3030_3030;

/// Bytes that [`Vector::write_digits`](super::super::Vector::write_digits) may touch.
pub const DIGITS_ROOM: usize = 33;

/// Where sixteen digits go.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct Form {
    /// What is written where no digit is: the point, zeros before the first digit, and commas
    /// after the last one. Zero bytes where digits are.
    pub(in super::super) pattern: [u8; 32],
    /// The digit for each of the first 24 bytes; with the top bit, none.
    pub(in super::super) shuffle: [u8; 24],
    /// The bytes that are digits: seventeen bits.
    pub(in super::super) mask: u32,
    /// Where the point is.
    pub(in super::super) point: u8,
    /// Where the first digit is.
    pub(in super::super) first: u8,
    /// How many digits there are at least: up to the first one after the point.
    pub least: u8,
    /// Where the seventeenth digit is.
    pub last: u8,
    /// What is to be added to the number of digits for the length.
    pub more: u8,
}

/// The power of ten of the first digit for which the first form is, and of the last one.
const FORMS_FROM: i32 = -6;
/// See [`FORMS_FROM`].
const FORMS_TO: i32 = 15;

/// How many forms there are for floats without an exponent.
const FIXED: usize = (FORMS_TO - FORMS_FROM + 1) as usize;

/// The forms by the power of ten of the first digit, and one for floats with an exponent: one
/// digit before the point, and none after it if there are no others.
static FORMS: [Form; FIXED + 1] = {
    let mut forms = [const { form(0) }; FIXED + 1];
    let mut exponent = FORMS_FROM;
    while exponent <= FORMS_TO {
        forms[(exponent - FORMS_FROM) as usize] = form(exponent);
        exponent += 1;
    }
    forms[FIXED].least = 0;
    forms
};

impl Form {
    /// The form for this power of ten of the first digit, and whether it is without an exponent,
    /// as it is from `FROM` to `TO`.
    #[inline(always)]
    pub fn of<const FROM: i32, const TO: i32>(exponent: i32) -> (&'static Form, bool) {
        const { assert!(FORMS_FROM <= FROM && TO <= FORMS_TO) };
        let place = exponent.wrapping_sub(FROM) as u32;
        if place <= (TO - FROM) as u32 {
            (&FORMS[(place as i32 + FROM - FORMS_FROM) as usize], true)
        } else {
            (&FORMS[FIXED], false)
        }
    }
}

const fn form(exponent: i32) -> Form {
    let first = if exponent < 0 { 1 - exponent } else { 0 } as usize;
    let point = if exponent < 0 { 1 } else { exponent + 1 } as usize;
    let mut form = Form {
        pattern: [b','; 32],
        shuffle: [0x80; 24],
        mask: 0,
        point: point as u8,
        first: first as u8,
        last: 0,
        least: if first > 0 { 0 } else { point + 1 } as u8,
        more: if first > 0 { first } else { 1 } as u8,
    };
    let (mut at, mut digit) = (0, 0);
    while at < first {
        form.pattern[at] = b'0';
        at += 1;
    }
    form.pattern[point] = b'.';
    while digit <= 16 {
        if at != point {
            form.mask |= 1 << at;
            form.pattern[at] = 0;
            if digit < 16 {
                form.shuffle[at] = digit as u8;
            } else {
                form.last = at as u8;
            }
            digit += 1;
        }
        at += 1;
    }
    form
}

/// The eight decimal digits of `value < 10^8`, the first one in the lowest byte.
#[inline(always)]
pub(crate) fn eight(value: u32) -> u64 {
    debug_assert!(value < 100_000_000);
    // Two lanes of four digits, four of two, eight of one. Each multiplication divides every
    // lane by a constant: 10486 / 2^20 is 1/100 for lanes below 10^4, 103 / 2^10 is 1/10 below 100.
    let fours = u64::from(value / 10_000) | u64::from(value % 10_000) << 32;
    let hundreds = (fours * 10_486) >> 20 & 0x0000_007f_0000_007f;
    let twos = hundreds | (fours - hundreds * 100) << 16;
    let tens = (twos * 103) >> 10 & 0x000f_000f_000f_000f;
    tens | (twos - tens * 10) << 8
}

/// As [`Vector::write_digits`](super::super::Vector::write_digits), with integers only.
///
/// # Safety
/// `target` is valid for writing [`DIGITS_ROOM`] bytes.
#[inline(always)]
pub(in super::super) unsafe fn write_digits(
    digits: u64,
    least: u32,
    form: &Form,
    target: *mut u8,
) -> u32 {
    const E8: u64 = 100_000_000;
    const COMMAS: u128 = u128::from_le_bytes([b','; 16]);
    let (high, low) = (eight((digits / E8) as u32), eight((digits % E8) as u32));
    let digits = u128::from(high) | u128::from(low) << 64;
    let count = (16 - digits.leading_zeros() / 8).max(least);
    let after = u128::MAX.unbounded_shl(8 * count);
    let text = digits | u128::from(ZEROS) << 64 | u128::from(ZEROS);
    let text = text & !after | COMMAS & after;
    // SAFETY: sixteen bytes, and a comma, from at most the eighteenth on, by the form's
    // definition.
    unsafe {
        if form.first > 0 {
            target.cast::<[u8; 8]>().copy_from_nonoverlapping(form.pattern.as_ptr().cast(), 1);
            let target = target.add(form.first.into());
            target.cast::<[u8; 16]>().write(text.to_le_bytes());
        } else {
            let point = usize::from(form.point);
            target.cast::<[u8; 16]>().write(text.to_le_bytes());
            let rest = text.unbounded_shr(8 * point as u32);
            target.add(point + 1).cast::<[u8; 16]>().write(rest.to_le_bytes());
            target.add(point).write(b'.');
        }
        target.add(usize::from(form.last) + 1).write(b',');
    }
    count
}

#[cfg(test)]
mod tests {
    use super::super::super::Vector;
    use super::super::super::testing::{TierTest, for_each_tier};
    use super::*;

    struct Digits(u64);

    impl TierTest for Digits {
        fn check<V: Vector>(&self) {
            let digits = format!("{:016}", self.0);
            for exponent in FORMS_FROM..=FORMS_TO {
                let form = &FORMS[(exponent - FORMS_FROM) as usize];
                let mut room = [0xaa; DIGITS_ROOM + 32];
                // SAFETY: the room is what is asked for.
                let count =
                    unsafe { V::write_digits(self.0, form.least.into(), form, room.as_mut_ptr()) };
                assert_eq!(room[DIGITS_ROOM..], [0xaa; 32], "{exponent}");
                let least = (exponent + 2).max(0) * i32::from(exponent >= 0);
                let expected = digits.trim_end_matches('0').len().max(least as usize);
                assert_eq!(count as usize, expected, "{digits} {exponent}");
                let digits = &format!("{digits}0")[..expected];
                let expected = if exponent < 0 {
                    format!("0.{}{digits}", "0".repeat((-exponent - 1) as usize))
                } else {
                    let (whole, part) = digits.split_at(exponent as usize + 1);
                    format!("{whole}.{part}")
                };
                assert_eq!(usize::from(form.more), expected.len() - count as usize);
                assert_eq!(usize::from(form.last), usize::from(form.more) + 16);
                // The seventeenth digit is the caller's.
                room[usize::from(form.last)] = if count == 17 { b'0' } else { b',' };
                let room = &room[..=usize::from(form.last) + 1];
                assert!(room.starts_with(expected.as_bytes()), "{exponent}");
                assert!(room[expected.len()..].iter().all(|&byte| byte == b','), "{exponent}");
            }
        }
    }

    #[test]
    fn digits_at_every_place_in_every_tier() {
        for_each_tier(&Digits(1_234_567_890_123_456));
        for power in 0..16 {
            for digit in 1..10 {
                for_each_tier(&Digits(digit * 10u64.pow(power)));
            }
            for_each_tier(&Digits(10u64.pow(power + 1) - 1));
        }
        for_each_tier(&Digits(0));
    }

    /// All values of eight digits in both halves, by one tier.
    struct AllEights(u64);

    impl TierTest for AllEights {
        fn check<V: Vector>(&self) {
            for value in (0..100_000_000).step_by(self.0 as usize) {
                let mirrored = 99_999_999 - value;
                let mut room = [0; DIGITS_ROOM];
                // SAFETY: the room is what is asked for.
                unsafe {
                    V::write_digits(
                        value * 100_000_000 + mirrored,
                        17,
                        &FORMS[(FORMS_TO - FORMS_FROM) as usize],
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
    fn eights_in_steps() {
        for_each_tier(&AllEights(97));
    }

    #[test]
    #[ignore = "10^8 values in every tier take seconds; make test-long"]
    fn all_eights() {
        for_each_tier(&AllEights(1));
    }
}
