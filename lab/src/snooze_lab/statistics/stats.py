"""From samples to statements: estimates, effects and verdicts.

Separate because every claim of a report is made here and nowhere else. Invariants: the
independent unit is the process (a block) or a run of neighbouring rounds, never the
single call; ratios are compared as logarithms, inside a block, so that a slow moment of
the machine hits both sides; every ratio is baseline / own, so above 1 is better; no
value is deleted; the same samples give the same statement; no function returns NaN or
warns: StatsError says which numbers cannot be used. Thin over scipy; every interval of
a ratio is Student's, and so is the test: METHODOLOGY.md, "From samples to figures",
says why, and test_honesty_stats.py how often it holds the truth.
"""

from __future__ import annotations

import dataclasses
import functools
import math
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from scipy import stats as scipy_stats

from snooze_lab.model import REFERENCE, Effect, Estimate
from snooze_lab.timing.rounds import (
    LogRatio,
    compared,
    log_ratio,
    overall,
    paired,
    total,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray

    from snooze_lab.model import Verdict
    from snooze_lab.timing.rounds import Round

CONFIDENCE = 0.95
#: Logarithms beyond this are clipped, so that every interval is two finite numbers.
LOG_LIMIT = 300.0
#: Ratios between 1 / 1.02 and 1.02 are equal for all practical purposes.
MARGIN = 0.02
ALPHA = 1 - CONFIDENCE
#: From this many processes on, the interleaved instrument compares processes.
ENOUGH = 5
#: The least standard error that is one.
TINY = 1e-12
Key = TypeVar("Key")


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


def estimate(samples: Sequence[float], unit: str) -> Estimate:
    """Return the median of samples, one a process in `unit`, with its 95 % interval.

    The interval lies between two of the sorted samples: as near to the middle as the
    true median is between them in 95 % of all cases, whatever the distribution. Fewer
    than six samples cannot say that much: their interval is the whole range, which
    holds the median in 1 - 2 ** (1 - n) of all cases. One sample, or equal ones: an
    interval of no width; `n` tells the two apart.
    """
    values = np.sort(finite(samples, f"samples in {unit}"))
    count = len(values)
    # The number of samples below the true median is binomial.
    rank = max(0, int(scipy_stats.binom.ppf(ALPHA / 2, count, 0.5)) - 1)
    return Estimate(
        value=float(np.median(values)),
        low=float(values[rank]),
        high=float(values[count - 1 - rank]),
        n=count,
        unit=unit,
    )


def log_ratios(
    own: Mapping[int, float], base: Mapping[int, float], grain: float = 0.0
) -> dict[int, float]:
    """Return ln(base / own) for every block that both were measured in, in their order.

    Both are process medians by block, of one unit; values that differ by at most
    `grain` are the same. StatsError if they share no block.
    """
    shared = sorted(own.keys() & base.keys())
    if not shared:
        raise StatsError(
            f"effect: expected blocks that both were measured in, found own blocks "
            f"{sorted(own)[:5]} and the baseline's {sorted(base)[:5]}; "
            f"is the baseline part of this contest?"
        )
    mine = finite([own[block] for block in shared], "own values", positive=True)
    theirs = finite([base[block] for block in shared], "baseline", positive=True)
    alike = np.abs(theirs - mine) <= grain
    logs = np.where(alike, 0.0, np.log(theirs) - np.log(mine))
    return dict(zip(shared, logs.tolist(), strict=True))


def effect(
    own: Mapping[int, float],
    base: Mapping[int, float],
    baseline: str = REFERENCE,
    *,
    grain: float = 0.0,
) -> Effect:
    """Return baseline / own as the geometric mean over blocks, with its interval.

    Arguments as of `log_ratios`. Blocks with one side missing are left out, `n` is what
    remains. `p` and `verdict` are of this comparison alone, until `judge` has corrected
    them over a table. One block gives p = 1 and "undecided".
    """
    logs = np.array([*log_ratios(own, base, grain).values()])
    return effects(logs[None, :], baseline)[0]


def effects(logs: NDArray[np.float64], baseline: str = REFERENCE) -> list[Effect]:
    """Return the effects of many cells that have the same blocks, as `effect` for each.

    `logs` is ln(baseline / own), one row a cell and one column a block.
    """
    if logs.ndim != 2 or not logs.shape[1]:
        raise StatsError(
            f"effects: expected rows of cells and columns of blocks, found a shape of "
            f"{logs.shape}"
        )
    finite(logs.ravel(), "log-ratios", least=0)
    if not len(logs):
        return []
    rows = zip(logs.mean(axis=1), *mean_interval(logs), strict=True)
    return [
        _said(float(center), interval, logs.shape[1], baseline)
        for center, *interval in rows
    ]


def rounds_effect(
    own: Sequence[float],
    base: Sequence[float],
    baseline: str = REFERENCE,
    *,
    pauses: tuple[Sequence[float], Sequence[float]] | None = None,
    blocks: Sequence[int] | None = None,
) -> Effect:
    """Return baseline / own over interleaved rounds; `blocks` is the process of each.

    Times and pauses are as in `rounds.paired`, in ns per call. The ratio is that of the
    median rounds, the rounds compared in pairs, plus the mean of the collections
    (rounds.py).

    With ENOUGH blocks (processes) or more, each has a ratio, and the effect is of these
    as in `effect`. With fewer it is the mean of the processes' ratios, and the interval
    comes from stretches of neighbouring rounds of each: `n` is their number, and what
    differs between processes is not in the interval.
    """
    places = [0] * len(own) if blocks is None else list(blocks)
    if not len(own) == len(base) == len(places):
        raise StatsError(
            f"rounds: expected lists of the same length, found {len(own)} own "
            f"times, {len(base)} of the baseline and {len(places)} blocks"
        )
    processes: dict[int, list[Round]] = {}
    for place, one in together(own, base, pauses).items():
        processes.setdefault(places[place], []).append(one)
    if not processes:
        raise StatsError(
            f"rounds: expected rounds that both took part in, found none in "
            f"{len(places)}; is the baseline part of this contest?"
        )
    if len(processes) >= ENOUGH:
        logs = np.array([log_ratio(one) for one in processes.values()])
        return effects(logs[None, :], baseline)[0]
    parts = [compared(one) for one in processes.values()]
    return _of(overall(parts), round(sum(one.freedom + 1 for one in parts)), baseline)


def together(
    own: Sequence[float],
    base: Sequence[float],
    pauses: tuple[Sequence[float], Sequence[float]] | None = None,
) -> dict[int, Round]:
    """Return `rounds.paired`; StatsError for a time that has no logarithm."""
    found = paired(own, base, pauses)
    for side, what in enumerate(("own times", "baseline")):
        finite([one[side] for one in found.values()], what, least=0, positive=True)
    return found


def unpaired_ratio(
    before: Sequence[float], after: Sequence[float], grain: float = 0.0
) -> Effect:
    """Return before / after for processes of two runs, which have no pairs.

    The ratio of geometric means; interval and p are of Welch's test on the logarithms.
    What differs between the runs as a whole (a warmer room, another kernel) is in the
    ratio and not in the interval. `n` is the number of processes of the smaller side. p
    and verdict are of this comparison alone. Each side needs two values or more. Sides
    whose medians differ by at most `grain` are the same.
    """
    if grain and abs(float(np.median(before)) - float(np.median(after))) <= grain:
        after = before
    sides = [
        np.log(finite(values, what, least=2, positive=True))
        for values, what in ((before, "values before"), (after, "values after"))
    ]
    means = [
        LogRatio(
            sign * float(side.mean()),
            float(side.std(ddof=1)) / math.sqrt(len(side)) if np.ptp(side) else 0.0,
            len(side) - 1,
        )
        for side, sign in zip(sides, (1, -1), strict=True)
    ]
    return _of(total(means), min(map(len, sides)), "before")


def holm(p_values: Mapping[Key, float]) -> dict[Key, float]:
    """Return p-values by Holm's step-down correction, which scipy does not offer."""
    ordered = sorted(p_values, key=lambda key: p_values[key])
    corrected: dict[Key, float] = {}
    worst = 0.0
    for place, key in enumerate(ordered):
        worst = max(worst, min(1.0, p_values[key] * (len(ordered) - place)))
        corrected[key] = worst
    return {key: corrected[key] for key in p_values}


def verdict(found: Effect, floor: float = 0.0) -> Verdict:
    """Return the verdict on an effect, whose p is corrected if it is one of many.

    `equal`: the interval lies inside the margin. `better` or `worse`: the interval
    excludes 1 and p is below 0.05. `too noisy`: one of these would apply, but the
    difference is at most `floor`, the A/A deviation of the run (0.02 is 2 %).
    Otherwise `undecided`.
    """
    if found.n < 2:
        return "undecided"
    if found.low >= 1 / (1 + MARGIN) and found.high <= 1 + MARGIN:
        return "equal" if floor <= MARGIN else "too noisy"
    if found.low <= 1 <= found.high or found.p >= ALPHA:
        return "undecided"
    if deviation(found.ratio) <= floor:
        return "too noisy"
    return "better" if found.ratio > 1 else "worse"


def judge(table: Mapping[Key, Effect], floor: float = 0.0) -> dict[Key, Effect]:
    """Return a table's effects with p corrected by Holm and verdicts that follow.

    The A/A contender is not among them; `floor` as of `verdict`.
    """
    corrected = holm({key: found.p for key, found in table.items()})
    judged = {}
    for key, found in table.items():
        one = dataclasses.replace(found, p=corrected[key])
        judged[key] = dataclasses.replace(one, verdict=verdict(one, floor))
    return judged


def deviation(ratio: float) -> float:
    """Return the distance of a ratio from 1, the same for a ratio and its inverse."""
    return math.expm1(abs(math.log(ratio)))


def percent(part: float) -> str:
    """Format a fraction as a percentage: 0.012 as `1.2 %`."""
    return f"{100 * part:.1f} %"


def _of(found: LogRatio, n: int, baseline: str) -> Effect:
    """Return a log-ratio with its standard error as an effect."""
    error = 0.0 if found.error < TINY else found.error
    return _said(found.center, student(found.center, error, found.freedom), n, baseline)


def _said(
    center: float, interval: Iterable[ArrayLike], n: int, baseline: str
) -> Effect:
    """Return the effect of a log-ratio, and of the ends of its interval and its p."""
    low, high, p = (float(np.asarray(one)) for one in interval)
    cut = [min(max(log, -LOG_LIMIT), LOG_LIMIT) for log in (center, low, high)]
    ratio, low, high = (math.exp(log) for log in cut)
    found = Effect(baseline, ratio, low, high, n, p, "undecided")
    return dataclasses.replace(found, verdict=verdict(found))
