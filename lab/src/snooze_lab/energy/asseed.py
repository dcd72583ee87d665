"""The seed's energy study in its own statistics: which metrics, which rule for runs.

Separate from seedstats.py, which knows the tests: this knows what the authors applied
them to. A run is dropped when it is an outlier in any of the three metrics duration,
package energy and energy of core 0, although the last is an artefact. Invariant: it is
history, and no other part of the laboratory decides anything by it; our own analysis of
the same runs is in pairs.py. Used by study and summary.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from snooze_lab import seedstats

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

#: The metrics that the authors' outlier rule looks at.
OUTLIER_METRICS = ("duration", "package", "core0")
#: The metrics that they compare, with units.
METRICS = {"duration": "s", "package": "J", "core0": "J", "power": "W"}


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two groups in one metric. `effect` and `statistic` are first against second.

    Undefined values (all inputs alike) are None.
    """

    metric: str
    unit: str
    n: tuple[int, int]
    mean: tuple[float, float]
    sd: tuple[float, float]
    shapiro_p: tuple[float | None, float | None]
    test: str
    statistic: float | None
    p: float | None
    effect_name: str
    effect: float | None
    difference_percent: float | None
    sentence: str


def kept(metrics: Mapping[str, Sequence[float]]) -> list[bool]:
    """Tell which runs of a group are an outlier in none of the metrics.

    Other metrics than the rule's may be given. Raises StatsError when none of the
    rule's is.
    """
    return seedstats.keep_runs(
        {name: metrics[name] for name in OUTLIER_METRICS if name in metrics}
    )


def compare(
    metric: str,
    names: tuple[str, str],
    first: Sequence[float],
    second: Sequence[float],
) -> Comparison:
    """Compare two groups in one metric as the authors did, after their outlier rule.

    Raises StatsError when a group is empty or has a value that is not finite.
    """
    found = seedstats.compare(
        first, second, names, METRICS[metric], drop_outliers=False
    )
    return Comparison(
        metric=metric,
        unit=METRICS[metric],
        n=(found.a.kept, found.b.kept),
        mean=(found.a.mean, found.b.mean),
        sd=(found.a.sd, found.b.sd),
        shapiro_p=(found.a.normal_p, found.b.normal_p),
        test=found.test,
        statistic=found.statistic,
        p=found.p,
        effect_name=found.effect_name,
        effect=found.effect,
        difference_percent=found.percent,
        sentence=found.sentence,
    )
