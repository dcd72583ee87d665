//! The memory that JSON text is written into: the stack at first, then a block that becomes a `bytes`.
//!
//! Separate from `bytes`, because it is the one place that makes a `bytes` in the memory it was
//! written in. Invariant: see [`Output`]. Called by both directions' entry tasks of encoding.

use core::marker::PhantomData;
use core::mem::MaybeUninit;
use core::ptr::NonNull;
use core::slice;
use core::sync::atomic::{AtomicUsize, Ordering};

use pyo3_ffi::*;
use snooze_core::out::{Buffer, NoMemory, Window};

use crate::py::bytes::HEAD;
use crate::py::error::no_memory;
use crate::py::{Owned, Raised};

/// Output up to this many bytes is copied once into an object of its exact size.
pub(crate) const INLINE: usize = 1024;

/// The memory of the output: at first on the stack, then a block that becomes the `bytes`.
///
/// Invariant: `block` is null, or has `HEAD + capacity + 1` bytes from `PyObject_Malloc`.
#[derive(Debug)]
pub(crate) struct Output<'a> {
    /// The caller's array, borrowed for `'a`; a pointer, so that windows into it stay valid
    /// while this structure is borrowed anew.
    inline: *mut u8,
    borrowed: PhantomData<&'a mut [MaybeUninit<u8>; INLINE]>,
    block: *mut u8,
    capacity: usize,
    sizes: &'a Sizes,
}

/// How long outputs were that did not fit the array, to guess the next one's length.
#[derive(Debug, Default)]
pub(crate) struct Sizes {
    last: AtomicUsize,
    before: AtomicUsize,
    /// The longest of late.
    peak: AtomicUsize,
}

impl Sizes {
    /// Notes the length of an output, if it is one that a block was needed for.
    #[inline(always)]
    fn note(&self, len: usize) {
        let last = self.last.load(Ordering::Relaxed);
        self.before.store(last, Ordering::Relaxed);
        self.last.store(len, Ordering::Relaxed);
        // A peak is forgotten bit by bit.
        let peak = self.peak.load(Ordering::Relaxed);
        self.peak.store(len.max(peak - peak / 32), Ordering::Relaxed);
    }

    /// What is expected of an output that needs so many bytes at least: first the smaller one of
    /// the last two, then the longest.
    fn guess(&self, needed: usize) -> usize {
        let last = self.last.load(Ordering::Relaxed);
        let usual = last.min(self.before.load(Ordering::Relaxed));
        if needed <= usual { usual } else { self.peak.load(Ordering::Relaxed) }
    }
}

/// What a block is larger than the output that is expected in it, as a part of that.
const HEADROOM: usize = 32;

/// What a result may have behind it that is not used, as a part of its length: more than the
/// headroom, so that it is not cut off and the next block has the size of one that was freed.
///
/// PERF: glibc maps large blocks anew, page by page, until one of that size was freed; a result
/// that is shrunk by a little is never of that size. -23 % on 1 MB of floats (2026-11-21).
const SLACK: usize = 16;

/// Results below this length are always cut.
const LARGE: usize = 64 * 1024;

impl<'a> Output<'a> {
    /// An empty output; if it outgrows the array, it is expected to be as long as others.
    #[inline(always)]
    pub(crate) fn new(inline: &'a mut [MaybeUninit<u8>; INLINE], sizes: &'a Sizes) -> Self {
        Self {
            inline: inline.as_mut_ptr().cast(),
            borrowed: PhantomData,
            block: core::ptr::null_mut(),
            capacity: INLINE,
            sizes,
        }
    }

    /// Grows to what is expected, or at least to what is needed.
    #[cold]
    #[inline(never)]
    fn enlarge(&mut self, used: usize, needed: usize) -> Result<(), NoMemory> {
        // First what is usual; what is more, of late, at once; and then twice as much.
        let guess = self.sizes.guess(needed);
        let doubled = self.capacity.saturating_mul(2).max(guess + guess / HEADROOM);
        if self.grow(used, needed.max(doubled)).is_err() {
            // A large step may fail where the small one still succeeds.
            self.grow(used, needed)?;
        }
        Ok(())
    }

    fn grow(&mut self, used: usize, capacity: usize) -> Result<(), NoMemory> {
        let size = capacity.checked_add(HEAD + 1).filter(|&size| size <= isize::MAX as usize);
        let size = size.ok_or(NoMemory)?;
        // SAFETY: attached, because the output belongs to a call of `dumps`. A failed call leaves
        // the old block as it was. The first `used` bytes are initialised and lie inside both.
        unsafe {
            let fresh = self.block.is_null();
            let block = PyObject_Realloc(self.block.cast(), size).cast::<u8>();
            if block.is_null() {
                return Err(NoMemory);
            }
            if fresh {
                block.add(HEAD).copy_from_nonoverlapping(self.inline, used);
            }
            self.block = block;
        }
        self.capacity = capacity;
        Ok(())
    }

    /// The first `len` bytes as a `bytes` that owns no more memory than it needs.
    #[inline(always)]
    pub(crate) fn finish(mut self, len: usize) -> Result<Owned, Raised> {
        if self.block.is_null() {
            // SAFETY: attached; the first `len <= INLINE` bytes are written.
            return unsafe {
                Owned::take(PyBytes_FromStringAndSize(self.inline.cast(), len as Py_ssize_t))
            };
        }
        if len > INLINE {
            self.sizes.note(len);
        }
        let unused = self.capacity - len;
        if (len < LARGE || unused > len / SLACK) && self.grow(len, len).is_err() {
            return Err(no_memory());
        }
        let block = core::mem::replace(&mut self.block, core::ptr::null_mut());
        // SAFETY: the block has the size of a `bytes` of `len` bytes, from the allocator that
        // `bytes` uses, and is nobody else's. This is how the interpreter makes one.
        unsafe {
            let object = block.cast::<PyVarObject>();
            PyObject_InitVar(object, &raw mut PyBytes_Type, len as Py_ssize_t);
            set_unhashed(block);
            block.add(HEAD + len).write(0);
            Owned::take(object.cast())
        }
    }
}

impl Output<'_> {
    /// The first `len` bytes, which have been written.
    pub(crate) fn written(&self, len: usize) -> &[u8] {
        let len = len.min(self.capacity);
        // SAFETY: `len` bytes from the start are inside the memory, and initialised as the caller's
        // `Out` reported.
        unsafe { slice::from_raw_parts(self.start(), len) }
    }
}

/// Marks a new `bytes` as not hashed yet.
///
/// # Safety
/// `block` is a `PyBytesObject`.
#[allow(deprecated, reason = "the field is only deprecated for reading")]
unsafe fn set_unhashed(block: *mut u8) {
    // SAFETY: by the caller.
    unsafe { (&raw mut (*block.cast::<PyBytesObject>()).ob_shash).write(-1) }
}

// SAFETY: the window lies behind `used` bytes inside the stack's array or the block, both of
// which hold `capacity` bytes; growing keeps what is written, failing changes nothing.
unsafe impl Buffer for Output<'_> {
    #[inline(always)]
    fn window(&mut self, used: usize, room: usize) -> Result<Window, NoMemory> {
        let needed = used.checked_add(room).ok_or(NoMemory)?;
        if needed > self.capacity {
            self.enlarge(used, needed)?;
        }
        // SAFETY: `used <= needed <= capacity`.
        unsafe {
            let start = self.start().cast_mut();
            let cursor = NonNull::new_unchecked(start.add(used));
            Ok(Window::new(cursor, start.add(self.capacity)))
        }
    }

    #[inline(always)]
    fn start(&self) -> *const u8 {
        if self.block.is_null() {
            self.inline
        } else {
            // SAFETY: a block is larger than HEAD.
            unsafe { self.block.add(HEAD) }
        }
    }
}

impl Drop for Output<'_> {
    #[inline(always)]
    fn drop(&mut self) {
        if !self.block.is_null() {
            // SAFETY: attached, because an output lives inside a call; the block is ours.
            unsafe { PyObject_Free(self.block.cast()) }
        }
    }
}
