"""The two figures of the first screen: libraries by speed, and formats.

Separate because they sum up the run, where the other figures show one table each. Every
mean has its interval, and the noise of the run is shaded.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from snooze_lab.model import REFERENCE, STANDARD
from snooze_lab.report import rows, theme, words
from snooze_lab.report.parts import Figure, Panel
from snooze_lab.report.plot import Axis, Plot
from snooze_lab.report.theme import FONT, text_width
from snooze_lab.units import counted

if TYPE_CHECKING:
    from snooze_lab.report.parts import Drawing
    from snooze_lab.stored.results_types import FormatPoint, Mean, Ranking, Results

WIDE = 560
#: Heights of the figure of formats: low beside the ranking, so that the advice below it
#: is on the first screen of 1280 by 800 pixels, and high on a phone.
_LOW, _TALL = 200.0, 300.0
#: The largest radius of its dots.
_LARGEST = 9.0
_READING, _WRITING = "p2", "p3"


def ranking(results: Results) -> Figure | None:
    """Return libraries by speed: reading and writing relative to the reference."""
    found = results.answer.ranking
    if found is None:
        return None
    floor = 1 + results.noise.floor
    means = [one for row in found.rows for one in (row.reading, row.writing) if one]
    values = [end for one in means for end in (one.low, one.high)]
    title = f"{words.BY} {found.reference}'s speed, log scale; right is faster"
    across = Axis.over([*values, floor, 1 / floor], title, suffix=words.BY)
    held = [
        rows.Row(
            row.name,
            tuple(
                rows.Dot(one.value, one.low, one.high, shape=shape, role=colour)
                for one, colour, shape in (
                    (row.reading, _READING, "circle"),
                    (row.writing, _WRITING, "diamond"),
                )
                if one
            ),
            aside=tuple(
                words.digits(one.value) if one else words.NONE
                for one in (row.reading, row.writing)
            ),
        )
        for row in found.rows
    ]
    drawing = rows.dots(
        held,
        across,
        _said(found),
        band=(1 / floor, floor),
        at=1.0,
        legend=(
            ("reading (left number)", _READING, "circle"),
            ("writing (right)", _WRITING, "diamond"),
        ),
    )
    counts = dict.fromkeys(
        counted(len(one), "document") for one in found.documents.values() if one
    )
    left = ""
    if found.left_out:
        left = f" Without {words.listed(found.left_out)}: not on every document."
    return Figure(
        name="ranking",
        title="JSON libraries by speed",
        caption=f"Geometric means over {' and '.join(counts)}, "
        f"with 95 % intervals; the grey band is the noise of this run.{left}",
        panels=(Panel.both(drawing, wide=WIDE),),
    )


def _said(found: Ranking) -> str:
    def side(mean: Mean | None) -> str:
        return words.digits(mean.value) if mean else "not measured"

    each = "; ".join(
        f"{row.name} reading {side(row.reading)}, writing {side(row.writing)}"
        for row in found.rows
    )
    return f"Speed relative to {found.reference}: {each}."


def formats(results: Results) -> Figure | None:
    """Return formats: bytes against time, a dot for each size of document."""
    points = _shown(results.answer.formats)
    if not any(one.format != "json" for one in points):
        return None
    times = [one.time for one in points]
    title = "time of writing and reading, fastest JSON = 1"
    across = Axis.over(times, title, suffix=words.BY)
    sizes = [one.size for one in points]
    # More room above, for the names of what is largest.
    room = (max(sizes) - min(sizes)) * 0.12 or 0.1
    ends = max(min(sizes) - room, 0), max(sizes) + 1.6 * room
    up = Axis(*ends, "bytes, JSON = 1", log=False)
    documents = counted(len({one.workload for one in points}), "document")
    return Figure(
        name="formats",
        title="Formats: time and size",
        caption=f"Left is faster, lower is smaller. {documents}: the larger the dot, "
        "the larger the document.",
        panels=(Panel.both(_scatter(points, across, up), wide=WIDE),),
        data="formats.csv",
    )


def _shown(points: tuple[FormatPoint, ...]) -> tuple[FormatPoint, ...]:
    """Return the points to draw: of JSON the fastest library and the usual two.

    All libraries write JSON of the same size, so more of them would hide each other.
    """
    usual = {REFERENCE, STANDARD, *(one.name for one in points if one.time == 1.0)}
    return tuple(one for one in points if one.format != "json" or one.name in usual)


def _scatter(points: tuple[FormatPoint, ...], across: Axis, up: Axis) -> Drawing:
    least = min(one.bytes for one in points)
    most = max(one.bytes for one in points)
    names = list(dict.fromkeys(one.name for one in points))
    styles = theme.styles(names)
    said = "; ".join(
        f"{one.name}, {words.quantity(one.bytes, 'B')}: time {words.digits(one.time)}, "
        f"bytes {words.digits(one.size)}"
        for one in points
    )

    def radius(one: FormatPoint) -> float:
        share = math.log(one.bytes / least) / (math.log(most / least) or 1.0)
        return 3.0 + (_LARGEST - 3.0) * share

    def draw(width: float, kind: str) -> str:
        height = _TALL if kind == "narrow" else _LOW
        plot = Plot(across, up, width=width, height=height, right=14)
        # Large dots first, so that they hide no small ones.
        for one in sorted(points, key=lambda one: -one.bytes):
            colour, shape = styles[one.name]
            place = (plot.x(one.time), plot.y(one.size))
            plot.canvas.mark(shape, *place, radius(one), colour, hollow=True)
        taken = [
            (plot.x(one.time) - size, plot.y(one.size) + 4, 2 * size)
            for one in points
            for size in [radius(one) + 1]
        ]
        for name in names:
            _label(plot, name, [one for one in points if one.name == name], taken)
        text = f"Formats relative to the fastest JSON library: {said}."
        return plot.svg(text, kind=kind)

    return draw


def _label(
    plot: Plot,
    name: str,
    points: list[FormatPoint],
    taken: list[tuple[float, float, float]],
) -> None:
    """Write a name beside one of its dots, where no other name is."""
    colour, _ = theme.style(name)
    width = text_width(name, bold=colour == "ours")
    candidates = []
    for one in sorted(points, key=lambda one: -one.bytes):
        x, y = plot.x(one.time), plot.y(one.size)
        candidates += [(x + 16, y + 4), (x - 16 - width, y + 4)]
        # Above and below, as far in the middle as the edges allow.
        middle = min(max(x - width / 2, plot.left + 2), plot.right + 14 - width)
        candidates += [(middle, y + by) for by in (-13, 22)]
        # Then beginning or ending at the dot, before it is far from any.
        candidates += [(x + at, y + by) for by in (-13, 22) for at in (-4, 4 - width)]
        candidates += [(middle, y + by) for by in (36, -27, 50, 64)]
    candidates = [
        (x, y)
        for x, y in candidates
        if plot.left <= x and x + width <= plot.right + 14 and 10 < y < plot.bottom
    ]
    free = [
        (x, y)
        for x, y in candidates
        if all(
            abs(y - other) > FONT + 1 or x > start + wide + 4 or x + width + 4 < start
            for start, other, wide in taken
        )
    ]
    for x, y in (free or candidates)[:1]:
        taken.append((x, y, width))
        plot.canvas.text(x, y, name, colour, bold=colour == "ours")
