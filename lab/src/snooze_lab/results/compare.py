"""Compare two runs: what has become faster, slower, larger or smaller.

Separate because only here times of different runs meet. Runs of different machines or
Pythons are refused unless the user insists; a difference is an unpaired interval over
processes, Holm-corrected, and held against the greater noise of both runs.
"""

from __future__ import annotations

import dataclasses
import statistics
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from snooze_lab import UserError
from snooze_lab.machine import env
from snooze_lab.statistics import stats
from snooze_lab.stored import results_types, samples, store

if TYPE_CHECKING:
    from collections.abc import Iterable

    from snooze_lab.model import Effect, Row
    from snooze_lab.stored.results_types import Line, Results
    from snooze_lab.stored.store import Run


class MixedError(UserError):
    """The runs come from different machines; the message lists the differences."""


@dataclass(frozen=True)
class Change:
    """One quantity of a cell in both runs; a ratio above 1: the second is better."""

    #: How its contest is shown.
    label: str
    contender: str
    metric: str
    before: float
    after: float
    effect: Effect
    note: str


def compare(one: Run, other: Run, *, force: bool = False) -> list[Change]:
    """Return the changes of all cells that both runs have, in the order of the first.

    Raises MixedError where the environments differ and `force` is not given.
    """
    differing = env.differences(one.env(), other.env())
    if differing and not force:
        raise MixedError(
            "the runs are of different environments, and times of different machines "
            "say nothing about libraries:\n  "
            + "\n  ".join(differing)
            + "\n(--force compares anyway)"
        )
    both = [results_types.read(run.read(store.RESULTS)) for run in (one, other)]
    before, after = map(_cells, both)
    pairs = {
        (*key, metric): (values, after[key].raw[metric])
        for key, row in before.items()
        if key in after
        for metric, values in row.raw.items()
        if len(values) > 1 and len(after[key].raw.get(metric, [])) > 1
    }
    # Byte counts that do not vary have no interval, and need none.
    effects = {
        key: stats.unpaired_ratio(was, now, samples.grain_of(key[2]))
        for key, (was, now) in pairs.items()
        if min(*was, *now) > 0
    }
    corrected = stats.holm({key: effect.p for key, effect in effects.items()})
    several = _several(one) & _several(other)
    labels = _labels(both[0].lines())
    old, new = _versions(one), _versions(other)
    changes = []
    for key, effect in effects.items():
        contest, contender, metric = key
        was, now = pairs[key]
        judged = dataclasses.replace(effect, p=corrected[key])
        said = stats.verdict(judged, floor=_floor(metric, both))
        if metric == "round" and (contest, contender) not in several:
            # Stretches of one process do not show the variation between processes.
            said = "undecided"
        versions = old.get(contender), new.get(contender)
        changes.append(
            Change(
                labels[contest],
                contender,
                metric,
                statistics.median(was),
                statistics.median(now),
                dataclasses.replace(judged, verdict=said),
                "" if versions[0] == versions[1] else "{} -> {}".format(*versions),
            )
        )
    return changes


def _labels(lines: Iterable[Line]) -> dict[str, str]:
    """Return the names of contests, with that of a user's file in place of its path.

    Files of one name keep their paths.
    """
    shown = {
        line.contest: line.contest.replace(line.workload, line.document)
        for line in lines
    }
    counts = Counter(shown.values())
    return {name: text if counts[text] == 1 else name for name, text in shown.items()}


def _cells(found: Results) -> dict[tuple[str, str], Row]:
    return {
        (line.contest, contender): cell
        for line in found.lines()
        for contender, cell in line.cells.items()
        if cell.status == "ok"
    }


def _floor(metric: str, both: list[Results]) -> float:
    """Return the greater noise of a metric's instrument; bytes have none."""
    if samples.unit_of(metric) == "B":
        return 0.0
    noises = [one.noise if metric == "round" else one.noise_isolated for one in both]
    return max((one.floor for one in noises if one), default=0.0)


def _several(run: Run) -> set[tuple[str, str]]:
    """Return the cells that the interleaved instrument measured in several processes.

    A run that was stopped has fewer processes than its plan.
    """
    return {
        (contest, name)
        for contest, rounds in samples.read(run.samples()).rounds.items()
        for name in rounds.times
        if rounds.processes(name) > 1
    }


def _versions(run: Run) -> dict[str, str | None]:
    libraries = run.env().get("libraries", {})
    return {name: one.get("version") for name, one in libraries.items()}
