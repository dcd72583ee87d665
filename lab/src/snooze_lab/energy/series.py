"""One run's energy as a function of time.

Separate because every analysis of energy starts here and none should see a file's
columns. Invariants: times are seconds since 1970 and never decrease; counters are
cumulative joules as logged, with full-range wraps undone, even if they are wrong
(checks.py reports faults); a counter that cannot mean what its name says is only in
`refused`, with the reason. Used by windows, checks, study and calibrate.
"""

from __future__ import annotations

import itertools
import statistics
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from snooze_lab.meters import energibridge_csv
from snooze_lab.meters.energibridge_csv import unwrapped

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

Origin = Literal["windows", "linux", "macos", "unknown"]

PACKAGE = "package"
CORES = "cores"
DRAM = "dram"


@dataclass(frozen=True)
class Series:
    """Samples of one run.

    t: seconds since 1970. counters: cumulative joules by role (`package`, `cores`,
    `dram`). refused: the columns that were not taken, with the reason. suspects: their
    values, for the checks alone. busy: how many cores were busy since the sample
    before, None where that was too short ago to tell. memory, swap: bytes in use.
    frequency: mean MHz over the processors. interval: the sampler's step in seconds.
    wrapped: full-range wraps of counters, undone in `counters`.
    """

    name: str
    origin: Origin
    t: list[float]
    counters: dict[str, list[float]]
    refused: dict[str, str] = field(default_factory=dict)
    suspects: dict[str, list[float]] = field(default_factory=dict)
    busy: list[float | None] = field(default_factory=list)
    memory: list[float] = field(default_factory=list)
    memory_total: float | None = None
    swap: list[float] = field(default_factory=list)
    swap_total: float | None = None
    frequency: list[float] = field(default_factory=list)
    wrapped: int = 0
    interval: float = 0.0
    processors: int = 0

    @property
    def duration(self) -> float:
        """Return the seconds between the first and the last sample.

        It is known to one sampling interval only.
        """
        return self.t[-1] - self.t[0]

    def joules(self, role: str = PACKAGE) -> float:
        """Return last minus first of a counter; KeyError if there is none."""
        counter = self.counters[role]
        return counter[-1] - counter[0]

    def updates(self, role: str = PACKAGE) -> int:
        """Return how often a counter's value changed."""
        return sum(a != b for a, b in itertools.pairwise(self.counters[role]))

    def busy_cores(self) -> float | None:
        """Return the mean number of busy cores, weighted by time; None if unknown."""
        total = seconds = 0.0
        for before, now, busy in zip(self.t, self.t[1:], self.busy[1:], strict=False):
            if busy is not None:
                total += busy * (now - before)
                seconds += now - before
        return total / seconds if seconds else None

    def watts(self, role: str = PACKAGE) -> list[tuple[float, float]]:
        """Return (time, mean W since the sample before), skipping repeated times."""
        counter = self.counters[role]
        return [
            (self.t[i], (counter[i] - counter[i - 1]) / (self.t[i] - self.t[i - 1]))
            for i in range(1, len(self.t))
            if self.t[i] - self.t[i - 1] > self.interval / 2
        ]


def positive_steps(counter: Sequence[float]) -> float:
    """Return the sum of the upward steps only.

    The seed's authors read every counter in this way. For a counter that never
    decreases it is last minus first; for one that jumps it is too large.
    """
    return sum(max(0.0, b - a) for a, b in itertools.pairwise(counter))


def backward_steps(counter: Sequence[float]) -> int:
    """Return how often a counter went back."""
    return sum(b < a for a, b in itertools.pairwise(counter))


def _integral(t: Sequence[float], watts: Sequence[float]) -> list[float]:
    total = 0.0
    joules = [0.0]
    for i in range(1, len(t)):
        total += (watts[i] + watts[i - 1]) / 2 * (t[i] - t[i - 1])
        joules.append(total)
    return joules


def _origin(table: energibridge_csv.Table) -> Origin:
    if table.first(energibridge_csv.POWER) and not table.first(
        energibridge_csv.PACKAGE
    ):
        return "macos"
    cores = len(table.cores())
    if cores:
        # On Linux one counter a physical core is written; on Windows one in all.
        few = cores == 1 and len(table.family("CPU_USAGE_")) > 2
        return "windows" if few else "linux"
    return "linux" if table.first(energibridge_csv.CORES) else "unknown"


def _cores(
    table: energibridge_csv.Table, origin: Origin
) -> tuple[list[float] | None, dict[str, str]]:
    """Return the cumulative joules of all cores, and the refused columns."""
    names = table.cores()
    if origin == "windows":
        reason = (
            "EnergiBridge on Windows reads this counter on whatever core its own "
            "thread is on: its steps join different cores' counters and mean nothing"
        )
        return None, dict.fromkeys(names, reason)
    columns = [column for name in names if (column := table.numbers(name))]
    if names and len(columns) == len(names):
        whole_cores = [unwrapped(column)[0] for column in columns]
        return [sum(cells) for cells in zip(*whole_cores, strict=True)], {}
    refused = dict.fromkeys(names, "some of its cells are empty or are no numbers")
    whole = table.first(energibridge_csv.CORES)
    joules = table.numbers(whole) if whole else None
    return (unwrapped(joules)[0] if joules else None), refused


def _busy(t: Sequence[float], table: energibridge_csv.Table) -> list[float | None]:
    names = table.family("CPU_USAGE_")
    columns = [column for name in names if (column := table.numbers(name))]
    if not columns:
        return []
    step = _interval(t)
    busy: list[float | None] = [None]
    for i in range(1, len(t)):
        # Right after the program's start the usage of a few microseconds is logged.
        known = t[i] - t[i - 1] > step / 2
        busy.append(sum(column[i] for column in columns) / 100 if known else None)
    return busy


def _interval(t: Sequence[float]) -> float:
    steps = [b - a for a, b in itertools.pairwise(t) if b > a]
    return statistics.median(steps) if steps else 0.0


def _mean(columns: list[list[float]]) -> list[float]:
    return [statistics.fmean(cells) for cells in zip(*columns, strict=True)]


def from_table(
    name: str, table: energibridge_csv.Table, origin: Origin | None = None
) -> Series:
    """Return the series of a table; see `read`."""
    times = table.numbers("Time") or []
    t = [milliseconds / 1000 for milliseconds in times]
    if len(t) < 2 or t[-1] <= t[0] or backward_steps(t):
        raise energibridge_csv.TraceError(
            f"{table.path}: expected at least two samples in order of time, found "
            f"{len(t)} over {t[-1] - t[0]:.3f} s with {backward_steps(t)} steps back"
        )
    found = origin or _origin(table)
    counters: dict[str, list[float]] = {}
    wrapped = 0
    package = table.first(energibridge_csv.PACKAGE)
    power = table.first(energibridge_csv.POWER)
    if package:
        found_joules, wrapped = unwrapped(table.numbers(package) or [])
        counters[PACKAGE] = found_joules
    elif power:
        counters[PACKAGE] = _integral(t, table.numbers(power) or [])
    else:
        raise energibridge_csv.TraceError(
            f"{table.path}: expected one of the columns "
            f"{', '.join((*energibridge_csv.PACKAGE, *energibridge_csv.POWER))}, found "
            f"{', '.join(table.columns)}"
        )
    cores, refused = _cores(table, found)
    if cores is not None:
        counters[CORES] = cores
    dram = table.first(energibridge_csv.DRAM)
    if dram:
        counters[DRAM], _ = unwrapped(table.numbers(dram) or [])
    usage = table.family("CPU_USAGE_")
    mhz = [c for n in table.family("CPU_FREQUENCY_") if (c := table.numbers(n))]
    memory_total = table.numbers("TOTAL_MEMORY")
    swap_total = table.numbers("TOTAL_SWAP")
    return Series(
        name=name,
        origin=found,
        t=t,
        counters=counters,
        refused=refused,
        suspects={n: c for n in refused if (c := table.numbers(n))},
        busy=_busy(t, table),
        memory=table.numbers("USED_MEMORY") or [],
        memory_total=max(memory_total) if memory_total else None,
        swap=table.numbers("USED_SWAP") or [],
        swap_total=max(swap_total) if swap_total else None,
        frequency=_mean(mhz) if mhz else [],
        wrapped=wrapped,
        interval=_interval(t),
        processors=len(usage),
    )


def read(path: Path, origin: Origin | None = None) -> Series:
    """Return the series in a file of EnergiBridge.

    `origin` says on what system it was recorded where the columns do not tell (one
    counter of a core on a machine with more than two processors is taken for Windows).
    Raises meters.energibridge_csv.TraceError, saying what was expected and found.
    """
    return from_table(path.stem, energibridge_csv.read(path), origin)
