//! Stores decoded text: the first units of one vector of sixteen bytes, then those of a second.
//!
//! Separate from `utf8_blocks`, which decodes them. Invariant: nothing is written after the room
//! that the caller names. Called by `utf8_blocks`.

use super::sixteen::{BLOCK, Sixteen};
use super::units::Target;

/// The shuffles that move all lanes up and set those below to zero: the one by `n` is at offset
/// `16 - n`.
static MOVE_UP: [u8; 32] = {
    let mut table = [0x80; 32];
    let mut lane = 0;
    while lane < 16 {
        table[16 + lane] = lane as u8;
        lane += 1;
    }
    table
};

/// Stores eight units of one or two bytes.
///
/// # Safety
/// Eight units are writable at `target`, and a unit has at most two bytes.
#[inline(always)]
pub(super) unsafe fn store_half<H: Sixteen, T: Target>(units: H, target: *mut T) {
    debug_assert!(size_of::<T>() <= 2);
    // SAFETY: as the caller guarantees.
    unsafe {
        if size_of::<T>() == 1 {
            target.cast::<u64>().write_unaligned(units.low_bytes().to_le());
        } else {
            units.store(target.cast());
        }
    }
}

/// Stores the first units, of one or two bytes, of both vectors, and nothing after them.
///
/// PERF: from registers. A copy of stored units waits for both stores: lists of short Russian words
/// in 1.1 of the time (2026-11-28).
///
/// # Safety
/// `low + high` units are writable at `target`, both are at most eight, and a unit has at most two
/// bytes. Lanes above these units must be zero.
#[inline(always)]
pub(super) unsafe fn store_exact<H: Sixteen, T: Target>(
    (first, second): (H, H),
    [low, high]: [usize; 2],
    target: *mut T,
) {
    debug_assert!(size_of::<T>() <= 2);
    let (before, length) = (low * size_of::<T>(), (low + high) * size_of::<T>());
    let target = target.cast::<u8>();
    // SAFETY: in bounds, because each arm stores at most `length` bytes from the start and before
    // the end; the loads are inside the table, because no move is by more than 16: eight units have
    // at most sixteen bytes.
    unsafe {
        let up = |bytes: H, by: usize| bytes.shuffle(H::load(MOVE_UP.as_ptr().add(16 - by)));
        let start = first.or(up(second, before));
        if length > 16 {
            // The last sixteen bytes, from all 32.
            let rest = second.move_down(16 - before);
            let end = start.move_down(length - 16).or(up(rest, 32 - length));
            start.store(target);
            end.store(target.add(length - 16));
        } else if length >= 8 {
            let end = start.move_down(length - 8).low_bytes();
            target.cast::<u64>().write_unaligned(start.low_bytes().to_le());
            target.add(length - 8).cast::<u64>().write_unaligned(end.to_le());
        } else if length >= 4 {
            let bytes = start.low_bytes();
            let end = (bytes >> (8 * (length - 4))) as u32;
            target.cast::<u32>().write_unaligned((bytes as u32).to_le());
            target.add(length - 4).cast::<u32>().write_unaligned(end.to_le());
        } else {
            let bytes = start.low_bytes();
            if length >= 2 {
                target.cast::<u16>().write_unaligned((bytes as u16).to_le());
            }
            if length % 2 == 1 {
                target.add(length - 1).write((bytes >> (8 * (length - 1))) as u8);
            }
        }
    }
}

/// Stores units of four bytes: the first `counts` lanes of two bytes of both vectors of `units`,
/// with the planes in the lower eight bytes of those of `planes`. If the target `is_roomy`, others
/// may be written after them.
///
/// # Safety
/// As many units are writable at `target`, or [`BLOCK`] if it `is_roomy`; both counts are at most
/// eight.
#[inline(always)]
pub(super) unsafe fn store_wide<H: Sixteen>(
    units: (H, H),
    planes: (H, H),
    counts: [usize; 2],
    target: *mut u32,
    is_roomy: bool,
) {
    let mut apart = [0_u32; BLOCK];
    let to = if is_roomy { target } else { apart.as_mut_ptr() };
    // SAFETY: in bounds, because eight units are stored at the start and after at most eight,
    // together a block, as `apart` has; what is copied fits, as the caller guarantees.
    unsafe {
        store_eight(units.0, planes.0, to);
        store_eight(units.1, planes.1, to.add(counts[0]));
        if !is_roomy {
            target.copy_from_nonoverlapping(apart.as_ptr(), counts[0] + counts[1]);
        }
    }
}

/// Stores eight lanes of two bytes, with the planes in the lower eight bytes, as units of four.
///
/// # Safety
/// Eight units are writable at `target`.
#[inline(always)]
unsafe fn store_eight<H: Sixteen>(units: H, planes: H, target: *mut u32) {
    let (upper, _) = planes.interleave(H::splat(0));
    let (first, second) = units.interleave_pairs(upper);
    // SAFETY: as the caller guarantees.
    unsafe {
        first.store(target.cast());
        second.store(target.add(4).cast());
    }
}
