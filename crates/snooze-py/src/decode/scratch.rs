//! The stacks and caches of one call, kept for the next one.
//!
//! Shared by untyped and typed decoding, which differ in what an open container is. Invariant: empty when
//! it is put back, and no larger than small documents need.

use crate::decode::key_cache::KeyCache;
use crate::decode::string_cache::StringCache;
use crate::py::{Owned, Raised, error};

/// Stacks that keep more than this many values are not kept for the next call.
pub(crate) const KEPT_VALUES: usize = 16 * 1024;

/// Scratch text that is not kept for the next call.
const KEPT_TEXT: usize = 64 * 1024;

/// What one call needs beside its result, kept for the next call. An open container is an `F`.
#[derive(Debug)]
pub(crate) struct Scratch<F> {
    pub(crate) values: Vec<Owned>,
    pub(crate) frames: Vec<F>,
    pub(crate) text: Vec<u8>,
    pub(crate) keys: KeyCache,
    pub(crate) strings: StringCache,
}

impl<F> Default for Scratch<F> {
    fn default() -> Self {
        let (values, frames, text) = (Vec::new(), Vec::new(), Vec::new());
        Self { values, frames, text, keys: KeyCache::default(), strings: StringCache::default() }
    }
}

impl<F> Scratch<F> {
    /// Empties it, and gives back what only a large document needed.
    pub(crate) fn tidy(&mut self) {
        empty(&mut self.values, KEPT_VALUES);
        self.frames.clear();
        empty(&mut self.text, KEPT_TEXT);
    }
}

/// Empties a stack, and gives its memory back if it has room for more than `most`.
pub(crate) fn empty<T>(stack: &mut Vec<T>, most: usize) {
    stack.clear();
    if stack.capacity() > most {
        *stack = Vec::new();
    }
}

/// Puts something on a stack that may have to grow.
#[inline(always)]
pub(crate) fn push<T>(stack: &mut Vec<T>, value: T) -> Result<(), Raised> {
    if stack.len() == stack.capacity() {
        grow(stack)?;
    }
    stack.push(value);
    Ok(())
}

#[cold]
#[inline(never)]
fn grow<T>(stack: &mut Vec<T>) -> Result<(), Raised> {
    stack.try_reserve(stack.len().max(64)).map_err(|_| error::no_memory())
}
