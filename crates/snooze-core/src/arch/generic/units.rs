//! The units of text that CPython stores: one, two or four bytes for each character.
//!
//! Separate from the kernels `escape` and `utf8`, which read and write them, because
//! [`Vector`](super::super::Vector) names them too.

use super::super::Lanes;

/// A stored character: one, two or four bytes wide, as in CPython's compact strings.
///
/// # Safety
/// The size is one, two or four bytes, all of them initialised, and [`Unit::code`] returns their
/// value.
pub unsafe trait Unit: Copy {
    /// The character's code point.
    fn code(self) -> u32;
}

// SAFETY: the size is one byte and `code` is its value, because the type is `u8`.
unsafe impl Unit for u8 {
    #[inline(always)]
    fn code(self) -> u32 {
        u32::from(self)
    }
}

// SAFETY: the size is two bytes and `code` is their value, because the type is `u16`.
unsafe impl Unit for u16 {
    #[inline(always)]
    fn code(self) -> u32 {
        u32::from(self)
    }
}

// SAFETY: the size is four bytes and `code` is their value, because the type is `u32`.
unsafe impl Unit for u32 {
    #[inline(always)]
    fn code(self) -> u32 {
        self
    }
}

/// A unit that UTF-8 is decoded to.
///
/// # Safety
/// The type is an integer of one, two or four bytes, whose value is the code point, and `widen`
/// writes `V::LANES` units.
pub unsafe trait Target: Copy {
    /// The largest code point that the unit holds.
    const MAX: u32;

    /// The unit for `code <= MAX`.
    fn from_code(code: u32) -> Self;

    /// Widens `V::LANES` ASCII bytes.
    ///
    /// # Safety
    /// `source` is valid for reading `V::LANES` bytes, `target` for writing as many units.
    unsafe fn widen<V: Lanes>(source: *const u8, target: *mut Self);
}

// SAFETY: `widen` writes `V::LANES` units of one byte, because it stores one vector.
unsafe impl Target for u8 {
    const MAX: u32 = 0xff;

    #[inline(always)]
    fn from_code(code: u32) -> Self {
        code as u8
    }

    #[inline(always)]
    unsafe fn widen<V: Lanes>(source: *const u8, target: *mut Self) {
        // SAFETY: a vector is readable and writable, because the caller guarantees it.
        unsafe { V::load(source).store(target) }
    }
}

// SAFETY: `widen` writes `V::LANES` units of two bytes, because `widen_16` does.
unsafe impl Target for u16 {
    const MAX: u32 = 0xffff;

    #[inline(always)]
    fn from_code(code: u32) -> Self {
        code as u16
    }

    #[inline(always)]
    unsafe fn widen<V: Lanes>(source: *const u8, target: *mut Self) {
        // SAFETY: both ranges are valid, because the caller guarantees it.
        unsafe { V::widen_16(source, target) }
    }
}

// SAFETY: `widen` writes `V::LANES` units of four bytes, because `widen_32` does.
unsafe impl Target for u32 {
    const MAX: u32 = 0x10_ffff;

    #[inline(always)]
    fn from_code(code: u32) -> Self {
        code
    }

    #[inline(always)]
    unsafe fn widen<V: Lanes>(source: *const u8, target: *mut Self) {
        // SAFETY: both ranges are valid, because the caller guarantees it.
        unsafe { V::widen_32(source, target) }
    }
}
