//! Bitmaps: the values of a column of booleans, and which rows of a column are valid.
//!
//! Separate because both kinds grow, are filled in bulk and are cut back in the same way.
//! Invariants: bits are numbered from the lowest of each byte, as Arrow wants them, and bits after
//! the last are zero. A [`Validity`] stores nothing while no row is null, and never the valid rows
//! after the last null, so a valid row costs nothing.

use super::memory::{NoMemory, reserve};

/// A growing bitmap.
#[derive(Debug, Default)]
pub(super) struct Bits {
    bytes: Vec<u8>,
    len: usize,
}

impl Bits {
    /// Appends one bit.
    #[inline(always)]
    pub(super) fn push(&mut self, bit: bool) -> Result<(), NoMemory> {
        if self.len.is_multiple_of(8) {
            reserve(&mut self.bytes, 1)?;
            self.bytes.push(0);
        }
        if let Some(last) = self.bytes.last_mut() {
            *last |= u8::from(bit) << (self.len % 8);
        }
        self.len += 1;
        Ok(())
    }

    /// The first bit.
    pub(super) fn first(&self) -> Option<bool> {
        self.bytes.first().map(|byte| byte & 1 == 1)
    }

    /// Appends bits until there are `len`.
    pub(super) fn fill(&mut self, len: usize, bit: bool) -> Result<(), NoMemory> {
        let (start, whole) = (self.len, len.div_ceil(8));
        if self.bytes.len() < whole {
            let more = whole - self.bytes.len();
            reserve(&mut self.bytes, more)?;
            self.bytes.resize(whole, 0);
        }
        if start < len {
            self.len = len;
            if bit {
                self.set(start, len);
            }
        }
        Ok(())
    }

    /// Sets the bits from `start` to `end`, which exist. PERF: without a loop over bits.
    fn set(&mut self, start: usize, end: usize) {
        if start >= end {
            return;
        }
        let (first, last) = (start / 8, (end - 1) / 8);
        let (head, tail) = (0xff << (start % 8), 0xff >> (7 - (end - 1) % 8));
        if first == last {
            self.bytes[first] |= head & tail;
        } else {
            self.bytes[first] |= head;
            self.bytes[first + 1..last].fill(0xff);
            self.bytes[last] |= tail;
        }
    }

    /// Removes the bits from `len` on; returns how many of them were zero.
    pub(super) fn truncate(&mut self, len: usize) -> usize {
        if len >= self.len {
            return 0;
        }
        let bit = |at: usize| self.bytes[at / 8] >> (at % 8) & 1;
        let zeros = (len..self.len).filter(|&at| bit(at) == 0).count();
        self.bytes.truncate(len.div_ceil(8));
        self.len = len;
        self.clear_rest();
        zeros
    }

    /// Clears the bits after the last one.
    fn clear_rest(&mut self) {
        if let Some(last) = self.bytes.last_mut()
            && !self.len.is_multiple_of(8)
        {
            *last &= 0xff >> (8 - self.len % 8);
        }
    }

    /// Takes the bytes out and leaves an empty bitmap.
    pub(super) fn take(&mut self) -> Vec<u8> {
        self.len = 0;
        core::mem::take(&mut self.bytes)
    }
}

/// Which rows of a column are not null.
#[derive(Debug, Default)]
pub(super) struct Validity {
    /// The rows up to the last null; all rows after them are valid.
    bits: Bits,
    nulls: usize,
}

impl Validity {
    /// Marks the rows from `row` to `end` as null; rows not yet mentioned before them are valid.
    pub(super) fn add_nulls(&mut self, row: usize, end: usize) -> Result<(), NoMemory> {
        let start = self.bits.len;
        self.bits.fill(end, false)?;
        self.bits.set(start, row);
        self.nulls += end - row;
        Ok(())
    }

    /// Whether a row is null.
    pub(super) fn is_null(&self, row: usize) -> bool {
        row < self.bits.len && self.bits.bytes[row / 8] >> (row % 8) & 1 == 0
    }

    /// Forgets the rows from `rows` on.
    pub(super) fn truncate(&mut self, rows: usize) {
        self.nulls -= self.bits.truncate(rows);
    }

    /// Takes the bitmap of `rows` rows out, if any is null, and how many are.
    pub(super) fn take(&mut self, rows: usize) -> Result<(Option<Vec<u8>>, usize), NoMemory> {
        let nulls = core::mem::take(&mut self.nulls);
        if nulls == 0 {
            self.bits.take();
            return Ok((None, 0));
        }
        self.bits.fill(rows, true)?;
        Ok((Some(self.bits.take()), nulls))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn naive(bits: &[bool]) -> Vec<u8> {
        let byte =
            |eight: &[bool]| (0..).zip(eight).map(|(at, &bit)| u8::from(bit) << at).sum::<u8>();
        bits.chunks(8).map(byte).collect()
    }

    proptest::proptest! {
        #[test]
        fn pushes_fills_and_cuts(steps in proptest::collection::vec((0..3u8, 0..40usize, proptest::bool::ANY), 0..30)) {
            let (mut ours, mut naive_bits) = (Bits::default(), Vec::new());
            for (step, number, bit) in steps {
                match step {
                    0 => {
                        ours.push(bit).unwrap();
                        naive_bits.push(bit);
                    }
                    1 => {
                        ours.fill(naive_bits.len() + number, bit).unwrap();
                        naive_bits.resize(naive_bits.len() + number, bit);
                    }
                    _ => {
                        let len = naive_bits.len().saturating_sub(number);
                        let zeros = naive_bits.drain(len..).filter(|bit| !bit).count();
                        proptest::prop_assert_eq!(ours.truncate(len), zeros);
                    }
                }
                proptest::prop_assert_eq!(ours.len, naive_bits.len());
            }
            proptest::prop_assert_eq!(ours.take(), naive(&naive_bits));
        }

        #[test]
        fn validity_counts_nulls(rows in proptest::collection::vec(proptest::bool::ANY, 0..100), cut in 0..100usize) {
            let mut ours = Validity::default();
            for (row, &valid) in rows.iter().enumerate() {
                if !valid {
                    ours.add_nulls(row, row + 1).unwrap();
                }
            }
            let rows = &rows[..cut.min(rows.len())];
            ours.truncate(rows.len());
            let nulls = rows.iter().filter(|valid| !**valid).count();
            let expected = (nulls > 0).then(|| naive(rows));
            proptest::prop_assert_eq!(ours.take(rows.len()).unwrap(), (expected, nulls));
        }
    }
}
