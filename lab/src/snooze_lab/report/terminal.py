"""The summary that ends a run in the terminal: noise, answer, a small table per study.

Separate because it must fit in 80 columns, without drawing. Invariants: the noise
verdict comes first; each study shows ratios of our library, or of the fastest, with
their intervals; external names are never parsed as markup. Used by cli.py and the page.
"""

from __future__ import annotations

import math
from typing import Any

from rich import box
from rich.console import Group
from rich.table import Table as Grid
from rich.text import Text

from snooze_lab.model import AGAIN, OURS, Effect
from snooze_lab.report import words
from snooze_lab.results_types import Results, Study, Table, read

_COLOUR = {
    "quiet": "green",
    "usable": "cyan",
    "too noisy": "bold red",
    "unknown": "yellow",
}
_SIGN = {"better": "green", "worse": "red"}


def summary(results: dict[str, Any]) -> Group:
    """Return the text that ends a run; ReportError if the results are invalid."""
    found = read(results)
    verdict = found.noise.verdict
    parts: list[Any] = [
        Text.assemble("Noise: ", (f"{verdict}. ", _COLOUR[verdict]), found.noise.said),
        *(Text(f"⚑ {one.sentence}", style="dim") for one in found.flags),
        Text(),
        *(
            Text.assemble((f"{one.topic}: ", "bold"), one.text)
            for one in found.answer.sentences
        ),
    ]
    if any(study.tables for study in found.studies):
        parts += [Text(), _grid(found.studies)]
    if tail := _blanks(found):
        parts += [Text(), Text(tail, style="dim")]
    return Group(*parts)


def _grid(studies: tuple[Study, ...]) -> Grid:
    grid = Grid(box=box.SIMPLE_HEAD, pad_edge=False, width=80, show_edge=False)
    grid.add_column("table", ratio=11, overflow="ellipsis", no_wrap=True)
    grid.add_column("lowest in", ratio=6, overflow="ellipsis", no_wrap=True)
    grid.add_column(Text(OURS), width=7, justify="right", no_wrap=True)
    grid.add_column("times", ratio=4, overflow="ellipsis", no_wrap=True)
    grid.add_column("▲ = ▼ ?", width=11, justify="right", no_wrap=True)
    for study in studies:
        shown = [one for one in study.tables if one.kind != "conformance"]
        if shown:
            grid.add_row(Text(study.title, style="bold"))
        for table in shown:
            grid.add_row(*_row(table))
    return grid


def _row(table: Table) -> tuple[Text, Text, Text, Text, Text]:
    held = ratios(table, OURS)
    title, first = Text(f"  {table.title}"), Text(leader(table))
    if not held:
        none = Text(words.NONE, style="dim")
        return title, first, none, Text(), none
    mean = math.exp(sum(math.log(one.ratio) for one in held) / len(held))
    counts = [
        sum(one.verdict in kinds for one in held)
        for kinds in ({"better"}, {"equal"}, {"worse"}, {"undecided", "too noisy"})
    ]
    style = _SIGN["better"] if counts[0] == len(held) else ""
    style = _SIGN["worse"] if counts[2] == len(held) else style
    return (
        title,
        first,
        Text(words.times(mean), style=style),
        Text(table.baseline),
        Text(" ".join(map(str, counts))),
    )


def ratios(table: Table, name: str) -> list[Effect]:
    """Return the ratios of a contender in a table, preferably interleaved."""
    found = []
    for line in table.rows:
        cell = line.cells.get(name)
        metric = "time" if table.metric == "round" else table.metric
        for kind in ("interleaved", "isolated"):
            if cell and metric in cell.effects.get(kind, {}):
                found.append(cell.effects[kind][metric])
                break
    return found


def leader(table: Table) -> str:
    """Return the contender with the lowest value in most rows, and their number."""
    wins: dict[str, int] = {}
    for line in table.rows:
        held = {
            name: cell.quantities[table.metric].value
            for name, cell in line.cells.items()
            if name != AGAIN and table.metric in cell.quantities
        }
        if held:
            best = min(held, key=held.__getitem__)
            wins[best] = wins.get(best, 0) + 1
    if not wins:
        return words.NONE
    best = max(wins, key=wins.__getitem__)
    return f"{best} {wins[best]}/{len(table.rows)}"


def _blanks(found: Results) -> str:
    counts: dict[str, int] = {}
    for study in found.studies:
        for table in study.tables:
            for line in table.rows:
                for cell in line.cells.values():
                    if cell.status != "ok":
                        counts[cell.status] = counts.get(cell.status, 0) + 1
    if not counts:
        return ""
    parts = words.listed([f"{count} {status}" for status, count in counts.items()])
    return f"Cells without a value: {parts}; the report says why."
