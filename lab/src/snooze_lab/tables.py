"""Tables for a terminal of eighty columns: changes between runs, seeds beside our runs.

Separate from the analysis, which knows nothing of terminals. Invariant: an empty table
becomes a sentence that says why. Used by cli.py; the report makes the summary of a run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Group
from rich.table import Table
from rich.text import Text

from snooze_lab.samples import unit_of
from snooze_lab.units import quantity, ratio

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import RenderableType

    from snooze_lab.compare import Change
    from snooze_lab.results_types import Beside

_QUIET = {"equal", "undecided", "too noisy"}


def changes(found: Sequence[Change], *, everything: bool) -> RenderableType:
    """Return what changed between two runs; above 1 the second is better."""
    shown = [one for one in found if everything or one.verdict not in _QUIET]
    if not found:
        return Text("The runs have no cell in common that both measured twice or more.")
    counts: dict[str, int] = {}
    for one in found:
        counts[one.verdict] = counts.get(one.verdict, 0) + 1
    tally = ", ".join(f"{count} {word}" for word, count in sorted(counts.items()))
    line = Text(f"{len(found)} quantities of both runs: {tally}.")
    if not shown:
        return line
    table = Table("cell", "before", "after", "ratio", "", box=None, padding=(0, 1))
    for one in shown:
        unit = unit_of(one.metric)
        metric = "" if one.metric == "time" else f" {one.metric}"
        note = f" ({one.note})" if one.note else ""
        table.add_row(
            f"{one.contest} {one.contender}{metric}{note}",
            quantity(one.before, unit),
            quantity(one.after, unit),
            ratio(one.ratio, one.low, one.high),
            one.verdict,
        )
    return Group(table, line)


def beside(found: Beside) -> RenderableType:
    """Return one of a seed's tables beside ours."""
    # Texts, because names and labels may hold square brackets, which are no markup; the
    # title is not of the table, whose width would wrap it.
    table = Table(box=None, padding=(0, 1))
    for name in found.head:
        table.add_column(Text(name), overflow="fold")
    for row in found.rows:
        table.add_row(*map(Text, row))
    notes = [Text(f"  {note}") for note in found.notes]
    title = Text(found.title, style="bold")
    return Group(title, *([table] if found.head else []), *notes, Text(""))
