//! What a vector of bytes can do: the operations that the kernels are written in.
//!
//! Separate so that a kernel in [`super::generic`] can be read without knowing any instruction set,
//! and from `vector`, whose provided kernels need the kernels of `generic`. Invariant: a mask is a
//! `u64` with lane 0 in bit 0, so that one type serves 8 to 64 lanes. Implemented by each tier.

/// This bit turns the quotation mark U+0022 into U+0020 and swaps the controls among themselves. So
/// one comparison with [`LAST_FLIPPED`] finds both.
#[allow(dead_code, reason = "not every processor has tiers with vectors")]
pub(super) const QUOTE_FLIP: u8 = 2;
/// The last byte that is a quotation mark or a control, after [`QUOTE_FLIP`].
#[allow(dead_code, reason = "not every processor has tiers with vectors")]
pub(super) const LAST_FLIPPED: u8 = b'"' ^ QUOTE_FLIP;

/// The operations on the `LANES` bytes of one vector.
///
/// The methods that read or write memory are `unsafe` because of the memory. That the processor has
/// the instructions is established by [`super::Dispatch`].
///
/// # Safety
/// `LANES` is 8, 16, 32 or 64. A mask has no bit beyond the lanes, and exactly the bits that its
/// documentation names. Unsafe code relies on all of this.
pub unsafe trait Lanes: Copy + 'static {
    /// Bytes in a vector: 8, 16, 32 or 64.
    const LANES: usize;

    /// Loads `LANES` bytes.
    ///
    /// # Safety
    /// `source` is valid for reading `LANES` bytes.
    unsafe fn load(source: *const u8) -> Self;

    /// Loads `count < LANES` bytes and sets the lanes above to zero. Reads no further byte.
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
    fn string_stops(self) -> u64;

    /// Lanes that are not ASCII: their top bit is set.
    fn non_ascii(self) -> u64;

    /// Lanes that are not JSON white space (space, tab, line feed, carriage return).
    fn non_space(self) -> u64;

    /// Lanes that are not UTF-8 continuation bytes: one for each character.
    fn char_starts(self) -> u64;

    /// Lanes that are at least `floor`, compared unsigned.
    fn at_least(self, floor: u8) -> u64;

    /// Lanes that equal `byte`.
    fn equal(self, byte: u8) -> u64;

    /// Lanes that are brackets, braces, commas or colons.
    #[inline(always)]
    fn structural(self) -> u64 {
        let braces = self.brackets_to_braces();
        braces.equal(b'{') | braces.equal(b'}') | self.equal(b',') | self.equal(b':')
    }

    /// Lanes that are ASCII digits.
    #[inline(always)]
    fn digits(self) -> u64 {
        self.at_least(b'0') & !self.at_least(b'9' + 1)
    }

    /// All bytes with bit 0x20 set, which turns brackets into braces.
    fn brackets_to_braces(self) -> Self;

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
}
