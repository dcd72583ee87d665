//! UUIDs as text (RFC 9562, section 4).

/// The 36 characters of a UUID, lower case.
pub fn hyphenated(value: u128) -> [u8; 36] {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    let mut text = [b'-'; 36];
    let mut at = 0;
    for byte in value.to_be_bytes() {
        if matches!(at, 8 | 13 | 18 | 23) {
            at += 1;
        }
        text[at] = HEX[usize::from(byte >> 4)];
        text[at + 1] = HEX[usize::from(byte & 15)];
        at += 2;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_digit_has_its_place() {
        assert_eq!(
            &hyphenated(0x0123_4567_89ab_cdef_fedc_ba98_7654_3210),
            b"01234567-89ab-cdef-fedc-ba9876543210",
        );
        assert_eq!(&hyphenated(0), b"00000000-0000-0000-0000-000000000000");
        assert_eq!(&hyphenated(u128::MAX), b"ffffffff-ffff-ffff-ffff-ffffffffffff");
    }
}
