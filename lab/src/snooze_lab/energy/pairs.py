"""Paired comparison of two subjects that ran in turn.

Separate from asseed.py because it answers what the seed's tests do not: the size of the
difference, and its uncertainty. Runs of the same trial are neighbours in time, so slow
drift affects both; the ratio within a trial is free of it. Invariants: the estimate is
the geometric mean of the ratios of all pairs, with the percentile bootstrap over pairs
(never over pooled values); every dropped pair is named; the seed of the bootstrap is
fixed, so the same data give the same digits. Used by study.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

#: Enough that another seed moves the ends of the interval by less than 0.0002.
RESAMPLES = 100_000
SEED = 20_260_225


@dataclass(frozen=True, slots=True)
class Ratio:
    """Second over first: geometric mean and 95 % interval over `n` pairs."""

    metric: str
    ratio: float
    low: float
    high: float
    n: int


def ratio(
    metric: str, first: Sequence[float | None], second: Sequence[float | None]
) -> Ratio | None:
    """Return the paired ratio of a metric; None with fewer than 3 usable pairs.

    A pair is usable when both its values are known and above zero (net energy can be
    neither, when a run is no hotter than the machine at rest).
    """
    logs = [
        math.log(b / a)
        for a, b in zip(first, second, strict=True)
        if a is not None and b is not None and a > 0 and b > 0
    ]
    if len(logs) < 3:
        return None
    array = np.asarray(logs)
    random = np.random.default_rng(SEED)
    picks = random.integers(0, array.size, (RESAMPLES, array.size))
    low, high = np.percentile(array[picks].mean(axis=1), [2.5, 97.5])
    return Ratio(
        metric,
        math.exp(array.mean()),
        math.exp(float(low)),
        math.exp(float(high)),
        array.size,
    )
