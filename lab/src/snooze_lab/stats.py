"""From samples to statements: estimates, effects, verdicts, and the noise of a run.

Separate because every claim of a report is made here and nowhere else. Invariants: the
independent unit is the process (a block) or a run of neighbouring rounds, never the
single call; ratios are compared as logarithms, inside a block, so that a slow moment of
the machine hits both sides; every ratio is baseline / own, so above 1 is better; no
value is deleted; the same samples give the same statement. Thin over scipy; the
bootstrap is in resample.py. Used by results.py and the report.

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
from typing import TYPE_CHECKING, Literal, TypeVar

import numpy as np
from scipy import stats as scipy_stats

from snooze_lab.model import REFERENCE, Effect, Estimate
from snooze_lab.resample import (
    CONFIDENCE,
    FEW,
    LOG_LIMIT,
    RESAMPLES,
    SEED,
    StatsError,
    bca,
    finite,
    level,
    mean_interval,
)
from snooze_lab.rounds import run_length

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

#: Ratios between 1 / 1.02 and 1.02 are equal for all practical purposes.
MARGIN = 0.02
ALPHA = 1 - CONFIDENCE
#: A run whose identical entries differ by more than this is "too noisy".
TOO_NOISY = 0.05
#: The quantile of the A/A deviations below which a run makes no claim.
FLOOR_QUANTILE = 0.95

Verdict = Literal["better", "worse", "equal", "undecided", "too noisy"]
Key = TypeVar("Key")


@dataclass(frozen=True, slots=True)
class LogRatios:
    """ln(baseline / own) by block, and the number of blocks without a partner."""

    logs: dict[int, float]
    dropped: int

    @property
    def values(self) -> NDArray[np.float64]:
        """Return the logarithms in order of blocks."""
        return np.array([self.logs[block] for block in sorted(self.logs)])


def estimate(samples: Sequence[float], unit: str, *, seed: int = SEED) -> Estimate:
    """Return the median of process medians with its 95 % interval.

    BCa from FEW samples on, at the widened level of `resample.level`. With fewer, the
    least and the greatest sample: they hold the true median in 1 - 2 ** (1 - n) of all
    cases (two samples: 50 %, four: 87.5 %), which is all that so few can say. One
    sample, or equal ones: an interval of no width; `n` tells the two apart.

    Args:
        samples: One value a process, in `unit`.
        unit: Of the samples, for example `ns`, `B`, `J`.
        seed: Of the resampling.

    Raises:
        StatsError: There are none, or one is not finite.

    """
    values = finite(samples, f"samples in {unit}")
    center = float(np.median(values))
    if np.ptp(values) == 0:
        low = high = center
    elif len(values) < FEW:
        low, high = float(values.min()), float(values.max())
    else:
        confidence = level(len(values) - 1)
        ends = bca([values], np.median, confidence=confidence, seed=seed)
        low, high = min(float(ends[0]), center), max(float(ends[1]), center)
    return Estimate(value=center, low=low, high=high, n=len(values), unit=unit)


def log_ratios(own: Mapping[int, float], base: Mapping[int, float]) -> LogRatios:
    """Return ln(base / own) for every block that both were measured in.

    Args:
        own: The contender's process medians by block, any unit.
        base: The baseline's, same unit.

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
    logs = np.log(theirs) - np.log(mine)
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
    seed: int = SEED,
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
        seed: Of the resampling.

    Raises:
        StatsError: They share no block, or a value is not above zero and finite.

    """
    values = log_ratios(own_by_block, base_by_block).values
    return effects(values[None, :], baseline, margin=margin, floor=floor, seed=seed)[0]


def effects(
    logs: NDArray[np.float64],
    baseline: str = REFERENCE,
    *,
    margin: float = MARGIN,
    floor: float = 0.0,
    seed: int = SEED,
) -> list[Effect]:
    """Return the effects of many cells that have the same blocks.

    The same as `effect` for each, faster.

    Args:
        logs: ln(baseline / own), finite, one row a cell and one column a block.
        baseline: What they are ratios to.
        margin: Of practical equality, 0.02 for 2 %.
        floor: The A/A deviation below which nothing is claimed, 0.02 for 2 %.
        seed: Of the resampling.

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
    low, high = mean_interval(logs, resamples=RESAMPLES, seed=seed)
    found = []
    rows = zip(logs.mean(axis=1), low, high, paired_p(logs), strict=True)
    for center, least, most, p in rows:
        ends = float(least), float(most)
        said = _said(float(center), ends, logs.shape[1], float(p), baseline)
        found.append(dataclasses.replace(said, verdict=verdict(said, margin, floor)))
    return found


def paired_p(logs: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the two-sided p of Student's test that mean logarithms are zero.

    Along the last axis. A single value gives 1. Equal values give 1 if they are zero,
    else 0.
    """
    center = logs.mean(axis=-1)
    if logs.shape[-1] < 2:
        return np.ones_like(center)
    same = np.ptp(logs, axis=-1) == 0
    # scipy warns about equal values: a substitute is tested, and its p replaced.
    tested = np.where(same[..., None], np.arange(logs.shape[-1]), logs)
    p = scipy_stats.ttest_1samp(tested, 0.0, axis=-1).pvalue
    return np.where(same, np.where(center == 0, 1.0, 0.0), p)


def autocorrelation(values: Sequence[float] | NDArray[np.float64]) -> float:
    """Return the lag-1 autocorrelation, -1 to 1; 0 for fewer than three or equal."""
    return _pooled_autocorrelation([finite(values, "values", least=0)])


def rounds_effect(  # noqa: PLR0913
    own: Sequence[float | None],
    base: Sequence[float | None],
    baseline: str = REFERENCE,
    *,
    blocks: Sequence[int] | None = None,
    margin: float = MARGIN,
    floor: float = 0.0,
    seed: int = SEED,
) -> Effect:
    """Return baseline / own over interleaved rounds, neighbours resampled together.

    Rounds that follow each other share the state of the machine: resampled one by one
    they would seem more independent than they are and the interval would come out too
    narrow. So the log-ratios are cut into contiguous runs, `run_length` by their
    measured autocorrelation, and the bootstrap draws whole runs. `n` is the number of
    runs. With FEW or more blocks (processes), the runs are the blocks, which also holds
    what differs between processes; with fewer, no run reaches over a block's border,
    and what differs between processes is not in the interval.

    Args:
        own: The contender's time in each round; None where it sat out.
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
    places = [0] * len(own) if blocks is None else list(blocks)
    if not len(own) == len(base) == len(places):
        raise StatsError(
            f"rounds: expected lists of the same length, found {len(own)} own times, "
            f"{len(base)} of the baseline and {len(places)} blocks"
        )
    pairs = [
        (place, mine, theirs)
        for place, mine, theirs in zip(places, own, base, strict=True)
        if mine is not None and theirs is not None
    ]
    if not pairs:
        raise StatsError(
            f"rounds: expected rounds that both took part in, found none in "
            f"{len(own)}; is the baseline part of this contest?"
        )
    mine_all = finite([pair[1] for pair in pairs], "own times", positive=True)
    base_all = finite([pair[2] for pair in pairs], "baseline", positive=True)
    logs = np.log(base_all) - np.log(mine_all)
    ids = np.array([pair[0] for pair in pairs])
    known = [logs[ids == place] for place in np.unique(ids)]
    if len(known) < FEW:
        length = run_length(len(logs), _pooled_autocorrelation(known))
        known = [
            run
            for part in known
            for run in np.array_split(part, max(1, len(part) // length))
        ]
    means = np.array([run.mean() for run in known])
    return effects(means[None, :], baseline, margin=margin, floor=floor, seed=seed)[0]


def geometric_mean(
    cells: Sequence[Mapping[int, float]],
    baseline: str = REFERENCE,
    *,
    seed: int = SEED,
) -> Effect:
    """Return the geometric mean of ratios over workloads, each resampled by itself.

    Every workload counts alike. The workloads are what they are, not a sample of all
    there could be: the interval is of these workloads on this machine. `n` is the
    number of workloads.

    Args:
        cells: Log-ratios by block of each workload, as in `log_ratios(...).logs`.
        baseline: What they are ratios to.
        seed: Of the resampling.

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
    return _combined(samples, weights, len(cells), baseline, seed)


def unpaired_ratio(
    before: Sequence[float],
    after: Sequence[float],
    baseline: str = "before",
    *,
    seed: int = SEED,
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
        seed: Of the resampling.

    Raises:
        StatsError: A side has fewer than two values, or one that is not above zero.

    """
    sides = [
        np.log(finite(values, what, least=2, positive=True))
        for values, what in ((before, "values before"), (after, "values after"))
    ]
    smaller = min(len(side) for side in sides)
    return _combined(sides, [1.0, -1.0], smaller, baseline, seed)


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
    seed: int,
) -> Effect:
    """Return the weighted sum of the means of independent samples as an effect.

    Welch and Satterthwaite's degrees of freedom, for p and for the level of BCa; the
    interval is Student's where a sample has fewer than FEW values.
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
    if spread == 0:
        p = 1.0 if center == 0 else 0.0
        return _said(center, (center, center), n, p, baseline)
    freedom = spread**2 / math.fsum(
        part**2 / (len(sample) - 1) for part, sample in zip(parts, samples, strict=True)
    )
    error = math.sqrt(spread)
    p = 2 * float(scipy_stats.t.sf(abs(center) / error, freedom))
    if min(len(sample) for sample in samples) < FEW:
        half = error * float(scipy_stats.t.ppf((1 + CONFIDENCE) / 2, freedom))
        return _said(center, (center - half, center + half), n, p, baseline)

    def total(*resampled: NDArray[np.float64], axis: int) -> NDArray[np.float64]:
        means = [one.mean(axis=axis) for one in resampled]
        found: NDArray[np.float64] = np.tensordot(weights, means, axes=1)
        return found

    low, high = bca(samples, total, confidence=level(freedom), seed=seed)
    ends = (min(float(low), center), max(float(high), center))
    return _said(center, ends, n, p, baseline)


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
    center: float, ends: tuple[float, float], n: int, p: float, baseline: str
) -> Effect:
    cut = [min(max(log, -LOG_LIMIT), LOG_LIMIT) for log in (center, *ends)]
    ratio, low, high = (math.exp(log) for log in cut)
    found = Effect(
        baseline=baseline, ratio=ratio, low=low, high=high, n=n, p=p, verdict=""
    )
    return dataclasses.replace(found, verdict=verdict(found))
