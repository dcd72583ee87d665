//! The attributes of an instance, read from the interpreter's private layout.
//!
//! An instance of an ordinary class has its attributes in an array of values, whose names are in
//! the class's shared keys, or in a dict that it got when code read its `__dict__`. Reading them in
//! place neither makes that dict nor looks a name up. Separate from `layout`, which reads by
//! offset, and `inline_values`, which writes. Invariant: used only if `verify::verify_instances`
//! found that this file agrees with the C-API. Called by encoding and the rest of `instance`.

use pyo3_ffi::*;

use crate::py::compat::{INSTANCE_LAYOUT, InstanceLayout};
use crate::py::instance::slot;
use crate::py::layout::{DictKeys, UNICODE_KEYS};
use crate::py::{Attached, Obj, Owned, Raised, compat};

const IS_INLINE: bool = matches!(INSTANCE_LAYOUT, InstanceLayout::Inline);

/// [`DictKeys::kind`] for the shared keys of a class.
pub(super) const SPLIT_KEYS: u8 = 2;

/// The attributes of an instance, in the order in which they were set.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Attributes<'a> {
    /// Pairs of a name and a value, which is null if the values are in an array.
    entries: *const [Option<Obj<'a>>; 2],
    /// The array of values; null if `entries` has the values.
    values: *const Option<Obj<'a>>,
    /// The index of each value, in the order in which the attributes were set.
    order: *const u8,
    len: usize,
}

/// Whether the interpreter manages the `__dict__` of instances of the object's type, so that they
/// may have an array of values.
pub(super) fn is_managed(object: Obj<'_>) -> bool {
    // SAFETY: a live type, because a live object keeps its type.
    !compat::FREE_THREADED
        && unsafe { PyType_GetFlags(object.type_ptr()) } & Py_TPFLAGS_MANAGED_DICT != 0
}

/// The dict and the array of values of an instance; null for the one it does not have.
///
/// # Safety
/// The type of the instance [`is_managed`], and the layout is verified or being verified.
#[inline(always)]
pub(super) unsafe fn dict_or_values(object: Obj<'_>) -> (*mut PyObject, *const u8) {
    // SAFETY: the words read are allocated, because a managed instance has two words before the two
    // of the collector (3.11: values and dict; later: weak references and dict), and classes with a
    // managed dict have the collector's; the array is behind the instance, because the type's flags
    // say so.
    unsafe {
        let words = object.as_ptr().cast::<*mut PyObject>();
        let word = words.sub(3).read();
        match INSTANCE_LAYOUT {
            InstanceLayout::TwoWords => (word, words.sub(4).read().cast()),
            // A word with the lowest bit set is the array's address minus one.
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
                // The fourth byte of the array is 0 if it is not in use.
                let values = object.as_ptr().cast::<u8>().offset((*tp).tp_basicsize);
                let in_use = word.is_null() && values.add(3).read() != 0;
                (word, if in_use { values } else { core::ptr::null() })
            }
        }
    }
}

/// The current dict of an instance, if it has one.
pub(super) fn dict<'a>(object: Obj<'a>, _py: &'a Attached) -> Option<Obj<'a>> {
    if !is_managed(object) {
        return None;
    }
    // SAFETY: a managed type, because that is checked; a verified layout, because only callers in a
    // verified runtime, and `verify`, get here.
    unsafe { Obj::from_ptr(dict_or_values(object).0) }
}

/// The number of values in an array, the values, and their order.
///
/// # Safety
/// `array` is the array of values of an instance or of its dict.
#[inline(always)]
unsafe fn array_parts<'a>(array: *const u8) -> (usize, *const Option<Obj<'a>>, *const u8) {
    // SAFETY: inside the array, because the caller passes one, and because of its layout in the two
    // cases below.
    unsafe {
        if IS_INLINE {
            // Capacity, count and two flags in one byte each; the values at offset 8; then the
            // order.
            let values = array.add(8).cast::<Option<Obj<'a>>>();
            (array.add(1).read().into(), values, values.add(array.read().into()).cast())
        } else {
            // Before the values, downwards: a size, a count and the order, in one byte each.
            (array.sub(2).read().into(), array.cast(), array.sub(3))
        }
    }
}

/// The step from one byte of the order to the next.
pub(super) const ORDER_STEP: isize = if IS_INLINE { 1 } else { -1 };

/// Pointers to an array's count, its values, and the first byte of their order.
///
/// # Safety
/// `array` is the array of values of an instance.
#[inline(always)]
pub(super) unsafe fn array_parts_mut(array: *mut u8) -> (*mut u8, *mut *mut PyObject, *mut u8) {
    // SAFETY: inside the array, because the caller passes one; the layout is as in `array_parts`.
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
    /// The attributes of an instance whose class [`is_plain`]; `None` if this instance stores them
    /// in another way.
    #[inline(always)]
    pub(crate) fn of(object: Obj<'a>, _py: &'a Attached) -> Option<Self> {
        // SAFETY: a managed type, because `is_plain` found its dict by `dict_or_values`, or because
        // `Layout::find` checked it for the type's version tag; a verified
        // layout, because callers read attributes in place only then. The entries are inside the
        // keys object, because its header counts them, and every index of the order is one of an
        // entry. All are live for `'a`, because the witness is borrowed, so that no Python code
        // runs.
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
            let entries = DictKeys::first_entry(keys);
            if array.is_null() {
                let len = (*keys).entries as usize;
                // Keys that are not strings, or gaps left by deletions.
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
        for (index, name) in names.iter().enumerate() {
            match self.get(index) {
                Some((found, _)) if found == name.get() => {}
                _ => return false,
            }
        }
        true
    }

    /// The value of the attribute that was set as number `index`, counted from zero.
    #[inline(always)]
    pub(crate) fn value(self, index: usize) -> Option<Obj<'a>> {
        if index >= self.len {
            return None;
        }
        // SAFETY: one of `len` attributes, because that is checked; `of` found them readable.
        unsafe {
            if self.values.is_null() {
                return self.entries.add(index).cast::<Option<Obj<'a>>>().add(1).read();
            }
            self.values.add(self.value_index(index)).read()
        }
    }

    /// The index of an attribute in the array of values and in the shared keys.
    ///
    /// # Safety
    /// `index` is below `len`, and the values are in an array.
    #[inline(always)]
    unsafe fn value_index(self, index: usize) -> usize {
        // SAFETY: inside the order, because the caller says so.
        unsafe {
            let at = if IS_INLINE { self.order.add(index) } else { self.order.sub(index) };
            at.read().into()
        }
    }

    /// The value under an interned name.
    #[inline(always)]
    pub(crate) fn named(self, name: Obj<'_>) -> Option<Obj<'a>> {
        self.named_from(name, 0)
    }

    /// The same, looking first at the attribute number `start` and those after it.
    #[inline(never)]
    pub(crate) fn named_from(self, name: Obj<'_>, start: usize) -> Option<Obj<'a>> {
        (start..self.len)
            .chain(0..start)
            .filter_map(|index| self.get(index))
            .find(|one| one.0 == name)
            .map(|one| one.1)
    }

    /// The number of attributes.
    #[inline(always)]
    pub(crate) fn len(self) -> usize {
        self.len
    }

    /// Name and value of the attribute that was set as number `index`, counted from zero.
    #[inline(always)]
    pub(crate) fn get(self, index: usize) -> Option<(Obj<'a>, Obj<'a>)> {
        if index >= self.len {
            return None;
        }
        // SAFETY: one of `len` attributes, because that is checked; `of` found them readable.
        unsafe {
            if self.values.is_null() {
                let [name, value] = self.entries.add(index).read();
                return name.zip(value);
            }
            let at = self.value_index(index);
            let [name, _] = self.entries.add(at).read();
            name.zip(self.values.add(at).read())
        }
    }
}

/// The index of an interned name in the shared keys of the object's type, which never changes;
/// `None` if no instance has had that attribute yet.
pub(super) fn shared_index(object: Obj<'_>, name: Obj<'_>) -> Option<usize> {
    if !is_managed(object) {
        return None;
    }
    // SAFETY: a heap type, because only heap types are managed; a verified layout, because callers
    // find offsets only then. The entries are inside the keys object, because its header counts
    // them, and names are never removed from shared keys.
    unsafe {
        let keys = (*object.type_ptr().cast::<PyHeapTypeObject>()).ht_cached_keys;
        let keys = keys.cast::<DictKeys>();
        if keys.is_null() || (*keys).kind != SPLIT_KEYS {
            return None;
        }
        let first = DictKeys::first_entry::<[*mut PyObject; 2]>(keys);
        let names = core::slice::from_raw_parts(first, (*keys).entries as usize);
        names.iter().position(|entry| entry[0] == name.as_ptr())
    }
}

/// The values of an instance of a type for which [`shared_index`] found indices; `None` if this
/// instance stores its attributes in another way.
#[inline(always)]
pub(super) fn shared_values(object: Obj<'_>, _py: &Attached) -> Option<*const u8> {
    // SAFETY: as in `shared_index`. The array has room for every index, because the interpreter
    // makes it as large as the shared keys can become.
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

/// Whether instances of an object's class may be read by [`Attributes`]: the class has the generic
/// attribute look-up and the interpreter's own `__dict__`.
///
/// `attributes` is the object's `__dict__`, which the caller has just read under `name`.
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

/// Compares this file's view of an instance with the C-API's; false if anything differs.
pub(crate) fn verify(py: &Attached) -> Result<bool, Raised> {
    if compat::FREE_THREADED {
        return Ok(false);
    }
    // SAFETY: attached, because there is a witness; the format matches the arguments, because it is
    // written beside them; every result is checked.
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
            let same = |(index, &(name, value)): (usize, &(&core::ffi::CStr, *mut PyObject))| {
                seen.get(index).is_some_and(|(seen_name, seen_value)| {
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
        // An attribute that is deleted and set again becomes the last one.
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
