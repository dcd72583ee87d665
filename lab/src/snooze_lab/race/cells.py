"""The race over one task: verify, find the length of a slice, run the rounds.

Separate from the command line, which decides what is raced, and from the tables, which
show it. The rounds themselves are the interleaved instrument's. Invariants: nothing is
timed before its result was verified; a contender's time is only compared with another's
of the same round. Used by command.py and cold.py.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from snooze_lab import interleaved, stopwatch
from snooze_lab.contenders import UnsupportedError
from snooze_lab.model import AGAIN, OURS, REFERENCE, STANDARD
from snooze_lab.race import effect

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

    from snooze_lab.contenders import Call, Contender
    from snooze_lab.race.tasks import Task

#: Neither ours nor the reference: who can be the best rival. `json` and its like count
#: too, but win nowhere.
NOT_RIVALS = (OURS, AGAIN)


def is_rival(name: str) -> bool:
    """Tell whether a contender can be the best rival; ours have many ways of use."""
    return name not in NOT_RIVALS and not name.startswith(f"{OURS} ")


@dataclass
class Cell:
    """One task, and every contender's time in each round.

    `calls` is the length of a slice, `first` the rough time of a call that it was
    chosen by, `times` the nanoseconds of a call in each round (NaN: sat it out),
    `wrong` whose result was not right, `unable` who has no such option.
    """

    task: Task
    calls: dict[str, int] = field(default_factory=dict)
    first: dict[str, float] = field(default_factory=dict)
    times: dict[str, list[float]] = field(default_factory=dict)
    wrong: dict[str, str] = field(default_factory=dict)
    unable: dict[str, str] = field(default_factory=dict)

    def against(self, reference: str) -> dict[str, effect.Replicates]:
        """Return each contender's speed relative to `reference`."""
        return self._speeds.get(reference, {})

    @cached_property
    def _speeds(self) -> dict[str, dict[str, effect.Replicates]]:
        return {
            reference: {
                name: effect.speed(times, self.times[reference])
                for name, times in self.times.items()
            }
            for reference in (REFERENCE, STANDARD)
            if reference in self.times
        }

    @cached_property
    def best_rival(self) -> tuple[str, effect.Replicates] | None:
        """Return the fastest contender beside us, and our speed relative to it."""
        rivals = [name for name in self.times if is_rival(name)]
        if OURS not in self.times or not rivals:
            return None
        best = min(rivals, key=lambda name: effect.typical(self.times[name]))
        return best, effect.speed(self.times[OURS], self.times[best])

    def beside(self, other: str) -> effect.Replicates | None:
        """Return our speed relative to another contender of this cell."""
        if OURS not in self.times or other not in self.times:
            return None
        return effect.speed(self.times[OURS], self.times[other])

    def as_record(self) -> dict[str, Any]:
        """Return the cell for a record: times in nanoseconds per call, summarised."""
        best = self.best_rival
        return {
            "group": self.task.group,
            "workload": self.task.name,
            "note": self.task.note,
            "direction": self.task.direction,
            "bytes": self.task.bytes,
            "sha256": self.task.digest,
            "calls_per_slice": self.calls,
            "speed_relative_to_orjson": {
                name: found.ratio().as_list()
                for name, found in self.against(REFERENCE).items()
            },
            "best_rival": best and [best[0], *best[1].ratio().as_list()],
            "nanoseconds": {
                name: effect.spread(times) for name, times in self.times.items()
            },
            "wrong": self.wrong,
            "unable": self.unable,
        }


def prepare(
    entered: list[Contender], task: Task, progress: Callable[[str], None]
) -> Cell:
    """Verify every contender on one task and find the length of its slices."""
    cell = Cell(task)
    for contender in entered:
        progress(f"{task.direction} {task.name}: verifying {contender.name}")
        try:
            call, argument = task.entry(contender)
        except UnsupportedError as reason:
            cell.unable[contender.name] = str(reason)
            continue
        wrong = _fault(task, contender, call, argument)
        if wrong:
            cell.wrong[contender.name] = wrong
            continue
        cell.times[contender.name] = []
        calls, spent = stopwatch.calibrate(call, argument)
        cell.calls[contender.name] = calls
        cell.first[contender.name] = spent
    return cell


def _fault(task: Task, contender: Contender, call: Call, argument: Any) -> str:
    try:
        return task.fault(call(argument), contender)
    except Exception as reason:  # noqa: BLE001 - whatever a rival raises is its result
        return f"{type(reason).__name__}: {reason}"[:200]


def race(
    cell: Cell,
    entered: list[Contender],
    seconds: float,
    dice: random.Random,
    progress: Callable[[str], None],
) -> None:
    """Fill a cell with rounds until its time is used up."""
    task = cell.task
    names = [one.name for one in entered if one.name in cell.times]
    entries = {one.name: task.entry(one) for one in entered if one.name in names}
    cell.times = interleaved.rounds(
        entries,
        cell.calls,
        interleaved.slower(cell.first, REFERENCE),
        seconds,
        dice,
        lambda count: progress(f"{task.direction} {task.name}: round {count}"),
    )


def noise(cells: list[Cell]) -> list[float]:
    """Return how far the two entries of the reference differ, cell by cell."""
    found = [cell.against(REFERENCE).get(AGAIN) for cell in cells]
    return [abs(one.center) for one in found if one]
