"""Arguments of `snooze.scan` that methods of `Scan` take, too.

Separate because both check them. Invariant: what is wrong is an error that names the
argument. Called by `api` and `lines`.
"""

from __future__ import annotations

from snooze._typed.lazy_typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def check_limit(limit: int) -> None:
    """Raise unless a number of rows is one."""
    if not isinstance(limit, int) or isinstance(limit, bool):
        raise TypeError(f"limit: expected int, found {type(limit).__name__}")
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
