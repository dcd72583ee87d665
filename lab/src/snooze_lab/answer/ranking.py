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

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from snooze_lab.stored.results_types import Results

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


def format_of(name: str) -> str:
    """Return a contender's format: `json`, `msgpack` and so on, `json` if unknown."""
    try:
        return contenders.known(name).format
    except contenders.UnknownContenderError:
        return "json"  # a contender of another tool


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


def ratios(
    results: Results, operation: str, reference: str
) -> dict[str, dict[Place, Effect]]:
    """Return the effects on time of JSON libraries, by contender and document.

    All are of one instrument: the interleaved one if the run used it.
    """
    for instrument in INSTRUMENTS:
        found = _ratios(results, operation, reference, instrument)
        if found:
            return found
    return {}


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
        for name, cell in line.cells.items():
            if cell.status != "ok" or name == AGAIN or format_of(name) != "json":
                continue
            if effect := timed(cell, reference, [instrument]):
                seen.add(line.workload)
                place = Place(line.workload, line.contest, instrument)
                found.setdefault(name, {})[place] = effect
    return found


def shared(
    found: dict[str, dict[Place, Effect]],
) -> tuple[list[Place], dict[str, list[Effect]]]:
    """Return the largest set of documents that a contender has, and who has all of it.

    Contenders are compared only over the same documents.
    """
    if not found:
        return [], {}
    name = max(found, key=lambda name: len(found[name]))
    most = list(found[name])
    return most, {
        name: [one[place] for place in most]
        for name, one in found.items()
        if one.keys() >= set(most)
    }


def over(places: Sequence[Place]) -> str:
    """Describe the documents that a sentence covers."""
    count = len(places)
    text = f"{count} documents" if count > 1 else "1 document"
    alike = sum(one.workload.startswith(LOOK_ALIKE) for one in places)
    if not alike:
        return text
    who = f"{alike} of them " if count > 1 else ""
    return f"{text}, {who}generated to look alike"


def of(results: Results) -> Ranking | None:
    """Return the ranking, the fastest library first; None without a comparison."""
    reference = reference_of(results)
    read, reading = means(results, "loads", reference)
    written, writing = means(results, "dumps", reference)
    if not reading and not writing:
        return None
    named = reading | writing
    others = dict.fromkeys(
        name for side in SIDES for name in ratios(results, side, reference)
    )
    ranked = [Ranked(name, reading.get(name), writing.get(name)) for name in named]
    return Ranking(
        reference=reference,
        left_out=tuple(name for name in others if name not in named),
        documents={
            "reading": tuple(one.workload for one in read),
            "writing": tuple(one.workload for one in written),
        },
        rows=tuple(sorted(ranked, key=lambda row: row.speed, reverse=True)),
    )


def means(
    results: Results, operation: str, reference: str
) -> tuple[list[Place], dict[str, Mean]]:
    """Return the documents, and the mean of each library over them."""
    places, found = shared(ratios(results, operation, reference))
    if not found:
        return [], {}
    held = {name: mean_effect(effects) for name, effects in found.items()}
    return places, held | {reference: ONE}


def leaders(
    found: dict[str, Mean], places: Sequence[Place], floor: float, paired: Paired
) -> list[str]:
    """Return the fastest library, then those that cannot be told from it.

    The fastest is compared with each other one by `lead`. Of equal libraries the
    fastest is one by chance; that its interval excludes 1 against all others is no
    likelier than against one (Gutmann and Maymin 1987), so nothing is corrected.
    """
    best = max(found, key=lambda name: found[name].value)
    near = []
    for name in [one for one in found if one != best]:
        by = lead(best, name, found, places, paired)
        if by.low <= 1 or by.value - 1 <= floor:
            near.append(name)
    return [best, *near]


def lead(
    best: str,
    other: str,
    found: dict[str, Mean],
    places: Sequence[Place],
    paired: Paired,
) -> Mean:
    """Return the speed of one library relative to another one, over these documents.

    Of the blocks that both were measured in; where there are none, of their means and
    the far ends of these.
    """
    own = [paired(one.contest, best, other, one.instrument) for one in places]
    effects = [one for one in own if one and one.n > 1]
    if effects and len(effects) == len(places):
        return mean_effect(effects)
    one, two = found[best], found[other]
    ratio = one.value / two.value
    return Mean(ratio, one.low / two.high, one.high / two.low, ratio, ratio)


class Typed(NamedTuple):
    """The documents, the mean of each way with classes over them, and the baselines."""

    places: list[Place]
    means: dict[str, Mean]
    bases: list[str]

    @property
    def measure(self) -> str:
        """What the means are relative to."""
        return " and ".join(self.bases)


def typed(results: Results, *operations: str) -> Typed:
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
    return Typed(places, means, list(measures))


def _has_classes(way: str) -> bool:
    """Tell whether a way is one with classes, of whatever library."""
    return not way.endswith(_UNTYPED)


def sentence(results: Results, operation: str, paired: Paired) -> str:
    """Return who reads (`loads`) or writes (`dumps`) fastest, and by how much.

    A run over classes alone (`byob --typed`) is told by its classes.
    """
    reference = reference_of(results)
    places, found = means(results, operation, reference)
    if not found:
        return _typed_sentence(results, operation, paired)
    best, *near = leaders(found, places, results.noise.floor, paired)
    others = [name for name in (OURS, STANDARD) if name not in {best, reference}]
    compared = [name for name in (best, *others) if name in found and name != reference]
    parts = []
    for at, name in enumerate(compared):
        who = "" if name == best and not near else f"{name} "
        end = f" times {reference}'s speed" if at == 0 else ""
        parts.append(f"{who}{found[name]}{end}")
    text = _first(best, near)
    text += f": {', '.join(parts)}" if parts else ""
    text += "" if near else _by_blocks(best, found, places, paired)
    text += f" ({over(places)})."
    if results.noise.verdict == "too noisy":
        text += " The run was too noisy to rank close results."
    elif results.noise.verdict == "unknown":
        text += " The run was too short to know its noise."
    return text


def _typed_sentence(results: Results, operation: str, paired: Paired) -> str:
    found = typed(results, TYPED[operation])
    if not found.means:
        return "not measured in this run."
    floor = results.noise.floor
    best, *near = leaders(found.means, found.places, floor, paired)
    text = f"with classes, {_first(best, near)}"
    if best not in found.bases:
        who = f"{best} " if near else ""
        text += f": {who}{found.means[best]} times the speed of {found.measure}"
    if not near:
        text += _by_blocks(best, found.means, found.places, paired)
    return f"{text} ({over(found.places)})."


def _by_blocks(
    best: str, found: dict[str, Mean], places: Sequence[Place], paired: Paired
) -> str:
    """Return what tells the fastest from the next one whose interval meets its own."""
    meeting = [
        name for name in found if name != best and found[name].high >= found[best].low
    ]
    if not meeting:
        return ""
    second = max(meeting, key=lambda name: found[name].value)
    by = lead(best, second, found, places, paired)
    return f"; block by block {by} times {second}'s"


def _first(best: str, near: list[str]) -> str:
    if not near:
        return f"{best} is fastest"
    return f"{', '.join([best, *near[:-1]])} and {near[-1]} cannot be told apart"
