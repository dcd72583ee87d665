//! The extension module: its definition, its functions, and the one type it has.
//!
//! An unsafe room: CPython calls in here. Every entry point makes the witness that the thread is
//! attached, finds the state of the module instance it belongs to, and calls safe code.
//!
//! The module is initialised in several phases (PEP 489), so each interpreter has its own, with
//! its own GIL where that exists; free-threaded builds keep the GIL off.
#![allow(unsafe_code)]

use core::ffi::{CStr, c_char, c_int, c_void};
use core::mem::MaybeUninit;
use core::ptr::null_mut;
use core::slice;

use pyo3_ffi::*;
use snooze_core::arch::Tier;

use crate::config::Config;
use crate::py::{Attached, Obj, Owned, Raised, call, error, layout, list};
use crate::state::State;
use crate::{args, decode, encode, typed};

/// The name that functions and types say they come from.
const PACKAGE: &CStr = c"snooze";

/// Lowers the tier: `scalar`, `v128`, `avx2` or `avx512`.
const TIER_VARIABLE: &str = "SNOOZE_CPU";

/// What a module instance keeps. Zeroed by CPython; `ready` once `state` is initialised.
struct Cell {
    ready: bool,
    state: MaybeUninit<State>,
}

/// The state of a module instance that has been initialised; with `SEEN`, read where `exec` found
/// that instances have it.
///
/// # Safety
/// `module` is an instance of this module, alive for `'a`.
#[inline(always)]
unsafe fn state_of<'a, const SEEN: bool>(module: *mut PyObject) -> Option<&'a State> {
    // SAFETY: the state's memory is a zeroed or initialised `Cell` (m_size), which lives as long
    // as the module and is only changed by `exec`, before anybody can call in, and `free`.
    unsafe {
        let cell = if SEEN { layout::module_state(module) } else { PyModule_GetState(module) };
        let cell = cell.cast::<Cell>();
        if cell.is_null() || !(*cell).ready {
            return None;
        }
        Some((*cell).state.assume_init_ref())
    }
}

/// The module that a type of ours, or a subclass of one, belongs to; null with an exception if none.
///
/// # Safety
/// The thread is attached; `class` is a live type.
pub(crate) unsafe fn of_type(class: *mut PyTypeObject) -> *mut PyObject {
    // SAFETY: by the caller; the definition lives as long as the process.
    unsafe { PyType_GetModuleByDef(class, DEFINITION.0.get()) }
}

/// The state of a module instance, if it has been initialised.
///
/// # Safety
/// `module` is an instance of this module, alive for `'a`.
pub(crate) unsafe fn state<'a>(module: *mut PyObject) -> Option<&'a State> {
    // SAFETY: by the caller.
    unsafe { state_of::<false>(module) }
}

#[cold]
fn not_ready() -> *mut PyObject {
    error::runtime_error(c"the module snooze._snooze is not initialised");
    null_mut()
}

/// The pointer to hand to the interpreter.
#[inline(always)]
fn returned(result: Result<Owned, Raised>) -> *mut PyObject {
    match result {
        Ok(object) => object.into_ptr(),
        Err(Raised) => null_mut(),
    }
}

unsafe extern "C" fn dumps<const SEEN: bool>(
    module: *mut PyObject,
    arguments: *const *mut PyObject,
    count: Py_ssize_t,
    names: *mut PyObject,
) -> *mut PyObject {
    // SAFETY: the vectorcall convention: `count` positional arguments, then one for each name,
    // all borrowed from the caller for the whole call; an `Obj` is one pointer.
    let (mut py, state, positional, names, values) = unsafe {
        let Some(state) = state_of::<SEEN>(module) else {
            return not_ready();
        };
        let count = count as usize;
        let positional: &[Obj<'_>] = slice_of(arguments.cast(), count);
        let names = Obj::from_ptr(names);
        let keywords = names.map_or(0, list::tuple_len);
        let values = slice_of(arguments.wrapping_add(count).cast::<Obj<'_>>(), keywords);
        (Attached::assume(), state, positional, names, values)
    };
    let keywords = values.iter().enumerate().filter_map(|(index, &value)| {
        // SAFETY: the caller has the tuple of names as long as the call.
        let name = unsafe { Obj::from_ptr(PyTuple_GET_ITEM(names?.as_ptr(), index as _))? };
        Some((name, value))
    });
    returned(args::dumps(positional, keywords).and_then(|call| encode::dumps(state, &mut py, call)))
}

/// The slice of `count` elements, which may be none at no address.
///
/// # Safety
/// As for `slice::from_raw_parts`, if `count` is not zero.
#[inline(always)]
unsafe fn slice_of<'a, T>(start: *const T, count: usize) -> &'a [T] {
    if count == 0 {
        return &[];
    }
    // SAFETY: by the caller.
    unsafe { slice::from_raw_parts(start, count) }
}

unsafe extern "C" fn loads<const SEEN: bool>(
    module: *mut PyObject,
    object: *mut PyObject,
) -> *mut PyObject {
    // SAFETY: called by the interpreter with a module of ours and an argument that is borrowed
    // for the whole call.
    let (py, state, object) = unsafe {
        let Some(state) = state_of::<SEEN>(module) else {
            return not_ready();
        };
        let Some(object) = Obj::from_ptr(object) else {
            return not_ready();
        };
        (Attached::assume(), state, object)
    };
    returned(decode::loads(state, &py, object))
}

unsafe extern "C" fn cpu_tiers(module: *mut PyObject, _: *mut PyObject) -> *mut PyObject {
    // SAFETY: called by the interpreter with a module of ours.
    let Some(state) = (unsafe { state_of::<false>(module) }) else {
        return not_ready();
    };
    returned(tiers(state))
}

/// `{"compiled": (…), "runnable": (…), "active": …}`.
fn tiers(state: &State) -> Result<Owned, Raised> {
    let names = |keep: fn(Tier) -> bool| -> Result<Owned, Raised> {
        // SAFETY: attached; every result is checked, and each name's reference goes to its place.
        unsafe {
            let count = Tier::ALL.into_iter().filter(|&tier| keep(tier)).count();
            let tuple = Owned::take(PyTuple_New(count as Py_ssize_t))?;
            for (place, tier) in (0..).zip(Tier::ALL.into_iter().filter(|&tier| keep(tier))) {
                PyTuple_SET_ITEM(tuple.as_ptr(), place, tier_name(tier)?.into_ptr());
            }
            Ok(tuple)
        }
    };
    let entries = [
        (c"compiled", names(Tier::is_compiled)?),
        (c"runnable", names(Tier::is_runnable)?),
        (c"active", tier_name(state.dispatch.tier())?),
    ];
    // SAFETY: attached; every result is checked.
    unsafe {
        let dict = Owned::take(PyDict_New())?;
        for (key, value) in entries {
            if PyDict_SetItemString(dict.as_ptr(), key.as_ptr(), value.as_ptr()) != 0 {
                return Err(Raised);
            }
        }
        Ok(dict)
    }
}

fn tier_name(tier: Tier) -> Result<Owned, Raised> {
    crate::py::text::decode_utf8(tier.name().as_bytes())
}

/// An instance of `Fragment`.
///
/// The contents are an exact `bytes` or `str`, or `None` for anything that cannot be written.
#[repr(C)]
struct Fragment {
    base: PyObject,
    contents: *mut PyObject,
}

/// The contents of an exact instance of the module's `Fragment`.
pub(crate) fn fragment_contents<'a>(_py: &'a Attached, fragment: Obj<'a>) -> Obj<'a> {
    // SAFETY: the caller has compared the type; `fragment_new` sets the contents, which never
    // change, before anybody sees the instance.
    unsafe {
        let contents = (*fragment.as_ptr().cast::<Fragment>()).contents;
        Obj::from_ptr(contents).unwrap_unchecked()
    }
}

unsafe extern "C" fn fragment_new(
    class: *mut PyTypeObject,
    arguments: *mut PyObject,
    names: *mut PyObject,
) -> *mut PyObject {
    // SAFETY: called by the interpreter with a tuple, and a dict or null. The instance is
    // complete before it is returned.
    unsafe {
        let keywords = if names.is_null() { 0 } else { PyDict_Size(names) };
        if PyTuple_GET_SIZE(arguments) != 1 || keywords != 0 {
            error::type_error(c"snooze.Fragment() takes exactly 1 positional argument");
            return null_mut();
        }
        let Some(allocate) = (*class).tp_alloc else {
            return not_ready();
        };
        let instance = allocate(class, 0);
        if !instance.is_null() {
            // Anything may be given, but only these can be written. What else is given is not
            // kept: a fragment refers to nothing that could refer back, and so needs no collector,
            // and fragments cannot be nested.
            let given = PyTuple_GET_ITEM(arguments, 0);
            let is_text = PyBytes_CheckExact(given) != 0 || PyUnicode_CheckExact(given) != 0;
            let contents = Py_NewRef(if is_text { given } else { Py_None() });
            (*instance.cast::<Fragment>()).contents = contents;
        }
        instance
    }
}

unsafe extern "C" fn fragment_dealloc(instance: *mut PyObject) {
    // SAFETY: called by the interpreter for the last reference; a heap type is released after
    // its instance.
    unsafe {
        let class = Py_TYPE(instance);
        Py_XDECREF((*instance.cast::<Fragment>()).contents);
        if let Some(free) = (*class).tp_free {
            free(instance.cast());
        }
        Py_DECREF(class.cast());
    }
}

fn new_fragment_type(module: *mut PyObject) -> Result<Owned, Raised> {
    let mut slots = [
        PyType_Slot { slot: Py_tp_new, pfunc: fragment_new as *mut c_void },
        PyType_Slot { slot: Py_tp_dealloc, pfunc: fragment_dealloc as *mut c_void },
        PyType_Slot { slot: Py_tp_doc, pfunc: FRAGMENT_DOC.as_ptr().cast_mut().cast() },
        PyType_Slot::default(),
    ];
    let mut spec = PyType_Spec {
        name: c"snooze.Fragment".as_ptr(),
        basicsize: size_of::<Fragment>() as c_int,
        itemsize: 0,
        flags: (Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE) as _,
        slots: slots.as_mut_ptr(),
    };
    // SAFETY: attached; the specification is complete and is copied by the call.
    unsafe { Owned::take(PyType_FromModuleAndSpec(module, &mut spec, null_mut())) }
}

const FRAGMENT_DOC: &CStr = c"Fragment(contents, /)\n--\n\n\
    JSON that is already serialized, to be copied into the output as it is.";

const DUMPS_DOC: &CStr = c"dumps(obj, /, default=None, option=None)\n--\n\n\
    Serialize Python objects to JSON.";

const LOADS_DOC: &CStr = c"loads(obj, /)\n--\n\n\
    Deserialize JSON to Python objects.";

const TIERS_DOC: &CStr = c"cpu_tiers()\n--\n\n\
    Sets of processor features: those compiled in, those that run here, the one in use.";

/// A method definition; the interpreter never writes to it.
#[repr(transparent)]
struct Method(PyMethodDef);

// SAFETY: read only, and the strings and functions it points to live as long as the process.
unsafe impl Sync for Method {}

static METHODS: [Method; 3] = methods::<false>();

/// The same, if the state of modules can be read in place.
static QUICK_METHODS: [Method; 3] = methods::<true>();

const fn methods<const SEEN: bool>() -> [Method; 3] {
    [
        Method(PyMethodDef {
            ml_name: c"dumps".as_ptr(),
            ml_meth: PyMethodDefPointer { PyCFunctionFastWithKeywords: dumps::<SEEN> },
            ml_flags: METH_FASTCALL | METH_KEYWORDS,
            ml_doc: DUMPS_DOC.as_ptr(),
        }),
        Method(PyMethodDef {
            ml_name: c"loads".as_ptr(),
            ml_meth: PyMethodDefPointer { PyCFunction: loads::<SEEN> },
            ml_flags: METH_O,
            ml_doc: LOADS_DOC.as_ptr(),
        }),
        Method(PyMethodDef {
            ml_name: c"cpu_tiers".as_ptr(),
            ml_meth: PyMethodDefPointer { PyCFunction: cpu_tiers },
            ml_flags: METH_NOARGS,
            ml_doc: TIERS_DOC.as_ptr(),
        }),
    ]
}

/// The tier that the environment asks not to exceed.
fn tier_limit() -> Result<Option<Tier>, Raised> {
    let Some(name) = std::env::var_os(TIER_VARIABLE) else {
        return Ok(None);
    };
    match name.to_str().and_then(Tier::from_name) {
        Some(tier) => Ok(Some(tier)),
        None => Err(error::import_error(
            c"the environment variable SNOOZE_CPU must be scalar, v128, avx2 or avx512",
        )),
    }
}

/// `snooze.JSONDecodeError`, a subclass of `json.JSONDecodeError`.
fn new_decode_error(py: &mut Attached) -> Result<Owned, Raised> {
    let decoder = call::import(py, c"json.decoder")?;
    let base = call::attribute(py, &decoder, &call::interned(c"JSONDecodeError")?)?;
    // SAFETY: attached; the result is checked.
    unsafe {
        Owned::take(PyErr_NewExceptionWithDoc(
            c"snooze.JSONDecodeError".as_ptr(),
            c"A document that is not JSON: msg, doc, pos, lineno, colno.".as_ptr(),
            base.as_ptr(),
            null_mut(),
        ))
    }
}

/// Fills a new module instance.
fn initialise(py: &mut Attached, module: *mut PyObject) -> Result<State, Raised> {
    let decode_error = new_decode_error(py)?;
    let state = State::new(py, tier_limit()?, decode_error, new_fragment_type(module)?)?;
    let add = |name: &CStr, object: &Owned| {
        // SAFETY: attached; a live module and object.
        match unsafe { PyModule_AddObjectRef(module, name.as_ptr(), object.as_ptr()) } {
            0 => Ok(()),
            _ => Err(Raised),
        }
    };
    let encoder = crate::typed::encode::methods::new_type(module)?;
    add(c"EncoderBase", state.encoder.get_or_init(|| encoder))?;
    add(c"Fragment", &state.fragment)?;
    add(c"DecoderBase", &typed::object::new_decoder_type(module)?)?;
    add(c"JSONDecodeError", &state.decode_error)?;
    // SAFETY: attached; every result is checked. Static types and exceptions live on.
    unsafe {
        if PyModule_AddObjectRef(module, c"JSONEncodeError".as_ptr(), PyExc_TypeError) != 0 {
            return Err(Raised);
        }
        for &(name, value) in Config::PUBLIC {
            if PyModule_AddIntConstant(module, name.as_ptr(), value.into()) != 0 {
                return Err(Raised);
            }
        }
        let package = call::interned(PACKAGE)?;
        // PERF: a call less for each call, 2 ns (2026-11-21).
        let is_seen = layout::module_state(module) == PyModule_GetState(module);
        for Method(method) in if is_seen { &QUICK_METHODS } else { &METHODS } {
            let method = (&raw const *method).cast_mut();
            let function = Owned::take(PyCFunction_NewEx(method, module, package.as_ptr()))?;
            add(CStr::from_ptr((*method).ml_name), &function)?;
        }
    }
    let version = crate::py::text::decode_utf8(env!("CARGO_PKG_VERSION").as_bytes())?;
    add(c"__version__", &version)?;
    add(c"checked", &crate::py::int::new_bool(py, cfg!(feature = "checked")))?;
    Ok(state)
}

unsafe extern "C" fn exec(module: *mut PyObject) -> c_int {
    // SAFETY: called once by the interpreter for a new module, whose memory is a zeroed `Cell`.
    unsafe {
        let mut py = Attached::assume();
        let cell = PyModule_GetState(module).cast::<Cell>();
        match initialise(&mut py, module) {
            Ok(state) if !cell.is_null() => {
                (*cell).state.write(state);
                (*cell).ready = true;
                0
            }
            _ => {
                // CPython 3.11 loses the exception of a failed allocation when it makes a type.
                if PyErr_Occurred().is_null() {
                    error::no_memory();
                }
                -1
            }
        }
    }
}

unsafe extern "C" fn traverse(
    module: *mut PyObject,
    visit: visitproc,
    argument: *mut c_void,
) -> c_int {
    // SAFETY: called by the collector, while nobody else uses the module.
    let Some(state) = (unsafe { state_of::<false>(module) }) else {
        return 0;
    };
    for object in state.objects() {
        // SAFETY: the collector's own function and argument.
        let result = unsafe { visit(object.as_ptr(), argument) };
        if result != 0 {
            return result;
        }
    }
    0
}

unsafe extern "C" fn free(module: *mut c_void) {
    // SAFETY: called by the interpreter when the last reference is gone: nobody can call in.
    unsafe {
        let cell = PyModule_GetState(module.cast()).cast::<Cell>();
        if !cell.is_null() && (*cell).ready {
            (*cell).ready = false;
            (*cell).state.assume_init_drop();
        }
    }
}

/// The module's definition, which CPython writes to when the module is first imported.
#[repr(transparent)]
struct Definition(core::cell::UnsafeCell<PyModuleDef>);

// SAFETY: written by CPython only, under its own import lock.
unsafe impl Sync for Definition {}

/// The slots; CPython only reads them.
#[repr(transparent)]
struct Slots<const N: usize>([PyModuleDef_Slot; N]);

// SAFETY: read only.
unsafe impl<const N: usize> Sync for Slots<N> {}

const SLOT_COUNT: usize = 2 + cfg!(Py_3_12) as usize + cfg!(Py_3_13) as usize;

static SLOTS: Slots<SLOT_COUNT> = Slots([
    PyModuleDef_Slot { slot: Py_mod_exec, value: exec as *mut c_void },
    #[cfg(Py_3_12)]
    PyModuleDef_Slot {
        slot: Py_mod_multiple_interpreters,
        value: Py_MOD_PER_INTERPRETER_GIL_SUPPORTED,
    },
    #[cfg(Py_3_13)]
    PyModuleDef_Slot { slot: Py_mod_gil, value: Py_MOD_GIL_NOT_USED },
    PyModuleDef_Slot { slot: 0, value: null_mut() },
]);

static DEFINITION: Definition = Definition(core::cell::UnsafeCell::new(PyModuleDef {
    m_base: PyModuleDef_HEAD_INIT,
    m_name: c"_snooze".as_ptr(),
    m_doc: c"The extension module of snooze.".as_ptr() as *const c_char,
    m_size: size_of::<Cell>() as Py_ssize_t,
    m_methods: null_mut(),
    m_slots: (&raw const SLOTS).cast_mut().cast(),
    m_traverse: Some(traverse),
    // Nothing to clear: the module's dict breaks every cycle that leads through it, and the state
    // must stay whole as long as a function of the module may be called.
    m_clear: None,
    m_free: Some(free),
}));

/// What the interpreter calls to import the module.
#[unsafe(no_mangle)]
#[allow(non_snake_case, missing_docs, reason = "the name is the import system's")]
pub extern "C" fn PyInit__snooze() -> *mut PyObject {
    // SAFETY: a complete definition that lives as long as the process.
    unsafe { PyModuleDef_Init(DEFINITION.0.get()) }
}
