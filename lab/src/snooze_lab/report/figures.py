"""The figures of a study's tables: ratios, times with samples, memory, phases.

Separate because they share one layout: a panel per workload, contenders down the side,
the same scale in every panel, so that panels fit side by side on a desktop and below
each other on a phone. Invariants: every mark has its interval; a contender without a
value keeps its row and says why; colour alone never carries information.
"""

from __future__ import annotations

import dataclasses
import itertools
import json
import math
from typing import TYPE_CHECKING, Any

import altair as alt

from snooze_lab.model import OURS, Effect, Row
from snooze_lab.report import theme, words
from snooze_lab.report.parts import Figure, Panel
from snooze_lab.report.svg import draw

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from snooze_lab.report.read import Line, Noise, Table

INSTRUMENTS = ("interleaved", "isolated")
#: Height of a contender's row, in CSS pixels.
STEP = 21
_SHORT = {
    "wrong": "wrong result",
    "unable": "cannot do this",
    "absent": "not installed",
    "failed": "failed",
    "refused": "refused: memory",
}
_LADDERS: tuple[tuple[float, ...], ...] = (
    (1.0,),
    (1.0, 3.0),
    (1.0, 2.0, 5.0),
    (1.0, 1.5, 2.0, 3.0, 5.0, 7.0),
    (1.0, 1.2, 1.4, 1.6, 1.8, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0),
)


def domain(values: Iterable[float], *, margin: float = 1.08) -> tuple[float, float]:
    """Return the ends of a log axis that holds all values, with a margin."""
    found = [value for value in values if value > 0]
    if not found:
        return 0.5, 2.0
    return min(found) / margin, max(found) * margin


def ticks(low: float, high: float, most: int = 6) -> list[float]:
    """Return three to `most` round values between two ends of a log axis."""
    found: list[float] = []
    for ladder in _LADDERS:
        decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
        held = [
            float(f"{step * 10.0**decade:.6g}")
            for decade in decades
            for step in ladder
            if low <= step * 10.0**decade <= high
        ]
        if len(held) > most:
            return found or held[:: math.ceil(len(held) / most)]
        if found and _nearest(held) < math.log(high / low) / (most + 1):
            break
        found = held
        if len(found) >= max(3, most - 2):
            break
    if len(found) >= 3:
        return found
    step = 10.0 ** math.floor(math.log10((high - low) / 2))
    first = math.ceil(low / step)
    held = [n * step for n in range(first, math.floor(high / step) + 1)]
    return [float(f"{v:.6g}") for v in held[:: math.ceil(len(held) / most)] if v > 0]


def _nearest(values: Sequence[float]) -> float:
    """Return the smallest distance between neighbours, as a difference of logs."""
    pairs = itertools.pairwise(values)
    return min((math.log(after / one) for one, after in pairs), default=math.inf)


def log_axis(
    title: str | None, low: float, high: float, *, suffix: str = "", most: int = 6
) -> Callable[[str], Any]:
    """Return x of a field, on a log scale with round ticks and plain labels."""
    label = f"format(datum.value, ',~r') + {json.dumps(suffix)}"
    scale = alt.Scale(type="log", domain=[low, high], nice=False)
    axis = alt.Axis(values=ticks(low, high, most), labelExpr=label, labelOverlap=False)

    def made(field: str) -> Any:
        return alt.X(f"{field}:Q", title=title, scale=scale, axis=axis)

    return made


def names_axis(names: Sequence[str]) -> Any:
    """Return y: contenders down the side, our own in bold."""
    mine = f"datum.label === {json.dumps(OURS)}"
    return alt.Y(
        "c:N",
        sort=list(names),
        title=None,
        scale=alt.Scale(domain=list(names)),
        axis=alt.Axis(
            minExtent=92,
            labelFontWeight={
                "condition": {"test": mine, "value": "bold"},
                "value": "normal",
            },
            labelColor={
                "condition": {"test": mine, "value": theme.ROLE["ours"]},
                "value": theme.ROLE["ink"],
            },
        ),
    )


def size(chart: Any, rows: int, *, width: int = theme.PANEL, step: int = STEP) -> Any:
    """Return a chart of a fixed total width, and a height for its rows."""
    return chart.properties(
        width=width,
        height=max(rows, 1) * step + 34,
        autosize=alt.AutoSizeParams(type="fit", contains="padding"),
        padding=2,
    )


def role(name: str) -> str:
    """Return a contender's role where rows are named and colour only emphasises."""
    return theme.ROLE["ours" if name == OURS else "s5"]


def data(rows: list[dict[str, Any]]) -> Any:
    """Return rows as the inline data of a chart.

    As one string: altair copies its data with every call, but does not copy strings.
    """
    kind = alt.JsonDataFormat(type="json")
    return alt.InlineData(values=json.dumps(rows), format=kind)


def effects(cell: Row, metric: str) -> list[tuple[str, Effect]]:
    """Return the ratios of a cell, the interleaved one first.

    The metric `round` of the interleaved instrument is compared as `time`.
    """
    metric = "time" if metric == "round" else metric
    return [
        (name, cell.effects[name][metric])
        for name in INSTRUMENTS
        if metric in cell.effects.get(name, {})
    ]


def empty(names: Sequence[str], line: Line) -> list[dict[str, Any]]:
    """Return the texts for the rows of contenders that have no value."""
    found = []
    for name in names:
        cell = line.cells.get(name)
        if cell is None:
            found.append({"c": name, "t": f"{words.NONE} not in this contest"})
        elif cell.status != "ok":
            found.append({"c": name, "t": f"{words.NONE} {_SHORT[cell.status]}"})
    return found


def notes(rows: list[dict[str, Any]], y: Any) -> list[Any]:
    """Return the layer of texts of empty rows, at the left end of the plot."""
    return [
        alt.Chart(data(rows))
        .mark_text(
            align="left",
            fontStyle="italic",
            fontSize=11,
            color=theme.ROLE["muted"],
            dx=4,
        )
        .encode(y=y, x=alt.value(0), text="t:N")
    ] * bool(rows)


def _dot(name: str, ends: Sequence[float], *, sure: bool = True) -> dict[str, Any]:
    """Return a row of `dots`: value, low and high; hollow unless `sure`."""
    stroke = role(name)
    fill = stroke if sure else theme.ROLE["page"]
    return dict(zip("vlh", ends, strict=True)) | {"c": name, "s": stroke, "f": fill}


def dots(
    rows: list[dict[str, Any]],
    x: Callable[[str], Any],
    y: Any,
    *,
    second: bool = False,
) -> list[Any]:
    """Return intervals and their dots; the secondary ones are smaller and lower."""
    if not rows:
        return []
    base = alt.Chart(data(rows)).encode(y=y)
    stroke = alt.Stroke("s:N", scale=None)
    lower = 7 if second else 0
    return [
        base.mark_rule(strokeWidth=1 if second else 2, yOffset=lower).encode(
            x=x("l"), x2="h:Q", stroke=stroke
        ),
        base.mark_point(
            shape="diamond" if second else "circle",
            opacity=1,
            size=22 if second else 52,
            strokeWidth=1.5,
            yOffset=lower,
        ).encode(x=x("v"), stroke=stroke, fill=alt.Fill("f:N", scale=None)),
    ]


def _again(run: str, table: Table, line: Line) -> str:
    """Return the command for the most interesting cell of a row."""
    who = next((n for n in (OURS, *table.columns) if n in line.cells), table.baseline)
    return words.replay(run, line.contest, who)


def _sentence(name: str, ratio: Effect) -> str:
    span = f"{words.digits(ratio.low)} to {words.digits(ratio.high)}"
    span = span if ratio.n > 1 else "one sample"
    word = words.VERDICTS[ratio.verdict][1]
    return f"{name} {words.digits(ratio.ratio)} times ({span}), {word}"


def ratios(
    run: str, study: str, table: Table, noise: Noise, data_name: str
) -> Figure | None:
    """Return the dot-and-interval figure of a table's ratios, or None without any."""
    names = [name for name in table.columns if name != table.baseline]
    held = [
        one
        for line in table.lines
        for name in names
        if name in line.cells
        for _, one in effects(line.cells[name], table.metric)
    ]
    if not held:
        return None
    # The clock's noise does not concern bytes or joules.
    floor = 1 + (noise.floor if table.unit == "ns" else 0.0)
    ends = domain([v for e in held for v in (e.low, e.high)] + [1 / floor, floor])
    panels = tuple(
        Panel(
            heading=line.workload,
            svg=_ratio_panel(table, line, names, floor, ends),
            command=_again(run, table, line),
        )
        for line in table.lines
    )
    better = {"ns": "as fast as", "B": "as lean as", "J": "as frugal as"}
    how = better.get(table.unit, "as good as")
    both = any(
        len(effects(cell, table.metric)) > 1
        for line in table.lines
        for cell in line.cells.values()
    )
    band = "; the grey band is this run's A/A noise" if floor > 1 else ""
    extra = " Small diamonds: the isolated instrument." if both else ""
    return Figure(
        name=words.slug(study, table.name, "ratios"),
        title=f"{table.title}: how many times {how} {table.baseline}",
        caption=f"Ratios: right of 1 is better than {table.baseline}{band}.{extra}",
        panels=panels,
        data=data_name,
        command=words.again(study, table.name),
    )


def _ratio_panel(
    table: Table,
    line: Line,
    names: list[str],
    floor: float,
    ends: tuple[float, float],
) -> str:
    rows: tuple[list[dict[str, Any]], list[dict[str, Any]]] = ([], [])
    said: list[str] = []
    for name in names:
        cell = line.cells.get(name)
        found = effects(cell, table.metric) if cell and cell.status == "ok" else []
        for at, (_, one) in enumerate(found):
            sure = one.verdict in {"better", "worse"}
            rows[at].append(_dot(name, (one.ratio, one.low, one.high), sure=sure))
        if found:
            said.append(_sentence(name, found[0][1]))
    y = names_axis(names)
    x = log_axis(f"{words.BY} {table.baseline}, log scale", *ends, suffix=words.BY)
    width = [{"l": 1 / floor, "h": floor}] if floor > 1 else []
    band = alt.Chart(data(width)).mark_rect(color=theme.ROLE["band"], opacity=1)
    one = alt.Chart(data([{"v": 1.0}])).mark_rule(
        color=theme.ROLE["muted"], strokeDash=[3, 3]
    )
    layers = [
        *([band.encode(x=x("l"), x2="h")] if width else []),
        one.encode(x=x("v")),
        *dots(rows[1], x, y, second=True),
        *dots(rows[0], x, y),
        *notes(empty(names, line), y),
    ]
    alternative = f"{line.workload}: against {table.baseline}, {'; '.join(said)}."
    return draw(size(alt.layer(*layers), len(names)), alternative)


def absolutes(study: str, table: Table, data_name: str) -> Figure | None:
    """Return the figure of absolute values, each over its samples."""
    names = list(table.columns)
    panels = tuple(
        Panel(
            line.workload,
            _absolute_panel(table, line, names),
        )
        for line in table.lines
        if any(table.metric in cell.quantities for cell in line.cells.values())
    )
    if not panels:
        return None
    what = words.meaning(table.metric)
    ticked = "stretches of the race" if table.metric == "round" else "single processes"
    return Figure(
        name=words.slug(study, table.name, "absolute"),
        title=f"{table.title}: {what}, with every sample",
        caption=f"Values: left is better; ticks are {ticked}, dots the whole with its "
        "95 % interval. Each panel has its own scale.",
        panels=panels,
        data=data_name,
        command=words.again(study, table.name),
    )


def _absolute_panel(table: Table, line: Line, names: list[str]) -> str:
    metric = table.metric
    held = {
        name: cell.quantities[metric]
        for name in names
        if (cell := line.cells.get(name)) and metric in cell.quantities
    }
    middle = sorted(one.value for one in held.values())[len(held) // 2]
    divisor, unit = words.scale(table.unit, middle)
    strip: list[dict[str, Any]] = [
        {"c": name, "v": value / divisor}
        for name in held
        for value in line.cells[name].raw.get(metric, [])
    ]
    strip = [row for row in strip if row["v"] > 0]
    shown = {name: one for name, one in held.items() if one.value > 0}
    every = [v / divisor for one in shown.values() for v in (one.low, one.high)]
    ends = domain([*every, *(row["v"] for row in strip)])
    # An interval may reach below zero, which a log axis cannot show: clip it.
    rows = [
        _dot(
            name,
            tuple(max(v / divisor, ends[0]) for v in (one.value, one.low, one.high)),
        )
        for name, one in shown.items()
    ]
    y, x = names_axis(names), log_axis(f"{unit}, log scale", *ends)
    samples = (
        alt.Chart(data(strip))
        .mark_tick(color=theme.ROLE["soft"], thickness=1, size=14, opacity=1)
        .encode(x=x("v"), y=y)
    )
    layers = [samples] if strip else []
    layers += [*dots(rows, x, y), *notes(empty(names, line), y)]
    said = "; ".join(
        f"{name} {words.quantity(one.value, one.unit)}" for name, one in held.items()
    )
    return draw(size(alt.layer(*layers), len(names)), f"{line.workload}: {said}.")


def stacks(
    study: str,
    table: Table,
    data_name: str,
    layers: Sequence[tuple[str, str, str]],
    texts: tuple[str, str, str],
) -> Figure | None:
    """Return stacked bars of quantities: (metric, label, role) from the left.

    `texts` are the name's ending, the title's ending and the caption.
    """
    panels = []
    for line in table.lines:
        have = {
            name: cell
            for name, cell in line.cells.items()
            if any(metric in cell.quantities for metric, _, _ in layers)
        }
        if have:
            svg = _stack_panel(line, [n for n in table.columns if n in have], layers)
            panels.append(Panel(line.workload, svg))
    if not panels:
        return None
    return Figure(
        name=words.slug(study, table.name, texts[0]),
        title=f"{table.title}: {texts[1]}",
        caption=texts[2],
        panels=tuple(panels),
        data=data_name,
        command=words.again(study, table.name),
    )


def _stack_panel(
    line: Line, names: list[str], layers: Sequence[tuple[str, str, str]]
) -> str:
    totals = {
        name: sum(
            line.cells[name].quantities[metric].value
            for metric, _, _ in layers
            if metric in line.cells[name].quantities
        )
        for name in names
    }
    first = next(
        line.cells[name].quantities[metric].unit
        for name in names
        for metric, _, _ in layers
        if metric in line.cells[name].quantities
    )
    most = max(totals.values())
    divisor, unit = words.scale(first, most)
    bars: list[dict[str, Any]] = []
    said: list[str] = []
    for name in names:
        start = 0.0
        pieces = []
        for metric, label, colour in layers:
            found = line.cells[name].quantities.get(metric)
            if found is None:
                continue
            end = start + max(found.value, 0.0) / divisor
            bars.append({"c": name, "v": start, "h": end, "k": label, "r": colour})
            pieces.append(f"{label} {words.quantity(found.value, found.unit)}")
            start = end
        said.append(f"{name}: {', '.join(pieces)}")
    used = [(label, colour) for metric, label, colour in layers]
    used = [pair for pair in used if any(bar["k"] == pair[0] for bar in bars)]
    y = names_axis(names)
    chart = (
        alt.Chart(data(bars))
        .mark_bar(height=STEP - 7, stroke=theme.ROLE["page"], strokeWidth=1)
        .encode(
            y=y,
            x=alt.X("v:Q", title=unit, axis=alt.Axis(tickCount=4, format=",~r")),
            x2="h:Q",
            color=alt.Color(
                "k:N",
                title=None,
                sort=[label for label, _ in used],
                scale=alt.Scale(
                    domain=[label for label, _ in used],
                    range=[theme.ROLE[colour] for _, colour in used],
                ),
                legend=alt.Legend(columns=3, symbolType="square"),
            ),
        )
    )
    wide = size(chart, len(names)).properties(height=len(names) * STEP + 62)
    return draw(wide, f"{line.workload}: {'; '.join(said)}.")


def memory(study: str, table: Table, data_name: str) -> Figure | None:
    """Return the bars of peak memory: the part that the result holds, and the rest."""
    return stacks(
        study,
        table,
        data_name,
        (("tree", "result", "s5"), ("transient", "transient", "p1")),
        (
            "memory",
            "memory of the result and the peak above it",
            (
                "Memory: the whole bar is the highest memory over the start; the "
                "first part is what the finished result holds, the second came and "
                "went. Shorter is better."
            ),
        ),
    )


def phases(study: str, table: Table, data_name: str) -> Figure | None:
    """Return the stacked phases of a call: read, parse, collect, free, dump."""
    layers = [
        (f"phase:{name}", name, f"p{at}") for at, name in enumerate(words.PHASES, 1)
    ]
    return stacks(
        study,
        table,
        data_name,
        layers,
        (
            "phases",
            "where the time goes",
            (
                "Phases. read: the file from disk; parse: the library's own work; "
                "collect: Python's garbage collector; free: giving the result back; "
                "dump: writing it again."
            ),
        ),
    )


def joules(study: str, table: Table, data_name: str) -> list[Figure | None]:
    """Return a figure per meter of a table: joules of one quality word each."""
    metrics = dict.fromkeys(
        key
        for line in table.lines
        for cell in line.cells.values()
        for key in cell.quantities
        if key.startswith("energy:") and key != table.metric
    )
    found: list[Figure | None] = []
    for metric in metrics:
        about = dataclasses.replace(table, metric=metric, unit="J")
        drawn = absolutes(study, about, data_name)
        if drawn:
            named = words.slug(drawn.name, metric)
            found.append(
                dataclasses.replace(drawn, name=named, quality=words.quality(metric))
            )
    return found


def together(found: list[Figure | None], table: Table) -> list[Figure | None]:
    """Return the figures of single-row tables as one, their panels side by side."""
    drawn = [one for one in found if one]
    if len(table.lines) != 1 or len(drawn) < 2:
        return found
    first = drawn[0]
    panels = tuple(
        dataclasses.replace(
            panel, heading=figure.title.removeprefix(f"{table.title}: ")
        )
        for figure in drawn
        for panel in figure.panels
    )
    told = [figure.caption for figure in drawn]
    joined = dataclasses.replace(
        first,
        title=f"{table.title}: the figures",
        caption=" ".join(told).replace(" Each panel has its own scale.", ""),
        panels=panels,
    )
    return [joined]
