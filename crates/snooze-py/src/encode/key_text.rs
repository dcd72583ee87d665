//! The text of keys that need no Python code: strings, numbers, booleans, `None`.
//!
//! Separate from `keys`, which also handles enums, times and UUIDs and may run Python code. Called
//! by `keys`, `dataclass_instance`, the walks, `typed::keys`, and `typed::path` for messages.

use std::io::Write;

use snooze_core::out::{FloatText, Room, Written};

use crate::encode::utf8::{append, append_text};
use crate::py::int::{Int, IntValue};
use crate::py::types::Kind;
use crate::py::unicode::{Chars, Str};
use crate::py::{Obj, Raised, error, float, int, singletons, types, unicode};

/// Returns the key if its type is exactly `str`, else raises.
#[inline(always)]
pub(crate) fn check_str(key: Obj<'_>) -> Result<Str<'_>, Raised> {
    Str::exact(key).ok_or_else(not_a_str)
}

const NOT_A_STR: &core::ffi::CStr = c"Dict key must be str";

/// The error for a key that is not a `str`.
#[cold]
pub(crate) fn not_a_str() -> Raised {
    error::type_error(NOT_A_STR)
}

/// Whether a name begins with an underscore.
#[inline(always)]
pub(crate) fn is_private<const DIRECT: bool>(name: Str<'_>) -> Result<bool, Raised> {
    Ok(match unicode::chars::<DIRECT>(name)? {
        Chars::Ascii(units) | Chars::Latin1(units) => units.first() == Some(&b'_'),
        Chars::Ucs2(units) => units.first() == Some(&u16::from(b'_')),
        Chars::Ucs4(units) => units.first() == Some(&u32::from(b'_')),
    })
}

/// Whether two `str` have the same characters.
pub(crate) fn is_same_text(left: Str<'_>, right: Str<'_>) -> bool {
    if left == right {
        return true;
    }
    match (unicode::chars::<false>(left), unicode::chars::<false>(right)) {
        (Ok(Chars::Ascii(left)), Ok(Chars::Ascii(right))) => left == right,
        (Ok(Chars::Latin1(left)), Ok(Chars::Latin1(right))) => left == right,
        (Ok(Chars::Ucs2(left)), Ok(Chars::Ucs2(right))) => left == right,
        (Ok(Chars::Ucs4(left)), Ok(Chars::Ucs4(right))) => left == right,
        _ => false,
    }
}

/// Appends a formatted number.
fn append_display(target: &mut Vec<u8>, value: impl core::fmt::Display) -> Result<(), Raised> {
    // Enough for any 64-bit number, so `write!` does not allocate.
    target.try_reserve(32).map_err(|_| error::no_memory())?;
    write!(target, "{value}").map_err(|_| error::no_memory())
}

/// Appends the text of a scalar key.
pub(crate) fn append_scalar(key: Obj<'_>, target: &mut Vec<u8>) -> Result<(), Raised> {
    match types::kind(key) {
        Kind::Str(text) => append_text(text, target),
        Kind::Int(number) => append_int(number, target),
        Kind::Bool if singletons::is_true(key) => append(target, b"true"),
        Kind::Bool => append(target, b"false"),
        Kind::Float(number) => append_float(float::value(number), target),
        _ => append(target, b"null"),
    }
}

/// Appends the text of a key that is a float; of one that is not finite, `null`.
pub(crate) fn append_float(value: f64, target: &mut Vec<u8>) -> Result<(), Raised> {
    if value.is_finite() {
        return append(target, FloatText::new(value).as_bytes());
    }
    append(target, b"null")
}

/// Whether a key is a scalar that [`scalar_name`] or the string writer can write without an error.
#[inline(always)]
pub(crate) fn is_writable_scalar(key: Obj<'_>) -> bool {
    match types::kind(key) {
        Kind::Str(text) => unicode::chars::<true>(text).is_ok_and(|chars| !chars.has_surrogates()),
        Kind::Int(number) => int::in_place(number).is_some(),
        kind => matches!(kind, Kind::Bool | Kind::Float(_) | Kind::None),
    }
}

/// Writes a key that is no `str` and for which [`is_writable_scalar`] holds, as a member name.
#[inline(never)]
pub(crate) fn scalar_name<'r>(room: &'r mut Room, key: Obj<'_>) -> Written<'r> {
    match types::kind(key) {
        Kind::Int(number) => room.int(int::in_place(number).unwrap_or_default(), b':'),
        Kind::Bool if singletons::is_true(key) => room.bytes(b"true", b':'),
        Kind::Bool => room.bytes(b"false", b':'),
        Kind::Float(number) if float::value(number).is_finite() => {
            room.float(&FloatText::new(float::value(number)), b':')
        }
        _ => room.bytes(b"null", b':'),
    }
}

/// Appends the text of an `int` key of up to 64 bits.
pub(crate) fn append_int(number: Int<'_>, target: &mut Vec<u8>) -> Result<(), Raised> {
    match int::value::<false>(number)? {
        IntValue::Signed(value) => append_display(target, value),
        IntValue::Unsigned(value) => append_display(target, value),
        IntValue::Big => Err(error::type_error(c"Dict integer key must be within 64-bit range")),
    }
}
