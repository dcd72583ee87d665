//! Writes bytes as a base64 string (RFC 4648, section 4).
//!
//! Separate from `string` because base64 needs no escapes. `text::base64` reads it.

use super::output::Out;
use super::window::{Buffer, NoMemory};

/// The two characters for each value of twelve bits.
///
/// PERF: half as many lookups as with one character each.
static PAIRS: [[u8; 2]; 4096] = {
    let alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut pairs = [[0; 2]; 4096];
    let mut bits = 0;
    while bits < 4096 {
        pairs[bits] = [alphabet[bits >> 6], alphabet[bits & 63]];
        bits += 1;
    }
    pairs
};

/// The four characters of three bytes.
#[inline(always)]
fn four_chars([first, second, third]: [u8; 3]) -> [u8; 4] {
    let bits = u32::from_be_bytes([0, first, second, third]);
    let [a, b] = PAIRS[(bits >> 12) as usize & 4095];
    let [c, d] = PAIRS[bits as usize & 4095];
    [a, b, c, d]
}

impl<B: Buffer> Out<'_, B> {
    /// Writes bytes as a base64 string with padding, and the separator.
    ///
    /// PERF: inlined, because a call with the address of the output keeps it in memory.
    #[inline(always)]
    pub fn base64(&mut self, bytes: &[u8], separator: u8) -> Result<(), NoMemory> {
        let groups = bytes.len().div_ceil(3);
        // Two quotes and the separator.
        let room = groups.checked_mul(4).and_then(|len| len.checked_add(3)).ok_or(NoMemory)?;
        self.reserve(room)?;
        let (whole, rest) = bytes.as_chunks::<3>();
        // SAFETY: all bytes are writable, because four for each group, including an incomplete one,
        // and three more are reserved above.
        unsafe {
            self.put([b'"'], 1);
            let target = self.window.claim(4 * whole.len()).cast::<[u8; 4]>();
            for (at, three) in whole.iter().enumerate() {
                target.add(at).write(four_chars(*three));
            }
            self.window = self.window.advanced(4 * whole.len());
            match *rest {
                [first] => {
                    let [a, b, ..] = four_chars([first, 0, 0]);
                    self.put([a, b, b'=', b'='], 4);
                }
                [first, second] => {
                    let [a, b, c, _] = four_chars([first, second, 0]);
                    self.put([a, b, c, b'='], 4);
                }
                _ => {}
            }
            self.put([b'"', separator], 2);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::written_whole;
    use crate::text::base64::{decode, decoded_len};

    fn text(bytes: &[u8]) -> String {
        let whole = written_whole(|out| out.base64(bytes, b':').unwrap());
        whole.strip_prefix('"').and_then(|text| text.strip_suffix("\":")).unwrap().to_owned()
    }

    #[test]
    fn the_examples_of_the_rfc() {
        let cases = ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"];
        for (len, expected) in cases.into_iter().enumerate() {
            assert_eq!(text(&b"foobar"[..len]), expected);
        }
        assert_eq!(text(&[0xfb, 0xff, 0xbf, 0, 0, 0]), "+/+/AAAA");
    }

    proptest::proptest! {
        #[test]
        fn round_trips(bytes: Vec<u8>) {
            let text = text(&bytes);
            let mut again = vec![0; decoded_len(text.as_bytes()).unwrap()];
            decode(text.as_bytes(), &mut again).unwrap();
            proptest::prop_assert_eq!(again, bytes);
        }
    }
}
