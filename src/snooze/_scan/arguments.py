"""Arguments of `snooze.scan` that methods of `Scan` take, too.

Separate because both check them. Invariant: what is wrong is an error that names the
argument. Called by `api` and `lines`.
"""

from __future__ import annotations

from snooze._typed.lazy_typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def check_count(name: str, value: int, most: int | None = None) -> None:
    """Raise unless an argument is an integer from 1 on."""
    _check_int(name, value)
    if value < 1 or (most is not None and value > most):
        wanted = "at least 1" if most is None else f"1 to {most}"
        raise ValueError(f"{name}: expected {wanted}, found {value}")


def _check_int(name: str, value: int) -> None:
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"{name}: expected int, found {type(value).__name__}")


def check_limit(limit: int) -> None:
    """Raise unless a number of rows is one."""
    _check_int("limit", limit)
    if not 0 <= limit < 1 << 63:
        raise ValueError(f"limit: expected 0 to 2**63 - 1, found {limit}")


def names_of(columns: Iterable[str] | None) -> tuple[str, ...] | None:
    """Return the names of columns."""
    if columns is None:
        return None
    if isinstance(columns, str):
        raise TypeError("columns: expected several names, found a str")
    names = tuple(columns)
    for name in names:
        if not isinstance(name, str):
            raise TypeError(f"columns: expected str, found {type(name).__name__}")
    return names
