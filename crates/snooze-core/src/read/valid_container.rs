//! Checking a container by blocks: whether it is valid, and where it ends.
//!
//! Separate from `skip`, which walks from token to token, because here the places of tokens are known
//! before any of them is looked at: no token waits for the end of the one before, and a string costs
//! no more than its blocks. Invariant: what this accepts, the walk accepts, with the same end; of
//! anything else it only says that it does not, and the walk finds the fault. Called by `skip` in
//! the tiers whose blocks are cheap.

use super::MAX_DEPTH;
use crate::arch::Vector;
use crate::arch::generic::tokens::{Blocks, Tokens};
use crate::number;
use crate::unescape::escape_end;

/// What may come next.
#[derive(Clone, Copy)]
enum State {
    /// In an array: a value or the end.
    First,
    /// In an array, behind a comma.
    Element,
    /// In an array, behind a value.
    AfterElement,
    /// In an object: a name or the end.
    FirstName,
    /// In an object, behind a comma.
    Name,
    /// Behind a name.
    Colon,
    /// Behind a colon.
    Member,
    /// In an object, behind a value.
    AfterMember,
}

/// What a token is, by its first byte.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    String,
    /// Numbers and literals, and whatever is no token at all.
    Word,
    Object,
    Array,
    ObjectEnd,
    ArrayEnd,
    Comma,
    Colon,
}

/// Beside the next state, in [`NEXT`]: what else is to be done.
const CHECK: u8 = 0x10;
const OPEN: u8 = 0x20;
const CLOSE: u8 = 0x40;
const FAULT: u8 = 0x80;

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

/// For each state and class: the state behind that token, and what is to be done.
static NEXT: [[u8; 8]; 8] = {
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

/// The offset after the container at `start`, inside of `base` others, and whether it is ASCII; or
/// nothing, if it is not valid or too deep.
#[inline(always)]
pub(super) fn checked_end<V: Vector>(
    bytes: &[u8],
    start: usize,
    base: usize,
) -> Option<(usize, bool)> {
    let mut blocks = Blocks::<V>::new(bytes, start);
    // Of each open container but the innermost, a bit: set for an object. The lowest word is that of
    // the innermost ones; the others are put away 64 at a time.
    let (mut kinds, mut outer) = (0u64, [0u64; MAX_DEPTH / 64]);
    let (mut state, mut depth) = (State::Element as u8, 0);
    let (mut high, mut passed) = (0, 0);
    loop {
        let block = blocks.tokens()?;
        let (mut starts, mut end) = (block.starts, None);
        while starts != 0 {
            let at = block.at + starts.trailing_zeros() as usize;
            let byte = *bytes.get(at)?;
            let next = NEXT[usize::from(state & 7)][CLASSES[usize::from(byte)] as usize];
            if next >= CHECK {
                if next & CHECK != 0 {
                    if !is_plain_number(bytes, &block, at) {
                        check_word(bytes, at)?;
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
        // What lies behind the end does not count.
        let lanes = end.map_or(u64::MAX, |end| (1 << (end - 1 - block.at)) - 1);
        if block.controls & lanes != 0 {
            return None;
        }
        let mut escapes = block.escapes & lanes;
        while escapes != 0 {
            let at = block.at + escapes.trailing_zeros() as usize;
            // The second half of a pair of surrogates has been passed with the first.
            if at >= passed {
                passed = escape_end(bytes, at).ok()?;
            }
            escapes &= escapes - 1;
        }
        high |= block.high & lanes;
        if let Some(end) = end {
            return Some((end, high == 0));
        }
    }
}

/// Whether the word at `at` is a number without an exponent that ends in this block.
///
/// PERF: its end is known, and how many digits it has decides no branch.
#[inline(always)]
fn is_plain_number(bytes: &[u8], block: &Tokens, at: usize) -> bool {
    let lane = (at - block.at) as u32 & 63;
    let end = (!(block.words >> lane)).trailing_zeros();
    let byte = |place: u32| bytes.get(at + place as usize).copied().unwrap_or(0);
    let first = u32::from(byte(0) == b'-');
    // But for the sign.
    let others = !(block.digits >> lane) & (u64::MAX << first);
    let digits = others.trailing_zeros();
    let ends = lane + end < 64 && digits > first;
    let plain = ends && (byte(first) != b'0' || digits == first + 1);
    if digits >= end {
        return plain;
    }
    // The next one that is no digit must be behind the number, and not right behind the point.
    let next = (others & (others - 1)).trailing_zeros();
    plain && byte(digits) == b'.' && next >= end && digits + 1 < end
}

/// Checks the number or the literal at `at`, and that nothing goes on behind it.
#[inline(always)]
fn check_word(bytes: &[u8], at: usize) -> Option<()> {
    let end = match bytes.get(at)? {
        b'-' | b'0'..=b'9' => number::skip(bytes, at).ok()?,
        b't' if bytes.get(at..)?.starts_with(b"true") => at + 4,
        b'f' if bytes.get(at..)?.starts_with(b"false") => at + 5,
        b'n' if bytes.get(at..)?.starts_with(b"null") => at + 4,
        _ => return None,
    };
    let after = *bytes.get(end)?;
    let ends = CLASSES[usize::from(after)] != Class::Word || b" \n\r\t".contains(&after);
    ends.then_some(())
}
