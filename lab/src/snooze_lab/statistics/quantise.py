"""Detect a clock or sampler that is too coarse for what it measured.

Separate because it looks at single values and not at contenders. Values on a grid of
step s have the same phase modulo s: the length of their mean phase vector (Rayleigh's
test of circular statistics) is 1 for a perfect grid, and about 1 / sqrt(n) for values
on no grid. The result is the greatest step for which it is high. Invariant: a step is
named only where the samples show it (values that repeat, or that lie on a grid with
odds of a thousand to one). Used for flags of runs and series, and by the doctor for the
clock.
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

    from numpy.typing import NDArray

#: A sample whose spread spans fewer steps than this is flagged.
LEAST_STEPS = 5
#: Fewer samples than this can lie on a grid by chance.
LEAST_SAMPLES = 14
#: Steps finer than this fraction of the range are ignored.
MOST_STEPS = 200
#: How alike the phases must be: among three or more levels, and among two.
ALIKE = 0.8
ALIKE_TWO = 0.98
#: The odds, over all steps tried, below which a grid counts as chance.
CHANCE = 0.001
#: Maximum number of samples used; more would only take time.
ENOUGH = 1_000


@dataclass(frozen=True, slots=True)
class Quantisation:
    """How coarse a sample is.

    `step` has the unit of the samples; None where none shows. `steps` is the spread
    (5 % to 95 % quantile) in steps, None likewise. `flag` is empty or begins with
    `quantised`: the spread is fewer than LEAST_STEPS steps, or no step shows but half
    the samples or more repeat another.
    """

    n: int
    distinct: int
    step: float | None
    steps: float | None
    flag: str


@dataclass(frozen=True, slots=True)
class Resolution:
    """The resolution of a clock of this machine, in ns.

    `tick`: all its differences are multiples of this; `smallest`: the least time
    between two different readings, including the cost of reading; `stated`: as Python
    reports it.
    """

    tick: int
    smallest: int
    stated: float


def timer_step(samples: Sequence[float]) -> float | None:
    """Return the step of the grid that the samples lie on, in their unit, or None.

    Noise up to a twentieth of the step does not hide it. None for fewer than
    LEAST_SAMPLES samples, for equal samples, and for steps below 1 / MOST_STEPS of the
    range.
    """
    values = finite(samples, "samples")[:ENOUGH]
    span = float(np.ptp(values))
    if len(values) < LEAST_SAMPLES or span == 0:
        return None
    offsets = values - values.min()
    # A quarter of a turn over the whole range between one frequency and the next.
    frequencies = np.arange(4, 4 * MOST_STEPS + 1) / 4 / span
    alike = _alike(offsets, frequencies)
    chance = len(frequencies) * np.exp(-len(values) * alike**2)
    possible = (chance < CHANCE) & (alike >= ALIKE)
    for index in np.flatnonzero(possible):
        step = _refined(offsets, float(frequencies[index]), 1 / (4 * span))
        levels = len(np.unique(np.round(offsets / step)))
        best = float(_alike(offsets, np.array([1 / step]))[0])
        if levels >= 3 and best >= 0.95 * float(alike[possible].max()):
            return step
        if levels == 2 and best >= ALIKE_TWO:
            return step
    return None


def quantisation(
    samples: Sequence[float], known_step: float | None = None
) -> Quantisation:
    """Return how coarse a sample is, flagged if its spread is a few steps only.

    `known_step` is in the unit of the samples, if it is known (a sampler's interval, a
    counter's unit); else it is looked for.
    """
    values = finite(samples, "samples")
    if known_step is not None and not (math.isfinite(known_step) and known_step > 0):
        raise StatsError(
            f"known step: expected a finite number above zero, found {known_step}"
        )
    step = known_step if known_step is not None else timer_step(samples)
    distinct = len(np.unique(values))
    low, high = np.quantile(values, [0.05, 0.95])
    steps = None if step is None else float(high - low) / step
    flag = ""
    if steps is not None and steps < LEAST_STEPS:
        flag = (
            f"quantised: the spread of {len(values)} samples is {steps:.1f} steps of "
            f"{step:.4g}"
        )
    elif step is None and len(values) >= 3 and distinct <= len(values) // 2:
        flag = f"quantised: {len(values)} samples have {distinct} distinct values"
    return Quantisation(
        n=len(values), distinct=distinct, step=step, steps=steps, flag=flag
    )


def clock_resolution(
    clock: Callable[[], int] = time.perf_counter_ns, readings: int = 2_000
) -> Resolution:
    """Return the resolution of a clock that gives whole ns; takes about 1 ms.

    StatsError if the clock did not move within so many consecutive readings.
    """
    if readings < 2:
        raise StatsError(f"readings: expected at least 2, found {readings}")
    taken = [clock() for _ in range(readings)]
    apart = [
        after - before for before, after in itertools.pairwise(taken) if after != before
    ]
    if not apart:
        raise StatsError(
            f"clock: expected it to move within {readings} readings, found it at "
            f"{taken[0]} ns; take more readings"
        )
    return Resolution(
        tick=math.gcd(*apart),
        smallest=min(abs(one) for one in apart),
        stated=time.get_clock_info("perf_counter").resolution * 1e9,
    )


def _alike(
    offsets: NDArray[np.float64], frequencies: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the length of the mean phase vector at each frequency, 0 to 1."""
    phases = np.exp(2j * np.pi * np.outer(frequencies, offsets))
    found: NDArray[np.float64] = np.abs(phases.mean(axis=1))
    return found


def _refined(offsets: NDArray[np.float64], frequency: float, width: float) -> float:
    """Return the step of the best fit near a frequency."""
    near = np.linspace(max(frequency - width, width), frequency + width, 81)
    best = float(near[int(np.argmax(_alike(offsets, near)))])
    # Fit the step to the levels counted with the step found; one iteration suffices.
    levels = np.round(offsets * best)
    if np.ptp(levels) == 0:
        return 1 / best
    return float(np.polyfit(levels, offsets, 1)[0])
