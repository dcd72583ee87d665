"""Seed 000's energy study in its own statistics: its rule for outliers, its tests.

Separate because it is a reproduction, not a recommendation: nothing else decides
anything by it, and METHODOLOGY.md lists its faults. What is not defined is None.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import stats as scipy_stats

from snooze_lab.statistics.noise import inside_fences
from snooze_lab.statistics.stats import finite
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
    ignored.
    """
    masks = [
        inside_fences(metrics[name]) for name in OUTLIER_METRICS if name in metrics
    ]
    return [all(row) for row in zip(*masks, strict=True)]


def compare(metric: str, first: Sequence[float], second: Sequence[float]) -> AsSeed:
    """Compare two groups in one metric as the authors did, after their outlier rule.

    Both groups normal (Shapiro-Wilk, p >= 0.05): Welch's t-test and Cohen's d.
    Otherwise, or where normality cannot be tested: Mann-Whitney U and Cliff's delta.
    The test is `none` where all values are the same.

    Raises StatsError when a group is empty or has a value that is not finite.
    """
    a, b = finite(first, "first group"), finite(second, "second group")
    found: Any
    if _normal(a) and _normal(b):
        test, found = "Welch's t", scipy_stats.ttest_ind(a, b, equal_var=False)
        effect_name, effect = "Cohen's d", cohens_d(a, b)
    else:
        test, found = "Mann-Whitney U", scipy_stats.mannwhitneyu(a, b)
        effect_name, effect = "Cliff's delta", cliffs_delta(a, b)
    same = np.ptp(np.concatenate([a, b])) == 0
    return AsSeed(
        metric=metric,
        unit=METRICS.get(metric, ""),
        n=(len(a), len(b)),
        mean=(float(a.mean()), float(b.mean())),
        sd=(_sd(a), _sd(b)),
        test="none" if same else test,
        statistic=None if same else float(found.statistic),
        p=None if same else float(found.pvalue),
        effect_name=effect_name,
        effect=effect,
        difference_percent=float((b.mean() - a.mean()) / a.mean() * 100)
        if a.mean()
        else None,
    )


def _sd(values: NDArray[np.float64]) -> float:
    return float(values.std(ddof=1)) if len(values) > 1 else 0.0


def _normal(values: NDArray[np.float64]) -> bool:
    """Tell whether the Shapiro-Wilk test accepts values; False if it is undefined."""
    if len(values) < 3 or np.ptp(values) == 0:
        return False
    # Beyond 5,000 values scipy's p-value is not accurate: the first 5,000 are tested.
    return bool(scipy_stats.shapiro(values[:5_000]).pvalue >= ALPHA)


def cliffs_delta(a: NDArray[np.float64], b: NDArray[np.float64]) -> float:
    """Return P(a > b) - P(a < b), from Mann and Whitney's U: 2 U / (m n) - 1."""
    u = scipy_stats.mannwhitneyu(a, b, method="asymptotic").statistic
    return float(2 * u / (len(a) * len(b)) - 1)


def cohens_d(a: NDArray[np.float64], b: NDArray[np.float64]) -> float:
    """Return (mean of a - mean of b) / pooled sd, which must not be zero."""
    weighted = (len(a) - 1) * a.var(ddof=1) + (len(b) - 1) * b.var(ddof=1)
    return float((a.mean() - b.mean()) / math.sqrt(weighted / (len(a) + len(b) - 2)))
