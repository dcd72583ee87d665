"""The noise of a run, its outliers, and clocks that are too coarse.

Separate because this describes the run, not a contender: the difference between the two
entries of the reference is the yardstick for every claim. Invariants: outliers are
counted, never deleted; deviations are relative (0.012 is 1.2 %) and the same for a
ratio and its inverse; a sample is called quantised only for a step that is known, or
for values that repeat. Used by results/, the flags, the energy series and the doctor.
"""

from __future__ import annotations

import itertools
import math
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from scipy import stats as scipy_stats

from snooze_lab.model import REFERENCE, Effect, Noise
from snooze_lab.statistics.stats import (
    CONFIDENCE,
    MARGIN,
    StatsError,
    deviation,
    effect,
    finite,
    log_ratios,
    percent,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

#: Tukey's fences, in interquartile ranges beyond the quartiles.
FENCE = 1.5
#: An A/A count this unlikely at the nominal rate means too narrow intervals.
SUSPICIOUS = 0.01
#: A run whose identical entries differ by more than this is "too noisy".
TOO_NOISY = 0.05
#: The quantile of the A/A deviations below which a run makes no claim.
FLOOR_QUANTILE = 0.95
#: Fewer A/A comparisons can show that a run is noisy, but not that it is quiet.
ENOUGH = 10
#: A sample whose spread spans fewer steps than this is flagged.
LEAST_STEPS = 5


def noise(aa_effects: Sequence[Effect], reference: str = REFERENCE) -> Noise:
    """Return the noise of a run, from its identical entries: one effect per contest.

    "too noisy" where the floor is above 5 %; else "unknown" with fewer than ten A/A
    comparisons, and differences below 2 % are not claimed (without any, 5 %); "quiet"
    where the floor is inside the margin of equality (2 %) and no more intervals exclude
    1 than chance explains; else "usable".
    """
    if not aa_effects:
        return Noise(
            "unknown",
            TOO_NOISY,
            "Unknown: nothing was entered twice, so the noise of this run is not "
            f"known; differences below {percent(TOO_NOISY)} are not claimed.",
        )
    ratios = finite([one.ratio for one in aa_effects], "A/A ratios", positive=True)
    apart = np.array([deviation(float(ratio)) for ratio in ratios])
    n = len(apart)
    # One block has no interval: both ends are its ratio, which says nothing about 1.
    spoken = [one for one in aa_effects if one.n > 1]
    out = sum(not one.low <= 1 <= one.high for one in spoken)
    floor = float(np.quantile(apart, FLOOR_QUANTILE))
    median, worst = float(np.median(apart)), float(apart.max())
    narrow = bool(spoken) and bool(
        scipy_stats.binomtest(
            out, len(spoken), 1 - CONFIDENCE, alternative="greater"
        ).pvalue
        < SUSPICIOUS
    )
    said: Literal["quiet", "usable", "too noisy", "unknown"] = "usable"
    if floor > TOO_NOISY:
        said = "too noisy"
    elif n < ENOUGH:
        said, floor = "unknown", max(floor, MARGIN)
    elif floor <= MARGIN and not narrow:
        said = "quiet"
    intervals = f"{out} of {len(spoken)} intervals exclude 1"
    if not spoken:
        intervals = "with one block each there are no intervals"
    if narrow:
        intervals += ", more than chance explains: read the intervals as too narrow"
    if said == "unknown":
        intervals += f". That is known only from {ENOUGH} comparisons on"
    return Noise(
        n=n,
        aa_median=median,
        aa_worst=worst,
        excluded=out / len(spoken) if spoken else 0.0,
        floor=floor,
        verdict=said,
        sentence=f"{said.capitalize()}: {reference} against itself differed by "
        f"{percent(median)} (median of {n}), {percent(worst)} at worst; "
        f"{intervals}. Differences below {percent(floor)} are not claimed.",
    )


def inside_fences(samples: Sequence[float]) -> list[bool]:
    """Return which samples lie within 1.5 interquartile ranges of the quartiles.

    Quartiles are numpy's default, linear between order statistics, as in seed 000.
    """
    values = finite(samples, "samples")
    lower, upper = np.quantile(values, [0.25, 0.75])
    reach = FENCE * (upper - lower)
    return [bool(lower - reach <= one <= upper + reach) for one in values]


def with_without(
    cells: Mapping[str, tuple[Mapping[int, float], Mapping[int, float]]],
) -> str:
    """Return the line under a table: results with and without its outlying blocks.

    `cells` are its own values and the baseline's, by block. A block of a cell is
    outlying where its log-ratio is outside of the fences of the cell. The results above
    the line always include all blocks. It names the cells whose uncorrected verdict
    would change, and the greatest relative change of a ratio.
    """
    blocks = outlying = 0
    worst, where = 0.0, ""
    turned = []
    for name, (own, base) in cells.items():
        logs = log_ratios(own, base)
        inside = zip(logs, inside_fences(list(logs.values())), strict=True)
        kept = [block for block, usual in inside if usual]
        blocks += len(logs)
        if len(kept) == len(logs):
            continue
        outlying += len(logs) - len(kept)
        whole = effect(own, base)
        trimmed = effect({block: own[block] for block in kept}, base)
        shift = deviation(trimmed.ratio / whole.ratio)
        if not where or shift > worst:
            worst, where = shift, name
        if trimmed.verdict != whole.verdict:
            turned.append(name)
    if not outlying:
        return f"No outliers among {blocks} blocks."
    change = "no verdict would change"
    if turned:
        names = ", ".join(turned)
        change = f"{len(turned)} of {len(cells)} verdicts would change ({names})"
    return (
        f"{outlying} of {blocks} blocks are outliers and are counted; without them "
        f"{change}, and no ratio by more than {math.ceil(worst * 1000) / 10:.1f} % "
        f"({where})."
    )


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
