"""Tables for a terminal of eighty columns: the end of a run, changes, published tables.

Separate because nothing is drawn. External names are never parsed as markup; an empty
table becomes a sentence that says why. Used by cli.py and the page.
"""

from __future__ import annotations

import statistics
from collections import Counter
from typing import TYPE_CHECKING, Any

from rich import box
from rich.console import Group
from rich.table import Table as Grid
from rich.text import Text

from snooze_lab.model import AGAIN, OURS, Effect
from snooze_lab.report import words
from snooze_lab.stored.results_types import Results, Study, Table, read
from snooze_lab.stored.samples import unit_of
from snooze_lab.units import quantity, ratio

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import RenderableType

    from snooze_lab.results.compare import Change
    from snooze_lab.stored.results_types import Beside

_COLOUR = {
    "quiet": "green",
    "usable": "cyan",
    "too noisy": "bold red",
    "unknown": "yellow",
}
_SIGN = {"better": "green", "worse": "red"}
#: Verdicts that are no change between two runs.
_QUIET = {"equal", "undecided", "too noisy"}


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
        legend = f"Rows in which {OURS} is ▲ better, = equal, ▼ worse, ? undecided."
        parts += [Text(), _grid(found.studies), Text(legend, style="dim")]
    if tail := _blanks(found):
        parts += [Text(), Text(tail, style="dim")]
    return Group(*parts)


def _grid(studies: tuple[Study, ...]) -> Grid:
    grid = Grid(box=box.SIMPLE_HEAD, pad_edge=False, width=80, show_edge=False)
    grid.add_column("table", ratio=1, overflow="ellipsis", no_wrap=True)
    grid.add_column("lowest in", width=16, overflow="ellipsis", no_wrap=True)
    # As wide as the longest ratio: half a number would be another one.
    grid.add_column(Text(OURS), justify="right", no_wrap=True)
    grid.add_column("times", width=7, overflow="ellipsis", no_wrap=True)
    grid.add_column("▲ = ▼ ?", width=8, justify="right", no_wrap=True)
    for study in studies:
        shown = [one for one in study.tables if one.kind != "conformance"]
        if shown:
            grid.add_row(Text(study.title, style="bold"))
        for table in shown:
            grid.add_row(*_row(table))
    return grid


def _row(table: Table) -> tuple[Text, Text, Text, Text, Text]:
    held = ratios(table)
    title, first = Text(f"  {table.title}"), Text(leader(table))
    if not held:
        none = Text(words.NONE, style="dim")
        return title, first, none, Text(), none
    mean = statistics.geometric_mean(one.ratio for one in held)
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


def ratios(table: Table) -> list[Effect]:
    """Return our ratios in a table, preferably interleaved.

    Where ways of using libraries compete, our first one counts.
    """
    names = (one for one in table.columns if one.split()[0] == OURS)
    name = OURS if OURS in table.columns else next(names, OURS)
    held = [line.cells[name] for line in table.rows if name in line.cells]
    return [found for cell in held if (found := cell.ratio(table.metric))]


def leader(table: Table) -> str:
    """Return the contender with the lowest value in most rows, and their number."""
    wins: Counter[str] = Counter()
    for line in table.rows:
        held = {
            name: cell.quantities[table.metric].value
            for name, cell in line.cells.items()
            if name != AGAIN and table.metric in cell.quantities
        }
        if held:
            wins[min(held, key=held.__getitem__)] += 1
    for best, count in wins.most_common(1):
        return f"{best} {count}/{len(table.rows)}"
    return words.NONE


def _blanks(found: Results) -> str:
    cells = (cell for line in found.lines() for cell in line.cells.values())
    counts = Counter(cell.status for cell in cells if cell.status != "ok")
    if not counts:
        return ""
    parts = words.listed([f"{count} {status}" for status, count in counts.items()])
    return f"Cells without a value: {parts}; the report says why."


def changes(found: Sequence[Change], *, everything: bool) -> RenderableType:
    """Return what changed between two runs; above 1 the second is better."""
    shown = [one for one in found if everything or one.effect.verdict not in _QUIET]
    if not found:
        return Text("The runs have no cell in common that both measured twice or more.")
    counts = Counter(one.effect.verdict for one in found)
    tally = ", ".join(f"{count} {word}" for word, count in sorted(counts.items()))
    line = Text(f"{len(found)} quantities of both runs: {tally}.")
    if not shown:
        return line
    table = Grid(box=None, padding=(0, 1))
    table.add_column("cell", overflow="fold")
    for name in ("before", "after", "ratio", ""):
        table.add_column(name, no_wrap=True)
    for one in shown:
        unit = unit_of(one.metric)
        metric = "" if one.metric == "time" else f" {one.metric}"
        note = f" ({one.note})" if one.note else ""
        table.add_row(
            Text(f"{one.label} {one.contender}{metric}{note}"),
            quantity(one.before, unit),
            quantity(one.after, unit),
            Text(ratio(one.effect.ratio, one.effect.low, one.effect.high)),
            one.effect.verdict,
        )
    return Group(table, line)


def beside(found: Beside) -> RenderableType:
    """Return one of a seed's tables beside ours."""
    # Texts, because names and labels may hold square brackets, which are no markup; the
    # title is not of the table, whose width would wrap it.
    table = Grid(box=None, padding=(0, 1))
    for name in found.head:
        table.add_column(Text(name), overflow="fold")
    for row in found.rows:
        table.add_row(*map(Text, row))
    notes = [Text(f"  {note}") for note in found.notes]
    title = Text(found.title, style="bold")
    return Group(title, *([table] if found.head else []), *notes, Text(""))
