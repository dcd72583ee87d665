//! numpy's scalars and arrays out.
//!
//! An array is written from its memory, one row after the other, without making an object for
//! any element. Integers and floats of 32 bits and less have their own shortest texts.

use half::f16;
use snooze_core::out::{Buffer, NoMemory, Out};
use snooze_core::text::{Date, Offset, Stamp, Time};

use super::frame::{MAX_DEPTH, Next};
use super::{Context, Format, time};
use crate::config::Config;
use crate::py::array::{self, Array, ArrayFault, Element, NumpyKind};
use crate::py::{Attached, Obj, Owned, Raised, call, error};

/// What to do with an array or scalar; `None` leaves it to `default`.
pub(super) fn begin(
    cx: &mut Context<'_>,
    py: &mut Attached,
    object: &Owned,
    kind: NumpyKind,
) -> Result<Option<Next>, Raised> {
    match kind {
        NumpyKind::Scalar(element) => scalar(cx, object.get(), element).map(Some),
        NumpyKind::Array => array(cx, py, object),
    }
}

fn scalar(cx: &Context<'_>, object: Obj<'_>, element: Element) -> Result<Next, Raised> {
    use array::scalar_bytes as bytes;
    Ok(match element {
        Element::Bool => Next::Bool(bytes::<1>(object) != [0]),
        Element::Int8 => Next::Signed(i8::from_ne_bytes(bytes(object)).into()),
        Element::Int16 => Next::Signed(i16::from_ne_bytes(bytes(object)).into()),
        Element::Int32 => Next::Signed(i32::from_ne_bytes(bytes(object)).into()),
        Element::Int64 => Next::Signed(i64::from_ne_bytes(bytes(object))),
        Element::UInt8 => Next::Unsigned(u8::from_ne_bytes(bytes(object)).into()),
        Element::UInt16 => Next::Unsigned(u16::from_ne_bytes(bytes(object)).into()),
        Element::UInt32 => Next::Unsigned(u32::from_ne_bytes(bytes(object)).into()),
        Element::UInt64 => Next::Unsigned(u64::from_ne_bytes(bytes(object))),
        Element::Float16 => Next::Float32(f16::from_ne_bytes(bytes(object)).into()),
        Element::Float32 => Next::Float32(f32::from_ne_bytes(bytes(object))),
        Element::Float64 => Next::Float(f64::from_ne_bytes(bytes(object))),
        Element::DateTime64 => {
            let (value, unit, multiplier) = array::datetime_scalar(object);
            let unit = Unit::ALL.get(unit as usize).copied().unwrap_or(Unit::Generic);
            let scale = Scale { unit, multiplier: multiplier.into() };
            match scale.stamp(value, cx.config)? {
                Some(stamp) => Next::Plain(stamp),
                None => Next::Null,
            }
        }
    })
}

fn array(cx: &mut Context<'_>, py: &mut Attached, object: &Owned) -> Result<Option<Next>, Raised> {
    let names = &cx.state.names;
    let interface = call::attribute(py, object, &names.array_struct)?;
    let has_default = cx.default.is_some();
    match Array::new(interface) {
        Ok(array) => {
            if array.element == Element::DateTime64 {
                let dtype = call::attribute(py, object, &names.dtype)?;
                let name = call::attribute(py, &dtype, &names.str)?;
                cx.scale = Scale::of_type_name(name.get())?;
            }
            Ok(Some(Next::Array(array)))
        }
        Err(ArrayFault::Raised) => Err(Raised),
        Err(ArrayFault::Malformed) => Err(error::type_error(c"numpy array is malformed")),
        Err(ArrayFault::ForeignEndian) => {
            Err(error::type_error(c"numpy array is not native-endianness"))
        }
        Err(_) if has_default => Ok(None),
        Err(ArrayFault::NotContiguous) => Err(error::type_error(
            c"numpy array is not C contiguous; use ndarray.tolist() in default",
        )),
        Err(ArrayFault::Unsupported) => {
            Err(error::type_error(c"unsupported datatype in numpy array"))
        }
    }
}

/// Writes an array whose first dimension opens at `depth`.
#[inline(never)]
pub(super) fn write<'b, F: Format, B: Buffer>(
    mut out: Out<'b, B>,
    array: &Array,
    scale: Scale,
    config: Config,
    depth: usize,
) -> Result<Out<'b, B>, Raised> {
    if depth + array.shape().len() > MAX_DEPTH {
        return Err(super::too_deep());
    }
    let mut writer = Writer { array, scale, config, first: 0 };
    writer.dimension::<F, B>(&mut out, array.shape(), depth)?;
    Ok(out)
}

struct Writer<'a> {
    array: &'a Array,
    scale: Scale,
    config: Config,
    /// The index of the next element.
    first: usize,
}

impl Writer<'_> {
    /// Writes one dimension and those inside it. Recursion ends with the dimensions, of which
    /// there are fewer than MAX_DEPTH.
    fn dimension<F: Format, B: Buffer>(
        &mut self,
        out: &mut Out<'_, B>,
        shape: &[isize],
        depth: usize,
    ) -> Result<(), Raised> {
        let Some((&length, inner)) = shape.split_first() else {
            return Ok(());
        };
        if length <= 0 {
            return Ok(out.empty(b'[', b',')?);
        }
        out.byte(b'[')?;
        if inner.is_empty() {
            self.row::<F, B>(out, length as usize, depth + 1)?;
        } else {
            for _ in 0..length {
                F::before(out, depth + 1)?;
                self.dimension::<F, B>(out, inner, depth + 1)?;
            }
        }
        F::close(out, b']', depth)?;
        Ok(())
    }

    /// Writes the elements of the innermost dimension.
    fn row<F: Format, B: Buffer>(
        &mut self,
        out: &mut Out<'_, B>,
        length: usize,
        depth: usize,
    ) -> Result<(), Raised> {
        let bytes = self.array.bytes(self.first, length);
        self.first += length;
        match self.array.element {
            Element::Bool => {
                each::<F, B, 1, _>(out, bytes, depth, |out, b| out.boolean(b != [0], b','))
            }
            Element::Int8 => each::<F, B, 1, _>(out, bytes, depth, |out, b| {
                out.int(i8::from_ne_bytes(b).into(), b',')
            }),
            Element::Int16 => each::<F, B, 2, _>(out, bytes, depth, |out, b| {
                out.int(i16::from_ne_bytes(b).into(), b',')
            }),
            Element::Int32 => each::<F, B, 4, _>(out, bytes, depth, |out, b| {
                out.int(i32::from_ne_bytes(b).into(), b',')
            }),
            Element::Int64 => {
                each::<F, B, 8, _>(out, bytes, depth, |out, b| out.int(i64::from_ne_bytes(b), b','))
            }
            Element::UInt8 => each::<F, B, 1, _>(out, bytes, depth, |out, b| {
                out.uint(u8::from_ne_bytes(b).into(), b',')
            }),
            Element::UInt16 => each::<F, B, 2, _>(out, bytes, depth, |out, b| {
                out.uint(u16::from_ne_bytes(b).into(), b',')
            }),
            Element::UInt32 => each::<F, B, 4, _>(out, bytes, depth, |out, b| {
                out.uint(u32::from_ne_bytes(b).into(), b',')
            }),
            Element::UInt64 => each::<F, B, 8, _>(out, bytes, depth, |out, b| {
                out.uint(u64::from_ne_bytes(b), b',')
            }),
            Element::Float16 => each::<F, B, 2, _>(out, bytes, depth, |out, b| {
                out.float32(f16::from_ne_bytes(b).into(), b',')
            }),
            Element::Float32 => each::<F, B, 4, _>(out, bytes, depth, |out, b| {
                out.float32(f32::from_ne_bytes(b), b',')
            }),
            Element::Float64 => each::<F, B, 8, _>(out, bytes, depth, |out, b| {
                out.float(f64::from_ne_bytes(b), b',')
            }),
            Element::DateTime64 => each::<F, B, 8, _>(out, bytes, depth, |out, b| {
                match self.scale.stamp(i64::from_ne_bytes(b), self.config)? {
                    Some(stamp) => Ok::<(), Raised>(out.plain_string(stamp.as_bytes(), b',')?),
                    None => Ok(out.null(b',')?),
                }
            }),
        }
    }
}

/// Writes every element of `N` bytes.
#[inline(always)]
fn each<F: Format, B: Buffer, const N: usize, E: Into<Raised>>(
    out: &mut Out<'_, B>,
    bytes: &[u8],
    depth: usize,
    mut write: impl FnMut(&mut Out<'_, B>, [u8; N]) -> Result<(), E>,
) -> Result<(), Raised> {
    let (elements, _) = bytes.as_chunks::<N>();
    for &element in elements {
        F::before(out, depth)?;
        write(out, element).map_err(Into::into)?;
    }
    Ok(())
}

impl From<NoMemory> for Raised {
    #[cold]
    fn from(NoMemory: NoMemory) -> Self {
        error::no_memory()
    }
}

/// The units of `datetime64`, in the order of their numbers in numpy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    Year,
    Month,
    Week,
    /// Business days, which no numpy makes any more.
    Business,
    Day,
    Hour,
    Minute,
    Second,
    Millisecond,
    Microsecond,
    Nanosecond,
    Picosecond,
    Femtosecond,
    Attosecond,
    Generic,
}

impl Unit {
    const ALL: [Unit; 15] = [
        Self::Year,
        Self::Month,
        Self::Week,
        Self::Business,
        Self::Day,
        Self::Hour,
        Self::Minute,
        Self::Second,
        Self::Millisecond,
        Self::Microsecond,
        Self::Nanosecond,
        Self::Picosecond,
        Self::Femtosecond,
        Self::Attosecond,
        Self::Generic,
    ];

    /// The unit's code in the name of a dtype.
    fn of_code(code: &[u8]) -> Self {
        match code {
            b"Y" => Self::Year,
            b"M" => Self::Month,
            b"W" => Self::Week,
            b"D" => Self::Day,
            b"h" => Self::Hour,
            b"m" => Self::Minute,
            b"s" => Self::Second,
            b"ms" => Self::Millisecond,
            b"us" => Self::Microsecond,
            b"ns" => Self::Nanosecond,
            b"ps" => Self::Picosecond,
            b"fs" => Self::Femtosecond,
            b"as" => Self::Attosecond,
            _ => Self::Generic,
        }
    }

    fn plural(self) -> &'static core::ffi::CStr {
        match self {
            Self::Year => c"years",
            Self::Month => c"months",
            Self::Week => c"weeks",
            Self::Business => c"business days",
            Self::Day => c"days",
            Self::Hour => c"hours",
            Self::Minute => c"minutes",
            Self::Second => c"seconds",
            Self::Millisecond => c"milliseconds",
            Self::Microsecond => c"microseconds",
            Self::Nanosecond => c"nanoseconds",
            Self::Picosecond => c"picoseconds",
            Self::Femtosecond => c"femtoseconds",
            Self::Attosecond => c"attoseconds",
            Self::Generic => c"NaT",
        }
    }

    /// Nanoseconds in a unit of fixed length.
    fn nanoseconds(self) -> Option<i128> {
        const SECOND: i128 = 1_000_000_000;
        Some(match self {
            Self::Week => 7 * 86_400 * SECOND,
            Self::Day => 86_400 * SECOND,
            Self::Hour => 3600 * SECOND,
            Self::Minute => 60 * SECOND,
            Self::Second => SECOND,
            Self::Millisecond => 1_000_000,
            Self::Microsecond => 1000,
            Self::Nanosecond => 1,
            _ => return None,
        })
    }
}

/// What a `datetime64` counts: multiples of a unit since 1970.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scale {
    unit: Unit,
    multiplier: i64,
}

impl Default for Scale {
    fn default() -> Self {
        Self { unit: Unit::Generic, multiplier: 1 }
    }
}

/// The value that is no time, in every unit.
const NOT_A_TIME: i64 = i64::MIN;

impl Scale {
    /// The scale in the name of a dtype, such as `<M8[25us]`.
    fn of_type_name(name: Obj<'_>) -> Result<Self, Raised> {
        let mut bytes = Vec::new();
        if crate::py::types::is_exact_str(name) {
            super::keys::append_text(name, &mut bytes)?;
        }
        let open = bytes.iter().position(|&byte| byte == b'[');
        let Some(inner) = open.and_then(|open| bytes.get(open + 1..bytes.len() - 1)) else {
            return Ok(Self::default());
        };
        let digits = inner.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let (digits, code) = inner.split_at(digits);
        let multiplier = digits
            .iter()
            .fold(0i64, |value, digit| value.saturating_mul(10) + i64::from(digit - b'0'));
        Ok(Self { unit: Unit::of_code(code), multiplier: multiplier.max(1) })
    }

    /// The text of a value, or `None` for NaT.
    fn stamp(self, value: i64, config: Config) -> Result<Option<Stamp>, Raised> {
        if value == NOT_A_TIME {
            return Ok(None);
        }
        let Some((date, time)) = self.fields(value)? else {
            let format = c"unrepresentable numpy.datetime64: %lld %s";
            return Err(error::type_error_with_quantity(format, value, self.unit.plural()));
        };
        let omits = config.has(Config::OMIT_MICROSECONDS);
        let microsecond = if omits { 0 } else { time.microsecond };
        let mut stamp = Stamp::default();
        stamp.date(date);
        stamp.separator();
        stamp.time(Time { microsecond, ..time });
        let utc: Option<Offset> = time::utc(config);
        if let Some(offset) = utc {
            stamp.offset(offset);
        }
        Ok(Some(stamp))
    }

    /// Date and time of a value, or `None` if its year does not have four digits.
    fn fields(self, value: i64) -> Result<Option<(Date, Time)>, Raised> {
        const DAY: i128 = 86_400_000_000_000;
        const MIDNIGHT: Time = Time { hour: 0, minute: 0, second: 0, microsecond: 0 };
        let count = i128::from(value) * i128::from(self.multiplier);
        let months = match self.unit {
            Unit::Year => Some(count * 12),
            Unit::Month => Some(count),
            _ => None,
        };
        if let Some(months) = months {
            let (year, month) = (1970 + months.div_euclid(12), months.rem_euclid(12) as u8 + 1);
            let year = u16::try_from(year).ok().filter(|&year| year <= 9999);
            return Ok(year.map(|year| (Date { year, month, day: 1 }, MIDNIGHT)));
        }
        let Some(unit) = self.unit.nanoseconds() else {
            let format = c"unsupported numpy.datetime64 unit: %s";
            return Err(error::type_error_naming(format, self.unit.plural()));
        };
        // Beyond 128 bits it is beyond every year as well.
        let Some(total) = count.checked_mul(unit) else { return Ok(None) };
        let within = total.rem_euclid(DAY) / 1000;
        let days = i64::try_from(total.div_euclid(DAY)).ok();
        let seconds = (within / 1_000_000) as u32;
        let time = Time {
            hour: (seconds / 3600) as u8,
            minute: (seconds / 60 % 60) as u8,
            second: (seconds % 60) as u8,
            microsecond: (within % 1_000_000) as u32,
        };
        Ok(days.and_then(Date::from_unix_days).map(|date| (date, time)))
    }
}
