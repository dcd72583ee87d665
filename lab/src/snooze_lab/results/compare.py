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
from typing import TYPE_CHECKING, Any

from snooze_lab import UserError
from snooze_lab.machine import env
from snooze_lab.statistics import stats
from snooze_lab.stored import samples
from snooze_lab.stored.results_types import Line
from snooze_lab.stored.samples import unit_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from snooze_lab.model import Effect
    from snooze_lab.stored.store import Run


class MixedError(UserError):
    """The runs come from different machines; the message lists the differences."""


@dataclass(frozen=True)
class Change:
    """One quantity of a cell in both runs; `ratio` above 1: the second is better."""

    contest: str
    contender: str
    metric: str
    before: float
    after: float
    ratio: float
    low: float
    high: float
    verdict: str
    note: str = ""
    #: How its contest is shown.
    label: str = ""


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
    before, after = _cells(one), _cells(other)
    pairs = {
        (*key, metric): (values, after[key]["raw"][metric])
        for key, row in before.items()
        if key in after
        for metric, values in row["raw"].items()
        if len(values) > 1 and len(after[key]["raw"].get(metric, [])) > 1
    }
    # Byte counts that do not vary have no interval, and need none.
    effects = {
        key: stats.unpaired_ratio(was, now, samples.grain_of(key[2]))
        for key, (was, now) in pairs.items()
        if min(*was, *now) > 0
    }
    versions = _versions(one), _versions(other)
    floors = _floors(one.read("results.json"), other.read("results.json"), effects)
    several = _several(one) & _several(other)
    corrected = stats.holm({key: effect.p for key, effect in effects.items()})
    labels = _labels(one)
    changes = []
    for key, effect in effects.items():
        judged = dataclasses.replace(effect, p=corrected[key])
        said = stats.verdict(judged, floor=floors[key[2]])
        if key[2] == "round" and key[:2] not in several:
            # Stretches of one process do not show the variation between processes.
            said = "undecided"
        judged = dataclasses.replace(judged, verdict=said)
        change = _change(key, pairs[key], judged, versions)
        changes.append(dataclasses.replace(change, label=labels[key[0]]))
    return changes


def _change(
    key: tuple[str, str, str],
    values: tuple[list[float], list[float]],
    effect: Effect,
    versions: tuple[dict[str, str], dict[str, str]],
) -> Change:
    contest, contender, metric = key
    was, now = (one.get(contender) for one in versions)
    return Change(
        contest,
        contender,
        metric,
        statistics.median(values[0]),
        statistics.median(values[1]),
        effect.ratio,
        effect.low,
        effect.high,
        effect.verdict,
        f"{was} -> {now}" if was != now else "",
    )


def _labels(run: Run) -> dict[str, str]:
    """Return the names of contests, with that of a user's file in place of its path.

    Files of one name keep their paths.
    """
    shown = {}
    for row in _rows(run):
        document = Line(row["workload"], row["contest"], 0, {}).document
        shown[row["contest"]] = row["contest"].replace(row["workload"], document)
    counts = Counter(shown.values())
    return {name: text if counts[text] == 1 else name for name, text in shown.items()}


def _rows(run: Run) -> Iterator[dict[str, Any]]:
    for study in run.read("results.json")["studies"]:
        for table in study["tables"]:
            yield from table["rows"]


def _cells(run: Run) -> dict[tuple[str, str], dict[str, Any]]:
    return {
        (row["contest"], contender): cell
        for row in _rows(run)
        for contender, cell in row["cells"].items()
        if cell["status"] == "ok"
    }


def _floors(
    one: dict[str, Any], other: dict[str, Any], keys: Iterable[tuple[str, str, str]]
) -> dict[str, float]:
    """Return the greater noise of the instrument, by metric; bytes have none."""
    floors = {}
    for metric in {key[2] for key in keys}:
        name = "noise" if metric == "round" else "noise_isolated"
        known = [float(found[name].get("floor") or 0.0) for found in (one, other)]
        floors[metric] = 0.0 if unit_of(metric) == "B" else max(known)
    return floors


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


def _versions(run: Run) -> dict[str, str]:
    libraries = run.env().get("libraries", {})
    return {name: one.get("version") for name, one in libraries.items()}
