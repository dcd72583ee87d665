//! The methods of `EncoderBase`, and the encoders that plans lead to.
//!
//! An unsafe room: CPython calls in here. Each entry makes the witness that the thread is attached,
//! finds the plan of the object that it is called on, and calls safe code.
#![allow(unsafe_code)]

use core::ffi::CStr;
use core::mem::MaybeUninit;
use core::ptr::null_mut;

use pyo3_ffi::*;

use super::plan::EncodePlan;
use super::walk;
use crate::py::bytes::{self, INLINE, Output};
use crate::py::{Attached, Obj, Owned, Raised, error, int, list, text, types};
use crate::state::State;
use crate::typed::object::{self, Codec};

/// An object of ours that has a plan.
///
/// Invariant: an instance of the type that was made for [`EncodePlan`], whose plan is set, and is
/// in use as long as this.
#[derive(Debug)]
pub(super) struct Encoder(Owned);

impl Clone for Encoder {
    fn clone(&self) -> Self {
        // SAFETY: by the invariant.
        unsafe { Codec::<EncodePlan>::of(self.0.as_ptr()).0.count(true) }
        Self(self.0.clone())
    }
}

impl Drop for Encoder {
    fn drop(&mut self) {
        // SAFETY: by the invariant; counted when it was made.
        unsafe { Codec::<EncodePlan>::of(self.0.as_ptr()).0.count(false) }
    }
}

impl Encoder {
    /// What `resolve` gave.
    pub(super) fn new(py: &mut Attached, state: &State, object: Owned) -> Result<Self, Raised> {
        let class = state.encoder.get();
        if !class.is_some_and(|class| types::inherits(object.get(), class.get())) {
            return Err(error::type_error(c"an Encoder must be resolved to an Encoder or None"));
        }
        // SAFETY: an instance of that type, which is alive.
        unsafe {
            Codec::<EncodePlan>::plan(py, object.as_ptr())?;
            Codec::<EncodePlan>::of(object.as_ptr()).0.count(true);
        }
        Ok(Self(object))
    }

    pub(super) fn object(&self) -> &Owned {
        &self.0
    }

    #[inline(always)]
    pub(super) fn plan(&self) -> &EncodePlan {
        // SAFETY: by the invariant; a plan never changes and lives as long as its object.
        unsafe { Codec::<EncodePlan>::of(self.0.as_ptr()).0.planned().unwrap_unchecked() }
    }
}

/// The type `EncoderBase`.
pub(crate) fn new_type(module: *mut PyObject) -> Result<Owned, Raised> {
    let methods = (&raw const METHODS).cast_mut().cast();
    object::new_type::<EncodePlan>(module, c"snooze._snooze.EncoderBase", DOC, methods)
}

const DOC: &CStr = c"The base of Encoder: holds the plan of a type.";
const ENCODE_DOC: &CStr = c"encode($self, obj, /)\n--\n\nThe JSON of an object, as bytes.";
const ENCODE_STR_DOC: &CStr = c"encode_str($self, obj, /)\n--\n\nThe JSON of an object, as str.";
const ENCODE_INTO_DOC: &CStr = c"encode_into($self, obj, buffer, offset=0)\n--\n\n\
    Writes the JSON of an object into a bytearray from offset on, which grows if it has to.\n\n\
    Returns the offset behind what was written. If it fails, the bytearray is as it was.";
const COMPILE_DOC: &CStr =
    c"_compile($self, description, /)\n--\n\nSets the plan, if there is none.";

/// Method definitions; the interpreter never writes to them.
#[repr(transparent)]
struct Methods([PyMethodDef; 5]);

// SAFETY: read only, and the strings and functions it points to live as long as the process.
unsafe impl Sync for Methods {}

static METHODS: Methods = Methods([
    object::method(c"encode", encode, ENCODE_DOC),
    object::method(c"encode_str", encode_str, ENCODE_STR_DOC),
    PyMethodDef {
        ml_name: c"encode_into".as_ptr(),
        ml_meth: PyMethodDefPointer { PyCFunctionFastWithKeywords: encode_into },
        ml_flags: METH_FASTCALL | METH_KEYWORDS,
        ml_doc: ENCODE_INTO_DOC.as_ptr(),
    },
    object::method(c"_compile", object::compile::<EncodePlan>, COMPILE_DOC),
    PyMethodDef::zeroed(),
]);

fn returned(result: Result<Owned, Raised>) -> *mut PyObject {
    result.map_or(null_mut(), Owned::into_ptr)
}

/// Encodes an object, and makes the result of what was written.
///
/// # Safety
/// `this` is an instance of our type and `object` an object, both borrowed for the whole call.
#[inline(always)]
unsafe fn encoded(
    this: *mut PyObject,
    object: *mut PyObject,
    make: impl FnOnce(&mut Attached, &State, Output<'_>, usize) -> Result<Owned, Raised>,
) -> Result<Owned, Raised> {
    // SAFETY: called by the interpreter.
    let (mut py, object) = unsafe { (Attached::assume(), Obj::from_ptr(object).ok_or(Raised)?) };
    // SAFETY: by the caller.
    let (plan, state) = unsafe { Codec::<EncodePlan>::plan(&mut py, this)? };
    // SAFETY: as above.
    let _use = unsafe { Codec::<EncodePlan>::of(this).0.in_use() };
    let mut inline = [const { MaybeUninit::uninit() }; INLINE];
    let mut output = Output::new(&mut inline, &state.output_sizes);
    let len = walk::encode(state, &mut py, plan, object, &mut output)?;
    make(&mut py, state, output, len)
}

unsafe extern "C" fn encode(this: *mut PyObject, object: *mut PyObject) -> *mut PyObject {
    // SAFETY: called by the interpreter as a method of our type.
    returned(unsafe { encoded(this, object, |_, _, output, len| output.finish(len)) })
}

unsafe extern "C" fn encode_str(this: *mut PyObject, object: *mut PyObject) -> *mut PyObject {
    // SAFETY: called by the interpreter as a method of our type.
    returned(unsafe {
        encoded(this, object, |py, _, output, len| {
            let written = output.written(len);
            match written.is_ascii() {
                true => text::new_ascii::<false>(py, written),
                false => text::decode_utf8(written),
            }
        })
    })
}

unsafe extern "C" fn encode_into(
    this: *mut PyObject,
    arguments: *const *mut PyObject,
    count: Py_ssize_t,
    names: *mut PyObject,
) -> *mut PyObject {
    // SAFETY: the vectorcall convention: `count` positional arguments, then one for each name.
    returned(unsafe {
        let mut given = [null_mut(); 3];
        arguments_of(arguments, count, names, &mut given).and_then(|()| {
            let [object, buffer, offset] = given;
            let target = Obj::from_ptr(buffer).ok_or(Raised)?;
            let offset = offset_of(Obj::from_ptr(offset))?;
            if bytes::bytearray_len(target).is_none() {
                return Err(error::type_error_naming_type(
                    c"encode_into() needs a bytearray, not %s",
                    target,
                ));
            }
            encoded(this, object, |py, _, output, len| {
                let end = bytes::write_into(py, target, offset, output.written(len))?;
                int::new(py, end as i64)
            })
        })
    })
}

/// Puts the arguments of `encode_into` into their places.
///
/// # Safety
/// The vectorcall convention.
unsafe fn arguments_of(
    arguments: *const *mut PyObject,
    count: Py_ssize_t,
    names: *mut PyObject,
    given: &mut [*mut PyObject; 3],
) -> Result<(), Raised> {
    let wrong = || error::type_error(c"encode_into() takes obj, buffer and offset=0");
    let count = count as usize;
    if count > given.len() {
        return Err(wrong());
    }
    // SAFETY: by the caller.
    unsafe {
        for (index, place) in given.iter_mut().enumerate().take(count) {
            *place = arguments.add(index).read();
        }
        let keywords = Obj::from_ptr(names).map_or(0, list::tuple_len);
        for index in 0..keywords {
            let name = PyTuple_GET_ITEM(names, index as Py_ssize_t);
            let known = [c"obj", c"buffer", c"offset"];
            let place = known
                .iter()
                .position(|known| PyUnicode_CompareWithASCIIString(name, known.as_ptr()) == 0);
            match place.and_then(|place| given.get_mut(place)) {
                Some(place) if place.is_null() => *place = arguments.add(count + index).read(),
                _ => return Err(wrong()),
            }
        }
    }
    if given[0].is_null() || given[1].is_null() {
        return Err(wrong());
    }
    Ok(())
}

/// The offset, if it is a number that can be one.
fn offset_of(offset: Option<Obj<'_>>) -> Result<usize, Raised> {
    let Some(offset) = offset else { return Ok(0) };
    if !int::is_exact_int(offset) {
        return Err(error::type_error(c"offset must be an int"));
    }
    match int::value::<false>(offset)? {
        int::Int::Signed(value) if value >= 0 => Ok(value as usize),
        int::Int::Signed(_) => Err(error::value_error(c"offset must not be negative")),
        _ => Err(error::value_error(c"offset is behind the end of the bytearray")),
    }
}
