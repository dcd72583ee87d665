//! `dict`: its handles, walking one that user code may change, and look-ups.
//!
//! Separate from `build`, which writes what this file only reads. Invariant: entries are borrowed
//! only while no Python code runs; on free-threaded builds they are borrowed or copied under the
//! dict's lock. Called by encoding and by the look-ups of typed decoding.

use core::slice;
use core::sync::atomic::{AtomicIsize, AtomicPtr, Ordering};

use pyo3_ffi::*;
use snooze_core::arch::prefetch;

use crate::py::error::{no_memory, runtime_error, system_error};
use crate::py::handle::{Builtin, Handle, Strong, type_flags};
use crate::py::layout::{DictKeys, GENERAL_KEYS, UNICODE_KEYS};
use crate::py::lock::{Lock, locked};
use crate::py::unicode::Str;
use crate::py::{Attached, Obj, Owned, Raised, compat};

/// The type `dict`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DictType {}

/// A `dict`, an instance of a subclass, or a `frozendict` (CPython 3.15).
pub(crate) type Dict<'a> = Handle<'a, DictType>;
/// A strong reference to a `dict`, an instance of a subclass, or a `frozendict`.
pub(crate) type OwnedDict = Strong<DictType>;

// SAFETY: every instance begins with a `PyDictObject`, because subclasses and `frozendict` extend
// the layout of `dict`; the flag says which types are subclasses.
unsafe impl Builtin for DictType {
    #[inline(always)]
    fn type_object() -> *mut PyTypeObject {
        &raw mut PyDict_Type
    }

    #[inline(always)]
    fn has_instance(object: Obj<'_>) -> bool {
        type_flags(object) & Py_TPFLAGS_DICT_SUBCLASS != 0 || is_frozen(object)
    }
}

/// The type `collections.OrderedDict`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OrderedDictType {}

/// An `OrderedDict` or an instance of a subclass, whose order differs from that of its dict.
pub(crate) type OrderedDict<'a> = Handle<'a, OrderedDictType>;

// SAFETY: every instance begins with a `PyDictObject`, because the type extends the layout of
// `dict`.
unsafe impl Builtin for OrderedDictType {
    #[inline(always)]
    fn type_object() -> *mut PyTypeObject {
        &raw mut compat::PyODict_Type
    }

    #[inline(always)]
    fn has_instance(object: Obj<'_>) -> bool {
        // SAFETY: a live object, because an `Obj` borrows it; a static type is always live.
        unsafe { PyObject_TypeCheck(object.as_ptr(), Self::type_object()) != 0 }
    }
}

/// Whether an object is a `frozendict` (CPython 3.15).
#[inline(always)]
pub(crate) fn is_frozen(object: Obj<'_>) -> bool {
    // SAFETY: a live object, because an `Obj` borrows it.
    unsafe { compat::is_frozendict(object.as_ptr()) }
}

/// An object that is known to be a dict. Raises `SystemError` for any other object.
#[inline(always)]
pub(crate) fn checked(object: Obj<'_>) -> Result<Dict<'_>, Raised> {
    Dict::any(object).ok_or_else(|| system_error(c"an object is not the dict that it should be"))
}

/// A position in a dict that is being walked.
///
/// It holds no pointer into the dict: each step reads the current entries, so user code may do
/// anything to the dict between steps. A change of its size raises `RuntimeError`, as in the
/// interpreter; if entries were replaced, the walk goes on as `PyDict_Next` would.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Cursor {
    /// The index of the next entry.
    next: Py_ssize_t,
    /// The size of the dict when the walk began.
    size: Py_ssize_t,
}

/// An entry of a dict whose keys are all strings: key and value. A deleted entry has no value.
pub(crate) type StrEntry<'a> = [Option<Obj<'a>>; 2];

/// A key and its value.
pub(crate) type Item<'a> = (Obj<'a>, Obj<'a>);

impl Cursor {
    /// The position of the first entry.
    #[inline(always)]
    pub(crate) fn new(dict: Dict<'_>) -> Self {
        Self { next: 0, size: size(dict) }
    }

    /// The position of the last `left` entries of [`str_entries`].
    pub(crate) fn before_last(dict: Dict<'_>, py: &Attached, left: usize) -> Self {
        let entries = str_entries(dict, py).map_or(0, <[_]>::len);
        Self { next: entries.saturating_sub(left) as Py_ssize_t, size: size(dict) }
    }

    /// The remaining entries of [`str_entries`]; `None` if the dict has changed its size.
    #[inline(always)]
    pub(crate) fn str_entries<'a, const DIRECT: bool>(
        &self,
        dict: Dict<'a>,
        py: &'a Attached,
    ) -> Option<&'a [StrEntry<'a>]> {
        if !DIRECT || size(dict) != self.size {
            return None;
        }
        Some(str_entries(dict, py)?.get(self.next as usize..).unwrap_or(&[]))
    }

    /// The key of the last entry before this position, if the dict has [`str_entries`].
    pub(crate) fn last_key<'a>(&self, dict: Dict<'a>, py: &'a Attached) -> Option<Obj<'a>> {
        let before = str_entries(dict, py)?.get(..self.next as usize)?;
        before.iter().rev().find_map(|&[key, value]| value.and(key))
    }

    /// The key of the last entry before this position, in a dict with keys of any type; `None` on
    /// free-threaded builds.
    pub(crate) fn last_key_of_any<'a>(&self, dict: Dict<'a>, _py: &'a Attached) -> Option<Obj<'a>> {
        if compat::FREE_THREADED {
            return None;
        }
        let (mut place, mut last) = (0, None);
        while place < self.next {
            let mut key = core::ptr::null_mut();
            // SAFETY: a live dict, because of its type; the key is live for `'a`, because the dict
            // and the witness are borrowed that long.
            unsafe {
                let value = core::ptr::null_mut();
                if PyDict_Next(dict.as_ptr(), &mut place, &mut key, value) == 0 {
                    break;
                }
                last = Obj::from_ptr(key);
            }
        }
        last
    }

    /// Moves past the next entry, in insertion order, and returns it.
    #[inline(always)]
    pub(crate) fn next<'a, const DIRECT: bool>(
        &mut self,
        dict: Dict<'a>,
        _py: &'a Attached,
    ) -> Result<Option<Item<'a>>, Raised> {
        if size(dict) != self.size {
            return Err(runtime_error(c"dictionary changed size during iteration"));
        }
        if DIRECT && !compat::FREE_THREADED {
            // SAFETY: a live dict, because of its type. Its `entries` are inside the keys object,
            // because `verify` compared the layout of dicts that are not split, and a split dict
            // (`ma_values`) is excluded. They are current, because each step reads them again.
            unsafe {
                let object = dict.as_ptr().cast::<PyDictObject>();
                if (*object).ma_values.is_null() {
                    let keys = (*object).ma_keys.cast::<DictKeys>();
                    let entries = (*keys).entries;
                    let first = DictKeys::first_entry::<*mut PyObject>(keys);
                    // An entry is (hash, key, value), or (key, value) if all keys are strings.
                    let words = if (*keys).kind == GENERAL_KEYS { 3 } else { 2 };
                    while self.next < entries {
                        let entry = first.add(words * self.next as usize);
                        self.next += 1;
                        let value = entry.add(words - 1).read();
                        if let Some(value) = Obj::from_ptr(value)
                            && let Some(key) = Obj::from_ptr(entry.add(words - 2).read())
                        {
                            return Ok(Some((key, value)));
                        }
                    }
                    return Ok(None);
                }
            }
        }
        // SAFETY: a live dict, because of its type; key and value are live for `'a`, because the
        // dict and the witness are borrowed that long.
        unsafe {
            let (mut key, mut value) = (core::ptr::null_mut(), core::ptr::null_mut());
            if PyDict_Next(dict.as_ptr(), &mut self.next, &mut key, &mut value) == 0 {
                return Ok(None);
            }
            Ok(Obj::from_ptr(key).zip(Obj::from_ptr(value)))
        }
    }
}

/// Prefetches the keys object of a dict: its header, and the entries in the next cache line.
#[inline(always)]
pub(crate) fn prefetch_entries(dict: Dict<'_>) {
    // SAFETY: a live dict, because of its type. Without a GIL other threads write the field
    // atomically, too.
    let keys = unsafe {
        let keys = &raw mut (*dict.as_ptr().cast::<PyDictObject>()).ma_keys;
        AtomicPtr::from_ptr(keys).load(Ordering::Relaxed).cast::<u8>()
    };
    prefetch(keys);
    prefetch(keys.wrapping_add(64));
}

/// The current entries of a dict, borrowed while no Python code runs; `None` if not all keys are
/// strings or the dict is split, and on free-threaded builds. Deleted entries have no value.
///
/// Only where private layouts may be used: see `layout`.
#[inline(always)]
pub(crate) fn str_entries<'a>(dict: Dict<'a>, _py: &'a Attached) -> Option<&'a [StrEntry<'a>]> {
    if compat::FREE_THREADED {
        return None;
    }
    // SAFETY: unchanged during `'a`, because the witness is borrowed, so that no Python code runs.
    unsafe { entries_in_place(dict, UNICODE_KEYS) }
}

/// Like [`str_entries`], for a dict whose lock is held: borrowed until it is released.
#[inline(always)]
pub(crate) fn locked_str_entries<'a>(
    dict: Dict<'a>,
    _lock: &Lock<'a>,
) -> Option<&'a [StrEntry<'a>]> {
    // SAFETY: unchanged as long as the result is used, because the lock and the witness that it
    // borrows are held that long: see `lock`.
    unsafe { entries_in_place(dict, UNICODE_KEYS) }
}

/// The last entry with a value before `rest`, which is borrowed to the end of the dict's entries,
/// under its lock.
pub(crate) fn last_before<'a>(dict: Dict<'a>, rest: &'a [StrEntry<'a>]) -> Option<StrEntry<'a>> {
    // SAFETY: unchanged as long as the result is used, because that is so of `rest`, and both end
    // where the same entries end.
    let entries = unsafe { entries_in_place::<StrEntry<'a>>(dict, UNICODE_KEYS) }?;
    if entries.as_ptr_range().end != rest.as_ptr_range().end {
        return None;
    }
    let before = entries.get(..entries.len() - rest.len())?;
    before.iter().rev().find(|[_, value]| value.is_some()).copied()
}

/// The entries of a dict that is not split and has this kind of keys.
///
/// # Safety
/// The dict does not change during `'a`. `T` is the type of the entries of this kind of keys.
#[inline(always)]
unsafe fn entries_in_place<'a, T>(dict: Dict<'a>, kind: u8) -> Option<&'a [T]> {
    // SAFETY: a live dict, because of its type. Its `entries` are inside the keys object,
    // because `verify` compared the layout; unchanged during `'a`, because the caller says so.
    unsafe {
        let object = dict.as_ptr().cast::<PyDictObject>();
        let keys = (*object).ma_keys.cast::<DictKeys>();
        if !(*object).ma_values.is_null() || (*keys).kind != kind {
            return None;
        }
        Some(slice::from_raw_parts(DictKeys::first_entry(keys), (*keys).entries as usize))
    }
}

/// An entry of a dict with keys of any type.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct HashedEntry<'a> {
    hash: Py_ssize_t,
    /// Key and value; a deleted entry has no value.
    pub(crate) item: StrEntry<'a>,
}

/// The entries of a dict whose keys object has hashes, because not all keys are strings; otherwise
/// like [`locked_str_entries`].
#[inline(always)]
pub(crate) fn locked_hashed_entries<'a>(
    dict: Dict<'a>,
    _lock: &Lock<'a>,
) -> Option<&'a [HashedEntry<'a>]> {
    // SAFETY: as in `locked_str_entries`; entries of these keys have hashes.
    unsafe { entries_in_place(dict, GENERAL_KEYS) }
}

/// Whether the object is an exact dict with [`locked_hashed_entries`].
///
/// Only where private layouts may be used.
pub(crate) fn has_hashed_entries(object: Obj<'_>, py: &Attached) -> bool {
    Dict::exact(object).is_some_and(|dict| {
        Lock::take(object, py).is_some_and(|lock| locked_hashed_entries(dict, &lock).is_some())
    })
}

/// Whether the header of a dict's keys object is plausible; `verify` calls this before it reads
/// anything behind the header.
pub(crate) fn keys_look_right(dict: Dict<'_>, general: bool) -> bool {
    let kind = if general { GENERAL_KEYS } else { UNICODE_KEYS };
    let used = size(dict);
    // SAFETY: a live dict, because of its type; inside its keys object, because each is
    // larger than the header.
    unsafe {
        let object = dict.as_ptr().cast::<PyDictObject>();
        if !(*object).ma_values.is_null() {
            return true;
        }
        let keys = (*object).ma_keys.cast::<DictKeys>();
        let (log2_size, log2_bytes) = ((*keys).log2_size, (*keys).log2_index_bytes);
        let capacity = 1 << log2_size.min(62);
        (log2_size..log2_size + 4).contains(&log2_bytes)
            && log2_size < 32
            && ((*keys).kind == kind || used == 0)
            && (used..=capacity).contains(&(*keys).entries)
    }
}

/// The number of entries of a dict.
#[inline(always)]
pub(crate) fn size(dict: Dict<'_>) -> Py_ssize_t {
    // SAFETY: a live dict, because of its type. Without a GIL other threads write the field
    // atomically, too.
    unsafe {
        let used = &raw mut (*dict.as_ptr().cast::<PyDictObject>()).ma_used;
        AtomicIsize::from_ptr(used).load(Ordering::Relaxed)
    }
}

/// All entries of a dict as strong references.
///
/// For walks that cannot use the dict itself, because another thread may change it (free-threaded
/// builds) or the entries are needed in another order.
pub(crate) fn entries(_py: &Attached, dict: Dict<'_>) -> Result<Vec<(Owned, Owned)>, Raised> {
    let mut entries = Vec::new();
    // Reserved before the lock is taken; other threads may add entries until then.
    entries.try_reserve(size(dict) as usize).map_err(|_| no_memory())?;
    let complete = locked(dict.obj(), || {
        let mut place = 0;
        loop {
            let (mut key, mut value) = (core::ptr::null_mut(), core::ptr::null_mut());
            // SAFETY: a live dict, because of its type. The borrowed references become
            // strong before the dict can change, because its lock is held and no Python code runs.
            unsafe {
                if PyDict_Next(dict.as_ptr(), &mut place, &mut key, &mut value) == 0 {
                    return true;
                }
                if entries.try_reserve(1).is_err() {
                    return false;
                }
                if let (Some(key), Some(value)) = (Obj::from_ptr(key), Obj::from_ptr(value)) {
                    entries.push((key.to_owned(), value.to_owned()));
                }
            }
        }
    });
    if complete { Ok(entries) } else { Err(no_memory()) }
}

/// The entries of an `OrderedDict` in its order, which `move_to_end` may have changed.
///
/// Uses the iterator of `OrderedDict`, even if a subclass overrides it. Comparing keys may run
/// Python code.
pub(crate) fn ordered_entries(
    _py: &mut Attached,
    dict: OrderedDict<'_>,
) -> Result<Vec<(Owned, Owned)>, Raised> {
    let mut entries = Vec::new();
    // SAFETY: attached, because there is a witness; a live `OrderedDict`, because of its type;
    // every result is checked, and every reference is owned.
    unsafe {
        let Some(iterate) = compat::PyODict_Type.tp_iter else {
            return Err(runtime_error(c"OrderedDict has no iterator"));
        };
        let iterator = Owned::take(locked(dict.obj(), || iterate(dict.as_ptr())))?;
        loop {
            let key = PyIter_Next(iterator.as_ptr());
            let Ok(key) = Owned::take(key) else {
                return if PyErr_Occurred().is_null() { Ok(entries) } else { Err(Raised) };
            };
            let mut value = core::ptr::null_mut();
            let value = match compat::dict_get(dict.as_ptr(), key.as_ptr(), &mut value) {
                -1 => return Err(Raised),
                0 => return Err(runtime_error(c"OrderedDict mutated during iteration")),
                _ => Owned::take(value)?,
            };
            entries.try_reserve(1).map_err(|_| no_memory())?;
            entries.push((key, value));
        }
    }
}

/// The value of an interned `str` key in a dict with [`str_entries`]; `None` for any other dict.
/// The entry at `index` is tried first.
///
/// Only where private layouts may be used. Runs no Python code, because only strings are compared.
#[inline(always)]
pub(crate) fn str_value<'a>(
    dict: Dict<'a>,
    key: Obj<'_>,
    index: usize,
    py: &'a Attached,
) -> Option<Option<Obj<'a>>> {
    let entries = str_entries(dict, py)?;
    if let Some(&[found, value]) = entries.get(index)
        && found == Some(key)
    {
        return Some(value);
    }
    str_value_elsewhere(dict, Str::exact(key)?)
}

#[inline(never)]
fn str_value_elsewhere<'a>(dict: Dict<'a>, key: Str<'_>) -> Option<Option<Obj<'a>>> {
    // SAFETY: a live dict and key, because of their types; the value is live for `'a`, because the
    // dict is borrowed and no Python code runs: the key is exact, so only strings are compared.
    unsafe {
        let value = PyDict_GetItemWithError(dict.as_ptr(), key.as_ptr());
        if value.is_null() && !PyErr_Occurred().is_null() {
            PyErr_Clear();
            return None;
        }
        Some(Obj::from_ptr(value))
    }
}

/// Looks up a key and returns a new strong reference to its value. Comparing keys may run Python
/// code.
pub(crate) fn get(
    _py: &mut Attached,
    dict: Dict<'_>,
    key: &Owned,
) -> Result<Option<Owned>, Raised> {
    let mut value = core::ptr::null_mut();
    // SAFETY: attached, because there is a witness; a live dict, because of its type, and a live
    // key, because it is owned; a writable result, because it is a local variable. It holds a
    // strong reference, because the call returned 1.
    unsafe {
        match compat::dict_get(dict.as_ptr(), key.as_ptr(), &mut value) {
            -1 => Err(Raised),
            0 => Ok(None),
            _ => Owned::take(value).map(Some),
        }
    }
}

/// `dict.update(other)`.
pub(crate) fn update(
    _py: &mut Attached,
    dict: &OwnedDict,
    other: &OwnedDict,
) -> Result<(), Raised> {
    // SAFETY: attached, because there is a witness; live dicts, because both are owned; the result
    // is checked.
    match unsafe { PyDict_Update(dict.get().as_ptr(), other.get().as_ptr()) } {
        0 => Ok(()),
        _ => Err(Raised),
    }
}
