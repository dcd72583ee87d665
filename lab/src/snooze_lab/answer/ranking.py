"""JSON libraries by speed: geometric means over documents, and who leads.

Invariants: libraries of one list were measured on the same documents; a library that
interval or noise cannot separate from the best leads with it. Used by answer.of.
"""

from __future__ import annotations

from typing import Any

from snooze_lab.answer.means import (
    ONE,
    Effect,
    Mean,
    effect_of,
    mean_of,
    over,
    ratios,
    reference_of,
    rows,
    shared,
)
from snooze_lab.model import AGAIN, OURS, STANDARD

#: By operation: its name in results.json.
SIDES = {"loads": "reading", "dumps": "writing"}
#: The same with classes.
TYPED = {"loads": "decode", "dumps": "encode"}


def of(results: dict[str, Any]) -> dict[str, Any] | None:
    """Return the ranking, the fastest library first; None without a comparison.

    `reference`, `documents` (by side), `left_out` (libraries without a result on every
    document), `rows`: name, `reading` and `writing` (a mean as
    plain data, or None), best first by the mean of both.
    """
    reference = reference_of(results)
    sides = {side: means(results, side, reference) for side in SIDES}
    if not any(found for _, found in sides.values()):
        return None
    names = dict.fromkeys(name for _, found in sides.values() for name in found)
    others = dict.fromkeys(
        name for side in SIDES for name in ratios(results, side, reference)
    )

    def speed(name: str) -> float:
        held = [found[name].value for _, found in sides.values() if name in found]
        return float((held[0] * held[-1]) ** 0.5)

    return {
        "reference": reference,
        "documents": {SIDES[side]: documents for side, (documents, _) in sides.items()},
        "left_out": [name for name in others if name not in names],
        "rows": [
            {"name": name}
            | {
                word: found[name].as_json() if name in found else None
                for side, word in SIDES.items()
                for found in [sides[side][1]]
            }
            for name in sorted(names, key=speed, reverse=True)
        ],
    }


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
