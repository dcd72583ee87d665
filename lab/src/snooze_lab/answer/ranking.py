"""JSON libraries by speed: ratios, geometric means over documents, and who leads.

Separate because the first figure, two sentences and the advice are made of it.
Invariants: libraries of one list were measured on the same documents, by one
instrument; documents vary independently, so their intervals add as squares on a
logarithmic scale; a library that interval or noise cannot separate from the best leads
with it, and that interval is of their own ratio, taken in the blocks that both were
measured in. Used by the parts of the answer.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from snooze_lab import contenders
from snooze_lab.model import (
    AGAIN,
    INSTRUMENTS,
    OURS,
    REFERENCE,
    STANDARD,
    UNTYPED,
    Effect,
    Row,
)
from snooze_lab.stored.results_types import Mean, Ranked, Ranking
from snooze_lab.units import counted, listed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from snooze_lab.stored.results_types import Line, Results

    #: The speed of a contender relative to another one in a contest, by an instrument;
    #: None if they share no block. Names: contest, contender, other, instrument.
    Paired = Callable[[str, str, str, str], Effect | None]

LOOK_ALIKE = "look-alike"
ONE = Mean(1.0, 1.0, 1.0, 1.0, 1.0)
#: A ratio and both ends of its interval.
Span = tuple[float, float, float]
#: By operation: its name in results.json.
SIDES = {"loads": "reading", "dumps": "writing"}
#: The same with classes.
TYPED = {"loads": "decode", "dumps": "encode"}
#: How the names of ways without classes end.
_UNTYPED = tuple(name.removeprefix(REFERENCE) for name in UNTYPED.values())


class Place(NamedTuple):
    """Where libraries were compared: a document, its contest, and the instrument."""

    workload: str
    contest: str
    instrument: str


def mean_of(found: Sequence[Span]) -> Mean:
    """Return the geometric mean of ratios on different documents."""
    logs = [math.log(ratio) for ratio, _, _ in found]
    half = math.hypot(*(math.log(high / low) / 2 for _, low, high in found)) / len(logs)
    center = math.fsum(logs) / len(logs)
    ends = (math.exp(center - half), math.exp(center + half))
    if len(found) == 1:
        ends = found[0][1:]
    return Mean(math.exp(center), *ends, math.exp(min(logs)), math.exp(max(logs)))


def mean_effect(found: Sequence[Effect]) -> Mean:
    """Return the geometric mean of effects on different documents."""
    return mean_of([(one.ratio, one.low, one.high) for one in found])


class Compared(NamedTuple):
    """The mean of each library, or way to use one, over the same documents.

    `bases` are what the means are relative to, `left_out` those without a result on
    every document.
    """

    places: list[Place]
    means: dict[str, Mean]
    bases: list[str]
    left_out: tuple[str, ...] = ()

    @property
    def measure(self) -> str:
        """What the means are relative to, in words."""
        return " and ".join(self.bases)

    def leaders(self, floor: float, paired: Paired) -> list[str]:
        """Return the fastest library, then those that cannot be told from it.

        The fastest is compared with each other one by `_lead`. Of equal libraries the
        fastest is one by chance; that its interval excludes 1 against all others is no
        likelier than against one (Gutmann and Maymin 1987), so nothing is corrected.
        """
        best = max(self.means, key=lambda name: self.means[name].value)
        near = []
        for name in [one for one in self.means if one != best]:
            by = self._lead(best, name, paired)
            if by.low <= 1 or by.value - 1 <= floor:
                near.append(name)
        return [best, *near]

    def _lead(self, best: str, other: str, paired: Paired) -> Mean:
        """Return the speed of one library relative to another one.

        Of the blocks that both were measured in; where there are none, of their means
        and the far ends of these.
        """
        own = [paired(at.contest, best, other, at.instrument) for at in self.places]
        effects = [one for one in own if one and one.n > 1]
        if effects and len(effects) == len(self.places):
            return mean_effect(effects)
        one, two = self.means[best], self.means[other]
        ratio = one.value / two.value
        return Mean(ratio, one.low / two.high, one.high / two.low, ratio, ratio)

    def by_blocks(self, best: str, paired: Paired) -> str:
        """Return what tells the best from the next one whose interval meets its own."""
        low = self.means[best].low
        meeting = {name: one for name, one in self.means.items() if one.high >= low}
        del meeting[best]
        if not meeting:
            return ""
        second = max(meeting, key=lambda name: meeting[name].value)
        by = self._lead(best, second, paired)
        return f"; block by block {by} times {second}'s"

    def over(self) -> str:
        """Describe the documents."""
        text = counted(len(self.places), "document")
        alike = sum(one.workload.startswith(LOOK_ALIKE) for one in self.places)
        if not alike:
            return text
        who = f"{alike} of them " if len(self.places) > 1 else ""
        return f"{text}, {who}generated to look alike"


def format_of(name: str) -> str:
    """Return a contender's format: `json`, `msgpack` and so on, `json` if unknown."""
    try:
        return contenders.known(name).format
    except contenders.UnknownContenderError:
        return "json"  # a contender of another tool


def json_cells(line: Line) -> Iterator[tuple[str, Row]]:
    """Yield the JSON libraries of a row that were right, each once, with its cell."""
    for name, cell in line.cells.items():
        if cell.status == "ok" and name != AGAIN and format_of(name) == "json":
            yield name, cell


def timed(cell: Row, baseline: str, instruments: Sequence[str]) -> Effect | None:
    """Return a cell's ratio of times to a baseline, by the first instrument with one.

    None without any, and for a ratio of a single sample, which has no interval.
    """
    for name, found in cell.ratios("time"):
        if name in instruments and found.baseline == baseline and found.n > 1:
            return found
    return None


def reference_of(results: Results) -> str:
    """Return what speeds are compared with: orjson, without it the standard library.

    A report can be asked for another one.
    """
    if results.relative_to:
        return results.relative_to
    for line in results.lines("loads", "dumps"):
        if REFERENCE in line.cells and line.cells[REFERENCE].status == "ok":
            return REFERENCE
    return STANDARD


def compared(results: Results, operation: str, reference: str) -> Compared:
    """Return the JSON libraries over the most documents that one of them has.

    All are of one instrument: the interleaved one if the run used it.
    """
    for instrument in INSTRUMENTS:
        found = _ratios(results, operation, reference, instrument)
        if found:
            break
    else:
        return Compared([], {}, [reference])
    most = list(found[max(found, key=lambda name: len(found[name]))])
    means = {
        name: mean_effect([one[place] for place in most])
        for name, one in found.items()
        if one.keys() >= set(most)
    }
    left_out = tuple(name for name in found if name not in means)
    return Compared(most, means | {reference: ONE}, [reference], left_out)


def _ratios(
    results: Results, operation: str, reference: str, instrument: str
) -> dict[str, dict[Place, Effect]]:
    """Return the effects of one instrument.

    Rows under other conditions than the usual ones, and rows with another baseline, do
    not take part; a document that occurs twice counts once.
    """
    found: dict[str, dict[Place, Effect]] = {}
    seen: set[str] = set()
    for line in results.lines(operation):
        base = line.cells.get(reference)
        if line.factors or line.workload in seen or not base or base.status != "ok":
            continue
        for name, cell in json_cells(line):
            if effect := timed(cell, reference, [instrument]):
                seen.add(line.workload)
                place = Place(line.workload, line.contest, instrument)
                found.setdefault(name, {})[place] = effect
    return found


def of(results: Results) -> Ranking | None:
    """Return the ranking, the fastest library first; None without a comparison."""
    reference = reference_of(results)
    reading = compared(results, "loads", reference)
    writing = compared(results, "dumps", reference)
    named = reading.means | writing.means
    if not named:
        return None
    left_out = dict.fromkeys(reading.left_out + writing.left_out)
    ranked = [
        Ranked(name, reading.means.get(name), writing.means.get(name)) for name in named
    ]
    return Ranking(
        reference=reference,
        left_out=tuple(name for name in left_out if name not in named),
        documents={
            "reading": tuple(one.workload for one in reading.places),
            "writing": tuple(one.workload for one in writing.places),
        },
        rows=tuple(sorted(ranked, key=lambda row: row.speed, reverse=True)),
    )


def typed(results: Results, *operations: str) -> Compared:
    """Return the mean of each way over all rows with classes.

    Ways are relative to the baselines of their rows. A way without a result on one of
    the rows does not take part, and neither does one without classes.
    """
    speeds: dict[str, list[Span]] = {}
    places: list[Place] = []
    measures: dict[str, None] = {}
    for line in results.lines(*operations):
        bases = {
            one.baseline
            for cell in line.cells.values()
            for one in cell.effects.get("interleaved", {}).values()
        }
        if line.factors or len(bases) != 1:
            continue
        (base,) = bases
        places.append(Place(line.workload, line.contest, INSTRUMENTS[0]))
        measures[base] = None
        speeds.setdefault(base, []).append((1.0, 1.0, 1.0))
        for name, cell in line.cells.items():
            effect = timed(cell, base, INSTRUMENTS) if name != AGAIN else None
            if effect:
                span = (effect.ratio, effect.low, effect.high)
                speeds.setdefault(name, []).append(span)
    means = {
        name: mean_of(spans)
        for name, spans in speeds.items()
        if len(spans) == len(places) and _has_classes(name)
    }
    # A baseline alone is no comparison.
    means = means if means.keys() - measures.keys() else {}
    return Compared(places, means, list(measures))


def _has_classes(way: str) -> bool:
    """Tell whether a way is one with classes, of whatever library."""
    return not way.endswith(_UNTYPED)


def sentence(results: Results, operation: str, paired: Paired) -> str:
    """Return who reads (`loads`) or writes (`dumps`) fastest, and by how much.

    A run over classes alone (`byob --typed`) is told by its classes.
    """
    reference = reference_of(results)
    found = compared(results, operation, reference)
    if not found.means:
        return _typed_sentence(results, operation, paired)
    best, *near = found.leaders(results.noise.floor, paired)
    parts: list[str] = []
    for name in dict.fromkeys((best, OURS, STANDARD)):
        if name in found.means and name != reference:
            who = "" if name == best and not near else f"{name} "
            end = "" if parts else f" times {reference}'s speed"
            parts.append(f"{who}{found.means[name]}{end}")
    text = _first(best, near)
    text += f": {', '.join(parts)}" if parts else ""
    text += "" if near else found.by_blocks(best, paired)
    text += f" ({found.over()})."
    if results.noise.verdict == "too noisy":
        text += " The run was too noisy to rank close results."
    elif results.noise.verdict == "unknown":
        text += " The run was too short to know its noise."
    return text


def _typed_sentence(results: Results, operation: str, paired: Paired) -> str:
    found = typed(results, TYPED[operation])
    if not found.means:
        return "not measured in this run."
    best, *near = found.leaders(results.noise.floor, paired)
    text = f"with classes, {_first(best, near)}"
    if best not in found.bases:
        who = f"{best} " if near else ""
        text += f": {who}{found.means[best]} times the speed of {found.measure}"
    if not near:
        text += found.by_blocks(best, paired)
    return f"{text} ({found.over()})."


def _first(best: str, near: list[str]) -> str:
    if not near:
        return f"{best} is fastest"
    return f"{listed([best, *near])} cannot be told apart"
