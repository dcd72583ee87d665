"""Curves against size: where two contenders cross, and where one of them bends.

Separate because these are the only statements about a curve. It is piecewise linear
between the measured sizes and undefined outside them; blocks are resampled within each
size; an end of an interval that lies outside the sizes is None.
"""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING

import numpy as np

from snooze_lab.model import Crossover
from snooze_lab.statistics.stats import (
    CONFIDENCE,
    StatsError,
    finite,
    level,
    mean_interval,
    percent,
)
from snooze_lab.units import digits

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

RESAMPLES, SEED = 1_999, 20_111
#: Candidate bends between the second and the second to last size.
BENDS = 120
#: A hinge has four parameters: with fewer sizes it cannot be tested.
LEAST_SIZES = 6


def crossover(
    sizes: Sequence[float],
    logs_by_size: Sequence[Sequence[float]],
    names: tuple[str, str],
    *,
    unit: str = "fields",
) -> Crossover:
    """Return where the log-ratio of two contenders changes its sign.

    For each size, in `unit`, the log-ratios by block, above zero where the first of
    `names` is better. Their means are joined by straight lines over the logarithm of
    the size. For the interval, blocks are resampled within each size and the crossing
    is computed again; curves that do not cross count as crossing outside the sizes.

    "always" and "never" need the interval of every size to exclude 1; "from" and "up
    to" need a size on each side whose interval does. StatsError if sizes repeat or
    there are fewer than two, or a size has fewer than two blocks.
    """
    where, samples = _curve(sizes, logs_by_size, 2)
    center = np.array([sample.mean() for sample in samples])
    sides = np.array([_side(sample) for sample in samples])
    crossings = int((np.diff(np.sign(center[center != 0])) != 0).sum())
    first, second = names
    about = Crossover("", contender=first, against=second, crossings=crossings)
    span = f"{_shown(where[0])} to {_shown(where[-1])} {unit}"
    if (sides != 0).all() and len(set(sides)) == 1:
        word = "better" if sides[0] > 0 else "worse"
        return dataclasses.replace(
            about,
            kind="always" if sides[0] > 0 else "never",
            sentence=f"{first} is {word} than {second} at every size, {span}.",
        )
    sure = sides[sides != 0]
    rising = crossings == 1 and center[-1] > 0
    if crossings != 1 or len(sure) < 2 or sure[0] == sure[-1]:
        return dataclasses.replace(
            about,
            kind="undecided",
            sentence=f"Where {first} becomes better or worse than {second} is "
            f"undecided between {span}.",
        )
    found = float(_crossings(where, center[None, :], rising=rising)[0])
    widened = level(min(len(sample) for sample in samples) - 1)
    replicates = _resampled(samples, np.random.default_rng(SEED))
    crossed = _crossings(where, replicates, rising=rising)
    ends = [
        float(np.quantile(crossed, tail, method="nearest"))
        for tail in ((1 - widened) / 2, (1 + widened) / 2)
    ]
    low, high = min(ends[0], found), max(ends[1], found)
    least = _shown(low) if math.isfinite(low) else "below the sizes measured"
    most = _shown(high) if math.isfinite(high) else "above the sizes measured"
    kind = "from" if rising else "up to"
    return dataclasses.replace(
        about,
        kind=kind,
        x=math.exp(found),
        low=math.exp(low) if math.isfinite(low) else None,
        high=math.exp(high) if math.isfinite(high) else None,
        sentence=f"{first} is better than {second} {kind} {_shown(found)} {unit} "
        f"(95 % interval {least} to {most}).",
    )


def _shown(log: float) -> str:
    """Return a size in three digits, without an exponent."""
    size = math.exp(log)
    return digits(size) if size >= 1000 else f"{size:.3g}"


def change_point(
    sizes: Sequence[float], costs_by_size: Sequence[Sequence[float]]
) -> Crossover:
    """Return where ln(cost per byte) bends over ln(size), tested against no bend.

    For each of LEAST_SIZES sizes or more the costs per byte by block, two or more. Fits
    two straight lines that meet to the means of the sizes, by least squares. The bend
    is tried at BENDS places between the second and the second to last size. The test
    statistic is the greatest F over these places; its null distribution comes from the
    straight line with resampled deviations of the blocks, which accounts for the many
    places tried. The alternative is general: any curvature beyond the noise of the
    blocks rejects the straight line, and the bend is then where two lines describe the
    curve best; where it does not, the result has no place.
    """
    for size, costs in zip(sizes, costs_by_size, strict=False):
        finite(costs, f"costs at size {size:g}", positive=True)
    logs = [[math.log(cost) for cost in costs] for costs in costs_by_size]
    where, samples = _curve(sizes, logs, LEAST_SIZES)
    dice = np.random.default_rng(SEED)
    center = np.array([sample.mean() for sample in samples])
    bends = np.linspace(where[1], where[-2], BENDS)
    line = np.stack([np.ones_like(where), where], axis=1)
    flat = np.eye(len(where)) - line @ np.linalg.pinv(line)
    # Each bend's regressor, orthogonal to the straight line, with length 1.
    added = flat @ np.maximum(0, where[:, None] - bends)
    added /= np.linalg.norm(added, axis=0)
    observed, best = _steepest(center[None, :], flat, added)
    straight = center - flat @ center
    # Means of n blocks vary less in resamples than in truth, by (n - 1) / n.
    swing = np.array([math.sqrt(len(one) / (len(one) - 1)) for one in samples])
    apart = (_resampled(samples, dice) - center) * swing
    null, _ = _steepest(straight + apart, flat, added)
    # Rounding is not a bend: a gain below a millionth of the values is ignored.
    trivial = float(np.abs(flat @ center).max()) < 1e-6
    exceeding = int((null >= observed[0]).sum())
    p = 1.0 if trivial else (exceeding + 1) / (len(null) + 1)
    _, places = _steepest(center + apart, flat, added)
    tails = [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2]
    size = float(bends[best[0]])
    low, high = np.quantile(bends[places], tails)
    design = np.concatenate([line, np.maximum(0, where - size)[:, None]], axis=1)
    slopes = np.linalg.lstsq(design, center, rcond=None)[0]
    before, after = float(slopes[1]), float(slopes[1] + slopes[2])
    ends = (math.exp(min(float(low), size)), math.exp(max(float(high), size)))
    shown = "p < 0.001" if p < 0.001 else f"p = {p:.3f}"
    if not p < 1 - CONFIDENCE:
        text = f"There is no measured size at which the cost per byte bends ({shown})."
        return Crossover(text, before=before, after=after, p=p)
    return Crossover(
        f"At {_shown(size)} B (95 % interval {digits(ends[0])} to {digits(ends[1])}) "
        "the cost per byte bends: a doubling of the size changes it by "
        f"{percent(2**before - 1)} before and {percent(2**after - 1)} after ({shown}).",
        *(math.exp(size), *ends),
        before=before,
        after=after,
        p=p,
    )


def _curve(
    sizes: Sequence[float], samples: Sequence[Sequence[float]], least: int
) -> tuple[NDArray[np.float64], list[NDArray[np.float64]]]:
    """Return ln(size) in ascending order and the samples in that order."""
    known = finite(sizes, "sizes", least=least, positive=True)
    if len(samples) != len(known):
        raise StatsError(
            f"curve: expected samples for each of {len(known)} sizes, found "
            f"{len(samples)}"
        )
    if len(np.unique(known)) != len(known):
        raise StatsError(
            f"sizes: expected each once, found {sorted(known.tolist())}; "
            f"group the blocks of each size"
        )
    order = np.argsort(known)
    arrays = [
        finite(samples[index], f"samples at size {known[index]:g}", least=2)
        for index in order
    ]
    return np.log(known[order]), arrays


def _side(sample: NDArray[np.float64]) -> int:
    """Return 1 or -1 if the interval of the mean lies on one side of 0, else 0."""
    low, high, _ = mean_interval(sample)
    return int(low > 0) - int(high < 0)


def _resampled(
    samples: Sequence[NDArray[np.float64]], dice: np.random.Generator
) -> NDArray[np.float64]:
    """Return means of resampled blocks: one row per replicate, one column per size."""
    return np.stack(
        [
            sample[dice.integers(0, len(sample), (RESAMPLES, len(sample)))].mean(axis=1)
            for sample in samples
        ],
        axis=1,
    )


def _crossings(
    where: NDArray[np.float64], curves: NDArray[np.float64], *, rising: bool
) -> NDArray[np.float64]:
    """Return ln(size) of the first crossing of each curve, infinite if outside.

    A curve on one side only crosses below the sizes if that is its side at the end,
    above them if it is its side at the start.
    """
    facing = curves if rising else -curves
    there = facing > 0
    turns = ~there[:, :-1] & there[:, 1:]
    first = turns.argmax(axis=1)
    rows = np.arange(len(curves))
    left, right = facing[rows, first], facing[rows, first + 1]
    with np.errstate(invalid="ignore", divide="ignore"):
        part = left / (left - right)
    at = where[first] + part * (where[first + 1] - where[first])
    outside = np.where(there[:, 0], -np.inf, np.inf)
    found: NDArray[np.float64] = np.where(turns.any(axis=1), at, outside)
    return found


def _steepest(
    curves: NDArray[np.float64],
    flat: NDArray[np.float64],
    added: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """Return for each curve the greatest gain of a bend over none, and that bend.

    The gain is the F statistic without its constants: (RSS0 - RSS1) / RSS1, where a
    regressor of length 1, orthogonal to the others, reduces RSS0 by its squared
    product.
    """
    straight = ((curves @ flat) ** 2).sum(axis=1)
    gained = (curves @ added) ** 2
    best = gained.argmax(axis=1)
    most = gained.max(axis=1)
    return most / np.maximum(straight - most, 1e-12), best
