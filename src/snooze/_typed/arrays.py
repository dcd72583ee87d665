"""Numpy arrays: their types, how they are made of items, and made plain.

Separate, because it is the only file that knows numpy. It never imports numpy: a type
that names `np.ndarray`, or an array, shows that the user has. Called by
`introspect`, `lower_decode`, `lower_encode` and `plans`.
"""

from __future__ import annotations

import sys
import typing
from typing import TYPE_CHECKING, Any

from snooze._typed import generics, model

if TYPE_CHECKING:
    from collections.abc import Callable

#: Item types that Rust reads from and writes into arrays, by numpy's type code.
_PACKED = frozenset(
    ("b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8")
)


def rule(node: model.Array) -> tuple[Any, ...]:
    """Return the decode rule: Rust fills the memory if it can, else makes lists."""
    dtype = node.dtype
    if dtype is None or dtype.str[1:] not in _PACKED:
        return list_rule(node)
    numpy = sys.modules["numpy"]
    native = dtype.newbyteorder("=")

    def make(memory: bytearray, shape: tuple[int, ...]) -> Any:
        array = numpy.frombuffer(memory, native).reshape(shape)
        return array if dtype.isnative else array.astype(dtype)

    return ("numbers", dtype.str[1:], make)


def list_rule(node: model.Array) -> tuple[Any, ...]:
    """Return the rule that makes lists first."""
    return ("ndarray", _from_lists(node))


def object_rule(node: model.Array) -> tuple[Any, ...]:
    """Return the rule for lists of Python objects, which are not only JSON's."""
    return ("ndarray", _from_objects(node))


def _from_objects(node: model.Array) -> Callable[[Any], Any]:
    """Return a function that makes an array of nested lists, or raises an error."""
    numpy = sys.modules["numpy"]
    dtype = node.dtype
    if dtype is None:
        return _from_lists(node)
    bools, integers = (bool, numpy.bool_), (int, numpy.integer)
    classes = {"b": bools, "i": integers, "u": integers}
    numbers = classes.get(dtype.kind, (int, float, numpy.number))

    def make(items: Any) -> Any:
        objects = numpy.array(items, dtype=object)
        for one in objects.flat:  # lists where their lengths differ
            if isinstance(one, bools) != (numbers is bools) or not isinstance(
                one, numbers
            ):
                raise TypeError(f"an item is a {type(one).__name__}")
        try:
            with numpy.errstate(over="ignore"):
                result = objects.astype(dtype)
        except OverflowError as error:
            raise ValueError(str(error)) from error
        if dtype.kind == "f":
            fits = not (numpy.isinf(result) & ~numpy.isinf(objects.astype(float))).any()
        else:
            fits = (result == objects).all()
        if not fits:
            raise ValueError(f"an item does not fit {dtype}")
        return result

    return make


def kept(node: model.Array) -> Callable[[Any], Any]:
    """Return a function that returns an array that fits, or one of the right dtype."""
    numpy = sys.modules["numpy"]
    dtype = node.dtype

    def checked(array: Any) -> Any:
        found = array.dtype
        if isinstance(array, numpy.ma.MaskedArray):
            raise TypeError("a masked array")
        if array.ndim == 0 or found.kind not in "biuf":
            raise TypeError(f"an array of {found} with {array.ndim} dimensions")
        if dtype is None or found == dtype:
            return array
        same_kind = (found.kind == "b") == (dtype.kind == "b")
        if same_kind and numpy.can_cast(found, dtype, "safe"):
            return array.astype(dtype)
        raise TypeError(f"an array of {found}")

    return checked


def _from_lists(node: model.Array) -> Callable[[Any], Any]:
    """Return a function that makes an array of nested lists, or raises ValueError."""
    numpy = sys.modules["numpy"]
    dtype = node.dtype

    def make(items: Any) -> Any:
        try:
            array = numpy.array(items)
        except ValueError as error:
            raise ValueError("nested arrays have different lengths") from error
        if array.dtype.kind not in "biuf" and array.size:
            raise ValueError(f"items are {array.dtype}, not numbers")
        if dtype is None:
            return array
        if array.size and not numpy.can_cast(array.dtype, dtype, "same_kind"):
            raise ValueError(f"items are {array.dtype}, which does not fit {dtype}")
        result = array.astype(dtype)
        if dtype.kind in "iu" and not (result == array).all():
            raise ValueError(f"an item does not fit {dtype}")
        return result

    return make


def mismatch(node: model.Array) -> Callable[[Any], str | None] | None:
    """Return a function that describes an array which the type excludes, or None.

    An array fits if a Decoder of the type reads it back: each of its numbers is one of
    the dtype. None if the type has no dtype.
    """
    dtype = node.dtype
    if dtype is None:
        return None
    numpy = sys.modules["numpy"]

    def description(array: Any) -> str | None:
        found = array.dtype
        if array.ndim == 0:
            return "numpy array without dimensions"
        same_kind = (found.kind == "b") == (dtype.kind == "b")
        if same_kind and numpy.can_cast(found, dtype, "safe"):
            return None
        return f"numpy array of {found}"

    return description


#: Kinds of dtype whose elements are written one by one, after `tolist`: complex, float
#: (of more than 64 bits), object, bytes, str, and StringDType. Those without a form
#: go to the hook.
_LISTABLE = frozenset("cfOSUT")


def plain(array: Any) -> tuple[Any] | None:
    """Return what is written in place of an array that Rust cannot read, or None.

    Rust reads contiguous arrays of native numbers with at least one dimension. A
    structured array or one of timedelta64 has no such form, and goes to the hook.
    """
    dtype = array.dtype
    if dtype.kind in "mV":
        return None
    if array.ndim == 0:
        return (array[()],)
    if not dtype.isnative:
        return (array.astype(dtype.newbyteorder("=")),)
    if dtype.str[1:] in _PACKED or dtype.kind == "M":
        return (array.copy(),)
    return (array.tolist(),) if dtype.kind in _LISTABLE else None


def floats(array: Any) -> Any:
    """Return the floats of an array in lists, as JSON would have them."""
    if array.dtype.itemsize == 8:
        return array.tolist()
    # The shortest digits of a 32-bit float, which are not those of the same double; so
    # Rust writes floats of 16 bits, too.
    numpy = sys.modules["numpy"]
    array = array.astype(numpy.float32)
    shortest = numpy.empty(array.size, dtype=object)
    shortest[:] = [float(str(one)) for one in array.flat]
    return shortest.reshape(array.shape).tolist()


def is_ndarray(cls: Any) -> bool:
    """Return whether a class is numpy's array class; imports nothing."""
    numpy = sys.modules.get("numpy")
    return numpy is not None and cls is numpy.ndarray


def node_of(cls: Any, arguments: tuple[Any, ...], place: str) -> model.Node:
    """Return the node of `np.ndarray[Any, np.dtype[np.float64]]`."""
    numpy = sys.modules["numpy"]
    if len(arguments) < 2:
        return model.Array(cls)
    scalars = typing.get_args(arguments[1]) or (arguments[1],)
    scalar = scalars[0]
    if scalar is Any or generics.is_variable(scalar):
        return model.Array(cls)
    try:
        dtype = numpy.dtype(scalar)
    except TypeError as error:
        raise TypeError(f"{place}: {scalar!r} is not a numpy item type") from error
    if dtype.kind not in "biuf":
        raise TypeError(
            f"{place}: numpy arrays of {dtype} are not supported; use bool, integers "
            "or floats"
        )
    return model.Array(cls, dtype)
