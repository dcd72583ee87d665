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
from snooze_lab.stored.results_types import FormatPoint
from snooze_lab.units import counted, digits

if TYPE_CHECKING:
    from collections.abc import Sequence

    from snooze_lab.model import Estimate, Row
    from snooze_lab.stored.results_types import Line, Mean, Results

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
        if (total := _both(reading.cells.get(name), writing.cells[name]))
    }
    rivals = [name for name in found if format_of(name) == "json"]
    if not rivals:
        return []
    best = min(rivals, key=lambda name: found[name].time)
    least = found[best]

    def point(name: str, one: _Both) -> FormatPoint:
        # Both sides of the ratio vary; a library against itself does not.
        wide = math.exp(math.hypot(one.half, least.half)) if name != best else 1.0
        time = one.time / least.time
        return FormatPoint(
            name=name,
            format=format_of(name),
            workload=workload,
            bytes=round(least.size),
            time=time,
            low=time / wide,
            high=time * wide,
            size=one.size / least.size,
        )

    return [point(name, one) for name, one in found.items()]


class _Both(NamedTuple):
    """Reading and writing: ns, half the interval as a logarithm, bytes written."""

    time: float
    half: float
    size: float


def _both(reading: Row | None, writing: Row) -> _Both | None:
    """Add both operations up; None if one was not measured, or there is no size."""
    size = writing.quantities.get("size")
    total = square = 0.0
    for cell in (reading, writing):
        time = cell.time if cell and cell.status == "ok" else None
        if cell is None or time is None or time.value <= 0:
            return None
        total += time.value
        square += (_half(cell, time) * time.value) ** 2
    return _Both(total, math.sqrt(square) / total, size.value) if size else None


def _half(cell: Row, time: Estimate) -> float:
    """Return half the interval of a cell's ratio, or of its time, as a share."""
    effect = cell.ratio("time")
    if effect:
        return math.log(effect.high / effect.low) / 2
    return (time.high - time.low) / 2 / time.value


class Total(NamedTuple):
    """Geometric means of a contender over all documents, relative to JSON."""

    name: str
    time: Mean
    size: float

    def __str__(self) -> str:
        """Return both in words."""
        return f"takes {self.time} times the time and {digits(self.size)} of the bytes"


def totals(points: Sequence[FormatPoint]) -> list[Total]:
    """Return the contenders that have all documents."""
    workloads = {one.workload for one in points}
    by: dict[str, list[FormatPoint]] = {}
    for one in points:
        by.setdefault(one.name, []).append(one)
    return [
        Total(
            name,
            mean_of([(one.time, one.low, one.high) for one in held]),
            statistics.geometric_mean(one.size for one in held),
        )
        for name, held in by.items()
        if len(held) == len(workloads)
    ]


def apart(found: Sequence[Total]) -> tuple[list[Total], list[Total]]:
    """Return those of JSON, and those of other formats."""
    json = [one for one in found if format_of(one.name) == "json"]
    return json, [one for one in found if one not in json]


def fastest(found: Sequence[Total]) -> Total:
    """Return the one that takes the least time."""
    return min(found, key=lambda one: one.time.value)


def smallest(found: Sequence[Total]) -> Total:
    """Return the one that takes the fewest bytes."""
    return min(found, key=lambda one: one.size)


def sentence(points: Sequence[FormatPoint]) -> str:
    """Return the fastest and the smallest format against the fastest JSON library."""
    json, others = apart(totals(points))
    if not others or not json:
        return "not measured in this run."
    quick, small = fastest(others), smallest(others)
    text = f"{quick.name}, {quick} of JSON by {fastest(json).name}"
    if small != quick:
        text += f"; the smallest, {small.name}, {small}"
    documents = counted(len({one.workload for one in points}), "document")
    return f"the fastest beside JSON, {text} (writing and reading, {documents})."
