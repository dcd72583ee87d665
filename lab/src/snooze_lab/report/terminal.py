"""The summary that ends a run in the terminal: noise, answer, a small table a study.

Separate because it must be there at once, in 80 columns, without drawing anything: it
imports neither altair nor jinja2. Invariants: the noise verdict comes first; each study
shows ratios of our library, or of the fastest, with their intervals; names from outside
are never read as markup. Used by cli.py.
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
from snooze_lab.report.read import Results, Study, Table, read

_COLOUR = {"quiet": "green", "usable": "cyan", "too noisy": "bold red"}
_SIGN = {"better": "green", "worse": "red"}


def summary(results: dict[str, Any]) -> Group:
    """Return what to print when a run has ended; ReportError if results are odd."""
    found = read(results)
    verdict = found.noise.verdict
    parts: list[Any] = [
        Text.assemble(
            ("This run is ", ""),
            (f"{verdict}. ", _COLOUR[verdict]),
            (found.noise.sentence, ""),
        ),
        Text(),
        *(Text(f"  {line}") for line in found.answer),
    ]
    for study in found.studies:
        if study.tables:
            parts += [Text(), _study(study)]
    if tail := _blanks(found):
        parts += [Text(), Text(tail, style="dim")]
    return Group(*parts)


def _study(study: Study) -> Grid:
    grid = Grid(
        title=Text(f"{study.name}: {study.title}", style="bold"),
        title_justify="left",
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        width=80,
    )
    grid.add_column("table", ratio=5, overflow="ellipsis", no_wrap=True)
    grid.add_column("fastest", ratio=3, overflow="ellipsis", no_wrap=True)
    grid.add_column(Text(f"{OURS} against"), ratio=3, overflow="ellipsis", no_wrap=True)
    grid.add_column("times", ratio=2, justify="right", no_wrap=True)
    grid.add_column("▲ = ▼ ?", ratio=2, justify="right", no_wrap=True)
    for table in study.tables:
        grid.add_row(*_row(table))
    return grid


def _row(table: Table) -> tuple[Text, Text, Text, Text, Text]:
    held = ratios(table, OURS)
    first = leader(table)
    if not held:
        none = Text(words.NONE, style="dim")
        return Text(table.title), Text(first), Text("not measured"), none, none
    mean = math.exp(sum(math.log(one.ratio) for one in held) / len(held))
    counts = [
        sum(one.verdict in kinds for one in held)
        for kinds in ({"better"}, {"equal"}, {"worse"}, {"undecided", "too noisy"})
    ]
    style = _SIGN.get("better" if mean > 1 else "worse", "")
    if counts[0] and counts[2]:
        style = ""
    return (
        Text(table.title),
        Text(first),
        Text(table.baseline),
        Text(words.times(mean), style=style),
        Text(" ".join(map(str, counts))),
    )


def ratios(table: Table, name: str) -> list[Effect]:
    """Return the ratios of a contender in a table, interleaved where there are both."""
    found = []
    for line in table.lines:
        cell = line.cells.get(name)
        for kind in ("interleaved", "isolated"):
            if cell and table.metric in cell.effects.get(kind, {}):
                found.append(cell.effects[kind][table.metric])
                break
    return found


def leader(table: Table) -> str:
    """Return the contender with the lowest value in most rows, and in how many."""
    wins: dict[str, int] = {}
    for line in table.lines:
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
    return f"{best} {wins[best]}/{len(table.lines)}"


def _blanks(found: Results) -> str:
    counts: dict[str, int] = {}
    for study in found.studies:
        for table in study.tables:
            for line in table.lines:
                for cell in line.cells.values():
                    if cell.status != "ok":
                        counts[cell.status] = counts.get(cell.status, 0) + 1
    if not counts:
        return ""
    parts = words.listed([f"{count} {status}" for status, count in counts.items()])
    return f"Cells without a value: {parts}; the report says why."
