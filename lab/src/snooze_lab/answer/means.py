"""Ratios to a reference, and their geometric means over documents.

Separate because each part of the answer compares in the same way. Invariants: a mean
covers the documents that all of its contenders share; documents vary independently, so
their intervals add as squares on a logarithmic scale. Used by the parts of the answer.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from snooze_lab import contenders
from snooze_lab.model import AGAIN, REFERENCE, STANDARD
from snooze_lab.results_types import Mean

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

LOOK_ALIKE = "look-alike"
INSTRUMENTS = ("interleaved", "isolated")
Effect = dict[str, Any]


ONE = Mean(1.0, 1.0, 1.0, 1.0, 1.0)


def mean_of(found: Sequence[Effect]) -> Mean:
    """Return the geometric mean of effects of different documents."""
    logs = [math.log(one["ratio"]) for one in found]
    halves = [math.log(one["high"] / one["low"]) / 2 for one in found]
    half = math.hypot(*halves) / len(found)
    center = math.fsum(logs) / len(logs)
    ends = (math.exp(center - half), math.exp(center + half))
    if len(found) == 1:
        ends = (found[0]["low"], found[0]["high"])
    return Mean(math.exp(center), *ends, math.exp(min(logs)), math.exp(max(logs)))


def rows(results: dict[str, Any], *operations: str) -> Iterator[dict[str, Any]]:
    """Return the rows of all tables that measure one of these operations."""
    for study in results["studies"]:
        for table in study["tables"]:
            for row in table["rows"]:
                if row["operation"] in operations:
                    yield row


def format_of(name: str) -> str:
    """Return a contender's format: `json`, `msgpack` and so on, `json` if unknown."""
    try:
        return contenders.known(name).format
    except contenders.UnknownContenderError:
        return "json"  # a contender of another tool


def effect_of(
    cell: dict[str, Any],
    metric: str,
    baseline: str,
    instruments: Sequence[str] = INSTRUMENTS,
) -> Effect | None:
    """Return a cell's ratio to a baseline, by the first instrument that has it.

    None without any, and for a ratio of a single sample, which has no interval.
    """
    for instrument in instruments:
        found = cell["effects"].get(instrument, {}).get(metric)
        if found and found["baseline"] == baseline and found["n"] > 1:
            return dict(found)
    return None


def reference_of(results: dict[str, Any]) -> str:
    """Return what speeds are compared with: orjson, without it the standard library.

    A report can be asked for another one.
    """
    if results.get("relative_to"):
        return str(results["relative_to"])
    for row in rows(results, "loads", "dumps"):
        if row["cells"].get(REFERENCE, {}).get("status") == "ok":
            return REFERENCE
    return STANDARD


def ratios(
    results: dict[str, Any], operation: str, reference: str
) -> dict[str, dict[str, Effect]]:
    """Return the effects on time of JSON libraries, by contender and document.

    All are of one instrument: the interleaved one if the run used it.
    """
    for instrument in INSTRUMENTS:
        found = _ratios(results, operation, reference, instrument)
        if found:
            return found
    return {}


def _ratios(
    results: dict[str, Any], operation: str, reference: str, instrument: str
) -> dict[str, dict[str, Effect]]:
    """Return the effects of one instrument.

    Rows under other conditions than the usual ones, and rows with another baseline, do
    not take part; a document that occurs twice counts once.
    """
    found: dict[str, dict[str, Effect]] = {}
    seen: set[str] = set()
    for row in rows(results, operation):
        base = row["cells"].get(reference, {})
        if row["factors"] or row["workload"] in seen or base.get("status") != "ok":
            continue
        effects = {
            name: effect
            for name, cell in row["cells"].items()
            if cell["status"] == "ok"
            and name != AGAIN
            and format_of(name) == "json"
            and (effect := effect_of(cell, "time", reference, [instrument]))
        }
        if effects:
            seen.add(row["workload"])
        for name, effect in effects.items():
            found.setdefault(name, {})[row["workload"]] = effect
    return found


def shared(found: dict[str, dict[str, Any]]) -> tuple[list[str], dict[str, Any]]:
    """Return the largest set of documents that a contender has, and who has all of it.

    Contenders are compared only over the same documents.
    """
    if not found:
        return [], {}
    most = max(found.values(), key=len)
    return list(most), {
        name: {document: one[document] for document in most}
        for name, one in found.items()
        if most.keys() <= one.keys()
    }


def over(documents: Sequence[str]) -> str:
    """Describe the documents that a sentence covers."""
    count = len(documents)
    text = f"{count} documents" if count > 1 else "1 document"
    alike = sum(one.startswith(LOOK_ALIKE) for one in documents)
    if not alike:
        return text
    who = f"{alike} of them " if count > 1 else ""
    return f"{text}, {who}generated to look alike"
