"""The race over one task: verify, find the length of a slice, run the rounds.

Separate from the command line, which decides what is raced, and from the tables, which
show it. A round gives every contender one slice of about 3 ms in shuffled order.
Invariants: nothing is timed before its result was verified; a contender's time is only
compared with another's of the same round; order never depends on names. Used by race.py
and cold.py.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from snooze_lab import stopwatch
from snooze_lab.contenders import UnsupportedError
from snooze_lab.model import AGAIN, OURS, REFERENCE, STANDARD
from snooze_lab.race import effect

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

    from snooze_lab.contenders import Call, Contender
    from snooze_lab.race.tasks import Task

ROUNDS = 16  # at least, however short the time,
PATIENCE = 3  # unless that takes so many times as long;
FEWEST = 6  # then this many.
# What is this many times slower than the reference takes part in every so many-th round
# only, so that the close contest gets the time.
SLOW = 4
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
    overhead = stopwatch.overhead()
    start = time.monotonic()
    slow = _slow(cell)
    rounds = 0
    order = list(names)
    while not _enough(rounds, time.monotonic() - start, seconds):
        dice.shuffle(order)
        for name in order:
            if name in slow and rounds % SLOW:
                cell.times[name].append(math.nan)
                continue
            call, argument = entries[name]
            calls = cell.calls[name]
            spent = stopwatch.timed(call, argument, calls) / calls
            cell.times[name].append(max(1.0, spent - overhead))
        rounds += 1
        progress(f"{task.direction} {task.name}: round {rounds}")


def _enough(rounds: int, spent: float, seconds: float) -> bool:
    if spent < seconds:
        return False
    return rounds >= ROUNDS or (rounds >= FEWEST and spent > PATIENCE * seconds)


def _slow(cell: Cell) -> set[str]:
    """Return the contenders that are far slower than the reference."""
    limit = SLOW * cell.first.get(REFERENCE, math.inf)
    return {name for name, spent in cell.first.items() if spent > limit}


def noise(cells: list[Cell]) -> list[float]:
    """Return how far the two entries of the reference differ, cell by cell."""
    found = [cell.against(REFERENCE).get(AGAIN) for cell in cells]
    return [abs(one.center) for one in found if one]
