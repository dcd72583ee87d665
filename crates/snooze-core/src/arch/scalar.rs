//! The `scalar` tier: eight bytes in an integer register (SWAR), on every processor.
//!
//! Separate because each tier is one file. It is the oracle of the other tiers, and the only tier
//! on processors without vectors. A multiplication gathers the bits of a mask; see `gather`.

use super::{Lanes, Task, Vector};

/// Eight bytes, lane 0 in the least significant byte on every machine.
#[derive(Clone, Copy)]
pub(crate) struct Scalar(u64);

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGHS: u64 = 0x8080_8080_8080_8080;

/// Moves the top bit of each byte to one bit per lane.
#[inline(always)]
fn gather(tops: u64) -> u64 {
    // The eight top bits, shifted down to bit 0 of their bytes, move to bits 56 to 63: the
    // multiplier has one bit for each lane, seven apart, so that no two products overlap.
    ((tops & HIGHS) >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56
}

/// Sets the top bit of each byte that equals `byte`. Exact, unlike the shorter borrow trick.
#[inline(always)]
fn equal(lanes: u64, byte: u8) -> u64 {
    let x = lanes ^ (ONES * byte as u64);
    // (x & 0x7f) + 0x7f has a clear top bit only for x == 0 or 0x80; or-ing x excludes 0x80.
    !(((x & !HIGHS) + !HIGHS) | x) & HIGHS
}

/// Sets the top bit of each byte below `limit <= 0x80`, compared unsigned.
#[inline(always)]
fn below(lanes: u64, limit: u8) -> u64 {
    // For bytes below 0x80, adding 0x80 - limit sets the top bit unless byte < limit.
    !((lanes & !HIGHS) + ONES * (0x80 - limit) as u64) & !lanes & HIGHS
}

// SAFETY: `LANES` is 8 and each mask has one bit for each lane, because `gather` makes it from
// eight top bits.
unsafe impl Lanes for Scalar {
    const LANES: usize = 8;

    #[inline(always)]
    unsafe fn load(source: *const u8) -> Self {
        // SAFETY: eight bytes are readable, because the caller guarantees it.
        Self(u64::from_le_bytes(unsafe { source.cast::<[u8; 8]>().read() }))
    }

    #[inline(always)]
    unsafe fn load_partial(source: *const u8, count: usize) -> Self {
        // SAFETY: `count` bytes are readable, because the caller guarantees it.
        Self(unsafe { partial_u64(source, count) })
    }

    #[inline(always)]
    unsafe fn store(self, target: *mut u8) {
        // SAFETY: eight bytes are writable, because the caller guarantees it.
        unsafe { target.cast::<[u8; 8]>().write(self.0.to_le_bytes()) }
    }

    #[inline(always)]
    fn string_stops(self) -> u64 {
        gather(equal(self.0, b'"') | equal(self.0, b'\\') | below(self.0, 0x20))
    }

    #[inline(always)]
    fn non_ascii(self) -> u64 {
        gather(self.0)
    }

    #[inline(always)]
    fn non_space(self) -> u64 {
        let space = equal(self.0, b' ')
            | equal(self.0, b'\n')
            | equal(self.0, b'\r')
            | equal(self.0, b'\t');
        gather(!space)
    }

    #[inline(always)]
    fn char_starts(self) -> u64 {
        // A continuation byte is 10xxxxxx: its top bit is set, the next one clear.
        gather(!self.0 | (self.0 << 1))
    }

    #[inline(always)]
    fn at_least(self, floor: u8) -> u64 {
        let mut mask = 0;
        for (lane, byte) in self.0.to_le_bytes().into_iter().enumerate() {
            mask |= u64::from(byte >= floor) << lane;
        }
        mask
    }

    #[inline(always)]
    fn equal(self, byte: u8) -> u64 {
        gather(equal(self.0, byte))
    }

    #[inline(always)]
    fn brackets_to_braces(self) -> Self {
        Self(self.0 | (ONES * 0x20))
    }

    #[inline(always)]
    unsafe fn widen_16(source: *const u8, target: *mut u16) {
        for lane in 0..Self::LANES {
            // SAFETY: `lane < LANES`, and the caller guarantees `LANES` bytes and units.
            unsafe { target.add(lane).write(u16::from(source.add(lane).read())) }
        }
    }

    #[inline(always)]
    unsafe fn widen_32(source: *const u8, target: *mut u32) {
        for lane in 0..Self::LANES {
            // SAFETY: `lane < LANES`, and the caller guarantees `LANES` bytes and units.
            unsafe { target.add(lane).write(u32::from(source.add(lane).read())) }
        }
    }
}

// SAFETY: every contract holds, because no kernel is replaced.
unsafe impl Vector for Scalar {
    const IS_SCALAR: bool = true;

    #[inline(never)]
    unsafe fn call_unchecked<T: Task>(task: T) -> T::Output {
        task.with_vectors::<Self>()
    }
}

/// Loads `count < 8` bytes into the low bytes of a number, by overlapping reads; reads no further
/// byte.
///
/// # Safety
/// `source` is valid for reading `count` bytes.
#[inline(always)]
pub(super) unsafe fn partial_u64(source: *const u8, count: usize) -> u64 {
    debug_assert!(count < 8);
    if count >= 4 {
        // SAFETY: both reads of four bytes lie inside the `count` bytes, because `count >= 4`; the
        // caller guarantees these.
        let (low, high) = unsafe {
            (
                u32::from_le_bytes(source.cast::<[u8; 4]>().read()),
                u32::from_le_bytes(source.add(count - 4).cast::<[u8; 4]>().read()),
            )
        };
        u64::from(low) | (u64::from(high) << (8 * (count - 4)))
    } else if count > 0 {
        // SAFETY: bytes 0, count / 2 and count - 1 lie inside the `count` bytes, because `count >
        // 0`; the caller guarantees these.
        let (first, middle, last) =
            unsafe { (source.read(), source.add(count / 2).read(), source.add(count - 1).read()) };
        u64::from(first)
            | (u64::from(middle) << (8 * (count / 2)))
            | (u64::from(last) << (8 * (count - 1)))
    } else {
        0
    }
}
