//! Copying a few bytes to a place that has no room for more.
//!
//! Separate from `escape` and `headed`, whose copies may write a whole vector. Called through
//! [`Vector::copy_exact`](super::super::Vector::copy_exact) where a `str` is built.

/// The generic [`Vector::copy_exact`](super::super::Vector::copy_exact): two pieces that may
/// overlap, without a call if there are few bytes, as in most texts.
///
/// # Safety
/// As for [`Vector::copy_exact`](super::super::Vector::copy_exact).
#[inline(always)]
pub(in super::super) unsafe fn copy_exact(source: &[u8], target: *mut u8) {
    let (from, length) = (source.as_ptr(), source.len());
    // SAFETY: inside `length` bytes, because each arm's pieces are at most as long; both pointers
    // are valid for them, because the caller says so.
    unsafe {
        match length {
            0 => {}
            1 => target.write(from.read()),
            2..4 => pieces::<2>(from, target, length),
            4..8 => pieces::<4>(from, target, length),
            8..16 => pieces::<8>(from, target, length),
            16..=32 => pieces::<16>(from, target, length),
            _ => target.copy_from_nonoverlapping(from, length),
        }
    }
}

/// Copies the first and the last `N` of `length` bytes, which may overlap.
///
/// # Safety
/// `N <= length <= 2 * N`, and both pointers are valid for `length` bytes.
#[inline(always)]
unsafe fn pieces<const N: usize>(from: *const u8, target: *mut u8, length: usize) {
    // SAFETY: inside `length` bytes, because `N` is at most that; valid, because the caller says
    // so.
    unsafe {
        let first = from.cast::<[u8; N]>().read();
        let last = from.add(length - N).cast::<[u8; N]>().read();
        target.cast::<[u8; N]>().write(first);
        target.add(length - N).cast::<[u8; N]>().write(last);
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::Vector;
    use super::super::super::testing::{EndOfAllocation, TierTest, for_each_tier};

    struct EveryLength;

    impl TierTest for EveryLength {
        fn check<V: Vector>(&self) {
            for len in 0..=130 {
                let bytes: Vec<u8> = (1..=len as u8).collect();
                let source = EndOfAllocation::new(len % 16, &bytes);
                let mut room = EndOfAllocation::new(len % 32, &vec![0xaa; len + 1]);
                // SAFETY: the target has a byte more than the source.
                unsafe { V::copy_exact(source.units(), room.as_mut_ptr()) };
                assert_eq!(room.units()[..len], bytes[..]);
                assert_eq!(room.units()[len], 0xaa, "a byte after the target was changed");
            }
        }
    }

    #[test]
    fn every_length_and_nothing_after_it() {
        for_each_tier(&EveryLength);
    }
}
