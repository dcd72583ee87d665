//! [`Vector`]: a tier's vector type, with the kernels that a tier may replace; and [`Task`], the
//! work that runs on it.
//!
//! Separate from `lanes` because the provided kernels are built from `generic`. Both traits share a
//! file because each names the other. Invariant: implemented only inside `arch`, so a `V: Vector`
//! proves that this processor has the tier. Used by everything that reads or writes text.

use super::generic::copy;
use super::generic::decimal::ScannedDecimal;
use super::generic::digits::{self, DigitLayout};
use super::generic::escape::{self, copy_vectors, escape_chars};
use super::generic::headed::{Headed, HeadedText};
use super::generic::shortest::{FLOATS, ShiftedPowers, ShortestDecimals};
use super::generic::units::{Target, Unit};
use super::generic::utf8;
use super::lanes::Lanes;

/// A piece of work that is generic over the vector type.
///
/// `with_vectors` must be `#[inline(always)]`; otherwise its body is compiled without the tier's
/// features.
pub trait Task {
    /// The result of the task.
    type Output;
    /// Does the work with the vectors of one tier.
    fn with_vectors<V: Vector>(self) -> Self::Output;
}

/// The vector type of one tier, with its fastest kernels.
///
/// # Safety
/// A type that replaces a provided kernel keeps that kernel's contract. Unsafe code relies on it.
pub unsafe trait Vector: Lanes {
    /// Runs `task` in a separate function, compiled for this tier.
    ///
    /// # Safety
    /// The processor has the tier.
    unsafe fn call_unchecked<T: Task>(task: T) -> T::Output;

    /// Runs `task` in a separate function, so that it is not inlined into the caller.
    #[inline(always)]
    fn run_outlined<T: Task>(task: T) -> T::Output {
        // SAFETY: the processor has the tier, because only `Dispatch::run`, which checked it, hands
        // out a `V: Vector`.
        unsafe { Self::call_unchecked(task) }
    }

    /// Copies ASCII, or returns the number of bytes before the first one that needs an escape.
    ///
    /// PERF: a branch decides that no byte needs an escape, so that the caller's cursor does not
    /// wait for the text (2026-11-21).
    ///
    /// # Safety
    /// `target` is valid for writing `source.len() + LANES` bytes, and does not overlap `source`.
    #[inline(always)]
    unsafe fn copy_plain(source: &[u8], target: *mut u8) -> Result<(), usize> {
        // SAFETY: the contract is the same, because this only forwards to the generic kernel.
        unsafe { copy_vectors::<Self>(source, target) }
    }

    /// [`Vector::copy_plain`] of a text that follows a header. May give up a long text and return
    /// zero, although its first bytes need no escape.
    ///
    /// # Safety
    /// `target` is valid for writing `LANES` bytes more than the text has, and does not overlap it.
    #[inline(always)]
    unsafe fn copy_headed(text: HeadedText<'_>, target: *mut u8) -> Result<(), usize> {
        // SAFETY: the contract is the same, because the text without its header is a slice.
        unsafe { Self::copy_plain(text.units(), target) }
    }

    /// Copies `source` and writes nothing after it.
    ///
    /// # Safety
    /// `target` is valid for writing `source.len()` bytes, and does not overlap `source`.
    #[inline(always)]
    unsafe fn copy_exact(source: &[u8], target: *mut u8) {
        // SAFETY: the contract is the same, because this only forwards to the generic kernel.
        unsafe { copy::copy_exact(source, target) }
    }

    /// Writes at most [`BLOCK`](super::generic::escape::BLOCK) characters as UTF-8 with JSON
    /// escapes and returns the new cursor, or `None` at a surrogate or a number that is not a code
    /// point.
    ///
    /// # Safety
    /// `source.len() <= BLOCK`, and `target` is valid for writing
    /// [`BLOCK_ROOM`](super::generic::escape::BLOCK_ROOM) bytes.
    #[inline(always)]
    unsafe fn escape_units<U: Unit>(source: &[U], target: *mut u8) -> Option<*mut u8> {
        // SAFETY: six bytes and two more are writable for each character, because the caller
        // provides BLOCK_ROOM.
        unsafe { escape_chars(source, target) }
    }

    /// [`Vector::escape_units`] of a text that follows a header.
    ///
    /// # Safety
    /// As for [`Vector::escape_units`].
    #[inline(always)]
    unsafe fn escape_headed_units<U: Unit>(
        text: Headed<'_, U>,
        target: *mut u8,
    ) -> Option<*mut u8> {
        // SAFETY: the contract is the same, because the text without its header is a slice.
        unsafe { Self::escape_units(text.units(), target) }
    }

    /// Writes at most [`BLOCK`](super::generic::escape::BLOCK) bytes of UTF-8 with JSON escapes and
    /// returns the new cursor. Copies bytes above 0x7f unchanged.
    ///
    /// # Safety
    /// As for [`Vector::escape_units`].
    #[inline(always)]
    unsafe fn escape_utf8(source: &[u8], target: *mut u8) -> *mut u8 {
        // SAFETY: the contract is the same, because this only forwards to the generic kernel.
        unsafe { escape::escape_utf8::<Self>(source, target) }
    }

    /// [`Vector::escape_utf8`] of a text that follows a header.
    ///
    /// # Safety
    /// As for [`Vector::escape_units`].
    #[inline(always)]
    unsafe fn escape_headed(text: HeadedText<'_>, target: *mut u8) -> *mut u8 {
        // SAFETY: the contract is the same, because the text without its header is a slice.
        unsafe { Self::escape_utf8(text.units(), target) }
    }

    /// Writes `digits` as sixteen digits in the layout, with commas after them, and returns how
    /// many digits count: all but trailing zeros, and at least `min_digits`.
    ///
    /// The byte written at the layout's `digit_17` has no meaning.
    ///
    /// # Safety
    /// `digits < 10^16`, `min_digits <= 17`, and `target` is valid for writing
    /// [`DIGITS_ROOM`](super::generic::digits::DIGITS_ROOM) bytes.
    #[inline(always)]
    unsafe fn write_digits(
        digits: u64,
        min_digits: u32,
        layout: &DigitLayout,
        target: *mut u8,
    ) -> u32 {
        // SAFETY: the contract is the same, because this only forwards to the generic kernel.
        unsafe { digits::write_digits(digits, min_digits, layout, target) }
    }

    /// Whether the tier has a kernel for [`Vector::shortest_decimals`].
    const SHORTEST_DECIMALS: bool = false;

    /// Finds the shortest decimals of at least the first `count` floats, which have `MANTISSA` bits
    /// of fraction, 52 or 23, if the tier has a kernel for them; returns whether it has.
    #[inline(always)]
    fn shortest_decimals<const MANTISSA: u32>(
        _bits: &[u64; FLOATS],
        _count: usize,
        _powers: &ShiftedPowers,
        _decimals: &mut ShortestDecimals,
    ) -> bool {
        false
    }

    /// Whether this is the scalar tier, whose lanes are the bytes of an integer register.
    const IS_SCALAR: bool = false;

    /// Whether [`Vector::scan_decimal`] ever returns a decimal.
    const DECIMALS: bool = false;

    /// Reads the decimal at `at` in one step, if the tier can. `None` says nothing about the text.
    #[inline(always)]
    fn scan_decimal(_bytes: &[u8], _at: usize) -> Option<ScannedDecimal> {
        None
    }

    /// Decodes `bytes`. Returns true if they are UTF-8 and every character fits the unit; then the
    /// first units, one for each character, are written.
    ///
    /// # Safety
    /// `target` is valid for writing `room` units, at least one for each byte of `bytes` that is
    /// not a continuation byte.
    #[inline(always)]
    unsafe fn decode_utf8<T: Target>(bytes: &[u8], target: *mut T, _room: usize) -> bool {
        // SAFETY: the contract is the same, because this only forwards to the generic kernel.
        unsafe { utf8::decode::<Self, T>(bytes, target, |_, _| (0, 0)) }
    }
}
