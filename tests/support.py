"""Tools shared by the test modules: outcomes of calls, exact equality, float oracle.

Separate from conftest.py so that test modules can import it by name. Invariant: a
comparison made here never forgives a difference of type (int is not float, 0.0 is not
-0.0); known differences are filtered where they are generated, never in here.
"""

from __future__ import annotations

import json
import math
import struct
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import pytest

try:
    import orjson
except ImportError:
    orjson = None

needs_orjson = pytest.mark.skipif(
    orjson is None,
    reason="orjson has no wheel for this Python: differential tests NOT run",
)


@dataclass(frozen=True)
class Outcome:
    """What a call did: the value it returned or the exception it raised."""

    value: Any = None
    error: type[BaseException] | None = None
    text: str = ""
    place: tuple[Any, ...] = ()


def outcome(function: Any, *args: Any, **kwargs: Any) -> Outcome:
    """Call `function` and record the result in a form that can be compared."""
    try:
        return Outcome(value=function(*args, **kwargs))
    except json.JSONDecodeError as exc:
        place = (exc.msg, exc.pos, exc.lineno, exc.colno, exc.doc)
        return Outcome(error=json.JSONDecodeError, text=str(exc), place=place)
    except Exception as exc:
        cause = exc.__cause__
        place = (type(cause), str(cause)) if cause is not None else ()
        return Outcome(error=type(exc), text=str(exc), place=place)


def same(left: Any, right: Any) -> bool:
    """Equal values of equal types, all the way down; -0.0 differs from 0.0."""
    stack = [(left, right)]
    while stack:
        a, b = stack.pop()
        if type(a) is not type(b):
            return False
        if type(a) is list:
            if len(a) != len(b):
                return False
            stack.extend(zip(a, b, strict=True))
        elif type(a) is dict:
            if list(a) != list(b) or any(type(k) is not str for k in a):
                return False
            stack.extend((a[key], b[key]) for key in a)
        elif type(a) is float:
            if struct.pack("<d", a) != struct.pack("<d", b):
                return False
        elif a != b:
            return False
    return True


def assert_same(actual: Any, expected: Any) -> None:
    """Assert `same`, with pytest's own picture of the difference."""
    if not same(actual, expected):
        assert actual == expected
        pytest.fail(f"equal but not the same: {actual!r} / {expected!r}")


def float_text(number: float) -> str:
    """The JSON text of a float, built from the digits of `repr`."""
    if not math.isfinite(number):
        return "null"
    return decimal_text(repr(float(number)), -5, 15)


def float32_text(number: Any) -> str:
    """The JSON text of a numpy float32 or float16 (written as float32)."""
    import numpy as np

    if not np.isfinite(number):
        return "null"
    return decimal_text(np.format_float_scientific(np.float32(number)), -6, 12)


def decimal_text(shortest: str, low: int, high: int) -> str:
    """Lay out the shortest digits of a number.

    Fixed notation for decimal exponents `low`..`high`, otherwise scientific notation
    with a signed, unpadded exponent.
    """
    sign, digits, exponent = Decimal(shortest).as_tuple()
    assert isinstance(exponent, int)
    minus = "-" if sign else ""
    text = "".join(map(str, digits)).lstrip("0")
    if not text:
        return minus + "0.0"
    stripped = text.rstrip("0")
    point = len(text) + exponent  # position of the decimal point in `stripped`
    scientific = point - 1
    if not low <= scientific <= high:
        fraction = f".{stripped[1:]}" if len(stripped) > 1 else ""
        return f"{minus}{stripped[0]}{fraction}e{scientific:+d}"
    if point <= 0:
        return f"{minus}0.{'0' * -point}{stripped}"
    if point >= len(stripped):
        return f"{minus}{stripped}{'0' * (point - len(stripped))}.0"
    return f"{minus}{stripped[:point]}.{stripped[point:]}"


def nested(depth: int, wrap: Any, core: Any = 1) -> Any:
    """Wrap `core` in `depth` levels of `wrap`."""
    for _ in range(depth):
        core = wrap(core)
    return core
