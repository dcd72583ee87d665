//! `EncoderBase`: its methods, and `Compiled` as the plan of a codec.
//!
//! Separate from `codec`, which has what decoders and encoders share. Invariant: a call keeps the
//! plan in use, so that the garbage collector does not drop it. Called by CPython and by `init`.

use core::mem::MaybeUninit;
use core::ptr::null_mut;

use pyo3_ffi::*;
use snooze_core::out::{NoMemory, Out};

use crate::docstrings;
use crate::encode::typed;
use crate::encode::typed::Compiled;
use crate::module::codec::{self, Methods, Plan, return_value};
use crate::module::entry::{function, slice_of};
use crate::module::state::State;
use crate::py::bytearray::ByteArray;
use crate::py::codec::{Codec, CodecType};
use crate::py::int::{Int, IntValue};
use crate::py::message::Message;
use crate::py::output::{INLINE, Output};
use crate::py::tuple::Tuple;
use crate::py::{Attached, Obj, Owned, Raised, bytearray, call, error, int, singletons, tuple};
use crate::rewrite;
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

static METHODS: Methods<8> = Methods([
    codec::method(c"encode", encode, docstrings::ENCODE),
    codec::method(c"encode_str", encode_str, docstrings::ENCODE_STR),
    PyMethodDef {
        ml_name: c"encode_into".as_ptr(),
        ml_meth: PyMethodDefPointer { PyCFunctionFastWithKeywords: encode_into },
        ml_flags: METH_FASTCALL | METH_KEYWORDS,
        ml_doc: docstrings::ENCODE_INTO.as_ptr(),
    },
    function(c"_encode_lines", encode_lines, docstrings::ENCODE_LINES).0,
    codec::method(c"_encode_canonical", encode_canonical, docstrings::ENCODE_CANONICAL),
    codec::method(c"_encode_kept", encode_kept, docstrings::ENCODE_KEPT),
    codec::method(c"_compile", codec::compile::<Compiled>, docstrings::COMPILE),
    PyMethodDef::zeroed(),
]);

/// Encodes an object; `make_result` turns the output and its length into the result: a `str` if
/// `TEXT`.
///
/// # Safety
/// `this` is an instance of `EncoderBase` and `object` an object or null, both borrowed for the
/// whole call from CPython.
#[inline(always)]
unsafe fn encode_object<const TEXT: bool>(
    this: *mut PyObject,
    object: *mut PyObject,
    make_result: impl FnOnce(&mut Attached, Output<'_>, usize) -> Result<Owned, Raised>,
) -> Result<Owned, Raised> {
    // SAFETY: the thread is attached and `object` is borrowed for the whole call, because the
    // caller guarantees that CPython calls.
    let (mut py, object) =
        unsafe { (Attached::assume(), Obj::from_ptr(object).ok_or_else(error::null_argument)?) };
    // SAFETY: `this` is a `Codec<Compiled>`, because the caller guarantees its type.
    let (plan, codec, state) = unsafe {
        let plan = Codec::<Compiled>::plan(&mut py, this)?;
        (plan, Codec::<Compiled>::of(this), codec::codec_state::<Compiled>(this))
    };
    let _in_use = codec.in_use();
    let mut inline = [const { MaybeUninit::uninit() }; INLINE];
    let past = state.runtime.output_past.here();
    let mut output = match TEXT {
        true => Output::of_text(&mut inline, past, state.runtime.direct),
        false => Output::new(&mut inline, past),
    };
    output.space_by(plan.white_space());
    let State { runtime, encoder_type, .. } = state;
    let written = typed::encode(runtime, encoder_type, &mut py, plan, object, &mut output)?;
    if let Some(&layout) = plan.layout() {
        return rewrite::in_layout(runtime, &mut py, output, written, layout, make_result);
    }
    let mut len = written.len;
    if plan.newline() {
        let mut out = Out::resume(&mut output, len)?;
        out.byte(b'\n')?;
        len = out.len();
    }
    make_result(&mut py, output, len)
}

/// `encode(obj, /)`.
unsafe extern "C" fn encode(this: *mut PyObject, object: *mut PyObject) -> *mut PyObject {
    // SAFETY: `this` is an instance of `EncoderBase`, because only that type has this method; both
    // are borrowed for the whole call, because CPython calls.
    return_value(unsafe {
        encode_object::<false>(this, object, |_, output, len| output.finish(len))
    })
}

/// `encode_str(obj, /)`.
unsafe extern "C" fn encode_str(this: *mut PyObject, object: *mut PyObject) -> *mut PyObject {
    // SAFETY: `this` is an instance of `EncoderBase`, because only that type has this method; both
    // are borrowed for the whole call, because CPython calls.
    return_value(unsafe {
        encode_object::<true>(this, object, |py, output, len| output.finish_as_text(py, len))
    })
}

/// `_encode_canonical(obj, /)`.
unsafe extern "C" fn encode_canonical(this: *mut PyObject, object: *mut PyObject) -> *mut PyObject {
    // SAFETY: `this` is an instance of `EncoderBase`, because only that type has this method; both
    // are borrowed for the whole call, because CPython calls.
    return_value(unsafe { encode_canonical_text(this, object) })
}

/// The canonical form of an object's text.
///
/// # Safety
/// As for [`encode_object`].
unsafe fn encode_canonical_text(
    this: *mut PyObject,
    object: *mut PyObject,
) -> Result<Owned, Raised> {
    // SAFETY: as in `encode_object`.
    let (mut py, object) =
        unsafe { (Attached::assume(), Obj::from_ptr(object).ok_or_else(error::null_argument)?) };
    // SAFETY: as in `encode_object`.
    let (plan, codec, state) = unsafe {
        let plan = Codec::<Compiled>::plan(&mut py, this)?;
        (plan, Codec::<Compiled>::of(this), codec::codec_state::<Compiled>(this))
    };
    let _in_use = codec.in_use();
    let mut inline = [const { MaybeUninit::uninit() }; INLINE];
    let mut output = Output::new(&mut inline, state.runtime.output_past.here());
    let State { runtime, encoder_type, .. } = state;
    let written = typed::encode(runtime, encoder_type, &mut py, plan, object, &mut output)?;
    rewrite::canonical_of_written(runtime, &py, output, written)
}

/// `_encode_kept(obj, /)`.
unsafe extern "C" fn encode_kept(this: *mut PyObject, object: *mut PyObject) -> *mut PyObject {
    // SAFETY: `this` is an instance of `EncoderBase`, because only that type has this method; both
    // are borrowed for the whole call, because CPython calls.
    return_value(unsafe { encode_text_and_objects(this, object) })
}

/// A tuple of the text and of the objects that have tokens in it.
///
/// # Safety
/// As for [`encode_object`].
unsafe fn encode_text_and_objects(
    this: *mut PyObject,
    object: *mut PyObject,
) -> Result<Owned, Raised> {
    // SAFETY: as in `encode_object`.
    let (mut py, object) =
        unsafe { (Attached::assume(), Obj::from_ptr(object).ok_or_else(error::null_argument)?) };
    // SAFETY: as in `encode_object`.
    let (plan, codec, state) = unsafe {
        let plan = Codec::<Compiled>::plan(&mut py, this)?;
        (plan, Codec::<Compiled>::of(this), codec::codec_state::<Compiled>(this))
    };
    let _in_use = codec.in_use();
    let mut inline = [const { MaybeUninit::uninit() }; INLINE];
    let mut output = Output::new(&mut inline, state.runtime.output_past.here());
    let State { runtime, encoder_type, .. } = state;
    let (len, mut kept) =
        typed::encode_kept(runtime, encoder_type, &mut py, plan, object, &mut output)?;
    let mut parts = Vec::new();
    parts.try_reserve_exact(2).map_err(|_| error::no_memory())?;
    parts.push(output.finish(len)?);
    parts.push(tuple::new(&py, &mut kept, 0)?);
    tuple::new(&py, &mut parts, 0)
}

/// `encode_into(obj, buffer, offset=0)`.
unsafe extern "C" fn encode_into(
    this: *mut PyObject,
    arguments: *const *mut PyObject,
    count: Py_ssize_t,
    names: *mut PyObject,
) -> *mut PyObject {
    // SAFETY: `this` is an instance of `EncoderBase`, because only that type has this method.
    // `arguments` has `count` positional arguments and then one for each name, all borrowed for the
    // whole call, because that is the vectorcall convention.
    return_value(unsafe {
        let mut values = [null_mut(); 3];
        parse_encode_into(arguments, count, names, &mut values).and_then(|()| {
            let [object, buffer, offset] = values;
            let buffer = Obj::from_ptr(buffer).ok_or_else(error::null_argument)?;
            let offset = parse_offset(Obj::from_ptr(offset))?;
            let Some(target) = ByteArray::exact(buffer) else {
                let mut message = Message::new();
                message.text("encode_into() needs a bytearray, not ")?.full_type_name(buffer)?;
                return Err(message.type_error());
            };
            encode_object::<false>(this, object, |py, output, len| {
                bytearray::write_into(py, target, offset, output.written(len))
            })
        })
    })
}

/// Sorts the arguments of `encode_into` into `values`: `obj`, `buffer`, `offset`; null if not
/// given.
///
/// # Safety
/// `arguments`, `count` and `names` follow the vectorcall convention.
unsafe fn parse_encode_into(
    arguments: *const *mut PyObject,
    count: Py_ssize_t,
    names: *mut PyObject,
    values: &mut [*mut PyObject; 3],
) -> Result<(), Raised> {
    let wrong = || error::type_error(c"encode_into() takes obj, buffer and offset=0");
    let count = count as usize;
    if count > values.len() {
        return Err(wrong());
    }
    // SAFETY: every index is below the number of arguments or of names, and each name is a `str`,
    // because the caller guarantees the vectorcall convention.
    unsafe {
        for (index, value) in values.iter_mut().enumerate().take(count) {
            *value = arguments.add(index).read();
        }
        let keywords = Obj::from_ptr(names).and_then(Tuple::exact).map_or(0, tuple::len);
        for index in 0..keywords {
            let name = PyTuple_GET_ITEM(names, index as Py_ssize_t);
            let parameter = [c"obj", c"buffer", c"offset"].iter().position(|parameter| {
                PyUnicode_CompareWithASCIIString(name, parameter.as_ptr()) == 0
            });
            match parameter.and_then(|parameter| values.get_mut(parameter)) {
                Some(value) if value.is_null() => *value = arguments.add(count + index).read(),
                _ => return Err(wrong()),
            }
        }
    }
    if values[0].is_null() || values[1].is_null() {
        return Err(wrong());
    }
    Ok(())
}

/// The value of the `offset` argument: 0 if not given; raises if it cannot be an offset.
fn parse_offset(offset: Option<Obj<'_>>) -> Result<usize, Raised> {
    let Some(offset) = offset else { return Ok(0) };
    let Some(offset) = Int::exact(offset) else {
        return Err(error::type_error(c"offset must be an int"));
    };
    match int::value::<false>(offset)? {
        // Beyond a `usize` it is beyond every buffer, too.
        IntValue::Signed(value) if value >= 0 => Ok(usize::try_from(value).unwrap_or(usize::MAX)),
        IntValue::Signed(_) => Err(error::value_error(c"offset must not be negative")),
        _ => Err(error::value_error(
            c"offset: expected at most the length of the bytearray, found an int beyond 64 bits",
        )),
    }
}

/// `_encode_lines(iterator, limit, /)`.
unsafe extern "C" fn encode_lines(
    this: *mut PyObject,
    arguments: *mut *mut PyObject,
    count: Py_ssize_t,
) -> *mut PyObject {
    // SAFETY: `this` is an instance of `EncoderBase`, because only that type has this method. The
    // thread is attached, and the arguments are `count` objects, borrowed for the whole call,
    // because that is the vectorcall convention; an `Obj` is one pointer that is not null.
    return_value(unsafe {
        let mut py = Attached::assume();
        let arguments: &[Obj<'_>] = slice_of(arguments.cast_const().cast(), count as usize);
        match *arguments {
            [iterator, limit] => match limit_of(limit) {
                Ok(limit) => encode_items(&mut py, this, &iterator.to_owned(), limit),
                Err(Raised) => Err(Raised),
            },
            _ => Err(error::type_error(c"_encode_lines() takes an iterator and an int")),
        }
    })
}

/// The `limit` argument of `_encode_lines`.
fn limit_of(limit: Obj<'_>) -> Result<usize, Raised> {
    match Int::exact(limit).map(int::value::<false>).transpose()? {
        Some(IntValue::Signed(limit)) => Ok(usize::try_from(limit).unwrap_or(usize::MAX)),
        _ => Err(error::type_error(c"_encode_lines() takes an iterator and an int")),
    }
}

/// A tuple of a text with a line for each item, the number of lines, an exception or `None`, and
/// whether that came from the iterator. The text ends before the item with the exception, or once
/// it has `limit` bytes.
///
/// # Safety
/// `this` is an instance of `EncoderBase`, borrowed for the whole call.
unsafe fn encode_items(
    py: &mut Attached,
    this: *mut PyObject,
    iterator: &Owned,
    limit: usize,
) -> Result<Owned, Raised> {
    // SAFETY: `this` is a `Codec<Compiled>`, because the caller guarantees its type.
    let state = unsafe { codec::codec_state::<Compiled>(this) };
    let mut inline = [const { MaybeUninit::uninit() }; INLINE];
    let mut text = Output::new(&mut inline, state.runtime.output_past.here());
    let (mut len, mut count) = (0, 0_u64);
    let (mut failed, mut is_of_iterator) = (false, false);
    while len < limit {
        let next = {
            // An iterator may call this again, and so on.
            let _in_progress = state.runtime.calls.enter()?;
            call::next(py, iterator)
        };
        let item = match next {
            Ok(Some(item)) => item,
            Ok(None) => break,
            Err(Raised) => {
                (failed, is_of_iterator) = (true, true);
                break;
            }
        };
        // SAFETY: the caller guarantees `this`; the item is live, because it is owned.
        let written = unsafe {
            encode_object::<false>(this, item.as_ptr(), |py, output, written| {
                len = add_line(&mut text, len, output.written(written))?;
                Ok(singletons::none(py))
            })
        };
        if written.is_err() {
            failed = true;
            break;
        }
        count += 1;
    }
    let exception = match failed {
        false => singletons::none(py),
        true if error::must_propagate(py) => return Err(Raised),
        true => error::take_any(py).ok_or_else(error::no_memory)?,
    };
    let mut parts = Vec::new();
    parts.try_reserve_exact(4).map_err(|_| error::no_memory())?;
    parts.push(text.finish(len)?);
    parts.push(int::new_unsigned(py, count)?);
    parts.push(exception);
    parts.push(singletons::boolean(py, is_of_iterator));
    tuple::new(py, &mut parts, 0)
}

/// Adds a document and a line feed to a text of `len` bytes; returns its length. Line feeds inside
/// the document, which only copied JSON has, between its tokens, become spaces.
fn add_line(text: &mut Output<'_>, len: usize, document: &[u8]) -> Result<usize, NoMemory> {
    let mut rest = document.strip_suffix(b"\n").unwrap_or(document);
    let mut out = Out::resume(text, len)?;
    while let Some((line, after)) = memchr::memchr(b'\n', rest).map(|at| rest.split_at(at)) {
        out.raw(line)?;
        out.byte(b' ')?;
        rest = after.get(1..).unwrap_or_default();
    }
    out.raw(rest)?;
    out.byte(b'\n')?;
    Ok(out.len())
}
