"""Constraints for `Annotated`, with the names that annotated-types uses.

Separate from `options`, because constraints restrict values while options shape
classes, and from `constraint_merge`, which applies these constraints and those of other
packages. Invariant: a constraint that can be constructed can be satisfied. Made by
users.
"""

from __future__ import annotations

import datetime as dt
import re

from snooze._typed.lazy_typing import TYPE_CHECKING, Any, Immutable

if TYPE_CHECKING:
    from decimal import Decimal
    from typing import TypeAlias

    Numeric: TypeAlias = "int | float | Decimal"
    Bound: TypeAlias = "Numeric | dt.date | dt.time | dt.timedelta"


def _check_number(name: str, value: Any, more: str = "") -> None:
    from decimal import Decimal  # noqa: PLC0415 - not at import time

    if isinstance(value, bool) or not isinstance(value, (int, float, Decimal)):
        raise TypeError(f"{name} needs an int, float or Decimal{more}, not {value!r}")
    if value != value:  # noqa: PLR0124 - NaN: no comparison with it is true
        raise ValueError(f"{name} needs a number, not {value!r}")


def _check_bound(name: str, value: object) -> None:
    if not isinstance(value, (dt.date, dt.time, dt.timedelta)):
        _check_number(name, value, ", or a date, time or timedelta")


def _check_length(name: str, value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise TypeError(f"{name} needs a non-negative int, not {value!r}")


class Gt(Immutable):
    """Require a value greater than a bound: `Annotated[int, Gt(0)]`.

    Args:
        gt: The exclusive lower bound: an int, float or Decimal for numbers, or a date,
            datetime, time or timedelta for a type of the same class.

    Raises:
        TypeError: The bound has another type.
        ValueError: The bound is NaN.

    Examples:
        >>> from typing import Annotated
        >>> import snooze
        >>> snooze.decode(b"0", Annotated[int, snooze.Gt(0)])
        Traceback (most recent call last):
            ...
        snooze.ValidationError: expected int > 0, found 0 at $ (line 1 column 1)
    """

    __slots__ = ("gt",)
    gt: Bound

    def __init__(self, gt: Bound) -> None:
        """Check the bound."""
        _check_bound("Gt", gt)
        self._set_fields(gt)


class Ge(Immutable):
    """Require a value greater than or equal to a bound: `Annotated[int, Ge(0)]`.

    Args:
        ge: The inclusive lower bound: an int, float or Decimal for numbers, or a date,
            datetime, time or timedelta for a type of the same class.

    Raises:
        TypeError: The bound has another type.
        ValueError: The bound is NaN.

    Examples:
        >>> from typing import Annotated
        >>> import snooze
        >>> snooze.decode(b"[0, 1]", list[Annotated[int, snooze.Ge(0)]])
        [0, 1]
    """

    __slots__ = ("ge",)
    ge: Bound

    def __init__(self, ge: Bound) -> None:
        """Check the bound."""
        _check_bound("Ge", ge)
        self._set_fields(ge)


class Lt(Immutable):
    """Require a value less than a bound: `Annotated[float, Lt(1)]`.

    Args:
        lt: The exclusive upper bound: an int, float or Decimal for numbers, or a date,
            datetime, time or timedelta for a type of the same class.

    Raises:
        TypeError: The bound has another type.
        ValueError: The bound is NaN.

    Examples:
        >>> import datetime
        >>> from typing import Annotated
        >>> import snooze
        >>> Past = Annotated[datetime.date, snooze.Lt(datetime.date(2027, 1, 1))]
        >>> snooze.decode(b'"2026-11-21"', Past)
        datetime.date(2026, 11, 21)
    """

    __slots__ = ("lt",)
    lt: Bound

    def __init__(self, lt: Bound) -> None:
        """Check the bound."""
        _check_bound("Lt", lt)
        self._set_fields(lt)


class Le(Immutable):
    """Require a value less than or equal to a bound: `Annotated[float, Le(1)]`.

    Args:
        le: The inclusive upper bound: an int, float or Decimal for numbers, or a date,
            datetime, time or timedelta for a type of the same class.

    Raises:
        TypeError: The bound has another type.
        ValueError: The bound is NaN.

    Examples:
        >>> from typing import Annotated
        >>> import snooze
        >>> Share = Annotated[float, snooze.Ge(0), snooze.Le(1)]
        >>> snooze.decode(b"1.5", Share)
        Traceback (most recent call last):
            ...
        snooze.ValidationError: expected float >= 0 and <= 1, found 1.5 at $ (line 1 column 1)
    """  # noqa: E501 - the message of an error is one line

    __slots__ = ("le",)
    le: Bound

    def __init__(self, le: Bound) -> None:
        """Check the bound."""
        _check_bound("Le", le)
        self._set_fields(le)


class MultipleOf(Immutable):
    """Require a whole multiple of a number: `Annotated[int, MultipleOf(5)]`.

    Args:
        multiple_of: An int, float or Decimal greater than 0.

    Raises:
        TypeError: The number has another type.
        ValueError: The number is NaN, infinite, zero or negative.

    Examples:
        >>> from typing import Annotated
        >>> import snooze
        >>> snooze.decode(b"[5, 10]", list[Annotated[int, snooze.MultipleOf(5)]])
        [5, 10]
    """

    __slots__ = ("multiple_of",)
    multiple_of: Numeric

    def __init__(self, multiple_of: Numeric) -> None:
        """Check the divisor."""
        _check_number("MultipleOf", multiple_of)
        if multiple_of <= 0 or multiple_of == float("inf"):
            raise ValueError(
                f"MultipleOf needs a finite number greater than 0, not {multiple_of!r}"
            )
        self._set_fields(multiple_of)


class MinLen(Immutable):
    """Require a minimum length: `Annotated[str, MinLen(1)]`.

    Args:
        min_length: The least number of code points of a str, bytes of a bytes object,
            items of an array, or members of an object.

    Raises:
        TypeError: The length is not an int, or is negative.

    Examples:
        >>> from typing import Annotated
        >>> import snooze
        >>> snooze.decode(b'""', Annotated[str, snooze.MinLen(1)])
        Traceback (most recent call last):
            ...
        snooze.ValidationError: expected str of length >= 1, found "" at $ (line 1 column 1)
    """  # noqa: E501 - the message of an error is one line

    __slots__ = ("min_length",)
    min_length: int

    def __init__(self, min_length: int) -> None:
        """Check the length."""
        _check_length("MinLen", min_length)
        self._set_fields(min_length)


class MaxLen(Immutable):
    """Require a maximum length: `Annotated[list[int], MaxLen(3)]`.

    Args:
        max_length: The greatest number of code points of a str, bytes of a bytes
            object, items of an array, or members of an object.

    Raises:
        TypeError: The length is not an int, or is negative.

    Examples:
        >>> from typing import Annotated
        >>> import snooze
        >>> snooze.decode(b"[1, 2]", Annotated[list[int], snooze.MaxLen(3)])
        [1, 2]
    """

    __slots__ = ("max_length",)
    max_length: int

    def __init__(self, max_length: int) -> None:
        """Check the length."""
        _check_length("MaxLen", max_length)
        self._set_fields(max_length)


class Len(Immutable):
    """Require a length within bounds: `Annotated[str, Len(1, 20)]`.

    Args:
        min_length: The least number of code points of a str, bytes of a bytes object,
            items of an array, or members of an object. Default 0.
        max_length: The greatest number of these; `Len(3, 3)` means exactly three.
            Default None: no maximum.

    Raises:
        TypeError: A length is not an int, or is negative.
        ValueError: The maximum is less than the minimum.

    Examples:
        >>> from typing import Annotated
        >>> import snooze
        >>> snooze.decode(b"[1, 2, 3]", Annotated[tuple[int, ...], snooze.Len(3, 3)])
        (1, 2, 3)
    """

    __slots__ = ("min_length", "max_length")  # noqa: RUF023 - in the order of __init__
    min_length: int
    max_length: int | None

    def __init__(self, min_length: int = 0, max_length: int | None = None) -> None:
        """Check the lengths."""
        _check_length("Len", min_length)
        if max_length is not None:
            _check_length("Len", max_length)
            if max_length < min_length:
                raise ValueError(
                    f"Len({min_length}, {max_length}) accepts nothing: the "
                    "first is the minimum length, the second the maximum"
                )
        self._set_fields(min_length, max_length)


class Pattern(Immutable):
    """Require a str in which `re.search` finds a regular expression.

    Use `^` and `$` to match the whole text.

    Args:
        pattern: The text of the expression, in the syntax of the module `re`.

    Raises:
        TypeError: The pattern is not a str.
        ValueError: The pattern is not a regular expression.

    Examples:
        >>> from typing import Annotated
        >>> import snooze
        >>> snooze.decode(b'"mira"', Annotated[str, snooze.Pattern("^[a-z]+$")])
        'mira'
    """

    __slots__ = ("pattern",)
    pattern: str

    def __init__(self, pattern: str) -> None:
        """Compile the expression, so that a mistake shows here."""
        if isinstance(pattern, re.Pattern):
            raise TypeError("Pattern needs the text of the expression: pattern.pattern")
        if not isinstance(pattern, str):
            raise TypeError(f"Pattern needs a str, not {pattern!r}")
        try:
            re.compile(pattern)
        except (re.error, OverflowError, RecursionError) as error:
            raise ValueError(
                f"Pattern({pattern!r}) is not a regular expression: {error}"
            ) from error
        self._set_fields(pattern)


class Timezone(Immutable):
    """Require a datetime or time with a UTC offset (`...`) or without one (None).

    The class of `Aware` and `Naive`, which are the two instances that snooze supports.
    As in annotated-types.
    """

    __slots__ = ("tz",)
    tz: Any

    def __init__(self, tz: Any) -> None:
        """Store the argument."""
        self._set_fields(tz)


for _cls in (Gt, Ge, Lt, Le, MultipleOf, MinLen, MaxLen, Len, Pattern):
    _cls.__module__ = "snooze"

Aware = Timezone(...)
"""Require a datetime or time with a UTC offset: `Annotated[datetime, Aware]`."""

Naive = Timezone(None)
"""Require a datetime or time without a UTC offset: `Annotated[datetime, Naive]`."""
