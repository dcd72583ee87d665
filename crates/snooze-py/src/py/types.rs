//! The type of an object: exact types by address, subclasses by type flags; handles of types.
//!
//! Separate because every walk begins with it. Invariant: no function here runs Python code.
//! Called by both walks and by the caches of types.

use pyo3_ffi::*;

use crate::py::dict::Dict;
use crate::py::float::Float;
use crate::py::handle::{Builtin, Handle, Strong, type_flags};
use crate::py::int::Int;
use crate::py::list::List;
use crate::py::singletons::is_none;
use crate::py::tuple::Tuple;
use crate::py::unicode::Str;
use crate::py::{Attached, Obj, Owned, Raised, compat};

/// The exact built-in types that every walk handles itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind<'a> {
    Str(Str<'a>),
    Int(Int<'a>),
    Bool,
    None,
    Float(Float<'a>),
    List(List<'a>),
    Dict(Dict<'a>),
    Tuple(Tuple<'a>),
    /// Anything else.
    Other,
}

/// The kind of an object by its exact type.
#[inline(always)]
pub(crate) fn kind(object: Obj<'_>) -> Kind<'_> {
    let tp = object.type_ptr();
    // Ordered by frequency in documents.
    if let Some(text) = Str::exact(object) {
        Kind::Str(text)
    } else if let Some(number) = Int::exact(object) {
        Kind::Int(number)
    } else if let Some(number) = Float::exact(object) {
        Kind::Float(number)
    } else if tp == &raw mut PyBool_Type {
        Kind::Bool
    } else if is_none(object) {
        Kind::None
    } else if let Some(dict) = Dict::exact(object) {
        Kind::Dict(dict)
    } else if let Some(list) = List::exact(object) {
        Kind::List(list)
    } else if let Some(tuple) = Tuple::exact(object) {
        Kind::Tuple(tuple)
    } else {
        Kind::Other
    }
}

/// Whether the object is an exact `str`, `int`, `bool` or `float`, or `None`.
#[inline(always)]
pub(crate) fn is_scalar(object: Obj<'_>) -> bool {
    matches!(kind(object), Kind::Str(_) | Kind::Int(_) | Kind::Bool | Kind::None | Kind::Float(_))
}

/// Whether the cyclic collector may track the object, so that it can be in a reference cycle.
#[inline(always)]
pub(crate) fn has_collector_support(object: Obj<'_>) -> bool {
    type_flags(object) & Py_TPFLAGS_HAVE_GC != 0
}

/// Whether the object is `True` or `False`.
#[inline(always)]
pub(crate) fn is_bool(object: Obj<'_>) -> bool {
    object.type_ptr() == &raw mut PyBool_Type
}

/// Whether the object's type has a `repr` other than that of `object`, which shows only an address.
pub(crate) fn has_repr(object: Obj<'_>) -> bool {
    // SAFETY: live types, because the object keeps its own, and that of `object` is static.
    let (own, of_object) = unsafe { ((*object.type_ptr()).tp_repr, PyBaseObject_Type.tp_repr) };
    own.map(|repr| repr as usize) != of_object.map(|repr| repr as usize)
}

/// Whether the object has items by index, as a `deque` has.
pub(crate) fn is_sequence(object: Obj<'_>) -> bool {
    // SAFETY: a live object, because an `Obj` borrows it.
    unsafe { PySequence_Check(object.as_ptr()) != 0 }
}

/// Whether the object is the type `bool`.
pub(crate) fn is_bool_type(object: Obj<'_>) -> bool {
    object.as_ptr() == (&raw mut PyBool_Type).cast()
}

/// The address of a type, for comparison with the types of objects.
///
/// Whoever keeps one also keeps the type; otherwise another type could be allocated at the address.
/// In a plan the type is a class of the rule or record beside it.
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

    /// Whether an object is an instance of the type or of a subclass; runs no Python code.
    pub(crate) fn is_base_of(self, object: Obj<'_>) -> bool {
        // SAFETY: a live object, because an `Obj` borrows it; a live type, because the only caller,
        // `encode::typed::classify`, asks for built-in types and those of the module datetime,
        // which are static.
        unsafe { PyObject_TypeCheck(object.as_ptr(), self.0 as *mut PyTypeObject) != 0 }
    }

    /// `issubclass` of the type and some classes.
    pub(crate) fn is_subclass(self, _py: &mut Attached, classes: &Owned) -> Result<bool, Raised> {
        // SAFETY: a live type, because the only caller runs while a plan is compiled, and the
        // description of the plan holds its classes; live classes, because they are owned; the
        // result is checked.
        match unsafe { PyObject_IsSubclass(self.0 as *mut PyObject, classes.as_ptr()) } {
            -1 => Err(Raised),
            result => Ok(result != 0),
        }
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

    pub(crate) fn str() -> Self {
        Self(&raw const PyUnicode_Type as usize)
    }

    pub(crate) fn int() -> Self {
        Self(&raw const PyLong_Type as usize)
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

/// The type `type`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TypeType {}

/// A type: an instance of `type` or of a metaclass.
pub(crate) type Type<'a> = Handle<'a, TypeType>;
/// A strong reference to a type.
pub(crate) type OwnedType = Strong<TypeType>;

// SAFETY: every instance begins with a `PyTypeObject`, because metaclasses extend the layout of
// `type`; the flag says which types are metaclasses.
unsafe impl Builtin for TypeType {
    #[inline(always)]
    fn type_object() -> *mut PyTypeObject {
        &raw mut PyType_Type
    }

    #[inline(always)]
    fn has_instance(object: Obj<'_>) -> bool {
        type_flags(object) & Py_TPFLAGS_TYPE_SUBCLASS != 0
    }
}

/// The type of an object: a strong reference, because Python code may assign `__class__`.
pub(crate) fn type_of(object: Obj<'_>) -> OwnedType {
    // SAFETY: a type, because it is the type of an object.
    unsafe { Type::assume(object.type_obj()).to_owned() }
}

/// Whether an object is a type.
pub(crate) fn is_type(object: Obj<'_>) -> bool {
    Type::any(object).is_some()
}

/// Whether an object is an instance of a class or of a subclass; runs no Python code.
pub(crate) fn inherits(object: Obj<'_>, class: Obj<'_>) -> bool {
    // SAFETY: a live object and a live type, because an `Obj` and a handle borrow them.
    Type::any(class).is_some_and(|class| unsafe {
        PyObject_TypeCheck(object.as_ptr(), class.as_ptr().cast()) != 0
    })
}

/// The type object of `list`, `tuple` or `dict`; `None` for any other type.
pub(crate) fn builtin_class(which: Exact) -> Option<Owned> {
    if ![Exact::list(), Exact::tuple(), Exact::dict()].contains(&which) {
        return None;
    }
    // SAFETY: a live type, because it is one of three static types, as compared above.
    unsafe { Obj::from_ptr(which.0 as *mut PyObject) }.map(Obj::to_owned)
}

/// Built-in types whose subclasses are written like the type itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Base {
    Str,
    Int,
    List,
    Dict,
}

/// The built-in type that the object's type derives from, by the type's flags.
#[inline(always)]
pub(crate) fn base(object: Obj<'_>) -> Option<Base> {
    let flags = type_flags(object);
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

/// The key of a type in a cache: its address, its metatype and its version tag.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct TypeKey {
    address: usize,
    metatype: usize,
    version: u32,
}

/// Whether the object's type is static: immutable and never freed.
#[cold]
fn has_static_type(object: Obj<'_>) -> bool {
    // SAFETY: a live type, because a live object keeps its type.
    unsafe { PyType_GetFlags(object.type_ptr()) & Py_TPFLAGS_HEAPTYPE == 0 }
}

impl TypeKey {
    /// The current key of the object's type; `None` if the type cannot be recognised later.
    ///
    /// Version tags are unique within an interpreter, and a type loses its tag when it is modified.
    /// So a modified type has another key, and so has a new type at the address of a freed one.
    #[inline(always)]
    pub(crate) fn of(object: Obj<'_>) -> Option<Self> {
        let tp = object.type_ptr();
        // SAFETY: a live type, because a live object keeps its type.
        let version = unsafe { compat::version_tag(tp) };
        let metatype = object.type_obj().type_ptr() as usize;
        if version == 0 && !has_static_type(object) {
            return None;
        }
        Some(Self { address: tp as usize, metatype, version })
    }

    /// The key's index in a table whose number of entries is a power of two.
    #[inline(always)]
    pub(crate) fn slot(self, entries: usize) -> usize {
        (self.address >> 4 ^ self.address >> 12) & (entries - 1)
    }
}

/// The number of items of an exact set or dict, which drop duplicates; otherwise `count`.
pub(crate) fn deduplicated_len(object: &Owned, count: usize) -> usize {
    // SAFETY: a live object, because it is owned; of the right type, because that is checked first.
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
