"""Compare two groups of values with the method of seed 000's energy study.

Separate from stats.py because it is a reproduction, not a recommendation: outliers by
the interquartile range are dropped, normality is tested, and the test and the effect
size follow from the outcome. Every result says "as in the seed", and is shown beside
the paired bootstrap of stats.py. lab/METHODOLOGY.md lists its faults: pairs are broken,
values are deleted, and a test chooses a test. Invariant: never NaN; undefined values
are None, and the sentence says so. Used by energy/ and the report.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from scipy import stats as scipy_stats

from snooze_lab.resample import StatsError, finite

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

#: How many interquartile ranges beyond the quartiles a value may lie.
FENCE = 1.5
#: Below this p-value a group counts as not normal, and a difference as found.
ALPHA = 0.05
#: Bounds of |Cohen's d| and |Cliff's delta| between negligible, small, medium, large.
COHEN = (0.2, 0.5, 0.8)
CLIFF = (0.147, 0.33, 0.474)
SIZES = ("negligible", "small", "medium", "large")

Test = Literal["Welch's t", "Mann-Whitney U", "none"]
Size = Literal["Cohen's d", "Cliff's delta", "none"]


@dataclass(frozen=True, slots=True)
class Group:
    """One side of a comparison, after its outliers were dropped.

    `mean`, `sd` (of a sample, n - 1) and `median` have the unit of the values;
    `normal_p` is of the Shapiro-Wilk test, None where it is not defined (fewer than
    three values, or all the same).
    """

    name: str
    given: int
    kept: int
    mean: float
    sd: float
    median: float
    normal_p: float | None


@dataclass(frozen=True, slots=True)
class SeedComparison:
    """The seed's analysis of two groups.

    `percent` is (b - a) / a of the means in %, None where a's mean is zero. `effect` is
    positive where `a` is the greater. `cohen_d` and `cliff_delta` are both given where
    they are defined; `effect_name` is the one that the pipeline reports.
    """

    a: Group
    b: Group
    unit: str
    test: Test
    statistic: float | None
    p: float | None
    effect_name: Size
    effect: float | None
    effect_word: str
    cohen_d: float | None
    cliff_delta: float | None
    percent: float | None
    sentence: str


def inside_fences(samples: Sequence[float]) -> list[bool]:
    """Return which samples lie within 1.5 interquartile ranges of the quartiles.

    Quartiles are numpy's default, linear between order statistics, as in the seed.

    Raises:
        StatsError: There are none, or one is not finite.

    """
    values = finite(samples, "samples")
    lower, upper = np.quantile(values, [0.25, 0.75])
    reach = FENCE * (upper - lower)
    return [bool(lower - reach <= one <= upper + reach) for one in values]


def keep_runs(columns: Mapping[str, Sequence[float]]) -> list[bool]:
    """Return which runs the seed keeps: those that are an outlier in no metric.

    Args:
        columns: Values of each metric, one a run, in the same order of runs.

    Raises:
        StatsError: No metric is given, or they have different numbers of runs.

    """
    lengths = {name: len(column) for name, column in columns.items()}
    if len(set(lengths.values())) != 1:
        raise StatsError(
            f"columns: expected metrics with one value for each run, found {lengths}"
        )
    masks = [inside_fences(column) for column in columns.values()]
    return [all(row) for row in zip(*masks, strict=True)]


def shapiro_p(values: NDArray[np.float64]) -> float | None:
    """Return p of the Shapiro-Wilk test, None where it is not defined."""
    if len(values) < 3 or np.ptp(values) == 0:
        return None
    # Beyond 5,000 values scipy's p-value is not accurate: the first 5,000 are tested.
    return float(scipy_stats.shapiro(values[:5_000]).pvalue)


def cohens_d(a: NDArray[np.float64], b: NDArray[np.float64]) -> float | None:
    """Return (mean of a - mean of b) / pooled sd; None where that is not defined."""
    freedom = len(a) + len(b) - 2
    if len(a) < 2 or len(b) < 2:
        return None
    pooled = math.sqrt(
        ((len(a) - 1) * a.var(ddof=1) + (len(b) - 1) * b.var(ddof=1)) / freedom
    )
    return float((a.mean() - b.mean()) / pooled) if pooled else None


def cliffs_delta(a: NDArray[np.float64], b: NDArray[np.float64]) -> float:
    """Return P(a > b) - P(a < b), from Mann and Whitney's U: 2 U / (m n) - 1."""
    u = scipy_stats.mannwhitneyu(a, b, method="asymptotic").statistic
    return float(2 * u / (len(a) * len(b)) - 1)


def compare(
    a: Sequence[float],
    b: Sequence[float],
    names: tuple[str, str],
    unit: str = "",
    *,
    drop_outliers: bool = True,
) -> SeedComparison:
    """Compare two groups as the seed did.

    Both groups normal (Shapiro-Wilk, p >= 0.05): Welch's t-test and Cohen's d.
    Otherwise, or where normality cannot be tested: Mann-Whitney U and Cliff's delta.

    Args:
        a: Values of the first group, any unit.
        b: Values of the second, same unit.
        names: What to call them.
        unit: For the sentence.
        drop_outliers: Whether outliers are dropped here, each group by itself. The
            seed drops whole runs by all metrics (`keep_runs`): then this is False.

    Raises:
        StatsError: A group is empty or has a value that is not finite.

    """
    sides = []
    for samples, name in zip((a, b), names, strict=True):
        values = finite(samples, name)
        kept = values[inside_fences(samples)] if drop_outliers else values
        sides.append((name, len(values), kept))
    first, second = (_group(*side) for side in sides)
    left, right = sides[0][2], sides[1][2]
    normal = all(
        group.normal_p is not None and group.normal_p >= ALPHA
        for group in (first, second)
    )
    d, delta = cohens_d(left, right), cliffs_delta(left, right)
    test: Test = "Welch's t" if normal else "Mann-Whitney U"
    statistic, p = _tested(left, right, test)
    if p is None:
        test = "none"
    effect_name: Size = "Cohen's d" if normal and d is not None else "Cliff's delta"
    effect = d if effect_name == "Cohen's d" else delta
    bounds = COHEN if effect_name == "Cohen's d" else CLIFF
    word = SIZES[sum(abs(effect) >= bound for bound in bounds)] if effect else SIZES[0]
    percent = (second.mean - first.mean) / first.mean * 100 if first.mean != 0 else None
    return SeedComparison(
        a=first,
        b=second,
        unit=unit,
        test=test,
        statistic=statistic,
        p=p,
        effect_name=effect_name,
        effect=effect,
        effect_word=word,
        cohen_d=d,
        cliff_delta=delta,
        percent=percent,
        sentence=_sentence(
            (first, second), unit, percent, (test, p), (effect_name, effect, word)
        ),
    )


def _group(name: str, given: int, kept: NDArray[np.float64]) -> Group:
    return Group(
        name=name,
        given=given,
        kept=len(kept),
        mean=float(kept.mean()),
        sd=float(kept.std(ddof=1)) if len(kept) > 1 else 0.0,
        median=float(np.median(kept)),
        normal_p=shapiro_p(kept),
    )


def _tested(
    a: NDArray[np.float64], b: NDArray[np.float64], test: Test
) -> tuple[float | None, float | None]:
    """Return statistic and p; both None where the test is undefined."""
    if test == "Welch's t":
        found = scipy_stats.ttest_ind(a, b, equal_var=False)
        return float(found.statistic), float(found.pvalue)
    if np.ptp(np.concatenate([a, b])) == 0:
        return None, None
    ranked = scipy_stats.mannwhitneyu(a, b, alternative="two-sided")
    return float(ranked.statistic), float(ranked.pvalue)


def _sentence(
    groups: tuple[Group, Group],
    unit: str,
    percent: float | None,
    tested: tuple[Test, float | None],
    sized: tuple[Size, float | None, str],
) -> str:
    """Return the comparison as one line, labelled as the seed's method."""
    parts = [
        f"{group.name} {group.mean:.4g} ± {group.sd:.2g}{' ' + unit if unit else ''} "
        f"(n = {group.kept} of {group.given})"
        for group in groups
    ]
    change = "" if percent is None else f", {percent:+.1f} %"
    test, p = tested
    if p is None:
        return f"As in the seed: {parts[0]}, {parts[1]}{change}; nothing to test."
    verdict = "a difference" if p < ALPHA else "no difference"
    name, effect, word = sized
    shown = "p < 0.001" if p < 0.001 else f"p = {p:.3f}"
    return (
        f"As in the seed: {parts[0]}, {parts[1]}{change}; {test}, {shown}: "
        f"{verdict} found; {name} = {effect:.2f} ({word})."
    )
