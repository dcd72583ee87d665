//! The types `DecoderBase`, `EncoderBase` and `ConverterBase`: construction, garbage collection and
//! deallocation.
//!
//! Separate from `decoder`, `encoder` and `converter`, because one generic set of slots serves the
//! three types, which differ in the plan and in the methods. Python subclasses them as
//! `snooze.Decoder`, `snooze.Encoder` and `snooze.Converter`, which keep the type and the options
//! and pass a description of the plan to `_compile`: on construction, or from `_prepare` when the
//! plan is first needed. Invariants: those of `py::codec`, which has the memory layout. Called by
//! CPython.

use core::cell::Cell;
use core::ffi::{CStr, c_int, c_void};
use core::ptr::null_mut;
use std::sync::OnceLock;

use pyo3_ffi::*;

use crate::module::cell::{not_initialised, state_of};
use crate::module::state::State;
use crate::py::codec::{Codec, CodecType};
use crate::py::compat::FREE_THREADED;
use crate::py::{Attached, Obj, Owned, Raised, error};
use crate::runtime::Runtime;

/// The plan that a codec holds: how to decode or to encode one type.
pub(super) trait Plan: Sized {
    /// Makes the plan from the description that `_compile` received.
    fn compile(py: &mut Attached, runtime: &Runtime, description: &Owned) -> Result<Self, Raised>;

    /// Calls `see` for each object that the plan owns, for the cyclic garbage collector.
    fn visit(&self, see: &mut dyn FnMut(&Owned));

    /// Drops references that the plan can do without and that may be part of a cycle.
    fn clear(&self) {}
}

/// Makes an instance without a plan; returns null with an exception if that fails.
///
/// # Safety
/// `class` is the type that [`new_type`] made for `P`, or a subclass of it. `module` is the module
/// instance that made the type, or null with an exception set.
pub(super) unsafe fn construct<P>(
    class: *mut PyTypeObject,
    module: *mut PyObject,
) -> *mut PyObject {
    // SAFETY: the instance has zeroed memory for a `Codec<P>`, because the type's `basicsize` says
    // so. Each field is valid when the instance is returned, because all are set here. The pointer
    // to the state stays valid, because the instance keeps the module alive.
    unsafe {
        if module.is_null() {
            return null_mut();
        }
        let Some(state) = state_of::<false>(module) else {
            not_initialised();
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
            // Set last: `traverse` and `dealloc` take it as the sign that the other fields are set.
            (&raw mut (*codec).module).write(Py_NewRef(module));
        }
        instance
    }
}

/// Releases an instance.
unsafe extern "C" fn dealloc<P: Plan>(instance: *mut PyObject) {
    // SAFETY: nothing else uses the instance, because CPython calls this function when the last
    // reference is gone. `plan` is initialised if `module` is set, because `construct` sets
    // `module` last. The type is released once and last, because an instance of a heap type owns a
    // reference to its type.
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

/// Visits the type, the module and the objects that the plan owns.
unsafe extern "C" fn traverse<P: Plan>(
    instance: *mut PyObject,
    visit: visitproc,
    argument: *mut c_void,
) -> c_int {
    // SAFETY: `visit` accepts any live object and `argument`, because the collector passed both.
    // `plan` is initialised if `module` is set, because `construct` sets `module` last. The plan is
    // not changed meanwhile, because no other code runs during a traversal.
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

/// Drops the plan of an unreachable instance, unless a call is using it.
///
/// The collector has cleared other objects before, whose finalisers may have reached this instance
/// and called it, perhaps in another thread. A plan in use therefore stays, and without a GIL,
/// where users are not counted, every plan stays. Dropping a plan may run finalisers as well; a
/// call of theirs finds the instance without a plan and compiles a new one.
unsafe extern "C" fn clear<P: Plan>(instance: *mut PyObject) -> c_int {
    // SAFETY: `plan` and `users` are initialised, because `construct` sets `module` last. No
    // reference to the plan exists when it is taken, because `users` is zero and the GIL is held.
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

/// The state of the module instance that made a codec's type.
///
/// # Safety
/// As for [`Codec::of`].
#[inline(always)]
pub(super) unsafe fn codec_state<'a, P>(this: *mut PyObject) -> &'a State {
    // SAFETY: `context` points to a `State`, because `construct` set it to that of the module, and
    // the state is live, because the codec keeps the module alive.
    unsafe { &*Codec::<P>::of(this).context.cast() }
}

/// `_compile(description)`: sets the plan unless there is one already.
pub(super) unsafe extern "C" fn compile<P: Plan>(
    this: *mut PyObject,
    description: *mut PyObject,
) -> *mut PyObject {
    // SAFETY: `this` is a `Codec<P>`, because only the type made for `P` has this method. Both
    // arguments are borrowed for the whole call and the thread is attached, because CPython calls.
    unsafe {
        let mut py = Attached::assume();
        let (codec, state) = (Codec::<P>::of(this), codec_state::<P>(this));
        let Some(description) = Obj::from_ptr(description) else {
            return null_mut();
        };
        if codec.plan.get().is_none() {
            match P::compile(&mut py, &state.runtime, &description.to_owned()) {
                // Another thread, or code that compiling ran, may have set an equal plan meanwhile.
                Ok(plan) => drop(codec.plan.set(plan)),
                Err(Raised) => return null_mut(),
            }
        }
        Py_NewRef(Py_None())
    }
}

/// The definition of a method with one argument.
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

/// Makes a type whose instances are [`Codec`]s of `P`. `new` constructs them with [`construct`];
/// `methods` is static and ends with a zeroed definition.
pub(super) fn new_type<P: Plan>(
    module: *mut PyObject,
    name: &'static CStr,
    doc: &'static CStr,
    methods: *mut PyMethodDef,
    new: newfunc,
) -> Result<CodecType<P>, Raised> {
    // CPython aligns what it allocates for two pointers.
    const { assert!(align_of::<Codec<P>>() <= 2 * size_of::<usize>()) };
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
    // SAFETY: the thread is attached, because only `init` calls this. The specification is
    // complete, and CPython copies it except for the methods, which are static. Instances are laid
    // out as `Codec<P>`, because `basicsize` is its size and `new` constructs them for `P`.
    unsafe {
        let class = Owned::take(PyType_FromModuleAndSpec(module, &mut spec, null_mut()))?;
        Ok(CodecType::assume(class))
    }
}

/// Definitions of methods; the last one is zeroed.
#[repr(transparent)]
pub(super) struct Methods<const N: usize>(pub(super) [PyMethodDef; N]);

// SAFETY: sharing them between threads is sound, because nothing writes to them: CPython only reads
// method definitions, and the strings and functions in them are static.
unsafe impl<const N: usize> Sync for Methods<N> {}

/// The value to return to CPython: a new reference, or null if an exception is set.
#[inline(always)]
pub(super) fn return_value(result: Result<Owned, Raised>) -> *mut PyObject {
    result.map_or(null_mut(), Owned::into_ptr)
}
