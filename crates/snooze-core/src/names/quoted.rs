//! One name as it stands in a document, with the quote that ends it.
//!
//! Separate from `set`, because a single name can be expected, too. Invariant: a name is next only
//! if all its bytes and the closing quote are. Used by `set` and by the typed decoder.

/// The bytes that a comparison reads.
pub const AHEAD: usize = 32;

/// A name and its closing quote, for comparison with the text after an opening quote.
#[derive(Clone, Copy, Debug)]
pub struct QuotedName {
    /// The name and a closing quote, then zeros.
    quoted: [u8; AHEAD],
    /// All ones for the bytes of `quoted` to compare.
    mask: [u8; AHEAD],
}

impl QuotedName {
    /// No text begins with this one: its mask is zero where it is not.
    pub(super) const NEVER: Self = Self { quoted: [1; AHEAD], mask: [0; AHEAD] };

    /// The name; `None` if it has more than 31 bytes, or if JSON writes it with escapes.
    #[inline(always)]
    pub fn new(name: &[u8]) -> Option<Self> {
        let is_plain = |&byte: &u8| byte >= b' ' && byte != b'"' && byte != b'\\';
        if name.len() >= AHEAD || !name.iter().all(is_plain) {
            return None;
        }
        let (mut quoted, mut mask) = ([0; AHEAD], [0; AHEAD]);
        quoted[..name.len()].copy_from_slice(name);
        quoted[name.len()] = b'"';
        mask[..=name.len()].fill(0xff);
        Some(Self { quoted, mask })
    }

    /// Whether `ahead`, the text after an opening quote, begins with the name and a closing quote.
    #[inline(always)]
    pub fn is_next(&self, ahead: &[u8; AHEAD]) -> bool {
        // PERF: the same work for every length, so that only the result needs a prediction.
        let masked: [u8; AHEAD] = core::array::from_fn(|at| ahead[at] & self.mask[at]);
        masked == self.quoted
    }
}
