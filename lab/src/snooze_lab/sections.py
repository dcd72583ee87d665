"""The parts of a study's results beside its tables: curves, boxes, drift, findings.

Separate from results.py because each is a different view of the same rows, made for a
figure of the report. Invariant: every number comes from the run's own samples; what a
seed published comes from published/. Used by results.py.
"""

from __future__ import annotations

import re
import statistics
from typing import TYPE_CHECKING, Any

from snooze_lab import crossover, findings
from snooze_lab.model import AGAIN

if TYPE_CHECKING:
    from snooze_lab.model import Contest, Row
    from snooze_lab.samples import Samples

#: A drift plot has no more points than a screen can show.
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
        "findings": findings.of(study["name"], contests, rows),
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
            time = rows[contest.id][name].quantities.get("time")
            if time:
                x = sizes[contest.id]
                points.append(
                    {"x": x, "value": time.value, "low": time.low, "high": time.high}
                )
        if points:
            series[name] = sorted(points, key=lambda point: point["x"])
    base = group[0].baseline
    title = table["title"] + (f" ({factors})" if factors else "")
    by_size = {
        name: {
            sizes[contest.id]: found.of(contest.id, name, "time") for contest in group
        }
        for name in series
    }
    return {
        "table": table["name"],
        "title": title,
        "operation": group[0].operation,
        "x": table["x"],
        "unit": "ns",
        "baseline": base,
        "series": series,
        "crossovers": [
            one
            for name in series
            if name != base and base in by_size
            for one in crossover.sentences(name, by_size[name], base, by_size[base])
        ],
        "change_points": {
            name: change
            for name in series
            if (change := crossover.change(by_size[name])) is not None
        },
    }


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
            name: row.raw["time"]
            for name, row in rows.items()
            if "time" in row.raw and name != AGAIN
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
    """Return who accepted and rejected what, from the samples that looked at it.

    `columns`, `metrics` (a count for each contender) and `files` (an outcome for each).
    """
    looked = {
        one["contender"]: one["conformance"]
        for one in found.all
        if one.get("conformance")
    }
    if not looked:
        return {}
    first = next(iter(looked.values()))
    return {
        "columns": list(looked),
        "metrics": [
            {
                "name": name,
                "values": {who: one["metrics"][name] for who, one in looked.items()},
            }
            for name in first["metrics"]
        ],
        "files": [
            {
                "file": file,
                "expectation": outcome["expectation"],
                "outcomes": {
                    who: one["files"][file]["outcome"] for who, one in looked.items()
                },
            }
            for file, outcome in first["files"].items()
        ],
    }
