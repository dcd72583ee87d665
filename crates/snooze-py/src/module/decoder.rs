//! `DecoderBase`: its methods, and the plan of a decoder.
//!
//! Separate from `codec`, which has what decoders and encoders share. Invariants: a call keeps the
//! plan in use, so that the garbage collector does not drop it; a `JSONDecodeError` that leaves
//! here names its place; an error of one of many lines is returned beside the values of the lines
//! before it, so that the caller may go on behind it. Called by CPython and by `init`.

use core::iter::once;
use core::ptr::null_mut;

use pyo3_ffi::*;

use crate::decode::items::Items;
use crate::decode::lines::{Documents, Lines};
use crate::decode::policy::Policies;
use crate::decode::typed::DecodePlan;
use crate::decode::{policy, scratch, typed, untyped};
use crate::description::{self, Row};
use crate::docstrings;
use crate::module::codec::{self, Methods, Plan, return_value};
use crate::module::entry::{function, slice_of};
use crate::module::state::State;
use crate::py::bytes::{Bytes, contents};
use crate::py::codec::{Codec, CodecType};
use crate::py::int::{Int, IntValue};
use crate::py::tuple::Tuple;
use crate::py::{Attached, Obj, Owned, Raised, bytes, call, error, int, list, singletons, tuple};
use crate::runtime::Runtime;

/// The plan of a decoder.
#[allow(clippy::large_enum_variant, reason = "a box would cost each call by a type a load")]
pub(super) enum Reading {
    /// By a type.
    Typed(DecodePlan),
    /// Without a type: by the walk of `loads`, and by the plan what that does not read.
    Any(DecodePlan),
    /// Without a type, by policies.
    Policies(Policies),
    /// By a Python function, which prepares the document for another decoder.
    Function(Owned),
}

impl Plan for Reading {
    /// Reads the description of a type, `("policies", ...)` or `("function", function)`.
    fn compile(py: &mut Attached, runtime: &Runtime, description: &Owned) -> Result<Self, Raised> {
        let row = Row::new(py, description.get())?;
        if Int::exact(row.get(0)?).is_some() {
            let plan = typed::compile(py, runtime, description)?;
            return Ok(if plan.takes_any() { Self::Any(plan) } else { Self::Typed(plan) });
        }
        match description::name(row.get(0)?)? {
            b"policies" => Ok(Self::Policies(Policies::new(py, row)?)),
            b"function" => {
                let [_, function] = row.exactly()?;
                Ok(Self::Function(function.to_owned()))
            }
            _ => Err(description::unexpected(c"a kind of plan", row.get(0)?)),
        }
    }

    fn visit(&self, see: &mut dyn FnMut(&Owned)) {
        match self {
            Self::Typed(plan) | Self::Any(plan) => plan.visit_objects(see),
            Self::Policies(policies) => policies.visit(see),
            Self::Function(function) => see(function),
        }
    }
}

/// `decode(buf, /)`.
unsafe extern "C" fn decode(this: *mut PyObject, document: *mut PyObject) -> *mut PyObject {
    // SAFETY: the thread is attached and the argument is borrowed for the whole call, because
    // CPython calls.
    let (mut py, document) = unsafe { (Attached::assume(), Obj::from_ptr(document)) };
    let Some(document) = document else {
        return null_mut();
    };
    // SAFETY: `this` is an instance of `DecoderBase`, because only that type has this method.
    return_value(unsafe { decode_document(&mut py, this, document, (false, None)) })
}

/// Decodes a document by the plan of a decoder.
///
/// # Safety
/// `this` is an instance of `DecoderBase`, borrowed for the whole call.
#[inline(always)]
unsafe fn decode_document(
    py: &mut Attached,
    this: *mut PyObject,
    document: Obj<'_>,
    (discards, kept): (bool, Option<Owned>),
) -> Result<Owned, Raised> {
    // SAFETY: `this` is a `Codec<Reading>`, because the caller guarantees its type.
    let (plan, codec, state) = unsafe {
        let plan = Codec::<Reading>::plan(py, this)?;
        (plan, Codec::<Reading>::of(this), codec::codec_state::<Reading>(this))
    };
    let _in_use = codec.in_use();
    let result = match plan {
        Reading::Typed(plan) => {
            let wanted = (discards, kept);
            typed::decode(&state.runtime, &state.decode_pool, py, plan, document, wanted)
        }
        Reading::Any(plan) => decode_any(py, state, plan, document, (discards, kept)),
        _ => decode_otherwise(py, state, plan, document, discards),
    };
    result.map_err(|Raised| state.runtime.decode_error.ask_for_place(py))
}

/// Decodes a document without a type and without options for reading.
fn decode_any(
    py: &mut Attached,
    state: &State,
    plan: &DecodePlan,
    document: Obj<'_>,
    (discards, kept): (bool, Option<Owned>),
) -> Result<Owned, Raised> {
    let State { runtime, loads_pool, decode_pool, .. } = state;
    if !discards
        && kept.is_none()
        && let Some(value) = untyped::decode_exact(runtime, loads_pool, py, document)?
    {
        return Ok(value);
    }
    typed::decode(runtime, decode_pool, py, plan, document, (discards, kept))
}

/// Decodes a document by policies, or by a function.
#[inline(never)]
fn decode_otherwise(
    py: &mut Attached,
    state: &State,
    plan: &Reading,
    document: Obj<'_>,
    discards: bool,
) -> Result<Owned, Raised> {
    match plan {
        Reading::Policies(policies) => {
            policy::decode(&state.runtime, &state.policy_pool, py, policies, document)
        }
        Reading::Function(function) => {
            let discards = singletons::boolean(py, discards);
            call::call_two(py, function, &document.to_owned(), &discards)
        }
        Reading::Typed(_) | Reading::Any(_) => {
            Err(error::system_error(c"a plan of a type needs its own walk"))
        }
    }
}

/// `validate_only(buf, /)`.
unsafe extern "C" fn validate_only(this: *mut PyObject, document: *mut PyObject) -> *mut PyObject {
    // SAFETY: the thread is attached and the argument is borrowed for the whole call, because
    // CPython calls.
    let (mut py, document) = unsafe { (Attached::assume(), Obj::from_ptr(document)) };
    let Some(document) = document else {
        return null_mut();
    };
    // SAFETY: `this` is an instance of `DecoderBase`, because only that type has this method.
    let read = unsafe { decode_document(&mut py, this, document, (true, None)) };
    return_value(read.map(|_| singletons::none(&py)))
}

/// `_decode_kept((text, objects), /)`.
unsafe extern "C" fn decode_kept(this: *mut PyObject, pair: *mut PyObject) -> *mut PyObject {
    // SAFETY: the thread is attached and the argument is borrowed for the whole call, because
    // CPython calls.
    let (mut py, pair) = unsafe { (Attached::assume(), Obj::from_ptr(pair)) };
    let parts = match pair.map(|pair| tuple::items_of(pair, &py)) {
        Some(&[Some(text), Some(objects)]) if Tuple::exact(objects).is_some() => {
            Some((text.to_owned(), objects.to_owned()))
        }
        _ => None,
    };
    let Some((text, objects)) = parts else {
        error::type_error(c"_decode_kept() takes a tuple of text and objects");
        return null_mut();
    };
    // SAFETY: `this` is an instance of `DecoderBase`, because only that type has this method.
    return_value(unsafe { decode_document(&mut py, this, text.get(), (false, Some(objects))) })
}

/// `_decode_lines(text, start, number, /)`.
unsafe extern "C" fn decode_lines(
    this: *mut PyObject,
    arguments: *mut *mut PyObject,
    count: Py_ssize_t,
) -> *mut PyObject {
    // SAFETY: `this` is an instance of `DecoderBase`, because only that type has this method. The
    // thread is attached, and the arguments are `count` objects, borrowed for the whole call,
    // because that is the vectorcall convention; an `Obj` is one pointer that is not null.
    return_value(unsafe {
        let mut py = Attached::assume();
        let arguments: &[Obj<'_>] = slice_of(arguments.cast_const().cast(), count as usize);
        lines_of(arguments).and_then(|mut lines| decode_all(&mut py, this, &mut lines))
    })
}

/// `_decode_items(text, marks, number, /)`.
unsafe extern "C" fn decode_items(
    this: *mut PyObject,
    arguments: *mut *mut PyObject,
    count: Py_ssize_t,
) -> *mut PyObject {
    // SAFETY: `this` is an instance of `DecoderBase`, because only that type has this method. The
    // thread is attached, and the arguments are `count` objects, borrowed for the whole call,
    // because that is the vectorcall convention; an `Obj` is one pointer that is not null.
    return_value(unsafe {
        let mut py = Attached::assume();
        let arguments: &[Obj<'_>] = slice_of(arguments.cast_const().cast(), count as usize);
        items_of(arguments).and_then(|mut items| decode_all(&mut py, this, &mut items))
    })
}

/// The items that the arguments name.
fn items_of<'a>(arguments: &[Obj<'a>]) -> Result<Items<'a>, Raised> {
    let parsed = match *arguments {
        [text, marks, number] => Bytes::exact(text).zip(Bytes::exact(marks)).zip(position(number)),
        _ => None,
    };
    let Some(((text, marks), number)) = parsed else {
        return Err(error::type_error(c"_decode_items() takes two bytes and a position"));
    };
    Ok(Items::new(contents(text), contents(marks), number))
}

/// The number that an argument is.
fn position(number: Obj<'_>) -> Option<u64> {
    match int::value::<false>(Int::exact(number)?) {
        Ok(IntValue::Signed(number)) => u64::try_from(number).ok(),
        _ => None,
    }
}

/// The lines that the arguments name.
fn lines_of<'a>(arguments: &[Obj<'a>]) -> Result<Lines<'a>, Raised> {
    let parsed = match *arguments {
        [text, start, number] => Bytes::exact(text).zip(position(start)).zip(position(number)),
        _ => None,
    };
    let Some(((text, start), number)) = parsed else {
        return Err(error::type_error(c"_decode_lines() takes bytes and two positions"));
    };
    let start = usize::try_from(start).unwrap_or(usize::MAX);
    Ok(Lines::new(contents(text), start, number))
}

/// A tuple of a list of the values, where the reader stopped and the number of the line or item
/// there, and its exception, or `None` at the end.
///
/// # Safety
/// `this` is an instance of `DecoderBase`, borrowed for the whole call.
unsafe fn decode_all(
    py: &mut Attached,
    this: *mut PyObject,
    lines: &mut dyn Documents<'_>,
) -> Result<Owned, Raised> {
    // SAFETY: `this` is a `Codec<Reading>`, because the caller guarantees its type.
    let (plan, codec, state) = unsafe {
        let plan = Codec::<Reading>::plan(py, this)?;
        (plan, Codec::<Reading>::of(this), codec::codec_state::<Reading>(this))
    };
    let _in_use = codec.in_use();
    // Before the values, so that the collector meets it first (see `untyped::frame`).
    let list = list::empty(py)?;
    let mut values = Vec::new();
    let stopped = match decode_each(py, state, plan, lines, &mut values) {
        Ok(()) => singletons::none(py),
        Err(Raised) => {
            state.runtime.decode_error.ask_for_place(py);
            if error::must_propagate(py) {
                return Err(Raised);
            }
            error::take_any(py).ok_or_else(error::no_memory)?
        }
    };
    for value in values {
        list::append(py, &list, &value)?;
    }
    let mut parts = Vec::new();
    scratch::reserve(&mut parts, 4)?;
    parts.push(list);
    parts.push(int::new_unsigned(py, lines.start() as u64)?);
    parts.push(int::new_unsigned(py, lines.number())?);
    parts.push(stopped);
    tuple::new(py, &mut parts, 0)
}

/// Decodes the lines into `values`, up to the first one with an error.
fn decode_each(
    py: &mut Attached,
    state: &State,
    plan: &Reading,
    lines: &mut dyn Documents<'_>,
    values: &mut Vec<Owned>,
) -> Result<(), Raised> {
    let State { runtime, loads_pool, decode_pool, .. } = state;
    match plan {
        Reading::Typed(plan) => {
            return typed::decode_lines(runtime, decode_pool, py, plan, lines, values);
        }
        Reading::Any(plan) => {
            while let Some(line) =
                untyped::decode_exact_lines(runtime, loads_pool, py, lines, values)?
            {
                typed::decode_lines(runtime, decode_pool, py, plan, once(line), values)?;
            }
            return Ok(());
        }
        Reading::Policies(_) | Reading::Function(_) => {}
    }
    for line in lines {
        let line = bytes::new(py, line)?.into_owned();
        let value = decode_otherwise(py, state, plan, line.get(), false)?;
        scratch::push(values, value)?;
    }
    Ok(())
}

static METHODS: Methods<7> = Methods([
    codec::method(c"decode", decode, docstrings::DECODE),
    codec::method(c"validate_only", validate_only, docstrings::VALIDATE_ONLY),
    codec::method(c"_decode_kept", decode_kept, docstrings::DECODE_KEPT),
    function(c"_decode_lines", decode_lines, docstrings::DECODE_LINES).0,
    function(c"_decode_items", decode_items, docstrings::DECODE_ITEMS).0,
    codec::method(c"_compile", codec::compile::<Reading>, docstrings::COMPILE),
    PyMethodDef::zeroed(),
]);

/// Makes the type `DecoderBase`.
pub(super) fn new_type(module: *mut PyObject, new: newfunc) -> Result<CodecType<Reading>, Raised> {
    let methods = (&raw const METHODS).cast_mut().cast();
    codec::new_type(module, c"snooze._snooze.DecoderBase", docstrings::DECODER, methods, new)
}
