//! `dict`: walking one that user code may change.

use core::slice;

use pyo3_ffi::*;

use crate::py::error::{no_memory, runtime_error};
use crate::py::layout::{DictKeys, GENERAL_KEYS, UNICODE_KEYS};
use crate::py::{Attached, Obj, Owned, Raised, compat};

/// A place in a dict that is being walked.
///
/// Nothing of the dict is kept but a number: each step reads where the entries are now, so user
/// code may do anything to the dict in between. A change of its size is found and reported as
/// the interpreter does; a replacement of entries is walked on, as `PyDict_Next` would.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Cursor {
    place: Py_ssize_t,
    size: Py_ssize_t,
}

/// An entry of a dict whose keys are all strings: key and value, null if deleted.
pub(crate) type StrEntry<'a> = [Option<Obj<'a>>; 2];

/// A key and its value.
pub(crate) type Item<'a> = (Obj<'a>, Obj<'a>);

impl Cursor {
    /// The first place.
    #[inline(always)]
    pub(crate) fn new(dict: Obj<'_>) -> Self {
        Self { place: 0, size: size(dict) }
    }

    /// The place before the last `left` entries that [`str_entries`] shows.
    pub(crate) fn before_last(dict: Obj<'_>, py: &Attached, left: usize) -> Self {
        let entries = str_entries(dict, py).map_or(0, <[_]>::len);
        Self { place: entries.saturating_sub(left) as Py_ssize_t, size: size(dict) }
    }

    /// The entries from here on, if [`str_entries`] shows them and the dict has not changed its
    /// size.
    #[inline(always)]
    pub(crate) fn str_entries<'a, const DIRECT: bool>(
        &self,
        dict: Obj<'a>,
        py: &'a Attached,
    ) -> Option<&'a [StrEntry<'a>]> {
        if !DIRECT || size(dict) != self.size {
            return None;
        }
        Some(str_entries(dict, py)?.get(self.place as usize..).unwrap_or(&[]))
    }

    /// The key of the last entry before this place, if [`str_entries`] shows the dict.
    pub(crate) fn last_key<'a>(&self, dict: Obj<'a>, py: &'a Attached) -> Option<Obj<'a>> {
        let before = str_entries(dict, py)?.get(..self.place as usize)?;
        before.iter().rev().find_map(|&[key, value]| value.and(key))
    }

    /// The next entry, in order of insertion.
    #[inline(always)]
    pub(crate) fn next<'a, const DIRECT: bool>(
        &mut self,
        dict: &'a Owned,
        _py: &'a Attached,
    ) -> Result<Option<Item<'a>>, Raised> {
        if size(dict.get()) != self.size {
            return Err(runtime_error(c"dictionary changed size during iteration"));
        }
        if DIRECT && !compat::FREE_THREADED {
            // SAFETY: a live dict. Its keys are read anew in every step; `entries` of them are
            // initialised, those deleted with a null value. A dict whose values are apart
            // (`ma_values`) goes the other way.
            unsafe {
                let object = dict.as_ptr().cast::<PyDictObject>();
                if (*object).ma_values.is_null() {
                    let keys = (*object).ma_keys.cast::<DictKeys>();
                    let entries = (*keys).entries;
                    let indices = 1usize << (*keys).log2_index_bytes;
                    let first = keys.byte_add(size_of::<DictKeys>() + indices);
                    // An entry is (hash, key, value), or (key, value) if all keys are texts.
                    let words = if (*keys).kind == GENERAL_KEYS { 3 } else { 2 };
                    while self.place < entries {
                        let entry = first.cast::<*mut PyObject>().add(words * self.place as usize);
                        self.place += 1;
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
        // SAFETY: a live dict; key and value are borrowed from it, as `'a` says.
        unsafe {
            let (mut key, mut value) = (core::ptr::null_mut(), core::ptr::null_mut());
            if PyDict_Next(dict.as_ptr(), &mut self.place, &mut key, &mut value) == 0 {
                return Ok(None);
            }
            Ok(Obj::from_ptr(key).zip(Obj::from_ptr(value)))
        }
    }
}

/// The entries of a dict as they are now and as long as no Python code runs, if they can be seen
/// in place and all keys are strings. Deleted ones have no value.
///
/// Only where private layouts may be used: see `layout`.
#[inline(always)]
pub(crate) fn str_entries<'a>(dict: Obj<'a>, _py: &'a Attached) -> Option<&'a [StrEntry<'a>]> {
    if compat::FREE_THREADED {
        return None;
    }
    // SAFETY: a live dict whose layout `verify::verify` has compared; `entries` of its entries
    // are initialised. Nobody changes the dict while the witness is borrowed.
    unsafe {
        let object = dict.as_ptr().cast::<PyDictObject>();
        let keys = (*object).ma_keys.cast::<DictKeys>();
        if !(*object).ma_values.is_null() || (*keys).kind != UNICODE_KEYS {
            return None;
        }
        let indices = 1usize << (*keys).log2_index_bytes;
        let first = keys.byte_add(size_of::<DictKeys>() + indices).cast::<StrEntry<'a>>();
        Some(slice::from_raw_parts(first, (*keys).entries as usize))
    }
}

/// An entry of a dict with keys of any types: null if deleted.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct HashedEntry<'a> {
    hash: Py_ssize_t,
    /// Key and value.
    pub(crate) item: StrEntry<'a>,
}

/// The entries of a dict that are kept as dicts with keys of any types keep them; otherwise as
/// [`str_entries`].
#[inline(always)]
pub(crate) fn hashed_entries<'a>(
    dict: Obj<'a>,
    _py: &'a Attached,
) -> Option<&'a [HashedEntry<'a>]> {
    if compat::FREE_THREADED {
        return None;
    }
    // SAFETY: as in `str_entries`.
    unsafe {
        let object = dict.as_ptr().cast::<PyDictObject>();
        let keys = (*object).ma_keys.cast::<DictKeys>();
        if !(*object).ma_values.is_null() || (*keys).kind != GENERAL_KEYS {
            return None;
        }
        let indices = 1usize << (*keys).log2_index_bytes;
        let first = keys.byte_add(size_of::<DictKeys>() + indices).cast::<HashedEntry<'a>>();
        Some(slice::from_raw_parts(first, (*keys).entries as usize))
    }
}

/// Whether the object is a dict whose entries [`hashed_entries`] shows.
///
/// Only where private layouts may be used.
pub(crate) fn has_hashed_entries(object: Obj<'_>, py: &Attached) -> bool {
    crate::py::types::is_exact_dict(object) && hashed_entries(object, py).is_some()
}

/// Whether the header of a dict's keys is plausible, before anything behind it is read.
pub(crate) fn keys_look_right(dict: Obj<'_>, general: bool) -> bool {
    let kind = if general { GENERAL_KEYS } else { UNICODE_KEYS };
    let used = size(dict);
    // SAFETY: a live dict; every dict's keys object is larger than the header read here.
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

/// The number of entries.
#[inline(always)]
pub(crate) fn size(dict: Obj<'_>) -> Py_ssize_t {
    if compat::FREE_THREADED {
        // SAFETY: a live dict; the function reads its size atomically.
        return unsafe { PyDict_Size(dict.as_ptr()) };
    }
    // SAFETY: a live dict.
    unsafe { (*dict.as_ptr().cast::<PyDictObject>()).ma_used }
}

/// All entries of a dict as references of their own.
///
/// For walks that cannot go over the dict itself: another thread may change it (free-threaded
/// builds), or its entries are needed in another order.
pub(crate) fn entries(_py: &Attached, dict: Obj<'_>) -> Result<Vec<(Owned, Owned)>, Raised> {
    let mut entries = Vec::new();
    // Reserved before the lock is taken; more may have come when it is.
    entries.try_reserve(size(dict) as usize).map_err(|_| no_memory())?;
    let complete = locked(dict, || {
        let mut place = 0;
        loop {
            let (mut key, mut value) = (core::ptr::null_mut(), core::ptr::null_mut());
            // SAFETY: a live dict; the references are borrowed from it under its lock, or while
            // no Python code runs, and are made our own at once.
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

/// Runs `body` with the object's lock held, on builds that have one.
pub(crate) fn locked<R>(_object: Obj<'_>, body: impl FnOnce() -> R) -> R {
    #[cfg(Py_GIL_DISABLED)]
    {
        let mut section = core::mem::MaybeUninit::<PyCriticalSection>::uninit();
        // SAFETY: a live object; the section is begun and ended on this thread, around a body
        // that does not unwind (panics abort).
        unsafe {
            PyCriticalSection_Begin(section.as_mut_ptr(), _object.as_ptr());
            let result = body();
            PyCriticalSection_End(section.as_mut_ptr());
            result
        }
    }
    #[cfg(not(Py_GIL_DISABLED))]
    body()
}

/// The entries of an `OrderedDict` in its own order, which `move_to_end` may have changed.
///
/// Reads the order through the type's own iterator, whatever a subclass overrides. Comparing
/// keys may run Python code.
pub(crate) fn ordered_entries(
    _py: &mut Attached,
    dict: &Owned,
) -> Result<Vec<(Owned, Owned)>, Raised> {
    let mut entries = Vec::new();
    // SAFETY: a live instance of OrderedDict, whose type's tp_iter is therefore set; every
    // result is checked and every reference owned.
    unsafe {
        let Some(iterate) = compat::PyODict_Type.tp_iter else {
            return Err(runtime_error(c"OrderedDict has no iterator"));
        };
        let iterator = Owned::take(locked(dict.get(), || iterate(dict.as_ptr())))?;
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

/// The value under a key that is an interned `str`, which may be the entry at a place, in an exact
/// dict all of whose keys are strings and can be seen in place; `None` for any other dict.
///
/// Only where private layouts may be used. No Python code runs: only strings are compared.
#[inline(always)]
pub(crate) fn str_value<'a>(
    dict: Obj<'a>,
    key: Obj<'_>,
    place: usize,
    py: &'a Attached,
) -> Option<Option<Obj<'a>>> {
    let entries = str_entries(dict, py)?;
    if let Some(&[found, value]) = entries.get(place)
        && found == Some(key)
    {
        return Some(value);
    }
    str_value_elsewhere(dict, key)
}

#[inline(never)]
fn str_value_elsewhere<'a>(dict: Obj<'a>, key: Obj<'_>) -> Option<Option<Obj<'a>>> {
    // SAFETY: a live dict and key; nothing but strings is compared, so nothing fails and the
    // reference is borrowed from the dict.
    unsafe {
        let value = PyDict_GetItemWithError(dict.as_ptr(), key.as_ptr());
        if value.is_null() && !PyErr_Occurred().is_null() {
            PyErr_Clear();
            return None;
        }
        Some(Obj::from_ptr(value))
    }
}

/// The value of a key, as a new reference.
pub(crate) fn get(_py: &mut Attached, dict: &Owned, key: &Owned) -> Result<Option<Owned>, Raised> {
    let mut value = core::ptr::null_mut();
    // SAFETY: a live dict and key, a writable result.
    unsafe {
        match compat::dict_get(dict.as_ptr(), key.as_ptr(), &mut value) {
            -1 => Err(Raised),
            0 => Ok(None),
            _ => Owned::take(value).map(Some),
        }
    }
}

/// A new dict of nothing.
pub(crate) fn new(_py: &Attached) -> Result<Owned, Raised> {
    // SAFETY: attached; the result is checked.
    unsafe { Owned::take(PyDict_New()) }
}

/// Puts the entries of a dict into another one.
pub(crate) fn update(_py: &mut Attached, dict: &Owned, other: &Owned) -> Result<(), Raised> {
    // SAFETY: live dicts; the result is checked.
    match unsafe { PyDict_Update(dict.as_ptr(), other.as_ptr()) } {
        0 => Ok(()),
        _ => Err(Raised),
    }
}
