"""One run's energy as a function of time, read from a file of EnergiBridge.

Separate because no analysis should see a file's columns: one row a sample, `Time` (ms
since 1970) and what its platform has: `CPU_ENERGY (J)` and `CORE<n>_ENERGY (J)` on AMD,
`PACKAGE_ENERGY (J)` and `PP0_ENERGY (J)` on Intel, `SYSTEM_POWER (Watts)` or `CPU_POWER
(Watts)` on Apple. Counters are cumulative joules as logged, with full-range wraps
undone, even if they are wrong (checks.py reports faults); one that cannot mean what its
name says is only in `refused`; a missing column is absent and never zeros.
"""

from __future__ import annotations

import csv
import itertools
import math
import re
import statistics
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

#: A file's columns by name, without units; None where a cell was no number.
Columns = dict[str, list[float | None]]

#: Names of a package's cumulative joules, best first.
PACKAGE = ("PACKAGE_ENERGY", "CPU_ENERGY")
#: Names of power, best first: integrated over time where there are no joules.
POWER = ("SYSTEM_POWER", "CPU_POWER")
#: All cores of a package together, on Intel.
CORES = "PP0_ENERGY"
#: The joules at which the hardware's 32-bit counters wrap: 2^32 steps of 2^-16 or
#: 2^-14 J. The program logs the counter as it is.
RANGES = (65_536.0, 262_144.0)
#: A step back is a wrap when it leads from the last such part of a range to the first.
NEAR = 0.05
#: Gaps shorter than this hold too few updates of a counter to compute a power.
SHORTEST = 0.5
#: Gaps longer than this are a pause of the study, not its rest between two runs.
LONGEST = 600.0
_UNIT = re.compile(r"\s*\(([^)]*)\)\s*$")
_SEPARATORS = (",", ";", "\t")
_WINDOWS = (
    "EnergiBridge on Windows reads this counter on whatever core its own thread is "
    "on: its steps join different cores' counters and mean nothing"
)


class TraceError(Exception):
    """A file is not a series of EnergiBridge; the message says what was found."""


@dataclass(frozen=True)
class Series:
    """Samples of one run.

    t: seconds since 1970. package, cores: cumulative joules; cores is None if they were
    not logged or mean nothing. refused: the columns that were not taken, with the
    reason. suspects: their values, for the checks alone. busy: how many cores were busy
    since the sample before, None where that was too short ago to tell. memory, swap:
    bytes in use. frequency: mean MHz over the processors. interval: the sampler's step
    in seconds.
    """

    name: str
    t: list[float]
    package: list[float]
    cores: list[float] | None = None
    refused: dict[str, str] = field(default_factory=dict)
    suspects: dict[str, list[float]] = field(default_factory=dict)
    busy: list[float | None] = field(default_factory=list)
    memory: list[float] = field(default_factory=list)
    memory_total: float | None = None
    swap: list[float] = field(default_factory=list)
    swap_total: float | None = None
    frequency: list[float] = field(default_factory=list)
    interval: float = 0.0

    @property
    def duration(self) -> float:
        """Return the seconds between the first and the last sample.

        It is known to one sampling interval only.
        """
        return self.t[-1] - self.t[0]

    @property
    def joules(self) -> float:
        """Return the gross joules of the package."""
        return self.package[-1] - self.package[0]

    @property
    def updates(self) -> int:
        """Return how often the package's counter changed."""
        return sum(a != b for a, b in itertools.pairwise(self.package))

    def busy_cores(self) -> float | None:
        """Return the mean number of busy cores, weighted by time; None if unknown."""
        total = seconds = 0.0
        for before, now, busy in zip(self.t, self.t[1:], self.busy[1:], strict=False):
            if busy is not None:
                total += busy * (now - before)
                seconds += now - before
        return total / seconds if seconds else None


def positive_steps(counter: Sequence[float]) -> float:
    """Return the sum of the upward steps only.

    The seed's authors read every counter in this way. For a counter that never
    decreases it is last minus first; for one that jumps it is too large.
    """
    return sum(max(0.0, b - a) for a, b in itertools.pairwise(counter))


def backward_steps(counter: Sequence[float]) -> int:
    """Return how often a counter went back."""
    return sum(b < a for a, b in itertools.pairwise(counter))


def unwrapped(counter: Sequence[float]) -> list[float]:
    """Return a counter with full-range wraps undone.

    A step back that is no such wrap stays as it is, for the checks to see.
    """
    found = [counter[0]]
    lifted = 0.0
    for before, now in itertools.pairwise(counter):
        for span in RANGES if now < before else ():
            if (1 - NEAR) * span < before <= span and now < NEAR * span:
                lifted += span
                break
        found.append(now + lifted)
    return found


def read(path: Path) -> Series:
    """Return the series in a file.

    Raises TraceError for a file that EnergiBridge did not write, with fewer than two
    samples in order of time, or without joules or power of the package.
    """
    columns = _columns(path)
    t = [milliseconds / 1000 for milliseconds in _numbers(columns, "Time") or []]
    if len(t) < 2 or t[-1] <= t[0] or backward_steps(t):
        raise TraceError(
            f"{path}: expected at least two samples in order of time, found "
            f"{len(t)} over {t[-1] - t[0]:.3f} s with {backward_steps(t)} steps back"
        )
    interval = statistics.median(b - a for a, b in itertools.pairwise(t) if b > a)
    usage = _family(columns, "CPU_USAGE_")
    cores, refused = _cores(columns, len(usage))
    memory_total = _numbers(columns, "TOTAL_MEMORY")
    swap_total = _numbers(columns, "TOTAL_SWAP")
    return Series(
        name=path.stem,
        t=t,
        package=_package(path, columns, t),
        cores=cores,
        refused=refused,
        suspects={n: found for n in refused if (found := _numbers(columns, n))},
        busy=_busy(t, interval, list(usage.values())),
        memory=_numbers(columns, "USED_MEMORY") or [],
        memory_total=max(memory_total) if memory_total else None,
        swap=_numbers(columns, "USED_SWAP") or [],
        swap_total=max(swap_total) if swap_total else None,
        frequency=[
            statistics.fmean(cells)
            for cells in zip(*_family(columns, "CPU_FREQUENCY_").values(), strict=True)
        ],
        interval=interval,
    )


def _columns(path: Path) -> Columns:
    """Return the columns of a file; a last line that was cut off is left out."""
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise TraceError(f"{path}: cannot be read as UTF-8 text: {error}") from error
    if not lines:
        raise TraceError(f"{path}: expected a header and rows, found an empty file")
    separator = max(_SEPARATORS, key=lines[0].count)
    header, *rows = list(csv.reader(lines, delimiter=separator))
    names = [_UNIT.sub("", cell).strip() for cell in header]
    if "Time" not in names:
        raise TraceError(
            f"{path}: expected a column named Time (ms since 1970), found "
            f"{', '.join(names[:8])}; is this a file that energibridge wrote?"
        )
    time = names.index("Time")
    kept = [
        cells
        for row in rows
        if len(row) == len(names)
        and (cells := [_number(cell) for cell in row])[time] is not None
    ]
    if not kept:
        raise TraceError(f"{path}: expected rows with a time, found none")
    return {
        name: list(column)
        for name, column in zip(names, zip(*kept, strict=True), strict=True)
    }


def _number(cell: str) -> float | None:
    try:
        number = float(cell)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _numbers(columns: Columns, name: str) -> list[float] | None:
    """Return a column whose every cell is a number, else None."""
    found = columns.get(name, [None])
    numbers = [cell for cell in found if cell is not None]
    return numbers if len(numbers) == len(found) else None


def _family(columns: Columns, prefix: str) -> dict[str, list[float]]:
    """Return the whole columns `prefix<number>`, in order of the number."""
    numbered = sorted(
        (int(name.removeprefix(prefix)), name)
        for name in columns
        if re.fullmatch(re.escape(prefix) + r"\d+", name)
    )
    return {n: found for _, n in numbered if (found := _numbers(columns, n))}


def _package(path: Path, columns: Columns, t: Sequence[float]) -> list[float]:
    for name in PACKAGE:
        if counter := _numbers(columns, name):
            return unwrapped(counter)
    for name in POWER:
        if watts := _numbers(columns, name):
            pairs = zip(itertools.pairwise(t), itertools.pairwise(watts), strict=True)
            steps = ((one + two) / 2 * (b - a) for (a, b), (one, two) in pairs)
            return list(itertools.accumulate(steps, initial=0.0))
    raise TraceError(
        f"{path}: expected one of the columns {', '.join((*PACKAGE, *POWER))}, found "
        f"{', '.join(columns)}"
    )


def _cores(
    columns: Columns, processors: int
) -> tuple[list[float] | None, dict[str, str]]:
    """Return the cumulative joules of all cores, and the refused columns.

    On Linux one counter a physical core is written, on Windows one in all.
    """
    names = [name for name in columns if re.fullmatch(r"CORE\d+_ENERGY", name)]
    if len(names) == 1 and processors > 2:
        return None, dict.fromkeys(names, _WINDOWS)
    whole = [found for name in names if (found := _numbers(columns, name))]
    if names and len(whole) == len(names):
        cells = zip(*map(unwrapped, whole), strict=True)
        return [sum(cell) for cell in cells], {}
    joules = _numbers(columns, CORES)
    reason = "some of its cells are empty or are no numbers"
    return joules and unwrapped(joules), dict.fromkeys(names, reason)


def _busy(
    t: Sequence[float], interval: float, usage: list[list[float]]
) -> list[float | None]:
    if not usage:
        return []
    busy: list[float | None] = [None]
    for i in range(1, len(t)):
        # Right after the program's start the usage of a few microseconds is logged.
        known = t[i] - t[i - 1] > interval / 2
        busy.append(sum(column[i] for column in usage) / 100 if known else None)
    return busy


@dataclass(frozen=True, slots=True)
class Idle:
    """The machine at rest between two runs: from, to (s since 1970), joules."""

    start: float
    stop: float
    joules: float

    @property
    def watts(self) -> float:
        """Return its mean power."""
        return self.joules / (self.stop - self.start)


@dataclass(frozen=True, slots=True)
class Window:
    """One run's energy between its two idle windows, None where there is no usable one.

    gross: joules of the package.
    """

    gross: float
    duration: float
    before: Idle | None
    after: Idle | None

    @property
    def idle_watts(self) -> float | None:
        """Return the mean of the idle powers beside the run."""
        known = [idle.watts for idle in (self.before, self.after) if idle]
        return statistics.fmean(known) if known else None

    @property
    def net(self) -> float | None:
        """Return the gross joules without those of the idle power."""
        idle = self.idle_watts
        return None if idle is None else self.gross - idle * self.duration

    @property
    def drift(self) -> float | None:
        """Return the difference of the two idle powers relative to their mean."""
        if not (self.before and self.after):
            return None
        mean = (self.before.watts + self.after.watts) / 2
        return abs(self.after.watts - self.before.watts) / mean


def between(first: Series, second: Series) -> Idle | None:
    """Return the idle window between two runs, None where there is no usable one.

    Not usable: overlapping runs, a gap shorter than half a second or longer than ten
    minutes, a counter that is lower afterwards (it was reset).
    """
    start, stop = first.t[-1], second.t[0]
    joules = second.package[0] - first.package[-1]
    usable = SHORTEST <= stop - start <= LONGEST and joules > 0
    return Idle(start, stop, joules) if usable else None


def windows(runs: Sequence[Series]) -> list[Window]:
    """Return each run's window; the runs in order of time."""
    gaps = [
        None,
        *(between(first, second) for first, second in itertools.pairwise(runs)),
        None,
    ]
    return [
        Window(run.joules, run.duration, before, after)
        for run, (before, after) in zip(runs, itertools.pairwise(gaps), strict=True)
    ]


def idles(found: Iterable[Window]) -> list[Idle]:
    """Return the windows at rest beside runs, each once, in order of time."""
    every = {
        idle.start: idle for one in found for idle in (one.before, one.after) if idle
    }
    return [every[start] for start in sorted(every)]


def usual(found: Iterable[Window]) -> float | None:
    """Return the median power at rest beside runs in W, None if it is not known."""
    known = [idle.watts for idle in idles(found)]
    return statistics.median(known) if known else None
