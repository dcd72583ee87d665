//! Instances made without their constructor.
//!
//! For classes whose constructor does nothing but store its arguments (`snooze._typed` has seen to
//! that), an instance is allocated and its fields are stored where their slots are, or set as
//! `object.__setattr__` would. Separate because what makes this sound is a matter of layouts: a
//! class is only taken if its instances need no more than to be allocated. Invariant: nobody sees
//! an instance before all its fields are stored.

use pyo3_ffi::*;

use crate::py::instance::slot;
use crate::py::instance::slot::Slot;
use crate::py::{Attached, Owned, Raised, compat, error};

/// A class whose instances may be made here.
#[derive(Debug)]
pub(crate) struct Class {
    class: Owned,
    /// Whether the interpreter sets up the attributes of an instance behind its allocation.
    has_dict: bool,
}

impl Class {
    /// The class, if an instance needs nothing but to be allocated: it is made by
    /// `object.__new__`, from the collector's or the ordinary memory, and is not abstract.
    pub(crate) fn new(class: &Owned) -> Option<Self> {
        // SAFETY: a live object; it is looked at as a type once it is known to be one.
        unsafe {
            if PyType_Check(class.as_ptr()) == 0 {
                return None;
            }
            let tp = class.as_ptr().cast::<PyTypeObject>();
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
            is_plain.then(|| Self { class: class.clone(), has_dict })
        }
    }

    /// The class.
    pub(crate) fn get(&self) -> &Owned {
        &self.class
    }

    /// Whether Python code sees each instance that is released.
    pub(super) fn is_finalized(&self) -> bool {
        // SAFETY: a live type.
        unsafe { (*self.class.as_ptr().cast::<PyTypeObject>()).tp_finalize.is_some() }
    }

    /// Whether instances keep attributes as those of ordinary classes do.
    pub(super) fn has_dict(&self) -> bool {
        self.has_dict
    }

    /// Where instances keep the attribute of that name, if it is a slot.
    pub(crate) fn slot(&self, py: &mut Attached, name: &Owned) -> Result<Option<Slot>, Raised> {
        slot::slot_of_class(py, &self.class, name)
    }

    /// A new instance, none of whose attributes is set.
    #[inline(always)]
    pub(crate) fn instance(&self, _py: &Attached) -> Result<FreshInstance, Raised> {
        let tp = self.class.as_ptr().cast();
        // SAFETY: attached; a class that `new` has taken. `object.__new__` takes no arguments.
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

/// A class whose instances consist of nothing but their head and the slots of some fields.
///
/// PERF: nothing has to be zeroed, and nothing checked, before the fields are stored.
#[derive(Debug)]
pub(crate) struct SlotsOnly {
    class: Owned,
    /// Where each field is stored.
    slots: Vec<Slot>,
    /// Whether instances are hidden from the collector.
    hidden: bool,
}

impl SlotsOnly {
    /// The class.
    pub(crate) fn class(&self) -> &Owned {
        &self.class
    }

    /// The class, if these slots are all that its instances have.
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
            && offsets.iter().enumerate().all(|(place, &offset)| offset == head + place * word);
        // SAFETY: a live type, which `Class::new` has looked at.
        let (size, flags) = unsafe {
            let tp = class.class.as_ptr().cast::<PyTypeObject>();
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
        Ok(Some(Self { class: class.class.clone(), slots: kept, hidden }))
    }

    /// An instance of the values from `start` on, which leave the stack: one for each slot.
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
        // SAFETY: attached; the result is checked. Every word behind the head of a new instance is
        // one of the slots, all of which are set before the collector or anybody else sees it; null
        // is an attribute that is not set. An `Option<Owned>` is one pointer, and those moved are no
        // longer the stack's. One that is not shown to the collector is one that `hide` was called
        // with.
        unsafe {
            let instance =
                Owned::take(PyObject_GC_New::<PyObject>(self.class.as_ptr().cast()).cast())?;
            let given = values.as_ptr().add(start).cast::<*mut PyObject>();
            for (place, slot) in self.slots.iter().enumerate() {
                let value = given.add(place).read();
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

/// Hides an instance from the cyclic collector, if it is one of the class itself and new.
///
/// What a constructor returns need not be: it may be anything, or an instance that others have too,
/// who may need the collector for it.
pub(crate) fn hide(_py: &Attached, class: &Owned, made: &Owned) {
    let tp = class.as_ptr().cast::<PyTypeObject>();
    // SAFETY: live objects; the type of an object is a type, so only a type is asked for its flags.
    // An object of a type with that flag has the collector's words before it. The collector does
    // without objects that it does not know: what they refer to then has a reference from outside,
    // and is kept. Whoever releases one may not know whether it is tracked, so the interpreter
    // asks (`subtype_dealloc`). Without the GIL the collector's bits of an object are read and
    // written back: no other thread does so now, as `made` is the only reference.
    unsafe {
        if Py_TYPE(made.as_ptr()) == tp
            && Py_REFCNT(made.as_ptr()) == 1
            && PyType_GetFlags(tp) & Py_TPFLAGS_HAVE_GC != 0
        {
            PyObject_GC_UnTrack(made.as_ptr().cast());
        }
    }
}

/// An instance that nobody has seen.
#[derive(Debug)]
pub(crate) struct FreshInstance(Owned);

impl FreshInstance {
    /// Stores a value in a slot of the instance's class that has none yet.
    #[inline(always)]
    pub(crate) fn store(&self, slot: Slot, value: Owned) {
        // SAFETY: `slot_of_class` has found the slot for the class of which this is an instance,
        // and nobody else has the instance. The place is null: each is stored once.
        unsafe {
            let place = self.0.as_ptr().byte_add(slot.offset()).cast::<*mut PyObject>();
            debug_assert!(place.read().is_null());
            place.write(value.into_ptr());
        }
    }

    /// Sets an attribute as `object.__setattr__` does.
    #[inline(always)]
    pub(crate) fn set(
        &self,
        _py: &mut Attached,
        name: &Owned,
        value: &Owned,
    ) -> Result<(), Raised> {
        // SAFETY: live objects; the result is checked.
        match unsafe { PyObject_GenericSetAttr(self.0.as_ptr(), name.as_ptr(), value.as_ptr()) } {
            0 => Ok(()),
            _ => Err(Raised),
        }
    }

    /// The complete instance.
    #[inline(always)]
    pub(crate) fn finish(self) -> Owned {
        self.0
    }
}
