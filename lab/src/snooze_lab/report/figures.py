"""The figures of a study's tables: ratios, times with samples, memory, phases.

Separate because they share one layout: a panel per workload, contenders down the side,
so that panels fit side by side on a desktop and below each other on a phone. Ratios
have the same scale in every panel. Used by page.py; rows.py draws.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from snooze_lab.model import OURS, Effect, Row
from snooze_lab.report import rows, words
from snooze_lab.report.parts import Figure, Panel
from snooze_lab.report.plot import Axis
from snooze_lab.units import scale

if TYPE_CHECKING:
    from collections.abc import Sequence

    from snooze_lab.model import Noise
    from snooze_lab.report.parts import Drawing
    from snooze_lab.results_types import Line, Table

_SHORT = {
    "wrong": "wrong result",
    "unable": "cannot do this",
    "absent": "not installed",
    "failed": "failed",
    "refused": "refused: memory",
}
_BETTER = {"ns": "as fast as", "B": "as lean as", "J": "as frugal as"}


def _note(cell: Row | None) -> str:
    """Return why a row has no value, or an empty string."""
    if cell is None:
        return f"{words.NONE} not in this contest"
    return "" if cell.status == "ok" else f"{words.NONE} {_SHORT[cell.status]}"


def ratios(
    run: str, study: str, table: Table, noise: Noise, data_name: str
) -> Figure | None:
    """Return the dot-and-interval figure of a table's ratios, or None without any."""
    names = [name for name in table.columns if name != table.baseline]
    held = [
        one
        for line in table.rows
        for name in names
        if name in line.cells
        for _, one in line.cells[name].ratios(table.metric)
    ]
    if not held:
        return None
    # The clock's noise does not concern bytes or joules.
    floor = 1 + (noise.floor if table.unit == "ns" else 0.0)
    ends = [v for one in held for v in (one.low, one.high)] + [1 / floor, floor]
    title = f"{words.BY} {table.baseline}, log scale"
    across = dataclasses.replace(Axis.over(ends, title), suffix=words.BY)
    panels = tuple(
        Panel.of(
            table.label(line),
            _ratios(table, line, names, floor, across),
            _again(run, table, line),
        )
        for line in table.rows
    )
    both = len(held) > sum(
        bool(cell.ratios(table.metric))
        for line in table.rows
        for name, cell in line.cells.items()
        if name in names
    )
    band = "; the grey band is this run's A/A noise" if floor > 1 else ""
    extra = " Small diamonds: the isolated instrument." if both else ""
    how = _BETTER.get(table.unit, "as good as")
    return Figure(
        name=words.slug(study, table.name, "ratios"),
        title=f"{table.title}: how many times {how} {table.baseline}",
        caption=f"Ratios: right of 1 is better than {table.baseline}{band}.{extra}",
        panels=panels,
        data=data_name,
        command=words.again(study, table.name),
    )


def _ratios(
    table: Table, line: Line, names: list[str], floor: float, across: Axis
) -> Drawing:
    found, said = [], []
    for name in names:
        cell = line.cells.get(name)
        held = cell.ratios(table.metric) if cell and cell.status == "ok" else []
        dots = tuple(
            rows.Dot(
                one.ratio,
                one.low,
                one.high,
                hollow=one.verdict not in {"better", "worse"},
                below=at > 0,
            )
            for at, (_, one) in enumerate(held)
        )
        found.append(rows.Row(name, dots, note=_note(cell)))
        if held:
            said.append(_sentence(name, held[0][1]))
    alternative = f"{line.document}: against {table.baseline}, {'; '.join(said)}."
    band = (1 / floor, floor) if floor > 1 else None
    return rows.dots(found, across, alternative, band=band, at=1.0)


def _again(run: str, table: Table, line: Line) -> str:
    """Return the command for the most interesting cell of a row."""
    who = next((n for n in (OURS, *table.columns) if n in line.cells), table.baseline)
    return words.replay(run, line.contest, who)


def _sentence(name: str, ratio: Effect) -> str:
    span = f"{words.digits(ratio.low)} to {words.digits(ratio.high)}"
    span = span if ratio.n > 1 else "one sample"
    word = words.VERDICTS[ratio.verdict][1]
    return f"{name} {words.digits(ratio.ratio)} times ({span}), {word}"


def absolutes(study: str, table: Table, data_name: str) -> Figure | None:
    """Return the figure of absolute values, each over its samples."""
    panels = tuple(
        Panel.of(table.label(line), _absolute(table, line))
        for line in table.rows
        if any(table.metric in cell.quantities for cell in line.cells.values())
    )
    if not panels:
        return None
    ticked = "stretches of the race" if table.metric == "round" else "single processes"
    return Figure(
        name=words.slug(study, table.name, "absolute"),
        title=f"{table.title}: {words.meaning(table.metric)}, with every sample",
        caption=f"Values: left is better; ticks are {ticked}, dots the whole with its "
        "95 % interval. Each panel has its own scale.",
        panels=panels,
        data=data_name,
        command=words.again(study, table.name),
    )


def _absolute(table: Table, line: Line) -> Drawing:
    metric = table.metric
    held = {
        name: cell.quantities[metric]
        for name in table.columns
        if (cell := line.cells.get(name)) and metric in cell.quantities
    }
    middle = sorted(one.value for one in held.values())[len(held) // 2]
    divisor, unit = scale(table.unit, middle)
    found = []
    for name in table.columns:
        one = held.get(name)
        cell = line.cells.get(name)
        # A log axis cannot show zero, which a quantity of bytes or joules can be.
        samples = [v / divisor for v in cell.raw.get(metric, ())] if cell else []
        dots = (
            (rows.Dot(one.value / divisor, one.low / divisor, one.high / divisor),)
            if one and one.value > 0
            else ()
        )
        found.append(
            rows.Row(name, dots, tuple(v for v in samples if v > 0), _note(cell))
        )
    values = [
        v for row in found for dot in row.dots for v in (dot.value, dot.low, dot.high)
    ]
    values += [value for row in found for value in row.samples]
    said = "; ".join(
        f"{name} {words.quantity(one.value, one.unit)}" for name, one in held.items()
    )
    across = Axis.over(values, f"{unit}, log scale")
    return rows.dots(found, across, f"{line.document}: {said}.")


def _stacked(
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
    for line in table.rows:
        found = {
            name: [
                (max(cell.quantities[metric].value, 0.0), label, colour)
                for metric, label, colour in layers
                if metric in cell.quantities
            ]
            for name in table.columns
            if (cell := line.cells.get(name))
        }
        found = {name: pieces for name, pieces in found.items() if pieces}
        if found:
            drawing = _bars(line, found, table.unit)
            panels.append(Panel.of(table.label(line), drawing))
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


def _bars(
    line: Line, found: dict[str, list[tuple[float, str, str]]], unit: str
) -> Drawing:
    """Return the bars of a panel: a value, a label and a role for each piece."""
    most = max(sum(value for value, _, _ in pieces) for pieces in found.values())
    divisor, name = scale(unit, most)
    scaled = {
        who: [(value / divisor, label, colour) for value, label, colour in pieces]
        for who, pieces in found.items()
    }
    said = "; ".join(
        f"{who}: "
        + ", ".join(f"{label} {words.quantity(v, unit)}" for v, label, _ in pieces)
        for who, pieces in found.items()
    )
    return rows.bars(scaled, name, f"{line.document}: {said}.")


def memory(study: str, table: Table, data_name: str) -> Figure | None:
    """Return the bars of peak memory: the part that the result holds, and the rest."""
    if table.unit != "B":
        return None
    split = dataclasses.replace(
        table,
        rows=tuple(
            dataclasses.replace(
                line,
                cells={name: _transient(cell) for name, cell in line.cells.items()},
            )
            for line in table.rows
        ),
    )
    return _stacked(
        study,
        split,
        data_name,
        (("tree", "result", "s5"), ("transient", "needed on the way", "p1")),
        (
            "memory",
            "peak memory, and the part of it that is the result",
            (
                "Memory above the state before the call; the whole bar is the peak. "
                "Shorter is better."
            ),
        ),
    )


def _transient(cell: Row) -> Row:
    """Return a cell whose peak is split into its result and the rest."""
    peak, tree = (cell.quantities.get(key) for key in ("peak", "tree"))
    if not peak:
        return dataclasses.replace(cell, quantities={})
    held = min(tree.value, peak.value) if tree else 0.0
    rest = dataclasses.replace(peak, value=peak.value - held)
    parts = {"transient": rest}
    if tree:
        parts["tree"] = dataclasses.replace(tree, value=held)
    return dataclasses.replace(cell, quantities=parts)


def phases(study: str, table: Table, data_name: str) -> Figure | None:
    """Return the stacked phases of a call: read, parse, collect, free, dump."""
    layers = [
        (f"phase:{name}", name, f"p{at}") for at, name in enumerate(words.PHASES, 1)
    ]
    return _stacked(
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
        for line in table.rows
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
    if len(table.rows) != 1 or len(drawn) < 2:
        return found
    panels = tuple(
        dataclasses.replace(
            panel, heading=figure.title.removeprefix(f"{table.title}: ")
        )
        for figure in drawn
        for panel in figure.panels
    )
    told = " ".join(figure.caption for figure in drawn)
    return [
        dataclasses.replace(
            drawn[0],
            title=f"{table.title}: the figures",
            caption=told.replace(" Each panel has its own scale.", ""),
            panels=panels,
        )
    ]
