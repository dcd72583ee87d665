//! Scalars, if they are of the kinds that a node allows.

use snooze_core::arch::Vector;
use snooze_core::out::{Buffer, NoMemory, Out, TextError};

use crate::encode::typed::plan::{BOOL, FINITE, FLOAT, INT, NONE, STR};
use crate::py::int::Int;
use crate::py::unicode::Chars;
use crate::py::{Obj, Raised, float, int, singletons, types, unicode};

/// Writes an object if it is a scalar of an allowed kind; tells whether it was. What is false may
/// still be allowed, but needs a closer look: output may have been begun then if that leads to an
/// error.
#[inline(always)]
pub(super) fn scalar<V: Vector, B: Buffer, const DIRECT: bool>(
    out: &mut Out<'_, B>,
    object: Obj<'_>,
    mask: u8,
) -> Result<bool, Raised> {
    if types::is_exact_str(object) {
        return match mask & STR {
            0 => Ok(false),
            _ => string::<V, B, DIRECT>(out, object, b','),
        };
    }
    if int::is_exact_int(object) {
        if mask & INT == 0 {
            return Ok(false);
        }
        match int::value::<DIRECT>(object)? {
            Int::Signed(value) => out.int(value, b',')?,
            Int::Unsigned(value) => out.uint(value, b',')?,
            Int::Big => return Ok(false),
        }
        return Ok(true);
    }
    if types::is_exact_float(object) {
        let value = float::value(object);
        if mask & FLOAT == 0 || mask & FINITE != 0 && !value.is_finite() {
            return Ok(false);
        }
        out.float_by::<V>(value)?;
        return Ok(true);
    }
    if types::is_bool(object) {
        if mask & BOOL == 0 {
            return Ok(false);
        }
        out.boolean(singletons::is_true(object), b',')?;
        return Ok(true);
    }
    if singletons::is_none(object) && mask & NONE != 0 {
        out.null(b',')?;
        return Ok(true);
    }
    Ok(false)
}

/// Writes a `str` or an instance of a subclass, unless it has surrogates: then it tells so.
#[inline(always)]
pub(super) fn string<V: Vector, B: Buffer, const DIRECT: bool>(
    out: &mut Out<'_, B>,
    object: Obj<'_>,
    after: u8,
) -> Result<bool, Raised> {
    let chars = unicode::chars::<DIRECT>(object)?;
    let written = match chars {
        Chars::Ascii(bytes) => return Ok(out.ascii::<V>(bytes, after).map(|()| true)?),
        _ if DIRECT && let Some(bytes) = unicode::kept_utf8(object) => {
            return Ok(out.utf8::<V>(bytes, after).map(|()| true)?);
        }
        Chars::Latin1(units) => out.text::<V, u8>(units, after),
        Chars::Ucs2(units) => out.text::<V, u16>(units, after),
        Chars::Ucs4(units) => out.text::<V, u32>(units, after),
    };
    match written {
        Ok(()) => Ok(true),
        Err(TextError::Surrogate) => Ok(false),
        Err(TextError::NoMemory) => Err(NoMemory.into()),
    }
}
