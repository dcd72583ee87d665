//! Writes arrays of floats: many at once, as the numpy encoder and lists of floats have them.
//!
//! Separate from `float`, which writes one at a time, and from `arrays`, whose texts have leading
//! zeros. Invariant: the text is that of the floats written one by one. Called by `encode::numpy`
//! and `encode::numbers` of snooze-py.
//!
//! PERF: a float takes about 150 instructions, each of which waits for the one before, and a
//! processor looks ahead by only three floats of that length. So a block makes its decimals first
//! and their texts second: each loop is half as long, so more of its steps overlap.

use super::float::{FLOAT_ROOM, special_float};
use super::output::Out;
use super::window::{Buffer, NoMemory};
use crate::arch::Vector;
use crate::arch::generic::shortest::{FLOATS, ShortestDecimals};

/// The absolute values of the first `count` floats in millionths, and a bit for each that
/// [`Out::float_by`] can write so; the other numbers mean nothing.
#[inline(always)]
fn millionths(values: &[f64; FLOATS], count: usize) -> ([u64; FLOATS], u32) {
    const HALF: usize = FLOATS / 2;
    /// 2^52. Added to a smaller number, it rounds it to an integer, which its low bits then are.
    const ROUNDING: f64 = 4_503_599_627_370_496.0;
    let (mut counts, mut is_short) = ([0; FLOATS], 0);
    for half in 0..2 {
        let start = half * HALF;
        if start >= count {
            break;
        }
        // No branch, so that the compiler makes vectors of it.
        for index in start..start + HALF {
            let magnitude = values[index].abs();
            let rounded = magnitude * 1e6 + ROUNDING;
            let whole = rounded - ROUNDING;
            counts[index] = rounded.to_bits() & ((1 << 52) - 1);
            // The conditions of `float::millionths`.
            let has_exponent = (1.0..10.0).contains(&whole);
            let reads_back = (whole / 1e6 == magnitude) & (magnitude < 1e9) & !has_exponent;
            is_short |= u32::from(reads_back) << index;
        }
    }
    (counts, is_short)
}

/// A block whose floats can be written one after the other. No closures instead: they would not be
/// compiled for the tier.
trait Block<B: Buffer> {
    /// Writes the float at `index` and a comma.
    fn write<V: Vector>(&self, out: &mut Out<'_, B>, index: usize) -> Result<(), NoMemory>;
}

/// Doubles that are all short, in millionths.
struct Millionths<'a>(&'a [u64; FLOATS], &'a [f64; FLOATS]);

impl<B: Buffer> Block<B> for Millionths<'_> {
    #[inline(always)]
    fn write<V: Vector>(&self, out: &mut Out<'_, B>, index: usize) -> Result<(), NoMemory> {
        out.reserve(FLOAT_ROOM)?;
        // SAFETY: FLOAT_ROOM is reserved above; the number of millionths is below 10^15, because
        // `millionths` has divided it by 10^6 and found the double again, which is below 10^9:
        // `doubles` makes this block only if that holds for all floats that `write_block` asks for.
        unsafe { out.fixed_decimal(self.0[index], self.1[index].is_sign_negative()) };
        Ok(())
    }
}

/// Doubles of which most are short.
struct Mixed<'a>(&'a [f64; FLOATS]);

impl<B: Buffer> Block<B> for Mixed<'_> {
    #[inline(always)]
    fn write<V: Vector>(&self, out: &mut Out<'_, B>, index: usize) -> Result<(), NoMemory> {
        out.float_by::<V>(self.0[index])
    }
}

/// Floats with their decimals, and the powers of ten that are written without an exponent.
struct Decimals<'a, F, const FROM: i32, const TO: i32>(&'a ShortestDecimals, &'a [F; FLOATS]);

impl<B: Buffer, F: zmij::Float + Into<f64> + Copy, const FROM: i32, const TO: i32> Block<B>
    for Decimals<'_, F, FROM, TO>
{
    #[inline(always)]
    fn write<V: Vector>(&self, out: &mut Out<'_, B>, index: usize) -> Result<(), NoMemory> {
        out.reserve(FLOAT_ROOM)?;
        let value = self.1[index];
        let Some(decimal) = self.0.get(index) else {
            out.window = special_float(out.buffer, out.window, value)?;
            return Ok(());
        };
        // SAFETY: FLOAT_ROOM is reserved above; `number` made the decimal, because `write_block`
        // asks only for the floats that were counted then.
        unsafe { out.decimal::<V, FROM, TO>(decimal, value.into().is_sign_negative()) };
        Ok(())
    }
}

impl<B: Buffer> Out<'_, B> {
    /// Writes the first `count` doubles as [`Out::float_by`] does, each with a comma.
    #[inline(always)]
    pub fn floats_by<V: Vector>(
        &mut self,
        values: &[f64; FLOATS],
        count: usize,
    ) -> Result<(), NoMemory> {
        self.doubles::<V, false>(values, 1, count)
    }

    /// Writes arrays of `width` doubles (at least one), each array with a comma: as many as the
    /// first `count` doubles fill.
    #[inline(always)]
    pub fn float_rows_by<V: Vector>(
        &mut self,
        values: &[f64; FLOATS],
        width: usize,
        count: usize,
    ) -> Result<(), NoMemory> {
        self.doubles::<V, true>(values, width, count)
    }

    /// Writes the first `count` floats as [`Out::float32_by`] does, each with a comma.
    #[inline(always)]
    pub fn floats32_by<V: Vector>(
        &mut self,
        values: &[f32; FLOATS],
        count: usize,
    ) -> Result<(), NoMemory> {
        let mut decimals = ShortestDecimals::new();
        decimals.of_floats::<V>(values, count);
        self.block::<V, _, false>(Decimals::<_, -6, 12>(&decimals, values), 1, count)
    }

    #[inline(always)]
    fn doubles<V: Vector, const ROWS: bool>(
        &mut self,
        values: &[f64; FLOATS],
        width: usize,
        count: usize,
    ) -> Result<(), NoMemory> {
        let (counts, is_short) = millionths(values, count);
        let lanes = u32::MAX >> (32 - count.clamp(1, FLOATS));
        let is_short = is_short & lanes;
        if is_short == lanes {
            return self.block::<V, _, ROWS>(Millionths(&counts, values), width, count);
        }
        if 2 * is_short.count_ones() > count as u32 {
            // One by one: most of them take less time than a place in the block.
            return self.block::<V, _, ROWS>(Mixed(values), width, count);
        }
        let mut decimals = ShortestDecimals::new();
        decimals.of_doubles::<V>(values, count);
        self.block::<V, _, ROWS>(Decimals::<_, -5, 15>(&decimals, values), width, count)
    }

    /// Writes the first floats of a block; with `ROWS` those that fill arrays of `width`, with
    /// their brackets.
    #[inline(always)]
    fn block<V: Vector, W: Block<B>, const ROWS: bool>(
        &mut self,
        block: W,
        width: usize,
        count: usize,
    ) -> Result<(), NoMemory> {
        // PERF: a copy, whose window stays in registers.
        let mut out = Out { window: self.window, buffer: &mut *self.buffer };
        let written = write_block::<V, W, B, ROWS>(&mut out, block, width.max(1), count);
        // Also after a failure, because growing may have moved it before.
        self.window = out.window;
        written
    }
}

/// [`Out::block`] into a copy of the output.
#[inline(always)]
fn write_block<V: Vector, W: Block<B>, B: Buffer, const ROWS: bool>(
    out: &mut Out<'_, B>,
    block: W,
    width: usize,
    count: usize,
) -> Result<(), NoMemory> {
    let count = count.min(FLOATS);
    let mut index = 0;
    while index + width <= count {
        if ROWS {
            out.byte(b'[')?;
        }
        for _ in 0..width {
            block.write::<V>(out, index)?;
            index += 1;
        }
        if ROWS {
            out.close(b']', b',')?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use core::ptr::NonNull;

    use super::super::testing::written_whole;
    use super::super::{FloatHistory, Window};
    use super::*;
    use crate::arch::Scalar;
    use crate::arch::testing::{TierTest, for_each_tier};

    /// A block is written as its floats are one by one.
    struct OneByOne([f64; FLOATS]);

    impl TierTest for OneByOne {
        fn check<V: Vector>(&self) {
            let narrow = self.0.map(|value| value as f32);
            for count in [1, 7, 8, 15, 16] {
                let one_by_one = written_whole(|out| {
                    self.0[..count].iter().for_each(|&value| out.float_by::<V>(value).unwrap());
                });
                let text = written_whole(|out| out.floats_by::<V>(&self.0, count).unwrap());
                assert_eq!(text, one_by_one);
                let one_by_one = written_whole(|out| {
                    narrow[..count].iter().for_each(|&value| out.float32_by::<V>(value).unwrap());
                });
                let text = written_whole(|out| out.floats32_by::<V>(&narrow, count).unwrap());
                assert_eq!(text, one_by_one);
            }
            for (width, count) in [(1, 16), (2, 16), (3, 15), (4, 8), (5, 15), (2, 6)] {
                let rows = written_whole(|out| {
                    for row in self.0[..count].chunks(width) {
                        out.byte(b'[').unwrap();
                        row.iter().for_each(|&value| out.float_by::<V>(value).unwrap());
                        out.close(b']', b',').unwrap();
                    }
                });
                let write = |out: &mut Out<'_, _>| out.float_rows_by::<V>(&self.0, width, count);
                assert_eq!(written_whole(|out| write(out).unwrap()), rows);
            }
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
                    for_each_tier(&OneByOne(block));
                }
            }
        }
    }

    #[test]
    fn powers_of_two_and_their_neighbours() {
        for first in (-1074..1024).step_by(5) {
            let float = |index: usize| {
                let power = first + index as i32 / 3;
                let float = 2f64.powi(power.max(-1022)) * 2f64.powi((power + 1022).min(0));
                [float.next_down(), float, float.next_up()][index % 3]
            };
            for_each_tier(&OneByOne(core::array::from_fn(float)));
            let narrow = |index: usize| {
                let float = 2f32.powi(first / 7 + index as i32 / 3);
                [float.next_down(), float, float.next_up()][index % 3].into()
            };
            for_each_tier(&OneByOne(core::array::from_fn(narrow)));
        }
    }

    #[test]
    fn prices_and_their_neighbours() {
        for start in (0..1_000_000u32).step_by(1_601) {
            for power in [1.0, 10.0, 100.0, 1e5, 1e6, 1e7] {
                let price = |index: usize| f64::from(start + index as u32) / power;
                for_each_tier(&OneByOne(core::array::from_fn(price)));
                for_each_tier(&OneByOne(core::array::from_fn(|index| -price(index).next_up())));
            }
        }
    }

    /// A buffer that moves when it grows for the first time, and does not grow again.
    struct GrowsOnce {
        parts: [Vec<u8>; 2],
        grown: usize,
        history: FloatHistory,
    }

    // SAFETY: each window is the unwritten part of a vector of which the buffer is the owner, it
    // has `additional` bytes (checked), and growing copies the first `used` bytes.
    unsafe impl Buffer for GrowsOnce {
        fn window(&mut self, used: usize, additional: usize) -> Result<Window, NoMemory> {
            if used > 0 {
                let [old, new] = &mut self.parts;
                if self.grown == 1 || new.len() < used + additional {
                    return Err(NoMemory);
                }
                new[..used].copy_from_slice(&old[..used]);
                self.grown = 1;
            }
            let rest = &mut self.parts[self.grown][used..];
            assert!(rest.len() >= additional);
            let range = rest.as_mut_ptr_range();
            // SAFETY: the range is the rest of a vector that is not resized.
            Ok(unsafe { Window::new(NonNull::new(range.start).unwrap(), range.end) })
        }

        fn start(&self) -> *const u8 {
            self.parts[self.grown].as_ptr()
        }

        fn float_history(&mut self) -> &mut FloatHistory {
            &mut self.history
        }
    }

    #[test]
    fn a_failed_growth_keeps_what_was_written() {
        let parts = [vec![0; 100], vec![0; 200]];
        let mut buffer = GrowsOnce { parts, grown: 0, history: FloatHistory::default() };
        let mut out = Out::new(&mut buffer).unwrap();
        assert_eq!(out.floats_by::<Scalar>(&[1.0 / 3.0; FLOATS], FLOATS), Err(NoMemory));
        let (len, float) = (out.len(), "0.3333333333333333,");
        assert!(len < 200 && len % float.len() == 0, "{len}");
        assert_eq!(buffer.parts[1][..len], float.repeat(len / float.len()).into_bytes());
    }

    proptest::proptest! {
        #[test]
        fn random_bits(bits: [u64; FLOATS]) {
            for_each_tier(&OneByOne(bits.map(f64::from_bits)));
        }

        #[test]
        fn random_millionths(counts: [u32; FLOATS], scale in 0..7) {
            for_each_tier(&OneByOne(counts.map(|count| f64::from(count) / 10f64.powi(scale))));
        }
    }
}
