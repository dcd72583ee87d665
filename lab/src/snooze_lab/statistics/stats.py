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
from typing import TYPE_CHECKING, Literal, TypeVar

import numpy as np
from scipy import stats as scipy_stats

from snooze_lab.model import REFERENCE, Effect, Estimate
from snooze_lab.rounds import LogRatio, compared, log_ratio, overall, total
from snooze_lab.statistics.resample import (
    CONFIDENCE,
    LOG_LIMIT,
    StatsError,
    finite,
    mean_interval,
    student,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray

    from snooze_lab.rounds import Round

#: Ratios between 1 / 1.02 and 1.02 are equal for all practical purposes.
MARGIN = 0.02
ALPHA = 1 - CONFIDENCE
#: A run whose identical entries differ by more than this is "too noisy".
TOO_NOISY = 0.05
#: From this many processes on, the interleaved instrument compares processes.
ENOUGH = 5
#: The least standard error that is one.
TINY = 1e-12
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


def rounds_effect(  # noqa: PLR0913
    own: Series,
    base: Series,
    baseline: str = REFERENCE,
    *,
    blocks: Sequence[int] | None = None,
    margin: float = MARGIN,
    floor: float = 0.0,
) -> Effect:
    """Return baseline / own over interleaved rounds.

    The ratio is that of the median rounds, the rounds compared in pairs, plus the mean
    of the collections (rounds.py).

    With ENOUGH blocks (processes) or more, each has a ratio, and the effect is of these
    as in `effect`. With fewer it is the mean of the processes' ratios, and the interval
    comes from stretches of neighbouring rounds of each: `n` is their number, and what
    differs between processes is not in the interval.

    Args:
        own: The contender's rounds.
        base: The baseline's, same unit, same rounds.
        baseline: Its name.
        blocks: The block (process) of each round; None if there was only one.
        margin: Of practical equality, 0.02 for 2 %.
        floor: The A/A deviation below which nothing is claimed, 0.02 for 2 %.

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
    processes: dict[int, list[Round]] = {}
    for place, one in together(own, base).items():
        processes.setdefault(places[place], []).append(one)
    if not processes:
        raise StatsError(
            f"rounds: expected rounds that both took part in, found none in "
            f"{len(places)}; is the baseline part of this contest?"
        )
    if len(processes) >= ENOUGH:
        logs = np.array([log_ratio(one) for one in processes.values()])
        return effects(logs[None, :], baseline, margin=margin, floor=floor)[0]
    parts = [compared(one) for one in processes.values()]
    said = _of(overall(parts), round(sum(one.freedom + 1 for one in parts)), baseline)
    return dataclasses.replace(said, verdict=verdict(said, margin, floor))


def together(own: Series, base: Series) -> dict[int, Round]:
    """Return the rounds that both took part in, by their place.

    Raises:
        StatsError: A time is not above zero and finite.
    """
    pairs = zip(own.times, base.times, strict=True)
    shared = [place for place, pair in enumerate(pairs) if None not in pair]
    sides = ((own, "own times"), (base, "baseline"))
    columns = [
        finite([one.times[at] or 0.0 for at in shared], what, least=0, positive=True)
        for one, what in sides
    ]
    columns += [
        finite([one.pause(at) for at in shared], what, least=0) for one, what in sides
    ]
    rows = zip(*(one.tolist() for one in columns), strict=True)
    return dict(zip(shared, rows, strict=True))


def unpaired_ratio(
    before: Sequence[float],
    after: Sequence[float],
    baseline: str = "before",
) -> Effect:
    """Return before / after for processes of two runs, which have no pairs.

    The ratio of geometric means; interval and p are of Welch's test on the logarithms.
    What differs between the runs as a whole (a warmer room, another kernel) is in the
    ratio and not in the interval. `n` is the number of processes of the smaller side. p
    and verdict are of this comparison alone.

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
    means = [
        LogRatio(
            sign * float(side.mean()),
            float(side.std(ddof=1)) / math.sqrt(len(side)) if np.ptp(side) else 0.0,
            len(side) - 1,
        )
        for side, sign in zip(sides, (1, -1), strict=True)
    ]
    return _of(total(means), min(map(len, sides)), baseline)


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
    found = Effect(
        baseline=baseline, ratio=ratio, low=low, high=high, n=n, p=p, verdict=""
    )
    return dataclasses.replace(found, verdict=verdict(found))
