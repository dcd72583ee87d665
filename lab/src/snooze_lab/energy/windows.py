"""The idle power of the machine, taken from right before and after each run.

Separate because idle power is not a constant of a machine: it moves within minutes, and
a burst of background work shows best while nothing else runs. Invariants: an idle
window lies between the last sample of one run and the first of the next, on the same
counter; a run without any neighbour has no net energy (None), never a guess. Used by
study (gross and net), checks (bursts) and calibration (idle power).
"""

from __future__ import annotations

import itertools
import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from snooze_lab.energy.series import Series

#: Gaps shorter than this hold too few updates of a counter to compute a power.
SHORTEST = 0.5
#: Gaps longer than this are a pause of the study, not its rest between two runs.
LONGEST = 600.0


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
