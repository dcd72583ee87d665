//! Differences between CPython versions, one function for each, and the private functions that
//! `pyo3-ffi` does not declare. The only file with `cfg(Py_3_x)` of the walks.

use core::ffi::{c_int, c_uint, c_void};

use pyo3_ffi::{Py_ssize_t, PyObject, PyTypeObject};

unsafe extern "C" {
    /// A dict with room for `minused` entries. Exported by every version from 3.11 to 3.15.
    pub(super) fn _PyDict_NewPresized(minused: Py_ssize_t) -> *mut PyObject;
    /// An `int` of bytes. Exported by every version from 3.11 to 3.15.
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

/// Whether `loads` may build integers and the tables of dicts itself. Not where other threads look
/// at them meanwhile, nor where the interpreter counts all references of the process.
pub(super) const BUILDS_OBJECTS: bool =
    !FREE_THREADED && cfg!(not(any(py_sys_config = "Py_REF_DEBUG", py_sys_config = "Py_DEBUG")));

/// Writes the head of a new object with one reference, where [`BUILDS_OBJECTS`].
///
/// # Safety
/// `object` is memory for an object, and its type is not one that counts its instances.
#[inline(always)]
pub(super) unsafe fn write_head(_object: *mut PyObject, _tp: *mut PyTypeObject) {
    #[cfg(not(Py_GIL_DISABLED))]
    // SAFETY: by the caller; a head is a word with the count and the type.
    unsafe {
        _object.cast::<(usize, *mut PyTypeObject)>().write((1, _tp));
    }
}

/// Whether a dict is shown to the cyclic collector only when it gets a container.
pub(super) const TRACKS_DICTS_LATE: bool = cfg!(not(Py_3_14));

/// Memory for the table of a dict, from where the interpreter will free it; or null.
///
/// # Safety
/// The thread is attached.
#[inline(always)]
pub(super) unsafe fn allocate_keys(bytes: usize) -> *mut c_void {
    // SAFETY: attached, by the caller.
    unsafe {
        if cfg!(Py_3_13) { pyo3_ffi::PyMem_Malloc(bytes) } else { pyo3_ffi::PyObject_Malloc(bytes) }
    }
}

/// Frees memory of [`allocate_keys`].
///
/// # Safety
/// The thread is attached, and nobody uses the memory any more.
pub(super) unsafe fn free_keys(keys: *mut c_void) {
    // SAFETY: by the caller.
    unsafe {
        if cfg!(Py_3_13) { pyo3_ffi::PyMem_Free(keys) } else { pyo3_ffi::PyObject_Free(keys) }
    }
}

/// Gives back the reference that an empty dict has to the table of all empty dicts, which is
/// counted up to 3.11.
///
/// # Safety
/// `keys` is the table of a dict that `PyDict_New` has just made, which is given another one.
#[inline(always)]
pub(super) unsafe fn release_empty_keys(_keys: *mut Py_ssize_t) {
    #[cfg(not(Py_3_12))]
    {
        // SAFETY: by the caller; a table begins with its count.
        unsafe { *_keys -= 1 };
    }
}

/// Whether an `int` keeps sign and size in a tag, not in a signed size.
pub(super) const INT_HAS_TAG: bool = cfg!(Py_3_12);

/// Where an instance has its dict, or the array of its attributes' values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum InstanceLayout {
    /// In two words before the instance.
    TwoWords,
    /// In one word before it, with a tag.
    TaggedWord,
    /// The dict in a word before it, the array behind it.
    Inline,
}

/// The layout of this version. `instance` verifies it.
pub(super) const INSTANCE_LAYOUT: InstanceLayout = if cfg!(Py_3_13) {
    InstanceLayout::Inline
} else if cfg!(Py_3_12) {
    InstanceLayout::TaggedWord
} else {
    InstanceLayout::TwoWords
};

/// Whether the cyclic collector runs inside allocations, so that pausing it during `loads`
/// saves collections instead of moving them behind the call (since 3.12 it only runs at
/// the interpreter's next safe point).
const COLLECTS_IN_ALLOCATIONS: bool = cfg!(not(Py_3_12));

/// Pauses the cyclic collector until dropped, where that saves work.
#[derive(Debug)]
pub(crate) struct PausedCollector(bool);

impl PausedCollector {
    #[inline(always)]
    pub(crate) fn new() -> Self {
        // SAFETY: attached; the call cannot fail.
        Self(COLLECTS_IN_ALLOCATIONS && unsafe { pyo3_ffi::PyGC_Disable() } != 0)
    }
}

impl Drop for PausedCollector {
    #[inline(always)]
    fn drop(&mut self) {
        if self.0 {
            // SAFETY: attached; restores what was found.
            unsafe { pyo3_ffi::PyGC_Enable() };
        }
    }
}

/// The version tag of a type, which changes when the type is modified; zero if it has none now.
///
/// # Safety
/// `tp` is a live type.
#[inline(always)]
pub(super) unsafe fn version_tag(tp: *mut PyTypeObject) -> c_uint {
    #[cfg(Py_GIL_DISABLED)]
    {
        use core::sync::atomic::{AtomicU32, Ordering};
        // SAFETY: a live type; other threads write this field atomically.
        unsafe { AtomicU32::from_ptr(&raw mut (*tp).tp_version_tag).load(Ordering::Acquire) }
    }
    #[cfg(all(Py_3_12, not(Py_GIL_DISABLED)))]
    {
        // SAFETY: a live type.
        unsafe { (*tp).tp_version_tag }
    }
    #[cfg(not(Py_3_12))]
    {
        // SAFETY: a live type.
        let (flags, tag) = unsafe { ((*tp).tp_flags, (*tp).tp_version_tag) };
        if flags & pyo3_ffi::Py_TPFLAGS_VALID_VERSION_TAG != 0 { tag } else { 0 }
    }
}

/// The dict of a heap type, as a new reference, or null.
///
/// # Safety
/// `tp` is a live type.
pub(super) unsafe fn type_dict(tp: *mut PyTypeObject) -> *mut PyObject {
    #[cfg(Py_3_12)]
    {
        unsafe extern "C" {
            fn PyType_GetDict(tp: *mut PyTypeObject) -> *mut PyObject;
        }
        // SAFETY: a live type.
        unsafe { PyType_GetDict(tp) }
    }
    #[cfg(not(Py_3_12))]
    {
        // SAFETY: a live type.
        unsafe { pyo3_ffi::Py_XNewRef((*tp).tp_dict) }
    }
}

/// Marks a new instance of a class of tuples as not hashed yet: since 3.14 tuples keep their hash,
/// and zeroed memory is one.
///
/// # Safety
/// `tuple` is a tuple that nobody has seen.
#[inline(always)]
pub(super) unsafe fn set_tuple_unhashed(_tuple: *mut PyObject) {
    #[cfg(Py_3_14)]
    {
        // SAFETY: by the caller.
        unsafe { (&raw mut (*_tuple.cast::<pyo3_ffi::PyTupleObject>()).ob_hash).write(-1) }
    }
}

/// Takes the exception that is set, or null.
///
/// # Safety
/// The thread is attached.
pub(super) unsafe fn take_exception() -> *mut PyObject {
    #[cfg(Py_3_12)]
    {
        // SAFETY: attached, by the caller.
        unsafe { pyo3_ffi::PyErr_GetRaisedException() }
    }
    #[cfg(not(Py_3_12))]
    {
        use core::ptr::null_mut;
        use pyo3_ffi::*;
        let (mut kind, mut value, mut trace) = (null_mut(), null_mut(), null_mut());
        // SAFETY: attached; the three references become ours. Normalising gives an instance.
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

/// Sets an exception again that was taken with [`take_exception`].
///
/// # Safety
/// The thread is attached and `exception` is a reference that the caller gives away.
pub(super) unsafe fn restore_exception(exception: *mut PyObject) {
    #[cfg(Py_3_12)]
    {
        // SAFETY: by the caller.
        unsafe { pyo3_ffi::PyErr_SetRaisedException(exception) }
    }
    #[cfg(not(Py_3_12))]
    {
        use pyo3_ffi::*;
        // SAFETY: by the caller; PyErr_Restore takes all three references over.
        unsafe {
            let kind = Py_NewRef(Py_TYPE(exception).cast());
            let trace = PyException_GetTraceback(exception);
            PyErr_Restore(kind, exception, trace);
        }
    }
}

/// An attribute that may be missing: 1 and a new reference, 0 and null, or -1 with an exception.
///
/// # Safety
/// `object` and `name` are live, and `result` is writable.
pub(super) unsafe fn optional_attribute(
    object: *mut PyObject,
    name: *mut PyObject,
    result: *mut *mut PyObject,
) -> c_int {
    #[cfg(Py_3_13)]
    {
        // SAFETY: by the caller.
        unsafe { pyo3_ffi::PyObject_GetOptionalAttr(object, name, result) }
    }
    #[cfg(not(Py_3_13))]
    {
        use pyo3_ffi::*;
        // SAFETY: by the caller.
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
        // SAFETY: by the caller.
        unsafe { pyo3_ffi::PyFrozenDict_CheckExact(_object) != 0 }
    }
    #[cfg(not(Py_3_15))]
    {
        false
    }
}

/// The value of a key: 1 and a new reference, 0 and null, or -1 with an exception.
///
/// # Safety
/// `dict` is a live dict, `key` is live, and `result` is writable.
pub(super) unsafe fn dict_get(
    dict: *mut PyObject,
    key: *mut PyObject,
    result: *mut *mut PyObject,
) -> c_int {
    #[cfg(Py_3_13)]
    {
        // SAFETY: by the caller.
        unsafe { pyo3_ffi::PyDict_GetItemRef(dict, key, result) }
    }
    #[cfg(not(Py_3_13))]
    {
        use pyo3_ffi::*;
        // SAFETY: by the caller; the borrowed value is made a new reference at once.
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
