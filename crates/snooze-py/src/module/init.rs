//! The import: the module's definition, and what a new module instance is filled with.
//!
//! The module is initialised in several phases (PEP 489), so each interpreter has its own, with
//! its own GIL where that exists; free-threaded builds keep the GIL off.

use core::ffi::{CStr, c_char, c_int, c_void};
use core::ptr::null_mut;

use pyo3_ffi::*;
use snooze_core::arch::Tier;

use crate::decode::typed::DecodePlan;
use crate::docstrings;
use crate::encode::typed::Compiled;
use crate::module::cell::Cell;
use crate::module::functions::{METHODS, Method, QUICK_METHODS, TEST_METHODS};
use crate::module::state::State;
use crate::module::{cell, codec, decoder, encoder};
use crate::options::Config;
use crate::py::{Attached, Owned, Raised, call, error, fragment, layout, singletons, unicode};
use crate::runtime::Runtime;

/// The module that a type of ours, or a subclass of one, belongs to; null with an exception if none.
///
/// # Safety
/// The thread is attached; `class` is a live type.
unsafe fn module_of_type(class: *mut PyTypeObject) -> *mut PyObject {
    // SAFETY: by the caller; the definition lives as long as the process.
    unsafe { PyType_GetModuleByDef(class, DEFINITION.0.get()) }
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
    let Some(state) = (unsafe { cell::state_of::<false>(module) }) else {
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

/// Fills a new module instance.
fn initialise(py: &mut Attached, module: *mut PyObject) -> Result<State, Raised> {
    let decode_error = new_decode_error(py)?;
    let fragment = fragment::new_type(module)?;
    let runtime = Runtime::new(py, tier_limit()?, decode_error, fragment)?;
    let state = State::new(runtime, encoder::new_type(module, new_encoder)?);
    let add = |name: &CStr, object: &Owned| {
        // SAFETY: attached; a live module and object.
        match unsafe { PyModule_AddObjectRef(module, name.as_ptr(), object.as_ptr()) } {
            0 => Ok(()),
            _ => Err(Raised),
        }
    };
    add(c"EncoderBase", state.encoder_type.object())?;
    add(c"DecoderBase", decoder::new_type(module, new_decoder)?.object())?;
    add(c"Fragment", &state.runtime.fragment)?;
    add(c"JSONDecodeError", &state.runtime.decode_error)?;
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
        let methods = if is_seen { &QUICK_METHODS } else { &METHODS };
        for Method(method) in methods.iter().chain(&TEST_METHODS) {
            let method = (&raw const *method).cast_mut();
            let function = Owned::take(PyCFunction_NewEx(method, module, package.as_ptr()))?;
            add(CStr::from_ptr((*method).ml_name), &function)?;
        }
    }
    let version = unicode::decode_utf8(env!("CARGO_PKG_VERSION").as_bytes())?;
    add(c"__version__", &version)?;
    add(c"checked", &singletons::boolean(py, cfg!(feature = "checked")))?;
    Ok(state)
}

/// `snooze.JSONDecodeError`, a subclass of `json.JSONDecodeError`.
fn new_decode_error(py: &mut Attached) -> Result<Owned, Raised> {
    let decoder = call::import(py, c"json.decoder")?;
    let base = call::attribute(py, &decoder, &call::interned(c"JSONDecodeError")?)?;
    // SAFETY: attached; the result is checked.
    unsafe {
        Owned::take(PyErr_NewExceptionWithDoc(
            c"snooze.JSONDecodeError".as_ptr(),
            docstrings::DECODE_ERROR.as_ptr(),
            base.as_ptr(),
            null_mut(),
        ))
    }
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

/// Lowers the tier: `scalar`, `v128`, `avx2` or `avx512`.
const TIER_VARIABLE: &str = "SNOOZE_CPU";

/// The name that functions and types say they come from.
const PACKAGE: &CStr = c"snooze";

/// What the interpreter calls to import the module.
#[unsafe(no_mangle)]
#[allow(non_snake_case, missing_docs, reason = "the name is the import system's")]
pub extern "C" fn PyInit__snooze() -> *mut PyObject {
    // SAFETY: a complete definition that lives as long as the process.
    unsafe { PyModuleDef_Init(DEFINITION.0.get()) }
}

/// Makes an instance of `DecoderBase` or of a subclass.
unsafe extern "C" fn new_decoder(
    class: *mut PyTypeObject,
    _: *mut PyObject,
    _: *mut PyObject,
) -> *mut PyObject {
    // SAFETY: called by the interpreter with a type of ours or a subclass of it.
    unsafe { codec::construct::<DecodePlan>(class, module_of_type(class)) }
}

/// Makes an instance of `EncoderBase` or of a subclass.
unsafe extern "C" fn new_encoder(
    class: *mut PyTypeObject,
    _: *mut PyObject,
    _: *mut PyObject,
) -> *mut PyObject {
    // SAFETY: called by the interpreter with a type of ours or a subclass of it.
    unsafe { codec::construct::<Compiled>(class, module_of_type(class)) }
}
