"""One task to time: the call of a contender, its argument, and the check of its result.

Separate so that the racing loop (cells.py) knows neither documents nor kinds of
objects. Invariant: the call to be timed is the contender's own, wrapped only in a loop
where a workload has several documents. Used by cells.py, command.py, typed.py and
cold.py.
"""

from __future__ import annotations

import abc
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from snooze_lab.workloads.base import same

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from snooze_lab.contenders import Call, Contender
    from snooze_lab.workloads.base import Workload
    from snooze_lab.workloads.objects import Objects

DIRECTIONS = ("loads", "dumps")


@dataclass(frozen=True)
class Task(abc.ABC):
    """The subject of one cell of the results."""

    group: str
    name: str
    direction: str
    bytes: int
    note: str
    digest: str

    @abc.abstractmethod
    def entry(self, contender: Contender) -> tuple[Call, Any]:
        """Return the call to time and its argument; UnsupportedError without one."""

    def entered(self, libraries: list[Contender]) -> list[Contender]:
        """Return the libraries of the race that take part."""
        return libraries

    @abc.abstractmethod
    def fault(self, result: Any, contender: Contender, /) -> str:
        """Return what is wrong with a contender's result, or an empty string."""


@dataclass(frozen=True)
class Reading(Task):
    """`loads` of a workload."""

    workload: Workload

    def entry(self, contender: Contender) -> tuple[Call, Any]:
        """Return `loads` and the bytes."""
        return spread(contender.loads, self.workload.texts)

    def fault(self, result: Any, _contender: Contender, /) -> str:
        """Compare with the result of the standard library, types included."""
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
        """Parse the text with the standard library and compare with the value."""
        wanted = self.workload.values
        found = result if len(wanted) > 1 else [result]
        for text in found:
            if type(text) is not bytes:
                return f"dumps returned {type(text).__name__}, not bytes"
        values = [json.loads(text) for text in found]
        return "" if same(values, list(wanted)) else "its text is not the value's"


@dataclass(frozen=True)
class WritingObjects(Task):
    """`dumps` of Python objects, with the necessary options."""

    objects: Objects

    def entry(self, contender: Contender) -> tuple[Call, Any]:
        """Return the call with the necessary options, and the objects."""
        return contender.writer(self.objects.need), self.objects.value(contender)

    def fault(self, result: Any, _contender: Contender, /) -> str:
        """Compare with the text of orjson: its bytes, or else its parsed value."""
        return self.objects.fault(result)


def spread(call: Call, arguments: Sequence[Any]) -> tuple[Call, Any]:
    """Return a call over all arguments; for one argument, the function itself."""
    if len(arguments) == 1:
        return call, arguments[0]

    def each(found: Sequence[Any]) -> list[Any]:
        return [call(one) for one in found]

    return each, arguments


def of(group: str, found: Workload, direction: str) -> Task:
    """Return the task of one workload in one direction.

    The values of the workload are made here, before the race, so that the collector
    does not scan them during it.
    """
    what: Callable[..., Task] = Reading if direction == "loads" else Writing
    values = found.values
    size = found.size
    if direction == "dumps":
        size = sum(
            len(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode())
            for value in values
        )
    return what(group, found.name, direction, size, found.note, found.digest, found)


def of_objects(group: str, found: Objects) -> Task:
    """Return the task of writing objects, which are made here."""
    size, digest = found.size, found.digest
    return WritingObjects(group, found.name, "dumps", size, found.note, digest, found)
