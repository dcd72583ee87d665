"""Arguments of `snooze.scan` that methods of `Scan` take, too.

Separate because both check them. Invariant: what is wrong is an error that names the
argument. Called by `api`, `conditions` and `scan`.
"""

from __future__ import annotations

from snooze._typed.lazy_typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import SupportsIndex

#: The name of the column for what the schema has no place for.
REST = "_rest"
#: That column, as Rust knows columns.
REST_COLUMN = (REST, "u", True, "arrow.json", ())
#: The values of `drift`, without a schema, for which all records decide.
READ_FIRST = (None, "widen", "json")


def count_of(name: str, value: SupportsIndex, most: int | None = None) -> int:
    """Return an argument that is an integer from 1 on, or raise."""
    value = _int(name, value)
    if value < 1 or (most is not None and value > most):
        wanted = "at least 1" if most is None else f"1 to {most}"
        raise ValueError(f"{name}: expected {wanted}, found {value}")
    return value


def _int(name: str, value: SupportsIndex) -> int:
    """Return an integer, also one of numpy."""
    if type(value) is int:
        return value
    import operator  # noqa: PLC0415 - not at import time

    try:
        if not isinstance(value, bool):
            return operator.index(value)
    except TypeError:  # which does not name the argument
        pass
    raise TypeError(f"{name}: expected int, found {type(value).__name__}")


def limit_of(limit: SupportsIndex) -> int:
    """Return a number of rows, or raise."""
    limit = _int("limit", limit)
    if not 0 <= limit < 1 << 63:
        raise ValueError(f"limit: expected 0 to 2**63 - 1, found {limit}")
    return limit


def has_surrogate(text: str) -> bool:
    """Return whether a text has half of a surrogate pair, which no UTF-8 has."""
    return any("\ud800" <= one <= "\udfff" for one in text)


def names_of(columns: Iterable[str] | None) -> tuple[str, ...] | None:
    """Return the names of columns."""
    if columns is None:
        return None
    if isinstance(columns, str):
        raise TypeError(
            f"columns: expected several names, found a str; write [{columns!r}]"
        )
    names = tuple(columns)
    for name in names:
        if not isinstance(name, str):
            raise TypeError(f"columns: expected str, found {type(name).__name__}")
        if has_surrogate(name):
            raise ValueError(f"columns: no member name has a lone surrogate: {name!r}")
    if len(set(names)) < len(names):
        name = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"columns: expected different names, found {name!r} twice")
    return names
