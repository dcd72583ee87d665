"""Values that are changed in one scalar, again and again, never twice alike.

Separate because how a value is changed depends on no library. Invariants: a change
keeps the shape of a value, the types in it and, where it can, the length of its text;
standard library only. Used by operations.py.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

#: Places that are looked at in search of a scalar with room for a number.
SEARCHED = 10_000
#: Digits that make a scalar different from all others of a process.
DIGITS = 6
_numbers = itertools.count()


@dataclass(frozen=True)
class Changed:
    """Documents like that of a job, each different from all before in one scalar.

    `renew` returns the argument of the next one: for an operation that writes it is the
    same object, changed. `right` tells whether a result is that of the latest one.
    """

    renew: Callable[[], Any]
    right: Callable[[Any], bool]


class Places:
    """A scalar in each of several plain values, which it changes in place."""

    def __init__(self, values: list[Any]) -> None:
        """Choose a scalar in each value that has one inside a container."""
        self._places = [place for value in values if (place := _place(value))]

    def __bool__(self) -> bool:
        """Tell whether there is anything to change."""
        return bool(self._places)

    def change(self) -> None:
        """Give each of the scalars a value that it never had."""
        for container, key in self._places:
            container[key] = _like(container[key], next(_numbers) % 10**DIGITS)


def _place(value: Any) -> tuple[Any, Any] | None:
    """Return container and key of a scalar, one with room for the digits if found."""
    found = None
    for container, key in itertools.islice(_scalars(value), SEARCHED):
        one = container[key]
        if type(one) is str and one.isascii() and len(one) >= DIGITS:
            return container, key
        if found is None and type(one) in {int, float, str}:
            found = container, key
    return found


def _scalars(value: Any) -> Iterator[tuple[Any, Any]]:
    pending = [value]
    while pending:
        container = pending.pop()
        if type(container) is dict:
            keys: Any = container.keys()
        elif type(container) is list:
            keys = range(len(container))
        else:
            continue
        for key in keys:
            if isinstance(container[key], (dict, list)):
                pending.append(container[key])
            else:
                yield container, key


def _like(one: Any, number: int) -> Any:
    if type(one) is str:
        return f"{number:0{DIGITS}}{one[DIGITS:]}"
    return type(one)(10**DIGITS + number)
