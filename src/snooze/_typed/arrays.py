"""Numpy arrays: how they are made of the items that Rust has read.

Separate, because it is the only file that knows numpy. It never imports numpy: a type
that names `np.ndarray` shows that the user has. Called by `lower_decode`.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from snooze._typed import model

#: Item types that Rust writes into the memory of an array, by numpy's type code.
_PACKED = frozenset(("b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8"))


def rule(node: model.Array) -> tuple[Any, ...]:
    """Return the decode rule: Rust fills the memory if it can, else makes lists."""
    dtype = node.dtype
    if dtype is None or not dtype.isnative or dtype.str[1:] not in _PACKED:
        return ("ndarray", _from_lists(node))
    numpy = sys.modules["numpy"]

    def make(memory: bytearray, shape: tuple[int, ...]) -> Any:
        return numpy.frombuffer(memory, dtype).reshape(shape)

    return ("numbers", dtype.str[1:], make)


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
