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
    pub const NEVER: Self = Self { quoted: [1; AHEAD], mask: [0; AHEAD] };

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

    /// The name with both quotes and a colon, for comparison with the text from the opening quote
    /// on. No text begins with one of more than 29 bytes, or that JSON writes with escapes.
    #[inline(always)]
    pub fn member(name: &[u8]) -> Self {
        match Self::new(name) {
            Some(mut one) if name.len() + 3 <= AHEAD => {
                one.quoted.copy_within(..=name.len(), 1);
                one.quoted[0] = b'"';
                one.quoted[name.len() + 2] = b':';
                one.mask[..name.len() + 3].fill(0xff);
                one
            }
            _ => Self::NEVER,
        }
    }

    /// Whether `ahead`, the text after an opening quote, begins with the name and a closing quote.
    #[inline(always)]
    pub fn is_next(&self, ahead: &[u8; AHEAD]) -> bool {
        // PERF: the same work for every length, so that only the result needs a prediction.
        let masked: [u8; AHEAD] = core::array::from_fn(|at| ahead[at] & self.mask[at]);
        masked == self.quoted
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_member_is_next_with_quotes_and_colon_only() {
        for len in 0..AHEAD {
            let name = &b"abcdefghijklmnopqrstuvwxyz012345"[..len];
            let one = QuotedName::member(name);
            let mut text = [b'x'; 2 * AHEAD];
            text[0] = b'"';
            text[1..=len].copy_from_slice(name);
            text[len + 1..len + 3].copy_from_slice(b"\":");
            let is_next = |text: &[u8; 2 * AHEAD]| one.is_next(text.first_chunk().unwrap());
            assert_eq!(is_next(&text), len <= 29, "{len}");
            for at in 0..len + 3 {
                text[at] ^= 1;
                assert!(!is_next(&text), "{len}, {at}");
                text[at] ^= 1;
            }
        }
        for name in ["a\"b", "a\\b", "a\nb"] {
            let text = format!("\"{name}\":{}", "x".repeat(AHEAD));
            let one = QuotedName::member(name.as_bytes());
            assert!(!one.is_next(text.as_bytes().first_chunk().unwrap()));
        }
    }
}
