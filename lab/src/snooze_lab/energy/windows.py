"""The idle power of the machine, taken from right before and after each run.

Separate because idle power is not a constant of a machine: it moves within minutes, and
a burst of background work shows best while nothing else runs. Invariants: an idle
window lies between the last sample of one run and the first of the next, on the same
counter; a run without any neighbour has no net energy (None), never a guess. Used by
study (gross and net), checks (bursts) and calibrate (idle power).
"""

from __future__ import annotations

import itertools
import math
import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING

from snooze_lab.energy.series import PACKAGE, Series

if TYPE_CHECKING:
    from collections.abc import Sequence

#: Gaps shorter than this hold too few updates of a counter to compute a power.
SHORTEST = 0.5
#: Gaps longer than this are a pause of the study, not its rest between two runs.
LONGEST = 600.0
#: Idle power before and after a run may differ by this share of their mean.
DRIFT = 0.15


@dataclass(frozen=True, slots=True)
class Idle:
    """The machine at rest between two runs: from, to (s since 1970), joules."""

    start: float
    stop: float
    joules: float

    @property
    def seconds(self) -> float:
        """Return how long it was."""
        return self.stop - self.start

    @property
    def watts(self) -> float:
        """Return its mean power."""
        return self.joules / self.seconds


@dataclass(frozen=True, slots=True)
class Window:
    """One run's energy between its two idle windows.

    gross: joules of the package. net: gross minus the mean power of the adjacent idle
    windows times the run's length. drift: the difference of the two idle powers
    relative to their mean. None: unknown, because no usable window is adjacent.
    """

    gross: float
    net: float | None
    before: Idle | None
    after: Idle | None
    drift: float | None

    @property
    def idle_watts(self) -> float | None:
        """Return the idle power that was subtracted."""
        known = [idle.watts for idle in (self.before, self.after) if idle]
        return statistics.fmean(known) if known else None


def between(first: Series, second: Series) -> Idle | None:
    """Return the idle window between two runs, None where there is no usable one.

    Not usable: overlapping runs, a gap shorter than half a second or longer than ten
    minutes, a counter that is lower afterwards (it was reset).
    """
    start, stop = first.t[-1], second.t[0]
    if not SHORTEST <= stop - start <= LONGEST:
        return None
    joules = second.counters[PACKAGE][0] - first.counters[PACKAGE][-1]
    if joules <= 0 or not math.isfinite(joules):
        return None
    return Idle(start, stop, joules)


def idles(runs: Sequence[Series]) -> list[Idle | None]:
    """Return the window between each run and the next; the runs in order of time."""
    return [between(first, second) for first, second in itertools.pairwise(runs)]


def windows(runs: Sequence[Series]) -> list[Window]:
    """Return each run's window; the runs in order of time."""
    gaps: list[Idle | None] = [None, *idles(runs), None]
    found = []
    for place, run in enumerate(runs):
        before, after = gaps[place], gaps[place + 1]
        gross = run.joules()
        known = [idle.watts for idle in (before, after) if idle]
        level = statistics.fmean(known) if known else None
        net = None if level is None else gross - level * run.duration
        drift = None
        if before and after:
            mean = (before.watts + after.watts) / 2
            drift = abs(after.watts - before.watts) / mean
        found.append(Window(gross, net, before, after, drift))
    return found


def level(gaps: Sequence[Idle | None]) -> float | None:
    """Return a study's own idle power: the median over its windows, in W."""
    known = [idle.watts for idle in gaps if idle]
    return statistics.median(known) if known else None
