"""Constraints for `Annotated`, in the words of annotated-types.

Separate from `options`, because constraints narrow values and options shape classes,
and from `constraint_merge`, which applies them and those of other packages. Invariant:
a constraint that can be made has a meaning. Made by users.
"""

from __future__ import annotations

import datetime as dt
import re

from snooze._typed.lazy_typing import TYPE_CHECKING, Any, Value

if TYPE_CHECKING:
    from decimal import Decimal
    from typing import TypeAlias

    Numeric: TypeAlias = "int | float | Decimal"
    Bound: TypeAlias = "Numeric | dt.date | dt.time | dt.timedelta"


def _need_number(name: str, value: Any, more: str = "") -> None:
    from decimal import Decimal  # noqa: PLC0415 - not at import time

    if isinstance(value, bool) or not isinstance(value, (int, float, Decimal)):
        raise TypeError(f"{name} needs an int, float or Decimal{more}, not {value!r}")
    if value != value:  # noqa: PLR0124 - NaN: nothing can be compared with it
        raise ValueError(f"{name} needs a number, not {value!r}")


def _need_bound(name: str, value: object) -> None:
    if not isinstance(value, (dt.date, dt.time, dt.timedelta)):
        _need_number(name, value, ", or a date, time or timedelta")


def _need_length(name: str, value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise TypeError(f"{name} needs an int that is not negative, not {value!r}")


class Gt(Value):
    """Greater than this number, date, time or duration."""

    __slots__ = ("gt",)
    gt: Bound

    def __init__(self, gt: Bound) -> None:
        """Check the bound."""
        _need_bound("Gt", gt)
        self._set(gt)


class Ge(Value):
    """Not less than this number, date, time or duration."""

    __slots__ = ("ge",)
    ge: Bound

    def __init__(self, ge: Bound) -> None:
        """Check the bound."""
        _need_bound("Ge", ge)
        self._set(ge)


class Lt(Value):
    """Less than this number, date, time or duration."""

    __slots__ = ("lt",)
    lt: Bound

    def __init__(self, lt: Bound) -> None:
        """Check the bound."""
        _need_bound("Lt", lt)
        self._set(lt)


class Le(Value):
    """Not greater than this number, date, time or duration."""

    __slots__ = ("le",)
    le: Bound

    def __init__(self, le: Bound) -> None:
        """Check the bound."""
        _need_bound("Le", le)
        self._set(le)


class MultipleOf(Value):
    """A whole multiple of this number, which is greater than 0."""

    __slots__ = ("multiple_of",)
    multiple_of: Numeric

    def __init__(self, multiple_of: Numeric) -> None:
        """Check the divisor."""
        _need_number("MultipleOf", multiple_of)
        if multiple_of <= 0:
            raise ValueError(
                f"MultipleOf needs a number greater than 0, not {multiple_of!r}"
            )
        self._set(multiple_of)


class MinLen(Value):
    """At least so many characters, bytes, items or members."""

    __slots__ = ("min_length",)
    min_length: int

    def __init__(self, min_length: int) -> None:
        """Check the length."""
        _need_length("MinLen", min_length)
        self._set(min_length)


class MaxLen(Value):
    """At most so many characters, bytes, items or members."""

    __slots__ = ("max_length",)
    max_length: int

    def __init__(self, max_length: int) -> None:
        """Check the length."""
        _need_length("MaxLen", max_length)
        self._set(max_length)


class Len(Value):
    """Both: `Len(1, 5)`, and `Len(3, 3)` for exactly three."""

    __slots__ = ("min_length", "max_length")  # noqa: RUF023 - in the order of __init__
    min_length: int
    max_length: int | None

    def __init__(self, min_length: int = 0, max_length: int | None = None) -> None:
        """Check the lengths."""
        _need_length("Len", min_length)
        if max_length is not None:
            _need_length("Len", max_length)
            if max_length < min_length:
                raise ValueError(
                    f"Len({min_length}, {max_length}) accepts nothing: the "
                    "first is the least length, the second the greatest"
                )
        self._set(min_length, max_length)


class Pattern(Value):
    """A str in which this regular expression is found (`re.search`)."""

    __slots__ = ("pattern",)
    pattern: str

    def __init__(self, pattern: str) -> None:
        """Compile it, so that a mistake shows here."""
        if isinstance(pattern, re.Pattern):
            raise TypeError("Pattern needs the text of the expression: pattern.pattern")
        if not isinstance(pattern, str):
            raise TypeError(f"Pattern needs a str, not {pattern!r}")
        try:
            re.compile(pattern)
        except re.error as error:
            raise ValueError(
                f"Pattern({pattern!r}) is no regular expression: {error}"
            ) from error
        self._set(pattern)


class Timezone(Value):
    """Date and time with an offset (`...`) or without (None), as in annotated-types.

    `Aware` and `Naive` are the two of these that can be used.
    """

    __slots__ = ("tz",)
    tz: Any

    def __init__(self, tz: Any) -> None:
        """Take it."""
        self._set(tz)


for _cls in (Gt, Ge, Lt, Le, MultipleOf, MinLen, MaxLen, Len, Pattern):
    _cls.__module__ = "snooze"

Aware = Timezone(...)
Naive = Timezone(None)
