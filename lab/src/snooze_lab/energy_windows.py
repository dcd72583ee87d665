"""Energy meters around a worker's timed calls.

Separate because most samples have none: meters are opened only where the request names
them (`meters`, and `calibration` for the estimated one). Invariants: a meter that fails
gives no figure and a flag, never a zero; every reading keeps its quality word; standard
library only. Used by measure.py.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from snooze_lab import meters
from snooze_lab.meters import base

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass
class Joules:
    """What the meters of one window read."""

    readings: list[dict[str, Any]] = field(default_factory=list)

    def per_operation(self, operations: int) -> dict[str, list[float]]:
        """Return joules of one operation by `energy:<quality>:<meter>`."""
        return {
            f"energy:{one['quality']}:{one['meter']}": [one["value"] / operations]
            for one in self.readings
            if one["unit"] == "J" and "value" in one
        }


@contextlib.contextmanager
def metered(request: dict[str, Any]) -> Iterator[Joules]:
    """Read the meters that a request names over the block."""
    found = Joules()
    names = request.get("meters") or []
    if not names:
        yield found
        return
    path = request.get("calibration")
    context = base.RunContext(calibration=Path(path) if path else None)
    with contextlib.ExitStack() as stack:
        sessions = []
        for name in names:
            try:
                session = stack.enter_context(meters.find(name, context).open(context))
            except (base.MeterError, OSError) as error:
                found.readings.append(_failed(name, error))
                continue
            sessions.append((name, session, session.start()))
        yield found
        for name, session, mark in reversed(sessions):
            try:
                found.readings.append(session.stop(mark).as_json())
            except (base.MeterError, OSError) as error:
                found.readings.append(_failed(name, error))


def _failed(name: str, error: Exception) -> dict[str, Any]:
    return {"meter": name, "unit": "", "quality": "", "flags": [f"failed: {error}"]}


def working(calibration: Path | None) -> list[str]:
    """Return the names of the energy meters that work here, the estimated one last."""
    context = base.RunContext(calibration=calibration)
    return [
        meter.name
        for meter in meters.meters(context)
        if meter.unit == "J" and meter.probe().ok
    ]
