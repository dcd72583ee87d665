"""The other results of a study: curves, drift, findings, conformance.

Separate from derive.py because each is another view of the same rows.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Literal

from snooze_lab import workloads
from snooze_lab.model import AGAIN
from snooze_lab.published import beside
from snooze_lab.statistics import crossover, stats
from snooze_lab.stored.results_types import (
    Conformance,
    Curve,
    Drift,
    Judged,
    Metric,
    Point,
    Study,
)
from snooze_lab.workloads.conformance import case

if TYPE_CHECKING:
    from collections.abc import Iterable

    from snooze_lab.model import Contest, Crossover
    from snooze_lab.stored.results_types import Outcome, Table
    from snooze_lab.stored.samples import Derived, Samples

#: Maximum number of points of a drift plot.
POINTS = 1_500


def study(
    planned: dict[str, Any],
    tables: Iterable[Table],
    found: Derived,
    judged: Conformance,
) -> Study:
    """Return a study of the plan: its tables, and its curves and findings."""
    curves: list[Curve] = []
    for table in planned["tables"]:
        if table["kind"] == "curve":
            curves += _curves(table, found)
    made = Study(
        **{key: planned[key] for key in ("name", "title", "question", "seed")},
        tables=tuple(tables),
        findings=beside.findings(planned["name"], found, judged),
        curves=tuple(curves),
    )
    return dataclasses.replace(made, published=beside.of(made, judged))


def _curves(table: dict[str, Any], found: Derived) -> list[Curve]:
    """Return one curve for each set of factors of a table."""
    groups: dict[str, list[Contest]] = {}
    for contest in found.of(table):
        groups.setdefault(str(contest.factors), []).append(contest)
    return [_curve(table, factors, group, found) for factors, group in groups.items()]


def _curve(
    table: dict[str, Any], factors: str, group: list[Contest], found: Derived
) -> Curve:
    sizes = {contest.id: _parameter(contest.workload, table["x"]) for contest in group}
    series = {}
    for name in group[0].contenders:
        points = [
            Point(sizes[contest.id], time.value, time.low, time.high)
            for contest in group
            if name != AGAIN and (time := found.rows[contest.id][name].time)
        ]
        if points:
            series[name] = tuple(sorted(points, key=lambda point: point.x))
    base = group[0].baseline
    against = [one for one in series if one != base and base in series]
    crossed = []
    for name in against:
        logs = {
            sizes[contest.id]: _logs(found.samples, contest, name, base)
            for contest in group
        }
        crossed.append(_crossover(logs, (name, base), table["x"]))
    return Curve(
        title=table["title"] + (f" ({factors})" if factors else ""),
        x=table["x"],
        unit="ns",
        baseline=base,
        series=series,
        crossovers=tuple(one for one in crossed if one),
        change_point=_bend(series, sizes, group, found.samples),
        table=table["name"],
        operation=group[0].operation,
    )


def _crossover(
    logs: dict[float, list[float]], names: tuple[str, str], unit: str
) -> Crossover | None:
    """Return the size from which a contender is better; None with too few sizes."""
    points = {size: ratios for size, ratios in logs.items() if len(ratios) > 1}
    if len(points) < 2:
        return None
    one = crossover.crossover(list(points), list(points.values()), names, unit=unit)
    if one.x is None:
        return one
    # An end outside the measured sizes is drawn at their edge.
    low = min(points) if one.low is None else one.low
    high = max(points) if one.high is None else one.high
    return dataclasses.replace(one, low=low, high=high)


def _logs(found: Samples, contest: Contest, name: str, base: str) -> list[float]:
    """Return log-ratios, base / own, preferably by the interleaved instrument."""
    interleaved = found.ratios(contest.id, name, base)
    if interleaved:
        return interleaved
    own = found.of(contest.id, name, "time")
    theirs = found.of(contest.id, base, "time")
    if not own.keys() & theirs.keys():
        return []
    return list(stats.log_ratios(own, theirs).values())


def _bend(
    series: Iterable[str],
    sizes: dict[str, float],
    group: list[Contest],
    found: Samples,
) -> Crossover | None:
    """Return the most significant bend of a cost per unit of size, or None."""
    bends: list[tuple[float, Crossover]] = []
    for name in series:
        points = {}
        for contest in group:
            times = list(found.of(contest.id, name, "time").values())
            times = times or found.parts(contest.id, name)
            if len(times) > 1:
                size = sizes[contest.id]
                points[size] = [time / size for time in times]
        if len(points) < crossover.LEAST_SIZES:
            continue
        one = crossover.change_point(list(points), list(points.values()))
        if one.x is not None and one.p is not None:
            bends.append((one.p, dataclasses.replace(one, contender=name)))
    return min(bends, key=lambda one: one[0], default=(0.0, None))[1]


def _parameter(workload: str, name: str) -> float:
    _, given = workloads.parse(workload)
    if name not in given:
        raise ValueError(f"workload {workload}: expected a parameter {name!r} in it")
    return float(given[name])


def drift(found: Samples) -> tuple[Drift, ...]:
    """Return each timed sample relative to its cell's median, in order of time."""
    timed = found.relative()
    step = max(1, len(timed) // POINTS)
    return tuple(
        Drift(
            t=sample["started"],
            position=sample["position"],
            contest=sample["contest"],
            contender=sample["contender"],
            relative=relative,
            block=sample["block"],
        )
        for sample, relative in timed[::step]
    )


def conformance(found: Samples) -> Conformance:
    """Return what each contender accepted and rejected.

    Its files are those that contenders treat differently, or that one of them treats
    wrongly.
    """
    looked = {
        one["contender"]: one["conformance"]
        for one in found.all
        if one.get("conformance") and one["contender"] != AGAIN
    }
    if not looked:
        return Conformance()
    counts = {who: _counts(one) for who, one in looked.items()}
    metrics = tuple(
        Metric(name, {who: one[name] for who, one in counts.items()})
        for name in next(iter(counts.values()))
    )
    return Conformance(tuple(looked), metrics, tuple(_files(looked)))


def _counts(one: dict[str, Any]) -> dict[str, int]:
    rfc, seed = one["rfc"], one["seed"]
    return {
        "invalid accepted (RFC 8259)": len(rfc["invalid_accepted"]),
        "valid rejected (RFC 8259)": len(rfc["valid_rejected"]),
        "invalid accepted (the seed's metric)": len(seed["invalid_accepted"]),
        "valid rejected (the seed's metric)": len(seed["valid_rejected"]),
        "read as another value": len(one["values_wrong"]),
        "floats that do not come back": one["floats_wrong"],
    }


def _files(looked: dict[str, dict[str, Any]]) -> list[Judged]:
    """Return the files to list in the matrix, with every outcome."""
    failing = sorted(
        {
            name
            for one in looked.values()
            for name in (
                *one["rfc"]["invalid_accepted"],
                *one["rfc"]["valid_rejected"],
                *one["values_wrong"],
            )
        }
    )
    choices = sorted({name for one in looked.values() for name in one["choices"]})
    differing = [
        name
        for name in choices
        if len({one["choices"].get(name) for one in looked.values()}) > 1
    ]
    return [
        Judged(
            name,
            "i" if name in choices else _expected(name),
            {who: _outcome(one, name) for who, one in looked.items()},
        )
        for name in [*failing, *(one for one in differing if one not in failing)]
    ]


def _expected(name: str) -> Literal["y", "n"]:
    return "y" if case(name, b"").rfc else "n"


def _outcome(one: dict[str, Any], name: str) -> Outcome:
    if name in one["values_wrong"]:
        return "wrong value"
    if name in one["choices"]:
        return "accepted" if one["choices"][name] == "accepts" else "rejected"
    if _expected(name) == "y":
        return "rejected" if name in one["rfc"]["valid_rejected"] else "accepted"
    return "accepted" if name in one["rfc"]["invalid_accepted"] else "rejected"
