//! Private object layouts, and the test at import that they are what we think.
//!
//! Reading a string's kind, an integer's digits or a dict's entries in place is several times
//! faster than asking for each with a call. The layouts are the same in CPython 3.11 to 3.15 but
//! for the fields marked below; [`verify`] compares what they show with what the C-API says, for
//! objects of every kind. If anything differs (a new CPython, another platform), the module
//! takes the C-API path everywhere: `DIRECT` is false in the walks.

use core::ffi::c_void;
use core::mem::offset_of;
use core::sync::atomic::{AtomicU32, Ordering};

use pyo3_ffi::*;

use crate::py::{Obj, compat};

/// Where `PyASCIIObject.state` keeps the kind: behind `interned`, which is two bits, or a byte
/// of its own on free-threaded builds.
const KIND_SHIFT: u32 = if cfg!(Py_GIL_DISABLED) { 8 } else { 2 };
const COMPACT: u32 = 1 << (KIND_SHIFT + 3);
const ASCII: u32 = 1 << (KIND_SHIFT + 4);

/// What a string's state says.
pub(super) struct TextState(u32);

impl TextState {
    /// Reads the state of a `str`.
    #[inline(always)]
    pub(super) fn of(text: Obj<'_>) -> Self {
        let state = text.as_ptr().wrapping_byte_add(offset_of!(PyASCIIObject, state));
        // SAFETY: a live `str` begins with a `PyASCIIObject`. Atomic, because on free-threaded
        // builds another thread may intern the string, which changes other bits of the word.
        Self(unsafe { AtomicU32::from_ptr(state.cast()).load(Ordering::Relaxed) })
    }

    #[inline(always)]
    pub(super) fn is_compact_ascii(&self) -> bool {
        self.0 & (COMPACT | ASCII) == COMPACT | ASCII
    }

    #[inline(always)]
    pub(super) fn is_ascii(&self) -> bool {
        self.0 & ASCII != 0
    }

    #[inline(always)]
    pub(super) fn is_compact(&self) -> bool {
        self.0 & COMPACT != 0
    }

    #[inline(always)]
    pub(super) fn kind(&self) -> u32 {
        self.0 >> KIND_SHIFT & 7
    }
}

/// Where a compact ASCII string has its characters.
pub(super) const ASCII_DATA: usize = size_of::<PyASCIIObject>();
/// Where any other compact string has its characters.
pub(super) const COMPACT_DATA: usize = size_of::<PyCompactUnicodeObject>();

/// `PyLongObject`: since 3.12 the first word is a tag of sign and size, before it is the size
/// with the sign.
#[repr(C)]
pub(super) struct Long {
    base: PyObject,
    pub(super) tag: isize,
    pub(super) digits: [u32; 2],
}

impl Long {
    /// Digits and sign of a tag.
    #[inline(always)]
    pub(super) fn size(tag: isize) -> (usize, bool) {
        if compat::INT_HAS_TAG {
            (tag as usize >> 3, tag & 3 == 2)
        } else {
            (tag.unsigned_abs(), tag < 0)
        }
    }

    /// The tag of so many digits (not none) and this sign.
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

/// What may be the address of a module's state: to be compared with what the C-API says.
///
/// # Safety
/// `module` is a live module. In every version it has more words than are looked at.
#[inline(always)]
pub(crate) unsafe fn module_state(module: *mut PyObject) -> *mut c_void {
    // SAFETY: by the caller.
    unsafe { (*module.cast::<Module>()).state }
}

/// `struct _dictkeysobject` up to its table of indices.
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
    /// The head of a table that belongs to one dict.
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
}

/// The value of [`DictKeys::kind`] for keys of any type: entries with a hash.
pub(super) const GENERAL_KEYS: u8 = 0;
/// The value of [`DictKeys::kind`] for keys that are all strings: entries without a hash.
pub(super) const UNICODE_KEYS: u8 = 1;
