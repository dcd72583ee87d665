"""Drawings with a row for each contender: dots with intervals, boxes, stacked bars.

Separate because most figures have this form. A contender without a value keeps its row
and says why; colour alone never carries information, since each row is named.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from snooze_lab.model import OURS
from snooze_lab.report.plot import ROW, Axis, Plot
from snooze_lab.units import scale

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from snooze_lab.report.parts import Drawing


#: Width of a text right of the plot.
_ASIDE = 39.0
#: A part of a bar: its value, label and role.
Piece = tuple[float, str, str]


@dataclass(frozen=True)
class Dot:
    """A value and its interval; a hollow dot decides nothing.

    `below` draws it smaller and lower: a second instrument of the same row.
    """

    value: float
    low: float
    high: float
    hollow: bool = False
    shape: str = "circle"
    role: str = ""
    below: bool = False


@dataclass(frozen=True)
class Row:
    """The marks of one contender; `note` says why there are none."""

    name: str
    dots: tuple[Dot, ...] = ()
    samples: tuple[float, ...] = ()
    note: str = ""
    #: Texts right of the plot.
    aside: tuple[str, ...] = ()


@dataclass(frozen=True)
class Box:
    """A box plot: the ends of the whiskers, the quartiles, and what lies beyond."""

    name: str
    low: float
    q1: float
    median: float
    q3: float
    high: float
    outside: tuple[float, ...] = ()
    role: str = "s5"


def role(name: str) -> str:
    """Return a contender's role where rows are named and colour only emphasises."""
    return "ours" if name == OURS else "s5"


def dots(  # noqa: PLR0913 - the parts of the figure
    rows: Sequence[Row],
    across: Axis,
    alternative: str,
    *,
    band: tuple[float, float] | None = None,
    at: float | None = None,
    legend: Sequence[tuple[str, str, str]] = (),
) -> Drawing:
    """Return dots with intervals, over ticks for single samples.

    `band` is shaded, `at` is marked.
    """
    aside = _ASIDE * max(len(row.aside) for row in rows)

    def draw(width: float, kind: str) -> str:
        plot = Plot(across, [row.name for row in rows], width=width, right=8 + aside)
        if band:
            plot.band(*band)
        if at is not None:
            plot.rule(at)
        for row in rows:
            y = plot.row(row.name)
            for value in row.samples:
                x = plot.x(value)
                plot.canvas.line([(x, y - 7), (x, y + 7)], "soft")
        for row in rows:
            _marks(plot, row)
        if legend:
            plot.legend(legend)
        return plot.svg(alternative, kind=kind)

    return draw


def _marks(plot: Plot, row: Row) -> None:
    """Draw the dots of a row, or why there are none, and the texts beside it."""
    y = plot.row(row.name)
    if row.note:
        plot.note(row.name, row.note)
    for dot in row.dots:
        _dot(plot, dot, y, dot.role or role(row.name))
    for place, text in enumerate(row.aside):
        plot.canvas.text(plot.right + 8 + place * _ASIDE, y + 4, text)


def _dot(plot: Plot, dot: Dot, y: float, colour: str) -> None:
    y += 7 if dot.below else 0
    ends = [(plot.x(dot.low), y), (plot.x(dot.high), y)]
    plot.canvas.line(ends, colour, width=1 if dot.below else 2)
    shape = "diamond" if dot.below else dot.shape
    radius = 2.6 if dot.below else 4.0
    plot.canvas.mark(shape, plot.x(dot.value), y, radius, colour, hollow=dot.hollow)


def boxes(found: Sequence[Box], across: Axis, alternative: str) -> Drawing:
    """Return box plots, one below the other."""

    def draw(width: float, kind: str) -> str:
        plot = Plot(across, [one.name for one in found], width=width)
        canvas, x = plot.canvas, plot.x
        for one in found:
            y = plot.row(one.name)
            canvas.line([(x(one.low), y), (x(one.high), y)], one.role, width=1.5)
            left = x(one.q1)
            canvas.rect(left, y - 5.5, max(x(one.q3) - left, 1), 11, "page", one.role)
            middle = x(one.median)
            canvas.line([(middle, y - 6), (middle, y + 6)], one.role, width=3)
            for value in one.outside:
                canvas.mark("cross", x(value), y, 2.4, "muted")
        return plot.svg(alternative, kind=kind)

    return draw


def bars(
    found: Mapping[str, Sequence[Piece]], unit: str, alternative: str, what: str = ""
) -> Drawing:
    """Return stacked bars of pieces in a unit, for each name; `what` they show."""
    most = max(sum(value for value, _, _ in pieces) for pieces in found.values())
    divisor, name = scale(unit, most)
    end = most / divisor * 1.02 or 1.0
    across = Axis(0.0, end, name + what, log=False, divisor=divisor)

    def draw(width: float, kind: str) -> str:
        plot = Plot(across, list(found), width=width)
        labels: dict[str, str] = {}
        for name, pieces in found.items():
            start = 0.0
            for value, label, colour in pieces:
                x = plot.x(start)
                start += max(value, 0.0)
                wide = max(plot.x(start) - x - 0.7, 0)
                y = plot.row(name) - (ROW - 7) / 2
                plot.canvas.rect(x, y, wide, ROW - 7, colour)
                labels[label] = colour
        plot.legend([(label, colour, "square") for label, colour in labels.items()])
        return plot.svg(alternative, kind=kind)

    return draw
