//! `dict`: making one of known keys and values.
//!
//! Separate from `read` because it writes the layout that `read` only reads. The members of a JSON
//! object are on the decoder's stack as alternating keys and values, which is also the layout of
//! the entries of a dict with string keys. So the keys object is allocated once, in the size that
//! the interpreter would choose, the entries are copied as a block, and only the index table is
//! computed. Invariants: a keys object is built in place only where `verify` has compared one with
//! the interpreter's, byte for byte; the interpreter itself handles keys that may be equal, and
//! everything on reference-debugging builds. Called by decoding and `verify`.

use core::slice;
use core::sync::atomic::{AtomicIsize, Ordering};

use pyo3_ffi::*;

use crate::py::dict::read::{Dict, OwnedDict};
use crate::py::error::{no_memory, system_error};
use crate::py::layout::{DictKeys, UNICODE_KEYS};
use crate::py::{Attached, Owned, Raised, compat};

/// A key and its value.
type Pair = [*mut PyObject; 2];

/// The largest size that is built here. Larger index tables have entries of four bytes, and cache
/// misses outweigh a call for each member.
const MAX_LOG2_SIZE: u8 = 15;
/// Index tables below this size have entries of one byte, others of two.
const WIDE_INDEX_LOG2_SIZE: u8 = 8;

/// Whether a dict of so many members is built here, and not by calls.
#[inline(always)]
fn is_built_here(count: usize) -> bool {
    (1..=usable(MAX_LOG2_SIZE)).contains(&count)
}

/// Makes a dict of the alternating keys and values from `start` on and removes them from the stack.
/// The last of equal keys wins. The keys are `str`; `nested` says whether any value is a container.
#[inline(always)]
pub(crate) fn from_pairs<const DIRECT: bool>(
    py: &Attached,
    values: &mut Vec<Owned>,
    start: usize,
    nested: bool,
) -> Result<Owned, Raised> {
    let count = (values.len() - start) / 2;
    if !DIRECT || !compat::BUILDS_OBJECTS || !is_built_here(count) {
        return by_calls(py, values, start);
    }
    // SAFETY: attached, because there is a witness; `count` pairs, because an `Owned` is one
    // pointer and the stack has two for each; at least one, because `is_built_here` says so; live
    // keys, which are `str`, because readers push what they made of member names. The dict owns the
    // references, because `set_len` removes them from the stack. It may get other keys, because it
    // is empty and has no other reference.
    unsafe {
        let pairs = values.as_ptr().add(start).cast::<Pair>();
        let Some(keys) = NewKeys::new(slice::from_raw_parts(pairs, count))? else {
            return by_calls(py, values, start);
        };
        let dict = match Owned::take(PyDict_New()) {
            Ok(dict) => dict,
            Err(Raised) => {
                keys.free();
                return Err(Raised);
            }
        };
        values.set_len(start);
        keys.attach(dict.as_ptr().cast(), count);
        if compat::TRACKS_DICTS_LATE && nested {
            PyObject_GC_Track(dict.as_ptr().cast());
        }
        Ok(dict)
    }
}

/// Moves the alternating keys and values from `start` on from the stack to the empty dict before
/// them, which stays. The last of equal keys wins. The keys are `str`. Only where decoding may
/// build dicts.
#[inline(always)]
pub(crate) fn fill(py: &Attached, values: &mut Vec<Owned>, start: usize) -> Result<(), Raised> {
    let count = (values.len() - start) / 2;
    let dict = values.get(start.wrapping_sub(1)).and_then(|dict| Dict::exact(dict.get()));
    let Some(object) = dict.map(|dict| dict.as_ptr().cast::<PyDictObject>()) else {
        return Err(not_empty());
    };
    // SAFETY: attached, because there is a witness; pairs of live `str` and values, at least one,
    // as in `from_pairs`. A live dict, because of its type. It may get other keys, because it is
    // empty, which is checked, and its keys are those that all empty dicts share, because frames
    // put only dicts from `empty` before their members. It owns the references, because `set_len`
    // removes them from the stack.
    unsafe {
        if (*object).ma_used != 0 {
            return Err(not_empty());
        }
        let pairs = slice::from_raw_parts(values.as_ptr().add(start).cast::<Pair>(), count);
        let keys = if is_built_here(count) { NewKeys::new(pairs)? } else { None };
        let Some(keys) = keys else { return fill_by_calls(py, values, start) };
        values.set_len(start);
        keys.attach(object, count);
    }
    Ok(())
}

/// [`fill`] by the C-API.
#[inline(never)]
fn fill_by_calls(py: &Attached, values: &mut Vec<Owned>, start: usize) -> Result<(), Raised> {
    // A dict of the right size is filled faster, and then gives its table to the open one.
    let filled = by_calls(py, values, start)?;
    let Some(dict) = values.last() else { return Err(not_empty()) };
    // SAFETY: live dicts, because `by_calls` made one and `fill` has checked the other. Neither has
    // split keys, so table and count are all of their contents. Nothing has seen a version of
    // either dict with these contents; if a value is a container, the frame has tracked the open
    // dict.
    unsafe {
        let (target, source) = (dict.as_ptr(), filled.as_ptr());
        let (target, source) = (target.cast::<PyDictObject>(), source.cast::<PyDictObject>());
        core::mem::swap(&mut (*target).ma_keys, &mut (*source).ma_keys);
        core::mem::swap(&mut (*target).ma_used, &mut (*source).ma_used);
    }
    Ok(())
}

/// Has the cyclic collector track a dict that is about to hold a container, if it does not yet.
#[inline(always)]
pub(crate) fn track(_py: &Attached, dict: Dict<'_>) {
    if compat::TRACKS_DICTS_LATE {
        // SAFETY: attached, because there is a witness; a live dict, because of its type.
        unsafe {
            if PyObject_GC_IsTracked(dict.as_ptr()) == 0 {
                PyObject_GC_Track(dict.as_ptr().cast());
            }
        }
    }
}

/// The error of an open container that other code has changed, which cannot happen while a document
/// is read.
#[cold]
fn not_empty() -> Raised {
    system_error(c"a dict is not empty before its members are read")
}

/// Makes an empty dict.
#[inline(always)]
pub(crate) fn empty(_py: &Attached) -> Result<OwnedDict, Raised> {
    // SAFETY: attached, because there is a witness; the result is checked, and is a dict, because
    // PyDict_New makes one.
    unsafe { Ok(OwnedDict::assume(Owned::take(PyDict_New())?)) }
}

/// [`from_pairs`] by the C-API.
#[inline(never)]
fn by_calls(_py: &Attached, values: &mut Vec<Owned>, start: usize) -> Result<Owned, Raised> {
    let count = (values.len() - start) / 2;
    // SAFETY: attached, because there is a witness; every result is checked. The pairs stay on the
    // stack while they are read, because hashing and comparing strings runs no Python code.
    unsafe {
        let dict = if count > 5 {
            Owned::take(compat::_PyDict_NewPresized(count as Py_ssize_t))?
        } else {
            Owned::take(PyDict_New())?
        };
        let pairs = values.as_ptr().add(start).cast::<Pair>();
        for &[key, value] in slice::from_raw_parts(pairs, count) {
            if PyDict_SetItem(dict.as_ptr(), key, value) != 0 {
                return Err(Raised);
            }
        }
        values.truncate(start);
        Ok(dict)
    }
}

/// The number of entries that a keys object of this size can have.
const fn usable(log2_size: u8) -> usize {
    (2 << log2_size) / 3
}

/// The smallest size, as a power of two, of a keys object with `count` entries, at least one.
#[inline(always)]
fn log2_size(count: usize) -> u8 {
    // Two thirds of an index table are usable, and the smallest one has eight slots.
    let slots = (count * 3).div_ceil(2);
    (usize::BITS - (slots.wrapping_sub(1) | 7).leading_zeros()) as u8
}

/// A keys object that no dict has yet.
pub(crate) struct NewKeys(*mut DictKeys);

impl NewKeys {
    /// Makes a keys object of some entries; `None` if two keys may be equal. It copies the pointers
    /// and no references.
    ///
    /// # Safety
    /// The thread is attached. The keys are live `str` objects, at least one.
    #[inline(always)]
    pub(crate) unsafe fn new(pairs: &[Pair]) -> Result<Option<Self>, Raised> {
        let log2_size = log2_size(pairs.len());
        let log2_index_bytes = log2_size + u8::from(log2_size >= WIDE_INDEX_LOG2_SIZE);
        let index_bytes = 1 << log2_index_bytes;
        let room = usable(log2_size);
        let bytes = size_of::<DictKeys>() + index_bytes + room * size_of::<Pair>();
        // SAFETY: attached and live keys, because the caller says so. All writes are inside the
        // allocation, because it has room for a header, `index_bytes` of index table and `room`
        // entries, and `log2_size` makes `room` at least `pairs.len()`.
        unsafe {
            let keys = compat::allocate_keys(bytes).cast::<DictKeys>();
            if keys.is_null() {
                return Err(no_memory());
            }
            keys.write(DictKeys::new(
                log2_size,
                log2_index_bytes,
                UNICODE_KEYS,
                (room - pairs.len()) as Py_ssize_t,
                pairs.len() as Py_ssize_t,
            ));
            let index = keys.add(1).cast::<u8>();
            index.write_bytes(0xff, index_bytes);
            let mask = (1 << log2_size) - 1;
            let unique = if log2_size < WIDE_INDEX_LOG2_SIZE {
                fill_index::<i8>(index.cast(), mask, pairs)
            } else {
                fill_index::<i16>(index.cast(), mask, pairs)
            };
            if !unique {
                Self(keys).free();
                return Ok(None);
            }
            let entries = index.add(index_bytes).cast::<Pair>();
            entries.copy_from_nonoverlapping(pairs.as_ptr(), pairs.len());
            if compat::FREE_THREADED {
                // Threads that look keys up without a lock take what is not null for a key.
                entries.add(pairs.len()).write_bytes(0, room - pairs.len());
            }
            Ok(Some(Self(keys)))
        }
    }

    /// Gives the keys object, which has `count` entries, to a dict.
    ///
    /// # Safety
    /// The thread is attached. `dict` is a live dict with the keys object that all empty dicts
    /// share; it takes over the references of the entries.
    #[inline(always)]
    unsafe fn attach(self, dict: *mut PyDictObject, count: usize) {
        // SAFETY: a live dict with the shared keys object, because the caller says so.
        unsafe {
            compat::release_empty_keys((*dict).ma_keys.cast());
            (*dict).ma_keys = self.0.cast();
            (*dict).ma_used = count as Py_ssize_t;
        }
    }

    /// Whether a dict's keys object is identical: header, index table and entries.
    ///
    /// # Safety
    /// `other` is the keys object of a live dict.
    pub(crate) unsafe fn is_like(&self, other: *const DictKeys) -> bool {
        // SAFETY: both headers are readable, because `new` wrote one and the caller passes the
        // other. The rest is inside both, because it is read only if the headers, and therefore the
        // sizes, are equal.
        unsafe {
            let header = *self.0;
            if header != *other {
                return false;
            }
            let index_bytes = 1 << header.log2_index_bytes;
            let bytes = index_bytes + header.entries as usize * size_of::<Pair>();
            slice::from_raw_parts(self.0.add(1).cast::<u8>(), bytes)
                == slice::from_raw_parts(other.add(1).cast::<u8>(), bytes)
        }
    }

    /// Frees a keys object that no dict has taken over.
    ///
    /// # Safety
    /// The thread is attached, and no dict has the keys object.
    #[cold]
    pub(crate) unsafe fn free(self) {
        // SAFETY: attached and no reference, because the caller says so; allocated by
        // `allocate_keys`, because `new` did it.
        unsafe { compat::free_keys(self.0.cast()) }
    }
}

/// A slot of an index table: the index of an entry, or -1.
trait IndexSlot: Copy + Into<i64> {
    fn new(entry: usize) -> Self;
}

impl IndexSlot for i8 {
    #[inline(always)]
    fn new(entry: usize) -> Self {
        entry as Self
    }
}

impl IndexSlot for i16 {
    #[inline(always)]
    fn new(entry: usize) -> Self {
        entry as Self
    }
}

/// Writes each entry's index to the slot that the interpreter's `find_empty_slot` would choose.
/// False if two keys have the same hash.
///
/// # Safety
/// The thread is attached. The index table has `mask + 1` slots, all -1, and there are fewer pairs.
/// The keys are live `str` objects.
#[inline(always)]
unsafe fn fill_index<S: IndexSlot>(index: *mut S, mask: usize, pairs: &[Pair]) -> bool {
    for (entry, &[key, _]) in pairs.iter().enumerate() {
        // SAFETY: attached and live keys, because the caller says so. A slot is inside the table,
        // because it is masked; an entry found is inside `pairs`, because an earlier step wrote its
        // index. Probing ends, because it reaches every slot once `perturb` is zero, and some slots
        // are free.
        unsafe {
            let hash = hash_of(key);
            let mut perturb = hash;
            let mut slot = hash & mask;
            loop {
                let found = index.add(slot).read().into();
                if found < 0 {
                    break;
                }
                let &[other, _] = pairs.get_unchecked(found as usize);
                if hash_of(other) == hash {
                    return false;
                }
                perturb >>= 5;
                slot = (slot * 5 + perturb + 1) & mask;
            }
            index.add(slot).write(S::new(entry));
        }
    }
    true
}

/// The hash of a `str`, which the `str` caches.
///
/// # Safety
/// The thread is attached and the key is a live `str`.
#[inline(always)]
unsafe fn hash_of(key: *mut PyObject) -> usize {
    // SAFETY: attached and a live `str`, because the caller says so; hashing one cannot fail and
    // runs no Python code.
    unsafe {
        let hash = &raw mut (*key.cast::<PyASCIIObject>()).hash;
        // Without a GIL another thread may be writing it.
        let hash = AtomicIsize::from_ptr(hash).load(Ordering::Relaxed);
        if hash != -1 {
            return hash as usize;
        }
        PyObject_Hash(key) as usize
    }
}

/// Makes a dict of the alternating keys and values from `start` on and removes them from the stack.
/// The keys are of any type; hashing and comparing them may run Python code.
pub(crate) fn from_any_pairs(
    py: &mut Attached,
    values: &mut Vec<Owned>,
    start: usize,
) -> Result<OwnedDict, Raised> {
    let dict = empty(py)?;
    let mut pairs = values.drain(start..);
    while let (Some(key), Some(value)) = (pairs.next(), pairs.next()) {
        set_item(py, &dict, &key, &value)?;
    }
    Ok(dict)
}

/// Makes a dict of the alternating keys and values from `start` on and removes them from the stack.
/// The first of equal keys wins. The keys are `str`.
pub(crate) fn first_of_pairs(
    py: &Attached,
    values: &mut Vec<Owned>,
    start: usize,
) -> Result<Owned, Raised> {
    let dict = empty(py)?;
    let mut pairs = values.drain(start..);
    while let (Some(key), Some(value)) = (pairs.next(), pairs.next()) {
        // SAFETY: attached, because there is a witness; live objects, because all are owned;
        // hashing and comparing keys runs no Python code, because they are exact `str`; the result,
        // which is borrowed and not used, is checked.
        let kept = unsafe { PyDict_SetDefault(dict.get().as_ptr(), key.as_ptr(), value.as_ptr()) };
        if kept.is_null() {
            return Err(Raised);
        }
    }
    drop(pairs);
    Ok(dict.into_owned())
}

/// `dict[key] = value`, which may run Python code.
pub(crate) fn set_item(
    _py: &mut Attached,
    dict: &OwnedDict,
    key: &Owned,
    value: &Owned,
) -> Result<(), Raised> {
    // SAFETY: attached, because there is a witness; live objects, because all are owned; the result
    // is checked.
    match unsafe { PyDict_SetItem(dict.get().as_ptr(), key.as_ptr(), value.as_ptr()) } {
        0 => Ok(()),
        _ => Err(Raised),
    }
}
