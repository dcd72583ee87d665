//! Reads base64 (RFC 4648, section 4): the standard alphabet, with padding.
//!
//! Separate from its writer, `out::base64`, which writes in place. Invariant: accepts only
//! canonical text (no white space, complete padding, no unused bits set), so different texts mean
//! different bytes. [`decoded_len`] comes first, so that the caller can allocate the exact size.
//! Called by the typed decoder, which decodes into the uninitialised memory of a new `bytes`
//! object.

use core::mem::MaybeUninit;

/// The entry of bytes outside the alphabet: a bit above those of three bytes.
const INVALID: u32 = 1 << 24;

/// For each of the four positions in a group: the bits that a character means there, or
/// [`INVALID`].
///
/// PERF: one lookup for each character; joining them needs no shift.
static BITS: [[u32; 256]; 4] = {
    let mut tables = [[INVALID; 256]; 4];
    let alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut value = 0;
    while value < 64 {
        let byte = alphabet[value] as usize;
        let mut position = 0;
        while position < 4 {
            tables[position][byte] = (value as u32) << (18 - 6 * position);
            position += 1;
        }
        value += 1;
    }
    tables
};

/// The three bytes of a group as a number, the first byte highest; at least [`INVALID`] if a
/// character is invalid.
#[inline(always)]
fn group_bits([a, b, c, d]: [u8; 4]) -> u32 {
    let [first, second, third, fourth] = &BITS;
    first[usize::from(a)] | second[usize::from(b)] | third[usize::from(c)] | fourth[usize::from(d)]
}

/// The number of bytes that `text` decodes to, if it is valid.
#[inline]
pub fn decoded_len(text: &[u8]) -> Option<usize> {
    if !text.len().is_multiple_of(4) {
        return None;
    }
    let padding = match text {
        [.., b'=', b'='] => 2,
        [.., b'='] => 1,
        _ => 0,
    };
    // No underflow: a text with padding has at least four characters.
    Some(text.len() / 4 * 3 - padding)
}

/// Decodes `text` into `target`, which has [`decoded_len`] bytes. If `text` is invalid, returns
/// `None` and may have written a part of `target`.
pub fn decode(text: &[u8], target: &mut [u8]) -> Option<()> {
    decode_with(text, target, |byte| byte)
}

/// [`decode`] into uninitialised memory. If it returns `Some`, all of `target` is initialised.
pub fn decode_uninit(text: &[u8], target: &mut [MaybeUninit<u8>]) -> Option<()> {
    decode_with(text, target, MaybeUninit::new)
}

#[inline(always)]
fn decode_with<T: Copy>(text: &[u8], target: &mut [T], unit: impl Fn(u8) -> T) -> Option<()> {
    if decoded_len(text)? != target.len() {
        return None;
    }
    let (targets, last) = target.as_chunks_mut::<3>();
    let (texts, _) = text.as_chunks::<4>();
    let mut all = 0;
    for (target, text) in targets.iter_mut().zip(texts) {
        let bits = group_bits(*text);
        all |= bits;
        let [_, a, b, c] = bits.to_be_bytes();
        *target = [unit(a), unit(b), unit(c)];
    }
    if let Some(&[a, b, c, _]) = texts.last()
        && !last.is_empty()
    {
        // `A` means zero bits; it replaces the padding.
        let bits = group_bits([a, b, if last.len() == 1 { b'A' } else { c }, b'A']);
        all |= bits;
        // The unused bits must be zero.
        if bits << (8 + 8 * last.len()) != 0 {
            return None;
        }
        for (target, byte) in last.iter_mut().zip(&bits.to_be_bytes()[1..]) {
            *target = unit(*byte);
        }
    }
    (all < INVALID).then_some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same, one bit at a time, as in the RFC.
    fn naive(text: &[u8]) -> Option<Vec<u8>> {
        let alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let padding = text.iter().rev().take_while(|&&byte| byte == b'=').count();
        if !text.len().is_multiple_of(4) || padding > 2 {
            return None;
        }
        let mut bits = Vec::new();
        for byte in &text[..text.len() - padding] {
            let value = alphabet.iter().position(|letter| letter == byte)?;
            bits.extend((0..6).rev().map(|bit| value >> bit & 1));
        }
        let (bytes, rest) = bits.as_chunks::<8>();
        if rest.len() != 2 * padding || rest.contains(&1) {
            return None;
        }
        let byte = |bits: &[usize; 8]| bits.iter().fold(0, |byte, bit| byte << 1 | *bit as u8);
        Some(bytes.iter().map(byte).collect())
    }

    fn decoded(text: &[u8]) -> Option<Vec<u8>> {
        let len = decoded_len(text)?;
        let (mut target, mut fresh) = (vec![0; len], vec![MaybeUninit::uninit(); len]);
        let result = decode(text, &mut target);
        assert_eq!(decode_uninit(text, &mut fresh), result);
        result.map(|()| target)
    }

    #[test]
    fn the_examples_of_the_rfc() {
        for (text, bytes) in [
            ("", ""),
            ("Zg==", "f"),
            ("Zm8=", "fo"),
            ("Zm9v", "foo"),
            ("Zm9vYg==", "foob"),
            ("Zm9vYmE=", "fooba"),
            ("Zm9vYmFy", "foobar"),
        ] {
            assert_eq!(decoded(text.as_bytes()), Some(bytes.into()), "{text}");
        }
        assert_eq!(decoded(b"+/+/"), Some(vec![0xfb, 0xff, 0xbf]));
    }

    #[test]
    fn invalid_texts() {
        for text in [
            "Z",
            "Zg",
            "Zg=",
            "Zg===",
            "Zh==",
            "Zm9=",
            "Zm8",
            "====",
            "=",
            "==",
            "A===",
            "Zg==Zg==",
            "Zm=v",
            "Z===",
            "Zm9v\n",
            "Zm 9v===",
            "Zm9-",
            "Zm9_",
            "Zm9v=",
            "=Zm9",
            "Zm\u{e9}v",
        ] {
            assert_eq!(decoded(text.as_bytes()), None, "{text}");
            assert_eq!(naive(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn a_target_of_another_size_is_refused() {
        for len in [0, 2, 4] {
            assert_eq!(decode(b"Zm9v", &mut vec![0; len]), None);
        }
    }

    #[test]
    fn every_byte_at_every_position() {
        for text in [&b"QUJDREVGR0hJ"[..], b"QUJDREVGR0g=", b"QUJDREVGRw=="] {
            for at in 0..text.len() {
                for byte in 0..=255 {
                    let mut text = text.to_vec();
                    text[at] = byte;
                    assert_eq!(decoded(&text), naive(&text), "{text:?}");
                }
            }
        }
    }

    proptest::proptest! {
        #[test]
        fn agrees_with_the_naive_decoder(text in "([A-Za-z0-9+/]{4}){0,30}([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?") {
            proptest::prop_assert_eq!(decoded(text.as_bytes()), naive(text.as_bytes()));
        }

        #[test]
        fn arbitrary_bytes(text: Vec<u8>) {
            proptest::prop_assert_eq!(decoded(&text), naive(&text));
        }
    }
}
