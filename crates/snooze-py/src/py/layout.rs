//! Private layouts of CPython's objects: `int`, `dict` keys and modules.
//!
//! Reading an integer's digits or a dict's entries in place is several times faster than a call for
//! each. The layouts are the same in CPython 3.11 to 3.15, except for the fields marked below.
//! Separate because the readers and writers of these types share the layouts. Invariant: they are
//! only used after `verify` has compared them with the C-API, where `DIRECT` is true. Called by
//! `int`, `dict`, `instance` and `verify`.

use core::ffi::c_void;

use pyo3_ffi::*;

use crate::py::compat;

/// `PyLongObject`: since 3.12 its first word is a tag of sign and size; up to 3.11 it is the size
/// with the number's sign.
#[repr(C)]
pub(super) struct Long {
    base: PyObject,
    pub(super) tag: isize,
    pub(super) digits: [u32; 2],
}

impl Long {
    /// The number of digits in a tag, and whether the number is negative.
    #[inline(always)]
    pub(super) fn size(tag: isize) -> (usize, bool) {
        if compat::INT_HAS_TAG {
            (tag as usize >> 3, tag & 3 == 2)
        } else {
            (tag.unsigned_abs(), tag < 0)
        }
    }

    /// The tag of a number of digits, which is not zero, and a sign.
    #[inline(always)]
    pub(super) fn tag(digits: usize, negative: bool) -> isize {
        if compat::INT_HAS_TAG {
            (digits << 3) as isize | isize::from(negative) << 1
        } else if negative {
            -(digits as isize)
        } else {
            digits as isize
        }
    }
}

/// `PyModuleObject` up to the state.
#[repr(C)]
struct Module {
    base: PyObject,
    dict: *mut PyObject,
    definition: *mut PyModuleDef,
    state: *mut c_void,
}

/// The word that should hold the address of a module's state. The caller compares it with the
/// C-API's answer before relying on it.
///
/// # Safety
/// `module` is a live module.
#[inline(always)]
pub(crate) unsafe fn module_state(module: *mut PyObject) -> *mut c_void {
    // SAFETY: inside a live module, because the caller says so, and because a module has more words
    // than `Module` in every version.
    unsafe { (*module.cast::<Module>()).state }
}

/// `struct _dictkeysobject` up to its index table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub(super) struct DictKeys {
    refcnt: Py_ssize_t,
    pub(super) log2_size: u8,
    pub(super) log2_index_bytes: u8,
    pub(super) kind: u8,
    #[cfg(Py_GIL_DISABLED)]
    mutex: u8,
    version: u32,
    usable: Py_ssize_t,
    pub(super) entries: Py_ssize_t,
}

impl DictKeys {
    /// The header of a keys object that belongs to one dict.
    #[inline(always)]
    pub(super) fn new(
        log2_size: u8,
        log2_index_bytes: u8,
        kind: u8,
        usable: Py_ssize_t,
        entries: Py_ssize_t,
    ) -> Self {
        Self {
            refcnt: 1,
            log2_size,
            log2_index_bytes,
            kind,
            #[cfg(Py_GIL_DISABLED)]
            mutex: 0,
            version: 0,
            usable,
            entries,
        }
    }

    /// The first entry, behind the header and the index table.
    ///
    /// The table has at least 8 bytes, but the shared keys of all empty dicts say that theirs has
    /// one. So the place is rounded up: a pointer to entries must be aligned even if there are
    /// none.
    ///
    /// # Safety
    /// Live keys of a verified layout, whose entries are of type `T` if there are any.
    #[inline(always)]
    pub(super) unsafe fn first_entry<T>(keys: *const Self) -> *const T {
        const {
            assert!(
                LEAST_TABLE.is_multiple_of(align_of::<T>())
                    && size_of::<Self>().is_multiple_of(align_of::<T>())
            )
        };
        // SAFETY: live, because the caller says so; inside the keys object or at its end, because
        // no table is smaller than `LEAST_TABLE`.
        unsafe {
            let table = (1usize << (*keys).log2_index_bytes).next_multiple_of(LEAST_TABLE);
            keys.byte_add(size_of::<Self>() + table).cast()
        }
    }
}

/// The bytes of the smallest index table.
const LEAST_TABLE: usize = 8;

/// [`DictKeys::kind`] for keys of any type: an entry is hash, key and value.
pub(super) const GENERAL_KEYS: u8 = 0;
/// [`DictKeys::kind`] for keys that are all strings: an entry is key and value.
pub(super) const UNICODE_KEYS: u8 = 1;
