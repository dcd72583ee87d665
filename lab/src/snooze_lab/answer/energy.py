"""Energy in one sentence: what was measured, imported or estimated, or that none was.

Invariants: joules of different qualities are never compared; the quality word is part
of the sentence. Used by answer.of.
"""

from __future__ import annotations

import math
from typing import Any

from snooze_lab.answer.means import effect_of, rows
from snooze_lab.model import AGAIN, OURS, REFERENCE, STANDARD
from snooze_lab.units import ratio

PREFIX = "energy:"


def sentence(results: dict[str, Any]) -> str:
    """Return what the run says about joules."""
    for source in results["energy"] or ():
        said = source.get("statements") or []
        # What is net of idle comes first: gross joules are mostly the machine's own.
        first = next((one for one in said if "net" in one), said[0] if said else "")
        if first:
            return f"{source['quality']}: {first.removesuffix('.')}."
    return _measured(results) or (
        "not measured here; snooze-lab doctor says what would measure it."
    )


def _measured(results: dict[str, Any]) -> str:
    """Return the joules of a contest relative to the standard library's."""
    for row in rows(results, "phases", "loads", "dumps"):
        metrics = sorted(
            key
            for cell in row["cells"].values()
            for key in cell["quantities"]
            if key.startswith(PREFIX)
        )
        for metric in dict.fromkeys(metrics):
            said = _shares(row, metric)
            if said:
                quality = metric.split(":")[1]
                where = f"{row['operation']} of {row['workload']}"
                return f"{quality}, {where}: {said}."
    return ""


def _shares(row: dict[str, Any], metric: str) -> str:
    for base in (STANDARD, REFERENCE):
        parts = []
        for name in (OURS, REFERENCE):
            cell = row["cells"].get(name)
            if name in {base, AGAIN} or not cell or cell["status"] != "ok":
                continue
            effect = effect_of(cell, metric, base)
            if effect and math.isfinite(effect["low"]):
                ends = 1 / effect["ratio"], 1 / effect["high"], 1 / effect["low"]
                parts.append(f"{name} {ratio(*ends)}")
        if parts:
            return f"{' and '.join(parts)} of the joules of {base}"
    return ""
