"""JSON libraries by speed: geometric means over documents, and who leads.

Invariants: libraries of one list were measured on the same documents; a library that
interval or noise cannot separate from the best leads with it. Used by answer.of.
"""

from __future__ import annotations

from typing import Any

from snooze_lab.answer.means import (
    ONE,
    Effect,
    effect_of,
    mean_of,
    over,
    ratios,
    reference_of,
    rows,
    shared,
)
from snooze_lab.model import AGAIN, OURS, STANDARD
from snooze_lab.results_types import Mean, Ranked, Ranking

#: By operation: its name in results.json.
SIDES = {"loads": "reading", "dumps": "writing"}
#: The same with classes.
TYPED = {"loads": "decode", "dumps": "encode"}


def of(results: dict[str, Any]) -> Ranking | None:
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
    results: dict[str, Any], operation: str, reference: str
) -> tuple[list[str], dict[str, Mean]]:
    """Return the documents, and the mean of each library over them."""
    documents, found = shared(ratios(results, operation, reference))
    if not found:
        return [], {}
    held = {name: mean_of(list(of.values())) for name, of in found.items()}
    return documents, held | {reference: ONE}


def leaders(results: dict[str, Any], found: dict[str, Mean]) -> list[str]:
    """Return the fastest library, then those that cannot be told from it."""
    best = max(found, key=lambda name: found[name].value)
    floor = results["noise"]["floor"]
    lead = found[best]
    near = [
        name
        for name, one in found.items()
        if name != best
        and (lead.low <= one.high or lead.value / one.value - 1 <= floor)
    ]
    return [best, *near]


def typed(
    results: dict[str, Any], *operations: str
) -> tuple[list[str], dict[str, Mean]]:
    """Return the documents, and the mean of each way over all rows with classes.

    Ways are relative to the baselines of their rows. A way without a result on one of
    the rows does not take part.
    """
    speeds: dict[str, list[Effect]] = {}
    documents: list[str] = []
    for row in rows(results, *operations):
        bases = {
            one["baseline"]
            for cell in row["cells"].values()
            for one in cell["effects"].get("interleaved", {}).values()
        }
        if row["factors"] or len(bases) != 1:
            continue
        (base,) = bases
        documents.append(row["workload"])
        for name, cell in row["cells"].items():
            effect = effect_of(cell, "time", base) if name != AGAIN else None
            if effect:
                speeds.setdefault(name, []).append(effect)
    whole = {n: mean_of(of) for n, of in speeds.items() if len(of) == len(documents)}
    return documents, whole


def sentence(results: dict[str, Any], operation: str) -> str:
    """Return who reads (`loads`) or writes (`dumps`) fastest, and by how much.

    A run over classes alone (`byob --typed`) is told by its classes.
    """
    reference = reference_of(results)
    documents, found = means(results, operation, reference)
    if not found:
        return _typed_sentence(results, operation)
    best, *near = leaders(results, found)
    text = f"{best} is fastest" if not near else f"{_listed([best, *near])} are equal"
    others = [name for name in (OURS, STANDARD) if name not in {best, reference}]
    compared = [name for name in (best, *others) if name in found and name != reference]
    parts = []
    for at, name in enumerate(compared):
        who = "" if name == best and not near else f"{name} "
        end = f" times {reference}'s speed" if at == 0 else ""
        parts.append(f"{who}{found[name]}{end}")
    text += f": {', '.join(parts)}" if parts else ""
    text += f" ({over(documents)})."
    verdict = results["noise"]["verdict"]
    if verdict == "too noisy":
        text += " The run was too noisy to rank close results."
    elif verdict == "unknown":
        text += " The run was too short to know its noise."
    return text


def _typed_sentence(results: dict[str, Any], operation: str) -> str:
    documents, found = typed(results, TYPED[operation])
    if not found:
        return "not measured in this run."
    best, *near = leaders(results, found)
    text = f"{best} is fastest" if not near else f"{_listed([best, *near])} are equal"
    return (
        f"with classes, {text}: {found[best]} times the speed of orjson without them "
        f"({over(documents)})."
    )


def _listed(names: list[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}"
