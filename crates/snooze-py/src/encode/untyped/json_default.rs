//! Calls of `default` for `snooze.json`, with the rules of the module `json`.
//!
//! Separate from `classify`, whose rules are orjson's. Invariant: each call is recorded, so that
//! Python's own code can begin again, when the rest of a document needs it, without calling `default`
//! twice for an object. Called by `walk`.

use crate::encode::action::Action;
use crate::encode::context::Context;
use crate::encode::depth::DEFAULT_LIMIT;
use crate::py::float::Float;
use crate::py::tuple::Tuple;
use crate::py::{Attached, Owned, Raised, call, error, list, singletons, tuple, types};

/// The error that leaves a document to Python's own code.
#[cold]
pub(super) fn left_to_python() -> Raised {
    error::type_error(c"not for the fast writer")
}

/// Decides how to write an object that is neither a scalar nor an exact container: by the result of
/// `default`, unless `json` writes it by itself.
///
/// The context's `default` is a tuple `(default, calls)`. The object and the result are appended to
/// the list `calls`; or the object, the exception and `None`.
#[inline(never)]
pub(super) fn action(
    cx: &mut Context<'_>,
    py: &mut Attached,
    object: &Owned,
) -> Result<Action, Raised> {
    let value = object.get();
    let is_known = types::is_scalar(value)
        || types::base(value).is_some()
        || Float::any(value).is_some()
        || Tuple::any(value).is_some();
    if is_known || cx.open_defaults >= DEFAULT_LIMIT {
        return Err(left_to_python());
    }
    let Some(pair) = &cx.default else { return Err(left_to_python()) };
    let &[Some(default), Some(calls)] = tuple::items_of(pair.get(), py) else {
        return Err(left_to_python());
    };
    let (default, calls) = (default.to_owned(), calls.to_owned());
    match call::call_one(py, &default, object) {
        Ok(result) => {
            list::append(py, &calls, object)?;
            list::append(py, &calls, &result)?;
            Ok(Action::Replace { object: result, is_default: true })
        }
        Err(Raised) => {
            // Python's own code would perhaps not call `default` again.
            if error::must_propagate(py) {
                return Err(Raised);
            }
            let exception = error::take_any(py).ok_or(Raised)?;
            list::append(py, &calls, object)?;
            list::append(py, &calls, &exception)?;
            list::append(py, &calls, &singletons::none(py))?;
            Err(left_to_python())
        }
    }
}
