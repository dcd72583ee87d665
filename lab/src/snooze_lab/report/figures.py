"""The figures of a study's tables: ratios, times with samples, memory, phases.

Separate because they share one layout: a panel per workload, contenders down the side,
so that panels fit side by side on a desktop and below each other on a phone. Ratios
have the same scale in every panel. Used by page.py; rows.py draws.
"""

from __future__ import annotations

import dataclasses
import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING

from snooze_lab.model import OURS, Effect, Row
from snooze_lab.report import rows, words
from snooze_lab.report.parts import Figure, Panel
from snooze_lab.report.plot import Axis

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from snooze_lab.model import Estimate, Noise
    from snooze_lab.report.parts import Drawing
    from snooze_lab.report.rows import Piece
    from snooze_lab.stored.results_types import Line, Run, Table

_SHORT = {
    "wrong": "wrong result",
    "unable": "cannot do this",
    "absent": "not installed",
    "failed": "failed",
    "refused": "refused: memory",
}
_BETTER = {"ns": "as fast as", "B": "as lean as", "J": "as frugal as"}
_PHASES = ("read", "parse", "collect", "free", "dump")


@dataclass(frozen=True)
class Figures:
    """The figures of one table; `data` and `raw` are the files of cells and samples."""

    run: Run
    study: str
    table: Table
    data: str
    raw: str

    def all(self, noise: Noise) -> list[Figure | None]:
        """Return the figures in reading order; of a single row as one, side by side."""
        memory = self._stacked(
            _memory,
            ("memory", "peak memory, and the part of it that is the result"),
            "Memory above the state before the call; the whole bar is the peak. "
            "Shorter is better.",
        )
        found = [
            self._ratios(noise),
            self.absolutes(),
            memory if self.table.unit == "B" else None,
            self._stacked(
                _phases,
                ("phases", "where the time goes"),
                "Phases. read: the file from disk; parse: the library's own work; "
                "collect: Python's garbage collector; free: giving the result back; "
                "dump: writing it again.",
            ),
        ]
        return [*self._together(found), *self._joules()]

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
            command=words.again(self.run, self.study, self.table.name),
        )

    def _ratios(self, noise: Noise) -> Figure | None:
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
        across = Axis.over(ends, title, suffix=words.BY)
        panels = [
            Panel.of(
                table.label(line),
                _ratios(table, line, names, floor, across),
                self._replay(line),
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

    def _replay(self, line: Line) -> str:
        """Return the command for the most interesting cell of a row."""
        names = (OURS, *self.table.columns)
        who = next((one for one in names if one in line.cells), self.table.baseline)
        cell = shlex.quote(f"{line.contest} {who}")
        return f"snooze-lab replay {shlex.quote(self.run.name)} {cell}"

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

    def _stacked(
        self,
        pieces: Callable[[Row], list[Piece]],
        names: tuple[str, str],
        caption: str,
    ) -> Figure | None:
        """Return stacked bars of the pieces of each cell."""
        table = self.table
        panels = []
        for line in table.rows:
            found = {
                name: parts
                for name in table.columns
                if (cell := line.cells.get(name)) and (parts := pieces(cell))
            }
            if found:
                drawing = _bars(line, found, table.unit)
                panels.append(Panel.of(table.label(line), drawing))
        return self._figure(names, caption, panels, self.data)

    def _joules(self) -> list[Figure]:
        """Return a figure per meter: joules of one quality word each."""
        metrics = dict.fromkeys(
            key
            for cell in self.table.cells
            for key in cell.quantities
            if key.startswith("energy:")
        )
        found = []
        for metric in metrics:
            about = dataclasses.replace(self.table, metric=metric, unit="J")
            drawn = dataclasses.replace(self, table=about).absolutes()
            if drawn:
                name = words.slug(drawn.name, metric)
                found.append(dataclasses.replace(drawn, name=name))
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


def _sentence(name: str, ratio: Effect) -> str:
    span = f"{words.digits(ratio.low)} to {words.digits(ratio.high)}"
    span = span if ratio.n > 1 else "one sample"
    word = words.VERDICTS[ratio.verdict][1]
    return f"{name} {words.digits(ratio.ratio)} times ({span}), {word}"


def _absolute(table: Table, line: Line) -> Drawing:
    metric = table.metric
    held: dict[str, Estimate] = {}
    found: list[rows.Row] = []
    values: list[float] = []
    for name in table.columns:
        cell = line.cells.get(name)
        # A log axis cannot show zero, which a quantity of bytes or joules can be.
        samples = [v for v in cell.raw.get(metric, ()) if v > 0] if cell else []
        values += samples
        dots: tuple[rows.Dot, ...] = ()
        if cell and (one := cell.quantities.get(metric)):
            held[name] = one
            if one.value > 0:
                dots = (rows.Dot(one.value, one.low, one.high),)
                values += (one.value, one.low, one.high)
        found.append(rows.Row(name, dots, tuple(samples), _note(cell)))
    said = "; ".join(
        f"{name} {words.quantity(one.value, one.unit)}" for name, one in held.items()
    )
    middle = sorted(one.value for one in held.values())[len(held) // 2]
    across = Axis.scaled(values, table.unit, middle)
    return rows.dots(found, across, f"{line.document}: {said}.")


def _bars(line: Line, found: dict[str, list[Piece]], unit: str) -> Drawing:
    said = "; ".join(
        f"{who}: "
        + ", ".join(f"{label} {words.quantity(v, unit)}" for v, label, _ in pieces)
        for who, pieces in found.items()
    )
    return rows.bars(found, unit, f"{line.document}: {said}.")


def _memory(cell: Row) -> list[Piece]:
    """Return the peak of a cell in two: its result, if that is known, and the rest."""
    peak, tree = (cell.quantities.get(key) for key in ("peak", "tree"))
    if not peak:
        return []
    held = min(tree.value, peak.value) if tree else 0.0
    rest = (max(peak.value - held, 0.0), "needed on the way", "p1")
    return [(max(held, 0.0), "result", "s5"), rest] if tree else [rest]


def _phases(cell: Row) -> list[Piece]:
    """Return the time of each phase of a cell."""
    return [
        (max(time.value, 0.0), name, f"p{at}")
        for at, name in enumerate(_PHASES, 1)
        if (time := cell.quantities.get(f"phase:{name}"))
    ]
