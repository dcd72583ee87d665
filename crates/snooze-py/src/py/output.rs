//! The memory that JSON text is written into: first the stack, then a block that becomes the
//! result.
//!
//! Separate from `bytes` because it makes a `bytes`, or a `str`, from the memory that was written
//! into, without a copy. Invariant: see [`Output`]. Called by the entry tasks of encoding.

use core::marker::PhantomData;
use core::mem::MaybeUninit;
use core::ptr::NonNull;
use core::slice;
use core::sync::atomic::{AtomicUsize, Ordering};

use pyo3_ffi::*;
use snooze_core::out::{
    Buffer, FloatHistory, NoMemory, NotedText, SeenTexts, Style, TextHistory, WhiteSpace, Window,
};

use crate::py::bytes::{HEAD, set_unhashed};
use crate::py::error::no_memory;
use crate::py::str_build::{into_ascii, new_ascii_by_calls};
use crate::py::unicode::ASCII_DATA;
use crate::py::{Attached, Owned, Raised, compat, unicode};

/// The size of the array on the stack: output up to this many bytes is copied once, into a `bytes`
/// of its exact size.
pub(crate) const INLINE: usize = 1024;

/// The memory of the output: first an array on the stack, then a block that becomes the result.
///
/// Invariant: `block` is null, or has `head + capacity + 1` bytes from the allocator of objects
/// (`PyObject_Malloc`, `PyObject_Realloc`). `head` is the size of the header of a `bytes`, or that
/// of a `str`, which then may be built in place.
#[derive(Debug)]
pub(crate) struct Output<'a> {
    /// The caller's array, borrowed for `'a`; a pointer, so that windows into it stay valid when
    /// this structure is borrowed again.
    inline: *mut u8,
    borrowed: PhantomData<&'a mut [MaybeUninit<u8>; INLINE]>,
    block: *mut u8,
    head: usize,
    capacity: usize,
    past: &'a Past,
    floats: FloatHistory,
    texts: TextHistory,
    /// The white space of an indented walk.
    white_space: WhiteSpace,
}

/// What a thread remembers of its outputs.
#[derive(Debug, Default)]
pub(crate) struct Past {
    sizes: Sizes,
    texts: SeenTexts,
}

/// The lengths of a thread's recent outputs that needed a block, from which the next length is
/// predicted.
#[derive(Debug, Default)]
struct Sizes {
    last: AtomicUsize,
    before: AtomicUsize,
    /// The longest recent one.
    peak: AtomicUsize,
}

impl Sizes {
    /// Records the length of an output that needed a block.
    #[inline(always)]
    fn note(&self, len: usize) {
        let last = self.last.load(Ordering::Relaxed);
        self.before.store(last, Ordering::Relaxed);
        self.last.store(len, Ordering::Relaxed);
        // The peak decays by 1/32 for each shorter output.
        let peak = self.peak.load(Ordering::Relaxed);
        self.peak.store(len.max(peak - peak / 32), Ordering::Relaxed);
    }

    /// The predicted length of an output that needs at least `needed` bytes: the smaller one of the
    /// last two, or the peak if that is not enough.
    fn guess(&self, needed: usize) -> usize {
        let last = self.last.load(Ordering::Relaxed);
        let usual = last.min(self.before.load(Ordering::Relaxed));
        if needed <= usual { usual } else { self.peak.load(Ordering::Relaxed) }
    }
}

/// A block is larger than the predicted output by 1/32 of its length.
const HEADROOM: usize = 32;

/// A large result keeps up to 1/16 of its length as unused memory: more than the headroom, so that
/// it is not shrunk and the next block has the size of a freed one.
///
/// PERF: glibc maps a large block page by page unless a block of that size was freed before, and a
/// slightly shrunk result never has that size. -23 % on 1 MB of floats (2026-11-21).
const SLACK: usize = 16;

/// Results below this length are always shrunk.
const LARGE: usize = 64 * 1024;

/// The text that an encoder wrote.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Written {
    pub(crate) len: usize,
    /// Whether JSON that this library did not make may be in it.
    pub(crate) copies_json: bool,
    /// Whether numbers are in it with digits that no encoder writes, such as those of a Decimal.
    pub(crate) has_number_texts: bool,
    /// Whether all names are known to be in order, and none to occur twice.
    pub(crate) is_ordered: bool,
}

impl<'a> Output<'a> {
    /// An empty output in the caller's array, which the thread's past helps to outgrow.
    #[inline(always)]
    pub(crate) fn new(inline: &'a mut [MaybeUninit<u8>; INLINE], past: &'a Past) -> Self {
        Self::with_head(inline, past, HEAD)
    }

    /// The same, for [`Output::finish_as_text`]; `direct`: private layouts may be used.
    #[inline(always)]
    pub(crate) fn of_text(
        inline: &'a mut [MaybeUninit<u8>; INLINE],
        past: &'a Past,
        direct: bool,
    ) -> Self {
        let head = if direct && compat::BUILDS_OBJECTS { ASCII_DATA } else { HEAD };
        Self::with_head(inline, past, head)
    }

    /// An empty output of the same kind.
    pub(crate) fn like(&self, inline: &'a mut [MaybeUninit<u8>; INLINE]) -> Self {
        Self::with_head(inline, self.past, self.head)
    }

    #[inline(always)]
    fn with_head(inline: &'a mut [MaybeUninit<u8>; INLINE], past: &'a Past, head: usize) -> Self {
        const { assert!(ASCII_DATA > HEAD) };
        Self {
            inline: inline.as_mut_ptr().cast(),
            borrowed: PhantomData,
            block: core::ptr::null_mut(),
            head,
            capacity: INLINE,
            past,
            floats: FloatHistory::default(),
            texts: TextHistory::default(),
            white_space: WhiteSpace::spaces(2),
        }
    }

    /// Sets the white space of an indented walk.
    #[inline(always)]
    pub(crate) fn space_by(&mut self, white_space: WhiteSpace) {
        self.white_space = white_space;
    }

    /// Grows to the predicted capacity, or at least to the needed one.
    #[cold]
    #[inline(never)]
    fn enlarge(&mut self, used: usize, needed: usize) -> Result<(), NoMemory> {
        // The prediction first; beyond it the capacity doubles.
        let guess = self.past.sizes.guess(needed);
        let doubled = self.capacity.saturating_mul(2).max(guess + guess / HEADROOM);
        if self.grow(used, needed.max(doubled)).is_err() {
            // If a large step fails, the smallest one may still succeed.
            self.grow(used, needed)?;
        }
        Ok(())
    }

    fn grow(&mut self, used: usize, capacity: usize) -> Result<(), NoMemory> {
        let size = capacity.checked_add(self.head + 1).filter(|&size| size <= isize::MAX as usize);
        let size = size.ok_or(NoMemory)?;
        // SAFETY: attached, because an output lives inside a call of encoding; the block comes from
        // PyObject_Realloc, because only this function sets it; if that fails, the old block stays
        // valid. The copy stays inside both, because `used` is at most either capacity.
        unsafe {
            let fresh = self.block.is_null();
            let block = PyObject_Realloc(self.block.cast(), size).cast::<u8>();
            if block.is_null() {
                return Err(NoMemory);
            }
            if fresh {
                block.add(self.head).copy_from_nonoverlapping(self.inline, used);
            }
            self.block = block;
        }
        self.capacity = capacity;
        Ok(())
    }

    /// Makes a `bytes` of the first `len` bytes.
    #[inline(always)]
    pub(crate) fn finish(mut self, len: usize) -> Result<Owned, Raised> {
        if self.block.is_null() || self.head != HEAD {
            // SAFETY: attached, because an output lives inside a call of encoding; the first `len`
            // bytes are initialised, because the caller has written them; the result is checked.
            return unsafe {
                Owned::take(PyBytes_FromStringAndSize(self.start().cast(), len as Py_ssize_t))
            };
        }
        let block = self.take_block(len)?;
        // SAFETY: the block may become a `bytes`, because it comes from the allocator of `bytes`,
        // has room for a header, `len` bytes and a zero byte, and was taken out of `self`. The
        // interpreter makes a `bytes` in the same steps.
        unsafe {
            let object = block.cast::<PyVarObject>();
            PyObject_InitVar(object, &raw mut PyBytes_Type, len as Py_ssize_t);
            set_unhashed(block);
            block.add(HEAD + len).write(0);
            Owned::take(object.cast())
        }
    }

    /// The block, shrunk to `len` bytes if much of it is unused; the output has none then.
    #[inline(always)]
    fn take_block(&mut self, len: usize) -> Result<*mut u8, Raised> {
        if len > INLINE {
            self.past.sizes.note(len);
        }
        let unused = self.capacity - len;
        if (len < LARGE || unused > len / SLACK) && self.grow(len, len).is_err() {
            return Err(no_memory());
        }
        Ok(core::mem::replace(&mut self.block, core::ptr::null_mut()))
    }
}

impl Output<'_> {
    /// Makes a `str` of the first `len` bytes.
    ///
    /// PERF: text in ASCII is not copied, so that a large one needs half the memory, and 0.87 to
    /// 0.95 of the time where results are kept (AMD EPYC, 2026-11-28).
    #[inline(never)]
    pub(crate) fn finish_as_text(mut self, py: &Attached, len: usize) -> Result<Owned, Raised> {
        let is_ascii = self.written(len).is_ascii();
        if is_ascii && self.head == ASCII_DATA && !self.block.is_null() && len > INLINE {
            let block = self.take_block(len)?;
            // SAFETY: attached, because there is a witness. Layouts are known, because `of_text`
            // set the head only then. The block comes from the allocator of objects, has the text
            // behind a head of this size and room for a zero byte, because `len` is at most the
            // capacity, and was taken out of `self`. `len` is at least 2, because it is more than
            // INLINE.
            return unsafe { Ok(into_ascii(block, len)?.into_owned()) };
        }
        if len > INLINE {
            self.past.sizes.note(len);
        }
        let text = self.written(len);
        match is_ascii {
            true => Ok(new_ascii_by_calls(py, text)?.into_owned()),
            false => unicode::decode_utf8(text),
        }
    }

    /// The first `len` bytes, which the caller has written.
    pub(crate) fn written(&self, len: usize) -> &[u8] {
        let len = len.min(self.capacity);
        // SAFETY: inside the memory, because `len` is at most the capacity; initialised, because
        // the caller's `Out` reported that many bytes.
        unsafe { slice::from_raw_parts(self.start(), len) }
    }
}

// SAFETY: a window lies behind `used` bytes inside the memory, because the array and the block hold
// `capacity` bytes; `grow` copies the bytes that were written and changes nothing if it fails.
unsafe impl Buffer for Output<'_> {
    #[inline(always)]
    fn window(&mut self, used: usize, room: usize) -> Result<Window, NoMemory> {
        let needed = used.checked_add(room).ok_or(NoMemory)?;
        if needed > self.capacity {
            self.enlarge(used, needed)?;
        }
        // SAFETY: inside the memory, because `used <= needed <= capacity`.
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
            // SAFETY: inside the block, because `grow` adds the head to its size.
            unsafe { self.block.add(self.head) }
        }
    }

    #[inline(always)]
    fn float_history(&mut self) -> &mut FloatHistory {
        &mut self.floats
    }

    #[inline(always)]
    fn note_text(&mut self, text: NotedText) -> bool {
        self.texts.note(text, &self.past.texts)
    }

    #[inline(always)]
    fn white_space(&self) -> WhiteSpace {
        self.white_space
    }
}

impl Drop for Output<'_> {
    #[inline(always)]
    fn drop(&mut self) {
        if !self.block.is_null() {
            // SAFETY: attached, because an output lives inside a call of encoding; the block comes
            // from PyObject_Realloc and has no other owner, because `take_block` takes it out.
            unsafe { PyObject_Free(self.block.cast()) }
        }
    }
}

/// An output with a style, which the styled format reads. Separate from [`Output`], so that `dumps`
/// does not carry one.
#[derive(Debug)]
pub(crate) struct StyledOutput<'a> {
    output: Output<'a>,
    style: Style,
}

impl<'a> StyledOutput<'a> {
    /// The same output in a style.
    pub(crate) fn new(output: Output<'a>, style: Style) -> Self {
        Self { output, style }
    }

    /// [`Output::finish_as_text`].
    pub(crate) fn finish_as_text(self, py: &Attached, len: usize) -> Result<Owned, Raised> {
        self.output.finish_as_text(py, len)
    }
}

// SAFETY: the contract is kept, because everything about the memory is left to `Output`, which
// keeps it.
unsafe impl Buffer for StyledOutput<'_> {
    #[inline(always)]
    fn window(&mut self, used: usize, additional: usize) -> Result<Window, NoMemory> {
        self.output.window(used, additional)
    }

    #[inline(always)]
    fn start(&self) -> *const u8 {
        self.output.start()
    }

    #[inline(always)]
    fn float_history(&mut self) -> &mut FloatHistory {
        self.output.float_history()
    }

    #[inline(always)]
    fn note_text(&mut self, text: NotedText) -> bool {
        self.output.note_text(text)
    }

    #[inline(always)]
    fn style(&self) -> Style {
        self.style
    }
}
