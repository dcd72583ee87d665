"""Small tools of many test modules: outcomes of calls, the float oracle, nesting.

Separate from conftest.py so that test modules can import it by name. Invariant: an
`Outcome` holds all that a caller can see of a call, so two equal ones are
indistinguishable except for the types inside their values (`equality.same` checks those).
"""

from __future__ import annotations

import json
import math
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
    """The result of a call: the value that it returned or the exception that it raised."""

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


def float_text(number: float) -> str:
    """Return the JSON text of a float, built from the digits of `repr`."""
    if not math.isfinite(number):
        return "null"
    return decimal_text(repr(float(number)), -5, 15)


def float32_text(number: Any) -> str:
    """Return the JSON text of a numpy float32 or float16 (written as float32)."""
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
