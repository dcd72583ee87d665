//! Writes numpy scalars and arrays.
//!
//! Separate because an array is written from its memory, row by row, without an object per element.
//! Integers and floats of up to 32 bits have their own shortest texts. Invariant: the array's
//! buffer is kept alive by `Array`, and no Python code runs while it is written. `action` is called
//! by `classify` and `typed::action`, `write` by `leaf`.

use core::marker::PhantomData;

use half::f16;
use snooze_core::arch::{Task, Vector};
use snooze_core::out::{Buffer, FLOATS, Out};

use crate::encode::action::Action;
use crate::encode::context::Context;
use crate::encode::format::Format;
use crate::encode::numpy_datetime::Scale;
use crate::options::EncodeFlags;
use crate::py::numpy::{Array, ArrayError, Element, NumpyKind, Scalar, ScalarValue};
use crate::py::{Attached, Owned, Raised, call, error};

/// Decides how `dumps` writes an array or a scalar; `None` leaves it to `default`.
pub(crate) fn action(
    cx: &mut Context<'_>,
    py: &mut Attached,
    object: &Owned,
    kind: NumpyKind<'_>,
) -> Result<Option<Action>, Raised> {
    match kind {
        NumpyKind::Scalar(found) => scalar(cx, found).map(Some),
        NumpyKind::Array => array(cx, py, object),
    }
}

/// Returns the action for a scalar.
pub(crate) fn scalar(cx: &Context<'_>, scalar: Scalar<'_>) -> Result<Action, Raised> {
    Ok(match scalar.value() {
        ScalarValue::Bool(value) => Action::Bool(value),
        ScalarValue::Signed(value) => Action::Signed(value),
        ScalarValue::Unsigned(value) => Action::Unsigned(value),
        ScalarValue::Float32(value) => Action::Float32(value),
        ScalarValue::Float64(value) => Action::Float(value),
        ScalarValue::DateTime64 { value, unit, multiplier } => {
            match Scale::new(unit, multiplier).stamp(value, cx.flags)? {
                Some(stamp) => Action::Stamp(stamp),
                None => Action::Null,
            }
        }
    })
}

/// Returns the action for an array; with a `default`, arrays that cannot be written are left to it.
fn array(
    cx: &mut Context<'_>,
    py: &mut Attached,
    object: &Owned,
) -> Result<Option<Action>, Raised> {
    let has_default = cx.default.is_some();
    match open(cx, py, object)? {
        Ok(array) => Ok(Some(Action::Array(array))),
        Err(ArrayError::Raised) => Err(Raised),
        Err(ArrayError::Malformed) => Err(error::type_error(c"numpy array is malformed")),
        Err(ArrayError::ForeignEndian) => {
            Err(error::type_error(c"numpy array is not native-endianness"))
        }
        Err(_) if has_default => Ok(None),
        Err(ArrayError::NotContiguous) => Err(error::type_error(
            c"numpy array is not C contiguous; use ndarray.tolist() in default",
        )),
        Err(ArrayError::Unsupported) => {
            Err(error::type_error(c"unsupported datatype in numpy array"))
        }
    }
}

/// Returns the memory of an array, or why it cannot be written from there; notes the unit of
/// datetimes. The memory is taken again after the unit was read: reading it runs Python code if
/// another class stands in for numpy's, and that code may resize the array.
pub(crate) fn open(
    cx: &mut Context<'_>,
    py: &mut Attached,
    object: &Owned,
) -> Result<Result<Array, ArrayError>, Raised> {
    let names = &cx.runtime.names;
    let array = Array::new(call::attribute(py, object, &names.array_struct)?);
    if !array.as_ref().is_ok_and(|array| array.element == Element::DateTime64) {
        return Ok(array);
    }
    drop(array);
    let dtype = call::attribute(py, object, &names.dtype)?;
    let name = call::attribute(py, &dtype, &names.str)?;
    cx.datetime64_scale = Scale::of_type_name(name.get())?;
    Ok(Array::new(call::attribute(py, object, &names.array_struct)?))
}

/// The index and value of the first element that is infinite or NaN.
pub(crate) fn first_not_finite(array: &Array) -> Option<(usize, f64)> {
    fn find<const N: usize>(bytes: &[u8], read: impl Fn([u8; N]) -> f64) -> Option<(usize, f64)> {
        let (elements, _) = bytes.as_chunks::<N>();
        let values = elements.iter().map(|&element| read(element));
        values.enumerate().find(|(_, value)| !value.is_finite())
    }
    let bytes = array.bytes(0, array.len());
    match array.element {
        Element::Float16 => find(bytes, |bytes| f16::from_ne_bytes(bytes).into()),
        Element::Float32 => find(bytes, |bytes| f32::from_ne_bytes(bytes).into()),
        Element::Float64 => find(bytes, f64::from_ne_bytes),
        _ => None,
    }
}

/// Containers that are open where an array is written inside `depth` others; its innermost
/// dimension does not count.
pub(super) fn depth_inside(array: &Array, depth: usize) -> usize {
    depth + array.shape().len().saturating_sub(1)
}

/// Writes an array; `depth` counts the containers around it.
#[inline(never)]
pub(super) fn write<'b, V: Vector, F: Format, B: Buffer>(
    mut out: Out<'b, B>,
    array: &Array,
    scale: Scale,
    flags: EncodeFlags,
    depth: usize,
) -> Result<Out<'b, B>, Raised> {
    let mut writer = Writer { array, scale, flags, next_element: 0 };
    writer.dimension::<V, F, B>(&mut out, array.shape(), depth)?;
    Ok(out)
}

/// Writes one array.
struct Writer<'a> {
    array: &'a Array,
    scale: Scale,
    flags: EncodeFlags,
    /// The index of the next element in the array's memory.
    next_element: usize,
}

impl Writer<'_> {
    /// Writes one dimension and those inside it. The recursion is bounded: numpy has at most 64
    /// dimensions, and the walk has checked its limit.
    fn dimension<V: Vector, F: Format, B: Buffer>(
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
            let bytes = self.array.bytes(self.next_element, length as usize);
            self.next_element += length as usize;
            let row = InnerRow {
                out,
                element: self.array.element,
                bytes,
                depth: depth + 1,
                format: PhantomData::<F>,
            };
            // Separate functions, because their stack frames differ greatly in size.
            match self.array.element {
                Element::Bool | Element::Float16 | Element::Float32 | Element::Float64 => {
                    V::run_outlined(FloatsAndBools(row))?
                }
                Element::DateTime64 => self.datetimes(row)?,
                _ => V::run_outlined(Integers(row))?,
            };
        } else {
            for _ in 0..length {
                F::start_element(out, depth + 1)?;
                self.dimension::<V, F, B>(out, inner, depth + 1)?;
            }
        }
        Ok(F::close(out, b']', depth)?)
    }

    /// Writes a row of `datetime64`.
    #[inline(never)]
    fn datetimes<'b, F: Format, B: Buffer>(
        &self,
        row: InnerRow<'_, 'b, F, B>,
    ) -> Result<(), Raised> {
        if let Some(digits) = self.scale.digits() {
            return row.each(|out, bytes| {
                match self.scale.stamp(i64::from_ne_bytes(bytes), self.flags)? {
                    Some(stamp) => {
                        let stamp = stamp.with_fraction(digits);
                        Ok::<(), Raised>(out.plain_words(stamp.words(), stamp.len(), b',')?)
                    }
                    None => Ok(out.null(b',')?),
                }
            });
        }
        row.each(|out, bytes| match self.scale.stamp(i64::from_ne_bytes(bytes), self.flags)? {
            Some(stamp) => Ok::<(), Raised>(out.plain_words(stamp.words(), stamp.len(), b',')?),
            None => Ok(out.null(b',')?),
        })
    }
}

/// The elements of the innermost dimension.
struct InnerRow<'a, 'b, F, B: Buffer> {
    out: &'a mut Out<'b, B>,
    element: Element,
    bytes: &'a [u8],
    depth: usize,
    format: PhantomData<F>,
}

/// Writes a row of floats or booleans.
struct FloatsAndBools<'a, 'b, F, B: Buffer>(InnerRow<'a, 'b, F, B>);

impl<'b, F: Format, B: Buffer> Task for FloatsAndBools<'_, 'b, F, B> {
    type Output = Result<(), Raised>;

    #[inline(always)]
    fn with_vectors<V: Vector>(self) -> Self::Output {
        let Self(row) = self;
        /// Writes a row; `$read` makes a float of the bytes of one element. No closure that writes:
        /// it would not be compiled for the tier.
        macro_rules! floats {
            ($write_block:ident, $write_one:ident, $one:expr, $read:expr) => {{
                let elements = row.bytes.as_chunks().0;
                if F::SPACED {
                    for &element in elements {
                        F::start_element(row.out, row.depth)?;
                        row.out.$write_one::<V>($read(element))?;
                    }
                } else {
                    for block in elements.chunks(FLOATS) {
                        let mut values = [$one; FLOATS];
                        for (value, &element) in values.iter_mut().zip(block) {
                            *value = $read(element);
                        }
                        row.out.$write_block::<V>(&values, block.len())?;
                    }
                }
                Ok(())
            }};
        }
        match row.element {
            Element::Bool if !F::SPACED => Ok(row.out.booleans::<V>(row.bytes)?),
            Element::Bool => row.each(|out, b: [u8; 1]| out.boolean(b != [0], b',')),
            Element::Float16 => {
                let read = |element| f32::from(f16::from_ne_bytes(element));
                floats!(floats32_by, float32_by, 1_f32, read)
            }
            Element::Float32 => floats!(floats32_by, float32_by, 1_f32, f32::from_ne_bytes),
            _ => floats!(floats_by, float_by, 1_f64, f64::from_ne_bytes),
        }
    }
}

/// Writes a row of integers.
struct Integers<'a, 'b, F, B: Buffer>(InnerRow<'a, 'b, F, B>);

impl<'b, F: Format, B: Buffer> Task for Integers<'_, 'b, F, B> {
    type Output = Result<(), Raised>;

    #[inline(always)]
    fn with_vectors<V: Vector>(self) -> Self::Output {
        /// Writes a row; `$parts` splits a value into its sign and magnitude.
        macro_rules! integers {
            ($type:ty, $write_row:ident, $write_one:ident, $parts:expr) => {{
                let Self(row) = self;
                if F::SPACED {
                    return row
                        .each(|out, b| out.$write_one(<$type>::from_ne_bytes(b).into(), b','));
                }
                row.out.$write_row(row.bytes.as_chunks().0, |bytes| {
                    $parts(<$type>::from_ne_bytes(bytes))
                })?;
                Ok(())
            }};
        }
        macro_rules! signed {
            ($type:ty, $write_row:ident) => {
                integers!($type, $write_row, int, |v: $type| (v < 0, v.unsigned_abs().into()))
            };
        }
        macro_rules! unsigned {
            ($type:ty, $write_row:ident) => {
                integers!($type, $write_row, uint, |v: $type| (false, v.into()))
            };
        }
        match self.0.element {
            Element::Int8 => signed!(i8, integers),
            Element::Int16 => signed!(i16, integers),
            Element::Int32 => signed!(i32, integers),
            Element::UInt8 => unsigned!(u8, integers),
            Element::UInt16 => unsigned!(u16, integers),
            Element::UInt32 => unsigned!(u32, integers),
            Element::UInt64 => unsigned!(u64, wide_integers),
            _ => signed!(i64, wide_integers),
        }
    }
}

impl<'b, F: Format, B: Buffer> InnerRow<'_, 'b, F, B> {
    /// Calls `write` for each element of `N` bytes.
    #[inline(always)]
    fn each<const N: usize, E: Into<Raised>>(
        self,
        mut write: impl FnMut(&mut Out<'b, B>, [u8; N]) -> Result<(), E>,
    ) -> Result<(), Raised> {
        let (elements, _) = self.bytes.as_chunks::<N>();
        for &element in elements {
            F::start_element(self.out, self.depth)?;
            write(self.out, element).map_err(Into::into)?;
        }
        Ok(())
    }
}
