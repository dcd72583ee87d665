"""JSON libraries by speed: geometric means over documents, and who leads.

Separate because the first figure, two sentences and the advice are made of it.
Invariants: libraries of one list were measured on the same documents; a library that
interval or noise cannot separate from the best leads with it. Used by answer.of.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from snooze_lab.answer.means import (
    ONE,
    mean_effect,
    over,
    ratios,
    reference_of,
    shared,
    timed,
)
from snooze_lab.model import AGAIN, INSTRUMENTS, OURS, STANDARD
from snooze_lab.results_types import Mean, Ranked, Ranking

if TYPE_CHECKING:
    from snooze_lab.model import Effect
    from snooze_lab.results_types import Results

#: By operation: its name in results.json.
SIDES = {"loads": "reading", "dumps": "writing"}
#: The same with classes.
TYPED = {"loads": "decode", "dumps": "encode"}


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
        documents={"reading": tuple(read), "writing": tuple(written)},
        rows=tuple(sorted(ranked, key=lambda row: row.speed, reverse=True)),
    )


def means(
    results: Results, operation: str, reference: str
) -> tuple[list[str], dict[str, Mean]]:
    """Return the documents, and the mean of each library over them."""
    documents, found = shared(ratios(results, operation, reference))
    if not found:
        return [], {}
    held = {name: mean_effect(effects) for name, effects in found.items()}
    return documents, held | {reference: ONE}


def leaders(results: Results, found: dict[str, Mean]) -> list[str]:
    """Return the fastest library, then those that cannot be told from it."""
    best = max(found, key=lambda name: found[name].value)
    lead, floor = found[best], results.noise.floor
    near = [
        name
        for name, one in found.items()
        if name != best
        and (lead.low <= one.high or lead.value / one.value - 1 <= floor)
    ]
    return [best, *near]


def typed(results: Results, *operations: str) -> tuple[list[str], dict[str, Mean]]:
    """Return the documents, and the mean of each way over all rows with classes.

    Ways are relative to the baselines of their rows. A way without a result on one of
    the rows does not take part.
    """
    speeds: dict[str, list[Effect]] = {}
    documents: list[str] = []
    for line in results.lines(*operations):
        bases = {
            one.baseline
            for cell in line.cells.values()
            for one in cell.effects.get("interleaved", {}).values()
        }
        if line.factors or len(bases) != 1:
            continue
        (base,) = bases
        documents.append(line.workload)
        for name, cell in line.cells.items():
            effect = timed(cell, base, INSTRUMENTS) if name != AGAIN else None
            if effect:
                speeds.setdefault(name, []).append(effect)
    return documents, {
        name: mean_effect(effects)
        for name, effects in speeds.items()
        if len(effects) == len(documents)
    }


def sentence(results: Results, operation: str) -> str:
    """Return who reads (`loads`) or writes (`dumps`) fastest, and by how much.

    A run over classes alone (`byob --typed`) is told by its classes.
    """
    reference = reference_of(results)
    documents, found = means(results, operation, reference)
    if not found:
        return _typed_sentence(results, operation)
    best, *near = leaders(results, found)
    others = [name for name in (OURS, STANDARD) if name not in {best, reference}]
    compared = [name for name in (best, *others) if name in found and name != reference]
    parts = []
    for at, name in enumerate(compared):
        who = "" if name == best and not near else f"{name} "
        end = f" times {reference}'s speed" if at == 0 else ""
        parts.append(f"{who}{found[name]}{end}")
    text = _first(best, near)
    text += f": {', '.join(parts)}" if parts else ""
    text += f" ({over(documents)})."
    if results.noise.verdict == "too noisy":
        text += " The run was too noisy to rank close results."
    elif results.noise.verdict == "unknown":
        text += " The run was too short to know its noise."
    return text


def _typed_sentence(results: Results, operation: str) -> str:
    documents, found = typed(results, TYPED[operation])
    if not found:
        return "not measured in this run."
    best, *near = leaders(results, found)
    return (
        f"with classes, {_first(best, near)}: {found[best]} times the speed of orjson "
        f"without them ({over(documents)})."
    )


def _first(best: str, near: list[str]) -> str:
    if not near:
        return f"{best} is fastest"
    return f"{', '.join([best, *near[:-1]])} and {near[-1]} are equal"
