//! The types `DecoderBase` and `EncoderBase`: how CPython makes, traverses and releases a codec.
//!
//! Both are made by one generic set of slots and differ in the plan and in the methods (see
//! `decoder` and `encoder`). Python subclasses them (`snooze.Decoder`, `snooze.Encoder`), keeps type
//! and options, and gives the plan's description to `_compile`: when the codec is made, or when the
//! plan is first needed (`_prepare`). Invariants: those of `py::codec`.

use core::cell::Cell;
use core::ffi::{CStr, c_int, c_void};
use core::ptr::null_mut;
use std::sync::OnceLock;

use pyo3_ffi::*;

use crate::module::cell;
use crate::module::state::State;
use crate::py::codec::{Codec, CodecType};
use crate::py::compat::FREE_THREADED;
use crate::py::{Attached, Obj, Owned, Raised, error};
use crate::runtime::Runtime;

/// What a codec holds.
pub(super) trait Plan: Sized {
    /// Reads the description, which is what `_compile` was given.
    fn compile(py: &mut Attached, runtime: &Runtime, description: &Owned) -> Result<Self, Raised>;

    /// Shows every object that the plan owns, for the cyclic collector.
    fn visit(&self, see: &mut dyn FnMut(&Owned));

    /// Drops what the plan can do without, if that may lead back to it.
    fn clear(&self) {}
}

/// Makes an instance without a plan; null with an exception if that fails.
///
/// # Safety
/// `class` is the type that [`new_type`] made for `P`, or a subclass of it. `module` is the one that
/// the type belongs to, or null with an exception set.
pub(super) unsafe fn construct<P>(
    class: *mut PyTypeObject,
    module: *mut PyObject,
) -> *mut PyObject {
    // SAFETY: by the caller. The instance's memory is zeroed and as large as `Codec<P>`; all of its
    // fields are set before it is returned.
    unsafe {
        if module.is_null() {
            return null_mut();
        }
        let Some(state) = cell::state(module) else {
            error::runtime_error(c"the module snooze._snooze is not initialised");
            return null_mut();
        };
        let Some(allocate) = (*class).tp_alloc else {
            error::runtime_error(c"the type cannot be instantiated");
            return null_mut();
        };
        let instance = allocate(class, 0);
        if !instance.is_null() {
            let codec = instance.cast::<Codec<P>>();
            (&raw mut (*codec).plan).write(OnceLock::new());
            (&raw mut (*codec).users).write(Cell::new(0));
            (&raw mut (*codec).context).write((&raw const *state).cast());
            // The last one: by it the others are known to be there.
            (&raw mut (*codec).module).write(Py_NewRef(module));
        }
        instance
    }
}

unsafe extern "C" fn dealloc<P: Plan>(instance: *mut PyObject) {
    // SAFETY: called by the interpreter for the last reference. A heap type is released after its
    // instance. The plan may be absent, but the field is always initialised once `module` is.
    unsafe {
        PyObject_GC_UnTrack(instance.cast());
        let class = Py_TYPE(instance);
        let codec = instance.cast::<Codec<P>>();
        if !(*codec).module.is_null() {
            core::ptr::drop_in_place(&raw mut (*codec).plan);
            Py_DECREF((*codec).module);
        }
        if let Some(free) = (*class).tp_free {
            free(instance.cast());
        }
        Py_DECREF(class.cast());
    }
}

unsafe extern "C" fn traverse<P: Plan>(
    instance: *mut PyObject,
    visit: visitproc,
    argument: *mut c_void,
) -> c_int {
    // SAFETY: called by the collector, while nobody else uses the object; its own function and
    // argument. An instance under construction has no module yet, and nothing else.
    unsafe {
        let codec = instance.cast::<Codec<P>>();
        let mut result = visit(Py_TYPE(instance).cast(), argument);
        if (*codec).module.is_null() || result != 0 {
            return result;
        }
        result = visit((*codec).module, argument);
        if result == 0
            && let Some(plan) = (*codec).plan.get()
        {
            plan.visit(&mut |object| {
                if result == 0 {
                    result = visit(object.as_ptr(), argument);
                }
            });
        }
        result
    }
}

unsafe extern "C" fn clear<P: Plan>(instance: *mut PyObject) -> c_int {
    // SAFETY: called by the collector for an object that nobody could reach. What it has cleared
    // before may have run Python code that calls this one all the same, perhaps on another thread:
    // so a plan in use stays, and so do all plans where nothing orders the two. A plan has left the
    // object when it is dropped, which may run finalisers: a call of theirs makes a new one.
    unsafe {
        let codec = instance.cast::<Codec<P>>();
        if (*codec).module.is_null() {
            return 0;
        }
        if let Some(plan) = (*codec).plan.get() {
            plan.clear();
        }
        if !FREE_THREADED && (*codec).users.get() == 0 {
            drop((*codec).plan.take());
        }
    }
    0
}

/// The state of the module that a codec belongs to.
///
/// # Safety
/// As for [`Codec::of`].
#[inline(always)]
pub(super) unsafe fn state_of<'a, P>(this: *mut PyObject) -> &'a State {
    // SAFETY: by the caller; `new` has set the context to the state of the module, which the codec
    // keeps alive.
    unsafe { &*Codec::<P>::of(this).context.cast() }
}

/// The docstring of `_compile`.
pub(super) const COMPILE_DOC: &CStr =
    c"_compile($self, description, /)\n--\n\nSet the plan, if there is none yet.";

/// `_compile(description)`: sets the plan, if there is none yet.
pub(super) unsafe extern "C" fn compile<P: Plan>(
    this: *mut PyObject,
    description: *mut PyObject,
) -> *mut PyObject {
    // SAFETY: called by the interpreter with an instance of ours and an argument, both borrowed
    // for the whole call.
    unsafe {
        let mut py = Attached::assume();
        let (codec, state) = (Codec::<P>::of(this), state_of::<P>(this));
        let Some(description) = Obj::from_ptr(description) else {
            return null_mut();
        };
        if codec.plan.get().is_none() {
            match P::compile(&mut py, &state.runtime, &description.to_owned()) {
                // Another thread may have been faster: one plan is as good as the other.
                Ok(plan) => drop(codec.plan.set(plan)),
                Err(Raised) => return null_mut(),
            }
        }
        Py_NewRef(Py_None())
    }
}

/// A method that takes one argument.
pub(super) const fn method(
    name: &'static CStr,
    function: PyCFunction,
    doc: &'static CStr,
) -> PyMethodDef {
    PyMethodDef {
        ml_name: name.as_ptr(),
        ml_meth: PyMethodDefPointer { PyCFunction: function },
        ml_flags: METH_O,
        ml_doc: doc.as_ptr(),
    }
}

/// Makes the type whose instances are [`Codec`]s of `P`, which `new` constructs. The methods end with
/// a zeroed one and live as long as the process.
pub(super) fn new_type<P: Plan>(
    module: *mut PyObject,
    name: &'static CStr,
    doc: &'static CStr,
    methods: *mut PyMethodDef,
    new: newfunc,
) -> Result<CodecType<P>, Raised> {
    let mut slots = [
        PyType_Slot { slot: Py_tp_new, pfunc: new as *mut c_void },
        PyType_Slot { slot: Py_tp_dealloc, pfunc: dealloc::<P> as *mut c_void },
        PyType_Slot { slot: Py_tp_traverse, pfunc: traverse::<P> as *mut c_void },
        PyType_Slot { slot: Py_tp_clear, pfunc: clear::<P> as *mut c_void },
        PyType_Slot { slot: Py_tp_methods, pfunc: methods.cast() },
        PyType_Slot { slot: Py_tp_doc, pfunc: doc.as_ptr().cast_mut().cast() },
        PyType_Slot::default(),
    ];
    let flags =
        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE;
    let mut spec = PyType_Spec {
        name: name.as_ptr(),
        basicsize: size_of::<Codec<P>>() as c_int,
        itemsize: 0,
        flags: flags as _,
        slots: slots.as_mut_ptr(),
    };
    // SAFETY: attached; the specification is complete and is copied by the call. `new` lays instances
    // out as `Codec<P>`.
    unsafe {
        let class = Owned::take(PyType_FromModuleAndSpec(module, &mut spec, null_mut()))?;
        Ok(CodecType::assume(class))
    }
}

/// Method definitions, ended by a zeroed one; the interpreter never writes to them.
#[repr(transparent)]
pub(super) struct Methods<const N: usize>(pub(super) [PyMethodDef; N]);

// SAFETY: read only, and the strings and functions it points to live as long as the process.
unsafe impl<const N: usize> Sync for Methods<N> {}

/// The pointer that CPython expects: null if an exception is set.
#[inline(always)]
pub(super) fn returned(result: Result<Owned, Raised>) -> *mut PyObject {
    result.map_or(null_mut(), Owned::into_ptr)
}
