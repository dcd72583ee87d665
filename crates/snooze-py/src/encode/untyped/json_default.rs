//! Calls of `default` for `snooze.json`, with the rules of the module `json`.
//!
//! Separate from `classify`, whose rules are orjson's. Invariants: each call is recorded, so that
//! Python's own code can begin again, when the rest of a document needs it, without calling
//! `default` twice for an object; a result that only Python's own code can write is written by it
//! in its place, because the call may have changed the document. Called by `walk`.

use crate::encode::action::Action;
use crate::encode::context::Context;
use crate::encode::depth::{DEFAULT_LIMIT, DUMPS_LIMIT};
use crate::encode::frame::{FrameKind, Stack};
use crate::py::bytes::Bytes;
use crate::py::compat;
use crate::py::dict::Cursor;
use crate::py::float::Float;
use crate::py::int::IntValue;
use crate::py::tuple::Tuple;
use crate::py::types::Kind;
use crate::py::unicode::Str;
use crate::py::{
    Attached, Obj, Owned, Raised, call, error, float, int, list, singletons, tuple, types, unicode,
};

/// A result with more levels of containers is looked at by other code first.
const LEVELS: usize = 4;

/// The error that leaves a document to Python's own code.
#[cold]
pub(super) fn left_to_python() -> Raised {
    error::type_error(c"not for the fast writer")
}

/// Decides how to write an object that is neither a scalar nor an exact container: by the result of
/// `default`, unless `json` writes it by itself.
///
/// The context's `default` is a tuple `(default, calls, rest)`. The object and the result are
/// appended to the list `calls`, and `rest(result, depth)` returns the JSON of the result, or
/// `None` if it is written here; for a simple result it is not called. If `default` raises an
/// exception, the object, the exception and `None` are appended.
#[inline(never)]
pub(super) fn action(
    cx: &mut Context<'_>,
    py: &mut Attached,
    object: &Owned,
    stack: &Stack,
) -> Result<Action, Raised> {
    let value = object.get();
    if is_probed(cx, value) {
        return Ok(Action::Null);
    }
    if is_known(value) || cx.open_defaults >= DEFAULT_LIMIT || is_open(cx, stack, value) {
        return Err(left_to_python());
    }
    let Some(functions) = &cx.default else { return Err(left_to_python()) };
    let &[Some(default), Some(calls), Some(rest)] = tuple::items_of(functions.get(), py) else {
        return Err(left_to_python());
    };
    let (default, calls, rest) = (default.to_owned(), calls.to_owned(), rest.to_owned());
    match call::call_one(py, &default, object) {
        Ok(result) => {
            list::append(py, &calls, object)?;
            list::append(py, &calls, &result)?;
            let depth = stack.len() - cx.open_defaults;
            if !is_simple(py, result.get(), LEVELS.min(DUMPS_LIMIT.saturating_sub(depth)))? {
                let depth = int::new(py, depth as i64)?;
                let text = call::call_two(py, &rest, &result, &depth)?;
                if let Some(json) = Bytes::exact(text.get()) {
                    return Ok(Action::RawJson(json.to_owned()));
                }
            }
            Ok(Action::Replace { object: result, is_default: true })
        }
        Err(Raised) => {
            // Python's own code would perhaps not call `default` again.
            if error::must_propagate(py) {
                return Err(Raised);
            }
            let exception = error::take_any(py)
                .ok_or_else(|| error::system_error(c"a call failed without an exception"))?;
            list::append(py, &calls, object)?;
            list::append(py, &calls, &exception)?;
            list::append(py, &calls, &singletons::none(py))?;
            Err(left_to_python())
        }
    }
}

/// Whether `json` writes the object by itself.
fn is_known(value: Obj<'_>) -> bool {
    types::is_scalar(value)
        || types::base(value).is_some()
        || Float::any(value).is_some()
        || Tuple::any(value).is_some()
}

/// Whether the object is one for `default` that is written as null; notes that there is one.
#[inline(always)]
pub(super) fn is_probed(cx: &Context<'_>, value: Obj<'_>) -> bool {
    match &cx.probed {
        Some(found) if !is_known(value) => {
            found.set(true);
            true
        }
        _ => false,
    }
}

/// Whether a result of `default` for this object is being written.
fn is_open(cx: &Context<'_>, stack: &Stack, value: Obj<'_>) -> bool {
    cx.open_defaults != 0
        && stack.positions.iter().zip(&stack.containers).any(|(position, object)| {
            position.kind == FrameKind::DefaultResult && object.get() == value
        })
}

/// Whether the walk certainly writes the object: a scalar that JSON has, or such scalars in at most
/// so many levels of containers.
fn is_simple(py: &Attached, value: Obj<'_>, levels: usize) -> Result<bool, Raised> {
    let is_container = !types::is_scalar(value);
    if is_container && (levels == 0 || compat::FREE_THREADED) {
        return Ok(false);
    }
    match types::kind(value) {
        Kind::None | Kind::Bool => Ok(true),
        Kind::Int(number) => Ok(int::value::<false>(number)? != IntValue::Big),
        Kind::Float(number) => Ok(float::value(number).is_finite()),
        Kind::Str(text) => Ok(!unicode::chars::<false>(text)?.has_surrogates()),
        Kind::List(list) => {
            let frozen = list::freeze(list)?.into_owned();
            are_simple(py, list::items_of(frozen.get(), py), levels)
        }
        Kind::Tuple(tuple) => are_simple(py, tuple::items(tuple, py), levels),
        Kind::Dict(dict) => {
            let mut cursor = Cursor::new(dict);
            while let Some((key, value)) = cursor.next::<false>(dict, py)? {
                if Str::exact(key).is_none()
                    || !is_simple(py, key, 0)?
                    || !is_simple(py, value, levels - 1)?
                {
                    return Ok(false);
                }
            }
            Ok(true)
        }
        Kind::Other => Ok(false),
    }
}

fn are_simple(py: &Attached, items: &[Option<Obj<'_>>], levels: usize) -> Result<bool, Raised> {
    for item in items.iter().flatten() {
        if !is_simple(py, *item, levels - 1)? {
            return Ok(false);
        }
    }
    Ok(true)
}
