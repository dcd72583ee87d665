//! Python objects of numbers, strings and member names.
//!
//! Separate because all three walks share it. Everything here is inlined into the walks,
//! and compiled for each SIMD tier with them. Invariant: an object that several results share is
//! immutable. Called by `untyped`, `typed` and `policy`.

use snooze_core::arch::Vector;
use snooze_core::number::Number;
use snooze_core::read::{Reader, Text};

use crate::decode::error::ReadFailure;
use crate::decode::key_cache::{KeyCache, LONGEST};
use crate::decode::scratch::push;
use crate::decode::string_cache;
use crate::decode::string_cache::{Lookup, StringCache};
use crate::py::str_build::{StrError, new_ascii};
use crate::py::unicode::OwnedStr;
use crate::py::{Attached, Owned, Raised, float, int, str_build, unicode};
use crate::runtime::Runtime;

/// Numbers of this magnitude may be integers beyond 64 bits.
const BEYOND: f64 = 9.2e18;

/// Whether a number has lost digits: an integer beyond 64 bits became a float. `text` is the
/// number.
#[inline(always)]
pub(crate) fn is_inexact(number: Number, text: Option<&[u8]>) -> bool {
    matches!(number, Number::Float(value) if value.abs() >= BEYOND)
        && !text.is_some_and(|text| text.iter().any(|byte| matches!(byte, b'.' | b'e' | b'E')))
}

/// The object for a number.
#[inline(always)]
pub(crate) fn new_number<const DIRECT: bool>(
    py: &Attached,
    runtime: &Runtime,
    number: Number,
) -> Result<Owned, Raised> {
    match number {
        Number::Int(value) => new_integer::<DIRECT>(py, runtime, value),
        Number::Float(value) => float::new(py, value),
        Number::UInt(value) => int::new_unsigned(py, value),
    }
}

/// The object for an integer.
#[inline(always)]
pub(crate) fn new_integer<const DIRECT: bool>(
    py: &Attached,
    runtime: &Runtime,
    value: i64,
) -> Result<Owned, Raised> {
    runtime.small_ints.get(py, value).map_or_else(|| int::new_large::<DIRECT>(py, value), Ok)
}

/// The `str` for a string that is a value, which may come from the cache.
#[inline(always)]
pub(crate) fn new_string<V: Vector, const DIRECT: bool>(
    py: &Attached,
    text: Text<'_>,
    strings: &mut StringCache,
) -> Result<OwnedStr, StrError> {
    if text.ascii && (2..=string_cache::LONGEST).contains(&text.bytes.len()) {
        match strings.find::<DIRECT>(text.bytes) {
            Lookup::Found(found) => return Ok(found),
            Lookup::Missing(hash) => {
                let new = new_ascii::<V, DIRECT>(py, text.bytes)?;
                strings.insert(hash, &new);
                return Ok(new);
            }
            Lookup::Skipped => {}
        }
    }
    str_build::new::<V, DIRECT>(py, text)
}

/// Reads the name and the colon of a member and pushes the name.
#[inline(always)]
pub(crate) fn push_key<V: Vector, const DIRECT: bool>(
    py: &Attached,
    reader: &mut Reader<'_, V>,
    values: &mut Vec<Owned>,
    scratch: &mut Vec<u8>,
    keys: &mut KeyCache,
) -> Result<(), ReadFailure> {
    if reader.token() != b'"' {
        return Err(reader.no_key().into());
    }
    let key = match reader.string_ahead().and_then(|ahead| keys.predict(ahead)) {
        Some((key, len)) => {
            reader.consume_string(len);
            key
        }
        None => {
            let start = reader.offset();
            let name = reader.string(scratch)?;
            // An escape is longer than the character that it means. (PERF: a field of `Text` could
            // say so, but its results would then pass through memory: 35 % on github.json.)
            let is_unescaped = reader.offset() - start == name.bytes.len() + 2;
            cached_key::<V, DIRECT>(py, name, is_unescaped, keys)?
        }
    };
    push(values, key.into_owned())?;
    reader.colon()?;
    Ok(())
}

/// The `str` for a member name, which may come from the cache.
#[inline(always)]
pub(crate) fn cached_key<V: Vector, const DIRECT: bool>(
    py: &Attached,
    name: Text<'_>,
    is_unescaped: bool,
    keys: &mut KeyCache,
) -> Result<OwnedStr, StrError> {
    if name.bytes.len() > LONGEST || keys.skips_lookup() {
        return str_build::new::<V, DIRECT>(py, name);
    }
    match keys.find::<DIRECT>(name.bytes) {
        Ok(key) => Ok(key),
        Err(insert_at) => {
            let key = str_build::new::<V, DIRECT>(py, name)?;
            unicode::prime_hash(&key);
            keys.insert(insert_at, &key, is_unescaped.then_some(name.bytes));
            Ok(key)
        }
    }
}
