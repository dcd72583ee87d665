//! Which bytes of a block are inside strings, computed from its quotes and backslashes.
//!
//! Separate because `structure` and `tokens` both need it. Invariant: a string may span blocks, so
//! [`StringState`] carries what is known from one block to the next. Outside strings, a backslash
//! only matters before a quote.

/// Bytes in a block: one for each bit of a mask.
pub(super) const BLOCK: usize = 64;

/// The characters that an unescaped backslash precedes. `carry` is one if that applies to the first
/// character of this block; it is then set for the next block.
///
/// Source: simdjson, `json_escape_scanner.h`. In a run of backslashes every second one is escaped.
/// A subtraction carries through each run, which separates even from odd positions.
#[inline(always)]
fn escaped(backslashes: u64, carry: &mut u64) -> u64 {
    const ODD: u64 = 0xaaaa_aaaa_aaaa_aaaa;
    if backslashes == 0 {
        return core::mem::take(carry);
    }
    let first = *carry;
    let starts = backslashes & !first;
    let both = ((starts << 1 | ODD).wrapping_sub(starts)) ^ ODD;
    *carry = (both & backslashes) >> 63;
    both ^ (backslashes | first)
}

/// For each bit, whether an odd number of bits is set up to and including it.
#[inline(always)]
fn prefix_parity(mut bits: u64) -> u64 {
    for shift in [1, 2, 4, 8, 16, 32] {
        bits ^= bits << shift;
    }
    bits
}

/// What is known at the start of a block.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct StringState {
    /// All ones inside a string, otherwise zero.
    inside: u64,
    /// One after an unescaped backslash, otherwise zero.
    escape_carry: u64,
}

/// The strings of a block.
pub(super) struct StringMasks {
    /// Quotes that are not escaped.
    pub(super) quotes: u64,
    /// Strings, with their opening quotes and without their closing ones.
    pub(super) inside: u64,
    /// Characters that an unescaped backslash precedes.
    pub(super) escaped: u64,
}

impl StringState {
    /// The strings of the next block, from the masks of its quotes and backslashes.
    #[inline(always)]
    pub(super) fn next_block(&mut self, quotes: u64, backslashes: u64) -> StringMasks {
        let escaped = escaped(backslashes, &mut self.escape_carry);
        let quotes = quotes & !escaped;
        let inside = prefix_parity(quotes) ^ self.inside;
        self.inside = ((inside as i64) >> 63) as u64;
        StringMasks { quotes, inside, escaped }
    }
}
