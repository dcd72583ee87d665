//! `dumps`, `loads` and `cpu_tiers`: what CPython calls when they are called.
//!
//! Every entry makes the witness that the thread is attached, finds the state of the module instance
//! that it belongs to, and calls safe code.

use core::ptr::null_mut;
use core::slice;

use pyo3_ffi::*;
use snooze_core::arch::Tier;

use crate::docstrings;
use crate::module::cell::state_of;
use crate::module::codec::returned;
use crate::module::state::State;
use crate::py::{Attached, Obj, Owned, Raised, error, tuple, unicode};
use crate::{arguments, decode, encode};

#[cold]
fn not_ready() -> *mut PyObject {
    error::runtime_error(c"the module snooze._snooze is not initialised");
    null_mut()
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
        let keywords = names.map_or(0, tuple::len);
        let values = slice_of(arguments.wrapping_add(count).cast::<Obj<'_>>(), keywords);
        (Attached::assume(), state, positional, names, values)
    };
    let keywords = values.iter().enumerate().filter_map(|(index, &value)| {
        // SAFETY: the caller has the tuple of names as long as the call.
        let name = unsafe { Obj::from_ptr(PyTuple_GET_ITEM(names?.as_ptr(), index as _))? };
        Some((name, value))
    });
    returned(
        arguments::dumps(positional, keywords).and_then(|call| {
            encode::untyped::dumps(&state.runtime, &state.dumps_pool, &mut py, call)
        }),
    )
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
    returned(decode::untyped::loads(&state.runtime, &state.loads_pool, &py, object))
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
        (c"active", tier_name(state.runtime.dispatch.tier())?),
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
    unicode::decode_utf8(tier.name().as_bytes())
}

/// A method definition; the interpreter never writes to it.
#[repr(transparent)]
pub(super) struct Method(pub(super) PyMethodDef);

// SAFETY: read only, and the strings and functions it points to live as long as the process.
unsafe impl Sync for Method {}

pub(super) static METHODS: [Method; 3] = methods::<false>();

/// The same, if the state of modules can be read in place.
pub(super) static QUICK_METHODS: [Method; 3] = methods::<true>();

const fn methods<const SEEN: bool>() -> [Method; 3] {
    [
        Method(PyMethodDef {
            ml_name: c"dumps".as_ptr(),
            ml_meth: PyMethodDefPointer { PyCFunctionFastWithKeywords: dumps::<SEEN> },
            ml_flags: METH_FASTCALL | METH_KEYWORDS,
            ml_doc: docstrings::DUMPS.as_ptr(),
        }),
        Method(PyMethodDef {
            ml_name: c"loads".as_ptr(),
            ml_meth: PyMethodDefPointer { PyCFunction: loads::<SEEN> },
            ml_flags: METH_O,
            ml_doc: docstrings::LOADS.as_ptr(),
        }),
        Method(PyMethodDef {
            ml_name: c"cpu_tiers".as_ptr(),
            ml_meth: PyMethodDefPointer { PyCFunction: cpu_tiers },
            ml_flags: METH_NOARGS,
            ml_doc: docstrings::CPU_TIERS.as_ptr(),
        }),
    ]
}

/// `_starve(count)`, in test builds: lets the Rust allocation after the next `count` fail.
#[cfg(feature = "checked")]
unsafe extern "C" fn starve(_: *mut PyObject, count: *mut PyObject) -> *mut PyObject {
    // SAFETY: called by the interpreter with a live argument; every result is checked.
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
pub(super) static TEST_METHODS: [Method; 1] = [Method(PyMethodDef {
    ml_name: c"_starve".as_ptr(),
    ml_meth: PyMethodDefPointer { PyCFunction: starve },
    ml_flags: METH_O,
    ml_doc: c"_starve(count, /)\n--\n\nLet the Rust allocation after the next count fail.".as_ptr(),
})];

/// The functions that only test builds have: none.
#[cfg(not(feature = "checked"))]
pub(super) static TEST_METHODS: [Method; 0] = [];
