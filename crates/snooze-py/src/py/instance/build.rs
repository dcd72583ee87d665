//! Instances made without calling their class.
//!
//! If a constructor only stores its arguments, which `snooze._typed` checks, an instance is
//! allocated here and its fields are stored in their slots, or set as `object.__setattr__` would.
//! Separate because this depends on layouts: a class is accepted only if allocation alone makes a
//! valid instance. Invariant: all fields are stored before other code has a reference to the
//! instance. Called by typed decoding.

use pyo3_ffi::*;

use crate::py::instance::slot;
use crate::py::instance::slot::Slot;
use crate::py::types::{OwnedType, Type};
use crate::py::{Attached, Owned, Raised, compat, error};

/// A class whose instances can be made without calling it.
#[derive(Debug)]
pub(crate) struct Class {
    class: OwnedType,
    /// Whether instances have a managed `__dict__`, which `object.__new__` sets up.
    has_dict: bool,
}

impl Class {
    /// The class, if allocation makes a valid instance: it is a heap type that inherits
    /// `object.__new__` and the generic allocator, has no items, and is not abstract.
    pub(crate) fn new(class: &Owned) -> Option<Self> {
        let class = Type::any(class.get())?;
        let tp = class.as_ptr().cast::<PyTypeObject>();
        // SAFETY: a live type, because a handle borrows it.
        unsafe {
            let of_object = &raw mut PyBaseObject_Type;
            let allocates = |function: Option<allocfunc>| function.map(|one| one as usize);
            let ordinary: allocfunc = PyType_GenericAlloc;
            let is_plain = (*tp).tp_new.map(|new| new as usize)
                == (*of_object).tp_new.map(|new| new as usize)
                && allocates((*tp).tp_alloc) == Some(ordinary as usize)
                && (*tp).tp_itemsize == 0
                && PyType_GetFlags(tp) & Py_TPFLAGS_HEAPTYPE != 0
                && PyType_GetFlags(tp) & Py_TPFLAGS_IS_ABSTRACT == 0;
            let has_dict = PyType_GetFlags(tp) & Py_TPFLAGS_MANAGED_DICT != 0;
            is_plain.then(|| Self { class: class.to_owned(), has_dict })
        }
    }

    /// The class.
    pub(crate) fn get(&self) -> &Owned {
        self.class.as_owned()
    }

    /// Whether the class has a `__del__`, which would see each instance.
    pub(crate) fn is_finalized(&self) -> bool {
        // SAFETY: a live type, because a handle borrows it.
        unsafe { (*self.class.get().as_ptr().cast::<PyTypeObject>()).tp_finalize.is_some() }
    }

    /// Whether instances have a managed `__dict__`.
    pub(super) fn has_dict(&self) -> bool {
        self.has_dict
    }

    /// The slot that a look-up in instances reads, if it reads one.
    pub(crate) fn slot(&self, py: &mut Attached, name: &Owned) -> Result<Option<Slot>, Raised> {
        slot::slot_of_class(py, self.class.get(), name)
    }

    /// Makes an instance without attributes.
    #[inline(always)]
    pub(crate) fn instance(&self, _py: &Attached) -> Result<FreshInstance, Raised> {
        let tp = self.class.get().as_ptr().cast();
        // SAFETY: attached, because there is a witness; a class that inherits `object.__new__` and
        // the generic allocator, because `new` checked it; the result is checked.
        unsafe {
            let of_object = &raw mut PyBaseObject_Type;
            let instance = match (*of_object).tp_new {
                Some(new) if self.has_dict => {
                    let nothing = Owned::take(PyTuple_New(0))?;
                    new(tp, nothing.as_ptr(), core::ptr::null_mut())
                }
                _ => PyType_GenericAlloc(tp, 0),
            };
            Ok(FreshInstance(Owned::take(instance)?))
        }
    }
}

/// A class whose instances consist of a header and one slot for each field.
///
/// PERF: no memory is zeroed and no slot checked before the fields are stored.
#[derive(Debug)]
pub(crate) struct SlotsOnly {
    class: Owned,
    /// The slot of each field.
    slots: Vec<Slot>,
    /// Whether the cyclic collector does not track instances.
    hidden: bool,
}

impl SlotsOnly {
    /// The class.
    pub(crate) fn class(&self) -> &Owned {
        &self.class
    }

    /// The class, if its instances have these slots and nothing else; `None` in place of a slot
    /// means that the field is not in one.
    pub(crate) fn new(
        class: &Class,
        slots: &[Option<Slot>],
        hidden: bool,
    ) -> Result<Option<Self>, Raised> {
        let mut offsets = Vec::new();
        offsets.try_reserve_exact(slots.len()).map_err(|_| error::no_memory())?;
        offsets.extend(slots.iter().flatten().map(|slot| slot.offset()));
        offsets.sort_unstable();
        let (head, word) = (size_of::<PyObject>(), size_of::<usize>());
        let is_dense = offsets.len() == slots.len()
            && !offsets.is_empty()
            && offsets.iter().enumerate().all(|(index, &offset)| offset == head + index * word);
        // SAFETY: a live type, because a handle borrows it.
        let (size, flags) = unsafe {
            let tp = class.class.get().as_ptr().cast::<PyTypeObject>();
            ((*tp).tp_basicsize as usize, PyType_GetFlags(tp))
        };
        if compat::FREE_THREADED
            || !is_dense
            || class.has_dict
            || size != head + slots.len() * word
            || flags & Py_TPFLAGS_HAVE_GC == 0
        {
            return Ok(None);
        }
        let mut kept = Vec::new();
        kept.try_reserve_exact(slots.len()).map_err(|_| error::no_memory())?;
        kept.extend(slots.iter().flatten().copied());
        Ok(Some(Self { class: class.get().clone(), slots: kept, hidden }))
    }

    /// Makes an instance of the values from `start` on, one for each slot, and removes them from
    /// the stack. The attribute of a missing value is not set.
    #[inline(always)]
    pub(crate) fn instance(
        &self,
        _py: &Attached,
        values: &mut Vec<Option<Owned>>,
        start: usize,
    ) -> Result<Owned, Raised> {
        if values.len() - start != self.slots.len() {
            return Err(error::runtime_error(c"a field of a class is missing"));
        }
        // SAFETY: attached, because there is a witness; the result is checked. All memory behind
        // the header is initialised, because `new` checked that it consists of the slots, and each
        // is written before the collector or other code can see the instance; null means not set.
        // The instance owns the references, because an `Option<Owned>` is one pointer and `set_len`
        // removes them from the stack. The collector may ignore the instance, for the reasons in
        // `hide`.
        unsafe {
            let instance =
                Owned::take(PyObject_GC_New::<PyObject>(self.class.as_ptr().cast()).cast())?;
            let given = values.as_ptr().add(start).cast::<*mut PyObject>();
            for (index, slot) in self.slots.iter().enumerate() {
                let value = given.add(index).read();
                instance.as_ptr().byte_add(slot.offset()).cast::<*mut PyObject>().write(value);
            }
            values.set_len(start);
            if !self.hidden {
                PyObject_GC_Track(instance.as_ptr().cast());
            }
            Ok(instance)
        }
    }
}

/// Hides an instance from the cyclic collector, if its type is exactly `class` and it has no other
/// reference.
///
/// A constructor may return anything, also an instance that other code refers to and that may need
/// the collector.
pub(crate) fn hide(_py: &Attached, class: &Owned, made: &Owned) {
    let tp = class.as_ptr().cast::<PyTypeObject>();
    // SAFETY: live objects, because both are owned; `class` is a type when its flags are read,
    // because it equals the type of an object. The object has the collector's words before it,
    // because its type has that flag. The collector may ignore an object, because it then treats
    // the object's references as references from outside; `subtype_dealloc` checks whether an
    // object is tracked. On free-threaded builds no other thread changes the collector's bits of
    // the object meanwhile, because `made` is its only reference.
    unsafe {
        if Py_TYPE(made.as_ptr()) == tp
            && Py_REFCNT(made.as_ptr()) == 1
            && PyType_GetFlags(tp) & Py_TPFLAGS_HAVE_GC != 0
        {
            PyObject_GC_UnTrack(made.as_ptr().cast());
        }
    }
}

/// A new instance to which no other code has a reference.
#[derive(Debug)]
pub(crate) struct FreshInstance(Owned);

impl FreshInstance {
    /// Stores a value in an unset slot of the instance's class.
    #[inline(always)]
    pub(crate) fn store(&self, slot: Slot, value: Owned) {
        // SAFETY: a slot of this instance, because callers pass one that `Class::slot` found for
        // its class; null, because each slot is stored once; no other code has the instance.
        unsafe {
            let target = self.0.as_ptr().byte_add(slot.offset()).cast::<*mut PyObject>();
            debug_assert!(target.read().is_null());
            target.write(value.into_ptr());
        }
    }

    /// `object.__setattr__(instance, name, value)`.
    #[inline(always)]
    pub(crate) fn set(
        &self,
        _py: &mut Attached,
        name: &Owned,
        value: &Owned,
    ) -> Result<(), Raised> {
        // SAFETY: live objects, because all are owned; the result is checked.
        match unsafe { PyObject_GenericSetAttr(self.0.as_ptr(), name.as_ptr(), value.as_ptr()) } {
            0 => Ok(()),
            _ => Err(Raised),
        }
    }

    /// Returns the instance, which is complete now.
    #[inline(always)]
    pub(crate) fn finish(self) -> Owned {
        self.0
    }
}
