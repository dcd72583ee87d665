//! Dicts whose members cannot be written as they stand: sorted, or with keys of other types.
//!
//! All keys are turned into text before the first member is written, so that a key that cannot
//! be is found first, whatever the values are.

use std::io::Write;

use snooze_core::out::{FloatText, Room, Written};

use super::frame::{Entries, FrameKind, Next, Opening};
use super::{Context, time};
use crate::config::Config;
use crate::py::compat::FREE_THREADED;
use crate::py::int::Int;
use crate::py::text::Chars;
use crate::py::types::{self, Base, Kind};
use crate::py::{Attached, Obj, Owned, Raised, call, dict, error, int, text};

const NOT_A_STR: &core::ffi::CStr = c"Dict key must be str";
const NO_KEY: &core::ffi::CStr = c"Dict key must a type serializable with OPT_NON_STR_KEYS";
const SURROGATE: &core::ffi::CStr = c"str is not valid UTF-8: surrogates not allowed";

/// How a dict (exact, or of a subclass, or a frozendict) is to be written.
#[inline(never)]
pub(super) fn begin(cx: &mut Context<'_>, py: &mut Attached, dict: &Owned) -> Result<Next, Raised> {
    let is_ordered = types::is_ordered_dict(dict.get());
    let any_keys = cx.config.has(Config::NON_STR_KEYS);
    let sorted = cx.config.has(Config::SORT_KEYS);
    if !(is_ordered || any_keys || sorted || FREE_THREADED) {
        if dict::size(dict.get()) == 0 {
            return Ok(Next::Empty(b'{'));
        }
        return Ok(Next::Open(Opening::new(FrameKind::Dict, dict.clone())));
    }
    let members =
        if is_ordered { dict::ordered_entries(py, dict)? } else { dict::entries(py, dict.get())? };
    let mut entries = Entries::default();
    for (key, value) in members {
        if types::is_exact_str(key.get()) {
            entries.push(value, |text| append_text(key.get(), text))?;
        } else if any_keys {
            entries.push(value, |text| append_any(cx, py, key, text))?;
        } else if sorted {
            return Err(not_a_str());
        } else {
            // As in a walk over the dict itself, what is wrong before it is found first.
            entries.refused = true;
            break;
        }
    }
    if sorted {
        entries.sort();
    }
    Ok(entries.into_next(dict))
}

/// How a dataclass's `__dict__`, which is not empty, is to be written.
pub(super) fn begin_public(py: &mut Attached, attributes: Owned) -> Result<Next, Raised> {
    if !FREE_THREADED {
        return Ok(Next::Open(Opening::new(FrameKind::Public, attributes)));
    }
    let mut entries = Entries::default();
    for (name, value) in dict::entries(py, attributes.get())? {
        let name = exact_str(&name)?;
        if !is_private::<false>(name)? {
            entries.push(value, |text| append_text(name, text))?;
        }
    }
    Ok(entries.into_frame(&attributes))
}

/// The key, if it is an exact `str`.
#[inline(always)]
pub(super) fn exact_str(key: &Owned) -> Result<Obj<'_>, Raised> {
    check_str(key.get())
}

/// The key, if it is an exact `str`.
#[inline(always)]
pub(super) fn check_str(key: Obj<'_>) -> Result<Obj<'_>, Raised> {
    if types::is_exact_str(key) { Ok(key) } else { Err(not_a_str()) }
}

/// The error of a key that is no string.
#[cold]
pub(super) fn not_a_str() -> Raised {
    error::type_error(NOT_A_STR)
}

/// Whether a name begins with an underscore.
#[inline(always)]
pub(super) fn is_private<const DIRECT: bool>(name: Obj<'_>) -> Result<bool, Raised> {
    Ok(match text::chars::<DIRECT>(name)? {
        Chars::Ascii(units) | Chars::Latin1(units) => units.first() == Some(&b'_'),
        Chars::Ucs2(units) => units.first() == Some(&u16::from(b'_')),
        Chars::Ucs4(units) => units.first() == Some(&u32::from(b'_')),
    })
}

/// Whether two `str` are equal.
pub(crate) fn is_same_text(left: Obj<'_>, right: Obj<'_>) -> bool {
    if left == right {
        return true;
    }
    match (text::chars::<false>(left), text::chars::<false>(right)) {
        (Ok(Chars::Ascii(left)), Ok(Chars::Ascii(right))) => left == right,
        (Ok(Chars::Latin1(left)), Ok(Chars::Latin1(right))) => left == right,
        (Ok(Chars::Ucs2(left)), Ok(Chars::Ucs2(right))) => left == right,
        (Ok(Chars::Ucs4(left)), Ok(Chars::Ucs4(right))) => left == right,
        _ => false,
    }
}

/// Appends bytes, or raises MemoryError.
pub(crate) fn append(target: &mut Vec<u8>, bytes: &[u8]) -> Result<(), Raised> {
    target.try_reserve(bytes.len()).map_err(|_| error::no_memory())?;
    target.extend_from_slice(bytes);
    Ok(())
}

/// Appends a `str` as UTF-8.
pub(crate) fn append_text(source: Obj<'_>, target: &mut Vec<u8>) -> Result<(), Raised> {
    match text::chars::<false>(source)? {
        Chars::Ascii(bytes) => append(target, bytes),
        Chars::Latin1(units) => append_units(units.iter().map(|&unit| unit.into()), target),
        Chars::Ucs2(units) => append_units(units.iter().map(|&unit| unit.into()), target),
        Chars::Ucs4(units) => append_units(units.iter().copied(), target),
    }
}

fn append_units(
    units: impl ExactSizeIterator<Item = u32>,
    target: &mut Vec<u8>,
) -> Result<(), Raised> {
    target.try_reserve(units.len() * 4).map_err(|_| error::no_memory())?;
    for unit in units {
        let Some(char) = char::from_u32(unit) else {
            return Err(surrogate());
        };
        target.extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes());
    }
    Ok(())
}

/// The error of a string that UTF-8 cannot carry.
#[cold]
pub(crate) fn surrogate() -> Raised {
    error::type_error(SURROGATE)
}

/// Appends formatted text to a vector that has room for it.
fn append_display(target: &mut Vec<u8>, value: impl core::fmt::Display) -> Result<(), Raised> {
    // Enough for any number of 64 bits, so that writing does not allocate.
    target.try_reserve(32).map_err(|_| error::no_memory())?;
    write!(target, "{value}").map_err(|_| error::no_memory())
}

/// Appends the text of a key that is a scalar.
pub(crate) fn append_scalar(key: Obj<'_>, target: &mut Vec<u8>) -> Result<(), Raised> {
    match types::kind(key) {
        Kind::Str => append_text(key, target),
        Kind::Int => append_int(key, target),
        Kind::Bool if types::is_true(key) => append(target, b"true"),
        Kind::Bool => append(target, b"false"),
        Kind::Float if int::float_value(key).is_finite() => {
            append(target, FloatText::new(int::float_value(key)).as_bytes())
        }
        _ => append(target, b"null"),
    }
}

/// Whether a key is a scalar whose text nothing is wrong with.
#[inline(always)]
pub(super) fn is_good_scalar(key: Obj<'_>) -> bool {
    match types::kind(key) {
        Kind::Str => match text::chars::<true>(key) {
            Ok(Chars::Ascii(_) | Chars::Latin1(_)) => true,
            Ok(Chars::Ucs2(units)) => !units.iter().any(|unit| (0xd800..0xe000).contains(unit)),
            Ok(Chars::Ucs4(units)) => !units.iter().any(|unit| (0xd800..0xe000).contains(unit)),
            Err(Raised) => false,
        },
        Kind::Int => int::in_place(key).is_some(),
        kind => matches!(kind, Kind::Bool | Kind::Float | Kind::None),
    }
}

/// Writes a key that [`is_good_scalar`], and no `str`, as the name of a member.
#[inline(never)]
pub(crate) fn scalar_name<'r>(room: &'r mut Room, key: Obj<'_>) -> Written<'r> {
    match types::kind(key) {
        Kind::Int => room.int(int::in_place(key).unwrap_or_default(), b':'),
        Kind::Bool if types::is_true(key) => room.bytes(b"true", b':'),
        Kind::Bool => room.bytes(b"false", b':'),
        Kind::Float if int::float_value(key).is_finite() => {
            room.float(&FloatText::new(int::float_value(key)), b':')
        }
        _ => room.bytes(b"null", b':'),
    }
}

/// Appends the text of a key of any type that may be one. Enums lead to their values.
pub(crate) fn append_any(
    cx: &mut Context<'_>,
    py: &mut Attached,
    key: Owned,
    target: &mut Vec<u8>,
) -> Result<(), Raised> {
    let mut key = key;
    for _ in 0..super::frame::MAX_DEPTH {
        match types::kind(key.get()) {
            Kind::List | Kind::Dict | Kind::Tuple => break,
            Kind::Other => {}
            _ => return append_scalar(key.get(), target),
        }
        if let Some(kind) = cx.state.times.kind(key.get()) {
            let stamp = time::stamp(cx, py, &key, kind)?;
            return stamp.with_bytes(|bytes| append(target, bytes));
        }
        let class = cx.class(py, &key)?;
        if class.is_uuid {
            return append(target, &super::special::uuid(cx.state, py, &key)?);
        }
        match class.base {
            Some(Base::Str) => return append_text(key.get(), target),
            Some(Base::Int) if !class.is_enum => return append_int(key.get(), target),
            _ => {}
        }
        if !class.is_enum {
            break;
        }
        key = call::attribute(py, &key, &cx.state.names.value)?;
    }
    Err(error::type_error(NO_KEY))
}

fn append_int(key: Obj<'_>, target: &mut Vec<u8>) -> Result<(), Raised> {
    match int::value::<false>(key)? {
        Int::Signed(value) => append_display(target, value),
        Int::Unsigned(value) => append_display(target, value),
        Int::Big => Err(error::type_error(c"Dict integer key must be within 64-bit range")),
    }
}
