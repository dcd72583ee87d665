//! The types `DecoderBase` and `EncoderBase`: objects that hold a plan.
//!
//! An unsafe room: CPython calls in here. Both types are made by one generic frame, [`Codec`], and
//! differ in the plan and in the methods. Python subclasses them (`snooze.Decoder`,
//! `snooze.Encoder`), keeps type and options, and gives the plan's description to `_compile`, at
//! once or when the plan is first needed (`_prepare`). Invariants: a plan is set once and never
//! changes; it lives as long as its object, but for the collector, which leaves it alone in use; the
//! module, and so its state, lives as long as the object.
#![allow(unsafe_code)]

use core::cell::Cell;
use core::ffi::{CStr, c_int, c_void};
use core::ptr::null_mut;
use std::sync::OnceLock;

use pyo3_ffi::*;

use super::decode;
use crate::py::compat::FREE_THREADED;
use crate::py::{Attached, Obj, Owned, Raised, call, error};
use crate::state::State;

/// What a codec holds.
pub(crate) trait Plan: Sized {
    /// Reads the description, which is what `_compile` was given.
    fn compile(py: &mut Attached, state: &State, description: &Owned) -> Result<Self, Raised>;

    /// Shows every object that the plan owns, for the cyclic collector.
    fn visit(&self, see: &mut dyn FnMut(&Owned));

    /// Drops what the plan can do without, if that may lead back to it.
    fn clear(&self) {}
}

/// An object that holds a plan.
#[repr(C)]
pub(crate) struct Codec<P> {
    head: PyObject,
    /// The module that the state belongs to; owned.
    module: *mut PyObject,
    state: *const State,
    plan: OnceLock<P>,
    /// Calls and other codecs that are using the plan. Changed under the GIL only.
    users: Cell<usize>,
}

/// A use of a codec's plan, which is not taken away meanwhile.
pub(crate) struct Use<'a>(&'a Cell<usize>);

impl Drop for Use<'_> {
    #[inline(always)]
    fn drop(&mut self) {
        release(self.0);
    }
}

#[inline(always)]
fn acquire(users: &Cell<usize>) {
    // Without a GIL nobody counts, and nobody takes a plan away: see `clear`.
    if !FREE_THREADED {
        users.set(users.get() + 1);
    }
}

#[inline(always)]
fn release(users: &Cell<usize>) {
    if !FREE_THREADED {
        users.set(users.get() - 1);
    }
}

impl<P: Plan> Codec<P> {
    /// The frame of an object of such a type, and the state of its module.
    ///
    /// # Safety
    /// `this` is an instance of the type that [`new_type`] made for `P`, alive for `'a`.
    pub(crate) unsafe fn of<'a>(this: *mut PyObject) -> (&'a Self, &'a State) {
        // SAFETY: by the caller; `new` has set all fields before anybody saw the instance.
        unsafe {
            let codec = &*this.cast::<Self>();
            (codec, &*codec.state)
        }
    }

    /// Notes that the plan is in use until this is dropped.
    #[inline(always)]
    pub(crate) fn in_use(&self) -> Use<'_> {
        acquire(&self.users);
        Use(&self.users)
    }

    /// Notes one more user, or one less.
    pub(crate) fn count(&self, more: bool) {
        if more { acquire(&self.users) } else { release(&self.users) }
    }

    /// The plan, if it has been made.
    #[inline(always)]
    pub(crate) fn planned(&self) -> Option<&P> {
        self.plan.get()
    }

    /// The plan, which is made now if it has not been yet.
    ///
    /// # Safety
    /// As for [`Codec::of`].
    #[inline(always)]
    pub(crate) unsafe fn plan<'a>(
        py: &mut Attached,
        this: *mut PyObject,
    ) -> Result<(&'a P, &'a State), Raised> {
        // SAFETY: by the caller.
        let (codec, state) = unsafe { Self::of(this) };
        match codec.plan.get() {
            Some(plan) => Ok((plan, state)),
            // SAFETY: by the caller.
            None => unsafe { Self::prepare(py, this) },
        }
    }

    /// # Safety
    /// As for [`Codec::of`].
    #[cold]
    #[inline(never)]
    unsafe fn prepare<'a>(
        py: &mut Attached,
        this: *mut PyObject,
    ) -> Result<(&'a P, &'a State), Raised> {
        // SAFETY: by the caller.
        let (codec, state) = unsafe { Self::of(this) };
        // SAFETY: a live object.
        let object = unsafe { Obj::from_ptr(this) }.ok_or(Raised)?.to_owned();
        call::call_method(py, &object, &call::interned(c"_prepare")?)?;
        match codec.plan.get() {
            Some(plan) => Ok((plan, state)),
            None => Err(error::runtime_error(c"_prepare() has not called _compile()")),
        }
    }
}

/// Makes an instance without a plan.
unsafe extern "C" fn new<P: Plan>(
    class: *mut PyTypeObject,
    _: *mut PyObject,
    _: *mut PyObject,
) -> *mut PyObject {
    // SAFETY: called by the interpreter with a type of ours or a subclass of it. The instance's
    // memory is zeroed and as large as `Codec<P>`; all of its fields are set before it is returned.
    unsafe {
        let module = crate::module::of_type(class);
        if module.is_null() {
            return null_mut();
        }
        let Some(state) = crate::module::state(module) else {
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
            (&raw mut (*codec).state).write(state);
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

/// `_compile(description)`: sets the plan, if there is none yet.
pub(crate) unsafe extern "C" fn compile<P: Plan>(
    this: *mut PyObject,
    description: *mut PyObject,
) -> *mut PyObject {
    // SAFETY: called by the interpreter with an instance of ours and an argument, both borrowed
    // for the whole call.
    unsafe {
        let mut py = Attached::assume();
        let (codec, state) = Codec::<P>::of(this);
        let Some(description) = Obj::from_ptr(description) else {
            return null_mut();
        };
        if codec.plan.get().is_none() {
            match P::compile(&mut py, state, &description.to_owned()) {
                // Another thread may have been faster: one plan is as good as the other.
                Ok(plan) => drop(codec.plan.set(plan)),
                Err(Raised) => return null_mut(),
            }
        }
        Py_NewRef(Py_None())
    }
}

/// A method that takes one argument.
pub(crate) const fn method(
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

/// Makes the type whose instances are [`Codec`]s of `P`. The methods end with a zeroed one and
/// live as long as the process.
pub(crate) fn new_type<P: Plan>(
    module: *mut PyObject,
    name: &'static CStr,
    doc: &'static CStr,
    methods: *mut PyMethodDef,
) -> Result<Owned, Raised> {
    let mut slots = [
        PyType_Slot { slot: Py_tp_new, pfunc: new::<P> as *mut c_void },
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
    // SAFETY: attached; the specification is complete and is copied by the call.
    unsafe { Owned::take(PyType_FromModuleAndSpec(module, &mut spec, null_mut())) }
}

/// Method definitions, ended by a zeroed one; the interpreter never writes to them.
#[repr(transparent)]
pub(crate) struct Methods<const N: usize>([PyMethodDef; N]);

// SAFETY: read only, and the strings and functions it points to live as long as the process.
unsafe impl<const N: usize> Sync for Methods<N> {}

/// `decode(buf)`.
unsafe extern "C" fn decode(this: *mut PyObject, document: *mut PyObject) -> *mut PyObject {
    // SAFETY: called by the interpreter with an instance of ours and an argument, both borrowed
    // for the whole call.
    unsafe {
        let mut py = Attached::assume();
        let Some(document) = Obj::from_ptr(document) else {
            return null_mut();
        };
        let (plan, state) = match Codec::<decode::Plan>::plan(&mut py, this) {
            Ok(found) => found,
            Err(Raised) => return null_mut(),
        };
        let _use = Codec::<decode::Plan>::of(this).0.in_use();
        match decode::decode(state, &mut py, plan, document) {
            Ok(value) => value.into_ptr(),
            Err(Raised) => null_mut(),
        }
    }
}

static DECODER_METHODS: Methods<3> = Methods([
    method(
        c"decode",
        decode,
        c"decode($self, buf, /)\n--\n\nDecode a document to an object of the decoder's type.",
    ),
    method(
        c"_compile",
        compile::<decode::Plan>,
        c"_compile($self, description, /)\n--\n\nSet the plan, if there is none yet.",
    ),
    PyMethodDef::zeroed(),
]);

/// `DecoderBase`.
pub(crate) fn new_decoder_type(module: *mut PyObject) -> Result<Owned, Raised> {
    new_type::<decode::Plan>(
        module,
        c"snooze._snooze.DecoderBase",
        c"What snooze.Decoder is made of: a plan and the walk that follows it.",
        (&raw const DECODER_METHODS).cast_mut().cast(),
    )
}
