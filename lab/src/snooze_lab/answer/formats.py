"""Formats against each other: time and bytes of the same documents.

Separate because a format is more than its time: a figure shows both. Invariants: time
is that of writing and reading together, and of one table's instrument; every point is
relative to the fastest JSON library on the same document; the contenders of a document
have all been verified on it. Used by answer.of.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from snooze_lab.answer.means import format_of, mean_of, rows
from snooze_lab.model import AGAIN
from snooze_lab.results_types import FormatPoint, Mean
from snooze_lab.units import digits

if TYPE_CHECKING:
    from collections.abc import Sequence

#: Formats that are no format to store: floors of other figures.
_LEFT_OUT = {"floor"}


def of(results: dict[str, Any]) -> list[FormatPoint]:
    """Return a point for each contender on each document."""
    found = []
    for workload, sides in _documents(results).items():
        found += _points(workload, *sides)
    return found


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
) -> list[FormatPoint]:
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
            FormatPoint(
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


def totals(points: Sequence[FormatPoint]) -> dict[str, tuple[Mean, float]]:
    """Return time and size of each contender of every document, as geometric means."""
    workloads = {one.workload for one in points}
    by: dict[str, list[FormatPoint]] = {}
    for one in points:
        by.setdefault(one.name, []).append(one)
    found = {}
    for name, held in by.items():
        if len(held) != len(workloads):
            continue
        times = [{"ratio": one.time, "low": one.low, "high": one.high} for one in held]
        size = math.exp(math.fsum(math.log(one.size) for one in held) / len(held))
        found[name] = (mean_of(times), size)
    return found


def sentence(points: Sequence[FormatPoint]) -> str:
    """Return the fastest and the smallest format against the fastest JSON library."""
    found = totals(points)
    others = {name: one for name, one in found.items() if format_of(name) != "json"}
    json = {name: one for name, one in found.items() if format_of(name) == "json"}
    if not others or not json:
        return "not measured in this run."
    best = min(json, key=lambda name: json[name][0].value)
    quick = min(others, key=lambda name: others[name][0].value)
    small = min(others, key=lambda name: others[name][1])
    count = len({one.workload for one in points})
    text = f"{_said(quick, others)} of JSON by {best}"
    if small != quick:
        text += f"; the smallest, {_said(small, others)}"
    documents = "1 document" if count == 1 else f"{count} documents"
    return f"the fastest beside JSON, {text} (writing and reading, {documents})."


def _said(name: str, found: dict[str, tuple[Mean, float]]) -> str:
    time, size = found[name]
    return f"{name}, takes {time} times the time and {digits(size)} of the bytes"
