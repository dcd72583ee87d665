//! What is written where it stands: scalars, names of members, and runs of them.
//!
//! Separate from the walk, which decides what comes next. Everything generic over the tier is
//! inlined into the walk; [`write_leaf`] is for the rarer results of `special`. No Python code
//! runs in here.

use snooze_core::arch::Vector;
use snooze_core::out::{Buffer, NoMemory, Out};

use crate::encode::format::Format;
use crate::py::int::Int;
use crate::py::unicode::Chars;
use crate::py::{Obj, Raised, error, float, int, singletons, types, unicode};

/// Writes an object if it is a scalar; tells whether it was.
///
/// PERF: each type is compared and written in one branch: a kind that is told first and then
/// branched on again by a table cost 5 % of citm_catalog and
/// of twitter, 10 % of github (2026-11-21).
#[inline(always)]
pub(crate) fn scalar<V: Vector, B: Buffer, const DIRECT: bool>(
    out: &mut Out<'_, B>,
    object: Obj<'_>,
    strict: bool,
) -> Result<bool, Raised> {
    if types::is_exact_str(object) {
        string::<V, B, DIRECT>(out, object, b',')?;
    } else if int::is_exact_int(object) {
        integer::<B, DIRECT>(out, object, strict)?;
    } else if types::is_exact_float(object) {
        out.float_by::<V>(float::value(object))?;
    } else if types::is_bool(object) {
        out.boolean(singletons::is_true(object), b',')?;
    } else if singletons::is_none(object) {
        out.null(b',')?;
    } else {
        return Ok(false);
    }
    Ok(true)
}

/// Writes a `str` or an instance of a subclass.
#[inline(always)]
pub(crate) fn string<V: Vector, B: Buffer, const DIRECT: bool>(
    out: &mut Out<'_, B>,
    object: Obj<'_>,
    after: u8,
) -> Result<(), Raised> {
    let chars = unicode::chars::<DIRECT>(object)?;
    if let Chars::Ascii(bytes) = chars {
        return Ok(out.ascii::<V>(bytes, after)?);
    }
    if DIRECT && let Some(bytes) = unicode::kept_utf8(object) {
        return Ok(out.utf8::<V>(bytes, after)?);
    }
    match chars {
        Chars::Ascii(bytes) => Ok(out.ascii::<V>(bytes, after)?),
        Chars::Latin1(units) => Ok(out.text::<V, u8>(units, after)?),
        Chars::Ucs2(units) => Ok(out.text::<V, u16>(units, after)?),
        Chars::Ucs4(units) => Ok(out.text::<V, u32>(units, after)?),
    }
}

/// Writes the name of a member that is already text.
#[inline(always)]
pub(crate) fn name_of_member<V: Vector, F: Format, B: Buffer>(
    out: &mut Out<'_, B>,
    name: &[u8],
) -> Result<(), NoMemory> {
    out.ascii::<V>(name, b':')?;
    if F::SPACED {
        out.byte(b' ')?;
    }
    Ok(())
}

/// Writes the name of a member.
#[inline(always)]
pub(crate) fn member_name<V: Vector, F: Format, B: Buffer, const DIRECT: bool>(
    out: &mut Out<'_, B>,
    name: Obj<'_>,
) -> Result<(), Raised> {
    string::<V, B, DIRECT>(out, name, b':')?;
    if F::SPACED {
        out.byte(b' ')?;
    }
    Ok(())
}

/// Writes an `int` or an instance of a subclass.
#[inline(always)]
pub(super) fn integer<B: Buffer, const DIRECT: bool>(
    out: &mut Out<'_, B>,
    object: Obj<'_>,
    strict: bool,
) -> Result<(), Raised> {
    /// The largest integer below which every integer is a double.
    const STRICT: i64 = (1 << 53) - 1;
    match int::value::<DIRECT>(object)? {
        Int::Big => Err(error::type_error(c"Integer exceeds 64-bit range")),
        Int::Signed(value) if !strict => Ok(out.int(value, b',')?),
        Int::Signed(value) if (-STRICT..=STRICT).contains(&value) => Ok(out.int(value, b',')?),
        Int::Unsigned(value) if !strict => Ok(out.uint(value, b',')?),
        _ => Err(error::type_error(c"Integer exceeds 53-bit range")),
    }
}
