"""The seven figures of the seed's energy study, as data to draw.

Separate from summary.py, which holds the findings: this is the data of the figures,
thinned to what is visible. Invariants: boxes hold all runs (outliers are named in
`outside`, never deleted); a figure that must not be trusted carries its reason in
`withdrawn`; the schema is summary.py's.
"""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING, Any

import numpy as np

from snooze_lab.energy import study

if TYPE_CHECKING:
    from collections.abc import Sequence

#: Units of the metrics of a run.
UNITS = {
    "duration": "s",
    "package": "J",
    "net": "J",
    "power": "W",
    "per_operation": "J/operation",
    "net_per_operation": "J/operation",
    "cores": "J",
    "core0": "J",
    "idle": "W",
    "busy": "cores",
    "peak_memory": "B",
}
#: Points of a series that are drawn.
POINTS = 80


def spread(values: Sequence[float]) -> dict[str, float]:
    """Return n, mean, standard deviation and five quantiles of a metric."""
    low, median, high = (float(q) for q in np.percentile(values, [25, 50, 75]))
    return {
        "n": len(values),
        "mean": statistics.fmean(values),
        "sd": statistics.stdev(values) if len(values) > 1 else 0.0,
        "min": min(values),
        "q1": low,
        "median": median,
        "q3": high,
        "max": max(values),
    }


def _box(values: Sequence[float]) -> dict[str, Any]:
    low, median, high = (float(q) for q in np.percentile(values, [25, 50, 75]))
    reach = 1.5 * (high - low)
    inside = [v for v in values if low - reach <= v <= high + reach]
    return {
        "low": min(inside),
        "q1": low,
        "median": median,
        "q3": high,
        "high": max(inside),
        "outside": [v for v in values if not low - reach <= v <= high + reach],
    }


def _thin(places: int, wanted: int = POINTS) -> list[int]:
    """Return the points to draw, at most `places`, including the first and the last."""
    if places <= wanted:
        return list(range(places))
    return sorted({round(i * (places - 1) / (wanted - 1)) for i in range(wanted)})


def _cumulative(found: study.Study) -> dict[str, Any]:
    """Return the last trial of each condition that all its subjects have."""
    drawn: dict[str, list[dict[str, Any]]] = {"series": [], "idle": []}
    for condition in found.conditions:
        groups = [found.group(name, condition) for name in found.subjects(condition)]
        common = set.intersection(*({run.trial for run in g.runs} for g in groups))
        if not common:
            continue
        trial = max(common)
        runs = [next(run for run in g.runs if run.trial == trial) for g in groups]
        runs.sort(key=lambda run: run.series.t[0])
        began = runs[0].series.t[0]
        base = runs[0].series.counters["package"][0]
        for run in runs:
            t, joules = run.series.t, run.series.counters["package"]
            watts = run.series.watts()
            drawn["series"].append(
                {
                    "condition": condition,
                    "group": study.group_name(run.subject, run.condition),
                    "trial": trial,
                    "t": [t[i] - began for i in _thin(len(t))],
                    "joules": [joules[i] - base for i in _thin(len(t))],
                    "watts": [
                        [watts[i][0] - began, watts[i][1]] for i in _thin(len(watts))
                    ],
                }
            )
        windows = {
            idle.start: idle
            for run in runs
            for idle in (run.window.before, run.window.after)
            if idle
        }
        for start, idle in sorted(windows.items()):
            before = next(
                (
                    run.series.counters["package"][-1] - base
                    for run in runs
                    if run.series.t[-1] == start
                ),
                -idle.joules,
            )
            drawn["idle"].append(
                {
                    "condition": condition,
                    "t": [start - began, idle.stop - began],
                    "joules": [before, before + idle.joules],
                    "watts": idle.watts,
                }
            )
    return {"title": "Cumulative energy of one trial, idle windows included"} | drawn


def figures(found: study.Study) -> dict[str, Any]:
    """Return the figures of a study by name; see summary.py."""
    refused = next(
        (
            reason
            for group in found.groups.values()
            for run in group.runs
            for name, reason in run.series.refused.items()
            if name == "CORE0_ENERGY"
        ),
        None,
    )
    titles = {
        "duration": "Duration",
        "package": "Energy of the package, gross",
        "core0": "Energy of core 0, as logged",
        "power": "Mean power of the package",
    }
    drawn: dict[str, Any] = {}
    for metric, title in titles.items():
        boxes = {}
        for name, group in found.groups.items():
            known = group.known(metric)
            if known is not None:
                boxes[name] = _box(known)
        drawn[f"{metric}_box"] = {
            "title": title,
            "metric": metric,
            "unit": UNITS[metric],
            "withdrawn": refused if metric == "core0" else None,
            "boxes": boxes,
        }
    drawn["scatter"] = {
        "title": "Energy against duration",
        "x": "duration",
        "y": "package",
        "units": ["s", "J"],
    }
    by_metric = {}
    for metric, unit in UNITS.items():
        every = {n: v for n, g in found.groups.items() if (v := g.known(metric))}
        if every:
            spreads = {name: spread(values) for name, values in every.items()}
            by_metric[metric] = {
                "unit": unit,
                "mean": {name: one["mean"] for name, one in spreads.items()},
                "sd": {name: one["sd"] for name, one in spreads.items()},
            }
    drawn["groups_by_metrics"] = {"title": "All groups", "metrics": by_metric}
    drawn["cumulative"] = _cumulative(found)
    return drawn
