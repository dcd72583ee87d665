//! The scratch memory of one call: stacks and caches, kept for the next call.
//!
//! Separate because all three walks share it; they differ in the type of their frames.
//! Invariant: when it is put back into its pool, its stacks are empty and no larger than small
//! documents need. Used by `untyped`, `typed` and `policy`; owned by the pools of `module::state`.

use crate::decode::key_cache::KeyCache;
use crate::decode::string_cache::StringCache;
use crate::py::{Owned, Raised, error};

/// A stack with room for more values than this is freed after a call.
pub(crate) const MAX_KEPT_VALUES: usize = 16 * 1024;

/// A stack with room for more frames than this, as deep as `loads` reads, is freed after a call.
pub(crate) const MAX_KEPT_FRAMES: usize = 1024;

/// A buffer for text with more bytes than this is freed after a call.
const MAX_KEPT_TEXT: usize = 64 * 1024;

/// The scratch memory of one call. `F` is the frame of an open container.
#[derive(Debug)]
pub(crate) struct Scratch<F> {
    /// Values of open containers, and those containers where they are made first.
    pub(crate) values: Vec<Owned>,
    /// The open containers.
    pub(crate) frames: Vec<F>,
    /// The text of a string with escapes.
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

/// Scratch memory in use by a walk.
pub(crate) struct ScratchRefs<'a, F> {
    pub(crate) values: &'a mut Vec<Owned>,
    pub(crate) frames: &'a mut Vec<F>,
    pub(crate) text: &'a mut Vec<u8>,
    pub(crate) keys: &'a mut KeyCache,
    pub(crate) strings: &'a mut StringCache,
}

impl<F> Scratch<F> {
    /// All of it, for a walk.
    #[inline(always)]
    pub(crate) fn refs(&mut self) -> ScratchRefs<'_, F> {
        let Self { values, frames, text, keys, strings } = self;
        ScratchRefs { values, frames, text, keys, strings }
    }

    /// Empties the stacks, and frees the memory that only a large document needed.
    pub(crate) fn reset(&mut self) {
        clear_and_shrink(&mut self.values, MAX_KEPT_VALUES);
        clear_and_shrink(&mut self.frames, MAX_KEPT_FRAMES);
        clear_and_shrink(&mut self.text, MAX_KEPT_TEXT);
    }
}

/// Empties a stack, and frees its memory if that has room for more than `max_kept` elements.
pub(crate) fn clear_and_shrink<T>(stack: &mut Vec<T>, max_kept: usize) {
    stack.clear();
    if stack.capacity() > max_kept {
        *stack = Vec::new();
    }
}

/// Pushes an element onto a stack that may have to grow.
#[inline(always)]
pub(crate) fn push<T>(stack: &mut Vec<T>, element: T) -> Result<(), Raised> {
    reserve(stack, 1)?;
    stack.push(element);
    Ok(())
}

/// Makes room for `count` more elements on a stack.
#[inline(always)]
pub(crate) fn reserve<T>(stack: &mut Vec<T>, count: usize) -> Result<(), Raised> {
    if stack.capacity() - stack.len() < count {
        grow(stack, count)?;
    }
    Ok(())
}

#[cold]
#[inline(never)]
fn grow<T>(stack: &mut Vec<T>, count: usize) -> Result<(), Raised> {
    stack.try_reserve(stack.len().max(64).max(count)).map_err(|_| error::no_memory())
}
