//! New instances whose attributes are stored where the interpreter keeps them: a private layout.
//!
//! An instance of an ordinary class has its attributes in an array of values, whose names are in a
//! table that the class's instances share (see `instance`, which reads them). Setting attributes
//! one by one looks each name up in that table; but for the fields of one class the places never
//! change. Invariants: only a class whose sample, made here, looks to the C-API as one made by it
//! is taken; places are those that the class's table has, which is checked to be the same table for
//! each instance, and an entry of such a table is never moved.

use pyo3_ffi::*;

use crate::py::instance::build::Class;
use crate::py::instance::read;
use crate::py::instance::read::{SPLIT_KEYS, array_parts_mut, dict_or_values};
use crate::py::layout::DictKeys;
use crate::py::{Attached, Obj, Owned, Raised, compat, error, int, singletons};

/// Attributes that an array of values has room for in every version.
const MOST: usize = 29;

/// A class, and where its instances have the values of some attributes.
#[derive(Debug)]
pub(crate) struct InlineValues {
    /// The table of names that the class's instances share; only compared.
    keys: *const DictKeys,
    places: Vec<u8>,
}

impl InlineValues {
    /// Finds the places of the attributes; `None` if instances are not kept in this way.
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
        // Nobody is to see a sample.
        if class.is_finalized() {
            return Ok(None);
        }
        // A first instance enters the names in the table, in this order if it is new.
        let nothing = singletons::none(py);
        let sample = class.instance(py)?;
        for name in names {
            sample.set(py, name, &nothing)?;
        }
        let sample = sample.finish();
        let keys = shared_keys(sample.get());
        let Some(places) = places_of(keys, names)? else { return Ok(None) };
        let filled = Self { keys, places };
        let is_right = filled.verify(py, class, names)?;
        Ok(is_right.then_some(filled))
    }

    /// Makes one instance and compares it with what it should be.
    fn verify(&self, py: &mut Attached, class: &Class, names: &[&Owned]) -> Result<bool, Raised> {
        let mut values = Vec::new();
        values.try_reserve_exact(names.len()).map_err(|_| error::no_memory())?;
        for number in 0..names.len() {
            values.push(Some(int::new(py, number as i64)?));
        }
        let Some(made) = self.instance(py, class, &mut values, 0)? else { return Ok(false) };
        // SAFETY: attached; every result is checked, or null with an exception; the pairs are
        // borrowed from a dict that nobody else has.
        unsafe {
            for (number, name) in names.iter().enumerate() {
                let value = Owned::take(PyObject_GenericGetAttr(made.as_ptr(), name.as_ptr()))?;
                if int::in_place(value.get()) != Some(number as i64) {
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

    /// An instance of the values from `start` on, which leave the stack; `None` if it cannot be
    /// made in this way, and then they stay.
    #[inline(always)]
    pub(crate) fn instance(
        &self,
        py: &Attached,
        class: &Class,
        values: &mut Vec<Option<Owned>>,
        start: usize,
    ) -> Result<Option<Owned>, Raised> {
        let given = values.get(start..).unwrap_or(&[]);
        if given.len() != self.places.len() || given.iter().any(Option::is_none) {
            return Ok(None);
        }
        let made = class.instance(py)?.finish();
        // SAFETY: attached; a verified layout, and an instance that nobody has seen: its array has
        // a place for each entry of the shared table, and is empty. An `Option<Owned>` is one
        // pointer, none of them null, and those moved are no longer the stack's.
        unsafe {
            let (dict, array) = dict_or_values(made.get());
            if !dict.is_null() || array.is_null() || shared_keys(made.get()) != self.keys {
                return Ok(None);
            }
            let given = values.as_ptr().add(start).cast::<*mut PyObject>();
            let (count, places, mut order) = array_parts_mut(array.cast_mut());
            for (number, &place) in self.places.iter().enumerate() {
                places.add(place.into()).write(given.add(number).read());
                order.write(place);
                order = order.offset(read::ORDER_STEP);
            }
            count.write(self.places.len() as u8);
            values.set_len(start);
        }
        Ok(Some(made))
    }
}

/// The table of names that an instance's class has for its instances; or null.
fn shared_keys(object: Obj<'_>) -> *const DictKeys {
    // SAFETY: a live type, of a class made by Python code.
    unsafe { (*object.type_ptr().cast::<PyHeapTypeObject>()).ht_cached_keys.cast_const().cast() }
}

/// Where a shared table has these names, which are interned.
fn places_of(keys: *const DictKeys, names: &[&Owned]) -> Result<Option<Vec<u8>>, Raised> {
    let mut places = Vec::new();
    places.try_reserve_exact(names.len()).map_err(|_| error::no_memory())?;
    if keys.is_null() {
        return Ok(None);
    }
    // SAFETY: the table of a live class; `entries` of its entries are initialised, each a name and
    // an unused word.
    unsafe {
        if (*keys).kind != SPLIT_KEYS {
            return Ok(None);
        }
        let indices = 1usize << (*keys).log2_index_bytes;
        let first = keys.byte_add(size_of::<DictKeys>() + indices).cast::<[*mut PyObject; 2]>();
        let entries = core::slice::from_raw_parts(first, (*keys).entries as usize);
        for name in names {
            let place = entries.iter().position(|&[entry, _]| entry == name.as_ptr());
            match place.map(u8::try_from) {
                Some(Ok(place)) => places.push(place),
                _ => return Ok(None),
            }
        }
    }
    Ok(Some(places))
}
