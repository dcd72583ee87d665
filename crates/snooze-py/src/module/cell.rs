//! The memory that CPython allocates for a module instance, and how to find the state in it.
//!
//! Separate from `state`, because it decides whether that memory is initialised. Invariant: `ready`
//! is set exactly while `state` is initialised. Filled by `init`; read by `functions` and `codec`.

use core::mem::MaybeUninit;

use pyo3_ffi::*;

use crate::module::state::State;
use crate::py::{Raised, error, layout};

/// The memory of a module instance. CPython zeroes it; `ready` is set once `state` is initialised.
pub(super) struct ModuleMemory {
    pub(super) ready: bool,
    pub(super) state: MaybeUninit<State>,
}

// CPython aligns what it allocates for two pointers.
const _: () = assert!(align_of::<ModuleMemory>() <= 2 * size_of::<usize>());

/// The state of a module instance, or `None` if it is not initialised.
///
/// With `IN_PLACE` the pointer to the module's memory is read from the module object instead of by
/// a call; `init` found that it is there.
///
/// # Safety
/// `module` is an instance of this module, alive for `'a`. With `IN_PLACE`,
/// [`layout::module_state`] gives the same pointer as `PyModule_GetState`.
#[inline(always)]
pub(super) unsafe fn state_of<'a, const IN_PLACE: bool>(
    module: *mut PyObject,
) -> Option<&'a State> {
    // SAFETY: the memory is a zeroed or initialised `ModuleMemory`, because the definition's
    // `m_size` asks for its size. It lives as long as the module, and only `exec`, before any
    // function can be called, and `free`, after the last reference is gone, change it.
    unsafe {
        let memory =
            if IN_PLACE { layout::module_state(module) } else { PyModule_GetState(module) };
        let memory = memory.cast::<ModuleMemory>();
        if memory.is_null() || !(*memory).ready {
            return None;
        }
        Some((*memory).state.assume_init_ref())
    }
}

/// Raises `RuntimeError`: a function was called although the import of the module failed.
#[cold]
pub(super) fn not_initialised() -> Raised {
    error::runtime_error(c"the module snooze._snooze is not initialised")
}
