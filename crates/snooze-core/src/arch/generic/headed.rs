//! Text that follows a header, as in a CPython string, and copying and escaping it.
//!
//! Separate from `escape`, whose kernels read nothing but the text. Here the sixteen bytes that end
//! with the text may begin in the header. So a short text, or the last characters of a long one,
//! are loaded in one step, whatever their number. A text alone needs a branch for each range of
//! lengths, and most would be mispredicted. Called through [`Vector`](super::super::Vector) by
//! `out::string`.

#![allow(dead_code, reason = "not every processor has tiers with vectors")]

use core::marker::PhantomData;

use super::super::Lanes;
use super::escape::{BLOCK, escape_of};
use super::units::Unit;

/// The bytes before a text that may be read.
pub const HEADER: usize = 16;

/// A text of one, two or four bytes a unit that follows a header of at least [`HEADER`] bytes.
#[derive(Clone, Copy, Debug)]
pub struct Headed<'a, U> {
    start: *const U,
    len: usize,
    lifetime: PhantomData<&'a [U]>,
}

/// A text of bytes that follows a header.
pub type HeadedText<'a> = Headed<'a, u8>;

impl<'a, U: Unit> Headed<'a, U> {
    /// The text of `len` units at `start`.
    ///
    /// # Safety
    /// The text, and the [`HEADER`] bytes before it, are valid for reading for `'a`. `start` is
    /// aligned. The text does not change meanwhile; the header may have any value.
    #[inline(always)]
    pub unsafe fn new(start: *const U, len: usize) -> Self {
        Self { start, len, lifetime: PhantomData }
    }

    /// The text from `at` on, or nothing if it is shorter. What is before becomes its header.
    #[inline(always)]
    pub fn from(self, at: usize) -> Self {
        let at = at.min(self.len);
        // SAFETY: inside the text, because `at` is at most its length.
        let start = unsafe { self.start.add(at) };
        Self { start, len: self.len - at, ..self }
    }

    /// The first `len` units of the text, or all of it if it has less.
    #[inline(always)]
    pub fn up_to(self, len: usize) -> Self {
        Self { len: self.len.min(len), ..self }
    }

    /// The end of the text. Unlike that of the slice, this pointer may be used to read the header.
    #[inline(always)]
    pub(in super::super) fn end(self) -> *const U {
        // SAFETY: the end of the text, because the caller of `new` said so.
        unsafe { self.start.add(self.len) }
    }

    /// The text without its header.
    #[inline(always)]
    pub fn units(self) -> &'a [U] {
        // SAFETY: readable for the lifetime and unchanged, because the caller of `new` said so.
        unsafe { core::slice::from_raw_parts(self.start, self.len) }
    }
}

/// A vector of sixteen bytes whose lanes can be moved.
///
/// # Safety
/// `LANES` is 16. Unsafe code relies on it.
pub(in super::super) unsafe trait MoveLanes: Lanes {
    /// Moves each lane down by `by <= 16`, and sets the lanes above to zero.
    fn move_down(self, by: usize) -> Self;

    /// Writes bytes of UTF-8 with their escapes in time that does not depend on how many there are;
    /// `None` if the tier cannot.
    ///
    /// # Safety
    /// `target` is valid for writing six bytes for each byte of the source, and 32 more.
    #[inline(always)]
    unsafe fn escape_dense(_source: &[u8], _target: *mut u8) -> Option<*mut u8> {
        None
    }

    /// Loads the `count <= 16` bytes before `end`, and sets the lanes above to zero.
    ///
    /// # Safety
    /// The sixteen bytes before `end` are valid for reading.
    #[inline(always)]
    unsafe fn load_end(end: *const u8, count: usize) -> Self {
        // SAFETY: readable, because the caller guarantees it.
        unsafe { Self::load(end.sub(16)).move_down(16 - count) }
    }
}

/// The shuffles that move sixteen lanes down: the shuffle for each distance is at this offset. Has
/// room for every offset below 32.
pub(in super::super) static MOVE_DOWN: [u8; 48] = {
    let mut table = [0x80; 48];
    let mut lane = 0;
    while lane < 16 {
        table[lane] = lane as u8;
        lane += 1;
    }
    table
};

/// Longer texts are left to the caller, which writes them in blocks out of line.
///
/// PERF: a call costs little beside so many bytes, and there a block with escapes interrupts
/// nothing: texts of 300 bytes with escapes take half of the time. The test is behind those of
/// short lengths, because in front of them it took 5 to 18 % of documents of short strings
/// (2026-11-23).
const LONG: usize = 128;

/// [`Vector::copy_headed`](super::super::Vector::copy_headed) with vectors `W` of at most 32 lanes
/// for long texts, and `H` for texts of up to 32 bytes.
///
/// # Safety
/// As for [`Vector::copy_headed`](super::super::Vector::copy_headed).
#[inline(always)]
pub(in super::super) unsafe fn copy_headed<W: Lanes, H: MoveLanes>(
    text: HeadedText<'_>,
    target: *mut u8,
) -> Result<(), usize> {
    const { assert!(H::LANES == 16 && W::LANES <= 32) };
    let HeadedText { start, len, .. } = text;
    // SAFETY: the loads are inside the text or the header, because the header has sixteen bytes:
    // only a text of less than sixteen is loaded with a part of the header. All stores end inside
    // the text's length, or inside a vector for shorter texts, which the caller has reserved.
    unsafe {
        if len <= 16 {
            let lanes = H::load_end(start.add(len), len);
            lanes.store(target);
            return first_stop(lanes.string_stops() & !(u64::MAX << len), 0);
        }
        if len <= 32 {
            return copy_twice::<H>(start, len, target);
        }
        if len <= 2 * W::LANES {
            return copy_twice::<W>(start, len, target);
        }
        if len > LONG {
            return Err(0);
        }
        let mut at = 0;
        let last = len - W::LANES;
        loop {
            let lanes = W::load(start.add(at));
            lanes.store(target.add(at));
            first_stop(lanes.string_stops(), at)?;
            if at == last {
                return Ok(());
            }
            // The last vector repeats a part of the one before it.
            at = (at + W::LANES).min(last);
        }
    }
}

/// [`Vector::escape_headed`](super::super::Vector::escape_headed) with vectors `W` of at most 32
/// lanes for text without escapes, and `H` for other text.
///
/// # Safety
/// As for [`Vector::escape_headed`](super::super::Vector::escape_headed).
#[inline(always)]
pub(in super::super) unsafe fn escape_headed<W: Lanes, H: MoveLanes>(
    text: HeadedText<'_>,
    mut target: *mut u8,
) -> *mut u8 {
    const { assert!(H::LANES == 16 && W::LANES <= 32) };
    let HeadedText { start, len, .. } = text;
    debug_assert!(len <= BLOCK);
    let mut at = 0;
    // SAFETY: the loads are inside the text or, of less than sixteen bytes, in the header before
    // it. All stores end inside BLOCK_ROOM, because a store begins at most six bytes after the
    // start for each character done, and is no longer than a vector.
    unsafe {
        while len - at >= W::LANES {
            let lanes = W::load(start.add(at));
            let stops = lanes.string_stops();
            if stops == 0 {
                lanes.store(target);
                target = target.add(W::LANES);
            } else if is_dense(stops, W::LANES)
                && let Some(end) = H::escape_dense(text.from(at).up_to(W::LANES).units(), target)
            {
                target = end;
            } else {
                for half in (0..W::LANES).step_by(16) {
                    let from = start.add(at + half);
                    target = escape_lanes(H::load(from), from, stops >> half & 0xffff, 16, target);
                }
            }
            at += W::LANES;
        }
        while at < len {
            let from = start.add(at);
            let count = (len - at).min(16);
            let lanes =
                if count == 16 { H::load(from) } else { H::load_end(start.add(len), count) };
            let stops = lanes.string_stops() & !(u64::MAX << count);
            if is_dense(stops, 16)
                && let Some(end) = H::escape_dense(text.from(at).up_to(16).units(), target)
            {
                target = end;
                at += count;
                continue;
            }
            target = escape_lanes(lanes, from, stops, count, target);
            at += count;
        }
    }
    target
}

/// Whether there are so many stops that handling each is slower than handling all characters.
#[inline(always)]
fn is_dense(stops: u64, lanes: usize) -> bool {
    stops.count_ones() as usize * 16 > lanes
}

/// Writes the `count` bytes at `from`, which are in `lanes`, and escapes those that `stops` marks.
///
/// PERF: the characters between escapes are moved in a register and stored whole, so that nothing
/// depends on their number.
///
/// # Safety
/// The bytes are valid for reading; `target` is valid for writing six bytes for each, and sixteen
/// more.
#[inline(always)]
unsafe fn escape_lanes<H: MoveLanes>(
    lanes: H,
    from: *const u8,
    mut stops: u64,
    count: usize,
    mut target: *mut u8,
) -> *mut u8 {
    // SAFETY: each byte read is one of the `count`, because no stop is beyond them. A store begins
    // at most six bytes after the start for each byte done, and has at most sixteen.
    unsafe {
        lanes.store(target);
        let mut done = 0;
        while stops != 0 {
            let lane = stops.trailing_zeros() as usize;
            stops &= stops - 1;
            target = target.add(lane - done);
            let escape = escape_of(from.add(lane).read());
            target.cast::<[u8; 8]>().write(*escape);
            target = target.add(escape[7] as usize);
            done = lane + 1;
            lanes.move_down(done).store(target);
        }
        target.add(count - done)
    }
}

/// Copies from one to two vectors as the first and the last one, which may overlap.
///
/// # Safety
/// `len` bytes at `source` are valid for reading, at `target` for writing, and `len` is from
/// `LANES` to `2 * LANES`.
#[inline(always)]
unsafe fn copy_twice<V: Lanes>(
    source: *const u8,
    len: usize,
    target: *mut u8,
) -> Result<(), usize> {
    let second = len - V::LANES;
    // SAFETY: both vectors are inside the `len` bytes, because these are at least one vector.
    unsafe {
        let (low, high) = (V::load(source), V::load(source.add(second)));
        low.store(target);
        high.store(target.add(second));
        first_stop(low.string_stops() | high.string_stops() << second, 0)
    }
}

/// The position of the first stop, as the error of a copy; `from` is the position of lane 0.
#[inline(always)]
fn first_stop(stops: u64, from: usize) -> Result<(), usize> {
    if stops != 0 { Err(from + stops.trailing_zeros() as usize) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::super::super::Vector;
    use super::super::super::testing::{
        AfterHeader, EndOfAllocation, TierTest, for_each_tier, offsets_lengths_and_positions,
    };

    fn check<V: Vector>(text: &[u8]) {
        let source = AfterHeader::new(text);
        let mut room = EndOfAllocation::new(7, &vec![0xaa; text.len() + V::LANES]);
        assert_eq!(source.text().units(), text);
        // SAFETY: the target is large enough, because `room` has a vector more than the text.
        let copied = unsafe { V::copy_headed(source.text(), room.as_mut_ptr()) };
        let stop = text.iter().position(|&byte| byte < 0x20 || byte == b'"' || byte == b'\\');
        let is_given_up = text.len() > super::LONG && copied == Err(0);
        assert!(is_given_up || copied.err() == stop, "{text:?}");
        let plain = if is_given_up { 0 } else { stop.unwrap_or(text.len()) };
        assert_eq!(room.units()[..plain], text[..plain]);
    }

    struct EveryLength;

    impl TierTest for EveryLength {
        fn check<V: Vector>(&self) {
            for (_, len, position) in offsets_lengths_and_positions() {
                for stop in [b'a', b'"', b'\\', 0, 0x1f, 0x20, 0x7f] {
                    let mut text: Vec<u8> = (0..len).map(|at| b'0' + (at % 64) as u8).collect();
                    text.iter_mut().filter(|byte| **byte == b'\\').for_each(|byte| *byte = b'x');
                    text[position..].iter_mut().step_by(29).for_each(|at| *at = stop);
                    check::<V>(&text);
                }
            }
        }
    }

    #[test]
    fn every_length_with_a_stop_anywhere() {
        for_each_tier(&EveryLength);
    }

    struct Text(Vec<u8>);

    impl TierTest for Text {
        fn check<V: Vector>(&self) {
            check::<V>(&self.0);
        }
    }

    #[test]
    fn every_byte_at_every_position() {
        for byte in 0..=255 {
            for len in [1, 2, 15, 16, 17, 31, 32, 33, 64, 70, 128, 129] {
                for position in 0..len {
                    let mut text = vec![b'-'; len];
                    text[position] = byte;
                    for_each_tier(&Text(text));
                }
            }
        }
    }
}
