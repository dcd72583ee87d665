//! What the floats written last were like.
//!
//! Separate from `float` because each buffer keeps one, and `window` names it. Invariant: it
//! changes only speed, never the text. Used by `float`.

/// Whether the last two floats could have been written by the fast path for floats of at most six
/// digits after the point.
///
/// PERF: the path is tried only then. Documents have mostly floats of one kind, but where one float
/// in ten is short, as in canada, a branch on each would be mispredicted: 10 % (2026-11-22).
#[derive(Clone, Copy, Debug)]
pub struct FloatHistory(u8);

impl FloatHistory {
    #[inline(always)]
    pub(super) fn expects_millionths(self) -> bool {
        self.0 & 3 == 3
    }

    /// Adds a float that the general path has written, from its number of digits and the power of
    /// ten of the first.
    #[inline(always)]
    pub(super) fn add(&mut self, digits: usize, exponent: i32) {
        let after_point = digits as i32 - 1 - exponent;
        let is_short = (after_point <= 6) & (-5..9).contains(&exponent);
        self.0 = self.0 << 1 | u8::from(is_short);
    }
}

impl Default for FloatHistory {
    #[inline(always)]
    fn default() -> Self {
        Self(3)
    }
}
