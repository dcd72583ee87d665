"""From samples to statements: estimates, effects, verdicts, and the noise of a run.

Separate because every claim of a report is made here and nowhere else. Invariants: the
independent unit is the process (a block) or a run of neighbouring rounds, never the
single call; ratios are compared as logarithms, inside a block, so that a slow moment of
the machine hits both sides; every ratio is baseline / own, so above 1 is better; no
value is deleted; the same samples give the same statement. Thin over scipy; every
interval of a ratio is Student's (resample.py). Used by results.py and the report.

Which test: p is Student's paired test on the log-ratios of the blocks. If both sides
are alike, a log-ratio is as likely positive as negative, and for symmetric values that
test errs on the safe side (Efron 1969), heavy tails included. A sign-flip permutation
test would assume less, but its smallest p is 2 / 2**n: with 8 blocks 0.008, which after
Holm's correction over seven comparisons can find nothing, be the difference fivefold. A
bootstrap p is bounded likewise by what n values can be drawn into. A test holds the
three against each other where all have room (test_stats.py).
"""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from math import nan
from typing import TYPE_CHECKING, Literal, TypeVar

import numpy as np
from scipy import stats as scipy_stats

from snooze_lab.model import REFERENCE, Effect, Estimate
from snooze_lab.rounds import run_length
from snooze_lab.statistics.resample import (
    CONFIDENCE,
    LOG_LIMIT,
    SEED,
    StatsError,
    finite,
    mean_interval,
    student,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray

#: Ratios between 1 / 1.02 and 1.02 are equal for all practical purposes.
MARGIN = 0.02
ALPHA = 1 - CONFIDENCE
#: A run whose identical entries differ by more than this is "too noisy".
TOO_NOISY = 0.05
#: From this many processes on, the interleaved instrument compares processes.
ENOUGH = 5
#: Runs of neighbouring rounds that remain of each series, at least.
FEW = 8
#: Resamples for the standard error of rounds, and the least error that is one.
DRAWS, TINY = 999, 1e-12
#: The quantile of the A/A deviations below which a run makes no claim.
FLOOR_QUANTILE = 0.95

Verdict = Literal["better", "worse", "equal", "undecided", "too noisy"]
Key = TypeVar("Key")


@dataclass(frozen=True, slots=True)
class Series:
    """A contender's interleaved rounds: ns per call, None where it sat out.

    `times` are without the garbage collections, which are in `pauses`; no pauses: there
    were none, or they are in the times.
    """

    times: Sequence[float | None]
    pauses: Sequence[float | None] = ()

    def pause(self, place: int) -> float:
        """Return the collections of a round, in ns per call."""
        return (self.pauses[place] or 0.0) if self.pauses else 0.0

    def at(self, places: Sequence[int]) -> Series:
        """Return only these rounds."""
        times = [self.times[place] for place in places]
        return Series(times, [self.pause(place) for place in places])


@dataclass(frozen=True, slots=True)
class LogRatios:
    """ln(baseline / own) by block, and the number of blocks without a partner."""

    logs: dict[int, float]
    dropped: int

    @property
    def values(self) -> NDArray[np.float64]:
        """Return the logarithms in order of blocks."""
        return np.array([self.logs[block] for block in sorted(self.logs)])


def estimate(samples: Sequence[float], unit: str) -> Estimate:
    """Return the median of process medians with its 95 % interval.

    The interval lies between two of the sorted samples: as near to the middle as the
    true median is between them in 95 % of all cases, whatever the distribution. Fewer
    than six samples cannot say that much: their interval is the whole range, which
    holds the median in 1 - 2 ** (1 - n) of all cases (two samples: 50 %, four: 87.5 %).
    One sample, or equal ones: an interval of no width; `n` tells the two apart.

    Args:
        samples: One value a process, in `unit`.
        unit: Of the samples, for example `ns`, `B`, `J`.

    Raises:
        StatsError: There are none, or one is not finite.

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
) -> LogRatios:
    """Return ln(base / own) for every block that both were measured in.

    Args:
        own: The contender's process medians by block, any unit.
        base: The baseline's, same unit.
        grain: The difference up to which two values are the same, same unit.

    Raises:
        StatsError: They share no block, or a value is not above zero and finite.

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
    return LogRatios(
        logs=dict(zip(shared, logs.tolist(), strict=True)),
        dropped=len(own.keys() ^ base.keys()),
    )


def effect(  # noqa: PLR0913
    own_by_block: Mapping[int, float],
    base_by_block: Mapping[int, float],
    baseline: str = REFERENCE,
    *,
    margin: float = MARGIN,
    floor: float = 0.0,
    grain: float = 0.0,
) -> Effect:
    """Return baseline / own as the geometric mean over blocks, with its interval.

    Blocks with one side missing are left out; `log_ratios(own, base).dropped` counts
    them and `n` is what remains. `p` and `verdict` are of this comparison alone, until
    `judge` has corrected them over a table. One block gives p = 1 and "undecided".

    Args:
        own_by_block: The contender's process medians by block, any unit.
        base_by_block: The baseline's, same unit.
        baseline: Its name.
        margin: Of practical equality, 0.02 for 2 %.
        floor: The A/A deviation below which nothing is claimed, 0.02 for 2 %.
        grain: The difference up to which two values are the same: a page, for memory.

    Raises:
        StatsError: They share no block, or a value is not above zero and finite.

    """
    values = log_ratios(own_by_block, base_by_block, grain).values
    return effects(values[None, :], baseline, margin=margin, floor=floor)[0]


def effects(
    logs: NDArray[np.float64],
    baseline: str = REFERENCE,
    *,
    margin: float = MARGIN,
    floor: float = 0.0,
) -> list[Effect]:
    """Return the effects of many cells that have the same blocks.

    The same as `effect` for each, faster.

    Args:
        logs: ln(baseline / own), finite, one row a cell and one column a block.
        baseline: What they are ratios to.
        margin: Of practical equality, 0.02 for 2 %.
        floor: The A/A deviation below which nothing is claimed, 0.02 for 2 %.

    Raises:
        StatsError: There are not two dimensions, or a number is not finite.

    """
    if logs.ndim != 2 or not logs.shape[1]:
        raise StatsError(
            f"effects: expected rows of cells and columns of blocks, found a shape of "
            f"{logs.shape}"
        )
    finite(logs.ravel(), "log-ratios", least=0)
    if not len(logs):
        return []
    found = []
    rows = zip(logs.mean(axis=1), *mean_interval(logs), strict=True)
    for center, *interval in rows:
        said = _said(float(center), interval, logs.shape[1], baseline)
        found.append(dataclasses.replace(said, verdict=verdict(said, margin, floor)))
    return found


def autocorrelation(values: Sequence[float] | NDArray[np.float64]) -> float:
    """Return the lag-1 autocorrelation, -1 to 1; 0 for fewer than three or equal."""
    return _pooled_autocorrelation([finite(values, "values", least=0)])


def rounds_effect(  # noqa: PLR0913
    own: Series,
    base: Series,
    baseline: str = REFERENCE,
    *,
    blocks: Sequence[int] | None = None,
    margin: float = MARGIN,
    floor: float = 0.0,
    seed: int = SEED,
) -> Effect:
    """Return baseline / own over interleaved rounds.

    The ratio is that of the median rounds, the rounds compared in pairs, plus the mean
    of the collections: collections are rare, and a median would lose them.

    With ENOUGH blocks (processes) or more, each has a ratio, and the effect is of these
    as in `effect`. With fewer the interval comes from a bootstrap: rounds that follow
    each other share the state of the machine, so it draws runs of neighbouring rounds,
    `run_length` by their measured autocorrelation, of each process by itself; `n` is
    the number of runs, and what differs between processes is not in the interval.

    Args:
        own: The contender's rounds.
        base: The baseline's, same unit, same rounds.
        baseline: Its name.
        blocks: The block (process) of each round; None if there was only one.
        margin: Of practical equality, 0.02 for 2 %.
        floor: The A/A deviation below which nothing is claimed, 0.02 for 2 %.
        seed: Of the resampling.

    Raises:
        StatsError: The lists differ in length, no round has both, or a time is not
            above zero and finite.

    """
    places = [0] * len(own.times) if blocks is None else list(blocks)
    if not len(own.times) == len(base.times) == len(places):
        raise StatsError(
            f"rounds: expected lists of the same length, found {len(own.times)} own "
            f"times, {len(base.times)} of the baseline and {len(places)} blocks"
        )
    shared = [
        place
        for place, pair in enumerate(zip(own.times, base.times, strict=True))
        if None not in pair
    ]
    if not shared:
        raise StatsError(
            f"rounds: expected rounds that both took part in, found none in "
            f"{len(places)}; is the baseline part of this contest?"
        )
    columns = _columns(own.at(shared), base.at(shared))
    ids = np.array([places[one] for one in shared])
    known = [columns[:, ids == place] for place in np.unique(ids)]
    if len(known) >= ENOUGH:
        logs = np.array([_log_ratio(part) for part in known])
        return effects(logs[None, :], baseline, margin=margin, floor=floor)[0]
    said = _from_runs(known, baseline, seed)
    return dataclasses.replace(said, verdict=verdict(said, margin, floor))


def log_ratio(own: Series, base: Series) -> float:
    """Return ln(baseline / own) of rounds that both took part in.

    Raises:
        StatsError: There are none, or a time is not above zero and finite.
    """
    return float(_log_ratio(_columns(own, base)))


def _columns(own: Series, base: Series) -> NDArray[np.float64]:
    """Return four rows: own times, the baseline's, own pauses, the baseline's."""
    sides = ((own, "own times"), (base, "baseline"))
    times = [
        finite([nan if one is None else one for one in side.times], what, positive=True)
        for side, what in sides
    ]
    pauses = [
        finite([side.pause(place) for place in range(len(side.times))], what)
        for side, what in sides
    ]
    return np.array(times + pauses)


def _log_ratio(rounds: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return ln(baseline / own) of rounds, along the last axis.

    `rounds` has four rows: own times, the baseline's, own pauses, the baseline's.
    """
    own, base, own_pauses, base_pauses = rounds
    half = np.median(np.log(base) - np.log(own), axis=-1) / 2
    # Absolute times, for the pauses' share: the middle of both sides' medians.
    middle = np.log(np.median(own, axis=-1)) + np.log(np.median(base, axis=-1))
    theirs = np.exp(middle / 2 + half) + base_pauses.mean(axis=-1)
    mine = np.exp(middle / 2 - half) + own_pauses.mean(axis=-1)
    return np.asarray(np.log(theirs) - np.log(mine))


def _from_runs(
    processes: Sequence[NDArray[np.float64]], baseline: str, seed: int
) -> Effect:
    """Return the mean of the processes' log-ratios, with Student's interval.

    The standard error of a process is that of a bootstrap that draws whole runs.
    """
    near = _pooled_autocorrelation([np.log(one[1] / one[0]) for one in processes])
    length = run_length(sum(one.shape[1] for one in processes), near)
    dice = np.random.default_rng(seed)
    centers, variances, counts = [], [], []
    for one in processes:
        centers.append(float(_log_ratio(one)))
        count = max(1, one.shape[1] // length)
        counts.append(count)
        # Every run has the same length: the bootstrap leaves out a last remainder.
        size = one.shape[1] // count
        runs = one[:, : count * size].reshape(4, count, size)
        drawn = runs[:, dice.integers(count, size=(DRAWS, count))]
        logs = _log_ratio(drawn.reshape(4, DRAWS, count * size))
        variances.append(float(logs.var(ddof=1)) * count / max(1, count - 1))
    center = math.fsum(centers) / len(centers)
    error = math.sqrt(math.fsum(variances)) / len(centers)
    n, freedom = sum(counts), sum(counts) - len(counts)
    error = 0.0 if error < TINY else error
    return _said(center, student(center, error, freedom), n, baseline)


def geometric_mean(
    cells: Sequence[Mapping[int, float]],
    baseline: str = REFERENCE,
) -> Effect:
    """Return the geometric mean of ratios over workloads, each varying by itself.

    Every workload counts alike. The workloads are what they are, not a sample of all
    there could be: the interval is of these workloads on this machine. `n` is the
    number of workloads.

    Args:
        cells: Log-ratios by block of each workload, as in `log_ratios(...).logs`.
        baseline: What they are ratios to.

    Raises:
        StatsError: No workload is given, or one has fewer than two blocks.

    """
    if not cells:
        raise StatsError("geometric mean: expected workloads, found none")
    samples = [
        finite(list(cell.values()), f"workload {index}: log-ratios", least=2)
        for index, cell in enumerate(cells)
    ]
    weights = [1 / len(samples)] * len(samples)
    return _combined(samples, weights, len(cells), baseline)


def unpaired_ratio(
    before: Sequence[float],
    after: Sequence[float],
    baseline: str = "before",
) -> Effect:
    """Return before / after for processes of two runs, which have no pairs.

    The ratio of geometric means; both sides are resampled, each by itself, and p is of
    Welch's test on the logarithms. What differs between the runs as a whole (a warmer
    room, another kernel) is in the ratio and not in the interval. `n` is the number of
    processes of the smaller side. p and verdict are of this comparison alone.

    Args:
        before: Process medians of the first run, any unit.
        after: Process medians of the second, same unit.
        baseline: What to call the first.

    Raises:
        StatsError: A side has fewer than two values, or one that is not above zero.

    """
    sides = [
        np.log(finite(values, what, least=2, positive=True))
        for values, what in ((before, "values before"), (after, "values after"))
    ]
    smaller = min(len(side) for side in sides)
    return _combined(sides, [1.0, -1.0], smaller, baseline)


def holm(p_values: Mapping[Key, float]) -> dict[Key, float]:
    """Return p-values by Holm's step-down correction, which scipy does not offer.

    Args:
        p_values: One for each comparison of a table, without the A/A contender.
    """
    ordered = sorted(p_values, key=lambda key: p_values[key])
    corrected: dict[Key, float] = {}
    worst = 0.0
    for place, key in enumerate(ordered):
        worst = max(worst, min(1.0, p_values[key] * (len(ordered) - place)))
        corrected[key] = worst
    return {key: corrected[key] for key in p_values}


def verdict(found: Effect, margin: float = MARGIN, floor: float = 0.0) -> Verdict:
    """Return the verdict on an effect.

    `equal`: the interval lies inside the margin. `better` or `worse`: the interval
    excludes 1 and p is below 0.05. `too noisy`: one of these would apply, but the
    difference is smaller than that between identical entries of this run. Otherwise
    `undecided`.

    Args:
        found: The effect; its p is already corrected if it is one of many.
        margin: Of practical equality, 0.02 for 2 %: from 1 / 1.02 to 1.02.
        floor: The A/A deviation of the run, 0.02 for 2 %.
    """
    if found.n < 2:
        return "undecided"
    if found.low >= 1 / (1 + margin) and found.high <= 1 + margin:
        return "equal" if floor <= margin else "too noisy"
    if found.low <= 1 <= found.high or found.p >= ALPHA:
        return "undecided"
    if deviation(found.ratio) <= floor:
        return "too noisy"
    return "better" if found.ratio > 1 else "worse"


def judge(
    table: Mapping[Key, Effect], margin: float = MARGIN, floor: float = 0.0
) -> dict[Key, Effect]:
    """Return a table's effects with p corrected by Holm and verdicts that follow.

    Args:
        table: The effects of one table, the A/A contender not among them, their
            p-values uncorrected.
        margin: Of practical equality, 0.02 for 2 %.
        floor: The A/A deviation of the run, 0.02 for 2 % (`Noise.floor`).

    """
    corrected = holm({key: found.p for key, found in table.items()})
    judged = {}
    for key, found in table.items():
        one = dataclasses.replace(found, p=corrected[key])
        judged[key] = dataclasses.replace(one, verdict=verdict(one, margin, floor))
    return judged


def deviation(ratio: float) -> float:
    """Return the distance of a ratio from 1, the same for a ratio and its inverse."""
    return math.expm1(abs(math.log(ratio)))


def percent(part: float) -> str:
    """Format a fraction as a percentage: 0.012 as `1.2 %`."""
    return f"{100 * part:.1f} %"


def _combined(
    samples: Sequence[NDArray[np.float64]],
    weights: Sequence[float],
    n: int,
    baseline: str,
) -> Effect:
    """Return the weighted sum of the means of independent samples as an effect.

    With Welch and Satterthwaite's degrees of freedom.
    """
    center = math.fsum(
        weight * float(sample.mean())
        for sample, weight in zip(samples, weights, strict=True)
    )
    parts = [
        weight**2 * float(sample.var(ddof=1)) / len(sample) if np.ptp(sample) else 0.0
        for sample, weight in zip(samples, weights, strict=True)
    ]
    spread = math.fsum(parts)
    freedom = 1.0
    if spread:
        freedom = spread**2 / math.fsum(
            part**2 / (len(sample) - 1)
            for part, sample in zip(parts, samples, strict=True)
        )
    return _said(center, student(center, math.sqrt(spread), freedom), n, baseline)


def _pooled_autocorrelation(parts: Sequence[NDArray[np.float64]]) -> float:
    """Return the autocorrelation within processes, after removing their means."""
    above = below = 0.0
    for part in parts:
        if len(part) < 3 or np.ptp(part) == 0:
            continue
        off = part - part.mean()
        above += float((off[1:] * off[:-1]).sum())
        below += float((off**2).sum())
    return above / below if below > 0 else 0.0


def _said(
    center: float, interval: Iterable[ArrayLike], n: int, baseline: str
) -> Effect:
    """Return the effect of a log-ratio, and of the ends of its interval and its p."""
    low, high, p = (float(np.asarray(one)) for one in interval)
    cut = [min(max(log, -LOG_LIMIT), LOG_LIMIT) for log in (center, low, high)]
    ratio, low, high = (math.exp(log) for log in cut)
    found = Effect(
        baseline=baseline, ratio=ratio, low=low, high=high, n=n, p=p, verdict=""
    )
    return dataclasses.replace(found, verdict=verdict(found))
