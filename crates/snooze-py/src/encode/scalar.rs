//! Writes strings, numbers, booleans, `None` and member names.
//!
//! Separate from the walks, which decide what comes next. Inlined into them, and so compiled for
//! each dispatch tier. A `Policy` holds the differences between `dumps`, `snooze.json` and
//! `Encoder`. Invariant: no Python code runs here. Called by both walks, by both borrowed walks and
//! by `untyped::dataclass`.

use snooze_core::arch::Vector;
use snooze_core::out::{Buffer, NoMemory, NotedText, Out, TextError};

use crate::encode::format::Format;
use crate::encode::policy::{BOOL, FLOAT, INT, NONE, Policy, STR};
use crate::py::compat::FREE_THREADED;
use crate::py::float::Float;
use crate::py::int::{self, Int, IntValue};
use crate::py::unicode::{self, Chars, HeadedChars, Str};
use crate::py::{Obj, Raised, float, singletons, types};

/// Writes an object if it is a scalar that the policy allows; returns whether it was written. If
/// not, nothing of it is in the output.
///
/// PERF: one branch both tests the type and writes the value. Finding the kind first and then
/// branching on it through a table cost 5 % of citm_catalog and twitter, 10 % of github
/// (2026-11-21).
#[inline(always)]
pub(crate) fn write_scalar<V: Vector, P: Policy, B: Buffer, const DIRECT: bool>(
    out: &mut Out<'_, B>,
    object: Obj<'_>,
    policy: P,
) -> Result<bool, Raised> {
    scalar::<V, P, B, DIRECT, false>(out, object, policy)
}

/// [`write_scalar`] with private layouts, but a text that is not ASCII is not written: lists and
/// dicts have runs of them, which [`write_run_str`] writes faster.
#[inline(always)]
pub(crate) fn write_item<V: Vector, P: Policy, B: Buffer>(
    out: &mut Out<'_, B>,
    object: Obj<'_>,
    policy: P,
) -> Result<bool, Raised> {
    scalar::<V, P, B, true, true>(out, object, policy)
}

#[inline(always)]
fn scalar<V: Vector, P: Policy, B: Buffer, const DIRECT: bool, const LEAVES: bool>(
    out: &mut Out<'_, B>,
    object: Obj<'_>,
    policy: P,
) -> Result<bool, Raised> {
    if let Some(text) = Str::exact(object) {
        if !policy.allows(STR) {
            return Ok(false);
        }
        if LEAVES && let Some(chars) = unicode::headed_chars(text) {
            let HeadedChars::Ascii(text) = chars else { return Ok(false) };
            out.ascii::<V>(text, b',')?;
            return Ok(true);
        }
        return write_str::<V, P, B, DIRECT>(out, text, b',');
    }
    if let Some(number) = Int::exact(object) {
        if !policy.allows(INT) {
            return Ok(false);
        }
        return write_int::<P, B, DIRECT>(out, number, policy);
    }
    if let Some(number) = Float::exact(object) {
        let value = float::value(number);
        if !policy.allows(FLOAT) || !policy.allows_float(value) {
            return Ok(false);
        }
        if P::STYLED {
            out.python_float_by::<V>(value)?;
        } else {
            out.float_by::<V>(value)?;
        }
        return Ok(true);
    }
    if types::is_bool(object) {
        if !policy.allows(BOOL) {
            return Ok(false);
        }
        out.boolean(singletons::is_true(object), b',')?;
        return Ok(true);
    }
    if singletons::is_none(object) && policy.allows(NONE) {
        out.null(b',')?;
        return Ok(true);
    }
    Ok(false)
}

/// Writes a `str`, then the byte `after`; returns whether it was written. [`write_any_str`] is
/// faster for instances of subclasses, which are not compact.
#[inline(always)]
pub(crate) fn write_str<V: Vector, P: Policy, B: Buffer, const DIRECT: bool>(
    out: &mut Out<'_, B>,
    text: Str<'_>,
    after: u8,
) -> Result<bool, Raised> {
    if !DIRECT {
        return write_any_str::<V, P, B, DIRECT>(out, text, after);
    }
    if P::STYLED
        && out.escapes_non_ascii()
        && !matches!(unicode::headed_chars(text), Some(HeadedChars::Ascii(_)))
    {
        return write_escaped::<B, DIRECT>(out, text, after);
    }
    let Some(chars) = unicode::headed_chars(text) else {
        // On free-threaded builds no string is read with its header.
        if FREE_THREADED {
            return write_any_str::<V, P, B, DIRECT>(out, text, after);
        }
        // PERF: out of line, because nearly all strings are compact, so that this code stays out of
        // the walk: 10 % of short strings on `avx512` (2026-11-22).
        let written = match unicode::chars::<DIRECT>(text)? {
            Chars::Ascii(bytes) => out.utf8::<V>(bytes, after).map_err(TextError::from),
            Chars::Latin1(units) => out.text::<V>(units, after),
            Chars::Ucs2(units) => out.text::<V>(units, after),
            Chars::Ucs4(units) => out.text::<V>(units, after),
        };
        return is_written::<P, B>(out, written);
    };
    if let HeadedChars::Ascii(text) = chars {
        out.ascii::<V>(text, after)?;
        return Ok(true);
    }
    let kept = unicode::kept_utf8(text);
    let keeps = out.note_text(NotedText {
        address: unicode::address(text),
        len: unicode::length(text),
        is_kept: kept.is_some(),
        is_name: after == b':',
    });
    if let Some(bytes) = kept {
        // PERF: out of line, because inline it takes 3 to 8 % of documents of short ASCII strings
        // (2026-11-23).
        out.utf8::<V>(bytes, after)?;
        return Ok(true);
    }
    let written = match chars {
        HeadedChars::Ascii(text) | HeadedChars::Latin1(text) => out.text::<V>(text, after),
        HeadedChars::Ucs2(text) => out.text::<V>(text, after),
        HeadedChars::Ucs4(text) => out.text::<V>(text, after),
    };
    let written = is_written::<P, B>(out, written)?;
    if written && keeps {
        unicode::keep_utf8(text)?;
    }
    Ok(written)
}

/// Writes a `str` of a run of texts that may not be ASCII. The policy of a format writes every text
/// or raises.
///
/// PERF: as [`write_str`], but kept UTF-8 is copied inline.
#[inline(always)]
pub(crate) fn write_run_str<V: Vector, F: Format, B: Buffer>(
    out: &mut Out<'_, B>,
    text: Str<'_>,
) -> Result<(), Raised> {
    let escapes = F::Scalars::STYLED && out.escapes_non_ascii();
    if !escapes && let Some(chars) = unicode::headed_chars(text) {
        if let HeadedChars::Ascii(text) = chars {
            out.ascii::<V>(text, b',')?;
            return Ok(());
        }
        if let Some(bytes) = unicode::kept_utf8(text) {
            out.note_text(NotedText {
                address: unicode::address(text),
                len: unicode::length(text),
                is_kept: true,
                is_name: false,
            });
            out.ascii::<V>(bytes, b',')?;
            return Ok(());
        }
    }
    let is_written = write_str::<V, F::Scalars, B, true>(out, text, b',')?;
    debug_assert!(is_written, "the policy of a format left a text unwritten");
    Ok(())
}

/// Writes a `str` or an instance of a subclass without reading a header, then the byte `after`;
/// returns whether it was written.
#[inline(always)]
pub(crate) fn write_any_str<V: Vector, P: Policy, B: Buffer, const DIRECT: bool>(
    out: &mut Out<'_, B>,
    text: Str<'_>,
    after: u8,
) -> Result<bool, Raised> {
    // PERF: one function for both, which reads the state once, made instances of subclasses 1.12 of
    // the time (Zen 4, 2026-11-29).
    let separate = if DIRECT { unicode::separate_chars(text) } else { None };
    let chars = match separate {
        Some(chars) => chars,
        None => unicode::chars::<DIRECT>(text)?,
    };
    if P::STYLED && !matches!(chars, Chars::Ascii(_)) && out.escapes_non_ascii() {
        return write_escaped::<B, DIRECT>(out, text, after);
    }
    if DIRECT
        && !matches!(chars, Chars::Ascii(_))
        && let Some(bytes) = unicode::kept_utf8(text)
    {
        return Ok(out.utf8::<V>(bytes, after).map(|()| true)?);
    }
    let written = match chars {
        Chars::Ascii(bytes) => out.ascii::<V>(bytes, after).map_err(TextError::from),
        Chars::Latin1(units) => out.text::<V>(units, after),
        Chars::Ucs2(units) => out.text::<V>(units, after),
        Chars::Ucs4(units) => out.text::<V>(units, after),
    };
    is_written::<P, B>(out, written)
}

/// Writes a `str` in ASCII, then the byte `after`.
#[inline(never)]
fn write_escaped<B: Buffer, const DIRECT: bool>(
    out: &mut Out<'_, B>,
    text: Str<'_>,
    after: u8,
) -> Result<bool, Raised> {
    match unicode::chars::<DIRECT>(text)? {
        Chars::Ascii(units) => out.escaped_text(units.iter().map(|&unit| unit.into()), after)?,
        Chars::Latin1(units) => out.escaped_text(units.iter().map(|&unit| unit.into()), after)?,
        Chars::Ucs2(units) => out.escaped_text(units.iter().map(|&unit| unit.into()), after)?,
        Chars::Ucs4(units) => out.escaped_text(units.iter().copied(), after)?,
    }
    Ok(true)
}

/// Whether a text was written.
#[inline(always)]
fn is_written<P: Policy, B: Buffer>(
    out: &mut Out<'_, B>,
    written: Result<(), TextError>,
) -> Result<bool, Raised> {
    match written {
        Ok(()) => Ok(true),
        Err(TextError::Surrogate) => {
            let is_written = P::on_surrogate()?;
            out.drop_text();
            Ok(is_written)
        }
        Err(TextError::NoMemory) => Err(NoMemory.into()),
    }
}

/// Writes an `int` or an instance of a subclass; returns whether it was written.
#[inline(always)]
pub(crate) fn write_int<P: Policy, B: Buffer, const DIRECT: bool>(
    out: &mut Out<'_, B>,
    number: Int<'_>,
    policy: P,
) -> Result<bool, Raised> {
    // PERF: as a branch, so that no `IntValue` is made of most integers.
    if DIRECT && let Some(value) = int::in_place(number) {
        let passes = policy.check_int(IntValue::Signed(value))?;
        if passes {
            out.int(value, b',')?;
        }
        return Ok(passes);
    }
    let value = int::value::<DIRECT>(number)?;
    if !policy.check_int(value)? {
        return Ok(false);
    }
    match value {
        IntValue::Signed(value) => out.int(value, b',')?,
        IntValue::Unsigned(value) => out.uint(value, b',')?,
        IntValue::Big => return Ok(false),
    }
    Ok(true)
}

/// Writes a member name that is UTF-8 text already.
#[inline(always)]
pub(crate) fn write_text_name<V: Vector, F: Format, B: Buffer>(
    out: &mut Out<'_, B>,
    name: &[u8],
) -> Result<(), NoMemory> {
    if F::Scalars::STYLED && !name.is_ascii() && out.escapes_non_ascii() {
        // Names that are text already are valid UTF-8.
        let name = core::str::from_utf8(name).unwrap_or_default();
        out.escaped_text(name.chars().map(u32::from), b':')?;
    } else {
        out.ascii::<V>(name, b':')?;
    }
    F::after_colon(out)
}

/// Writes a member name; returns whether it was written.
#[inline(always)]
pub(crate) fn write_member_name<V: Vector, P: Policy, F: Format, B: Buffer, const DIRECT: bool>(
    out: &mut Out<'_, B>,
    name: Str<'_>,
) -> Result<bool, Raised> {
    let written = write_str::<V, P, B, DIRECT>(out, name, b':')?;
    if written {
        F::after_colon(out)?;
    }
    Ok(written)
}
