"""Detect a clock or sampler that is too coarse for what it measured.

Separate because it looks at single values and not at contenders. Invariant: a sample is
flagged only for a step that is known, or for values that repeat. Used for flags of runs
and series, and by the doctor for the clock.
"""

from __future__ import annotations

import itertools
import math
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from snooze_lab.statistics.resample import StatsError, finite

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

#: A sample whose spread spans fewer steps than this is flagged.
LEAST_STEPS = 5


@dataclass(frozen=True, slots=True)
class Resolution:
    """The resolution of a clock of this machine, in ns.

    `tick`: all its differences are multiples of this; `smallest`: the least time
    between two different readings, including the cost of reading.
    """

    tick: int
    smallest: int


def steps(samples: Sequence[float], step: float) -> float:
    """Return the spread of samples, from the 5 % to the 95 % quantile, in steps."""
    if not (math.isfinite(step) and step > 0):
        raise StatsError(f"step: expected a finite number above zero, found {step}")
    low, high = np.quantile(finite(samples, "samples"), [0.05, 0.95])
    return float(high - low) / step


def repeats(samples: Sequence[float]) -> bool:
    """Tell whether half of three samples or more repeat another."""
    values = finite(samples, "samples")
    return len(values) >= 3 and len(np.unique(values)) <= len(values) // 2


def clock_resolution(
    clock: Callable[[], int] = time.perf_counter_ns, readings: int = 2_000
) -> Resolution:
    """Return the resolution of a clock that gives whole ns; takes about 1 ms.

    StatsError if the clock did not move within so many consecutive readings.
    """
    pairs = itertools.pairwise([clock() for _ in range(readings)])
    apart = [after - before for before, after in pairs if after != before]
    if not apart:
        raise StatsError(
            f"clock: expected it to move within {readings} readings, found it standing "
            "still; take more readings"
        )
    return Resolution(math.gcd(*apart), min(map(abs, apart)))
