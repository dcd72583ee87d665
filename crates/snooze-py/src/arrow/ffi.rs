//! The three structs of the interface.
//!
//! Separate because their layout is a contract with other libraries. Invariant: a struct whose
//! `release` is null owns nothing; dropping one calls its `release`. Used by the other files of
//! this room, and by `module`, which puts them into capsules.

use core::ffi::{c_char, c_int, c_void};
use core::ptr::null_mut;

/// `struct ArrowSchema`.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct ArrowSchema {
    pub(super) format: *const c_char,
    pub(super) name: *const c_char,
    pub(super) metadata: *const c_char,
    pub(super) flags: i64,
    pub(super) n_children: i64,
    pub(super) children: *mut *mut ArrowSchema,
    pub(super) dictionary: *mut ArrowSchema,
    pub(super) release: Option<unsafe extern "C" fn(*mut ArrowSchema)>,
    pub(super) private_data: *mut c_void,
}

/// The bit of `flags` that says that a field may be null.
pub(super) const NULLABLE: i64 = 2;

/// `struct ArrowArray`.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct ArrowArray {
    pub(super) length: i64,
    pub(super) null_count: i64,
    pub(super) offset: i64,
    pub(super) n_buffers: i64,
    pub(super) n_children: i64,
    pub(super) buffers: *mut *const c_void,
    pub(super) children: *mut *mut ArrowArray,
    pub(super) dictionary: *mut ArrowArray,
    pub(super) release: Option<unsafe extern "C" fn(*mut ArrowArray)>,
    pub(super) private_data: *mut c_void,
}

/// `struct ArrowArrayStream`.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct ArrowArrayStream {
    pub(super) get_schema:
        Option<unsafe extern "C" fn(*mut ArrowArrayStream, *mut ArrowSchema) -> c_int>,
    pub(super) get_next:
        Option<unsafe extern "C" fn(*mut ArrowArrayStream, *mut ArrowArray) -> c_int>,
    pub(super) get_last_error: Option<unsafe extern "C" fn(*mut ArrowArrayStream) -> *const c_char>,
    pub(super) release: Option<unsafe extern "C" fn(*mut ArrowArrayStream)>,
    pub(super) private_data: *mut c_void,
}

impl ArrowArray {
    /// A struct that owns nothing.
    pub(crate) fn released() -> Self {
        Self {
            length: 0,
            null_count: 0,
            offset: 0,
            n_buffers: 0,
            n_children: 0,
            buffers: null_mut(),
            children: null_mut(),
            dictionary: null_mut(),
            release: None,
            private_data: null_mut(),
        }
    }

    /// The number of rows.
    pub(crate) fn rows(&self) -> i64 {
        self.length
    }
}

macro_rules! release_on_drop {
    ($name:ident) => {
        impl Drop for $name {
            fn drop(&mut self) {
                if let Some(release) = self.release {
                    // SAFETY: not released before, because a release sets the field to null; the
                    // function belongs to this struct, because producers set both together.
                    unsafe { release(self) }
                }
            }
        }
    };
}

release_on_drop!(ArrowSchema);
release_on_drop!(ArrowArray);
release_on_drop!(ArrowArrayStream);

// SAFETY: sending it to another thread is sound, because the specification lets a consumer use and
// release a struct on any thread, one at a time.
unsafe impl Send for ArrowSchema {}
// SAFETY: as for `ArrowSchema`.
unsafe impl Send for ArrowArray {}
// SAFETY: as for `ArrowSchema`.
unsafe impl Send for ArrowArrayStream {}
