//! `dict`: making one of keys and values that are all there.
//!
//! Separate from walking (`dict`) because it writes what that only reads. The members of an
//! object lie on the stack of `loads` as keys and values in turn, which is how a dict whose keys
//! are all strings keeps them: so its table is allocated once, in the size that the interpreter
//! would choose, the members are copied in one piece and only the index is computed. Invariants:
//! a table is built in place only where `verify::verify` has compared one with a table of the
//! interpreter's own, byte for byte; keys that may be equal are left to the interpreter, and so
//! is everything on free-threaded and reference-debugging builds. Called by `decode` and `layout`.

use core::slice;

use pyo3_ffi::*;

use crate::py::error::no_memory;
use crate::py::layout::{DictKeys, UNICODE_KEYS};
use crate::py::{Attached, Owned, Raised, compat};

/// A key and its value.
type Pair = [*mut PyObject; 2];

/// The largest table that is built here: beyond it an index has four bytes, and a call for each
/// member is nothing beside the cache misses.
const MAX_LOG2_SIZE: u8 = 15;
/// Tables below this size have an index of bytes.
const WIDE_INDEX_LOG2_SIZE: u8 = 8;

/// A new dict of the keys and values (in turn) from `start` on, which leave the stack. The last
/// of equal keys wins. The keys are `str`; `nested` says whether a value is a container.
#[inline(always)]
pub(crate) fn from_pairs<const DIRECT: bool>(
    py: &Attached,
    values: &mut Vec<Owned>,
    start: usize,
    nested: bool,
) -> Result<Owned, Raised> {
    let count = (values.len() - start) / 2;
    if !DIRECT || !compat::BUILDS_OBJECTS || count > usable(MAX_LOG2_SIZE) {
        return by_calls(py, values, start);
    }
    // SAFETY: attached. The stack has `count` pairs from `start` on: `Owned` is one pointer. The
    // table takes their references over, and the stack forgets them.
    unsafe {
        let pairs = values.as_ptr().add(start).cast::<Pair>();
        let Some(table) = Table::new(slice::from_raw_parts(pairs, count))? else {
            return by_calls(py, values, start);
        };
        let dict = match Owned::take(PyDict_New()) {
            Ok(dict) => dict,
            Err(Raised) => {
                table.free();
                return Err(Raised);
            }
        };
        values.set_len(start);
        let object = dict.as_ptr().cast::<PyDictObject>();
        compat::release_empty_keys((*object).ma_keys.cast());
        (*object).ma_keys = table.keys.cast();
        (*object).ma_used = count as Py_ssize_t;
        if compat::TRACKS_DICTS_LATE && nested {
            PyObject_GC_Track(dict.as_ptr().cast());
        }
        Ok(dict)
    }
}

/// A new dict of nothing.
#[inline(always)]
pub(crate) fn empty(_py: &Attached) -> Result<Owned, Raised> {
    // SAFETY: attached; the result is checked.
    unsafe { Owned::take(PyDict_New()) }
}

/// The same by the C-API.
#[inline(never)]
fn by_calls(_py: &Attached, values: &mut Vec<Owned>, start: usize) -> Result<Owned, Raised> {
    let count = (values.len() - start) / 2;
    // SAFETY: attached; every result is checked. The pairs are read before they leave the stack,
    // and hashing and comparing strings runs no Python code.
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

/// The members that a table of this size takes.
const fn usable(log2_size: u8) -> usize {
    (2 << log2_size) / 3
}

/// The smallest size, as a power of two, of a table for `count` members (not none).
#[inline(always)]
fn log2_size(count: usize) -> u8 {
    // Two thirds of a table are usable, and the smallest one has eight places.
    let places = (count * 3).div_ceil(2);
    (usize::BITS - (places.wrapping_sub(1) | 7).leading_zeros()) as u8
}

/// The table of a dict, not yet part of one.
pub(crate) struct Table {
    pub(super) keys: *mut DictKeys,
}

impl Table {
    /// The table of these members, or none if two keys may be equal. It has a copy of each
    /// pointer, and no reference of its own.
    ///
    /// # Safety
    /// The thread is attached. The keys are live `str` objects with their data in place.
    #[inline(always)]
    pub(crate) unsafe fn new(pairs: &[Pair]) -> Result<Option<Self>, Raised> {
        let log2_size = log2_size(pairs.len());
        let log2_index_bytes = log2_size + u8::from(log2_size >= WIDE_INDEX_LOG2_SIZE);
        let index_bytes = 1 << log2_index_bytes;
        let room = usable(log2_size);
        let bytes = size_of::<DictKeys>() + index_bytes + room * size_of::<Pair>();
        // SAFETY: attached. The allocation has room for a header, `index_bytes` of index and
        // `room` pairs, of which there are at most so many: `log2_size` is chosen so.
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
            let table = Self { keys };
            let index = keys.add(1).cast::<u8>();
            index.write_bytes(0xff, index_bytes);
            let mask = (1 << log2_size) - 1;
            let unique = if log2_size < WIDE_INDEX_LOG2_SIZE {
                fill::<i8>(index.cast(), mask, pairs)
            } else {
                fill::<i16>(index.cast(), mask, pairs)
            };
            if !unique {
                table.free();
                return Ok(None);
            }
            let members = index.add(index_bytes).cast::<Pair>();
            members.copy_from_nonoverlapping(pairs.as_ptr(), pairs.len());
            Ok(Some(table))
        }
    }

    /// Whether a table of a dict is the same: head, index and members.
    ///
    /// # Safety
    /// Both have a head; the rest is only read if the heads are equal.
    pub(crate) unsafe fn is_like(&self, other: *const DictKeys) -> bool {
        // SAFETY: by the caller; equal heads mean equal sizes, if a head is what we think.
        unsafe {
            let head = *self.keys;
            if head != *other {
                return false;
            }
            let bytes = (1 << head.log2_index_bytes) + head.entries as usize * size_of::<Pair>();
            slice::from_raw_parts(self.keys.add(1).cast::<u8>(), bytes)
                == slice::from_raw_parts(other.add(1).cast::<u8>(), bytes)
        }
    }

    /// Frees a table that has not become part of a dict.
    ///
    /// # Safety
    /// The thread is attached, and no dict has the table.
    #[cold]
    pub(crate) unsafe fn free(self) {
        // SAFETY: by the caller.
        unsafe { compat::free_keys(self.keys.cast()) }
    }
}

/// A number in an index.
trait Number: Copy + Into<i64> {
    fn new(number: usize) -> Self;
}

impl Number for i8 {
    #[inline(always)]
    fn new(number: usize) -> Self {
        number as Self
    }
}

impl Number for i16 {
    #[inline(always)]
    fn new(number: usize) -> Self {
        number as Self
    }
}

/// Enters each member's number in the index, where the interpreter's `find_empty_slot` would.
/// False if two keys have the same hash.
///
/// # Safety
/// The index has `mask + 1` numbers, all -1, and there are fewer pairs than that. The keys are
/// live `str` objects.
#[inline(always)]
unsafe fn fill<N: Number>(index: *mut N, mask: usize, pairs: &[Pair]) -> bool {
    for (number, &[key, _]) in pairs.iter().enumerate() {
        // SAFETY: by the caller; a place is below `mask + 1` because it is masked, and a number
        // found in the index is that of an earlier pair. The probing ends because it reaches
        // every place once the hash is used up, and some are free.
        unsafe {
            let hash = hash_of(key);
            let mut perturb = hash;
            let mut place = hash & mask;
            loop {
                let there = index.add(place).read().into();
                if there < 0 {
                    break;
                }
                let &[other, _] = pairs.get_unchecked(there as usize);
                if hash_of(other) == hash {
                    return false;
                }
                perturb >>= 5;
                place = (place * 5 + perturb + 1) & mask;
            }
            index.add(place).write(N::new(number));
        }
    }
    true
}

/// The hash of a `str`, computed now if it has not been yet.
///
/// # Safety
/// The thread is attached and the key is a live `str`.
#[inline(always)]
unsafe fn hash_of(key: *mut PyObject) -> usize {
    // SAFETY: by the caller. Hashing a `str` cannot fail and runs no Python code.
    unsafe {
        let hash = (*key.cast::<PyASCIIObject>()).hash;
        if hash != -1 {
            return hash as usize;
        }
        PyObject_Hash(key) as usize
    }
}

/// A new dict of keys and values (in turn) from `start` on, which leave the stack; keys of any type.
pub(crate) fn from_any_pairs(
    _py: &mut Attached,
    values: &mut Vec<Owned>,
    start: usize,
) -> Result<Owned, Raised> {
    // SAFETY: attached; every result is checked. Hashing may run Python code: see `set`.
    unsafe {
        let dict = Owned::take(PyDict_New())?;
        let mut pairs = values.drain(start..);
        while let (Some(key), Some(value)) = (pairs.next(), pairs.next()) {
            if PyDict_SetItem(dict.as_ptr(), key.as_ptr(), value.as_ptr()) != 0 {
                return Err(Raised);
            }
        }
        Ok(dict)
    }
}

/// Sets an entry of a dict.
pub(crate) fn set_item(
    _py: &mut Attached,
    dict: &Owned,
    key: &Owned,
    value: &Owned,
) -> Result<(), Raised> {
    // SAFETY: live objects; the result is checked.
    match unsafe { PyDict_SetItem(dict.as_ptr(), key.as_ptr(), value.as_ptr()) } {
        0 => Ok(()),
        _ => Err(Raised),
    }
}
