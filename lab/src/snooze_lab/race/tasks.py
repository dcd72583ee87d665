"""One task to time: a workload in one direction, and who takes part.

Separate so that the racing loops know neither documents nor kinds of objects: the call,
its argument and the check of its result are the `Job` of operations.py, as for the
laboratory's studies. Used by cells.py, command.py, singles.py, threads.py and typed.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from snooze_lab import operations
from snooze_lab.model import Factors
from snooze_lab.workloads import generated
from snooze_lab.workloads.objects import Objects

if TYPE_CHECKING:
    from collections.abc import Iterable

    from snooze_lab.contenders import Contender
    from snooze_lab.operations import Job
    from snooze_lab.workloads import Workload

DIRECTIONS = ("loads", "dumps")


@dataclass(frozen=True)
class Task:
    """The subject of one cell of the results; `bytes` is the JSON of one call."""

    group: str
    direction: str
    workload: Workload
    bytes: int

    @property
    def name(self) -> str:
        """The name of the row."""
        return self.workload.name

    def entered(self, libraries: list[Contender]) -> list[Contender]:
        """Return the libraries of the race that take part."""
        return libraries

    def job(self, contender: Contender) -> Job:
        """Return the call to time, its argument, and the check of its result.

        UnsupportedError for a contender that cannot do it.
        """
        return operations.job(self.direction, self.workload, contender, Factors())


def each(group: str, works: Iterable[Workload], directions: list[str]) -> list[Task]:
    """Return the tasks of workloads, each in every direction."""
    return [of(group, one, direction) for one in works for direction in directions]


def of(group: str, found: Workload, direction: str) -> Task:
    """Return the task of one workload in one direction.

    What documents are written as is compact, whatever their text.
    """
    size = found.size
    if direction == "dumps" and not isinstance(found, Objects):
        size = sum(len(generated.compact(value)) for value in found.values)
    return Task(group, direction, found, size)
