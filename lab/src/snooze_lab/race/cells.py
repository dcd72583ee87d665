"""Race one task: verify the results, choose the slice length, run the rounds.

Separate from the command line, which selects the tasks, and from the tables, which show
the results. interleaved.py runs the rounds. Invariants: every result is verified before
it is timed; times are compared only within a round. Used by command.py and cold.py.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from snooze_lab import interleaved
from snooze_lab.contenders import UnsupportedError
from snooze_lab.model import AGAIN, OURS, REFERENCE, STANDARD
from snooze_lab.race import effect

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

    from snooze_lab.contenders import Call, Contender
    from snooze_lab.race.tasks import Task

#: Not a rival: snooze itself and the reference. `json` and its like count as rivals
#: too, but never win.
NOT_RIVALS = (OURS, AGAIN)


def is_rival(name: str) -> bool:
    """Tell whether a contender is a rival, not the reference or a variant of snooze."""
    return name not in NOT_RIVALS and not name.startswith(f"{OURS} ")


@dataclass
class Cell:
    """One task, and the time of every contender in each round.

    `calls` is the number of calls in a slice; `first` is the rough time of a call that
    `calls` was chosen by; `times` holds ns per call in each round (NaN: skipped);
    `wrong` names contenders whose result was wrong, `unable` those without the option.
    """

    task: Task
    calls: dict[str, int] = field(default_factory=dict)
    first: dict[str, float] = field(default_factory=dict)
    times: dict[str, list[float]] = field(default_factory=dict)
    wrong: dict[str, str] = field(default_factory=dict)
    unable: dict[str, str] = field(default_factory=dict)

    def against(self, reference: str) -> dict[str, effect.Replicates]:
        """Return the speed of each contender relative to `reference`."""
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
        """Return the fastest rival, and the speed of snooze relative to it."""
        rivals = [name for name in self.times if is_rival(name)]
        if OURS not in self.times or not rivals:
            return None
        best = min(rivals, key=lambda name: effect.typical(self.times[name]))
        return best, effect.speed(self.times[OURS], self.times[best])

    def beside(self, other: str) -> effect.Replicates | None:
        """Return the speed of snooze relative to another contender of this cell."""
        if OURS not in self.times or other not in self.times:
            return None
        return effect.speed(self.times[OURS], self.times[other])

    def as_record(self) -> dict[str, Any]:
        """Return the cell for a record, times summarised in nanoseconds per call."""
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
    """Verify every contender on one task and choose the slice lengths."""
    cell = Cell(task)
    entries: dict[str, interleaved.Entry] = {}
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
        entries[contender.name] = call, argument
    progress(f"{task.direction} {task.name}: choosing the number of calls")
    cell.calls, cell.first = interleaved.slices(entries, REFERENCE)
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
    """Run rounds until the time of the cell is used up."""
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
