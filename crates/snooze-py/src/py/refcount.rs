//! The header of objects: writing one, and counting references.
//!
//! Separate because free-threaded builds have another header. `pyo3-ffi` calls the interpreter for
//! each reference there; CPython's own header files count in place, and so does this file, by the
//! same rules: the thread that made an object counts in `ob_ref_local` without atomic operations,
//! all others in `ob_ref_shared`, and immortal objects are not counted. Called by `object`, and by
//! what builds objects.

#[cfg(Py_GIL_DISABLED)]
use core::sync::atomic::{
    AtomicUsize,
    Ordering::{Relaxed, SeqCst},
};

#[cfg(not(Py_GIL_DISABLED))]
pub(super) use pyo3_ffi::{Py_DECREF as decrement, Py_INCREF as increment};
use pyo3_ffi::{PyObject, PyTypeObject};
use snooze_core::arch;

#[cfg(Py_GIL_DISABLED)]
unsafe extern "C" {
    /// Releases a reference of another thread's object.
    fn _Py_DecRefShared(object: *mut PyObject);
    /// Frees an object whose owner has no reference left, or gives it up.
    fn _Py_MergeZeroLocalRefcount(object: *mut PyObject);
}

/// Whether [`write_head`] can write a header, and references are counted in place.
pub(super) const KNOWS_HEADER: bool = knows_header(Build {
    counts_all: cfg!(any(py_sys_config = "Py_REF_DEBUG", py_sys_config = "Py_DEBUG")),
    is_free_threaded: cfg!(Py_GIL_DISABLED),
    is_3_14: cfg!(all(Py_3_14, not(Py_3_15))),
    has_thread_pointer: arch::HAS_THREAD_POINTER,
});

/// What decides whether the header is known.
#[derive(Clone, Copy)]
struct Build {
    /// The interpreter counts all references of the process.
    counts_all: bool,
    is_free_threaded: bool,
    /// 3.14, and no later version.
    is_3_14: bool,
    /// The number of a thread is known here. It is the address of the thread's local storage.
    has_thread_pointer: bool,
}

/// The rules of free-threaded builds are those of 3.14, and nothing at import could notice that
/// others apply. So all other versions count by the C-API until they were read and tested.
const fn knows_header(build: Build) -> bool {
    !build.counts_all && (!build.is_free_threaded || build.is_3_14 && build.has_thread_pointer)
}

/// A test at each build: what falls back to the C-API, and what does not.
const _: () = {
    let free = Build {
        counts_all: false,
        is_free_threaded: true,
        is_3_14: true,
        has_thread_pointer: true,
    };
    assert!(knows_header(free));
    assert!(!knows_header(Build { is_3_14: false, ..free }));
    assert!(!knows_header(Build { has_thread_pointer: false, ..free }));
    assert!(!knows_header(Build { counts_all: true, ..free }));
    let locked = Build { is_free_threaded: false, is_3_14: false, ..free };
    assert!(knows_header(Build { has_thread_pointer: false, ..locked }));
    assert!(!knows_header(Build { counts_all: true, ..locked }));
    // This file was read beside the sources of 3.14 only.
    assert!(!(KNOWS_HEADER && cfg!(all(Py_GIL_DISABLED, Py_3_15))));
};

/// Writes the header of a new object with one reference, where [`KNOWS_HEADER`].
///
/// # Safety
/// The thread is attached, `object` is memory for an object, and `tp` is a static type, whose
/// instances hold no reference to it.
#[inline(always)]
pub(super) unsafe fn write_head(object: *mut PyObject, tp: *mut PyTypeObject) {
    #[cfg(not(Py_GIL_DISABLED))]
    // SAFETY: memory for a header, because the caller says so. Its first word has the reference
    // count (from 3.12 on with flags, which are zero in a new object), as `verify` checks; the type
    // is a field of it.
    unsafe {
        object.cast::<usize>().write(1);
        (&raw mut (*object).ob_type).write(tp);
    }
    #[cfg(Py_GIL_DISABLED)]
    // SAFETY: memory for a header, because the caller says so; zeros are a valid header, because it
    // is made of numbers and one pointer.
    unsafe {
        let mut head: PyObject = core::mem::zeroed();
        head.ob_tid = arch::thread_pointer();
        head.ob_ref_local = 1.into();
        head.ob_type = tp;
        object.write(head);
    }
}

/// [`PyObject::ob_ref_local`] of an immortal object.
#[cfg(Py_GIL_DISABLED)]
const IMMORTAL: u32 = u32::MAX;

/// One reference in [`PyObject::ob_ref_shared`], whose low two bits are flags.
#[cfg(Py_GIL_DISABLED)]
const SHARED_ONE: isize = 1 << 2;

/// Whether this thread owns the object: it counts its references without atomic operations, and no
/// other thread can free it.
///
/// # Safety
/// `object` is live.
#[cfg(Py_GIL_DISABLED)]
#[inline(always)]
unsafe fn is_own(object: *mut PyObject) -> bool {
    // SAFETY: inside a live object, because the caller says so; other threads write the field
    // atomically, too.
    let owner = unsafe { AtomicUsize::from_ptr(&raw mut (*object).ob_tid).load(Relaxed) };
    owner == arch::thread_pointer()
}

/// Adds a reference to an object.
///
/// # Safety
/// The thread is attached, and `object` is live.
#[cfg(Py_GIL_DISABLED)]
#[inline(always)]
pub(super) unsafe fn increment(object: *mut PyObject) {
    if !KNOWS_HEADER {
        // SAFETY: attached and a live object, because the caller says so.
        return unsafe { pyo3_ffi::Py_INCREF(object) };
    }
    // SAFETY: inside a live object, because the caller says so. Only its owner writes
    // `ob_ref_local`.
    unsafe {
        let local = (*object).ob_ref_local.load(Relaxed);
        if local == IMMORTAL {
            return;
        }
        if is_own(object) {
            (*object).ob_ref_local.store(local.wrapping_add(1), Relaxed);
        } else {
            (*object).ob_ref_shared.fetch_add(SHARED_ONE, SeqCst);
        }
    }
}

/// Releases a reference to an object, which may free it and run Python code.
///
/// # Safety
/// The thread is attached, and the caller gives up a strong reference to `object`.
#[cfg(Py_GIL_DISABLED)]
#[inline(always)]
pub(super) unsafe fn decrement(object: *mut PyObject) {
    if !KNOWS_HEADER {
        // SAFETY: attached and a reference to give up, because the caller says so.
        return unsafe { pyo3_ffi::Py_DECREF(object) };
    }
    // SAFETY: inside a live object, because the caller has a reference. Only its owner writes
    // `ob_ref_local`, which is not zero while there is an owner.
    unsafe {
        let local = (*object).ob_ref_local.load(Relaxed);
        if local == IMMORTAL {
            return;
        }
        if !is_own(object) {
            return _Py_DecRefShared(object);
        }
        (*object).ob_ref_local.store(local.wrapping_sub(1), Relaxed);
        if local == 1 {
            _Py_MergeZeroLocalRefcount(object);
        }
    }
}
