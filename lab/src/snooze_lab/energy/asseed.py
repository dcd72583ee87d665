"""The statistics of the seed's energy study, as its authors computed them.

Separate because it is history, not advice: it must give the published table from the
published data, whatever we think of it. Rules: a run is dropped when it is an outlier
(1.5 interquartile ranges beyond the quartiles) in any of the three metrics duration,
package energy and energy of core 0, also though the last is an artefact; Shapiro-Wilk
on both groups; Welch's t and Cohen's d (pooled) if both look normal, else Mann-Whitney
U and Cliff's delta. Invariant: no other part of the laboratory decides anything by it.
Our own analysis of the same runs is in pairs.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import scipy.stats

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

#: The metrics that the authors' outlier rule looks at.
OUTLIER_METRICS = ("duration", "package", "core0")
#: The metrics that they compare, with units.
METRICS = {"duration": "s", "package": "J", "core0": "J", "power": "W"}
SIGNIFICANT = 0.05


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two groups in one metric. `effect` and `statistic` are first against second."""

    metric: str
    unit: str
    n: tuple[int, int]
    mean: tuple[float, float]
    sd: tuple[float, float]
    shapiro_p: tuple[float, float]
    test: str
    statistic: float
    p: float
    effect_name: str
    effect: float
    difference_percent: float


def inliers(values: Sequence[float], reach: float = 1.5) -> NDArray[np.bool_]:
    """Tell which values are within `reach` interquartile ranges of the quartiles."""
    array = np.asarray(values, dtype=float)
    low, high = np.percentile(array, [25, 75])
    margin = reach * (high - low)
    return cast("NDArray[np.bool_]", (array >= low - margin) & (array <= high + margin))


def kept(metrics: Mapping[str, Sequence[float]]) -> list[bool]:
    """Tell which runs of a group are an outlier in none of the metrics given."""
    masks = [inliers(metrics[name]) for name in OUTLIER_METRICS if name in metrics]
    return [bool(keep) for keep in np.logical_and.reduce(masks)]


def cohen_d(first: Sequence[float], second: Sequence[float]) -> float:
    """Return the difference of the means in pooled standard deviations."""
    a, b = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    pooled = ((a.size - 1) * a.var(ddof=1) + (b.size - 1) * b.var(ddof=1)) / (
        a.size + b.size - 2
    )
    return float((a.mean() - b.mean()) / np.sqrt(pooled))


def cliff_delta(first: Sequence[float], second: Sequence[float]) -> float:
    """Return P(first > second) - P(first < second), over all pairs of values."""
    u: Any = scipy.stats.mannwhitneyu(first, second).statistic
    return float(2 * u / (len(first) * len(second)) - 1)


def compare(metric: str, first: Sequence[float], second: Sequence[float]) -> Comparison:
    """Compare two groups in one metric as the authors did; both need 3 values."""
    a, b = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    if min(a.size, b.size) < 3:
        raise ValueError(
            f"{metric}: expected at least 3 runs in both groups after the "
            f"outlier rule, found {a.size} and {b.size}; record more runs"
        )
    normal = tuple(float(scipy.stats.shapiro(group).pvalue) for group in (a, b))
    if min(normal) > SIGNIFICANT:
        result: Any = scipy.stats.ttest_ind(a, b, equal_var=False)
        names, effect = ("Welch's t", "Cohen's d"), cohen_d(first, second)
    else:
        result = scipy.stats.mannwhitneyu(a, b, alternative="two-sided")
        names, effect = ("Mann-Whitney U", "Cliff's delta"), cliff_delta(first, second)
    return Comparison(
        metric=metric,
        unit=METRICS[metric],
        n=(a.size, b.size),
        mean=(float(a.mean()), float(b.mean())),
        sd=(float(a.std(ddof=1)), float(b.std(ddof=1))),
        shapiro_p=(normal[0], normal[1]),
        test=names[0],
        statistic=float(result.statistic),
        p=float(result.pvalue),
        effect_name=names[1],
        effect=effect,
        difference_percent=float(100 * (b.mean() / a.mean() - 1)),
    )
