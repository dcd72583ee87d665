//! The document of a call, from the object that it was given.

use crate::decode::error::{refuse, refuse_input};
use crate::py::input::Input;
use crate::py::{Attached, Obj, Raised};
use crate::runtime::Runtime;

/// The document that an object is, which is not empty; or an exception.
#[inline(always)]
pub(crate) fn document<'a>(
    runtime: &Runtime,
    py: &Attached,
    object: Obj<'a>,
) -> Result<Input<'a>, Raised> {
    let input = if runtime.direct {
        Input::new::<true>(py, object, &runtime.names.obj)
    } else {
        Input::new::<false>(py, object, &runtime.names.obj)
    };
    match input {
        Ok(input) if !input.bytes().is_empty() => Ok(input),
        Ok(_) => Err(refuse(runtime, "Input is a zero-length, empty document")),
        Err(fault) => Err(refuse_input(runtime, fault)),
    }
}
