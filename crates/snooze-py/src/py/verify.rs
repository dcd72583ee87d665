//! The check at import that the private layouts match the running interpreter.
//!
//! Separate from `layout` because it calls everything that reads or writes by those layouts.
//! Invariant: if anything differs from the C-API's answers (a new CPython, another platform), the
//! module uses the C-API everywhere: `DIRECT` is false in the walks. Called by `runtime`.

use core::ffi::c_void;
use core::mem::offset_of;

use pyo3_ffi::*;

use crate::py::dict::{Cursor, Dict};
use crate::py::error::no_memory;
use crate::py::int::Int;
use crate::py::layout::{DictKeys, Long};
use crate::py::lock::Lock;
use crate::py::unicode::{
    ASCII_DATA, COMPACT_DATA, Chars, OwnedStr, Str, TextState, chars, kept_utf8,
};
use crate::py::{
    Attached, Owned, Raised, compat, dict, float, instance, int, list, lock, str_build,
};

/// Compares the layouts of strings, numbers and dicts with the C-API; false if any differs.
pub(crate) fn verify(py: &Attached) -> Result<bool, Raised> {
    Ok(size_of::<usize>() == 8
        && cfg!(target_endian = "little")
        && verify_texts(py)?
        && verify_ints(py)?
        && (!compat::BUILDS_OBJECTS || verify_floats(py)?)
        && lock::verify(&list::empty(py)?, py)
        && (!compat::BUILDS_OBJECTS || list::verify(py)?)
        && verify_dicts(py)?
        && (!compat::BUILDS_OBJECTS || verify_new_dicts(py)?))
}

/// Compares the layout of instances with the C-API, after [`verify`] has succeeded.
pub(crate) fn verify_instances(py: &Attached) -> Result<bool, Raised> {
    instance::read::verify(py)
}

fn verify_texts(py: &Attached) -> Result<bool, Raised> {
    let samples = ["", "a", "plain ASCII", "\u{e9}t\u{e9}", "\u{8a9e}", "x\u{1f600}"];
    // SAFETY: attached, because there is a witness; the format matches the arguments, because it is
    // written beside them; the result is checked.
    let subclass = unsafe {
        let (base, metatype) = (&raw mut PyUnicode_Type, (&raw mut PyType_Type).cast());
        Owned::take(PyObject_CallFunction(metatype, c"s(O){}".as_ptr(), c"Text".as_ptr(), base))?
    };
    for sample in samples {
        // SAFETY: attached, because there is a witness; a start and length of UTF-8, because both
        // are of one `&str`; the result is checked.
        let text = unsafe {
            let length = sample.len() as Py_ssize_t;
            Owned::take(PyUnicode_FromStringAndSize(sample.as_ptr().cast(), length))?
        };
        let Some(text) = OwnedStr::exact(text) else { return Ok(false) };
        let state = TextState::of(text.get());
        // SAFETY: a live `str`, because it is owned; ready, because it was made from UTF-8.
        let kind = unsafe { PyUnicode_KIND(text.get().as_ptr()) } as u32;
        if state.kind() != kind
            || !state.is_compact()
            || state.is_compact_ascii() != sample.is_ascii()
        {
            return Ok(false);
        }
        // The kind is right, so with the right offset `chars` reads only the string's characters.
        let offset = if sample.is_ascii() { ASCII_DATA } else { COMPACT_DATA };
        // SAFETY: a live `str`, because it is owned; ready, because it was made from UTF-8.
        let data = unsafe { PyUnicode_DATA(text.get().as_ptr()) };
        if text.get().as_ptr() as usize + offset != data as usize {
            return Ok(false);
        }
        let same = match chars::<true>(text.get())? {
            Chars::Ascii(bytes) => bytes == sample.as_bytes(),
            Chars::Latin1(units) => {
                sample.chars().map(u32::from).eq(units.iter().map(|&u| u.into()))
            }
            Chars::Ucs2(units) => sample.chars().map(u32::from).eq(units.iter().map(|&u| u.into())),
            Chars::Ucs4(units) => sample.chars().map(u32::from).eq(units.iter().copied()),
        };
        // SAFETY: live objects, because both are owned; the result is checked.
        let instance =
            unsafe { Owned::take(PyObject_CallOneArg(subclass.as_ptr(), text.get().as_ptr()))? };
        let Some(instance) = Str::any(instance.get()) else { return Ok(false) };
        if !keeps_separately(instance, kind, sample) {
            return Ok(false);
        }
        if compat::BUILDS_OBJECTS
            && sample.is_ascii()
            && !str_build::builds_the_same(py, sample.as_bytes())?
        {
            return Ok(false);
        }
        if !same || !(cfg!(Py_GIL_DISABLED) || keeps_utf8(text.get(), sample)?) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether the layout of an instance of a subclass of `str`, whose characters need units of `kind`,
/// is the expected one.
fn keeps_separately(instance: Str<'_>, kind: u32, sample: &str) -> bool {
    let state = TextState::of(instance);
    // SAFETY: a live `str`, because of its type; ready, because a type call made it. The pointer is
    // inside the object, because a `str` that is not compact is a `PyUnicodeObject`, which is more
    // than COMPACT_DATA.
    state.kind() == kind
        && !state.is_compact()
        && state.is_ascii() == sample.is_ascii()
        && unsafe {
            let data = instance.as_ptr().byte_add(COMPACT_DATA).cast::<*mut c_void>().read();
            data == PyUnicode_DATA(instance.as_ptr())
        }
}

/// Whether `kept_utf8` finds the UTF-8 of a `str` once the interpreter caches it; true for a
/// compact ASCII `str`, which is its own UTF-8.
fn keeps_utf8(text: Str<'_>, sample: &str) -> Result<bool, Raised> {
    if TextState::of(text).is_compact_ascii() {
        return Ok(true);
    }
    let object = text.as_ptr().cast::<PyCompactUnicodeObject>();
    // SAFETY: the fields are inside the object, because a `str` that is not compact ASCII begins
    // with a `PyCompactUnicodeObject`, and `verify_texts` has compared that state with the sample
    // before it calls this. The slice is valid, because it is read only after its start and length
    // were compared with the C-API's.
    unsafe {
        if !(*object).utf8.is_null() || kept_utf8(text).is_some() {
            return Ok(false);
        }
        let mut length = 0;
        let start = PyUnicode_AsUTF8AndSize(text.as_ptr(), &mut length);
        if start.is_null() {
            return Err(Raised);
        }
        Ok((*object).utf8.cast_const() == start
            && (*object).utf8_length == length
            && kept_utf8(text) == Some(sample.as_bytes()))
    }
}

/// The words of an `int` before its digits.
const INT_WORDS: usize = offset_of!(Long, digits) / size_of::<usize>();

fn verify_ints(py: &Attached) -> Result<bool, Raised> {
    let samples = [0, 1, -1, 255, 1 << 29, (1 << 30) - 1, 1 << 30, -(1 << 30), (1 << 60) - 1];
    let wide = [1 << 60, i64::MAX, i64::MIN, 1 - (1 << 60)];
    for sample in samples.into_iter().chain(wide) {
        // SAFETY: attached, because there is a witness; the result is checked.
        let value = unsafe { Owned::take(PyLong_FromLongLong(sample))? };
        match Int::exact(value.get()).and_then(int::in_place) {
            Some(read) if read != sample => return Ok(false),
            None if sample.unsigned_abs() < 1 << 60 => return Ok(false),
            _ => {}
        }
        let Some(int) = Int::exact(value.get()) else { return Ok(false) };
        if int::value::<true>(int)? != int::value::<false>(int)? {
            return Ok(false);
        }
        if compat::BUILDS_OBJECTS && !(-5..=1024).contains(&sample) {
            let built = int::new_large::<true>(py, sample)?;
            // SAFETY: live objects, because both are owned. The words read are inside them, because
            // an `int` has a header, a tag and a digit, and a second digit from 1 << 30 on.
            let same = unsafe {
                let (ours, theirs) = (built.as_ptr(), value.as_ptr());
                let head = |int: *mut PyObject| int.cast::<[usize; INT_WORDS]>().read();
                let digits = |int: *mut PyObject| int.byte_add(offset_of!(Long, digits));
                let first = |int| digits(int).cast::<u32>().read();
                let second = |int| digits(int).cast::<u32>().add(1).read();
                head(ours) == head(theirs)
                    && first(ours) == first(theirs)
                    && (sample.unsigned_abs() < 1 << 30 || second(ours) == second(theirs))
            };
            if !same {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

/// The words of a `float`.
const FLOAT_WORDS: usize = size_of::<PyFloatObject>() / size_of::<usize>();

fn verify_floats(py: &Attached) -> Result<bool, Raised> {
    for sample in [0.0, -1.5, 1e300] {
        let (ours, theirs) = (float::new_of_many::<true>(py, sample)?, float::new(py, sample)?);
        let words = |float: &Owned| {
            // SAFETY: a live `float`, because it is owned and was just made; it has these words.
            unsafe { float.as_ptr().cast::<[usize; FLOAT_WORDS]>().read() }
        };
        if words(&ours) != words(&theirs) {
            return Ok(false);
        }
    }
    Ok(true)
}

fn verify_dicts(py: &Attached) -> Result<bool, Raised> {
    // No entries; string keys; keys of several types; many entries; gaps left by deletions.
    for (entries, with_int_key, gap) in
        [(0, false, 0), (3, false, 1), (4, true, 2), (300, false, 7)]
    {
        // SAFETY: attached, because there is a witness; the result is checked.
        let dict = unsafe { Owned::take(PyDict_New())? };
        for index in 0..entries {
            // SAFETY: attached, because there is a witness; live objects, because all are owned;
            // the format matches `index`, which is an `i64`; every result is checked.
            unsafe {
                let value = Owned::take(PyLong_FromLongLong(index))?;
                let key = if with_int_key && index == 1 {
                    Owned::take(PyLong_FromLongLong(1 << 40))?
                } else {
                    Owned::take(PyUnicode_FromFormat(c"k%lld".as_ptr(), index))?
                };
                if PyDict_SetItem(dict.as_ptr(), key.as_ptr(), value.as_ptr()) != 0 {
                    return Err(Raised);
                }
            }
        }
        for index in (0..entries).step_by(if gap == 0 { 1 } else { gap as usize * 3 }) {
            // SAFETY: as above.
            unsafe {
                let key = Owned::take(PyUnicode_FromFormat(c"k%lld".as_ptr(), index))?;
                match PyDict_Contains(dict.as_ptr(), key.as_ptr()) {
                    0 => {}
                    1 if PyDict_DelItem(dict.as_ptr(), key.as_ptr()) == 0 => {}
                    _ => return Err(Raised),
                }
            }
        }
        let Some(dict) = Dict::exact(dict.get()) else { return Ok(false) };
        if !dict::read::keys_look_right(dict, with_int_key) {
            return Ok(false);
        }
        let (mut direct, mut plain) = (Cursor::new(dict), Cursor::new(dict));
        loop {
            let left = direct.next::<true>(dict, py)?;
            let right = plain.next::<false>(dict, py)?;
            if left != right {
                return Ok(false);
            }
            if left.is_none() {
                break;
            }
        }
        if !has_same_entries(dict, py)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether the entries that are borrowed under the dict's lock are those of the interpreter.
fn has_same_entries(dict: Dict<'_>, py: &Attached) -> Result<bool, Raised> {
    let Some(lock) = Lock::take(dict.obj(), py) else { return Ok(false) };
    let (strs, hashed) =
        (dict::locked_str_entries(dict, &lock), dict::locked_hashed_entries(dict, &lock));
    let entries = strs.into_iter().flatten().copied();
    let hashed = hashed.into_iter().flatten().map(|entry| entry.item);
    let mut cursor = Cursor::new(dict);
    for entry in entries.chain(hashed) {
        if let [Some(key), Some(value)] = entry
            && cursor.next::<false>(dict, py)? != Some((key, value))
        {
            return Ok(false);
        }
    }
    Ok(cursor.next::<false>(dict, py)?.is_none())
}

/// Compares keys objects built by `dict::build` with the interpreter's, byte for byte.
fn verify_new_dicts(_py: &Attached) -> Result<bool, Raised> {
    // The smallest size, its limit, one more, and a size whose index table has two-byte entries.
    for count in [1, 5, 6, 11, 86] {
        // SAFETY: attached, because there is a witness; keys and values are live, because the dict
        // owns them; the layout of dicts is known, because `verify_dicts` ran before; every result
        // is checked.
        unsafe {
            let dict = Owned::take(PyDict_New())?;
            let mut pairs = Vec::new();
            pairs.try_reserve(count as usize).map_err(|_| no_memory())?;
            for number in 0..count {
                let key = Owned::take(PyUnicode_FromFormat(c"k%zd".as_ptr(), number))?;
                if PyDict_SetItem(dict.as_ptr(), key.as_ptr(), Py_None()) != 0 {
                    return Err(Raised);
                }
                pairs.push([key.as_ptr(), Py_None()]);
            }
            let object = dict.as_ptr().cast::<PyDictObject>();
            let theirs = (*object).ma_keys.cast::<DictKeys>();
            if !(*object).ma_values.is_null() || (*object).ma_used != count {
                return Ok(false);
            }
            let Some(ours) = dict::build::NewKeys::new(&pairs)? else { return Ok(false) };
            let same = ours.is_like(theirs);
            ours.free();
            if !same {
                return Ok(false);
            }
        }
    }
    Ok(true)
}
