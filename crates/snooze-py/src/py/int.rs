//! `int`: its handles, reading its value, and making one.
//!
//! Separate because both directions share it. Invariant: an `int` built in place has the bytes that
//! the interpreter would give it; `verify` compares them. Called by both walks.

use pyo3_ffi::*;

use crate::py::error::no_memory;
use crate::py::handle::{Builtin, Handle, Strong, type_flags};
use crate::py::layout::Long;
use crate::py::{Attached, Obj, Owned, Raised, compat, refcount};

/// The type `int`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IntType {}

/// An `int` or an instance of a subclass.
pub(crate) type Int<'a> = Handle<'a, IntType>;
/// A strong reference to an `int` or to an instance of a subclass.
pub(crate) type OwnedInt = Strong<IntType>;

// SAFETY: every instance begins with a `PyLongObject`, because subclasses extend the layout of
// `int`; the flag says which types are subclasses.
unsafe impl Builtin for IntType {
    #[inline(always)]
    fn type_object() -> *mut PyTypeObject {
        &raw mut PyLong_Type
    }

    #[inline(always)]
    fn has_instance(object: Obj<'_>) -> bool {
        type_flags(object) & Py_TPFLAGS_LONG_SUBCLASS != 0
    }
}

/// The value of an `int`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IntValue {
    /// Fits a signed 64-bit integer.
    Signed(i64),
    /// Larger, but fits an unsigned 64-bit integer.
    Unsigned(u64),
    /// Fits neither.
    Big,
}

/// The value of an `int`.
#[inline(always)]
pub(crate) fn value<const DIRECT: bool>(object: Int<'_>) -> Result<IntValue, Raised> {
    if DIRECT {
        return Ok(in_place(object).map_or_else(|| wide_in_place(object), IntValue::Signed));
    }
    value_by_calls(object)
}

/// The value of an `int` of more than two digits.
///
/// Raises nothing, unlike [`value_by_calls`]: the destruction of an exception may run a finaliser.
#[cold]
fn wide_in_place(object: Int<'_>) -> IntValue {
    // SAFETY: a live `int`, because of its type; the digits read are inside it, because its tag
    // counts them.
    let (magnitude, negative) = unsafe {
        let long = object.as_ptr().cast::<Long>();
        let (count, negative) = Long::size((*long).tag);
        let first = (&raw const (*long).digits).cast::<u32>();
        if count > 3 {
            return IntValue::Big;
        }
        let digit =
            |index: usize| u128::from(first.add(index).read()) << (DIGIT_BITS * index as u32);
        ((0..count).map(digit).sum::<u128>(), negative)
    };
    match (u64::try_from(magnitude), i64::try_from(magnitude)) {
        (_, Ok(value)) if !negative => IntValue::Signed(value),
        (Ok(value), _) if !negative => IntValue::Unsigned(value),
        (Ok(value), _) if value <= i64::MIN.unsigned_abs() => {
            IntValue::Signed(value.wrapping_neg() as i64)
        }
        _ => IntValue::Big,
    }
}

/// The value of an `int` of at most two digits of 30 bits; `None` for any other.
#[inline(always)]
pub(crate) fn in_place(object: Int<'_>) -> Option<i64> {
    // SAFETY: a live `int`, because of its type; the digits read are inside it, because
    // its tag counts them.
    unsafe {
        let long = object.as_ptr().cast::<Long>();
        let (digits, negative) = Long::size((*long).tag);
        let first = || (&raw const (*long).digits).cast::<u32>();
        let magnitude = match digits {
            0 => 0,
            1 => i64::from(first().read()),
            2 => i64::from(first().read()) | i64::from(first().add(1).read()) << 30,
            _ => return None,
        };
        Some(if negative { -magnitude } else { magnitude })
    }
}

#[inline(never)]
fn value_by_calls(object: Int<'_>) -> Result<IntValue, Raised> {
    let mut overflow = 0;
    // SAFETY: attached and a live `int`, because of its type; so no call here runs Python code.
    // Errors are told apart from values below.
    unsafe {
        let value = PyLong_AsLongLongAndOverflow(object.as_ptr(), &mut overflow);
        if overflow == 0 {
            return if value == -1 && !PyErr_Occurred().is_null() {
                Err(Raised)
            } else {
                Ok(IntValue::Signed(value))
            };
        }
        if overflow < 0 {
            return Ok(IntValue::Big);
        }
        let value = PyLong_AsUnsignedLongLong(object.as_ptr());
        if value != u64::MAX || PyErr_Occurred().is_null() {
            return Ok(IntValue::Unsigned(value));
        }
        if PyErr_ExceptionMatches(PyExc_OverflowError) == 0 {
            return Err(Raised);
        }
        PyErr_Clear();
        Ok(IntValue::Big)
    }
}

/// The value of an `int` that is not negative and has at most 128 bits; `None` for any other.
pub(crate) fn in_place_128(object: Int<'_>) -> Option<u128> {
    // SAFETY: a live `int`, because of its type; the digits read are inside it, because its tag
    // counts them.
    unsafe {
        let long = object.as_ptr().cast::<Long>();
        let (count, negative) = Long::size((*long).tag);
        let first = (&raw const (*long).digits).cast::<u32>();
        // The fifth digit begins at bit 120.
        if negative || count > 5 || count == 5 && first.add(4).read() >= 1 << 8 {
            return None;
        }
        Some(
            (0..count).fold(0, |value, digit| {
                value | u128::from(first.add(digit).read()) << (30 * digit)
            }),
        )
    }
}

/// The value of an exact `int`; `None` if it is negative or has more than 128 bits, or if it is an
/// instance of a subclass, whose shift could be Python code.
pub(crate) fn value_128(_py: &Attached, object: Int<'_>) -> Result<Option<u128>, Raised> {
    if Int::exact(object.obj()).is_none() {
        return Ok(None);
    }
    // SAFETY: attached, because there is a witness; a live exact `int`, because that is checked, so
    // no call here runs Python code; every result is checked. A shifted exact `int` is an `int`.
    unsafe {
        let half = Owned::take(PyLong_FromLong(64))?;
        let high = Owned::take(PyNumber_Rshift(object.as_ptr(), half.as_ptr()))?;
        let low = PyLong_AsUnsignedLongLongMask(object.as_ptr());
        if low == u64::MAX && !PyErr_Occurred().is_null() {
            return Err(Raised);
        }
        Ok(match Int::any(high.get()).map(value_by_calls).transpose()? {
            Some(IntValue::Signed(high)) if high >= 0 => {
                Some((high as u128) << 64 | u128::from(low))
            }
            Some(IntValue::Unsigned(high)) => Some(u128::from(high) << 64 | u128::from(low)),
            _ => None,
        })
    }
}

/// Makes an `int`.
#[inline(always)]
pub(crate) fn new(_py: &Attached, value: i64) -> Result<Owned, Raised> {
    // SAFETY: attached, because there is a witness; the result is checked.
    unsafe { Owned::take(PyLong_FromLongLong(value)) }
}

/// Makes an `int` that is not among [`SmallInts`].
///
/// PERF: one allocation instead of three calls and their branches on the size.
#[inline(always)]
pub(crate) fn new_large<const DIRECT: bool>(py: &Attached, value: i64) -> Result<Owned, Raised> {
    if !DIRECT || !compat::BUILDS_OBJECTS || value.unsigned_abs() >> 60 != 0 {
        return new(py, value);
    }
    let magnitude = value.unsigned_abs();
    let (low, high) = (magnitude as u32 & DIGIT_MASK, (magnitude >> DIGIT_BITS) as u32);
    // SAFETY: attached, because there is a witness; the result is checked. The fields written are
    // inside the allocation, because it has the size of a `Long`. The interpreter may use the
    // object, because PyObject_Malloc is its allocator of integers, and `verify` compared such an
    // object with one of the interpreter's.
    unsafe {
        let object = PyObject_Malloc(size_of::<Long>()).cast::<Long>();
        if object.is_null() {
            return Err(no_memory());
        }
        refcount::write_head(object.cast(), &raw mut PyLong_Type);
        (*object).tag = Long::tag(1 + usize::from(high != 0), value < 0);
        (*object).digits = [low, high];
        Owned::take(object.cast())
    }
}

/// The number of bits in a digit of an `int`.
const DIGIT_BITS: u32 = 30;
const DIGIT_MASK: u32 = (1 << DIGIT_BITS) - 1;

/// The small integers, which are frequent in documents, made once.
///
/// The interpreter caches the smallest of them as well, but behind a call.
#[derive(Debug)]
pub(crate) struct SmallInts(Vec<Owned>);

impl SmallInts {
    /// The smallest one, which is also the smallest that the interpreter caches.
    const FIRST: i64 = -5;
    /// The largest one: at least the largest that the interpreter caches. On free-threaded builds
    /// no larger, because threads would contend for the reference counts of the others.
    const LAST: i64 = if compat::FREE_THREADED { 256 } else { 1024 };

    /// Makes all of them.
    pub(crate) fn new(py: &Attached) -> Result<Self, Raised> {
        let mut ints = Vec::new();
        let count = (Self::LAST - Self::FIRST + 1) as usize;
        ints.try_reserve_exact(count).map_err(|_| no_memory())?;
        for value in Self::FIRST..=Self::LAST {
            ints.push(new(py, value)?);
        }
        Ok(Self(ints))
    }

    /// A new strong reference to the integer of this value; `None` if it is not small.
    #[inline(always)]
    pub(crate) fn get(&self, _py: &Attached, value: i64) -> Option<Owned> {
        let index = value.wrapping_sub(Self::FIRST) as u64;
        // Compared before it is cut to a `usize`, which may have 32 bits.
        if index >= self.0.len() as u64 {
            return None;
        }
        self.0.get(index as usize).cloned()
    }
}

/// Makes an `int` of an unsigned value.
#[inline(always)]
pub(crate) fn new_unsigned(_py: &Attached, value: u64) -> Result<Owned, Raised> {
    // SAFETY: attached, because there is a witness; the result is checked.
    unsafe { Owned::take(PyLong_FromUnsignedLongLong(value)) }
}

/// Makes an `int` of a JSON integer of any length.
///
/// Raises `ValueError` if it has more digits than the interpreter allows.
#[cold]
pub(crate) fn of_digits(py: &mut Attached, digits: &[u8]) -> Result<OwnedInt, Raised> {
    of_text(py, digits, 10)
}

/// Makes an `int` of digits of a base, after a sign if there is one. From 3.12 on, Python code of the
/// interpreter converts long ones.
///
/// Raises `ValueError` if it has more decimal digits than the interpreter allows.
#[cold]
pub(crate) fn of_text(_py: &mut Attached, digits: &[u8], base: i32) -> Result<OwnedInt, Raised> {
    let mut text = Vec::new();
    text.try_reserve_exact(digits.len() + 1).map_err(|_| no_memory())?;
    text.extend_from_slice(digits);
    text.push(0);
    // SAFETY: attached, because there is a witness; terminated, because a zero was appended; the
    // result is checked, and is an `int`, because the call makes one.
    unsafe {
        let number = PyLong_FromString(text.as_ptr().cast(), core::ptr::null_mut(), base);
        Ok(OwnedInt::assume(Owned::take(number)?))
    }
}

/// Makes an `int` of 128 bits.
pub(crate) fn new_128(_py: &Attached, value: u128) -> Result<Owned, Raised> {
    let bytes = value.to_le_bytes();
    // SAFETY: attached, because there is a witness; the start and length of an array; the result is
    // checked.
    unsafe { Owned::take(compat::_PyLong_FromByteArray(bytes.as_ptr(), bytes.len(), 1, 0)) }
}

/// Whether an `int` is less than zero.
pub(crate) fn is_negative(_py: &Attached, value: Int<'_>) -> Result<bool, Raised> {
    let mut overflow = 0;
    // SAFETY: a live `int`, because of its type, so that no Python code runs; a writable result,
    // because it is a local variable.
    let value = unsafe { PyLong_AsLongLongAndOverflow(value.as_ptr(), &mut overflow) };
    Ok(if overflow == 0 { value < 0 } else { overflow < 0 })
}

/// Whether an `int` is a multiple of a number that is not zero; a subclass's `__mod__` is not asked.
#[cold]
pub(crate) fn is_multiple(py: &Attached, value: Int<'_>, of: i64) -> Result<bool, Raised> {
    let of = new(py, of)?;
    // SAFETY: attached, because there is a witness; the methods of a static type, which never
    // change; they take live `int`s and instances of subclasses, which the values are, because of
    // its type and because one is new; the result is checked.
    let remainder = unsafe {
        let methods = PyLong_Type.tp_as_number;
        let Some(remainder) = (*methods).nb_remainder else { return Ok(false) };
        Owned::take(remainder(value.as_ptr(), of.as_ptr()))?
    };
    let Some(remainder) = Int::any(remainder.get()) else { return Ok(false) };
    Ok(value_by_calls(remainder)? == IntValue::Signed(0))
}
