"""Validate numbers, and compute bootstrap intervals.

Separate from stats.py because all statistics here need the same two things: finite
samples, and intervals that keep their coverage for few samples. Invariants: the unit of
resampling is the independent unit (a block, a run of rounds), never the single call; no
function returns NaN or warns; the same numbers give the same interval. Used by
stats.py, energy/asseed.py, crossover.py and quantise.py.

Why the level is widened: a bootstrap of n values knows the spread only from those n,
and its plain 95 % intervals cover the true value in some 90 % of cases for n = 8.
`level` returns the level at which the bootstrap of n values is as wide as Student's
interval would be (Hesterberg, "What Teachers Should Know About the Bootstrap", 2015).
The coverage is measured in lab/METHODOLOGY.md and tested in test_honesty_stats.py.
"""

from __future__ import annotations

import functools
import math
import warnings
from typing import TYPE_CHECKING

import numpy as np
from scipy import stats as scipy_stats

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import ArrayLike, NDArray

CONFIDENCE = 0.95
RESAMPLES = 4_999
SEED = 20_111
#: With fewer independent values than this the bootstrap is not used.
FEW = 8
#: Logarithms beyond this are clipped, so that every interval is two finite numbers.
LOG_LIMIT = 300.0


class StatsError(ValueError):
    """Numbers from which nothing can be computed, and why."""


def finite(
    samples: ArrayLike, what: str, *, least: int = 1, positive: bool = False
) -> NDArray[np.float64]:
    """Return samples as an array, or say which of them cannot be used.

    Args:
        samples: Numbers of any unit.
        what: What they are, for the message.
        least: How many there must be.
        positive: Whether zero and less are refused (for logarithms).

    Raises:
        StatsError: There are too few, or one is not finite or not positive.

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
def level(freedom: float, confidence: float = CONFIDENCE) -> float:
    """Return the bootstrap level that makes intervals of few values wide enough.

    Args:
        freedom: Degrees of freedom of the spread: one less than the number of values.
        confidence: Nominal coverage of the interval, 0 to 1.
    """
    student = float(scipy_stats.t.ppf((1 + confidence) / 2, freedom))
    wide = math.sqrt((freedom + 1) / freedom) * student
    return 1 - 2 * float(scipy_stats.norm.sf(wide))


def bca(
    samples: Sequence[NDArray[np.float64]],
    statistic: Callable[..., NDArray[np.float64]],
    *,
    confidence: float,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the ends of BCa intervals of scipy, along the last axis of the samples.

    Where BCa is not defined (its jackknife does not vary), returns the percentile
    interval; where that is not defined either, the samples are all equal and both ends
    are the value.
    """
    # Each batch of resamples stays below some ten million numbers.
    width = max(1, sum(sample.size for sample in samples))
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        found = scipy_stats.bootstrap(
            tuple(samples),
            statistic,
            n_resamples=resamples,
            batch=max(1, 10_000_000 // width),
            axis=-1,
            vectorized=True,
            confidence_level=confidence,
            method="BCa",
            rng=np.random.default_rng(seed),
        )
        low = np.asarray(found.confidence_interval.low, dtype=np.float64)
        high = np.asarray(found.confidence_interval.high, dtype=np.float64)
        missing = ~(np.isfinite(low) & np.isfinite(high))
        if missing.any():
            tails = [(1 - confidence) / 2, (1 + confidence) / 2]
            plain = np.quantile(found.bootstrap_distribution, tails, axis=-1)
            low = np.where(missing, plain[0], low)
            high = np.where(missing, plain[1], high)
    return low, high


def mean_interval(
    values: NDArray[np.float64],
    *,
    confidence: float = CONFIDENCE,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the interval of the mean of independent values, along the last axis.

    BCa at a widened level from FEW values on; Student's interval for 2 to FEW - 1; zero
    width for a single value, which has no spread, and for equal values.

    Args:
        values: Finite numbers, usually logarithms of ratios, one per block.
        confidence: Nominal coverage of the interval.
        resamples: Number of bootstrap resamples.
        seed: Seed of the resampling.
    """
    count = values.shape[-1]
    center = values.mean(axis=-1)
    if count == 1:
        return center, center
    same = np.ptp(values, axis=-1) == 0
    if count < FEW:
        half = (
            float(scipy_stats.t.ppf((1 + confidence) / 2, count - 1))
            * values.std(axis=-1, ddof=1)
            / math.sqrt(count)
        )
        low, high = center - half, center + half
    else:
        low, high = bca(
            [values],
            np.mean,
            confidence=level(count - 1, confidence),
            resamples=resamples,
            seed=seed,
        )
    low = np.where(same, center, np.minimum(low, center))
    high = np.where(same, center, np.maximum(high, center))
    return np.clip(low, -LOG_LIMIT, LOG_LIMIT), np.clip(high, -LOG_LIMIT, LOG_LIMIT)
