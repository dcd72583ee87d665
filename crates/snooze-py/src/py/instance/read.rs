//! The attributes of an instance as the interpreter keeps them: a private layout.
//!
//! An instance of an ordinary class has its attributes in an array of values, whose names are in
//! a table that all instances of the class share, or in a dict that it got when somebody asked
//! for its `__dict__`. Reading them where they are neither makes that dict nor looks a name up.
//! Invariant: `verify::verify_instances` has compared what is seen here with what the C-API says;
//! if anything differs, nobody looks here.

use pyo3_ffi::*;

use crate::py::compat::{INSTANCE_LAYOUT, InstanceLayout};
use crate::py::instance::slot;
use crate::py::layout::{DictKeys, UNICODE_KEYS};
use crate::py::{Attached, Obj, Owned, Raised, compat};

const IS_INLINE: bool = matches!(INSTANCE_LAYOUT, InstanceLayout::Inline);

/// The value of [`DictKeys::kind`] for names that several arrays of values share.
pub(super) const SPLIT_KEYS: u8 = 2;

/// The attributes of an instance, in the order in which they were set.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Attributes<'a> {
    /// Pairs of a name and a value, which is null if the values are apart.
    entries: *const [Option<Obj<'a>>; 2],
    /// The values, if they are apart, and the place of each in order.
    values: *const Option<Obj<'a>>,
    order: *const u8,
    len: usize,
}

/// Whether instances of the object's type keep their attributes in this way.
pub(super) fn is_managed(object: Obj<'_>) -> bool {
    // SAFETY: a live type.
    !compat::FREE_THREADED
        && unsafe { PyType_GetFlags(object.type_ptr()) } & Py_TPFLAGS_MANAGED_DICT != 0
}

/// The dict of an instance of a type that [`is_managed`], or its array of values, or nothing.
///
/// # Safety
/// The layout has been verified, or is being, and the type [`is_managed`].
#[inline(always)]
pub(super) unsafe fn dict_or_values(object: Obj<'_>) -> (*mut PyObject, *const u8) {
    // SAFETY: such an instance has four words before it, up to 3.11, or else three; see each.
    unsafe {
        let words = object.as_ptr().cast::<*mut PyObject>();
        let word = words.sub(3).read();
        match INSTANCE_LAYOUT {
            InstanceLayout::TwoWords => (word, words.sub(4).read().cast()),
            // The tag is that the word is one less than the array.
            InstanceLayout::TaggedWord if word as usize & 1 == 1 => {
                (core::ptr::null_mut(), word.cast::<u8>().add(1))
            }
            InstanceLayout::TaggedWord => (word, core::ptr::null()),
            InstanceLayout::Inline => {
                const INLINE_VALUES: core::ffi::c_ulong = 1 << 2;
                let tp = object.type_ptr();
                let flags = (&raw const (*tp).tp_flags).cast::<core::ffi::c_ulong>().read();
                if flags & INLINE_VALUES == 0 {
                    return (word, core::ptr::null());
                }
                // The fourth byte of the array says whether it is in use.
                let values = object.as_ptr().cast::<u8>().offset((*tp).tp_basicsize);
                let in_use = word.is_null() && values.add(3).read() != 0;
                (word, if in_use { values } else { core::ptr::null() })
            }
        }
    }
}

/// The dict that an instance has now, if it has one.
pub(super) fn dict<'a>(object: Obj<'a>, _py: &'a Attached) -> Option<Obj<'a>> {
    if !is_managed(object) {
        return None;
    }
    // SAFETY: a verified layout, and a type that keeps attributes in this way.
    unsafe { Obj::from_ptr(dict_or_values(object).0) }
}

/// Number of values in an array, the values, and their order.
///
/// # Safety
/// `array` is one that [`dict_or_values`] found, or that a dict has.
#[inline(always)]
unsafe fn array_parts<'a>(array: *const u8) -> (usize, *const Option<Obj<'a>>, *const u8) {
    // SAFETY: by the caller; see each.
    unsafe {
        if IS_INLINE {
            // A capacity, a count, two flags; eight bytes on the values; behind them the order.
            let values = array.add(8).cast::<Option<Obj<'a>>>();
            (array.add(1).read().into(), values, values.add(array.read().into()).cast())
        } else {
            // The bytes before the values: downwards a size, a count, and the order.
            (array.sub(2).read().into(), array.cast(), array.sub(3))
        }
    }
}

/// From one place in the order to the next.
pub(super) const ORDER_STEP: isize = if IS_INLINE { 1 } else { -1 };

/// Where an array has its count, its values, and the first place of their order.
///
/// # Safety
/// `array` is one that [`dict_or_values`] found.
#[inline(always)]
pub(super) unsafe fn array_parts_mut(array: *mut u8) -> (*mut u8, *mut *mut PyObject, *mut u8) {
    // SAFETY: by the caller; see `array_parts`.
    unsafe {
        if IS_INLINE {
            let values = array.add(8).cast::<*mut PyObject>();
            (array.add(1), values, values.add(array.read().into()).cast())
        } else {
            (array.sub(2), array.cast(), array.sub(3))
        }
    }
}

impl<'a> Attributes<'a> {
    /// The attributes of an instance whose class [`is_plain`] said yes to; `None` if they are kept
    /// in another way.
    #[inline(always)]
    pub(crate) fn of(object: Obj<'a>, _py: &'a Attached) -> Option<Self> {
        // SAFETY: a verified layout. Names and values are alive, and as many as is said, as long as
        // no Python code runs. A table of names has room for all values of the arrays using it.
        unsafe {
            let (dict, array) = dict_or_values(object);
            let (keys, array, used) = if dict.is_null() {
                let keys = (*object.type_ptr().cast::<PyHeapTypeObject>()).ht_cached_keys;
                (keys.cast::<DictKeys>(), array, None)
            } else {
                if Py_TYPE(dict) != &raw mut PyDict_Type {
                    return None;
                }
                let dict = dict.cast::<PyDictObject>();
                let array = (*dict).ma_values.cast::<u8>().cast_const();
                ((*dict).ma_keys.cast(), array, Some((*dict).ma_used as usize))
            };
            if keys.is_null() {
                return None;
            }
            let indices = 1usize << (*keys).log2_index_bytes;
            let entries = keys.byte_add(size_of::<DictKeys>() + indices).cast();
            if array.is_null() {
                let len = (*keys).entries as usize;
                // Not a dict of names only, or one with gaps.
                if (*keys).kind != UNICODE_KEYS || used != Some(len) {
                    return None;
                }
                let (values, order) = (core::ptr::null(), core::ptr::null());
                return Some(Self { entries, values, order, len });
            }
            let (len, values, order) = array_parts(array);
            if (*keys).kind != SPLIT_KEYS || used.is_some_and(|used| used != len) {
                return None;
            }
            Some(Self { entries, values, order, len })
        }
    }

    /// Whether the attributes have these names, in this order.
    #[inline(always)]
    pub(crate) fn has_names(self, names: &[Owned]) -> bool {
        if self.len != names.len() {
            return false;
        }
        for (place, name) in names.iter().enumerate() {
            match self.get(place) {
                Some((found, _)) if found == name.get() => {}
                _ => return false,
            }
        }
        true
    }

    /// The value of the attribute at a place.
    #[inline(always)]
    pub(crate) fn value(self, place: usize) -> Option<Obj<'a>> {
        if place >= self.len {
            return None;
        }
        // SAFETY: one of `len` attributes, see `of`.
        unsafe {
            if self.values.is_null() {
                return self.entries.add(place).cast::<Option<Obj<'a>>>().add(1).read();
            }
            self.values.add(self.place(place)).read()
        }
    }

    /// Where in the values, and in the names, an attribute is.
    ///
    /// # Safety
    /// It is one of `len` attributes, whose values are apart.
    #[inline(always)]
    unsafe fn place(self, place: usize) -> usize {
        // SAFETY: by the caller.
        unsafe {
            let at = if IS_INLINE { self.order.add(place) } else { self.order.sub(place) };
            at.read().into()
        }
    }

    /// The value under an interned name.
    #[inline(always)]
    pub(crate) fn named(self, name: Obj<'_>) -> Option<Obj<'a>> {
        (0..self.len).filter_map(|place| self.get(place)).find(|one| one.0 == name).map(|one| one.1)
    }

    /// How many there are.
    #[inline(always)]
    pub(crate) fn len(self) -> usize {
        self.len
    }

    /// The attribute at a place, its name and its value.
    #[inline(always)]
    pub(crate) fn get(self, place: usize) -> Option<(Obj<'a>, Obj<'a>)> {
        if place >= self.len {
            return None;
        }
        // SAFETY: one of `len` attributes, see `of`.
        unsafe {
            if self.values.is_null() {
                let [name, value] = self.entries.add(place).read();
                return name.zip(value);
            }
            let at = self.place(place);
            let [name, _] = self.entries.add(at).read();
            name.zip(self.values.add(at).read())
        }
    }
}

/// Where instances of the object's type keep the value under an interned name: its place among the
/// names that they share, which never changes. `None` if no instance has had it yet.
pub(super) fn shared_place(object: Obj<'_>, name: Obj<'_>) -> Option<usize> {
    if !is_managed(object) {
        return None;
    }
    // SAFETY: a verified layout; a class whose instances have attributes of this kind is a heap
    // type. Names are never taken out of a shared table, and nobody adds one meanwhile.
    unsafe {
        let keys = (*object.type_ptr().cast::<PyHeapTypeObject>()).ht_cached_keys;
        let keys = keys.cast::<DictKeys>();
        if keys.is_null() || (*keys).kind != SPLIT_KEYS {
            return None;
        }
        let indices = 1usize << (*keys).log2_index_bytes;
        let first = keys.byte_add(size_of::<DictKeys>() + indices).cast::<[*mut PyObject; 2]>();
        let names = core::slice::from_raw_parts(first, (*keys).entries as usize);
        names.iter().position(|entry| entry[0] == name.as_ptr())
    }
}

/// The array of values of an instance of a type for which [`shared_place`] found places; `None` if
/// this one keeps its attributes in another way.
#[inline(always)]
pub(super) fn shared_values(object: Obj<'_>, _py: &Attached) -> Option<*const u8> {
    // SAFETY: as in `shared_place`. An array has room for every name that the table had when the
    // array was made, or has got since.
    unsafe {
        let (dict, array) = dict_or_values(object);
        let array = if dict.is_null() {
            array
        } else {
            let keys = (*object.type_ptr().cast::<PyHeapTypeObject>()).ht_cached_keys;
            if Py_TYPE(dict) != &raw mut PyDict_Type
                || (*dict.cast::<PyDictObject>()).ma_keys != keys.cast()
            {
                return None;
            }
            (*dict.cast::<PyDictObject>()).ma_values.cast::<u8>().cast_const()
        };
        if array.is_null() {
            return None;
        }
        Some(if IS_INLINE { array.add(8) } else { array })
    }
}

/// Whether the instance's `__dict__`, which has just been asked for and is `attributes`, is the
/// dict that [`Attributes`] sees for all instances of its class.
///
/// Then the class finds attributes in the ordinary way and `__dict__` by code in C.
pub(crate) fn is_plain(
    py: &mut Attached,
    object: &Owned,
    attributes: &Owned,
    name: &Owned,
) -> Result<bool, Raised> {
    if !slot::is_ordinary(object.get())
        || dict(object.get(), py).is_none_or(|dict| dict != attributes.get())
    {
        return Ok(false);
    }
    let found = slot::of_type(py, object, name)?;
    Ok(found.is_some_and(|found| found.get().type_ptr() == &raw mut PyGetSetDescr_Type))
}

/// Compares what is seen here with what the C-API says; false if anything differs.
pub(crate) fn verify(py: &Attached) -> Result<bool, Raised> {
    if compat::FREE_THREADED {
        return Ok(false);
    }
    // SAFETY: attached; every result is checked.
    unsafe {
        let class = PyObject_CallFunction(
            (&raw mut PyType_Type).cast(),
            c"s(){}".as_ptr(),
            c"Sample".as_ptr(),
        );
        let class = Owned::take(class)?;
        let instance = Owned::take(PyObject_CallNoArgs(class.as_ptr()))?;
        let set = |name: &core::ffi::CStr, value: *mut PyObject| match PyObject_SetAttrString(
            instance.as_ptr(),
            name.as_ptr(),
            value,
        ) {
            0 => Ok(()),
            _ => Err(Raised),
        };
        let sees = |expected: &[(&core::ffi::CStr, *mut PyObject)]| {
            let Some(seen) = Attributes::of(instance.get(), py) else { return false };
            let same = |(place, &(name, value)): (usize, &(&core::ffi::CStr, *mut PyObject))| {
                seen.get(place).is_some_and(|(seen_name, seen_value)| {
                    seen_value.as_ptr() == value
                        && PyUnicode_CompareWithASCIIString(seen_name.as_ptr(), name.as_ptr()) == 0
                })
            };
            seen.len() == expected.len() && expected.iter().enumerate().all(same)
        };
        if !is_managed(instance.get()) {
            return Ok(false);
        }
        let (one, two, three) = (Py_None(), Py_True(), Py_False());
        for (name, value) in [(c"first", one), (c"second", two), (c"third", three)] {
            set(name, value)?;
        }
        if !sees(&[(c"first", one), (c"second", two), (c"third", three)]) {
            return Ok(false);
        }
        // Deleted and set again, an attribute is the last one.
        set(c"second", core::ptr::null_mut())?;
        set(c"second", one)?;
        let expected = [(c"first", one), (c"third", three), (c"second", one)];
        if !sees(&expected) || dict(instance.get(), py).is_some() {
            return Ok(false);
        }
        let name = c"__dict__".as_ptr();
        let attributes = Owned::take(PyObject_GetAttrString(instance.as_ptr(), name))?;
        if !sees(&expected) || dict(instance.get(), py) != Some(attributes.get()) {
            return Ok(false);
        }
        let replaced = Owned::take(PyDict_New())?;
        for (name, value) in expected.iter().rev() {
            if PyDict_SetItemString(replaced.as_ptr(), name.as_ptr(), *value) != 0 {
                return Err(Raised);
            }
        }
        set(c"__dict__", replaced.as_ptr())?;
        Ok(sees(&[expected[2], expected[1], expected[0]])
            && dict(instance.get(), py) == Some(replaced.get()))
    }
}
