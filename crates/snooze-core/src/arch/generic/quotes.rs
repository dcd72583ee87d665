//! Where a block of text has strings: told from its quotes and backslashes, all at once.
//!
//! Separate from `structure` and `tokens`, which both need it, because it is what they keep from block
//! to block. Outside of strings a backslash only matters before a quote.

/// Bytes that are looked at together: as many as a mask has bits.
pub(super) const BLOCK: usize = 64;

/// The characters behind a backslash that is none itself; `carry` is one if the first character of
/// this block is, and then of the next one.
///
/// Source: simdjson, `json_escape_scanner.h`. In a run of backslashes each second one is escaped. A
/// subtraction carries through each run, so that it tells even from odd places.
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

/// For each bit, whether an odd number of bits up to and with it is set.
#[inline(always)]
fn parity(mut bits: u64) -> u64 {
    for shift in [1, 2, 4, 8, 16, 32] {
        bits ^= bits << shift;
    }
    bits
}

/// What is known of strings where a block begins.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Strings {
    /// All ones inside of one.
    inside: u64,
    /// One bit behind a backslash.
    carry: u64,
}

/// Where a block has strings.
pub(super) struct Inside {
    /// The quotes that are not escaped.
    pub(super) quotes: u64,
    /// Strings with their opening quotes.
    pub(super) inside: u64,
    /// What stands behind a backslash that is not there itself.
    pub(super) escaped: u64,
}

impl Strings {
    /// Where the next block has strings, by its quotes and backslashes.
    #[inline(always)]
    pub(super) fn pass(&mut self, quotes: u64, backslashes: u64) -> Inside {
        let escaped = escaped(backslashes, &mut self.carry);
        let quotes = quotes & !escaped;
        let inside = parity(quotes) ^ self.inside;
        self.inside = ((inside as i64) >> 63) as u64;
        Inside { quotes, inside, escaped }
    }
}
