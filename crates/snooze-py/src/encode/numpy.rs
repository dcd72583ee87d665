//! numpy's scalars and arrays out.
//!
//! An array is written from its memory, one row after the other, without making an object for
//! any element. Integers and floats of 32 bits and less have their own shortest texts.

use core::marker::PhantomData;

use half::f16;
use snooze_core::arch::{Task, Vector};
use snooze_core::out::{Buffer, NoMemory, Out};

use super::datetime64::Scale;
use super::frame::{MAX_DEPTH, Next};
use super::{Context, Format};
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
            match Scale::new(unit, multiplier).stamp(value, cx.config)? {
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
#[inline(always)]
pub(super) fn write<'b, V: Vector, F: Format, B: Buffer>(
    mut out: Out<'b, B>,
    array: &Array,
    scale: Scale,
    config: Config,
    depth: usize,
) -> Result<Out<'b, B>, Raised> {
    if depth + array.shape().len() > MAX_DEPTH {
        return Err(super::too_deep());
    }
    if !F::SPACED {
        out.expect(array.len().saturating_mul(longest(array.element)));
    }
    V::enter(Writer { out, array, scale, config, depth, format: PhantomData::<F> })
}

/// The longest text of an element and a comma; only a guess for floats.
fn longest(element: Element) -> usize {
    match element {
        Element::Int8 | Element::UInt8 => 4,
        Element::Bool | Element::Int16 | Element::UInt16 => 6,
        Element::Int32 | Element::UInt32 | Element::Float16 | Element::Float32 => 12,
        Element::Int64 | Element::UInt64 | Element::Float64 => 20,
        Element::DateTime64 => 36,
    }
}

struct Writer<'a, 'b, F, B: Buffer> {
    out: Out<'b, B>,
    array: &'a Array,
    scale: Scale,
    config: Config,
    depth: usize,
    format: PhantomData<F>,
}

impl<'b, F: Format, B: Buffer> Task for Writer<'_, 'b, F, B> {
    type Output = Result<Out<'b, B>, Raised>;

    /// Writes the array, one row after the other; of the dimensions around the rows it is only
    /// known how many elements of each are written.
    #[inline(always)]
    fn run<V: Vector>(mut self) -> Self::Output {
        let shape = self.array.shape();
        // The outermost dimension without elements ends the nesting.
        let levels = shape.iter().position(|&length| length <= 0).unwrap_or(shape.len() - 1);
        let is_empty = shape.get(levels).is_none_or(|&length| length <= 0);
        let length = shape.get(levels).map_or(0, |&length| length.max(0) as usize);
        let mut written = [0; MAX_DIMENSIONS];
        let Some(written) = written.get_mut(..levels) else { return Err(super::too_deep()) };
        let (mut level, mut first) = (0, 0);
        loop {
            for open in level..levels {
                self.out.byte(b'[')?;
                F::before(&mut self.out, self.depth + open + 1)?;
            }
            if is_empty {
                self.out.empty(b'[', b',')?;
            } else {
                self.out.byte(b'[')?;
                let bytes = self.array.bytes(first, length);
                first += length;
                let (element, depth) = (self.array.element, self.depth + levels + 1);
                self.out =
                    row::<V, F, B>(self.out, element, bytes, depth, self.scale, self.config)?;
                F::close(&mut self.out, b']', self.depth + levels)?;
            }
            // The innermost dimension that has another element.
            level = levels;
            loop {
                let Some(outer) = level.checked_sub(1) else { return Ok(self.out) };
                level = outer;
                written[level] += 1;
                if written[level] < shape[level] {
                    F::before(&mut self.out, self.depth + level + 1)?;
                    level += 1;
                    break;
                }
                written[level] = 0;
                F::close(&mut self.out, b']', self.depth + level)?;
            }
        }
    }
}

/// Dimensions that numpy's arrays may have.
const MAX_DIMENSIONS: usize = 64;

/// Writes the elements of the innermost dimension.
#[inline(always)]
fn row<'b, V: Vector, F: Format, B: Buffer>(
    mut out: Out<'b, B>,
    element: Element,
    bytes: &[u8],
    depth: usize,
    scale: Scale,
    config: Config,
) -> Result<Out<'b, B>, Raised> {
    macro_rules! integers {
        ($type:ty) => {
            if !F::SPACED {
                out.integers(bytes.as_chunks().0, <$type>::from_ne_bytes)?;
            } else {
                each::<F, B, _, _>(&mut out, bytes, depth, |out, b| {
                    out.int(<$type>::from_ne_bytes(b).into(), b',')
                })?;
            }
        };
    }
    match element {
        Element::Bool if !F::SPACED => out.booleans(bytes)?,
        Element::Bool => {
            each::<F, B, 1, _>(&mut out, bytes, depth, |out, b| out.boolean(b != [0], b','))?;
        }
        Element::Int8 => integers!(i8),
        Element::Int16 => integers!(i16),
        Element::Int32 => integers!(i32),
        Element::UInt8 => integers!(u8),
        Element::UInt16 => integers!(u16),
        Element::UInt32 => integers!(u32),
        Element::Int64 => each::<F, B, 8, _>(&mut out, bytes, depth, |out, b| {
            out.int(i64::from_ne_bytes(b), b',')
        })?,
        Element::UInt64 => each::<F, B, 8, _>(&mut out, bytes, depth, |out, b| {
            out.uint(u64::from_ne_bytes(b), b',')
        })?,
        Element::Float16 => each::<F, B, 2, _>(&mut out, bytes, depth, |out, b| {
            out.float32(f16::from_ne_bytes(b).into(), b',')
        })?,
        Element::Float32 => each::<F, B, 4, _>(&mut out, bytes, depth, |out, b| {
            out.float32(f32::from_ne_bytes(b), b',')
        })?,
        Element::Float64 => each::<F, B, 8, _>(&mut out, bytes, depth, |out, b| {
            out.float(f64::from_ne_bytes(b), b',')
        })?,
        Element::DateTime64 => each::<F, B, 8, _>(&mut out, bytes, depth, |out, b| {
            match scale.stamp(i64::from_ne_bytes(b), config)? {
                Some(stamp) => {
                    Ok::<(), Raised>(out.plain_words(stamp.words(), stamp.len(), b',')?)
                }
                None => Ok(out.null(b',')?),
            }
        })?,
    }
    Ok(out)
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
