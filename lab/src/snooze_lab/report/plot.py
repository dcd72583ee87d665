"""A plot: axes, and marks placed by their values.

Separate because every figure shares the layout: an axis with round ticks whose labels
do not touch, and upwards either a second axis or one row for each name. A value outside
of an axis is drawn at its edge; no label has an exponent.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from snooze_lab.model import OURS
from snooze_lab.report import words
from snooze_lab.report.theme import FONT, Canvas, text_width
from snooze_lab.units import scale

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

#: Height of a row, in CSS pixels.
ROW = 21
_TOP, _BOTTOM = 6.0, 34.0
#: Least distance between two labels of an axis, and the most labels.
_GAP, _MOST = 9.0, 9
#: Steps of a logarithmic axis within a decade, the finest first.
_LADDERS = (
    (1.0, 1.2, 1.4, 1.6, 1.8, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0),
    (1.0, 1.5, 2.0, 3.0, 5.0, 7.0),
    (1.0, 2.0, 5.0),
    (1.0, 3.0),
    (1.0,),
)


@dataclass(frozen=True)
class Axis:
    """A logarithmic or linear axis with a title.

    `low` and `high` are its ends in the unit of the title, which has `divisor` of the
    unit of the values; `suffix` is written after each label.
    """

    low: float
    high: float
    title: str = ""
    log: bool = True
    suffix: str = ""
    divisor: float = 1.0

    @classmethod
    def over(
        cls,
        values: Iterable[float],
        title: str = "",
        *,
        log: bool = True,
        suffix: str = "",
        divisor: float = 1.0,
    ) -> Axis:
        """Return an axis that holds all values, with some room."""
        found = [value / divisor for value in values if value > 0 or not log]
        if not found:
            return cls(0.5, 2.0, title, log, suffix, divisor)
        low, high = min(found), max(found)
        if log:
            low, high = low / 1.08, high * 1.08
        else:
            room = (high - low) * 0.06 or abs(high) * 0.05 or 1.0
            # A quantity does not become negative to make room.
            low = max(low - room, 0.0) if low >= 0 else low - room
            high += room
        return cls(low, high, title, log, suffix, divisor)

    @classmethod
    def scaled(
        cls, values: Iterable[float], unit: str, like: float, *, log: bool = True
    ) -> Axis:
        """Return such an axis in the unit that suits the value `like`."""
        divisor, name = scale(unit, like)
        title = f"{name}, log scale" if log else name
        return cls.over(values, title, log=log, divisor=divisor)

    def share(self, value: float) -> float:
        """Return where a value lies between the ends, from 0 to 1."""
        low, high, place = self.low, self.high, value / self.divisor
        if self.log:
            low, high, place = map(math.log, (low, high, max(place, low)))
        return min(max((place - low) / (high - low), 0.0), 1.0)

    def label(self, value: float) -> str:
        """Return the label of a tick."""
        return words.tick(value / self.divisor) + self.suffix

    def ticks(self, fits: Callable[[Sequence[float]], bool]) -> list[float]:
        """Return the most round values whose labels fit, two at least if any do."""
        best: list[float] = []
        for values in self._candidates():
            # The label of the last one may not fit between it and the edge.
            for kept in (values, values[:-1]):
                if len(kept) <= _MOST and fits(kept):
                    if len(kept) > 2:
                        return kept
                    best = max(best, kept, key=len)
        return best

    def _candidates(self) -> Iterable[list[float]]:
        if self.log and self.high / self.low > 1.6:
            first = math.floor(math.log10(self.low))
            decades = range(first, math.ceil(math.log10(self.high)) + 1)
            for ladder in _LADDERS:
                yield self._inside(
                    step * 10.0**decade for decade in decades for step in ladder
                )
            for leap in (2, 3):
                yield self._inside(10.0**one for one in decades if one % leap == 0)
        span = self.high - self.low
        start = math.floor(math.log10(span)) - 1
        for power in (start, start + 1):
            for factor in (1, 2, 5):
                step = factor * 10.0**power
                counts = range(
                    math.ceil(self.low / step), math.floor(self.high / step) + 1
                )
                yield self._inside(count * step for count in counts)

    def _inside(self, values: Iterable[float]) -> list[float]:
        rounded = (float(f"{value:.6g}") for value in values)
        inside = (value for value in rounded if self.low <= value <= self.high)
        return [value * self.divisor for value in inside]


class Plot:
    """A drawing of one plot, `width` CSS pixels wide.

    `up` is the axis upwards, or the names of the rows from the top; rows take as much
    height as they need, a plot with two axes has `height`. `bare` leaves out the axis
    across, `whole` its labels that are no whole numbers.
    """

    def __init__(  # noqa: PLR0913 - the parts of a layout
        self,
        across: Axis,
        up: Axis | Sequence[str],
        *,
        width: float,
        height: float = 0.0,
        right: float = 8.0,
        top: float = _TOP,
        bare: bool = False,
        whole: bool = False,
    ) -> None:
        """Draw the axes and the names of the rows."""
        self.canvas = Canvas()
        self.across = across
        self.up = up
        self._width = width
        self._top = top
        self.right = width - right
        if isinstance(up, Axis):
            self.bottom = height - _BOTTOM
            labels = {value: up.label(value) for value in up.ticks(self._stacked)}
            self.left = max(map(text_width, labels.values()), default=0.0) + 24
            self._grid_up(labels, up.title)
        else:
            self.bottom = top + max(len(up), 1) * ROW
            shown = {name: _cut(name, width * 0.36) for name in up}
            widths = [text_width(one, bold=name == OURS) for name, one in shown.items()]
            self.left = max(widths, default=0.0) + 10
            for name, one in shown.items():
                role = "ours" if name == OURS else "ink"
                place = (self.left - 6, self.row(name) + 4)
                self.canvas.text(*place, one, role, anchor="end", bold=name == OURS)
        self._whole = whole
        self._low = self.bottom + (4 if bare else _BOTTOM)
        if not bare:
            self._grid_across()

    def _stacked(self, values: Sequence[float]) -> bool:
        """Tell whether labels upwards have room above each other."""
        places = [self.y(value) for value in values]
        return all(one - after >= FONT + 4 for one, after in itertools.pairwise(places))

    def _beside(self, values: Sequence[float]) -> bool:
        """Tell whether labels have room beside each other."""
        ends = [
            (self.x(value) - half, self.x(value) + half)
            for value in values
            for half in [text_width(self.across.label(value)) / 2]
        ]
        if ends and (ends[0][0] < 0 or ends[-1][1] > self._width):
            return False
        if self._whole and any(value != round(value) for value in values):
            return False
        return all(
            start - end >= _GAP for (_, end), (start, _) in itertools.pairwise(ends)
        )

    def _grid_across(self) -> None:
        for value in self.across.ticks(self._beside):
            x, label = self.x(value), self.across.label(value)
            self.canvas.line([(x, self._top), (x, self.bottom)], "grid")
            self.canvas.text(x, self.bottom + 14, label, "muted", anchor="middle")
        ends = [(self.left, self.bottom), (self.right, self.bottom)]
        self.canvas.line(ends, "edge")
        if self.across.title:
            half = text_width(self.across.title) / 2
            middle = (self.left + self.right) / 2
            middle = max(min(middle, self._width - half), half)
            self.canvas.text(
                middle, self.bottom + 29, self.across.title, "muted", anchor="middle"
            )

    def _grid_up(self, labels: Mapping[float, str], title: str) -> None:
        for value, label in labels.items():
            y = self.y(value)
            self.canvas.line([(self.left, y), (self.right, y)], "grid")
            self.canvas.text(self.left - 5, y + 4, label, "muted", anchor="end")
        middle = (self._top + self.bottom) / 2
        self.canvas.text(10, middle, title, "muted", anchor="middle", turned=True)

    def x(self, value: float) -> float:
        """Return the place of a value across."""
        return self.left + self.across.share(value) * (self.right - self.left)

    def y(self, value: float) -> float:
        """Return the place of a value upwards."""
        if not isinstance(self.up, Axis):
            raise TypeError("this plot has rows: use row(name)")
        return self.bottom - self.up.share(value) * (self.bottom - self._top)

    def row(self, name: str) -> float:
        """Return the middle of a name's row."""
        if isinstance(self.up, Axis):
            raise TypeError("this plot has no rows: use y(value)")
        return self._top + (list(self.up).index(name) + 0.5) * ROW

    def band(self, low: float, high: float) -> None:
        """Shade the values from low to high of the axis across."""
        x = self.x(low)
        height = self.bottom - self._top
        self.canvas.rect(x, self._top, max(self.x(high) - x, 1), height, "band")

    def band_up(self, low: float, high: float) -> None:
        """Shade the values from low to high of the axis upwards."""
        y = self.y(high)
        width = self.right - self.left
        self.canvas.rect(self.left, y, width, max(self.y(low) - y, 1), "band")

    def rule(self, value: float, *, dash: str = "3 3", role: str = "muted") -> None:
        """Draw a line at one value of the axis across."""
        x = self.x(value)
        self.canvas.line([(x, self._top), (x, self.bottom)], role, dash=dash)

    def note(self, name: str, text: str) -> None:
        """Write why a row is empty."""
        y = self.row(name)
        self.canvas.rect(self.left + 2, y - 7, text_width(text) + 4, 14, "page")
        self.canvas.text(self.left + 4, y + 4, text, "muted", italic=True)

    def legend(self, entries: Sequence[tuple[str, str, str]]) -> None:
        """Add a legend below: text, role and shape; long ones take several lines."""
        x, y = self.left, self._low + 6
        if sum(text_width(one) + 28 for one, _, _ in entries) > self._width - x:
            x = 4
        start = x
        for text, role, shape in entries:
            width = text_width(text) + 28
            if x > start and x + width > self._width:
                x, y = start, y + 17
            self.canvas.mark(shape, x + 6, y, 4.5, role)
            self.canvas.text(x + 15, y + 4, text)
            x += width
        self._low = y + 10

    def svg(self, alternative: str, *, kind: str = "") -> str:
        """Return the drawing; `alternative` says in words what it shows."""
        return self.canvas.svg(self._width, self._low, alternative, kind=kind)


def _cut(name: str, room: float) -> str:
    """Return a name, its end cut off where it would take more than `room`."""
    if text_width(name) <= room:
        return name
    while text_width(f"{name}…") > room:
        name = name[:-1]
    return f"{name.rstrip()}…"


def spread(places: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Return places moved apart to at least `gap`, in order, between low and high."""
    order = sorted(range(len(places)), key=places.__getitem__)
    found = list(places)
    before = low - gap
    for at in order:
        found[at] = before = max(found[at], before + gap)
    after = high + gap
    for at in reversed(order):
        found[at] = after = min(found[at], after - gap)
    return found
