//! Memory of Python objects that a scan reads while other threads run: held now, released later.
//!
//! Separate from `input`, whose views end with the call. A stream may be dropped by any thread,
//! without the GIL, even after the interpreter has ended; a buffer can be released only by a thread
//! that is attached. So a dropped [`Held`] leaves its buffer in the [`Releases`] of its interpreter,
//! which the next call of a scan function empties. Invariant: a buffer is released once, by a thread
//! that is attached to its interpreter. Called by `module` and `scan`.

use std::sync::{Arc, Mutex, PoisonError};

use pyo3_ffi::*;

use crate::py::{Attached, Obj, Raised, error};

/// A buffer that is held.
struct View(Py_buffer);

// SAFETY: sending it to another thread is sound, because other threads only read its address and
// length, and only an attached thread releases it.
unsafe impl Send for View {}
// SAFETY: as for sending.
unsafe impl Sync for View {}

impl core::fmt::Debug for View {
    fn fmt(&self, formatter: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        formatter.debug_tuple("View").field(&self.0.len).finish()
    }
}

/// The buffers of one interpreter that wait to be released.
#[derive(Clone, Debug, Default)]
pub(crate) struct Releases(Arc<Mutex<Vec<View>>>);

impl Releases {
    /// Releases the buffers that wait, which may run Python code.
    pub(crate) fn release_all(&self, _py: &mut Attached) {
        let waiting = {
            let mut views = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            core::mem::take(&mut *views)
        };
        for mut view in waiting {
            // SAFETY: attached, because there is a witness; a filled buffer, because `Held::new`
            // made it; released once, because it was taken out.
            unsafe { PyBuffer_Release(&mut view.0) }
        }
    }
}

/// The contiguous memory of an object, kept alive from any thread.
#[derive(Debug)]
pub(crate) struct Held {
    view: Option<View>,
    releases: Releases,
}

impl Held {
    /// Holds the memory of an object with the buffer protocol.
    pub(crate) fn new(
        _py: &mut Attached,
        object: Obj<'_>,
        releases: &Releases,
    ) -> Result<Self, Raised> {
        // Room for the release, which must not fail.
        {
            let mut views = releases.0.lock().unwrap_or_else(PoisonError::into_inner);
            let held = Arc::strong_count(&releases.0);
            views.try_reserve(held).map_err(|_| error::no_memory())?;
        }
        let mut buffer = Py_buffer::new();
        // SAFETY: attached and a live object, because there are a witness and an `Obj`; the result
        // is checked.
        if unsafe { PyObject_GetBuffer(object.as_ptr(), &mut buffer, PyBUF_SIMPLE) } != 0 {
            return Err(Raised);
        }
        Ok(Self { view: Some(View(buffer)), releases: releases.clone() })
    }

    /// The number of bytes.
    pub(crate) fn len(&self) -> usize {
        self.view.as_ref().map_or(0, |view| view.0.len.max(0) as usize)
    }

    /// Copies bytes from `at` on; returns how many there were.
    ///
    /// The memory may change while it is copied, as any shared buffer may: the copy then has old
    /// and new bytes, and does not change afterwards.
    pub(crate) fn read_at(&self, at: u64, target: &mut [u8]) -> usize {
        let Some(view) = &self.view else { return 0 };
        let rest = (self.len() as u64).saturating_sub(at);
        let count = rest.min(target.len() as u64) as usize;
        if count > 0 {
            // SAFETY: `len` bytes at `buf` that stay where they are, because the buffer is held;
            // `at + count` is at most `len`; the target is our own memory.
            unsafe {
                let source = view.0.buf.cast::<u8>().add(at as usize);
                core::ptr::copy_nonoverlapping(source, target.as_mut_ptr(), count);
            }
        }
        count
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        if let Some(view) = self.view.take() {
            let mut views = self.releases.0.lock().unwrap_or_else(PoisonError::into_inner);
            // `new` made room. Without it the object is never freed, which is no danger.
            if views.len() < views.capacity() || views.try_reserve(1).is_ok() {
                views.push(view);
            }
        }
    }
}
