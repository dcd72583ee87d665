"""The short answer of a run: three sentences that a newcomer can act on.

Separate because it is the part that everybody reads and the easiest to get wrong.
Invariants: each sentence is made of effects of this run, names what it is over and
carries its interval; where the run was too noisy, or had no such contest, it says so
and claims nothing. Used by results.py.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from snooze_lab.model import AGAIN, OURS, REFERENCE

if TYPE_CHECKING:
    from collections.abc import Iterator

WORDS = {"loads": "Reading", "dumps": "Writing"}
NOT_JSON = {"copy", "build only"}


def lines(results: dict[str, Any]) -> list[str]:
    """Return the three sentences: reading, writing, memory."""
    return [
        _speed(results, "loads"),
        _speed(results, "dumps"),
        _memory(results),
    ]


def _speed(results: dict[str, Any], operation: str) -> str:
    word = WORDS[operation]
    ratios = _ratios(results, operation)
    if not ratios:
        return f"{word} JSON: this run has no contest that says."
    common = max(len(found) for found in ratios.values())
    whole = {name: one for name, one in ratios.items() if len(one) == common}
    means = {
        name: _mean([one["ratio"] for one in found]) for name, found in whole.items()
    }
    best = max(means, key=lambda name: means[name])
    if means[best] < 1:
        best, means[REFERENCE] = REFERENCE, 1.0
    over = f"geometric mean of {common} documents" if common > 1 else "one document"
    parts = [f"{word} JSON ({over}): "]
    if best == REFERENCE:
        parts.append(f"{best} is fastest")
    else:
        shown = _times(means[best], whole[best])
        parts.append(f"{best} is fastest, {shown} as {REFERENCE}")
    if OURS in means and best != OURS:
        parts.append(f"; {OURS} {_times(means[OURS], whole[OURS])}")
    if "json" in means:
        parts.append(f"; the standard library {_times(means['json'], whole['json'])}")
    text = "".join(parts) + "."
    if results["noise"]["verdict"] == "too noisy":
        text += " The run was too noisy to rank what lies close together."
    return text


def _times(mean: float, found: list[dict[str, Any]]) -> str:
    """Return the mean ratio, with the interval or the range of the single ones."""
    if len(found) == 1:
        low, high = found[0]["low"], found[0]["high"]
        return f"{mean:.2f} [{low:.2f}, {high:.2f}] times as fast"
    ratios = [one["ratio"] for one in found]
    return f"{mean:.2f} ({min(ratios):.2f} to {max(ratios):.2f}) times as fast"


def _ratios(results: dict[str, Any], operation: str) -> dict[str, list[dict[str, Any]]]:
    """Return the effects on time by contender, over plain JSON documents."""
    found: dict[str, list[dict[str, Any]]] = {}
    seen: set[str] = set()
    for row in _rows(results, operation):
        base = row["cells"].get(REFERENCE, {})
        if row["factors"] or row["workload"] in seen or base.get("status") != "ok":
            continue
        effects = {
            name: cell["effects"]["interleaved"]["time"]
            for name, cell in row["cells"].items()
            if cell["status"] == "ok"
            and name not in {AGAIN, *NOT_JSON}
            and "time" in cell["effects"].get("interleaved", {})
        }
        if effects:
            seen.add(row["workload"])
        for name, effect in effects.items():
            if effect["baseline"] == REFERENCE:
                found.setdefault(name, []).append(effect)
    return found


def _rows(results: dict[str, Any], operation: str) -> Iterator[dict[str, Any]]:
    for study in results["studies"]:
        for table in study["tables"]:
            for row in table["rows"]:
                if row["operation"] == operation:
                    yield row


def _memory(results: dict[str, Any]) -> str:
    """Return the peak of reading, relative to what the result itself takes."""
    found: dict[str, list[float]] = {}
    for row in _rows(results, "loads"):
        for name, cell in row["cells"].items():
            values = cell["quantities"]
            if cell["status"] != "ok" or name == AGAIN or "tree" not in values:
                continue
            if values["tree"]["value"] > 0 and values["peak"]["value"] > 0:
                ratio = values["peak"]["value"] / values["tree"]["value"]
                found.setdefault(name, []).append(ratio)
    if not found:
        return "Memory: this run did not look at it."
    means = {name: _mean(ratios) for name, ratios in found.items()}
    ordered = sorted(means, key=lambda name: means[name])
    leanest, most = ordered[0], ordered[-1]
    text = (
        f"Memory while reading: {leanest} needs {means[leanest]:.2f} times what its "
        f"result takes, {most} {means[most]:.2f} times"
    )
    if OURS in means and OURS not in {leanest, most}:
        text += f"; {OURS} {means[OURS]:.2f}"
    return text + "."


def _mean(values: list[float]) -> float:
    return math.exp(math.fsum(map(math.log, values)) / len(values))
