//! numpy's arrays and scalars, read through the array interface and numpy's public structures.
//!
//! Separate because numpy is optional and never imported here: its types come from the module
//! `numpy` once other code has imported it. Invariant: an object is a [`Scalar`] only if the basic
//! size of its type covers the value, so another module named `numpy` cannot cause a read outside
//! an object. Called by `runtime` and by `encode::numpy`.

use core::ffi::{CStr, c_char, c_int, c_void};
use core::slice;

use half::f16;
use pyo3_ffi::*;

use crate::py::{Attached, Obj, Owned, Raised, types};

/// The type of a scalar or of an array's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Element {
    Bool,
    Int8,
    Int16,
    Int32,
    Int64,
    UInt8,
    UInt16,
    UInt32,
    UInt64,
    Float16,
    Float32,
    Float64,
    DateTime64,
}

impl Element {
    /// The size in bytes.
    pub(crate) fn size(self) -> usize {
        match self {
            Self::Bool | Self::Int8 | Self::UInt8 => 1,
            Self::Int16 | Self::UInt16 | Self::Float16 => 2,
            Self::Int32 | Self::UInt32 | Self::Float32 => 4,
            Self::Int64 | Self::UInt64 | Self::Float64 | Self::DateTime64 => 8,
        }
    }

    /// The element type of an array interface's kind and item size.
    fn of(kind: u8, size: c_int) -> Option<Self> {
        Some(match (kind, size) {
            (b'b', 1) => Self::Bool,
            (b'i', 1) => Self::Int8,
            (b'i', 2) => Self::Int16,
            (b'i', 4) => Self::Int32,
            (b'i', 8) => Self::Int64,
            (b'u', 1) => Self::UInt8,
            (b'u', 2) => Self::UInt16,
            (b'u', 4) => Self::UInt32,
            (b'u', 8) => Self::UInt64,
            (b'f', 2) => Self::Float16,
            (b'f', 4) => Self::Float32,
            (b'f', 8) => Self::Float64,
            (b'M', 8) => Self::DateTime64,
            _ => return None,
        })
    }
}

/// The scalar types and their names in the module.
const SCALARS: [(&CStr, Element); 13] = [
    (c"float64", Element::Float64),
    (c"float32", Element::Float32),
    (c"float16", Element::Float16),
    (c"int64", Element::Int64),
    (c"int32", Element::Int32),
    (c"int16", Element::Int16),
    (c"int8", Element::Int8),
    (c"uint64", Element::UInt64),
    (c"uint32", Element::UInt32),
    (c"uint16", Element::UInt16),
    (c"uint8", Element::UInt8),
    (c"bool_", Element::Bool),
    (c"datetime64", Element::DateTime64),
];

/// The types of an imported numpy.
#[derive(Debug)]
pub(crate) struct Numpy {
    array: Owned,
    scalars: Vec<(Owned, Element)>,
}

/// Whether an object is an array or a scalar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NumpyKind<'a> {
    Array,
    Scalar(Scalar<'a>),
}

impl Numpy {
    /// Finds the types in the module and skips missing scalar types; `None` without `ndarray`.
    pub(crate) fn of_module(py: &mut Attached, module: &Owned) -> Result<Option<Self>, Raised> {
        let Some(array) = type_named(py, module, c"ndarray")? else {
            return Ok(None);
        };
        let mut scalars = Vec::new();
        scalars.try_reserve_exact(SCALARS.len()).map_err(|_| crate::py::error::no_memory())?;
        for (name, element) in SCALARS {
            if let Some(scalar) = type_named(py, module, name)? {
                let needed = if element == Element::DateTime64 {
                    size_of::<DateTimeScalar>()
                } else {
                    place_of_value(element.size()) + element.size()
                };
                // SAFETY: a live type, because it is owned and `type_named` checked that it is one.
                let size = unsafe { (*scalar.as_ptr().cast::<PyTypeObject>()).tp_basicsize };
                if size as usize >= needed {
                    scalars.push((scalar, element));
                }
            }
        }
        Ok(Some(Self { array, scalars }))
    }

    /// The kind of an object, by its exact type.
    pub(crate) fn kind<'a>(&self, object: Obj<'a>) -> Option<NumpyKind<'a>> {
        let tp = object.type_ptr().cast();
        if tp == self.array.as_ptr() {
            return Some(NumpyKind::Array);
        }
        let scalar = self.scalars.iter().find(|(scalar, _)| scalar.as_ptr() == tp);
        scalar.map(|&(_, element)| NumpyKind::Scalar(Scalar { object, element }))
    }

    /// The types, for the cyclic collector.
    pub(crate) fn objects(&self) -> impl Iterator<Item = &Owned> {
        core::iter::once(&self.array).chain(self.scalars.iter().map(|(scalar, _)| scalar))
    }
}

/// The type under a name of a module; `None` if there is none.
fn type_named(py: &mut Attached, module: &Owned, name: &CStr) -> Result<Option<Owned>, Raised> {
    let name = crate::py::call::interned(name)?;
    let found = crate::py::call::optional_attribute(py, module, &name)?;
    Ok(found.filter(|found| types::is_type(found.get())))
}

/// The beginning of numpy's `PyDatetimeScalarObject`.
#[repr(C)]
struct DateTimeScalar {
    base: PyObject,
    value: i64,
    unit: c_int,
    multiplier: c_int,
}

/// A scalar: an object whose memory covers a value of its element type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Scalar<'a> {
    object: Obj<'a>,
    element: Element,
}

/// The value of a scalar.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum ScalarValue {
    Bool(bool),
    Signed(i64),
    Unsigned(u64),
    /// A float of up to 32 bits.
    Float32(f32),
    Float64(f64),
    DateTime64 {
        value: i64,
        unit: i32,
        multiplier: i32,
    },
}

impl Scalar<'_> {
    /// The value.
    #[inline(always)]
    pub(crate) fn value(self) -> ScalarValue {
        use ScalarValue as Value;
        // SAFETY: inside the object, because each arm reads what `Numpy::of_module` found covered
        // by the basic size of the type, by the scalar's element type: `Element::size` bytes behind
        // the header, or the structure of a `datetime64`.
        unsafe {
            match self.element {
                Element::Bool => Value::Bool(self.bytes::<1>() != [0]),
                Element::Int8 => Value::Signed(i8::from_ne_bytes(self.bytes()).into()),
                Element::Int16 => Value::Signed(i16::from_ne_bytes(self.bytes()).into()),
                Element::Int32 => Value::Signed(i32::from_ne_bytes(self.bytes()).into()),
                Element::Int64 => Value::Signed(i64::from_ne_bytes(self.bytes())),
                Element::UInt8 => Value::Unsigned(u8::from_ne_bytes(self.bytes()).into()),
                Element::UInt16 => Value::Unsigned(u16::from_ne_bytes(self.bytes()).into()),
                Element::UInt32 => Value::Unsigned(u32::from_ne_bytes(self.bytes()).into()),
                Element::UInt64 => Value::Unsigned(u64::from_ne_bytes(self.bytes())),
                Element::Float16 => Value::Float32(f16::from_ne_bytes(self.bytes()).into()),
                Element::Float32 => Value::Float32(f32::from_ne_bytes(self.bytes())),
                Element::Float64 => Value::Float64(f64::from_ne_bytes(self.bytes())),
                Element::DateTime64 => {
                    let scalar = self.object.as_ptr().cast::<DateTimeScalar>();
                    Value::DateTime64 {
                        value: (*scalar).value,
                        unit: (*scalar).unit,
                        multiplier: (*scalar).multiplier,
                    }
                }
            }
        }
    }

    /// The bytes of the value.
    ///
    /// # Safety
    /// The scalar's element type has `N` bytes.
    #[inline(always)]
    unsafe fn bytes<const N: usize>(self) -> [u8; N] {
        // SAFETY: inside the object, because the caller says so.
        unsafe {
            let place = const { place_of_value(N) };
            self.object.as_ptr().byte_add(place).cast::<[u8; N]>().read()
        }
    }
}

/// Where a scalar has a number of so many bytes: behind the header, aligned as C aligns it.
const fn place_of_value(size: usize) -> usize {
    let alignment = if size == 8 { align_of::<u64>() } else { size };
    size_of::<PyObject>().next_multiple_of(alignment)
}

/// numpy's `PyArrayInterface`.
#[repr(C)]
struct ArrayInterface {
    two: c_int,
    dimensions: c_int,
    kind: c_char,
    item_size: c_int,
    flags: c_int,
    shape: *const isize,
    strides: *const isize,
    data: *const c_void,
    description: *mut PyObject,
}

const C_CONTIGUOUS: c_int = 0x1;
const NATIVE_ENDIAN: c_int = 0x200;

/// Why an array cannot be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ArrayError {
    /// It violates the array interface.
    Malformed,
    /// Its elements have the other byte order.
    ForeignEndian,
    /// It is strided, in Fortran order, or structured.
    NotContiguous,
    /// Its elements have no JSON representation, or it has no dimensions.
    Unsupported,
    /// An exception is set.
    Raised,
}

/// The memory of an array, kept alive.
#[derive(Debug)]
pub(crate) struct Array {
    _interface: Owned,
    /// The type of the elements.
    pub(crate) element: Element,
    shape: *const isize,
    dimensions: usize,
    data: *const u8,
    length: usize,
}

impl Array {
    /// Reads the value of `__array_struct__`.
    pub(crate) fn new(interface: Owned) -> Result<Self, ArrayError> {
        // SAFETY: a live object, because it is owned; a capsule, because its type is checked first.
        // Its structure and data stay live, because the capsule owns the structure, which keeps the
        // array, and `Array` keeps the capsule.
        unsafe {
            if PyCapsule_CheckExact(interface.as_ptr()) == 0 {
                return Err(ArrayError::Malformed);
            }
            let array = PyCapsule_GetPointer(interface.as_ptr(), core::ptr::null());
            if array.is_null() {
                return Err(ArrayError::Raised);
            }
            let array = array.cast::<ArrayInterface>();
            if (*array).two != 2 || (*array).dimensions < 0 {
                return Err(ArrayError::Malformed);
            }
            let flags = (*array).flags;
            // A structured array has neither of the two flags.
            if flags & C_CONTIGUOUS == 0 {
                return Err(ArrayError::NotContiguous);
            }
            if flags & NATIVE_ENDIAN == 0 {
                return Err(ArrayError::ForeignEndian);
            }
            let element = Element::of((*array).kind as u8, (*array).item_size);
            let element = element.ok_or(ArrayError::Unsupported)?;
            if (*array).dimensions == 0 {
                return Err(ArrayError::Unsupported);
            }
            let dimensions = (*array).dimensions as usize;
            let shape = slice::from_raw_parts((*array).shape, dimensions);
            Ok(Self {
                element,
                shape: (*array).shape,
                dimensions,
                data: (*array).data.cast(),
                length: shape.iter().map(|&length| length.max(0) as usize).product(),
                _interface: interface,
            })
        }
    }

    /// The length of each dimension.
    pub(crate) fn shape(&self) -> &[isize] {
        // SAFETY: `dimensions` lengths, because the array interface says so; live, because the
        // capsule is kept.
        unsafe { slice::from_raw_parts(self.shape, self.dimensions) }
    }

    /// The number of elements.
    pub(crate) fn len(&self) -> usize {
        self.length
    }

    /// The bytes of `count` elements from index `first` on; empty if the array has fewer.
    pub(crate) fn bytes(&self, first: usize, count: usize) -> &[u8] {
        if count == 0 || first.checked_add(count).is_none_or(|end| end > self.length) {
            return &[];
        }
        let size = self.element.size();
        // SAFETY: inside the array, because it is contiguous with `length` elements of that size,
        // as `new` checked, and the range is compared above. Another thread may write the elements
        // meanwhile; each is read once, as plain bytes.
        unsafe { slice::from_raw_parts(self.data.add(first * size), count * size) }
    }
}
