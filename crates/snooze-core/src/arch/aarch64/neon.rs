//! The `v128` tier on aarch64: NEON.
//!
//! Separate because each tier is one file. **Soundness:** the processor has the tier, because NEON
//! is part of the aarch64 baseline.

use core::arch::aarch64::*;

use super::super::generic::headed::{HeadedText, MOVE_DOWN, MoveLanes, copy_headed, escape_headed};
use super::super::generic::sixteen::Sixteen;
use super::super::generic::units::Target;
use super::super::generic::utf8_blocks;
use super::super::lanes::{LAST_FLIPPED, QUOTE_FLIP};
use super::super::scalar::partial_u64;
use super::super::{Lanes, Task, Vector};

/// Sixteen bytes.
#[derive(Clone, Copy)]
pub(in super::super) struct Neon(uint8x16_t);

// SAFETY: `LANES` is 16 and each mask has one bit for each lane, because `mask` makes it from
// sixteen lanes.
unsafe impl Lanes for Neon {
    const LANES: usize = 16;

    #[inline(always)]
    unsafe fn load(source: *const u8) -> Self {
        // SAFETY: sixteen bytes are readable, because the caller guarantees it.
        Self(unsafe { vld1q_u8(source) })
    }

    #[inline(always)]
    unsafe fn load_partial(source: *const u8, count: usize) -> Self {
        debug_assert!(count < 16);
        if count >= 8 {
            // SAFETY: both reads of eight bytes lie inside the `count` bytes, because `count >= 8`;
            // the caller guarantees these.
            let (low, high) = unsafe {
                (
                    u64::from_le_bytes(source.cast::<[u8; 8]>().read()),
                    u64::from_le_bytes(source.add(count - 8).cast::<[u8; 8]>().read()),
                )
            };
            let high = (high >> 1) >> (8 * (16 - count) - 1);
            // SAFETY: the processor has NEON, because it is part of the aarch64 baseline.
            Self(unsafe { vreinterpretq_u8_u64(vcombine_u64(vcreate_u64(low), vcreate_u64(high))) })
        } else {
            // SAFETY: `count` bytes are readable, because the caller guarantees it.
            let low = unsafe { partial_u64(source, count) };
            // SAFETY: the processor has NEON, because it is part of the aarch64 baseline.
            Self(unsafe { vreinterpretq_u8_u64(vcombine_u64(vcreate_u64(low), vcreate_u64(0))) })
        }
    }

    #[inline(always)]
    unsafe fn store(self, target: *mut u8) {
        // SAFETY: sixteen bytes are writable, because the caller guarantees it.
        unsafe { vst1q_u8(target, self.0) }
    }

    #[inline(always)]
    fn string_stops(self) -> u64 {
        // SAFETY: the processor has NEON, because it is part of the aarch64 baseline.
        unsafe {
            let flipped = veorq_u8(self.0, vdupq_n_u8(QUOTE_FLIP));
            let backslash = vceqq_u8(self.0, vdupq_n_u8(b'\\'));
            mask(vorrq_u8(vcleq_u8(flipped, vdupq_n_u8(LAST_FLIPPED)), backslash))
        }
    }

    #[inline(always)]
    fn non_ascii(self) -> u64 {
        // SAFETY: the processor has NEON, because it is part of the aarch64 baseline.
        unsafe { mask(vcgeq_u8(self.0, vdupq_n_u8(0x80))) }
    }

    #[inline(always)]
    fn non_space(self) -> u64 {
        // SAFETY: the processor has NEON, because it is part of the aarch64 baseline.
        unsafe {
            let space = vceqq_u8(self.0, vdupq_n_u8(b' '));
            let feed = vceqq_u8(self.0, vdupq_n_u8(b'\n'));
            let carriage = vceqq_u8(self.0, vdupq_n_u8(b'\r'));
            let tab = vceqq_u8(self.0, vdupq_n_u8(b'\t'));
            mask(vorrq_u8(vorrq_u8(space, feed), vorrq_u8(carriage, tab))) ^ 0xffff
        }
    }

    #[inline(always)]
    fn char_starts(self) -> u64 {
        // SAFETY: the processor has NEON, because it is part of the aarch64 baseline. As signed
        // bytes, continuation bytes are those below -64.
        unsafe { mask(vcgeq_s8(vreinterpretq_s8_u8(self.0), vdupq_n_s8(-64))) }
    }

    #[inline(always)]
    fn at_least(self, floor: u8) -> u64 {
        // SAFETY: the processor has NEON, because it is part of the aarch64 baseline.
        unsafe { mask(vcgeq_u8(self.0, vdupq_n_u8(floor))) }
    }

    #[inline(always)]
    fn equal(self, byte: u8) -> u64 {
        // SAFETY: the processor has NEON, because it is part of the aarch64 baseline.
        unsafe { mask(vceqq_u8(self.0, vdupq_n_u8(byte))) }
    }

    #[inline(always)]
    fn brackets_to_braces(self) -> Self {
        // SAFETY: the processor has NEON, because it is part of the aarch64 baseline.
        Self(unsafe { vorrq_u8(self.0, vdupq_n_u8(0x20)) })
    }

    #[inline(always)]
    unsafe fn widen_16(source: *const u8, target: *mut u16) {
        // SAFETY: the processor has NEON, because it is part of the aarch64 baseline; the caller
        // guarantees both ranges.
        unsafe {
            let bytes = vld1q_u8(source);
            vst1q_u16(target, vmovl_u8(vget_low_u8(bytes)));
            vst1q_u16(target.add(8), vmovl_high_u8(bytes));
        }
    }

    #[inline(always)]
    unsafe fn widen_32(source: *const u8, target: *mut u32) {
        // SAFETY: the processor has NEON, because it is part of the aarch64 baseline; the caller
        // guarantees both ranges.
        unsafe {
            let bytes = vld1q_u8(source);
            let (low, high) = (vmovl_u8(vget_low_u8(bytes)), vmovl_high_u8(bytes));
            vst1q_u32(target, vmovl_u16(vget_low_u16(low)));
            vst1q_u32(target.add(4), vmovl_high_u16(low));
            vst1q_u32(target.add(8), vmovl_u16(vget_low_u16(high)));
            vst1q_u32(target.add(12), vmovl_high_u16(high));
        }
    }
}

// SAFETY: `LANES` is 16.
unsafe impl MoveLanes for Neon {
    #[inline(always)]
    fn move_down(self, by: usize) -> Self {
        debug_assert!(by <= 16);
        // SAFETY: the processor has NEON, because it is part of the aarch64 baseline; the shuffle
        // is inside its table, because the offset is masked.
        unsafe {
            let shuffle = vld1q_u8(MOVE_DOWN.as_ptr().add(by & 31));
            Self(vqtbl1q_u8(self.0, shuffle))
        }
    }
}

// SAFETY: every contract holds, because the replaced kernels forward to generic ones.
unsafe impl Vector for Neon {
    #[inline(never)]
    unsafe fn call_unchecked<T: Task>(task: T) -> T::Output {
        task.with_vectors::<Self>()
    }

    #[inline(always)]
    unsafe fn escape_headed(text: HeadedText<'_>, target: *mut u8) -> *mut u8 {
        // SAFETY: the contract is the same, because this only forwards to the kernel.
        unsafe { escape_headed::<Self, Self>(text, target) }
    }

    #[inline(always)]
    unsafe fn copy_headed(text: HeadedText<'_>, target: *mut u8) -> Result<(), usize> {
        // SAFETY: the contract is the same, because this only forwards to the kernel.
        unsafe { copy_headed::<Self, Self>(text, target) }
    }

    #[inline(always)]
    unsafe fn decode_utf8<T: Target>(bytes: &[u8], target: *mut T, room: usize) -> bool {
        // SAFETY: as the caller guarantees.
        unsafe {
            if size_of::<T>() == 1 {
                utf8_blocks::decode_utf8::<Self, T>(bytes, target, room)
            } else {
                Self::run_outlined(utf8_blocks::Wide::<Self, T>::new(bytes, target, room))
            }
        }
    }
}

// SAFETY: `LANES` is 16; tests compare the kernel with a naive one in every tier.
unsafe impl Sixteen for Neon {
    #[inline(always)]
    fn splat(byte: u8) -> Self {
        // SAFETY: the processor has NEON, because it is part of the aarch64 baseline.
        Self(unsafe { vdupq_n_u8(byte) })
    }

    #[inline(always)]
    fn splat_pairs(pair: u16) -> Self {
        // SAFETY: the processor has NEON, because it is part of the aarch64 baseline.
        Self(unsafe { vreinterpretq_u8_u16(vdupq_n_u16(pair)) })
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        // SAFETY: the processor has NEON, because it is part of the aarch64 baseline.
        Self(unsafe { vandq_u8(self.0, other.0) })
    }

    #[inline(always)]
    fn without(self, other: Self) -> Self {
        // SAFETY: the processor has NEON, because it is part of the aarch64 baseline.
        Self(unsafe { vbicq_u8(self.0, other.0) })
    }

    #[inline(always)]
    fn or(self, other: Self) -> Self {
        // SAFETY: the processor has NEON, because it is part of the aarch64 baseline.
        Self(unsafe { vorrq_u8(self.0, other.0) })
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        // SAFETY: the processor has NEON, because it is part of the aarch64 baseline.
        Self(unsafe { veorq_u8(self.0, other.0) })
    }

    #[inline(always)]
    fn same(self, other: Self) -> Self {
        // SAFETY: the processor has NEON, because it is part of the aarch64 baseline.
        Self(unsafe { vceqq_u8(self.0, other.0) })
    }

    #[inline(always)]
    fn same_pairs(self, other: Self) -> Self {
        // SAFETY: the processor has NEON, because it is part of the aarch64 baseline.
        unsafe {
            let (left, right) = (vreinterpretq_u16_u8(self.0), vreinterpretq_u16_u8(other.0));
            Self(vreinterpretq_u8_u16(vceqq_u16(left, right)))
        }
    }

    #[inline(always)]
    fn is_less(self, other: Self) -> Self {
        // SAFETY: the processor has NEON, because it is part of the aarch64 baseline.
        Self(unsafe { vcltq_s8(vreinterpretq_s8_u8(self.0), vreinterpretq_s8_u8(other.0)) })
    }

    #[inline(always)]
    fn above(self, other: Self) -> Self {
        // SAFETY: the processor has NEON, because it is part of the aarch64 baseline.
        Self(unsafe { vqsubq_u8(self.0, other.0) })
    }

    #[inline(always)]
    fn shift_up<const BITS: i32>(self) -> Self {
        // SAFETY: the processor has NEON, because it is part of the aarch64 baseline.
        Self(unsafe { vreinterpretq_u8_u16(vshlq_n_u16::<BITS>(vreinterpretq_u16_u8(self.0))) })
    }

    #[inline(always)]
    fn shift_down<const BITS: i32>(self) -> Self {
        // SAFETY: the processor has NEON, because it is part of the aarch64 baseline.
        Self(unsafe { vreinterpretq_u8_u16(vshrq_n_u16::<BITS>(vreinterpretq_u16_u8(self.0))) })
    }

    #[inline(always)]
    fn shuffle(self, indices: Self) -> Self {
        // SAFETY: the processor has NEON, because it is part of the aarch64 baseline.
        Self(unsafe { vqtbl1q_u8(self.0, indices.0) })
    }

    #[inline(always)]
    fn one_before(self, before: Self) -> Self {
        // SAFETY: the processor has NEON, because it is part of the aarch64 baseline.
        Self(unsafe { vextq_u8::<15>(before.0, self.0) })
    }

    #[inline(always)]
    fn two_before(self, before: Self) -> Self {
        // SAFETY: the processor has NEON, because it is part of the aarch64 baseline.
        Self(unsafe { vextq_u8::<14>(before.0, self.0) })
    }

    #[inline(always)]
    fn halves(self) -> (Self, Self) {
        // SAFETY: the processor has NEON, because it is part of the aarch64 baseline.
        unsafe {
            let zero = vdup_n_u8(0);
            let low = vcombine_u8(vget_low_u8(self.0), zero);
            (Self(low), Self(vcombine_u8(vget_high_u8(self.0), zero)))
        }
    }

    #[inline(always)]
    fn interleave(self, upper: Self) -> (Self, Self) {
        // SAFETY: the processor has NEON, because it is part of the aarch64 baseline.
        unsafe { (Self(vzip1q_u8(self.0, upper.0)), Self(vzip2q_u8(self.0, upper.0))) }
    }

    #[inline(always)]
    fn interleave_pairs(self, upper: Self) -> (Self, Self) {
        // SAFETY: the processor has NEON, because it is part of the aarch64 baseline.
        unsafe {
            let (own, upper) = (vreinterpretq_u16_u8(self.0), vreinterpretq_u16_u8(upper.0));
            let pairs = (vzip1q_u16(own, upper), vzip2q_u16(own, upper));
            (Self(vreinterpretq_u8_u16(pairs.0)), Self(vreinterpretq_u8_u16(pairs.1)))
        }
    }

    #[inline(always)]
    fn is_zero(self) -> bool {
        // SAFETY: the processor has NEON, because it is part of the aarch64 baseline.
        unsafe { vmaxvq_u8(self.0) == 0 }
    }

    #[inline(always)]
    fn low_bytes(self) -> u64 {
        // SAFETY: the processor has NEON, because it is part of the aarch64 baseline.
        unsafe { vgetq_lane_u64::<0>(vreinterpretq_u64_u8(self.0)) }
    }
}

/// One bit for each lane that is all ones.
#[inline(always)]
fn mask(lanes: uint8x16_t) -> u64 {
    // SAFETY: the processor has NEON, because it is part of the aarch64 baseline.
    unsafe {
        // Each lane keeps the bit of its position in its half; then each half is summed.
        const BITS: [u8; 16] = [1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128];
        let bits = vandq_u8(lanes, vld1q_u8(BITS.as_ptr()));
        let low = u64::from(vaddv_u8(vget_low_u8(bits)));
        let high = u64::from(vaddv_u8(vget_high_u8(bits)));
        low | (high << 8)
    }
}
