"""Exact equality: the one comparison that the tests use where `==` is too lenient.

Separate from `support` because the laboratory's tests could use it too and it needs the
standard library only. Invariant: `same` never accepts a difference of type (True is not
1, 1 is not 1.0), of a float's sign or bits (-0.0 is not 0.0; a NaN equals a NaN of the
same bits), of a Decimal's digits, of a datetime's offset, or of the order of a dict's
members. Tests leave out known differences where they make their cases, not here.
"""

from __future__ import annotations

import collections
import dataclasses
import datetime
import struct
from decimal import Decimal
from typing import Any

import pytest


def same(left: Any, right: Any, *, ordered: bool = True) -> bool:
    """Return whether two values are equal and of equal types, all the way down.

    `ordered=False` accepts dicts with the same members in another order. Dataclass
    instances are compared by their fields, whether or not they define `__eq__`.
    """
    stack = [(left, right)]
    while stack:
        a, b = stack.pop()
        if type(a) is not type(b):
            return False
        pairs = _parts(a, b, ordered=ordered)
        if pairs is None:
            return False
        stack.extend(pairs)
    return True


def _parts(a: Any, b: Any, *, ordered: bool) -> list[tuple[Any, Any]] | None:
    """Return the pairs that decide whether a and b are the same; None if they differ."""
    if isinstance(a, (list, tuple, collections.deque)):
        return list(zip(a, b, strict=True)) if len(a) == len(b) else None
    if isinstance(a, dict):
        if len(a) != len(b):
            return None
        if ordered:
            return [
                pair for key in zip(a, b, strict=True) for pair in _member(a, b, *key)
            ]
        keys = _matches(a, b)
        return keys and [pair for key in keys for pair in _member(a, b, *key)]
    if isinstance(a, (set, frozenset)):
        return _matches(a, b) if len(a) == len(b) else None
    if dataclasses.is_dataclass(a) and not isinstance(a, type):
        names = [field.name for field in dataclasses.fields(a)]
        return [(getattr(a, name), getattr(b, name)) for name in names]
    return [] if _same_scalar(a, b) else None


def _member(a: Any, b: Any, left: Any, right: Any) -> list[tuple[Any, Any]]:
    return [(left, right), (a[left], b[right])]


def _matches(a: Any, b: Any) -> list[tuple[Any, Any]] | None:
    """Pair the items of two hash tables that are equal; None if some have no partner."""
    stored = {item: item for item in b}
    if any(item not in stored for item in a):
        return None
    return [(item, stored[item]) for item in a]


def _same_scalar(a: Any, b: Any) -> bool:
    if isinstance(a, float):
        return struct.pack("<d", a) == struct.pack("<d", b)
    if isinstance(a, Decimal):
        return a.as_tuple() == b.as_tuple()
    if isinstance(a, (datetime.datetime, datetime.time)):
        return bool(a == b) and a.utcoffset() == b.utcoffset()
    return bool(a == b)


def assert_same(actual: Any, expected: Any, *, ordered: bool = True) -> None:
    """Assert `same`; let pytest show the difference where `==` sees one as well."""
    if not same(actual, expected, ordered=ordered):
        assert actual == expected
        pytest.fail(f"equal but not the same: {actual!r} / {expected!r}")
