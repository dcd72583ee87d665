//! Importing the extension: the module's definition, and the contents of a new module instance.
//!
//! Separate because it runs once for each interpreter. Multi-phase initialisation (PEP 489) gives
//! each interpreter a module instance with its own state, so interpreters may have their own GIL,
//! and free-threaded builds keep the GIL off. Invariant: a function of the module can be called
//! only after `exec` has filled the state. Called by CPython's import system.

use core::ffi::{CStr, c_char, c_int, c_void};
use core::ptr::null_mut;

use pyo3_ffi::*;
use snooze_core::arch::{self, Tier};

use crate::decode::typed::objects::ConvertPlan;
use crate::encode::typed::Compiled;
use crate::module::cell::{ModuleMemory, state_of};
use crate::module::decoder::Reading;
use crate::module::entry::Function;
use crate::module::functions::{FUNCTIONS, FUNCTIONS_IN_PLACE, TEST_FUNCTIONS};
use crate::module::state::State;
use crate::module::{
    blocks, codec, converter, decoder, dialect, encoder, items, lines, parts, scan,
};
use crate::options::EncodeFlags;
use crate::py::{
    Attached, Owned, Raised, call, compat, error, fragment, layout, singletons, unicode,
};
use crate::runtime::Runtime;

/// The module that made a type, or a base class of it; null with an exception if this module made
/// none.
///
/// # Safety
/// The thread is attached; `class` is a live type.
unsafe fn module_of_type(class: *mut PyTypeObject) -> *mut PyObject {
    // SAFETY: attached and a live type, because the caller guarantees it; a live definition,
    // because it is static.
    unsafe { PyType_GetModuleByDef(class, DEFINITION.0.get()) }
}

/// The module's definition, which CPython writes to when the module is first imported.
#[repr(transparent)]
struct Definition(core::cell::UnsafeCell<PyModuleDef>);

// SAFETY: sharing it between threads is sound, because only CPython writes to it, and CPython
// orders its own imports.
unsafe impl Sync for Definition {}

/// The slots of the module's definition.
#[repr(transparent)]
struct Slots<const N: usize>([PyModuleDef_Slot; N]);

// SAFETY: sharing them between threads is sound, because nothing writes to them: CPython only reads
// slots.
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
    m_size: size_of::<ModuleMemory>() as Py_ssize_t,
    m_methods: null_mut(),
    m_slots: (&raw const SLOTS).cast_mut().cast(),
    m_traverse: Some(traverse),
    // Nothing to clear: clearing the module's dict breaks every reference cycle through the module,
    // and the state must stay complete as long as a function of the module may be called.
    m_clear: None,
    m_free: Some(free),
}));

/// Fills a new module instance: 0, or -1 with an exception.
unsafe extern "C" fn exec(module: *mut PyObject) -> c_int {
    // SAFETY: the module's memory is a zeroed `ModuleMemory` that nothing else uses, because
    // CPython calls this function once for a new module whose definition has that size.
    unsafe {
        let mut py = Attached::assume();
        let memory = PyModule_GetState(module).cast::<ModuleMemory>();
        match initialise(&mut py, module) {
            Ok(state) if !memory.is_null() => {
                (*memory).state.write(state);
                (*memory).ready = true;
                0
            }
            _ => {
                // CPython 3.11 loses the exception if it cannot allocate the memory for a type.
                if PyErr_Occurred().is_null() {
                    error::no_memory();
                }
                -1
            }
        }
    }
}

/// Visits the objects that the state owns.
unsafe extern "C" fn traverse(
    module: *mut PyObject,
    visit: visitproc,
    argument: *mut c_void,
) -> c_int {
    // SAFETY: `module` is a live instance of this module, because the collector got this function
    // from the module's definition.
    let Some(state) = (unsafe { state_of::<false>(module) }) else {
        return 0;
    };
    for object in state.objects() {
        // SAFETY: `visit` accepts any live object and `argument`, because the collector passed
        // both.
        let result = unsafe { visit(object.as_ptr(), argument) };
        if result != 0 {
            return result;
        }
    }
    0
}

/// Drops the state.
unsafe extern "C" fn free(module: *mut c_void) {
    // SAFETY: nothing else uses the module's memory, because CPython calls this function when the
    // last reference to the module is gone. The state is initialised, because `ready` is set.
    unsafe {
        let memory = PyModule_GetState(module.cast()).cast::<ModuleMemory>();
        if !memory.is_null() && (*memory).ready {
            (*memory).ready = false;
            (*memory).state.assume_init_ref().releases.release_all(&mut Attached::assume());
            (*memory).state.assume_init_drop();
        }
    }
}

/// Adds functions, types and constants to a new module instance, and returns its state.
fn initialise(py: &mut Attached, module: *mut PyObject) -> Result<State, Raised> {
    let fragment = fragment::new_type(module)?;
    let runtime = Runtime::new(py, tier_limit()?, fragment)?;
    let state = State::new(runtime, encoder::new_type(module, new_encoder)?);
    let add = |name: &CStr, object: &Owned| {
        // SAFETY: the thread is attached, because `exec` runs; module and object are live, because
        // they are borrowed here.
        match unsafe { PyModule_AddObjectRef(module, name.as_ptr(), object.as_ptr()) } {
            0 => Ok(()),
            _ => Err(Raised),
        }
    };
    add(c"EncoderBase", state.encoder_type.object())?;
    add(c"DecoderBase", decoder::new_type(module, new_decoder)?.object())?;
    add(c"ConverterBase", converter::new_type(module, new_converter)?.object())?;
    add(c"Fragment", state.runtime.fragment.object())?;
    // SAFETY: the thread is attached, because `exec` runs. The module is live, because CPython
    // passed it; `TypeError` and the definitions are live, because they are static. CPython only
    // reads definitions, so it may have them by a mutable pointer.
    unsafe {
        if PyModule_AddObjectRef(module, c"JSONEncodeError".as_ptr(), PyExc_TypeError) != 0 {
            return Err(Raised);
        }
        for &(name, value) in EncodeFlags::PUBLIC {
            if PyModule_AddIntConstant(module, name.as_ptr(), value.into()) != 0 {
                return Err(Raised);
            }
        }
        let package = call::interned(PACKAGE)?;
        // PERF: reading the pointer in place saves 2 ns for each call of `dumps` or `loads`
        // (2026-11-21).
        let in_place = layout::module_state(module) == PyModule_GetState(module);
        let functions = if in_place { &FUNCTIONS_IN_PLACE } else { &FUNCTIONS };
        for Function(definition) in functions
            .iter()
            .chain(&dialect::FUNCTIONS)
            .chain(&scan::FUNCTIONS)
            .chain(&lines::FUNCTIONS)
            .chain(&blocks::FUNCTIONS)
            .chain(&items::FUNCTIONS)
            .chain(&parts::FUNCTIONS)
            .chain(&TEST_FUNCTIONS)
        {
            let definition = (&raw const *definition).cast_mut();
            let function = Owned::take(PyCFunction_NewEx(definition, module, package.as_ptr()))?;
            compat::defer_reference_count(function.get());
            add(CStr::from_ptr((*definition).ml_name), &function)?;
        }
    }
    let version = unicode::decode_utf8(env!("CARGO_PKG_VERSION").as_bytes())?;
    add(c"__version__", &version)?;
    add(c"checked", &singletons::boolean(py, cfg!(all(feature = "checked", debug_assertions))))?;
    Ok(state)
}

/// The highest tier that the environment allows, if it sets one.
fn tier_limit() -> Result<Option<Tier>, Raised> {
    // SAFETY: the name ends with a zero, because it is a C string literal; so does the value,
    // unless it is null, because `getenv` returns a C string. The value is not changed while it is
    // read, because CPython changes the environment with the GIL held; in free-threaded builds this
    // relies on the program, as every use of `getenv` does.
    let tier = unsafe {
        let value = getenv(TIER_VARIABLE.as_ptr());
        if value.is_null() {
            return Ok(None);
        }
        let value = CStr::from_ptr(value);
        if value.is_empty() {
            return Ok(None);
        }
        value.to_str().ok().and_then(Tier::from_name)
    };
    match tier {
        Some(tier) => Ok(Some(tier)),
        None => Err(error::import_error(
            c"environment variable SNOOZE_CPU: expected scalar, v128, avx2 or avx512, \
              found another value",
        )),
    }
}

/// The environment variable that lowers the tier: `scalar`, `v128`, `avx2` or `avx512`.
const TIER_VARIABLE: &CStr = c"SNOOZE_CPU";

unsafe extern "C" {
    /// The C function: a pointer to a variable's value in the environment, or null.
    /// `std::env::var_os` would copy the value, and abort without memory for the copy.
    fn getenv(name: *const c_char) -> *const c_char;
}

/// The `__module__` of the functions.
const PACKAGE: &CStr = c"snooze";

/// The function that CPython calls first to import the extension.
#[unsafe(no_mangle)]
#[allow(non_snake_case, missing_docs, reason = "the import system sets the name")]
pub extern "C" fn PyInit__snooze() -> *mut PyObject {
    if arch::lacking().is_some() {
        let _raised = error::import_error(
            c"this build of snooze needs SSE4.2 and POPCNT (x86-64-v2, processors since 2009), which \
              this processor lacks",
        );
        return null_mut();
    }
    // SAFETY: the definition is complete and live, because it is static.
    unsafe { PyModuleDef_Init(DEFINITION.0.get()) }
}

/// `DecoderBase.__new__`.
unsafe extern "C" fn new_decoder(
    class: *mut PyTypeObject,
    _: *mut PyObject,
    _: *mut PyObject,
) -> *mut PyObject {
    // SAFETY: `class` is `DecoderBase` or a subclass, because only that type has this function.
    unsafe { codec::construct::<Reading>(class, module_of_type(class)) }
}

/// `ConverterBase.__new__`.
unsafe extern "C" fn new_converter(
    class: *mut PyTypeObject,
    _: *mut PyObject,
    _: *mut PyObject,
) -> *mut PyObject {
    // SAFETY: `class` is `ConverterBase` or a subclass, because only that type has this function.
    unsafe { codec::construct::<ConvertPlan>(class, module_of_type(class)) }
}

/// `EncoderBase.__new__`.
unsafe extern "C" fn new_encoder(
    class: *mut PyTypeObject,
    _: *mut PyObject,
    _: *mut PyObject,
) -> *mut PyObject {
    // SAFETY: `class` is `EncoderBase` or a subclass, because only that type has this function.
    unsafe { codec::construct::<Compiled>(class, module_of_type(class)) }
}
