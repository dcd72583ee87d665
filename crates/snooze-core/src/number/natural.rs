//! Natural numbers of a fixed number of limbs.
//!
//! Separate because `power_of_five` computes its table with them at compile time and `exact` rounds
//! with them at run time. Invariant: limbs from `len` on are zero, and the highest limb in use is
//! not, except in zero. A result that needs more than `LIMBS` limbs is an error of the caller, who
//! has bounded it; it panics, as any index out of bounds does.

/// A natural number, least significant limb first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Natural<const LIMBS: usize> {
    limbs: [u64; LIMBS],
    /// Limbs in use; those above are zero.
    len: usize,
}

impl<const LIMBS: usize> Natural<LIMBS> {
    /// A number of one limb.
    pub(super) const fn from_limb(limb: u64) -> Self {
        let mut limbs = [0; LIMBS];
        limbs[0] = limb;
        Self { limbs, len: 1 }
    }

    /// The power of two.
    pub(super) const fn power_of_two(exponent: usize) -> Self {
        let mut limbs = [0; LIMBS];
        limbs[exponent / 64] = 1 << (exponent % 64);
        Self { limbs, len: exponent / 64 + 1 }
    }

    /// Multiplies by `factor` and adds `addend`.
    pub(super) const fn multiply_add(&mut self, factor: u64, addend: u64) {
        let (mut at, mut carry) = (0, addend);
        while at < self.len {
            let product = self.limbs[at] as u128 * factor as u128 + carry as u128;
            self.limbs[at] = product as u64;
            carry = (product >> 64) as u64;
            at += 1;
        }
        if carry != 0 {
            self.limbs[self.len] = carry;
            self.len += 1;
        }
    }

    /// Multiplies by a power of five.
    pub(super) const fn multiply_by_power_of_five(&mut self, exponent: u32) {
        /// The largest exponent whose power fits a limb.
        const STEP: u32 = 27;
        let mut left = exponent;
        while left >= STEP {
            self.multiply_add(5u64.pow(STEP), 0);
            left -= STEP;
        }
        self.multiply_add(5u64.pow(left), 0);
    }

    /// The number of significant bits; one or more.
    pub(super) const fn bits(&self) -> usize {
        64 * self.len - self.limbs[self.len - 1].leading_zeros() as usize
    }

    /// The 128 most significant bits, normalised: the top bit is set. Not for zero.
    pub(super) const fn top(&self) -> u128 {
        let mut top = self.limbs[self.len - 1] as u128;
        top <<= 64;
        if self.len >= 2 {
            top |= self.limbs[self.len - 2] as u128;
        }
        let zeros = top.leading_zeros();
        top <<= zeros;
        if self.len >= 3 && zeros > 0 {
            top |= (self.limbs[self.len - 3] >> (64 - zeros)) as u128;
        }
        top
    }

    /// Whether this is less than another number.
    pub(super) const fn is_below(&self, other: &Self) -> bool {
        if self.len != other.len {
            return self.len < other.len;
        }
        let mut at = self.len;
        while at > 0 {
            at -= 1;
            if self.limbs[at] != other.limbs[at] {
                return self.limbs[at] < other.limbs[at];
            }
        }
        false
    }

    /// Subtracts a number that is not larger.
    pub(super) const fn subtract(&mut self, other: &Self) {
        let (mut at, mut borrow) = (0, false);
        while at < self.len {
            let (difference, first) = self.limbs[at].overflowing_sub(other.limbs[at]);
            let (difference, second) = difference.overflowing_sub(borrow as u64);
            self.limbs[at] = difference;
            borrow = first | second;
            at += 1;
        }
        self.drop_high_zeros();
    }

    /// Shifts left, towards more significant bits. Not for zero.
    pub(super) const fn shift_left(&mut self, count: usize) {
        let (whole, part) = (count / 64, count % 64);
        let mut at = self.len;
        // From the highest limb down, because each source is below its target.
        self.len = (self.bits() + count).div_ceil(64);
        if at < self.len - whole {
            at += 1;
        }
        while at > 0 {
            at -= 1;
            let below = if at > 0 && part > 0 { self.limbs[at - 1] >> (64 - part) } else { 0 };
            let shifted = self.limbs[at] << part | below;
            self.limbs[at] = 0;
            self.limbs[at + whole] = shifted;
        }
    }

    /// Shifts right; returns whether a bit that is set was shifted out.
    pub(super) fn shift_right(&mut self, count: usize) -> bool {
        let (whole, part) = (count / 64, count % 64);
        if whole >= self.len {
            let lost = *self != Self::from_limb(0);
            *self = Self::from_limb(0);
            return lost;
        }
        let mut lost = self.limbs[..whole].iter().any(|&limb| limb != 0);
        lost |= self.limbs[whole] & ((1 << part) - 1) != 0;
        for at in 0..self.len - whole {
            let from = at + whole;
            let above = match self.limbs.get(from + 1) {
                Some(limb) if part > 0 => limb << (64 - part),
                _ => 0,
            };
            self.limbs[at] = self.limbs[from] >> part | above;
        }
        self.limbs[self.len - whole..self.len].fill(0);
        self.len -= whole;
        self.drop_high_zeros();
        lost
    }

    /// The quotient and whether there is a remainder. The top bit of the highest limb of `divisor`
    /// must be set, and the quotient must fit a limb.
    ///
    /// Knuth, "The Art of Computer Programming", volume 2, section 4.3.1, algorithm D: one step.
    pub(super) fn divide(&self, divisor: &Self) -> (u64, bool) {
        let high = |at: usize| u128::from(self.limbs.get(at).copied().unwrap_or(0));
        let top = high(divisor.len) << 64 | high(divisor.len - 1);
        // At most two too large, by Knuth's theorem B.
        let estimate = top / u128::from(divisor.limbs[divisor.len - 1]);
        let mut quotient = u64::try_from(estimate).unwrap_or(u64::MAX);
        let mut product = *divisor;
        product.multiply_add(quotient, 0);
        product.drop_high_zeros();
        while self.is_below(&product) {
            product.subtract(divisor);
            quotient -= 1;
        }
        (quotient, product != *self)
    }

    /// The lowest limb.
    pub(super) fn low(&self) -> u64 {
        self.limbs[0]
    }

    const fn drop_high_zeros(&mut self) {
        while self.len > 1 && self.limbs[self.len - 1] == 0 {
            self.len -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Four = Natural<4>;

    fn number(value: u128) -> Four {
        let mut number = Four::from_limb((value >> 64) as u64);
        number.shift_left(64);
        number.multiply_add(1, value as u64);
        number.drop_high_zeros();
        number
    }

    fn value(number: &Four) -> u128 {
        assert!(number.len <= 2, "{number:?}");
        u128::from(number.limbs[1]) << 64 | u128::from(number.limbs[0])
    }

    /// Numbers with many bits, few bits, and bits at the borders of limbs.
    fn samples() -> impl Iterator<Item = u128> {
        let mut state = 1u128;
        let random = (0..64).map(move |shift| {
            state = state.wrapping_mul(0x2360_ed05_1fc6_5da4_4385_df64_9fcc_f645).wrapping_add(1);
            state >> shift
        });
        random.chain([1, 2, u64::MAX.into(), 1 << 64, (1 << 64) + 1, u128::MAX, 1 << 127])
    }

    #[test]
    fn shifts_are_those_of_integers() {
        for sample in samples() {
            for count in 0..sample.leading_zeros() {
                let mut shifted = number(sample);
                shifted.shift_left(count as usize);
                assert_eq!(value(&shifted), sample << count, "{sample} << {count}");
            }
            for count in 0..128 {
                let mut shifted = number(sample);
                let lost = shifted.shift_right(count);
                assert_eq!(value(&shifted), sample >> count, "{sample} >> {count}");
                assert_eq!(lost, sample >> count << count != sample, "{sample} >> {count}");
            }
            for count in [128, 200, 300] {
                let mut shifted = number(sample);
                assert!(shifted.shift_right(count));
                assert_eq!(shifted, Four::from_limb(0));
            }
        }
    }

    #[test]
    fn a_shift_left_and_right_is_no_change() {
        for sample in samples() {
            for count in 0..256 - number(sample).bits() {
                let mut shifted = number(sample);
                shifted.shift_left(count);
                assert_eq!(shifted.bits(), number(sample).bits() + count);
                assert!(!shifted.shift_right(count));
                assert_eq!(shifted, number(sample), "{sample}, {count}");
            }
        }
    }

    #[test]
    fn quotients_are_those_of_integers() {
        for divisor in samples() {
            let zeros = divisor.leading_zeros() % 64;
            let divisor = divisor << zeros;
            for dividend in samples() {
                let Ok(quotient) = u64::try_from(dividend / divisor) else { continue };
                let expected = (quotient, dividend % divisor != 0);
                assert_eq!(number(dividend).divide(&number(divisor)), expected);
            }
            // A dividend of three limbs, whose quotient is known.
            for quotient in [1, 2, 0x8000_0000_0000_0000, u64::MAX - 1, u64::MAX] {
                let mut dividend = number(divisor);
                dividend.multiply_add(quotient, 0);
                assert_eq!(dividend.divide(&number(divisor)), (quotient, false));
                dividend.multiply_add(1, 1);
                let next = divisor == 1;
                assert!(next || dividend.divide(&number(divisor)) == (quotient, true));
                let mut before = number(divisor);
                before.multiply_add(quotient, 0);
                before.subtract(&Four::from_limb(1));
                assert_eq!(before.divide(&number(divisor)), (quotient - 1, divisor > 1));
            }
        }
    }

    #[test]
    fn powers_of_five_are_products() {
        for exponent in 0..100 {
            let mut power = Four::from_limb(3);
            power.multiply_by_power_of_five(exponent);
            let mut product = Four::from_limb(3);
            for _ in 0..exponent {
                product.multiply_add(5, 0);
            }
            assert_eq!(power, product, "{exponent}");
        }
    }
}
