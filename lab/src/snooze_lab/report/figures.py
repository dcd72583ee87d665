"""The figures of a study's tables: ratios, times with samples, memory, phases.

Separate because they share one layout: a panel per workload, contenders down the side,
so that panels fit side by side on a desktop and below each other on a phone. Ratios
have the same scale in every panel. Used by page.py; rows.py draws.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
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
    from snooze_lab.stored.results_types import Line, Table

_SHORT = {
    "wrong": "wrong result",
    "unable": "cannot do this",
    "absent": "not installed",
    "failed": "failed",
    "refused": "refused: memory",
}
_BETTER = {"ns": "as fast as", "B": "as lean as", "J": "as frugal as"}
#: The layers of stacked bars: a quantity, its label and role, from the left.
_MEMORY = (("tree", "result", "s5"), ("transient", "needed on the way", "p1"))
_PHASES = tuple(
    (f"phase:{name}", name, f"p{at}") for at, name in enumerate(words.PHASES, 1)
)


@dataclass(frozen=True)
class Figures:
    """The figures of one table; `data` and `raw` are the files of cells and samples."""

    study: str
    table: Table
    data: str
    raw: str

    def all(self, run: str, noise: Noise) -> list[Figure | None]:
        """Return the figures in reading order; of a single row as one, side by side."""
        found = [
            self.ratios(run, noise),
            self.absolutes(),
            self.memory(),
            self._stacked(
                self.table,
                _PHASES,
                ("phases", "where the time goes"),
                "Phases. read: the file from disk; parse: the library's own work; "
                "collect: Python's garbage collector; free: giving the result back; "
                "dump: writing it again.",
            ),
        ]
        return [*self._together(found), *self.joules()]

    def _figure(
        self, names: tuple[str, str], caption: str, panels: Sequence[Panel], data: str
    ) -> Figure | None:
        """Return a figure, None without panels; `names` end its name and its title."""
        if not panels:
            return None
        return Figure(
            name=words.slug(self.study, self.table.name, names[0]),
            title=f"{self.table.title}: {names[1]}",
            caption=caption,
            panels=tuple(panels),
            data=data,
            command=words.again(self.study, self.table.name),
        )

    def ratios(self, run: str, noise: Noise) -> Figure | None:
        """Return the dot-and-interval figure of the ratios, or None without any."""
        table = self.table
        names = [name for name in table.columns if name != table.baseline]
        cells = [
            line.cells[name].ratios(table.metric)
            for line in table.rows
            for name in names
            if name in line.cells
        ]
        held = [effect for found in cells for _, effect in found]
        if not held:
            return None
        # The clock's noise does not concern bytes or joules.
        floor = 1 + (noise.floor if table.unit == "ns" else 0.0)
        ends = [v for one in held for v in (one.low, one.high)] + [1 / floor, floor]
        title = f"{words.BY} {table.baseline}, log scale"
        across = dataclasses.replace(Axis.over(ends, title), suffix=words.BY)
        panels = [
            Panel.of(
                table.label(line),
                _ratios(table, line, names, floor, across),
                _again(run, table, line),
            )
            for line in table.rows
        ]
        band = "; the grey band is this run's A/A noise" if floor > 1 else ""
        both = any(len(found) > 1 for found in cells)
        extra = " Small diamonds: the isolated instrument." if both else ""
        how = _BETTER.get(table.unit, "as good as")
        return self._figure(
            ("ratios", f"how many times {how} {table.baseline}"),
            f"Ratios: right of 1 is better than {table.baseline}{band}.{extra}",
            panels,
            self.data,
        )

    def absolutes(self) -> Figure | None:
        """Return the figure of absolute values, each over its samples."""
        table = self.table
        panels = [
            Panel.of(table.label(line), _absolute(table, line))
            for line in table.rows
            if any(table.metric in cell.quantities for cell in line.cells.values())
        ]
        is_round = table.metric == "round"
        ticked = "stretches of the race" if is_round else "single processes"
        return self._figure(
            ("absolute", f"{words.meaning(table.metric)}, with every sample"),
            f"Values: left is better; ticks are {ticked}, dots the whole with its "
            "95 % interval. Each panel has its own scale.",
            panels,
            self.raw,
        )

    def memory(self) -> Figure | None:
        """Return the bars of peak memory: what the result holds, and the rest."""
        if self.table.unit != "B":
            return None
        split = [
            dataclasses.replace(
                line,
                cells={name: _transient(cell) for name, cell in line.cells.items()},
            )
            for line in self.table.rows
        ]
        return self._stacked(
            dataclasses.replace(self.table, rows=tuple(split)),
            _MEMORY,
            ("memory", "peak memory, and the part of it that is the result"),
            "Memory above the state before the call; the whole bar is the peak. "
            "Shorter is better.",
        )

    def _stacked(
        self,
        table: Table,
        layers: Sequence[tuple[str, str, str]],
        names: tuple[str, str],
        caption: str,
    ) -> Figure | None:
        """Return stacked bars of quantities of a table."""
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
        return self._figure(names, caption, panels, self.data)

    def joules(self) -> list[Figure | None]:
        """Return a figure per meter: joules of one quality word each."""
        cells = (cell for line in self.table.rows for cell in line.cells.values())
        metrics = dict.fromkeys(
            key
            for cell in cells
            for key in cell.quantities
            if key.startswith("energy:") and key != self.table.metric
        )
        found: list[Figure | None] = []
        for metric in metrics:
            about = dataclasses.replace(self.table, metric=metric, unit="J")
            drawn = dataclasses.replace(self, table=about).absolutes()
            if drawn:
                name, quality = words.slug(drawn.name, metric), words.quality(metric)
                found.append(dataclasses.replace(drawn, name=name, quality=quality))
        return found

    def _together(self, found: list[Figure | None]) -> list[Figure | None]:
        """Return the figures of a single row as one, their panels side by side."""
        drawn = [one for one in found if one]
        if len(self.table.rows) != 1 or len(drawn) < 2:
            return found
        start = f"{self.table.title}: "
        panels = tuple(
            dataclasses.replace(panel, heading=figure.title.removeprefix(start))
            for figure in drawn
            for panel in figure.panels
        )
        told = " ".join(figure.caption for figure in drawn)
        return [
            dataclasses.replace(
                drawn[0],
                title=f"{start}the figures",
                caption=told.replace(" Each panel has its own scale.", ""),
                panels=panels,
            )
        ]


def _note(cell: Row | None) -> str:
    """Return why a row has no value, or an empty string."""
    if cell is None:
        return f"{words.NONE} not in this contest"
    return "" if cell.status == "ok" else f"{words.NONE} {_SHORT[cell.status]}"


def _ratios(
    table: Table, line: Line, names: list[str], floor: float, across: Axis
) -> Drawing:
    found, said = [], []
    for name in names:
        cell = line.cells.get(name)
        held = cell.ratios(table.metric) if cell and cell.status == "ok" else []
        dots = tuple(
            rows.Dot(
                *(one.ratio, one.low, one.high),
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


def _absolute(table: Table, line: Line) -> Drawing:
    metric = table.metric
    held = {
        name: cell.quantities[metric]
        for name in table.columns
        if (cell := line.cells.get(name)) and metric in cell.quantities
    }
    middle = sorted(one.value for one in held.values())[len(held) // 2]
    divisor, unit = scale(table.unit, middle)
    found: list[rows.Row] = []
    values: list[float] = []
    for name in table.columns:
        one, cell = held.get(name), line.cells.get(name)
        samples = [v / divisor for v in cell.raw.get(metric, ())] if cell else []
        # A log axis cannot show zero, which a quantity of bytes or joules can be.
        samples = [v for v in samples if v > 0]
        dots: tuple[rows.Dot, ...] = ()
        if one and one.value > 0:
            ends = (one.value / divisor, one.low / divisor, one.high / divisor)
            dots = (rows.Dot(*ends),)
            values += ends
        values += samples
        found.append(rows.Row(name, dots, tuple(samples), _note(cell)))
    said = "; ".join(
        f"{name} {words.quantity(one.value, one.unit)}" for name, one in held.items()
    )
    across = Axis.over(values, f"{unit}, log scale")
    return rows.dots(found, across, f"{line.document}: {said}.")


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


def _transient(cell: Row) -> Row:
    """Return a cell whose peak is split into its result and the rest."""
    peak, tree = (cell.quantities.get(key) for key in ("peak", "tree"))
    if not peak:
        return dataclasses.replace(cell, quantities={})
    held = min(tree.value, peak.value) if tree else 0.0
    parts = {"transient": dataclasses.replace(peak, value=peak.value - held)}
    if tree:
        parts["tree"] = dataclasses.replace(tree, value=held)
    return dataclasses.replace(cell, quantities=parts)
