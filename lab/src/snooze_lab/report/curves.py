"""The figures over a range: size curves, boxes, drift, and the conformance matrix.

Separate from `figures` because these are single drawings, each made twice: wide for a
desktop and narrow for a phone; the style sheet shows one of them. Invariants: series
differ by shape as well as colour; axes name their unit; where points were left out to
keep the page small, the caption says how many.
"""

from __future__ import annotations

import math
import statistics
from typing import TYPE_CHECKING, Any

import altair as alt

from snooze_lab.model import OURS
from snooze_lab.report import theme, words
from snooze_lab.report.figures import (
    data,
    domain,
    log_axis,
    names_axis,
    role,
    size,
    ticks,
)
from snooze_lab.report.parts import Figure, Panel
from snooze_lab.report.svg import draw

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from snooze_lab.report.read import Box, Conformance, Curve, Drift, Noise

#: The drift plot shows at most this many samples, evenly spaced.
SAMPLES = 1200
OUTCOMES: tuple[tuple[str, str, str], ...] = (
    ("as the standard says", "band", "square"),
    ("invalid text accepted", "s1", "triangle-up"),
    ("valid text rejected", "s3", "diamond"),
    ("wrong value", "s4", "cross"),
    ("crashed", "ink", "square"),
    ("free choice: accepted", "s6", "square"),
    ("free choice: rejected", "p4", "square"),
    ("not run", "page", "square"),
)
_KIND = {
    ("y", "accepted"): 0,
    ("y", "rejected"): 2,
    ("n", "rejected"): 0,
    ("n", "accepted"): 1,
    ("i", "accepted"): 5,
    ("i", "rejected"): 6,
}


def both(make: Callable[[int], Any], alternative: str, heading: str = "") -> Panel:
    """Return a panel drawn twice by `make`, which takes the total width."""
    return Panel(
        heading,
        draw(make(theme.WIDE), alternative, kind="wide"),
        draw(make(theme.NARROW), alternative, kind="narrow"),
    )


def outcome(expectation: str, found: str) -> int:
    """Return the entry of OUTCOMES for the outcome of a file."""
    if found in {"wrong value", "crashed"}:
        return 3 if found == "wrong value" else 4
    return _KIND.get((expectation, found), 7)


def up_axis(
    title: str, low: float, high: float, *, most: int = 6
) -> Callable[[str], Any]:
    """Return y of a field, on a log scale with round ticks and plain labels."""
    scale = alt.Scale(type="log", domain=[low, high], nice=False)
    axis = alt.Axis(values=ticks(low, high, most), format=",~r", labelOverlap=False)

    def made(field: str) -> Any:
        return alt.Y(f"{field}:Q", title=title, scale=scale, axis=axis)

    return made


def series_colour(names: Sequence[str], *, columns: int) -> tuple[Any, Any]:
    """Return colour and shape of named series, with one legend for both."""
    styles = theme.style_of(list(names), OURS)
    legend = alt.Legend(title=None, columns=columns)
    colour = alt.Color(
        "c:N",
        sort=list(names),
        scale=alt.Scale(
            domain=list(names), range=[theme.ROLE[styles[name][0]] for name in names]
        ),
        legend=legend,
    )
    shape = alt.Shape(
        "c:N",
        sort=list(names),
        scale=alt.Scale(domain=list(names), range=[styles[name][1] for name in names]),
        legend=legend,
    )
    return colour, shape


def curve(study: str, at: int, found: Curve, data_name: str) -> Figure | None:
    """Return a size curve with its crossovers and its change point."""
    rows: list[dict[str, Any]] = [
        {"c": name, "x": p.x, "v": p.value, "l": p.low, "h": p.high}
        for name, points in found.series.items()
        for p in points
    ]
    if not rows:
        return None
    middle = statistics.median(row["v"] for row in rows)
    divisor, unit = words.scale(found.unit, middle)
    for row in rows:
        for key in ("v", "l", "h"):
            row[key] /= divisor
    rows = [row for row in rows if row["x"] > 0 and row["v"] > 0]
    if not rows:
        return None
    across = domain((row["x"] for row in rows), margin=1.15)
    up = domain(row[key] for row in rows for key in ("l", "h"))
    for row in rows:
        row["l"] = max(row["l"], up[0])
    names = list(found.series)
    marks = [one for one in (*found.crossovers, found.change) if one is not None]

    def make(width: int) -> Any:
        wide = width == theme.WIDE
        colour, shape = series_colour(names, columns=6 if wide else 3)
        x = log_axis(f"{found.x}, log scale", *across, most=8 if wide else 5)
        y = up_axis(f"{unit}, log scale", *up)
        base = alt.Chart(data(rows)).encode(x=x("x"), color=colour)
        bands = [
            {
                "l": max(one.low, across[0]),
                "h": min(one.high, across[1]),
                "x": min(max(one.x, across[0]), across[1]),
            }
            for one in marks
        ]
        under = alt.Chart(data(bands))
        layers = [
            under.mark_rect(color=theme.ROLE["band"], opacity=0.7).encode(
                x=x("l"), x2="h"
            ),
            under.mark_rule(color=theme.ROLE["muted"], strokeDash=[4, 3]).encode(
                x=x("x")
            ),
        ]
        layers = layers if bands else []
        layers += [
            base.mark_line(strokeWidth=1.5).encode(y=y("v")),
            base.mark_rule(strokeWidth=1.5).encode(y=y("l"), y2="h:Q"),
            base.mark_point(filled=True, size=46, opacity=1).encode(
                y=y("v"), shape=shape
            ),
        ]
        height = 320 if wide else 340
        return size(alt.layer(*layers), 0, width=width).properties(height=height)

    said = " ".join([*(one.sentence for one in marks), *found.remarks])
    grey = " Grey: where the curves cross or bend, as 95 % intervals." if marks else ""
    name = words.slug(study, "curve", str(at), found.title)
    return Figure(
        name=name,
        title=found.title,
        caption=f"Both axes are logarithmic; lines at the points are 95 % intervals. "
        f"Lower is better.{grey} {said}".strip(),
        panels=(both(make, f"{found.title}. {said} {_ends(found)}"),),
        data=data_name,
        command=words.again(study),
    )


def _ends(found: Curve) -> str:
    said = [
        f"{name}: {words.quantity(points[0].value, found.unit)} at "
        f"{words.digits(points[0].x)}, {words.quantity(points[-1].value, found.unit)} "
        f"at {words.digits(points[-1].x)} {found.x}"
        for name, points in found.series.items()
        if points
    ]
    return "; ".join(said) + "."


def box(study: str, at: int, found: Box, data_name: str) -> Figure | None:
    """Return box plots: quartiles, whiskers to 1.5 times their distance, the rest."""
    groups = {
        name: sorted(value for value in values if value > 0)
        for name, values in found.groups.items()
    }
    groups = {name: values for name, values in groups.items() if values}
    if not groups:
        return None
    middle = statistics.median(v for values in groups.values() for v in values)
    divisor, unit = words.scale(found.unit, middle)
    boxes: list[dict[str, Any]] = []
    beyond: list[dict[str, Any]] = []
    said = []
    for name, values in groups.items():
        quarters = quartiles(values)
        low, mid, high = quarters
        reach = 1.5 * (high - low)
        inner = [v for v in values if low - reach <= v <= high + reach]
        boxes.append(
            {
                "c": name,
                "a": inner[0] / divisor,
                "l": low / divisor,
                "v": mid / divisor,
                "h": high / divisor,
                "z": inner[-1] / divisor,
                "r": role(name),
            }
        )
        beyond += [{"c": name, "v": v / divisor} for v in values if v not in inner]
        said.append(f"{name} median {words.quantity(mid, found.unit)}, n {len(values)}")
    ends = domain(v / divisor for values in groups.values() for v in values)
    names = list(groups)

    def make(width: int) -> Any:
        x, y = log_axis(f"{unit}, log scale", *ends), names_axis(names)
        base = alt.Chart(data(boxes)).encode(y=y)

        fill = alt.Color("r:N", scale=None)
        layers = [
            base.mark_rule(strokeWidth=1.5).encode(x=x("a"), x2="z:Q", color=fill),
            base.mark_bar(height=11, fill=theme.ROLE["page"], strokeWidth=1.5).encode(
                x=x("l"), x2="h:Q", stroke=alt.Stroke("r:N", scale=None)
            ),
            base.mark_tick(thickness=3, size=12).encode(x=x("v"), color=fill),
        ]
        if beyond:
            layers.append(
                alt.Chart(data(beyond))
                .mark_point(
                    size=18,
                    filled=True,
                    shape="cross",
                    opacity=1,
                    color=theme.ROLE["muted"],
                )
                .encode(x=x("v"), y=y)
            )
        return size(alt.layer(*layers), len(names), width=width)

    return Figure(
        name=words.slug(study, "box", str(at), found.title),
        title=found.title,
        caption=(
            "Boxes hold the middle half of the samples, the thick mark is the median, "
            "whiskers reach to 1.5 times the box, crosses lie beyond. Left is better."
        ),
        panels=(both(make, f"{found.title}: {'; '.join(said)}."),),
        data=data_name,
        command=words.again(study),
    )


def quartiles(values: Sequence[float]) -> tuple[float, float, float]:
    """Return the quartiles of sorted values; one value is all three."""
    if len(values) == 1:
        return values[0], values[0], values[0]
    low, mid, high = statistics.quantiles(values, n=4, method="inclusive")
    return low, mid, high


def drift(
    run: str, found: Sequence[Drift], noise: Noise, data_name: str
) -> Figure | None:
    """Return samples relative to their cell's median, against time and order."""
    if not found:
        return None
    ordered = sorted(found, key=lambda one: (one.t, one.position))
    step = math.ceil(len(ordered) / SAMPLES)
    taken = ordered[::step]
    start = ordered[0].t
    minutes = [
        {"x": (one.t - start) / 60, "v": one.relative, "p": one.position}
        for one in taken
    ]
    near = [max(min(row["v"], 2.0), 0.5) for row in minutes]
    ends = (min(*near, 0.9) / 1.02, max(*near, 1.1) * 1.02)
    for row, value in zip(minutes, near, strict=True):
        row["v"] = value
    slope = _trend([(one.t - start) / 60 for one in ordered], ordered)

    def make(field: str, title: str) -> Callable[[int], Any]:
        places = [row[field] for row in minutes]
        across = alt.Scale(domain=[min(places), max(*places, min(places) + 1)])

        def made(width: int) -> Any:
            y = up_axis("relative to its cell's median", *ends)
            count = 10 if width == theme.WIDE else 5
            x = alt.X(
                f"{field}:Q",
                title=title,
                scale=across,
                axis=alt.Axis(tickCount=count, format=",~r"),
            )
            floor = 1 + noise.floor
            layers = [
                alt.Chart(data([{"l": 1 / floor, "h": floor}]))
                .mark_rect(color=theme.ROLE["band"], opacity=1)
                .encode(y=y("l"), y2="h"),
                alt.Chart(data(minutes))
                .mark_point(
                    shape="square",
                    size=5,
                    filled=True,
                    opacity=0.55,
                    color=theme.ROLE["s5"],
                )
                .encode(x=x, y=y("v")),
                alt.Chart(data(_running(minutes, field)))
                .mark_line(color=theme.ROLE["bad"], strokeWidth=2)
                .encode(x=x, y=y("v")),
            ]
            return size(alt.layer(*layers), 0, width=width).properties(height=220)

        return made

    said = f"over the run the samples moved by {slope * 100:+.1f} %"
    left = (
        f" Every {_nth(step)} of {len(ordered):,} samples is shown." if step > 1 else ""
    )
    return Figure(
        name="drift-samples",
        title="Drift: did the machine change during the run?",
        caption=(
            "Each dot is a process's median relative to the median of its cell; the "
            f"line is a running median, the band the A/A noise. Fitted, {said}. Values "
            f"beyond half and twice lie on the border.{left}"
        ),
        panels=(
            both(
                make("x", "minutes since the start"),
                f"Against time: {said}.",
                "Against time",
            ),
            both(
                make("p", "position in the block"),
                "Against position in the block.",
                "Against position",
            ),
        ),
        data=data_name,
        command=f"snooze-lab report {run}",
    )


def _nth(step: int) -> str:
    return {2: "second", 3: "third"}.get(step, f"{step}th")


def _trend(at: Sequence[float], found: Sequence[Drift]) -> float:
    """Return by what share the samples moved from first to last, by least squares."""
    if len(set(at)) < 2:
        return 0.0
    fitted = statistics.linear_regression(at, [math.log(one.relative) for one in found])
    return math.exp(fitted.slope * (max(at) - min(at))) - 1


def _running(rows: Sequence[dict[str, Any]], field: str) -> list[dict[str, Any]]:
    """Return medians over some twenty equal parts of the range."""
    parts: dict[int, list[dict[str, Any]]] = {}
    low = min(row[field] for row in rows)
    width = (max(row[field] for row in rows) - low) or 1
    for row in rows:
        parts.setdefault(min(int((row[field] - low) / width * 20), 19), []).append(row)
    return [
        {
            field: statistics.median(row[field] for row in held),
            "v": statistics.median(row["v"] for row in held),
        }
        for _, held in sorted(parts.items())
    ]


def conformance(found: Conformance, data_name: str) -> Figure | None:
    """Return the matrix of files by contender, files of a kind together."""
    if not found.files or not found.columns:
        return None
    order = {"y": 0, "n": 1, "i": 2}
    files = sorted(found.files, key=lambda one: (order[one[1]], one[0]))
    cells = [
        {"x": at, "w": at + 1, "c": name, "k": OUTCOMES[kind][0]}
        for at, (_, expectation, outcomes) in enumerate(files)
        for name in found.columns
        for kind in [outcome(expectation, outcomes.get(name, "absent"))]
    ]
    present = [kind for kind in OUTCOMES if any(c["k"] == kind[0] for c in cells)]
    # Neighbours of one kind join into one bar: the picture is the same and far smaller.
    bars: list[dict[str, Any]] = []
    for cell in sorted(cells, key=lambda one: (one["c"], one["x"])):
        last = bars[-1] if bars else None
        if last and (last["c"], last["k"], last["w"]) == (
            cell["c"],
            cell["k"],
            cell["x"],
        ):
            last["w"] = cell["w"]
        else:
            bars.append(dict(cell))
    counts = [sum(1 for one in files if one[1] == kind) for kind in order]
    edges = [0, counts[0], counts[0] + counts[1], sum(counts)]
    labels = [
        {"x": (edges[at] + edges[at + 1]) / 2, "t": text}
        for at, text in enumerate(("valid", "invalid", "free"))
        if counts[at]
    ]

    def make(width: int) -> Any:
        y = names_axis(list(found.columns))
        scale = alt.Scale(domain=[0, len(files)], nice=False)
        base = (
            alt.Chart(data(bars))
            .mark_bar(height=14)
            .encode(
                y=y,
                x=alt.X("x:Q", scale=scale, title=None, axis=None),
                x2="w:Q",
                color=alt.Color(
                    "k:N",
                    title=None,
                    scale=alt.Scale(
                        domain=[kind[0] for kind in present],
                        range=[theme.ROLE[kind[1]] for kind in present],
                    ),
                    legend=alt.Legend(
                        columns=4 if width == theme.WIDE else 2, symbolType="square"
                    ),
                ),
            )
        )
        splits = (
            alt.Chart(data([{"x": edge} for edge in edges[1:-1]]))
            .mark_rule(color=theme.ROLE["ink"])
            .encode(x=alt.X("x:Q", scale=scale))
        )
        heads = (
            alt.Chart(data(labels))
            .mark_text(color=theme.ROLE["muted"], baseline="bottom", dy=-4, fontSize=11)
            .encode(x=alt.X("x:Q", scale=scale), text="t:N", y=alt.value(0))
        )
        height = len(found.columns) * 20 + 80
        sized = size(alt.layer(base, splits, heads), 0, width=width)
        return sized.properties(height=height)

    said = "; ".join(
        f"{name}: {', '.join(f'{k} {v}' for k, v in values.items())}"
        for name, values in found.metrics
    )
    return Figure(
        name="conformance-matrix",
        title=f"{len(files)} test documents, and what each library does with them",
        caption=(
            f"Each thin column is a document: {counts[0]} valid, {counts[1]} invalid, "
            f"and {counts[2]} where the standard leaves the choice. Documents of the "
            "suite that every library treats rightly may be left out. Everything that "
            "differs is listed by name below."
        ),
        panels=(both(make, said or "The table below says the same."),),
        data=data_name,
        command="snooze-lab run --only conformance",
    )
