"""The figures over a range: size curves, box plots, drift, and the conformance matrix.

Separate from `figures` because these are single drawings, each made twice: for desktops
and for phones. Series differ by shape as well as colour; where points were left out to
keep the page small, the caption says how many.
"""

from __future__ import annotations

import itertools
import math
import statistics
from typing import TYPE_CHECKING

from snooze_lab.model import AGAIN
from snooze_lab.report import rows, theme, words
from snooze_lab.report.parts import Figure, Panel
from snooze_lab.report.plot import ROW, Axis, Plot, spread

if TYPE_CHECKING:
    from collections.abc import Sequence

    from snooze_lab.model import Noise
    from snooze_lab.stored.results_types import (
        Conformance,
        Curve,
        Drift,
        Judged,
        Line,
        Run,
        Table,
    )

#: The drift plot shows at most this many samples, evenly spaced.
SAMPLES = 1200
#: Width of the names at the right end of a curve.
_NAMES = 92.0
#: Role of each outcome of a file of the conformance suite, by its label.
OUTCOMES = {
    "as the standard says": "band",
    "invalid text accepted": "s1",
    "valid text rejected": "s3",
    "wrong value": "s4",
    "crashed": "ink",
    "free choice: accepted": "s6",
    "free choice: rejected": "p4",
    "not run": "page",
}
#: The label of what a library did with a file, by what the suite expects.
_LABELS = {
    ("y", "accepted"): "as the standard says",
    ("y", "rejected"): "valid text rejected",
    ("n", "rejected"): "as the standard says",
    ("n", "accepted"): "invalid text accepted",
    ("i", "accepted"): "free choice: accepted",
    ("i", "rejected"): "free choice: rejected",
}
_GROUPS = {"y": "valid", "n": "invalid", "i": "free"}


def curve(run: Run, study: str, at: int, found: Curve, data_name: str) -> Figure | None:
    """Return a size curve with its crossovers and its change point."""
    series = {
        name: [one for one in points if one.x > 0 and one.value > 0]
        for name, points in found.series.items()
    }
    series = {name: points for name, points in series.items() if points}
    if not series:
        return None
    every = [one for points in series.values() for one in points]
    # An interval may reach below zero, which a log axis cannot show: it is clipped.
    ends = [
        end
        for one in every
        for end in (one.value, one.high, max(one.low, one.value / 3))
    ]
    up = Axis.scaled(ends, found.unit, statistics.median(one.value for one in every))
    across = Axis.over([one.x for one in every], f"{found.x}, log scale")
    said = " ".join(
        one.sentence for one in (*found.crossovers, found.change_point) if one
    )

    def make(width: float, kind: str) -> str:
        plot = Plot(across, up, width=width, height=330, right=_NAMES)
        for mark in found.marks:
            plot.band(mark.low or across.low, mark.high or across.high)
        for mark in found.marks:
            plot.rule(mark.x or across.low)
        styles = theme.styles(list(series))
        for name, points in series.items():
            colour, shape = styles[name]
            places = [(plot.x(one.x), plot.y(one.value)) for one in points]
            plot.canvas.line(places, colour, width=1.5)
            for one, (x, y) in zip(points, places, strict=True):
                span = [(x, plot.y(one.low)), (x, plot.y(one.high))]
                plot.canvas.line(span, colour, width=1.5)
                plot.canvas.mark(shape, x, y, 3.8, colour)
        _names(plot, {name: points[-1].value for name, points in series.items()})
        return plot.svg(f"{found.title}. {said} {_ends(found)}", kind=kind)

    grey = (
        " Grey: where curves cross or bend, as 95 % intervals." if found.marks else ""
    )
    return Figure(
        name=words.slug(study, "curve", str(at), found.title),
        title=found.title,
        caption="Both axes are logarithmic; lines at the points are 95 % intervals. "
        f"Lower is better.{grey} {said}".strip(),
        panels=(Panel.both(make),),
        data=data_name,
        command=words.again(run, study),
    )


def _names(plot: Plot, last: dict[str, float]) -> None:
    """Write the name of each series at its end, moved apart where they would touch."""
    wanted = [plot.y(value) for value in last.values()]
    places = spread(wanted, 13.5, 8, plot.bottom)
    styles = theme.styles(list(last))
    for name, y in zip(last, places, strict=True):
        colour, shape = styles[name]
        x = plot.right + 9
        plot.canvas.mark(shape, x, y, 3.8, colour)
        plot.canvas.text(x + 8, y + 4, name, colour, bold=colour == "ours")


def _ends(found: Curve) -> str:
    said = [
        f"{name}: {words.quantity(points[0].value, found.unit)} at "
        f"{words.digits(points[0].x)}, {words.quantity(points[-1].value, found.unit)} "
        f"at {words.digits(points[-1].x)} {found.x}"
        for name, points in found.series.items()
        if points
    ]
    return "; ".join(said) + "."


def _quartiles(values: Sequence[float]) -> tuple[float, float, float]:
    """Return the quartiles of sorted values; one value is all three."""
    if len(values) == 1:
        return values[0], values[0], values[0]
    low, mid, high = statistics.quantiles(values, n=4, method="inclusive")
    return low, mid, high


def box(
    run: Run, study: str, table: Table, line: Line, data_name: str
) -> Figure | None:
    """Return box plots: quartiles, whiskers to 1.5 times their distance, the rest."""
    boxes, said, every = [], [], []
    for name, cell in line.cells.items():
        raw = cell.raw.get("time") or cell.raw.get("round") or ()
        values = sorted(v for v in raw if v > 0)
        if name == AGAIN or not values:
            continue
        low, mid, high = _quartiles(values)
        reach = 1.5 * (high - low)
        inner = [v for v in values if low - reach <= v <= high + reach]
        outside = tuple(v for v in values if not inner[0] <= v <= inner[-1])
        ends = (inner[0], low, mid, high, inner[-1])
        boxes.append(rows.Box(name, *ends, outside, rows.role(name)))
        said.append(f"{name} median {words.quantity(mid, 'ns')}, n {len(values)}")
        every += values
    if not boxes:
        return None
    title = f"{table.title}: {line.document}"
    across = Axis.scaled(every, "ns", statistics.median(every))
    alternative = f"{title}: {'; '.join(said)}."
    return Figure(
        name=words.slug(study, "box", title),
        title=title,
        caption="Boxes hold the middle half of the samples, the thick mark is the "
        "median, whiskers reach to 1.5 times the box, crosses lie beyond. Left is "
        "better.",
        panels=(Panel.both(rows.boxes(boxes, across, alternative)),),
        data=data_name,
        command=words.again(run, study),
    )


def drift(
    run: str, found: Sequence[Drift], noise: Noise, data_name: str
) -> Figure | None:
    """Return samples relative to their cell's median, against time and order."""
    if not found:
        return None
    ordered = sorted(found, key=lambda one: (one.t, one.position))
    step = math.ceil(len(ordered) / SAMPLES)
    start = ordered[0].t
    taken = ordered[::step]
    values = [min(max(one.relative, 0.5), 2.0) for one in taken]
    ends = min(*values, 0.9) / 1.02, max(*values, 1.1) * 1.02
    up = Axis(*ends, "relative to its cell's median")
    minutes = zip([(one.t - start) / 60 for one in taken], values, strict=True)
    places = zip([float(one.position) for one in taken], values, strict=True)
    said = f"over the run the samples moved by {_trend(ordered) * 100:+.1f} %"
    nth = {2: "second", 3: "third"}.get(step, f"{step}th")
    left = f" Every {nth} of {len(ordered):,} samples is shown." if step > 1 else ""
    return Figure(
        name="drift-samples",
        title="Drift: did the machine change during the run?",
        caption="Each dot is a process's median relative to the median of its cell; "
        f"the line is a running median, the band the A/A noise. Fitted, {said}. Values "
        f"beyond half and twice lie on the border.{left}",
        panels=(
            _drifted([*minutes], "minutes since the start", up, noise, "Against time"),
            _drifted([*places], "position in the block", up, noise, "Against position"),
        ),
        data=data_name,
        command=f"snooze-lab report {run}",
    )


def _drifted(
    points: list[tuple[float, float]], title: str, up: Axis, noise: Noise, heading: str
) -> Panel:
    low, high = min(x for x, _ in points), max(x for x, _ in points)
    across = Axis(low, max(high, low + 1), title, log=False)
    whole = all(x == round(x) for x, _ in points)

    def make(width: float, kind: str) -> str:
        plot = Plot(across, up, width=width, height=220, whole=whole)
        floor = 1 + noise.floor
        plot.band_up(1 / floor, floor)
        for x, value in points:
            plot.canvas.mark("square", plot.x(x), plot.y(value), 1.3, "s5")
        middle = [(plot.x(x), plot.y(value)) for x, value in _running(points)]
        plot.canvas.line(middle, "bad", width=2)
        return plot.svg(f"{heading}: {len(points)} samples.", kind=kind)

    return Panel.both(make, heading)


def _trend(found: Sequence[Drift]) -> float:
    """Return by what share the samples moved from first to last, by least squares."""
    at = [one.t for one in found]
    if len(set(at)) < 2:
        return 0.0
    fitted = statistics.linear_regression(at, [math.log(one.relative) for one in found])
    return math.exp(fitted.slope * (max(at) - min(at))) - 1


def _running(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return medians over some twenty equal parts of the range."""
    low = min(x for x, _ in points)
    width = (max(x for x, _ in points) - low) or 1

    def part(point: tuple[float, float]) -> int:
        return min(int((point[0] - low) / width * 20), 19)

    parts = (held for _, held in itertools.groupby(sorted(points), part))
    columns = (zip(*held, strict=True) for held in parts)
    return [(statistics.median(xs), statistics.median(ys)) for xs, ys in columns]


def _label(one: Judged, who: str) -> str:
    """Return the label in OUTCOMES of what a library did with a file."""
    found = one.outcomes.get(who, "absent")
    if found in OUTCOMES:
        return found
    return _LABELS.get((one.expectation, found), "not run")


def conformance(found: Conformance, data_name: str) -> Figure | None:
    """Return the matrix of files by contender, files of a kind together.

    Neighbours with the same outcome join into one bar, which keeps the page small.
    """
    if not found.files or not found.columns:
        return None
    order = list(_GROUPS)
    files = sorted(
        found.files, key=lambda one: (order.index(one.expectation), one.file)
    )
    counts = [sum(one.expectation == kind for one in files) for kind in order]
    labels = {name: [_label(one, name) for one in files] for name in found.columns}
    present = {label for held in labels.values() for label in held}
    legend = [(one, OUTCOMES[one], "square") for one in OUTCOMES if one in present]
    said = "; ".join(
        f"{one.name}: {', '.join(f'{who} {n}' for who, n in one.values.items())}"
        for one in found.metrics
    )

    def make(width: float, kind: str) -> str:
        across = Axis(0, len(files), log=False)
        plot = Plot(across, found.columns, width=width, top=20, bare=True)
        for name, held in labels.items():
            y, start = plot.row(name) - (ROW - 7) / 2, 0
            for label, same in itertools.groupby(held):
                end = start + len(list(same))
                x = plot.x(start)
                plot.canvas.rect(x, y, plot.x(end) - x, ROW - 7, OUTCOMES[label])
                start = end
        edge = 0
        for group, count in zip(_GROUPS.values(), counts, strict=True):
            if count:
                middle = plot.x(edge + count / 2)
                plot.canvas.text(middle, 14, group, "muted", anchor="middle")
            edge += count
            if 0 < edge < len(files):
                plot.rule(edge, dash="", role="ink")
        plot.legend(legend)
        return plot.svg(said or "The table below says the same.", kind=kind)

    return Figure(
        name="conformance-matrix",
        title=f"{len(files)} test documents, and what each library does with them",
        caption=f"Each thin column is a document: {counts[0]} valid, {counts[1]} "
        f"invalid, and {counts[2]} where the standard leaves the choice. Documents of "
        "the suite that every library treats rightly may be left out. Everything that "
        "differs is listed by name below.",
        panels=(Panel.both(make),),
        data=data_name,
        command="snooze-lab run --only conformance",
    )
