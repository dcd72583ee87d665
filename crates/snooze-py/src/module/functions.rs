//! The functions of the module: `dumps`, `dumps_str`, `loads`, `cpu_tiers`, and those that
//! `snooze.json` and `snooze._text` use.
//!
//! Separate from `init`, which publishes them. Invariant: each entry point makes the witness that
//! the thread is attached, finds the state of its module instance, and then calls safe code only.
//! Called by CPython.

use core::ptr::null_mut;

use pyo3_ffi::*;
use snooze_core::arch::Tier;

use crate::arguments::JsonCall;
use crate::docstrings;
use crate::module::cell::{not_initialised, state_of};
use crate::module::codec::return_value;
use crate::module::entry::{Function, call, function, slice_of};
use crate::module::state::State;
use crate::py::tuple::Tuple;
use crate::py::{Attached, Obj, Owned, Raised, tuple, unicode};
use crate::{arguments, decode, encode, rewrite};

/// Raises `RuntimeError` for CPython: see [`not_initialised`].
#[cold]
fn raise_not_initialised() -> *mut PyObject {
    not_initialised();
    null_mut()
}

/// `dumps(obj, /, default=None, option=None)`, and `dumps_str` if `TEXT`; for `IN_PLACE` see
/// [`state_of`].
unsafe extern "C" fn dumps<const IN_PLACE: bool, const TEXT: bool>(
    module: *mut PyObject,
    arguments: *const *mut PyObject,
    count: Py_ssize_t,
    names: *mut PyObject,
) -> *mut PyObject {
    // SAFETY: `arguments` has `count` positional arguments and then one for each name, all borrowed
    // for the whole call, because that is the vectorcall convention. They can be read as `Obj`s,
    // because an `Obj` is one pointer that is not null.
    let (mut py, state, positional, names, values) = unsafe {
        let Some(state) = state_of::<IN_PLACE>(module) else {
            return raise_not_initialised();
        };
        let count = count as usize;
        let positional: &[Obj<'_>] = slice_of(arguments.cast(), count);
        let names = Obj::from_ptr(names);
        let keywords = names.and_then(Tuple::exact).map_or(0, tuple::len);
        let values = slice_of(arguments.wrapping_add(count).cast::<Obj<'_>>(), keywords);
        (Attached::assume(), state, positional, names, values)
    };
    let keywords = values.iter().enumerate().filter_map(|(index, &value)| {
        // SAFETY: the tuple of names has this index and is borrowed for the whole call, because
        // there is one name for each keyword argument.
        let name = unsafe { Obj::from_ptr(PyTuple_GET_ITEM(names?.as_ptr(), index as _))? };
        Some((name, value))
    });
    return_value(arguments::dumps::<TEXT>(&mut py, positional, keywords).and_then(|call| {
        encode::untyped::dumps::<TEXT>(&state.runtime, &state.dumps_pool, &mut py, call)
    }))
}

/// `loads(obj, /)`; for `IN_PLACE` see [`state_of`].
unsafe extern "C" fn loads<const IN_PLACE: bool>(
    module: *mut PyObject,
    object: *mut PyObject,
) -> *mut PyObject {
    // SAFETY: `module` is an instance of this module and `object` is borrowed for the whole call,
    // because CPython calls this function as a method of the module.
    let (py, state, object) = unsafe {
        let Some(state) = state_of::<IN_PLACE>(module) else {
            return raise_not_initialised();
        };
        let Some(object) = Obj::from_ptr(object) else {
            return raise_not_initialised();
        };
        (Attached::assume(), state, object)
    };
    return_value(decode::untyped::loads::<false>(&state.runtime, &state.loads_pool, &py, object))
}

/// `json_loads(obj, /)`: as `loads`, but fails at what may be an integer beyond 64 bits.
unsafe extern "C" fn json_loads(module: *mut PyObject, object: *mut PyObject) -> *mut PyObject {
    // SAFETY: as in `loads`.
    let (py, state, object) = unsafe {
        let Some(state) = state_of::<false>(module) else {
            return raise_not_initialised();
        };
        let Some(object) = Obj::from_ptr(object) else {
            return raise_not_initialised();
        };
        (Attached::assume(), state, object)
    };
    return_value(decode::untyped::loads::<true>(&state.runtime, &state.loads_pool, &py, object))
}

/// `json_dumps(obj, item_separator, key_separator, indent, ensure_ascii, sort_keys, default, /)`.
unsafe extern "C" fn json_dumps(
    module: *mut PyObject,
    arguments: *mut *mut PyObject,
    count: Py_ssize_t,
) -> *mut PyObject {
    let run = |py: &mut Attached, state: &State, arguments: &[Obj<'_>]| {
        let JsonCall { object, style, sorts, default } = arguments::json_dumps(arguments)?;
        let (runtime, pool) = (&state.runtime, &state.dumps_pool);
        encode::untyped::json_dumps(runtime, pool, py, object, style, sorts, default)
    };
    // SAFETY: as `call` asks, because CPython calls this function as a method of the module.
    unsafe { call(module, arguments, count, run) }
}

/// `reformat(obj, item_separator, key_separator, indent, ensure_ascii, newline, /)`.
unsafe extern "C" fn reformat(
    module: *mut PyObject,
    arguments: *mut *mut PyObject,
    count: Py_ssize_t,
) -> *mut PyObject {
    let run = |py: &mut Attached, state: &State, arguments: &[Obj<'_>]| {
        let (object, layout) = arguments::reformat(arguments)?;
        rewrite::reformat(&state.runtime, py, object, layout)
    };
    // SAFETY: as in `json_dumps`.
    unsafe { call(module, arguments, count, run) }
}

/// `canonicalize(obj, /)`.
unsafe extern "C" fn canonicalize(module: *mut PyObject, object: *mut PyObject) -> *mut PyObject {
    // SAFETY: as in `loads`.
    let (py, state, object) = unsafe {
        let Some(state) = state_of::<false>(module) else {
            return raise_not_initialised();
        };
        let Some(object) = Obj::from_ptr(object) else {
            return raise_not_initialised();
        };
        (Attached::assume(), state, object)
    };
    return_value(rewrite::canonicalize(&state.runtime, &py, object))
}

/// `cpu_tiers()`.
unsafe extern "C" fn cpu_tiers(module: *mut PyObject, _: *mut PyObject) -> *mut PyObject {
    // SAFETY: `module` is an instance of this module, because CPython calls this function as a
    // method of the module.
    let Some(state) = (unsafe { state_of::<false>(module) }) else {
        return raise_not_initialised();
    };
    return_value(tier_dict(state))
}

/// `{"compiled": (…), "runnable": (…), "active": …}`.
fn tier_dict(state: &State) -> Result<Owned, Raised> {
    let names = |includes: fn(Tier) -> bool| -> Result<Owned, Raised> {
        let tiers = || Tier::ALL.into_iter().filter(|&tier| includes(tier));
        // SAFETY: the thread is attached, because CPython called in. The new tuple has an index for
        // each tier, because both come from `tiers`; `PyTuple_SET_ITEM` takes over each name.
        unsafe {
            let tuple = Owned::take(PyTuple_New(tiers().count() as Py_ssize_t))?;
            for (index, tier) in (0..).zip(tiers()) {
                PyTuple_SET_ITEM(tuple.as_ptr(), index, tier_name(tier)?.into_ptr());
            }
            Ok(tuple)
        }
    };
    let entries = [
        (c"compiled", names(Tier::is_compiled)?),
        (c"runnable", names(Tier::is_runnable)?),
        (c"active", tier_name(state.runtime.dispatch.tier())?),
    ];
    // SAFETY: the thread is attached, because CPython called in; the objects are live, because they
    // are owned here.
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
    unicode::decode_utf8(tier.name().as_bytes())
}

/// The functions of the module.
pub(super) static FUNCTIONS: [Function; 8] = functions::<false>();

/// The same functions, which read the pointer to the module's memory in place: see [`state_of`].
pub(super) static FUNCTIONS_IN_PLACE: [Function; 8] = functions::<true>();

const fn functions<const IN_PLACE: bool>() -> [Function; 8] {
    [
        Function(PyMethodDef {
            ml_name: c"dumps".as_ptr(),
            ml_meth: PyMethodDefPointer { PyCFunctionFastWithKeywords: dumps::<IN_PLACE, false> },
            ml_flags: METH_FASTCALL | METH_KEYWORDS,
            ml_doc: docstrings::DUMPS.as_ptr(),
        }),
        Function(PyMethodDef {
            ml_name: c"dumps_str".as_ptr(),
            ml_meth: PyMethodDefPointer { PyCFunctionFastWithKeywords: dumps::<IN_PLACE, true> },
            ml_flags: METH_FASTCALL | METH_KEYWORDS,
            ml_doc: docstrings::DUMPS_STR.as_ptr(),
        }),
        Function(PyMethodDef {
            ml_name: c"loads".as_ptr(),
            ml_meth: PyMethodDefPointer { PyCFunction: loads::<IN_PLACE> },
            ml_flags: METH_O,
            ml_doc: docstrings::LOADS.as_ptr(),
        }),
        Function(PyMethodDef {
            ml_name: c"cpu_tiers".as_ptr(),
            ml_meth: PyMethodDefPointer { PyCFunction: cpu_tiers },
            ml_flags: METH_NOARGS,
            ml_doc: docstrings::CPU_TIERS.as_ptr(),
        }),
        function(c"json_dumps", json_dumps, docstrings::JSON_DUMPS),
        Function(PyMethodDef {
            ml_name: c"json_loads".as_ptr(),
            ml_meth: PyMethodDefPointer { PyCFunction: json_loads },
            ml_flags: METH_O,
            ml_doc: docstrings::JSON_LOADS.as_ptr(),
        }),
        function(c"reformat", reformat, docstrings::REFORMAT),
        Function(PyMethodDef {
            ml_name: c"canonicalize".as_ptr(),
            ml_meth: PyMethodDefPointer { PyCFunction: canonicalize },
            ml_flags: METH_O,
            ml_doc: docstrings::CANONICALIZE.as_ptr(),
        }),
    ]
}

/// `_starve(count)`, in test builds: lets the Rust allocation after the next `count` fail.
#[cfg(feature = "checked")]
unsafe extern "C" fn starve(_: *mut PyObject, count: *mut PyObject) -> *mut PyObject {
    // SAFETY: `count` is a live object, because the interpreter calls this, and it keeps the
    // arguments of a call alive. The result of PyLong_AsLongLong is valid, because the error is
    // checked.
    unsafe {
        let count = PyLong_AsLongLong(count);
        if count == -1 && !PyErr_Occurred().is_null() {
            return null_mut();
        }
        PyLong_FromLongLong(crate::starvation::starve(count))
    }
}

/// The functions that only test builds have.
#[cfg(feature = "checked")]
pub(super) static TEST_FUNCTIONS: [Function; 1] = [Function(PyMethodDef {
    ml_name: c"_starve".as_ptr(),
    ml_meth: PyMethodDefPointer { PyCFunction: starve },
    ml_flags: METH_O,
    ml_doc: c"_starve(count, /)\n--\n\nLet the Rust allocation after the next count fail.".as_ptr(),
})];

/// The functions that only test builds have: none.
#[cfg(not(feature = "checked"))]
pub(super) static TEST_FUNCTIONS: [Function; 0] = [];
