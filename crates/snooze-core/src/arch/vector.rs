//! The vocabulary of the kernels: what a vector of bytes can do.
//!
//! Separate so that an algorithm in [`super::generic`] can be read without knowing any
//! instruction set. Masks are `u64` with lane 0 in bit 0, so that one type serves 8 to 64 lanes.
//! Implemented only inside `arch`: holding a `V: Vector` proves that the tier runs here.

use super::Task;
use super::generic::decimal::Decimal;
use super::generic::digits::{self, Form};
use super::generic::escape::{self, Unit, copy_vectors, write_chars};
use super::generic::utf8::Target;

/// A vector of `LANES` bytes of one tier.
///
/// The methods that read or write memory are `unsafe` for the memory; that the processor has
/// the instructions is established by [`super::Dispatch`].
///
/// # Safety
/// `LANES` is 8, 16, 32 or 64; masks have no bit beyond the lanes and mean what they say; the
/// provided kernels may be replaced only by ones that keep their contracts. Unsafe code relies
/// on all of it.
pub unsafe trait Vector: Copy + 'static {
    /// Bytes in a vector: 8, 16, 32 or 64.
    const LANES: usize;

    /// Runs `task` in a function of its own, compiled for this tier.
    ///
    /// # Safety
    /// The processor has the tier.
    unsafe fn call<T: Task>(task: T) -> T::Output;

    /// Runs `task` outside the current function, without inlining it there.
    #[inline(always)]
    fn enter<T: Task>(task: T) -> T::Output {
        // SAFETY: the processor has the tier, because a `V: Vector` is only handed out by
        // `Dispatch::run`, which is the witness for it.
        unsafe { Self::call(task) }
    }

    /// Loads `LANES` bytes.
    ///
    /// # Safety
    /// `source` is valid for reading `LANES` bytes.
    unsafe fn load(source: *const u8) -> Self;

    /// Loads `count < LANES` bytes; the lanes above are zero. Reads nothing beyond them.
    ///
    /// # Safety
    /// `source` is valid for reading `count` bytes.
    unsafe fn load_partial(source: *const u8, count: usize) -> Self;

    /// Stores `LANES` bytes.
    ///
    /// # Safety
    /// `target` is valid for writing `LANES` bytes.
    unsafe fn store(self, target: *mut u8);

    /// Lanes that end a run of plain string characters: `"`, `\` and controls below U+0020.
    fn stops(self) -> u64;

    /// Lanes with the top bit set: anything but ASCII.
    fn high(self) -> u64;

    /// Lanes that are not JSON white space (space, tab, line feed, carriage return).
    fn not_space(self) -> u64;

    /// Lanes that are not UTF-8 continuation bytes, that is, one for each character.
    fn leads(self) -> u64;

    /// Lanes that are at least `floor`, compared unsigned.
    fn at_least(self, floor: u8) -> u64;

    /// Lanes that equal `byte`.
    fn equal(self, byte: u8) -> u64;

    /// Lanes that are brackets of either kind, commas or colons.
    #[inline(always)]
    fn structural(self) -> u64 {
        let braces = self.folded();
        braces.equal(b'{') | braces.equal(b'}') | self.equal(b',') | self.equal(b':')
    }

    /// Lanes that are ASCII digits.
    #[inline(always)]
    fn digits(self) -> u64 {
        self.at_least(b'0') & !self.at_least(b'9' + 1)
    }

    /// All bytes with the bit 0x20 set, which makes braces of brackets.
    fn folded(self) -> Self;

    /// Widens `LANES` bytes at `source` to 16 bits each.
    ///
    /// # Safety
    /// `source` is valid for reading `LANES` bytes, `target` for writing `2 * LANES`.
    unsafe fn widen_16(source: *const u8, target: *mut u16);

    /// Widens `LANES` bytes at `source` to 32 bits each.
    ///
    /// # Safety
    /// `source` is valid for reading `LANES` bytes, `target` for writing `4 * LANES`.
    unsafe fn widen_32(source: *const u8, target: *mut u32);

    /// Copies plain ASCII, or returns how many bytes precede the first one that needs an escape.
    ///
    /// PERF: that all is plain is told by a branch, so that the caller's cursor does not wait for
    /// the text (2026-11-21).
    ///
    /// # Safety
    /// `target` is valid for writing `source.len() + LANES` bytes and overlaps nothing of
    /// `source`.
    #[inline(always)]
    unsafe fn copy_plain(source: &[u8], target: *mut u8) -> Result<(), usize> {
        // SAFETY: by the caller.
        unsafe { copy_vectors::<Self>(source, target) }
    }

    /// Writes at most [`BLOCK`](super::generic::escape::BLOCK) characters as UTF-8 with JSON
    /// escapes and returns the new cursor, or `None` at a surrogate or a number that is no code
    /// point.
    ///
    /// # Safety
    /// `source.len() <= BLOCK`, and `target` is valid for writing
    /// [`BLOCK_ROOM`](super::generic::escape::BLOCK_ROOM) bytes.
    #[inline(always)]
    unsafe fn write_block<U: Unit>(source: &[U], target: *mut u8) -> Option<*mut u8> {
        // SAFETY: by the caller.
        unsafe { write_chars(source, target) }
    }

    /// Writes at most [`BLOCK`](super::generic::escape::BLOCK) bytes of UTF-8 with JSON escapes and
    /// returns the new cursor. Bytes above 0x7f are copied as they are.
    ///
    /// # Safety
    /// As for [`Vector::write_block`].
    #[inline(always)]
    unsafe fn write_block_utf8(source: &[u8], target: *mut u8) -> *mut u8 {
        // SAFETY: by the caller.
        unsafe { escape::write_block_utf8::<Self>(source, target) }
    }

    /// Writes sixteen digits, without the zeros at the end but `least` of them, with what stands
    /// before and among them, and commas after them; returns how many digits these are.
    ///
    /// What is written at the seventeenth digit's place has no meaning.
    ///
    /// # Safety
    /// `digits < 10^16`, `least <= 17`, and `target` is valid for writing
    /// [`DIGITS_ROOM`](super::generic::digits::DIGITS_ROOM) bytes.
    #[inline(always)]
    unsafe fn write_digits(digits: u64, least: u32, form: &Form, target: *mut u8) -> u32 {
        // SAFETY: by the caller.
        unsafe { digits::write_digits(digits, least, form, target) }
    }

    /// Whether [`Vector::decimal`] ever reads one.
    const DECIMALS: bool = false;

    /// Reads the decimal at `at` in `bytes`, if it is one that this tier reads at once; or none,
    /// and then it may be anything.
    #[inline(always)]
    fn decimal(_bytes: &[u8], _at: usize) -> Option<Decimal> {
        None
    }

    /// Decodes characters from `bytes` on, which are not all ASCII, as long as that goes well by
    /// vectors; returns the bytes read and the units written, which may be none.
    ///
    /// Everything read is well formed and fits the unit, and a unit is written for each lead
    /// byte that was read. What stops it, the caller looks at character by character.
    ///
    /// # Safety
    /// `target` is valid for writing as many units as `bytes` has bytes that are no continuation
    /// bytes.
    #[inline(always)]
    unsafe fn decode_wide<T: Target>(_bytes: &[u8], _target: *mut T) -> (usize, usize) {
        (0, 0)
    }
}
