"""Validate numbers, and compute Student's intervals.

Separate because all statistics here need the same two things: finite samples, and an
interval with its p from a value, its standard error and the degrees of freedom.
Invariants: interval and p always agree; no function returns NaN or warns; the same
numbers give the same interval. METHODOLOGY.md says why Student's, and how often it
holds the truth (test_honesty_stats.py); `level` widens the bootstrap of crossover.py to
its width (Hesterberg, "What Teachers Should Know About the Bootstrap", 2015).
"""

from __future__ import annotations

import functools
import math
from typing import TYPE_CHECKING

import numpy as np
from scipy import stats as scipy_stats

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

CONFIDENCE = 0.95
SEED = 20_111
#: Logarithms beyond this are clipped, so that every interval is two finite numbers.
LOG_LIMIT = 300.0


class StatsError(ValueError):
    """Numbers from which nothing can be computed, and why."""


def finite(
    samples: ArrayLike, what: str, *, least: int = 1, positive: bool = False
) -> NDArray[np.float64]:
    """Return samples as an array, or say in a StatsError which cannot be used.

    `what` they are is for the message; `least` is how many there must be; `positive`
    refuses zero and less, which have no logarithm.
    """
    found = np.asarray(samples, dtype=np.float64)
    if found.ndim != 1:
        raise StatsError(
            f"{what}: expected one list of numbers, found {found.ndim} dimensions"
        )
    if len(found) < least:
        raise StatsError(
            f"{what}: expected at least {least} samples, found {len(found)}; "
            f"measure more blocks"
        )
    bad = ~np.isfinite(found)
    if positive:
        bad |= ~(found > 0)
    if bad.any():
        at = int(np.argmax(bad))
        kind = "finite numbers above zero" if positive else "finite numbers"
        raise StatsError(
            f"{what}: expected {kind}, found {found[at]} at index {at} of "
            f"{len(found)}; look for the cause in samples.jsonl"
        )
    return found


@functools.lru_cache(maxsize=256)
def level(freedom: float) -> float:
    """Return the bootstrap level that makes intervals of few values wide enough.

    `freedom` is one less than the number of values.
    """
    student = float(scipy_stats.t.ppf((1 + CONFIDENCE) / 2, freedom))
    wide = math.sqrt((freedom + 1) / freedom) * student
    return 1 - 2 * float(scipy_stats.norm.sf(wide))


def student(
    center: ArrayLike, error: ArrayLike, freedom: float
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return both ends of Student's interval, and the two-sided p that the truth is 0.

    Of estimates, usually logarithms of ratios, and their standard errors. No width
    where the error is zero: equal values; there p is 1 if they are zero, and else 0.
    Without a degree of freedom there is no width either, and p is 1.
    """
    middle, width = np.asarray(center, np.float64), np.asarray(error, np.float64)
    if freedom <= 0:
        return middle, middle, np.ones_like(middle)
    half = float(scipy_stats.t.ppf((1 + CONFIDENCE) / 2, freedom)) * width
    exact = width == 0
    steps = np.abs(middle) / np.where(exact, 1.0, width)
    p = np.where(exact, middle == 0, 2 * scipy_stats.t.sf(steps, freedom))
    low, high = (
        np.clip(end, -LOG_LIMIT, LOG_LIMIT) for end in (middle - half, middle + half)
    )
    return low, high, p


def mean_interval(
    values: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return `student` of the mean of independent values, along the last axis."""
    count = values.shape[-1]
    center = values.mean(axis=-1)
    if count == 1:
        return student(center, np.zeros_like(center), 0)
    error = values.std(axis=-1, ddof=1) / math.sqrt(count)
    return student(center, np.where(np.ptp(values, axis=-1) == 0, 0, error), count - 1)
