//! Numbers by the policy of a Decoder: exact integers, floats, Decimals, texts.
//!
//! Separate from `walk`, because only here Python classes are called for scalars. Invariant: no
//! digit is lost, except where a float is asked for. Called by `walk`.

use snooze_core::arch::Vector;
use snooze_core::dialect::{DialectReader, Numeral, NumeralKind, Syntax};
use snooze_core::error::{Error, ErrorKind};
use snooze_core::number::{self, Number};

use crate::decode::decimal::number_fits;
use crate::decode::error::ReadFailure;
use crate::decode::policy::policies::{Numbers, Policies};
use crate::decode::value::{is_inexact, new_number};
use crate::py::str_build::new_ascii_by_calls;
use crate::py::unicode::{Chars, chars};
use crate::py::{Attached, Owned, bytes, call, error, float, int};
use crate::runtime::Runtime;

/// Reads the number at the cursor, which begins with `first`.
#[inline(always)]
pub(super) fn read<V: Vector, const DIRECT: bool>(
    py: &mut Attached,
    runtime: &Runtime,
    policies: &Policies,
    reader: &mut DialectReader<'_, V>,
    scratch: &mut Vec<u8>,
    first: u8,
) -> Result<Owned, ReadFailure> {
    let is_raw = matches!(policies.numbers, Numbers::Raw(_));
    let start = reader.offset();
    if !is_raw
        && matches!(first, b'-' | b'0'..=b'9')
        && let Some(value) = reader.short_integer()
    {
        return Ok(new_number::<DIRECT>(py, runtime, Number::Int(value))?);
    }
    if matches!(policies.numbers, Numbers::Float)
        && policies.rules.syntax != Syntax::Json5
        && first.is_ascii_digit()
        && let Ok(found) = reader.number()
    {
        let text = reader.span_from(start);
        return if is_inexact(found, Some(text)) {
            integer(py, text, 10, start)
        } else {
            Ok(new_number::<DIRECT>(py, runtime, found)?)
        };
    }
    let numeral = reader.numeral(scratch)?;
    of_numeral::<DIRECT>(py, runtime, policies, numeral, start)
}

/// The object of a number at an offset.
#[inline(never)]
fn of_numeral<const DIRECT: bool>(
    py: &mut Attached,
    runtime: &Runtime,
    policies: &Policies,
    numeral: Numeral<'_>,
    start: usize,
) -> Result<Owned, ReadFailure> {
    let infinity = match numeral.kind {
        NumeralKind::NotANumber => f64::NAN,
        NumeralKind::Infinity => f64::INFINITY,
        NumeralKind::NegativeInfinity => f64::NEG_INFINITY,
        NumeralKind::Integer | NumeralKind::Decimal | NumeralKind::Hexadecimal => {
            return finite::<DIRECT>(py, runtime, policies, numeral, start);
        }
    };
    if let Numbers::Decimal(class) = &policies.numbers {
        let name: &[u8] = match numeral.kind {
            NumeralKind::NotANumber => b"NaN",
            NumeralKind::Infinity => b"Infinity",
            _ => b"-Infinity",
        };
        let name = new_ascii_by_calls(py, name)?;
        return Ok(call::call_one(py, class, name.as_owned())?);
    }
    Ok(float::new(py, infinity)?)
}

/// The object of a number that has digits.
fn finite<const DIRECT: bool>(
    py: &mut Attached,
    runtime: &Runtime,
    policies: &Policies,
    numeral: Numeral<'_>,
    start: usize,
) -> Result<Owned, ReadFailure> {
    let text = numeral.text;
    match (numeral.kind, &policies.numbers) {
        (NumeralKind::Hexadecimal, Numbers::Raw(class)) => {
            let value = int::of_text(py, text, 16)?;
            let Ok(digits) = call::digits_of(py, value.get()) else {
                return Err(too_long(py, start));
            };
            match chars::<false>(digits.get())? {
                Chars::Ascii(digits) => Ok(bytes::of_class(py, class.get(), digits)?),
                _ => Ok(value.into_owned()),
            }
        }
        (NumeralKind::Hexadecimal, _) => integer(py, text, 16, start),
        (_, Numbers::Raw(class)) => Ok(bytes::of_class(py, class.get(), text)?),
        (NumeralKind::Decimal, Numbers::Decimal(class)) => {
            if !(number::is_number(text) && number_fits(text)) {
                return Err(Error::new(ErrorKind::DecimalRange, start).into());
            }
            let digits = new_ascii_by_calls(py, text)?;
            Ok(call::call_one(py, class, digits.as_owned())?)
        }
        (kind, _) => match number::read(text, 0) {
            Ok((found, _)) if !is_inexact(found, Some(text)) => {
                Ok(new_number::<DIRECT>(py, runtime, found)?)
            }
            Err((ErrorKind::Infinity, _)) if kind == NumeralKind::Decimal => {
                if !policies.rules.constants {
                    return Err(Error::new(ErrorKind::Infinity, start).into());
                }
                let is_negative = text.starts_with(b"-");
                let value = if is_negative { f64::NEG_INFINITY } else { f64::INFINITY };
                Ok(float::new(py, value)?)
            }
            _ => integer(py, text, 10, start),
        },
    }
}

/// An `int` of digits of a base.
#[cold]
fn integer(
    py: &mut Attached,
    digits: &[u8],
    base: i32,
    start: usize,
) -> Result<Owned, ReadFailure> {
    match int::of_text(py, digits, base) {
        Ok(value) => Ok(value.into_owned()),
        Err(_) => Err(too_long(py, start)),
    }
}

/// The failure of an integer with too many digits, of which the interpreter has raised a
/// `ValueError`.
#[cold]
fn too_long(py: &Attached, start: usize) -> ReadFailure {
    if error::must_propagate(py) {
        return ReadFailure::Raised;
    }
    error::clear();
    Error::new(ErrorKind::LongInteger, start).into()
}
