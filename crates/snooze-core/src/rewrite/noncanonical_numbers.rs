//! Whether a text may have numbers that ECMAScript writes otherwise, found without reading tokens.
//!
//! Separate from `nearly_canonical`, which looks at each token: such numbers are rare, and this
//! only searches for their signs, inside of strings too: an exponent, `.0` at the end, and many
//! digits. Invariant: for a text that encoders wrote, `false` is certain; `true` may be a string
//! that looks like such a number. Called by `nearly_canonical`.

use crate::arch::Vector;
use crate::arch::generic::scan::load_first;

/// Integers of fewer digits are exact in a double.
const MANY: usize = 16;

/// No number that encoders write is longer.
const LONGEST: usize = 32;

/// Whether the text may have a number that is not as ECMAScript writes it.
#[inline(always)]
pub(super) fn may_differ<V: Vector>(text: &[u8]) -> bool {
    let all = u64::MAX >> (64 - V::LANES);
    let last = V::LANES - 1;
    // Bits of the last byte of the block before, and the digits at its end.
    let (mut was_digit, mut was_dot, mut was_dot_zero, mut run) = (0, 0, 0, 0);
    let mut at = 0;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let lanes = load_first::<V>(rest);
        let (digits, dots) = (lanes.digits() & all, lanes.equal(b'.'));
        let ends = lanes.equal(b',') | lanes.equal(b']') | lanes.equal(b'}');
        let dot_zero = (dots << 1 | was_dot) & lanes.equal(b'0');
        let exponents = (digits << 1 | was_digit) & lanes.equal(b'e');
        let mut suspects = exponents | (dot_zero << 1 | was_dot_zero) & ends;
        let first = (!digits).trailing_zeros() as usize;
        if first > 0 && run + first >= MANY {
            suspects |= 1;
        }
        let two = digits & digits >> 1;
        let four = two & two >> 2;
        let eight = four & four >> 4;
        let many = eight & eight >> 8;
        suspects |= many & !(many << 1);
        run = match digits == all {
            true => run + V::LANES,
            false => (digits << (63 - last)).leading_ones() as usize,
        };
        (was_digit, was_dot) = (digits >> last & 1, dots >> last & 1);
        was_dot_zero = dot_zero >> last & 1;
        while suspects != 0 {
            if differs(text, at + suspects.trailing_zeros() as usize) {
                return true;
            }
            suspects &= suspects - 1;
        }
        at += V::LANES;
    }
    text.ends_with(b".0")
}

/// Whether the number at an offset, or right before it, is one that ECMAScript writes otherwise.
#[cold]
#[inline(never)]
fn differs(text: &[u8], at: usize) -> bool {
    let is_part = |byte: &u8| matches!(byte, b'0'..=b'9' | b'.' | b'-' | b'+' | b'e' | b'E');
    let (before, after) = text.split_at_checked(at).unwrap_or((text, b""));
    let before = before.get(before.len().saturating_sub(LONGEST + 1)..).unwrap_or(b"");
    let after = after.get(..after.len().min(LONGEST + 1)).unwrap_or(b"");
    let left = before.iter().rev().take_while(|byte| is_part(byte)).count();
    let right = after.iter().take_while(|byte| is_part(byte)).count();
    if left > LONGEST || right > LONGEST {
        return true;
    }
    let is_number = matches!(before.iter().nth_back(left), None | Some(b',' | b':' | b'['))
        && matches!(after.get(right), None | Some(b',' | b']' | b'}'));
    let number = text.get(at - left..at + right).unwrap_or(b"");
    let digits = number.strip_prefix(b"-").unwrap_or(number);
    is_number
        && (number.ends_with(b".0")
            || number.contains(&b'e')
            || digits.iter().all(u8::is_ascii_digit) && !is_canonical(digits))
}

/// Whether an integer of these digits is certainly canonical; false means undecided.
///
/// ECMAScript drops digits at the end as long as the double stays the same, and takes the nearest
/// of the numbers with so many digits.
pub(super) fn is_canonical(digits: &[u8]) -> bool {
    if digits.len() > 19 {
        return false;
    }
    let add = |value: u64, digit: &u8| value.wrapping_mul(10).wrapping_add(u64::from(digit & 15));
    // Nineteen digits fit.
    let value = digits.iter().fold(0, add);
    let bits = 64 - value.leading_zeros();
    let Some(spare) = bits.checked_sub(53).filter(|&spare| spare > 0) else { return true };
    let zeros = digits.iter().rev().take_while(|&&digit| digit == b'0').count();
    let step = 10u64.saturating_pow(zeros as u32);
    // All numbers between these two have the same double, unless it is a power of two.
    let (double, half) = (value as f64 as u64, 1u64 << (spare - 1));
    let (Some(low), Some(high)) = (double.checked_sub(2 * half), double.checked_add(2 * half))
    else {
        return false;
    };
    if low.leading_zeros() != high.leading_zeros() {
        return false;
    }
    let shorter = step.saturating_mul(10);
    (double + half) / shorter * shorter < double - half && value.abs_diff(double) < step.div_ceil(2)
}
