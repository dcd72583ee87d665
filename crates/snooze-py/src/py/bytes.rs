//! `bytes` out and in: the buffer that `dumps` writes into, and the input of `loads`.

use core::marker::PhantomData;
use core::mem::{MaybeUninit, offset_of};
use core::ptr::NonNull;
use core::slice;
use core::sync::atomic::{AtomicUsize, Ordering};

use pyo3_ffi::*;
use snooze_core::out::{Buffer, NoMemory, Window};

use super::error::no_memory;
use super::{Attached, Obj, Owned, Raised, text, types};

/// Output up to this many bytes is copied once into an object of its exact size.
pub(crate) const INLINE: usize = 1024;

/// Bytes of a `bytes` object before its contents, and after them (a zero byte).
const HEAD: usize = offset_of!(PyBytesObject, ob_sval);

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

/// Writes bytes into an exact `bytearray` from `offset` on, which becomes longer if it has to;
/// what it was stays if that fails. Nobody may have a view of it.
pub(crate) fn write_into(
    _py: &Attached,
    target: Obj<'_>,
    offset: usize,
    bytes: &[u8],
) -> Result<usize, Raised> {
    super::dict::locked(target, || {
        // SAFETY: a live exact `bytearray`, under its lock where there is one; its memory is asked
        // for after it has its size, and no Python code runs in between. `offset` is compared
        // with its length. A slice is no longer than isize::MAX.
        unsafe {
            let array = target.as_ptr().cast::<PyByteArrayObject>();
            let length = PyByteArray_Size(target.as_ptr()) as usize;
            if offset > length {
                let message = c"offset is behind the end of the bytearray";
                return Err(super::error::value_error(message));
            }
            if (*array).ob_exports > 0 {
                let message = c"Existing exports of data: object cannot be re-sized";
                return Err(super::error::buffer_error(message));
            }
            let end = offset.checked_add(bytes.len()).filter(|&end| end <= isize::MAX as usize);
            let end = end.ok_or_else(no_memory)?;
            if end > length && PyByteArray_Resize(target.as_ptr(), end as Py_ssize_t) != 0 {
                return Err(Raised);
            }
            let start = PyByteArray_AsString(target.as_ptr()).cast::<u8>();
            start.add(offset).copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
            Ok(end)
        }
    })
}

/// The length of an exact `bytearray`; `None` for any other object.
pub(crate) fn bytearray_len(object: Obj<'_>) -> Option<usize> {
    // SAFETY: a live object, whose type is compared first.
    unsafe {
        (object.type_ptr() == &raw mut PyByteArray_Type)
            .then(|| PyByteArray_Size(object.as_ptr()) as usize)
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

/// The bytes of a document, alive and unchanging as long as this.
pub(crate) struct Input<'a> {
    bytes: &'a [u8],
    /// The copy that `bytes` points into, if there is one.
    _copy: Option<Owned>,
    /// The buffer that `bytes` points into, if there is one.
    _view: Option<View>,
    /// Whether the bytes come from a `str`, and so are UTF-8.
    pub(crate) is_text: bool,
}

/// Why an object is no input.
#[derive(Clone, Copy, Debug)]
pub(crate) enum InputFault {
    /// Of a type that is none.
    WrongType,
    /// A `str` with surrogates.
    NotUtf8,
    /// An exception is set.
    Raised,
}

impl From<Raised> for InputFault {
    fn from(Raised: Raised) -> Self {
        Self::Raised
    }
}

impl<'a> Input<'a> {
    /// The document's bytes.
    #[inline(always)]
    pub(crate) fn bytes(&self) -> &[u8] {
        self.bytes
    }

    /// The input that an object of an exact type is.
    ///
    /// `bytes` and ASCII `str` are read in place, and so is a memoryview of a `bytes`. Everything
    /// that can change is copied first: parsing may run finalisers, and other threads.
    #[inline(always)]
    ///
    /// `base_name` is the attribute of a memoryview that has what it is of, `obj`.
    pub(crate) fn new<const DIRECT: bool>(
        py: &Attached,
        object: Obj<'a>,
        base_name: &Owned,
    ) -> Result<Self, InputFault> {
        let tp = object.type_ptr();
        if tp == &raw mut PyBytes_Type {
            return Ok(Self { bytes: contents(object), _copy: None, _view: None, is_text: false });
        }
        if types::is_exact_str(object) {
            if let text::Chars::Ascii(bytes) = text::chars::<DIRECT>(object)? {
                return Ok(Self { bytes, _copy: None, _view: None, is_text: true });
            }
            return Self::of_wide_text(py, object);
        }
        Self::of_buffer(object, base_name)
    }

    #[inline(never)]
    fn of_wide_text(py: &Attached, object: Obj<'a>) -> Result<Self, InputFault> {
        match text::encode_utf8(py, object) {
            Ok(copy) => Ok(Self::of_copy(copy, true)),
            Err(Raised) if super::error::is_unicode_error(py) => {
                // SAFETY: attached.
                unsafe { PyErr_Clear() };
                Err(InputFault::NotUtf8)
            }
            Err(Raised) => Err(InputFault::Raised),
        }
    }

    fn of_copy(copy: Owned, is_text: bool) -> Self {
        // SAFETY: the copy is kept beside the slice and never changes.
        let bytes = unsafe { extend(contents(copy.get())) };
        Self { bytes, _copy: Some(copy), _view: None, is_text }
    }

    #[inline(never)]
    fn of_buffer(object: Obj<'a>, base_name: &Owned) -> Result<Self, InputFault> {
        let tp = object.type_ptr();
        let is_view = tp == &raw mut PyMemoryView_Type;
        if !is_view && tp != &raw mut PyByteArray_Type {
            return Err(InputFault::WrongType);
        }
        let view = View::new(object)?;
        if is_view && is_of_bytes(object, base_name)? {
            // SAFETY: the view is kept beside the slice, and keeps the `bytes` that it is of.
            let bytes = unsafe { extend(view.contents()) };
            return Ok(Self { bytes, _copy: None, _view: Some(view), is_text: false });
        }
        let contents = view.contents();
        // SAFETY: attached; the contents are readable while the view is held. Another thread of a
        // free-threaded build may write them meanwhile, as with any reader of a shared buffer:
        // then it is undefined which bytes are copied, but what is parsed no longer changes.
        let copy = unsafe {
            let length = contents.len() as Py_ssize_t;
            Owned::take(PyBytes_FromStringAndSize(contents.as_ptr().cast(), length))?
        };
        Ok(Self::of_copy(copy, false))
    }
}

/// The contents of a `bytes`.
#[inline(always)]
pub(crate) fn contents(bytes: Obj<'_>) -> &[u8] {
    // SAFETY: a live exact `bytes`, which never changes.
    unsafe {
        let size = Py_SIZE(bytes.as_ptr()) as usize;
        slice::from_raw_parts(bytes.as_ptr().byte_add(HEAD).cast(), size)
    }
}

/// The contents of a `bytes` that the caller owns.
pub(crate) fn owned_contents(bytes: &Owned) -> &[u8] {
    contents(bytes.get())
}

/// The contents of a `bytes` or an instance of a subclass, or `None` for any other object.
pub(crate) fn contents_of(object: Obj<'_>) -> Option<&[u8]> {
    // SAFETY: a live object; an instance of a subclass has its bytes where a `bytes` has them.
    unsafe { PyBytes_Check(object.as_ptr()) != 0 }.then(|| contents(object))
}

/// A new `bytes`.
pub(crate) fn new(_py: &Attached, contents: &[u8]) -> Result<Owned, Raised> {
    // SAFETY: attached; so many bytes; the result is checked.
    unsafe {
        let length = contents.len() as Py_ssize_t;
        Owned::take(PyBytes_FromStringAndSize(contents.as_ptr().cast(), length))
    }
}

/// A copy of an instance of a subclass of `bytes`, or `None` for any other object.
#[inline(always)]
pub(crate) fn of_subclass(py: &Attached, object: Obj<'_>) -> Result<Option<Owned>, Raised> {
    // SAFETY: a live object.
    let is_subclass = unsafe {
        object.type_ptr() != &raw mut PyBytes_Type && PyBytes_Check(object.as_ptr()) != 0
    };
    if !is_subclass {
        return Ok(None);
    }
    // A subclass keeps its contents where `bytes` does.
    new_bytes(py, contents(object)).map(Some)
}

/// The contents of an exact `bytes`, or `None` for any other object.
pub(crate) fn exact_contents(object: Obj<'_>) -> Option<&[u8]> {
    (object.type_ptr() == &raw mut PyBytes_Type).then(|| contents(object))
}

/// A new `bytes`.
pub(crate) fn new_bytes(_py: &Attached, contents: &[u8]) -> Result<Owned, Raised> {
    let (start, length) = (contents.as_ptr().cast(), contents.len() as Py_ssize_t);
    // SAFETY: attached; the result is checked.
    unsafe { Owned::take(PyBytes_FromStringAndSize(start, length)) }
}

/// A new `bytearray`.
pub(crate) fn new_bytearray(_py: &Attached, contents: &[u8]) -> Result<Owned, Raised> {
    let (start, length) = (contents.as_ptr().cast(), contents.len() as Py_ssize_t);
    // SAFETY: attached; the result is checked.
    unsafe { Owned::take(PyByteArray_FromStringAndSize(start, length)) }
}

/// A slice for as long as the owner beside it lives.
///
/// # Safety
/// The owner is kept for `'a`.
unsafe fn extend<'a>(bytes: &[u8]) -> &'a [u8] {
    // SAFETY: by the caller.
    unsafe { slice::from_raw_parts(bytes.as_ptr(), bytes.len()) }
}

/// A buffer of an object, released when dropped.
struct View(Py_buffer);

impl View {
    fn new(object: Obj<'_>) -> Result<Self, InputFault> {
        let mut buffer = Py_buffer::new();
        // SAFETY: a live object and a buffer to fill. Only a filled buffer becomes a view, which
        // releases it; of a view that has moved only the pointers are read.
        unsafe {
            if PyObject_GetBuffer(object.as_ptr(), &mut buffer, PyBUF_FULL_RO) != 0 {
                return Err(InputFault::Raised);
            }
            let view = Self(buffer);
            if PyBuffer_IsContiguous(&view.0, b'C' as _) == 0 {
                return Err(InputFault::WrongType);
            }
            Ok(view)
        }
    }

    fn contents(&self) -> &[u8] {
        if self.0.buf.is_null() || self.0.len <= 0 {
            return &[];
        }
        // SAFETY: a contiguous buffer of that many bytes, held by this view.
        unsafe { slice::from_raw_parts(self.0.buf.cast(), self.0.len as usize) }
    }
}

/// Whether a memoryview is of an exact `bytes`, which cannot change.
fn is_of_bytes(memoryview: Obj<'_>, base_name: &Owned) -> Result<bool, Raised> {
    // SAFETY: a live memoryview, whose getter runs no Python code; the result is checked.
    let base = unsafe { Owned::take(PyObject_GetAttr(memoryview.as_ptr(), base_name.as_ptr()))? };
    Ok(base.get().type_ptr() == &raw mut PyBytes_Type)
}

impl Drop for View {
    fn drop(&mut self) {
        // SAFETY: filled by PyObject_GetBuffer, and released once.
        unsafe { PyBuffer_Release(&mut self.0) }
    }
}
