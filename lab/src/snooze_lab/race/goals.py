"""The goals of the project, each with the value that a run measured.

Separate because they are a table of their own, at the end of a run and in its record.
Only values measured in this run decide a row, unrounded. Used by run.py.
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from snooze_lab import model
from snooze_lab.race import layouts, memory, table, typed
from snooze_lab.workloads.documents import USUAL

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from snooze_lab.race.cells import Cell
    from snooze_lab.timing.rounds import Ratio

LATER = sys.version_info >= (3, 12)  # the collector no longer runs inside allocations
#: Excesses below this are not compared: the kernel counts in pages.
SLACK = 64 << 10
#: A layout takes at most this many times as long as the same value without it.
LAYOUT = 2.0
#: Rows of `kinds` with a goal: its name, the least speed relative to orjson, the rows.
KINDS: tuple[tuple[str, float, tuple[str, ...]], ...] = (
    ("dataclass dict", 1.6, ("dataclass dict",)),
    ("dataclass slots", 4.0, ("dataclass slots",)),
    ("datetime aware", 2.5, ("datetime UTC", "datetime offset", "datetime zone")),
    ("sort keys", 1.4, ("sort keys",)),
    ("indent", 1.4, ("indent 2 small", "indent 2 large")),
    ("non-str keys", 1.4, ("int keys", "str keys allowed")),
    ("numpy int32", 3.0, ("numpy int32",)),
    ("numpy float64", 1.8, ("numpy float64",)),
    ("numpy bool", 8.0, ("numpy bool",)),
)


@dataclass(frozen=True)
class Goal:
    """One row: the goal, the measured value (if any), and whether it is met."""

    name: str
    wanted: str
    measured: str = "not measured"
    reached: bool | None = None


def rows(
    cells: list[Cell],
    figures: list[dict[str, Any]],
    partial: Collection[tuple[str, str]] = (),
) -> list[Goal]:
    """Return every goal with the result of this run.

    `partial` are groups and directions of which rows are missing: a goal over one of
    them is not measured. Goals of `kinds` name their rows.
    """
    kinds = _of(cells, "kinds")
    cells = [
        one for one in cells if (one.task.group, one.task.direction) not in partial
    ]
    tiny = _of(cells, "tiny")
    if len({one.task.direction for one in tiny}) < 2:
        tiny = []
    documents = _of(cells, "documents") or _of(cells, "seed")
    note = "" if _of(cells, "documents") else " (seed)"
    found: list[Goal] = []
    least = {"loads": 1.5, "dumps": 1.5} if LATER else {"loads": 1.9, "dumps": 1.7}
    for way, wanted in least.items():
        found.append(_mean(f"{way}, documents{note}", _of(documents, way=way), wanted))
    for way in least:
        chosen = _of(documents, way=way)
        name = f"{way}, best rivals"
        found.append(_decided(name, ">= 1.10x, mean", table.against_best(chosen), 1.10))
        found.append(_anywhere(f"{way}, best rival anywhere", chosen, 0.97))
    found.append(_mean("tiny calls", tiny, 1.8))
    for name, wanted, of in KINDS:
        named = _of(kinds, names=of)
        found.append(_mean(name, named if len(named) == len(of) else [], wanted))
    found += _layouts(_of(cells, layouts.GROUP)) + _typed(_of(cells, typed.GROUP))
    return found + _memory(figures)


def _of(
    cells: list[Cell], group: str = "", way: str = "", names: Sequence[str] = ()
) -> list[Cell]:
    """Return the cells of a group, a direction, or with these names, in their order."""
    found = [
        one
        for one in cells
        if group in ("", one.task.group) and way in ("", one.task.direction)
    ]
    if not names:
        return found
    return [one for name in names for one in found if one.task.name == name]


def _layouts(cells: list[Cell]) -> list[Goal]:
    """Return the goals of snooze.json, and of options beside the call without them."""

    def named(way: str, rows: Sequence[str]) -> list[Cell]:
        found = _of(cells, way=way)
        return [one for one in found if one.task.name.split(" ", 1)[1] in rows]

    cost, least = f"<= {LAYOUT:.2f}x time, each", 1 / LAYOUT
    spaces, others = (named("dumps", of) for of in (layouts.SPACES, layouts.OTHERS))
    return [
        _drop_in("snooze.json.loads", named("loads", [layouts.PLAIN]), 2.0),
        _drop_in("snooze.json.dumps", named("dumps", [layouts.PLAIN]), 8.0),
        _each("indent, newline: dumps", spaces, layouts.BARE, least, cost),
        _each("tab, separators: dumps", others, layouts.BARE, least, cost),
    ]


def _typed(cells: list[Cell]) -> list[Goal]:
    """Return the goals of typed codecs; each must hold for every structure."""
    reading, writing = _of(cells, way="loads"), _of(cells, way="dumps")
    whole = _of(reading, names=typed.WHOLE)
    unseen = _of(reading, names=typed.UNSEEN)
    twitter = _of(writing, names=["twitter"])
    skipping = _of(reading, names=["tweets skip"])
    shuffled = [one for one in reading if one.task.name.endswith(" mix")]
    limited = [one for one in reading if one.task.name.endswith(" con")]
    msgspec, orjson = typed.MSGSPEC, model.REFERENCE
    return [
        _each("typed loads, msgspec", whole, msgspec, 1.25),
        _each("typed loads, gc=False", unseen, msgspec, 1.25),
        _each("typed loads, msgspec slots", whole, "msgspec slots", 2.0),
        _each("typed loads, orjson", whole, orjson, 1.5),
        _each("projection, orjson", skipping, orjson, 4.0),
        _each("typed dumps, msgspec", writing, msgspec, 1.3),
        _each("typed dumps, orjson", writing, orjson, 3.0),
        _each("typed dumps, dumps", twitter, typed.PLAIN, 1.4),
        _each("shuffled members", shuffled, typed.BASE, 0.8),
        _each("constraints", limited, typed.BASE, 1 / 1.3, "<= 1.30x time, each"),
    ]


def _decided(name: str, wanted: str, ratio: Ratio | None, least: float) -> Goal:
    """Decide a goal by a speed; none if it was not measured."""
    if ratio is None:
        return Goal(name, wanted)
    return Goal(name, wanted, table.times(ratio), ratio.value >= least)


def _mean(name: str, cells: list[Cell], least: float) -> Goal:
    ratio = table.mean(cells, model.OURS, model.REFERENCE)
    return _decided(name, f">= {least:.2f}x orjson", ratio, least)


def _drop_in(name: str, cells: list[Cell], least: float) -> Goal:
    """Compare our speed with json's: the mean decides, the slowest row is shown too."""
    wanted = f">= {least:.2f}x json, mean"
    ratio = table.mean(cells, model.OURS, model.STANDARD)
    if ratio is None:
        return Goal(name, wanted)
    speeds = [(one.speed(model.OURS, model.STANDARD), one.task.name) for one in cells]
    lowest, row = min((speed.ratio().value, row) for speed, row in speeds if speed)
    text = f"{table.times(ratio)}, {lowest:.1f}x {row.split()[0]}"
    return Goal(name, wanted, text, ratio.value >= least)


def _each(
    name: str, cells: list[Cell], other: str, least: float, cost: str = ""
) -> Goal:
    """Compare our speed with another contender's; the slowest row decides.

    With `cost`, which says the goal, our time is shown in place of our speed.
    """
    wanted = cost or f">= {least:.2f}x, each"
    speeds = [(one.speed(model.OURS, other), one.task.name) for one in cells]
    found = [(speed, row) for speed, row in speeds if speed]
    if not found:
        return Goal(name, wanted)
    lowest, row = min(found, key=lambda one: one[0].center)
    ratio = lowest.ratio()
    text = f"{table.times(ratio)} {row}"
    if cost:
        text = f"{1 / ratio.value:.2f}x ±{ratio.spread * 100:.1f}% {row}"
    return Goal(name, wanted, text, ratio.value >= least)


def _anywhere(name: str, cells: list[Cell], least: float) -> Goal:
    """Compare our speed with the best rival's of each row; the slowest row decides."""
    goal = f">= {least:.2f}x, each"
    found = [(one.best_rival[1], one) for one in cells if one.best_rival]
    if not found:
        return Goal(name, goal)
    ratio, cell = min(found, key=lambda one: one[0].center)
    below = sum(one.center < math.log(least) for one, _ in found)
    text = f"{ratio.ratio().value:.2f}x {cell.task.name[:10]}"
    text += f", {below} below" if below else ""
    return Goal(name, goal, text, below == 0)


def _memory(figures: list[dict[str, Any]]) -> list[Goal]:
    """Return the goals of `loads`: its peak, and what it needs beside its result."""
    peaks, excesses = [], []
    for row in figures:
        name, own = row["document"], row["bytes"].get(model.OURS)
        if row["task"] != "loads" or not own:
            continue
        if name in USUAL:
            peaks.append(((own["peak"] - SLACK) / own["own"], name))
        if model.REFERENCE in row["bytes"]:
            ours, theirs = map(memory.excess, (own, row["bytes"][model.REFERENCE]))
            if max(ours, theirs) > SLACK:
                excesses.append((ours / max(theirs, 1.0), name))
    return [
        _most("loads peak, seed", "<= 1.25x + 64 kB", peaks, 1.25, "x"),
        _most("loads excess, each", "<= 0.60 of orjson's", excesses, 0.6),
    ]


def _most(
    name: str, wanted: str, found: list[tuple[float, str]], most: float, unit: str = ""
) -> Goal:
    """Decide a goal by the greatest value, which is shown with its row."""
    if not found:
        return Goal(name, wanted)
    worst, row = max(found)
    return Goal(name, wanted, f"{min(worst, 999):.2f}{unit} {row}", worst <= most)


def shown(found: list[Goal]) -> str:
    """Return the table of those that were measured, and how many were not."""
    lines = [table.paint(f"{'goals':<29}{'wanted':<20}{'':<5}measured", table.BOLD)]
    for one in found:
        if one.reached is None:
            continue
        mark, style = ("yes", table.GREEN) if one.reached else ("NO", table.RED)
        row = f"  {one.name:<27}{one.wanted:<20}{mark:<5}{one.measured}"
        lines.append(table.paint(row.rstrip()[: table.WIDTH], style))
    count = sum(one.reached is None for one in found)
    if count:
        more = f"  {count} more were not measured here: make bench races all groups"
        lines.append(table.paint(more, table.DIM))
    return "\n".join(lines)
