"""The conformance matrix: what each library does with each file of the test suite.

Separate because its form is like no other figure's: a column for each document.
Invariants: neighbours with the same outcome join into one bar, which looks the same and
is far smaller; the legend names only outcomes that occur. Used by page.py.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from snooze_lab.report.curves import both
from snooze_lab.report.parts import Figure
from snooze_lab.report.plot import ROW, Axis, Plot

if TYPE_CHECKING:
    from snooze_lab.results_types import Conformance

#: Label and role of each outcome.
OUTCOMES: tuple[tuple[str, str], ...] = (
    ("as the standard says", "band"),
    ("invalid text accepted", "s1"),
    ("valid text rejected", "s3"),
    ("wrong value", "s4"),
    ("crashed", "ink"),
    ("free choice: accepted", "s6"),
    ("free choice: rejected", "p4"),
    ("not run", "page"),
)
_KIND = {
    ("y", "accepted"): 0,
    ("y", "rejected"): 2,
    ("n", "rejected"): 0,
    ("n", "accepted"): 1,
    ("i", "accepted"): 5,
    ("i", "rejected"): 6,
}
_GROUPS = {"y": "valid", "n": "invalid", "i": "free"}


def outcome(expectation: str, found: str) -> int:
    """Return the entry of OUTCOMES for the outcome of a file."""
    if found in {"wrong value", "crashed"}:
        return 3 if found == "wrong value" else 4
    return _KIND.get((expectation, found), 7)


def conformance(found: Conformance, data_name: str) -> Figure | None:
    """Return the matrix of files by contender, files of a kind together."""
    if not found.files or not found.columns:
        return None
    order = list(_GROUPS)
    files = sorted(
        found.files, key=lambda one: (order.index(one.expectation), one.file)
    )
    counts = [sum(one.expectation == kind for one in files) for kind in order]
    kinds = {
        name: [
            outcome(one.expectation, one.outcomes.get(name, "absent")) for one in files
        ]
        for name in found.columns
    }
    present = sorted({kind for held in kinds.values() for kind in held})
    said = "; ".join(
        f"{one.name}: {', '.join(f'{who} {n}' for who, n in one.values.items())}"
        for one in found.metrics
    )

    def make(width: float, kind: str) -> str:
        across = Axis(0, len(files), log=False)
        plot = Plot(across, found.columns, width=width, top=20, bare=True)
        for name, held in kinds.items():
            y, start = plot.row(name) - (ROW - 7) / 2, 0
            for what, same in itertools.groupby(held):
                end = start + len(list(same))
                x = plot.x(start)
                wide = plot.x(end) - x
                plot.canvas.rect(x, y, wide, ROW - 7, OUTCOMES[what][1])
                start = end
        edge = 0
        for group, count in zip(_GROUPS.values(), counts, strict=True):
            middle = plot.x(edge + count / 2)
            if count:
                plot.canvas.text(middle, 14, group, "muted", anchor="middle")
            edge += count
            if 0 < edge < len(files):
                plot.rule(edge, dash="", role="ink")
        plot.legend([(*OUTCOMES[one], "square") for one in present])
        return plot.svg(said or "The table below says the same.", kind=kind)

    return Figure(
        name="conformance-matrix",
        title=f"{len(files)} test documents, and what each library does with them",
        caption=f"Each thin column is a document: {counts[0]} valid, {counts[1]} "
        f"invalid, and {counts[2]} where the standard leaves the choice. Documents of "
        "the suite that every library treats rightly may be left out. Everything that "
        "differs is listed by name below.",
        panels=(both(make),),
        data=data_name,
        command="snooze-lab run --only conformance",
    )
