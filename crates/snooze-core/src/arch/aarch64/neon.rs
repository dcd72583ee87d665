//! The `v128` tier on aarch64: NEON, part of the baseline.

use core::arch::aarch64::*;

use super::super::{Task, scalar::partial_u64, vector::Vector};

/// Sixteen bytes.
#[derive(Clone, Copy)]
pub(in super::super) struct Neon(uint8x16_t);

// Every intrinsic below: NEON is part of the aarch64 baseline.
// SAFETY: as the trait asks; see each method.
unsafe impl Vector for Neon {
    const LANES: usize = 16;

    #[inline(never)]
    unsafe fn call<T: Task>(task: T) -> T::Output {
        task.run::<Self>()
    }

    #[inline(always)]
    unsafe fn load(source: *const u8) -> Self {
        // SAFETY: sixteen readable bytes, by the caller.
        Self(unsafe { vld1q_u8(source) })
    }

    #[inline(always)]
    unsafe fn load_partial(source: *const u8, count: usize) -> Self {
        debug_assert!(count < 16);
        if count >= 8 {
            // SAFETY: two overlapping reads of eight bytes inside the `count` bytes.
            let (low, high) = unsafe {
                (
                    u64::from_le_bytes(source.cast::<[u8; 8]>().read()),
                    u64::from_le_bytes(source.add(count - 8).cast::<[u8; 8]>().read()),
                )
            };
            let high = (high >> 1) >> (8 * (16 - count) - 1);
            // SAFETY: see above.
            Self(unsafe { vreinterpretq_u8_u64(vcombine_u64(vcreate_u64(low), vcreate_u64(high))) })
        } else {
            // SAFETY: `count` readable bytes, by the caller.
            let low = unsafe { partial_u64(source, count) };
            // SAFETY: see above.
            Self(unsafe { vreinterpretq_u8_u64(vcombine_u64(vcreate_u64(low), vcreate_u64(0))) })
        }
    }

    #[inline(always)]
    unsafe fn store(self, target: *mut u8) {
        // SAFETY: sixteen writable bytes, by the caller.
        unsafe { vst1q_u8(target, self.0) }
    }

    #[inline(always)]
    fn stops(self) -> u64 {
        // SAFETY: see above.
        unsafe {
            let quote = vceqq_u8(self.0, vdupq_n_u8(b'"'));
            let backslash = vceqq_u8(self.0, vdupq_n_u8(b'\\'));
            let control = vcltq_u8(self.0, vdupq_n_u8(0x20));
            mask(vorrq_u8(vorrq_u8(quote, backslash), control))
        }
    }

    #[inline(always)]
    fn high(self) -> u64 {
        // SAFETY: see above.
        unsafe { mask(vcgeq_u8(self.0, vdupq_n_u8(0x80))) }
    }

    #[inline(always)]
    fn not_space(self) -> u64 {
        // SAFETY: see above.
        unsafe {
            let space = vceqq_u8(self.0, vdupq_n_u8(b' '));
            let feed = vceqq_u8(self.0, vdupq_n_u8(b'\n'));
            let carriage = vceqq_u8(self.0, vdupq_n_u8(b'\r'));
            let tab = vceqq_u8(self.0, vdupq_n_u8(b'\t'));
            mask(vorrq_u8(vorrq_u8(space, feed), vorrq_u8(carriage, tab))) ^ 0xffff
        }
    }

    #[inline(always)]
    fn leads(self) -> u64 {
        // SAFETY: see above. As signed bytes, continuation bytes are those below -64.
        unsafe { mask(vcgeq_s8(vreinterpretq_s8_u8(self.0), vdupq_n_s8(-64))) }
    }

    #[inline(always)]
    fn at_least(self, floor: u8) -> u64 {
        // SAFETY: see above.
        unsafe { mask(vcgeq_u8(self.0, vdupq_n_u8(floor))) }
    }

    #[inline(always)]
    fn equal(self, byte: u8) -> u64 {
        // SAFETY: see above.
        unsafe { mask(vceqq_u8(self.0, vdupq_n_u8(byte))) }
    }

    #[inline(always)]
    fn folded(self) -> Self {
        // SAFETY: see above.
        Self(unsafe { vorrq_u8(self.0, vdupq_n_u8(0x20)) })
    }

    #[inline(always)]
    unsafe fn widen_16(source: *const u8, target: *mut u16) {
        // SAFETY: see above; the ranges are the caller's.
        unsafe {
            let bytes = vld1q_u8(source);
            vst1q_u16(target, vmovl_u8(vget_low_u8(bytes)));
            vst1q_u16(target.add(8), vmovl_high_u8(bytes));
        }
    }

    #[inline(always)]
    unsafe fn widen_32(source: *const u8, target: *mut u32) {
        // SAFETY: see above; the ranges are the caller's.
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

/// One bit for each lane that is all ones.
#[inline(always)]
fn mask(lanes: uint8x16_t) -> u64 {
    // SAFETY: NEON is part of the aarch64 baseline.
    unsafe {
        // Each lane keeps the bit of its place in the half; the halves are then summed.
        const BITS: [u8; 16] = [1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128];
        let bits = vandq_u8(lanes, vld1q_u8(BITS.as_ptr()));
        let low = u64::from(vaddv_u8(vget_low_u8(bits)));
        let high = u64::from(vaddv_u8(vget_high_u8(bits)));
        low | (high << 8)
    }
}
