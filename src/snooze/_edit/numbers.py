"""Compare numbers that were read with all of their digits: `Raw` and `Decimal`.

Separate from values.py, because such numbers are text until they are compared. `Raw`
is what ``numbers="raw"`` reads, and what the command line keeps, so that a number that
is not changed is written as it was. Invariants: numbers are compared exactly, whatever
their size; only with a float is a number what `loads` would read, an integer of up to
64 bits or else a double, as in ``@.price == 1.1``. Used by values.py and diff.py, and
by snooze._jsonpath and snooze._infer.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any

from snooze._typed.raw import Raw

#: Numbers that neither `==` nor `<` of Python compares as JSON needs it.
EXACT = (Raw, Decimal)
_NUMBER = re.compile(rb"(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([-+]?)([0-9]+))?")
_OF_FLOATS = frozenset(b".eE")
#: Digits of an exponent. Longer ones could be chosen to have one hash.
_LONGEST_EXPONENT = 18
#: What `loads` reads as int, and the characters of the longest such number.
_INTEGERS = range(-(2**63), 2**64)
_LONGEST_INTEGER = 20
_COMPLEMENT = bytes.maketrans(b"0123456789", b"9876543210")
#: The sign, the place of the first digit, and digits that are ordered as numbers are.
#: An infinity has the sign 2 or -2.
Parts = tuple[int, int, bytes]


def is_equal(one: Any, other: Any) -> bool:
    """Tell whether two values are equal, of which one is an exact number."""
    order = compared(one, other)
    if order is not None:
        return order == 0
    if isinstance(one, Decimal) or isinstance(other, Decimal):
        return False  # also for a signalling NaN, with which `==` is an error
    return isinstance(one, Raw) is isinstance(other, Raw) and bool(one == other)


def compared(one: Any, other: Any) -> int | None:
    """Return -1, 0 or 1 for two numbers in their order; None if one is no number."""
    first: Any
    second: Any
    if isinstance(one, float) or isinstance(other, float):
        first, second = _double(one), _double(other)
    else:
        first, second = _parts(one), _parts(other)
    if first is None or second is None:
        return None
    if first == second:
        return 0
    return -1 if first < second else 1 if first > second else None


def key(value: Raw | Decimal) -> tuple[Any, ...]:
    """Return a key by which a patch tells numbers apart: `1` and `1.0` differ.

    Of text, because numbers could be chosen that have one hash.
    """
    parts = _parts(value)
    if isinstance(value, Decimal):
        if value.is_nan():
            return (Decimal, None)
        return (Decimal, str(value) if parts is None else parts, value.is_signed())
    if parts is None:
        return (Raw, bytes(value))
    is_integer = not set(value) & _OF_FLOATS
    return (Raw, is_integer, not is_integer and value.startswith(b"-"), parts)


def python_type(raw: Raw) -> type[int | float] | None:
    """Return the type that `loads` makes of a number; None for other texts."""
    if not _NUMBER.fullmatch(raw):
        return None
    return float if set(raw) & _OF_FLOATS else int


def _text(value: Any) -> bytes | None:
    """Return a number as JSON; None for what is none."""
    if isinstance(value, Raw):
        return value
    if isinstance(value, bool) or not isinstance(value, (int, Decimal)):
        return None
    # Unlike int, a Decimal has no limit for the digits of its text.
    return str(Decimal(value)).encode()


def _double(value: Any) -> float | None:
    """Return a number as `loads` reads it: an int of up to 64 bits, or a float."""
    if isinstance(value, (int, float)):
        return None if isinstance(value, bool) else value
    if isinstance(value, Decimal) and not value.is_finite():
        return None if value.is_nan() else float(value)
    text = _text(value)
    if text is None or not _NUMBER.fullmatch(text):
        return None
    if len(text) <= _LONGEST_INTEGER and text.lstrip(b"-").isdigit():
        number = int(text)
        if number in _INTEGERS:
            return number
    return float(text)


def _parts(value: Any) -> Parts | None:
    """Return what orders numbers, without computing any power of ten.

    A number whose exponent is too long for that has no order.
    """
    if isinstance(value, Decimal) and value.is_infinite():
        return (-2 if value < 0 else 2, 0, b"")
    found = _NUMBER.fullmatch(_text(value) or b"")
    if found is None:
        return None
    sign, whole, fraction, exponent_sign, exponent = found.groups(b"")
    exponent = exponent.lstrip(b"0")
    digits = (whole + fraction).lstrip(b"0")
    place = len(digits) - len(fraction)
    digits = digits.rstrip(b"0")
    if not digits:
        return (0, 0, b"")
    if len(exponent) > _LONGEST_EXPONENT:
        return None
    power = int(exponent or b"0")
    place += -power if exponent_sign == b"-" else power
    if not sign:
        return (1, place, digits)
    # Of two negative numbers the larger digits are less, and so are more digits.
    return (-1, -place, digits.translate(_COMPLEMENT) + b":")
