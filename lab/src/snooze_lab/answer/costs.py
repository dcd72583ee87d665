"""Memory and energy, in one sentence each.

Separate because neither is a speed. A peak is what the process took above its state
before the call, in bytes, and never divided by a library's own result; joules of
different qualities are never compared, and the quality word is part of the sentence.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from snooze_lab.answer.ranking import json_cells
from snooze_lab.model import OURS, REFERENCE, STANDARD
from snooze_lab.units import quantity, ratio

if TYPE_CHECKING:
    from snooze_lab.model import Effect
    from snooze_lab.stored.results_types import Line, Results

PAGE = 4096
PREFIX = "energy:"


def memory(results: Results) -> str:
    """Return the peaks while reading the largest document, and how ours compares."""
    found = [line for line in results.lines("loads") if _peaks(line)]
    if not found:
        return "not measured in this run."
    line = max(found, key=lambda one: one.bytes)
    peaks = _peaks(line)
    order = [name for name in (OURS, REFERENCE, STANDARD) if name in peaks]
    order = order or sorted(peaks, key=peaks.__getitem__)[:3]
    parts = [f"{name} {quantity(peaks[name], 'B')}" for name in order]
    text = f"peak while reading {line.document}: {', '.join(parts)}"
    least = min(peaks, key=peaks.__getitem__)
    if least not in order:
        text += f"; least {least} {quantity(peaks[least], 'B')}"
    return f"{text}{_compared(line, peaks)}."


def _peaks(line: Line) -> dict[str, float]:
    """Return the peak of each JSON library of a row under the usual conditions."""
    if line.factors:
        return {}
    return {
        name: peak.value
        for name, cell in json_cells(line)
        if (peak := cell.quantities.get("peak")) and peak.value > 0
    }


def _compared(line: Line, peaks: dict[str, float]) -> str:
    """Return how our peak compares with the reference's, in words."""
    if OURS not in peaks or REFERENCE not in peaks:
        return ""
    if abs(peaks[OURS] - peaks[REFERENCE]) <= PAGE:
        return f" ({OURS} and {REFERENCE}: no difference)"
    effect = line.cells[OURS].ratio("peak", REFERENCE)
    if not effect or effect.n < 2:
        return " (one process each: no interval, so no comparison)"
    return f" ({OURS} {_share(effect)} times {REFERENCE}'s)"


def _share(effect: Effect) -> str:
    """Return own / baseline with its interval; an effect is baseline / own."""
    return ratio(1 / effect.ratio, 1 / effect.high, 1 / effect.low)


def energy(results: Results) -> str:
    """Return what was measured, imported or estimated, or that nothing was."""
    for source in results.energy:
        said = source.statements
        # What is net of idle comes first: gross joules are mostly the machine's own.
        first = next((one for one in said if "net" in one), said[0] if said else "")
        if first:
            return f"{source.quality}: {first.removesuffix('.')}."
    for line in results.lines("phases", "loads", "dumps"):
        found = {key for cell in line.cells.values() for key in cell.quantities}
        for metric in sorted(key for key in found if key.startswith(PREFIX)):
            if said_of := _joules(line, metric):
                quality = metric.split(":")[1]
                return f"{quality}, {line.operation} of {line.document}: {said_of}."
    return "not measured here; snooze-lab doctor says what would measure it."


def _joules(line: Line, metric: str) -> str:
    """Return joules relative to the standard library's, or else the reference's."""
    for base in (STANDARD, REFERENCE):
        parts = [
            f"{name} {_share(effect)}"
            for name in (OURS, REFERENCE)
            if name != base and (cell := line.cells.get(name)) and cell.status == "ok"
            if (effect := cell.ratio(metric, base)) and effect.n > 1
        ]
        if parts:
            return f"{' and '.join(parts)} of the joules of {base}"
    return ""
