//! Appends text to a vector as UTF-8. Every allocation may fail with MemoryError.
//!
//! Separate from `scalar`, which writes to the output. Called by everything that turns keys or
//! names into text.

use crate::py::unicode::{Chars, Str};
use crate::py::{Raised, error, unicode};

/// Appends bytes.
pub(crate) fn append(target: &mut Vec<u8>, bytes: &[u8]) -> Result<(), Raised> {
    target.try_reserve(bytes.len()).map_err(|_| error::no_memory())?;
    target.extend_from_slice(bytes);
    Ok(())
}

/// Appends a `str` as UTF-8.
pub(crate) fn append_text(source: Str<'_>, target: &mut Vec<u8>) -> Result<(), Raised> {
    match unicode::chars::<false>(source)? {
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
    target.try_reserve(units.len().saturating_mul(4)).map_err(|_| error::no_memory())?;
    for unit in units {
        let Some(char) = char::from_u32(unit) else {
            return Err(surrogate());
        };
        target.extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes());
    }
    Ok(())
}

/// The error for a string with surrogates.
#[cold]
pub(crate) fn surrogate() -> Raised {
    error::type_error(SURROGATE)
}

const SURROGATE: &core::ffi::CStr = c"str is not valid UTF-8: surrogates not allowed";
