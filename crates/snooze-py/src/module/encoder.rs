//! `EncoderBase`: its methods, and its plan as `codec` wants it.

use core::mem::MaybeUninit;
use core::ptr::null_mut;

use pyo3_ffi::*;

use crate::docstrings;
use crate::encode::typed;
use crate::encode::typed::Compiled;
use crate::module::codec;
use crate::module::codec::{Methods, Plan, returned};
use crate::module::state::State;
use crate::py::codec::{Codec, CodecType};
use crate::py::message::Message;
use crate::py::output::{INLINE, Output};
use crate::py::{Attached, Obj, Owned, Raised, bytearray, error, int, tuple, unicode};
use crate::runtime::Runtime;

impl Plan for Compiled {
    fn compile(py: &mut Attached, runtime: &Runtime, description: &Owned) -> Result<Self, Raised> {
        typed::compile(py, runtime, description)
    }

    fn visit(&self, see: &mut dyn FnMut(&Owned)) {
        self.visit_objects(see);
    }

    fn clear(&self) {
        Self::clear(self);
    }
}

/// Makes the type `EncoderBase`.
pub(super) fn new_type(module: *mut PyObject, new: newfunc) -> Result<CodecType<Compiled>, Raised> {
    let methods = (&raw const METHODS).cast_mut().cast();
    codec::new_type(module, c"snooze._snooze.EncoderBase", docstrings::ENCODER, methods, new)
}

static METHODS: Methods<5> = Methods([
    codec::method(c"encode", encode, docstrings::ENCODE),
    codec::method(c"encode_str", encode_str, docstrings::ENCODE_STR),
    PyMethodDef {
        ml_name: c"encode_into".as_ptr(),
        ml_meth: PyMethodDefPointer { PyCFunctionFastWithKeywords: encode_into },
        ml_flags: METH_FASTCALL | METH_KEYWORDS,
        ml_doc: docstrings::ENCODE_INTO.as_ptr(),
    },
    codec::method(c"_compile", codec::compile::<Compiled>, codec::COMPILE_DOC),
    PyMethodDef::zeroed(),
]);

/// Encodes an object, and makes the result of what was written.
///
/// # Safety
/// `this` is an instance of our type and `object` an object, both borrowed for the whole call.
#[inline(always)]
unsafe fn encoded(
    this: *mut PyObject,
    object: *mut PyObject,
    make: impl FnOnce(&mut Attached, Output<'_>, usize) -> Result<Owned, Raised>,
) -> Result<Owned, Raised> {
    // SAFETY: called by the interpreter.
    let (mut py, object) = unsafe { (Attached::assume(), Obj::from_ptr(object).ok_or(Raised)?) };
    // SAFETY: by the caller.
    let (plan, codec, state) = unsafe {
        let plan = Codec::<Compiled>::plan(&mut py, this)?;
        (plan, Codec::<Compiled>::of(this), codec::state_of::<Compiled>(this))
    };
    let _in_use = codec.in_use();
    let mut inline = [const { MaybeUninit::uninit() }; INLINE];
    let mut output = Output::new(&mut inline, &state.runtime.output_sizes);
    let State { runtime, encoder_type, .. } = state;
    let len = typed::encode(runtime, encoder_type, &mut py, plan, object, &mut output)?;
    make(&mut py, output, len)
}

unsafe extern "C" fn encode(this: *mut PyObject, object: *mut PyObject) -> *mut PyObject {
    // SAFETY: called by the interpreter as a method of our type.
    returned(unsafe { encoded(this, object, |_, output, len| output.finish(len)) })
}

unsafe extern "C" fn encode_str(this: *mut PyObject, object: *mut PyObject) -> *mut PyObject {
    // SAFETY: called by the interpreter as a method of our type.
    returned(unsafe {
        encoded(this, object, |py, output, len| {
            let written = output.written(len);
            match written.is_ascii() {
                true => unicode::new_ascii::<false>(py, written),
                false => unicode::decode_utf8(written),
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
            if bytearray::len(target).is_none() {
                let mut message = Message::new();
                message.text("encode_into() needs a bytearray, not ")?.full_type_name(target)?;
                return Err(message.type_error());
            }
            encoded(this, object, |py, output, len| {
                let end = bytearray::write_into(py, target, offset, output.written(len))?;
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
        let keywords = Obj::from_ptr(names).map_or(0, tuple::len);
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
