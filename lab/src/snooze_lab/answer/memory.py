"""Memory while reading: the peak of each library, as bytes first.

Invariants: the peak is what the process took above its state before the call, and is
never divided by a library's own result; differences of a page are no differences. Used
by answer.of.
"""

from __future__ import annotations

from typing import Any

from snooze_lab.answer.means import format_of, rows
from snooze_lab.model import AGAIN, OURS, REFERENCE, STANDARD
from snooze_lab.units import quantity, ratio

PAGE = 4096


def sentence(results: dict[str, Any]) -> str:
    """Return the peaks on the largest document, and how ours compares."""
    found = [row for row in rows(results, "loads") if _peaks(row)]
    if not found:
        return "not measured in this run."
    row = max(found, key=lambda one: int(one["bytes"]))
    peaks = _peaks(row)
    order = [name for name in (OURS, REFERENCE, STANDARD) if name in peaks]
    order = order or sorted(peaks, key=peaks.__getitem__)[:3]
    parts = [f"{name} {quantity(peaks[name], 'B')}" for name in order]
    text = f"peak while reading {row['workload']}: {', '.join(parts)}"
    least = min(peaks, key=peaks.__getitem__)
    if least not in order:
        text += f"; least {least} {quantity(peaks[least], 'B')}"
    return f"{text}{_compared(row, peaks)}."


def _peaks(row: dict[str, Any]) -> dict[str, float]:
    """Return the peak of each JSON library of a row under the usual conditions."""
    if row["factors"]:
        return {}
    return {
        name: cell["quantities"]["peak"]["value"]
        for name, cell in row["cells"].items()
        if cell["status"] == "ok"
        and name != AGAIN
        and format_of(name) == "json"
        and cell["quantities"].get("peak", {}).get("value", 0) > 0
    }


def _compared(row: dict[str, Any], peaks: dict[str, float]) -> str:
    """Return how our peak compares with the reference's, in words."""
    if OURS not in peaks or REFERENCE not in peaks:
        return ""
    effect = row["cells"][OURS]["effects"].get("isolated", {}).get("peak")
    if abs(peaks[OURS] - peaks[REFERENCE]) <= PAGE:
        return f" ({OURS} and {REFERENCE}: no difference)"
    if not effect or effect["baseline"] != REFERENCE or effect["n"] < 2:
        share = peaks[OURS] / peaks[REFERENCE]
        return f" ({OURS} {share:.2f} times {REFERENCE}'s)"
    # An effect is baseline / own.
    ends = 1 / effect["ratio"], 1 / effect["high"], 1 / effect["low"]
    return f" ({OURS} {ratio(*ends)} times {REFERENCE}'s)"
