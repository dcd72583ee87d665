"""Constraints for `Annotated`, in the words of annotated-types.

Separate from `options`, because constraints narrow values and options shape classes,
and from `narrowing`, which applies them and those of other packages. Invariant: a
constraint that can be made has a meaning. Made by users.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
import re
from decimal import Decimal
from typing import Any, TypeAlias

Numeric: TypeAlias = "int | float | Decimal"
Bound: TypeAlias = "Numeric | dt.date | dt.time | dt.timedelta"


def _need_number(name: str, value: object, more: str = "") -> None:
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


@dataclasses.dataclass(frozen=True, slots=True)
class Gt:
    """Greater than this number, date, time or duration."""

    gt: Bound

    def __post_init__(self) -> None:
        """Check the bound."""
        _need_bound("Gt", self.gt)


@dataclasses.dataclass(frozen=True, slots=True)
class Ge:
    """Not less than this number, date, time or duration."""

    ge: Bound

    def __post_init__(self) -> None:
        """Check the bound."""
        _need_bound("Ge", self.ge)


@dataclasses.dataclass(frozen=True, slots=True)
class Lt:
    """Less than this number, date, time or duration."""

    lt: Bound

    def __post_init__(self) -> None:
        """Check the bound."""
        _need_bound("Lt", self.lt)


@dataclasses.dataclass(frozen=True, slots=True)
class Le:
    """Not greater than this number, date, time or duration."""

    le: Bound

    def __post_init__(self) -> None:
        """Check the bound."""
        _need_bound("Le", self.le)


@dataclasses.dataclass(frozen=True, slots=True)
class MultipleOf:
    """A whole multiple of this number, which is greater than 0."""

    multiple_of: Numeric

    def __post_init__(self) -> None:
        """Check the divisor."""
        _need_number("MultipleOf", self.multiple_of)
        if self.multiple_of <= 0:
            raise ValueError(
                f"MultipleOf needs a number greater than 0, not {self.multiple_of!r}"
            )


@dataclasses.dataclass(frozen=True, slots=True)
class MinLen:
    """At least so many characters, bytes, items or members."""

    min_length: int

    def __post_init__(self) -> None:
        """Check the length."""
        _need_length("MinLen", self.min_length)


@dataclasses.dataclass(frozen=True, slots=True)
class MaxLen:
    """At most so many characters, bytes, items or members."""

    max_length: int

    def __post_init__(self) -> None:
        """Check the length."""
        _need_length("MaxLen", self.max_length)


@dataclasses.dataclass(frozen=True, slots=True)
class Len:
    """Both: `Len(1, 5)`, and `Len(3, 3)` for exactly three."""

    min_length: int = 0
    max_length: int | None = None

    def __post_init__(self) -> None:
        """Check the lengths."""
        _need_length("Len", self.min_length)
        if self.max_length is not None:
            _need_length("Len", self.max_length)
            if self.max_length < self.min_length:
                raise ValueError(
                    f"Len({self.min_length}, {self.max_length}) accepts nothing: the "
                    "first is the least length, the second the greatest"
                )


@dataclasses.dataclass(frozen=True, slots=True)
class Pattern:
    """A str in which this regular expression is found (`re.search`)."""

    pattern: str

    def __post_init__(self) -> None:
        """Compile it, so that a mistake shows here."""
        if isinstance(self.pattern, re.Pattern):
            raise TypeError("Pattern needs the text of the expression: pattern.pattern")
        if not isinstance(self.pattern, str):
            raise TypeError(f"Pattern needs a str, not {self.pattern!r}")
        try:
            re.compile(self.pattern)
        except re.error as error:
            raise ValueError(
                f"Pattern({self.pattern!r}) is no regular expression: {error}"
            ) from error


@dataclasses.dataclass(frozen=True, slots=True)
class Timezone:
    """Date and time with an offset (`...`) or without (None), as in annotated-types.

    `Aware` and `Naive` are the two of these that can be used.
    """

    tz: Any


for _cls in (Gt, Ge, Lt, Le, MultipleOf, MinLen, MaxLen, Len, Pattern):
    _cls.__module__ = "snooze"

Aware = Timezone(...)
Naive = Timezone(None)
