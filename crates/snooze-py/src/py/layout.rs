//! Private object layouts, and the test at import that they are what we think.
//!
//! Reading a string's kind, an integer's digits or a dict's entries in place is several times
//! faster than asking for each with a call. The layouts are the same in CPython 3.11 to 3.15 but
//! for the fields marked below; [`verify`] compares what they show with what the C-API says, for
//! objects of every kind. If anything differs (a new CPython, another platform), the module
//! takes the C-API path everywhere: `DIRECT` is false in the walks.

use core::ffi::c_void;
use core::mem::offset_of;
use core::sync::atomic::{AtomicU32, Ordering};

use pyo3_ffi::*;

use super::dict::Cursor;
use super::error::no_memory;
use super::text::{Chars, chars, kept_utf8};
use super::{Attached, Obj, Owned, Raised, compat, dict, int, new_dict};

/// Where `PyASCIIObject.state` keeps the kind: behind `interned`, which is two bits, or a byte
/// of its own on free-threaded builds.
const KIND_SHIFT: u32 = if cfg!(Py_GIL_DISABLED) { 8 } else { 2 };
const COMPACT: u32 = 1 << (KIND_SHIFT + 3);
const ASCII: u32 = 1 << (KIND_SHIFT + 4);

/// What a string's state says.
pub(super) struct TextState(u32);

impl TextState {
    /// Reads the state of a `str`.
    #[inline(always)]
    pub(super) fn of(text: Obj<'_>) -> Self {
        let state = text.as_ptr().wrapping_byte_add(offset_of!(PyASCIIObject, state));
        // SAFETY: a live `str` begins with a `PyASCIIObject`. Atomic, because on free-threaded
        // builds another thread may intern the string, which changes other bits of the word.
        Self(unsafe { AtomicU32::from_ptr(state.cast()).load(Ordering::Relaxed) })
    }

    #[inline(always)]
    pub(super) fn is_compact_ascii(&self) -> bool {
        self.0 & (COMPACT | ASCII) == COMPACT | ASCII
    }

    #[inline(always)]
    pub(super) fn is_ascii(&self) -> bool {
        self.0 & ASCII != 0
    }

    #[inline(always)]
    pub(super) fn is_compact(&self) -> bool {
        self.0 & COMPACT != 0
    }

    #[inline(always)]
    pub(super) fn kind(&self) -> u32 {
        self.0 >> KIND_SHIFT & 7
    }
}

/// Where a compact ASCII string has its characters.
pub(super) const ASCII_DATA: usize = size_of::<PyASCIIObject>();
/// Where any other compact string has its characters.
pub(super) const COMPACT_DATA: usize = size_of::<PyCompactUnicodeObject>();

/// `PyLongObject`: since 3.12 the first word is a tag of sign and size, before it is the size
/// with the sign.
#[repr(C)]
pub(super) struct Long {
    base: PyObject,
    pub(super) tag: isize,
    pub(super) digits: [u32; 2],
}

impl Long {
    /// Digits and sign of a tag.
    #[inline(always)]
    pub(super) fn size(tag: isize) -> (usize, bool) {
        if compat::INT_HAS_TAG {
            (tag as usize >> 3, tag & 3 == 2)
        } else {
            (tag.unsigned_abs(), tag < 0)
        }
    }

    /// The tag of so many digits (not none) and this sign.
    #[inline(always)]
    pub(super) fn tag(digits: usize, negative: bool) -> isize {
        if compat::INT_HAS_TAG {
            (digits << 3) as isize | isize::from(negative) << 1
        } else if negative {
            -(digits as isize)
        } else {
            digits as isize
        }
    }
}

/// `PyModuleObject` up to the state.
#[repr(C)]
struct Module {
    base: PyObject,
    dict: *mut PyObject,
    definition: *mut PyModuleDef,
    state: *mut c_void,
}

/// What may be the address of a module's state: to be compared with what the C-API says.
///
/// # Safety
/// `module` is a live module. In every version it has more words than are looked at.
#[inline(always)]
pub(crate) unsafe fn module_state(module: *mut PyObject) -> *mut c_void {
    // SAFETY: by the caller.
    unsafe { (*module.cast::<Module>()).state }
}

/// `struct _dictkeysobject` up to its table of indices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub(super) struct DictKeys {
    refcnt: Py_ssize_t,
    pub(super) log2_size: u8,
    pub(super) log2_index_bytes: u8,
    pub(super) kind: u8,
    #[cfg(Py_GIL_DISABLED)]
    mutex: u8,
    version: u32,
    usable: Py_ssize_t,
    pub(super) entries: Py_ssize_t,
}

impl DictKeys {
    /// The head of a table that belongs to one dict.
    #[inline(always)]
    pub(super) fn new(
        log2_size: u8,
        log2_index_bytes: u8,
        kind: u8,
        usable: Py_ssize_t,
        entries: Py_ssize_t,
    ) -> Self {
        Self {
            refcnt: 1,
            log2_size,
            log2_index_bytes,
            kind,
            #[cfg(Py_GIL_DISABLED)]
            mutex: 0,
            version: 0,
            usable,
            entries,
        }
    }
}

/// The value of [`DictKeys::kind`] for keys of any type: entries with a hash.
pub(super) const GENERAL_KEYS: u8 = 0;
/// The value of [`DictKeys::kind`] for keys that are all strings: entries without a hash.
pub(super) const TEXT_KEYS: u8 = 1;

/// Compares the layouts with the C-API; false if any of them is not what this file says.
pub(crate) fn verify(py: &Attached) -> Result<bool, Raised> {
    Ok(size_of::<usize>() == 8
        && cfg!(target_endian = "little")
        && verify_texts(py)?
        && verify_ints(py)?
        && (cfg!(Py_GIL_DISABLED) || verify_dicts(py)?)
        && (!compat::BUILDS_OBJECTS || verify_new_dicts(py)?))
}

/// Compares what `instance` sees with what the C-API says, once the layouts above are verified.
pub(crate) fn verify_instances(py: &Attached) -> Result<bool, Raised> {
    super::instance::verify(py)
}

fn verify_texts(_py: &Attached) -> Result<bool, Raised> {
    let samples = ["", "a", "plain ASCII", "\u{e9}t\u{e9}", "\u{8a9e}", "x\u{1f600}"];
    // SAFETY: attached; the result is checked.
    let subclass = unsafe {
        let (base, metatype) = (&raw mut PyUnicode_Type, (&raw mut PyType_Type).cast());
        Owned::take(PyObject_CallFunction(metatype, c"s(O){}".as_ptr(), c"Text".as_ptr(), base))?
    };
    for sample in samples {
        // SAFETY: attached; valid UTF-8 of that length; the result is checked.
        let text = unsafe {
            let length = sample.len() as Py_ssize_t;
            Owned::take(PyUnicode_FromStringAndSize(sample.as_ptr().cast(), length))?
        };
        let state = TextState::of(text.get());
        // SAFETY: a live, ready `str`.
        let kind = unsafe { PyUnicode_KIND(text.as_ptr()) } as u32;
        if state.kind() != kind
            || !state.is_compact()
            || state.is_compact_ascii() != sample.is_ascii()
        {
            return Ok(false);
        }
        // The kind is right, so `chars` reads only characters that are there if the offsets are
        // right, and only bytes of the object's head if they are too small by a little.
        let offset = if sample.is_ascii() { ASCII_DATA } else { COMPACT_DATA };
        // SAFETY: a live, ready `str`.
        let data = unsafe { PyUnicode_DATA(text.as_ptr()) };
        if text.as_ptr() as usize + offset != data as usize {
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
        // SAFETY: live objects; the result is checked.
        let instance =
            unsafe { Owned::take(PyObject_CallOneArg(subclass.as_ptr(), text.as_ptr()))? };
        let state = TextState::of(instance.get());
        if state.is_compact() || state.is_ascii() != sample.is_ascii() {
            return Ok(false);
        }
        if !same || !(cfg!(Py_GIL_DISABLED) || sample.is_ascii() || keeps_utf8(&text, sample)?) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether we see the UTF-8 of a `str` once the interpreter keeps it.
fn keeps_utf8(text: &Owned, sample: &str) -> Result<bool, Raised> {
    let object = text.as_ptr().cast::<PyCompactUnicodeObject>();
    // SAFETY: a live `str` that is not ASCII; its head is larger than the fields read here. The
    // slice is read only if it is what the C-API says.
    unsafe {
        if !(*object).utf8.is_null() || kept_utf8(text.get()).is_some() {
            return Ok(false);
        }
        let mut length = 0;
        let start = PyUnicode_AsUTF8AndSize(text.as_ptr(), &mut length);
        if start.is_null() {
            return Err(Raised);
        }
        Ok((*object).utf8.cast_const() == start
            && (*object).utf8_length == length
            && kept_utf8(text.get()) == Some(sample.as_bytes()))
    }
}

fn verify_ints(py: &Attached) -> Result<bool, Raised> {
    let samples = [0, 1, -1, 255, 1 << 29, (1 << 30) - 1, 1 << 30, -(1 << 30), (1 << 60) - 1];
    let wide = [1 << 60, i64::MAX, i64::MIN, 1 - (1 << 60)];
    for sample in samples.into_iter().chain(wide) {
        // SAFETY: attached; the result is checked.
        let value = unsafe { Owned::take(PyLong_FromLongLong(sample))? };
        match int::in_place(value.get()) {
            Some(read) if read != sample => return Ok(false),
            None if sample.unsigned_abs() < 1 << 60 => return Ok(false),
            _ => {}
        }
        if compat::BUILDS_OBJECTS && !(-5..=1024).contains(&sample) {
            let built = int::new_large::<true>(py, sample)?;
            // SAFETY: live objects of the same value, which are at least a head, a tag and a
            // digit, and two digits if they have two.
            let same = unsafe {
                let (ours, theirs) = (built.as_ptr(), value.as_ptr());
                let head = |int: *mut PyObject| int.cast::<[usize; 3]>().read();
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

fn verify_dicts(py: &Attached) -> Result<bool, Raised> {
    // Text keys, keys of several types, many entries, and gaps left by deletions.
    for (entries, with_int_key, gap) in
        [(0, false, 0), (3, false, 1), (4, true, 2), (300, false, 7)]
    {
        // SAFETY: attached; every result is checked.
        let dict = unsafe { Owned::take(PyDict_New())? };
        for index in 0..entries {
            // SAFETY: attached; every result is checked.
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
            // SAFETY: attached; every result is checked.
            unsafe {
                let key = Owned::take(PyUnicode_FromFormat(c"k%lld".as_ptr(), index))?;
                match PyDict_Contains(dict.as_ptr(), key.as_ptr()) {
                    0 => {}
                    1 if PyDict_DelItem(dict.as_ptr(), key.as_ptr()) == 0 => {}
                    _ => return Err(Raised),
                }
            }
        }
        if !dict::keys_look_right(dict.get(), with_int_key) {
            return Ok(false);
        }
        let (mut direct, mut plain) = (Cursor::new(dict.get()), Cursor::new(dict.get()));
        loop {
            let left = direct.next::<true>(&dict, py)?;
            let right = plain.next::<false>(&dict, py)?;
            if left != right {
                return Ok(false);
            }
            if left.is_none() {
                break;
            }
        }
    }
    Ok(true)
}

/// Compares tables that we build with the interpreter's own, byte for byte.
fn verify_new_dicts(_py: &Attached) -> Result<bool, Raised> {
    // The smallest table, its limit and one more, and one whose index has two bytes a number.
    for count in [1, 5, 6, 11, 86] {
        // SAFETY: attached; every result is checked. The dict keeps keys and values alive.
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
            let Some(table) = new_dict::Table::new(&pairs)? else { return Ok(false) };
            let same = table.is_like(theirs);
            table.free();
            if !same {
                return Ok(false);
            }
        }
    }
    Ok(true)
}
