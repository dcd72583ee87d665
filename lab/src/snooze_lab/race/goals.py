"""The goals of the project, each with the value that a run measured.

Separate because the goals are a separate table at the end of a run and in its record.
Invariant: only values measured in this run decide a row; a row without a measurement
says so. Values are compared unrounded; their intervals are shown. Used by command.py
and record.py.
"""

from __future__ import annotations

import math
import sys
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from snooze_lab import model
from snooze_lab.race import effect, memory, table, typed
from snooze_lab.workloads.documents import USUAL

if TYPE_CHECKING:
    from snooze_lab.race.cells import Cell

LATER = sys.version_info >= (3, 12)  # the collector no longer runs inside allocations
#: Excesses below this are not compared: the kernel counts in pages.
SLACK = 64 << 10


@dataclass(frozen=True)
class Goal:
    """One row: the goal, the measured value (if any), and whether it is met."""

    name: str
    wanted: str
    measured: str = "not measured"
    reached: bool | None = None

    def as_record(self) -> dict[str, Any]:
        """Return the row for a record."""
        return asdict(self)


def rows(cells: list[Cell], figures: list[dict[str, Any]]) -> list[Goal]:
    """Return every goal with the result of this run."""
    documents = _group(cells, "documents") or _group(cells, "seed")
    note = "" if _group(cells, "documents") else " (seed)"
    reading = [one for one in documents if one.task.direction == "loads"]
    writing = [one for one in documents if one.task.direction == "dumps"]
    kinds = {one.task.name: one for one in _group(cells, "kinds")}
    tiny = _group(cells, "tiny")
    return [
        _mean(f"loads, documents{note}", reading, 1.5 if LATER else 1.9),
        _mean(f"dumps, documents{note}", writing, 1.5 if LATER else 1.7),
        _best_mean("loads, best rivals", reading, 1.10),
        _worst("loads, best rival anywhere", reading, 0.97),
        _best_mean("dumps, best rivals", writing, 1.10),
        _worst("dumps, best rival anywhere", writing, 0.97),
        _mean("tiny calls", tiny, 1.8),
        _mean("dataclass dict", _named(kinds, "dataclass dict"), 1.6),
        _mean("dataclass slots", _named(kinds, "dataclass slots"), 4.0),
        _mean(
            "datetime aware",
            _named(kinds, "datetime UTC", "datetime offset", "datetime zone"),
            2.5,
        ),
        _mean("sort keys", _named(kinds, "sort keys"), 1.4),
        _mean("indent", _named(kinds, "indent 2 small", "indent 2 large"), 1.4),
        _mean("non-str keys", _named(kinds, "int keys", "str keys allowed"), 1.4),
        _mean("numpy int32", _named(kinds, "numpy int32"), 3.0),
        _mean("numpy float64", _named(kinds, "numpy float64"), 1.8),
        _mean("numpy bool", _named(kinds, "numpy bool"), 8.0),
        *_typed(_group(cells, typed.GROUP)),
        _peak(figures),
        _excess(figures),
    ]


def _typed(cells: list[Cell]) -> list[Goal]:
    """Return the goals of typed codecs; each must hold for every structure."""
    reading = {one.task.name: one for one in cells if one.task.direction == "loads"}
    writing = {one.task.name: one for one in cells if one.task.direction == "dumps"}
    whole = _named(reading, *typed.WHOLE)
    unseen = _named(reading, *typed.UNSEEN)
    every, twitter = list(writing.values()), _named(writing, "twitter")
    skipping = _named(reading, "tweets skip")
    shuffled = [one for name, one in reading.items() if name.endswith(" mix")]
    limited = [one for name, one in reading.items() if name.endswith(" con")]
    return [
        _each("typed loads, msgspec", whole, "msgspec", 1.25),
        _each("typed loads, gc=False", unseen, "msgspec", 1.25),
        _each("typed loads, msgspec slots", whole, "msgspec slots", 2.0),
        _each("typed loads, orjson", whole, model.REFERENCE, 1.5),
        _each("projection, orjson", skipping, model.REFERENCE, 4.0),
        _each("typed dumps, msgspec", every, "msgspec", 1.3),
        _each("typed dumps, orjson", every, model.REFERENCE, 3.0),
        _each("typed dumps, dumps", twitter, typed.PLAIN, 1.4),
        _each("shuffled members", shuffled, typed.BASE, 0.8),
        _cost("constraints", limited, typed.BASE, 1.3),
    ]


def _each(name: str, cells: list[Cell], other: str, wanted: float) -> Goal:
    """Compare our speed with another contender's; the slowest row decides."""
    goal = Goal(name, f">= {wanted:.2f}x, each")
    found = _lowest(cells, other)
    if found is None:
        return goal
    ratio, row = found
    text = f"{_text(ratio)} {row}"
    return Goal(goal.name, goal.wanted, text, ratio.value >= wanted)


def _cost(name: str, cells: list[Cell], other: str, wanted: float) -> Goal:
    """Compare our time with another contender's; the slowest row decides."""
    goal = Goal(name, f"<= {wanted:.2f}x time, each")
    found = _lowest(cells, other)
    if found is None:
        return goal
    ratio, row = found
    text = f"{1 / ratio.value:.2f}x ±{ratio.spread * 100:.1f}% {row}"
    return Goal(goal.name, goal.wanted, text, 1 / ratio.value <= wanted)


def _lowest(cells: list[Cell], other: str) -> tuple[effect.Ratio, str] | None:
    """Return the lowest speed of snooze relative to a contender, and its row."""
    found = [(ratio, one.task.name) for one in cells if (ratio := one.beside(other))]
    if not found:
        return None
    ratio, row = min(found, key=lambda one: one[0].center)
    return ratio.ratio(), row


def _group(cells: list[Cell], name: str) -> list[Cell]:
    return [one for one in cells if one.task.group == name]


def _named(kinds: dict[str, Cell], *names: str) -> list[Cell]:
    return [kinds[name] for name in names if name in kinds]


def _mean(name: str, cells: list[Cell], wanted: float) -> Goal:
    goal = f">= {wanted:.2f}x orjson"
    ratio = table.mean(cells, model.OURS)
    if ratio is None:
        return Goal(name, goal)
    return Goal(name, goal, _text(ratio), ratio.value >= wanted)


def _best_mean(name: str, cells: list[Cell], wanted: float) -> Goal:
    goal = f">= {wanted:.2f}x, mean"
    ratio = table.against_best(cells)
    if ratio is None:
        return Goal(name, goal)
    return Goal(name, goal, _text(ratio), ratio.value >= wanted)


def _worst(name: str, cells: list[Cell], wanted: float) -> Goal:
    goal = f">= {wanted:.2f}x, each"
    found = [(one.best_rival[1], one) for one in cells if one.best_rival]
    if not found:
        return Goal(name, goal)
    ratio, cell = min(found, key=lambda one: one[0].center)
    below = sum(one.center < math.log(wanted) for one, _ in found)
    text = f"{ratio.ratio().value:.2f}x {cell.task.name[:10]}"
    text += f", {below} below" if below else ""
    return Goal(name, goal, text, below == 0)


def _text(ratio: effect.Ratio) -> str:
    return f"{ratio.value:.2f}x ±{ratio.spread * 100:.1f}%"


def _peaks(figures: list[dict[str, Any]]) -> list[tuple[str, dict[str, Any]]]:
    return [
        (row["document"], row["bytes"])
        for row in figures
        if row["task"] == "loads" and model.OURS in row["bytes"]
    ]


def _peak(figures: list[dict[str, Any]]) -> Goal:
    """Peak of loads: at most 1.25 times the tree plus 64 kB."""
    goal = Goal("loads peak, seed", "<= 1.25x + 64 kB")
    usual = set(USUAL)
    found = [
        ((own["peak"] - SLACK) / own["own"], name)
        for name, row in _peaks(figures)
        if name in usual and (own := row[model.OURS])
    ]
    if not found:
        return goal
    worst, name = max(found)
    return Goal(goal.name, goal.wanted, f"{worst:.2f}x {name}", worst <= 1.25)


def _excess(figures: list[dict[str, Any]]) -> Goal:
    """Excess of loads over its tree: at most 0.6 times that of orjson."""
    goal = Goal("loads excess, each", "<= 0.60 of orjson's")
    found = []
    for name, row in _peaks(figures):
        if model.REFERENCE not in row:
            continue
        ours = memory.excess(row[model.OURS])
        theirs = memory.excess(row[model.REFERENCE])
        if ours > SLACK or theirs > SLACK:
            found.append((ours / max(theirs, 1.0), name))
    if not found:
        return goal
    worst, name = max(found)
    text = f"{min(worst, 999):.2f} {name}"
    return Goal(goal.name, goal.wanted, text, worst <= 0.6)


def shown(found: list[Goal]) -> str:
    """Return the table."""
    lines = [table.paint(f"{'goals':<29}{'wanted':<20}{'':<5}measured", table.BOLD)]
    for one in found:
        mark = {True: "yes", False: "NO", None: ""}[one.reached]
        style = {True: table.GREEN, False: table.RED, None: table.DIM}[one.reached]
        row = f"  {one.name:<27}{one.wanted:<20}{mark:<5}{one.measured}"
        lines.append(table.paint(row.rstrip()[: table.WIDTH], style))
    return "\n".join(lines)
