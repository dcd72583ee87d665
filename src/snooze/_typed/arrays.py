"""Numpy arrays: what is done with the items that Rust has read.

Separate, because it is the only file that knows numpy, which is never imported here:
who names `np.ndarray` in a type has imported it. Called by `lower_decode`.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from snooze._typed import model


def maker(node: model.Array) -> Callable[[Any], Any]:
    """Return what makes an array of nested lists: equal lengths, no other types."""
    numpy = sys.modules["numpy"]
    dtype = node.dtype

    def make(items: Any) -> Any:
        try:
            found = numpy.array(items)
        except ValueError as error:
            raise ValueError("arrays inside have different lengths") from error
        if found.dtype.kind not in "biuf" and found.size:
            raise ValueError(f"items are {found.dtype}, not numbers")
        if dtype is None:
            return found
        if found.size and not numpy.can_cast(found.dtype, dtype, "same_kind"):
            raise ValueError(f"items are {found.dtype}, which does not fit {dtype}")
        result = found.astype(dtype)
        if dtype.kind in "iu" and not (result == found).all():
            raise ValueError(f"an item does not fit {dtype}")
        return result

    make.dtype = dtype  # type: ignore[attr-defined]
    return make


#: Types of items that Rust stores itself, by numpy's code.
_PACKED = frozenset(("b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8"))


def rule(node: model.Array) -> tuple[Any, ...]:
    """Return the rule of an array: of memory and a shape, if its type is plain."""
    dtype = node.dtype
    if dtype is None or not dtype.isnative or dtype.str[1:] not in _PACKED:
        return ("ndarray", maker(node))
    numpy = sys.modules["numpy"]

    def make(memory: bytearray, shape: tuple[int, ...]) -> Any:
        return numpy.frombuffer(memory, dtype).reshape(shape)

    return ("numbers", dtype.str[1:], make)
