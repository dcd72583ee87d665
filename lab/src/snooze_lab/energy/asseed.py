"""Seed 000's energy study in its own statistics: its rule for outliers, its tests.

Separate because it is a reproduction, not a recommendation: nothing else decides
anything by it, and METHODOLOGY.md lists its faults. What is not defined is None.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from scipy import stats as scipy_stats

from snooze_lab.statistics.noise import inside_fences
from snooze_lab.statistics.stats import StatsError, finite
from snooze_lab.stored.energy_types import AsSeed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

#: The metrics that the authors' outlier rule looks at.
OUTLIER_METRICS = ("duration", "package", "core0")
#: The metrics that they compare, with units.
METRICS = {"duration": "s", "package": "J", "core0": "J", "power": "W"}
#: Below this p-value a group counts as not normal.
ALPHA = 0.05


def kept(metrics: Mapping[str, Sequence[float]]) -> list[bool]:
    """Tell which runs of a group are an outlier in none of the rule's metrics.

    metrics: values of each metric, one a run; those that the rule does not look at are
    ignored. Raises StatsError when none of the rule's is given, or they differ in
    length.
    """
    columns = {name: metrics[name] for name in OUTLIER_METRICS if name in metrics}
    lengths = {name: len(column) for name, column in columns.items()}
    if len(set(lengths.values())) != 1:
        raise StatsError(
            f"columns: expected metrics with one value for each run, found {lengths}"
        )
    masks = [inside_fences(column) for column in columns.values()]
    return [all(row) for row in zip(*masks, strict=True)]


def compare(metric: str, first: Sequence[float], second: Sequence[float]) -> AsSeed:
    """Compare two groups in one metric as the authors did, after their outlier rule.

    Both groups normal (Shapiro-Wilk, p >= 0.05): Welch's t-test and Cohen's d.
    Otherwise, or where normality cannot be tested: Mann-Whitney U and Cliff's delta.
    The test is `none` where all values are the same.

    Raises StatsError when a group is empty or has a value that is not finite.
    """
    a, b = finite(first, "first group"), finite(second, "second group")
    normal = _normal(a) and _normal(b)
    test = "Welch's t" if normal else "Mann-Whitney U"
    statistic, p = _welch(a, b) if normal else _mann_whitney(a, b)
    d = cohens_d(a, b) if normal else None
    return AsSeed(
        metric=metric,
        unit=METRICS.get(metric, ""),
        n=(len(a), len(b)),
        mean=(float(a.mean()), float(b.mean())),
        sd=(_sd(a), _sd(b)),
        test="none" if p is None else test,
        statistic=statistic,
        p=p,
        effect_name="Cliff's delta" if d is None else "Cohen's d",
        effect=cliffs_delta(a, b) if d is None else d,
        difference_percent=_percent(a, b),
    )


def cliffs_delta(a: NDArray[np.float64], b: NDArray[np.float64]) -> float:
    """Return P(a > b) - P(a < b), from Mann and Whitney's U: 2 U / (m n) - 1."""
    u = scipy_stats.mannwhitneyu(a, b, method="asymptotic").statistic
    return float(2 * u / (len(a) * len(b)) - 1)


def _percent(a: NDArray[np.float64], b: NDArray[np.float64]) -> float | None:
    return float((b.mean() - a.mean()) / a.mean() * 100) if a.mean() else None


def _sd(values: NDArray[np.float64]) -> float:
    return float(values.std(ddof=1)) if len(values) > 1 else 0.0


def _normal(values: NDArray[np.float64]) -> bool:
    """Tell whether the Shapiro-Wilk test accepts values; False if it is undefined."""
    if len(values) < 3 or np.ptp(values) == 0:
        return False
    # Beyond 5,000 values scipy's p-value is not accurate: the first 5,000 are tested.
    return bool(scipy_stats.shapiro(values[:5_000]).pvalue >= ALPHA)


def _welch(
    a: NDArray[np.float64], b: NDArray[np.float64]
) -> tuple[float | None, float | None]:
    found = scipy_stats.ttest_ind(a, b, equal_var=False)
    return float(found.statistic), float(found.pvalue)


def _mann_whitney(
    a: NDArray[np.float64], b: NDArray[np.float64]
) -> tuple[float | None, float | None]:
    """Return U and p; both None where all values are the same."""
    if np.ptp(np.concatenate([a, b])) == 0:
        return None, None
    found = scipy_stats.mannwhitneyu(a, b, alternative="two-sided")
    return float(found.statistic), float(found.pvalue)


def cohens_d(a: NDArray[np.float64], b: NDArray[np.float64]) -> float | None:
    """Return (mean of a - mean of b) / pooled sd; None if the sd is zero."""
    weighted = (len(a) - 1) * a.var(ddof=1) + (len(b) - 1) * b.var(ddof=1)
    pooled = math.sqrt(weighted / (len(a) + len(b) - 2))
    return float((a.mean() - b.mean()) / pooled) if pooled else None
