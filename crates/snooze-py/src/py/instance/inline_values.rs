//! New instances whose attributes are written to their array of values: a private layout.
//!
//! An instance of an ordinary class has its attributes in an array of values, whose names are in
//! the class's shared keys (see `read`). Setting attributes one by one looks each name up in the
//! shared keys, but the indices of a class's fields never change. Separate from `build`, which
//! needs no private layout. Invariants: a class is accepted only if a sample made here is, for the
//! C-API, like one made by the interpreter; each new instance is checked to have the same shared
//! keys, whose entries never move. Called by typed decoding.

use pyo3_ffi::*;

use crate::py::instance::build::Class;
use crate::py::instance::read;
use crate::py::instance::read::{SPLIT_KEYS, array_parts_mut, dict_or_values};
use crate::py::int::Int;
use crate::py::layout::DictKeys;
use crate::py::{Attached, Obj, Owned, Raised, compat, error, int, singletons};

/// The number of attributes that an array of values can hold in every version.
const MOST: usize = 29;

/// The indices of some attributes in the arrays of values of a class's instances.
#[derive(Debug)]
pub(crate) struct InlineValues {
    /// The shared keys of the class; only compared.
    keys: *const DictKeys,
    /// The index of each attribute.
    indices: Vec<u8>,
}

impl InlineValues {
    /// Finds the indices of the attributes; `None` if instances are not stored in this way.
    ///
    /// Only where the layout of instances has been verified.
    pub(crate) fn new(
        py: &mut Attached,
        class: &Class,
        names: &[&Owned],
    ) -> Result<Option<Self>, Raised> {
        if compat::FREE_THREADED || !class.has_dict() || !(1..=MOST).contains(&names.len()) {
            return Ok(None);
        }
        // A `__del__` would see the samples.
        if class.is_finalized() {
            return Ok(None);
        }
        // The first instance adds the names to the shared keys.
        let nothing = singletons::none(py);
        let sample = class.instance(py)?;
        for name in names {
            sample.set(py, name, &nothing)?;
        }
        let sample = sample.finish();
        let keys = shared_keys(sample.get());
        let Some(indices) = indices_of(keys, names)? else { return Ok(None) };
        let found = Self { keys, indices };
        let is_right = found.verify(py, class, names)?;
        Ok(is_right.then_some(found))
    }

    /// Makes one instance and checks it through the C-API.
    fn verify(&self, py: &mut Attached, class: &Class, names: &[&Owned]) -> Result<bool, Raised> {
        let mut values = Vec::new();
        values.try_reserve_exact(names.len()).map_err(|_| error::no_memory())?;
        for number in 0..names.len() {
            values.push(Some(int::new(py, number as i64)?));
        }
        let Some(made) = self.instance(py, class, &mut values, 0)? else { return Ok(false) };
        // SAFETY: attached, because there is a witness; every result is checked; keys and values of
        // PyDict_Next are live, because the dict is owned and has no other reference.
        unsafe {
            for (number, name) in names.iter().enumerate() {
                let value = Owned::take(PyObject_GenericGetAttr(made.as_ptr(), name.as_ptr()))?;
                if Int::exact(value.get()).and_then(int::in_place) != Some(number as i64) {
                    return Ok(false);
                }
            }
            let context = core::ptr::null_mut();
            let dict = Owned::take(PyObject_GenericGetDict(made.as_ptr(), context))?;
            let null = core::ptr::null_mut();
            if PyDict_CheckExact(dict.as_ptr()) == 0
                || PyDict_Size(dict.as_ptr()) as usize != names.len()
            {
                return Ok(false);
            }
            let (mut place, mut key, mut value) = (0, null, null);
            for name in names {
                if PyDict_Next(dict.as_ptr(), &mut place, &mut key, &mut value) == 0
                    || key != name.as_ptr()
                {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// Makes an instance of the values from `start` on and removes them from the stack; `None` if
    /// it cannot be made in this way, and then the values stay.
    #[inline(always)]
    pub(crate) fn instance(
        &self,
        py: &Attached,
        class: &Class,
        values: &mut Vec<Option<Owned>>,
        start: usize,
    ) -> Result<Option<Owned>, Raised> {
        let given = values.get(start..).unwrap_or(&[]);
        if given.len() != self.indices.len() || given.iter().any(Option::is_none) {
            return Ok(None);
        }
        let made = class.instance(py)?.finish();
        // SAFETY: a managed type, because `new` checked `has_dict`; a verified layout, because
        // callers use this file only then. All writes are inside the array, because it belongs to
        // the same shared keys, in which `new` found the indices; it is empty and has no other
        // user, because the instance is new. The instance owns the references, because an
        // `Option<Owned>` is one pointer, none is null, and `set_len` removes them from the stack.
        unsafe {
            let (dict, array) = dict_or_values(made.get());
            if !dict.is_null() || array.is_null() || shared_keys(made.get()) != self.keys {
                return Ok(None);
            }
            let given = values.as_ptr().add(start).cast::<*mut PyObject>();
            let (count, slots, mut order) = array_parts_mut(array.cast_mut());
            for (number, &index) in self.indices.iter().enumerate() {
                slots.add(index.into()).write(given.add(number).read());
                order.write(index);
                order = order.offset(read::ORDER_STEP);
            }
            count.write(self.indices.len() as u8);
            values.set_len(start);
        }
        Ok(Some(made))
    }
}

/// The shared keys of an instance's class; or null.
fn shared_keys(object: Obj<'_>) -> *const DictKeys {
    // SAFETY: a live heap type, because a live object keeps its type and `Class` accepts heap types
    // only.
    unsafe { (*object.type_ptr().cast::<PyHeapTypeObject>()).ht_cached_keys.cast_const().cast() }
}

/// The indices of interned names in shared keys; `None` if any is missing.
fn indices_of(keys: *const DictKeys, names: &[&Owned]) -> Result<Option<Vec<u8>>, Raised> {
    let mut indices = Vec::new();
    indices.try_reserve_exact(names.len()).map_err(|_| error::no_memory())?;
    if keys.is_null() {
        return Ok(None);
    }
    // SAFETY: the shared keys of a live class, because callers pass those; the entries are inside,
    // because the header counts them; each is a name and an unused word.
    unsafe {
        if (*keys).kind != SPLIT_KEYS {
            return Ok(None);
        }
        let first = DictKeys::first_entry::<[*mut PyObject; 2]>(keys);
        let entries = core::slice::from_raw_parts(first, (*keys).entries as usize);
        for name in names {
            let index = entries.iter().position(|&[entry, _]| entry == name.as_ptr());
            match index.map(u8::try_from) {
                Some(Ok(index)) => indices.push(index),
                _ => return Ok(None),
            }
        }
    }
    Ok(Some(indices))
}
