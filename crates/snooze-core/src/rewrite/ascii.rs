//! Parts of a text: copied, or with only ASCII characters.
//!
//! Separate from `restyle`, which looks at every token: JSON has characters outside ASCII in strings
//! only, so those are all that must be found. Invariant: what is ASCII is copied, but for DEL, which
//! `json.dumps` escapes too. Called by `restyle`, and by snooze-py for encoders.

use crate::arch::Vector;
use crate::arch::generic::scan::load_first;
use crate::out::{Buffer, NoMemory, Out};

/// DEL, the first character that is escaped.
const DELETE: u8 = 0x7f;

/// The bytes before the first one that is escaped.
#[inline(always)]
pub fn ascii_run<V: Vector>(text: &[u8]) -> usize {
    let mut at = 0;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let others = load_first::<V>(rest).at_least(DELETE);
        if others != 0 {
            return at + others.trailing_zeros() as usize;
        }
        at += V::LANES;
    }
    text.len()
}

/// Writes `text[start..end]` with escapes for all that is not ASCII; what is no UTF-8 becomes U+FFFD.
///
/// # Errors
/// If no memory is left.
#[inline(always)]
pub fn write_ascii<V: Vector, B: Buffer>(
    text: &[u8],
    mut start: usize,
    end: usize,
    out: &mut Out<'_, B>,
) -> Result<(), NoMemory> {
    while start < end {
        let part = text.get(start..end).unwrap_or(&[]);
        let plain = ascii_run::<V>(part);
        copy(text, start, start + plain, out)?;
        let part = part.get(plain..).unwrap_or(&[]);
        let others = part.iter().position(|&byte| byte < DELETE).unwrap_or(part.len());
        for part in part.get(..others).unwrap_or(&[]).utf8_chunks() {
            for code in part.valid().chars() {
                out.code_escape(code.into())?;
            }
            if !part.invalid().is_empty() {
                out.code_escape(char::REPLACEMENT_CHARACTER.into())?;
            }
        }
        start += plain + others;
    }
    Ok(())
}

/// Copies a part of the text.
///
/// PERF: most parts are short, and one store of a fixed size is cheaper than a call that copies
/// exactly the bytes needed.
#[inline(always)]
pub(crate) fn copy<B: Buffer>(
    text: &[u8],
    start: usize,
    end: usize,
    out: &mut Out<'_, B>,
) -> Result<(), NoMemory> {
    let ahead = text.get(start..).and_then(|rest| rest.first_chunk::<32>());
    match ahead {
        Some(bytes) if end - start <= bytes.len() => out.padded(bytes, end - start),
        _ => out.raw(text.get(start..end).unwrap_or(&[])),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arch::testing::{TierTest, for_each_tier};
    use crate::out::VecBuffer;

    struct Bytes(Vec<u8>);

    impl TierTest for Bytes {
        fn check<V: Vector>(&self) {
            let mut buffer = VecBuffer::new();
            let mut out = Out::new(&mut buffer).unwrap();
            write_ascii::<V, _>(&self.0, 0, self.0.len(), &mut out).unwrap();
            let len = out.len();
            let found = String::from_utf8(buffer.into_vec(len)).unwrap();
            let mut units = [0; 2];
            let mut expected = String::new();
            for char in String::from_utf8_lossy(&self.0).chars() {
                match char {
                    '\0'..'\x7f' => expected.push(char),
                    _ => {
                        for unit in char.encode_utf16(&mut units) {
                            expected.push_str(&format!("\\u{unit:04x}"));
                        }
                    }
                }
            }
            assert_eq!(found, expected);
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text(text: String, plain in "[a-z\u{7f}é]{0,80}") {
            for_each_tier(&Bytes(text.into_bytes()));
            for_each_tier(&Bytes(plain.into_bytes()));
        }

        #[test]
        fn any_bytes(bytes: Vec<u8>) {
            for_each_tier(&Bytes(bytes));
        }
    }
}
