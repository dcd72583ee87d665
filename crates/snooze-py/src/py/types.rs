//! What an object is: exact types by pointer, subclasses by the flags of the type.

use pyo3_ffi::*;

use crate::py::singletons::is_none;
use crate::py::{Attached, Obj, Owned, Raised, compat};

/// The kinds that the walk writes without looking further.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Str,
    Int,
    Bool,
    None,
    Float,
    List,
    Dict,
    Tuple,
    /// Anything else.
    Other,
}

/// The kind of an object by its exact type.
#[inline(always)]
pub(crate) fn kind(object: Obj<'_>) -> Kind {
    let tp = object.type_ptr();
    // Ordered by how often they occur in documents.
    if tp == &raw mut PyUnicode_Type {
        Kind::Str
    } else if tp == &raw mut PyLong_Type {
        Kind::Int
    } else if tp == &raw mut PyFloat_Type {
        Kind::Float
    } else if tp == &raw mut PyBool_Type {
        Kind::Bool
    } else if is_none(object) {
        Kind::None
    } else if tp == &raw mut PyDict_Type {
        Kind::Dict
    } else if tp == &raw mut PyList_Type {
        Kind::List
    } else if tp == &raw mut PyTuple_Type {
        Kind::Tuple
    } else {
        Kind::Other
    }
}

/// Whether the object is a string, a number, a truth value or `None`.
#[inline(always)]
pub(crate) fn is_scalar(object: Obj<'_>) -> bool {
    matches!(kind(object), Kind::Str | Kind::Int | Kind::Bool | Kind::None | Kind::Float)
}

/// Whether the object is an exact `str`.
#[inline(always)]
pub(crate) fn is_exact_str(object: Obj<'_>) -> bool {
    object.type_ptr() == &raw mut PyUnicode_Type
}

/// Whether the object is an exact `float`.
#[inline(always)]
pub(crate) fn is_exact_float(object: Obj<'_>) -> bool {
    object.type_ptr() == &raw mut PyFloat_Type
}

/// Whether the object is `True` or `False`.
#[inline(always)]
pub(crate) fn is_bool(object: Obj<'_>) -> bool {
    object.type_ptr() == &raw mut PyBool_Type
}

/// Whether the object is an exact `dict`.
#[inline(always)]
pub(crate) fn is_exact_dict(object: Obj<'_>) -> bool {
    object.type_ptr() == &raw mut PyDict_Type
}

/// Whether the object is an exact `list`.
#[inline(always)]
pub(crate) fn is_exact_list(object: Obj<'_>) -> bool {
    object.type_ptr() == &raw mut PyList_Type
}

/// Whether the object is an exact `tuple`.
#[inline(always)]
pub(crate) fn is_exact_tuple(object: Obj<'_>) -> bool {
    object.type_ptr() == &raw mut PyTuple_Type
}

/// Whether the object is a `frozendict` (CPython 3.15).
#[inline(always)]
pub(crate) fn is_frozendict(object: Obj<'_>) -> bool {
    // SAFETY: a live object.
    unsafe { compat::is_frozendict(object.as_ptr()) }
}

/// A type by its address, to be compared with those of objects.
///
/// Whoever keeps one keeps the type alive: another one could come to be at its address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Exact(usize);

impl Exact {
    /// The type of an object.
    #[inline(always)]
    pub(crate) fn of(object: Obj<'_>) -> Self {
        Self(object.type_ptr() as usize)
    }

    /// A class, as the type of its instances.
    pub(crate) fn class(class: Obj<'_>) -> Self {
        Self(class.as_ptr() as usize)
    }

    /// Whether an object is an instance of the type or of a subclass; no Python code is asked.
    pub(crate) fn is_base_of(self, object: Obj<'_>) -> bool {
        // SAFETY: live types, see above.
        unsafe { PyObject_TypeCheck(object.as_ptr(), self.0 as *mut PyTypeObject) != 0 }
    }

    pub(crate) fn list() -> Self {
        Self(&raw const PyList_Type as usize)
    }

    pub(crate) fn tuple() -> Self {
        Self(&raw const PyTuple_Type as usize)
    }

    pub(crate) fn dict() -> Self {
        Self(&raw const PyDict_Type as usize)
    }

    pub(crate) fn bytes() -> Self {
        Self(&raw const PyBytes_Type as usize)
    }

    pub(crate) fn bytearray() -> Self {
        Self(&raw const PyByteArray_Type as usize)
    }

    pub(crate) fn memoryview() -> Self {
        Self(&raw const PyMemoryView_Type as usize)
    }
}

/// Whether an object is a type.
pub(crate) fn is_type(object: Obj<'_>) -> bool {
    // SAFETY: a live object.
    unsafe { PyType_Check(object.as_ptr()) != 0 }
}

/// Whether an object is an instance of a class or of a class that inherits from it; no Python code
/// is asked.
pub(crate) fn inherits(object: Obj<'_>, class: Obj<'_>) -> bool {
    // SAFETY: live objects; the class is one, see `is_type`.
    is_type(class) && unsafe { PyObject_TypeCheck(object.as_ptr(), class.as_ptr().cast()) != 0 }
}

/// Whether an object is a `float` or of a subclass.
pub(crate) fn is_float(object: Obj<'_>) -> bool {
    // SAFETY: a live object.
    unsafe { PyFloat_Check(object.as_ptr()) != 0 }
}

/// Whether an object is a `tuple` or of a subclass.
pub(crate) fn is_tuple(object: Obj<'_>) -> bool {
    // SAFETY: a live object.
    unsafe { PyTuple_Check(object.as_ptr()) != 0 }
}

/// The types whose instances a built-in function knows to be lists, tuples or dicts.
pub(crate) fn builtin_class(which: Exact) -> Option<Owned> {
    if ![Exact::list(), Exact::tuple(), Exact::dict()].contains(&which) {
        return None;
    }
    // SAFETY: the address of one of three static types, which live as long as the process.
    unsafe { Obj::from_ptr(which.0 as *mut PyObject) }.map(Obj::to_owned)
}

/// Built-in types whose subclasses are written as themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Base {
    Str,
    Int,
    List,
    Dict,
}

/// The built-in type that a type derives from, by its flags.
#[inline(always)]
pub(crate) fn base(object: Obj<'_>) -> Option<Base> {
    // SAFETY: a live object has a live type. Its flags are read in place where no other thread
    // can write them: a call costs more than all that is asked here.
    let flags = unsafe {
        match compat::FREE_THREADED {
            true => PyType_GetFlags(object.type_ptr()),
            false => (&raw const (*object.type_ptr()).tp_flags).cast::<core::ffi::c_ulong>().read(),
        }
    };
    if flags & Py_TPFLAGS_UNICODE_SUBCLASS != 0 {
        Some(Base::Str)
    } else if flags & Py_TPFLAGS_LONG_SUBCLASS != 0 {
        Some(Base::Int)
    } else if flags & Py_TPFLAGS_LIST_SUBCLASS != 0 {
        Some(Base::List)
    } else if flags & Py_TPFLAGS_DICT_SUBCLASS != 0 {
        Some(Base::Dict)
    } else {
        None
    }
}

/// Whether the object is an `OrderedDict` or of a subclass: its order is not its dict's.
pub(crate) fn is_ordered_dict(object: Obj<'_>) -> bool {
    // SAFETY: a live object, and a static type.
    unsafe { PyObject_TypeCheck(object.as_ptr(), &raw mut compat::PyODict_Type) != 0 }
}

/// A type that a cache knows: its address and the version tag it had.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct TypeKey {
    address: usize,
    metatype: usize,
    version: u32,
}

/// Whether a type is part of a program: nobody changes it, and it is never freed.
#[cold]
fn is_static(tp: *mut PyTypeObject) -> bool {
    // SAFETY: a live type.
    unsafe { PyType_GetFlags(tp) & Py_TPFLAGS_HEAPTYPE == 0 }
}

impl TypeKey {
    /// The key of the object's type now, or `None` if the type cannot be recognised later.
    ///
    /// Version tags are unique in an interpreter and are taken away by every change of the type,
    /// so a type that was changed, or freed and replaced by another at the same address, has
    /// another key.
    #[inline(always)]
    pub(crate) fn of(object: Obj<'_>) -> Option<Self> {
        let tp = object.type_ptr();
        // SAFETY: a live type.
        let version = unsafe { compat::version_tag(tp) };
        let metatype = object.type_obj().type_ptr() as usize;
        if version == 0 && !is_static(tp) {
            return None;
        }
        Some(Self { address: tp as usize, metatype, version })
    }

    /// Where the key belongs in a table of a power of two entries.
    #[inline(always)]
    pub(crate) fn slot(self, entries: usize) -> usize {
        (self.address >> 4 ^ self.address >> 12) & (entries - 1)
    }
}

/// Whether two objects are equal, as Python says.
pub(crate) fn equal(_py: &mut Attached, one: &Owned, other: &Owned) -> Result<bool, Raised> {
    // SAFETY: live objects; the result is checked.
    match unsafe { PyObject_RichCompareBool(one.as_ptr(), other.as_ptr(), Py_EQ) } {
        -1 => Err(Raised),
        equal => Ok(equal != 0),
    }
}

/// The number of items of a set or a dict, which may be fewer than were put in; otherwise `count`.
pub(crate) fn size(object: &Owned, count: usize) -> usize {
    // SAFETY: a live object, whose size is asked for once its type is known.
    unsafe {
        if PyAnySet_CheckExact(object.as_ptr()) != 0 {
            PySet_Size(object.as_ptr()) as usize
        } else if PyDict_CheckExact(object.as_ptr()) != 0 {
            PyDict_Size(object.as_ptr()) as usize
        } else {
            count
        }
    }
}
