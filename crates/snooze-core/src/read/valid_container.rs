//! Checks a container in blocks: whether it is valid, and where it ends.
//!
//! Separate from the walk in `skip`, which goes from token to token: this finds all tokens of a
//! block before it checks any of them, so that no token waits for the end of the one before, and a
//! string costs only its blocks. Invariant: everything that this accepts, the walk accepts with the
//! same end; for everything else it returns `None`, and the walk reports the fault. Called by
//! `skip` in the tiers whose blocks are cheap.

use super::reader::MAX_DEPTH;
use crate::arch::Vector;
use crate::arch::generic::tokens::{Blocks, Tokens};
use crate::number;
use crate::unescape::escape_end;

/// What the grammar allows next.
#[derive(Clone, Copy)]
enum State {
    /// In an array: a value or the end.
    First,
    /// In an array, after a comma.
    Element,
    /// In an array, after a value.
    AfterElement,
    /// In an object: a name or the end.
    FirstName,
    /// In an object, after a comma.
    Name,
    /// After a name.
    Colon,
    /// After a colon.
    Member,
    /// In an object, after a value.
    AfterMember,
}

/// The kind of a token, by its first byte.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    String,
    /// Numbers and literals, and anything that is not a token.
    Word,
    Object,
    Array,
    ObjectEnd,
    ArrayEnd,
    Comma,
    Colon,
}

/// Flag in [`TRANSITIONS`]: check the number or literal.
const CHECK: u8 = 0x10;
/// Flag in [`TRANSITIONS`]: a container begins.
const OPEN: u8 = 0x20;
/// Flag in [`TRANSITIONS`]: a container ends; the state depends on the one around it.
const CLOSE: u8 = 0x40;
/// Flag in [`TRANSITIONS`]: the token is not allowed here.
const FAULT: u8 = 0x80;

/// The class of each byte as the first of a token.
static CLASSES: [Class; 256] = {
    let mut classes = [Class::Word; 256];
    classes[b'"' as usize] = Class::String;
    classes[b'{' as usize] = Class::Object;
    classes[b'[' as usize] = Class::Array;
    classes[b'}' as usize] = Class::ObjectEnd;
    classes[b']' as usize] = Class::ArrayEnd;
    classes[b',' as usize] = Class::Comma;
    classes[b':' as usize] = Class::Colon;
    classes
};

/// For each state and class: the state after that token, and flags.
static TRANSITIONS: [[u8; 8]; 8] = {
    let mut next = [[FAULT; 8]; 8];
    let values = [
        (State::First, State::AfterElement),
        (State::Element, State::AfterElement),
        (State::Member, State::AfterMember),
    ];
    let mut at = 0;
    while at < values.len() {
        let (before, after) = values[at];
        next[before as usize][Class::String as usize] = after as u8;
        next[before as usize][Class::Word as usize] = after as u8 | CHECK;
        next[before as usize][Class::Object as usize] = State::FirstName as u8 | OPEN;
        next[before as usize][Class::Array as usize] = State::First as u8 | OPEN;
        at += 1;
    }
    next[State::First as usize][Class::ArrayEnd as usize] = CLOSE;
    next[State::AfterElement as usize][Class::ArrayEnd as usize] = CLOSE;
    next[State::AfterElement as usize][Class::Comma as usize] = State::Element as u8;
    next[State::FirstName as usize][Class::ObjectEnd as usize] = CLOSE;
    next[State::AfterMember as usize][Class::ObjectEnd as usize] = CLOSE;
    next[State::AfterMember as usize][Class::Comma as usize] = State::Name as u8;
    next[State::FirstName as usize][Class::String as usize] = State::Colon as u8;
    next[State::Name as usize][Class::String as usize] = State::Colon as u8;
    next[State::Colon as usize][Class::Colon as usize] = State::Member as u8;
    next
};

/// The offset after the container at `start`, inside `base` others, and whether it is ASCII; `None`
/// if it is invalid or too deep, or, with `FINITE`, if it has a number beyond the range of a
/// double.
#[inline(always)]
pub(crate) fn valid_end<V: Vector, const FINITE: bool>(
    bytes: &[u8],
    start: usize,
    base: usize,
) -> Option<(usize, bool)> {
    let mut blocks = Blocks::<V>::new(bytes, start);
    // One bit for each open container except the current one, set for an object. `kinds` holds up
    // to 64 of them, the innermost in its lowest bit; `outer` saves the others, 64 at a time.
    let (mut kinds, mut outer) = (0u64, [0u64; MAX_DEPTH / 64]);
    let (mut state, mut depth) = (State::Element as u8, 0);
    let (mut non_ascii, mut escapes_end) = (0, 0);
    loop {
        let block = blocks.next_block()?;
        let (mut starts, mut end) = (block.starts, None);
        while starts != 0 {
            let at = block.at + starts.trailing_zeros() as usize;
            let byte = *bytes.get(at)?;
            let next = TRANSITIONS[usize::from(state & 7)][CLASSES[usize::from(byte)] as usize];
            if next >= CHECK {
                if next & CHECK != 0 {
                    if !is_plain_number(bytes, &block, at) {
                        check_word::<FINITE>(bytes, at)?;
                    }
                    state = next;
                } else if next & OPEN != 0 {
                    if base + depth >= MAX_DEPTH {
                        return None;
                    }
                    if depth.is_multiple_of(64) {
                        outer[depth / 64] = kinds;
                    }
                    kinds = kinds << 1 | u64::from(state & 7 >= State::FirstName as u8);
                    depth += 1;
                    state = next;
                } else if next & CLOSE != 0 {
                    depth -= 1;
                    if depth == 0 {
                        end = Some(at + 1);
                        break;
                    }
                    let is_object = kinds & 1 == 1;
                    state = if is_object { State::AfterMember } else { State::AfterElement } as u8;
                    kinds >>= 1;
                    if depth.is_multiple_of(64) {
                        kinds = outer[depth / 64];
                    }
                } else {
                    return None;
                }
            } else {
                state = next;
            }
            starts &= starts - 1;
        }
        // Bytes after the end do not count.
        let lanes = end.map_or(u64::MAX, |end| (1 << (end - 1 - block.at)) - 1);
        if block.controls & lanes != 0 {
            return None;
        }
        let mut escapes = block.escapes & lanes;
        while escapes != 0 {
            let at = block.at + escapes.trailing_zeros() as usize;
            // The escape of a high surrogate includes that of the low one.
            if at >= escapes_end {
                escapes_end = escape_end(bytes, at).ok()?;
            }
            escapes &= escapes - 1;
        }
        non_ascii |= block.non_ascii & lanes;
        if let Some(end) = end {
            return Some((end, non_ascii == 0));
        }
    }
}

/// Whether the word at `at` is a number without an exponent that ends in this block.
///
/// PERF: no branch depends on the number of digits, because the end of the word is known.
#[inline(always)]
fn is_plain_number(bytes: &[u8], block: &Tokens, at: usize) -> bool {
    let lane = (at - block.at) as u32 & 63;
    let end = (!(block.words >> lane)).trailing_zeros();
    let byte = |index: u32| bytes.get(at + index as usize).copied().unwrap_or(0);
    let first = u32::from(byte(0) == b'-');
    // Bytes that are not digits, without the sign.
    let others = !(block.digits >> lane) & (u64::MAX << first);
    let digits = others.trailing_zeros();
    let ends = lane + end < 64 && digits > first;
    let plain = ends && (byte(first) != b'0' || digits == first + 1);
    if digits >= end {
        return plain;
    }
    // After the point, digits must follow up to the end of the number, at least one.
    let next = (others & (others - 1)).trailing_zeros();
    plain && byte(digits) == b'.' && next >= end && digits + 1 < end
}

/// Checks the number or literal at `at`, and that the word ends there.
#[inline(always)]
fn check_word<const FINITE: bool>(bytes: &[u8], at: usize) -> Option<()> {
    let end = match bytes.get(at)? {
        b'-' | b'0'..=b'9' if FINITE => number::skip_finite(bytes, at).ok()?,
        b'-' | b'0'..=b'9' => number::skip(bytes, at).ok()?,
        b't' if bytes.get(at..)?.starts_with(b"true") => at + 4,
        b'f' if bytes.get(at..)?.starts_with(b"false") => at + 5,
        b'n' if bytes.get(at..)?.starts_with(b"null") => at + 4,
        _ => return None,
    };
    let after = *bytes.get(end)?;
    let is_end = CLASSES[usize::from(after)] != Class::Word || b" \n\r\t".contains(&after);
    is_end.then_some(())
}
