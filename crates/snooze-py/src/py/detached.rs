//! Running without the interpreter.
//!
//! Separate because it is the one place that gives the GIL up. Invariant: what runs meanwhile has
//! no `Attached`, so it cannot touch an object. Called by the functions of `module` for lines, and
//! by `decode::cuts`.

use pyo3_ffi::*;

use crate::py::{Attached, Raised};

/// Runs `work` while other threads may use the interpreter.
pub(crate) fn detached<R>(_py: &mut Attached, work: impl FnOnce() -> R + Send) -> R
where
    R: Send,
{
    // SAFETY: attached, because there is a witness, which is borrowed mutably, so that no reference
    // that needs it is used meanwhile; attached again before this returns, and a panic aborts.
    unsafe {
        let state = PyEval_SaveThread();
        let result = work();
        PyEval_RestoreThread(state);
        result
    }
}

/// Runs the handlers of the signals that have arrived, such as Ctrl-C.
pub(crate) fn check_signals(_py: &mut Attached) -> Result<(), Raised> {
    // SAFETY: attached, because there is a witness; the result is checked.
    if unsafe { PyErr_CheckSignals() } != 0 { Err(Raised) } else { Ok(()) }
}
