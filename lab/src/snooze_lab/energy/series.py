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

from snooze_lab.meters.base import Reading
from snooze_lab.meters.block import Window

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

#: A file's columns by name, without units; None unless every cell is a number.
Columns = dict[str, list[float] | None]

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
_CORE = r"CORE\d+_ENERGY"
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
    reason. suspects: their values, for the checks alone. busy: the mean number of busy
    cores, None if unknown. memory, swap: bytes in use. frequency: mean MHz over the
    processors. interval: the sampler's step in seconds.
    """

    t: list[float]
    package: list[float]
    cores: list[float] | None = None
    refused: dict[str, str] = field(default_factory=dict)
    suspects: dict[str, list[float]] = field(default_factory=dict)
    busy: float | None = None
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
    t = [milliseconds / 1000 for milliseconds in columns["Time"] or []]
    if len(t) < 2 or t[-1] <= t[0] or backward_steps(t):
        raise TraceError(
            f"{path}: expected at least two samples in order of time, found "
            f"{len(t)} over {t[-1] - t[0]:.3f} s with {backward_steps(t)} steps back"
        )
    interval = statistics.median(b - a for a, b in itertools.pairwise(t) if b > a)
    usage = _family(columns, r"CPU_USAGE_\d+")
    cores, refused = _cores(columns, len(usage))
    frequencies = zip(*_family(columns, r"CPU_FREQUENCY_\d+"), strict=True)
    return Series(
        t=t,
        package=_package(path, columns, t),
        cores=cores,
        refused=refused,
        suspects={name: found for name in refused if (found := columns[name])},
        busy=_busy(t, interval, usage),
        memory=columns.get("USED_MEMORY") or [],
        memory_total=max(columns.get("TOTAL_MEMORY") or [], default=None),
        swap=columns.get("USED_SWAP") or [],
        swap_total=max(columns.get("TOTAL_SWAP") or [], default=None),
        frequency=list(map(statistics.fmean, frequencies)),
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
    cells = [[_number(cell) for cell in row] for row in rows if len(row) == len(names)]
    timed = [row for row in cells if math.isfinite(row[time])]
    if not timed:
        raise TraceError(f"{path}: expected rows with a time, found none")
    return {
        name: list(column) if all(map(math.isfinite, column)) else None
        for name, column in zip(names, zip(*timed, strict=True), strict=True)
    }


def _number(cell: str) -> float:
    try:
        return float(cell)
    except ValueError:
        return math.nan


def _family(columns: Columns, pattern: str) -> list[list[float]]:
    """Return the columns of numbers whose names match a pattern."""
    return [
        column
        for name, column in columns.items()
        if column and re.fullmatch(pattern, name)
    ]


def _package(path: Path, columns: Columns, t: Sequence[float]) -> list[float]:
    for name in PACKAGE:
        if counter := columns.get(name):
            return unwrapped(counter)
    for name in POWER:
        if watts := columns.get(name):
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
    names = [name for name in columns if re.fullmatch(_CORE, name)]
    if len(names) == 1 and processors > 2:
        return None, dict.fromkeys(names, _WINDOWS)
    whole = _family(columns, _CORE)
    if names and len(whole) == len(names):
        return list(map(sum, zip(*map(unwrapped, whole), strict=True))), {}
    joules = columns.get(CORES)
    reason = "some of its cells are empty or are no numbers"
    return joules and unwrapped(joules), dict.fromkeys(names, reason)


def _busy(
    t: Sequence[float], interval: float, usage: list[list[float]]
) -> float | None:
    """Return the mean number of busy cores, weighted by time; None if unknown."""
    total = seconds = 0.0
    for place in range(1, len(t)) if usage else ():
        length = t[place] - t[place - 1]
        # Right after the program's start the usage of a few microseconds is logged.
        if length > interval / 2:
            total += sum(column[place] for column in usage) / 100 * length
            seconds += length
    return total / seconds if seconds else None


def between(first: Series, second: Series) -> Reading | None:
    """Return the joules at rest between two runs, None if that window is not usable.

    Not usable: overlapping runs, a gap shorter than half a second or longer than ten
    minutes, a counter that is lower afterwards (it was reset).
    """
    seconds = second.t[0] - first.t[-1]
    joules = second.package[0] - first.package[-1]
    usable = SHORTEST <= seconds <= LONGEST and joules > 0
    return Reading(joules, seconds) if usable else None


def windows(runs: Sequence[Series]) -> list[Window]:
    """Return each run's window; the runs in order of time."""
    gaps = [None, *itertools.starmap(between, itertools.pairwise(runs)), None]
    return [
        Window(Reading(run.joules, run.duration), before, after)
        for run, (before, after) in zip(runs, itertools.pairwise(gaps), strict=True)
    ]
