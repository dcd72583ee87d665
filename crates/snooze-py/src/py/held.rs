//! Memory of Python objects that a scan reads while other threads run: held now, released later.
//!
//! Separate from `input`, whose views end with the call. A stream may be dropped by any thread,
//! without the GIL, even after the interpreter has ended; a buffer can be released only by a thread
//! that is attached. So a dropped [`Held`] leaves its buffer in the [`Releases`] of its
//! interpreter, which the next call of a scan function empties. Invariant: a buffer is released
//! once, by a thread that is attached to its interpreter. Called by `module` and `scan`.

use core::ptr::{NonNull, null_mut};
use core::sync::atomic::{AtomicPtr, Ordering};
use std::sync::Arc;

use pyo3_ffi::*;

use crate::boxed;
use crate::py::{Attached, Obj, Raised, error};

/// A buffer that is held, or that waits to be released before another one.
struct Node {
    buffer: Py_buffer,
    next: *mut Node,
}

/// The buffers of one interpreter that wait to be released: a stack without a lock, which a fork
/// could copy while another thread has it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Releases(Arc<AtomicPtr<Node>>);

impl Releases {
    /// Releases the buffers that wait, which may run Python code.
    pub(crate) fn release_all(&self, _py: &mut Attached) {
        if self.0.load(Ordering::Relaxed).is_null() {
            return;
        }
        let mut first = self.0.swap(null_mut(), Ordering::Acquire);
        while !first.is_null() {
            // SAFETY: attached, because there is a witness. The pointers come from `put`, because
            // `leave` pushes only such; each is taken once, because the whole stack was taken out
            // in one step. A filled buffer, because `Held::new` made it.
            unsafe {
                let mut node = boxed::take(first);
                first = node[0].next;
                PyBuffer_Release(&mut node[0].buffer);
            }
        }
    }

    /// Leaves a buffer for the next call of `release_all`.
    fn leave(&self, mut node: NonNull<Node>) {
        let mut first = self.0.load(Ordering::Relaxed);
        loop {
            // SAFETY: allocated, because it comes from `put`; nobody else has it until it is
            // pushed.
            unsafe { node.as_mut().next = first };
            let pushed = self.0.compare_exchange_weak(
                first,
                node.as_ptr(),
                Ordering::Release,
                Ordering::Relaxed,
            );
            match pushed {
                Ok(_) => return,
                Err(other) => first = other,
            }
        }
    }
}

/// The contiguous memory of an object, kept alive from any thread.
pub(crate) struct Held {
    node: NonNull<Node>,
    releases: Releases,
}

// SAFETY: sending it to another thread is sound, because other threads only read the address and
// the length of its buffer, and only an attached thread releases it.
unsafe impl Send for Held {}
// SAFETY: as for sending.
unsafe impl Sync for Held {}

impl core::fmt::Debug for Held {
    fn fmt(&self, formatter: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        formatter.debug_tuple("Held").field(&self.len()).finish()
    }
}

impl Held {
    /// Holds the memory of an object with the buffer protocol.
    pub(crate) fn new(
        _py: &mut Attached,
        object: Obj<'_>,
        releases: &Releases,
    ) -> Result<Self, Raised> {
        let node = Node { buffer: Py_buffer::new(), next: null_mut() };
        // First, because a buffer that is filled must be released.
        let mut node = boxed::put(node).map_err(|_| error::no_memory())?;
        // SAFETY: attached and a live object, because there are a witness and an `Obj`; the result
        // is checked. The node is allocated and nobody else has it; without a buffer it is freed.
        unsafe {
            if PyObject_GetBuffer(object.as_ptr(), &mut node.as_mut().buffer, PyBUF_SIMPLE) != 0 {
                drop(boxed::take(node.as_ptr()));
                return Err(Raised);
            }
        }
        Ok(Self { node, releases: releases.clone() })
    }

    /// The buffer.
    fn buffer(&self) -> &Py_buffer {
        // SAFETY: allocated and filled, because `new` did so; it stays until this is dropped.
        unsafe { &self.node.as_ref().buffer }
    }

    /// The number of bytes.
    pub(crate) fn len(&self) -> usize {
        self.buffer().len.max(0) as usize
    }

    /// Copies bytes from `at` on; returns how many there were.
    ///
    /// The memory may change while it is copied, as any shared buffer may: the copy then has old
    /// and new bytes, and does not change afterwards.
    pub(crate) fn read_at(&self, at: u64, target: &mut [u8]) -> usize {
        let rest = (self.len() as u64).saturating_sub(at);
        let count = rest.min(target.len() as u64) as usize;
        if count > 0 {
            // SAFETY: `len` bytes at `buf` that stay where they are, because the buffer is held;
            // `at + count` is at most `len`; the target is our own memory.
            unsafe {
                let source = self.buffer().buf.cast::<u8>().add(at as usize);
                core::ptr::copy_nonoverlapping(source, target.as_mut_ptr(), count);
            }
        }
        count
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.releases.leave(self.node);
    }
}
