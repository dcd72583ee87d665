"""The short answer of a run: three sentences that a newcomer can act on.

Separate because everybody reads these sentences first, and they are easy to get wrong.
Invariants: each sentence is made of effects of this run, names the workloads that it
covers, and carries its interval; contenders that interval and noise cannot separate
from the best are named with it; only results over the same documents are compared; if
the run was too noisy, or had no such contest, the sentence says so. Used by results.py.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from snooze_lab import contenders
from snooze_lab.model import AGAIN, OURS, REFERENCE, STANDARD

if TYPE_CHECKING:
    from collections.abc import Iterator

WORDS = {"loads": "Reading", "dumps": "Writing"}
LOOK_ALIKE = "look-alike"
SHOWN = ("tree", "peak")
#: By contender and document.
Effects = dict[str, dict[str, dict[str, Any]]]


@dataclass(frozen=True)
class Mean:
    """The geometric mean of a contender's ratios, its interval, and their range."""

    value: float
    low: float
    high: float
    least: float
    most: float

    def __str__(self) -> str:
        """Return the text for use in a sentence."""
        spread = ""
        if self.least != self.most:
            spread = f" (each {self.least:.2f} to {self.most:.2f})"
        ends = f"[{self.low:.2f}, {self.high:.2f}]"
        return f"{self.value:.2f} {ends}{spread} times as fast"


def lines(results: dict[str, Any]) -> list[str]:
    """Return the three sentences: reading, writing, memory."""
    return [
        _speed(results, "loads"),
        _speed(results, "dumps"),
        _memory(results),
    ]


def _speed(results: dict[str, Any], operation: str) -> str:
    word = WORDS[operation]
    # Without orjson another library is the baseline, such as the standard library.
    reference, found = REFERENCE, _ratios(results, operation, REFERENCE)
    if not found:
        reference, found = STANDARD, _ratios(results, operation, STANDARD)
    documents, ratios = _shared(found)
    if not ratios:
        return f"{word} JSON: this run has no such contest."
    means = {name: _mean_of(list(found.values())) for name, found in ratios.items()}
    means[reference] = Mean(1.0, 1.0, 1.0, 1.0, 1.0)
    best = max(means, key=lambda name: means[name].value)
    floor = results["noise"]["floor"]
    near = [name for name in means if name != best and _near(means, best, name, floor)]
    parts = [f"{word} JSON ({_over(documents)}): "]
    if near:
        parts.append(f"{', '.join(near)} and {best} lead, too close to rank")
    else:
        parts.append(f"{best} is fastest")
    if best != reference:
        who = f"{best} " if near else ""
        parts.append(f", {who}{means[best]} as {reference}")
    for name, shown in ((OURS, OURS), (STANDARD, "the standard library")):
        if name in means and name not in {best, reference}:
            parts.append(f"; {shown} {means[name]}")
    text = "".join(parts) + "."
    if results["noise"]["verdict"] == "too noisy":
        text += " The run was too noisy to rank close results."
    elif results["noise"]["verdict"] == "unknown":
        text += " The run was too short to know its noise."
    return text


def _near(means: dict[str, Mean], best: str, name: str, floor: float) -> bool:
    """Tell whether a contender cannot be distinguished from the best in this run."""
    one, other = means[best], means[name]
    return one.low <= other.high or one.value / other.value - 1 <= floor


def _mean_of(found: list[dict[str, Any]]) -> Mean:
    """Return the mean of effects of different documents, which vary independently."""
    logs = [math.log(one["ratio"]) for one in found]
    halves = [math.log(one["high"] / one["low"]) / 2 for one in found]
    half = math.hypot(*halves) / len(found)
    center = math.fsum(logs) / len(logs)
    ends = (math.exp(center - half), math.exp(center + half))
    if len(found) == 1:
        ends = (found[0]["low"], found[0]["high"])
    return Mean(math.exp(center), *ends, math.exp(min(logs)), math.exp(max(logs)))


def _over(documents: list[str]) -> str:
    """Describe the workloads that a sentence covers."""
    count = len(documents)
    text = f"geometric mean of {count} documents" if count > 1 else "one document"
    alike = sum(one.startswith(LOOK_ALIKE) for one in documents)
    if not alike:
        return text
    who = f"{alike} of them " if count > 1 else ""
    return f"{text}, {who}generated to look alike"


def _shared(found: dict[str, dict[str, Any]]) -> tuple[list[str], dict[str, Any]]:
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


def _ratios(results: dict[str, Any], operation: str, reference: str) -> Effects:
    """Return the effects on time by contender and plain JSON document."""
    found: Effects = {}
    seen: set[str] = set()
    for row in _rows(results, operation):
        base = row["cells"].get(reference, {})
        if row["factors"] or row["workload"] in seen or base.get("status") != "ok":
            continue
        effects = {
            name: cell["effects"]["interleaved"]["time"]
            for name, cell in row["cells"].items()
            if cell["status"] == "ok"
            and _is_json(name)
            and "time" in cell["effects"].get("interleaved", {})
        }
        if effects:
            seen.add(row["workload"])
        for name, effect in effects.items():
            if effect["baseline"] == reference and effect["n"] > 1:
                found.setdefault(name, {})[row["workload"]] = effect
    return found


def _is_json(name: str) -> bool:
    """Tell whether a contender reads and writes JSON, and is not the A/A twin."""
    if name == AGAIN:
        return False
    try:
        return contenders.known(name).format == "json"
    except contenders.UnknownContenderError:
        return True  # a contender of another tool


def _rows(results: dict[str, Any], operation: str) -> Iterator[dict[str, Any]]:
    for study in results["studies"]:
        for table in study["tables"]:
            for row in table["rows"]:
                if row["operation"] == operation:
                    yield row


def _memory(results: dict[str, Any]) -> str:
    """Return the peak of reading, relative to the size of the result."""
    found: dict[str, dict[str, float]] = {}
    for row in _rows(results, "loads"):
        for name, cell in row["cells"].items():
            values = cell["quantities"]
            if row["factors"] or cell["status"] != "ok" or not _is_json(name):
                continue
            if "tree" not in values or min(values[k]["value"] for k in SHOWN) <= 0:
                continue
            ratio = values["peak"]["value"] / values["tree"]["value"]
            found.setdefault(name, {})[row["workload"]] = ratio
    documents, ratios = _shared(found)
    if not ratios:
        return "Memory: not measured in this run."
    means = {name: _mean(list(of.values())) for name, of in ratios.items()}
    ordered = sorted(means, key=lambda name: means[name])
    leanest, most = ordered[0], ordered[-1]
    text = (
        f"Memory while reading ({_over(documents)}): {leanest} needs "
        f"{means[leanest]:.2f} times the size of its result"
    )
    if most != leanest:
        text += f", {most} {means[most]:.2f} times"
    if OURS in means and OURS not in {leanest, most}:
        text += f"; {OURS} {means[OURS]:.2f}"
    return text + "."


def _mean(values: list[float]) -> float:
    return math.exp(math.fsum(map(math.log, values)) / len(values))
