"""The other results of a study: curves, boxes, drift, findings.

Separate from results.py because each is a different view of the same rows, made for a
figure of the report. Invariant: every number comes from the run's own samples;
published figures of a seed come from published/. Used by results.py.
"""

from __future__ import annotations

import dataclasses
import re
import statistics
from typing import TYPE_CHECKING, Any

from snooze_lab import findings
from snooze_lab.model import AGAIN
from snooze_lab.statistics import crossover, stats

if TYPE_CHECKING:
    from collections.abc import Callable

    from snooze_lab.model import Contest, Row
    from snooze_lab.samples import Samples

#: Maximum number of points of a drift plot.
POINTS = 1_500


def of(
    study: dict[str, Any],
    contests: dict[str, Contest],
    rows: dict[str, dict[str, Row]],
    found: Samples,
) -> dict[str, Any]:
    """Return `curves`, `boxes` and `findings` of a study of the plan."""
    curves: list[dict[str, Any]] = []
    boxes: list[dict[str, Any]] = []
    for table in study["tables"]:
        chosen = [contests[name] for name in table["contests"]]
        if table["kind"] == "curve":
            curves += _curves(table, chosen, rows, found)
        elif table["kind"] == "box":
            boxes += [_box(table, contest, rows[contest.id]) for contest in chosen]
    return {
        "curves": curves,
        "boxes": boxes,
        "findings": findings.of(study["name"], contests, rows, conformance(found)),
    }


def _curves(
    table: dict[str, Any],
    chosen: list[Contest],
    rows: dict[str, dict[str, Row]],
    found: Samples,
) -> list[dict[str, Any]]:
    """Return one curve for each set of factors of a table."""
    groups: dict[str, list[Contest]] = {}
    for contest in chosen:
        groups.setdefault(str(contest.factors), []).append(contest)
    return [
        _curve(table, factors, group, rows, found) for factors, group in groups.items()
    ]


def _curve(
    table: dict[str, Any],
    factors: str,
    group: list[Contest],
    rows: dict[str, dict[str, Row]],
    found: Samples,
) -> dict[str, Any]:
    sizes = {contest.id: _parameter(contest.workload, table["x"]) for contest in group}
    names = [name for name in group[0].contenders if name != AGAIN]
    series: dict[str, list[dict[str, float]]] = {}
    for name in names:
        points = []
        for contest in group:
            quantities = rows[contest.id][name].quantities
            time = quantities.get("time") or quantities.get("round")
            if time:
                x = sizes[contest.id]
                points.append(
                    {"x": x, "value": time.value, "low": time.low, "high": time.high}
                )
        if points:
            series[name] = sorted(points, key=lambda point: point["x"])
    base = group[0].baseline
    title = table["title"] + (f" ({factors})" if factors else "")
    return {
        "table": table["name"],
        "title": title,
        "operation": group[0].operation,
        "x": table["x"],
        "unit": "ns",
        "baseline": base,
        "series": series,
        "crossovers": _crossovers(series, base, sizes, group, found, table["x"]),
        "change_point": _bend(series, sizes, group, found),
    }


def _crossovers(  # noqa: PLR0913, PLR0917 - parts of a curve
    series: dict[str, Any],
    base: str,
    sizes: dict[str, float],
    group: list[Contest],
    found: Samples,
    unit: str,
) -> list[dict[str, Any]]:
    """Return, by contender, the size from which it is better than the baseline."""
    made = []
    for name in series:
        if name == base or base not in series:
            continue
        points = {
            sizes[contest.id]: ratios
            for contest in group
            if len(ratios := _logs(found, contest, name, base)) > 1
        }
        if len(points) < 2:
            continue
        crossed = crossover.crossover(
            list(points), list(points.values()), (name, base), unit=unit
        )
        ends = min(points), max(points)
        one = dataclasses.asdict(crossed)
        if crossed.size is not None:
            # An end outside the measured sizes is drawn at their edge.
            one |= {
                "low": ends[0] if crossed.low is None else crossed.low,
                "high": ends[1] if crossed.high is None else crossed.high,
            }
        made.append({"contender": name, "against": base, "x": crossed.size} | one)
    return made


def _logs(found: Samples, contest: Contest, name: str, base: str) -> list[float]:
    """Return log-ratios, base / own, preferably by the interleaved instrument."""
    interleaved = found.ratios(contest.id, name, base)
    if interleaved:
        return interleaved
    own = found.of(contest.id, name, "time")
    theirs = found.of(contest.id, base, "time")
    if not own.keys() & theirs.keys():
        return []
    return list(stats.log_ratios(own, theirs).logs.values())


def _bend(
    series: dict[str, Any],
    sizes: dict[str, float],
    group: list[Contest],
    found: Samples,
) -> dict[str, Any] | None:
    """Return the most significant bend of a cost per unit of size, or None."""
    bends: list[dict[str, Any]] = []
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
        bend = crossover.change_point(list(points), list(points.values()))
        if bend.found:
            one = dataclasses.asdict(bend)
            bends.append({"contender": name, "against": "", "x": bend.size} | one)
    return min(bends, key=lambda one: one["p"], default=None)


def _parameter(workload: str, name: str) -> float:
    found = re.search(rf"[?&]{re.escape(name)}=([0-9.]+)", workload)
    if not found:
        raise ValueError(f"workload {workload}: expected a parameter {name!r} in it")
    return float(found[1])


def _box(
    table: dict[str, Any], contest: Contest, rows: dict[str, Row]
) -> dict[str, Any]:
    return {
        "table": table["name"],
        "title": f"{table['title']}: {contest.workload}",
        "operation": contest.operation,
        "unit": "ns",
        "groups": {
            name: row.raw.get("time") or row.raw["round"]
            for name, row in rows.items()
            if row.raw.keys() & {"time", "round"} and name != AGAIN
        },
    }


def drift(found: Samples) -> list[dict[str, Any]]:
    """Return each timed sample relative to its cell's median, in order of time."""
    medians: dict[tuple[str, str], float] = {}
    timed = [one for one in found.all if one.get("values", {}).get("time")]
    for sample in timed:
        key = (sample["contest"], sample["contender"])
        if key not in medians:
            values = found.of(*key, "time").values()
            medians[key] = statistics.median(values)
    step = max(1, len(timed) // POINTS)
    return [
        {
            "t": sample["started"],
            "position": sample["position"],
            "block": sample["block"],
            "contest": sample["contest"],
            "contender": sample["contender"],
            "relative": statistics.median(sample["values"]["time"])
            / medians[sample["contest"], sample["contender"]],
        }
        for sample in timed[::step]
    ]


def conformance(found: Samples) -> dict[str, Any]:
    """Return what each contender accepted and rejected.

    `columns`, `metrics` (a count for each contender) and `files`: those that contenders
    treat differently, or that one of them treats wrongly.
    """
    looked = {
        one["contender"]: one["conformance"]
        for one in found.all
        if one.get("conformance") and one["contender"] != AGAIN
    }
    if not looked:
        return {}
    return {
        "columns": list(looked),
        "metrics": [
            {"name": name, "values": {who: count(one) for who, one in looked.items()}}
            for name, count in _COUNTS.items()
        ],
        "files": _files(looked),
    }


_COUNTS: dict[str, Callable[[dict[str, Any]], int]] = {
    "invalid accepted (RFC 8259)": lambda one: one["rfc"]["invalid_accepted_count"],
    "valid rejected (RFC 8259)": lambda one: one["rfc"]["valid_rejected_count"],
    "invalid accepted (the seed's metric)": lambda one: one["seed"][
        "invalid_accepted_count"
    ],
    "valid rejected (the seed's metric)": lambda one: one["seed"][
        "valid_rejected_count"
    ],
    "read as another value": lambda one: len(one["values_wrong"]),
    "floats that do not come back": lambda one: one["floats_wrong"],
}


def _files(looked: dict[str, dict[str, Any]]) -> list[dict[str, Any]]:
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
        {
            "file": name,
            "expectation": "i" if name in choices else _expected(name),
            "outcomes": {who: _outcome(one, name) for who, one in looked.items()},
        }
        for name in [*failing, *(one for one in differing if one not in failing)]
    ]


def _expected(name: str) -> str:
    return "y" if name.startswith(("y_", "pass")) else "n"


def _outcome(one: dict[str, Any], name: str) -> str:
    if name in one["values_wrong"]:
        return "wrong value"
    if name in one["choices"]:
        return "accepted" if one["choices"][name] == "accepts" else "rejected"
    if _expected(name) == "y":
        return "rejected" if name in one["rfc"]["valid_rejected"] else "accepted"
    return "accepted" if name in one["rfc"]["invalid_accepted"] else "rejected"
