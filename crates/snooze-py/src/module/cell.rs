//! The memory that CPython keeps for a module instance, and the way from a module to its state.

use core::mem::MaybeUninit;

use pyo3_ffi::*;

use crate::module::state::State;
use crate::py::layout;

/// What a module instance keeps. Zeroed by CPython; `ready` once `state` is initialised.
pub(super) struct Cell {
    pub(super) ready: bool,
    pub(super) state: MaybeUninit<State>,
}

/// The state of a module instance that has been initialised; with `SEEN`, read where `exec` found
/// that instances have it.
///
/// # Safety
/// `module` is an instance of this module, alive for `'a`.
#[inline(always)]
pub(super) unsafe fn state_of<'a, const SEEN: bool>(module: *mut PyObject) -> Option<&'a State> {
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

/// The state of a module instance, if it has been initialised.
///
/// # Safety
/// `module` is an instance of this module, alive for `'a`.
pub(super) unsafe fn state<'a>(module: *mut PyObject) -> Option<&'a State> {
    // SAFETY: by the caller.
    unsafe { state_of::<false>(module) }
}
