"""Formats against each other: time and bytes of the same documents.

Separate because a format is more than its time: a figure shows both. Invariants: time
is that of writing and reading together, and of one table's instrument; every point is
relative to the fastest JSON library on the same document; the contenders of a document
have all been verified on it. Used by answer.of.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

from snooze_lab.answer.means import Effect, format_of, mean_of, rows
from snooze_lab.model import AGAIN
from snooze_lab.units import digits, ratio

#: Formats that are no format to store: floors of other figures.
_LEFT_OUT = {"floor"}


@dataclass(frozen=True)
class Point:
    """One contender on one document; time and size relative to the fastest JSON.

    `bytes` is the document as JSON. `low` and `high` are the interval of `time`.
    """

    name: str
    format: str
    workload: str
    bytes: int
    time: float
    low: float
    high: float
    size: float


def of(results: dict[str, Any]) -> list[dict[str, Any]]:
    """Return a point for each contender on each document, as plain data."""
    found = []
    for workload, sides in _documents(results).items():
        found += _points(workload, *sides)
    return [asdict(one) for one in found]


def _documents(
    results: dict[str, Any],
) -> dict[str, tuple[dict[str, Any], dict[str, Any]]]:
    """Return the rows of reading and of writing of documents with several formats."""
    sides: dict[str, dict[str, dict[str, Any]]] = {}
    for row in rows(results, "loads", "dumps"):
        formats = {
            format_of(name)
            for name, cell in row["cells"].items()
            if cell["status"] == "ok"
        }
        if not row["factors"] and len(formats - _LEFT_OUT) > 1 and "json" in formats:
            sides.setdefault(row["workload"], {}).setdefault(row["operation"], row)
    return {
        workload: (held["loads"], held["dumps"])
        for workload, held in sides.items()
        if len(held) == 2
    }


def _points(
    workload: str, reading: dict[str, Any], writing: dict[str, Any]
) -> list[Point]:
    totals: dict[str, tuple[float, float]] = {}
    for name in writing["cells"]:
        if name != AGAIN and format_of(name) not in _LEFT_OUT:
            found = _total(name, reading, writing)
            if found:
                totals[name] = found
    rivals = [name for name in totals if format_of(name) == "json"]
    if not rivals:
        return []
    best = min(rivals, key=lambda name: totals[name][0])
    time, doubt = totals[best]
    size = _size(writing["cells"][best])
    made = []
    for name, (total, half) in totals.items():
        # Both sides of the ratio vary; a library against itself does not.
        wide = math.exp(math.hypot(half, doubt)) if name != best else 1.0
        made.append(
            Point(
                name=name,
                format=format_of(name),
                workload=workload,
                bytes=round(size),
                time=total / time,
                low=total / time / wide,
                high=total / time * wide,
                size=_size(writing["cells"][name]) / size,
            )
        )
    return made


def _total(
    name: str, reading: dict[str, Any], writing: dict[str, Any]
) -> tuple[float, float] | None:
    """Return the time of both operations in ns, and half its interval as a logarithm.

    None if one of them was not measured, or there is no size.
    """
    cells = [row["cells"].get(name, {}) for row in (reading, writing)]
    if any(cell.get("status") != "ok" for cell in cells) or not _size(cells[1]):
        return None
    total = square = 0.0
    for cell in cells:
        held = cell["quantities"]
        time = held.get("time") or held.get("round")
        if not time or time["value"] <= 0:
            return None
        total += time["value"]
        square += (_half(cell, time) * time["value"]) ** 2
    return total, math.sqrt(square) / total


def _half(cell: dict[str, Any], time: dict[str, Any]) -> float:
    """Return half the interval of a cell's ratio, or of its time, as a share."""
    for instrument in ("interleaved", "isolated"):
        effect = cell["effects"].get(instrument, {}).get("time")
        if effect:
            return math.log(effect["high"] / effect["low"]) / 2
    return float((time["high"] - time["low"]) / 2 / time["value"])


def _size(cell: dict[str, Any]) -> float:
    return float(cell["quantities"].get("size", {}).get("value", 0))


def totals(points: list[dict[str, Any]]) -> dict[str, tuple[Effect, float]]:
    """Return time and size of each contender of every document, as geometric means.

    The time is an effect (`ratio`, `low`, `high`; above 1 it takes longer).
    """
    workloads = {one["workload"] for one in points}
    by: dict[str, list[dict[str, Any]]] = {}
    for one in points:
        by.setdefault(one["name"], []).append(one)
    found = {}
    for name, held in by.items():
        if len(held) != len(workloads):
            continue
        times = [
            {"ratio": one["time"], "low": one["low"], "high": one["high"]}
            for one in held
        ]
        mean = mean_of(times)
        size = math.exp(math.fsum(math.log(one["size"]) for one in held) / len(held))
        found[name] = (mean.as_json(), size)
    return found


def sentence(points: list[dict[str, Any]]) -> str:
    """Return the fastest and the smallest format against the fastest JSON library."""
    found = totals(points)
    others = {name: one for name, one in found.items() if format_of(name) != "json"}
    json = {name: one for name, one in found.items() if format_of(name) == "json"}
    if not others or not json:
        return "not measured in this run."
    best = min(json, key=lambda name: json[name][0]["value"])
    quick = min(others, key=lambda name: others[name][0]["value"])
    small = min(others, key=lambda name: others[name][1])
    count = len({one["workload"] for one in points})
    text = f"{_said(quick, others)} of JSON by {best}"
    if small != quick:
        text += f"; the smallest, {_said(small, others)}"
    documents = "1 document" if count == 1 else f"{count} documents"
    return f"the fastest beside JSON, {text} (writing and reading, {documents})."


def _said(name: str, found: dict[str, tuple[Effect, float]]) -> str:
    time, size = found[name]
    shown = ratio(time["value"], time["low"], time["high"])
    return f"{name}, takes {shown} times the time and {digits(size)} of the bytes"
