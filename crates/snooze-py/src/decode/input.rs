//! The input of a call: the bytes of the document in the object that the caller passed.
//!
//! Separate from `py::input`, which takes the bytes out of an object, because this raises the
//! exceptions. Invariant: the input of a walk is never empty. Called by `untyped`, `typed`,
//! `policy` and `rewrite`.

use crate::decode::error::{raise_input_error, raise_not_utf8, raise_without_document};
use crate::py::input::{Holder, Input};
use crate::py::{Attached, Obj, Raised};
use crate::runtime::Runtime;

/// The bytes of the input object, which `holder` keeps alive if the object does not; raises if the
/// object is no input, or is empty.
#[inline(always)]
pub(crate) fn read_input<'a>(
    runtime: &Runtime,
    py: &Attached,
    object: Obj<'a>,
    holder: &'a mut Holder,
) -> Result<Input<'a>, Raised> {
    let input = if runtime.direct {
        Input::new::<true>(py, object, holder, &runtime.names.obj, &runtime.dispatch)
    } else {
        Input::new::<false>(py, object, holder, &runtime.names.obj, &runtime.dispatch)
    };
    match input {
        Ok(input) if !input.bytes().is_empty() => Ok(input),
        Ok(_) => Err(raise_without_document(runtime, "Input is a zero-length, empty document")),
        Err(input_error) => Err(raise_input_error(runtime, input_error)),
    }
}

/// [`read_input`], all of whose bytes are UTF-8: for walks that pass over comments, or hand on
/// parts of the document that are not made into strings.
pub(crate) fn read_text_input<'a>(
    runtime: &Runtime,
    py: &Attached,
    object: Obj<'a>,
    holder: &'a mut Holder,
) -> Result<Input<'a>, Raised> {
    let input = read_input(runtime, py, object, holder)?;
    if !input.is_text && core::str::from_utf8(input.bytes()).is_err() {
        return Err(raise_not_utf8(runtime, input.bytes()));
    }
    Ok(input)
}
