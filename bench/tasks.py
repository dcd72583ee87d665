"""One thing to time: which call a contender makes, on what, and whether it is right.

Separate so that the loop that races (cells.py) knows neither documents nor kinds of
objects. Invariant: what a task hands out for timing is the contender's own call,
wrapped in nothing but a loop where a workload has several documents. Used by cells.py,
race.py, kinds.py, typed.py and cold.py.
"""

from __future__ import annotations

import abc
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bench.contenders import Call, Contender
    from bench.workloads import Workload

DIRECTIONS = ("loads", "dumps")


@dataclass(frozen=True)
class Task(abc.ABC):
    """What a cell of the results is about."""

    group: str
    name: str
    direction: str
    bytes: int
    note: str
    digest: str

    @abc.abstractmethod
    def entry(self, contender: Contender) -> tuple[Call, Any]:
        """Return the call to time and its argument; UnsupportedError if none."""

    def entered(self, libraries: list[Contender]) -> list[Contender]:
        """Return who takes part, of the libraries that race."""
        return libraries

    @abc.abstractmethod
    def fault(self, result: Any, contender: Contender, /) -> str:
        """Return what is wrong with a contender's result; nothing if it is right."""


@dataclass(frozen=True)
class Reading(Task):
    """`loads` of a workload."""

    workload: Workload

    def entry(self, contender: Contender) -> tuple[Call, Any]:
        """Return `loads` and the bytes."""
        return spread(contender.loads, self.workload.texts)

    def fault(self, result: Any, _contender: Contender, /) -> str:
        """Compare with what the standard library reads, types included."""
        wanted = self.workload.values
        found = result if len(wanted) > 1 else [result]
        return "" if same(list(found), list(wanted)) else "differs from json's result"


@dataclass(frozen=True)
class Writing(Task):
    """`dumps` of a workload, without options."""

    workload: Workload

    def entry(self, contender: Contender) -> tuple[Call, Any]:
        """Return `dumps` and the value."""
        return spread(contender.dumps, self.workload.values)

    def fault(self, result: Any, _contender: Contender, /) -> str:
        """Compare what the standard library reads from it with the value."""
        wanted = self.workload.values
        found = result if len(wanted) > 1 else [result]
        for text in found:
            if type(text) is not bytes:
                return f"dumps returned {type(text).__name__}, not bytes"
        values = [json.loads(text) for text in found]
        return "" if same(values, list(wanted)) else "its text is not the value's"


def spread(call: Call, arguments: Sequence[Any]) -> tuple[Call, Any]:
    """Return a call over all arguments; for one argument the call itself."""
    if len(arguments) == 1:
        return call, arguments[0]

    def each(found: Sequence[Any]) -> list[Any]:
        return [call(one) for one in found]

    return each, arguments


def of(group: str, found: Workload, direction: str) -> Task:
    """Return the task of one workload in one direction."""
    what: Callable[..., Task] = Reading if direction == "loads" else Writing
    size = found.size
    if direction == "dumps":
        size = sum(
            len(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode())
            for value in found.values
        )
    return what(group, found.name, direction, size, found.note, found.digest, found)


def same(left: Any, right: Any) -> bool:
    """Tell whether both values are equal, with equal types all the way down."""
    pairs = [(left, right)]
    while pairs:
        one, other = pairs.pop()
        if type(one) is not type(other):
            return False
        if isinstance(one, dict):
            if one.keys() != other.keys():
                return False
            pairs.extend((value, other[key]) for key, value in one.items())
        elif isinstance(one, list):
            if len(one) != len(other):
                return False
            pairs.extend(zip(one, other, strict=True))
        elif one != other:
            return False
    return True
