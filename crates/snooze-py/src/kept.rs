//! Tokens for objects that stay objects, in text that only this extension reads.
//!
//! `to_builtins` writes a value as JSON and reads that again, so that its result is what JSON would
//! make of it. An object that is kept as it is has a token in that text: a byte that UTF-8 does not
//! have, and the index of the object. Separate because `encode` writes tokens and `decode` reads
//! them. Invariant: a token has a fixed length, so it needs no end.

/// The first byte of a token.
pub(crate) const MARK: u8 = 0xff;

/// The length of a token: the mark and eight hexadecimal digits.
pub(crate) const TOKEN_LEN: usize = 9;

/// The token of the object at an index; `None` if there are more objects than tokens.
pub(crate) fn token(index: usize) -> Option<[u8; TOKEN_LEN]> {
    let mut rest = u32::try_from(index).ok()?;
    let mut token = [MARK; TOKEN_LEN];
    for place in token.iter_mut().skip(1).rev() {
        *place = b"0123456789abcdef"[(rest & 15) as usize];
        rest >>= 4;
    }
    Some(token)
}

/// The index in the token at the start of some text.
pub(crate) fn index(text: &[u8]) -> Option<usize> {
    let (&MARK, digits) = text.get(..TOKEN_LEN)?.split_first()? else { return None };
    digits.iter().try_fold(0, |index, &digit| {
        let digit = char::from(digit).to_digit(16)?;
        Some(index << 4 | digit as usize)
    })
}
