"""Formats against each other: time and bytes of the same documents.

Separate because a format is more than its time, which is that of writing and reading
together. Every point is relative to the fastest JSON library on the same document.
"""

from __future__ import annotations

import math
import statistics
from typing import TYPE_CHECKING, NamedTuple

from snooze_lab.answer.ranking import format_of, mean_of
from snooze_lab.model import AGAIN
from snooze_lab.stored.results_types import FormatPoint, Mean
from snooze_lab.units import digits

if TYPE_CHECKING:
    from collections.abc import Sequence

    from snooze_lab.model import Estimate, Row
    from snooze_lab.stored.results_types import Line, Results

#: Formats that are no format to store: floors of other figures.
_LEFT_OUT = {"floor"}


def of(results: Results) -> list[FormatPoint]:
    """Return a point for each contender on each document."""
    return [
        point
        for workload, (reading, writing) in _documents(results).items()
        for point in _points(workload, reading, writing)
    ]


def _documents(results: Results) -> dict[str, tuple[Line, Line]]:
    """Return the rows of reading and of writing of documents with several formats."""
    sides: dict[str, dict[str, Line]] = {}
    for line in results.lines("loads", "dumps"):
        right = [name for name, cell in line.cells.items() if cell.status == "ok"]
        formats = {*map(format_of, right)} - _LEFT_OUT
        if not line.factors and len(formats) > 1 and "json" in formats:
            sides.setdefault(line.workload, {}).setdefault(line.operation, line)
    return {
        workload: (held["loads"], held["dumps"])
        for workload, held in sides.items()
        if len(held) == 2
    }


def _points(workload: str, reading: Line, writing: Line) -> list[FormatPoint]:
    found = {
        name: total
        for name in writing.cells
        if name != AGAIN and format_of(name) not in _LEFT_OUT
        if (total := _total(reading.cells.get(name), writing.cells[name]))
    }
    rivals = [name for name in found if format_of(name) == "json"]
    if not rivals:
        return []
    best = min(rivals, key=lambda name: found[name].time)
    least = found[best]
    made = []
    for name, one in found.items():
        # Both sides of the ratio vary; a library against itself does not.
        wide = math.exp(math.hypot(one.half, least.half)) if name != best else 1.0
        time = one.time / least.time
        point = FormatPoint(
            name=name,
            format=format_of(name),
            workload=workload,
            bytes=round(least.size),
            time=time,
            low=time / wide,
            high=time * wide,
            size=one.size / least.size,
        )
        made.append(point)
    return made


class _Total(NamedTuple):
    """Reading and writing: ns, half the interval as a logarithm, bytes written."""

    time: float
    half: float
    size: float


def _total(reading: Row | None, writing: Row) -> _Total | None:
    """Add both operations up; None if one was not measured, or there is no size."""
    size = writing.quantities.get("size")
    total = square = 0.0
    for cell in (reading, writing):
        time = cell.time if cell and cell.status == "ok" else None
        if cell is None or time is None or time.value <= 0:
            return None
        total += time.value
        square += (_half(cell, time) * time.value) ** 2
    return _Total(total, math.sqrt(square) / total, size.value) if size else None


def _half(cell: Row, time: Estimate) -> float:
    """Return half the interval of a cell's ratio, or of its time, as a share."""
    effect = cell.ratio("time")
    if effect:
        return math.log(effect.high / effect.low) / 2
    return (time.high - time.low) / 2 / time.value


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
        times = [(one.time, one.low, one.high) for one in held]
        size = statistics.geometric_mean(one.size for one in held)
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
