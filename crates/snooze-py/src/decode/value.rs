//! Scalars and member names, from the reader to Python objects.
//!
//! Shared by untyped and typed decoding. Everything here is inlined into the walks, and compiled for the
//! processor's tier with them.

use snooze_core::arch::Vector;
use snooze_core::number::Number;
use snooze_core::read::{Reader, Text};

use crate::decode::error::ReadFailure;
use crate::decode::key_cache::{KeyCache, LONGEST};
use crate::decode::scratch::push;
use crate::decode::string_cache;
use crate::decode::string_cache::{Answer, StringCache};
use crate::py::compat::FREE_THREADED;
use crate::py::unicode::StrError;
use crate::py::{Attached, Owned, Raised, float, int, unicode};
use crate::runtime::Runtime;

#[inline(always)]
pub(crate) fn number<const DIRECT: bool>(
    py: &Attached,
    runtime: &Runtime,
    number: Number,
) -> Result<Owned, Raised> {
    match number {
        Number::Int(value) => runtime
            .small_ints
            .get(py, value)
            .map_or_else(|| int::new_large::<DIRECT>(py, value), Ok),
        Number::Float(value) => float::new(py, value),
        Number::UInt(value) => int::new_unsigned(py, value),
    }
}

/// A string that is a value.
#[inline(always)]
pub(crate) fn string<V: Vector, const DIRECT: bool>(
    py: &Attached,
    text: Text<'_>,
    strings: &mut StringCache,
) -> Result<Owned, StrError> {
    // Free threads would contend for the counts of shared texts.
    if text.ascii && (2..=string_cache::LONGEST).contains(&text.bytes.len()) && !FREE_THREADED {
        match strings.find::<DIRECT>(text.bytes) {
            Answer::Found(found) => return Ok(found),
            Answer::New(hash) => {
                let new = unicode::new_ascii::<DIRECT>(py, text.bytes)?;
                strings.keep(hash, &new);
                return Ok(new);
            }
            Answer::Unknown => {}
        }
    }
    unicode::new::<V, DIRECT>(py, text)
}

/// Reads a member's name and colon and puts the name on the stack.
#[inline(always)]
pub(crate) fn key<V: Vector, const DIRECT: bool>(
    py: &Attached,
    reader: &mut Reader<'_, V>,
    values: &mut Vec<Owned>,
    scratch: &mut Vec<u8>,
    keys: &mut KeyCache,
) -> Result<(), ReadFailure> {
    if reader.token() != b'"' {
        return Err(reader.no_key().into());
    }
    let key = match reader.string_ahead().and_then(|ahead| keys.expected(ahead)) {
        Some((key, len)) => {
            reader.pass_string(len);
            key
        }
        None => {
            let start = reader.offset();
            let name = reader.string(scratch)?;
            // An escape is longer than what it stands for. (PERF: no field of `Text` says this,
            // because its results would then travel through memory: 35 % on github.json.)
            let plain = reader.offset() - start == name.bytes.len() + 2;
            cached_key::<V, DIRECT>(py, name, plain, keys)?
        }
    };
    push(values, key)?;
    reader.colon()?;
    Ok(())
}

#[inline(always)]
fn cached_key<V: Vector, const DIRECT: bool>(
    py: &Attached,
    name: Text<'_>,
    plain: bool,
    keys: &mut KeyCache,
) -> Result<Owned, StrError> {
    if name.bytes.len() > LONGEST || keys.is_useless() {
        return unicode::new::<V, DIRECT>(py, name);
    }
    match keys.find::<DIRECT>(name.bytes) {
        Ok(key) => Ok(key),
        Err(place) => {
            let key = unicode::new::<V, DIRECT>(py, name)?;
            unicode::prime_hash(&key);
            keys.keep(place, &key, plain.then_some(name.bytes));
            Ok(key)
        }
    }
}
