"""Ratios to a reference, and their geometric means over documents.

Separate because each part of the answer compares in the same way. Invariants: a mean
covers the documents that all of its contenders share; documents vary independently, so
their intervals add as squares on a logarithmic scale. Used by the parts of the answer.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from snooze_lab import contenders
from snooze_lab.model import AGAIN, INSTRUMENTS, REFERENCE, STANDARD, Effect, Row
from snooze_lab.results_types import Mean

if TYPE_CHECKING:
    from collections.abc import Sequence

    from snooze_lab.results_types import Results

LOOK_ALIKE = "look-alike"
ONE = Mean(1.0, 1.0, 1.0, 1.0, 1.0)
#: A ratio and both ends of its interval.
Span = tuple[float, float, float]


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
    results: Results, operation: str, reference: str, instrument: str
) -> dict[str, dict[str, Effect]]:
    """Return the effects of one instrument.

    Rows under other conditions than the usual ones, and rows with another baseline, do
    not take part; a document that occurs twice counts once.
    """
    found: dict[str, dict[str, Effect]] = {}
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
                found.setdefault(name, {})[line.workload] = effect
    return found


def shared(
    found: dict[str, dict[str, Effect]],
) -> tuple[list[str], dict[str, list[Effect]]]:
    """Return the largest set of documents that a contender has, and who has all of it.

    Contenders are compared only over the same documents.
    """
    if not found:
        return [], {}
    name = max(found, key=lambda name: len(found[name]))
    most = list(found[name])
    return most, {
        name: [one[document] for document in most]
        for name, one in found.items()
        if one.keys() >= set(most)
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
