"""Two runs beside each other: what has become faster, slower, larger, leaner.

Separate because it is the one place where times of different runs meet, and where they
may only meet if the machine is the same. Invariants: runs of machines or Pythons that
differ are refused unless the user insists, and then each line says so; a difference is
an interval over blocks, unpaired, Holm-corrected over the comparison. Used by cli.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from snooze_lab import env, stats

if TYPE_CHECKING:
    from snooze_lab.store import Run


class MixedError(Exception):
    """The runs are of different machines; the text says in what they differ."""


@dataclass(frozen=True)
class Change:
    """One cell's quantity in both runs; `ratio` above 1: the second is better."""

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
            + "\n(--force compares all the same)"
        )
    before, after = _cells(one), _cells(other)
    floor = max(_floor(one), _floor(other))
    found: list[Change] = []
    versions = _versions(one), _versions(other)
    for key, row in before.items():
        if key not in after:
            continue
        for metric, values in row["raw"].items():
            others = after[key]["raw"].get(metric, [])
            if len(values) < 2 or len(others) < 2:
                continue
            found.append(_change(key, metric, values, others, floor, versions))
    return found


def _change(
    key: tuple[str, str],
    metric: str,
    before: list[float],
    after: list[float],
    floor: float,
    versions: tuple[dict[str, str], dict[str, str]],
) -> Change:
    contest, contender = key
    ratio = stats.unpaired_ratio(before, after)
    note = ""
    was, now = (one.get(contender) for one in versions)
    if was != now:
        note = f"{was} -> {now}"
    return Change(
        contest,
        contender,
        metric,
        stats.median(before),
        stats.median(after),
        ratio.ratio,
        ratio.low,
        ratio.high,
        stats.words(ratio.low, ratio.high, floor if metric == "time" else 0.0),
        note,
    )


def _cells(run: Run) -> dict[tuple[str, str], dict[str, Any]]:
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for study in run.read("results.json")["studies"]:
        for table in study["tables"]:
            for row in table["rows"]:
                for contender, cell in row["cells"].items():
                    if cell["status"] == "ok":
                        found[row["contest"], contender] = cell
    return found


def _floor(run: Run) -> float:
    noise = run.read("results.json")["noise"]
    return float(noise.get("floor") or 0.0)


def _versions(run: Run) -> dict[str, str]:
    libraries = run.env().get("libraries", {})
    return {name: one.get("version") for name, one in libraries.items()}
