"""JSON libraries by speed: geometric means over documents, and who leads.

Invariants: libraries of one list were measured on the same documents; a library that
interval or noise cannot separate from the best leads with it. Used by answer.of.
"""

from __future__ import annotations

from typing import Any

from snooze_lab.answer.means import (
    ONE,
    Mean,
    mean_of,
    over,
    ratios,
    reference_of,
    shared,
)
from snooze_lab.model import OURS, STANDARD

#: By operation: its name in results.json.
SIDES = {"loads": "reading", "dumps": "writing"}


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


def sentence(results: dict[str, Any], operation: str) -> str:
    """Return who reads (`loads`) or writes (`dumps`) fastest, and by how much."""
    reference = reference_of(results)
    documents, found = means(results, operation, reference)
    if not found:
        return "not measured in this run."
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


def _listed(names: list[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}"
