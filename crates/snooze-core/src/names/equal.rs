//! Equality of short byte strings.
//!
//! Separate because caches of keys and strings outside this crate compare as [`Names`] does.
//!
//! [`Names`]: super::Names

/// Whether bytes are equal, without a call of `memcmp` for the usual lengths of names.
#[inline(always)]
pub fn bytes_equal(left: &[u8], right: &[u8]) -> bool {
    if left.len() != right.len() {
        return false;
    }
    match left.len() {
        17..=32 => {
            left.first_chunk::<16>() == right.first_chunk()
                && left.last_chunk::<16>() == right.last_chunk()
        }
        8..=16 => {
            left.first_chunk::<8>() == right.first_chunk()
                && left.last_chunk::<8>() == right.last_chunk()
        }
        4..8 => {
            left.first_chunk::<4>() == right.first_chunk()
                && left.last_chunk::<4>() == right.last_chunk()
        }
        0..4 => left.iter().eq(right),
        _ => left == right,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_different_byte_is_found_at_every_place_of_every_length() {
        for length in 0..80 {
            let left: Vec<u8> = (0..length).collect();
            assert!(bytes_equal(&left, &left.clone()), "{length}");
            for at in 0..left.len() {
                let mut right = left.clone();
                right[at] ^= 0x20;
                assert!(!bytes_equal(&left, &right), "{length}, {at}");
            }
            assert!(!bytes_equal(&left, &(0..=length).collect::<Vec<_>>()), "{length}");
        }
    }
}
