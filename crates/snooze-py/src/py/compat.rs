//! Differences between CPython versions, and private functions that `pyo3-ffi` does not declare.
//!
//! Separate so that no other file of the walks has a `cfg(Py_3_x)`. Invariant: one constant or
//! function for each difference, with the same meaning in every version. Called by the rest of
//! `py`.

use core::ffi::{c_int, c_uint, c_void};

use pyo3_ffi::{Py_ssize_t, PyObject, PyTypeObject};

use crate::py::{Obj, refcount};

unsafe extern "C" {
    /// Makes a dict with room for `minused` entries. Exported by every version from 3.11 to 3.15.
    pub(super) fn _PyDict_NewPresized(minused: Py_ssize_t) -> *mut PyObject;
    /// Makes an `int` from bytes. Exported by every version from 3.11 to 3.15.
    pub(super) fn _PyLong_FromByteArray(
        bytes: *const u8,
        count: usize,
        little_endian: c_int,
        is_signed: c_int,
    ) -> *mut PyObject;
    /// The type of `collections.OrderedDict`.
    pub(super) static mut PyODict_Type: PyTypeObject;
}

/// Whether this is a free-threaded build.
pub(crate) const FREE_THREADED: bool = cfg!(Py_GIL_DISABLED);

/// Whether decoding may build strings, integers and the keys objects of dicts itself.
pub(crate) const BUILDS_OBJECTS: bool = refcount::KNOWS_HEADER;

/// Whether decoding may give an open list or dict its items: not on free-threaded builds, whose
/// lists keep the size of their array in it.
pub(crate) const FILLS_CONTAINERS: bool = BUILDS_OBJECTS && !FREE_THREADED;

/// The words before the items in the array of a list: without a GIL the number of items that it has
/// room for.
pub(super) const LIST_ARRAY_HEAD: usize = FREE_THREADED as usize;

/// Whether the state of a `str` has a bit that says that its characters are there.
pub(super) const STR_HAS_READY_BIT: bool = cfg!(not(Py_3_12));

/// Whether the cyclic collector tracks a dict only once it holds a container.
pub(super) const TRACKS_DICTS_LATE: bool = cfg!(not(Py_3_14));

/// Allocates memory for the keys object of a dict with the allocator by which the interpreter frees
/// it; null if there is none.
///
/// # Safety
/// The thread is attached.
#[inline(always)]
pub(super) unsafe fn allocate_keys(bytes: usize) -> *mut c_void {
    // SAFETY: attached, because the caller says so.
    unsafe {
        if cfg!(Py_3_13) { pyo3_ffi::PyMem_Malloc(bytes) } else { pyo3_ffi::PyObject_Malloc(bytes) }
    }
}

/// Frees memory from [`allocate_keys`].
///
/// # Safety
/// The thread is attached, `keys` comes from [`allocate_keys`], and nothing refers to it.
pub(super) unsafe fn free_keys(keys: *mut c_void) {
    // SAFETY: the allocator that made the memory, because the versions agree with `allocate_keys`;
    // the rest, because the caller says so.
    unsafe {
        if cfg!(Py_3_13) { pyo3_ffi::PyMem_Free(keys) } else { pyo3_ffi::PyObject_Free(keys) }
    }
}

/// Releases the reference of a new dict to the keys object that all empty dicts share, which is
/// counted up to 3.11.
///
/// # Safety
/// `keys` is the keys object of a dict that `PyDict_New` has just made and that gets another one.
#[inline(always)]
pub(super) unsafe fn release_empty_keys(_keys: *mut Py_ssize_t) {
    #[cfg(not(Py_3_12))]
    {
        // SAFETY: a live keys object, because the caller says so; it begins with its reference
        // count.
        unsafe { *_keys -= 1 };
    }
}

/// Whether an `int` keeps its sign and size in a tag; up to 3.11 it has a signed size.
pub(super) const INT_HAS_TAG: bool = cfg!(Py_3_12);

/// Where an instance keeps its `__dict__` or the array of its attributes' values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum InstanceLayout {
    /// In two words before the instance, one for each.
    TwoWords,
    /// In one word before the instance, which has a tag.
    TaggedWord,
    /// The dict in a word before the instance, the array behind the instance.
    Inline,
}

/// The layout of this version, which `instance::read::verify` compares with the C-API.
pub(super) const INSTANCE_LAYOUT: InstanceLayout = if cfg!(Py_3_13) {
    InstanceLayout::Inline
} else if cfg!(Py_3_12) {
    InstanceLayout::TaggedWord
} else {
    InstanceLayout::TwoWords
};

/// Stops threads without a GIL from counting their references to an object, where the version can:
/// all threads would write to one counter at each call. Only the collector frees such an object, so
/// it must live as long as the module.
pub(crate) fn defer_reference_count(_object: Obj<'_>) {
    #[cfg(all(Py_3_14, Py_GIL_DISABLED))]
    {
        unsafe extern "C" {
            /// Returns whether it deferred the count.
            fn PyUnstable_Object_EnableDeferredRefcount(object: *mut PyObject) -> c_int;
        }
        // SAFETY: attached and a live object, because an `Obj` borrows it. If it cannot defer the
        // count, the object is counted as before.
        unsafe { PyUnstable_Object_EnableDeferredRefcount(_object.as_ptr()) };
    }
}

/// Whether the cyclic collector runs inside allocations, so that a pause during decoding saves
/// collections. Since 3.12 the collector runs at the interpreter's next safe point, so a pause
/// would only delay it.
const COLLECTS_IN_ALLOCATIONS: bool = cfg!(not(Py_3_12));

/// Pauses the cyclic collector until dropped, where [`COLLECTS_IN_ALLOCATIONS`].
#[derive(Debug)]
pub(crate) struct PausedCollector(bool);

impl PausedCollector {
    #[inline(always)]
    pub(crate) fn new() -> Self {
        // SAFETY: attached, because only calls from the interpreter make one; it cannot fail.
        Self(COLLECTS_IN_ALLOCATIONS && unsafe { pyo3_ffi::PyGC_Disable() } != 0)
    }
}

impl Drop for PausedCollector {
    #[inline(always)]
    fn drop(&mut self) {
        if self.0 {
            // SAFETY: attached, because the value lives inside one such call; `new` found
            // the collector enabled.
            unsafe { pyo3_ffi::PyGC_Enable() };
        }
    }
}

/// The version tag of a type, which changes when the type is modified; zero if it has none.
///
/// # Safety
/// `tp` is a live type.
#[inline(always)]
pub(super) unsafe fn version_tag(tp: *mut PyTypeObject) -> c_uint {
    #[cfg(Py_GIL_DISABLED)]
    {
        use core::sync::atomic::{AtomicU32, Ordering};
        // SAFETY: a live type, because the caller says so; other threads write this field
        // atomically, too.
        unsafe { AtomicU32::from_ptr(&raw mut (*tp).tp_version_tag).load(Ordering::Acquire) }
    }
    #[cfg(all(Py_3_12, not(Py_GIL_DISABLED)))]
    {
        // SAFETY: a live type, because the caller says so.
        unsafe { (*tp).tp_version_tag }
    }
    #[cfg(not(Py_3_12))]
    {
        // SAFETY: a live type, because the caller says so.
        let (flags, tag) = unsafe { ((*tp).tp_flags, (*tp).tp_version_tag) };
        if flags & pyo3_ffi::Py_TPFLAGS_VALID_VERSION_TAG != 0 { tag } else { 0 }
    }
}

/// The dict of a type as a new strong reference, or null without an exception.
///
/// # Safety
/// `tp` is a live type.
pub(super) unsafe fn type_dict(tp: *mut PyTypeObject) -> *mut PyObject {
    #[cfg(Py_3_12)]
    {
        unsafe extern "C" {
            fn PyType_GetDict(tp: *mut PyTypeObject) -> *mut PyObject;
        }
        // SAFETY: a live type, because the caller says so.
        unsafe { PyType_GetDict(tp) }
    }
    #[cfg(not(Py_3_12))]
    {
        // SAFETY: a live type, because the caller says so.
        unsafe { pyo3_ffi::Py_XNewRef((*tp).tp_dict) }
    }
}

/// Marks a new tuple in zeroed memory as not hashed. Since 3.14 tuples cache their hash, and zero
/// is a valid one.
///
/// # Safety
/// `tuple` is a new tuple to which no other code has a reference.
#[inline(always)]
pub(super) unsafe fn set_tuple_unhashed(_tuple: *mut PyObject) {
    #[cfg(Py_3_14)]
    {
        // SAFETY: a new tuple, because the caller says so.
        unsafe { (&raw mut (*_tuple.cast::<pyo3_ffi::PyTupleObject>()).ob_hash).write(-1) }
    }
}

/// Clears the current exception and returns it as a strong reference; null if none is set.
///
/// # Safety
/// The thread is attached.
pub(super) unsafe fn take_exception() -> *mut PyObject {
    #[cfg(Py_3_12)]
    {
        // SAFETY: attached, because the caller says so.
        unsafe { pyo3_ffi::PyErr_GetRaisedException() }
    }
    #[cfg(not(Py_3_12))]
    {
        use core::ptr::null_mut;
        use pyo3_ffi::*;
        let (mut kind, mut value, mut trace) = (null_mut(), null_mut(), null_mut());
        // SAFETY: attached, because the caller says so; PyErr_Fetch gives up three references, of
        // which two are released here. Normalising makes `value` an instance.
        unsafe {
            PyErr_Fetch(&mut kind, &mut value, &mut trace);
            if kind.is_null() {
                return null_mut();
            }
            PyErr_NormalizeException(&mut kind, &mut value, &mut trace);
            if !trace.is_null() && !value.is_null() {
                PyException_SetTraceback(value, trace);
            }
            Py_XDECREF(kind);
            Py_XDECREF(trace);
        }
        value
    }
}

/// Sets an exception that [`take_exception`] returned.
///
/// # Safety
/// The thread is attached, and `exception` is a strong reference that the caller gives up.
pub(super) unsafe fn restore_exception(exception: *mut PyObject) {
    #[cfg(Py_3_12)]
    {
        // SAFETY: a strong reference, because the caller says so; the call takes it over.
        unsafe { pyo3_ffi::PyErr_SetRaisedException(exception) }
    }
    #[cfg(not(Py_3_12))]
    {
        use pyo3_ffi::*;
        // SAFETY: a strong reference, because the caller says so; PyErr_Restore takes over all
        // three.
        unsafe {
            let kind = Py_NewRef(Py_TYPE(exception).cast());
            let trace = PyException_GetTraceback(exception);
            PyErr_Restore(kind, exception, trace);
        }
    }
}

/// Gets an attribute that may be missing: 1 and a new strong reference, 0 and null, or -1 with an
/// exception.
///
/// # Safety
/// The thread is attached, `object` and `name` are live, and `result` is writable.
pub(super) unsafe fn optional_attribute(
    object: *mut PyObject,
    name: *mut PyObject,
    result: *mut *mut PyObject,
) -> c_int {
    #[cfg(Py_3_13)]
    {
        // SAFETY: live objects and a writable result, because the caller says so.
        unsafe { pyo3_ffi::PyObject_GetOptionalAttr(object, name, result) }
    }
    #[cfg(not(Py_3_13))]
    {
        use pyo3_ffi::*;
        // SAFETY: live objects and a writable result, because the caller says so.
        unsafe {
            *result = PyObject_GetAttr(object, name);
            if !(*result).is_null() {
                1
            } else if PyErr_ExceptionMatches(PyExc_AttributeError) != 0 {
                PyErr_Clear();
                0
            } else {
                -1
            }
        }
    }
}

/// Whether `object` is a `frozendict` (CPython 3.15).
///
/// # Safety
/// `object` is live.
#[inline(always)]
pub(super) unsafe fn is_frozendict(_object: *mut PyObject) -> bool {
    #[cfg(Py_3_15)]
    {
        // SAFETY: a live object, because the caller says so.
        unsafe { pyo3_ffi::PyFrozenDict_CheckExact(_object) != 0 }
    }
    #[cfg(not(Py_3_15))]
    {
        false
    }
}

/// Looks up a key: 1 and a new strong reference, 0 and null, or -1 with an exception.
///
/// # Safety
/// The thread is attached, `dict` is a live dict, `key` is live, and `result` is writable.
pub(super) unsafe fn dict_get(
    dict: *mut PyObject,
    key: *mut PyObject,
    result: *mut *mut PyObject,
) -> c_int {
    #[cfg(Py_3_13)]
    {
        // SAFETY: live objects and a writable result, because the caller says so.
        unsafe { pyo3_ffi::PyDict_GetItemRef(dict, key, result) }
    }
    #[cfg(not(Py_3_13))]
    {
        use pyo3_ffi::*;
        // SAFETY: live objects and a writable result, because the caller says so; the borrowed
        // value becomes a strong reference before any other code runs.
        unsafe {
            let value = PyDict_GetItemWithError(dict, key);
            *result = Py_XNewRef(value);
            if !value.is_null() {
                1
            } else if PyErr_Occurred().is_null() {
                0
            } else {
                -1
            }
        }
    }
}
