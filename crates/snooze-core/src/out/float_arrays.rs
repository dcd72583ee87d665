//! Writes arrays of floats: many at once, as the numpy encoder and lists of floats have them.
//!
//! Separate from `float`, which writes one at a time, and from `arrays`, whose texts have leading
//! zeros. Invariant: the text is that of the floats written one by one. Called by `encode::numpy` and
//! `encode::untyped::floats` of snooze-py.
//!
//! PERF: a float takes about 150 instructions, each of which waits for the one before, and a processor
//! looks ahead by only three floats of that length. So a block makes its decimals first and their
//! texts second: each loop is half as long, so more of its steps overlap.

use super::float::{FLOAT_ROOM, special_float};
use super::output::Out;
use super::window::{Buffer, NoMemory};
use crate::arch::Vector;
use crate::arch::generic::shortest::{FLOATS, ShortestDecimals};

/// A bit for each float.
const ALL: u32 = (1 << FLOATS) - 1;

/// The absolute values of a block in millionths, and a bit for each that [`Out::float_by`] can write
/// so; the other numbers mean nothing.
#[inline(always)]
fn millionths(values: &[f64; FLOATS]) -> ([u64; FLOATS], u32) {
    /// 2^52. Added to a smaller number, it rounds it to an integer, which its low bits then are.
    const ROUNDING: f64 = 4_503_599_627_370_496.0;
    let (mut counts, mut is_short) = ([0; FLOATS], 0);
    // No branch, so that the compiler makes vectors of it.
    for (index, value) in values.iter().enumerate() {
        let magnitude = value.abs();
        let rounded = magnitude * 1e6 + ROUNDING;
        let whole = rounded - ROUNDING;
        counts[index] = rounded.to_bits() & ((1 << 52) - 1);
        // The conditions of `float::millionths`.
        let has_exponent = (whole >= 1.0) & (whole < 10.0);
        let reads_back = (whole / 1e6 == magnitude) & (magnitude < 1e9) & !has_exponent;
        is_short |= u32::from(reads_back) << index;
    }
    (counts, is_short)
}

impl<B: Buffer> Out<'_, B> {
    /// Writes doubles as [`Out::float_by`] does, each with a comma.
    #[inline(always)]
    pub fn floats_by<V: Vector>(&mut self, values: &[f64; FLOATS]) -> Result<(), NoMemory> {
        self.reserve(FLOATS * FLOAT_ROOM)?;
        let (counts, is_short) = millionths(values);
        if is_short == ALL {
            let mut out = Out { window: self.window, buffer: &mut *self.buffer };
            for (count, value) in counts.into_iter().zip(values) {
                // SAFETY: FLOAT_ROOM is reserved above for each float; `millionths` says that this
                // one has fewer than 10^15.
                unsafe { out.fixed_decimal(count, value.is_sign_negative()) };
            }
            self.window = out.window;
            return Ok(());
        }
        if is_short.count_ones() > FLOATS as u32 / 2 {
            // One by one: most of them take less time than a place in the block.
            for &value in values {
                self.float_by::<V>(value)?;
            }
            return Ok(());
        }
        let mut decimals = ShortestDecimals::new();
        decimals.of_doubles::<V>(values);
        self.decimals::<V, f64, -5, 15>(&decimals, values)
    }

    /// Writes floats of 32 bits as [`Out::float32_by`] does, each with a comma.
    #[inline(always)]
    pub fn floats32_by<V: Vector>(&mut self, values: &[f32; FLOATS]) -> Result<(), NoMemory> {
        let mut decimals = ShortestDecimals::new();
        decimals.of_floats::<V>(values);
        self.decimals::<V, f32, -6, 12>(&decimals, values)
    }

    /// Writes the decimals of a block.
    #[inline(always)]
    fn decimals<V: Vector, F: zmij::Float + Into<f64> + Copy, const FROM: i32, const TO: i32>(
        &mut self,
        decimals: &ShortestDecimals,
        values: &[F; FLOATS],
    ) -> Result<(), NoMemory> {
        let mut out = Out { window: self.window, buffer: &mut *self.buffer };
        for (index, &value) in values.iter().enumerate() {
            out.reserve(FLOAT_ROOM)?;
            if let Some(decimal) = decimals.get(index) {
                // SAFETY: FLOAT_ROOM is reserved above; `number` made the decimal.
                unsafe { out.decimal::<V, FROM, TO>(decimal, value.into().is_sign_negative()) };
            } else {
                out.window = special_float(out.buffer, out.window, value)?;
            }
        }
        self.window = out.window;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::written_whole;
    use super::*;
    use crate::arch::testing::{TierTest, for_each_tier};

    /// A block is written as its floats are one by one.
    struct Block([f64; FLOATS]);

    impl TierTest for Block {
        fn check<V: Vector>(&self) {
            let one_by_one = written_whole(|out| {
                self.0.iter().for_each(|&value| out.float_by::<V>(value).unwrap());
            });
            assert_eq!(written_whole(|out| out.floats_by::<V>(&self.0).unwrap()), one_by_one);
            let narrow = self.0.map(|value| value as f32);
            let one_by_one = written_whole(|out| {
                narrow.iter().for_each(|&value| out.float32_by::<V>(value).unwrap());
            });
            assert_eq!(written_whole(|out| out.floats32_by::<V>(&narrow).unwrap()), one_by_one);
        }
    }

    /// Floats of every kind, and those at the limits of the fixed notation.
    const KINDS: [f64; 24] = [
        0.0,
        -0.0,
        1.0,
        -1.5,
        0.1 + 0.2,
        123.456,
        -999_999_999.999_999,
        1e9,
        1e-5,
        0.000_009,
        1e-6,
        1e15,
        1e16,
        f64::MAX,
        f64::MIN_POSITIVE,
        5e-324,
        f64::NAN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        1.0 / 3.0,
        4_503_599_627.370_496,
        0.000_001,
        3.402_823_5e38,
        1e-45,
    ];

    #[test]
    fn every_kind_at_every_place() {
        for kind in KINDS {
            for other in KINDS {
                for at in 0..FLOATS {
                    let mut block = [other; FLOATS];
                    block[at] = kind;
                    for_each_tier(&Block(block));
                }
            }
        }
    }

    #[test]
    fn prices_and_their_neighbours() {
        for start in (0..1_000_000u32).step_by(1_601) {
            for power in [1.0, 10.0, 100.0, 1e5, 1e6, 1e7] {
                let price = |index: usize| f64::from(start + index as u32) / power;
                for_each_tier(&Block(core::array::from_fn(price)));
                for_each_tier(&Block(core::array::from_fn(|index| -price(index).next_up())));
            }
        }
    }

    proptest::proptest! {
        #[test]
        fn random_bits(bits: [u64; FLOATS]) {
            for_each_tier(&Block(bits.map(f64::from_bits)));
        }

        #[test]
        fn random_millionths(counts: [u32; FLOATS], scale in 0..7) {
            for_each_tier(&Block(counts.map(|count| f64::from(count) / 10f64.powi(scale))));
        }
    }
}
